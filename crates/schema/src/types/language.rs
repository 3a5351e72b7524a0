//! Codes of languages as the standard has them (BCP 47), and what Unicode's CLDR knows of each: its name, its direction, and
//! how it writes dates, numbers, money, lengths of time and quotes.
//!
//! `language/cldr.txt` is written by `scripts/languages.mjs`. A line is found by its beginning, so that a build reads the
//! lines of its languages only.

use std::sync::LazyLock;

use memchr::memmem;

use super::Minutes;

static TABLE: &str = include_str!("language/cldr.txt");

/// The code of a language as it is written in `lang` and `hreflang`: `pt-BR`, `zh-Hans`, `es-419`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tag(String);

/// Why a text is no code of a language.
#[derive(Debug, PartialEq, Eq)]
pub struct BadTag {
    /// The message.
    pub message: String,
    /// The text to write instead.
    pub hint: String,
}

impl Tag {
    /// Reads a code in any case.
    ///
    /// ```
    /// use schema::types::Tag;
    /// assert_eq!(Tag::parse("ZH-hans").map(|tag| tag.as_str().to_owned()), Ok("zh-Hans".to_owned()));
    /// assert!(Tag::parse("german").is_err_and(|bad| bad.hint == "write `de`"));
    /// ```
    ///
    /// # Errors
    ///
    /// A text of another form, a code that does not exist, or one that the standard has replaced.
    pub fn parse(text: &str) -> Result<Tag, BadTag> {
        let bad = |message: String, hint: String| Err(BadTag { message, hint });
        let Some(tag) = canonical(text) else {
            let hint = match named(text) {
                Some(code) => format!("write `{code}`"),
                None if text.contains('_') && canonical(&text.replace('_', "-")).is_some() => {
                    format!(
                        "write `{}`",
                        canonical(&text.replace('_', "-")).unwrap_or_default()
                    )
                }
                None => "write a code such as `en`, `es` or `pt-BR`".to_owned(),
            };
            return bad(
                format!("`{}` is not a language code", text.escape_debug()),
                hint,
            );
        };
        let parts: Vec<&str> = tag.split('-').collect();
        // A code that the standard has replaced, such as `iw`, or one of another standard, such as `deu`.
        let current: Vec<&str> = parts
            .iter()
            .map(|part| cell("alias", part, 2).unwrap_or(part))
            .collect();
        if current != parts {
            let message = format!("`{}` is not a current language code", text.escape_debug());
            return bad(message, format!("write `{}`", current.join("-")));
        }
        for (at, part) in parts.iter().enumerate() {
            let (kind, is_known) = match part.len() {
                _ if at == 0 => ("language", is_language(part)),
                4 if part.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                    ("script", cell("script", part, 2).is_some())
                }
                2 | 3 => ("region", cell("territory", part, 2).is_some()),
                _ => ("variant", true),
            };
            if !is_known {
                let message = format!("there is no {kind} `{part}`");
                let hint = match named(text) {
                    Some(code) => format!("write `{code}`"),
                    None if at > 0 => {
                        format!(
                            "write `{}`, or choose another {kind}",
                            parts[..at].join("-")
                        )
                    }
                    None => "write a code such as `en`, `es` or `pt-BR`".to_owned(),
                };
                return bad(message, hint);
            }
        }
        Ok(Tag(tag))
    }

    /// The code as the standard writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The English name of the language, such as `Portuguese`.
    pub fn english(&self) -> Option<&'static str> {
        cell("language", self.0.split('-').next()?, 2)
    }
}

/// A code of the form that the standard has, in the case that it has; extensions and private parts are not for sites.
fn canonical(text: &str) -> Option<String> {
    let mut parts = text.split('-').peekable();
    let language = parts
        .next()
        .filter(|part| (2..=3).contains(&part.len()) && is_alphabetic(part))?;
    let mut tag = language.to_ascii_lowercase();
    if let Some(script) = parts.next_if(|part| part.len() == 4 && is_alphabetic(part)) {
        tag.push('-');
        tag.push_str(&script[..1].to_ascii_uppercase());
        tag.push_str(&script[1..].to_ascii_lowercase());
    }
    let is_region = |part: &&str| match part.len() {
        2 => is_alphabetic(part),
        3 => part.chars().all(|c| c.is_ascii_digit()),
        _ => false,
    };
    if let Some(region) = parts.next_if(is_region) {
        tag.push('-');
        tag.push_str(&region.to_ascii_uppercase());
    }
    for variant in parts {
        let is_variant = match variant.len() {
            4 => variant.starts_with(|c: char| c.is_ascii_digit()),
            5..=8 => true,
            _ => false,
        };
        if !is_variant || !variant.chars().all(|c| c.is_ascii_alphanumeric()) {
            return None;
        }
        tag.push('-');
        tag.push_str(&variant.to_ascii_lowercase());
    }
    Some(tag)
}

/// Tells whether a part of a tag consists of letters of ASCII.
fn is_alphabetic(part: &str) -> bool {
    part.chars().all(|c| c.is_ascii_alphabetic())
}

/// The code of a language that is named in English: `German`.
fn named(text: &str) -> Option<&'static str> {
    let name = text.to_ascii_lowercase();
    (name.len() > 3).then(|| {
        TABLE.lines().find_map(|line| {
            let mut cells = line.strip_prefix("language\t")?.split('\t');
            let code = cells.next()?;
            cells.next()?.eq_ignore_ascii_case(&name).then_some(code)
        })
    })?
}

/// Whether a language has this code, in CLDR or in ISO 639-3.
fn is_language(code: &str) -> bool {
    static RARE: LazyLock<&str> = LazyLock::new(|| {
        TABLE
            .lines()
            .find_map(|line| line.strip_prefix("rare\t"))
            .unwrap_or_default()
    });
    cell("language", code, 2).is_some()
        || code.len() == 3
            && RARE
                .as_bytes()
                .chunks(3)
                .any(|listed| listed == code.as_bytes())
}

/// A cell of the line of this kind and code; none if it is empty.
fn cell(kind: &str, code: &str, column: usize) -> Option<&'static str> {
    line(kind, code)?
        .split('\t')
        .nth(column)
        .filter(|cell| !cell.is_empty())
}

fn line(kind: &str, code: &str) -> Option<&'static str> {
    let start = memmem::find(TABLE.as_bytes(), format!("\n{kind}\t{code}\t").as_bytes())? + 1;
    TABLE[start..].lines().next()
}

/// How a language writes, from CLDR. Languages that CLDR lacks write as English does.
#[derive(Debug, Clone)]
pub struct Customs {
    /// Whether its lines begin at the right.
    pub is_rtl: bool,
    /// Date pattern with `{day}`, `{month}` and `{year}`.
    pub date: &'static str,
    /// Names of the months from January on, separated by `|`.
    months: &'static str,
    /// Short names of the days of the week from Monday on, separated by `|`.
    weekdays: &'static str,
    /// Between a number and its fraction.
    pub decimal: &'static str,
    /// Between groups of digits.
    pub group: &'static str,
    /// The digits of a group beyond the last three: two in 12,34,567.
    pub group_digits: usize,
    /// How many digits are before the first separator of groups, at least.
    pub before_group: usize,
    /// `0 %` with the space that belongs there.
    pub percent: &'static str,
    /// `0 ¤` or `¤0`: the place of the sign of a currency.
    pub money: &'static str,
    /// Between an amount of money and its fraction.
    pub money_decimal: &'static str,
    /// Between groups of digits of an amount of money.
    pub money_group: &'static str,
    /// The separator of a list that has a sign and not a word: `, `.
    pub comma: &'static str,
    /// A date `{1}` with a time `{0}`.
    moment: &'static str,
    /// The signs of currencies that are not their codes, `EUR=€|USD=$`: first what the language does unlike its parent.
    currencies: Vec<&'static str>,
    /// The opening and closing quotes, then those of a quote inside a quote, separated by `|`.
    quotes: &'static str,
    /// Days, hours and minutes with their numbers, and how two of them are joined, separated by `|`. Empty if the language
    /// writes the symbols of SI.
    durations: &'static str,
}

impl Customs {
    /// Those of a language.
    pub fn of(tag: &str) -> Customs {
        let lines: Vec<Vec<&str>> = lineage(tag)
            .iter()
            .map(|line| line.split('\t').collect())
            .collect();
        let column = |at: usize| {
            let found = lines
                .iter()
                .filter_map(|line| line.get(at))
                .find(|cell| !cell.is_empty());
            found.copied().unwrap_or_default()
        };
        // A language inherits signs from its own parents only.
        let own = lines.iter().position(|line| line.get(2) == Some(&""));
        let own = &lines[..own.map_or(lines.len(), |last| last + 1)];
        Customs {
            is_rtl: column(4) == "rtl",
            date: column(5),
            months: column(6),
            weekdays: column(7),
            decimal: column(8),
            group: column(9),
            before_group: column(10).parse().unwrap_or(1),
            percent: column(11),
            money: column(12),
            quotes: column(13),
            durations: column(14),
            group_digits: column(15).parse().unwrap_or(3),
            money_decimal: column(16),
            money_group: column(17),
            comma: column(18),
            moment: column(19),
            currencies: own
                .iter()
                .filter_map(|line| line.get(20).copied())
                .collect(),
        }
    }

    /// A date with a time.
    pub fn date_with_time(&self, date: &str, time: &str) -> String {
        self.moment.replace("{1}", date).replace("{0}", time)
    }

    /// The names of the months.
    pub fn months(&self) -> Vec<String> {
        self.months.split('|').map(str::to_owned).collect()
    }

    /// The opening and closing quotes, then those of a quote inside a quote.
    pub fn quotes(&self) -> Vec<String> {
        self.quotes.split('|').map(str::to_owned).collect()
    }

    /// The sign of a currency, or its code if the language has none.
    pub fn sign<'a>(&self, currency: &'a str) -> &'a str {
        let mut signs = self.currencies.iter().flat_map(|signs| signs.split('|'));
        let found = signs.find_map(|sign| sign.strip_prefix(currency)?.strip_prefix('='));
        found.unwrap_or(currency)
    }

    /// A length of time, without the units that are zero: `1 h 30 min`.
    pub fn duration(&self, minutes: Minutes) -> String {
        let durations = if self.durations.is_empty() {
            "{0} d|{0} h|{0} min|{0} {1}"
        } else {
            self.durations
        };
        let mut cells = durations.split('|');
        let mut written = minutes.counts().map(|count| {
            let forms = cells.next().unwrap_or_default();
            let (one, other) = forms.split_once('/').unwrap_or((forms, forms));
            let shown = if count == 1 { one } else { other }.replace("{0}", &count.to_string());
            (count, shown.replace(' ', "\u{a0}"))
        });
        let joined = cells.next().unwrap_or_default();
        if minutes.0 == 0 {
            return std::mem::take(&mut written[2].1);
        }
        let shown = written
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(_, text)| text);
        shown
            .reduce(|all, next| joined.replace("{0}", &all).replace("{1}", &next))
            .unwrap_or_default()
    }

    /// The short names of the days of the week.
    pub fn weekdays(&self) -> Vec<String> {
        self.weekdays.split('|').map(str::to_owned).collect()
    }
}

/// The name of a language in the language, such as `Português (Brasil)`; the code if CLDR has none.
pub fn name_of(tag: &str) -> String {
    let known = cell("locale", tag, 3).map(str::to_owned);
    known.unwrap_or_else(|| match tag.rsplit_once('-') {
        Some((language, rest)) => format!("{} ({rest})", name_of(language)),
        None => cell("language", tag, 2).unwrap_or(tag).to_owned(),
    })
}

/// The lines of a language and of those that it inherits from; the last one is English.
fn lineage(tag: &str) -> Vec<&'static str> {
    let mut lines = Vec::new();
    let mut at = tag;
    while !at.is_empty() {
        match (line("locale", at), cell("likely", at, 2)) {
            (Some(line), _) => {
                lines.push(line);
                at = line.split('\t').nth(2).unwrap_or_default();
            }
            (None, Some(likely)) => at = likely,
            (None, None) => at = at.rsplit_once('-').map_or("", |(rest, _)| rest),
        }
    }
    lines.extend(line("locale", "en"));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(text: &str) -> Result<String, String> {
        Tag::parse(text)
            .map(|tag| tag.0)
            .map_err(|bad| format!("{}; {}", bad.message, bad.hint))
    }

    #[test]
    fn codes_are_read_in_any_case() {
        for (text, expect) in [
            ("en", "en"),
            ("zh-hans", "zh-Hans"),
            ("PT-br", "pt-BR"),
            ("es-419", "es-419"),
            ("zh-HANT-hk", "zh-Hant-HK"),
            ("ca-VALENCIA", "ca-valencia"),
            ("de-1996", "de-1996"),
            ("qug", "qug"),
            ("gsw-CH", "gsw-CH"),
        ] {
            assert_eq!(tag(text).as_deref(), Ok(expect), "{text}");
        }
    }

    #[test]
    fn codes_that_do_not_exist_are_refused_with_what_to_write() {
        for (text, expect) in [
            ("german", "`german` is not a language code; write `de`"),
            ("pt_BR", "`pt_BR` is not a language code; write `pt-BR`"),
            ("iw", "`iw` is not a current language code; write `he`"),
            ("spa", "`spa` is not a current language code; write `es`"),
            (
                "en-UK",
                "`en-UK` is not a current language code; write `en-GB`",
            ),
            (
                "xx",
                "there is no language `xx`; write a code such as `en`, `es` or `pt-BR`",
            ),
            (
                "xqq",
                "there is no language `xqq`; write a code such as `en`, `es` or `pt-BR`",
            ),
            (
                "en-XX",
                "there is no region `XX`; write `en`, or choose another region",
            ),
            (
                "zh-Hanx",
                "there is no script `Hanx`; write `zh`, or choose another script",
            ),
            (
                "",
                "`` is not a language code; write a code such as `en`, `es` or `pt-BR`",
            ),
            (
                "../en",
                "`../en` is not a language code; write a code such as `en`, `es` or `pt-BR`",
            ),
            (
                "en-",
                "`en-` is not a language code; write a code such as `en`, `es` or `pt-BR`",
            ),
            (
                "de-u-co-phonebk",
                "`de-u-co-phonebk` is not a language code; write a code such as `en`, `es` or `pt-BR`",
            ),
        ] {
            assert_eq!(tag(text), Err(expect.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_region_inherits_from_its_language() {
        let (mexico, spain) = (Customs::of("es-MX"), Customs::of("es-ES"));
        assert_eq!(
            (mexico.decimal, mexico.group, mexico.money),
            (".", ",", "¤0")
        );
        assert_eq!(
            (
                spain.decimal,
                spain.group,
                spain.before_group,
                spain.percent
            ),
            (",", ".", 2, "0\u{a0}%")
        );
        assert_eq!(mexico.months()[0], "enero");
        assert!(Customs::of("ar-EG").is_rtl && !Customs::of("az").is_rtl);
        assert_eq!(Customs::of("zh-TW").weekdays()[0], "週一");
        assert_eq!(Customs::of("zh-CN").weekdays()[0], "周一");
        // A language that CLDR lacks.
        assert_eq!(Customs::of("qug").date, "{month} {day}, {year}");
    }

    #[test]
    fn languages_have_their_own_names() {
        let names: Vec<String> = ["de", "pt-BR", "zh-Hans", "es-419", "ar", "es-CY", "qug"]
            .map(name_of)
            .to_vec();
        let expect = [
            "Deutsch",
            "Português (Brasil)",
            "简体中文",
            "Español latinoamericano",
            "العربية",
            "Español (CY)",
            "Chimborazo Highland Quichua",
        ];
        assert_eq!(names, expect);
    }

    #[test]
    fn a_length_of_time_has_the_units_of_the_language() {
        let spaced = |tag: &str, minutes| {
            Customs::of(tag)
                .duration(Minutes(minutes))
                .replace('\u{a0}', " ")
        };
        for (tag, expect) in [
            ("en", ["0 min", "45 min", "1 h 30 min", "1 d 2 h"]),
            ("es", ["0 min", "45 min", "1 h 30 min", "1 d 2 h"]),
            ("de", ["0 min", "45 min", "1 h 30 min", "1 Tg. 2 h"]),
            ("ja", ["0 分", "45 分", "1 時間 30 分", "1 日 2 時間"]),
            ("fr", ["0 min", "45 min", "1 h 30 min", "1 j 2 h"]),
            ("pt-BR", ["0 min", "45 min", "1 h 30 min", "1 dia 2 h"]),
            ("hu", ["0 p", "45 p", "1 ó 30 p", "1 nap 2 ó"]),
            ("tr", ["0 dk.", "45 dk.", "1 sa. 30 dk.", "1 gün 2 sa."]),
            // Days have more than two forms in Croatian.
            ("hr", ["0 min", "45 min", "1 h 30 min", "1 d 2 h"]),
            ("ar", ["0 د", "45 د", "1 س و30 د", "1 ي و2 س"]),
            (
                "fa",
                ["0 دقیقه", "45 دقیقه", "1 ساعت 30 دقیقه", "1 روز 2 ساعت"],
            ),
            (
                "ur",
                ["0 منٹ", "45 منٹ", "1 گھنٹہ اور 30 منٹ", "1 دن اور 2 گھنٹے"],
            ),
            ("zh-Hans", ["0分钟", "45分钟", "1小时30分钟", "1天2小时"]),
            ("ru", ["0 мин", "45 мин", "1 ч 30 мин", "1 дн. 2 ч"]),
        ] {
            assert_eq!(
                [0, 45, 90, 26 * 60].map(|minutes| spaced(tag, minutes)),
                expect,
                "{tag}"
            );
        }
    }

    #[test]
    fn every_line_of_the_table_is_whole() {
        let mut count = 0;
        for line in TABLE.lines().filter(|line| line.starts_with("locale\t")) {
            let tag = line.split('\t').nth(1).unwrap_or_default();
            let customs = Customs::of(tag);
            assert_eq!(
                (customs.months().len(), customs.weekdays().len()),
                (12, 7),
                "{tag}"
            );
            for part in ["{day}", "{month}", "{year}"] {
                assert!(customs.date.contains(part), "{tag}: {}", customs.date);
            }
            assert!(
                customs.money.contains('¤') && customs.money.contains('0'),
                "{tag}: {}",
                customs.money
            );
            assert!(
                !name_of(tag).is_empty() && !customs.decimal.is_empty(),
                "{tag}"
            );
            assert!(
                customs.durations.is_empty() || customs.durations.split('|').count() == 4,
                "{tag}"
            );
            count += 1;
        }
        assert!(count > 600, "{count}");
    }
}
