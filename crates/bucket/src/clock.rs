//! The API's clock: milliseconds since the Unix epoch, and their ISO 8601 format.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Milliseconds since the Unix epoch.
pub type Millis = i64;

/// A day in milliseconds.
pub const DAY: Millis = 24 * 60 * 60 * 1000;

/// The current time.
#[expect(clippy::disallowed_methods, reason = "the clock of the API")]
pub fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis::try_from(since.as_millis()).unwrap_or(Millis::MAX)
}

/// Formats a time as `2026-03-14T09:30:05.120Z`. A time outside the years -9999 to 9999 becomes the nearest one inside.
pub fn iso(at: Millis) -> String {
    let limit = if at < 0 { Timestamp::MIN } else { Timestamp::MAX };
    format!("{:.3}", Timestamp::from_millisecond(at).unwrap_or(limit))
}

/// The first moment of a day in UTC, written as `2027-01-31`. `None` for any other text.
pub fn day(text: &str) -> Option<Millis> {
    let day: Date = text.parse().ok().filter(|day: &Date| day.to_string() == text)?;
    Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::{day, iso};

    #[test]
    fn a_day_begins_at_midnight() {
        assert_eq!(day("2000-02-29"), Some(951_782_400_000));
        for text in ["", "2001-02-29", "20000229", "2000-02-29T10:00", "29.2.2000"] {
            assert_eq!(day(text), None, "{text}");
        }
    }

    #[test]
    fn times_are_formatted_as_iso_8601() {
        for (at, expect) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_741_944_605_120, "2025-03-14T09:30:05.120Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(iso(at), expect);
        }
    }
}
