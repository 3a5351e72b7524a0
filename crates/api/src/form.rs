//! Decodes query strings and form bodies (`application/x-www-form-urlencoded`).

use std::borrow::Cow;

use percent_encoding::percent_decode;

/// A decoded field. Bytes that are not UTF-8 are replaced by U+FFFD, as browsers do.
pub(super) struct Field<'a> {
    pub name: Cow<'a, str>,
    pub value: Cow<'a, str>,
    /// Whether name and value were UTF-8, so that nothing was replaced.
    pub is_utf8: bool,
}

/// The fields in order. `+` is a space, and a `%` without two hex digits is literal.
pub(super) fn fields(text: &[u8]) -> impl Iterator<Item = Field<'_>> {
    // The decoder skips empty pairs as well.
    let pairs = text
        .split(|byte| *byte == b'&')
        .filter(|pair| !pair.is_empty());
    form_urlencoded::parse(text)
        .zip(pairs)
        .map(|((name, value), pair)| {
            let is_utf8 = percent_decode(pair).decode_utf8().is_ok();
            Field {
                name,
                value,
                is_utf8,
            }
        })
}

#[cfg(test)]
mod tests {
    use super::fields;

    fn check(text: &str, expect: &[(&str, &str, bool)]) {
        let read: Vec<_> = fields(text.as_bytes()).collect();
        let read: Vec<_> = read
            .iter()
            .map(|field| (&*field.name, &*field.value, field.is_utf8))
            .collect();
        assert_eq!(read, expect, "{text}");
    }

    #[test]
    fn fields_are_decoded_as_browsers_encode_them() {
        check(
            "a=1&b=x+y%2B&c",
            &[("a", "1", true), ("b", "x y+", true), ("c", "", true)],
        );
        check("&&a==b&", &[("a", "=b", true)]);
        check("a=100%&b=%zz", &[("a", "100%", true), ("b", "%zz", true)]);
        check(
            "a=%C3%B1&b=%FF&%FF=c",
            &[
                ("a", "ñ", true),
                ("b", "\u{fffd}", false),
                ("\u{fffd}", "c", false),
            ],
        );
    }
}
