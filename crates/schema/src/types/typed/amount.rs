//! Decimals, which keep their digits, and amounts of money.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::currency;

/// The maximum number of digits of a decimal.
const MAX_DIGITS: usize = 30;

/// A decimal number with the digits that were written: `4.50` stays `4.50`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Decimal(String);

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    /// The number.
    pub value: Decimal,
    /// The code of the currency in ISO 4217, such as `EUR`.
    pub currency: String,
}

impl Decimal {
    /// Reads `-12.50`. The error is a message that ends with what to write.
    pub fn parse(text: &str) -> Result<Decimal, String> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        if are_digits(whole) && are_digits(fraction) && digits.len() <= MAX_DIGITS {
            let whole = whole.trim_start_matches('0');
            let whole = if whole.is_empty() { "0" } else { whole };
            let sign = if text.starts_with('-') { "-" } else { "" };
            let fraction = digits
                .split_once('.')
                .map(|(_, fraction)| format!(".{fraction}"))
                .unwrap_or_default();
            return Ok(Decimal(format!("{sign}{whole}{fraction}")));
        }
        let hint = if text.contains(',') {
            "use a decimal point"
        } else {
            "write digits"
        };
        Err(format!("`{text}` is not a number; {hint}: `1250.50`"))
    }

    /// Whether it is below zero, its whole digits and its fraction.
    pub fn parts(&self) -> (bool, &str, Option<&str>) {
        let digits = self.0.strip_prefix('-').unwrap_or(&self.0);
        let (whole, fraction) = digits
            .split_once('.')
            .map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
        (self.0.starts_with('-'), whole, fraction)
    }
}

/// Tells whether a text consists of digits.
fn are_digits(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

impl Decimal {
    /// With zeros up to a number of decimals.
    fn padded(&self, decimals: usize) -> Decimal {
        let given = self.parts().2.map_or(0, str::len);
        Decimal(format!(
            "{}{}",
            self.0,
            "0".repeat(decimals.saturating_sub(given))
        ))
    }

    /// An amount with the first of its decimals.
    fn with_decimals(&self, decimals: usize, code: &str) -> String {
        let (is_negative, whole, fraction) = self.parts();
        let sign = if is_negative { "-" } else { "" };
        let fraction = fraction
            .and_then(|fraction| fraction.get(..decimals))
            .filter(|fraction| !fraction.is_empty());
        let fraction = fraction
            .map(|fraction| format!(".{fraction}"))
            .unwrap_or_default();
        format!("{sign}{whole}{fraction} {code}")
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        let ((negative, whole, fraction), (other_negative, other_whole, other_fraction)) =
            (self.parts(), other.parts());
        let (fraction, other_fraction) = (trimmed(fraction), trimmed(other_fraction));
        let size = whole
            .len()
            .cmp(&other_whole.len())
            .then_with(|| whole.cmp(other_whole));
        let size = size.then_with(|| fraction.cmp(&other_fraction));
        match (
            negative && !is_zero(whole, &fraction),
            other_negative && !is_zero(other_whole, &other_fraction),
        ) {
            (false, false) => size,
            (true, true) => size.reverse(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

/// Tells whether a number without a sign is zero.
fn is_zero(whole: &str, fraction: &str) -> bool {
    whole == "0" && fraction.is_empty()
}

/// The digits of a fraction without the zeros at its end.
fn trimmed(fraction: Option<&str>) -> String {
    fraction
        .unwrap_or_default()
        .trim_end_matches('0')
        .to_owned()
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text to write for a number whose separators group its digits: `1200` for `1.200`, `1,200` and `1.200,00`.
fn grouped(number: &str, code: &str, decimals: usize) -> Option<String> {
    let parts: Vec<&str> = number.split(['.', ',', '\'', '\u{2019}']).collect();
    let are_digits = parts
        .iter()
        .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let (last, before) = parts.split_last()?;
    let (fraction, groups) = if last.len() == 3 {
        (None, &parts[..])
    } else {
        (Some(*last), before)
    };
    let is_grouped = groups.len() > 1
        && groups[1..].iter().all(|group| group.len() == 3)
        && groups[0].len() <= 3;
    if !are_digits || !is_grouped || fraction.is_some_and(|fraction| fraction.len() > decimals) {
        return None;
    }
    let whole = groups.concat();
    let fraction = fraction
        .map(|fraction| format!(".{fraction}"))
        .unwrap_or_default();
    Some(format!(
        "write thousands without a separator: `{whole}{fraction} {code}`"
    ))
}

impl Amount {
    /// Reads `120 EUR` or `EUR 120`. The error is a message that ends with what to write.
    pub fn parse(text: &str) -> Result<Amount, String> {
        let parts: Vec<&str> = text.split_whitespace().collect();
        let (number, code) = match parts[..] {
            [number, code] if is_code(code) => (number, code),
            [code, number] if is_code(code) => (number, code),
            _ => {
                return Err(format!(
                    "`{text}` is not an amount; write the number and its currency code: `120 EUR`"
                ));
            }
        };
        let decimals = currency::decimals(code)?;
        let value = Decimal::parse(number).map_err(|message| {
            let hint = grouped(number, code, decimals);
            hint.map_or(message, |hint| {
                format!("`{number}` has thousands separators; {hint}")
            })
        })?;
        let given = value.parts().2.map_or(0, str::len);
        if given > decimals {
            let hint = grouped(number, code, decimals)
                .unwrap_or_else(|| format!("write `{}`", value.with_decimals(decimals, code)));
            let have = if decimals == 0 {
                "no decimals".to_owned()
            } else {
                format!("{decimals} decimals")
            };
            return Err(format!(
                "amounts in {code} have {have}, but `{number}` has {given}; {hint}"
            ));
        }
        // A price is `12.50`, never `12.5`.
        let value = if given == 0 {
            value
        } else {
            value.padded(decimals)
        };
        Ok(Amount {
            value,
            currency: code.to_owned(),
        })
    }
}

/// Tells whether a text can be the code of a currency.
fn is_code(part: &str) -> bool {
    part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_uppercase())
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.value, self.currency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_their_digits_and_are_ordered_by_size() {
        let read = |text: &str| Decimal::parse(text).expect(text);
        assert_eq!(
            ["4.50", "-0.5", "007", "0"].map(|text| read(text).to_string()),
            ["4.50", "-0.5", "7", "0"]
        );
        for pair in [
            "-10", "-9.5", "-0.1", "0", "0.05", "0.5", "0.51", "9", "10", "100.01",
        ]
        .windows(2)
        {
            assert_eq!(
                read(pair[0]).cmp(&read(pair[1])),
                Ordering::Less,
                "{pair:?}"
            );
        }
        assert_eq!(read("1.50").cmp(&read("1.5")), Ordering::Equal);
        assert_eq!(read("-0").cmp(&read("0.00")), Ordering::Equal);
        for text in ["1,5", "1 000", "", "-", ".5", "5.", "1e3", "١٢", "0x10"] {
            assert!(Decimal::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_amount_has_a_currency() {
        assert_eq!(
            Amount::parse("EUR 1200.00")
                .map(|amount| amount.to_string())
                .as_deref(),
            Ok("1200.00 EUR")
        );
        for text in [
            "120", "€120", "120 €", "120 Euro", "120 eur", "EUR", "a EUR", "1 2 EUR",
        ] {
            assert!(Amount::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_amount_has_the_decimals_of_its_currency() {
        let read = |text: &str| Amount::parse(text).map(|amount| amount.to_string());
        for (text, expected) in [
            ("12.5 EUR", "12.50 EUR"),
            ("12.50 EUR", "12.50 EUR"),
            ("12 EUR", "12 EUR"),
            ("-5 EUR", "-5 EUR"),
            ("1.250 KWD", "1.250 KWD"),
            ("1250 JPY", "1250 JPY"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
        }
        for (text, expected) in [
            (
                "1.200 EUR",
                "amounts in EUR have 2 decimals, but `1.200` has 3; write thousands without a separator: `1200 EUR`",
            ),
            (
                "1,200 EUR",
                "`1,200` has thousands separators; write thousands without a separator: `1200 EUR`",
            ),
            (
                "1.200,00 EUR",
                "`1.200,00` has thousands separators; write thousands without a separator: `1200.00 EUR`",
            ),
            (
                "12.5055 EUR",
                "amounts in EUR have 2 decimals, but `12.5055` has 4; write `12.50 EUR`",
            ),
            (
                "12.50 JPY",
                "amounts in JPY have no decimals, but `12.50` has 2; write `12 JPY`",
            ),
            (
                "12 XYZ",
                "`XYZ` is not a currency code; write an ISO 4217 code, such as `EUR` or `USD`",
            ),
            (
                "12 EUX",
                "`EUX` is not a currency code; did you mean `EUR`?",
            ),
        ] {
            assert_eq!(read(text), Err(expected.to_owned()), "{text}");
        }
    }
}
