//! Compares email addresses as mail servers do, to find all leads of a person.

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

fn folded(text: &str) -> String {
    text.nfc().collect::<String>().to_lowercase().nfc().collect()
}

/// A domain in Punycode, as in DNS. What is no domain stays as it is.
fn ascii(domain: &str) -> String {
    let domain = domain.trim_end_matches(['.', '。']);
    let url = reqwest::Url::parse(&format!("http://{domain}/")).ok();
    let host = url.as_ref().filter(|url| url.path() == "/").and_then(|url| url.host_str());
    host.unwrap_or(domain).to_owned()
}

#[cfg(test)]
mod tests {
    use super::comparable;

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
