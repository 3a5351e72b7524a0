//! Finds elements of templates that are opened and never closed, or closed and never opened, also if only one branch of an `if`
//! does so.
//!
//! Each template is read alone, without rendering it: blocks of the engine become a tree, and each branch is reduced to what
//! it leaves open. What one `if` opens, a later one may close. A template whose tags do not fit its blocks is not judged.

mod html;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use diagnostics::problem::{Code, Problem, Problems, Source, Span};

use super::{Templates, blocks};
use html::{Node, Tag, has_optional_end};

/// Reports the first tag of each template that has no counterpart, at its place. The rest often follows from it.
pub(crate) fn check(templates: &Templates) -> Problems {
    let mut problems = Problems::new();
    for source in templates
        .html
        .values()
        .filter(|source| source.path.ends_with(".html"))
    {
        if let Some(found) = first(&source.text) {
            problems.push(found.problem(source));
        }
    }
    problems
}

/// A tag without a counterpart.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// Nothing closes the element; the end tag before which it should be closed, if there is one.
    Open(Tag, Option<Tag>),
    /// The element is opened under a condition and closed without, or the other way round.
    Conditional(Tag),
    /// There is nothing to close.
    Close(Tag),
}

impl Found {
    fn problem(self, source: &Arc<Source>) -> Problem {
        let place = |at: &Range<usize>| source.place(Span::new(at.start, at.end));
        match self {
            Found::Open(tag, before) => {
                let line = before
                    .and_then(|before| Some((place(&before.at).range?.start.line, before.name)));
                let before = line.map_or_else(String::new, |(line, name)| {
                    format!(" before `</{name}>` on line {line}")
                });
                let hint = format!("add `</{}>`{before}", tag.name);
                warning(format!("`<{}>` is not closed", tag.name))
                    .at(place(&tag.at))
                    .hint(hint)
            }
            Found::Conditional(tag) => {
                let message = format!("`<{}>` is closed in one case but not in another", tag.name);
                let hint = "open and close it under the same condition, or in every branch";
                warning(message).at(place(&tag.at)).hint(hint)
            }
            Found::Close(tag) => {
                let message = format!("there is no open element for `</{}>` to close", tag.name);
                warning(message)
                    .at(place(&tag.at))
                    .hint("remove it, or add its start tag")
            }
        }
    }
}

/// A warning of a tag that is not closed.
fn warning(message: String) -> Problem {
    Problem::warning(Code::UnclosedTag, message)
}

/// Why a template is not read on.
enum Stop {
    Found(Found),
    /// Its conditions cannot be compared.
    Unknown,
}

/// An element that is open, or what one of several branches has opened.
#[derive(Debug, Clone)]
enum Item {
    Element(Tag),
    /// The tags of each branch, outermost first; a branch without tags is left out.
    Branches(Vec<Vec<Tag>>),
}

impl Item {
    /// Its first tag.
    fn tag(&self) -> Option<&Tag> {
        match self {
            Item::Element(tag) => Some(tag),
            Item::Branches(branches) => branches.first()?.first(),
        }
    }

    fn is_optional(&self) -> bool {
        match self {
            Item::Element(tag) => has_optional_end(&tag.name),
            Item::Branches(branches) => branches
                .iter()
                .flatten()
                .all(|tag| has_optional_end(&tag.name)),
        }
    }

    /// Whether these are the end tags of what several branches have opened.
    fn is_closed_by(&self, closes: &[Vec<Tag>]) -> bool {
        let Item::Branches(opens) = self else {
            return false;
        };
        let opened: BTreeSet<_> = opens.iter().map(|tags| reversed(tags)).collect();
        opened == closes.iter().map(|tags| names(tags)).collect()
    }
}

/// The tags that a part of a template leaves: end tags of what was open before it, and what is open after it.
#[derive(Debug, Default)]
struct Effect {
    closes: Vec<Item>,
    opens: Vec<Item>,
}

/// The first tag of a template without a counterpart.
fn first(text: &str) -> Option<Found> {
    // A tag of the engine without an end swallows what follows, and the engine reports it.
    if !blocks::are_closed(text) {
        return None;
    }
    let nodes = html::parse(text)?;
    match whole(&nodes) {
        Ok(()) | Err(Stop::Unknown) => None,
        Err(Stop::Found(found)) => Some(found),
    }
}

/// Checks a part of which nothing may be left.
fn whole(nodes: &[Node]) -> Result<(), Stop> {
    let mut effect = Effect::default();
    effect.read(nodes)?;
    if let Some(tag) = effect.closes.first().and_then(Item::tag) {
        return Err(Stop::Found(Found::Close(tag.clone())));
    }
    match effect.opens.into_iter().find(|item| !item.is_optional()) {
        None => Ok(()),
        Some(Item::Element(tag)) => Err(Stop::Found(Found::Open(tag, None))),
        Some(branches) => Err(branches
            .tag()
            .cloned()
            .map_or(Stop::Unknown, |tag| Stop::Found(Found::Conditional(tag)))),
    }
}

impl Effect {
    fn read(&mut self, nodes: &[Node]) -> Result<(), Stop> {
        for node in nodes {
            match node {
                Node::Open(tag) => self.opens.push(Item::Element(tag.clone())),
                Node::Close(tag) => self.close(tag)?,
                Node::Branches(branches) => self.branches(branches)?,
                Node::Part(nodes) => self.read(nodes)?,
                Node::Whole(nodes) => whole(nodes)?,
            }
        }
        Ok(())
    }

    /// An end tag: it also ends elements above it that need none.
    fn close(&mut self, end: &Tag) -> Result<(), Stop> {
        let is_it = |item: &Item| matches!(item, Item::Element(tag) if tag.name == end.name);
        let blocking = self
            .opens
            .iter()
            .rposition(|item| !item.is_optional() || is_it(item));
        match blocking.map(|at| (at, &self.opens[at])) {
            None => {
                self.opens.clear();
                self.closes.push(Item::Element(end.clone()));
                Ok(())
            }
            Some((at, item)) if is_it(item) => {
                self.opens.truncate(at);
                Ok(())
            }
            Some((_, Item::Branches(branches))) => {
                let tag = branches.iter().flatten().next().unwrap_or(end);
                Err(Stop::Found(Found::Conditional(tag.clone())))
            }
            Some((at, Item::Element(tag))) => {
                Err(Stop::Found(if self.opens[..at].iter().any(is_it) {
                    Found::Open(tag.clone(), Some(end.clone()))
                } else {
                    Found::Close(end.clone())
                }))
            }
        }
    }

    /// An `if` or a loop.
    fn branches(&mut self, branches: &[Vec<Node>]) -> Result<(), Stop> {
        let mut effects = Vec::with_capacity(branches.len());
        for nodes in branches {
            let mut effect = Effect::default();
            effect.read(nodes)?;
            let (closes, opens) = effect.tags().ok_or(Stop::Unknown)?;
            effects.push(if names(&closes) == reversed(&opens) {
                (Vec::new(), Vec::new())
            } else {
                (closes, opens)
            });
        }
        let is_same = |(closes, opens): &(Vec<Tag>, Vec<Tag>)| {
            names(closes) == names(&effects[0].0) && names(opens) == names(&effects[0].1)
        };
        if effects.iter().all(is_same) {
            let Some((closes, opens)) = effects.into_iter().next() else {
                return Ok(());
            };
            closes.iter().try_for_each(|tag| self.close(tag))?;
            self.opens.extend(opens.into_iter().map(Item::Element));
            return Ok(());
        }
        let (closes, opens): (Vec<_>, Vec<_>) = effects.into_iter().unzip();
        let said = |tags: Vec<Vec<Tag>>| {
            tags.into_iter()
                .filter(|tags| !tags.is_empty())
                .collect::<Vec<_>>()
        };
        match (said(closes), said(opens)) {
            (closes, opens) if closes.is_empty() => self.opens.push(Item::Branches(opens)),
            (closes, opens) if opens.is_empty() => self.close_branches(closes)?,
            _ => return Err(Stop::Unknown),
        }
        Ok(())
    }

    /// End tags in some of several branches: some of several branches have opened the elements.
    fn close_branches(&mut self, closes: Vec<Vec<Tag>>) -> Result<(), Stop> {
        let last = self
            .opens
            .iter()
            .rposition(|item| !item.is_optional() || item.is_closed_by(&closes));
        match last.map(|at| (at, &self.opens[at])) {
            None => {
                self.opens.clear();
                self.closes.push(Item::Branches(closes));
                Ok(())
            }
            Some((at, item)) if item.is_closed_by(&closes) => {
                self.opens.truncate(at);
                Ok(())
            }
            Some((_, Item::Element(tag))) => Err(Stop::Found(Found::Conditional(tag.clone()))),
            Some(_) => Err(Stop::Unknown),
        }
    }

    /// The tags of a branch: what it closes and what it opens. `None` if a condition in it decides about that.
    fn tags(self) -> Option<(Vec<Tag>, Vec<Tag>)> {
        let tags = |items: Vec<Item>| -> Option<Vec<Tag>> {
            items
                .into_iter()
                .map(|item| match item {
                    Item::Element(tag) => Some(tag),
                    Item::Branches(_) => None,
                })
                .collect()
        };
        Some((tags(self.closes)?, tags(self.opens)?))
    }
}

fn names(tags: &[Tag]) -> Vec<&str> {
    tags.iter().map(|tag| tag.name.as_str()).collect()
}

fn reversed(tags: &[Tag]) -> Vec<&str> {
    tags.iter().rev().map(|tag| tag.name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Found, first};

    /// The problem: `open div 2` for a `<div>` that begins at the third byte.
    fn found(text: &str) -> String {
        match first(text) {
            None => "nothing".to_owned(),
            Some(Found::Open(tag, _)) => format!("open {} {}", tag.name, tag.at.start),
            Some(Found::Conditional(tag)) => format!("conditional {} {}", tag.name, tag.at.start),
            Some(Found::Close(tag)) => format!("close {} {}", tag.name, tag.at.start),
        }
    }

    #[test]
    fn a_tag_without_its_counterpart_is_found() {
        for (text, expected) in [
            ("<div><p>a", "open div 0"),
            ("<section><h1>a<p>b</p></section>", "open h1 9"),
            ("<div></div></section>", "close section 11"),
            ("<ul><li>a<li><b>c</ul>", "open b 13"),
            ("<div/>a", "open div 0"),
            ("{% if a %}<div>{% endif %}b", "conditional div 10"),
            ("{% if a %}<div>{% endif %}b</div>", "conditional div 10"),
            ("<div>{% if a %}b</div>{% endif %}", "conditional div 0"),
            (
                "<div>{% if a %}</div>{% else %}b{% endif %}",
                "conditional div 0",
            ),
            (
                "{% if a %}<b>a</b>{% else %}<b>c{% endif %}",
                "conditional b 28",
            ),
            ("{% for a in b %}<div>{% endfor %}", "conditional div 16"),
            ("{% macro a() %}<div>{% endmacro %}</div>", "open div 15"),
            ("{% block a %}<div>{% endblock %}", "open div 13"),
            ("<{{ a }}><i></{{ a }}>", "open i 9"),
            ("<title>a", "open title 0"),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_closed_under_its_condition_is_fine() {
        for text in [
            "<ul><li>a<li>b</ul><table><tr><td>1<td>2<tr><td>3</table><p>a<p>b",
            "<br><img src=\"a>b\" alt='c'><input disabled/><svg><path d=\"M0 0\"/><g><circle/></g></svg>",
            "{% if a %}<div>{% endif %}b{% if a %}</div>{% endif %}",
            "{% if a %}<a href=\"{{ b(\"c\") }}\">{% else %}<span>{% endif %}d{% if a %}</a>{% else %}</span>{% endif %}",
            "{% if a %}<div class=\"b\">{% else %}<div>{% endif %}</div>",
            "{% if a %}<p>{% endif %}b{% if a %}</p>{% endif %}",
            "{% for a in b %}{% if loop.first %}<aside>{% endif %}c{% if loop.last %}</aside>{% endif %}{% endfor %}",
            "<ul>{% for a in b %}{% if a %}</ul><ul>{% endif %}<li>c{% endfor %}</ul>",
            "<{{ tag }} class=\"a{% if b %} c{% endif %}\"{% if d %} hidden{% endif %}>e</{{tag}}>",
            "{# <div> #}<!-- <div> --><script>if (a < b) { \"<div>\" }</script>{{ \"<div>\" }}{% raw %}<div>{% endraw %}",
            "{% set a %}<p>b</p>{% endset %}{% set c = 1 %}<textarea><div></textarea><!doctype html>a < b",
            "{% call a() %}<p>b</p>{% endcall %}{% filter upper %}<b>c</b>{% endfilter %}{% with a = 1 %}<i></i>{% endwith %}",
            // Its blocks are not those of its tags: not judged.
            "<a {% if a %}href=\"b\">{% else %}>{% endif %}</a>",
            "{% if a %}</div>{% else %}<div>{% endif %}",
            "",
            "<",
            "</",
            "<div",
        ] {
            let expected = if text == "<div" {
                "open div 0"
            } else {
                "nothing"
            };
            assert_eq!(found(text), expected, "{text}");
        }
    }
}
