//! Locales of the site: names and interface messages, from `content/locales/<code>.yaml`.
//!
//! For some languages the theme has such a file. The site's own file then holds only what it changes, and need not exist.

mod format;
pub mod typography;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::content_types::Date;
use crate::files::FileSet;
use crate::theme::Theme;
use api_types::leads::LeadErrorCode;
use diagnostics::marks::{Marks, TextOrigin};
use diagnostics::problem::{Code, Place, Problem, Problems, Source};
use diagnostics::yaml::{self, Spanned};

use typography::Typography;

/// A locale.
#[derive(Debug, Clone)]
pub struct Locale {
    /// Code, which is part of file names and the URL prefix, e.g. `es`.
    pub code: String,
    /// Name of the language in that language, e.g. `Español`.
    pub name: String,
    /// BCP 47 tag for `lang` and `hreflang`.
    pub language: String,
    /// Writing direction.
    pub direction: Direction,
    /// Interface messages by key.
    pub messages: BTreeMap<String, Message>,
    /// Date pattern with `{day}`, `{month}` and `{year}`.
    pub date: Option<String>,
    /// Names of the months, starting with January.
    pub months: Vec<String>,
    /// Short names of the days of the week, starting with Monday; empty if the file has none.
    pub weekdays: Vec<String>,
    /// How the language writes quotes, numbers and dashes.
    pub typography: Typography,
    /// The file could not be read, which was reported: its messages are unknown rather than missing.
    pub broken: bool,
    /// The messages that come from the theme, whose places are in no file of the site.
    from_theme: BTreeSet<String>,
    source: Arc<Source>,
}

impl Locale {
    /// A placeholder for a locale whose file could not be read, so that everything else is still checked.
    fn broken(code: &str) -> Locale {
        let source = Arc::new(Source { path: format!("content/locales/{code}.yaml"), text: String::new() });
        let code = code.to_owned();
        Locale {
            name: code.clone(),
            language: code.clone(),
            code,
            direction: Direction::Ltr,
            messages: BTreeMap::new(),
            date: None,
            months: Vec::new(),
            weekdays: Vec::new(),
            typography: Typography::default(),
            broken: true,
            from_theme: BTreeSet::new(),
            source,
        }
    }

    /// The locale of a complete file.
    fn whole(code: &str, file: LocaleFile, source: Arc<Source>) -> Locale {
        Locale {
            code: code.to_owned(),
            name: file.name,
            language: file.language,
            direction: file.direction,
            messages: file.messages,
            date: file.date,
            months: file.months,
            weekdays: file.weekdays,
            typography: file.typography,
            broken: false,
            from_theme: BTreeSet::new(),
            source,
        }
    }

    /// The locale of the theme with the values of the site's own file, whose text is `source`.
    fn changed(mut self, file: LocaleChanges, source: Arc<Source>) -> Locale {
        self.from_theme = self.messages.keys().filter(|key| !file.messages.contains_key(*key)).cloned().collect();
        self.messages.extend(file.messages);
        Locale {
            name: file.name.unwrap_or(self.name),
            language: file.language.unwrap_or(self.language),
            direction: file.direction.unwrap_or(self.direction),
            date: file.date.or(self.date),
            months: file.months.unwrap_or(self.months),
            weekdays: file.weekdays.unwrap_or(self.weekdays),
            typography: file.typography.unwrap_or(self.typography),
            source,
            ..self
        }
    }
}

impl Locale {
    /// An interface message. Falls back to the default locale if it is missing, which [`load`] reported.
    pub fn word<'a>(&'a self, key: &str, default: &'a Locale) -> Option<&'a str> {
        self.messages.get(key).or_else(|| default.messages.get(key)).map(|message| message.value.as_str())
    }

    /// Like [`Locale::word`], for the messages that Rust code reads.
    pub fn own_word<'a>(&'a self, word: Word, default: &'a Locale) -> Option<&'a str> {
        self.word(word.key(), default)
    }

    /// The messages of the site's own file.
    pub fn own_messages(&self) -> impl Iterator<Item = (&String, &Message)> {
        self.messages.iter().filter(|(key, _)| !self.from_theme.contains(*key))
    }

    /// Marks its name and its messages with where they are written.
    pub(crate) fn mark(&mut self, marks: &Marks, theme: Option<&Arc<Source>>) {
        let node = yaml::parse(&self.source, 0..self.source.text.len());
        if let Some(name) = node.as_ref().ok().and_then(|node| node.get("name")) {
            self.name = marks.marked(TextOrigin::Written(Arc::clone(&self.source), name.span), &self.name);
        }
        for (key, message) in &mut self.messages {
            let source = if self.from_theme.contains(key) { theme } else { Some(&self.source) };
            let Some(source) = source else { continue };
            message.value = marks.marked(TextOrigin::Written(Arc::clone(source), message.span), &message.value);
        }
    }

    /// The path and text of the file.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Formats a date with the locale's pattern; as `2025-03-14` if it has none.
    pub fn date(&self, day: Date) -> String {
        let month = self.months.get(usize::from(day.month()) - 1);
        let written = self.date.as_ref().zip(month).map(|(pattern, month)| {
            let pattern = pattern.replace("{year}", &day.year().to_string()).replace("{day}", &day.day().to_string());
            pattern.replace("{month}", month)
        });
        written.unwrap_or_else(|| day.to_string())
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
            Word::CalloutNote => "callout_note",
            Word::CalloutTip => "callout_tip",
            Word::CalloutImportant => "callout_important",
            Word::CalloutWarning => "callout_warning",
            Word::CalloutCaution => "callout_caution",
        }
    }
}

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

/// A file for a language that the theme does not have.
#[derive(Deserialize)]
struct LocaleFile {
    /// Name of the language in that language.
    name: String,
    /// BCP 47 tag, such as `en` or `pt-BR`.
    language: String,
    /// Writing direction.
    #[serde(default)]
    direction: Direction,
    /// Date pattern with `{day}`, `{month}` and `{year}`.
    date: Option<String>,
    /// Names of the months, starting with January.
    #[serde(default)]
    months: Vec<String>,
    /// Short names of the days of the week, starting with Monday, for opening hours.
    #[serde(default)]
    weekdays: Vec<String>,
    /// How the language writes quotes, numbers and dashes.
    #[serde(default)]
    typography: Typography,
    /// Interface messages by key.
    messages: BTreeMap<String, Message>,
}

/// A file for a language that the theme has as well.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct LocaleChanges {
    /// Name of the language in that language.
    name: Option<String>,
    /// BCP 47 tag, such as `en` or `pt-BR`.
    language: Option<String>,
    /// Writing direction.
    direction: Option<Direction>,
    /// Date pattern with `{day}`, `{month}` and `{year}`.
    date: Option<String>,
    /// Names of the months, starting with January.
    months: Option<Vec<String>>,
    /// Short names of the days of the week, starting with Monday, for opening hours.
    weekdays: Option<Vec<String>>,
    /// How the language writes quotes, numbers and dashes.
    typography: Option<Typography>,
    /// Interface messages by key.
    messages: BTreeMap<String, Message>,
}

/// Reads the locales that `site.yaml` lists, in its order, and compares their messages with those of the first. `is_asked` tells
/// whether the site shows a message; one that it does not show may be missing in other languages.
pub fn load(
    root: &FileSet,
    codes: &[String],
    theme: &Theme,
    is_asked: &dyn Fn(&str) -> bool,
) -> (Vec<Locale>, Problems) {
    let mut problems = Problems::new();
    let mut locales = Vec::new();
    for code in codes {
        let name = format!("content/locales/{code}.yaml");
        let path = root.join(&name);
        let of_theme = theme.source(&name).and_then(|source| {
            let file = yaml::load::<LocaleFile>(&source, &mut problems)?;
            Some(Locale::whole(code, file, source))
        });
        if !root.exists(&path) {
            locales.push(of_theme.unwrap_or_else(|| {
                let message = format!("`site.yaml` lists the locale `{code}`, but this file does not exist");
                let hint = if theme.version().is_empty() {
                    "copy the default locale's file and translate it".to_owned()
                } else {
                    format!("copy it from another language and translate it: `sitegen new locale {code}`")
                };
                problems.push(Problem::error(Code::LocaleMissing, message).at(Place::file(name.as_str())).hint(hint));
                Locale::broken(code)
            }));
            continue;
        }
        let Ok(source) = root.read_text(&path).map_err(|problem| problems.push(problem)) else {
            locales.push(Locale::broken(code));
            continue;
        };
        let locale = match of_theme {
            Some(of_theme) => yaml::load::<LocaleChanges>(&source, &mut problems)
                .map(|file| of_theme.changed(file, Arc::clone(&source))),
            None => yaml::load::<LocaleFile>(&source, &mut problems).map(|file| Locale::whole(code, file, source)),
        };
        locales.push(locale.unwrap_or_else(|| Locale::broken(code)));
    }
    for (index, locale) in locales.iter().enumerate().filter(|(_, locale)| !locale.broken) {
        locale.typography.check(&locale.source, &mut problems);
        let is_tag = |tag: &str| {
            let mut parts = tag.split('-');
            parts
                .next()
                .is_some_and(|first| (2..=3).contains(&first.len()) && first.chars().all(|c| c.is_ascii_alphabetic()))
                && parts.all(|part| (2..=8).contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphanumeric()))
        };
        let why = if !is_tag(&locale.language) {
            format!("`{}` is not a language tag", locale.language)
        } else if let Some(other) =
            locales[..index].iter().find(|other| other.language.eq_ignore_ascii_case(&locale.language))
        {
            format!("`{}` and `{}` have the same language tag", other.code, locale.code)
        } else {
            continue;
        };
        let place = Place::file(locale.source.path.clone());
        problems
            .push(Problem::error(Code::InvalidValue, why).at(place).hint("write a tag such as `en`, `es` or `pt-BR`"));
    }
    if let Some((default, others)) = locales.split_first().filter(|(default, _)| !default.broken) {
        for other in others.iter().filter(|other| !other.broken) {
            compare(default, other, is_asked, &mut problems);
        }
    }
    (locales, problems)
}

fn compare(default: &Locale, other: &Locale, is_asked: &dyn Fn(&str) -> bool, problems: &mut Problems) {
    for (key, message) in &default.messages {
        let Some(own) = other.messages.get(key) else {
            if !is_asked(key) {
                continue;
            }
            let problem =
                Problem::error(Code::MessageMissing, format!("the word `{key}` is missing in `{}`", other.code))
                    .at(Place::file(other.source.path.clone()))
                    .hint(format!("add `{key}: …` below `messages:`; in `{}` it is “{}”", default.code, message.value));
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
            let list = takes.iter().map(|name| format!("`{{{name}}}`")).collect::<Vec<_>>().join(", ");
            let message = format!("the word `{key}` has other placeholders than in `{}`", than.code);
            let problem = Problem::error(Code::MessagePlaceholder, message).at(blamed.source.place(span));
            let problem =
                problem.hint(if list.is_empty() { "it takes none".to_owned() } else { format!("it takes {list}") });
            problems.push(problem);
        }
    }
    for (key, message) in other.own_messages().filter(|(key, _)| !default.messages.contains_key(*key)) {
        let problem = Problem::error(
            Code::MessageExtra,
            format!("the word `{key}` does not exist in the default locale `{}`", default.code),
        )
        .at(other.source.place(message.span))
        .maybe_hint(
            diagnostics::problem::did_you_mean(
                key,
                default.messages.keys().map(String::as_str).filter(|name| !other.messages.contains_key(*name)),
            )
            .filter(|hint| hint.starts_with("did")),
        );
        problems.push(problem);
    }
}

fn placeholders(message: &str) -> BTreeSet<&str> {
    message.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name).collect()
}

/// Fills the `{name}` placeholders of a message.
///
/// ```
/// assert_eq!(generator::locale::fill("© {year}", |name| (name == "year").then(|| "2025".into())), Ok("© 2025".to_owned()));
/// assert_eq!(generator::locale::fill("{n} articles", |_| None), Err("n".to_owned()));
/// ```
pub fn fill(message: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
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
        let source = Arc::new(Source {
            path: format!("content/locales/{code}.yaml"),
            text: format!("name: x\nlanguage: {code}\nmessages:\n{messages}"),
        });
        let mut problems = Problems::new();
        let file: LocaleFile = yaml::load(&source, &mut problems).expect("a locale");
        Locale::whole(code, file, source)
    }

    fn check(default: &str, other: &str, expect: &[&str]) {
        let mut problems = Problems::new();
        compare(&locale("en", default), &locale("es", other), &|key| key != "search", &mut problems);
        assert_eq!(problems.iter().map(|problem| problem.code.name()).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn a_missing_message_is_reported() {
        check("  menu: Menu\n  home: Home\n", "  menu: Menú\n", &["message-missing"]);
        check("  menu: Menu\n  search: Search\n", "  menu: Menú\n", &[]);
    }

    #[test]
    fn a_message_that_the_default_locale_lacks_is_reported() {
        check("  menu: Menu\n", "  menu: Menú\n  menus: x\n", &["message-extra"]);
    }

    #[test]
    fn a_missing_message_falls_back_to_the_default_locale() {
        let (english, spanish) = (locale("en", "  menu: Menu\n  home: Home\n"), locale("es", "  menu: Menú\n"));
        assert_eq!(spanish.word("menu", &english), Some("Menú"));
        assert_eq!(spanish.word("home", &english), Some("Home"));
        assert_eq!(spanish.word("close", &english), None);
    }

    #[test]
    fn placeholders_must_agree() {
        check("  c: \"© {year}\"\n", "  c: \"© {año}\"\n", &["message-placeholder"]);
    }
}
