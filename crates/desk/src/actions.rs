//! The actions of the content list on a row, besides its form: another URL, taking it off the site, and bringing it
//! back. Each is one transaction, keeps the comments of the files, and is refused if the site had a new error afterwards.

use serde_json::{Map, Value, json};

use config::{self, Options};
use schema::types::{Date, DateTime, Moment, When, Zone};
use workspace::files::{self, FileSet, SourceChange};
use workspace::kinds;

use super::entries;
use super::protocol::{Refusal, STRUCTURE, answered, check, claim, merged_values, write};

/// The file of an entry in a folder that its languages share.
const FACTS: &str = "entry.yaml";
/// The keys of a page after which its dates are written, the last that is there.
const BEFORE_DATES: [&str; 6] = ["path", "also_at", "title", "description", "label", "publish_at"];

/// How a page or an entry is taken off the site.
#[derive(Debug, Clone, Default, serde::Deserialize)]
pub struct Withdrawal {
    /// The file of a row.
    file: String,
    /// Where the address of a page leads from now on; it answers 410 if this is empty.
    #[serde(default)]
    to: String,
    /// A page in all of its languages, not only in that of the file.
    #[serde(default)]
    everywhere: bool,
}

/// The kind of a row.
enum Kind {
    /// A page with sections.
    Page,
    /// A post, or a Markdown entry.
    Draftable,
    /// An entry of a collection with these fields for its first and its last day, if it has them.
    Entry { file: String, from: Option<String>, until: Option<(String, bool)>, has_drafts: bool },
}

/// Gives the page in a file another address, with a redirect, in one transaction. As [`super::answer`]: `{files}` have changed.
pub fn move_page(root: &FileSet, options: &Options, file: &str, address: &str) -> (u16, Value) {
    let moved = || {
        let writer = claim(root)?;
        let changes =
            language_server::moved_page(root, options, file, address).map_err(|reason| Refusal(409, reason))?;
        write(&writer, &changes)?;
        Ok(changes.into_iter().map(|change| change.path).collect::<Vec<String>>())
    };
    answered(moved().map(|files| json!({"files": files})))
}

/// Takes a page, a post or an entry off the site. A page expires now, and an entry with a last day had it yesterday, so their
/// addresses answer 410 or lead on; what has no dates becomes a draft. As [`super::answer`].
pub fn withdraw(root: &FileSet, options: &Options, asked: &Withdrawal) -> (u16, Value) {
    let withdrawn = |zone: &Zone, now: Moment| match kind_of(root, &asked.file)? {
        Kind::Page => {
            let files = files_of_page(root, asked);
            let is_shared = asked.everywhere && files.first().is_some_and(|path| path.ends_with(STRUCTURE));
            let mut changes = Vec::new();
            for (number, path) in files.into_iter().enumerate() {
                let (base, mut values) = values_of(root, &path)?;
                // A value that all languages share is written once; a date of one language would hide it.
                let expires = (number == 0 || !is_shared).then(|| json!(minute(zone, now)));
                let to = Some(asked.to.trim()).filter(|to| !to.is_empty() && expires.is_some()).map(|to| json!(to));
                put(&mut values, &BEFORE_DATES, "expires_at", expires);
                put(&mut values, &["expires_at"], "expired_to", to);
                changes.push((path, (base, values)));
            }
            Ok(changes)
        }
        Kind::Draftable => draft(root, &asked.file),
        Kind::Entry { file, from, until, has_drafts } => {
            let (base, mut values) = values_of(root, &file)?;
            let today = zone.show(now);
            let as_draft = |why: &str| {
                if has_drafts {
                    draft(root, &file)
                } else {
                    Err(Refusal(409, format!("{file} {why}: use its form, or delete it; nothing was saved")))
                }
            };
            let Some((until, is_day)) = until else { return as_draft("has neither a last day nor drafts") };
            let last = if is_day { day_before(&today) } else { Some(local(&today)) };
            let first = from.and_then(|from| values.get(&from)?.as_str().map(str::to_owned));
            // Before its first day there is none that could be its last.
            let is_reversed = first.zip(last.clone()).is_some_and(|(first, last)| last < first);
            let Some(last) = last.filter(|_| !is_reversed) else { return as_draft("was not public before today") };
            put(&mut values, &[], &until, Some(json!(last)));
            Ok(vec![(file, (base, values))])
        }
    };
    changed(root, options, withdrawn)
}

/// Brings back what is not public now: what keeps it away is removed, and an entry gets `until` as its last day. As
/// [`super::answer`].
pub fn restore(root: &FileSet, options: &Options, file: &str, until: &str) -> (u16, Value) {
    let restored = |zone: &Zone, now: Moment| {
        let until = until.trim();
        let is_later = |value: &Value| moment(value, zone).is_some_and(|at| at > now);
        let is_over = |value: &Value| moment(value, zone).is_some_and(|at| at <= now);
        let mut changes = Vec::new();
        match kind_of(root, file)? {
            Kind::Entry { file, from, until: last, .. } => {
                let (base, mut values) = values_of(root, &file)?;
                values.shift_remove("draft");
                if let Some(from) = from.filter(|from| values.get(from).is_some_and(is_later)) {
                    let today = zone.show(now);
                    put(&mut values, &[], &from, Some(json!(&today[..10])));
                }
                if let Some((field, is_day)) = last {
                    let has_ended = |value: &Value| {
                        let end = value.as_str().filter(|_| is_day).and_then(|day| DateTime::parse(day.get(..10)?));
                        end.map_or_else(|| is_over(value), |end| zone.moment(end.next_day()) <= now)
                    };
                    if !until.is_empty() {
                        put(&mut values, &[], &field, Some(json!(until)));
                    } else if values.get(&field).is_some_and(has_ended) {
                        values.shift_remove(&field);
                    }
                }
                changes.push((file, (base, values)));
            }
            Kind::Page | Kind::Draftable => {
                let structure = file.rsplit_once('/').map(|(folder, _)| format!("{folder}/{STRUCTURE}"));
                let shared = structure.filter(|path| *path != file && root.exists(&root.join(path)));
                for path in std::iter::once(file.to_owned()).chain(shared) {
                    let (base, mut values) = values_of(root, &path)?;
                    values.shift_remove("draft");
                    if values.get("publish_at").is_some_and(is_later) {
                        values.shift_remove("publish_at");
                    }
                    if values.get("expires_at").is_some_and(is_over) {
                        values.shift_remove("expires_at");
                        values.shift_remove("expired_to");
                    }
                    changes.push((path, (base, values)));
                }
            }
        }
        Ok(changes)
    };
    changed(root, options, restored)
}

/// Files with the text that was read and the values that they shall have.
type Changes = Vec<(String, (String, Map<String, Value>))>;

/// Writes the changes that `make` finds at this moment, if the site has no new error then.
fn changed(
    root: &FileSet,
    options: &Options,
    make: impl Fn(&Zone, Moment) -> Result<Changes, Refusal>,
) -> (u16, Value) {
    let write_changes = || {
        let writer = claim(root)?;
        let zone = config::load_from(options, root.clone()).0.map(|config| config.site.timezone).unwrap_or_default();
        let (mut writes, mut changes) = (Vec::new(), Vec::new());
        for (path, (base, values)) in make(&zone, config::now())? {
            let before = files::before_change(root, &path);
            let (text, disk) = merged_values(root, &path, base, values)?;
            if disk != text {
                changes.push(SourceChange::to_text(&path, before, &text));
                writes.push((path, text));
            }
        }
        if writes.is_empty() {
            return Err(Refusal(409, "there is nothing to change: it is so already".to_owned()));
        }
        if let Some(error) = language_server::new_error(root, options, &writes) {
            return Err(Refusal(409, format!("{error}; nothing was saved")));
        }
        write(&writer, &changes)?;
        Ok(writes.into_iter().map(|(path, _)| path).collect::<Vec<String>>())
    };
    answered(write_changes().map(|files| json!({"files": files})))
}

fn kind_of(root: &FileSet, path: &str) -> Result<Kind, Refusal> {
    check(root, path)?;
    if !root.exists(&root.join(path)) {
        return Err(Refusal(404, format!("there is no file {path}")));
    }
    match kinds::Kind::of(path).map(|item| item.kind) {
        Some(kinds::Kind::Page | kinds::Kind::PageStructure) => return Ok(Kind::Page),
        Some(kinds::Kind::Post) => return Ok(Kind::Draftable),
        _ => {}
    }
    let refused = || Refusal(422, format!("{path} can neither be withdrawn nor brought back: use its form"));
    let is_single = entries::is_single(root, path);
    let file = match path.rsplit_once('/') {
        _ if is_single => path.to_owned(),
        // The folder of an entry: its dates are facts.
        Some((folder, _)) if path.matches('/').count() == 3 => format!("{folder}/{FACTS}"),
        _ => return Err(refused()),
    };
    let name = entries::collection_of(root, path).ok_or_else(refused)?;
    if !root.exists(&root.join(&file)) {
        return Err(refused());
    }
    let schema = entries::schema_tree(root, &name);
    let field = |key: &str| {
        let name = schema.as_ref()?.get("publish")?.get(key)?.as_text()?.to_owned();
        let kind = schema.as_ref()?.get("fields")?.get(&name)?;
        let takes = kind.get("type").and_then(|takes| takes.as_text().map(str::to_owned));
        Some((name, takes.is_none_or(|takes| takes == "date")))
    };
    let has_drafts =
        schema.as_ref().is_some_and(|schema| schema.get("fields").is_some_and(|all| all.get("draft").is_some()));
    Ok(Kind::Entry { file, from: field("from").map(|(name, _)| name), until: field("until"), has_drafts })
}

/// The files that a withdrawal changes: that of the language, or all of the page with the shared one first.
fn files_of_page(root: &FileSet, asked: &Withdrawal) -> Vec<String> {
    let Some((folder, _)) = asked.file.rsplit_once('/').filter(|_| asked.everywhere) else {
        return vec![asked.file.clone()];
    };
    let shown = root.list(&root.join(folder)).0.into_iter().map(|path| workspace::files::shown(root, &path));
    let mut files: Vec<String> = shown.filter(|path| path.ends_with(".yaml")).collect();
    files.sort_by_key(|path| !path.ends_with(STRUCTURE));
    files
}

fn draft(root: &FileSet, path: &str) -> Result<Changes, Refusal> {
    let (base, mut values) = values_of(root, path)?;
    put(&mut values, &[], "draft", Some(json!(true)));
    Ok(vec![(path.to_owned(), (base, values))])
}

/// The text of a file, and its values as they are written.
fn values_of(root: &FileSet, path: &str) -> Result<(String, Map<String, Value>), Refusal> {
    let source = root.read_text(&root.join(path))?;
    let (values, _) = super::save::values(path, &source.text)?;
    match values {
        Value::Object(values) => Ok((source.text.clone(), values)),
        _ => Err(Refusal(409, format!("{path} holds no values by name"))),
    }
}

/// Sets a value, or removes it. A new one stands behind the last of some others that is there.
fn put(values: &mut Map<String, Value>, after: &[&str], key: &str, value: Option<Value>) {
    let Some(value) = value else {
        values.shift_remove(key);
        return;
    };
    if let Some(known) = values.get_mut(key) {
        *known = value;
        return;
    }
    let at = after.iter().filter_map(|name| values.keys().position(|known| known == name)).max();
    let at = at.map_or(if after.is_empty() { values.len() } else { 0 }, |at| at + 1);
    values.shift_insert(at, key.to_owned(), value);
}

/// A moment as it is written in a file: the minute on the clocks of the site, or in UTC where these show it twice.
fn minute(zone: &Zone, now: Moment) -> String {
    let now = Moment(now.0 - now.0.rem_euclid(60));
    let text = zone.show(now);
    let is_same = When::parse(&text).and_then(|when| when.moment(zone).ok()) == Some(now);
    if is_same { text } else { now.to_string() }
}

/// `2027-01-15T00:00` for `2027-01-15`, which [`Zone::show`] gives for midnight.
fn local(shown: &str) -> String {
    if shown.contains('T') { shown.to_owned() } else { format!("{shown}T00:00") }
}

fn day_before(shown: &str) -> Option<String> {
    Date::parse(shown.get(..10)?)?.day_before().map(|day| day.to_string())
}

fn moment(value: &Value, zone: &Zone) -> Option<Moment> {
    When::parse(value.as_str()?)?.moment(zone).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_is_written_so_that_it_is_read_as_the_same() {
        let madrid: Zone = serde_json::from_value(json!("Europe/Madrid")).expect("a zone");
        let written = |text: &str| minute(&madrid, Moment::parse(text).expect(text));
        assert_eq!(written("2027-01-15T08:00:59Z"), "2027-01-15T09:00");
        assert_eq!(written("2027-01-14T23:00:20Z"), "2027-01-15");
        // Clocks show this half hour twice.
        assert_eq!(written("2027-10-31T00:30:00Z"), "2027-10-31T00:30:00Z");
        assert_eq!(written("2027-10-31T01:30:00Z"), "2027-10-31T01:30:00Z");
    }

    #[test]
    fn a_new_date_stands_with_the_head_of_its_page() {
        let mut values: Map<String, Value> =
            json!({"path": "/a/", "title": "A", "sections": []}).as_object().cloned().unwrap_or_default();
        put(&mut values, &BEFORE_DATES, "expires_at", Some(json!("2027-01-15")));
        assert_eq!(values.keys().collect::<Vec<_>>(), ["path", "title", "expires_at", "sections"]);
        put(&mut values, &BEFORE_DATES, "expires_at", None);
        assert_eq!(values.keys().collect::<Vec<_>>(), ["path", "title", "sections"]);
        assert_eq!(day_before("2024-03-01T09:00").as_deref(), Some("2024-02-29"));
    }
}
