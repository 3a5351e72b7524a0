//! The structured data of an entry's page: the YAML beside its fields in the schema of its collection, with its
//! placeholders filled in.
//!
//! A text that is one placeholder takes the value as it is: references become the `@id` of the page of the entry, opening
//! hours become `OpeningHoursSpecification`, a list stays a list. A property without a value is left out.

use serde_json::{Map, Value as Json, json};

use content::collections::NAMES;
use languages::locale::fill;
use schema::types::{Hours, Reference, Typed};
use site::model::collections::plain;
use site::model::{EntryId, Field};

use super::super::asked::record_path;
use super::super::values::Values;

/// Days of the week as schema.org names them, from Monday.
const DAYS: [&str; 8] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "PublicHolidays",
];
/// The fragment of the address that identifies the thing that an entry's page is about.
const FRAGMENT: &str = "#entry";

/// The node of an entry; `None` if its collection declares no structured data.
pub(super) fn node(values: &Values, id: EntryId) -> Option<Json> {
    let schema = values.site.collections.list[id.collection].schema;
    let Json::Object(declared) = schema.structured_data.as_ref()? else {
        return None;
    };
    let mut node = Map::from_iter([("@id".to_owned(), Json::from(entry_id(values, id)?))]);
    for (key, pattern) in declared {
        if let Some(value) = filled(values, id, pattern) {
            node.insert(key.clone(), value);
        }
    }
    Some(Json::Object(node))
}

/// The `@id` of an entry with a page.
fn entry_id(values: &Values, id: EntryId) -> Option<String> {
    let page = values
        .routes
        .page(&values.site.collections.page_key(id), values.locale)?;
    Some(values.routes.absolute(&values.site.pages[page].path) + FRAGMENT)
}

fn filled(values: &Values, id: EntryId, pattern: &Json) -> Option<Json> {
    match pattern {
        Json::String(text) => match text
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
        {
            Some(path)
                if !path.contains(['{', '}']) && values.settings.placeholder(path).is_none() =>
            {
                whole(values, id, path)
            }
            _ => text_of(values, id, text).map(Json::from),
        },
        Json::Array(items) => {
            let items: Vec<Json> = items
                .iter()
                .filter_map(|item| filled(values, id, item))
                .collect();
            (!items.is_empty()).then_some(Json::Array(items))
        }
        Json::Object(entries) => {
            let filled = entries
                .iter()
                .filter_map(|(key, value)| Some((key.clone(), filled(values, id, value)?)));
            let map: Map<String, Json> = filled.collect();
            // A block of which only its type is left tells nothing.
            let is_empty = map.keys().all(|key| key.starts_with('@')) && entries.len() > map.len();
            (!is_empty).then_some(Json::Object(map))
        }
        other => Some(other.clone()),
    }
}

/// A text with its placeholders filled in; `None` if one has no value.
fn text_of(values: &Values, id: EntryId, pattern: &str) -> Option<String> {
    let locale = (values.locale, &values.site.locales[values.locale]);
    fill(pattern, |name: &str| {
        // A reference stands for the name of its entry.
        for path in
            std::iter::once(name.to_owned()).chain(NAMES.iter().map(|own| format!("{name}.{own}")))
        {
            record_path(&values.site.collections, values.locale, id, &path);
        }
        values
            .site
            .collections
            .value(id, &locale, name)
            .or_else(|| values.settings.placeholder(name).map(Into::into))
    })
    .ok()
}

/// The value at a path, in the form that schema.org has for it.
fn whole(values: &Values, id: EntryId, path: &str) -> Option<Json> {
    let (name, rest) = path
        .split_once('.')
        .map_or((path, None), |(name, rest)| (name, Some(rest)));
    record_path(&values.site.collections, values.locale, id, name);
    let text = values.site.collections.text(id, values.locale)?;
    let Some(field) = text.fields.get(name) else {
        return matches!(path, "slug" | "key")
            .then(|| text_of(values, id, &format!("{{{path}}}")).map(Json::from))?;
    };
    let found = of_field(values, field, rest);
    match (field, found.len()) {
        (_, 0) => None,
        (Field::List(_), _) | (_, 2..) => Some(Json::Array(found)),
        _ => found.into_iter().next(),
    }
}

fn of_field(values: &Values, field: &Field, rest: Option<&str>) -> Vec<Json> {
    match (field, rest) {
        (Field::List(items), _) => items
            .iter()
            .flat_map(|item| of_field(values, item, rest))
            .collect(),
        (Field::Map(_), Some(rest)) => {
            let (name, rest) = rest
                .split_once('.')
                .map_or((rest, None), |(name, rest)| (name, Some(rest)));
            field
                .get(name)
                .map(|field| of_field(values, field, rest))
                .unwrap_or_default()
        }
        (Field::Typed(typed), rest) => of_typed(values, typed, rest),
        (Field::Number(number), None) => vec![Json::from(*number)],
        (Field::Bool(value), None) => vec![Json::from(*value)],
        (Field::Rich(rich), None) => vec![Json::from(values.html(rich))],
        (Field::Link(target), None) => {
            let link = values.link(&target.to);
            let href = if link.external {
                link.href
            } else {
                values.routes.absolute_href(&link.href)
            };
            vec![Json::from(href)]
        }
        (Field::Image(picture), None) => {
            let prepared = values.manifest.images.get(&picture.src);
            prepared
                .map(|image| Json::from(values.routes.absolute_href(&image.src)))
                .into_iter()
                .collect()
        }
        (field, None) => plain(field).map(Json::from).into_iter().collect(),
        (_, Some(_)) => Vec::new(),
    }
}

fn of_typed(values: &Values, typed: &Typed, rest: Option<&str>) -> Vec<Json> {
    match (typed, rest) {
        (Typed::Reference(Reference { to, key, .. }), rest) => {
            let Some(id) = values.site.collections.find(to, key) else {
                return Vec::new();
            };
            match rest {
                Some(path) => whole(values, id, path).into_iter().collect(),
                // An entry without a page has no identity on the web, so its name is all there is.
                None => match entry_id(values, id) {
                    Some(id) => vec![json!({"@id": id})],
                    None => NAMES
                        .iter()
                        .find_map(|path| whole(values, id, path))
                        .into_iter()
                        .collect(),
                },
            }
        }
        (Typed::Hours(hours), None) => specifications(hours),
        (Typed::Coordinates(place), None) => vec![json!({
            "@type": "GeoCoordinates",
            "latitude": place.latitude.to_string(),
            "longitude": place.longitude.to_string(),
        })],
        (Typed::Amount(amount), None) => vec![json!({
            "@type": "MonetaryAmount",
            "value": amount.value.to_string(),
            "currency": amount.currency,
        })],
        (Typed::File(path, _), None) => {
            vec![Json::from(values.routes.absolute(&format!("/{path}")))]
        }
        (Typed::Moment(when), None) if !when.is_day() => {
            vec![Json::from(when.stamp(&values.settings.timezone))]
        }
        (Typed::DateTime(at), None) => vec![Json::from(values.settings.timezone.stamp(*at))],
        (typed, None) => vec![Json::from(typed.machine())],
        (typed, Some(part)) => {
            let part = typed
                .parts()
                .into_iter()
                .find(|(name, _)| *name == part)
                .map(|(_, part)| part);
            part.filter(|part| !part.is_null()).into_iter().collect()
        }
    }
}

fn specifications(hours: &Hours) -> Vec<Json> {
    let open = hours.0.iter().flat_map(|rule| {
        let days: Vec<&str> = rule.days.iter().filter_map(|day| DAYS.get(usize::from(*day)).copied()).collect();
        // Without times, it is closed.
        let closed = rule.times.is_empty().then(|| json!({"@type": "OpeningHoursSpecification", "dayOfWeek": days}));
        let open = rule.times.iter().map(move |(opens, closes)| {
            // The day ends at 23:59 where it has no end.
            let closes = if *closes == 24 * 60 { "23:59".to_owned() } else { clock(*closes) };
            json!({"@type": "OpeningHoursSpecification", "dayOfWeek": days, "opens": clock(*opens), "closes": closes})
        });
        open.chain(closed)
    });
    open.collect()
}

/// A time of day, as `09:30`.
fn clock(minutes: u16) -> String {
    format!("{:02}:{:02}", minutes % (24 * 60) / 60, minutes % 60)
}
