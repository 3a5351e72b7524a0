//! Reads what can be chosen in a field: its own list, or what the answer to another field offers; and the fragments of the
//! page's address that make a choice.

use std::collections::BTreeMap;

use api_types::forms::{AnswerType, ChoicesBy};
use diagnostics::problem::{Code, Problem, Span, did_you_mean};
use diagnostics::yaml::{Node, Spanned};

use super::keys::{FieldEntry, Offered, all_of};
use super::looks::is_parameter;
use super::{DeclaredField, FormDeclaration, Reader};

/// The choices of a field.
#[derive(Default)]
pub(super) struct Choices {
    /// All values, in order.
    pub values: Vec<Spanned<String>>,
    /// The choices that depend on another answer. Those of a reference are known with the entries.
    pub by: Option<ChoicesBy>,
    /// The field of entries that names the other entry.
    pub entries_by: Option<Spanned<String>>,
}

impl Reader<'_> {
    /// The choices of a field; `None` if they are wrong, which was reported.
    pub(super) fn choices(&mut self, entry: &FieldEntry, node: &Node) -> Option<Choices> {
        // Other types have neither, which is reported with the keys that they do not have.
        let has_choices = matches!(
            entry.takes.value,
            AnswerType::Choice | AnswerType::Reference
        );
        let Some((other, offered)) = entry.choices_by.first_key_value().filter(|_| has_choices)
        else {
            return Some(Choices {
                values: entry.choices.clone(),
                ..Choices::default()
            });
        };
        let at = |key: &str| node.get(key).map_or(offered.span, |node| node.span);
        if entry.choices_by.len() > 1 {
            self.report(
                at("choices_by"),
                "choices can depend on only one other field",
                "keep one of these",
            );
            return None;
        }
        if !entry.choices.is_empty() {
            self.report(
                at("choices"),
                "this field has both `choices` and `choices_by`",
                "remove `choices`",
            );
            return None;
        }
        let by = |choices| {
            Some(ChoicesBy {
                field: other.clone(),
                choices,
            })
        };
        match (&offered.value, entry.takes.value) {
            (Offered::By(path), AnswerType::Reference) => {
                let entries_by = Some(Spanned {
                    value: path.clone(),
                    span: offered.span,
                });
                Some(Choices {
                    by: by(BTreeMap::new()),
                    entries_by,
                    ..Choices::default()
                })
            }
            (Offered::Choices(lists), AnswerType::Choice) => {
                let mut values: Vec<Spanned<String>> = Vec::new();
                for (value, list) in lists {
                    if !self.are_choices(list) {
                        return None;
                    }
                    if list.is_empty() {
                        let message = format!("`{value}` has no choices");
                        self.report(offered.span, &message, "name its choices, or remove it");
                        return None;
                    }
                    for choice in list {
                        if values.iter().all(|known| known.value != choice.value) {
                            values.push(choice.clone());
                        }
                    }
                }
                let names = |list: &[Spanned<String>]| {
                    list.iter().map(|choice| choice.value.clone()).collect()
                };
                let by = by(lists
                    .iter()
                    .map(|(value, list)| (value.clone(), names(list)))
                    .collect());
                Some(Choices {
                    values,
                    by,
                    entries_by: None,
                })
            }
            (Offered::By(_), _) => {
                self.report(
                    offered.span,
                    "for a choice, `choices_by` needs a list of choices for each value of the other field",
                    "write `{place: {roof: [tiles, gutter], wall: [crack]}}`",
                );
                None
            }
            (Offered::Choices(_), _) => {
                self.report(
                    offered.span,
                    "for a reference, `choices_by` needs the name of a field of its entries",
                    "name the field of these entries that refers to the entry chosen in the other field, such as `{clinic: clinics}`",
                );
                None
            }
        }
    }

    /// The anchors of a field by choice; `None` if they are wrong, which was reported.
    pub(super) fn anchors(
        &mut self,
        entry: &FieldEntry,
        choices: &[Spanned<String>],
        node: &Node,
    ) -> Option<BTreeMap<String, Vec<String>>> {
        let mut anchors: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut is_wrong = false;
        for (choice, names) in &entry.anchors {
            let place = node
                .get("anchors")
                .and_then(|node| node.get(choice))
                .map_or(node.span, |node| node.span);
            is_wrong |= !self.is_choice(choices, choice, place);
            let names = all_of(names.clone());
            for name in &names {
                if !is_parameter(name) {
                    self.report(
                        place,
                        &format!("`{name}` is not a valid anchor"),
                        "use letters, digits, `-` and `_`",
                    );
                    is_wrong = true;
                } else if anchors.values().flatten().any(|other| other == name) {
                    self.report(
                        place,
                        &format!("the anchor `{name}` also selects another choice"),
                        "remove it from one of the two choices",
                    );
                    is_wrong = true;
                }
            }
            anchors.insert(choice.clone(), names);
        }
        (!is_wrong).then_some(anchors)
    }

    /// Whether a field has a choice. One that it does not have is reported.
    pub(super) fn is_choice(
        &mut self,
        choices: &[Spanned<String>],
        name: &str,
        span: Span,
    ) -> bool {
        let known = || choices.iter().map(|choice| choice.value.as_str());
        let is_known = known().any(|choice| choice == name);
        if !is_known {
            let problem = Problem::error(
                Code::FormDeclaration,
                format!("the field has no choice `{name}`"),
            );
            self.problems.push(
                problem
                    .at(self.source.place(span))
                    .maybe_hint(did_you_mean(name, known())),
            );
            self.is_wrong = true;
        }
        is_known
    }

    /// Checks the fields whose choices another one offers.
    pub(super) fn offers(&mut self, form: &FormDeclaration, fields: &Node) {
        for DeclaredField { field, span, .. } in &form.fields {
            let Some(by) = &field.choices_by else {
                continue;
            };
            let node = fields
                .get(&field.name)
                .and_then(|node| node.get("choices_by"));
            let span = node.map_or(*span, |node| node.span);
            let Some(other) = form.field(&by.field).map(|other| &other.field) else {
                let names: Vec<&str> = form
                    .fields
                    .iter()
                    .map(|field| field.field.name.as_str())
                    .collect();
                self.known(&names, &by.field, span);
                continue;
            };
            if other.name == field.name {
                self.report(
                    span,
                    "a field cannot depend on itself",
                    "name another field",
                );
            } else if other.takes != field.takes {
                let message = format!(
                    "the choices of `{}` cannot depend on `{}`",
                    field.name, other.name
                );
                self.report(
                    span,
                    &message,
                    "make a choice depend on a choice, or a reference on a reference",
                );
            } else if field.takes == AnswerType::Choice {
                for value in by
                    .choices
                    .keys()
                    .filter(|value| !other.choices.contains(value))
                {
                    let message = format!(
                        "`{}` is never `{value}`, so these choices are never offered",
                        other.name
                    );
                    let near = did_you_mean(value, other.choices.iter().map(String::as_str));
                    let problem =
                        Problem::error(Code::FormDeclaration, message).at(self.source.place(span));
                    self.problems.push(problem.maybe_hint(near));
                    self.is_wrong = true;
                }
            }
        }
    }

    /// Reports a second field with anchors: the address of a page has one fragment.
    pub(super) fn one_field_with_anchors(&mut self, form: &FormDeclaration) {
        if let Some(second) = form
            .fields
            .iter()
            .filter(|field| !field.anchors.is_empty())
            .nth(1)
        {
            let message = "two fields have `anchors`, but a URL has only one fragment";
            self.report(second.span, message, "use `from_query` for one of them");
        }
    }
}
