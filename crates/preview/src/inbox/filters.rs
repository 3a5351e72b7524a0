//! The filters of a list, as they are in its address: `?form=visit&status=spam&from=2027-01-31&q=ana`.

use std::fmt::Write as _;

use minijinja::Value;

use api::clock::day;
use api::leads::{Facets, Filter, Status};

use super::words::Language;

/// The value that stands for the lead form, which has no name. No form has such a name.
const LEAD_FORM: &str = "-";

/// The query of a URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Asked {
    pub filter: Filter,
    /// The days as they were typed.
    from: String,
    to: String,
    /// The id of a lead: only older ones are listed.
    pub before: Option<String>,
    /// The name of what happened before.
    pub notice: Option<String>,
    /// Whether a day is not one.
    pub is_wrong: bool,
}

fn option(value: &str, label: &str, is_chosen: bool) -> Value {
    minijinja::context! { value => value, label => label, is_chosen => is_chosen }
}

/// All known values, and the chosen one even if it is not known.
fn with_chosen(known: &[String], chosen: Option<&String>) -> Vec<String> {
    let mut all = known.to_vec();
    all.extend(chosen.filter(|chosen| !known.contains(chosen)).cloned());
    all
}

impl Asked {
    /// Reads a query, with days of a time zone. Empty values ask for nothing, as forms send all their fields.
    pub fn of(query: &str, zone: &str) -> Asked {
        let mut asked = Asked::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let value = value.trim();
            if value.is_empty() {
                continue;
            }
            let filter = &mut asked.filter;
            match &*name {
                "form" => {
                    filter.form = Some(if value == LEAD_FORM {
                        String::new()
                    } else {
                        value.to_owned()
                    });
                }
                "status" => filter.status = Status::named(value),
                "locale" => filter.locale = Some(value.to_owned()),
                "unread" => filter.is_unread = true,
                "q" => value.clone_into(&mut filter.text),
                "from" => {
                    value.clone_into(&mut asked.from);
                    filter.from = day(value, zone).map(|(begin, _)| begin);
                    asked.is_wrong |= filter.from.is_none();
                }
                "to" => {
                    value.clone_into(&mut asked.to);
                    // The day itself is in the list.
                    filter.until = day(value, zone).map(|(_, end)| end);
                    asked.is_wrong |= filter.until.is_none();
                }
                "before" => asked.before = Some(value.to_owned()),
                "notice" => asked.notice = Some(value.to_owned()),
                _ => {}
            }
        }
        asked
    }

    /// The query of the same list, from its newest lead on.
    pub fn query(&self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let filter = &self.filter;
        let form = filter
            .form
            .as_deref()
            .map(|form| if form.is_empty() { LEAD_FORM } else { form });
        let pairs = [
            (
                "q",
                Some(filter.text.as_str()).filter(|text| !text.is_empty()),
            ),
            ("form", form),
            ("status", filter.status.map(Status::name)),
            ("locale", filter.locale.as_deref()),
            (
                "from",
                Some(self.from.as_str()).filter(|day| !day.is_empty()),
            ),
            ("to", Some(self.to.as_str()).filter(|day| !day.is_empty())),
            ("unread", filter.is_unread.then_some("1")),
        ];
        query.extend_pairs(
            pairs
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        query.finish()
    }

    /// The query of the list from an older lead on.
    pub fn query_before(&self, id: Option<&str>) -> String {
        let mut query = self.query();
        if let Some(id) = id {
            let separator = if query.is_empty() { "" } else { "&" };
            // Writing to a string cannot fail. An id is letters and digits.
            let _ = write!(query, "{separator}before={}", escaped(id));
        }
        query
    }

    /// The fields of the form, for the template.
    pub fn fields(&self, facets: &Facets, language: Language) -> Value {
        let filter = &self.filter;
        let forms: Vec<Value> = with_chosen(&facets.forms, filter.form.as_ref())
            .iter()
            .map(|form| {
                let is_chosen = filter.form.as_ref() == Some(form);
                if form.is_empty() {
                    option(LEAD_FORM, language.say("lead_form"), is_chosen)
                } else {
                    option(form, form, is_chosen)
                }
            })
            .collect();
        let states = Status::ALL.map(|status| {
            option(
                status.name(),
                language.say(status.name()),
                filter.status == Some(status),
            )
        });
        let locales: Vec<Value> = with_chosen(&facets.locales, filter.locale.as_ref())
            .iter()
            .map(|locale| option(locale, locale, filter.locale.as_ref() == Some(locale)))
            .collect();
        minijinja::context! {
            text => &filter.text, forms => forms, states => states.to_vec(), locales => locales,
            from => &self.from, to => &self.to, is_unread => filter.is_unread,
            is_set => !self.query().is_empty(),
            is_open => filter != &Filter { text: filter.text.clone(), ..Filter::default() },
        }
    }
}

/// A text as a part of a query.
pub(super) fn escaped(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_read_and_written_back() {
        let query = "q=ana+%26+bob&form=visit&status=spam&locale=pt-BR&from=2027-01-31&to=2027-02-01&unread=1";
        let asked = Asked::of(
            &format!("{query}&before=01M80B&notice=read&lang=es&other=x"),
            "UTC",
        );
        assert_eq!(asked.query(), query);
        assert_eq!(
            asked.query_before(Some("01M80B")),
            format!("{query}&before=01M80B")
        );
        let filter = &asked.filter;
        assert_eq!(
            (filter.text.as_str(), filter.status),
            ("ana & bob", Some(Status::Spam))
        );
        assert_eq!(
            filter.until.expect("a time") - filter.from.expect("a time"),
            2 * api::clock::DAY
        );
        assert_eq!(
            (asked.before.as_deref(), asked.is_wrong),
            (Some("01M80B"), false)
        );
    }

    #[test]
    fn what_is_left_empty_or_wrong_filters_nothing() {
        let asked = Asked::of("q=&form=&status=&from=&to=", "UTC");
        assert_eq!(
            (asked.filter.clone(), asked.query()),
            (Filter::default(), String::new())
        );
        assert_eq!(Asked::of("form=-", "UTC").filter.form.as_deref(), Some(""));
        assert_eq!(Asked::of("form=-", "UTC").query(), "form=-");
        let asked = Asked::of("status=nothing&from=yesterday", "UTC");
        assert!(asked.is_wrong && asked.filter == Filter::default());
    }
}
