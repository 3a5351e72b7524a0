//! Checks the typography of content, and corrects it for `sitegen fmt`: quotes, apostrophes, dashes, ellipses, and
//! numbers with units. What is right is set by each locale ([`crate::locale::typography`]).
//!
//! Every text in YAML and Markdown counts, apart from code, HTML, addresses and values that programs read
//! ([`is_for_programs`], and by the schemas of the site: `machine.rs`). The language of a text is that of its file or folder (`es.yaml`, `blog/es/`) or of its key
//! (`{en: …, es: …}`); files that are shared by all languages, such as case studies, are in the default one. A long text
//! that is in another language is reported too ([`language`]).

mod language;
mod machine;
mod prose;
mod rules;
pub mod samples;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::locale::Locale;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};
use diagnostics::yaml::{self, Node, Value, Written};
use workspace::files::{self, FileSet};
use workspace::parallel;
use workspace::sources::{KeptTable, hash};

use machine::MachineFields;
use rules::Mistake;
use samples::Samples;

/// Keys whose values are read by programs: addresses, ids, names of files, dates and patterns.
const MACHINE_KEYS: &[&str] = &[
    "also_at",
    "anchors",
    "answers_below",
    "assumes",
    "author",
    "base_url",
    "code",
    "date",
    "direction",
    "email",
    "expires_at",
    "from",
    "hashes",
    "href",
    "icon",
    "id",
    "key",
    "kind",
    "language",
    "layout",
    "link",
    "modified",
    "path",
    "publish_at",
    "publish_date",
    "slug",
    "src",
    "to",
    "typography",
    "updated",
    "url",
];

/// Keys below which each key is a name of the site's own, such as that of a field of a form.
const OF_NAMES: [&str; 4] = ["choices", "fields", "previews", "texts"];

/// Whether programs read the value of a key. `above` is the key of the map that has it. A key may be the path of a text:
/// `hero.title`.
pub fn is_for_programs(above: Option<&str>, key: &str) -> bool {
    let mut steps = key.rsplit('.');
    let own = steps.next().unwrap_or(key);
    let above = steps.next().or(above);
    MACHINE_KEYS.contains(&own) && !above.is_some_and(|above| OF_NAMES.contains(&above))
}

/// Files with settings alone, below a folder of `content/`: `forms/visit/form.yaml`.
const SETTINGS: (&str, &str) = ("forms", "form.yaml");

/// Folders and files of `content/` whose texts are in the language of their keys only.
const WITHOUT_LANGUAGE: &[&str] = &["site.yaml", "design.yaml", "style-guide"];

/// A mistake, and the file that it is in.
#[derive(Debug)]
struct Finding {
    span: Span,
    /// The correction in place of the span, as it is written in the file.
    right: String,
    mistake: Mistake,
}

/// A text in another language than that of its file.
#[derive(Debug)]
struct ForeignText {
    span: Span,
    /// See [`samples`].
    hash: String,
    language: String,
    file_language: String,
}

/// The findings in a file.
#[derive(Debug, Default)]
struct TypographyFindings {
    mistakes: Vec<Finding>,
    foreign: Vec<ForeignText>,
}

/// A file with its corrected text.
#[derive(Debug)]
pub struct Correction {
    /// The file.
    pub file: PathBuf,
    /// The file as it was read.
    pub source: Arc<Source>,
    /// The byte ranges of [`Correction::source`] that are wrong, in order, with what belongs in their places.
    pub edits: Vec<(Range<usize>, String)>,
}

/// Maximum number of mistakes that are reported one by one for a file: each shows its line, which may be long.
const MAX_MISTAKES: usize = 200;

/// The languages of the texts of a site.
#[derive(Debug, Clone, Copy)]
pub struct Languages<'a> {
    /// Those that are checked.
    pub locales: &'a [Locale],
    /// The codes of those that a build leaves out.
    pub withheld: &'a [String],
}

/// The languages that texts are in, if that is not the one of their file, by the hash of both.
type KnownLanguages = KeptTable<Option<String>>;

/// Warns of every mistake in `content/`. Files that cannot be read were reported. What takes long to find is kept in `cache`.
pub fn check(root: &FileSet, languages: Languages, cache: &Path) -> Problems {
    let known = KnownLanguages::open(cache.join("texts/languages"), crate::MADE_BY);
    let (read, _) = findings(root, &root.join("content"), languages, &known);
    known.save();
    let samples = Samples::of(root);
    let mut problems = Problems::new();
    for (_, source, found) in read {
        let (of_sample, foreign) = found
            .foreign
            .into_iter()
            .partition::<Vec<_>, _>(|text| samples.contains(text));
        problems.extend(
            samples::problem(&source, &of_sample).map_or_else(Problems::new, Problems::from),
        );
        for ForeignText {
            span,
            language,
            file_language,
            ..
        } in foreign
        {
            let message = format!(
                "this text seems to be in {language}, but the language of its file is {file_language}"
            );
            let problem = Problem::warning(Code::WrongLanguage, message).at(source.place(span));
            problems
                .push(problem.hint("translate the text, or move it to the file for its language"));
        }
        let further = found.mistakes.len().saturating_sub(MAX_MISTAKES);
        for Finding { span, mistake, .. } in found.mistakes.into_iter().take(MAX_MISTAKES) {
            let invisible = if mistake.right.contains('\u{a0}') {
                " with a no-break space (U+00A0)"
            } else {
                ""
            };
            let problem = Problem::warning(Code::Typography, mistake.what).at(source.place(span));
            problems.push(problem.hint(format!(
                "write `{}`{invisible}, or run `sitegen fmt`",
                mistake.right
            )));
        }
        if further > 0 {
            let message = match further {
                1 => "one more typography mistake in this file is not listed".to_owned(),
                _ => format!("{further} more typography mistakes in this file are not listed"),
            };
            let problem =
                Problem::warning(Code::Typography, message).at(Place::file(source.path.clone()));
            problems.push(problem.hint("run `sitegen fmt`"));
        }
    }
    problems
}

/// The corrections of all files in a folder of `content/`, or of one file. Files that cannot be read are problems.
pub fn corrections(
    root: &FileSet,
    within: &Path,
    languages: Languages,
) -> (Vec<Correction>, Problems) {
    let (read, problems) = findings(root, within, languages, &KnownLanguages::default());
    let corrections = read.into_iter().map(|(file, source, found)| Correction {
        file,
        source,
        edits: found
            .mistakes
            .into_iter()
            .map(|finding| {
                (
                    finding.span.start as usize..finding.span.end as usize,
                    finding.right,
                )
            })
            .collect(),
    });
    (
        corrections
            .filter(|correction| !correction.edits.is_empty())
            .collect(),
        problems,
    )
}

impl Correction {
    /// The bytes of the file with its corrections, given those on disk. `None` if these are not the ones that were read.
    pub fn apply(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        // The text was read without a byte-order mark.
        let offset = bytes.len().checked_sub(self.source.text.len())?;
        let text = bytes.get(offset..)?;
        if !self
            .source
            .text
            .bytes()
            .zip(text)
            .all(|(read, byte)| read == *byte || read == b'\n' && *byte == b'\r')
        {
            return None;
        }
        // Written once from the beginning to the end: to move the rest for each edit would take quadratic time.
        let mut corrected = Vec::with_capacity(bytes.len() + self.edits.len());
        let mut from = 0;
        for (range, right) in &self.edits {
            corrected.extend_from_slice(bytes.get(from..range.start + offset)?);
            corrected.extend_from_slice(right.as_bytes());
            from = range.end + offset;
        }
        corrected.extend_from_slice(bytes.get(from..)?);
        Some(corrected)
    }
}

/// A file, as it was read, with its mistakes.
type Checked = (PathBuf, Arc<Source>, TypographyFindings);

/// The mistakes of each file that has some.
fn findings(
    root: &FileSet,
    within: &Path,
    languages: Languages,
    known: &KnownLanguages,
) -> (Vec<Checked>, Problems) {
    let (mut paths, mut problems) = root.list(within);
    paths.retain(|path| {
        path.extension()
            .is_some_and(|ending| ending == "yaml" || ending == "md")
    });
    let content = root.join("content");
    let (machine, none) = (MachineFields::of(root), BTreeSet::new());
    let read = parallel::map(&paths, |path| {
        let source = root.read_text(path)?;
        let shown = files::shown(&content, path);
        let language = language(&shown, languages);
        let own = machine.of_file(&shown).unwrap_or(&none);
        let reader = Reader {
            source: &source,
            languages,
            machine: (own, &machine),
            above: None,
            known,
        };
        let is_post = path.extension().is_some_and(|ending| ending == "md");
        let mut found = if is_post {
            reader.of_post(language)
        } else {
            reader.of_yaml(language)
        }?;
        found.mistakes.sort_by_key(|finding| finding.span.start);
        Ok((path.clone(), source, found))
    });
    let mut all = Vec::new();
    for file in read {
        match file {
            Ok(file) if !file.2.mistakes.is_empty() || !file.2.foreign.is_empty() => all.push(file),
            Ok(_) => {}
            Err(problem) => problems.push(problem),
        }
    }
    (all, problems)
}

impl TypographyFindings {
    fn check_language(&mut self, text: &str, span: Span, locale: &Locale, known: &KnownLanguages) {
        // Short texts are not parsed, so that to look them up would take longer.
        let language = if text.len() < language::JUDGED {
            language::other_language(text, locale)
        } else {
            let hash = hash(&[locale.language.as_bytes(), b"\0", text.as_bytes()].concat());
            known.get_or(hash, || language::other_language(text, locale))
        };
        if let Some(language) = language {
            let (hash, file_language) = (samples::hash_of(text), locale.name.clone());
            self.foreign.push(ForeignText {
                span,
                hash,
                language,
                file_language,
            });
        }
    }
}

/// Whether a Markdown text is probably in another language.
pub fn is_in_other_language(text: &str, locale: &Locale) -> bool {
    language::other_language(text, locale).is_some()
}

/// The language of a file's texts; `None` if only its keys name languages, or the site leaves it out.
fn language<'a>(path: &str, Languages { locales, withheld }: Languages<'a>) -> Option<&'a Locale> {
    let mut parts = path
        .split('/')
        .map(|part| part.strip_suffix(".yaml").unwrap_or(part));
    let is_of_settings =
        parts.clone().next() == Some(SETTINGS.0) && path.rsplit('/').next() == Some(SETTINGS.1);
    let is_shared = is_of_settings
        || WITHOUT_LANGUAGE
            .iter()
            .any(|name| path.split('/').next() == Some(name))
        || parts
            .clone()
            .any(|part| withheld.iter().any(|code| part == code));
    parts
        .find_map(|part| locales.iter().find(|locale| part == locale.code))
        .or_else(|| locales.first().filter(|_| !is_shared))
}

/// The front matter of a post, which may be missing or never closed, and its body.
pub fn parts_of_post(text: &str) -> (Range<usize>, Range<usize>) {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else {
        return (0..0, 0..text.len());
    };
    let length: usize = lines
        .take_while(|line| line.trim_end() != "---")
        .map(str::len)
        .sum();
    let end = first.len() + length;
    (
        first.len()..end,
        end + text[end..].find('\n').map_or(text.len() - end, |at| at + 1)..text.len(),
    )
}

/// Reads the texts of a file.
#[derive(Clone, Copy)]
struct Reader<'a> {
    source: &'a Source,
    languages: Languages<'a>,
    /// Names of fields around a value whose values programs read, and those of all sections.
    machine: (&'a BTreeSet<String>, &'a MachineFields),
    /// The key of the value.
    above: Option<&'a str>,
    known: &'a KnownLanguages,
}

impl<'a> Reader<'a> {
    fn of_yaml(self, language: Option<&Locale>) -> Result<TypographyFindings, Problem> {
        let node = yaml::parse(self.source, 0..self.source.text.len())?;
        let mut found = TypographyFindings::default();
        self.walk(&node, language, &mut found);
        Ok(found)
    }

    /// The mistakes in the front matter and in the body of a post.
    fn of_post(self, language: Option<&Locale>) -> Result<TypographyFindings, Problem> {
        let text = &self.source.text;
        let mut found = TypographyFindings::default();
        let (front, Range { start: body, .. }) = parts_of_post(text);
        if !front.is_empty() {
            let node = yaml::parse(self.source, front)?;
            self.walk(&node, language, &mut found);
        }
        if let Some(language) = language {
            found.mistakes.extend(
                rules::mistakes(&text[body..], &language.typography)
                    .into_iter()
                    .map(|mistake| Finding {
                        span: Span::new(body + mistake.range.start, body + mistake.range.end),
                        right: mistake.right.clone(),
                        mistake,
                    }),
            );
            let first = text[body..].len() - text[body..].trim_start().len();
            found.check_language(
                &text[body..],
                Span::new(body + first, text.len()),
                language,
                self.known,
            );
        }
        Ok(found)
    }

    fn walk(self, node: &'a Node, language: Option<&Locale>, found: &mut TypographyFindings) {
        match &node.value {
            Value::List(items) => items
                .iter()
                .for_each(|item| self.walk(item, language, found)),
            Value::Map(entries) => {
                let Languages { locales, withheld } = self.languages;
                let is_localized = entries.iter().all(|(key, _)| {
                    locales.iter().any(|locale| locale.code == key.name)
                        || withheld.contains(&key.name)
                });
                let kind = node.get("kind").and_then(Node::as_text);
                let of_kind = kind
                    .and_then(|kind| self.machine.1.of_section(kind))
                    .unwrap_or(self.machine.0);
                let inner = Reader {
                    machine: (of_kind, self.machine.1),
                    ..self
                };
                for (key, value) in entries {
                    let language = if is_localized {
                        locales.iter().find(|locale| locale.code == key.name)
                    } else {
                        language
                    };
                    // A key may be the path of a text: `hero.title`.
                    let own = key.name.rsplit('.').next().unwrap_or(&key.name);
                    // The values by which a section of the theme selects entries; a kind of the site has a schema here.
                    let selects = own == "where"
                        && kind.is_some_and(|kind| self.machine.1.of_section(kind).is_none());
                    let is_machine = is_for_programs(self.above, &key.name);
                    if !selects && !is_machine && !of_kind.contains(own) {
                        let inner = Reader {
                            above: Some(own),
                            ..inner
                        };
                        inner.walk(value, language, found);
                    }
                }
            }
            Value::Text(_) => {
                let Some(language) = language else { return };
                let Some(written) = Written::of(self.source, node) else {
                    return;
                };
                found.check_language(
                    &written.text,
                    written.span(0..written.text.len()),
                    language,
                    self.known,
                );
                if language.typography.is_empty() {
                    return;
                }
                found.mistakes.extend(
                    rules::mistakes(&written.text, &language.typography)
                        .into_iter()
                        .map(|mistake| Finding {
                            span: written.span(mistake.range.clone()),
                            right: written.escaped(&mistake.right),
                            mistake,
                        }),
                );
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use diagnostics::problem::Source;

    use super::Correction;

    #[test]
    fn a_correction_keeps_all_other_bytes() {
        let read = |text: &str| Source::new(String::new(), text.into());
        let edits = vec![(1..2, "’".to_owned())];
        let correction = Correction {
            file: "a".into(),
            source: read("a'b\nc\n").into(),
            edits,
        };
        let check = |bytes: &str, expect: Option<&str>| {
            let corrected = correction.apply(bytes.as_bytes());
            assert_eq!(corrected.as_deref(), expect.map(str::as_bytes), "{bytes:?}");
        };
        check("a'b\nc\n", Some("a’b\nc\n"));
        check("\u{feff}a'b\nc\n", Some("\u{feff}a’b\nc\n"));
        check("a'b\rc\r", Some("a’b\rc\r"));
        check("a'b\nd\n", None);
        check("a'b", None);
    }
}
