//! Checks what the fields of a form depend on: a field is shown while another one has a value.

use api_types::forms::FieldType;
use diagnostics::problem::{Code, Problem, did_you_mean};
use diagnostics::yaml::{Node, Value};

use super::{DeclaredField, FormDeclaration, Reader};

impl Reader<'_> {
    /// Checks the conditions of fields: each names another field that can have the value.
    pub(super) fn conditions(&mut self, form: &FormDeclaration, fields: &Node) {
        for DeclaredField { field, .. } in &form.fields {
            for condition in &field.shown_when {
                let node = fields.get(&field.name).and_then(|node| node.get("shown_when"));
                let key = match node.map(|node| &node.value) {
                    Some(Value::Map(entries)) => entries.iter().find(|(key, _)| key.name == condition.field),
                    _ => None,
                };
                let Some((key, value)) = key else { continue };
                let Some(other) = form.field(&condition.field).map(|other| &other.field) else {
                    let names: Vec<&str> = form.fields.iter().map(|field| field.field.name.as_str()).collect();
                    self.known(&names, &condition.field, key.span);
                    continue;
                };
                if other.name == field.name {
                    self.report(key.span, "a field cannot depend on itself", "name another field");
                    continue;
                }
                let possible: Vec<&str> = match other.takes {
                    FieldType::Flag => vec!["true", "false"],
                    FieldType::Choice => other.choices.iter().map(String::as_str).collect(),
                    _ => continue,
                };
                for wanted in condition.values.iter().filter(|wanted| !possible.contains(&wanted.as_str())) {
                    let message = format!("`{}` is never `{wanted}`, so this field is never shown", other.name);
                    let problem = Problem::error(Code::FormDeclaration, message).at(self.source.place(value.span));
                    self.problems.push(problem.maybe_hint(did_you_mean(wanted, possible.iter().copied())));
                    self.is_wrong = true;
                }
            }
        }
        self.circles(form, fields);
    }

    /// Reports fields that are shown only after each other.
    fn circles(&mut self, form: &FormDeclaration, fields: &Node) {
        for DeclaredField { field, span, .. } in &form.fields {
            let mut seen = vec![field.name.as_str()];
            let mut next = field.shown_when.first().map(|condition| condition.field.as_str());
            while let Some(name) = next {
                if seen.contains(&name) {
                    if name == field.name && seen.len() > 1 {
                        let at = fields.get(&field.name).and_then(|node| node.get("shown_when"));
                        let message =
                            format!("`{}` is shown only after `{}`, and the other way round", field.name, seen[1]);
                        self.report(at.map_or(*span, |node| node.span), &message, "let one of them be shown always");
                        return;
                    }
                    break;
                }
                seen.push(name);
                let field = form.field(name).map(|other| &other.field);
                next = field.and_then(|field| field.shown_when.first()).map(|condition| condition.field.as_str());
            }
        }
    }
}
