//! The kinds of section that a page is made of: one struct each, and one folder `templates/sections/<kind>/`.
//!
//! Adding a kind is two places: a struct with its line in the table at the top, and the folder. A kind without a folder
//! is a problem when it is used, and a test names a folder without a kind.

mod plan_value;

use serde::{Deserialize, Serialize};

use crate::fields::{Action, Image, Link, Markdown};
use crate::problem::{Code, Problem, Problems, Source, nearest};
use crate::yaml::{self, Node, Spanned, Value};

use super::blog::BlogList;
use super::case_studies::CaseStudies;
use super::lead_form::LeadFormSection;
use super::style_guide::{
    GuideContrast, GuideDoDont, GuideFigures, GuideHead, GuideIcons, GuideLogo, GuideNavigation, GuideSearch,
    GuideSwatches, GuideTokens, GuideType, GuideVariants,
};

pub use plan_value::PlanValue;

macro_rules! kinds {
    ($($name:literal $type:ident)*) => {
        /// The fields of one section.
        #[derive(Debug, Clone, Serialize)]
        #[serde(untagged)]
        pub enum Body {
            $(#[doc = concat!("`kind: ", $name, "`")] $type($type),)*
        }

        /// The names of all kinds.
        pub const KINDS: &[&str] = &[$($name,)*];

        fn read_body(kind: &str, source: &std::sync::Arc<Source>, node: &Node, problems: &mut Problems) -> Option<Body> {
            match kind {
                $($name => yaml::read::<$type>(source, node, problems).map(Body::$type),)*
                _ => None,
            }
        }
    };
}

kinds! {
    "call_to_action" CallToAction
    "blog" BlogList
    "case_studies" CaseStudies
    "checklist" Checklist
    "contact_details" ContactDetails
    "faq" Faq
    "features" Features
    "guide_contrast" GuideContrast
    "guide_do_dont" GuideDoDont
    "guide_figures" GuideFigures
    "guide_head" GuideHead
    "guide_icons" GuideIcons
    "guide_logo" GuideLogo
    "guide_navigation" GuideNavigation
    "guide_search" GuideSearch
    "guide_swatches" GuideSwatches
    "guide_tokens" GuideTokens
    "guide_type" GuideType
    "guide_variants" GuideVariants
    "hero" Hero
    "lead_form" LeadFormSection
    "link_cards" LinkCards
    "logo_strip" LogoStrip
    "media_text" MediaText
    "name_list" NameList
    "numbered_list" NumberedList
    "org_chart" OrgChart
    "phases" Phases
    "photo" Photo
    "portfolio" Portfolio
    "pricing_table" PricingTable
    "profiles" Profiles
    "prose" Prose
    "quote" Quote
    "scroll_test" ScrollTest
    "spans" Spans
    "tech_stack" TechStack
    "timeline" Timeline
}

/// A section of a page as it was read.
#[derive(Debug, Clone)]
pub struct Section {
    /// Its kind, one of [`KINDS`].
    pub kind: &'static str,
    /// Its anchor on the page.
    pub id: Option<Spanned<String>>,
    /// The ground it stands on.
    pub band: Band,
    /// Its fields.
    pub body: Body,
}

/// The ground of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Band {
    /// The page's own colour.
    Paper,
    /// White.
    White,
    /// Near-black.
    Ink,
    /// The loud accent.
    Signal,
}

/// What every section may have beside its own fields.
#[derive(Deserialize)]
struct Common {
    id: Option<Spanned<String>>,
    band: Option<Band>,
}

/// The widths, in CSS pixels, in which the pictures of a kind of section are published.
pub fn picture_widths(kind: &str) -> &'static [u32] {
    match kind {
        "photo" => &[480, 768, 1200, 1600, 2000],
        "quote" => &[240, 480],
        "features" | "spans" | "link_cards" => &[480, 768],
        _ => &[480, 600, 768, 1200],
    }
}

/// Reads one item of a page's `sections`.
pub fn read(source: &std::sync::Arc<Source>, node: &Node, problems: &mut Problems) -> Option<Section> {
    let Value::Map(entries) = &node.value else {
        let problem = Problem::error(Code::WrongType, format!("a section was expected, not {}", node.value.kind()));
        problems.push(node.problem(source, problem).hint("write `- kind: hero` and the section's keys below it"));
        return None;
    };
    let kind = read_kind(source, node, problems)?;
    let (common, own): (Vec<_>, Vec<_>) = entries
        .iter()
        .filter(|(key, _)| key.name != "kind")
        .cloned()
        .partition(|(key, _)| matches!(key.name.as_str(), "id" | "band"));
    let part = |entries| Node::new(Value::Map(entries), node.span);
    // Both are read before either is given up, so that one run tells all that is wrong with the section.
    let common = yaml::read::<Common>(source, &part(common), problems);
    let body = read_body(kind, source, &part(own), problems);
    let (common, body) = (common?, body?);
    if let Body::PricingTable(table) = &body {
        check_plans(table, source, node, problems)?;
    }
    let default = if kind == "call_to_action" { Band::Signal } else { Band::Paper };
    Some(Section { kind, id: common.id, band: common.band.unwrap_or(default), body })
}

/// A plan without a value for each row would leave holes in the table, or hang values below it.
fn check_plans(table: &PricingTable, source: &Source, node: &Node, problems: &mut Problems) -> Option<()> {
    let rows = table.rows.len();
    let wrong = |plan: &&Plan| plan.values.len() != rows;
    for plan in table.plans.iter().filter(wrong) {
        let message = format!("the plan `{}` has {} values for {rows} rows", plan.name, plan.values.len());
        let span = source.locate(node.extent(), &plan.name);
        let problem = Problem::error(Code::InvalidValue, message).at(source.place(span));
        problems.push(problem.hint("give one value for each row, in the order of `rows`; `false` where there is none"));
    }
    table.plans.iter().all(|plan| !wrong(&plan)).then_some(())
}

fn read_kind(source: &Source, node: &Node, problems: &mut Problems) -> Option<&'static str> {
    let hint = "kinds are the folders of `templates/sections`, such as `hero` or `prose`";
    let Some(kind) = node.get("kind") else {
        if let Value::Map(entries) = &node.value
            && let Some((key, _)) = entries.iter().find(|(key, _)| nearest(&key.name, ["kind"]).is_some())
        {
            let problem = Problem::error(Code::UnknownKey, format!("unknown key `{}`", key.name));
            problems.push(problem.at(source.place(key.span)).hint("did you mean `kind`?"));
            return None;
        }
        let problem = Problem::error(Code::MissingKey, "the section does not say its `kind`");
        problems.push(node.problem(source, problem).hint(format!("add `kind: …`; {hint}")));
        return None;
    };
    if let Some(kind) = KINDS.iter().find(|known| kind.as_text() == Some(**known)) {
        return Some(*kind);
    }
    let problem = match &kind.value {
        Value::Text(written) => {
            let near = nearest(written, KINDS.iter().copied()).map(|near| format!("did you mean `{near}`?"));
            Problem::error(Code::UnknownSection, format!("there is no section kind `{written}`"))
                .hint(near.unwrap_or_else(|| hint.to_owned()))
        }
        Value::Null => Problem::error(Code::UnknownSection, "the section's `kind` says nothing").hint(hint),
        other => {
            let message = format!("the `kind` of a section is a name, not {}", other.kind());
            Problem::error(Code::UnknownSection, message).hint(hint)
        }
    };
    problems.push(kind.problem(source, problem));
    None
}

/// The top of a page: its main heading, what it is about, what to do.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Hero {
    eyebrow: Option<String>,
    title: String,
    lead: Option<Markdown>,
    #[serde(default)]
    actions: Vec<Action>,
    figure: Option<Image>,
    note: Option<Markdown>,
    #[serde(default)]
    size: HeroSize,
}

/// How large a hero's heading is set.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HeroSize {
    /// For the pages below the home.
    #[default]
    Page,
    /// For the home.
    Display,
}

/// Marks of clients, each a link.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct LogoStrip {
    title: String,
    logos: Vec<Logo>,
}

/// One client's mark.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Logo {
    name: String,
    mark: Image,
    to: Link,
}

/// Parts of one whole, drawn as the spans of one bridge.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Spans {
    title: String,
    intro: Option<Markdown>,
    items: Vec<SpanItem>,
    action: Option<Action>,
}

/// One span.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct SpanItem {
    title: String,
    text: Markdown,
    to: Link,
    label: String,
    figure: Option<Image>,
}

/// What a service gives, values, roles: titled texts, some with a large fact.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Features {
    title: String,
    intro: Option<Markdown>,
    #[serde(default)]
    layout: FeatureLayout,
    items: Vec<Feature>,
    #[serde(default)]
    actions: Vec<Action>,
}

/// How features are set.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FeatureLayout {
    /// Side by side.
    #[default]
    Columns,
    /// Facts in a column of their own.
    Ledger,
    /// One below the other, with figures.
    Rows,
}

/// One feature.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Feature {
    title: String,
    text: Markdown,
    fact: Option<String>,
    fact_label: Option<String>,
    figure: Option<Image>,
}

/// A list whose order or number matters, set large.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct NumberedList {
    title: String,
    intro: Option<Markdown>,
    items: Vec<TitledText>,
    action: Option<Action>,
}

/// A heading and its text.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct TitledText {
    title: String,
    text: Markdown,
}

/// Names of tools by group.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct TechStack {
    title: String,
    intro: Option<Markdown>,
    groups: Vec<TechGroup>,
}

/// One group of tools.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct TechGroup {
    title: String,
    items: Vec<String>,
}

/// Finished work, each piece with one large metric.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Portfolio {
    title: String,
    intro: Option<Markdown>,
    items: Vec<PortfolioItem>,
    action: Option<Action>,
}

/// One piece of work.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct PortfolioItem {
    client: String,
    title: String,
    text: Markdown,
    metric: String,
    metric_label: String,
    to: Link,
    label: String,
}

/// What to do next.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct CallToAction {
    title: String,
    text: Option<Markdown>,
    actions: Vec<Action>,
}

/// Somebody's words.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Quote {
    text: String,
    author: String,
    role: String,
    portrait: Option<Image>,
}

/// Years and what happened in them.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Timeline {
    title: String,
    intro: Option<Markdown>,
    entries: Vec<TimelineEntry>,
}

/// One year.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct TimelineEntry {
    year: String,
    title: String,
    text: Markdown,
}

/// Links to other pages, each with its words.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct LinkCards {
    title: String,
    intro: Option<Markdown>,
    #[serde(default)]
    layout: LinkLayout,
    items: Vec<LinkCard>,
}

/// How links are set.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkLayout {
    /// With text.
    #[default]
    Cards,
    /// Large buttons.
    Buttons,
}

/// One link.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct LinkCard {
    title: String,
    text: Option<Markdown>,
    to: Link,
    label: Option<String>,
    figure: Option<Image>,
}

/// Names, nothing more.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct NameList {
    title: String,
    intro: Option<Markdown>,
    names: Vec<String>,
}

/// A text beside a figure.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct MediaText {
    title: String,
    text: Markdown,
    figure: Image,
    #[serde(default)]
    actions: Vec<Action>,
    #[serde(default)]
    reverse: bool,
}

/// Running text.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Prose {
    title: Option<String>,
    body: Markdown,
}

/// Points to tick off.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Checklist {
    title: String,
    intro: Option<Markdown>,
    items: Vec<Markdown>,
    action: Option<Action>,
}

/// The company's address, phones and hours, from `site.yaml`.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct ContactDetails {
    title: String,
    intro: Option<Markdown>,
    emergency: Option<Markdown>,
    #[serde(default)]
    actions: Vec<Action>,
}

/// Questions and answers; one is open at a time.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Faq {
    title: String,
    intro: Option<Markdown>,
    items: Vec<Question>,
    action: Option<Action>,
}

/// One question.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Question {
    question: String,
    answer: Markdown,
    #[serde(default)]
    open: bool,
}

/// Who leads whom.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct OrgChart {
    title: String,
    intro: Option<Markdown>,
    root: Unit,
    supporting: Option<Supporting>,
}

/// A unit and those below it.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Unit {
    name: String,
    text: Option<String>,
    #[serde(default)]
    members: Vec<String>,
    #[serde(default)]
    units: Vec<Unit>,
}

/// Who helps from outside the line.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Supporting {
    title: String,
    text: Option<String>,
    members: Vec<String>,
}

/// Steps that follow each other.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Phases {
    title: String,
    intro: Option<Markdown>,
    items: Vec<TitledText>,
    action: Option<Action>,
}

/// One large picture.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Photo {
    image: Image,
    caption: Option<Markdown>,
}

/// Plans side by side.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct PricingTable {
    title: String,
    intro: Option<Markdown>,
    rows: Vec<String>,
    plans: Vec<Plan>,
    note: Option<Markdown>,
}

/// One plan: a value for each row of the table, in the same order.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Plan {
    name: String,
    price: String,
    period: String,
    badge: Option<String>,
    #[serde(default)]
    featured: bool,
    values: Vec<PlanValue>,
    action: Action,
}

/// Who can be hired.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Profiles {
    title: String,
    intro: Option<Markdown>,
    items: Vec<Profile>,
}

/// One profile.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Profile {
    title: String,
    text: Option<Markdown>,
    skills: Vec<Skill>,
}

/// A language and what is built with it.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Skill {
    name: String,
    with: Vec<String>,
}

/// A long section that shows how the header behaves while scrolling.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct ScrollTest {
    title: String,
    text: Markdown,
    marks: Vec<String>,
}
