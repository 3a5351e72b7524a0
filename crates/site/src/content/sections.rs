//! The section kinds of pages: one struct each, and one folder `templates/sections/<kind>/`.
//!
//! To add a kind to the theme, add a struct with its line in the table at the top, and the folder. A build reports a kind without
//! a folder when it is used, and a test reports a folder without a kind. The widths of a kind's photographs, its
//! default background, and whether it gives the main heading stand in its line of the table. The structs of the style
//! guide are in `sections/guide.rs`. A site adds kinds without Rust (`sections/custom.rs`).

mod blog_list;
mod custom;
pub mod guide;
mod kind;
mod plan_value;

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use diagnostics::marks::without;
use diagnostics::problem::{Code, Problem, Problems, Source, did_you_mean, nearest};
use diagnostics::yaml::{self, Node, Spanned, Value};
use schema::types::{Action, Image, Label, Link, Markdown, When};

use blog_list::BlogList;
use guide::{
    GuideContrast, GuideDoDont, GuideFigures, GuideGallery, GuideHead, GuideIcons, GuideLogo, GuideNavigation,
    GuideSearch, GuideSwatches, GuideTokens, GuideType, GuideVariants, Name,
};
use schema::schema_of;

pub use custom::Kinds;
pub use custom::SchemaFile;
pub use custom::load as load_kinds;
pub use kind::{Band, SectionKind, SectionRole};
pub use plan_value::PlanValue;

macro_rules! kinds {
    ($($name:literal $type:ident { $($attribute:ident: $value:expr),* })*) => {
        /// The fields of one section.
        #[derive(Debug, Clone, Serialize)]
        #[serde(untagged)]
        pub enum Body {
            $(#[doc = concat!("`kind: ", $name, "`")] $type($type),)*
            /// A kind of the site: its fields, with links, Markdown and pictures as marked objects.
            Custom(serde_json::Value),
        }

        /// The kinds of the theme, by name.
        pub const KINDS: &[SectionKind] = &[
            $(SectionKind { name: $name, $($attribute: $value,)* ..SectionKind::DEFAULT },)*
        ];

        /// The JSON schema of the fields of a kind.
        pub(super) fn schema(kind: &SectionKind) -> Option<Schema> {
            match kind.name {
                $($name => Some(schema_of::<$type>()),)*
                _ => kind.custom.map(custom::schema),
            }
        }

        /// The JSON schema of the fields of a kind, as a part of the document that `generator` writes.
        pub fn subschema(kind: &SectionKind, generator: &mut SchemaGenerator) -> Option<Schema> {
            match kind.name {
                $($name => Some($type::json_schema(generator)),)*
                _ => kind.custom.map(custom::schema),
            }
        }

        fn read_body(
            kind: &SectionKind,
            source: &std::sync::Arc<Source>,
            node: &Node,
            problems: &mut Problems,
        ) -> Option<Body> {
            match kind.name {
                $($name => yaml::read::<$type>(source, node, problems).map(Body::$type),)*
                _ => yaml::read_seed(source, node, &kind.custom?.fields, problems).map(Body::Custom),
            }
        }
    };
}

const NARROW: &[u32] = &[480, 768];

kinds! {
    "blog" BlogList { main_heading: true, role: SectionRole::PostList }
    "call_to_action" CallToAction { band: Band::Signal }
    "checklist" Checklist {}
    "contact_details" ContactDetails {}
    "entries" Entries { role: SectionRole::Entries }
    "faq" Faq { role: SectionRole::Questions }
    "features" Features { picture_widths: NARROW }
    "form" FormSection { role: SectionRole::Form }
    "form_page" FormPage { main_heading: true, role: SectionRole::Form }
    "guide_contrast" GuideContrast { role: SectionRole::Contrasts }
    "guide_do_dont" GuideDoDont {}
    "guide_figures" GuideFigures { role: SectionRole::Figures }
    "guide_gallery" GuideGallery { role: SectionRole::Gallery }
    "guide_head" GuideHead { main_heading: true }
    "guide_icons" GuideIcons { role: SectionRole::Icons }
    "guide_logo" GuideLogo { role: SectionRole::Logo }
    "guide_navigation" GuideNavigation {}
    "guide_search" GuideSearch { role: SectionRole::Search }
    "guide_swatches" GuideSwatches { role: SectionRole::Swatches }
    "guide_tokens" GuideTokens { role: SectionRole::Tokens }
    "guide_type" GuideType { role: SectionRole::Weights }
    "guide_variants" GuideVariants { role: SectionRole::Variants }
    "hero" Hero { main_heading: true }
    "link_cards" LinkCards { picture_widths: NARROW }
    "media_text" MediaText {}
    "name_list" NameList {}
    "numbered_list" NumberedList {}
    "org_chart" OrgChart {}
    "phases" Phases {}
    "photo" Photo { picture_widths: &[480, 768, 1200, 1600, 2000] }
    "post_search" PostSearch {}
    "pricing_table" PricingTable {}
    "profiles" Profiles {}
    "prose" Prose {}
    "quote" Quote { picture_widths: &[240, 480] }
    "scroll_test" ScrollTest {}
    "search" SiteSearch { main_heading: true, role: SectionRole::SiteSearch }
    "spans" Spans { picture_widths: NARROW }
    "tech_stack" TechStack {}
    "timeline" Timeline {}
}

impl Section {
    /// The name of the collection that it lists.
    pub fn lists(&self) -> Option<&str> {
        match &self.body {
            Body::Entries(list) => Some(&list.of.0.value),
            _ => self.kind.custom.and_then(|declared| declared.lists),
        }
    }

    /// The collection from which it lists what is upcoming, current or past.
    pub fn lists_by_date(&self) -> Option<&str> {
        match &self.body {
            Body::Entries(list) => {
                let dates = [&list.upcoming, &list.current, &list.past];
                dates.iter().any(|date| date.is_some()).then_some(&*list.of.0.value)
            }
            _ => None,
        }
    }
}

/// A section of a page, as read.
#[derive(Debug, Clone)]
pub struct Section {
    /// Its kind, one of [`KINDS`].
    pub kind: &'static SectionKind,
    /// Its anchor on the page.
    pub id: Option<Spanned<String>>,
    /// Its background.
    pub band: Band,
    /// Its fields.
    pub body: Body,
    /// The language that its words are in, if it is not that of the page.
    pub lent: Option<String>,
    /// `publish_at` and `expires_at`.
    pub dates: [Option<Spanned<When>>; 2],
}

/// The fields that every section may have.
#[derive(Deserialize, JsonSchema)]
struct Common {
    /// Its anchor, for links to this section.
    id: Option<Spanned<String>>,
    /// Its background; defaults to `paper`, for a call to action to `signal`.
    band: Option<Band>,
    /// It is not shown before: `2025-03-31`, or `2025-03-31T09:30`.
    publish_at: Option<Spanned<When>>,
    /// From when it is not shown anymore, written like `publish_at`.
    expires_at: Option<Spanned<When>>,
}

/// The keys of [`Common`].
const COMMON: [&str; 4] = ["id", "band", "publish_at", "expires_at"];

/// The JSON schema of the fields that every section may have.
pub fn common_schema() -> Schema {
    schema_of::<Common>()
}

/// Reads one item of the list `sections` of a page.
pub fn read(source: &std::sync::Arc<Source>, node: &Node, kinds: &Kinds, problems: &mut Problems) -> Option<Section> {
    let Value::Map(entries) = &node.value else {
        let problem = Problem::error(Code::WrongType, format!("a section was expected, not {}", node.value.kind()));
        problems.push(node.problem(source, problem).hint("write `- kind: hero` and the section's keys below it"));
        return None;
    };
    let kind = read_kind(source, node, kinds, problems)?;
    let fields = entries.iter().filter(|(key, _)| key.name != "kind").cloned().collect();
    read_fields(kind, source, &node.with_value(Value::Map(fields)), problems)
}

/// Reads the fields of a section, without `kind`.
pub(super) fn read_fields(
    kind: &'static SectionKind,
    source: &std::sync::Arc<Source>,
    node: &Node,
    problems: &mut Problems,
) -> Option<Section> {
    let Value::Map(entries) = &node.value else { return None };
    let (common, own): (Vec<_>, Vec<_>) =
        entries.iter().cloned().partition(|(key, _)| COMMON.contains(&key.name.as_str()));
    let part = |entries| node.with_value(Value::Map(entries));
    // Read both before returning, so that one run reports all problems of the section.
    let common = yaml::read::<Common>(source, &part(common), problems);
    let body = read_body(kind, source, &part(own), problems);
    let (common, body) = (common?, body?);
    if let Body::PricingTable(table) = &body {
        check_plans(table, source, problems)?;
    }
    let (band, dates) = (common.band.unwrap_or(kind.band), [common.publish_at, common.expires_at]);
    Some(Section { kind, id: common.id, band, body, lent: None, dates })
}

/// Checks that each row of a table has one value for each plan. `None` if a value is missing.
fn check_plans(table: &PricingTable, source: &Source, problems: &mut Problems) -> Option<()> {
    let mut is_whole = true;
    let plans: Vec<&str> = table.plans.iter().map(|plan| plan.name.0.value.as_str()).collect();
    for (at, plan) in table.plans.iter().enumerate() {
        if plans[..at].contains(&plans[at]) {
            let message = format!("another plan of this table is called `{}`", plans[at]);
            problems.push(Problem::error(Code::DuplicateId, message).at(source.place(plan.name.0.span)));
        }
    }
    for row in &table.rows {
        for plan in row.values.keys() {
            if !plans.contains(&plan.as_str()) {
                let place = yaml::place_of_key(source, &["values", plan]);
                let problem = Problem::error(Code::UnknownId, format!("the table has no plan `{plan}`")).at(place);
                problems.push(problem.maybe_hint(did_you_mean(plan, plans.iter().copied())));
            }
        }
        for plan in plans.iter().filter(|plan| !row.values.contains_key(**plan)) {
            let message = format!("the row `{}` has no value for the plan `{plan}`", row.label.0.value);
            let problem = Problem::error(Code::MissingKey, message).at(source.place(row.label.0.span));
            problems.push(problem.hint(format!("add `{plan}: …` to its `values`: `true`, `false` or text")));
            is_whole = false;
        }
    }
    is_whole.then_some(())
}

/// The kind with a name. The problem has no place; there is none if the kind has a problem of its own.
pub(super) fn kind_of(name: &str, kinds: &Kinds) -> Result<&'static SectionKind, Option<Problem>> {
    kinds.named(name).ok_or_else(|| (!kinds.is_broken(name)).then(|| unknown_kind(name, kinds)))
}

fn unknown_kind(written: &str, kinds: &Kinds) -> Problem {
    let near = did_you_mean(written, kinds.iter().map(|kind| kind.name)).filter(|hint| hint.starts_with("did you"));
    Problem::error(Code::UnknownSection, format!("there is no section kind `{written}`"))
        .hint(near.unwrap_or_else(|| KIND_HINT.to_owned()))
}

const KIND_HINT: &str = "kinds are the folders of `templates/sections`, such as `hero` or `prose`";

fn read_kind(source: &Source, node: &Node, kinds: &Kinds, problems: &mut Problems) -> Option<&'static SectionKind> {
    let hint = KIND_HINT;
    let Some(kind) = node.get("kind") else {
        if let Value::Map(entries) = &node.value
            && let Some((key, _)) = entries.iter().find(|(key, _)| nearest(&key.name, ["kind"]).is_some())
        {
            let problem = Problem::error(Code::UnknownKey, format!("unknown key `{}`", key.name));
            problems.push(problem.at(source.place(key.span)).hint("did you mean `kind`?"));
            return None;
        }
        let problem = Problem::error(Code::MissingKey, "the section has no `kind`");
        problems.push(node.problem(source, problem).hint(format!("add `kind: …`; {hint}")));
        return None;
    };
    let problem = match &kind.value {
        Value::Text(name) => match kind_of(name, kinds) {
            Ok(known) => return Some(known),
            Err(problem) => problem?,
        },
        Value::Null => Problem::error(Code::UnknownSection, "the section's `kind` is empty").hint(hint),
        other => {
            let message = format!("the `kind` of a section is a name, not {}", other.kind());
            Problem::error(Code::UnknownSection, message).hint(hint)
        }
    };
    problems.push(kind.problem(source, problem));
    None
}

/// The top of a page: main heading, introduction, calls to action.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Hero {
    /// A few words above the heading, such as the part of the site.
    eyebrow: Option<String>,
    /// The main heading of the page, at most 14 words.
    title: String,
    /// The subject of the page, in a sentence or two.
    lead: Option<Markdown>,
    /// The next steps for the visitor; the first one is the primary button.
    #[serde(default)]
    actions: Vec<Action>,
    /// A drawing beside the text; one three times as wide as it is high fills the width of the page.
    figure: Option<Image>,
    /// A remark in the margin: a figure, a deadline, a condition.
    note: Option<Markdown>,
    /// The size of the heading.
    #[serde(default)]
    size: HeroSize,
}

/// The size of a hero's heading.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HeroSize {
    /// For all pages but the home page.
    #[default]
    Page,
    /// For the home page.
    Display,
}

/// Entries of a collection: all of them, or those that a filter selects.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Entries {
    /// Its heading.
    title: Option<String>,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The name of the collection.
    of: Name,
    /// Values that fields must have: `{clinics: madrid}`. Of a list of values, the field must have one.
    #[serde(rename = "where", default)]
    filters: BTreeMap<String, OneOrMore>,
    /// The date field that must not have passed.
    upcoming: Option<Name>,
    /// The date field that must have begun, and whose end, the field with this one as `not_before`, must not have passed.
    current: Option<Name>,
    /// The date field that must have passed.
    past: Option<Name>,
    /// The fields by which entries are sorted, such as `-date`; those of the schema by default.
    #[serde(default)]
    sort: Vec<Name>,
    /// The greatest number of entries.
    limit: Option<u32>,
    /// The number of entries on a page. The others are on pages at `page/2/` and so on, below the address of this one.
    per_page: Option<u32>,
    /// The field whose values become headings, with the entries of each below.
    group: Option<Name>,
    /// The label of a field that narrows the list to what contains its text, such as `Find a person by name or place`.
    search: Option<String>,
    /// The arrangement.
    #[serde(default)]
    layout: EntriesLayout,
    /// The words in place of the list if no entry is selected.
    empty: Option<String>,
    /// A link to a page with more.
    action: Option<Action>,
    /// The title and the description of the pages of entries, as patterns; those of the schema by default.
    entry: Option<PageWords>,
    /// The titles and descriptions of the pages by the value of a field, with `{name}` and `{count}`.
    #[serde(default)]
    filtered: BTreeMap<String, PageWords>,
}

/// The title and the description of pages that are made from data, as patterns.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct PageWords {
    /// The whole `<title>`.
    title: Option<String>,
    /// The meta description.
    description: Option<String>,
}

/// The arrangement of entries.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EntriesLayout {
    /// Side by side.
    #[default]
    Cards,
    /// One below the other.
    List,
}

/// One value, or several.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMore {
    /// A single value.
    One(#[schemars(schema_with = "plain_value")] String),
    /// Any of these.
    More(Vec<String>),
}

/// The schema of a value as it is written: `madrid` or `true`. A number is always accepted in place of a text.
fn plain_value(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "anyOf": [{ "type": "string" }, { "type": "boolean" }] })
}

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<OneOrMore, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = OneOrMore;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a value or a list of values")
            }
            fn visit_str<E>(self, text: &str) -> Result<OneOrMore, E> {
                Ok(OneOrMore::One(without(text)))
            }
            fn visit_bool<E>(self, value: bool) -> Result<OneOrMore, E> {
                Ok(OneOrMore::One(value.to_string()))
            }
            fn visit_i64<E>(self, value: i64) -> Result<OneOrMore, E> {
                Ok(OneOrMore::One(value.to_string()))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<OneOrMore, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element::<String>()? {
                    values.push(without(&value));
                }
                Ok(OneOrMore::More(values))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// A form of the site.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct FormSection {
    /// The name of the form: of a folder in `content/forms/`.
    form: Name,
    /// Its heading; by default the title of the form.
    title: Option<String>,
    /// A sentence or two beside the heading; by default those of the form.
    intro: Option<Markdown>,
}

/// A form as what its page is there for: the main heading of the page stands beside it.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct FormPage {
    /// The name of the form: of a folder in `content/forms/`.
    form: Name,
    /// The main heading of the page.
    title: String,
    /// A sentence below the heading.
    lead: Option<String>,
    /// Other ways to get in touch.
    #[serde(default)]
    links: Vec<Action>,
}

/// The search of the whole site: its form and its results.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct SiteSearch {
    /// The main heading of the page.
    title: String,
    /// A sentence or two about what can be found.
    intro: Option<Markdown>,
}

/// Parts of one whole, drawn as the spans of one bridge.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Spans {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The spans, from the first bank to the other.
    items: Vec<SpanItem>,
    /// A link to a page about all of them.
    action: Option<Action>,
}

/// One span.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct SpanItem {
    /// Name of this part.
    title: String,
    /// A sentence or two.
    text: Markdown,
    /// Where it leads.
    to: Link,
    /// The words of its link.
    label: String,
    /// A drawing of its own instead of the arch.
    figure: Option<Image>,
}

/// Features, values or roles: titled texts, optionally with a large fact.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Features {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The layout of the items.
    #[serde(default)]
    layout: FeatureLayout,
    /// Three or four read best.
    items: Vec<Feature>,
    /// The next steps for the visitor; the first one is the primary button.
    #[serde(default)]
    actions: Vec<Action>,
}

/// The layout of features.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FeatureLayout {
    /// Side by side.
    #[default]
    Columns,
    /// With facts in a separate column.
    Ledger,
    /// One below the other, with figures.
    Rows,
}

/// One feature.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Feature {
    /// The feature, in a few words.
    title: String,
    /// The benefit for the reader.
    text: Markdown,
    /// A figure that is shown large.
    fact: Option<String>,
    /// The label of the figure: the things that it counts.
    fact_label: Option<String>,
    /// A drawing, shown in rows.
    figure: Option<Image>,
}

/// A list with large numbers, whose order or number matters.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct NumberedList {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// In the order of their numbers.
    items: Vec<TitledText>,
    /// The next step for the visitor, below the list.
    action: Option<Action>,
}

/// A heading and its text.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct TitledText {
    /// A few words.
    title: String,
    /// One or two sentences.
    text: Markdown,
}

/// Names of tools by group.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct TechStack {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The columns of the table.
    groups: Vec<TechGroup>,
}

/// One group of tools.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct TechGroup {
    /// Name of the group.
    title: String,
    /// Their names.
    items: Vec<String>,
}

/// The next step for the visitor.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct CallToAction {
    /// The call, in one line.
    title: String,
    /// A text about the outcome.
    text: Option<Markdown>,
    /// One is best, two are enough.
    actions: Vec<Action>,
}

/// A search field of the blog.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct PostSearch {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The label of its button, and the page with the list of posts.
    action: Action,
}

/// A quotation.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Quote {
    /// The text, without quotation marks.
    text: String,
    /// Who said them.
    author: String,
    /// The role of that person.
    role: String,
    /// A picture of that person.
    portrait: Option<Image>,
}

/// Years and what happened in them.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Timeline {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// From the oldest to the newest.
    entries: Vec<TimelineEntry>,
}

/// One year.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct TimelineEntry {
    /// A year, or a word such as Today.
    year: String,
    /// The event.
    title: String,
    /// A sentence or two.
    text: Markdown,
}

/// Links to other pages, each with its words.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct LinkCards {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The layout of the links.
    #[serde(default)]
    layout: LinkLayout,
    /// From the most to the least important.
    items: Vec<LinkCard>,
}

/// The layout of links.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkLayout {
    /// With text.
    #[default]
    Cards,
    /// Large buttons.
    Buttons,
}

/// One link.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct LinkCard {
    /// Name of the page.
    title: String,
    /// Why to follow the link.
    text: Option<Markdown>,
    /// Where it leads.
    to: Link,
    /// The words of the link; the title if unset.
    label: Option<String>,
    /// A drawing above the text, shown on cards.
    figure: Option<Image>,
}

/// A list of names.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct NameList {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The names, in order.
    names: Vec<String>,
}

/// A text beside a figure.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct MediaText {
    /// Its heading.
    title: String,
    /// One or two paragraphs.
    text: Markdown,
    /// The picture beside the text.
    figure: Image,
    /// The next steps for the visitor; the first one is the primary button.
    #[serde(default)]
    actions: Vec<Action>,
    /// The picture comes first.
    #[serde(default)]
    reverse: bool,
}

/// Running text.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Prose {
    /// Its heading, if it needs one.
    title: Option<String>,
    /// Paragraphs, lists, tables, quotations, headings from the third level.
    body: Markdown,
}

/// A list of points with check marks.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Checklist {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The points, a sentence each.
    items: Vec<Markdown>,
    /// The next step for the visitor, below the list.
    action: Option<Action>,
}

/// The company's address, phones and hours, from `site.yaml`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct ContactDetails {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// Who may call the emergency line, and when.
    emergency: Option<Markdown>,
    /// Other ways to reach the company.
    #[serde(default)]
    actions: Vec<Action>,
}

/// Questions and answers; one is open at a time.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Faq {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The questions, most frequent first.
    items: Vec<Question>,
    /// A link for further questions.
    action: Option<Action>,
}

/// One question.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Question {
    /// In the words of a visitor.
    question: String,
    /// Should begin with yes, no or the figure.
    answer: Markdown,
    /// The answer is open initially.
    #[serde(default)]
    open: bool,
}

/// An organization chart.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct OrgChart {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The unit at the top.
    root: Unit,
    /// Supporting roles outside the hierarchy.
    supporting: Option<Supporting>,
}

/// A unit and those below it.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Unit {
    /// Name of the unit.
    name: String,
    /// Its responsibility.
    text: Option<String>,
    /// Roles or names.
    #[serde(default)]
    members: Vec<String>,
    /// Units below it, with the same fields.
    #[serde(default)]
    units: Vec<Unit>,
}

/// Supporting roles outside the hierarchy.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Supporting {
    /// The heading that they have in common.
    title: String,
    /// When they are involved.
    text: Option<String>,
    /// Roles or names.
    members: Vec<String>,
}

/// Consecutive steps.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Phases {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The steps, in order; they are numbered automatically.
    items: Vec<TitledText>,
    /// A link to begin.
    action: Option<Action>,
}

/// One large picture.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Photo {
    /// The picture; at least 2000 pixels wide if it is a photograph.
    image: Image,
    /// A caption with what the picture does not show.
    caption: Option<Markdown>,
}

/// Plans side by side.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct PricingTable {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The features that plans are compared by.
    pub(in crate::content) rows: Vec<PlanRow>,
    /// The columns, from the smallest to the largest plan.
    pub(in crate::content) plans: Vec<Plan>,
    /// Taxes, currencies, conditions.
    note: Option<Markdown>,
}

/// A row of the table: something that each plan has, has not, or has so much of.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct PlanRow {
    /// The name of the feature.
    pub(in crate::content) label: Label,
    /// `true`, `false` or text for each plan, by its name.
    pub(in crate::content) values: BTreeMap<String, PlanValue>,
}

/// One plan.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Plan {
    /// Name of the plan.
    pub(in crate::content) name: Label,
    /// With its currency sign.
    price: String,
    /// The currency, and for how long.
    period: String,
    /// A word or two over the plan, such as Most popular.
    badge: Option<String>,
    /// The plan is highlighted.
    #[serde(default)]
    featured: bool,
    /// The button that selects it.
    action: Action,
}

/// Profiles of people who can be hired.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Profiles {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The profiles, in order.
    items: Vec<Profile>,
}

/// One profile.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Profile {
    /// The role.
    title: String,
    /// The work of such a person.
    text: Option<Markdown>,
    /// The skills of such a person.
    skills: Vec<Skill>,
}

/// A language and what is built with it.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Skill {
    /// A language.
    name: String,
    /// The things that are built with it.
    with: Vec<String>,
}

/// A long section that shows how the header behaves while scrolling.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct ScrollTest {
    /// Its heading.
    title: String,
    /// The things to look at.
    text: Markdown,
    /// Words that are one screen apart.
    marks: Vec<String>,
}
