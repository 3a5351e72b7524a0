//! The template engine, one environment per language. HTML is escaped by default. Optional fields are always defined,
//! as `none`, so an undefined name is a mistake, reported as an error at its line.
//!
//! Functions of templates, each with an example:
//! - `{{ t("menu") }}`, `{{ t("copyright", year=2025) }}`: an interface text of the page's language.
//! - `{{ icon("arrow-right") }}`, `{{ icon("check", "fill") }}`: an icon as inline SVG.
//! - `{{ static("favicon.svg") }}`: the address of a file in `static/`.
//! - `{{ styles("components/chip") }}`: nothing; the page has the styles of the component.
//! - `{{ entries("team", clinics="madrid", limit=3) }}`: entries of a collection.
//! - `{{ name_width(site.product.name) }}`: the width of a name in ems, bold, in the display font.
//! - `{{ "/about/" | href }}`: the address of a path of the site, with the path of `base_url`.
//! - `{{ document | as_text }}`: finished HTML as text, for the attribute `srcdoc`.
//! - `{{ island("menu", {"links": menu}, "interaction") }}`: an island; the last argument is its directive, which
//!   says when it hydrates.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Rest};
use minijinja::{Environment, Error, UndefinedBehavior, Value};

use api_types::html::{escape, write_escaped};
use assets::graphics::Unprintable;
use assets::{IconStyle, Manifest};
use config::SiteSettings;
use diagnostics::limits::{TEMPLATE_OUTPUT, TEMPLATE_TEXT};
use diagnostics::marks::without;
use diagnostics::problem::{Code, Place, Problem, Problems, did_you_mean, nearest};
use languages::locale::{self, Locale};
use schema::types::composed;
use site::model::Site;

use super::entries::{self, EntryViews};
use super::template_errors::{all_defined, fault, syntax_problem};
use super::{Inputs, entry_lists, lent, typed};

/// The maximum number of template instructions per page, to report endless loops. A large page takes a thousandth of
/// it.
const FUEL: u64 = 50_000_000;

/// Compiles all templates for each language. A mistake in one template is reported once, and the others are still
/// compiled.
pub(super) fn build<'a>(
    inputs: &Inputs<'a>,
    entries: &[Arc<EntryViews>],
) -> (Vec<Environment<'a>>, Problems) {
    let Inputs {
        settings,
        site,
        manifest,
        drawings,
        templates,
        islands,
        ..
    } = *inputs;
    let mut problems = Problems::new();
    if !templates.html.contains_key("pages/page.html")
        && !templates.broken.contains("pages/page.html")
    {
        let problem = Problem::error(Code::TemplateMissing, "the site has no page template")
            .at(Place::file("templates/pages/page.html"))
            .hint(concat!(
                "to use sitegen's own templates, add `theme: ",
                env!("CARGO_PKG_VERSION"),
                "` to `content/site.yaml`"
            ));
        return (Vec::new(), problem.into());
    }
    for kind in site
        .pages
        .iter()
        .flat_map(|page| page.sections.iter().map(|section| section.kind.name))
        .collect::<std::collections::BTreeSet<_>>()
    {
        let name = super::section_template(kind);
        if !templates.html.contains_key(&name) && !templates.broken.contains(&name) {
            let problem = Problem::error(
                Code::TemplateMissing,
                format!("the section kind `{kind}` has no template"),
            );
            let problem = problem.at(Place::file(format!("templates/{name}")));
            problems.push(problem.hint("add the template, or remove sections of this kind"));
        }
    }
    for collection in site
        .collections
        .list
        .iter()
        .filter(|collection| collection.schema.address.is_some())
    {
        let (schema, name) = (collection.schema, collection.schema.page_template);
        if !schema.is_of_posts()
            && !templates.html.contains_key(name)
            && !templates.broken.contains(name)
        {
            let message = format!(
                "the entries of `{}` have pages, but there is no template for them",
                schema.name
            );
            let problem = Problem::error(Code::TemplateMissing, message)
                .at(Place::file(format!("templates/{name}")));
            problems.push(problem.hint(format!(
                "add the template, or remove `address` from `{}`",
                schema.source.path
            )));
        }
    }
    if let Some(first) = site.shared.first()
        && !templates
            .html
            .values()
            .any(|source| source.text.contains("closing"))
    {
        let place = Place::file(first.source.paths().next().unwrap_or_default().to_owned());
        let problem = Problem::warning(
            Code::TemplateMissing,
            "no template shows the sections that pages share with `on_pages`",
        )
        .at(place);
        problems.push(
            problem.hint("copy the theme's loop over `closing` into `templates/layouts/base.html`"),
        );
    }
    let styled: Arc<BTreeSet<String>> = Arc::new(templates.styles.keys().cloned().collect());
    let mut environments = Vec::new();
    for (index, locale) in site.locales.iter().enumerate() {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        if let Ok(syntax) = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build()
        {
            environment.set_syntax(syntax);
        }
        environment.set_debug(true);
        environment.set_fuel(Some(FUEL));
        environment.set_formatter(format_value);
        add_functions(
            &mut environment,
            settings.in_language(&locale.code),
            locale,
            site,
            manifest,
        );
        environment.add_function(
            "related",
            entry_lists::related(site, index, &entries[index]),
        );
        environment.add_function("filters", entry_lists::filters_of(site, &entries[index]));
        environment.add_function(
            "entries",
            entry_lists::function(site, index, &entries[index]),
        );
        let (names, language) = (drawings.names.clone(), locale.language.clone());
        environment.add_function("name_width", move |name: &str| {
            names
                .as_ref()
                .map_or(0.0, |names| names.ems(&without(name), &language))
        });
        environment.add_filter("dialed", schema::types::dialed);
        environment.add_filter("for_island", super::values::picture_for_island);
        environment.add_filter("as_text", |html: &str| {
            Value::from_safe_string(escape(html))
        });
        super::style_guide::add_filters(&mut environment);
        super::island::add(&mut environment, index, islands);
        let styled = Arc::clone(&styled);
        environment.add_function("styles", move |named: Rest<String>| styles(&named, &styled));
        for (name, source) in &templates.html {
            if let Err(error) = environment.add_template(name, &source.text)
                && index == 0
            {
                problems.push(syntax_problem(&error, name, templates));
            }
        }
        environments.push(environment);
    }
    (environments, problems)
}

/// `styles("components/chip")` prints nothing: a page has the styles because its template names them.
fn styles(named: &[String], styled: &BTreeSet<String>) -> Result<Value, Error> {
    let Some(missing) = named.iter().find(|name| !styled.contains(*name)) else {
        return Ok(Value::from_safe_string(String::new()));
    };
    let near = nearest(missing, styled.iter().map(String::as_str));
    let problem = Problem::error(
        Code::TemplateError,
        format!("there is no style sheet in the folder `templates/{missing}`"),
    );
    Err(fault(problem.maybe_hint(
        near.map(|near| format!("did you mean `{near}`?")),
    )))
}

thread_local! {
    /// Bytes that templates have printed since [`render`] was called, in blocks that are not shown, too.
    static PRINTED: Cell<usize> = const { Cell::new(0) };
}

/// Renders a template. One that prints without an end is an error.
pub(super) fn render(
    environment: &Environment,
    name: &str,
    context: Value,
) -> Result<String, Error> {
    PRINTED.set(0);
    environment.get_template(name)?.render(context)
}

/// Like the engine's own formatter, but without escaping slashes, which every address contains, and without printing what is no
/// text.
fn format_value(
    out: &mut minijinja::Output,
    state: &mut minijinja::State,
    value: &Value,
) -> Result<(), Error> {
    let text = value.as_str().or_else(|| typed::url(value));
    let printed = PRINTED.get() + text.map_or(0, str::len);
    PRINTED.set(printed);
    if printed > TEMPLATE_OUTPUT {
        let message = format!("a page prints more than {} MB", TEMPLATE_OUTPUT >> 20);
        return Err(Error::new(minijinja::ErrorKind::InvalidOperation, message));
    }
    match text {
        // A template that doubles a text thirty times would take all memory.
        Some(text) if text.len() > TEMPLATE_TEXT => {
            let message = format!("a string is larger than {} MB", TEMPLATE_TEXT >> 20);
            Err(Error::new(minijinja::ErrorKind::InvalidOperation, message))
        }
        Some(text) if !value.is_safe() && *state.auto_escape() == minijinja::AutoEscape::Html => {
            Ok(write_escaped(out, text)?)
        }
        Some(_) => minijinja::escape_formatter(out, state, value),
        None if typed::is_text(value) || entries::is_entry(value) => {
            minijinja::escape_formatter(out, state, value)
        }
        None => Unprintable::print(out, state, value),
    }
}

/// Every interface text of a language, by its key, with the mark of the language that lends it; some occur twice.
pub(super) fn vocabulary<'a>(
    locale: &'a Locale,
    all: &'a [Locale],
) -> impl Iterator<Item = (&'a str, String)> {
    let keys = all[0].messages.keys().chain(locale.messages.keys());
    keys.filter_map(|key| {
        Some((
            key.as_str(),
            lent::of_code(locale.word(key, &all[0])?, locale.lender(key), all),
        ))
    })
}

fn add_functions<'a>(
    environment: &mut Environment<'a>,
    settings: &SiteSettings,
    locale: &'a Locale,
    site: &'a Site,
    manifest: &'a Manifest,
) {
    let words = vocabulary(locale, &site.locales).map(|(key, word)| (key.to_owned(), word));
    let messages: Arc<std::collections::BTreeMap<String, String>> = Arc::new(words.collect());
    environment.add_function(
        "t",
        move |key: &str, values: Kwargs| -> Result<String, Error> {
            all_defined(&values)?;
            let message = messages.get(key).ok_or_else(|| {
                let near = nearest(key, messages.keys().map(String::as_str))
                    .map(|near| format!("did you mean `{near}`?"));
                let problem = Problem::error(
                    Code::UnknownMessage,
                    format!("there is no interface message `{key}`"),
                );
                fault(
                    problem
                        .hint("add it to the files in `content/locales/`")
                        .maybe_hint(near),
                )
            })?;
            let text = locale::fill(message, |name| {
                values.get::<Value>(name).ok().map(|value| {
                    if value.is_none() {
                        String::new()
                    } else {
                        value.to_string()
                    }
                })
            });
            let text = text.map_err(|name| {
                fault(
                    Problem::error(
                        Code::UnknownMessage,
                        format!("the message `{key}` needs `{name}`"),
                    )
                    .hint(format!("write `t(\"{key}\", {name}=…)`")),
                )
            })?;
            // A word that is the same for all numbers leaves it out.
            let _ = values.get::<Value>("count");
            values.assert_all_used()?;
            Ok(text)
        },
    );
    let set = Arc::clone(&manifest.icons);
    environment.add_function(
        "icon",
        move |name: &str, style: Option<&str>| -> Result<Value, Error> {
            let style = match style {
                None | Some("regular" | "linear") => IconStyle::Regular,
                Some("fill" | "filled") => IconStyle::Fill,
                Some(other) => {
                    return Err(fault(
                        Problem::error(Code::UnknownIcon, format!("icons have no style `{other}`"))
                            .hint("write `\"regular\"` or `\"fill\"`"),
                    ));
                }
            };
            set.svg(name, style)
                .map(|svg| Value::from_safe_string(svg.to_string()))
                .map_err(fault)
        },
    );
    let files: Arc<std::collections::BTreeSet<String>> = Arc::new(
        site.static_files
            .iter()
            .map(|file| file.path.clone())
            .collect(),
    );
    let base_path: Arc<str> = settings.base_path().into();
    let base = Arc::clone(&base_path);
    environment.add_filter("href", move |path: &str| [&base, path].concat());
    environment.add_function("static", move |path: &str| -> Result<String, Error> {
        let path = &*composed(path);
        if files.contains(path) {
            return Ok(format!("{base_path}/{path}"));
        }
        let problem = Problem::error(Code::DeadLink, format!("there is no file `static/{path}`"));
        Err(fault(problem.maybe_hint(did_you_mean(
            path,
            files.iter().map(String::as_str),
        ))))
    });
}
