//! The parts of typed values, which patterns and templates name: `{start.year}`, `{where.latitude}`.

use serde_json::{Value as Json, json};

use diagnostics::problem::Span;

use super::{FieldType, Typed, dialed};

impl FieldType {
    /// The names of the parts of a value.
    ///
    /// # Panics
    ///
    /// Never: a test reads the example of each type.
    pub fn parts(self) -> Vec<&'static str> {
        let example = self
            .parse(self.example(), Span::default())
            .expect("a test reads the example");
        example.parts().into_iter().map(|(name, _)| name).collect()
    }
}

impl Typed {
    /// The parts of the value that are the same in all languages, as numbers and texts; null for one that it lacks. A date is
    /// in ISO 8601.
    pub fn parts(&self) -> Vec<(&'static str, Json)> {
        let value = json!(self.machine());
        let own = match self {
            Typed::Date(date) => {
                vec![
                    ("year", json!(date.year())),
                    ("month", json!(date.month())),
                    ("day", json!(date.day())),
                ]
            }
            Typed::DateTime(at) => {
                let date = json!(at.day.to_string());
                vec![
                    ("date", date),
                    ("time", json!(at.clock())),
                    ("year", json!(at.day.year())),
                ]
            }
            Typed::Moment(when) => {
                let (local, time) = (when.local(), (!when.is_day()).then(|| when.local().clock()));
                let (day, year) = (json!(local.day.to_string()), json!(local.day.year()));
                vec![
                    ("date", day.clone()),
                    ("time", json!(time)),
                    ("year", year),
                    ("day", day),
                ]
            }
            Typed::Amount(amount) => {
                vec![
                    ("number", json!(amount.value.to_string())),
                    ("currency", json!(amount.currency)),
                ]
            }
            Typed::Email(address) => vec![("link", json!(format!("mailto:{address}")))],
            Typed::Phone(number) => vec![("link", json!(format!("tel:{}", dialed(number))))],
            Typed::File(path, _) => {
                let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
                vec![("kind", json!(ending.to_uppercase()))]
            }
            Typed::Coordinates(place) => {
                vec![
                    ("latitude", json!(place.latitude.to_string())),
                    ("longitude", json!(place.longitude.to_string())),
                ]
            }
            Typed::Embed(embed) => vec![("link", json!(embed.url)), ("host", json!(embed.host()))],
            Typed::Duration(minutes) => vec![("minutes", json!(minutes.0))],
            Typed::Decimal(_) | Typed::Hours(_) | Typed::Reference(_) | Typed::Choice(_) => {
                Vec::new()
            }
        };
        std::iter::once(("value", value)).chain(own).collect()
    }

    /// A part as text; `None` if the value lacks it.
    pub fn part(&self, name: &str) -> Option<String> {
        match self
            .parts()
            .into_iter()
            .find(|(known, _)| *known == name)?
            .1
        {
            Json::Null => None,
            Json::String(text) => Some(text),
            other => Some(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_parts() {
        let types = [
            (FieldType::Date, "value, year, month, day"),
            (FieldType::DateTime, "value, date, time, year"),
            (FieldType::Moment, "value, date, time, year, day"),
            (FieldType::Decimal, "value"),
            (FieldType::Amount, "value, number, currency"),
            (FieldType::Email, "value, link"),
            (FieldType::Phone, "value, link"),
            (FieldType::File, "value, kind"),
            (FieldType::Hours, "value"),
            (FieldType::Coordinates, "value, latitude, longitude"),
            (FieldType::Duration, "value, minutes"),
            (FieldType::Embed, "value, link, host"),
        ];
        for (kind, expected) in types {
            assert_eq!(kind.parts().join(", "), expected, "{kind:?}");
        }
        let known = types.map(|(kind, _)| kind);
        assert!(FieldType::all().all(|kind| known.contains(&kind)));
    }

    #[test]
    fn a_part_is_a_text() {
        let part = |kind: FieldType, name: &str| {
            kind.parse(kind.example(), Span::default())
                .expect("an example")
                .part(name)
        };
        assert_eq!(
            part(FieldType::Coordinates, "longitude").as_deref(),
            Some("-3.7038")
        );
        assert_eq!(part(FieldType::Moment, "year").as_deref(), Some("2027"));
        assert_eq!(
            part(FieldType::Phone, "link").as_deref(),
            Some("tel:+34910000000")
        );
        assert_eq!(part(FieldType::Date, "time"), None);
        let day = FieldType::Moment
            .parse("2027-01-15", Span::default())
            .expect("a day");
        assert_eq!(
            (day.part("time"), day.part("day").as_deref()),
            (None, Some("2027-01-15"))
        );
    }
}
