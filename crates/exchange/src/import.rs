//! Decides which translations of a file that came back are written, and writes them: all in one transaction, and none that the
//! site would not build with.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::{self, Config, Options};
use diagnostics::problem::{Code, Problem, Problems, Severity, Source};
use site::Workspace;
use translations::memory::Memory;
use translations::{self, is_prose, lock};
use workspace::files::{self, FileSet, Overlay, SourceChange, SourceWriter};

use super::inline::{Piece, codes, pieces};
use super::units::{Document, State, Unit};
use super::write::{self, Written};
use super::xliff::name_token;
use super::{Part, Returned, ReturnedFile, Text, line_of};
use workspace::files::not_saved;

/// A file that came back, as it is on the disk.
pub struct Import<'a> {
    /// The options with which the site was loaded.
    pub options: &'a Options,
    /// The site.
    pub config: &'a Config,
    /// Its units.
    pub documents: &'a [Document],
    /// The file, for problems.
    pub source: &'a Source,
    /// The translation memory, from which an export fills in texts.
    pub memory: &'a Memory,
}

/// The changes of an import to the site.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The files to write.
    pub files: Vec<SourceChange>,
    /// The texts that change.
    pub texts: Vec<Taken>,
    /// How many texts were the same already.
    pub unchanged: usize,
    /// The translations that agree now.
    pub accepted: Vec<String>,
    /// Units that were not taken, at their lines.
    pub problems: Problems,
}

/// A text that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The language of the source.
    pub reference: String,
    /// The source.
    pub source: String,
    /// The translation.
    pub target: String,
    /// Whether it is no draft.
    pub is_ready: bool,
}

/// A translation that is wanted: the document and its unit, and where it came from.
#[derive(Debug, Clone)]
struct Wanted {
    document: usize,
    unit: usize,
    line: u32,
    text: String,
    state: State,
}

impl Import<'_> {
    /// Plans the changes of a file to the site. Nothing is written.
    pub fn plan(&self, file: &ReturnedFile) -> Outcome {
        let mut outcome = Outcome::default();
        let (wanted, confirmed) = self.wanted(file, &mut outcome);
        let (wanted, files) = self.built(wanted, &mut outcome);
        outcome.files = files;
        for one in &wanted {
            let document = &self.documents[one.document];
            outcome.texts.push(Taken {
                reference: document.reference.clone(),
                source: document.units[one.unit].source.clone(),
                target: one.text.clone(),
                is_ready: one.state > State::Initial,
            });
        }
        self.note(&wanted, &confirmed, &mut outcome);
        outcome
    }

    fn problem(&self, line: u32, message: impl Into<String>) -> Problem {
        Problem::error(Code::ExchangeFile, message).at(line_of(self.source, line))
    }

    /// The texts that are new, and the units that somebody confirmed as they are.
    fn wanted(
        &self,
        file: &ReturnedFile,
        outcome: &mut Outcome,
    ) -> (Vec<Wanted>, BTreeSet<(usize, usize)>) {
        let mut known: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        // Units by their source, for a tool that has lost their names: the same text has the same translation then.
        let mut by_source: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
        for (document, one) in self.documents.iter().enumerate() {
            for (unit, text) in one.units.iter().enumerate() {
                known.insert(one.id(text), (document, unit));
                by_source
                    .entry(&text.source)
                    .or_default()
                    .push((document, unit));
                known.insert(
                    format!("{}#{}", name_token(&one.key), name_token(&text.name)),
                    (document, unit),
                );
            }
        }
        let (mut wanted, mut confirmed): (Vec<Wanted>, BTreeSet<(usize, usize)>) =
            (Vec::new(), BTreeSet::new());
        let mut seen: BTreeMap<(usize, usize), &Returned> = BTreeMap::new();
        let named: BTreeSet<(usize, usize)> = file
            .units
            .iter()
            .filter_map(|returned| known.get(&returned.id).copied())
            .collect();
        let mut units: Vec<(&Returned, (usize, usize))> = Vec::new();
        for returned in &file.units {
            let found: Vec<(usize, usize)> = match &returned.source.0[..] {
                _ if !returned.id.is_empty() => {
                    known.get(&returned.id).copied().into_iter().collect()
                }
                [Part::Words(source)] => {
                    by_source.get(source.as_str()).cloned().unwrap_or_default()
                }
                _ => Vec::new(),
            };
            if found.is_empty() {
                self.unknown(returned)
                    .into_iter()
                    .for_each(|problem| outcome.problems.push(problem));
            } else if returned.id.is_empty() {
                units.extend(
                    self.meant(returned, found, &named)
                        .into_iter()
                        .map(|at| (returned, at)),
                );
            } else {
                units.extend(found.into_iter().map(|at| (returned, at)));
            }
        }
        for (returned, at) in &units {
            if let Some(first) = seen.insert(*at, returned) {
                if !returned.id.is_empty() || first.target != returned.target {
                    let (id, line) = (
                        self.documents[at.0].id(&self.documents[at.0].units[at.1]),
                        first.line,
                    );
                    let message = format!("the unit `{id}` is already on line {line}");
                    outcome.problems.push(
                        self.problem(returned.line, message)
                            .hint("remove one of the two"),
                    );
                }
                continue;
            }
            let (document, unit) = *at;
            match Self::text_of(&self.documents[document].units[unit], returned) {
                Ok(None) => {}
                Ok(Some(text))
                    if self.documents[document].units[unit].target.as_ref() == Some(&text) =>
                {
                    outcome.unchanged += 1;
                    if returned.state == State::Final {
                        confirmed.insert(*at);
                    }
                }
                // Nobody has changed it in the file, and somebody may have in the site.
                Ok(Some(text)) if returned.before.as_ref() == Some(&lock::of_text(&text)) => {
                    outcome.unchanged += 1;
                }
                Ok(Some(_))
                    if returned
                        .before
                        .as_ref()
                        .is_some_and(|was| *was != self.documents[document].units[unit].before) =>
                {
                    let id = self.documents[document].id(&self.documents[document].units[unit]);
                    let message = format!(
                        "the translation of `{id}` in the site has also changed since the export"
                    );
                    let hint = "compare the two, then put the better one into the site";
                    outcome
                        .problems
                        .push(self.problem(returned.line, message).hint(hint));
                }
                Ok(Some(text)) => {
                    wanted.push(Wanted {
                        document,
                        unit,
                        line: returned.line,
                        text,
                        state: returned.state,
                    });
                }
                Err((message, hint)) => {
                    let message = format!(
                        "`{}`: {message}",
                        self.documents[document].id(&self.documents[document].units[unit])
                    );
                    outcome
                        .problems
                        .push(self.problem(returned.line, message).hint(hint));
                }
            }
        }
        (wanted, confirmed)
    }

    /// Which of the units with its source a unit without a name is about: those whose translation in the site it had or has, or
    /// all that no other unit of the file names.
    fn meant(
        &self,
        returned: &Returned,
        mut found: Vec<(usize, usize)>,
        named: &BTreeSet<(usize, usize)>,
    ) -> Vec<(usize, usize)> {
        found.retain(|at| !named.contains(at));
        let of_site = found.iter().copied().filter(|(document, unit)| {
            let unit = &self.documents[*document].units[*unit];
            let is_same =
                unit.target.is_some() && unit.target.clone().map(Text::plain) == returned.target;
            is_same || returned.before.as_ref() == Some(&unit.before)
        });
        let of_site: Vec<(usize, usize)> = of_site.collect();
        if of_site.is_empty() { found } else { of_site }
    }

    /// Whether a text is what the translation memory has, which an export fills in.
    fn is_remembered(&self, one: &Wanted) -> bool {
        let document = &self.documents[one.document];
        let source = &document.units[one.unit].source;
        self.memory
            .exact(&document.reference, source, &document.locale)
            == Some(one.text.as_str())
    }

    fn unknown(&self, returned: &Returned) -> Option<Problem> {
        // A unit that nobody has translated is nobody's loss.
        returned.target.as_ref()?;
        let is_body = returned.id.contains("#body.");
        Some(if returned.id.is_empty() {
            self.problem(
                returned.line,
                "the string has no name (`msgctxt`), and the site has no matching string",
            )
            .hint("set the translation tool to keep `msgctxt`, or export the strings again")
        } else if is_body {
            self.problem(
                returned.line,
                format!(
                    "the source of `{}` has changed since it was exported",
                    returned.id
                ),
            )
            .hint("export the file again: the translation memory fills in anything unchanged")
        } else {
            self.problem(
                returned.line,
                format!("the site has no unit `{}`", returned.id),
            )
            .hint("export the file again: this text has been moved or removed since")
        })
    }

    /// The translation of a unit, without one that is not to be written. The error is a message and a hint.
    fn text_of(unit: &Unit, returned: &Returned) -> Result<Option<String>, (String, String)> {
        let again = "export the file again, and translate the changes".to_owned();
        let source_pieces = pieces(&unit.source);
        let source = resolved(&returned.source, &source_pieces, &[]);
        if !source.is_ok_and(|source| is_same(&source, &unit.source)) {
            return Err((
                "the source text has changed since the export".to_owned(),
                again,
            ));
        }
        let Some(target) = &returned.target else {
            return Ok(None);
        };
        let target_pieces = unit.target.as_deref().map(pieces).unwrap_or_default();
        let from_source =
            "keep the codes from the source: links, emphasis, code and placeholders".to_owned();
        let text = resolved(target, &source_pieces, &target_pieces).map_err(|code| {
            (
                format!("the code `{code}` is not in the source"),
                from_source.clone(),
            )
        })?;
        // Tools take off line breaks at the end of a text.
        let end = unit.target.as_deref().unwrap_or(&unit.source);
        let text = format!(
            "{}{}",
            text.trim_end_matches('\n'),
            &end[end.trim_end_matches('\n').len()..]
        );
        let text = text.replace("\r\n", "\n");
        // Nor does anybody add blanks at the ends of a text on purpose.
        let text = with_ends_of(&unit.source, &text);
        if let Some(target) = unit
            .target
            .as_ref()
            .filter(|target| target.replace("\r\n", "\n").trim() == text.trim())
        {
            return Ok(Some(target.clone()));
        }
        if text.trim().is_empty() {
            return Ok(None);
        }
        if text == unit.source && is_prose(&text) {
            let is_copy = returned.state == State::Initial;
            let message = "the translation is identical to the source".to_owned();
            return if is_copy {
                Ok(None)
            } else {
                Err((
                    message,
                    "translate the source, or leave the translation empty".to_owned(),
                ))
            };
        }
        let found = codes(&text);
        if found != codes(&unit.source)
            && unit
                .target
                .as_deref()
                .is_none_or(|target| codes(target) != found)
        {
            return Err((difference(&codes(&unit.source), &found), from_source));
        }
        if let Some(max) = unit.max.filter(|max| text.chars().count() > *max) {
            let count = text.chars().count();
            return Err((
                format!("found {count} characters, but at most {max} are allowed"),
                "shorten it".to_owned(),
            ));
        }
        Ok(Some(text))
    }

    /// The texts that the site builds with, and the files with them. Those that would be new errors are reported.
    fn built(
        &self,
        mut wanted: Vec<Wanted>,
        outcome: &mut Outcome,
    ) -> (Vec<Wanted>, Vec<SourceChange>) {
        if wanted.is_empty() {
            return (wanted, Vec::new());
        }
        let before = errors(self.options, &self.config.paths.root);
        // Each round takes out the texts that the errors of the last one are about.
        loop {
            let mut files: Vec<(usize, Written)> = Vec::new();
            let mut by_document: BTreeMap<usize, BTreeMap<usize, String>> = BTreeMap::new();
            for one in &wanted {
                by_document
                    .entry(one.document)
                    .or_default()
                    .insert(one.unit, one.text.clone());
            }
            let mut refused: BTreeMap<(usize, usize), (String, Option<String>)> = BTreeMap::new();
            for (document, texts) in by_document {
                let written = write::apply(
                    self.config,
                    &self.config.paths.root,
                    &self.documents[document],
                    &texts,
                );
                let reasons = written.refused.iter();
                refused.extend(
                    reasons.map(|(unit, reason)| ((document, *unit), (reason.clone(), None))),
                );
                files.push((document, written));
            }
            if refused.is_empty() && !files.is_empty() {
                let root = self.with(files.iter().filter_map(|(at, written)| {
                    Some((self.documents[*at].to.as_str(), written.text.as_deref()?))
                }));
                let new = new_errors(&before, errors(self.options, &root));
                self.blame(&new, &files, &wanted, &mut refused);
            }
            if refused.is_empty() {
                let change = |(at, written): (usize, Written)| {
                    Some(SourceChange::to_text(
                        &self.documents[at].to,
                        written.before,
                        &written.text?,
                    ))
                };
                return (wanted, files.into_iter().filter_map(change).collect());
            }
            // The memory has some texts of what is new to the language. They wait for the others, which nobody has translated, as
            // does a unit without a name at one of its places.
            let all = wanted.len();
            let is_refused = |one: &Wanted| refused.contains_key(&(one.document, one.unit));
            let lines: BTreeSet<u32> = wanted
                .iter()
                .filter(|one| !is_refused(one))
                .map(|one| one.line)
                .collect();
            wanted.retain(|one| {
                !is_refused(one) || !lines.contains(&one.line) && !self.is_remembered(one)
            });
            if wanted.len() < all {
                outcome.unchanged += all - wanted.len();
                continue;
            }
            for one in &wanted {
                let Some((reason, hint)) = refused.get(&(one.document, one.unit)) else {
                    continue;
                };
                let document = &self.documents[one.document];
                let message = format!("`{}`: {reason}", document.id(&document.units[one.unit]));
                outcome
                    .problems
                    .push(self.problem(one.line, message).maybe_hint(hint.clone()));
            }
            wanted.retain(|one| !refused.contains_key(&(one.document, one.unit)));
        }
    }

    /// Finds the texts that errors are about: those at the line, those of the file, or all.
    fn blame(
        &self,
        new: &[Problem],
        files: &[(usize, Written)],
        wanted: &[Wanted],
        refused: &mut BTreeMap<(usize, usize), (String, Option<String>)>,
    ) {
        for problem in new {
            let reason = (
                format!(
                    "the site would not build with this translation: {}",
                    problem.message
                ),
                problem.hint.clone(),
            );
            let place = problem.place.as_ref();
            let file = files
                .iter()
                .find(|(at, _)| place.is_some_and(|place| place.path == self.documents[*at].to));
            let units: Vec<(usize, usize)> = match file {
                Some((document, written)) => {
                    let line = place
                        .and_then(|place| place.range)
                        .map(|range| range.start.line);
                    let first = line.and_then(|line| {
                        written
                            .lines
                            .values()
                            .copied()
                            .filter(|start| *start <= line)
                            .max()
                    });
                    let at_line = written
                        .lines
                        .iter()
                        .filter(|(_, start)| first.is_none_or(|first| **start == first));
                    at_line.map(|(unit, _)| (*document, *unit)).collect()
                }
                None => wanted.iter().map(|one| (one.document, one.unit)).collect(),
            };
            for unit in units {
                refused.entry(unit).or_insert_with(|| reason.clone());
            }
        }
    }

    /// The files of the site with other texts.
    fn with<'t>(&self, files: impl Iterator<Item = (&'t str, &'t str)>) -> FileSet {
        let root = &self.config.paths.root;
        root.with(files.map(|(path, text)| (root.join(path), Some(Overlay::New(Arc::from(text))))))
    }

    /// Adds the lock file: translations of which all units agree now, and texts that are drafts.
    fn note(&self, wanted: &[Wanted], confirmed: &BTreeSet<(usize, usize)>, outcome: &mut Outcome) {
        let delivered = wanted
            .iter()
            .filter(|one| one.state > State::Initial)
            .map(|one| (one.document, one.unit));
        let agreed: BTreeSet<(usize, usize)> = delivered.chain(confirmed.iter().copied()).collect();
        let mut drafts: BTreeMap<lock::Name, BTreeSet<String>> = BTreeMap::new();
        for one in wanted.iter().filter(|one| one.state == State::Initial) {
            let document = &self.documents[one.document];
            let name = (document.key.clone(), document.locale.clone());
            drafts
                .entry(name)
                .or_default()
                .insert(lock::of_text(&one.text));
        }
        let changed: BTreeMap<(usize, usize), State> = wanted
            .iter()
            .map(|one| ((one.document, one.unit), one.state))
            .collect();
        let is_draft = |at: (usize, usize)| changed.get(&at) == Some(&State::Initial);
        let touched: BTreeSet<usize> = agreed.iter().map(|(document, _)| *document).collect();
        // It agrees if all of its units do, and was not noted so before.
        let is_whole = |document: &usize| {
            let units = || {
                self.documents[*document]
                    .units
                    .iter()
                    .enumerate()
                    .map(|(at, unit)| ((*document, at), unit))
            };
            let is_new = |at: (usize, usize)| changed.contains_key(&at);
            units().all(|(at, unit)| {
                agreed.contains(&at) || unit.state == State::Final && !is_draft(at)
            }) && units().any(|(at, unit)| {
                agreed.contains(&at) && (unit.state != State::Final || is_new(at))
            })
        };
        let whole: BTreeSet<(&str, &str)> = touched
            .iter()
            .filter(|document| is_whole(document))
            .map(|document| {
                (
                    self.documents[*document].key.as_str(),
                    self.documents[*document].locale.as_str(),
                )
            })
            .collect();
        if whole.is_empty() && drafts.is_empty() {
            return;
        }
        let before = files::before_change(&self.config.paths.root, lock::FILE);
        let root = self.with(
            outcome
                .files
                .iter()
                .filter_map(|file| Some((file.path.as_str(), file.text()?))),
        );
        let (Some(config), _) = config::load_from(self.options, root.clone()) else {
            return;
        };
        let (content, _) = content::load(&config);
        let (compared, problems) = translations::compare(&config, &content, &content.blog.posts);
        if problems.has_errors() {
            outcome.problems.extend(problems);
            return;
        }
        let is_accepted = |one: &translations::Translation| {
            whole.contains(&(one.key.as_str(), one.locale.as_str()))
        };
        let text = translations::accept(&compared, is_accepted, &drafts);
        let known = root
            .read_text(&root.join(lock::FILE))
            .map(|source| source.text.clone())
            .unwrap_or_default();
        if text != known {
            let names = compared
                .iter()
                .filter(|one| is_accepted(one) && one.untranslated.is_empty());
            outcome.accepted = names
                .map(|one| format!("{}/{}", one.key, one.locale))
                .collect();
            outcome
                .files
                .push(SourceChange::to_text(lock::FILE, before, &text));
        }
    }
}

/// A translation that begins and ends with the blanks of its source: those that a cell has got besides are nobody's intention.
fn with_ends_of(source: &str, target: &str) -> String {
    let (inner, text) = (source.trim(), target.trim());
    if inner.is_empty() || text.is_empty() {
        return text.to_owned();
    }
    let start = source.len() - source.trim_start().len();
    format!(
        "{}{text}{}",
        &source[..start],
        &source[start + inner.len()..]
    )
}

/// Writes all files of an import, or none: also none if one of them was changed since it was read.
pub fn write(root: &FileSet, files: &[SourceChange]) -> Result<(), Problem> {
    let Some(first) = files.first() else {
        return Ok(());
    };
    let failed = |error: std::io::Error| {
        not_saved(
            &first.path,
            &error,
            ("nothing was imported", "run the command again"),
        )
    };
    let writer = SourceWriter::claim(root).map_err(failed)?;
    writer.write(files).map_err(failed)
}

/// The errors of a site.
fn errors(options: &Options, root: &FileSet) -> Vec<Problem> {
    let (config, mut problems) = config::load_from(options, root.clone());
    if let Some(config) = config {
        problems.extend(Workspace::open(config).problems());
    }
    problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .cloned()
        .collect()
}

/// The errors that were not there before, whichever line they are at.
fn new_errors(before: &[Problem], after: Vec<Problem>) -> Vec<Problem> {
    let name = |problem: &Problem| {
        (
            problem.code.name(),
            problem.place.as_ref().map(|place| place.path.clone()),
            problem.message.clone(),
        )
    };
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    before
        .iter()
        .for_each(|problem| *known.entry(name(problem)).or_default() += 1);
    let is_new = |problem: &Problem| match known.get_mut(&name(problem)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    after.into_iter().filter(is_new).collect()
}

/// A text with the originals of its codes. The error is the name of a code that neither text has.
pub(super) fn resolved(text: &Text, source: &[Piece], target: &[Piece]) -> Result<String, String> {
    let mut whole = String::new();
    for part in &text.0 {
        let (Part::Open(name) | Part::Close(name) | Part::Alone(name)) = part else {
            if let Part::Words(words) = part {
                whole.push_str(words);
            }
            continue;
        };
        let (pieces, number) = match name.strip_prefix('t') {
            Some(number) => (target, number),
            None => (source, name.as_str()),
        };
        let number = number.parse::<usize>().map_err(|_| name.clone())?;
        let code = pieces.iter().find_map(|piece| match (part, piece) {
            (Part::Open(_), Piece::Open(other, code))
            | (Part::Close(_), Piece::Close(other, code))
            | (Part::Alone(_), Piece::Alone(other, code))
                if *other == number =>
            {
                Some(code)
            }
            _ => None,
        });
        whole.push_str(code.ok_or_else(|| name.clone())?);
    }
    Ok(whole)
}

/// Whether a source is the same but for line breaks at its end, which tools take off.
fn is_same(one: &str, other: &str) -> bool {
    one.replace("\r\n", "\n").trim_end() == other.replace("\r\n", "\n").trim_end()
}

/// The first code that only one of two texts has.
fn difference(source: &[String], target: &[String]) -> String {
    let mut left = source.to_vec();
    let mut invented = None;
    for code in target {
        match left.iter().position(|other| other == code) {
            Some(at) => drop(left.remove(at)),
            None => invented = invented.or(Some(code)),
        }
    }
    match (left.first(), invented) {
        (Some(missing), Some(invented)) => {
            format!("the code `{missing}` is missing, and `{invented}` is not in the source")
        }
        (Some(missing), None) => format!("the code `{missing}` is missing"),
        (None, invented) => format!(
            "the code `{}` is not in the source",
            invented.map_or("", String::as_str)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::with_ends_of;

    #[test]
    fn a_translation_has_the_ends_of_its_source() {
        for (source, target, expect) in [
            ("x", " y  ", "y"),
            ("x ", "\u{a0}y", "y "),
            ("\n x", "y\n", "\n y"),
            ("x", "  ", ""),
            ("", "y ", "y"),
        ] {
            assert_eq!(with_ends_of(source, target), expect, "{target}");
        }
    }
}
