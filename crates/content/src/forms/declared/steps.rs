//! Checks the steps of a form: each field is in one of them, and what depends on each other comes in order.

use diagnostics::problem::{Code, Problem};
use diagnostics::yaml::{Node, Spanned, Value};

use super::{DeclaredField, FormDeclaration, Reader};

impl FormDeclaration {
    /// The step of a field, from 0; `None` if the form has no steps.
    pub fn step_of(&self, name: &str) -> Option<usize> {
        self.steps
            .iter()
            .position(|step| step.iter().any(|other| other == name))
    }

    /// The form with its fields in the order in which visitors meet them, which is that of mails and exports, too.
    pub(super) fn in_order_of_steps(mut self) -> FormDeclaration {
        let order: Vec<String> = self.steps.iter().flatten().cloned().collect();
        self.fields
            .sort_by_key(|field| order.iter().position(|name| *name == field.field.name));
        self
    }
}

impl Reader<'_> {
    /// Checks the steps. `groups` are those of `require_one_of`, `node` is the value of `steps`.
    pub(super) fn steps(
        &mut self,
        form: &FormDeclaration,
        steps: &[Vec<Spanned<String>>],
        groups: &[Vec<Spanned<String>>],
        node: &Node,
    ) {
        if steps.len() < 2 {
            self.report(
                node.span,
                "a form with steps needs at least two",
                "write `[[clinic, day], [name, email]]`, or remove `steps`",
            );
            return;
        }
        if let Value::List(items) = &node.value {
            for (item, _) in items.iter().zip(steps).filter(|(_, step)| step.is_empty()) {
                self.report(
                    item.span,
                    "a step is empty",
                    "name its fields: `[name, email]`",
                );
            }
        }
        let names: Vec<&str> = form
            .fields
            .iter()
            .map(|field| field.field.name.as_str())
            .collect();
        let mut seen: Vec<&str> = Vec::new();
        for name in steps.iter().flatten() {
            self.known(&names, &name.value, name.span);
            if seen.contains(&name.value.as_str()) {
                let message = format!(
                    "`{}` is in two steps, but a field can be in only one",
                    name.value
                );
                self.report(name.span, &message, "remove one of the two");
            }
            seen.push(&name.value);
        }
        for field in form
            .fields
            .iter()
            .filter(|field| !seen.contains(&field.field.name.as_str()))
        {
            let message = format!(
                "`{}` is not in any step, so nobody could fill it in",
                field.field.name
            );
            self.report(field.span, &message, "add it to one of the steps");
        }
        let step_of = |name: &str| {
            steps
                .iter()
                .position(|step| step.iter().any(|other| other.value == name))
        };
        for DeclaredField { field, span, .. } in &form.fields {
            let later = field
                .depends_on()
                .find(|other| step_of(other) > step_of(&field.name));
            if let Some(other) = later.filter(|_| seen.contains(&field.name.as_str())) {
                let message = format!(
                    "`{}` depends on `{other}`, which is in a later step",
                    field.name
                );
                self.report(*span, &message, "put both in one step, or swap the steps");
            }
        }
        for group in groups {
            let of_group: Vec<_> = group
                .iter()
                .filter_map(|name| step_of(&name.value))
                .collect();
            if let (Some(first), true) = (
                group.first(),
                of_group.iter().any(|step| *step != of_group[0]),
            ) {
                let problem = Problem::error(
                    Code::FormDeclaration,
                    "one of these fields must be filled in, but they are in different steps",
                );
                let problem = problem.at(self.source.place(first.span));
                self.problems
                    .push(problem.hint("put them in the same step"));
                self.is_wrong = true;
            }
        }
    }
}
