//! The texts of a file of content: what a translation translates.
//!
//! In YAML, every text counts but those that programs read, such as addresses and ids. The body of a post is cut at
//! empty lines, outside of code.

use diagnostics::problem::{Problem, Source, Span};
use diagnostics::yaml::{self, Node, Value};

use languages::typography::{is_for_programs, parts_of_post};
use schema::Block;

/// One text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Its path in YAML, such as `hero.title`; empty for a part of the body of a post.
    pub name: String,
    /// The text itself.
    pub text: String,
    /// Its span in the file.
    pub span: Span,
}

/// The content of a file.
#[derive(Debug, Default)]
pub struct Texts {
    /// Its texts, in order.
    pub texts: Vec<Text>,
    /// The file says `untranslated: true`.
    pub untranslated: bool,
}

/// Reads the texts of a file. The error is one of its syntax, which whoever loads the content reports as well.
pub fn read(source: &Source) -> Result<Texts, Problem> {
    let mut read = Texts::default();
    let end = source.text.len();
    if !source.path.ends_with(".md") {
        read.block(&yaml::parse(source, 0..end)?);
        return Ok(read);
    }
    let (front, body) = parts_of_post(&source.text);
    if !front.is_empty() {
        read.block(&yaml::parse(source, front)?);
    }
    for span in blocks(&source.text, body) {
        let text = source.text[span.start as usize..span.end as usize].to_owned();
        read.texts.push(Text {
            name: String::new(),
            text,
            span,
        });
    }
    Ok(read)
}

/// The front matter of a Markdown file.
pub fn front_matter(source: &Source) -> std::ops::Range<usize> {
    parts_of_post(&source.text).0
}

impl Texts {
    /// Without the values of fields that programs read, such as references: they are the same in all languages.
    #[must_use]
    pub fn without_names(mut self, fields: Option<&Block>) -> Texts {
        self.texts.retain(|text| {
            let first = text
                .name
                .split('.')
                .next()
                .and_then(|name| fields?.field(name));
            first.is_none_or(|field| field.takes.has_words())
        });
        self
    }

    fn block(&mut self, root: &Node) {
        self.untranslated = root
            .get("untranslated")
            .is_some_and(|node| node.value == Value::Bool(true));
        self.walk(root, "");
    }

    /// Adds the texts of a value.
    pub fn walk(&mut self, node: &Node, path: &str) {
        match &node.value {
            Value::List(items) => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(at, item)| self.walk(item, &below(path, &(at + 1).to_string())));
            }
            Value::Map(entries) => {
                for (key, value) in entries {
                    if !is_for_programs(path.rsplit('.').next(), &key.name) {
                        self.walk(value, &below(path, &key.name));
                    }
                }
            }
            Value::Text(text) => {
                self.texts.push(Text {
                    name: path.to_owned(),
                    text: text.clone(),
                    span: node.span,
                });
            }
            _ => {}
        }
    }
}

/// The path of a value in another.
pub(crate) fn below(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// The block that ends here, if one is open.
fn block(text: &str, open: Option<usize>, end: usize) -> Option<Span> {
    open.map(|start| Span::new(start, start + text[start..end].trim_end().len()))
}

/// The parts of a Markdown text between empty lines. A fenced block of code is one part.
pub fn blocks(text: &str, body: std::ops::Range<usize>) -> Vec<Span> {
    let mut blocks: Vec<Span> = Vec::new();
    let (mut at, mut open, mut fence) = (body.start, None, None);
    for line in text[body.clone()].split_inclusive('\n') {
        let marks = line.trim_start();
        match fence {
            Some(mark) if marks.starts_with(mark) => fence = None,
            Some(_) => {}
            None => {
                fence = ["```", "~~~"]
                    .into_iter()
                    .find(|mark| marks.starts_with(mark));
            }
        }
        if line.trim().is_empty() && fence.is_none() {
            blocks.extend(block(text, open.take(), at));
        } else {
            open.get_or_insert(at);
        }
        at += line.len();
    }
    blocks.extend(block(text, open, body.end));
    blocks
}

/// How many parts of each kind a post has that its translation has as well: its headings by level, and its blocks of
/// code, pictures and tables.
pub fn outline(texts: &Texts) -> Vec<(&'static str, usize)> {
    let bodies = texts
        .texts
        .iter()
        .filter(|text| text.name.is_empty())
        .map(|text| text.text.as_str());
    vec![
        (
            "headings",
            bodies.clone().filter(|text| text.starts_with('#')).count(),
        ),
        (
            "sections",
            bodies
                .clone()
                .filter(|text| text.starts_with("## "))
                .count(),
        ),
        (
            "code blocks",
            bodies
                .clone()
                .filter(|text| text.starts_with("```") || text.starts_with("~~~"))
                .count(),
        ),
        (
            "images",
            bodies.clone().filter(|text| text.starts_with("![")).count(),
        ),
        (
            "tables",
            bodies.clone().filter(|text| text.starts_with('|')).count(),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(path: &str, text: &str) -> Vec<(String, String)> {
        let source = Source::new(path.into(), text.into());
        let read = read(&source).expect("valid");
        for one in read.texts.iter().filter(|one| one.name.is_empty()) {
            assert_eq!(
                &text[one.span.start as usize..one.span.end as usize],
                one.text
            );
        }
        read.texts
            .into_iter()
            .map(|text| (text.name, text.text))
            .collect()
    }

    fn check(path: &str, text: &str, expect: &[(&str, &str)]) {
        let expect: Vec<_> = expect
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        assert_eq!(texts(path, text), expect, "{text}");
    }

    #[test]
    fn what_programs_read_is_no_text() {
        check(
            "a.yaml",
            "path: /\ntitle: A\nsections:\n  - {kind: hero, id: x, title: B}\n",
            &[("title", "A"), ("sections.1.title", "B")],
        );
        check(
            "a.yaml",
            "hero.title: A\nhero.actions.1.to: page:x\n",
            &[("hero.title", "A")],
        );
    }

    #[test]
    fn a_post_is_cut_at_empty_lines() {
        check(
            "a.md",
            "---\ntitle: T\ndate: 2025-01-01\n---\nOne\ntwo.\n\n## H\n\n```sh\na\n\nb\n```\n\nEnd",
            &[
                ("title", "T"),
                ("", "One\ntwo."),
                ("", "## H"),
                ("", "```sh\na\n\nb\n```"),
                ("", "End"),
            ],
        );
        check(
            "a.md",
            "One\n\n```\nnever closed\n\nx\n",
            &[("", "One"), ("", "```\nnever closed\n\nx")],
        );
    }
}
