//! Saves a form into a YAML or Markdown file so that only what was changed in the form changes in the file: comments,
//! order, quotes and line breaks of all else stay.
//!
//! A form begins with the text of a file, the *base*, and gives back all values. What differs from the base is changed in
//! the file as it is on the disk by then. Nothing is written here: the caller gets the new text, or a reason why the
//! form cannot be saved.

mod blocks;
mod body;
mod merge;
mod order;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
mod values;

use std::ops::Range;

use content::front_matter;
use diagnostics::problem::{Code, Place, Problem, Problems, Source};
use diagnostics::yaml::{self, Node};

/// The hint for a value that others have changed.
const RELOAD: &str = "nothing was saved: copy your text, reload the form, and enter it again";

/// A form's state of a file.
#[derive(Debug, Clone)]
pub struct Form {
    /// The path relative to the site's folder, with forward slashes. One that ends in `.md` is a post: front matter and
    /// Markdown.
    pub path: String,
    /// The text of the file when the form was opened; `None` for a new file.
    pub base: Option<String>,
    /// All values, those that were not changed too. A key that is left out is removed.
    pub values: serde_json::Value,
    /// The Markdown below the front matter of a post; `None` leaves it as it is.
    pub body: Option<String>,
    /// Blocks that the form shows as lists, whose entries have an order therefore.
    pub orders: Vec<Order>,
}

/// The order of the entries of a block.
#[derive(Debug, Clone, serde::Deserialize)]
pub struct Order {
    /// The keys that lead to the block and, in lists, indices from 0.
    pub path: Vec<String>,
    /// The names of the entries.
    pub names: Vec<String>,
}

/// The values of a file for a form, and the Markdown of a post without empty lines around it.
///
/// # Errors
/// The problems of the YAML.
pub fn values(path: &str, text: &str) -> Result<(serde_json::Value, Option<String>), Problems> {
    let file = File::read(path, text)?;
    let body = file.is_post().then(|| file.body().replace("\r\n", "\n"));
    let body = body.map(|body| blocks::without_empty_lines(&body).trim_end().to_owned());
    Ok((values::to_json(&file.node), body))
}

/// Values as YAML in lines.
pub fn written(values: &serde_json::Value) -> String {
    yaml::write(&values::from_json(values))
}

/// The new text of a file. `disk` is its text now; `None` if there is no such file.
///
/// # Errors
/// A value was changed in the form and in the file, or it cannot be changed without changing others. Nothing is saved
/// then.
pub fn merge(form: &Form, disk: Option<&str>) -> Result<String, Problem> {
    let place = || Place::file(form.path.clone());
    match (&form.base, disk) {
        (None, None) => create(form),
        (Some(base), Some(disk)) => change(form, base, disk),
        (None, Some(_)) => {
            let message = format!("there is already a file `{}`", form.path);
            let hint = "nothing was saved: choose another name";
            Err(Problem::error(Code::SaveConflict, message)
                .at(place())
                .hint(hint))
        }
        (Some(_), None) => {
            let message = format!(
                "the file `{}` was moved or deleted while the form was open",
                form.path
            );
            let hint = "nothing was saved: copy your text, and enter it in a new file";
            Err(Problem::error(Code::SaveConflict, message)
                .at(place())
                .hint(hint))
        }
    }
}

/// A file that was read.
struct File {
    source: Source,
    node: Node,
    /// The part that is YAML.
    yaml: Range<usize>,
    /// The part that is Markdown; `None` if the file is no post.
    markdown: Option<Range<usize>>,
}

impl File {
    /// Reads a text without a byte-order mark.
    fn read(path: &str, text: &str) -> Result<File, Problem> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        let source = Source::new(path.to_owned(), text);
        let (yaml, markdown) = if path.ends_with(".md") {
            let (front, body) = front_matter::split(&source)?;
            (front, Some(body))
        } else {
            (0..source.text.len(), None)
        };
        let node = yaml::parse(&source, yaml.clone())?;
        Ok(File {
            source,
            node,
            yaml,
            markdown,
        })
    }

    fn is_post(&self) -> bool {
        self.markdown.is_some()
    }

    fn body(&self) -> &str {
        &self.source.text[self.markdown.clone().unwrap_or_default()]
    }
}

/// The text of a new file: keys in the order of the form, without empty values.
fn create(form: &Form) -> Result<String, Problem> {
    let wanted = values::meant(None, &values::from_json(&form.values));
    let mut text = yaml::write(&wanted);
    let body = form
        .body
        .as_deref()
        .unwrap_or_default()
        .replace("\r\n", "\n");
    let body = blocks::without_empty_lines(&body).trim_end();
    if form.path.ends_with(".md") {
        text = format!("---\n{text}---\n");
        if !body.is_empty() {
            text = format!("{text}\n{body}\n");
        }
    }
    let file = check(form, &text, &wanted)?;
    if file.is_post() && blocks::meanings(file.body()) != blocks::meanings(body) {
        return Err(misread(form));
    }
    Ok(file.source.text)
}

/// The text of a file with the changes of a form.
fn change(form: &Form, base: &str, disk: &str) -> Result<String, Problem> {
    let (base, file) = (File::read(&form.path, base)?, File::read(&form.path, disk)?);
    let meant = values::meant(Some(&base.node), &values::from_json(&form.values));
    let wanted = merge::merge(&base.node, &meant, &file.node)
        .map_err(|conflict| conflict.problem(&file.source))?;
    if wanted.is_blank() && !file.node.is_blank() {
        let message = "nothing would be left of the file: every value is empty";
        return Err(Problem::error(Code::SaveRefused, message)
            .at(Place::file(form.path.clone()))
            .hint(IN_THE_FILE));
    }
    let text = yaml::edit(&file.source, file.yaml.clone(), &wanted)
        .map_err(|stuck| refused(&file, &stuck))?;
    let mut result = order::apply(form, &base, check(form, &text, &wanted)?)?;
    if let (Some(body), Some(markdown)) = (&form.body, result.markdown.clone()) {
        let is_crlf = result.source.text.contains("\r\n");
        let merged =
            body::merge(base.body(), body, result.body(), is_crlf).map_err(
                |error| match error {
                    body::Failure::Conflict(begins) => conflict(&result, &begins),
                    body::Failure::Misread => misread(form),
                },
            )?;
        if let Some(merged) = merged {
            let text = [&result.source.text[..markdown.start], &merged.text].concat();
            result = check(form, &text, &wanted)?;
            if blocks::meanings(result.body()) != merged.meanings {
                return Err(misread(form));
            }
        }
    }
    let mark = if disk.starts_with('\u{feff}') {
        "\u{feff}"
    } else {
        ""
    };
    Ok([mark, &result.source.text].concat())
}

/// Reads a new text and compares its values with those that were asked for.
fn check(form: &Form, text: &str, wanted: &Node) -> Result<File, Problem> {
    let file = File::read(&form.path, text).map_err(|problem| {
        let message = format!("the file would no longer be readable: {}", problem.message);
        Problem::error(Code::SaveRefused, message)
            .at(Place::file(form.path.clone()))
            .hint(IN_THE_FILE)
    })?;
    if yaml::distance(&file.node, wanted) == 0 {
        Ok(file)
    } else {
        Err(misread(form))
    }
}

/// The hint for a value that the form cannot change.
const IN_THE_FILE: &str = "nothing was saved: copy your text, and make the change in the file";

fn misread(form: &Form) -> Problem {
    let message = "the saved file would not contain the form's values";
    Problem::error(Code::SaveRefused, message)
        .at(Place::file(form.path.clone()))
        .hint(IN_THE_FILE)
}

fn refused(file: &File, stuck: &yaml::Stuck) -> Problem {
    let yaml::Stuck { path, anchor } = stuck;
    let message = match anchor {
        Some(name) => format!(
            "`{path}` cannot be changed on its own: the anchor `&{name}` contains it, and `*{name}` repeats it elsewhere"
        ),
        None => format!("`{path}` cannot be changed without changing the text around it"),
    };
    let node = merge::find(&file.node, path).unwrap_or(&file.node);
    Problem::error(Code::SaveRefused, message)
        .at(file.source.place(node.span))
        .hint(IN_THE_FILE)
}

/// The problem of a text that the form and the file have changed. `begins` is how it begins in the file.
fn conflict(file: &File, begins: &str) -> Problem {
    let whole = diagnostics::problem::Span::new(
        file.markdown.clone().unwrap_or_default().start,
        file.source.text.len(),
    );
    let message = match begins {
        "" => "the text was shortened in the file while the form was open".to_owned(),
        begins => format!(
            "the text was changed in the file while the form was open, at `{}`",
            shortened(begins)
        ),
    };
    let place = file.source.place(
        file.source
            .locate(whole, begins.lines().next().unwrap_or_default()),
    );
    Problem::error(Code::SaveConflict, message)
        .at(place)
        .hint(RELOAD)
}

/// The beginning of a text, in one line.
fn shortened(text: &str) -> String {
    const LETTERS: usize = 60;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= LETTERS {
        return words;
    }
    format!(
        "{}…",
        words.chars().take(LETTERS).collect::<String>().trim_end()
    )
}
