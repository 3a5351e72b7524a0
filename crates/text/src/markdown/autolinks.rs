//! Finds addresses that are written without brackets, as GitHub's Markdown does:
//! <https://github.github.com/gfm/#autolinks-extension->.

use std::ops::Range;

/// An address in a text.
#[derive(Debug, PartialEq)]
pub(super) struct Autolink {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// The target: with `http://` or `mailto:` if the text has none.
    pub to: String,
}

/// Whether a text may have an address, found quickly.
pub(super) fn may_have(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr3_iter(b':', b'@', b'.', bytes).any(|at| match bytes[at] {
        b':' => bytes[at + 1..].starts_with(b"//"),
        b'.' => bytes[..at].ends_with(b"www"),
        _ => true,
    })
}

/// The addresses in a text, in order.
pub(super) fn find(text: &str) -> Vec<Autolink> {
    let bytes = text.as_bytes();
    let mut links: Vec<Autolink> = Vec::new();
    let mut from = 0;
    while let Some(found) = memchr::memchr3(b':', b'@', b'w', &bytes[from..]) {
        let at = from + found;
        let free = links.last().map_or(0, |last| last.range.end);
        let link = match bytes[at] {
            b':' => full(text, at, free),
            b'@' => mail(text, at, free),
            _ => www(text, at),
        };
        from = link
            .as_ref()
            .map_or(at + 1, |link| link.range.end.max(at + 1));
        links.extend(link);
    }
    links
}

fn full(text: &str, colon: usize, free: usize) -> Option<Autolink> {
    let rest = text[colon..].strip_prefix("://")?;
    let before = &text[free..colon];
    let scheme = ["https", "http"].into_iter().find(|scheme| {
        let start = before.len().wrapping_sub(scheme.len());
        before
            .get(start..)
            .is_some_and(|end| end.eq_ignore_ascii_case(scheme))
            && !before[..start].ends_with(|c: char| c.is_ascii_alphanumeric())
    })?;
    let start = colon - scheme.len();
    // An address of this machine has no period.
    let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default();
    if domain(rest, 1) == 0 || host.is_empty() {
        return None;
    }
    let end = end(text, start);
    (end > colon + 3).then(|| Autolink {
        range: start..end,
        to: text[start..end].to_owned(),
    })
}

fn www(text: &str, at: usize) -> Option<Autolink> {
    let rest = text[at..].strip_prefix("www.")?;
    let before = text[..at].chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '@' | '_'))
        || domain(rest, 2) == 0
    {
        return None;
    }
    let end = end(text, at);
    Some(Autolink {
        range: at..end,
        to: format!("http://{}", &text[at..end]),
    })
}

/// The length of the domain at the beginning of a text, with at least so many parts; 0 if there is none.
fn domain(text: &str, parts: usize) -> usize {
    let length = text
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .unwrap_or(text.len());
    let found: Vec<&str> = text[..length].trim_end_matches('.').split('.').collect();
    let has_underscore = found.iter().rev().take(2).any(|part| part.contains('_'));
    if found.len() >= parts && !has_underscore && found.iter().all(|part| !part.is_empty()) {
        length
    } else {
        0
    }
}

/// Where the address that begins there ends: before a blank, `<`, `>` or full-width punctuation, and without marks that belong
/// to the sentence.
fn end(text: &str, start: usize) -> usize {
    let mut end = text[start..]
        .find(|c: char| {
            c.is_whitespace()
                || matches!(c, '<' | '>')
                || matches!(u32::from(c), 0x3000..=0x303f | 0xff01..=0xff0f | 0xff1a..=0xff20 | 0xff3b..=0xff65)
                || matches!(c, '“' | '”' | '‘' | '’' | '«' | '»' | '…' | '"')
        })
        .map_or(text.len(), |length| start + length);
    // Counted once: an address may end with many brackets.
    let [mut unopened, mut unopened_square] = [['(', ')'], ['[', ']']].map(|pair| {
        let [opened, closed] = pair.map(|bracket| text[start..end].matches(bracket).count());
        closed.saturating_sub(opened)
    });
    loop {
        let link = &text[start..end];
        let Some(last) = link.chars().next_back() else {
            return end;
        };
        match last {
            '?' | '!' | '.' | ',' | ':' | '*' | '_' | '~' | '\'' => end -= 1,
            ')' if unopened > 0 => (end, unopened) = (end - 1, unopened - 1),
            ']' if unopened_square > 0 => (end, unopened_square) = (end - 1, unopened_square - 1),
            ';' => {
                let entity = link[..link.len() - 1].rsplit_once('&');
                let entity = entity.filter(|(_, name)| {
                    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric())
                });
                end = entity.map_or(end - 1, |(before, _)| start + before.len());
            }
            _ => return end,
        }
    }
}

fn mail(text: &str, at: usize, free: usize) -> Option<Autolink> {
    let name = text.as_bytes()[free..at]
        .iter()
        .rev()
        .take_while(|byte| is_name(**byte))
        .count();
    let host = text.as_bytes()[at + 1..]
        .iter()
        .take_while(|byte| is_name(**byte) && **byte != b'+')
        .count();
    let host = text[at + 1..at + 1 + host].trim_end_matches('.');
    let start = at - name;
    let scheme = text[free..start].ends_with("mailto:")
        && !text[free..start - 7].ends_with(char::is_alphanumeric);
    let start = if scheme { start - 7 } else { start };
    // `//me@example.com` is a part of an address, and a further `@` belongs to a name on a social network.
    let is_part =
        text[..start].ends_with(['/', ':']) || text[at + 1 + host.len()..].starts_with('@');
    let is_host =
        host.contains('.') && !host.ends_with(['-', '_']) && !host.split('.').any(str::is_empty);
    (name > 0 && is_host && !is_part).then(|| {
        let range = start..at + 1 + host.len();
        let written = &text[range.clone()];
        let to = if scheme {
            written.to_owned()
        } else {
            format!("mailto:{written}")
        };
        Autolink { range, to }
    })
}

/// Tells whether a byte can be part of the name in an email address.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'+')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        assert!(expect.is_empty() || may_have(text), "{text}");
        let found: Vec<String> = find(text).into_iter().map(|link| link.to).collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn addresses_end_where_the_sentence_goes_on() {
        check(
            "See https://example.com/a_b_c, or (http://example.com/x_(y)).",
            &["https://example.com/a_b_c", "http://example.com/x_(y)"],
        );
        check(
            "www.commonmark.org/he<lp",
            &["http://www.commonmark.org/he"],
        );
        check(
            "www.google.com/search?q=commonmark&hl; x",
            &["http://www.google.com/search?q=commonmark"],
        );
        check(
            "见https://example.com/日本。后面",
            &["https://example.com/日本"],
        );
        check(
            "<http://a.example/b> \\<www.a.example>",
            &["http://a.example/b", "http://www.a.example"],
        );
        check("HTTPS://EXAMPLE.COM!", &["HTTPS://EXAMPLE.COM"]);
    }

    #[test]
    fn addresses_of_mail() {
        check(
            "me@example.com, a.b-c_d+1@a.b. and hello+xyz@mail.example",
            &[
                "mailto:me@example.com",
                "mailto:a.b-c_d+1@a.b",
                "mailto:hello+xyz@mail.example",
            ],
        );
        check(
            "mailto:foo@bar.baz, mailto:a.b-c_d@a.b/",
            &["mailto:foo@bar.baz", "mailto:a.b-c_d@a.b"],
        );
        check("xmailto:foo@bar.baz xmpp:foo@bar.baz", &[]);
        check("a.b-c_d@a.b- a.b-c_d@a.b_ @b.c a@b @me@example.com@x", &[]);
    }

    #[test]
    fn other_text_is_none() {
        check(
            "a: b://c https:// http://. www. xhttps://a.b www.a_b.c_d note:10:30",
            &[],
        );
        check("http://localhost:1111/x", &["http://localhost:1111/x"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([w.:/@a-c_()&;é。 ]|https?://|\\PC){0,60}") {
            let mut from = 0;
            assert!(may_have(&text) || find(&text).is_empty());
            for link in find(&text) {
                assert!(link.range.start >= from && text.get(link.range.clone()).is_some());
                from = link.range.end;
            }
        }
    }
}
