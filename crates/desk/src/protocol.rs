//! Answers the requests of Decap CMS for a folder of files: lists, single files, saves, uploads. The protocol is that of
//! its proxy backend, in which a request is `{"action": …, "params": …}`.
//!
//! A file is handed out as JSON: its values, and below `__sitegen` its path and the text that the form begins with. The
//! form gives that text back when it saves, so changes that were made to the file since then are seen.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use diagnostics::problem::{Code, Place, Problem, Problems};
use workspace::files::{self, Draft, FileSet, SourceChange, SourceWriter};

use super::collections::PAGES;
use super::entries;
use super::save::{self, Form};
use super::{UPLOADS, is_editable, is_plain, is_upload};
use workspace::files::not_saved;
use workspace::kinds::Kind;

/// Bytes of a request: a picture of 40 MB, as text.
pub const MAX_REQUEST: usize = 64 << 20;
/// The consequence of a save that fails, and the advice if somebody else has saved meanwhile.
const NOTHING_SAVED: (&str, &str) = ("nothing was saved", "save again");
/// The key of what a form gives back of its file. No field can have this name.
const META: &str = "__sitegen";
/// The key of the text of a Markdown file.
const BODY: &str = "body";
/// The kind of files that can be added and deleted, beside entries. The others are listed even if they do not exist yet.
const OPEN_KIND: Kind = Kind::Post;
/// The file of a page that its languages share.
pub(super) const STRUCTURE: &str = "page.yaml";

/// A request of Decap.
#[derive(Debug, Deserialize)]
#[serde(tag = "action", content = "params", rename_all = "camelCase")]
enum Request {
    Info,
    EntriesByFolder {
        folder: String,
        extension: String,
        depth: u32,
    },
    EntriesByFiles {
        files: Vec<Listed>,
    },
    GetEntry {
        path: String,
    },
    #[serde(rename_all = "camelCase")]
    PersistEntry {
        data_files: Vec<DataFile>,
        assets: Vec<Asset>,
    },
    #[serde(rename_all = "camelCase")]
    GetMedia {
        media_folder: String,
    },
    GetMediaFile {
        path: String,
    },
    PersistMedia {
        asset: Asset,
    },
    DeleteFiles {
        paths: Vec<String>,
    },
    GetDeployPreview {},
}

#[derive(Debug, Deserialize)]
struct Listed {
    path: String,
    label: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DataFile {
    path: String,
    raw: String,
    new_path: Option<String>,
}

/// A file to write, in base64.
#[derive(Debug, Deserialize)]
struct Asset {
    path: String,
    content: String,
}

/// A refusal: the status and what the form shows.
pub(super) struct Refusal(pub u16, pub String);

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Refusal {
        let place = problem
            .place
            .as_ref()
            .map(|place| format!("{}: ", place.path))
            .unwrap_or_default();
        let hint = problem
            .hint
            .map(|hint| format!(" ({hint})"))
            .unwrap_or_default();
        Refusal(409, format!("{place}{}{hint}", problem.message))
    }
}

impl From<Problems> for Refusal {
    fn from(problems: Problems) -> Refusal {
        match problems.iter().next() {
            Some(problem) => Refusal::from(problem.clone()),
            None => Refusal(500, "the file could not be read".to_owned()),
        }
    }
}

/// Answers a request about the site in a folder: an HTTP status and JSON. Nothing was written if the status is an error.
pub fn answer(root: &FileSet, request: Value) -> (u16, Value) {
    let action = request["action"].as_str().unwrap_or_default().to_owned();
    let request = match serde_json::from_value(request) {
        Ok(request) => request,
        Err(error) => {
            return (
                422,
                json!({"error": format!("the request `{action}` could not be read: {error}")}),
            );
        }
    };
    answered(respond(root, request))
}

pub(super) fn answered(result: Result<Value, Refusal>) -> (u16, Value) {
    result.map_or_else(
        |Refusal(status, message)| (status, json!({"error": message})),
        |answer| (200, answer),
    )
}

fn respond(root: &FileSet, request: Request) -> Result<Value, Refusal> {
    Ok(match request {
        Request::Info => json!({"repo": "site", "publish_modes": ["simple"], "type": "local_fs"}),
        Request::EntriesByFolder {
            folder,
            extension,
            depth,
        } => {
            let mut entries = Vec::new();
            // No other folder is walked.
            let paths = if is_plain(&folder) {
                root.list(&root.join(&folder)).0
            } else {
                Vec::new()
            };
            for path in paths {
                let shown = files::shown(root, &path);
                let below = shown
                    .strip_prefix(&folder)
                    .map_or(0, |below| below.matches('/').count());
                let is_asked = shown.ends_with(&format!(".{extension}")) && below == depth as usize;
                if is_asked
                    && is_editable(root, &shown)
                    && !is_upload(&shown)
                    && !is_part(root, &shown)
                {
                    entries.push(entry(root, &shown, None)?);
                }
            }
            json!(entries)
        }
        Request::EntriesByFiles { files } => {
            let entries = files
                .iter()
                .map(|file| entry(root, &file.path, file.label.as_deref()));
            json!(entries.collect::<Result<Vec<_>, _>>()?)
        }
        Request::GetEntry { path } => {
            check(root, &path)?;
            if is_open(root, &path) && !root.exists(&root.join(&path)) {
                return Err(Refusal(404, format!("there is no file {path}")));
            }
            entry(root, &path, None)?
        }
        Request::PersistEntry { data_files, assets } => {
            // Decap ignores them, and the page of the forms begins with them when the form is saved again.
            let bases = persist(root, &data_files, &assets)?;
            json!({"message": "entry persisted", "bases": bases})
        }
        Request::GetMedia { media_folder } => {
            let folder = root.join("content/images").join(UPLOADS);
            let is_own = root.join(media_folder) == folder;
            let paths = if is_own {
                root.list(&folder).0
            } else {
                Vec::new()
            };
            let shown = paths
                .iter()
                .map(|path| files::shown(root, path))
                .filter(|path| is_upload(path));
            json!(
                shown
                    .map(|path| media(root, &path))
                    .collect::<Result<Vec<_>, _>>()?
            )
        }
        Request::GetMediaFile { path } => media(root, &path)?,
        Request::PersistMedia { asset } => {
            persist(root, &[], std::slice::from_ref(&asset))?;
            media(root, &asset.path)?
        }
        Request::DeleteFiles { paths } => {
            delete(root, &paths)?;
            json!({"message": "files deleted"})
        }
        Request::GetDeployPreview {} => Value::Null,
    })
}

/// A file as a form gets it. One that does not exist has no values.
fn entry(root: &FileSet, path: &str, label: Option<&str>) -> Result<Value, Refusal> {
    check(root, path)?;
    let file = root.join(path);
    let (mut values, text) = if root.exists(&file) {
        let source = root.read_text(&file)?;
        let (mut values, body) = save::values(path, &source.text)?;
        if !values.is_object() {
            values = json!({super::fields::ITEMS: values});
        }
        entries::open_words(root, path, &mut values);
        if let Some(body) = body {
            values[BODY] = json!(body);
        }
        (values, Some(source.text.clone()))
    } else {
        (json!({}), None)
    };
    values[META] = json!({"path": path, "base": text});
    let data = values.to_string();
    Ok(json!({"file": {"path": path, "label": label, "id": id(data.as_bytes())}, "data": data}))
}

fn id(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Writes what a form has saved: all of its files and pictures, or nothing. Files are read and written in one turn, so
/// that no save of another form is lost between the two. Returns the text of each file that has the values of its form and
/// nothing that others have changed since it was opened, by path.
fn persist(
    root: &FileSet,
    data_files: &[DataFile],
    assets: &[Asset],
) -> Result<serde_json::Map<String, Value>, Refusal> {
    let decoded = assets
        .iter()
        .map(|asset| Ok((asset.path.as_str(), decoded(root, asset)?)));
    let pictures: Vec<(&str, Vec<u8>)> = decoded.collect::<Result<_, Refusal>>()?;
    let mut forms = Vec::new();
    for file in data_files {
        check(root, &file.path)?;
        if file
            .new_path
            .as_ref()
            .is_some_and(|path| *path != file.path)
        {
            return Err(Refusal(422, "the forms can't rename files".to_owned()));
        }
        if forms.iter().any(|form: &Form| form.path == file.path) {
            return Err(Refusal(
                422,
                format!("{} was sent twice; nothing was saved", file.path),
            ));
        }
        forms.push(form(root, file)?);
    }
    let writer = claim(root)?;
    let mut writes = Vec::new();
    for (path, bytes) in pictures {
        // A folder on the way may have become a link meanwhile.
        check(root, path)?;
        match std::fs::read(root.join(path)) {
            Ok(known) if known == bytes => {}
            Ok(_) => return Err(occupied(path).into()),
            Err(_) => writes.push(SourceChange {
                path: path.to_owned(),
                before: None,
                after: Some(bytes),
            }),
        }
    }
    let mut bases = serde_json::Map::new();
    for form in &forms {
        let before = files::before_change(root, &form.path);
        let (text, disk) = merged(root, form)?;
        bases.insert(
            form.path.clone(),
            json!(save::merge(form, form.base.as_deref())?),
        );
        if let Some(problem) = entries::misfit(root, &form.path, disk.as_deref(), &text) {
            let hint = problem
                .hint
                .as_deref()
                .map(|hint| format!("{hint}; "))
                .unwrap_or_default();
            let hint = format!("{hint}nothing was saved: correct it, and save again");
            return Err(Refusal(422, Refusal::from(problem.hint(hint)).1));
        }
        if disk.is_none_or(|disk| disk != text) {
            writes.push(SourceChange::to_text(&form.path, before, &text));
        }
    }
    write(&writer, &writes)?;
    Ok(bases)
}

/// The text that a file has after a form is saved into it, and the one that it has now.
fn merged(root: &FileSet, form: &Form) -> Result<(String, Option<String>), Refusal> {
    check(root, &form.path)?;
    let path = root.join(&form.path);
    if form.base.is_none()
        && !root.exists(&path)
        && let Some(other) = entries::taken(root, &form.path)
    {
        let problem = Problem::error(
            Code::SaveConflict,
            format!("this folder already contains `{other}`"),
        );
        return Err(problem
            .at(Place::file(&form.path))
            .hint("nothing was saved: choose another name")
            .into());
    }
    let disk = root
        .exists(&path)
        .then(|| root.read_text(&path))
        .transpose()?;
    let disk = disk.map(|source| source.text.clone());
    Ok((save::merge(form, disk.as_deref())?, disk))
}

/// The text that a file has with other values than those of the text `base`, and the one that it has now. The text below
/// front matter stays.
pub(super) fn merged_values(
    root: &FileSet,
    path: &str,
    base: String,
    values: serde_json::Map<String, Value>,
) -> Result<(String, String), Refusal> {
    let base = Some(base);
    let form = Form {
        path: path.to_owned(),
        base,
        values: Value::Object(values),
        body: None,
        orders: Vec::new(),
    };
    let (text, disk) = merged(root, &form)?;
    Ok((text, disk.unwrap_or_default()))
}

/// The file that a form is about, with the text that a save would give it now. Nothing is written. An error is an HTTP status
/// and JSON, as [`answer`] gives it.
pub fn draft(root: &FileSet, request: Value) -> Result<Draft, (u16, Value)> {
    let read = serde_json::from_value::<DataFile>(request);
    let merge = |file: DataFile| {
        check(root, &file.path)?;
        let form = form(root, &file)?;
        let (text, _) = merged(root, &form)?;
        let mut pictures = Vec::new();
        unsaved_pictures(root, &form.values, &mut pictures);
        Ok(Draft {
            path: file.path,
            text,
            pictures,
        })
    };
    match read {
        Ok(file) => {
            merge(file).map_err(|Refusal(status, message)| (status, json!({"error": message})))
        }
        Err(error) => Err((
            422,
            json!({"error": format!("the form could not be read: {error}")}),
        )),
    }
}

/// Adds the pictures in values that a form uploads when it is saved.
fn unsaved_pictures(root: &FileSet, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            // Alone, or in Markdown: `![A bridge](uploads/bridge.jpg)`.
            let words = text.split([' ', '\n', '(', ')', '"', '<', '>']);
            let paths = words.map(|word| format!("content/images/{word}"));
            found.extend(paths.filter(|path| {
                is_upload(path) && is_editable(root, path) && !root.exists(&root.join(path))
            }));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| unsaved_pictures(root, item, found)),
        Value::Object(entries) => entries
            .values()
            .for_each(|item| unsaved_pictures(root, item, found)),
        _ => {}
    }
}

/// The problem of a picture whose name another one has.
fn occupied(path: &str) -> Problem {
    Problem::error(
        Code::SaveConflict,
        "there is already another image with this name",
    )
    .at(Place::file(path))
    .hint("nothing was saved: rename your image, or delete the other one first")
}

/// Waits for the turn of this save.
pub(super) fn claim(root: &FileSet) -> Result<SourceWriter, Refusal> {
    SourceWriter::claim(root).map_err(|error| not_saved(".sitegen", &error, NOTHING_SAVED).into())
}

pub(super) fn write(writer: &SourceWriter, changes: &[SourceChange]) -> Result<(), Refusal> {
    let Some(first) = changes.first() else {
        return Ok(());
    };
    writer
        .write(changes)
        .map_err(|error| not_saved(&first.path, &error, NOTHING_SAVED).into())
}

/// Reads a form's state of a file from the JSON that it has sent.
fn form(root: &FileSet, file: &DataFile) -> Result<Form, Refusal> {
    let Ok(Value::Object(mut values)) = serde_json::from_str(&file.raw) else {
        return Err(Refusal(
            422,
            format!(
                "{}: the form sent something other than its values; nothing was saved",
                file.path
            ),
        ));
    };
    let meta = values.shift_remove(META);
    let base = meta
        .as_ref()
        .and_then(|meta| meta["base"].as_str())
        .map(str::to_owned);
    // In YAML, `body` is a field like any other.
    let body = file
        .path
        .ends_with(".md")
        .then(|| match values.shift_remove(BODY) {
            Some(Value::String(body)) => body,
            _ => String::new(),
        });
    let written = base
        .as_deref()
        .and_then(|text| save::values(&file.path, text).ok());
    entries::close_words(
        root,
        &file.path,
        written.as_ref().map(|(values, _)| values),
        &mut values,
    );
    let values = match values.shift_remove(super::fields::ITEMS) {
        Some(items) => items,
        None => Value::Object(values),
    };
    let orders = meta
        .and_then(|mut meta| serde_json::from_value(meta["orders"].take()).ok())
        .unwrap_or_default();
    Ok(Form {
        path: file.path.clone(),
        base,
        values,
        body,
        orders,
    })
}

/// Whether a file is of a kind that can be added and deleted.
fn is_open(root: &FileSet, path: &str) -> bool {
    Kind::of(path).is_some_and(|item| {
        item.kind == OPEN_KIND
            || item.kind == Kind::Page
                && path.starts_with(PAGES)
                && !path.ends_with(STRUCTURE)
                && !is_part(root, path)
                && !is_home(root, path)
    }) || entries::is_single(root, path)
}

/// Whether a file is that of the home page of its language.
pub(super) fn is_home(root: &FileSet, path: &str) -> bool {
    let code = path
        .rsplit('/')
        .next()
        .and_then(|name| name.strip_suffix(".yaml"))
        .unwrap_or_default();
    let address =
        super::node(root, path).and_then(|node| node.get("path")?.as_text().map(str::to_owned));
    address.is_some_and(|address| {
        address == "/" || address.trim_matches('/').eq_ignore_ascii_case(code)
    })
}

/// Whether a file is that of a page whose sections are in another one.
fn is_part(root: &FileSet, path: &str) -> bool {
    let structure = path
        .rsplit_once('/')
        .map(|(folder, _)| root.join(folder).join(STRUCTURE));
    path.starts_with(PAGES) && structure.is_some_and(|structure| root.exists(&structure))
}

pub(super) fn check(root: &FileSet, path: &str) -> Result<(), Refusal> {
    if is_editable(root, path) {
        Ok(())
    } else {
        Err(Refusal(
            403,
            format!("{path} is not a file that the forms can read or write"),
        ))
    }
}

fn decoded(root: &FileSet, asset: &Asset) -> Result<Vec<u8>, Refusal> {
    check(root, &asset.path)?;
    if !is_upload(&asset.path) {
        let message = format!(
            "{} cannot be uploaded: images must be SVG, JPEG, PNG, WebP or GIF",
            asset.path
        );
        return Err(Refusal(422, message));
    }
    BASE64_STANDARD
        .decode(&asset.content)
        .map_err(|_| Refusal(422, format!("{} arrived incomplete", asset.path)))
}

/// A picture as the library shows it.
fn media(root: &FileSet, path: &str) -> Result<Value, Refusal> {
    check(root, path)?;
    let bytes = root.read_bytes(&root.join(path), MAX_REQUEST as u64)?;
    let name = path.rsplit('/').next().unwrap_or(path);
    let content = BASE64_STANDARD.encode(&bytes);
    Ok(
        json!({"id": id(&bytes), "content": content, "encoding": "base64", "path": path, "name": name}),
    )
}

fn delete(root: &FileSet, paths: &[String]) -> Result<(), Refusal> {
    for path in paths {
        check(root, path)?;
        if !is_open(root, path) && !is_upload(path) {
            return Err(Refusal(
                403,
                format!("{path} cannot be deleted here: the site needs it"),
            ));
        }
    }
    let writer = claim(root)?;
    if let Some(gone) = paths.iter().find(|path| !root.exists(&root.join(path))) {
        return Err(Refusal(
            404,
            format!("there is no file {gone}; nothing was deleted"),
        ));
    }
    write(
        &writer,
        &paths
            .iter()
            .map(|path| SourceChange {
                path: path.clone(),
                before: files::before_change(root, path),
                after: None,
            })
            .collect::<Vec<_>>(),
    )
}
