//! Which leads are those of a person, and which ones are deleted on request.

use super::contents::Contents;
use super::email;
use super::lead::Lead;

/// The fewest digits of a phone number: fewer are an extension, a year or a count.
const LEAST_DIGITS: usize = 6;

/// The leads to delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Erase {
    /// Those of a person, by an email address or a phone number, however either was typed.
    Person(String),
    /// Those with these ids.
    Ids(Vec<String>),
}

impl Erase {
    /// Whether a lead is one of them.
    pub fn has(&self, id: &str, contents: &Contents) -> bool {
        match self {
            Erase::Ids(ids) => ids.iter().any(|wanted| wanted == id),
            Erase::Person(person) => is_of(contents, person),
        }
    }
}

/// Whether a person can be found by a text: it is an email address or a phone number.
pub fn names_person(text: &str) -> bool {
    text.contains('@') || digits(text).is_some()
}

/// Whether a person has sent a lead, by an email address or a phone number.
pub(super) fn is_of(contents: &Contents, person: &str) -> bool {
    if person.contains('@') {
        let answers = contents.fields().map(|(_, text)| text);
        let mut emails = [contents.email.clone()]
            .into_iter()
            .chain(answers)
            .filter(|text| text.contains('@'));
        return emails.any(|email| email::comparable(&email) == email::comparable(person));
    }
    let wanted = digits(person);
    wanted.is_some() && phones(contents).any(|phone| digits(&phone) == wanted)
}

impl Lead {
    /// By what its person is found again: the email address, or else the phone number. `None` if it has neither.
    pub fn person(&self) -> Option<String> {
        let email = Some(&self.contents.email)
            .filter(|email| !email.is_empty())
            .cloned();
        email.or_else(|| phones(&self.contents).find(|phone| digits(phone).is_some()))
    }
}

/// The phone numbers of a lead. An answer to a form is one if it begins with a country code: a day and an order number are none.
fn phones(contents: &Contents) -> impl Iterator<Item = String> {
    let answers = contents.fields().map(|(_, text)| text);
    let has_country = |text: &String| {
        text.trim_start().starts_with(is_plus) || text.trim_start().starts_with("00")
    };
    numbers(&contents.phone).chain(answers.filter(has_country))
}

/// The text of a field for a phone number, and the numbers with a country code in it, as in `call +34 600112233 (Ana)` and
/// `+34 600112233 / +34 600112244`.
fn numbers(text: &str) -> impl Iterator<Item = String> {
    let runs = text.split(|c| !is_of_phone(c) || matches!(c, '/' | ','));
    let abroad = runs.flat_map(|run| {
        let mut pieces = run.split(is_plus);
        let first = pieces
            .next()
            .filter(|first| first.trim_start().starts_with("00"));
        let first = first.map(str::to_owned);
        first
            .into_iter()
            .chain(pieces.map(|piece| format!("+{piece}")))
    });
    [text.to_owned()].into_iter().chain(abroad)
}

/// Whether a character can be in a phone number.
fn is_of_phone(c: char) -> bool {
    c.is_numeric() || c.is_whitespace() || is_plus(c) || "-–‑().,/·".contains(c)
}

fn is_plus(c: char) -> bool {
    matches!(c, '+' | '\u{ff0b}')
}

/// The digits of a phone number, without an extension and without what says that it is dialed from abroad: `+34 600 11 22 33` and
/// `0034600112233 ext. 4` are equal. `None` for a text that is no phone number.
fn digits(text: &str) -> Option<String> {
    // Some write the zero of calls within the country, too: `+44 (0)20 7946 0000`.
    let text = text.trim().replace("(0)", "").to_lowercase();
    let marks = ["ext", "x", "#", ";"].into_iter();
    let end = marks.filter_map(|mark| text.find(mark)).min();
    let text = &text[..end.unwrap_or(text.len())];
    let is_phone = text.chars().all(is_of_phone);
    let digits: String = text
        .chars()
        .filter_map(|c| c.to_digit(10).or_else(|| digit(c)))
        .filter_map(|d| char::from_digit(d, 10))
        .collect();
    let digits = digits.strip_prefix("00").unwrap_or(&digits);
    (is_phone && digits.len() >= LEAST_DIGITS).then(|| digits.to_owned())
}

/// The value of a digit of another script, such as Arabic.
fn digit(c: char) -> Option<u32> {
    // Each script has its ten digits in a row.
    const ZEROS: [char; 5] = ['\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{ff10}'];
    ZEROS.into_iter().find_map(|zero| {
        u32::from(c)
            .checked_sub(zero.into())
            .filter(|value| *value < 10)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lead(email: &str, phone: &str, answers: serde_json::Value) -> Contents {
        let serde_json::Value::Object(answers) = answers else {
            unreachable!("a map of answers")
        };
        Contents {
            email: email.into(),
            phone: phone.into(),
            answers,
            ..Contents::default()
        }
    }

    #[test]
    fn a_person_is_found_by_phone_however_it_was_typed() {
        let person = |phone: &str| Erase::Person(phone.into());
        for typed in [
            "+34 600 11 22 33",
            "0034600112233",
            "+34 (600) 11-22-33",
            "+34 (0)600 112233",
            "+٣٤٦٠٠١١٢٢٣٣",
        ] {
            assert!(
                person("+34600112233").has("A", &lead("", typed, serde_json::json!({}))),
                "{typed}"
            );
            assert!(
                person("34 600 112 233")
                    .has("A", &lead("", "", serde_json::json!({"mobile": typed}))),
                "{typed}"
            );
        }
        for other in [
            "",
            "+34 600 11 22 34",
            "700112233",
            "+34 60011223",
            "Call 34600112233",
            "2027",
        ] {
            assert!(
                !person("+34600112233")
                    .has("A", &lead("a@b.example", other, serde_json::json!({}))),
                "{other}"
            );
        }
        let day = lead(
            "",
            "",
            serde_json::json!({"day": "2027-01-31", "order": "4711 0815"}),
        );
        assert!(!person("2027-01-31").has("A", &day) && !person("47110815").has("A", &day));
        for nobody in ["", " ", "12345", "Ana"] {
            assert!(
                !person(nobody).has("A", &lead("", nobody, serde_json::json!({"name": nobody}))),
                "{nobody}"
            );
        }
    }

    /// Without a country code, a number may be that of somebody in another country.
    #[test]
    fn a_number_is_found_with_an_extension_and_not_without_its_country_code() {
        let check = |typed: &str, asked: &str, expect: bool| {
            let of = lead("", typed, serde_json::json!({}));
            assert_eq!(
                Erase::Person(asked.into()).has("A", &of),
                expect,
                "{typed} {asked}"
            );
        };
        check("+34 911 55 66 77 ext. 12", "0034911556677", true);
        check("+34 911556677 x12", "+34 911 556 677", true);
        check("911 55 66 77", "+34 911 55 66 77", false);
        check("Tel. +34·911·556·677 (María)", "+34 911 556 677", true);
        check("+34911556677 / +34911556688", "+34 911 556 688", true);
        check(
            "home 0034911556677, mobile +34600112233",
            "+34600112233",
            true,
        );
        check(
            "home 0034911556677, mobile +34600112233",
            "+34911556677",
            true,
        );
        check("+34911556677, 600112233", "+34911556677", true);
        check("Call 34911556677", "+34911556677", false);
        check("+33 911 55 66 77", "+34 911 55 66 77", false);
    }

    #[test]
    fn a_person_is_found_by_each_email_address_of_a_form() {
        let parent = lead(
            "ana@a.example",
            "",
            serde_json::json!({"parent": "Eva@B.example", "note": "to eva@c.example"}),
        );
        assert!(Erase::Person("eva@b.example".into()).has("A", &parent));
        assert!(!Erase::Person("eva@c.example".into()).has("A", &parent));
    }

    #[test]
    fn an_id_is_one_lead() {
        let erase = Erase::Ids(vec!["A".into()]);
        assert!(
            erase.has("A", &lead("", "", serde_json::json!({})))
                && !erase.has("AB", &lead("", "", serde_json::json!({})))
        );
    }
}
