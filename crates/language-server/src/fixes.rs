//! Problems as diagnostics of the protocol, and edits that solve them: those that hints name, and the typography.

use std::path::Path;

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, Diagnostic,
    DiagnosticSeverity, NumberOrString, Range, TextEdit, WorkspaceEdit,
};

use diagnostics::problem::{Code, Problem, Severity};
use languages::typography;
use workspace::files::FileSet;

use super::analysis::Index;
use super::text::Text;

/// A problem as editors show it. One that concerns the whole file is on its first line.
pub(super) fn diagnostic(problem: &Problem, text: &Text) -> Diagnostic {
    let hint = problem.hint.iter().map(|hint| format!("\n{hint}"));
    Diagnostic {
        range: range(problem, text),
        severity: Some(match problem.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(problem.code.name().to_owned())),
        source: Some("sitegen".to_owned()),
        message: std::iter::once(problem.message.clone())
            .chain(hint)
            .collect(),
        ..Diagnostic::default()
    }
}

/// The range of a problem in its file.
pub(super) fn range(problem: &Problem, text: &Text) -> Range {
    let range = problem.place.as_ref().and_then(|place| place.range);
    range.map_or_else(Range::default, |range| Range {
        start: text.of_problem(range.start),
        end: text.of_problem(range.end),
    })
}

/// The fixes of the problems in a range.
pub(super) fn actions(
    problems: &[Problem],
    asked: &CodeActionParams,
    text: &Text,
) -> Vec<CodeActionOrCommand> {
    let overlaps = |range: Range| range.start <= asked.range.end && range.end >= asked.range.start;
    let chosen = problems
        .iter()
        .filter(|problem| overlaps(range(problem, text)));
    let fixes = chosen.flat_map(|problem| {
        replacements(problem)
            .into_iter()
            .map(move |new_text| (problem, new_text))
    });
    let actions = fixes.map(|(problem, new_text)| {
        let diagnostic = diagnostic(problem, text);
        let edit = TextEdit {
            range: diagnostic.range,
            new_text: new_text.clone(),
        };
        // The protocol has a map from addresses, which do change while they are hashed: their text is compared.
        #[expect(clippy::mutable_key_type, reason = "the type is that of the protocol")]
        let changes = [(asked.text_document.uri.clone(), vec![edit])]
            .into_iter()
            .collect();
        CodeActionOrCommand::CodeAction(CodeAction {
            title: format!("Replace with `{new_text}`"),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![diagnostic]),
            edit: Some(WorkspaceEdit {
                changes: Some(changes),
                ..WorkspaceEdit::default()
            }),
            is_preferred: Some(true),
            ..CodeAction::default()
        })
    });
    actions.collect()
}

/// The texts that a hint suggests in place of the text that the problem marks.
fn replacements(problem: &Problem) -> Vec<String> {
    let Some(hint) = problem.hint.as_deref().filter(|_| {
        problem
            .place
            .as_ref()
            .is_some_and(|place| place.range.is_some())
    }) else {
        return Vec::new();
    };
    let quoted = |text: &str| text.split('`').next().map(str::to_owned);
    if let Some(rest) = hint.strip_prefix("did you mean `") {
        return quoted(rest).into_iter().collect();
    }
    // Other hints with `write` name the whole line, or an example.
    let is_exact = matches!(problem.code, Code::Typography)
        || problem.code == Code::WrongType && matches!(hint, "write `true`" | "write `false`");
    if let Some(rest) = hint.strip_prefix("write `").filter(|_| is_exact) {
        return quoted(rest).into_iter().collect();
    }
    if let Some(list) = hint.strip_prefix("valid values: ") {
        let names: Vec<String> = list
            .split(", ")
            .map(|name| name.trim_matches('`').to_owned())
            .collect();
        return if names.len() <= 8 { names } else { Vec::new() };
    }
    Vec::new()
}

/// The edits that correct the typography of a document; none if it cannot be read.
pub(super) fn format(root: &FileSet, index: &Index, path: &Path, text: &Text) -> Vec<TextEdit> {
    if !path.starts_with(root.join("content")) {
        return Vec::new();
    }
    let languages = typography::Languages {
        locales: &index.locales,
        withheld: &index.withheld,
    };
    let (corrections, _) = typography::corrections(root, path, languages);
    let edits = corrections.into_iter().flat_map(|correction| {
        // The text was read without a byte-order mark.
        let offset = text.text.len().saturating_sub(correction.source.text.len());
        correction
            .edits
            .into_iter()
            .map(move |(range, right)| (range.start + offset..range.end + offset, right))
    });
    edits
        .map(|(range, new_text)| TextEdit {
            range: text.range(range),
            new_text,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use diagnostics::problem::{Source, Span};

    #[test]
    fn hints_that_name_the_right_text_are_fixes() {
        let source = Source::new("a".into(), "titel: x".into());
        let check = |code, hint: &str, expect: &[&str]| {
            let problem = Problem::error(code, "wrong")
                .at(source.place(Span::new(0, 5)))
                .hint(hint);
            assert_eq!(replacements(&problem), expect, "{hint}");
        };
        check(Code::UnknownKey, "did you mean `title`?", &["title"]);
        check(
            Code::UnknownKey,
            "valid values: `title`, `text`",
            &["title", "text"],
        );
        check(Code::WrongType, "write `true`", &["true"]);
        check(
            Code::WrongType,
            "write `key: value`, each key on its own line",
            &[],
        );
        check(
            Code::Typography,
            "write `99 %` with a no-break space (U+00A0), or run `sitegen fmt`",
            &["99 %"],
        );
        check(Code::MissingKey, "add `title: …`", &[]);
    }
}
