//! The text of a post's page in the form in which two are compared: lines of tags and words, without what readers do not
//! perceive.

use diagnostics::differences::{DiffOp, differences};
use publish::hosts::Rules;

use super::super::addresses::{decoded, without_campaign};
use super::super::canonical::canonical;
use super::super::ids;
use super::super::shapes::{blocks, is_picture_address, squeeze};
use super::super::tree::{Element, Node, parse, text};
use super::own_path;

/// The class of the element with the text of a post.
const BODY: &str = "article__body";
/// Parts of the page above and below the text that the post itself decides.
const PARTS: [(LineSubject, &str); 2] = [
    (LineSubject::Facts, "article__facts"),
    (LineSubject::Tags, "article__tags"),
];
/// The number of tags between two differences that belong together: a caption that moved out of its figure.
const NEAR: usize = 4;
/// Marks of links from a footnote back to the text.
const BACK: [&str; 4] = ["↩", "↩\u{fe0e}", "↑", "^"];

/// The data that maps URLs of WordPress to those of the site.
pub(super) struct Addresses<'a> {
    pub home: &'a str,
    pub rules: &'a Rules,
    pub base_url: &'a str,
}

/// The subject of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineSubject {
    /// The author, the date and the time to read it.
    Facts,
    Tags,
    Text,
}

/// Lines that differ.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    pub subject: LineSubject,
    pub old: Vec<String>,
    pub new: Vec<String>,
}

/// Finds the differences between the pages of a post.
pub(super) fn compare(was: &str, is: &str, addresses: &Addresses) -> Vec<Hunk> {
    let (mut was, is) = (
        Element::new("body", parse(was)),
        Element::new("body", parse(is)),
    );
    ids::rename(&mut was.children);
    let mut hunks: Vec<Hunk> = Vec::new();
    for (subject, class) in PARTS {
        let [old, new] = [&was, &is].map(|page| {
            page.find(&|own| own.has_class(class))
                .map(|part| squeeze(&typeset(&part.text())))
        });
        if old != new {
            hunks.push(Hunk {
                subject,
                old: old.into_iter().collect(),
                new: new.into_iter().collect(),
            });
        }
    }
    let (was, is) = (lines(&was, addresses), lines(&is, addresses));
    let (mut last, subject) = (0, LineSubject::Text);
    for op in differences(&was, &is) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (old, new) = (was[op.old_range()].to_vec(), is[op.new_range()].to_vec());
        let start = op.old_range().start;
        let between = was.get(last..start).unwrap_or_default();
        let is_near = between.len() <= NEAR
            && between
                .iter()
                .all(|line| line.starts_with('<') && line.ends_with('>'));
        match hunks.last_mut() {
            Some(hunk) if is_near && hunk.subject == LineSubject::Text => {
                for (lines, more) in [(&mut hunk.old, old), (&mut hunk.new, new)] {
                    lines.extend(between.iter().cloned().chain(more));
                }
            }
            _ => hunks.push(Hunk { subject, old, new }),
        }
        last = op.old_range().end;
    }
    hunks
}

/// A value of the head, without the names of assets: they follow the names of files.
pub(super) fn value(text: &str) -> String {
    match text.find("/_assets/") {
        Some(at) => format!("{}/_assets/…", &text[..at]),
        None => squeeze(&typeset(text)),
    }
}

/// Text without what typography changes: WordPress corrects quotes for each visitor, and the site in its files.
fn typeset(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '“' | '”' | '„' | '«' | '»' | '‘' | '’' | '‚' | '‹' | '›' | '"' | '\'' =>
            {
                out.push('\'');
            }
            '–' | '—' | '−' => out.push('-'),
            '…' => out.push_str("..."),
            '\u{a0}' | '\u{202f}' | '\u{2009}' => out.push(' '),
            // Boxes of a task list, which are fields in WordPress.
            '☑' | '☐' => {}
            c => out.push(c),
        }
    }
    // A dash has spaces around it in some languages only.
    if out.contains(" -") || out.contains("- ") {
        out.replace(" -", "-").replace("- ", "-")
    } else {
        out
    }
}

fn without_brackets(text: &str) -> String {
    text.replace('<', "‹").replace('>', "›")
}

/// How two pages of a post differ in what the values in their heads are made from.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct TextDifferences {
    /// Whether their texts do.
    pub differ: bool,
    /// The number of references to footnotes.
    pub notes: usize,
    /// The length of its code, in parts between spaces.
    pub code: usize,
}

impl TextDifferences {
    /// Reads the page of WordPress.
    pub fn of(was: &str, differ: bool) -> TextDifferences {
        let mut texts = TextDifferences {
            differ,
            ..TextDifferences::default()
        };
        let page = Element::new("body", parse(was));
        texts.add(page.find(&|own| own.has_class(BODY)).unwrap_or(&page));
        texts
    }

    fn add(&mut self, element: &Element) {
        match element.name.as_str() {
            "sup" if is_reference(element) => self.notes += 1,
            "pre" => self.code += element.text().split_whitespace().count(),
            _ => element
                .children
                .iter()
                .filter_map(Node::element)
                .for_each(|child| self.add(child)),
        }
    }
}

/// The lines of the text. A page of a site's own template may not say where it is.
fn lines(page: &Element, addresses: &Addresses) -> Vec<String> {
    let body = page
        .find(&|own| own.has_class(BODY))
        .or_else(|| page.find(&|own| own.name == "main"))
        .unwrap_or(page);
    let nodes = blocks(normal(&body.children, addresses));
    canonical(&nodes)
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

fn normal(nodes: &[Node], addresses: &Addresses) -> Vec<Node> {
    let mut out: Vec<Node> = Vec::new();
    for node in nodes {
        let more = match node {
            // Lines are read again, and a sign of a tag is none there.
            Node::Text(text) => vec![Node::Text(without_brackets(&typeset(text)))],
            Node::Comment(_) => Vec::new(),
            Node::Element(element) => element_of(element, addresses),
        };
        for node in more {
            match (node, out.last_mut()) {
                (Node::Text(more), Some(Node::Text(text))) => text.push_str(&more),
                (node, _) => out.push(node),
            }
        }
    }
    out
}

/// The nodes in an element, or a text alone.
fn unwrapped(node: Node) -> Vec<Node> {
    match node {
        Node::Element(element) => element.children,
        other => vec![other],
    }
}

fn element_of(element: &Element, addresses: &Addresses) -> Vec<Node> {
    match element.name.as_str() {
        "source" | "svg" | "script" | "style" => Vec::new(),
        "img" => {
            let mut picture = Element::new("img", Vec::new());
            picture.set("src", picture_name(element.get("src").unwrap_or_default()));
            picture.set(
                "alt",
                without_brackets(&squeeze(element.get("alt").unwrap_or_default())),
            );
            vec![Node::Element(picture)]
        }
        "a" => {
            let href = element.get("href").unwrap_or_default();
            let words = element.text();
            if href.starts_with('#') && BACK.contains(&words.trim()) {
                return Vec::new();
            }
            let children = normal(&element.children, addresses);
            // Addresses in a text become links.
            let is_written = href.strip_prefix("mailto:") == Some(words.trim());
            if href.is_empty() || is_written {
                return children;
            }
            let mut link = Element::new("a", children);
            link.set("href", addresses.of(href));
            vec![Node::Element(link)]
        }
        "sup" if is_reference(element) => {
            vec![Node::Text(format!("[{}]", squeeze(&element.text())))]
        }
        "div" | "section" | "article" | "header" | "footer" => {
            let mut children = normal(&element.children, addresses);
            // A break between blocks ends floating pictures of a gallery.
            if children
                .iter()
                .all(|child| child.is_block() || child.is_blank() || is_break(child))
            {
                children.retain(|child| !is_break(child));
            }
            blocks(children)
        }
        // WordPress writes the pictures of old galleries as terms, and their captions as definitions.
        "dl" if is_gallery_item(element) => {
            let (pictures, captions): (Vec<Node>, Vec<Node>) = normal(&element.children, addresses)
                .into_iter()
                .partition(|child| child.element().is_some_and(|own| own.name == "dt"));
            let mut figure =
                Element::new("figure", pictures.into_iter().flat_map(unwrapped).collect());
            let caption: Vec<Node> = captions.into_iter().flat_map(unwrapped).collect();
            if !text(&caption).trim().is_empty() {
                figure
                    .children
                    .push(Node::Element(Element::new("figcaption", caption)));
            }
            vec![Node::Element(figure)]
        }
        // Galleries of the first block editor are lists of figures.
        "ul" if is_gallery_list(element) => {
            let items = element.children.iter().filter_map(Node::element);
            items
                .flat_map(|item| blocks(normal(&item.children, addresses)))
                .collect()
        }
        "picture" | "span" => normal(&element.children, addresses),
        name => {
            let mut own = Element {
                name: name.to_owned(),
                attributes: element.attributes.clone(),
                children: normal(&element.children, addresses),
            };
            own.attributes
                .retain(|(attribute, _)| match attribute.as_str() {
                    "id" => !matches!(name, "li" | "sup" | "p"),
                    "class" => name == "pre" || name == "code",
                    other => matches!(other, "start" | "colspan" | "rowspan" | "open"),
                });
            if name == "pre" {
                // Code has no markup.
                own.children = vec![Node::Text(text(&own.children))];
            }
            if matches!(name, "blockquote" | "details") {
                own.children = blocks(own.children);
            }
            if name == "p"
                && text(&own.children)
                    .trim_matches(['\u{a0}', ' ', '\n', '\t'])
                    .is_empty()
                && own
                    .children
                    .iter()
                    .all(|child| child.is_blank() || is_break(child))
            {
                return Vec::new();
            }
            vec![Node::Element(own)]
        }
    }
}

fn is_break(node: &Node) -> bool {
    node.element().is_some_and(|own| own.name == "br")
}

/// Whether each item of a list is a picture.
fn is_gallery_list(list: &Element) -> bool {
    let mut items = list.children.iter().filter_map(Node::element).peekable();
    items.peek().is_some()
        && items.all(|item| {
            let mut parts = item
                .children
                .iter()
                .filter(|child| !child.is_blank())
                .peekable();
            parts.peek().is_some()
                && parts.all(|node| {
                    node.element().is_some_and(|own| {
                        own.name == "img"
                            || matches!(own.name.as_str(), "a" | "figure")
                                && own.find(&|own| own.name == "img").is_some()
                    })
                })
        })
}

fn is_gallery_item(list: &Element) -> bool {
    let term = list.find(&|own| own.name == "dt");
    term.is_some_and(|term| {
        let words: Vec<&Node> = term
            .children
            .iter()
            .filter(|child| !child.is_blank())
            .collect();
        !words.is_empty()
            && words.iter().all(|child| {
                child
                    .element()
                    .is_some_and(|own| own.find(&|own| own.name == "img").is_some())
            })
    })
}

/// `<sup><a href="#note-1">1</a></sup>`
fn is_reference(element: &Element) -> bool {
    let link = element.children.iter().find_map(Node::element);
    link.is_some_and(|link| {
        link.name == "a" && link.get("href").is_some_and(|href| href.starts_with('#'))
    }) && squeeze(&element.text()).chars().all(|c| c.is_ascii_digit())
}

/// The part of a published image's name that identifies its content: `/_assets/images/boat-480-abcdefghij.avif` →
/// `abcdefghij`.
fn picture_name(address: &str) -> String {
    let stem = address
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .split('.')
        .next()
        .unwrap_or_default();
    stem.rsplit('-').next().unwrap_or_default().to_owned()
}

impl Addresses<'_> {
    /// An address as the place where visitors get: old addresses and those that they are redirected to are the same.
    fn of(&self, href: &str) -> String {
        let path = own_path(self.home, href).or_else(|| own_path(self.base_url, href));
        let path = path.or_else(|| href.starts_with('/').then_some(href));
        let Some(path) = path else {
            return decoded(href);
        };
        let (path, fragment) = path.split_at(path.find('#').unwrap_or(path.len()));
        let path = without_campaign(path);
        let (path, query) = path
            .split_once('?')
            .map_or((&*path, None), |(path, query)| (path, Some(query)));
        let path = decoded(path);
        let path = path
            .strip_prefix(self.rules.base_path.as_str())
            .unwrap_or(&path);
        if is_picture_address(path) {
            // Reasons tell a link to a picture from one to a page, and its redirect leads to a page.
            return path.to_owned();
        }
        let to = self.rules.redirect(path, query);
        let to = to.map(|(_, to)| {
            decoded(
                to.strip_prefix(self.rules.base_path.as_str())
                    .unwrap_or(&to),
            )
        });
        let to = to.unwrap_or_else(|| {
            format!(
                "{path}{}",
                query.map(|query| format!("?{query}")).unwrap_or_default()
            )
        });
        format!("{}{fragment}", to.trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(was: &str, is: &str, expect: &[(&str, &str)]) {
        let mut rules = Rules::default();
        rules
            .redirects
            .insert("/2024/old/".into(), "/notes/old/".into());
        let addresses = Addresses {
            home: "https://old.example",
            rules: &rules,
            base_url: "https://new.example",
        };
        let page = |body: &str| format!("<main><div class=article__body>{body}</div></main>");
        let found = compare(&page(was), &page(is), &addresses);
        let found: Vec<(String, String)> = found
            .into_iter()
            .map(|hunk| (hunk.old.join("|"), hunk.new.join("|")))
            .collect();
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(old, new)| (old.as_str(), new.as_str()))
            .collect();
        assert_eq!(found, expect, "{was}\n{is}");
    }

    #[test]
    fn what_readers_do_not_perceive_is_the_same() {
        let tags = |text: &str| format!("<p class=article__tags>{text}</p>");
        check(&tags("'q'"), &tags("‘q’"), &[]);
        check("<div>a <b>b</b></div>", "<p>a <strong>b</strong></p>", &[]);
        check(
            "<a href=https://old.example/2024/old/#x>a</a>",
            "<p><a href=/notes/old/#x>a</a></p>",
            &[],
        );
        check(
            "<img src=/_assets/images/a-480-x1.avif alt=A>",
            "<p><img src=/_assets/images/b-480-x1.webp alt=A></p>",
            &[],
        );
        check(
            "<a href='https://old.example/2024/old/?utm_source=x&fbclid=1'>a</a>",
            "<p><a href=/notes/old/>a</a></p>",
            &[],
        );
        check(
            "<p>a<sup><a href=#fn1 id=r>1</a></sup></p><ol><li id=fn1>n <a href=#r>↩︎</a></li></ol>",
            "<p>a<sup><a id=note-1-back href=#note-1>1</a></sup></p><section><ol><li id=note-1><p>n <a href=#note-1-back>↩</a></p></li></ol></section>",
            &[],
        );
    }

    #[test]
    fn every_other_difference_is_found() {
        check("<p>a</p><p>b</p>", "<p>a</p>", &[("<p>|b|</p>", "")]);
        check(
            "<h2>a</h2>",
            "<h3>a</h3>",
            &[("<h2>", "<h3>"), ("</h2>", "</h3>")],
        );
        check(
            "<ul><li>a</li></ul>",
            "<p>a</p>",
            &[("<ul>|<li>", "<p>"), ("</li>|</ul>", "</p>")],
        );
        check(
            "<a href=/x>a</a>",
            "<a href=/y>a</a>",
            &[("<a href=/x>a</a>", "<a href=/y>a</a>")],
        );
        check(
            "<img src=a-1.png alt=A>",
            "<img src=a-1.png alt=B>",
            &[("<img src=1 alt=A title=>", "<img src=1 alt=B title=>")],
        );
        check(
            "<p>a <em>b</em></p>",
            "<p>a b</p>",
            &[("a <em>b</em>", "a b")],
        );
    }
}
