//! Settles an import: the site is checked as `sitegen check --strict` does, and what an imported file has that would stop a
//! build is replaced, with a note.
//!
//! The rules of the site decide, not copies of them here. A file that a person has edited stays as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use config::Config;
use diagnostics::problem::{Code, Position, Problem, Problems};
use diagnostics::yaml;
use generator::pipeline::{self, BuildScope, Purpose};
use languages::locale;
use languages::typography;
use site::Workspace;
use workspace::files::not_written;
use workspace::timings::Timings;

use super::imported_files::{ImportedFiles, LIST};
use super::{ImportReport, placeholder};

/// The number of checks. Each may find what the one before could not reach.
const ROUNDS: usize = 6;

/// Checks the site again and again, and corrects imported files. `load` reads the settings as they are now.
pub fn settle(
    load: &dyn Fn() -> (Option<Config>, Problems),
    report: &mut ImportReport,
) -> Problems {
    let mut all = Problems::new();
    // Whether nothing else helps, so that posts with an error become drafts.
    let mut is_last_resort = false;
    for _ in 0..ROUNDS {
        let (Some(config), mut problems) = load() else {
            return all;
        };
        let whole = BuildScope::Site(Workspace::open(config.clone()));
        let (_, found) = pipeline::build(whole, Purpose::CHECK, &|_| {}, &Timings::off());
        problems.extend(found);
        let problems = problems.strict().sorted();
        let aside = config.paths.cache.join("import");
        let Ok(files) = ImportedFiles::open(&config.paths.root, aside) else {
            return all;
        };
        let mut settler = Settler {
            root: &config.paths.root,
            home: report.evidence.home.clone(),
            files,
            report,
            edits: BTreeMap::new(),
            is_last_resort,
            open: 0,
        };
        // A post is not lost for words such as “click here”, which are reported after the import.
        for problem in problems
            .iter()
            .filter(|problem| !problem.code.is_about_words())
        {
            settler.take(problem);
        }
        if problems
            .iter()
            .any(|problem| problem.code == Code::Typography)
        {
            settler.correct_typography(&config);
        }
        let open = settler.open;
        let (has_changed, failed) = settler.write();
        all.extend(failed);
        if !has_changed && (open == 0 || is_last_resort) {
            break;
        }
        is_last_resort |= !has_changed;
    }
    all
}

struct Settler<'a> {
    root: &'a Path,
    /// The home page of WordPress.
    home: String,
    files: ImportedFiles,
    report: &'a mut ImportReport,
    /// The texts of files with corrections.
    edits: BTreeMap<String, FileCorrections>,
    is_last_resort: bool,
    /// The number of problems of imported posts that nothing is known to do about.
    open: usize,
}

/// The corrections in a file.
#[derive(Default)]
struct FileCorrections {
    /// The new file; `None` if nothing but lines and links is corrected.
    text: Option<Vec<u8>>,
    /// Lines of a list of redirects that are left out, from 1.
    lines: BTreeSet<u32>,
    /// Links, by the place of their address.
    links: BTreeMap<Position, (Position, Code)>,
    /// Keys to add to the head of a post, or to change.
    keys: BTreeMap<&'static str, String>,
    notes: BTreeSet<String>,
}

impl FileCorrections {
    fn is_empty(&self) -> bool {
        self.text.is_none()
            && self.lines.is_empty()
            && self.links.is_empty()
            && self.keys.is_empty()
    }
}

impl Settler<'_> {
    fn edit(&mut self, file: &str) -> Option<&mut FileCorrections> {
        self.files
            .is_as_imported(file)
            .then(|| self.edits.entry(file.to_owned()).or_default())
    }

    /// Notes what to do about a problem.
    fn take(&mut self, problem: &Problem) {
        let Some(place) = &problem.place else { return };
        let file = place.path.as_str();
        let message = problem.message.clone();
        if problem.code == Code::HostLimit {
            for name in [
                "content/redirects/wordpress-queries.yaml",
                "content/redirects/wordpress-files.yaml",
            ] {
                let is_meant = message.contains("query") == name.contains("queries");
                if let Some(edit) = self.edit(name).filter(|_| is_meant) {
                    edit.text =
                        Some(b"# The site's host does not support these redirects.\n[]\n".to_vec());
                    edit.notes
                        .insert(format!("its redirects were left out: {message}"));
                }
            }
            return;
        }
        if problem.code == Code::Duplicate {
            return self.tell_apart(file, &message);
        }
        let home = self.home.clone();
        let (is_post, is_last_resort) = (file.ends_with(".md"), self.is_last_resort);
        let Some(edit) = self.edit(file) else { return };
        match (problem.code, place.range) {
            (_, Some(range)) if file.starts_with("content/redirects/") => {
                edit.lines.insert(range.start.line);
                edit.notes
                    .insert(format!("a redirect was left out: {message}"));
            }
            (Code::DeadLink | Code::DeadAnchor | Code::BadLink, Some(range)) => {
                edit.links.insert(range.start, (range.end, problem.code));
                let what = if message.contains("/wp-content/") {
                    format!("points to {home} again")
                } else {
                    "was removed".to_owned()
                };
                edit.notes.insert(format!("a link {what}: {message}"));
            }
            (Code::Budget, _) if message.contains("of HTML") => {
                let size: f64 = message
                    .split(" has ")
                    .nth(1)
                    .and_then(|rest| rest.split(' ').next()?.parse().ok())
                    .unwrap_or_default();
                edit.keys
                    .insert("html_budget", format!("{:.0}", (size * 1.1).ceil()));
                edit.notes
                    .insert(format!("its HTML budget was raised: {message}"));
            }
            (Code::MissingImage, _) => {
                let name = message.split('`').nth(1).unwrap_or_default().to_owned();
                edit.notes.insert(format!(
                    "the image `{name}` is missing; a placeholder replaces it"
                ));
                let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
                let picture = format!("{folder}/{name}");
                if let Some(bytes) = placeholder::of(&name).filter(|_| !name.contains('/')) {
                    self.edits.entry(picture).or_default().text = Some(bytes.to_vec());
                }
            }
            (Code::BadImage, _) if placeholder::of(file).is_some() => {
                edit.text = placeholder::of(file).map(<[u8]>::to_vec);
                edit.notes
                    .insert(format!("a placeholder replaces the image: {message}"));
            }
            (Code::Typography, _) => {}
            // A picture for other sites, which a package mends.
            (Code::CardLetters, _) => {
                edit.notes.insert(message);
            }
            _ if is_post && !is_last_resort => self.open += 1,
            _ if is_post => {
                edit.keys.insert("draft", "true".to_owned());
                edit.notes.insert(format!(
                    "it is a draft, because the site would not build with it: {message}"
                ));
            }
            _ => {}
        }
    }

    /// Makes a title or a description the only one of its language.
    fn tell_apart(&mut self, file: &str, message: &str) {
        let other = message.split('`').nth(1).unwrap_or_default().to_owned();
        let is_title = message.ends_with("title");
        let names = [file.to_owned(), other];
        // The later of two posts, and a post or a page of the import rather than one of the site.
        let mut imported: Vec<&String> = names
            .iter()
            .filter(|name| self.files.is_as_imported(name))
            .collect();
        imported.sort_by_key(|name| {
            (
                name.ends_with(".md"),
                self.head_of(name, "date"),
                (*name).clone(),
            )
        });
        let Some(chosen) = imported.pop().cloned() else {
            return;
        };
        let rival = names
            .iter()
            .find(|name| **name != chosen)
            .cloned()
            .unwrap_or_default();
        let (key, what) = match (is_title, chosen.ends_with(".md")) {
            (true, _) => ("title", "title"),
            (false, true) => ("excerpt", "description"),
            (false, false) => ("description", "description"),
        };
        let title = self.head_of(&chosen, "title");
        let written = self.head_of(&chosen, key);
        let day = self
            .head_of(&chosen, "date")
            .get(..10)
            .unwrap_or_default()
            .to_owned();
        let mark = if day.is_empty() {
            self.head_of(&chosen, "path")
        } else {
            day
        };
        let new = match (is_title, written.rsplit_once(" · {product.name}")) {
            (true, Some((title, _))) => format!("{title} ({mark}) · {{product.name}}"),
            (true, None) => format!("{written} ({mark})"),
            (false, _) if written.is_empty() => format!("{title}: {}", self.first_words(&chosen)),
            (false, _) => format!("{title}: {written}"),
        };
        let new = if !is_title && self.report_mentions(&chosen, "the same description") {
            format!("{new} ({mark})")
        } else {
            new
        };
        if let Some(edit) = self.edit(&chosen) {
            edit.keys.insert(key, new);
            let part = if is_title { mark } else { title.clone() };
            edit.notes.insert(format!(
                "`{rival}` has the same {what}, so `{part}` was added to this one (`{title}`)"
            ));
        }
    }

    fn report_mentions(&self, file: &str, words: &str) -> bool {
        let report = self
            .report
            .posts
            .get(file)
            .or_else(|| self.report.pages.get(file));
        report.is_some_and(|report| report.notes.iter().any(|note| note.contains(words)))
    }

    /// The value of a key in the head of a post, or of a page.
    fn head_of(&self, file: &str, key: &str) -> String {
        let text = fs_err::read_to_string(self.root.join(file)).unwrap_or_default();
        let start = format!("{key}: ");
        let lines = text
            .lines()
            .skip(usize::from(text.starts_with("---")))
            .take_while(|line| *line != "---" && *line != "sections:");
        let mut lines = lines;
        let value = lines
            .find_map(|line| line.strip_prefix(&start))
            .unwrap_or_default();
        unquoted(value)
    }

    /// The first words of a post's text.
    fn first_words(&self, file: &str) -> String {
        let text = fs_err::read_to_string(self.root.join(file)).unwrap_or_default();
        let body = text.splitn(3, "---\n").nth(2).unwrap_or_default();
        // Without the addresses of links: `[words](address)`.
        let mut parts = body.split("](");
        let first = parts.next().unwrap_or_default().to_owned();
        let rest = parts.filter_map(|part| part.split_once(')').map(|(_, rest)| rest));
        let plain = std::iter::once(first.as_str())
            .chain(rest)
            .collect::<String>();
        let plain: String = plain
            .chars()
            .filter(|c| !"*_`\\#[]!<>".contains(*c))
            .collect();
        let words: Vec<&str> = plain.split_whitespace().take(20).collect();
        words.join(" ")
    }

    /// Corrects quotes, dashes and spaces as `sitegen fmt` does.
    fn correct_typography(&mut self, config: &Config) {
        let (locales, _) = locale::load(&config.paths.root, &config.site, &config.theme);
        let content = config.paths.root.join("content");
        let languages = typography::Languages {
            locales: &locales,
            withheld: &config.site.withheld,
        };
        let (corrections, _) = typography::corrections(&config.paths.root, &content, languages);
        for correction in corrections {
            let file = workspace::files::shown(&config.paths.root, &correction.file);
            // Other corrections of the file come first: they are by its lines.
            let is_corrected = self.edits.get(&file).is_some_and(|edit| !edit.is_empty());
            if is_corrected || !self.files.is_as_imported(&file) {
                continue;
            }
            let corrected = fs_err::read(&correction.file)
                .ok()
                .and_then(|bytes| correction.apply(&bytes));
            if let Some(corrected) = corrected {
                self.edits.entry(file).or_default().text = Some(corrected);
            }
        }
    }

    /// Writes the corrected files. Whether there were some, and what could not be written.
    fn write(mut self) -> (bool, Problems) {
        let mut problems = Problems::new();
        let mut has_changed = false;
        for (file, edit) in std::mem::take(&mut self.edits) {
            let old = fs_err::read(self.root.join(&file)).unwrap_or_default();
            let new = match edit.text {
                Some(bytes) => bytes,
                None => edited(&String::from_utf8_lossy(&old), &edit, &self.home).into_bytes(),
            };
            self.note(&file, edit.notes.clone());
            if new == old {
                continue;
            }
            has_changed = true;
            self.report.redirects = self.report.redirects.saturating_sub(edit.lines.len());
            if let Err(error) = self.files.settle(&file, &new) {
                problems.push(not_written(&file, &error));
            }
        }
        if let Err(error) = self.files.save() {
            problems.push(not_written(LIST, &error));
        }
        (has_changed, problems)
    }

    /// Adds notes to the report of a post or a page, and to the reasons of the proof.
    fn note(&mut self, file: &str, notes: BTreeSet<String>) {
        if file.starts_with("content/redirects/") {
            self.report.redirects_left_out.extend(notes);
            return;
        }
        let ImportReport {
            posts,
            pages,
            evidence,
            ..
        } = &mut *self.report;
        let compared = evidence
            .compared
            .iter_mut()
            .filter(|compared| compared.file == file);
        compared.for_each(|compared| compared.reasons.notes.extend(notes.clone()));
        if let Some(report) = posts.get_mut(file).or_else(|| pages.get_mut(file)) {
            report.notes.extend(notes);
        }
    }
}

/// A value in YAML as text.
fn unquoted(value: &str) -> String {
    let value = value.trim();
    match value.chars().next() {
        Some('"') => {
            serde_json::from_str(value).unwrap_or_else(|_| value.trim_matches('"').to_owned())
        }
        Some('\'') => value[1..].trim_end_matches('\'').replace("''", "'"),
        _ => value.to_owned(),
    }
}

/// The text of a file with its corrections.
fn edited(text: &str, edit: &FileCorrections, home: &str) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    // The last link of a line first, so that the columns of the others stay.
    for (start, (end, code)) in edit.links.iter().rev() {
        if let Some(line) = lines.get_mut(start.line as usize - 1)
            && start.line == end.line
            && let Some(new) = without_link(
                line,
                start.column as usize - 1,
                end.column as usize - 1,
                *code,
                home,
            )
        {
            *line = new;
        }
    }
    for (key, value) in &edit.keys {
        let written = match value.parse::<f64>() {
            Ok(_) => value.clone(),
            Err(_) if value == "true" => value.clone(),
            Err(_) => yaml::quoted_text(value),
        };
        let head = lines
            .iter()
            .skip(1)
            .position(|line| line == "---" || line == "sections:")
            .map_or(0, |at| at + 1);
        let start = format!("{key}: ");
        match lines[..head]
            .iter_mut()
            .find(|line| line.starts_with(&start))
        {
            Some(line) => *line = start + &written,
            None => lines.insert(head, start + &written),
        }
    }
    let kept = lines
        .into_iter()
        .zip(1u32..)
        .filter(|(_, number)| !edit.lines.contains(number));
    let text = kept.map(|(line, _)| line).collect::<Vec<_>>().join("\n");
    let is_empty_list = !edit.lines.is_empty() && !text.lines().any(|line| line.starts_with('-'));
    if is_empty_list {
        format!("{}\n[]\n", text.trim_end())
    } else {
        text
    }
}

/// A part of a line.
fn text(chars: &[char], from: usize, to: usize) -> Option<String> {
    chars.get(from..to).map(|chars| chars.iter().collect())
}

/// A line without the link whose address is between two columns; its words stay. `None` if its form is unknown.
fn without_link(line: &str, start: usize, end: usize, code: Code, home: &str) -> Option<String> {
    let chars: Vec<char> = line.chars().collect();
    let (from, address) = (text(&chars, 0, start)?, text(&chars, start, end)?);
    let rest = text(&chars, end, chars.len())?;
    if let Some(at) = address.find("/wp-content/") {
        return Some(format!("{from}{home}{}{rest}", &address[at..]));
    }
    // The page is there, and only the place on it is not.
    if code == Code::DeadAnchor
        && let Some((page, _)) = address.split_once('#').filter(|(page, _)| !page.is_empty())
    {
        return Some(format!("{from}{page}{rest}"));
    }
    // `[words](address "title")`
    let before = if start > 0 && chars[start - 1] == '<' {
        start - 1
    } else {
        start
    };
    if before >= 2 && chars[before - 1] == '(' && chars[before - 2] == ']' {
        let close = (end..chars.len()).find(|at| chars[*at] == ')')?;
        let mut depth = 0;
        let open = (0..before - 1).rev().find(|at| {
            let is_escaped = *at > 0 && chars[at - 1] == '\\';
            match chars[*at] {
                ']' if !is_escaped => depth += 1,
                '[' if !is_escaped => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        let words = text(&chars, open + 1, before - 2)?;
        return Some(format!(
            "{}{words}{}",
            text(&chars, 0, open)?,
            text(&chars, close + 1, chars.len())?
        ));
    }
    // `<a href="address">`: an element without its address is no link.
    let opened = from
        .strip_suffix("href=\"")
        .or_else(|| from.strip_suffix("href="))?;
    Some(format!(
        "{}{}",
        opened.trim_end(),
        rest.strip_prefix('"').unwrap_or(&rest)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, address: &str, code: Code, expect: &str) {
        let start = line[..line.find(address).expect("the address")]
            .chars()
            .count();
        let new = without_link(
            line,
            start,
            start + address.chars().count(),
            code,
            "https://old.example",
        );
        assert_eq!(new.as_deref(), Some(expect));
    }

    #[test]
    fn a_dead_link_leaves_its_words() {
        check(
            "é [a \\] *b*](#x \"t\") c",
            "#x",
            Code::DeadAnchor,
            "é a \\] *b* c",
        );
        check("[a](page:b#x)", "page:b#x", Code::DeadAnchor, "[a](page:b)");
        check("[[1]](/x/) b", "/x/", Code::DeadLink, "[1] b");
        check("<a href=\"/x/\">a</a>", "/x/", Code::DeadLink, "<a>a</a>");
        check(
            "[a](/wp-content/uploads/a.pdf)",
            "/wp-content/uploads/a.pdf",
            Code::DeadLink,
            "[a](https://old.example/wp-content/uploads/a.pdf)",
        );
    }

    #[test]
    fn keys_and_lines_are_corrected() {
        let mut edit = FileCorrections::default();
        edit.keys.insert("draft", "true".into());
        edit.keys.insert("title", "A: b".into());
        assert_eq!(
            edited("---\ntitle: A\n---\ntitle: x\n", &edit, ""),
            "---\ntitle: \"A: b\"\ndraft: true\n---\ntitle: x\n"
        );
        let edit = FileCorrections {
            lines: [2].into(),
            ..FileCorrections::default()
        };
        assert_eq!(edited("# about\n- {from: a}\n", &edit, ""), "# about\n[]\n");
    }
}
