//! The examples of a component: template code that uses it, with data in the variable `values`.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value as Json;

use diagnostics::problem::{Code, Problem, Problems, Source, did_you_mean, nearest};
use diagnostics::yaml::{self, Node, Spanned, Value};
use schema::types::{Image, Link, Markdown};

use super::super::templates::Templates;
use super::{Example, Family, Given, Macro, PartSource, Preview, as_written, items, macros};

/// The keys of the `examples.yaml` of a component.
#[derive(Deserialize, JsonSchema)]
pub struct ComponentFile {
    /// Its purpose.
    meaning: String,
    /// Descriptions of arguments, by macro and argument.
    #[serde(default)]
    macros: BTreeMap<String, BTreeMap<String, String>>,
    /// Examples of its use, in order.
    #[serde(rename = "examples")]
    #[schemars(with = "Vec<ComponentExample>")]
    _examples: IgnoredAny,
}

/// The keys of an example.
#[derive(Deserialize, JsonSchema)]
struct ComponentExample {
    /// The case that it shows.
    name: Spanned<String>,
    /// Template code.
    template: Option<Spanned<String>>,
    /// The variable `values` of the template; `{link: …}`, `{markdown: …}` and `{picture: …}` are typed values.
    #[serde(rename = "values")]
    #[schemars(with = "Option<Json>")]
    _values: Option<IgnoredAny>,
    /// A page that shows the component, in place of a template.
    live: Option<Link>,
}

/// Reads a component's file, and adds its examples to the templates.
pub(super) fn read(
    name: String,
    source: Arc<Source>,
    node: &Node,
    templates: &mut Templates,
    problems: &mut Problems,
) -> Option<PartSource> {
    let file: ComponentFile = yaml::read(&source, node, problems)?;
    let own = format!("components/{name}/");
    let texts = templates
        .html
        .iter()
        .filter(|(template, _)| template.starts_with(&own));
    let written: Vec<Macro> = texts
        .flat_map(|(_, template)| macros::read(&template.text))
        .collect();
    let takes = describe(&source, node, written, &file.macros, problems);
    let mut examples = Vec::new();
    for item in items(&source, node.get("examples")?, problems) {
        let Some(own) = yaml::read::<ComponentExample>(&source, item, problems) else {
            continue;
        };
        if own.template.is_none() && own.live.is_none() {
            let problem = Problem::error(
                Code::MissingKey,
                "the example has neither a template nor a page that shows it",
            );
            problems.push(
                item.problem(&source, problem)
                    .hint("add `template: …`, or `live: page:…`"),
            );
            continue;
        }
        let values = item
            .get("values")
            .map_or(Json::Null, |node| json(&source, node, problems));
        let preview = own.template.as_ref().map(|template| {
            let name = format!("components/{name}/examples/{}.html", examples.len() + 1);
            templates.add(name.clone(), in_place(&source, template));
            Preview::Template(name, values)
        });
        let code = own
            .template
            .map(|template| template.value.trim().to_owned())
            .unwrap_or_default();
        let written = item.get("values").map(|node| as_written(&source, node));
        examples.push(Example {
            name: own.name.value,
            code,
            values: written,
            preview,
            live: own.live,
        });
    }
    Some(PartSource {
        family: Family::Components,
        name,
        meaning: file.meaning,
        takes: Given::Macros(takes),
        examples,
        source,
    })
}

/// Adds the descriptions to the arguments. Reports missing descriptions, and descriptions of unknown arguments.
fn describe(
    source: &Source,
    node: &Node,
    mut written: Vec<Macro>,
    meanings: &BTreeMap<String, BTreeMap<String, String>>,
    problems: &mut Problems,
) -> Vec<Macro> {
    let block = node.get("macros");
    for own in &mut written {
        let at = block
            .and_then(|block| block.get(&own.name))
            .or(block)
            .unwrap_or(node);
        let names: Vec<String> = own
            .arguments
            .iter()
            .map(|argument| argument.name.clone())
            .collect();
        for argument in &mut own.arguments {
            let meaning = meanings
                .get(&own.name)
                .and_then(|meanings| meanings.get(&argument.name));
            // Misspelled names are reported below.
            let misspelled = meanings
                .get(&own.name)
                .into_iter()
                .flatten()
                .map(|(written, _)| written.as_str())
                .filter(|written| !names.iter().any(|name| name == written));
            if meaning.is_none() && nearest(&argument.name, misspelled).is_none() {
                let message = format!(
                    "the argument `{}` of the macro `{}` has no description",
                    argument.name, own.name
                );
                let problem = at.problem(source, Problem::error(Code::MissingKey, message));
                problems.push(problem.hint(format!(
                    "add `{}: …` to `{}` below `macros`",
                    argument.name, own.name
                )));
            }
            argument.meaning = meaning.cloned().unwrap_or_default();
        }
    }
    for (name, arguments) in meanings {
        let mut unknown = |what: String, written: &str, near: Option<String>| {
            let place = yaml::place_of_key(source, &[written]);
            problems.push(
                Problem::error(Code::UnknownKey, what)
                    .at(place)
                    .maybe_hint(near),
            );
        };
        let Some(own) = written.iter().find(|own| own.name == *name) else {
            let near = did_you_mean(name, written.iter().map(|own| own.name.as_str()));
            unknown(format!("the component has no macro `{name}`"), name, near);
            continue;
        };
        for argument in arguments
            .keys()
            .filter(|argument| own.arguments.iter().all(|own| own.name != **argument))
        {
            let near = did_you_mean(argument, own.arguments.iter().map(|own| own.name.as_str()));
            unknown(
                format!("the macro `{name}` has no argument `{argument}`"),
                argument,
                near,
            );
        }
    }
    written
}

/// The template of an example at its line of the file, so that problems in it have the right line.
fn in_place(source: &Source, template: &Spanned<String>) -> Arc<Source> {
    let start = (template.span.start as usize).min(source.text.len());
    let above = source.text[..start].matches('\n').count();
    let is_block = source.text[start..].starts_with(['|', '>']);
    let text = format!(
        "{}{}",
        "\n".repeat(above + usize::from(is_block)),
        template.value.trim_end()
    );
    Arc::new(Source::new(source.path.clone(), text))
}

/// Converts values to JSON, with links, Markdown and pictures marked as in sections.
fn json(source: &Arc<Source>, node: &Node, problems: &mut Problems) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Float(value) => (*value).into(),
        Value::Text(text) => text.as_str().into(),
        Value::List(items) => items
            .iter()
            .map(|item| json(source, item, problems))
            .collect(),
        Value::Map(entries) => {
            let mut marked = |kind: &str, node: &Node| match kind {
                "link" => yaml::read::<Link>(source, node, problems).map(serde_json::to_value),
                "markdown" => {
                    yaml::read::<Markdown>(source, node, problems).map(serde_json::to_value)
                }
                _ => yaml::read::<Image>(source, node, problems).map(serde_json::to_value),
            };
            if let [(key, value)] = entries.as_slice()
                && matches!(key.name.as_str(), "link" | "markdown" | "picture")
            {
                return marked(&key.name, value)
                    .and_then(Result::ok)
                    .unwrap_or_default();
            }
            entries
                .iter()
                .map(|(key, node)| (key.name.clone(), json(source, node, problems)))
                .collect()
        }
    }
}
