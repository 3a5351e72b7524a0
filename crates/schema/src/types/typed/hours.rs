//! Opening hours in the notation of OpenStreetMap: `Mo-Fr 09:00-14:00,16:00-20:00; Sa 10:00-14:00; Su off`.
//!
//! Supported are days of the week, ranges and lists of them, several times a day, times past midnight, `off`, `24/7`,
//! and `PH` for public holidays.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The codes of the days of the week, in order.
const WEEKDAYS: [&str; 7] = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];
/// The code of public holidays, which follows those of the days.
const HOLIDAY: &str = "PH";
/// The position of [`HOLIDAY`] in [`OpenRule::days`].
const HOLIDAY_AT: u8 = 7;

/// Opening hours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hours(pub Vec<OpenRule>);

/// Days with the same hours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenRule {
    /// Days of the week from 0, Monday, to 6; 7 is a public holiday. In order.
    pub days: Vec<u8>,
    /// Opening and closing times, in minutes since midnight; none on a day that is closed. A closing time that is not
    /// after the opening time is on the next day.
    pub times: Vec<(u16, u16)>,
}

impl Hours {
    /// Reads the notation. The error is a message that ends with what to write.
    pub fn parse(text: &str) -> Result<Hours, String> {
        let mut rules = Vec::new();
        let mut seen = [false; HOLIDAY_AT as usize + 1];
        for part in text
            .split(';')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let rule = rule(part).ok_or_else(|| not_hours(part))?;
            for day in &rule.days {
                if std::mem::replace(&mut seen[usize::from(*day)], true) {
                    return Err(format!(
                        "`{}` appears twice; write each day once",
                        code(*day)
                    ));
                }
            }
            rules.push(rule);
        }
        if rules.is_empty() {
            Err(not_hours(text))
        } else {
            Ok(Hours(rules))
        }
    }
}

/// Names and signs of OpenStreetMap's notation that are not supported, with what they stand for.
const OUTSIDE: &[(&[&str], &str)] = &[
    (&["\""], "comments"),
    (
        &[
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ],
        "months and dates",
    ),
    (&["easter"], "Easter"),
    (&["SH"], "school holidays"),
    (&["week"], "week numbers"),
    (
        &["sunrise", "sunset", "dawn", "dusk"],
        "sunrise or sunset times",
    ),
    (&["["], "a numbered weekday of the month"),
    (&["+"], "open ends"),
    (&["||"], "alternatives"),
    (&["day", "days"], "days relative to others"),
    (&["/"], "intervals of time"),
    (&["open", "unknown"], "states other than `off`"),
];

/// Tells whether a text has a sign, or a name between other characters than letters.
fn has(text: &str, sign: &str) -> bool {
    if sign.contains(char::is_alphabetic) {
        text.split(|c: char| !c.is_alphabetic())
            .any(|word| word == sign)
    } else {
        text.contains(sign)
    }
}

/// The problem with a part of a text: it has something that the notation has elsewhere, or isn't hours at all.
fn not_hours(part: &str) -> String {
    let example = "`Mo-Fr 09:00-19:00; Sa 10:00-14:00; Su off; PH off`";
    let starts_with_year = part.len() > 4 && part.bytes().take(4).all(|byte| byte.is_ascii_digit());
    let outside = OUTSIDE
        .iter()
        .find(|(signs, _)| signs.iter().any(|sign| has(part, sign)))
        .map(|(_, what)| *what);
    match outside.or(starts_with_year.then_some("years")) {
        Some(what) => format!(
            "`{part}` contains {what}, which this field does not support; write days of the week and times, \
                such as {example}, and put the rest in a text field"
        ),
        None => format!("`{part}` is not valid as opening hours; write {example}"),
    }
}

/// The code of a day.
fn code(day: u8) -> &'static str {
    WEEKDAYS.get(usize::from(day)).copied().unwrap_or(HOLIDAY)
}

fn day(text: &str) -> Option<u8> {
    let at = WEEKDAYS
        .iter()
        .chain([&HOLIDAY])
        .position(|code| *code == text)?;
    u8::try_from(at).ok()
}

fn rule(text: &str) -> Option<OpenRule> {
    let text = if text == "24/7" { "00:00-24:00" } else { text };
    let (days, times) = match text.split_once(char::is_whitespace) {
        Some((days, times)) => (days, times.trim()),
        // Times without days are those of every day.
        None => ("Mo-Su", text),
    };
    let mut list = Vec::new();
    for part in days.split(',') {
        match part.split_once('-') {
            None => list.push(day(part)?),
            Some((first, last)) => {
                let (first, last) = (day(first)?, day(last)?);
                if first == HOLIDAY_AT || last == HOLIDAY_AT {
                    return None;
                }
                // `Sa-Mo` passes the end of the week.
                let count = (last + 7 - first) % 7;
                list.extend((0..=count).map(|step| (first + step) % 7));
            }
        }
    }
    list.sort_unstable();
    let times = match times {
        "off" | "closed" => Vec::new(),
        times => times
            .split(',')
            .map(|range| {
                let (from, until) = range.trim().split_once('-')?;
                Some((minutes(from)?, minutes(until).or_else(|| next_day(until))?))
            })
            .collect::<Option<Vec<_>>>()?,
    };
    let is_ordered = times
        .windows(2)
        .all(|pair| pair[0].1 > pair[0].0 && pair[0].1 <= pair[1].0);
    let has_length = times
        .iter()
        .all(|(from, until)| from != until && *from < 24 * 60);
    (is_ordered && has_length).then_some(OpenRule { days: list, times })
}

fn minutes(text: &str) -> Option<u16> {
    let (hour, minute) = text.trim().split_once(':')?;
    if !is_pair(hour) || !is_pair(minute) {
        return None;
    }
    let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
    (minute < 60 && (hour < 24 || hour == 24 && minute == 0)).then_some(hour * 60 + minute)
}

/// A time on the next day, as in `22:00-26:00`.
fn next_day(text: &str) -> Option<u16> {
    let (hour, minute) = text.trim().split_once(':')?;
    let hour: u16 = hour.parse().ok().filter(|hour| (24..=47).contains(hour))?;
    minutes(&format!("{:02}:{minute}", hour - 24))
}

/// Tells whether a text is two digits.
fn is_pair(part: &str) -> bool {
    part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit())
}

impl OpenRule {
    /// The days as ranges of days that follow each other.
    pub fn ranges(&self) -> Vec<(u8, u8)> {
        let mut ranges: Vec<(u8, u8)> = Vec::new();
        for day in &self.days {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == *day && *day < HOLIDAY_AT => *last = *day,
                _ => ranges.push((*day, *day)),
            }
        }
        ranges
    }

    /// The times as text: `09:00–14:00`.
    pub fn times_with(&self, dash: &str) -> Vec<String> {
        self.times
            .iter()
            .map(|(from, until)| format!("{}{dash}{}", clock(*from), clock(*until)))
            .collect()
    }
}

/// `570` → `09:30`.
pub(super) fn clock(minutes: u16) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let rules = self.0.iter().map(|rule| {
            let days = rule.ranges().into_iter().map(|(first, last)| {
                if first == last {
                    code(first).to_owned()
                } else {
                    format!("{}-{}", code(first), code(last))
                }
            });
            let times = if rule.times.is_empty() {
                "off".to_owned()
            } else {
                rule.times_with("-").join(",")
            };
            format!("{} {times}", days.collect::<Vec<_>>().join(","))
        });
        f.write_str(&rules.collect::<Vec<_>>().join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_read_and_written_in_one_notation() {
        let read = |text: &str| Hours::parse(text).map(|hours| hours.to_string());
        for (text, expect) in [
            (
                "Mo-Fr 09:00-19:00; Sa 10:00-14:00",
                "Mo-Fr 09:00-19:00; Sa 10:00-14:00",
            ),
            (
                "Mo,We,Fr 09:00-14:00, 16:00-20:00;",
                "Mo,We,Fr 09:00-14:00,16:00-20:00",
            ),
            ("Sa-Mo 10:00-12:00", "Mo,Sa-Su 10:00-12:00"),
            ("08:00-20:00", "Mo-Su 08:00-20:00"),
            ("Fr 20:00-02:00; PH off", "Fr 20:00-02:00; PH off"),
            ("24/7", "Mo-Su 00:00-24:00"),
            ("24/7; PH off", "Mo-Su 00:00-24:00; PH off"),
            ("Fr 20:00-26:30", "Fr 20:00-02:30"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expect), "{text}");
        }
        for text in [
            "9-5",
            "Mo-Fr 9:00-17:00",
            "Mon-Fri 09:00-17:00",
            "Mo-Fr 09:00",
            "Mo 25:00-26:00",
            "Mo 09:00-09:00",
            "",
            "Mo 10:00-12:00,11:00-13:00",
            "Mo-Fr 09:00-19:00 or by appointment",
            "Mo-PH 09:00-10:00",
            "Mo 09:60-10:00",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        for (text, what) in [
            (
                "Jun-Sep Tu-Su 10:00-21:00",
                "`Jun-Sep Tu-Su 10:00-21:00` contains months and dates",
            ),
            (
                "Mo-Fr 09:00-17:00; Dec 25 off",
                "`Dec 25 off` contains months and dates",
            ),
            ("Mo-Fr 09:00-17:00 \"by appointment\"", "contains comments"),
            ("easter off", "contains Easter"),
            ("SH Mo 09:00-12:00", "contains school holidays"),
            ("Mo sunrise-sunset", "contains sunrise or sunset times"),
            (
                "Sa[1] 10:00-12:00",
                "contains a numbered weekday of the month",
            ),
            ("Fr 18:00+", "contains open ends"),
            ("2027 Mo 10:00-12:00", "contains years"),
            ("PH -1 day off", "contains days relative to others"),
            ("Mo 09:00-17:00/00:30", "contains intervals of time"),
            (
                "Mon 09:00-12:00",
                "is not valid as opening hours; write `Mo-Fr",
            ),
        ] {
            let message = read(text).expect_err(text);
            assert!(message.contains(what), "{message}");
        }
        assert!(
            read("Mo-Fr 09:00-10:00; Fr 11:00-12:00")
                .expect_err("Friday twice")
                .contains("`Fr` appears twice")
        );
    }
}
