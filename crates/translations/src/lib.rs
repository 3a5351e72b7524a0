//! Compares translations: which languages of a page, post, entry or word file are there, differ in structure, or are out of
//! date because their counterpart has changed since both were last said to agree ([`lock`]).
//!
//! Each translation is compared with the first language of the site that has the page. Only files are compared: posts of
//! a CMS are translated there.

pub mod entries;
pub mod lock;
pub mod memory;
mod preview;
pub mod terms;
pub mod texts;
mod untranslated;
mod warnings;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use config::{Config, StaleTranslations};
use diagnostics::differences::{DiffOp, differences};
use diagnostics::problem::{Problem, Problems, Source};
use diagnostics::yaml::{Node, Value};
use workspace::files::FileSet;
use workspace::parallel;

use content::Content;
use content::blog::Post;
use content::collections::POSTS;
use content::pages;
use lock::{Agreement, FileFingerprint, Lock};
use schema::Block;
use texts::Texts;
use workspace::kinds::Kind;

pub use preview::PageTranslations;
pub use untranslated::is_prose;

/// A page, post or word file, in all its languages.
#[derive(Debug, Clone)]
pub struct Item {
    /// Such as `pages/home`.
    pub key: String,
    /// Its files, in the order of the languages.
    pub files: Vec<(String, PathBuf)>,
    /// Where the words are, of an entry.
    pub words: Option<entries::Words>,
    /// The fields of a post's front matter.
    pub fields: Option<&'static Block>,
    /// The languages that show it: those without words of their own lack them.
    pub shown_in: Vec<bool>,
}

/// A translation, compared with its counterpart.
#[derive(Debug, Clone)]
pub struct Translation {
    /// Its key, such as `pages/home`.
    pub key: String,
    /// Its language.
    pub locale: String,
    /// The language that it is compared with.
    pub reference: String,
    /// The path of its file as problems print it; of the counterpart, if it is missing.
    pub path: String,
    /// The result of the comparison.
    pub state: State,
    /// How its structure differs from that of the counterpart, in sentences.
    pub structure: Vec<String>,
    /// The texts that are not in its language yet, in sentences.
    pub untranslated: Vec<String>,
    /// The file in which texts have changed, if any have.
    pub changed: Option<ChangedFile>,
    /// The fingerprints of both files as they are; `None` if the translation is missing.
    now: Option<Agreement>,
    /// The entry of the lock file.
    known: Option<Agreement>,
    /// Hashes of its texts that a machine has written, and no person has accepted.
    drafts: BTreeSet<String>,
    /// The problem that `check` reports.
    problem: Option<Problem>,
    /// The same about texts that were copied.
    copied: Option<Problem>,
    /// The same about texts that a machine has written.
    drafted: Option<Problem>,
}

impl Translation {
    /// Whether some of its texts are drafts that no person has accepted.
    pub fn has_drafts(&self) -> bool {
        !self.drafts.is_empty()
    }
}

/// The result of comparing a translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Nothing has changed since both were said to agree.
    Agrees,
    /// Nobody has said yet that they agree.
    Unconfirmed,
    /// The counterpart has changed since then.
    Stale,
    /// This language has changed since then, and the counterpart has not.
    Ahead,
    /// Both have changed since then.
    BothChanged,
    /// Some of its texts are those of the counterpart, copied or lent by `fallback`.
    Untranslated,
    /// There is no file, and the counterpart does not say that this is on purpose.
    Missing,
}

impl State {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            State::Agrees => "agrees",
            State::Unconfirmed => "unconfirmed",
            State::Stale => "stale",
            State::Ahead => "ahead",
            State::BothChanged => "both-changed",
            State::Untranslated => "untranslated",
            State::Missing => "missing",
        }
    }
}

/// A file that has changed since it was said to agree with another.
#[derive(Debug, Clone)]
pub struct ChangedFile {
    /// Its path.
    pub file: PathBuf,
    /// The hash of its bytes when it agreed, by which an older version can be recognized.
    pub hash: String,
    /// Its changes, in order.
    pub changes: Vec<TextChange>,
}

/// A text that was added, changed or removed.
#[derive(Debug, Clone)]
pub struct TextChange {
    /// Its path in YAML; empty for a part of the body of a post, and for a text that was removed.
    pub name: String,
    /// Its line; that of the next text for one that was removed.
    pub line: u32,
    /// The text; `None` if it was removed.
    pub now: Option<String>,
    /// The hash of the text that it replaces; `None` if it was added.
    pub was: Option<String>,
}

/// A file, as read.
struct TranslatedFile {
    source: Arc<Source>,
    texts: Texts,
}

/// Compares all translations of a site. Problems are those of `content/translations.lock`.
pub fn compare(
    config: &Config,
    content: &Content,
    posts: &[Box<Post>],
) -> (Vec<Translation>, Problems) {
    let root = &config.paths.root;
    let locales: Vec<&str> = config
        .site
        .locales
        .iter()
        .map(|code| code.value.as_str())
        .collect();
    let known: Vec<&str> = locales
        .iter()
        .copied()
        .chain(config.site.withheld.iter().map(String::as_str))
        .collect();
    let mut problems = Problems::new();
    let lock = problems.take(read_lock(root));
    let compared: Vec<Vec<Translation>> =
        parallel::map(&items(root, content, posts, &locales), |item| {
            LanguageComparison {
                root,
                content: Some(content),
                locales: &locales,
                known: &known,
                lock: &lock,
            }
            .item(item)
        });
    let mut compared: Vec<Translation> = compared.into_iter().flatten().collect();
    untranslated::add_lent(config, content, &mut compared);
    (compared, problems)
}

/// Warns of texts that were copied and not translated, and of translations whose counterpart has changed, if the site has a
/// lock file.
pub fn check(config: &Config, content: &Content, posts: &[Box<Post>]) -> Problems {
    let mut of_terms = terms::check(config, content, posts);
    if let Err(problem) = memory::Memory::load(&config.paths.root) {
        of_terms.push(problem);
    }
    if config.site.locales.len() < 2 {
        return of_terms;
    }
    let (translations, of_lock) = compare(config, content, posts);
    let is_compared = is_compared(config);
    let over_limit = untranslated::over_limit(config, content);
    let mut problems = of_terms;
    if is_compared {
        problems.extend(of_lock);
    }
    for translation in translations {
        let stale = translation.problem.filter(|_| is_compared);
        let found = stale
            .into_iter()
            .chain(translation.copied)
            .chain(translation.drafted);
        found.for_each(|problem| problems.push(problem));
    }
    over_limit
        .into_iter()
        .for_each(|problem| problems.push(problem));
    problems
}

/// Whether the site has a lock file, and wants to know of stale translations.
fn is_compared(config: &Config) -> bool {
    config.site.translations.stale != StaleTranslations::Ignore
        && config
            .paths
            .root
            .exists(&config.paths.root.join(lock::FILE))
}

/// The text of the lock file after the translations that `accepted` selects were said to agree, and those that it selects
/// are no drafts any more. Entries of files that are gone are dropped.
pub fn accept(
    translations: &[Translation],
    accepted: impl Fn(&Translation) -> bool,
    added_drafts: &BTreeMap<lock::Name, BTreeSet<String>>,
) -> String {
    let mut lock = Lock::default();
    for one in translations {
        let name = (one.key.clone(), one.locale.clone());
        let is_accepted = accepted(one) && one.untranslated.is_empty();
        let entry = if is_accepted { &one.now } else { &one.known };
        let kept = one.drafts.iter().filter(|_| !is_accepted);
        let drafts: BTreeSet<String> = kept
            .chain(added_drafts.get(&name).into_iter().flatten())
            .cloned()
            .collect();
        if !drafts.is_empty() {
            lock.drafts.insert(name.clone(), drafts);
        }
        lock.agreements
            .extend(entry.clone().map(|entry| (name, entry)));
    }
    lock::write(&lock)
}

/// The texts of an older version of a file, by their hashes.
pub fn old_texts(path: &str, text: String) -> BTreeMap<String, String> {
    let read = texts::read(&Source::new(path.to_owned(), text)).unwrap_or_default();
    read.texts
        .into_iter()
        .map(|text| (lock::of_text(&text.text), text.text))
        .collect()
}

/// The hash by which [`ChangedFile::hash`] names a version of a file.
pub fn hash_of_version(text: &str) -> String {
    lock::of_file(text)
}

/// The lock file of a site; empty if it has none.
pub fn read_lock(root: &FileSet) -> (Lock, Problems) {
    let path = root.join(lock::FILE);
    if !root.exists(&path) {
        return (Lock::default(), Problems::new());
    }
    match root.read_text(&path) {
        Ok(source) => lock::read(&source),
        Err(problem) => (Lock::default(), problem.into()),
    }
}

/// The pages, posts and word files of a site, by key, then the entries of its collections.
pub fn items(
    root: &FileSet,
    content: &Content,
    posts: &[Box<Post>],
    locales: &[&str],
) -> Vec<Item> {
    let mut files: BTreeMap<String, BTreeSet<(usize, PathBuf)>> = BTreeMap::new();
    let mut add = |key: String, locale: &str, file: PathBuf| {
        if let Some(at) = locales.iter().position(|code| *code == locale) {
            files.entry(key).or_default().insert((at, file));
        }
    };
    let pages = content
        .page_files()
        .filter(|page| page.is_written)
        .map(|page| (&page.key, &page.locale));
    for (key, locale) in pages.chain(
        content
            .broken_pages
            .iter()
            .map(|page| (&page.key, &page.locale)),
    ) {
        add(
            format!("pages/{key}"),
            locale,
            root.join(Kind::Page.file(key, locale)),
        );
    }
    for post in posts {
        if let Some(file) = post.origin.file() {
            add(format!("blog/{}", post.key), &post.locale, file);
        }
    }
    for locale in locales {
        let file = root.join(Kind::Locale.file("", locale));
        if root.exists(&file) {
            add("locales".to_owned(), locale, file);
        }
    }
    for form in &content.forms.list {
        for locale in form.words.keys() {
            add(
                format!("forms/{}", form.name),
                locale,
                root.join(Kind::FormWords.file(&form.name, locale)),
            );
        }
    }
    let of_posts = content
        .collections
        .named(POSTS)
        .map(|posts| &posts.schema.fields);
    files
        .into_iter()
        .map(|(key, files)| Item {
            files: files
                .into_iter()
                .map(|(at, file)| (locales[at].to_owned(), file))
                .collect(),
            fields: of_posts.filter(|_| key.starts_with("blog/")),
            key,
            words: None,
            shown_in: vec![true; locales.len()],
        })
        .chain(entries::items(root, content, locales))
        .collect()
}

struct LanguageComparison<'a> {
    root: &'a FileSet,
    /// `None` if the structure is not compared.
    content: Option<&'a Content>,
    locales: &'a [&'a str],
    /// With the languages that are left out, in which words may be beside the others.
    known: &'a [&'a str],
    lock: &'a Lock,
}

impl LanguageComparison<'_> {
    /// The files of an item, as read.
    fn files(&self, item: &Item) -> Vec<(String, PathBuf, TranslatedFile)> {
        // Files that cannot be read were reported.
        item.files
            .iter()
            .filter_map(|(locale, path)| {
                let source = self.root.read_text(path).ok()?;
                let texts = match &item.words {
                    Some(words) => words.read(&source, locale, self.known),
                    None => texts::read(&source).map(|texts| texts.without_names(item.fields)),
                };
                let texts = texts.ok()?;
                Some((
                    locale.clone(),
                    path.clone(),
                    TranslatedFile { source, texts },
                ))
            })
            .collect()
    }

    fn item(&self, item: &Item) -> Vec<Translation> {
        let read = self.files(item);
        let Some(((reference, there_path, there), others)) = read.split_first() else {
            return Vec::new();
        };
        let mut translations: Vec<Translation> = others
            .iter()
            .map(|(locale, path, here)| {
                self.pair(item, (reference, there_path, there), (locale, path, here))
            })
            .collect();
        // The words of the theme stand in for a word file, and a form needs one for each language.
        let is_needed = item.key.contains('/') && !there.texts.untranslated;
        let shown = self
            .locales
            .iter()
            .zip(&item.shown_in)
            .filter(|(_, is_shown)| is_needed && **is_shown);
        for (locale, _) in shown {
            if item.files.iter().all(|(own, _)| own != locale) {
                translations.push(Translation {
                    key: item.key.clone(),
                    locale: (*locale).to_owned(),
                    reference: reference.clone(),
                    path: there.source.path.clone(),
                    state: State::Missing,
                    structure: Vec::new(),
                    untranslated: Vec::new(),
                    changed: None,
                    now: None,
                    known: self.known(item, locale).cloned(),
                    drafts: BTreeSet::new(),
                    problem: None,
                    copied: None,
                    drafted: None,
                });
            }
        }
        translations
    }

    fn pair(
        &self,
        item: &Item,
        (reference, there_path, there): (&String, &PathBuf, &TranslatedFile),
        (locale, here_path, here): (&String, &PathBuf, &TranslatedFile),
    ) -> Translation {
        let now = Agreement {
            reference: reference.clone(),
            there: FileFingerprint::of(&there.source, &there.texts),
            here: FileFingerprint::of(&here.source, &here.texts),
        };
        let known = self.known(item, locale);
        let sides = known
            .filter(|known| known.reference == *reference)
            .map(|known| {
                let sides = [
                    (there_path, there, &known.there, &now.there),
                    (here_path, here, &known.here, &now.here),
                ];
                sides.map(|(path, file, was, is)| {
                    let changes = if was.file == is.file {
                        Vec::new()
                    } else {
                        changes(file, was, is)
                    };
                    let hash = was.file.clone();
                    (!changes.is_empty()).then(|| ChangedFile {
                        file: path.clone(),
                        hash,
                        changes,
                    })
                })
            });
        let (state, changed) = match sides {
            None => (State::Unconfirmed, None),
            Some([None, None]) => (State::Agrees, None),
            Some([Some(there), None]) => (State::Stale, Some(there)),
            Some([None, Some(here)]) => (State::Ahead, Some(here)),
            Some([Some(there), Some(_)]) => (State::BothChanged, Some(there)),
        };
        let problem = changed.as_ref().map(|changed| {
            if state == State::Ahead && changed.changes.iter().all(|change| change.now.is_none()) {
                return warnings::removed(&item.key, (reference, there), (locale, here));
            }
            let (old, other) = if state == State::Ahead { (there, locale) } else { (here, reference) };
            let what = if state == State::BothChanged {
                format!("this text and its counterpart in `{other}` have both changed since they were last compared")
            } else {
                format!("the counterpart in `{other}` has changed since the two were last compared")
            };
            warnings::stale(&item.key, locale, old, &changed.changes, what)
        });
        let copied = self.content.and_then(|content| {
            let locales = [(reference, &there.texts), (locale, &here.texts)];
            untranslated::copied(&content.locales, locales, &here.source)
        });
        let untranslated: Vec<String> = copied
            .iter()
            .map(|problem| problem.message.clone())
            .collect();
        let state = if copied.is_some() {
            State::Untranslated
        } else {
            state
        };
        let structure = self.structure(item, (reference, there), (locale, here));
        let drafts = self.lock.drafts.get(&(item.key.clone(), locale.clone()));
        let here_texts: BTreeSet<&String> = now.here.texts.iter().collect();
        let drafts: BTreeSet<String> = drafts
            .into_iter()
            .flatten()
            .filter(|hash| here_texts.contains(hash))
            .cloned()
            .collect();
        let drafted = warnings::drafted(&item.key, locale, here, &now.here, &drafts);
        let (key, path) = (item.key.clone(), here.source.path.clone());
        let (locale, reference) = (locale.clone(), reference.clone());
        Translation {
            key,
            locale,
            reference,
            path,
            state,
            structure,
            untranslated,
            changed,
            now: Some(now),
            known: known.cloned(),
            drafts,
            problem,
            copied,
            drafted,
        }
    }

    /// The entry of the lock file for a translation.
    fn known(&self, item: &Item, locale: &str) -> Option<&Agreement> {
        self.lock
            .agreements
            .get(&(item.key.clone(), locale.to_owned()))
    }

    /// How the structure of a translation differs.
    fn structure(
        &self,
        item: &Item,
        there: (&String, &TranslatedFile),
        here: (&String, &TranslatedFile),
    ) -> Vec<String> {
        let ((reference, there), (locale, here)) = (there, here);
        let Some(content) = self.content else {
            return Vec::new();
        };
        if item.words.is_some() && !(is_text(there) && is_text(here)) {
            return entries::structure((reference, &there.texts), (locale, &here.texts));
        }
        if item.key.starts_with("blog/") || item.words.is_some() {
            let counts = texts::outline(&there.texts)
                .into_iter()
                .zip(texts::outline(&here.texts));
            return counts
                .filter(|((_, there), (_, here))| there != here)
                .map(|((what, there), (_, here))| {
                    format!("{what}: {there} in `{reference}`, {here} in `{locale}`")
                })
                .collect();
        }
        let Some(key) = item.key.strip_prefix("pages/") else {
            return Vec::new();
        };
        if has_own_order(there) || has_own_order(here) {
            // A language that lists the names of its sections differs on purpose.
            return Vec::new();
        }
        let kinds = [reference, locale].map(|locale| {
            let mut pages = content.page_files();
            let page = pages.find(|page| page.key == key && page.locale == *locale)?;
            (!page.partial).then(|| {
                page.sections
                    .iter()
                    .map(|section| section.kind.name)
                    .collect::<Vec<_>>()
            })
        });
        let [Some(kinds), Some(own)] = kinds else {
            return Vec::new();
        };
        if kinds != own {
            let pairs = kinds.iter().copied().zip(own.iter().copied()).enumerate();
            return vec![
                match pairs.into_iter().find(|(_, (there, here))| there != here) {
                    Some((at, (there, here))) => {
                        format!(
                            "section {}: `{there}` in `{reference}`, `{here}` in `{locale}`",
                            at + 1
                        )
                    }
                    None => format!(
                        "sections: {} in `{reference}`, {} in `{locale}`",
                        kinds.len(),
                        own.len()
                    ),
                },
            ];
        }
        let trees = [reference, locale].map(|locale| pages::tree(self.root, key, locale).ok());
        let [Some(there), Some(here)] = trees else {
            return Vec::new();
        };
        let mut differences: Vec<String> = Vec::new();
        if let (Some(there), Some(here)) = (there.get("sections"), here.get("sections")) {
            let names = (reference.as_str(), locale.as_str());
            differ(there, here, "sections", names, &mut differences);
        }
        differences
    }
}

/// Tells whether the names of sections of a file tell their order.
fn has_own_order(file: &TranslatedFile) -> bool {
    file.texts
        .texts
        .iter()
        .any(|text| is_name_of_section(&text.name))
}

/// Tells whether a file is Markdown.
fn is_text(file: &TranslatedFile) -> bool {
    file.source.path.ends_with(".md")
}

/// Whether a text is an item of a list of section names, `sections: [hero, faq]`.
fn is_name_of_section(name: &str) -> bool {
    name.strip_prefix("sections.")
        .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Adds the keys that only one of two trees has, and the lists that differ in length.
fn differ(
    there: &Node,
    here: &Node,
    path: &str,
    names: (&str, &str),
    differences: &mut Vec<String>,
) {
    match (&there.value, &here.value) {
        (Value::List(theirs), Value::List(own)) => {
            if theirs.len() != own.len() {
                differences.push(format!(
                    "`{path}`: {} in `{}`, {} in `{}`",
                    theirs.len(),
                    names.0,
                    own.len(),
                    names.1
                ));
                return;
            }
            for (at, (there, here)) in theirs.iter().zip(own).enumerate() {
                differ(
                    there,
                    here,
                    &format!("{path}.{}", at + 1),
                    names,
                    differences,
                );
            }
        }
        (Value::Map(theirs), Value::Map(own)) => {
            for (key, there) in theirs {
                if let Some(here) = here.get(&key.name) {
                    differ(
                        there,
                        here,
                        &format!("{path}.{}", key.name),
                        names,
                        differences,
                    );
                }
            }
            let [theirs, own] = [(theirs, here), (own, there)].map(|(entries, other)| {
                let names = entries.iter().map(|(key, _)| key.name.as_str());
                names
                    .filter(|name| *name != "id" && other.get(name).is_none())
                    .collect::<Vec<_>>()
            });
            // As many keys in each are names in two languages, such as those of the plans of a table.
            if theirs.len() != own.len() {
                for (keys, locale) in [(theirs, names.0), (own, names.1)]
                    .into_iter()
                    .filter(|(keys, _)| !keys.is_empty())
                {
                    differences.push(format!(
                        "`{path}`: only `{locale}` has `{}`",
                        keys.join("`, `")
                    ));
                }
            }
        }
        _ => {}
    }
}

/// The texts of a file that differ from those of a fingerprint.
fn changes(file: &TranslatedFile, was: &FileFingerprint, is: &FileFingerprint) -> Vec<TextChange> {
    let texts = &file.texts.texts;
    let mut changes = Vec::new();
    for op in differences(&was.texts, &is.texts) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (old, new) = (op.old_range(), op.new_range());
        for at in 0..old.len().max(new.len()) {
            let now = new.clone().nth(at);
            let text = texts.get(now.unwrap_or(new.end)).or_else(|| texts.last());
            let range = text.and_then(|text| file.source.place(text.span).range);
            changes.push(TextChange {
                name: now.map_or_else(String::new, |now| texts[now].name.clone()),
                line: range.map_or(1, |range| range.start.line),
                now: now.map(|now| texts[now].text.clone()),
                was: old.clone().nth(at).map(|old| was.texts[old].clone()),
            });
        }
    }
    changes
}
