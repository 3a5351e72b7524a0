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
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Millis::try_from(since.as_millis()).unwrap_or(Millis::MAX)
}

/// Formats a time as `2026-03-14T09:30:05.120Z`. A time outside the years -9999 to 9999 becomes the nearest one inside.
pub fn iso(at: Millis) -> String {
    let limit = if at < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    };
    format!("{:.3}", Timestamp::from_millisecond(at).unwrap_or(limit))
}

/// Formats a time on the clocks of a time zone, such as `Europe/Madrid`; in UTC for any other name.
pub fn local(at: Millis, zone: &str, format: &str) -> String {
    let limit = if at < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    };
    Timestamp::from_millisecond(at)
        .unwrap_or(limit)
        .to_zoned(zone_of(zone))
        .strftime(format)
        .to_string()
}

/// The first moment of a day in a time zone, and that of the next day. The day is written as `2027-01-31`; `None` for any other
/// text.
pub fn day(text: &str, zone: &str) -> Option<(Millis, Millis)> {
    let day: Date = text
        .parse()
        .ok()
        .filter(|day: &Date| day.to_string() == text)?;
    let begins = |day: Date| {
        Some(
            day.to_zoned(zone_of(zone))
                .ok()?
                .timestamp()
                .as_millisecond(),
        )
    };
    Some((begins(day)?, begins(day.tomorrow().ok()?)?))
}

fn zone_of(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap_or(TimeZone::UTC)
}

#[cfg(test)]
mod tests {
    use super::{day, iso, local};

    #[test]
    fn a_day_begins_at_midnight() {
        assert_eq!(
            day("2000-02-29", "UTC"),
            Some((951_782_400_000, 951_868_800_000))
        );
        // A day of 23 hours.
        assert_eq!(
            day("2027-03-28", "Europe/Madrid"),
            Some((1_806_188_400_000, 1_806_271_200_000))
        );
        for text in [
            "",
            "2001-02-29",
            "20000229",
            "2000-02-29T10:00",
            "29.2.2000",
        ] {
            assert_eq!(day(text, "UTC"), None, "{text}");
        }
    }

    #[test]
    fn a_time_is_shown_on_the_clocks_of_a_zone() {
        for (zone, expect) in [
            ("Asia/Kolkata", "2025-03-14 15:00 IST"),
            ("America/Bogota", "2025-03-14 04:30 -05"),
            ("Nowhere", "2025-03-14 09:30 UTC"),
        ] {
            assert_eq!(local(1_741_944_605_120, zone, "%Y-%m-%d %H:%M %Z"), expect);
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
