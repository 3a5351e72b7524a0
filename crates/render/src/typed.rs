//! Typed values in templates: printed, a value is text as the language writes it; its parts have names, such as
//! `price.currency` or `hours.rules`.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::Value;
use minijinja::value::{Enumerator, Object};

use config::SiteSettings;
use languages::locale::{Direction, Locale};
use schema::types::{Typed, dialed};
use site::model::Site;

/// A value with its parts.
#[derive(Debug)]
struct TypedObject {
    shown: String,
    machine: String,
    parts: BTreeMap<&'static str, Value>,
}

impl Object for TypedObject {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str()? {
            "text" => Some(Value::from(self.shown.as_str())),
            "value" => Some(Value::from(self.machine.as_str())),
            name => self.parts.get(name).cloned(),
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(["text", "value"].into_iter().chain(self.parts.keys().copied()).map(Value::from).collect())
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }

    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

/// The form of a value that programs read; `None` if it is no typed value.
pub(super) fn machine(value: &Value) -> Option<String> {
    value.downcast_object_ref::<TypedObject>().map(|value| value.machine.clone())
}

/// Whether a value is a typed one, which is printed as text.
pub(super) fn is_text(value: &Value) -> bool {
    value.downcast_object_ref::<TypedObject>().is_some()
}

/// A value for a template.
pub(super) fn value(settings: &SiteSettings, site: &Site, locale: usize, typed: &Typed) -> Value {
    let locale = &site.locales[locale];
    let mut parts: BTreeMap<&'static str, Value> = BTreeMap::new();
    match typed {
        Typed::Date(date) => {
            parts.insert("year", Value::from(date.year()));
            parts.insert("month", Value::from(date.month()));
            parts.insert("day", Value::from(date.day()));
        }
        Typed::DateTime(date) => {
            parts.insert("date", Value::from(locale.date(date.day)));
            parts.insert("time", Value::from(date.clock()));
            parts.insert("year", Value::from(date.day.year()));
        }
        Typed::Moment(when) => {
            let local = when.local();
            parts.insert("date", Value::from(locale.date(local.day)));
            parts.insert("time", if when.is_day() { Value::from(()) } else { Value::from(local.clock()) });
            parts.insert("year", Value::from(local.day.year()));
            parts.insert("day", Value::from(local.day.to_string()));
        }
        Typed::Amount(amount) => {
            parts.insert("number", Value::from(amount.value.to_string()));
            parts.insert("currency", Value::from(amount.currency.as_str()));
        }
        Typed::Email(address) => drop(parts.insert("link", Value::from(format!("mailto:{address}")))),
        Typed::Phone(number) => drop(parts.insert("link", Value::from(format!("tel:{}", dialed(number))))),
        Typed::File(path, _) => {
            let length = site.static_files.iter().find(|file| file.is(path)).map_or(0, |file| file.length);
            let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
            parts.insert("link", Value::from(settings.href(&format!("/{path}"))));
            parts.insert("bytes", Value::from(length));
            parts.insert("size", Value::from(locale.size(length)));
            parts.insert("kind", Value::from(ending.to_uppercase()));
        }
        Typed::Hours(hours) => {
            let rules = locale.hours(hours).into_iter().map(|(days, times)| {
                Value::from(BTreeMap::from([("days", Value::from(days)), ("times", Value::from(times))]))
            });
            parts.insert("rules", Value::from(rules.collect::<Vec<_>>()));
        }
        Typed::Coordinates(place) => {
            parts.insert("latitude", Value::from(place.latitude.to_string()));
            parts.insert("longitude", Value::from(place.longitude.to_string()));
        }
        Typed::Embed(embed) => {
            parts.insert("link", Value::from(embed.url.as_str()));
            parts.insert("host", Value::from(embed.host()));
        }
        Typed::Duration(minutes) => drop(parts.insert("minutes", Value::from(minutes.0))),
        Typed::Decimal(_) | Typed::Reference(_) | Typed::Choice(_) => {}
    }
    Value::from_object(TypedObject { shown: isolated(locale, typed), machine: typed.machine(), parts })
}

/// A value as text. Between words that are written from right to left, the parts of a number and its unit would change places,
/// so it is isolated from them. A range of times reads as the words around it do.
fn isolated(locale: &Locale, typed: &Typed) -> String {
    let shown = locale.show(typed);
    let has_direction = matches!(
        typed,
        Typed::Amount(_) | Typed::Coordinates(_) | Typed::Decimal(_) | Typed::Duration(_) | Typed::Phone(_)
    );
    if locale.direction == Direction::Rtl && has_direction { format!("\u{2068}{shown}\u{2069}") } else { shown }
}
