//! Blocks of templates: those that replace no block of the template that theirs extends, what stands outside of them,
//! and statements that do not fit each other. The engine drops the first two in silence, and reports the last ones at
//! another line.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use diagnostics::problem::{Code, Problem, Problems, Source, Span, did_you_mean};

use super::Templates;

/// Statements that have an end: `{% if … %}` and `{% endif %}`.
const PAIRED: &[&str] = &[
    "if",
    "for",
    "macro",
    "call",
    "filter",
    "block",
    "with",
    "autoescape",
    "set",
];
/// The other statements.
const SINGLE: &[&str] = &[
    "elif", "else", "include", "import", "from", "extends", "do", "continue", "break", "raw",
];

/// A part of a template.
#[derive(Debug)]
enum Piece<'a> {
    Text(Range<usize>),
    Expression(Range<usize>),
    Statement(Statement<'a>),
}

/// A statement such as `{% block main %}`.
#[derive(Debug, Clone)]
struct Statement<'a> {
    /// Its first word.
    word: &'a str,
    /// The text that follows it.
    rest: &'a str,
    at: Range<usize>,
}

impl<'a> Statement<'a> {
    /// Whether a statement with an end begins here. `{% set a = 1 %}` has none.
    fn is_open(&self) -> bool {
        PAIRED.contains(&self.word) && (self.word != "set" || !self.rest.contains('='))
    }

    /// The first text in quotes.
    fn literal(&self) -> Option<&'a str> {
        let begin = self.rest.find(['"', '\''])?;
        let quote = self.rest[begin..].chars().next()?;
        self.rest[begin + 1..].split(quote).next()
    }

    /// The name of a block.
    fn name(&self) -> &'a str {
        self.rest
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
            .unwrap_or_default()
    }
}

/// Where an expression or a statement ends that begins here; `None` if another one begins before its end, or if there is
/// none. Quotes may hold any characters.
fn end_of_tag(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_expression = bytes[at..].starts_with(b"{{");
    let (mut at, mut depth, mut quote) = (at + 2, 0_usize, None);
    while let Some(byte) = bytes.get(at).copied() {
        match (quote, byte) {
            (Some(_), b'\\') => at += 1,
            (Some(open), close) if open == close => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'{') if matches!(bytes.get(at + 1), Some(b'%' | b'#')) => return None,
            (None, b'{') if bytes.get(at + 1) == Some(&b'{') && depth == 0 && is_expression => {
                return None;
            }
            (None, b'{') => depth += 1,
            (None, b'}') if is_expression && depth == 0 => {
                return (bytes.get(at + 1) == Some(&b'}')).then_some(at + 2);
            }
            (None, b'}') => depth = depth.saturating_sub(1),
            (None, b'%') if !is_expression && bytes.get(at + 1) == Some(&b'}') => {
                return Some(at + 2);
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The parts of a template; `None` if one of them has no end.
fn pieces(text: &str) -> Option<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let (mut at, mut written) = (0, 0);
    while let Some(found) = text[at..].find('{') {
        let start = at + found;
        let begins = text.as_bytes().get(start + 1);
        let end = match begins {
            Some(b'#') => start + text[start..].find("#}")? + 2,
            Some(b'{' | b'%') => end_of_tag(text, start)?,
            _ => {
                at = start + 1;
                continue;
            }
        };
        pieces.push(Piece::Text(written..start));
        (at, written) = (end, end);
        if begins == Some(&b'{') {
            pieces.push(Piece::Expression(start..end));
        } else if begins == Some(&b'%') {
            let inner = text[start + 2..end - 2].trim_matches(['-', '+']).trim();
            let length = inner
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(inner.len());
            let (word, rest) = inner.split_at(length);
            if word == "raw" {
                let close = end + text[end..].find("endraw")?;
                at = close + text[close..].find("%}")? + 2;
                written = at;
                pieces.push(Piece::Text(end..close));
            }
            pieces.push(Piece::Statement(Statement {
                word,
                rest: rest.trim(),
                at: start..end,
            }));
        }
    }
    pieces.push(Piece::Text(written..text.len()));
    Some(pieces)
}

/// Whether each expression and statement of a template has an end.
pub(super) fn are_closed(text: &str) -> bool {
    pieces(text).is_some()
}

fn statements(text: &str) -> Vec<Statement<'_>> {
    pieces(text)
        .into_iter()
        .flatten()
        .filter_map(|piece| match piece {
            Piece::Statement(statement) => Some(statement),
            _ => None,
        })
        .collect()
}

/// The first statement that does not fit the others, at its place: one without an end, an end without a beginning, or
/// one that does not exist.
pub fn mismatch(source: &Arc<Source>) -> Option<Problem> {
    let error = |at: &Range<usize>, message: String| {
        Problem::error(Code::TemplateSyntax, message).at(source.place(Span::new(at.start, at.end)))
    };
    let mut open: Vec<Statement> = Vec::new();
    for statement in statements(&source.text) {
        if statement.is_open() {
            open.push(statement);
            continue;
        }
        if let Some(begun) = statement
            .word
            .strip_prefix("end")
            .filter(|begun| PAIRED.contains(begun))
        {
            match open.pop() {
                Some(last) if last.word == begun => {}
                Some(last) if open.iter().any(|other| other.word == begun) => {
                    let hint = format!(
                        "add `{{% end{} %}}` before `{{% {} %}}` on line {}",
                        last.word,
                        statement.word,
                        source.text[..statement.at.start].matches('\n').count() + 1
                    );
                    return Some(
                        error(&last.at, format!("`{{% {} %}}` is not closed", last.word))
                            .hint(hint),
                    );
                }
                _ => {
                    let message = format!(
                        "there is no open block for `{{% {} %}}` to close",
                        statement.word
                    );
                    let hint = format!("remove it, or add the matching `{{% {begun} … %}}`");
                    return Some(error(&statement.at, message).hint(hint));
                }
            }
        } else if !SINGLE.contains(&statement.word) && statement.word != "set" {
            let known = PAIRED.iter().chain(SINGLE).copied();
            let ends: Vec<String> = PAIRED.iter().map(|word| format!("end{word}")).collect();
            let message = format!("there is no statement `{}`", statement.word);
            let near = did_you_mean(statement.word, known.chain(ends.iter().map(String::as_str)));
            return Some(error(&statement.at, message).maybe_hint(near));
        }
    }
    let last = open.pop()?;
    let hint = format!("add `{{% end{} %}}`", last.word);
    Some(error(&last.at, format!("`{{% {} %}}` is not closed", last.word)).hint(hint))
}

/// Reports blocks that no template has that theirs extends, and text outside of the blocks of such a template.
pub(crate) fn check(templates: &Templates) -> Problems {
    let mut problems = Problems::new();
    for source in templates.html.values() {
        let Some(pieces) = pieces(&source.text) else {
            continue;
        };
        let extends = pieces.iter().find_map(|piece| match piece {
            Piece::Statement(statement) if statement.word == "extends" => statement.literal(),
            _ => None,
        });
        let Some(parent) = extends.filter(|parent| templates.html.contains_key(*parent)) else {
            continue;
        };
        let known = blocks(templates, parent, &mut BTreeSet::new());
        let mut open: Vec<&Statement> = Vec::new();
        let mut is_extended = false;
        for piece in &pieces {
            match piece {
                Piece::Statement(statement) if statement.word == "extends" => is_extended = true,
                Piece::Statement(statement) if statement.is_open() => {
                    let is_outermost = open.iter().all(|other| other.word != "block");
                    if statement.word == "block"
                        && is_outermost
                        && !known.contains(statement.name())
                    {
                        problems.push(unknown(source, parent, statement, &known));
                    }
                    open.push(statement);
                }
                Piece::Statement(statement) if statement.word.starts_with("end") => {
                    open.pop();
                }
                Piece::Text(at) | Piece::Expression(at) if is_extended => {
                    let is_kept = open
                        .iter()
                        .any(|other| matches!(other.word, "block" | "macro" | "set"));
                    let text = source.text[at.clone()].trim();
                    if !is_kept && !text.is_empty() {
                        let start =
                            at.start + source.text[at.clone()].find(text).unwrap_or_default();
                        let length = text.find('\n').unwrap_or(text.len());
                        let message = "this is not inside a block, so the page does not show it";
                        let problem = Problem::error(Code::TemplateError, message);
                        let place = source.place(Span::new(start, start + length));
                        let hint = format!(
                            "move it into a block of `{parent}`, such as `{{% block main %}}`"
                        );
                        problems.push(problem.at(place).hint(hint));
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    problems
}

fn unknown(
    source: &Arc<Source>,
    parent: &str,
    block: &Statement,
    known: &BTreeSet<String>,
) -> Problem {
    let name = block.name();
    let text = &source.text[block.at.clone()];
    let start = block.at.start
        + text
            .find("block")
            .and_then(|at| Some(at + text[at + 5..].find(name)? + 5))
            .unwrap_or(0);
    let message = format!("`{parent}` has no block `{name}`, so the page does not show this one");
    let problem = Problem::error(Code::TemplateError, message)
        .at(source.place(Span::new(start, start + name.len())));
    problem.maybe_hint(did_you_mean(name, known.iter().map(String::as_str)))
}

/// The names of the blocks of a template and of those that it extends.
fn blocks(templates: &Templates, name: &str, seen: &mut BTreeSet<String>) -> BTreeSet<String> {
    let Some(source) = templates
        .html
        .get(name)
        .filter(|_| seen.insert(name.to_owned()))
    else {
        return BTreeSet::new();
    };
    let mut names = BTreeSet::new();
    for statement in statements(&source.text) {
        match statement.word {
            "block" => _ = names.insert(statement.name().to_owned()),
            "extends" => {
                names.extend(
                    statement
                        .literal()
                        .map(|parent| blocks(templates, parent, seen))
                        .into_iter()
                        .flatten(),
                );
            }
            _ => {}
        }
    }
    names
}

impl Templates {
    /// The statement of a template that includes another one which leads back to it, as a template that includes itself
    /// does; `of` is a template that uses it.
    pub fn endless(&self, of: &str) -> Option<(Arc<Source>, Span)> {
        self.used_by(of).into_iter().find_map(|name| {
            let source = self.html.get(&name)?;
            let includes = statements(&source.text)
                .into_iter()
                .filter(|statement| statement.word == "include");
            let mut back = includes.filter(|statement| {
                statement
                    .literal()
                    .is_some_and(|other| self.used_by(other).contains(&name))
            });
            back.next().map(|statement| {
                (
                    Arc::clone(source),
                    Span::new(statement.at.start, statement.at.end),
                )
            })
        })
    }

    /// The name of each macro, with that of its template.
    pub fn macros(&self) -> Vec<(&str, &str)> {
        self.html
            .iter()
            .flat_map(|(name, source)| {
                let macros = statements(&source.text)
                    .into_iter()
                    .filter(|statement| statement.word == "macro");
                macros
                    .map(move |statement| (statement.name(), name.as_str()))
                    .collect::<Vec<_>>()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn found(text: &str) -> String {
        let source = Arc::new(Source::new("a.html".into(), text.to_owned()));
        mismatch(&source).map_or_else(String::new, |problem| {
            let line = problem
                .place
                .and_then(|place| place.range)
                .map_or(0, |range| range.start.line);
            format!(
                "{line}: {} ({})",
                problem.message,
                problem.hint.unwrap_or_default()
            )
        })
    }

    #[test]
    fn a_statement_without_an_end_is_found_where_it_begins() {
        for (text, expected) in [
            (
                "{% block main %}\n{% for a in b %}\n{% endblock %}",
                "2: `{% for %}` is not closed (add `{% endfor %}` before `{% endblock %}` on line 3)",
            ),
            (
                "\n{%- if a -%}\nb",
                "2: `{% if %}` is not closed (add `{% endif %}`)",
            ),
            (
                "{% endif %}",
                "1: there is no open block for `{% endif %}` to close (remove it, or add the matching `{% if … %}`)",
            ),
            (
                "{% fro a in b %}",
                "1: there is no statement `fro` (did you mean `for`?)",
            ),
            (
                "{% if a == \"%}\" %}{{ {\"a\": {}} }}{% else %}{% endif %}{# {% if %} #}",
                "",
            ),
            (
                "{% raw %}{% if %}{% endraw %}{% set a = 1 %}{% set b %}c{% endset %}{% do d() %}",
                "",
            ),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn what_a_page_does_not_show_is_found() {
        let check = |child: &str| {
            let source = |path: &str, text: &str| Arc::new(Source::new(path.into(), text.into()));
            let html = BTreeMap::from([
                (
                    "base.html".to_owned(),
                    source(
                        "base.html",
                        "{% block head %}{% endblock %}{% block main %}{% endblock %}",
                    ),
                ),
                (
                    "page.html".to_owned(),
                    source(
                        "page.html",
                        "{% extends \"base.html\" %}{% block main %}{% block aside %}{% endblock %}{% endblock %}",
                    ),
                ),
                ("child.html".to_owned(), source("child.html", child)),
            ]);
            let problems = super::check(&Templates {
                html,
                ..Templates::default()
            });
            problems
                .iter()
                .map(|problem| problem.message.clone())
                .collect::<Vec<_>>()
        };
        let none: [&str; 0] = [];
        assert_eq!(
            check(
                "{# a #}\n{% extends 'page.html' %}{% block aside %}b{% endblock %}{% set c = 1 %}"
            ),
            none
        );
        assert_eq!(
            check(
                "{% extends \"base.html\" %}{% block main %}{% block new %}{% endblock %}{% endblock %}"
            ),
            none
        );
        let message = "`base.html` has no block `man`, so the page does not show this one";
        assert_eq!(
            check("{% extends \"base.html\" %}{% block man %}a{% endblock %}"),
            [message]
        );
        let message = "this is not inside a block, so the page does not show it";
        assert_eq!(
            check("{% extends \"base.html\" %}<p>a</p>{% block main %}b{% endblock %}"),
            [message]
        );
        assert_eq!(
            check("{% extends \"base.html\" %}{% if a %}{{ b }}{% endif %}"),
            [message]
        );
    }
}
