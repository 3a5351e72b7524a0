//! Problems in templates. The template engine passes on only errors of its own, so a problem that a template function
//! finds is wrapped in one. Each error of the engine then becomes a problem at its line.

use std::collections::BTreeSet;
use std::error::Error as _;

use minijinja::value::Kwargs;
use minijinja::{Error, ErrorKind, Value};

use assets::graphics::Unprintable;
use content::Templates;
use content::templates::blocks;
use diagnostics::problem::{Code, Place, Problem, Problems, Span, nearest};

/// The functions of templates, those of the engine included.
const FUNCTIONS: &[&str] = &[
    "entries",
    "related",
    "filters",
    "t",
    "icon",
    "static",
    "styles",
    "island",
    "name_width",
    "range",
    "dict",
    "namespace",
];
/// The filters that a template of a site may mean, those of the engine included.
const FILTERS: &[&str] = &[
    "abs",
    "as_text",
    "attr",
    "batch",
    "bool",
    "capitalize",
    "chain",
    "count",
    "default",
    "dictsort",
    "escape",
    "first",
    "float",
    "for_island",
    "format",
    "groupby",
    "href",
    "indent",
    "int",
    "items",
    "join",
    "last",
    "length",
    "lines",
    "list",
    "lower",
    "map",
    "max",
    "min",
    "reject",
    "rejectattr",
    "replace",
    "reverse",
    "round",
    "safe",
    "select",
    "selectattr",
    "slice",
    "sort",
    "split",
    "string",
    "sum",
    "title",
    "tojson",
    "trim",
    "unique",
    "upper",
    "urlencode",
    "zip",
];

/// A problem of a template function, passed through the template engine as an error. The engine adds the place.
#[derive(Debug)]
struct Fault(Problem);

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Fault {}

/// Wraps a problem in an error, which a template function can return.
pub(super) fn fault(problem: Problem) -> Error {
    Error::new(ErrorKind::InvalidOperation, problem.message.clone()).with_source(Fault(problem))
}

/// An error for a named argument that is undefined: a misspelt name in a call would otherwise print nothing.
pub(super) fn all_defined(values: &Kwargs) -> Result<(), Error> {
    let Some(name) = values.args().find(|name| {
        values
            .peek::<Value>(name)
            .is_ok_and(|value| value.is_undefined())
    }) else {
        return Ok(());
    };
    let problem = Problem::error(
        Code::TemplateError,
        format!("the value of the argument `{name}` is undefined"),
    );
    Err(fault(problem.hint(
        "a field that is left out is `none`, not undefined; look for a misspelled name",
    )))
}

/// The problem of a template that the engine cannot read, by its name.
pub(super) fn syntax_problem(error: &Error, name: &str, templates: &Templates) -> Problem {
    // The engine reports where it got lost, often far behind the mistake.
    let mismatch = templates.html.get(name).and_then(blocks::mismatch);
    mismatch.unwrap_or_else(|| problem(error, templates))
}

/// Converts an error of the template engine to a problem at the line of the innermost template.
pub(super) fn problem(error: &Error, templates: &Templates) -> Problem {
    let mut innermost = error;
    let mut reported = None;
    let mut unprintable = None;
    let mut names: Vec<&str> = error.name().into_iter().collect();
    let mut next = error.source();
    while let Some(source) = next {
        if let Some(inner) = source.downcast_ref::<Error>() {
            innermost = inner;
            names.extend(inner.name());
        } else if let Some(Fault(problem)) = source.downcast_ref::<Fault>() {
            reported = Some(problem.clone());
        } else if let Some(found) = source.downcast_ref::<Unprintable>() {
            unprintable = Some(found);
        }
        next = source.source();
    }
    if innermost.detail().is_some_and(|detail| {
        detail.contains("recursion limit") || detail.contains("cycle in template")
    }) && let Some((source, span)) = names.iter().rev().find_map(|name| templates.endless(name))
    {
        let problem = Problem::error(
            Code::TemplateError,
            "this template includes itself, directly or through others, so rendering never ends",
        );
        return problem
            .at(source.place(span))
            .hint("remove the include, or put it under a condition that becomes false");
    }
    let source = innermost.name().and_then(|name| templates.html.get(name));
    let range = innermost.range();
    let written = source
        .zip(range.clone())
        .and_then(|(source, range)| source.text.get(range));
    let mut problem = match (reported, unprintable) {
        (Some(problem), _) => problem,
        (None, Some(found)) => {
            // The engine's range can begin at the braces.
            let value = written.map(|text| text.trim_start_matches(['{', '-', '+']).trim());
            let (message, hint) = found.describe(value.unwrap_or("this value"));
            Problem::error(Code::TemplateError, message).hint(hint)
        }
        (None, None) => describe(innermost, written, templates),
    };
    if let Some(source) = source {
        problem.place = Some(match (range, innermost.line()) {
            (Some(range), _) => source.place(Span::new(range.start, range.end)),
            (None, Some(line)) => source.place_at(line, 1),
            (None, None) => Place::file(source.path.clone()),
        });
    } else if let Some(name) = innermost.name() {
        problem.place = Some(Place::file(format!("templates/{name}")));
    }
    problem
}

/// A page that a template could not render.
pub(super) struct Failure<'a> {
    pub problem: Problem,
    /// The URL of the page.
    pub path: &'a str,
    /// The templates of the page.
    pub used: BTreeSet<String>,
}

/// The problems of pages, each once. A component is wrong because of what it was given, so the hint names a page
/// and the callers.
pub(super) fn together(mut failures: Vec<Failure>, templates: &Templates) -> Problems {
    failures.sort_by(|a, b| a.path.cmp(b.path));
    let mut found: Vec<(Failure, usize)> = Vec::new();
    for failure in failures {
        match found
            .iter_mut()
            .find(|(known, _)| known.problem == failure.problem)
        {
            Some((_, pages)) => *pages += 1,
            None => found.push((failure, 1)),
        }
    }
    let mut problems = Problems::new();
    for (
        Failure {
            mut problem,
            path,
            used,
        },
        pages,
    ) in found
    {
        if let Some(callers) = problem
            .place
            .as_ref()
            .and_then(|place| callers(place, &used, templates))
        {
            let more = match pages {
                1 => String::new(),
                2 => " and one more page".to_owned(),
                _ => format!(" and {} more pages", pages - 1),
            };
            let hint = problem
                .hint
                .take()
                .map_or_else(String::new, |hint| format!("{hint}; "));
            problem = problem.hint(format!(
                "{hint}the component is used by {callers}, on `{path}`{more}"
            ));
        }
        problems.push(problem);
    }
    problems
}

/// The templates of a page that call the macro at this place; `None` if nothing calls it.
fn callers(place: &Place, used: &BTreeSet<String>, templates: &Templates) -> Option<String> {
    let name = place
        .path
        .strip_prefix("templates/")
        .filter(|name| name.starts_with("components/"))?;
    let line = place.range.map_or(0, |range| range.start.line as usize);
    let text = &templates.html.get(name)?.text;
    let before: Vec<&str> = text.lines().take(line).collect();
    let macro_name = before
        .iter()
        .rev()
        .find_map(|line| line.split("macro ").nth(1)?.split('(').next());
    let callers: Vec<String> = templates
        .callers(name, macro_name, used)
        .iter()
        .map(|caller| format!("`templates/{caller}`"))
        .collect();
    (!callers.is_empty()).then(|| callers.join(" or "))
}

/// Whether a problem may follow from a reference to an entry that does not exist: a part of a value is undefined, or a value is not
/// there.
pub(super) fn follows_from_reference(problem: &Problem) -> bool {
    let Problem { code, message, .. } = problem;
    let is_part = message.ends_with("is undefined here") && message.matches('.').count() > 1;
    *code == Code::TemplateError && (is_part || message.contains("has no value"))
}

fn describe(error: &Error, written: Option<&str>, templates: &Templates) -> Problem {
    let words = || {
        error
            .detail()
            .map_or_else(|| error.kind().to_string(), str::to_owned)
    };
    let written = written.map(str::trim);
    match error.kind() {
        ErrorKind::SyntaxError => {
            let detail = error.detail().unwrap_or("the template could not be read");
            let unclosed = detail.contains("end of input").then(|| {
                "a block is not closed: look for a missing `{% endfor %}`, `{% endif %}` or `{% endblock %}`".to_owned()
            });
            Problem::error(Code::TemplateSyntax, detail.to_owned()).maybe_hint(unclosed)
        }
        ErrorKind::UndefinedError => {
            let name =
                written.map_or_else(|| "a value".to_owned(), |written| format!("`{written}`"));
            let is_part = name.matches('.').count() > 1;
            Problem::error(Code::TemplateError, format!("{name} is undefined here")).hint(if is_part {
                "a field that is left out has no parts: print them in `{% if entry.field %}`; or look for a misspelled name"
            } else {
                "a field that a section or an entry leaves out is `none`, not undefined; look for a misspelled name"
            })
        }
        ErrorKind::OutOfFuel => Problem::error(
            Code::TemplateError,
            "the template takes too many steps to render",
        )
        .hint("look for an endless loop, or a loop over too many items"),
        ErrorKind::TemplateNotFound => {
            let detail = error.detail().unwrap_or("a template is missing");
            match detail.split(['"', '\'']).nth(1) {
                Some(name) => {
                    let message = format!("there is no template `{name}`");
                    Problem::error(Code::TemplateMissing, message)
                        .maybe_hint(nearest_template(name, templates))
                }
                None => Problem::error(Code::TemplateMissing, detail.to_owned()),
            }
        }
        ErrorKind::UnknownFunction => unknown_function(&words(), templates),
        ErrorKind::UnknownFilter => {
            let words = words();
            let name = words
                .trim_start_matches("filter ")
                .trim_end_matches(" is unknown");
            let problem =
                Problem::error(Code::TemplateError, format!("there is no filter `{name}`"));
            let near = nearest(name, FILTERS.iter().copied())
                .map(|near| format!("did you mean `{near}`?"));
            problem.hint("use a Jinja filter, such as `join`; dates and amounts need none: they are printed in the language's format").maybe_hint(near)
        }
        ErrorKind::MissingArgument => {
            let of = written.map_or_else(String::new, |written| format!(": `{written}`"));
            let message = match words().split('\'').nth(1) {
                Some(name) => format!("the argument `{name}` is missing{of}"),
                None => format!("an argument is missing{of}"),
            };
            Problem::error(Code::TemplateError, message)
        }
        _ if words().contains("recursion limit") => Problem::error(
            Code::TemplateError,
            "the template calls itself too many times",
        )
        .hint("look for a macro that calls itself, or a template that includes itself"),
        _ => Problem::error(Code::TemplateError, words()),
    }
}

/// The template that a name probably means: one with a similar name, also in another folder.
fn nearest_template(name: &str, templates: &Templates) -> Option<String> {
    let names = || templates.html.keys().map(String::as_str);
    let wanted = file_name(name);
    let near = nearest(name, names()).map(str::to_owned).or_else(|| {
        let files: Vec<String> = names().map(file_name).collect();
        let near = nearest(&wanted, files.iter().map(String::as_str))?;
        names()
            .find(|name| file_name(name) == near)
            .map(str::to_owned)
    });
    near.map(|near| format!("did you mean `{near}`?"))
}

/// The name of a template without its folders.
fn file_name(name: &'_ str) -> String {
    name.rsplit('/').next().unwrap_or_default().to_owned()
}

fn unknown_function(words: &str, templates: &Templates) -> Problem {
    let name = words.trim_end_matches(" is unknown");
    let problem = Problem::error(
        Code::TemplateError,
        format!("there is no function `{name}` here"),
    );
    let macros = templates.macros();
    if let Some((_, template)) = macros.iter().find(|(known, _)| *known == name) {
        return problem.hint(format!(
            "import it: `{{% from \"{template}\" import {name} %}}`"
        ));
    }
    let known = FUNCTIONS
        .iter()
        .copied()
        .chain(macros.iter().map(|(name, _)| *name));
    problem.maybe_hint(nearest(name, known).map(|near| format!("did you mean `{near}`?")))
}
