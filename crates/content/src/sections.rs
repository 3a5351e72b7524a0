//! The sections of pages: one folder `templates/sections/<kind>/` for each kind.
//!
//! A kind is what the `schema.yaml` of its folder declares: its fields, the widths of its photographs, its default background,
//! and its role, whether the theme has it or a site adds it (`sections/declared.rs`). The fields that every section may have
//! are in `sections/every-section.yaml`.

mod declared;
mod kind;
mod of_theme;

use std::sync::{Arc, LazyLock};

use serde::Deserialize as _;
use serde_json::Value as Json;

use diagnostics::problem::{Code, Problem, Problems, Source, Span, did_you_mean, nearest};
use diagnostics::yaml::{self, Node, Spanned, Value};
use schema::types::{TYPED, Typed, When};
use schema::{Block, Scope};

use super::blog::BLOG;
use super::style_guide::SIDEBAR;

pub use declared::load as load_kinds;
pub use declared::{Kinds, SchemaFile};
pub use kind::{Band, SectionKind, SectionRole};

/// The fields that every section may have.
static COMMON: LazyLock<&'static Block> = LazyLock::new(|| {
    let source = Arc::new(Source::new(
        String::new(),
        include_str!("sections/every-section.yaml").to_owned(),
    ));
    let fields = yaml::parse(&source, 0..source.text.len()).ok();
    let block = fields
        .and_then(|fields| schema::read(&source, &fields, Scope::Settings, &mut Problems::new()));
    schema::kept(block.expect("a test reads the fields that every section may have"))
});

/// The fields that every section may have.
pub fn common() -> &'static Block {
    *COMMON
}

impl Section {
    /// The name of the collection that it lists.
    pub fn lists(&self) -> Option<&str> {
        match self.kind.role {
            SectionRole::Entries => self.kind.lists.or_else(|| self.fields["of"].as_str()),
            _ => None,
        }
    }

    /// The collection whose pages are below the page with this section, `blog` among them.
    pub fn holds_pages_of(&self) -> Option<&str> {
        match self.kind.role {
            SectionRole::PostList => Some(BLOG),
            _ => self.lists(),
        }
    }

    /// The form that it shows.
    pub fn form(&self) -> Option<&str> {
        let name = self.fields["form"].as_str();
        name.filter(|_| self.kind.role == SectionRole::Form)
    }

    /// The collection from which it lists what is upcoming, current or past.
    pub fn lists_by_date(&self) -> Option<&str> {
        let is_by_date = ["upcoming", "current", "past"]
            .iter()
            .any(|date| self.fields[date].is_string());
        self.lists().filter(|_| is_by_date)
    }
}

/// A section of a page, as read.
#[derive(Debug, Clone)]
pub struct Section {
    /// Its kind.
    pub kind: &'static SectionKind,
    /// Its anchor on the page.
    pub id: Option<Spanned<String>>,
    /// Its background.
    pub band: Band,
    /// Its fields, with links, Markdown, pictures and typed values as marked objects.
    pub fields: Json,
    /// The language that its words are in, if it is not that of the page.
    pub lent: Option<String>,
    /// `publish_at` and `expires_at`.
    pub dates: [Option<Spanned<When>>; 2],
}

/// Reads one item of the list `sections` of a page.
pub fn read(
    source: &std::sync::Arc<Source>,
    node: &Node,
    kinds: &Kinds,
    problems: &mut Problems,
) -> Option<Section> {
    let Value::Map(entries) = &node.value else {
        let problem = Problem::error(
            Code::WrongType,
            format!("expected a section, found {}", node.value.kind()),
        );
        problems.push(
            node.problem(source, problem)
                .hint("write `- kind: hero` and the section's keys below it"),
        );
        return None;
    };
    let kind = read_kind(source, node, kinds, problems)?;
    let fields = entries
        .iter()
        .filter(|(key, _)| key.name != "kind")
        .cloned()
        .collect();
    read_fields(kind, source, &node.with_value(Value::Map(fields)), problems)
}

/// Reads the fields of a section, without `kind`.
pub(super) fn read_fields(
    kind: &'static SectionKind,
    source: &std::sync::Arc<Source>,
    node: &Node,
    problems: &mut Problems,
) -> Option<Section> {
    let Value::Map(entries) = &node.value else {
        return None;
    };
    let (common_fields, own): (Vec<_>, Vec<_>) = entries
        .iter()
        .cloned()
        .partition(|(key, _)| common().field(&key.name).is_some());
    let part = |entries| node.with_value(Value::Map(entries));
    // Read both before returning, so that one run reports all problems of the section.
    let common_values = yaml::read_seed(source, &part(common_fields), common(), problems);
    let own = part(own);
    let fields = yaml::read_seed(source, &own, kind.fields, problems);
    let (common_values, fields) = (common_values?, fields?);
    if kind.role == SectionRole::Plans {
        check_plans(&own, source, problems)?;
    }
    let place = |name: &str| node.get(name).map(|node| node.span).unwrap_or_default();
    let id = common_values["id"].as_str().map(|id| Spanned {
        value: id.to_owned(),
        span: place("id"),
    });
    let band = Band::deserialize(&common_values["band"]).unwrap_or(kind.band);
    let date = |name: &str| match Typed::deserialize(&common_values[name][TYPED]) {
        Ok(Typed::Moment(value)) => Some(Spanned {
            value,
            span: place(name),
        }),
        _ => None,
    };
    let dates = [date("publish_at"), date("expires_at")];
    Some(Section {
        kind,
        id,
        band,
        fields,
        lent: None,
        dates,
    })
}

/// Checks that each row of a table has one value for each plan. `None` if a value is missing.
fn check_plans(table: &Node, source: &Source, problems: &mut Problems) -> Option<()> {
    let mut is_whole = true;
    let plans: Vec<(String, Span)> = items(table, "plans")
        .filter_map(|plan| named(plan, "name"))
        .collect();
    let names = || plans.iter().map(|(name, _)| name.as_str());
    for (at, (name, span)) in plans.iter().enumerate() {
        if names().take(at).any(|before| before == name) {
            let message = format!("two plans in this table are called `{name}`");
            problems.push(Problem::error(Code::DuplicateId, message).at(source.place(*span)));
        }
    }
    for row in items(table, "rows") {
        let (Some((label, span)), Some(Value::Map(values))) = (
            named(row, "label"),
            row.get("values").map(|values| &values.value),
        ) else {
            continue;
        };
        for (plan, _) in values {
            if !names().any(|name| name == plan.name) {
                let message = format!("the table has no plan `{}`", plan.name);
                let problem = Problem::error(Code::UnknownId, message).at(source.place(plan.span));
                problems.push(problem.maybe_hint(did_you_mean(&plan.name, names())));
            }
        }
        for plan in names().filter(|plan| values.iter().all(|(key, _)| key.name != *plan)) {
            let message = format!("the row `{label}` has no value for the plan `{plan}`");
            let problem = Problem::error(Code::MissingKey, message).at(source.place(span));
            problems.push(problem.hint(format!(
                "add `{plan}: …` to the `values` of the row, with `true`, `false` or text"
            )));
            is_whole = false;
        }
    }
    is_whole.then_some(())
}

/// The items of a list in a block.
fn items<'n>(block: &'n Node, key: &str) -> impl Iterator<Item = &'n Node> {
    match block.get(key).map(|list| &list.value) {
        Some(Value::List(items)) => items.iter(),
        _ => [].iter(),
    }
}

/// A text of a block, and its place; a number is a text here.
fn named(block: &Node, key: &str) -> Option<(String, Span)> {
    let node = block.get(key)?;
    let text = match &node.value {
        Value::Text(text) => text.clone(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        _ => return None,
    };
    Some((text, node.span))
}

/// The kind with a name. The problem has no place; there is none if the kind has a problem of its own.
pub(super) fn kind_of(name: &str, kinds: &Kinds) -> Result<&'static SectionKind, Option<Problem>> {
    kinds
        .named(name)
        .ok_or_else(|| (!kinds.is_broken(name)).then(|| unknown_kind(name, kinds)))
}

fn unknown_kind(written: &str, kinds: &Kinds) -> Problem {
    if declared::is_of_guide(written) {
        return Problem::error(
            Code::UnknownSection,
            format!("`{written}` is a section kind of the style guide, and this site has none"),
        )
        .hint(format!(
            "add `{SIDEBAR}`, the links beside the pages of a style guide"
        ));
    }
    let near = did_you_mean(written, kinds.iter().map(|kind| kind.name))
        .filter(|hint| hint.starts_with("did you"));
    Problem::error(
        Code::UnknownSection,
        format!("there is no section kind `{written}`"),
    )
    .hint(near.unwrap_or_else(|| KIND_HINT.to_owned()))
}

const KIND_HINT: &str = "kinds are the folders in `templates/sections`, such as `hero` or `prose`";

fn read_kind(
    source: &Source,
    node: &Node,
    kinds: &Kinds,
    problems: &mut Problems,
) -> Option<&'static SectionKind> {
    let hint = KIND_HINT;
    let Some(kind) = node.get("kind") else {
        if let Value::Map(entries) = &node.value
            && let Some((key, _)) = entries
                .iter()
                .find(|(key, _)| nearest(&key.name, ["kind"]).is_some())
        {
            let problem = Problem::error(Code::UnknownKey, format!("unknown key `{}`", key.name));
            problems.push(
                problem
                    .at(source.place(key.span))
                    .hint("did you mean `kind`?"),
            );
            return None;
        }
        let problem = Problem::error(Code::MissingKey, "the section has no `kind`");
        problems.push(
            node.problem(source, problem)
                .hint(format!("add `kind: …`; {hint}")),
        );
        return None;
    };
    let problem = match &kind.value {
        Value::Text(name) => match kind_of(name, kinds) {
            Ok(known) => return Some(known),
            Err(problem) => problem?,
        },
        Value::Null => {
            Problem::error(Code::UnknownSection, "the section's `kind` is empty").hint(hint)
        }
        other => {
            let message = format!("the `kind` of a section is a name, not {}", other.kind());
            Problem::error(Code::UnknownSection, message).hint(hint)
        }
    };
    problems.push(kind.problem(source, problem));
    None
}
