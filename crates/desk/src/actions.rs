//! The actions of the content list on a row, besides its form: another URL, taking it off the site, and bringing it
//! back. Each is one transaction, keeps the comments of the files, and is refused if the site had a new error afterwards.

use serde_json::{Map, Value, json};

use config::{self, Options};
use diagnostics::yaml::Node;
use schema::types::{Date, DateTime, Moment, When, Zone};
use workspace::files::{self, FileSet, SourceChange};
use workspace::kinds;

use super::entries;
use super::protocol::{Refusal, STRUCTURE, answered, check, claim, merged_values, write};

/// The file of an entry in a folder that its languages share.
const FACTS: &str = "entry.yaml";
/// The keys of a page after which its dates are written, the last that is there.
const BEFORE_DATES: [&str; 6] = [
    "path",
    "also_at",
    "title",
    "description",
    "label",
    "publish_at",
];

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
    /// A post.
    Post,
    /// An entry of a collection.
    Entry(EntryDates),
}

/// The file of an entry, and how it says when the entry is public.
struct EntryDates {
    file: String,
    /// The field of its first day.
    from: Option<String>,
    /// The field of its last day, and whether it has days rather than moments.
    until: Option<(String, bool)>,
    has_drafts: bool,
}

/// Gives the page in a file another address, with a redirect, in one transaction. As [`super::answer`]: `{files}` have changed.
pub fn move_page(root: &FileSet, options: &Options, file: &str, address: &str) -> (u16, Value) {
    answered(moved(root, options, file, address).map(|files| json!({"files": files})))
}

fn moved(
    root: &FileSet,
    options: &Options,
    file: &str,
    address: &str,
) -> Result<Vec<String>, Refusal> {
    let writer = claim(root)?;
    let changes = language_server::moved_page(root, options, file, address)
        .map_err(|reason| Refusal(409, reason))?;
    write(&writer, &changes)?;
    Ok(changes.into_iter().map(|change| change.path).collect())
}

/// Takes a page, a post or an entry off the site. A page and a post expire now, and an entry with a last day had it
/// yesterday, so their addresses answer 410 or lead on; what was never public, or has no dates, becomes a draft. As
/// [`super::answer`].
pub fn withdraw(root: &FileSet, options: &Options, asked: &Withdrawal) -> (u16, Value) {
    changed(root, options, |zone, now| {
        match kind_of(root, &asked.file)? {
            Kind::Page => withdrawn_page(root, asked, zone, now),
            Kind::Post => withdrawn_post(root, &asked.file, zone, now),
            Kind::Entry(entry) => withdrawn_entry(root, &entry, zone, now),
        }
    })
}

fn withdrawn_page(
    root: &FileSet,
    asked: &Withdrawal,
    zone: &Zone,
    now: Moment,
) -> Result<Changes, Refusal> {
    let files = files_of_page(root, asked);
    let is_shared = asked.everywhere && files.first().is_some_and(|path| path.ends_with(STRUCTURE));
    let mut changes = Vec::new();
    for (number, path) in files.into_iter().enumerate() {
        let (base, mut values) = values_of(root, &path)?;
        // A value that all languages share is written once; a date of one language would hide it.
        let expires = (number == 0 || !is_shared).then(|| json!(minute(zone, now)));
        let to = Some(asked.to.trim())
            .filter(|to| !to.is_empty() && expires.is_some())
            .map(|to| json!(to));
        put(&mut values, &BEFORE_DATES, "expires_at", expires);
        put(&mut values, &["expires_at"], "expired_to", to);
        changes.push((path, (base, values)));
    }
    Ok(changes)
}

fn withdrawn_post(
    root: &FileSet,
    file: &str,
    zone: &Zone,
    now: Moment,
) -> Result<Changes, Refusal> {
    let (base, mut values) = values_of(root, file)?;
    if is_later(&values, "publish_at", zone, now) {
        return draft(root, file);
    }
    let expires = Some(json!(minute(zone, now)));
    put(&mut values, &["date", "publish_at"], "expires_at", expires);
    Ok(vec![(file.to_owned(), (base, values))])
}

fn withdrawn_entry(
    root: &FileSet,
    entry: &EntryDates,
    zone: &Zone,
    now: Moment,
) -> Result<Changes, Refusal> {
    let (base, mut values) = values_of(root, &entry.file)?;
    let today = zone.show(now);
    let Some((until, is_day)) = &entry.until else {
        return drafted_entry(root, entry, "cannot expire or become a draft");
    };
    let last = if *is_day {
        day_before(&today)
    } else {
        Some(local(&today))
    };
    let first = entry
        .from
        .as_ref()
        .and_then(|from| values.get(from)?.as_str().map(str::to_owned));
    // Before its first day there is none that could be its last.
    let is_reversed = first
        .zip(last.clone())
        .is_some_and(|(first, last)| last < first);
    let Some(last) = last.filter(|_| !is_reversed) else {
        return drafted_entry(root, entry, "was not public before today");
    };
    put(&mut values, &[], until, Some(json!(last)));
    Ok(vec![(entry.file.clone(), (base, values))])
}

/// An entry that no date can take off the site, as a draft if its collection has drafts.
fn drafted_entry(root: &FileSet, entry: &EntryDates, why: &str) -> Result<Changes, Refusal> {
    if entry.has_drafts {
        return draft(root, &entry.file);
    }
    let file = &entry.file;
    Err(Refusal(
        409,
        format!("{file} {why}: use its form, or delete it; nothing was saved"),
    ))
}

/// Brings back what is not public now: what keeps it away is removed, and an entry gets `until` as its last day. As
/// [`super::answer`].
pub fn restore(root: &FileSet, options: &Options, file: &str, until: &str) -> (u16, Value) {
    changed(root, options, |zone, now| match kind_of(root, file)? {
        Kind::Entry(entry) => restored_entry(root, entry, until.trim(), zone, now),
        Kind::Page | Kind::Post => restored_files(root, file, zone, now),
    })
}

fn restored_entry(
    root: &FileSet,
    entry: EntryDates,
    until: &str,
    zone: &Zone,
    now: Moment,
) -> Result<Changes, Refusal> {
    let (base, mut values) = values_of(root, &entry.file)?;
    values.shift_remove("draft");
    if let Some(from) = entry.from.filter(|from| is_later(&values, from, zone, now)) {
        let today = zone.show(now);
        put(&mut values, &[], &from, Some(json!(&today[..10])));
    }
    if let Some((field, is_day)) = entry.until {
        let day = values
            .get(&field)
            .and_then(|value| DateTime::parse(value.as_str()?.get(..10)?))
            .filter(|_| is_day);
        let has_ended = match day {
            Some(day) => zone.moment(day.next_day()) <= now,
            None => is_over(&values, &field, zone, now),
        };
        if !until.is_empty() {
            put(&mut values, &[], &field, Some(json!(until)));
        } else if has_ended {
            values.shift_remove(&field);
        }
    }
    Ok(vec![(entry.file, (base, values))])
}

fn restored_files(
    root: &FileSet,
    file: &str,
    zone: &Zone,
    now: Moment,
) -> Result<Changes, Refusal> {
    let structure = file
        .rsplit_once('/')
        .map(|(folder, _)| format!("{folder}/{STRUCTURE}"));
    let shared = structure.filter(|path| *path != file && root.exists(&root.join(path)));
    let mut changes = Vec::new();
    for path in std::iter::once(file.to_owned()).chain(shared) {
        let (base, mut values) = values_of(root, &path)?;
        values.shift_remove("draft");
        if is_later(&values, "publish_at", zone, now) {
            values.shift_remove("publish_at");
        }
        if is_over(&values, "expires_at", zone, now) {
            values.shift_remove("expires_at");
            values.shift_remove("expired_to");
        }
        changes.push((path, (base, values)));
    }
    Ok(changes)
}

/// Files with the text that was read and the values that they shall have.
type Changes = Vec<(String, (String, Map<String, Value>))>;

/// Writes the changes that `make` finds at this moment, if the site has no new error then.
fn changed(
    root: &FileSet,
    options: &Options,
    make: impl Fn(&Zone, Moment) -> Result<Changes, Refusal>,
) -> (u16, Value) {
    answered(written_changes(root, options, make).map(|files| json!({"files": files})))
}

fn written_changes(
    root: &FileSet,
    options: &Options,
    make: impl Fn(&Zone, Moment) -> Result<Changes, Refusal>,
) -> Result<Vec<String>, Refusal> {
    let writer = claim(root)?;
    let zone = config::load_from(options, root.clone())
        .0
        .map(|config| config.site.timezone)
        .unwrap_or_default();
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
        return Err(Refusal(
            409,
            "there is nothing to change: the entry is already in this state".to_owned(),
        ));
    }
    if let Some(error) = language_server::new_error(root, options, &writes) {
        return Err(Refusal(409, format!("{error}; nothing was saved")));
    }
    write(&writer, &changes)?;
    Ok(writes.into_iter().map(|(path, _)| path).collect())
}

fn kind_of(root: &FileSet, path: &str) -> Result<Kind, Refusal> {
    check(root, path)?;
    if !root.exists(&root.join(path)) {
        return Err(Refusal(404, format!("there is no file {path}")));
    }
    match kinds::Kind::of(path).map(|item| item.kind) {
        Some(kinds::Kind::Page | kinds::Kind::PageStructure) => return Ok(Kind::Page),
        Some(kinds::Kind::Post) => return Ok(Kind::Post),
        _ => {}
    }
    let is_single = entries::is_single(root, path);
    let file = match path.rsplit_once('/') {
        _ if is_single => path.to_owned(),
        // The folder of an entry: its dates are facts.
        Some((folder, _)) if path.matches('/').count() == 3 => format!("{folder}/{FACTS}"),
        _ => return Err(refused(path)),
    };
    let name = entries::collection_of(root, path).ok_or_else(|| refused(path))?;
    if !root.exists(&root.join(&file)) {
        return Err(refused(path));
    }
    let schema = entries::schema_tree(root, &name);
    let from = schema
        .as_ref()
        .and_then(|schema| dated_field(schema, "from"))
        .map(|(name, _)| name);
    let until = schema
        .as_ref()
        .and_then(|schema| dated_field(schema, "until"));
    let has_drafts = schema.as_ref().is_some_and(|schema| {
        schema
            .get("fields")
            .is_some_and(|all| all.get("draft").is_some())
    });
    Ok(Kind::Entry(EntryDates {
        file,
        from,
        until,
        has_drafts,
    }))
}

fn refused(path: &str) -> Refusal {
    Refusal(
        422,
        format!("{path} can't be withdrawn or restored here: use its form"),
    )
}

/// The field that a key of `publish` in a schema names, and whether it has days rather than moments.
fn dated_field(schema: &Node, key: &str) -> Option<(String, bool)> {
    let name = schema.get("publish")?.get(key)?.as_text()?.to_owned();
    let takes = schema
        .get("fields")?
        .get(&name)?
        .get("type")
        .and_then(Node::as_text);
    let is_day = takes.is_none_or(|takes| takes == "date");
    Some((name, is_day))
}

/// The files that a withdrawal changes: that of the language, or all of the page with the shared one first.
fn files_of_page(root: &FileSet, asked: &Withdrawal) -> Vec<String> {
    let Some((folder, _)) = asked.file.rsplit_once('/').filter(|_| asked.everywhere) else {
        return vec![asked.file.clone()];
    };
    let shown = root
        .list(&root.join(folder))
        .0
        .into_iter()
        .map(|path| workspace::files::shown(root, &path));
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
        _ => Err(Refusal(
            409,
            format!("{path} does not contain a block of keys and values"),
        )),
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
    let at = after
        .iter()
        .filter_map(|name| values.keys().position(|known| known == name))
        .max();
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
    if shown.contains('T') {
        shown.to_owned()
    } else {
        format!("{shown}T00:00")
    }
}

fn day_before(shown: &str) -> Option<String> {
    Date::parse(shown.get(..10)?)?
        .day_before()
        .map(|day| day.to_string())
}

fn moment(values: &Map<String, Value>, field: &str, zone: &Zone) -> Option<Moment> {
    When::parse(values.get(field)?.as_str()?)?.moment(zone).ok()
}

fn is_later(values: &Map<String, Value>, field: &str, zone: &Zone, now: Moment) -> bool {
    moment(values, field, zone).is_some_and(|at| at > now)
}

fn is_over(values: &Map<String, Value>, field: &str, zone: &Zone, now: Moment) -> bool {
    moment(values, field, zone).is_some_and(|at| at <= now)
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
        let mut values: Map<String, Value> = json!({"path": "/a/", "title": "A", "sections": []})
            .as_object()
            .cloned()
            .unwrap_or_default();
        put(
            &mut values,
            &BEFORE_DATES,
            "expires_at",
            Some(json!("2027-01-15")),
        );
        assert_eq!(
            values.keys().collect::<Vec<_>>(),
            ["path", "title", "expires_at", "sections"]
        );
        put(&mut values, &BEFORE_DATES, "expires_at", None);
        assert_eq!(
            values.keys().collect::<Vec<_>>(),
            ["path", "title", "sections"]
        );
        assert_eq!(
            day_before("2024-03-01T09:00").as_deref(),
            Some("2024-02-29")
        );
    }
}
