//! Checks how the choices of a field are shown, and what fills it in.

use diagnostics::yaml::{Node, Spanned};

use super::keys::Summary;
use super::{FieldEntry, FormDeclaration, Look, Reader};

impl Reader<'_> {
    /// Whether a field can be shown as it says. What is wrong is reported.
    pub(super) fn is_look(
        &mut self,
        entry: &FieldEntry,
        choices: &[Spanned<String>],
        node: &Node,
    ) -> bool {
        let before = std::mem::take(&mut self.is_wrong);
        let look = entry.look.as_ref();
        if let Some(look) = look.filter(|look| look.value != Look::Cards && entry.list) {
            self.report(
                look.span,
                match look.value {
                    Look::Radios => {
                        "only one of several radio buttons can be chosen, but this is a `list`"
                    }
                    _ => "a button makes one choice, but this is a `list`",
                },
                "write `look: cards`, or remove `look` to show checkboxes",
            );
        }
        if let Some(icons) = node
            .get("icons")
            .filter(|_| look.is_none_or(|look| look.value == Look::Radios))
        {
            self.report(icons.span, "only cards show `icons`", "add `look: cards`");
        }
        for (choice, icon) in &entry.icons {
            self.is_choice(choices, choice, icon.span);
        }
        if let Some(name) = entry
            .from_query
            .as_ref()
            .filter(|name| !is_parameter(&name.value))
        {
            self.report(
                name.span,
                &format!("`{}` is not a valid name for a URL parameter", name.value),
                "use letters, digits, `-` and `_`",
            );
        }
        if let Some(default) = entry.default.as_ref().filter(|_| !choices.is_empty()) {
            self.is_choice(choices, &default.value, default.span);
        }
        let is_right = !self.is_wrong;
        self.is_wrong |= before;
        is_right
    }
}

impl Reader<'_> {
    /// Reports choices that are made by pressing a button where nothing follows: in a form on one page, and in the last step.
    pub(super) fn buttons(&mut self, form: &FormDeclaration, steps: &[Vec<Spanned<String>>]) {
        let last = steps.last();
        for field in form
            .fields
            .iter()
            .filter(|field| field.look == Some(Look::Buttons))
        {
            let is_last =
                last.is_none_or(|last| last.iter().any(|name| name.value == field.field.name));
            if is_last {
                let message =
                    "a choice with `look: buttons` goes to the next step, but there is none";
                self.report(
                    field.span,
                    message,
                    "write `look: cards`, or move the field to an earlier step",
                );
            }
        }
    }

    /// The fields whose answers stand above each later step.
    pub(super) fn summary(
        &mut self,
        names: &[&str],
        summary: Option<&Spanned<Summary>>,
        has_steps: bool,
    ) -> Vec<String> {
        let Some(Spanned { value, span }) = summary else {
            return Vec::new();
        };
        let listed: Vec<String> = match value {
            Summary::All(false) => return Vec::new(),
            Summary::All(true) => names.iter().map(|name| (*name).to_owned()).collect(),
            Summary::Fields(fields) => {
                for name in fields {
                    self.known(names, &name.value, name.span);
                }
                fields.iter().map(|name| name.value.clone()).collect()
            }
        };
        if !has_steps {
            self.report(
                *span,
                "only a form with steps can have a `summary`",
                "add `steps`, or remove `summary`",
            );
        }
        listed
    }
}

/// Whether a name can be written in an address as it is.
pub(super) fn is_parameter(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}
