//! Checks how the choices of a field are shown, and what fills it in.

use diagnostics::yaml::{Node, Spanned};

use super::{FieldEntry, Look, Reader};

impl Reader<'_> {
    /// Whether a field can be shown as it says. What is wrong is reported.
    pub(super) fn is_look(&mut self, entry: &FieldEntry, choices: &[Spanned<String>], node: &Node) -> bool {
        let before = std::mem::take(&mut self.is_wrong);
        let look = entry.look.as_ref();
        if let Some(look) = look.filter(|look| look.value == Look::Radios && entry.list) {
            self.report(
                look.span,
                "only one of several radio buttons can be chosen, and this is a `list`",
                "write `look: cards`, or remove `look` for boxes to tick",
            );
        }
        if let Some(icons) = node.get("icons").filter(|_| look.is_none_or(|look| look.value != Look::Cards)) {
            self.report(icons.span, "only cards show `icons`", "add `look: cards`");
        }
        for (choice, icon) in &entry.icons {
            self.is_choice(choices, choice, icon.span);
        }
        if let Some(name) = entry.from_query.as_ref().filter(|name| !is_parameter(&name.value)) {
            self.report(
                name.span,
                &format!("`{}` is no name for a parameter of an address", name.value),
                "use letters, digits, `-` and `_`",
            );
        }
        let is_right = !self.is_wrong;
        self.is_wrong |= before;
        is_right
    }
}

/// Whether a name can be written in an address as it is.
pub(super) fn is_parameter(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}
