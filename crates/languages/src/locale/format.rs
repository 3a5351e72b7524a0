//! Writes typed values as a language does: dates, numbers, money, lengths of time and opening hours.
//!
//! Each language does it as CLDR has it, or as its file says.

use schema::types::{DateTime, Decimal, Hours, OpenRule, Typed};

use super::Locale;
use super::holidays::{closed, public_holidays};

impl Locale {
    /// A value as text, as pages in this language show it.
    pub fn show(&self, value: &Typed) -> String {
        match value {
            Typed::Date(date) => self.date(*date),
            Typed::Moment(when) if when.is_day() => self.date(when.local().day),
            Typed::Moment(when) => self.date_with_time(when.local()),
            Typed::DateTime(date) => self.date_with_time(*date),
            Typed::Decimal(number) => self.number(number),
            Typed::Amount(amount) => self.money(&amount.value, &amount.currency),
            Typed::Hours(hours) => {
                let rules = self.hours(hours).into_iter().zip(&hours.0);
                // In a text, a dash at the end is cut off with other separators.
                let rules = rules.map(|((days, times), rule)| match &rule.times[..] {
                    [] => format!("{days} {}", closed(&self.language)),
                    _ => format!("{days} {times}"),
                });
                rules.collect::<Vec<_>>().join("; ")
            }
            Typed::Email(text) | Typed::Phone(text) => text.clone(),
            Typed::File(path, _) => path.rsplit('/').next().unwrap_or(path).to_owned(),
            Typed::Coordinates(place) => place.to_string(),
            Typed::Duration(minutes) => self.customs.duration(*minutes),
            Typed::Embed(embed) => embed.url.clone(),
            Typed::Reference(reference) => reference.key.clone(),
            Typed::Choice(choice) => choice.name(&self.code, &self.stand_ins).to_owned(),
        }
    }

    fn date_with_time(&self, moment: DateTime) -> String {
        let (date, time) = (self.date(moment.day), moment.clock());
        self.customs.date_with_time(&date, &time)
    }

    /// Values one after another: `a, b`.
    pub fn listed(&self, values: &[String]) -> String {
        values.join(self.customs.comma)
    }

    /// Opening hours by rule: days, and times.
    pub fn hours(&self, hours: &Hours) -> Vec<(String, String)> {
        let rules = hours.0.iter().map(|rule| {
            let ranges = rule
                .ranges()
                .into_iter()
                .map(|(first, last)| match last - first {
                    0 => self.day(first),
                    1 => self.listed(&[self.day(first), self.day(last)]),
                    _ => format!("{}–{}", self.day(first), self.day(last)),
                });
            let days: Vec<String> = ranges.collect();
            (self.listed(&days), self.times_of(rule))
        });
        rules.collect()
    }

    /// The times of a rule, or a dash if it is closed then.
    fn times_of(&self, rule: &OpenRule) -> String {
        if rule.times.is_empty() {
            "–".to_owned()
        } else {
            self.listed(&rule.times_with("–"))
        }
    }

    /// The name of a weekday, or of public holidays.
    fn day(&self, at: u8) -> String {
        let named = self.weekdays.get(usize::from(at)).cloned();
        named.unwrap_or_else(|| public_holidays(&self.language, &self.weekdays))
    }

    /// The size of a file: `1.2 MB`.
    pub fn size(&self, bytes: u64) -> String {
        let (unit, size) = match bytes {
            0..1_000_000 => ("kB", 1_000),
            _ => ("MB", 1_000_000),
        };
        // One digit after the point, rounded up: a file is never smaller than it is said to be.
        let tenths = bytes.div_ceil(size / 10);
        let number = if tenths >= 100 || tenths.is_multiple_of(10) {
            tenths.div_ceil(10).to_string()
        } else {
            format!("{}.{}", tenths / 10, tenths % 10)
        };
        Decimal::parse(&number).map_or(number, |number| self.number(&number)) + "\u{a0}" + unit
    }

    /// A number with the separators of the language, or those that its `typography` sets.
    fn number(&self, number: &Decimal) -> String {
        self.grouped(number, self.customs.group, self.customs.decimal)
    }

    /// A number with the separators that the `typography` of the language sets, or else these.
    fn grouped(&self, number: &Decimal, group: &str, decimal: &str) -> String {
        let (is_negative, whole, fraction) = number.parts();
        let set = [
            (self.typography.thousands, group),
            (self.typography.decimal, decimal),
        ];
        let [group, decimal] = set.map(|(set, of_cldr)| {
            set.map_or_else(
                || of_cldr.to_owned(),
                |separator| separator.and_other().0.to_string(),
            )
        });
        let is_grouped = whole.len() >= 3 + self.customs.before_group;
        let mut text = if is_negative {
            "\u{2212}".to_owned()
        } else {
            String::new()
        };
        for (at, digit) in whole.char_indices() {
            let left = whole.len() - at;
            let ends_group = left >= 3 && (left - 3).is_multiple_of(self.customs.group_digits);
            if is_grouped && at > 0 && ends_group {
                text.push_str(&group);
            }
            text.push(digit);
        }
        if let Some(fraction) = fraction {
            text.push_str(&decimal);
            text.push_str(fraction);
        }
        text
    }

    /// The language without script and region: `pt` of `pt-BR`.
    pub fn primary(&self) -> &str {
        self.language.split('-').next().unwrap_or(&self.language)
    }

    /// An amount with the sign of its currency. A sign of letters is apart from the number, as CLDR has it.
    fn money(&self, value: &Decimal, currency: &str) -> String {
        let customs = &self.customs;
        let number = self.grouped(value, customs.money_group, customs.money_decimal);
        // A minus stands before the sign of the currency: −€5.
        let (minus, number) = number
            .strip_prefix('\u{2212}')
            .map_or(("", number.as_str()), |rest| ("\u{2212}", rest));
        let sign = customs.sign(currency).replace(' ', "\u{a0}");
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
        let mut pattern = customs.money.to_owned();
        if is_letter(sign.chars().next_back()) {
            pattern = pattern.replace("¤0", "¤\u{a0}0");
        }
        if is_letter(sign.chars().next()) {
            pattern = pattern.replace("0¤", "0\u{a0}¤");
        }
        let shown = pattern.replace('0', number).replace('¤', &sign);
        format!("{minus}{shown}")
    }
}

#[cfg(test)]
mod tests {
    use diagnostics::problem::Span;
    use schema::types::FieldType;

    use super::*;

    #[test]
    fn dates_with_times_and_lists_are_joined_as_the_language_does() {
        for (code, moment, list) in [
            ("en", "December 10, 2026, 18:30", "a, b"),
            ("es", "10 de diciembre de 2026, 18:30", "a, b"),
            ("ja", "2026年12月10日 18:30", "a、b"),
            ("sv", "10 december 2026 18:30", "a, b"),
            ("ar", "10 ديسمبر 2026، 18:30", "a، b"),
            ("fa", "10 دسامبر 2026، 18:30", "a، b"),
            ("la", "December 10, 2026, 18:30", "a, b"),
        ] {
            let locale = Locale::new(code, String::new());
            let value = FieldType::DateTime
                .parse("2026-12-10T18:30", Span::default())
                .expect("a date");
            let values = ["a", "b"].map(str::to_owned);
            let shown = (locale.show(&value), locale.listed(&values));
            assert_eq!(shown, (moment.to_owned(), list.to_owned()), "{code}");
        }
    }

    #[test]
    fn amounts_have_the_groups_and_the_sign_of_the_language() {
        for (code, written, expect) in [
            ("en", "1234567.50 INR", "₹1,234,567.50"),
            ("en-IN", "1234567.50 INR", "₹12,34,567.50"),
            ("hi", "1234567.50 INR", "₹12,34,567.50"),
            ("en-IN", "123456 INR", "₹1,23,456"),
            ("en-IN", "999 INR", "₹999"),
            ("en", "1000 CNY", "CN¥1,000"),
            ("zh-Hans", "1000 CNY", "¥1,000"),
            ("en", "1000 JPY", "¥1,000"),
            ("zh-Hans", "1000 JPY", "JP¥1,000"),
            ("en", "5 CHF", "CHF\u{a0}5"),
            ("en", "5 XOF", "F\u{202f}CFA\u{a0}5"),
            ("es", "5 USD", "5\u{a0}US$"),
            ("es-MX", "5 USD", "USD\u{a0}5"),
            ("es-MX", "5 MXN", "$5"),
            ("fr", "5 USD", "5\u{a0}$US"),
            ("fr-CA", "5 CAD", "5\u{a0}$"),
            ("fr-CH", "1234.50 CHF", "1'234.50\u{a0}CHF"),
            ("de-AT", "1234.50 EUR", "€\u{a0}1.234,50"),
            ("pt-BR", "-5 USD", "\u{2212}US$\u{a0}5"),
            ("ar", "5 KWD", "5\u{a0}د.ك."),
            ("pl", "5 PLN", "5\u{a0}zł"),
            // CLDR has no Latin.
            ("la", "5 USD", "$5"),
        ] {
            let locale = Locale::new(code, String::new());
            let value = FieldType::Amount
                .parse(written, Span::default())
                .expect("an amount");
            assert_eq!(locale.show(&value), expect, "{code}: {written}");
        }
    }
}
