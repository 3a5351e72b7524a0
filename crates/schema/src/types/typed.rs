//! Types of declared fields that are written as text and mean more: dates, decimals, amounts of money, opening hours,
//! coordinates, durations, addresses, files, and references to entries of collections.
//!
//! [`FieldType`] is the type, with its reader; [`Typed`] is a value. In a serialized section, a value is a marked object
//! with its span, as links and pictures are.

mod amount;
mod choice;
mod coordinates;
mod currency;
mod hours;
mod minutes;
mod parts;

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use url::Url;

use diagnostics::problem::Span;

use super::{Date, DateTime, Moment, When, Zone};

pub use amount::{Amount, Decimal};
pub use choice::Choice;
pub use coordinates::Coordinates;
pub use hours::{Hours, OpenRule};
pub use minutes::Minutes;

/// Marks a [`Typed`] value in a serialized section.
pub const TYPED: &str = "$typed";

/// Seconds of a day.
const DAY: i64 = 24 * 60 * 60;
/// The maximum number of bytes of an email address (RFC 5321).
const MAX_EMAIL: usize = 254;
/// Numbers of digits that a phone number can have: `112` is the shortest, and ITU-T E.164 allows 15.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 3..=15;

/// A type whose values are written as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// `2027-01-15`
    Date,
    /// `2027-01-15T18:30`
    DateTime,
    /// `2027-01-15`, `2027-01-15T18:30` or `2027-01-15T18:30+01:00`
    Moment,
    /// `4.5`
    Decimal,
    /// `120 EUR`
    Amount,
    /// `ana@example.com`
    Email,
    /// `+34 910 000 000`
    Phone,
    /// A file below `static/`: `downloads/prices.pdf`
    File,
    /// `Mo-Fr 09:00-19:00; Sa 10:00-14:00`
    Hours,
    /// `40.4168, -3.7038`
    Coordinates,
    /// `1 h 30 min`
    Duration,
    /// A page of another site that is shown in a frame: `https://www.openstreetmap.org/export/embed.html`
    Embed,
}

/// A value of a declared field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Typed {
    /// A day.
    Date(Date),
    /// A day and a time, without a time zone.
    DateTime(DateTime),
    /// A day or a time, on the clocks of the site unless it has an offset.
    Moment(When),
    /// A number with a fraction.
    Decimal(Decimal),
    /// An amount of money.
    Amount(Amount),
    /// An email address.
    Email(String),
    /// A phone number, as written.
    Phone(String),
    /// A path below `static/`.
    File(String, Span),
    /// Opening hours.
    Hours(Hours),
    /// A place on the map.
    Coordinates(Coordinates),
    /// A length of time.
    Duration(Minutes),
    /// The address of a frame.
    Embed(Embed),
    /// An entry of a collection.
    Reference(Reference),
    /// A choice that has a name in each language.
    Choice(Choice),
}

/// The address of a page of another site that is shown in a frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Embed {
    /// The whole address, as the URL standard writes it.
    pub url: String,
    /// Its scheme, host and port: `https://www.openstreetmap.org`.
    pub origin: String,
    /// Its place in the file.
    pub span: Span,
}

/// A reference to an entry of a collection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The name of the collection.
    pub to: String,
    /// The key of the entry.
    pub key: String,
    /// Its place in the file.
    pub span: Span,
}

impl Embed {
    /// The name of its host, as visitors know it: `openstreetmap.org`.
    pub fn host(&self) -> &str {
        let host = self.origin.split_once("://").map_or("", |(_, host)| host);
        host.strip_prefix("www.").unwrap_or(host)
    }
}

impl FieldType {
    /// Reads a value. The error is a message that ends with what to write.
    pub fn parse(self, text: &str, span: Span) -> Result<Typed, String> {
        let text = text.trim();
        match self {
            FieldType::Date => date(text).map(Typed::Date),
            FieldType::DateTime => date_time(text).map(Typed::DateTime),
            FieldType::Moment => When::read(text).map(Typed::Moment),
            FieldType::Decimal => Decimal::parse(text).map(Typed::Decimal),
            FieldType::Amount => Amount::parse(text).map(Typed::Amount),
            FieldType::Email => email(text).map(Typed::Email),
            FieldType::Phone => phone(text).map(Typed::Phone),
            FieldType::File => file(text).map(|path| Typed::File(path, span)),
            FieldType::Hours => Hours::parse(text).map(Typed::Hours),
            FieldType::Coordinates => Coordinates::parse(text).map(Typed::Coordinates),
            FieldType::Duration => Minutes::parse(text).map(Typed::Duration),
            FieldType::Embed => embed(text, span).map(Typed::Embed),
        }
    }

    /// A value as it is written.
    pub fn example(self) -> &'static str {
        match self {
            FieldType::Date => "2027-01-15",
            FieldType::DateTime | FieldType::Moment => "2027-01-15T18:30",
            FieldType::Decimal => "4.5",
            FieldType::Amount => "120 EUR",
            FieldType::Email => "ana@example.com",
            FieldType::Phone => "+34 910 000 000",
            FieldType::File => "downloads/prices.pdf",
            FieldType::Hours => "Mo-Fr 09:00-19:00; Sa 10:00-14:00",
            FieldType::Coordinates => "40.4168, -3.7038",
            FieldType::Duration => "1 h 30 min",
            FieldType::Embed => {
                "https://www.openstreetmap.org/export/embed.html?bbox=-3.71,40.41,-3.69,40.43"
            }
        }
    }
}

impl Typed {
    /// The order of two values of one type that has an order; `None` for others, for amounts of two currencies, and for
    /// moments whose order depends on the time zone.
    pub fn compare(&self, other: &Typed) -> Option<Ordering> {
        match (self, other) {
            (Typed::Date(a), Typed::Date(b)) => Some(a.cmp(b)),
            (Typed::DateTime(a), Typed::DateTime(b)) => Some(a.cmp(b)),
            (Typed::Moment(a), Typed::Moment(b)) => a.compare(*b),
            (Typed::Decimal(a), Typed::Decimal(b)) => Some(a.cmp(b)),
            (Typed::Amount(a), Typed::Amount(b)) => {
                (a.currency == b.currency).then(|| a.value.cmp(&b.value))
            }
            (Typed::Duration(a), Typed::Duration(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// Whether something that begins with `first` has its end, this date, before. A day lasts until the next one.
    pub fn ends_before(&self, first: &Typed) -> bool {
        let is_day_of = |when: &When, other: &When| {
            when.is_day() && when.local().day == other.local().day && !other.has_offset()
        };
        match (self, first) {
            (Typed::Moment(last), Typed::Moment(first)) if is_day_of(last, first) => false,
            _ => self.compare(first) == Some(Ordering::Less),
        }
    }

    /// The moment at which a date begins in a time zone.
    pub fn beginning(&self, zone: &Zone) -> Option<Moment> {
        if let Typed::Moment(when) = self {
            return Some(when.beginning(zone));
        }
        self.local().map(|local| zone.moment(local))
    }

    /// The moment at which a date has passed: the next day, or the time itself.
    pub fn end(&self, zone: &Zone) -> Option<Moment> {
        if let Typed::Moment(when) = self {
            return Some(when.end(zone));
        }
        let local = self.local()?;
        Some(zone.moment(if matches!(self, Typed::Date(_)) {
            local.next_day()
        } else {
            local
        }))
    }

    /// The moment at which something that begins with `first` and ends with this value is over: a date has passed, or a length of
    /// time. A length of days ends with the last one that it touches.
    pub fn end_from(&self, first: &Typed, zone: &Zone) -> Option<Moment> {
        let Typed::Duration(length) = self else {
            return self.end(zone);
        };
        let begins = first.beginning(zone)?;
        let seconds = i64::from(length.0) * 60;
        if !first.is_day() {
            return Some(Moment(begins.0 + seconds));
        }
        let days = (seconds + DAY - 1).div_euclid(DAY).max(1);
        // Noon of the day after the last one, because a day may have 23 or 25 hours.
        let after = Date::parse(&zone.day(Moment(begins.0 + days * DAY + DAY / 2)))?;
        Some(zone.moment(DateTime::from(after)))
    }

    /// Tells whether it is a day without a time.
    pub fn is_day(&self) -> bool {
        match self {
            Typed::Date(_) => true,
            Typed::Moment(when) => when.is_day(),
            _ => false,
        }
    }

    fn local(&self) -> Option<DateTime> {
        match self {
            Typed::Date(day) => Some(DateTime::from(*day)),
            Typed::DateTime(time) => Some(*time),
            _ => None,
        }
    }

    /// Whether the value is read from left to right in any language: numbers, with what belongs to them.
    pub fn is_left_to_right(&self) -> bool {
        match self {
            Typed::Decimal(_)
            | Typed::Amount(_)
            | Typed::Phone(_)
            | Typed::Coordinates(_)
            | Typed::Duration(_) => true,
            Typed::Date(_)
            | Typed::DateTime(_)
            | Typed::Moment(_)
            | Typed::Email(_)
            | Typed::File(..)
            | Typed::Hours(_)
            | Typed::Embed(_)
            | Typed::Reference(_)
            | Typed::Choice(_) => false,
        }
    }

    /// The value in a form that programs read: ISO 8601 for dates and durations, a plain number for a decimal.
    pub fn machine(&self) -> String {
        match self {
            Typed::Date(date) => date.to_string(),
            Typed::DateTime(date) => date.to_string(),
            Typed::Moment(when) => when.to_string(),
            Typed::Decimal(number) => number.to_string(),
            Typed::Amount(amount) => amount.to_string(),
            Typed::Email(text) | Typed::Phone(text) | Typed::File(text, _) => text.clone(),
            Typed::Hours(hours) => hours.to_string(),
            Typed::Coordinates(place) => place.to_string(),
            Typed::Duration(minutes) => minutes.iso(),
            Typed::Embed(embed) => embed.url.clone(),
            Typed::Reference(reference) => reference.key.clone(),
            Typed::Choice(choice) => choice.key.clone(),
        }
    }
}

/// The digits of a phone number, with `+` in front if it has one: the target of a `tel:` link. The `(0)` of an international
/// number is dialed only within its country.
pub fn dialed(phone: &str) -> String {
    let is_international = phone.trim_start().starts_with('+');
    let phone = match phone.split_once("(0)").filter(|_| is_international) {
        Some((country, number)) => &[country, number].concat(),
        None => phone,
    };
    phone
        .chars()
        .filter(|c| c.is_ascii_digit() || *c == '+')
        .collect()
}

fn date(text: &str) -> Result<Date, String> {
    Date::parse(text).ok_or_else(|| {
        if Date::is_written(text) {
            format!("the date `{text}` does not exist; write a date such as `2027-01-31`")
        } else {
            format!("`{text}` is not a date; write the year, month and day, as in `2027-01-31`")
        }
    })
}

fn date_time(text: &str) -> Result<DateTime, String> {
    if Date::parse(text).is_some() {
        return Err(format!("`{text}` has no time; write `{text}T18:30`"));
    }
    DateTime::parse(text).ok_or_else(|| {
        if DateTime::parse_local(text).is_some() {
            return format!(
                "`{text}` has a time zone; write the local time without one: `2027-01-31T18:30`"
            );
        }
        let day = text.get(..10).unwrap_or_default();
        if Date::is_written(day) && Date::parse(day).is_none() {
            format!("the date `{day}` does not exist; write a date such as `2027-01-31`")
        } else {
            format!("`{text}` is not a date with a time; write `2027-01-31T18:30`")
        }
    })
}

fn email(text: &str) -> Result<String, String> {
    let parts = text.split_once('@');
    let is_email = parts.is_some_and(|(name, domain)| {
        !name.is_empty()
            && !domain.contains('@')
            && is_domain(domain)
            && text.chars().all(|c| {
                !c.is_whitespace()
                    && !c.is_control()
                    && !matches!(c, '<' | '>' | '(' | ')' | ',' | ';' | '"')
            })
    });
    if let Some(address) = text.strip_prefix("mailto:") {
        return Err(format!(
            "`{text}` is a link to an email address; write `{address}`"
        ));
    }
    if is_email && text.len() <= MAX_EMAIL {
        return Ok(text.to_owned());
    }
    Err(format!(
        "`{text}` is not an email address; write one such as `ana@example.com`"
    ))
}

/// Tells whether a text can be the domain of an email address.
fn is_domain(domain: &str) -> bool {
    domain.contains('.')
        && domain
            .split('.')
            .all(|label| !label.is_empty() && !label.starts_with('-'))
}

fn phone(text: &str) -> Result<String, String> {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    // Numbers for emergencies and help have no country code: `112`, `116 117`.
    let is_short = digits <= 4 || digits == 6 && text.starts_with("116");
    let rest = text.strip_prefix('+').unwrap_or(text);
    if PHONE_DIGITS.contains(&digits)
        && rest.chars().all(|c| {
            c.is_ascii_digit() || matches!(c, ' ' | '\u{a0}' | '-' | '.' | '/' | '(' | ')')
        })
    {
        if text.starts_with('+') || is_short {
            return Ok(text.to_owned());
        }
        // Who calls from another country would reach somebody else.
        return Err(match text.strip_prefix("00") {
            Some(number) => {
                format!(
                    "`{text}` begins with `00`, which does not work in every country; write `+{number}`"
                )
            }
            None => format!("`{text}` has no country code; write it with one: `+34 910 000 000`"),
        });
    }
    Err(format!(
        "`{text}` is not a phone number; write it with its country code: `+34 910 000 000`"
    ))
}

fn file(text: &str) -> Result<String, String> {
    let path = text.strip_prefix("static/").unwrap_or(text);
    if !path.contains('\\') && path.split('/').all(|part| !matches!(part, "" | "." | "..")) {
        return Ok(path.to_owned());
    }
    Err(format!(
        "`{text}` is not a path below `static/`; write a path such as `downloads/prices.pdf`"
    ))
}

fn embed(text: &str, span: Span) -> Result<Embed, String> {
    let example =
        "write the URL of a frame, such as `https://www.openstreetmap.org/export/embed.html`";
    if text.contains("<iframe") {
        return Err("this is HTML; write only the URL in its `src`".to_owned());
    }
    let url = Url::parse(text).map_err(|_| format!("`{text}` is not a complete URL; {example}"))?;
    if url.scheme() != "https"
        || url.host_str().is_none()
        || !url.username().is_empty()
        || url.password().is_some()
    {
        return Err(format!(
            "`{text}` is not a URL that begins with `https://`; {example}"
        ));
    }
    Ok(Embed {
        origin: url.origin().ascii_serialization(),
        url: url.into(),
        span,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: FieldType, text: &str, expect: Result<&str, &str>) {
        let read = kind.parse(text, Span::default());
        match expect {
            Ok(machine) => assert_eq!(
                read.map(|value| value.machine()).as_deref(),
                Ok(machine),
                "{text}"
            ),
            Err(part) => {
                let message = read.expect_err(text);
                assert!(message.contains(part), "{message}");
            }
        }
    }

    #[test]
    fn only_days_of_the_calendar_in_one_notation_are_dates() {
        check(FieldType::Date, "2028-02-29", Ok("2028-02-29"));
        for text in [
            "2027-02-29",
            "2027-13-01",
            "2027-00-10",
            "2027-04-31",
            "0000-01-01",
        ] {
            check(FieldType::Date, text, Err("does not exist"));
        }
        let others = [
            "15/01/2027",
            "01/15/2027",
            "15.1.2027",
            "2027-1-5",
            "2027/01/15",
            "20270115",
            "15 January 2027",
            "Jan 15, 2027",
            "15 de enero de 2027",
            "2027-01",
            "2027",
            "2027-W02-5",
            "2027-015",
            "tomorrow",
            "heute",
            "١٥/٠١/٢٠٢٧",
            "2027年1月15日",
            "1/15/27",
            "15-01-2027",
            "2027-01-15T09:00",
            "2027-01-15 09:00",
            "2027-01-15Z",
            "+2027-01-15",
            "2027-01-15T",
            "1768435200",
            "15th January 2027",
            "2027.01.15",
            "2027-Jan-15",
            "2027-01-15+01:00",
            "",
            "0",
        ];
        assert_eq!(others.len(), 31);
        for text in others {
            check(FieldType::Date, text, Err("is not a date"));
        }
    }

    #[test]
    fn an_embed_is_an_address_of_another_site() {
        check(
            FieldType::Embed,
            "https://Map.example:443/a?b=1&c=é",
            Ok("https://map.example/a?b=1&c=%C3%A9"),
        );
        for text in [
            "/map/",
            "map.example",
            "http://map.example/",
            "javascript:alert(1)",
            "https://a:b@map.example/",
            "",
        ] {
            check(FieldType::Embed, text, Err("write the URL of a frame"));
        }
        check(
            FieldType::Embed,
            "<iframe src=\"https://map.example/\">",
            Err("write only the URL in its `src`"),
        );
    }

    #[test]
    fn a_date_with_a_time_has_no_zone() {
        check(
            FieldType::DateTime,
            "2027-01-15 18:30",
            Ok("2027-01-15T18:30:00"),
        );
        check(
            FieldType::DateTime,
            "2027-01-15T18:30Z",
            Err("has a time zone"),
        );
        check(
            FieldType::DateTime,
            "2027-02-30T18:30",
            Err("does not exist"),
        );
        check(
            FieldType::DateTime,
            "6:30 pm",
            Err("is not a date with a time"),
        );
        check(
            FieldType::DateTime,
            "2026-05-01",
            Err("`2026-05-01` has no time; write `2026-05-01T18:30`"),
        );
    }

    #[test]
    fn a_moment_is_a_day_or_a_time_with_or_without_an_offset() {
        check(FieldType::Moment, "2027-01-15", Ok("2027-01-15"));
        check(
            FieldType::Moment,
            "2027-01-15 18:30",
            Ok("2027-01-15T18:30:00"),
        );
        check(
            FieldType::Moment,
            "2027-01-15T18:30:00.5Z",
            Ok("2027-01-15T18:30:00+00:00"),
        );
        check(
            FieldType::Moment,
            "2027-01-15T18:30 -0530",
            Ok("2027-01-15T18:30:00-05:30"),
        );
        check(
            FieldType::Moment,
            "2027-02-30",
            Err("the date `2027-02-30` does not exist"),
        );
        check(FieldType::Moment, "2027/1/15", Err("write `2027-01-15`"));
        let end = |text: &str| {
            let zone: Zone = serde_json::from_value("Europe/Madrid".into()).expect("a zone");
            let moment = FieldType::Moment.parse(text, Span::default()).expect(text);
            moment.end(&zone).map(|end| end.to_string())
        };
        assert_eq!(end("2027-01-15").as_deref(), Some("2027-01-15T23:00:00Z"));
        assert_eq!(
            end("2027-01-15T18:30").as_deref(),
            Some("2027-01-15T17:30:00Z")
        );
        assert_eq!(
            end("2027-01-15T18:30Z").as_deref(),
            Some("2027-01-15T18:30:00Z")
        );
    }

    #[test]
    fn addresses_are_checked() {
        check(
            FieldType::Email,
            "ana.ruiz+web@example.co.uk",
            Ok("ana.ruiz+web@example.co.uk"),
        );
        for text in [
            "ana",
            "ana@",
            "@example.com",
            "ana@example",
            "a b@example.com",
            "a@b@example.com",
            "<a@example.com>",
        ] {
            check(FieldType::Email, text, Err("is not an email address"));
        }
        check(
            FieldType::Phone,
            "+34 (910) 000-000",
            Ok("+34 (910) 000-000"),
        );
        for text in [
            "call us",
            "12",
            "+34 910 000 000 ext. 5",
            "1234567890123456",
            "34+910000",
        ] {
            check(FieldType::Phone, text, Err("is not a phone number"));
        }
        for text in ["910000000", "12345", "(212) 555-0100"] {
            check(
                FieldType::Phone,
                text,
                Err("has no country code; write it with one: `+34 910 000 000`"),
            );
        }
        check(
            FieldType::Phone,
            "0034910000000",
            Err("write `+34910000000`"),
        );
        check(FieldType::Phone, "112", Ok("112"));
        check(FieldType::Phone, "116 117", Ok("116 117"));
        check(
            FieldType::Email,
            "mailto:ana@example.com",
            Err("write `ana@example.com`"),
        );
        for (written, expect) in [
            ("+34 (910) 000-000", "+34910000000"),
            ("+49 (0)30 1234", "+49301234"),
            ("+44 (0) 20 7946 0958", "+442079460958"),
            ("(030) 1234", "0301234"),
            ("(0)30 1234", "0301234"),
        ] {
            assert_eq!(dialed(written), expect, "{written}");
        }
        check(FieldType::File, "static/a/b.pdf", Ok("a/b.pdf"));
        for text in ["../secret", "/etc/passwd", "a//b", "a\\b"] {
            check(FieldType::File, text, Err("is not a path"));
        }
    }
}
