//! When content is public: points in time as authors write them ([`When`]), the time zone in which they are read
//! ([`Zone`]), and the two that begin and end something ([`Dates`]).

use std::borrow::Cow;
use std::cmp::Ordering;

use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::{Date, DateTime, Moment};
use diagnostics::marks::without;
use diagnostics::problem::{Code, Problem, Problems, Source, Span, nearest};
use diagnostics::yaml::Spanned;

/// A time zone by its name, such as `Europe/Madrid`; UTC by default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

impl Default for Zone {
    fn default() -> Zone {
        Zone(TimeZone::UTC)
    }
}

impl Zone {
    /// The name, as the time zone database has it.
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    /// A moment on the clocks of the zone: `2027-01-15`, or `2027-01-15T09:30` unless it is midnight.
    pub fn show(&self, moment: Moment) -> String {
        let text = self
            .0
            .to_datetime(moment.timestamp())
            .strftime("%Y-%m-%dT%H:%M")
            .to_string();
        text.strip_suffix("T00:00")
            .map_or_else(|| text.clone(), str::to_owned)
    }

    /// A local time with the offset of the zone, for programs (RFC 3339): `2025-07-01T09:30:00+02:00`, and with `Z` in UTC.
    /// A time that the clocks skip or repeat is the one by the offset before.
    pub fn stamp(&self, local: DateTime) -> String {
        let zoned = self.0.to_ambiguous_zoned(local.civil()).compatible();
        // A few hours at the end of the year 9999.
        let text = zoned.map_or_else(
            |_| format!("{local}+00:00"),
            |at| at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        );
        text.strip_suffix("+00:00")
            .filter(|_| *self == Zone::default())
            .map_or(text.clone(), |text| format!("{text}Z"))
    }

    /// A moment with the offset of the zone, for programs (RFC 3339), as [`Zone::stamp`].
    pub fn stamp_of(&self, moment: Moment) -> String {
        let shown = moment
            .timestamp()
            .to_zoned(self.0.clone())
            .strftime("%Y-%m-%dT%H:%M:%S%:z")
            .to_string();
        match shown.strip_suffix("+00:00") {
            Some(utc) if *self == Zone::default() => format!("{utc}Z"),
            _ => shown,
        }
    }

    /// The day of a moment in the zone: `2027-01-15`.
    pub fn day(&self, moment: Moment) -> String {
        self.0.to_datetime(moment.timestamp()).date().to_string()
    }

    /// A local time on the clocks of UTC.
    pub fn in_utc(&self, local: DateTime) -> DateTime {
        if *self == Zone::default() {
            local
        } else {
            DateTime::of(self.moment(local))
        }
    }

    /// The first moment of a day, or a local time. A time that the clocks skip or repeat is the one by the offset before.
    pub fn moment(&self, local: DateTime) -> Moment {
        let moment = self.0.to_ambiguous_timestamp(local.civil()).compatible();
        // A few hours at the end of the year 9999.
        moment.map_or_else(|_| local.in_utc(), |moment| Moment(moment.as_second()))
    }
}

impl Serialize for Zone {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Zone {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Zone, D::Error> {
        let name = String::deserialize(deserializer)?;
        TimeZone::get(&name).map(Zone).map_err(|_| {
            let names: Vec<String> = jiff::tz::db()
                .available()
                .map(|name| name.to_string())
                .collect();
            let near = nearest(&name, names.iter().map(String::as_str)).unwrap_or("Europe/Madrid");
            serde::de::Error::custom(format!(
                "there is no time zone `{name}`: write a name such as `{near}`"
            ))
        })
    }
}

impl JsonSchema for Zone {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Zone".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// A day or a time as written: with `Z` or an offset it is one moment, without either it is local.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct When {
    local: DateTime,
    /// In seconds east of Greenwich.
    offset: Option<i64>,
    /// Only the day was written.
    is_day: bool,
}

impl When {
    /// Parses `2025-03-14`, `2025-03-14T09:30` and `2025-03-14T09:30-05:00`.
    pub fn parse(text: &str) -> Option<When> {
        let at = text
            .char_indices()
            .skip(11)
            .find(|(_, c)| matches!(c, 'Z' | '+' | '-'))
            .map(|(at, _)| at);
        let (local, zone) = text.split_at(at.unwrap_or(text.len()));
        let offset = match zone {
            "" => None,
            "Z" => Some(0),
            zone => {
                // `+07:00`, as RFC 3339 has it, `+0700` and `+07`.
                let digits = zone[1..].replacen(':', "", 1);
                let is_offset = matches!(digits.len(), 2 | 4)
                    && digits.bytes().all(|byte| byte.is_ascii_digit());
                let (hours, minutes) = digits.split_at_checked(2).filter(|_| is_offset)?;
                let minutes = if minutes.is_empty() { "00" } else { minutes };
                let time = super::date::clock_time(&format!("{hours}:{minutes}"))?;
                let seconds = i64::from(time.hour()) * 3600 + i64::from(time.minute()) * 60;
                Some(if zone.starts_with('-') {
                    -seconds
                } else {
                    seconds
                })
            }
        };
        let local = local.trim_end().split('.').next()?;
        Some(When {
            local: DateTime::parse(local)?,
            offset,
            is_day: local.len() == 10,
        })
    }

    /// Reads a text. The error is a message that ends with what to write.
    pub fn read(text: &str) -> Result<When, String> {
        When::parse(text).ok_or_else(|| {
            let day = text
                .get(..10)
                .filter(|day| Date::is_written(day) && Date::parse(day).is_none());
            if let Some(day) = day {
                return format!(
                    "the date `{day}` does not exist; write a date such as `2025-03-31`"
                );
            }
            let wanted = super::date::meant(text);
            let wanted = wanted.map_or_else(
                || "`2025-03-31`, or `2025-03-31T09:30` with the time of day".to_owned(),
                |date| format!("`{date}`"),
            );
            format!("`{text}` is not a date: write {wanted}")
        })
    }

    /// A local time; a day if it is midnight.
    pub fn of(local: DateTime) -> When {
        When {
            local,
            offset: None,
            is_day: local.is_midnight(),
        }
    }

    /// A moment on the clocks of a time zone.
    pub fn at(moment: Moment, zone: &Zone) -> When {
        let shown = DateTime::parse(&zone.show(moment));
        // `show` writes years that `parse` reads, but for those before 0.
        shown.map_or_else(
            || When {
                offset: Some(0),
                ..When::of(DateTime::of(moment))
            },
            When::of,
        )
    }

    /// The date and time as written, whatever its offset.
    pub fn local(self) -> DateTime {
        self.local
    }

    /// Whether an offset is written.
    pub fn has_offset(self) -> bool {
        self.offset.is_some()
    }

    /// Whether it is a day without a time.
    pub fn is_day(self) -> bool {
        self.is_day
    }

    /// A time for programs (RFC 3339): with its own offset, else with that of the zone.
    pub fn stamp(self, zone: &Zone) -> String {
        match self.offset {
            // Written as `Z`.
            Some(0) if *zone == Zone::default() => zone.stamp(self.local),
            Some(_) => self.to_string(),
            None => zone.stamp(self.local),
        }
    }

    /// Its first moment in a time zone. A time that the clocks skip or repeat is the one by the offset before.
    pub fn beginning(self, zone: &Zone) -> Moment {
        if self.offset.is_some() {
            self.in_utc()
        } else {
            zone.moment(self.local)
        }
    }

    /// The moment at which it has passed: the next day, or the time itself.
    pub fn end(self, zone: &Zone) -> Moment {
        if self.is_day {
            zone.moment(self.local.next_day())
        } else {
            self.beginning(zone)
        }
    }

    /// The order of two times. `None` if only one of them has an offset and they are less than a day apart, so that it
    /// depends on the time zone.
    pub fn compare(self, other: When) -> Option<Ordering> {
        let (own, other_at) = (self.in_utc(), other.in_utc());
        let is_certain =
            self.has_offset() == other.has_offset() || own.0.abs_diff(other_at.0) >= 24 * 3600;
        is_certain.then(|| own.cmp(&other_at))
    }

    /// The moment, if a time without an offset is local in UTC.
    pub fn in_utc(self) -> Moment {
        Moment(self.local.in_utc().0 - self.offset.unwrap_or(0))
    }

    /// The moment in a time zone. The error is a message and a hint: at this time the clocks of the zone are changed.
    pub fn moment(self, zone: &Zone) -> Result<Moment, (String, String)> {
        if self.offset.is_some() {
            return Ok(self.in_utc());
        }
        let (local, name) = (self.local, zone.name());
        let written =
            |offset: Offset| format!("{}T{}{}", local.day, local.clock(), offset_text(offset));
        match zone.0.to_ambiguous_timestamp(local.civil()).offset() {
            // A day begins whenever its first minute is.
            _ if self.is_day => Ok(zone.moment(local)),
            AmbiguousOffset::Unambiguous { .. } => Ok(zone.moment(local)),
            AmbiguousOffset::Gap { .. } => {
                let message = format!(
                    "`{}` is skipped in {name}: the clocks go forward",
                    local.minute()
                );
                Err((
                    message,
                    format!("write `{}`", zone.show(zone.moment(local))),
                ))
            }
            AmbiguousOffset::Fold { before, after } => {
                let message = format!(
                    "`{}` occurs twice in {name}: the clocks go back",
                    local.minute()
                );
                Err((
                    message,
                    format!(
                        "write `{}` for the first, or `{}` for the second",
                        written(before),
                        written(after)
                    ),
                ))
            }
        }
    }
}

/// An offset as it is written: `+01:00`.
fn offset_text(offset: Offset) -> String {
    let minutes = offset.seconds().abs() / 60;
    format!(
        "{}{:02}:{:02}",
        if offset.is_negative() { '-' } else { '+' },
        minutes / 60,
        minutes % 60
    )
}

impl std::fmt::Display for When {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        if self.is_day {
            return self.local.day.fmt(f);
        }
        self.local.fmt(f)?;
        let offset = self
            .offset
            .and_then(|seconds| Offset::from_seconds(i32::try_from(seconds).ok()?).ok());
        offset.map_or(Ok(()), |offset| f.write_str(&offset_text(offset)))
    }
}

impl Serialize for When {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for When {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<When, D::Error> {
        let text = without(&String::deserialize(deserializer)?);
        When::read(&text).map_err(serde::de::Error::custom)
    }
}

/// When something begins and ends to be public; always without a date.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dates {
    /// The first moment.
    pub from: Option<Moment>,
    /// The moment from which on it is gone.
    pub until: Option<Moment>,
}

/// Why something is not public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// It will be from this moment on.
    Scheduled(Moment),
    /// It was until this moment.
    Expired(Moment),
}

/// Something with dates, and where these are written: the path of the file, for some with the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheduled {
    /// The dates.
    pub dates: Dates,
    /// The place.
    pub place: String,
}

impl Scheduled {
    /// Something in a part of a file.
    pub fn at(dates: Dates, source: &Source, span: Span) -> Scheduled {
        let place = source.place(span);
        let line = place
            .range
            .map(|range| format!(":{}", range.start.line))
            .unwrap_or_default();
        Scheduled {
            dates,
            place: place.path + &line,
        }
    }
}

impl Dates {
    /// Reads `publish_at` and `expires_at`. A wrong date is left out, and reported.
    pub fn read(
        from: Option<&Spanned<When>>,
        until: Option<&Spanned<When>>,
        zone: &Zone,
        source: &Source,
        problems: &mut Problems,
    ) -> Dates {
        let mut moment = |when: &Spanned<When>| match when.value.moment(zone) {
            Ok(moment) => Some(moment),
            Err((message, hint)) => {
                let problem =
                    Problem::error(Code::InvalidValue, message).at(source.place(when.span));
                problems.push(problem.hint(hint));
                None
            }
        };
        let dates = Dates {
            from: from.and_then(&mut moment),
            until: until.and_then(&mut moment),
        };
        if let (Some(when), true) = (until, dates.is_reversed()) {
            problems
                .push(Dates::reversed("`expires_at`", "`publish_at`").at(source.place(when.span)));
        }
        dates
    }

    /// Whether it ends before it begins.
    pub fn is_reversed(self) -> bool {
        self.from
            .zip(self.until)
            .is_some_and(|(from, until)| until <= from)
    }

    /// The problem with an end before the beginning.
    pub fn reversed(until: &str, from: &str) -> Problem {
        let message = format!("{until} is not later than {from}, so this would never be public");
        Problem::error(Code::InvalidValue, message).hint("change one of the two dates")
    }

    /// Whether there is neither.
    pub fn is_empty(self) -> bool {
        self == Dates::default()
    }

    /// Why it is not public now; `None` if it is.
    pub fn absence(self, now: Moment) -> Option<Absence> {
        let scheduled = self.from.filter(|from| *from > now).map(Absence::Scheduled);
        scheduled.or_else(|| {
            self.until
                .filter(|until| *until <= now)
                .map(Absence::Expired)
        })
    }
}

impl Absence {
    /// The end of a sentence about it: `is not public before 2027-01-15`.
    pub fn reason(self, zone: &Zone) -> String {
        match self {
            Absence::Scheduled(from) => format!("is not public before {}", zone.show(from)),
            // The last day on which it was there, if it ended with a day.
            Absence::Expired(until) => {
                let shown = zone.show(until);
                let day = || zone.show(Moment(until.0 - 1)).chars().take(10).collect();
                format!(
                    "was public until {}",
                    if shown.contains('T') { shown } else { day() }
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> Zone {
        serde_json::from_value(name.into()).expect(name)
    }

    fn moment(text: &str, name: &str) -> Result<String, (String, String)> {
        When::parse(text)
            .expect(text)
            .moment(&zone(name))
            .map(|moment| moment.to_string())
    }

    #[test]
    fn a_time_without_an_offset_is_local() {
        let utc = |text: &str| Ok(text.to_owned());
        assert_eq!(
            moment("2027-01-15T09:00", "Europe/Madrid"),
            utc("2027-01-15T08:00:00Z")
        );
        assert_eq!(
            moment("2027-07-15T09:00", "Europe/Madrid"),
            utc("2027-07-15T07:00:00Z")
        );
        assert_eq!(
            moment("2027-07-15", "America/New_York"),
            utc("2027-07-15T04:00:00Z")
        );
        assert_eq!(
            moment("2027-07-15T09:00Z", "America/New_York"),
            utc("2027-07-15T09:00:00Z")
        );
        assert_eq!(
            moment("2027-07-15T09:00", "UTC"),
            utc("2027-07-15T09:00:00Z")
        );
    }

    #[test]
    fn an_hour_that_the_clocks_skip_or_repeat_is_refused() {
        let (message, hint) = moment("2027-03-28T02:30", "Europe/Madrid").expect_err("a gap");
        assert_eq!(
            message,
            "`2027-03-28T02:30` is skipped in Europe/Madrid: the clocks go forward"
        );
        assert_eq!(hint, "write `2027-03-28T03:30`");
        let (message, hint) = moment("2027-10-31T02:30", "Europe/Madrid").expect_err("twice");
        assert_eq!(
            message,
            "`2027-10-31T02:30` occurs twice in Europe/Madrid: the clocks go back"
        );
        assert_eq!(
            hint,
            "write `2027-10-31T02:30+02:00` for the first, or `2027-10-31T02:30+01:00` for the second"
        );
        assert!(moment("2027-10-31T02:30+01:00", "Europe/Madrid").is_ok());
        // Midnight itself is skipped there: the day begins an hour later.
        assert_eq!(
            moment("2024-09-08", "America/Santiago").as_deref(),
            Ok("2024-09-08T04:00:00Z")
        );
    }

    #[test]
    fn a_moment_is_shown_on_the_clocks_of_the_zone() {
        let at = Moment::parse("2027-01-14T23:00Z").expect("a moment");
        assert_eq!(zone("Europe/Madrid").show(at), "2027-01-15");
        assert_eq!(Zone::default().show(at), "2027-01-14T23:00");
    }

    #[test]
    fn a_zone_that_is_not_there_is_named() {
        let error = serde_json::from_value::<Zone>("Europe/Madird".into())
            .expect_err("a typo")
            .to_string();
        assert_eq!(
            error,
            "there is no time zone `Europe/Madird`: write a name such as `Europe/Madrid`"
        );
    }

    #[test]
    fn a_stamp_has_the_offset_of_its_day() {
        let stamp = |text: &str, zone: &str| {
            let zone = Zone(TimeZone::get(zone).expect("a zone"));
            zone.stamp(DateTime::parse(text).expect("a date"))
        };
        assert_eq!(
            stamp("2025-07-01T09:30", "Europe/Madrid"),
            "2025-07-01T09:30:00+02:00"
        );
        assert_eq!(
            stamp("2025-01-01T09:30:05", "Europe/Madrid"),
            "2025-01-01T09:30:05+01:00"
        );
        assert_eq!(
            stamp("2025-01-01T09:30", "Asia/Kolkata"),
            "2025-01-01T09:30:00+05:30"
        );
        assert_eq!(stamp("2025-01-01T09:30", "UTC"), "2025-01-01T09:30:00Z");
        // The clocks skip this hour.
        assert_eq!(
            stamp("2025-03-30T02:30", "Europe/Madrid"),
            "2025-03-30T03:30:00+02:00"
        );
        let late = Moment::parse("2027-01-15T23:30Z").expect("a moment");
        assert_eq!(
            Zone(TimeZone::get("Europe/Madrid").expect("a zone")).day(late),
            "2027-01-16"
        );
    }
}
