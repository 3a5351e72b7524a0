//! Finds markup that has no words for those who do not see it: links and buttons without a name, skipped levels of
//! headings, tables without headers, pictures without `alt`.
//!
//! [`may_have_faults`] looks at tags only, quickly, and may be wrong in one direction: what it accepts has no fault.
//! [`scan`] reads the rest as the standard requires.

use html5gum::Token;
use memchr::{memchr, memmem};

use api_types::html::each_token;

/// A fault in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A link without a name.
    Link,
    /// A button without a name.
    Button,
    /// A heading that is more than one level below the heading above it.
    Heading {
        /// Its level.
        level: u8,
        /// The level of the heading above.
        above: u8,
    },
    /// A table without `<th>`.
    Table,
    /// A picture without `alt`.
    Picture,
}

/// A fault with what to show of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The fault.
    pub fault: Fault,
    /// The address of a link or picture, the class of a button, the text of a heading.
    pub shown: String,
    /// How it may be written in its file, the most exact first.
    pub written: Vec<String>,
}

/// The part of a page that its template fills with content.
pub fn main_of(html: &str) -> &str {
    let start = memmem::find(html.as_bytes(), b"<main");
    start
        .and_then(|start| html.get(start..memmem::rfind(html.as_bytes(), b"</main>")?))
        .unwrap_or_default()
}

/// Whether HTML may have a fault.
pub fn may_have_faults(html: &str) -> bool {
    let bytes = html.as_bytes();
    let (mut at, mut above) = (0, 0);
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        let start = at + found;
        at = start + 1;
        let rest = &bytes[at..];
        let is_faulty = match rest {
            [b'a', next, ..] if !next.is_ascii_alphanumeric() => is_unnamed(rest, b"</a"),
            [b'b', b'u', b't', b't', b'o', b'n', ..] => is_unnamed(rest, b"</button"),
            [b'h', level @ b'1'..=b'6', ..] => {
                let level = level - b'0';
                let is_skipped = above > 0 && level > above + 1;
                above = level;
                is_skipped
            }
            [b't', b'a', b'b', b'l', b'e', ..] => {
                let end = memmem::find(rest, b"</table").unwrap_or(rest.len());
                !memmem::find_iter(&rest[..end], b"<th")
                    .any(|th| !rest[th..].starts_with(b"<thead"))
            }
            [b'i', b'm', b'g', ..] => {
                let end = memchr(b'>', rest).unwrap_or(rest.len());
                memmem::find(&rest[..end], b" alt").is_none()
            }
            // Names in upper case are rare, and read exactly.
            [b'A' | b'B' | b'H' | b'T' | b'I', ..] => true,
            _ => false,
        };
        if is_faulty {
            return true;
        }
    }
    false
}

/// Whether an element has no text between its tags, so that its name must come from attributes, if it has one.
fn is_unnamed(element: &[u8], end: &[u8]) -> bool {
    let length = memmem::find(element, end).unwrap_or(element.len());
    let Some(mut at) = memchr(b'>', &element[..length]) else {
        return true;
    };
    loop {
        at += 1;
        match element[at..length].first() {
            None => return true,
            Some(b'<') => {
                let Some(close) = memchr(b'>', &element[at..length]) else {
                    return true;
                };
                let tag = &element[at + 1..at + close];
                at += close;
                // A hidden element gives no name, so it is skipped if its end is certain.
                if memmem::find(tag, b"hidden").is_some() && !tag.ends_with(b"/") {
                    let name = tag
                        .split(u8::is_ascii_whitespace)
                        .next()
                        .unwrap_or_default();
                    let rest = &element[at..length];
                    let end = memmem::find(rest, &[b"</", name].concat());
                    match end
                        .filter(|end| memmem::find(&rest[..*end], &[b"<", name].concat()).is_none())
                    {
                        Some(end) => at += end - 1,
                        None => return true,
                    }
                }
            }
            Some(byte) if byte.is_ascii_whitespace() => {}
            Some(_) => return false,
        }
    }
}

/// An open element that needs a name.
struct NamedElement {
    fault: Fault,
    shown: String,
    written: Vec<String>,
    has_name: bool,
}

/// Elements without an end tag.
const VOID: [&[u8]; 14] = [
    b"area", b"base", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta", b"param",
    b"source", b"track", b"wbr",
];

/// Reads HTML exactly.
pub fn scan(html: &str) -> Vec<Found> {
    let mut reader = Reader::default();
    each_token(html, &mut |token| match token {
        Token::StartTag(tag) => {
            reader.start(
                &tag.name,
                &|name: &str| {
                    tag.attributes
                        .get(name.as_bytes())
                        .map(|value| String::from_utf8_lossy(value).into_owned())
                },
                tag.self_closing,
            );
        }
        Token::EndTag(tag) => reader.end(&tag.name),
        Token::String(text) => reader.text(&String::from_utf8_lossy(&text)),
        _ => {}
    });
    reader.found
}

#[derive(Default)]
struct Reader {
    found: Vec<Found>,
    /// The hidden element that is open, and how often.
    hidden: Option<(Vec<u8>, usize)>,
    named: Option<NamedElement>,
    heading: Option<(u8, String)>,
    above: u8,
    /// The open tables: whether each has a header.
    tables: Vec<bool>,
}

/// Tells whether an attribute has a text.
fn is_said(get: &dyn Fn(&str) -> Option<String>, name: &str) -> bool {
    get(name).is_some_and(|value| !value.trim().is_empty())
}

impl Reader {
    fn start(&mut self, name: &[u8], get: &dyn Fn(&str) -> Option<String>, is_closed: bool) {
        let is_void = VOID.contains(&name) || is_closed;
        if let Some((hidden, depth)) = &mut self.hidden {
            *depth += usize::from(hidden == name && !is_void);
            return;
        }
        let is_hidden = get("hidden").is_some()
            || get("inert").is_some()
            || get("aria-hidden").is_some_and(|value| value == "true")
            || matches!(name, b"script" | b"style" | b"template");
        if is_hidden {
            self.hidden = (!is_void).then(|| (name.to_vec(), 1));
            return;
        }
        let has_label =
            is_said(get, "aria-label") || is_said(get, "aria-labelledby") || is_said(get, "title");
        if let Some(named) = &mut self.named {
            named.has_name |= has_label || name == b"img" && is_said(get, "alt");
        }
        let role = get("role").unwrap_or_default();
        let is_plain = matches!(role.as_str(), "presentation" | "none");
        match name {
            b"a" if get("href").is_some() => {
                let shown = get("href").unwrap_or_default();
                let written = vec![format!("href=\"{shown}\"")];
                self.named = Some(NamedElement {
                    fault: Fault::Link,
                    shown,
                    written,
                    has_name: has_label,
                });
            }
            b"button" => {
                let shown = get("class")
                    .or_else(|| get("id"))
                    .unwrap_or_else(|| "<button>".to_owned());
                let written = vec![shown.clone(), "<button".to_owned()];
                self.named = Some(NamedElement {
                    fault: Fault::Button,
                    shown,
                    written,
                    has_name: has_label,
                });
            }
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => {
                self.heading = Some((name[1] - b'0', String::new()));
            }
            b"table" => self.tables.push(is_plain),
            b"th" => self
                .tables
                .last_mut()
                .into_iter()
                .for_each(|has_header| *has_header = true),
            b"img" if get("alt").is_none() && !has_label && !is_plain => {
                let shown = get("src").unwrap_or_default();
                let written = vec![shown.clone(), "<img".to_owned()];
                self.found.push(Found {
                    fault: Fault::Picture,
                    shown,
                    written,
                });
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &[u8]) {
        if let Some((hidden, depth)) = &mut self.hidden {
            *depth -= usize::from(hidden == name);
            if *depth == 0 {
                self.hidden = None;
            }
            return;
        }
        match name {
            b"a" | b"button" => {
                if let Some(NamedElement {
                    fault,
                    shown,
                    written,
                    has_name: false,
                }) = self.named.take()
                {
                    self.found.push(Found {
                        fault,
                        shown,
                        written,
                    });
                }
            }
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => {
                let Some((level, text)) = self.heading.take() else {
                    return;
                };
                let above = std::mem::replace(&mut self.above, level);
                if above > 0 && level > above + 1 {
                    let shown = text.split_whitespace().collect::<Vec<_>>().join(" ");
                    let marks = "#".repeat(level.into());
                    let written = vec![
                        format!("{marks} {shown}"),
                        format!("<h{level}"),
                        shown.clone(),
                    ];
                    self.found.push(Found {
                        fault: Fault::Heading { level, above },
                        shown,
                        written,
                    });
                }
            }
            b"table" if self.tables.pop() == Some(false) => {
                let written = vec!["<table".to_owned()];
                self.found.push(Found {
                    fault: Fault::Table,
                    shown: String::new(),
                    written,
                });
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.hidden.is_some() {
            return;
        }
        if let Some(named) = &mut self.named {
            named.has_name |= !text.trim().is_empty();
        }
        if let Some((_, heading)) = &mut self.heading {
            heading.push_str(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, faults: &[Fault]) {
        let found: Vec<Fault> = scan(html).into_iter().map(|found| found.fault).collect();
        assert_eq!(found, faults, "{html}");
        assert!(faults.is_empty() || may_have_faults(html), "{html}");
    }

    #[test]
    fn links_and_buttons_need_a_name() {
        for html in [
            "<a href=/a/></a>",
            "<a href=/a/><svg aria-hidden=true><title>x</title></svg></a>",
            "<a href=/a/><img src=/a.png alt=''></a>",
            "<a href=/a/ aria-label=' '> <span></span> </a>",
            "<a href=/a/><span hidden>words</span></a>",
        ] {
            check(html, &[Fault::Link]);
        }
        check("<button class=menu><svg></svg></button>", &[Fault::Button]);
        for html in [
            "<a href=/a/>words</a>",
            "<a href=/a/ aria-label=Home><svg></svg></a>",
            "<a href=/a/><svg role=img aria-label=Home></svg></a>",
            "<a href=/a/><svg><title>Home</title></svg></a>",
            "<a href=/a/><img src=/a.png alt=Home></a>",
            "<a id=anchor></a>",
            "<div hidden><a href=/a/></a></div>",
            "<template><button></button></template>",
            "<button title=Close><svg></svg></button>",
        ] {
            check(html, &[]);
        }
    }

    #[test]
    fn headings_tables_and_pictures() {
        check(
            "<h1>a</h1><h3>b</h3>",
            &[Fault::Heading { level: 3, above: 1 }],
        );
        check("<h2>a</h2><h3>b</h3><h4>c</h4><h2>d</h2>", &[]);
        check("<h2>a</h2><h4 hidden>b</h4>", &[]);
        check(
            "<table><thead><tr><td>a</td></tr></thead></table>",
            &[Fault::Table],
        );
        check("<table role=presentation><tr><td>a</td></tr></table>", &[]);
        check("<table><tr><th>a</th></tr></table>", &[]);
        check("<img src=/a.png>", &[Fault::Picture]);
        check("<img src=/a.png alt><img src=/b.png alt=''>", &[]);
    }

    #[test]
    fn what_is_plain_is_not_read_exactly() {
        let html = "<h1>a</h1><p><a href=/a/>b</a><img src=/a.png alt=''></p><table><tr><th>c</th></tr></table>\
                    <button><svg></svg>d</button>";
        assert!(!may_have_faults(html));
        assert_eq!(
            main_of("<body><main id=main>a</main></body>"),
            "<main id=main>a"
        );
    }
}
