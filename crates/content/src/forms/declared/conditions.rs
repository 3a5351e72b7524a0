//! Checks what the fields of a form depend on: a field is shown while another one has a value.

use api_types::forms::{ANY, AnswerType};
use diagnostics::problem::{Code, Problem, did_you_mean};
use diagnostics::yaml::{Node, Value};

use super::{DeclaredField, FormDeclaration, Reader};

impl Reader<'_> {
    /// Checks the conditions of fields: each names another field that can have the value.
    pub(super) fn conditions(&mut self, form: &FormDeclaration, fields: &Node) {
        for DeclaredField { field, .. } in &form.fields {
            for condition in &field.shown_when {
                let node = fields
                    .get(&field.name)
                    .and_then(|node| node.get("shown_when"));
                let key = match node.map(|node| &node.value) {
                    Some(Value::Map(entries)) => {
                        entries.iter().find(|(key, _)| key.name == condition.field)
                    }
                    _ => None,
                };
                let Some((key, value)) = key else { continue };
                let Some(other) = form.field(&condition.field).map(|other| &other.field) else {
                    let names: Vec<&str> = form
                        .fields
                        .iter()
                        .map(|field| field.field.name.as_str())
                        .collect();
                    self.known(&names, &condition.field, key.span);
                    continue;
                };
                if other.name == field.name {
                    self.report(
                        key.span,
                        "a field cannot depend on itself",
                        "name another field",
                    );
                    continue;
                }
                let possible: Vec<&str> = match other.takes {
                    AnswerType::Flag => vec!["true", "false"],
                    AnswerType::Choice => other.choices.iter().map(String::as_str).collect(),
                    _ => continue,
                };
                let is_possible = |wanted: &str| {
                    possible.contains(&wanted) || wanted == ANY && other.takes != AnswerType::Flag
                };
                let wrong: Vec<&str> = condition
                    .values
                    .iter()
                    .map(String::as_str)
                    .filter(|wanted| !is_possible(wanted))
                    .collect();
                let Some(first) = wrong.first() else { continue };
                let named = wrong
                    .iter()
                    .map(|wanted| format!("`{wanted}`"))
                    .collect::<Vec<_>>()
                    .join(" or ");
                let never = if wrong.len() == condition.values.len() {
                    ", so this field is never shown"
                } else {
                    ""
                };
                let message = format!("`{}` is never {named}{never}", other.name);
                let problem = Problem::error(Code::FormDeclaration, message)
                    .at(self.source.place(value.span));
                self.problems
                    .push(problem.maybe_hint(did_you_mean(first, possible.iter().copied())));
                self.is_wrong = true;
            }
        }
        self.circles(form, fields);
    }

    /// Reports fields that are shown only after each other.
    fn circles(&mut self, form: &FormDeclaration, fields: &Node) {
        for DeclaredField { field, span, .. } in &form.fields {
            let mut others = field.depends_on().filter(|other| *other != field.name);
            let Some(other) =
                others.find(|other| leads_to(form, other, &field.name, &mut Vec::new()))
            else {
                continue;
            };
            let of_field = |key: &str| fields.get(&field.name).and_then(|node| node.get(key));
            let at = of_field("shown_when").or_else(|| of_field("choices_by"));
            let message = format!(
                "`{}` is shown only after `{other}`, and vice versa",
                field.name
            );
            self.report(
                at.map_or(*span, |node| node.span),
                &message,
                "make one of them always visible",
            );
            return;
        }
    }
}

/// Whether a field depends on another one, directly or through others. `seen` are those that were looked at.
fn leads_to<'a>(
    form: &'a FormDeclaration,
    from: &'a str,
    to: &str,
    seen: &mut Vec<&'a str>,
) -> bool {
    if from == to {
        return true;
    }
    if seen.contains(&from) {
        return false;
    }
    seen.push(from);
    form.field(from).is_some_and(|field| {
        field
            .field
            .depends_on()
            .any(|next| leads_to(form, next, to, seen))
    })
}
