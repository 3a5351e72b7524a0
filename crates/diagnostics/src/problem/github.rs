//! Formats problems as workflow commands of GitHub Actions, which shows them at their lines in pull requests.

use std::fmt::Write as _;

use super::{Problem, Problems, Severity};

/// Returns one `::error …` or `::warning …` line per problem.
pub fn github(problems: &Problems) -> String {
    problems.iter().map(line).collect()
}

fn line(problem: &Problem) -> String {
    let command = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut text = format!("::{command} title={}", property(problem.code.name()));
    if let Some(place) = &problem.place {
        let _ = write!(text, ",file={}", property(&place.path));
        if let Some(range) = place.range {
            let _ = write!(
                text,
                ",line={},col={}",
                range.start.line, range.start.column
            );
            if range.end.line == range.start.line {
                let _ = write!(text, ",endColumn={}", range.end.column);
            }
        }
    }
    let hint = problem
        .hint
        .as_ref()
        .map(|hint| format!("\nhint: {hint}"))
        .unwrap_or_default();
    let _ = writeln!(text, "::{}", data(&format!("{}{hint}", problem.message)));
    text
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::{Code, Place};
    use super::*;

    #[test]
    fn line_breaks_and_separators_are_escaped() {
        let problem = Problem::error(Code::DeadLink, "a\nb")
            .at(Place::file("content/a,b.yaml"))
            .hint("50%");
        assert_eq!(
            line(&problem),
            "::error title=dead-link,file=content/a%2Cb.yaml::a%0Ab%0Ahint: 50%25\n"
        );
    }
}
