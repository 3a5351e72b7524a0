//! Formats problems for a terminal: message, place, the source line with a caret, and the hint.

use std::fmt::Write as _;

use super::{Place, Problem, Problems, Severity};

/// Formats a list, with a blank line after each problem: warnings, then errors, which are nearest to the prompt. Styles
/// are ANSI; the caller's stream strips them if needed.
pub fn human(problems: &Problems) -> String {
    let mut text = String::new();
    let (errors, warnings): (Vec<&Problem>, Vec<&Problem>) = problems
        .into_iter()
        .partition(|problem| problem.severity == Severity::Error);
    for problem in warnings.into_iter().chain(errors) {
        text.push_str(&human_one(problem));
        text.push('\n');
    }
    text
}

const BOLD: anstyle::Style = anstyle::Style::new().bold();
const ERROR: anstyle::Style = anstyle::AnsiColor::Red.on_default().bold();
const WARNING: anstyle::Style = anstyle::AnsiColor::Yellow.on_default().bold();
const FRAME: anstyle::Style = anstyle::AnsiColor::Blue.on_default();
const HINT: anstyle::Style = anstyle::AnsiColor::Green.on_default().bold();

/// Formats one problem. Each line ends with a line break.
pub fn human_one(problem: &Problem) -> String {
    let (style, word) = match problem.severity {
        Severity::Error => (ERROR, "error"),
        Severity::Warning => (WARNING, "warning"),
    };
    let mut text = format!(
        "{style}{word}[{}]{style:#}{BOLD}: {}{BOLD:#}\n",
        problem.code.name(),
        visible(&problem.message)
    );
    if let Some(place) = &problem.place {
        write_place(&mut text, place, style);
    }
    if let Some(hint) = &problem.hint {
        let _ = writeln!(text, "  {HINT}hint{HINT:#}: {}", visible(hint));
    }
    text
}

fn write_place(text: &mut String, place: &Place, style: anstyle::Style) {
    let Some(range) = place.range else {
        let _ = writeln!(text, "  {FRAME}-->{FRAME:#} {}", visible(&place.path));
        return;
    };
    let _ = writeln!(
        text,
        "  {FRAME}-->{FRAME:#} {}:{}:{}",
        visible(&place.path),
        range.start.line,
        range.start.column
    );
    let Some(line) = &place.line_text else { return };
    let number = range.start.line.to_string();
    let gutter = " ".repeat(number.len());
    let width = if range.end.line == range.start.line {
        range.end.column.saturating_sub(range.start.column).max(1)
    } else {
        1
    };
    let (shown, before) = excerpt(
        line,
        (range.start.column - 1).saturating_sub(place.line_from) as usize,
    );
    let carets =
        "^".repeat((width as usize).min(shown.chars().count().saturating_sub(before).max(1)));
    let _ = writeln!(text, " {FRAME}{gutter} |{FRAME:#}");
    let _ = writeln!(text, " {FRAME}{number} |{FRAME:#} {}", visible(&shown));
    let _ = writeln!(
        text,
        " {FRAME}{gutter} |{FRAME:#} {}{style}{carets}{style:#}",
        " ".repeat(before)
    );
}

/// Truncates a line to the width of a terminal around the caret. Returns the text and the caret's new column.
fn excerpt(line: &str, column: usize) -> (String, usize) {
    const WIDTH: usize = 110;
    const LEAD: usize = 60;
    let length = line.chars().count();
    if length <= WIDTH {
        return (line.to_owned(), column.min(length));
    }
    let from = column.saturating_sub(LEAD);
    let mut shown: String = line.chars().skip(from).take(WIDTH).collect();
    let mut before = column.min(length) - from;
    if from > 0 {
        shown.insert(0, '…');
        before += 1;
    }
    if from + WIDTH < length {
        shown.push('…');
    }
    (shown, before)
}

/// Replaces tabs, control characters and bidirectional controls with one visible character each, so that they do not
/// move the caret or affect the terminal.
fn visible(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' => '\n',
            '\t' => '→',
            c if c.is_control()
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') =>
            {
                '�'
            }
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Code, Source, Span};
    use super::*;

    #[test]
    fn the_caret_is_under_the_word() {
        let source = Source::new("content/site.yaml".into(), "a: 1\ntitel: x\n".into());
        let problem = Problem::error(Code::UnknownKey, "unknown key `titel`")
            .at(source.place(Span::new(5, 10)))
            .hint("did you mean `title`?");
        let plain = anstream::adapter::strip_str(&human_one(&problem)).to_string();
        assert_eq!(
            plain,
            "error[unknown-key]: unknown key `titel`\n  --> content/site.yaml:2:1\n   |\n 2 | titel: x\n   | ^^^^^\n  hint: did you mean `title`?\n"
        );
    }

    #[test]
    fn a_long_line_is_truncated_around_the_caret() {
        let line = "x".repeat(500) + "HERE" + &"y".repeat(500);
        let (shown, before) = excerpt(&line, 500);
        assert!(shown.chars().count() < 120);
        assert_eq!(
            shown.chars().skip(before).take(4).collect::<String>(),
            "HERE"
        );
    }
}
