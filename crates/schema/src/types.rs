//! Types of content fields: links, Markdown, images, dates, slugs, and values per locale.
//!
//! Links, Markdown and images keep their span in the source file, so that a dead link is reported at its column. When
//! a section is converted to the tree for templates (the model of `site`), they serialize as marked objects that the
//! walk over the tree recognizes. So the checks cover every field of every section, including future ones.

mod callout;
mod date;
mod focus;
mod language;
mod names;
mod one_or_more;
mod slug;
mod typed;
mod zone;

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::civil;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use diagnostics::marks::without;
use diagnostics::problem::Span;
use diagnostics::yaml::Spanned;

pub use callout::Callout;
pub use date::{DateTime, Moment, duration_words};
pub use focus::Focus;
pub use language::{Customs, Tag, name_of};
pub use names::{
    RESERVED_FOLDERS, alike, composed, folded, is_key, is_of_key, joined, one_file, reserved_folder,
};
pub use one_or_more::OneOrMore;
pub use slug::{Slug, caseless, has_dotless_i, is_mark, lower_case};
pub use typed::{
    Choice, Coordinates, Decimal, Embed, FieldType, Hours, Minutes, OpenRule, Reference, TYPED,
    Typed, dialed,
};
pub use zone::{Absence, Dates, Scheduled, When, Zone};

/// Marks a [`Link`] in a serialized section.
pub const LINK: &str = "$link";
/// Marks a [`Markdown`] text in a serialized section.
pub const MARKDOWN: &str = "$markdown";
/// Marks a [`Label`] in a serialized section.
pub const LABEL: &str = "$label";
/// Marks a [`Token`] in a serialized section.
pub const TOKEN: &str = "$token";
/// Marks an [`Image`] in a serialized section.
pub const IMAGE: &str = "$image";

/// A link target as written: `page:<key>#anchor`, a path, `#anchor`, or an external URL.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Link(pub Spanned<String>);

/// Markdown text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Markdown(pub Spanned<String>);

/// A text that pages show, with its span. Plain texts that need no span are a `String`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Label(pub Spanned<String>);

/// The name of a design token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// Its group, such as `color`.
    pub group: String,
    /// Its name, such as `ink`.
    pub name: String,
    /// The place of the name in the file.
    pub span: Span,
}

/// A picture below `content/images/` and what it shows.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(extend("format" = "picture"))]
pub struct Image {
    /// Path below `content/images/`.
    pub src: Spanned<String>,
    /// A description of the image, in the page's language.
    pub alt: Option<String>,
    /// Adds nothing to the text, so screen readers skip it. The default for `figures/` without `alt`.
    #[serde(default)]
    pub decorative: bool,
    /// The point to keep in view when a layout crops the image, measured from the left and the top: `[0.3, 0.6]`.
    pub focus: Option<Focus>,
}

/// The folder of drawings that belong to the theme and repeat what the text says.
const FIGURES: &str = "figures/";

impl Image {
    /// Whether screen readers pass it over.
    pub fn is_decorative(&self) -> bool {
        self.decorative || self.alt.is_none() && self.src.value.starts_with(FIGURES)
    }
}

/// A link with its words.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
pub struct Action {
    /// The text of the link.
    pub label: String,
    /// The target.
    pub to: Link,
}

/// A calendar date in the years 0 to 9999, written `2025-03-31`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date(civil::Date);

impl Date {
    /// The year.
    pub fn year(self) -> u16 {
        self.0.year().unsigned_abs()
    }

    /// The month, from 1.
    pub fn month(self) -> u8 {
        self.0.month().unsigned_abs()
    }

    /// The day of the month, from 1.
    pub fn day(self) -> u8 {
        self.0.day().unsigned_abs()
    }

    /// The day before; of the first day that there is, `None`.
    pub fn day_before(self) -> Option<Date> {
        self.0.yesterday().ok().map(Date)
    }

    /// Parses `2025-03-31`; `None` for a date that does not exist.
    ///
    /// ```
    /// use schema::types::Date;
    /// assert_eq!(Date::parse("2024-02-29").map(|date| date.to_string()).as_deref(), Some("2024-02-29"));
    /// assert_eq!(Date::parse("2023-02-29"), None);
    /// assert_eq!(Date::parse("2023-2-09"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Date> {
        // The calendar begins with the year 1.
        (Date::is_written(text) && !text.starts_with("0000")).then(|| {
            civil::Date::new(
                text[..4].parse().ok()?,
                text[5..7].parse().ok()?,
                text[8..].parse().ok()?,
            )
            .ok()
            .map(Date)
        })?
    }

    /// Whether a text has the form of a date; the date need not exist.
    pub fn is_written(text: &str) -> bool {
        text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    }
}

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
        let text = without(&String::deserialize(deserializer)?);
        Date::parse(&text).ok_or_else(|| {
            serde::de::Error::custom(format!(
                "`{text}` is not a date: write the year, month and day, as in `2025-03-31`"
            ))
        })
    }
}

/// A value per locale, by locale code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Localized<T>(
    pub BTreeMap<String, T>,
    /// The locales that have the value of another one, each with that one.
    BTreeMap<String, String>,
);

impl<T> From<BTreeMap<String, T>> for Localized<T> {
    fn from(values: BTreeMap<String, T>) -> Self {
        Localized(values, BTreeMap::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Localized<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BTreeMap::deserialize(deserializer).map(Localized::from)
    }
}

impl<T: Serialize> Serialize for Localized<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<T: JsonSchema> JsonSchema for Localized<T> {
    fn inline_schema() -> bool {
        <BTreeMap<String, T>>::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        <BTreeMap<String, T>>::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        <BTreeMap<String, T>>::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        <BTreeMap<String, T>>::json_schema(generator)
    }
}

impl<T> Default for Localized<T> {
    fn default() -> Self {
        Localized(BTreeMap::new(), BTreeMap::new())
    }
}

impl<T> Localized<T> {
    /// The value for a locale.
    pub fn get(&self, locale: &str) -> Option<&T> {
        self.0.get(locale)
    }

    /// Adds the value of a locale, and the locale that lends it.
    pub fn add(&mut self, locale: &str, value: T, lender: Option<&str>) {
        self.0.insert(locale.to_owned(), value);
        if let Some(lender) = lender {
            self.1.insert(locale.to_owned(), lender.to_owned());
        }
    }

    /// Gives a locale the value of another one if it has none. An empty value is none of any locale, so it stays empty.
    pub fn lend(&mut self, locale: &str, from: &str)
    where
        T: Clone,
    {
        if let (false, Some(value)) = (self.0.contains_key(locale), self.0.get(from)) {
            self.0.insert(locale.to_owned(), value.clone());
            self.1.insert(locale.to_owned(), from.to_owned());
        }
    }

    /// The locale whose value a locale has, if it has none itself.
    pub fn lender(&self, locale: &str) -> Option<&str> {
        self.1.get(locale).map(String::as_str)
    }
}

fn marked<S: Serializer, V: Serialize>(
    serializer: S,
    mark: &'static str,
    value: &V,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(mark, value)?;
    map.end()
}

impl Serialize for Link {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        marked(serializer, LINK, &self.0)
    }
}

impl Serialize for Markdown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        marked(serializer, MARKDOWN, &self.0)
    }
}

impl std::ops::Deref for Label {
    type Target = Spanned<String>;

    fn deref(&self) -> &Spanned<String> {
        &self.0
    }
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        marked(serializer, LABEL, &self.0)
    }
}

impl Serialize for Image {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        marked(
            serializer,
            IMAGE,
            &(
                &self.src.value,
                self.src.span,
                &self.alt,
                self.is_decorative(),
                self.focus,
            ),
        )
    }
}

/// The form of a day or a time as it is written.
pub const MOMENT: &str = r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})?)?$";

/// Implements [`JsonSchema`] for types that are written as text. A `format` distinguishes them from plain text; a `pattern` is
/// the form that the text has.
macro_rules! described {
    ($type:ty, $keyword:literal: $value:expr) => {
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", $keyword: $value })
            }
        }
    };
}

described!(Link, "format": "link");
described!(Markdown, "format": "markdown");
described!(Date, "pattern": r"^\d{4}-\d{2}-\d{2}$");
described!(DateTime, "pattern": r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?$");
described!(When, "pattern": MOMENT);
