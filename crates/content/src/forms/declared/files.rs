//! Checks a field that takes files: their types, their size, their number.

use api_types::forms::{AnswerType, FILE_TYPES};
use diagnostics::problem::{Code, Problem, Span, did_you_mean};
use diagnostics::yaml::Spanned;

use super::{FieldEntry, Reader};

impl Reader<'_> {
    /// The most characters, or the most bytes of a file. A wrong one is reported.
    pub(super) fn most(&mut self, takes: AnswerType, most: &Spanned<String>) -> Option<u32> {
        let is_file = takes == AnswerType::File;
        let text = most.value.trim();
        let read = if is_file {
            let units = [("KB", 1024), ("MB", 1024 * 1024)];
            let unit = units
                .iter()
                .find_map(|(unit, bytes)| Some((text.strip_suffix(unit)?, *bytes)));
            unit.and_then(|(number, bytes)| number.trim().parse::<u32>().ok()?.checked_mul(bytes))
        } else {
            text.parse().ok()
        };
        let read = read.filter(|most| *most > 0);
        if read.is_none() {
            let what = if is_file {
                "a valid file size"
            } else {
                "a valid number of characters"
            };
            let hint = if is_file {
                "write `10 MB` or `500 KB`"
            } else {
                "write a whole number, 1 or more"
            };
            self.report(most.span, &format!("`{text}` is not {what}"), hint);
        }
        read
    }

    /// Whether a field says which files it takes, and as many as fit into an answer. What is wrong is reported.
    pub(super) fn are_types(&mut self, name: &str, span: Span, entry: &FieldEntry) -> bool {
        let known = || FILE_TYPES.iter().map(|(kind, _)| *kind);
        let before = self.is_wrong;
        self.is_wrong = false;
        if entry.accept.is_empty() {
            self.report(
                span,
                &format!("`{name}` does not say which types of files it accepts"),
                "add `accept: [image/jpeg, application/pdf]`",
            );
        }
        for kind in entry
            .accept
            .iter()
            .filter(|kind| known().all(|known| known != kind.value))
        {
            let problem = Problem::error(
                Code::FormDeclaration,
                format!(
                    "`{}` is not a file type that the API can detect",
                    kind.value
                ),
            );
            let of_ending = FILE_TYPES
                .iter()
                .find(|(_, ending)| *ending == kind.value.trim_start_matches('.'));
            let near = of_ending
                .map(|(kind, _)| format!("write `{kind}`"))
                .or_else(|| did_you_mean(&kind.value, known()));
            self.problems
                .push(problem.at(self.source.place(kind.span)).maybe_hint(near));
            self.is_wrong = true;
        }
        match &entry.max {
            Some(max)
                if entry.list
                    && !max
                        .value
                        .parse::<u32>()
                        .is_ok_and(|max| (1..=20).contains(&max)) =>
            {
                self.report(
                    max.span,
                    &format!("`{}` is not a valid number of files", max.value),
                    "write a number from 1 to 20",
                );
            }
            None if entry.list => {
                self.report(
                    span,
                    &format!("`{name}` does not say how many files it accepts"),
                    "add `max: 3`",
                );
            }
            _ => {}
        }
        let is_right = !self.is_wrong;
        self.is_wrong |= before;
        is_right
    }
}
