//! Lengths of time, in whole minutes.

use serde::{Deserialize, Serialize};

/// A length of time in minutes, at most ten years.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Minutes(pub u32);

const HOUR: u32 = 60;
const DAY: u32 = 24 * HOUR;
/// Ten years.
const MAX: u32 = 3660 * DAY;

impl Minutes {
    /// Reads `45 min`, `1 h 30 min`, `2 d` or ISO 8601 (`PT1H30M`). The error is a message that ends with what to write.
    pub fn parse(text: &str) -> Result<Minutes, String> {
        let total = iso(text)
            .or_else(|| words(text))
            .filter(|minutes| *minutes <= MAX);
        total.map(Minutes).ok_or_else(|| {
            format!("`{text}` is not a duration; write `45 min`, `1 h 30 min` or `2 d`")
        })
    }

    /// Days, hours and minutes.
    pub fn counts(self) -> [u32; 3] {
        [self.0 / DAY, self.0 % DAY / HOUR, self.0 % HOUR]
    }

    /// ISO 8601: `PT1H30M`.
    pub fn iso(self) -> String {
        let [days, hours, minutes] = self.counts();
        match (
            part(days, 'D').as_str(),
            part(hours, 'H').as_str(),
            part(minutes, 'M').as_str(),
        ) {
            ("", "", "") => "PT0M".to_owned(),
            (day, "", "") => format!("P{day}"),
            (day, hour, minute) => format!("P{day}T{hour}{minute}"),
        }
    }
}

/// A count with its unit; empty for none.
fn part(count: u32, unit: char) -> String {
    if count == 0 {
        String::new()
    } else {
        format!("{count}{unit}")
    }
}

/// Sums numbers with units, each unit at most once and the largest first.
fn sum(text: &str, unit: impl Fn(&str) -> Option<u32>) -> Option<u32> {
    let (mut rest, mut total, mut last) = (text.trim(), 0_u32, u32::MAX);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, after) = rest.split_at(digits);
        let after = after.trim_start();
        let end = after
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(after.len());
        let size = unit(&after[..end]).filter(|size| *size < last)?;
        total = total.checked_add(number.parse::<u32>().ok()?.checked_mul(size)?)?;
        last = size;
        rest = after[end..].trim_start();
    }
    (last != u32::MAX).then_some(total)
}

fn words(text: &str) -> Option<u32> {
    sum(text, |unit| match unit {
        "d" => Some(DAY),
        "h" => Some(HOUR),
        "min" => Some(1),
        _ => None,
    })
}

fn iso(text: &str) -> Option<u32> {
    let text = text.strip_prefix('P')?;
    let (days, time) = text
        .split_once('T')
        .map_or((text, None), |(days, time)| (days, Some(time)));
    let days = match days {
        "" => 0,
        days => sum_one(days, |unit| (unit == 'D').then_some(DAY))?,
    };
    let time = match time {
        None if days == 0 && text != "0D" => return None,
        None => 0,
        Some(time) => sum_one(time, |unit| match unit {
            'H' => Some(HOUR),
            'M' => Some(1),
            _ => None,
        })?,
    };
    days.checked_add(time)
}

/// The same for units of one letter without spaces.
fn sum_one(text: &str, unit: impl Fn(char) -> Option<u32>) -> Option<u32> {
    if text.contains(char::is_whitespace) {
        return None;
    }
    sum(text, |name| {
        let mut letters = name.chars();
        unit(letters.next()?).filter(|_| letters.next().is_none())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        let read = |text: &str| Minutes::parse(text).map(Minutes::iso);
        for (text, expect) in [
            ("45 min", "PT45M"),
            ("1 h 30 min", "PT1H30M"),
            ("90min", "PT1H30M"),
            ("2 d", "P2D"),
            ("PT1H30M", "PT1H30M"),
            ("P1DT2H", "P1DT2H"),
            ("0 min", "PT0M"),
            ("36 h", "P1DT12H"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expect), "{text}");
        }
        for text in [
            "45",
            "min",
            "1,5 h",
            "an hour",
            "1:30",
            "30 min 1 h",
            "1 h 1 h",
            "P",
            "PT",
            "P1H",
            "99999999 d",
            "",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
