//! Checks the structured data that a schema declares: its types and properties are those of schema.org, and those that
//! search engines require for rich results are there. `vocabulary.txt` is written by `scripts/vocabulary.mjs` from the
//! published vocabulary (CC BY-SA 3.0).

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use foldhash::{HashMap, HashMapExt};

use diagnostics::problem::{Code, Problem, Problems, Source, Span, did_you_mean};
use diagnostics::yaml::{Node, Value};

/// A type: the types that it belongs to, and its properties.
struct Type {
    parents: Vec<&'static str>,
    properties: Vec<&'static str>,
}

static TYPES: LazyLock<HashMap<&'static str, Type>> = LazyLock::new(|| {
    let mut types = HashMap::with_capacity(1000);
    for line in include_str!("vocabulary.txt").lines() {
        let Some((names, properties)) = line.split_once(':') else {
            continue;
        };
        let mut names = names.split(' ');
        if let Some(name) = names.next() {
            let (parents, properties) = (names.collect(), properties.split_whitespace().collect());
            types.insert(
                name,
                Type {
                    parents,
                    properties,
                },
            );
        }
    }
    types
});

/// Google's requirements for rich results, by type: each is a property, or several of which one is enough. A type that
/// belongs to another one has its requirements too.
/// <https://developers.google.com/search/docs/appearance/structured-data/search-gallery>
const REQUIRED: &[(&str, &[&[&str]])] = &[
    (
        "AggregateRating",
        &[&["ratingValue"], &["ratingCount", "reviewCount"]],
    ),
    ("Answer", &[&["text"]]),
    ("BreadcrumbList", &[&["itemListElement"]]),
    ("Course", &[&["name"], &["description"]]),
    ("Dataset", &[&["name"], &["description"]]),
    ("Event", &[&["name"], &["startDate"], &["location"]]),
    ("FAQPage", &[&["mainEntity"]]),
    (
        "JobPosting",
        &[
            &["title"],
            &["description"],
            &["datePosted"],
            &["hiringOrganization"],
            &["jobLocation", "jobLocationType"],
        ],
    ),
    ("LocalBusiness", &[&["name"], &["address"]]),
    ("Movie", &[&["name"], &["image"]]),
    ("Person", &[&["name"]]),
    (
        "Product",
        &[&["name"], &["offers", "review", "aggregateRating"]],
    ),
    ("ProfilePage", &[&["mainEntity"]]),
    ("QAPage", &[&["mainEntity"]]),
    (
        "Question",
        &[&["name"], &["acceptedAnswer", "suggestedAnswer"]],
    ),
    ("Rating", &[&["ratingValue"]]),
    ("Recipe", &[&["name"], &["image"]]),
    ("Review", &[&["author"], &["reviewRating"]]),
    (
        "SoftwareApplication",
        &[&["name"], &["offers"], &["review", "aggregateRating"]],
    ),
    (
        "VideoObject",
        &[&["name"], &["thumbnailUrl"], &["uploadDate"]],
    ),
];

/// A type and everything that it belongs to.
fn lineage(name: &'static str) -> BTreeSet<&'static str> {
    let (mut all, mut next) = (BTreeSet::new(), vec![name]);
    while let Some(name) = next.pop() {
        if all.insert(name) {
            next.extend(TYPES.get(name).into_iter().flat_map(|found| &found.parents));
        }
    }
    all
}

/// The properties of types and of everything that they belong to.
fn properties(lineage: &BTreeSet<&'static str>) -> BTreeSet<&'static str> {
    lineage
        .iter()
        .filter_map(|name| TYPES.get(name))
        .flat_map(|found| found.properties.iter().copied())
        .collect()
}

/// Checks the structured data of a schema. `None` if it is wrong, which was reported.
pub(super) fn check(node: &Node, source: &Arc<Source>, problems: &mut Problems) -> Option<()> {
    let before = problems.iter().count();
    block(node, None, source, problems);
    (problems.iter().count() == before).then_some(())
}

/// Checks a block of properties. `parent` is the property that has it.
fn block(node: &Node, parent: Option<&str>, source: &Arc<Source>, problems: &mut Problems) {
    let entries = match &node.value {
        Value::Map(entries) => entries,
        Value::List(items) => {
            items
                .iter()
                .for_each(|item| block(item, parent, source, problems));
            return;
        }
        _ if parent.is_none() => {
            let problem = Problem::error(
                Code::CollectionSchema,
                "structured data must be a block of properties",
            );
            problems.push(
                problem
                    .at(source.place(node.span))
                    .hint("begin with `\"@type\": …`, a schema.org type"),
            );
            return;
        }
        _ => return,
    };
    let mut report = |code: Code, span: Span, message: String, hint: Option<String>| {
        problems.push(
            Problem::error(code, message)
                .at(source.place(span))
                .maybe_hint(hint),
        );
    };
    let Some(written) = node.get("@type") else {
        if node.get("@id").is_none() {
            let hint = "add `\"@type\": …`, such as `PostalAddress` or `Offer`".to_owned();
            report(
                Code::CollectionSchema,
                node.span,
                "this block has no `@type`".to_owned(),
                Some(hint),
            );
        }
        return;
    };
    let names: Vec<&Node> = match &written.value {
        Value::List(items) => items.iter().collect(),
        _ => vec![written],
    };
    let mut known: BTreeSet<&'static str> = BTreeSet::new();
    for name in names {
        let text = name.as_text().unwrap_or_default();
        if text.contains('{') {
            // The value of a field, which is not known here.
            return children(entries, source, problems);
        }
        let Some((name, _)) = TYPES.get_key_value(text.trim_start_matches("https://schema.org/"))
        else {
            let near = did_you_mean(text, TYPES.keys().copied());
            report(
                Code::UnknownId,
                name.span,
                format!("schema.org has no type `{text}`"),
                near,
            );
            return children(entries, source, problems);
        };
        known.extend(lineage(name));
    }
    let allowed = properties(&known);
    let shown = written
        .as_text()
        .map_or_else(|| "these types".to_owned(), |name| format!("`{name}`"));
    for (key, _) in entries.iter().filter(|(key, _)| !key.name.starts_with('@')) {
        if !allowed.contains(key.name.as_str()) {
            let near = did_you_mean(&key.name, allowed.iter().copied());
            report(
                Code::UnknownKey,
                key.span,
                format!("schema.org has no property `{}` for {shown}", key.name),
                near,
            );
        }
    }
    for (name, required) in REQUIRED.iter().filter(|(name, _)| known.contains(name)) {
        for choice in *required {
            // The subject of a review or a rating is known from its place.
            let is_there = choice.iter().any(|property| node.get(property).is_some());
            // A person or a place that is named beside is no rich result of its own.
            let is_part = parent.is_some()
                && matches!(*name, "Person" | "LocalBusiness" | "Event" | "Product");
            if !is_there && !is_part {
                let wanted = choice
                    .iter()
                    .map(|property| format!("`{property}`"))
                    .collect::<Vec<_>>()
                    .join(" or ");
                let message = format!("search engines require {wanted} for the type `{name}`");
                report(
                    Code::IncompleteData,
                    written.span,
                    message,
                    Some(format!("add `{}: …`", choice[0])),
                );
            }
        }
    }
    if parent.is_none() && known.contains("Review") && node.get("itemReviewed").is_none() {
        let message = "search engines require `itemReviewed` for the type `Review`".to_owned();
        report(
            Code::IncompleteData,
            written.span,
            message,
            Some("add `itemReviewed: …`".to_owned()),
        );
    }
    children(entries, source, problems);
}

fn children(
    entries: &[(diagnostics::yaml::Key, Node)],
    source: &Arc<Source>,
    problems: &mut Problems,
) {
    for (key, value) in entries.iter().filter(|(key, _)| !key.name.starts_with('@')) {
        block(value, Some(&key.name), source, problems);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diagnostics::yaml;

    /// The messages about structured data, each with its line.
    fn found(text: &str) -> Vec<String> {
        let source = Arc::new(Source::new("schema.yaml".into(), text.into()));
        let node = yaml::parse(&source, 0..text.len()).expect("YAML");
        let mut problems = Problems::new();
        assert_eq!(
            check(&node, &source, &mut problems).is_none(),
            !problems.is_empty()
        );
        let line = |problem: &Problem| {
            problem
                .place
                .as_ref()
                .and_then(|place| place.range)
                .map_or(0, |range| range.start.line)
        };
        problems
            .iter()
            .map(|problem| {
                format!(
                    "{}: {} ({})",
                    line(problem),
                    problem.message,
                    problem.hint.clone().unwrap_or_default()
                )
            })
            .collect()
    }

    #[test]
    fn the_vocabulary_is_that_of_schema_org() {
        assert!(TYPES.len() > 800, "{}", TYPES.len());
        assert!(lineage("Dentist").is_superset(&BTreeSet::from([
            "LocalBusiness",
            "Place",
            "Organization",
            "Thing"
        ])));
        assert!(properties(&lineage("JobPosting")).contains("validThrough"));
        for (name, required) in REQUIRED {
            let known = TYPES
                .get_key_value(name)
                .map(|(name, _)| properties(&lineage(name)));
            let known = known.unwrap_or_else(|| panic!("no type `{name}`"));
            for property in required.iter().copied().flatten() {
                assert!(known.contains(property), "`{name}` has no `{property}`");
            }
        }
    }

    #[test]
    fn what_is_complete_has_no_problem() {
        for text in [
            "\"@type\": Dentist\nname: a\naddress: {\"@type\": PostalAddress, streetAddress: b}\nopeningHoursSpecification: \"{hours}\"\n",
            "\"@type\": [Dentist, MedicalClinic]\nname: a\naddress: b\n",
            "\"@type\": \"{kind}\"\nanything: a\n",
            "\"@type\": Person\nname: a\nworksFor: \"{clinics}\"\nimage: {\"@id\": b}\n",
            "\"@type\": FAQPage\nmainEntity: [{\"@type\": Question, name: a, acceptedAnswer: {\"@type\": Answer, text: b}}]\n",
            "\"@type\": Product\nname: a\nreview: {\"@type\": Review, author: {\"@type\": Person, name: b}, reviewRating: {\"@type\": Rating, ratingValue: 5}}\n",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn mistakes_are_found_at_their_line() {
        for (text, expected) in [
            (
                "\"@type\": Dentsit\n",
                "1: schema.org has no type `Dentsit` (did you mean `Dentist`?)",
            ),
            (
                "\"@type\": Person\nname: a\njobTitel: b\n",
                "3: schema.org has no property `jobTitel` for `Person` (did you mean `jobTitle`?)",
            ),
            (
                "\"@type\": Dentist\nname: a\n",
                "1: search engines require `address` for the type `LocalBusiness` (add `address: …`)",
            ),
            (
                "\"@type\": JobPosting\ntitle: a\ndescription: b\ndatePosted: c\nhiringOrganization: d\n",
                "1: search engines require `jobLocation` or `jobLocationType` for the type `JobPosting` (add `jobLocation: …`)",
            ),
            (
                "\"@type\": Event\nname: a\nstartDate: b\nlocation:\n  \"@type\": Plaice\n",
                "5: schema.org has no type `Plaice` (did you mean `Place`?)",
            ),
            (
                "\"@type\": Review\nauthor: a\nreviewRating: b\n",
                "1: search engines require `itemReviewed` for the type `Review` (add `itemReviewed: …`)",
            ),
            (
                "\"@type\": Service\noffers: {price: 1}\n",
                "2: this block has no `@type` (add `\"@type\": …`, such as `PostalAddress` or `Offer`)",
            ),
            (
                "name: a\n",
                "1: this block has no `@type` (add `\"@type\": …`, such as `PostalAddress` or `Offer`)",
            ),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
    }
}
