//! Which text of a page is set in which token of the group `font`: takes the rules of the site's sheet for elements (`body`,
//! `h1`, `code`), and reads the text of a page within them.
//!
//! Rules for classes are left out. A class seldom changes the font of its element for another one of the site.

use std::collections::BTreeMap;

/// How the value of a token of the group `font` is used.
const USE: &str = "var(--font-";
/// The element whose font all others inherit. On `html` and `:root` a rule means the same.
const BASE: &str = "body";
/// Elements whose text is not shown in a font of the page.
const UNSEEN: [&str; 4] = ["script", "style", "template", "title"];

/// By element: the name of its token, e.g. `h1` and `display`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Elements(BTreeMap<String, String>);

impl Elements {
    /// Reads the rules of a minified sheet. Of two rules for an element, the last one holds.
    pub(super) fn read(css: &str) -> Elements {
        let mut elements = BTreeMap::new();
        for (at, _) in css.match_indices(USE) {
            let token = css[at + USE.len()..]
                .split([')', ','])
                .next()
                .unwrap_or_default();
            let before = &css[..at];
            let declaration = before.rsplit(['{', ';']).next().unwrap_or_default();
            let is_font =
                declaration.starts_with("font:") || declaration.starts_with("font-family:");
            let Some(open) = before.rfind('{').filter(|_| is_font) else {
                continue;
            };
            let selectors = before[..open]
                .rsplit(['{', '}', ';'])
                .next()
                .unwrap_or_default();
            for name in parts(selectors).flat_map(alternatives) {
                let name = if matches!(name, "html" | ":root") {
                    BASE
                } else {
                    name
                };
                let is_element = name.starts_with(|c: char| c.is_ascii_lowercase());
                if is_element
                    && name
                        .chars()
                        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
                {
                    elements.insert(name.to_owned(), token.to_owned());
                }
            }
        }
        Elements(elements)
    }

    /// Whether an element is set in a token.
    pub(super) fn have(&self, token: &str) -> bool {
        self.0.values().any(|of| of == token)
    }

    /// Passes each letter beyond ASCII that a page shows, with the token that it is set in.
    pub(super) fn letters<'e>(&'e self, html: &str, found: &mut impl FnMut(&'e str, char)) {
        let base = self.0.get(BASE).map(String::as_str).unwrap_or_default();
        let mut open: Vec<(&str, &str)> = Vec::new();
        let mut rest = html;
        loop {
            let (text, tag) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
            let token = open.last().map_or(base, |(_, token)| token);
            text.chars()
                .filter(|c| !c.is_ascii() && c.is_alphanumeric())
                .for_each(|letter| found(token, letter));
            if tag.is_empty() {
                return;
            }
            if let Some(comment) = tag.strip_prefix("<!--") {
                rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
                continue;
            }
            let (closes, inner) = tag[1..]
                .strip_prefix('/')
                .map_or((false, &tag[1..]), |inner| (true, inner));
            let end = inner
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
                .unwrap_or(inner.len());
            let name = &inner[..end];
            rest = after_tag(inner);
            if closes {
                if let Some(at) = open.iter().rposition(|(of, _)| *of == name) {
                    open.truncate(at);
                }
            } else if UNSEEN.contains(&name) {
                rest = rest.find(&format!("</{name}")).map_or("", |at| &rest[at..]);
            } else if let Some(token) = self.0.get(name).filter(|_| name != BASE) {
                open.push((name, token));
            }
        }
    }
}

/// The text after the tag that a text begins in. A `>` in quotes ends no tag.
fn after_tag(text: &str) -> &str {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => return &text[at + 1..],
            _ => {}
        }
    }
    ""
}

/// `h1` and `h2` of `:is(h1,h2)`; the selector itself otherwise.
fn alternatives(selector: &str) -> Vec<&str> {
    let list = selector
        .strip_prefix(":is(")
        .or_else(|| selector.strip_prefix(":where("));
    match list.and_then(|list| list.strip_suffix(')')) {
        Some(list) => parts(list).collect(),
        None => vec![selector],
    }
}

/// The parts between commas that are in no string and no brackets, without blanks around them.
pub(super) fn parts(list: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut quote) = (0_usize, None);
    let parts = list.split(move |c| {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth = depth.saturating_sub(1),
            (None, ',') => return depth == 0,
            _ => {}
        }
        false
    });
    parts.map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSS: &str = "@layer base{html{font:1em var(--font-mono)}body{margin:0;font:var(--weight-text)1em/1.5 \
        var(--font-text)}h1,h2{font-family:var(--font-display);margin:0}:is(code,kbd){font-family:var(--font-mono)}\
        .footer p{font-family:var(--font-display)}p{--x:var(--font-mono)}}";

    #[test]
    fn rules_for_elements_name_their_tokens() {
        let pairs = [
            ("body", "text"),
            ("h1", "display"),
            ("h2", "display"),
            ("code", "mono"),
            ("kbd", "mono"),
        ];
        let elements = Elements::read(CSS);
        assert_eq!(
            elements,
            Elements(
                pairs
                    .map(|(name, token)| (name.to_owned(), token.to_owned()))
                    .into()
            )
        );
        assert!(elements.have("mono") && !elements.have("poster"));
    }

    #[test]
    fn text_is_set_in_the_token_of_the_nearest_element() {
        let html = "<body><h1 title=\"ő>ű\">á<code>é</code>í</h1>ó<script>\"ö\"</script><!-- ü --><p>ú</body>ñ";
        let mut found = Vec::new();
        Elements::read(CSS).letters(html, &mut |token, letter| {
            found.push((token.to_owned(), letter));
        });
        let found: Vec<String> = found
            .iter()
            .map(|(token, letter)| format!("{token} {letter}"))
            .collect();
        assert_eq!(
            found,
            [
                "display á",
                "mono é",
                "display í",
                "text ó",
                "text ú",
                "text ñ"
            ]
        );
    }
}
