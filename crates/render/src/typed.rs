//! Typed values in templates: printed, a value is text as the language writes it; its parts have names, such as
//! `price.currency` or `hours.rules`.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::Value;
use minijinja::value::{Enumerator, Object, ObjectRepr, Serde};

use config::SiteSettings;
use languages::locale::{Direction, Locale};
use schema::types::{DateTime, Typed};
use site::model::Site;

use super::lent;

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
            name => self.parts.get(name).cloned(),
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(
            std::iter::once("text")
                .chain(self.parts.keys().copied())
                .map(Value::from)
                .collect(),
        )
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }

    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

/// The target of a link to a value. Printed, it is its URL; macros find `href` in it, as in the link of an entry.
#[derive(Debug)]
struct Address {
    href: String,
    is_external: bool,
}

impl Object for Address {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        // For islands and filters it is a text.
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str()? {
            "href" => Some(Value::from(self.href.as_str())),
            "external" => Some(Value::from(self.is_external)),
            "hreflang" => Some(Value::from(())),
            _ => None,
        }
    }

    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.href)
    }
}

/// The URL of the target of a link to a typed value; `None` if it is something else.
pub(super) fn url(value: &Value) -> Option<&str> {
    value
        .downcast_object_ref::<Address>()
        .map(|address| address.href.as_str())
}

/// The form of a value that programs read; `None` if it is no typed value.
pub(super) fn machine(value: &Value) -> Option<String> {
    value
        .downcast_object_ref::<TypedObject>()
        .map(|value| value.machine.clone())
}

/// Whether a value is a typed one, which is printed as text.
pub(super) fn is_text(value: &Value) -> bool {
    value.downcast_object_ref::<TypedObject>().is_some()
}

/// A value for a template.
pub(super) fn value(settings: &SiteSettings, site: &Site, locale: usize, typed: &Typed) -> Value {
    let locale = &site.locales[locale];
    let parts = typed
        .parts()
        .into_iter()
        .map(|(name, part)| (name, Value::from(Serde(part))));
    let mut parts: BTreeMap<&'static str, Value> = parts.collect();
    match typed {
        Typed::DateTime(DateTime { day, .. }) => {
            drop(parts.insert("date", Value::from(locale.date(*day))));
        }
        Typed::Moment(when) => {
            drop(parts.insert("date", Value::from(locale.date(when.local().day))));
        }
        Typed::File(path, _) => {
            let length = site
                .static_files
                .iter()
                .find(|file| file.is(path))
                .map_or(0, |file| file.length);
            parts.insert("link", Value::from(settings.href(&format!("/{path}"))));
            parts.insert("bytes", Value::from(length));
            parts.insert("size", Value::from(locale.size(length)));
        }
        Typed::Hours(hours) => {
            let rules = locale.hours(hours).into_iter().map(|(days, times)| {
                Value::from(BTreeMap::from([
                    ("days", Value::from(days)),
                    ("times", Value::from(times)),
                ]))
            });
            parts.insert("rules", Value::from(rules.collect::<Vec<_>>()));
        }
        _ => {}
    }
    if let Some(link) = parts.get_mut("link") {
        *link = Value::from_object(Address {
            href: link.to_string(),
            is_external: matches!(typed, Typed::Embed(_)),
        });
    }
    let lender = if let Typed::Choice(choice) = typed {
        choice.lender(&locale.code, &locale.stand_ins)
    } else {
        None
    };
    let shown = lent::of_code(&isolated(locale, typed), lender, &site.locales);
    Value::from_object(TypedObject {
        shown,
        machine: typed.machine(),
        parts,
    })
}

/// A value as text. Between words that are written from right to left, the parts of a number and its unit would change places,
/// so it is isolated from them. A range of times reads as the words around it do.
fn isolated(locale: &Locale, typed: &Typed) -> String {
    let shown = locale.show(typed);
    if locale.direction == Direction::Rtl && typed.is_left_to_right() {
        format!("\u{2068}{shown}\u{2069}")
    } else {
        shown
    }
}
