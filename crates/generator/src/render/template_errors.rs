//! Problems in templates. The template engine passes on only errors of its own, so a problem that a template function
//! finds is wrapped in one. Each error of the engine then becomes a problem at its line.

use std::error::Error as _;

use minijinja::value::Kwargs;
use minijinja::{Error, ErrorKind, Value};

use diagnostics::problem::{Code, Place, Problem, Span};
use site::content::Templates;

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
    let is_undefined = |name: &&str| values.peek::<Value>(name).is_ok_and(|value| value.is_undefined());
    let Some(name) = values.args().find(is_undefined) else { return Ok(()) };
    let problem = Problem::error(Code::TemplateError, format!("the value of the argument `{name}` is undefined"));
    Err(fault(problem.hint("every field is there, `none` when it was left out; look for a misspelt name")))
}

/// Converts an error of the template engine to a problem at the line of the innermost template.
pub(super) fn problem(error: &Error, templates: &Templates) -> Problem {
    let mut innermost = error;
    let mut reported = None;
    let mut next = error.source();
    while let Some(source) = next {
        if let Some(inner) = source.downcast_ref::<Error>() {
            innermost = inner;
        } else if let Some(Fault(problem)) = source.downcast_ref::<Fault>() {
            reported = Some(problem.clone());
        }
        next = source.source();
    }
    let source = innermost.name().and_then(|name| templates.html.get(name));
    let range = innermost.range();
    let written = source.zip(range.clone()).and_then(|(source, range)| source.text.get(range));
    let mut problem = reported.unwrap_or_else(|| describe(innermost, written));
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

fn describe(error: &Error, written: Option<&str>) -> Problem {
    match error.kind() {
        ErrorKind::SyntaxError => {
            let detail = error.detail().unwrap_or("the template could not be read");
            let unclosed = detail.contains("end of input").then(|| {
                "a block is not closed: look for a missing `{% endfor %}`, `{% endif %}` or `{% endblock %}`".to_owned()
            });
            Problem::error(Code::TemplateSyntax, detail.to_owned()).maybe_hint(unclosed)
        }
        ErrorKind::UndefinedError => {
            let name = written.map_or_else(|| "a value".to_owned(), |written| format!("`{}`", written.trim()));
            Problem::error(Code::TemplateError, format!("{name} is undefined here")).hint(
                "every field of a section or an entry is there, `none` when it was left out; look for a misspelt name",
            )
        }
        ErrorKind::OutOfFuel => Problem::error(Code::TemplateError, "the template takes too many steps to render")
            .hint("look for an endless loop, or a loop over too many items"),
        ErrorKind::TemplateNotFound => {
            Problem::error(Code::TemplateMissing, error.detail().unwrap_or("a template is missing").to_owned())
        }
        _ => {
            Problem::error(Code::TemplateError, error.detail().map_or_else(|| error.kind().to_string(), str::to_owned))
        }
    }
}
