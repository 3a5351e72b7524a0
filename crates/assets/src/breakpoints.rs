//! Breakpoints by name: `@media (--up-to-tablet)` and `@media (--above-tablet)` in style sheets become the width of
//! `breakpoint.tablet` in `content/design.yaml`. Media queries cannot use custom properties, and no browser knows
//! `@custom-media`, whose names these are written like, so that tools can read the sheets.

use std::collections::{BTreeMap, BTreeSet};

use content::Design;

/// The group of the widths in the design.
pub(super) const GROUP: &str = "breakpoint";
/// How a condition begins, and what it becomes.
const CONDITIONS: [(&str, &str); 2] = [("(--up-to-", "width<="), ("(--above-", "width>")];

/// Writes the widths into the sheets. Names that the design lacks stay, and are reported ([`unknown`]).
pub(super) fn resolve(design: &Design, sheets: &mut BTreeMap<String, String>) {
    for token in design.tokens.iter().filter(|token| token.group == GROUP) {
        for (begin, becomes) in CONDITIONS {
            let written = format!("{begin}{})", token.name);
            for css in sheets.values_mut().filter(|css| css.contains(&written)) {
                *css = css.replace(&written, &format!("({becomes}{})", token.value));
            }
        }
    }
}

/// The conditions that are left in the sheets, as they are written, with the name in each.
pub(super) fn unknown(sheets: &BTreeMap<String, String>) -> BTreeSet<(&str, &str)> {
    let mut found = BTreeSet::new();
    for css in sheets.values() {
        for (begin, _) in CONDITIONS {
            for (at, _) in css.match_indices(begin) {
                // `var(--above-all)` is a property of a site's own.
                let is_property = css[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
                if let Some(length) = css[at..].find(')').filter(|_| !is_property) {
                    found.insert((&css[at..=at + length], &css[at + begin.len()..at + length]));
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::design::Token;
    use diagnostics::problem::Span;

    #[test]
    fn names_become_widths_and_those_without_one_are_found() {
        let token = Token {
            group: GROUP.to_owned(),
            name: "tablet".to_owned(),
            value: "48rem".to_owned(),
            span: Span::new(0, 0),
        };
        let design = Design {
            tokens: vec![token],
            ..Design::default()
        };
        let css = "@media(--up-to-tablet){a{color:red}}@media screen and (--above-tablet)and (--up-to-tv){a{color:var(--above-all)}}";
        let mut sheets = BTreeMap::from([("styles/site".to_owned(), css.to_owned())]);
        resolve(&design, &mut sheets);
        assert_eq!(
            sheets["styles/site"],
            "@media(width<=48rem){a{color:red}}@media screen and (width>48rem)and (--up-to-tv){a{color:var(--above-all)}}"
        );
        assert_eq!(unknown(&sheets), BTreeSet::from([("(--up-to-tv)", "tv")]));
    }
}
