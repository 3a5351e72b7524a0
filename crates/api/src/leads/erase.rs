//! Which leads are those of a person, and which ones are deleted on request.

use super::contents::Contents;
use super::email;
use super::lead::Lead;

/// The fewest digits of a phone number: fewer are an extension, a year or a count.
const LEAST_DIGITS: usize = 6;
/// The fewest digits of a number without a country code that is taken for one with it.
const LEAST_NATIONAL: usize = 8;

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
    text.contains('@') || number(text).is_some()
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
    phones(contents).any(|phone| is_one_number(&phone, person))
}

/// Whether two texts are one phone number. Only one of them may have the country code.
fn is_one_number(one: &str, other: &str) -> bool {
    let (Some(one), Some(other)) = (number(one), number(other)) else {
        return false;
    };
    one.digits == other.digits
        || match (one.is_abroad, other.is_abroad) {
            (true, false) => one.is_within(&other),
            (false, true) => other.is_within(&one),
            _ => false,
        }
}

impl Lead {
    /// By what its person is found again: the email address, or else the phone number. `None` if it has neither.
    pub fn person(&self) -> Option<String> {
        let email = Some(&self.contents.email)
            .filter(|email| !email.is_empty())
            .cloned();
        email.or_else(|| phones(&self.contents).find(|phone| number(phone).is_some()))
    }
}

/// The phone numbers of a lead. An answer to a form is one if it begins with a country code: a day and an order number are none.
fn phones(contents: &Contents) -> impl Iterator<Item = String> {
    let answers = contents.fields().map(|(_, text)| text);
    let has_country = |text: &String| {
        text.trim_start().starts_with(['+', '\u{ff0b}']) || text.trim_start().starts_with("00")
    };
    [contents.phone.clone()]
        .into_iter()
        .chain(answers.filter(has_country))
}

/// A phone number.
struct PhoneNumber {
    /// Its digits, without what says that it is dialed from abroad, and without an extension.
    digits: String,
    /// It begins with a country code.
    is_abroad: bool,
}

impl PhoneNumber {
    /// Whether this number, with its country code, is another one that is dialed within the country.
    fn is_within(&self, national: &PhoneNumber) -> bool {
        let national = national.digits.trim_start_matches('0');
        national.len() >= LEAST_NATIONAL
            && self
                .digits
                .strip_suffix(national)
                .is_some_and(is_country_code)
    }
}

/// Whether digits are a country code (ITU-T E.164): no code is the beginning of another.
fn is_country_code(digits: &str) -> bool {
    const OF_TWO: &str = "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98";
    let is_of_two = |code: &str| OF_TWO.split(' ').any(|known| known == code);
    match digits.len() {
        1 => matches!(digits, "1" | "7"),
        2 => is_of_two(digits),
        3 => !digits.starts_with(['0', '1', '7']) && !is_of_two(&digits[..2]),
        _ => false,
    }
}

/// Reads a phone number: `+34 600 11 22 33` and `0034600112233` are equal. `None` for a text that is none.
fn number(text: &str) -> Option<PhoneNumber> {
    // Some write the zero of calls within the country, too: `+44 (0)20 7946 0000`.
    let text = text.trim().replace("(0)", "");
    let lower = text.to_lowercase();
    let extension = ["ext", "x", "#", ";"]
        .into_iter()
        .filter_map(|mark| lower.find(mark))
        .min();
    let text = extension.and_then(|at| text.get(..at)).unwrap_or(&text);
    let is_phone = text
        .chars()
        .all(|c| c.is_numeric() || c.is_whitespace() || "+\u{ff0b}-–‑().,/".contains(c));
    let all: String = text
        .chars()
        .filter_map(|c| c.to_digit(10).or_else(|| digit(c)))
        .filter_map(|d| char::from_digit(d, 10))
        .collect();
    let is_abroad = all.starts_with("00") || text.trim_start().starts_with(['+', '\u{ff0b}']);
    let digits = all.strip_prefix("00").unwrap_or(&all).to_owned();
    (is_phone && digits.len() >= LEAST_DIGITS).then_some(PhoneNumber { digits, is_abroad })
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

    #[test]
    fn a_number_is_found_without_its_country_code_or_with_an_extension() {
        let check = |typed: &str, asked: &str, expect: bool| {
            let of = lead("", typed, serde_json::json!({}));
            assert_eq!(
                Erase::Person(asked.into()).has("A", &of),
                expect,
                "{typed} {asked}"
            );
        };
        check("911 55 66 77", "+34 911 55 66 77", true);
        check("+34 911 55 66 77 ext. 12", "0034911556677", true);
        check("+34 911556677 x12", "911 556 677", true);
        check("020 7946 0000", "+44 20 7946 0000", true);
        check("11 55 66 77", "+34 911 55 66 77", false);
        check("55 66 77", "+34 55 66 77", false);
        check("+33 911 55 66 77", "+34 911 55 66 77", false);
        check("911 55 66 77", "+34 911 55 66 78", false);
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
