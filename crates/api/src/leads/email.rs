//! Compares email addresses as mail servers do, to find all leads of a person, and writes them as every server takes them.

use unicode_normalization::UnicodeNormalization as _;

/// The form in which two spellings of an address are equal: without regard to case and to the Unicode form (NFC, NFD),
/// and with the domain in Punycode.
pub fn comparable(address: &str) -> String {
    let address = folded(address.trim());
    match address.rsplit_once('@') {
        Some((local, domain)) => format!("{local}@{}", ascii(domain)),
        None => address,
    }
}

/// The address with its domain in Punycode, as it is sent to: few servers take another form. `None` if the domain is none.
pub fn deliverable(address: &str) -> Option<String> {
    let (local, domain) = address.trim().rsplit_once('@')?;
    // Other parts of a URL would be read beside the domain.
    if domain.contains([':', '/', '?', '#', '\\']) {
        return None;
    }
    let url = reqwest::Url::parse(&format!("http://{domain}/")).ok()?;
    let domain = url.domain().filter(|domain| !domain.ends_with('.'))?;
    Some(format!("{local}@{domain}"))
}

fn folded(text: &str) -> String {
    text.nfc()
        .collect::<String>()
        .to_lowercase()
        .nfc()
        .collect()
}

/// A domain in Punycode, as in DNS. What is no domain stays as it is.
fn ascii(domain: &str) -> String {
    let domain = domain.trim_end_matches(['.', '。']);
    let url = reqwest::Url::parse(&format!("http://{domain}/")).ok();
    let host = url
        .as_ref()
        .filter(|url| url.path() == "/")
        .and_then(|url| url.host_str());
    host.unwrap_or(domain).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{comparable, deliverable};

    #[test]
    fn an_address_is_sent_to_in_ascii() {
        for (typed, sent) in [
            ("ana@example.com", Some("ana@example.com")),
            ("Ana.Ruiz@Example.com", Some("Ana.Ruiz@example.com")),
            (
                "ana@m\u{fc}nchen.example",
                Some("ana@xn--mnchen-3ya.example"),
            ),
            (
                "ana@mu\u{308}nchen.example",
                Some("ana@xn--mnchen-3ya.example"),
            ),
            (
                "ana@xn--mnchen-3ya.example",
                Some("ana@xn--mnchen-3ya.example"),
            ),
            ("ana@例え.テスト", Some("ana@xn--r8jz45g.xn--zckzah")),
            (
                "ana@\u{645}\u{62b}\u{627}\u{644}.example",
                Some("ana@xn--mgbh0fb.example"),
            ),
            ("ana@xn--a.example", None),
            ("ana@1.2.3.4", None),
            ("ana@0x7f.1", None),
            ("ana@[::1]", None),
            ("ana@example.com:80", None),
            ("ana@example.com/x", None),
            ("ana@example.com?x", None),
            ("ana@example.com#x", None),
            ("example.com", None),
            ("ana@", None),
        ] {
            assert_eq!(deliverable(typed).as_deref(), sent, "{typed}");
        }
    }

    #[test]
    fn spellings_of_an_address_are_equal() {
        for (one, other) in [
            ("ana@example.com", " Ana@EXAMPLE.com "),
            ("jos\u{e9}@example.com", "jose\u{301}@example.com"),
            ("JOS\u{c9}@example.com", "jose\u{301}@example.com"),
            ("a@m\u{fc}nchen.example", "a@xn--mnchen-3ya.example"),
            ("a@mu\u{308}nchen.example", "A@XN--MNCHEN-3YA.Example"),
            ("a@M\u{dc}NCHEN.example", "a@xn--mnchen-3ya.example."),
            ("a@例え。example", "a@xn--r8jz45g.example"),
            ("ana\u{17f}@example.com", "ana\u{17f}@Example.com"),
        ] {
            assert_eq!(comparable(one), comparable(other), "{one} {other}");
        }
        for (one, other) in [
            ("ana@example.com", "ana@example.org"),
            ("ana@example.com", "an.a@example.com"),
            ("ana@example.com", "ana+1@example.com"),
            ("jose@example.com", "jos\u{e9}@example.com"),
            ("a@munchen.example", "a@m\u{fc}nchen.example"),
            ("a@example.com/b", "a@example.com"),
            ("a@b:80@example.com", "a@example.com"),
            ("", "a@"),
        ] {
            assert_ne!(comparable(one), comparable(other), "{one} {other}");
        }
    }
}
