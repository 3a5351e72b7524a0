//! Locales of the site: names and interface messages, from `content/locales/<code>.yaml`.
//!
//! For some languages the theme has such a file, and for all of them CLDR has names, dates and numbers. The site's own file
//! holds what it changes of these, and need not exist if a language has words in the theme, or a fallback.

mod format;
mod holidays;
pub mod lent;
mod order;
mod plural;
pub mod typography;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use api_types::leads::LeadErrorCode;
use config::SiteSettings;
use config::theme::Theme;
use diagnostics::marks::{Marks, TextOrigin};
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};
use diagnostics::yaml::{self, Spanned};
use schema::types::{Customs, Date, Tag, name_of};
use workspace::files::FileSet;
use workspace::kinds::Kind;

use plural::WordText;
use typography::Typography;

/// A locale.
#[derive(Debug, Clone)]
pub struct Locale {
    /// Code, which is part of file names, e.g. `es`.
    pub code: String,
    /// The beginning of its paths: `/es`; empty for the main language.
    pub prefix: String,
    /// Name of the language in that language, e.g. `Español`.
    pub name: String,
    /// BCP 47 tag for `lang` and `hreflang`.
    pub language: String,
    /// Writing direction.
    pub direction: Direction,
    /// Interface messages by key.
    pub messages: BTreeMap<String, Message>,
    /// Date pattern with `{day}`, `{month}` and `{year}`.
    pub date: String,
    /// Names of the months, starting with January.
    pub months: Vec<String>,
    /// Short names of the days of the week, starting with Monday, and of public holidays if the site names them.
    pub weekdays: Vec<String>,
    /// How the language writes quotes, numbers and dashes.
    pub typography: Typography,
    /// The file could not be read, which was reported: its messages are unknown rather than missing.
    pub broken: bool,
    /// How the language writes what its file does not say.
    customs: Customs,
    /// How it sorts words.
    order: order::Order,
    /// The messages that come from the theme, whose places are in no file of the site.
    from_theme: BTreeSet<String>,
    /// The places, in the list of languages, of those whose texts stand in for its own, the nearest first.
    pub fallbacks: Vec<usize>,
    /// The codes of these languages, then that of the main language.
    pub stand_ins: Vec<String>,
    /// The messages that another language lends, with its code.
    from_fallback: BTreeMap<String, String>,
    source: Arc<Source>,
}

impl Locale {
    /// A language as CLDR knows it, without words. `prefix` is that of its addresses.
    pub fn new(code: &str, prefix: String) -> Locale {
        let tag = Tag::parse(code).map_or_else(|_| code.to_owned(), |tag| tag.as_str().to_owned());
        let customs = Customs::of(&tag);
        Locale {
            name: name_of(&tag),
            code: code.to_owned(),
            prefix,
            direction: if customs.is_rtl {
                Direction::Rtl
            } else {
                Direction::Ltr
            },
            messages: BTreeMap::new(),
            date: customs.date.to_owned(),
            months: customs.months(),
            weekdays: customs.weekdays(),
            typography: Typography::default(),
            broken: false,
            customs,
            order: order::Order::of(&tag),
            language: tag,
            from_theme: BTreeSet::new(),
            fallbacks: Vec::new(),
            stand_ins: Vec::new(),
            from_fallback: BTreeMap::new(),
            source: Arc::new(Source::new(Kind::Locale.file("", code), String::new())),
        }
    }

    /// The locale with the values of a file, whose text is `source`.
    fn with(
        mut self,
        mut file: LocaleFile,
        source: Arc<Source>,
        problems: &mut Problems,
    ) -> Locale {
        file.check(&source, problems);
        file.join_singulars(&self.language, &source, problems);
        self.from_theme = self
            .messages
            .keys()
            .filter(|key| !file.messages.contains_key(*key))
            .cloned()
            .collect();
        for (key, Spanned { value, span }) in file.messages {
            let value = match value {
                WordText::One(text) => text,
                WordText::Each(texts) => {
                    plural::message(&texts, &self.language).unwrap_or_else(|(message, hint)| {
                        let message = format!("the message `{key}`: {message}");
                        problems.push(
                            Problem::error(Code::MessagePlaceholder, message)
                                .at(source.place(span))
                                .hint(hint),
                        );
                        texts.into_values().next_back().unwrap_or_default()
                    })
                }
            };
            self.messages.insert(key, Message { value, span });
        }
        let [months, weekdays] = [
            (file.months, self.months, 12..=12),
            (file.weekdays, self.weekdays, DAYS),
        ]
        .map(|(list, of_cldr, lengths)| {
            list.map(|list| list.value)
                .filter(|list| lengths.contains(&list.len()))
                .unwrap_or(of_cldr)
        });
        let tag = file
            .language
            .and_then(|language| Tag::parse(&language).ok());
        Locale {
            name: file.name.unwrap_or(self.name),
            language: tag.map_or(self.language, |tag| tag.as_str().to_owned()),
            direction: file.direction.unwrap_or(self.direction),
            date: file.date.map_or(self.date, |date| date.value),
            months,
            weekdays,
            typography: file.typography.map_or(self.typography, |typography| {
                typography.completed(&self.customs)
            }),
            source,
            ..self
        }
    }
}

/// The numbers of names that `weekdays` can have: public holidays may follow Sunday.
const DAYS: RangeInclusive<usize> = 7..=8;
/// The parts of a date pattern.
const PARTS: [&str; 3] = ["day", "month", "year"];

/// Words for the number one that were words of their own, and the words that have a text for each number now.
const SINGULARS: [(&str, &str); 1] = [("case_study_found", "case_studies_found")];

impl LocaleFile {
    /// Takes words of earlier versions for the texts that they are now.
    fn join_singulars(&mut self, language: &str, source: &Source, problems: &mut Problems) {
        for (singular, word) in SINGULARS {
            let Some(own) = self.messages.remove(singular) else {
                continue;
            };
            let message = format!("`{singular}` is now the text `one` of `{word}`");
            problems.push(
                Problem::warning(Code::UnknownKey, message)
                    .at(source.place(own.span))
                    .hint(format!(
                        "write `{word}: {{one: …, other: …}}`, and remove this key"
                    )),
            );
            let Some(Spanned { value, .. }) = self.messages.get_mut(word) else {
                continue;
            };
            if let (WordText::One(one), WordText::One(other)) = (own.value, &*value) {
                let texts =
                    BTreeMap::from([("one".to_owned(), one), ("other".to_owned(), other.clone())]);
                // Languages with other categories keep one text for all numbers.
                if plural::message(&texts, language).is_ok() {
                    *value = WordText::Each(texts);
                }
            }
        }
    }

    /// Checks the constraints that the types do not express.
    fn check(&self, source: &Source, problems: &mut Problems) {
        let mut report = |message: String, span: Span, hint: String| {
            problems.push(
                Problem::error(Code::InvalidValue, message)
                    .at(source.place(span))
                    .hint(hint),
            );
        };
        for (key, list, lengths, first) in [
            ("months", &self.months, 12..=12, "January"),
            ("weekdays", &self.weekdays, DAYS, "Monday"),
        ] {
            if let Some(list) = list.as_ref().filter(|list| !lengths.contains(&list.len())) {
                let message = format!(
                    "expected {} names in `{key}`, found {}",
                    lengths.start(),
                    list.len()
                );
                report(
                    message,
                    list.span,
                    format!(
                        "list all of them, starting with {first}, or remove the key to use the names from CLDR"
                    ),
                );
            }
        }
        if let Some(language) = &self.language
            && let Err(bad) = Tag::parse(language)
        {
            report(bad.message, language.span, bad.hint);
        }
        let Some(date) = &self.date else { return };
        let found = placeholders(date);
        let hint = "write a pattern such as `{day} {month} {year}`".to_owned();
        if let Some(unknown) = found.iter().find(|part| !PARTS.contains(part)) {
            report(
                format!("a date pattern cannot contain `{{{unknown}}}`"),
                date.span,
                hint,
            );
        } else if let Some(missing) = PARTS.iter().find(|part| !found.contains(*part)) {
            report(
                format!("the date pattern lacks `{{{missing}}}`"),
                date.span,
                hint,
            );
        }
    }
}

impl Locale {
    /// An interface message. Falls back to the default locale if it is missing, which [`load`] reported.
    pub fn word<'a>(&'a self, key: &str, default: &'a Locale) -> Option<&'a str> {
        self.messages
            .get(key)
            .or_else(|| default.messages.get(key))
            .map(|message| message.value.as_str())
    }

    /// The code of the language that lends an interface message, if this one has none.
    pub fn lender(&self, key: &str) -> Option<&str> {
        self.from_fallback.get(key).map(String::as_str)
    }

    /// Like [`Locale::word`], for the messages that Rust code reads.
    pub fn own_word<'a>(&'a self, word: Word, default: &'a Locale) -> Option<&'a str> {
        self.word(word.key(), default)
    }

    /// The messages of the site's own file.
    pub fn own_messages(&self) -> impl Iterator<Item = (&String, &Message)> {
        let messages = self.messages.iter();
        messages.filter(move |(key, _)| {
            !self.from_theme.contains(*key) && !self.from_fallback.contains_key(*key)
        })
    }

    /// The keys of the messages that another language lends.
    pub fn lent_words(&self) -> impl Iterator<Item = &String> {
        self.from_fallback.keys()
    }

    /// Marks its name and its messages with where they are written.
    pub fn mark(&mut self, marks: &Marks, theme: Option<&Arc<Source>>) {
        let node = yaml::parse(&self.source, 0..self.source.text.len());
        if let Some(name) = node.as_ref().ok().and_then(|node| node.get("name")) {
            self.name = marks.marked(
                TextOrigin::Written(Arc::clone(&self.source), name.span),
                &self.name,
            );
        }
        for (key, message) in &mut self.messages {
            let source = match self.from_theme.contains(key) {
                true => theme,
                // The word is marked in the language that it comes from.
                false if self.from_fallback.contains_key(key) => continue,
                false => Some(&self.source),
            };
            let Some(source) = source else { continue };
            message.value = marks.marked(
                TextOrigin::Written(Arc::clone(source), message.span),
                &message.value,
            );
        }
    }

    /// The path and text of the file.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Bytes whose order is that of the language's words.
    pub fn sort_key(&self, text: &str) -> Vec<u8> {
        self.order.key(text)
    }

    /// Formats a date with the locale's pattern.
    pub fn date(&self, day: Date) -> String {
        let month = &self.months[usize::from(day.month()) - 1];
        let pattern = self
            .date
            .replace("{year}", &day.year().to_string())
            .replace("{day}", &day.day().to_string());
        pattern.replace("{month}", month)
    }
}

/// The interface messages that Rust code reads. Templates and islands name theirs where they use them, so a message that
/// none of the three names is unused. `tidy.rs` compares this list with the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// The first step of breadcrumbs.
    Home,
    /// The title of a post's page, if the post has none.
    NoTitle,
    /// The title of a post in lists and feeds, if it has none.
    UntitledPost,
    /// The author of a post that names none.
    Team,
    /// The button of a form whose words have none.
    Submit,
    /// The heading after a form was sent whose words have none.
    FormSent,
    /// The message for a file that is larger than `{limit}`.
    FileTooLarge,
    /// The message for a file of none of the types `{limit}`.
    FileOfOtherType,
    /// The message for more files than `{limit}`.
    TooManyFiles,
    /// The word at the top of a callout `> [!NOTE]`, and of the other kinds.
    CalloutNote,
    /// `> [!TIP]`.
    CalloutTip,
    /// `> [!IMPORTANT]`.
    CalloutImportant,
    /// `> [!WARNING]`.
    CalloutWarning,
    /// `> [!CAUTION]`.
    CalloutCaution,
}

impl Word {
    /// All messages that Rust code reads, apart from [`lead_error_key`].
    pub const ALL: &[Word] = &[
        Word::Home,
        Word::NoTitle,
        Word::UntitledPost,
        Word::Team,
        Word::Submit,
        Word::FormSent,
        Word::FileTooLarge,
        Word::FileOfOtherType,
        Word::TooManyFiles,
        Word::CalloutNote,
        Word::CalloutTip,
        Word::CalloutImportant,
        Word::CalloutWarning,
        Word::CalloutCaution,
    ];

    /// Its key in `content/locales/`.
    pub fn key(self) -> &'static str {
        match self {
            Word::Home => "home",
            Word::NoTitle => "no_title",
            Word::UntitledPost => "untitled_post",
            Word::Team => "team",
            Word::Submit => "submit",
            Word::FormSent => "form_sent",
            Word::FileTooLarge => "file_too_large",
            Word::FileOfOtherType => "file_of_other_type",
            Word::TooManyFiles => "too_many_files",
            Word::CalloutNote => "callout_note",
            Word::CalloutTip => "callout_tip",
            Word::CalloutImportant => "callout_important",
            Word::CalloutWarning => "callout_warning",
            Word::CalloutCaution => "callout_caution",
        }
    }
}

/// The values of a flag, and the keys of the messages that name them.
pub const FLAG_WORDS: [(&str, &str); 2] = [("true", "yes"), ("false", "no")];

/// The key of the message for an error of the leads API.
pub fn lead_error_key(code: LeadErrorCode) -> String {
    format!("lead_error_{}", code.name())
}

/// Writing direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Left to right.
    #[default]
    Ltr,
    /// Right to left.
    Rtl,
}

/// An interface message; the template fills `{name}` in it.
pub type Message = Spanned<String>;

/// `content/locales/<code>.yaml`. Each key is optional: CLDR knows how the language writes, and for some languages the theme
/// has words.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LocaleFile {
    /// Name of the language in that language.
    name: Option<String>,
    /// BCP 47 tag, such as `en` or `pt-BR`, if it is not the code of the file.
    language: Option<Spanned<String>>,
    /// Writing direction.
    direction: Option<Direction>,
    /// Date pattern with `{day}`, `{month}` and `{year}`.
    date: Option<Spanned<String>>,
    /// Names of the months, starting with January.
    months: Option<Spanned<Vec<String>>>,
    /// Short names of the days of the week, starting with Monday, for opening hours; an eighth one is for public holidays.
    weekdays: Option<Spanned<Vec<String>>>,
    /// How the language writes quotes, numbers and dashes.
    typography: Option<Typography>,
    /// Interface messages by key, each a text or a text for each category of numbers.
    messages: BTreeMap<String, Spanned<WordText>>,
}

/// Reads the locales of the site, in their order, and compares their messages with those of the first.
pub fn load(root: &FileSet, settings: &SiteSettings, theme: &Theme) -> (Vec<Locale>, Problems) {
    let mut problems = Problems::new();
    let mut locales: Vec<Locale> = Vec::new();
    for code in settings.locales.iter().map(|code| code.value.as_str()) {
        let name = Kind::Locale.file("", code);
        let path = root.join(&name);
        let mut locale = Locale::new(code, settings.prefix(code));
        let of_theme = words_of_theme(theme, &locale.language);
        let has_words = of_theme.is_some() || root.exists(&path);
        if let Some(source) = of_theme {
            let mut file = yaml::load::<LocaleFile>(&source, &mut problems).unwrap_or_default();
            if source.path != name {
                // Of the language of a region, only the words are those of the region.
                file = LocaleFile {
                    messages: file.messages,
                    ..LocaleFile::default()
                };
            }
            locale = locale.with(file, source, &mut problems);
            locale.from_theme = locale.messages.keys().cloned().collect();
        }
        if root.exists(&path) {
            let source = root
                .read_text(&path)
                .map_err(|problem| problems.push(problem));
            let file = source.ok().and_then(|source| {
                Some((yaml::load::<LocaleFile>(&source, &mut problems)?, source))
            });
            match file {
                Some((file, source)) => locale = locale.with(file, source, &mut problems),
                None => locale.broken = true,
            }
        } else if !has_words && !settings.fallback.contains_key(code) {
            locale.broken = true;
            let message =
                format!("`site.yaml` lists the locale `{code}`, but this file does not exist");
            let hint = if locales.is_empty() {
                "copy the file of another language, and translate it".to_owned()
            } else if theme.version().is_empty() {
                "copy the default locale's file, and translate it".to_owned()
            } else {
                format!(
                    "run `sitegen new locale {code}` to show text in another language until it is translated"
                )
            };
            problems.push(
                Problem::error(Code::LocaleMissing, message)
                    .at(Place::file(name.as_str()))
                    .hint(hint),
            );
        }
        locales.push(locale);
    }
    for (index, locale) in locales
        .iter()
        .enumerate()
        .filter(|(_, locale)| !locale.broken)
    {
        locale.typography.check(&locale.source, &mut problems);
        if let Some(other) = locales[..index]
            .iter()
            .find(|other| other.language == locale.language)
        {
            let why = format!(
                "`{}` and `{}` have the same language tag",
                other.code, locale.code
            );
            let problem =
                Problem::error(Code::InvalidValue, why).at(Place::file(locale.source.path.clone()));
            problems.push(problem.hint(
                "write a different `language: …` in one of the two files, such as `language: en-GB`",
            ));
        }
    }
    if let Some((default, others)) = locales.split_first().filter(|(default, _)| !default.broken) {
        for other in others.iter().filter(|other| !other.broken) {
            let has_fallback = settings.fallback.contains_key(&other.code);
            compare(
                default,
                other,
                &|key| !has_fallback && settings.asks_for(key),
                &mut problems,
            );
        }
    }
    lend(&mut locales, settings);
    (locales, problems)
}

/// The words that the theme has in a language: those of a region are those of its language, and those of a language without
/// a region or a script are those of its first one.
pub fn words_of_theme(theme: &Theme, tag: &str) -> Option<Arc<Source>> {
    let tags = std::iter::successors(Some(tag), |tag| Some(tag.rsplit_once('-')?.0));
    let mut own = tags.map(|tag| Kind::Locale.file("", tag));
    own.find_map(|path| theme.source(&path)).or_else(|| {
        let start = format!("{}/{tag}-", Kind::Locale.folder());
        let mut files = theme.files().filter(|_| !tag.contains('-'));
        theme.source(files.find(|(path, _)| path.starts_with(&start))?.0)
    })
}

/// Gives the languages that have a fallback the words that they lack.
fn lend(locales: &mut [Locale], settings: &SiteSettings) {
    for at in 0..locales.len() {
        let code = locales[at].code.clone();
        let stand_ins = settings.with_fallbacks(&code).skip(1);
        let main = locales.first().map(|main| main.code.as_str());
        locales[at].stand_ins = stand_ins.chain(main).map(ToOwned::to_owned).collect();
        for code in settings.with_fallbacks(&code).skip(1) {
            let Some(from) = locales.iter().position(|other| other.code == code) else {
                break;
            };
            locales[at].fallbacks.push(from);
            let other = &locales[from];
            let lent: Vec<(String, Message)> = other
                .messages
                .iter()
                .map(|(key, word)| (key.clone(), word.clone()))
                .collect();
            for (key, word) in lent {
                let locale = &mut locales[at];
                if !locale.messages.contains_key(&key) {
                    locale.from_fallback.insert(key.clone(), code.to_owned());
                    locale.messages.insert(key, word);
                }
            }
        }
    }
}

/// `is_needed` tells whether the other language must have a message: not if the site does not show it, or shows another language's.
fn compare(
    default: &Locale,
    other: &Locale,
    is_needed: &dyn Fn(&str) -> bool,
    problems: &mut Problems,
) {
    for (key, message) in &default.messages {
        let Some(own) = other.messages.get(key) else {
            if !is_needed(key) {
                continue;
            }
            let problem = Problem::error(
                Code::MessageMissing,
                format!("the message `{key}` is missing in `{}`", other.code),
            )
            .at(Place::file(other.source.path.clone()))
            .hint(format!(
                "add `{key}: …` below `messages:`; in `{}` it is “{}”",
                default.code, message.value
            ));
            problems.push(problem);
            continue;
        };
        let (wanted, found) = (placeholders(message), placeholders(own));
        if wanted != found {
            // A message of the theme is in no file of the site, so the one that differs from it is named.
            let (blamed, span, than, takes) = if other.from_theme.contains(key) {
                (default, message.span, other, found)
            } else {
                (other, own.span, default, wanted)
            };
            let list = takes
                .iter()
                .map(|name| format!("`{{{name}}}`"))
                .collect::<Vec<_>>()
                .join(", ");
            let message = format!(
                "the message `{key}` has different placeholders in `{}`",
                than.code
            );
            let problem =
                Problem::error(Code::MessagePlaceholder, message).at(blamed.source.place(span));
            let problem = problem.hint(if list.is_empty() {
                "remove the placeholders".to_owned()
            } else {
                format!("use exactly these placeholders: {list}")
            });
            problems.push(problem);
        }
    }
    for (key, message) in other
        .own_messages()
        .filter(|(key, _)| !default.messages.contains_key(*key))
    {
        let problem = Problem::error(
            Code::MessageExtra,
            format!(
                "the message `{key}` does not exist in the default locale `{}`",
                default.code
            ),
        )
        .at(other.source.place(message.span))
        .maybe_hint(
            diagnostics::problem::did_you_mean(
                key,
                default
                    .messages
                    .keys()
                    .map(String::as_str)
                    .filter(|name| !other.messages.contains_key(*name)),
            )
            .filter(|hint| hint.starts_with("did")),
        );
        problems.push(problem);
    }
}

fn placeholders(message: &str) -> BTreeSet<&str> {
    if let Some(((_, texts), _)) = message
        .find('{')
        .and_then(|at| plural::parse(&message[at + 1..]))
    {
        return texts
            .into_iter()
            .flat_map(|(_, text)| placeholders(text))
            .collect();
    }
    placeholder_names(message).collect()
}

/// The names of the `{name}` placeholders of a text, in order.
pub fn placeholder_names(text: &str) -> impl Iterator<Item = &str> {
    text.split('{')
        .skip(1)
        .filter_map(|part| part.split_once('}'))
        .map(|(name, _)| name)
}

/// Fills the `{name}` placeholders of a message.
///
/// ```
/// assert_eq!(languages::locale::fill("© {year}", |name| (name == "year").then(|| "2025".into())), Ok("© 2025".to_owned()));
/// assert_eq!(languages::locale::fill("{n} articles", |_| None), Err("n".to_owned()));
/// ```
pub fn fill(message: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    filled(message, &value)
}

fn filled(message: &str, value: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        if let Some(((tag, texts), behind)) = plural::parse(after) {
            let number = value("count").ok_or_else(|| "count".to_owned())?;
            if number == "{count}" {
                // The number is filled in later, by a script.
                text.push('{');
                text.push_str(&after[..after.len() - behind.len()]);
                rest = behind;
                continue;
            }
            text.push_str(&filled(plural::chosen(tag, &texts, &number), value)?);
            rest = behind;
            continue;
        }
        let Some((name, behind)) = after.split_once('}') else {
            text.push('{');
            rest = after;
            continue;
        };
        text.push_str(&value(name).ok_or_else(|| name.to_owned())?);
        rest = behind;
    }
    text.push_str(rest);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locale(code: &str, messages: &str) -> Locale {
        let source = Arc::new(Source::new(
            Kind::Locale.file("", code),
            format!("name: x\nlanguage: {code}\nmessages:\n{messages}"),
        ));
        let mut problems = Problems::new();
        let file: LocaleFile = yaml::load(&source, &mut problems).expect("a locale");
        Locale::new(code, String::new()).with(file, source, &mut problems)
    }

    fn check(default: &str, other: &str, expect: &[&str]) {
        let mut problems = Problems::new();
        compare(
            &locale("en", default),
            &locale("es", other),
            &|key| key != "search",
            &mut problems,
        );
        assert_eq!(
            problems
                .iter()
                .map(|problem| problem.code.name())
                .collect::<Vec<_>>(),
            expect
        );
    }

    #[test]
    fn a_missing_message_is_reported() {
        check(
            "  menu: Menu\n  home: Home\n",
            "  menu: Menú\n",
            &["message-missing"],
        );
        check("  menu: Menu\n  search: Search\n", "  menu: Menú\n", &[]);
    }

    #[test]
    fn a_message_that_the_default_locale_lacks_is_reported() {
        check(
            "  menu: Menu\n",
            "  menu: Menú\n  menus: x\n",
            &["message-extra"],
        );
    }

    #[test]
    fn a_missing_message_falls_back_to_the_default_locale() {
        let (english, spanish) = (
            locale("en", "  menu: Menu\n  home: Home\n"),
            locale("es", "  menu: Menú\n"),
        );
        assert_eq!(spanish.word("menu", &english), Some("Menú"));
        assert_eq!(spanish.word("home", &english), Some("Home"));
        assert_eq!(spanish.word("close", &english), None);
    }

    #[test]
    fn a_word_for_one_of_an_earlier_version_is_the_text_for_one() {
        let words =
            "  case_studies_found: \"{count} studies\"\n  case_study_found: \"{count} study\"\n";
        for (code, expected) in [
            (
                "en",
                "{count, plural, en, one {{count} study} other {{count} studies}}",
            ),
            ("pl", "{count} studies"),
        ] {
            let locale = locale(code, words);
            assert_eq!(locale.word("case_studies_found", &locale), Some(expected));
            assert_eq!(locale.word("case_study_found", &locale), None);
        }
    }

    #[test]
    fn placeholders_must_agree() {
        check(
            "  c: \"© {year}\"\n",
            "  c: \"© {año}\"\n",
            &["message-placeholder"],
        );
        // Words beside a number: whether they have forms depends on the language.
        check(
            "  c: {one: study, other: studies}\n",
            "  c: estudios\n",
            &[],
        );
        check(
            "  c: {one: \"{count} study\", other: \"{count} studies\"}\n",
            "  c: estudios\n",
            &["message-placeholder"],
        );
    }
}
