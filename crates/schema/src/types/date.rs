//! Points in time: local date and time ([`DateTime`]), and UTC timestamps ([`Moment`]).

use jiff::civil::Time;
use jiff::fmt::rfc2822;
use jiff::tz::Offset;
use jiff::{Timestamp, civil};
use serde::{Deserialize, Serialize};

use super::{Date, When};
use diagnostics::marks::without;

/// A local date and time without a time zone, as written: `2025-03-14T09:30`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DateTime {
    /// The date.
    pub day: Date,
    /// The time, in whole seconds; midnight if only the date was written.
    time: Time,
}

impl DateTime {
    /// Parses `2025-03-14`, `2025-03-14T09:30` and `2025-03-14T09:30:15`; a space may replace the `T`.
    ///
    /// ```
    /// use schema::types::DateTime;
    /// let read = |text| DateTime::parse(text).map(|date| date.to_string());
    /// assert_eq!(read("2025-03-14").as_deref(), Some("2025-03-14T00:00:00"));
    /// assert_eq!(read("2025-03-14 09:30").as_deref(), Some("2025-03-14T09:30:00"));
    /// assert_eq!(read("2025-03-14T24:00"), None);
    /// assert_eq!(read("2025-03-14T09:30Z"), None);
    /// ```
    pub fn parse(text: &str) -> Option<DateTime> {
        let day = Date::parse(text.get(..10)?)?;
        let rest = &text[10..];
        if rest.is_empty() {
            return Some(DateTime {
                day,
                time: Time::midnight(),
            });
        }
        let clock = rest.strip_prefix(['T', ' '])?;
        Some(DateTime {
            day,
            time: clock_time(clock)?,
        })
    }

    /// Parses a date, and ignores a time zone or a fraction of a second at its end.
    pub fn parse_local(text: &str) -> Option<DateTime> {
        let text = text.trim();
        let end = text
            .char_indices()
            .skip(11)
            .find(|(_, c)| matches!(c, 'Z' | '+' | '-' | '.'))
            .map(|(at, _)| at);
        DateTime::parse(text.get(..end.unwrap_or(text.len()))?.trim_end())
    }

    /// Whether the time is midnight, as it is if only the date was written.
    pub fn is_midnight(self) -> bool {
        self.time == Time::midnight()
    }

    /// The time of day: `09:30`.
    pub fn clock(self) -> String {
        format!("{:02}:{:02}", self.time.hour(), self.time.minute())
    }

    /// Formats it for RSS, as UTC: `Fri, 14 Mar 2025 09:30:00 GMT`.
    ///
    /// ```
    /// use schema::types::DateTime;
    /// let read = |text| DateTime::parse(text).map(DateTime::rfc822);
    /// assert_eq!(read("2025-03-14T09:30").as_deref(), Some("Fri, 14 Mar 2025 09:30:00 GMT"));
    /// assert_eq!(read("1969-12-31").as_deref(), Some("Wed, 31 Dec 1969 00:00:00 GMT"));
    /// ```
    pub fn rfc822(self) -> String {
        // Only years before 0, which no date has, cannot be formatted.
        rfc2822::DateTimePrinter::new()
            .timestamp_to_rfc9110_string(&self.timestamp())
            .unwrap_or_default()
    }

    /// The date and time in UTC. A few hours at the end of the year 9999 become the last timestamp that there is.
    fn timestamp(self) -> Timestamp {
        Offset::UTC
            .to_timestamp(self.civil())
            .unwrap_or(Timestamp::MAX)
    }

    /// The time that clocks in UTC show at a moment.
    pub fn of(moment: Moment) -> DateTime {
        let shown = Offset::UTC.to_datetime(moment.timestamp());
        DateTime {
            day: Date(shown.date()),
            time: shown.time(),
        }
    }

    /// The first minute of the next day; of the last day that there is, its own.
    #[must_use]
    pub fn next_day(self) -> DateTime {
        DateTime::from(Date(self.day.0.tomorrow().unwrap_or(self.day.0)))
    }

    /// The moment at which clocks in UTC show it.
    pub fn in_utc(self) -> Moment {
        Moment(self.timestamp().as_second())
    }

    /// Without seconds: `2025-03-14T09:30`.
    pub fn minute(self) -> String {
        format!("{}T{}", self.day, self.clock())
    }

    pub(super) fn civil(self) -> civil::DateTime {
        civil::DateTime::from_parts(self.day.0, self.time)
    }
}

impl From<Date> for DateTime {
    fn from(day: Date) -> DateTime {
        DateTime {
            day,
            time: Time::midnight(),
        }
    }
}

impl std::fmt::Display for DateTime {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}T{}", self.day, self.time)
    }
}

impl Serialize for DateTime {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DateTime {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<DateTime, D::Error> {
        let text = without(&String::deserialize(deserializer)?);
        // Dates are shown as they are written: an offset, which other programs write, changes nothing.
        DateTime::parse(&text)
            .or_else(|| DateTime::parse_local(&text).filter(|_| Moment::parse(&text).is_some()))
            .ok_or_else(|| {
                let example = "`2025-03-31`, or `2025-03-31T09:30` with the time of day";
                let wanted =
                    meant(&text).map_or_else(|| example.to_owned(), |date| format!("`{date}`"));
                serde::de::Error::custom(format!("`{text}` is not a date: write {wanted}"))
            })
    }
}

/// The date that a text with other signs means, as it is written here: `2014-3-3`, `2022年02月03日`, `2025/03/31 9:30`.
pub(super) fn meant(text: &str) -> Option<String> {
    let numbers: Vec<&str> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .collect();
    let number = |at: usize| {
        numbers
            .get(at)
            .and_then(|part: &&str| part.parse::<u32>().ok())
    };
    // The year is first where the order of the others is known.
    if !text.starts_with(|c: char| c.is_ascii_digit()) || numbers[0].len() != 4 {
        return None;
    }
    let day = format!("{}-{:02}-{:02}", numbers[0], number(1)?, number(2)?);
    let date = match (number(3), number(4)) {
        (Some(hour), Some(minute)) => format!("{day}T{hour:02}:{minute:02}"),
        _ => day,
    };
    DateTime::parse(&date).map(|_| date)
}

/// Seconds since 1970-01-01 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub i64);

impl Moment {
    /// Parses a date with `Z` or an offset (`2025-03-14T09:30-05:00`); without either it is UTC.
    ///
    /// ```
    /// use schema::types::Moment;
    /// assert_eq!(Moment::parse("2025-03-14T09:30-05:00"), Moment::parse("2025-03-14T14:30"));
    /// assert_eq!(Moment::parse("2025-03-14 09:30:00 -0500"), Moment::parse("2025-03-14T14:30"));
    /// assert_eq!(Moment::parse("1970-01-02"), Some(Moment(86_400)));
    /// assert_eq!(Moment::parse("2000-02-29T12:00Z").map(|m| m.to_string()).as_deref(), Some("2000-02-29T12:00:00Z"));
    /// assert_eq!(Moment::parse("2025-03-14-05:00"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Moment> {
        When::parse(text).map(When::in_utc)
    }

    pub(super) fn timestamp(self) -> Timestamp {
        let limit = if self.0 < 0 {
            Timestamp::MIN
        } else {
            Timestamp::MAX
        };
        Timestamp::from_second(self.0).unwrap_or(limit)
    }

    /// Its date in UTC, such as `2025-03-14`.
    pub fn date(self) -> String {
        self.to_string()
            .split('T')
            .next()
            .unwrap_or_default()
            .to_owned()
    }
}

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{:.0}", self.timestamp())
    }
}

/// Formats a duration in seconds, in the largest unit of which it has at least two.
///
/// ```
/// use schema::types::duration_words;
/// assert_eq!(duration_words(60), "1 minute");
/// assert_eq!(duration_words(86_400), "24 hours");
/// assert_eq!(duration_words(3 * 86_400 + 5), "3 days");
/// ```
pub fn duration_words(seconds: i64) -> String {
    let minutes = seconds.max(0) / 60;
    let (number, unit) = match minutes {
        0..=119 => (minutes, "minute"),
        120..=2879 => (minutes / 60, "hour"),
        _ => (minutes / 1440, "day"),
    };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

impl Serialize for Moment {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Moment, D::Error> {
        let text = without(&String::deserialize(deserializer)?);
        Moment::parse(&text).ok_or_else(|| {
            serde::de::Error::custom(format!(
                "`{text}` is not a point in time: write `2025-03-31T09:30-05:00`, or `2025-03-31` in UTC"
            ))
        })
    }
}

/// Parses `09:30` or `09:30:15`.
pub(super) fn clock_time(text: &str) -> Option<Time> {
    let mut parts = [0_i8; 3];
    let written: Vec<&str> = text.split(':').collect();
    if !(2..=3).contains(&written.len()) {
        return None;
    }
    for (part, written) in parts.iter_mut().zip(&written) {
        let is_pair = written.len() == 2 && written.bytes().all(|byte| byte.is_ascii_digit());
        *part = is_pair.then(|| written.parse().ok())??;
    }
    let [hour, minute, second] = parts;
    Time::new(hour, minute, second, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_in_other_signs_is_understood() {
        for (text, meaning) in [
            ("2014-3-3", Some("2014-03-03")),
            ("2022年02月03日22:14:57", Some("2022-02-03T22:14")),
            ("2025/03/31 9:30", Some("2025-03-31T09:30")),
            ("3/4/2025", None),
            ("2025-13-01", None),
            ("tomorrow", None),
            ("2025", None),
        ] {
            assert_eq!(meant(text).as_deref(), meaning, "{text}");
        }
    }

    #[test]
    fn a_local_date_ignores_its_time_zone() {
        let read = |text: &str| DateTime::parse_local(text).map(|date| date.to_string());
        assert_eq!(
            read("2025-03-14T09:30:15.250Z").as_deref(),
            Some("2025-03-14T09:30:15")
        );
        assert_eq!(
            read("2025-03-14T09:30:15+02:00").as_deref(),
            Some("2025-03-14T09:30:15")
        );
        assert_eq!(read("March 3rd"), None);
        assert_eq!(read("2025-03-14ñ"), None);
    }
}
