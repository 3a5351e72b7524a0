//! `sitegen translations export` and `import`: the exchange with people who translate.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use config::{self, Config, Options};
use diagnostics::problem::{Code, Place, Problem, Problems, Source, did_you_mean};
use site::{Planned, Workspace, planned};
use translations::memory::{self, Memory};
use translations::terms::Terms;
use workspace::cache;
use workspace::files::{self, SourceChange};

use exchange::import::{self, Import, Outcome};
use exchange::units::{Document, Match, State, collect};
use exchange::{self, ReturnedFile};

use super::super::{Format, GlobalOptions, stdout};

/// The least part of 100 of a text that a match of the memory has.
const LEAST: u8 = 75;
/// Bytes of a file that came back.
const MAX_FILE: u64 = 512 << 20;

#[derive(Debug, Args)]
pub(super) struct ExportArguments {
    /// The language to translate into, such as `de`.
    #[arg(value_name = "LANGUAGE")]
    to: String,
    /// The language to translate from [default: the first one that has the text].
    #[arg(long, value_name = "LANGUAGE")]
    from: Option<String>,
    /// The file to write [default: stdout].
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Export only text that has no translation, or whose translation is out of date or a draft.
    #[arg(long)]
    missing: bool,
}

#[derive(Debug, Args)]
pub(super) struct TranslatedArguments {
    /// The translated file: XLIFF 2, PO or CSV.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Show what would be written without writing it.
    #[arg(long)]
    dry_run: bool,
}

/// The site with drafts, whose translations are exchanged too.
pub(super) struct Loaded {
    pub options: Options,
    workspace: Workspace,
}

pub(super) fn load(shared: &GlobalOptions) -> Result<Loaded, Problems> {
    let options = Options {
        drafts: true,
        ..shared.options()
    };
    let (config, problems) = config::load(&options);
    let Some(config) = config else {
        return Err(problems);
    };
    Ok(Loaded {
        options,
        workspace: Workspace::open(config),
    })
}

impl Loaded {
    pub fn config(&self) -> &Config {
        self.workspace.config()
    }

    /// The translation memory, in the languages of the site.
    fn memory(&self) -> Result<Memory, Problem> {
        let memory = Memory::load(&self.config().paths.root)?;
        Ok(memory.in_codes_of(|code| self.language(code).ok()))
    }

    /// The code of a language as the site writes it. Tools write `es_ES` for `es-ES`, which is also `es` if the site has no other
    /// Spanish.
    pub fn language<'a>(&'a self, code: &str) -> Result<&'a str, Problem> {
        let mut codes = self
            .config()
            .site
            .locales
            .iter()
            .map(|code| code.value.as_str());
        // Without the encoding and the variant of a locale of POSIX: `es_ES.UTF-8@euro`.
        let plain = code
            .split(['.', '@'])
            .next()
            .unwrap_or_default()
            .replace('_', "-")
            .to_ascii_lowercase();
        // Chinese is named by its region where the site names the script.
        let script = match plain.as_str() {
            "zh-cn" | "zh-sg" => "zh-hans",
            "zh-tw" | "zh-hk" | "zh-mo" => "zh-hant",
            plain => plain,
        };
        let base = plain.split('-').next().unwrap_or_default();
        let same: Vec<&str> = codes
            .clone()
            .filter(|known| {
                known
                    .split('-')
                    .next()
                    .is_some_and(|known| known.eq_ignore_ascii_case(base))
            })
            .collect();
        let only = same
            .first()
            .copied()
            .filter(|known| same.len() == 1 && !(known.contains('-') && plain.contains('-')));
        let exact = codes
            .clone()
            .find(|known| known.eq_ignore_ascii_case(&plain));
        let of_script = codes.clone().find(|known| {
            let known = known.to_ascii_lowercase();
            known.contains('-') && (script == known || script.starts_with(&format!("{known}-")))
        });
        exact.or(of_script).or(only).ok_or_else(|| {
            let hint = did_you_mean(code, codes.by_ref());
            Problem::error(
                Code::BadSetting,
                format!("the site has no language `{code}`"),
            )
            .maybe_hint(hint)
        })
    }

    /// The units from one language to another.
    pub fn documents(&self, from: Option<&str>, to: &str) -> Vec<Document> {
        // `sitegen check` reports the problems in it.
        let Planned { content, site, .. } = self.workspace.site();
        let addresses = planned::addresses(site);
        collect(self.config(), content, (from, to), &addresses)
    }
}

pub(super) fn export(shared: &GlobalOptions, own: &ExportArguments) -> u8 {
    match exported(shared, own) {
        Ok(problems) | Err(problems) => shared.report_beside(problems),
    }
}

fn exported(shared: &GlobalOptions, own: &ExportArguments) -> Result<Problems, Problems> {
    let loaded = load(shared)?;
    let to = loaded.language(&own.to)?;
    let from = own
        .from
        .as_deref()
        .map(|from| loaded.language(from))
        .transpose()?;
    if from == Some(to) {
        let problem = Problem::error(
            Code::BadSetting,
            format!("`{to}` cannot be translated into itself"),
        );
        return Err(problem
            .hint("name two different languages of the site")
            .into());
    }
    let main = from.unwrap_or(loaded.config().site.default_locale());
    if main == to {
        let message = format!("`{to}` is the site's main language, from which it is translated");
        return Err(Problem::error(Code::BadSetting, message)
            .hint("name another language, or the one to translate from: `--from es`")
            .into());
    }
    let mut documents = loaded.documents(from, to);
    if own.missing {
        for document in &mut documents {
            document
                .units
                .retain(|unit| !matches!(unit.state, State::Final | State::Translated));
        }
        documents.retain(|document| !document.units.is_empty());
    }
    let problems = remember(&loaded, &mut documents, to)?;
    // A file has one source language.
    documents.retain(|document| document.reference == main);
    let site = loaded.config().site.base_url();
    let bytes = match shared.format {
        Format::Po => exchange::po::write(&documents, (main, to), site).into_bytes(),
        Format::Csv => exchange::table::write(&documents, (main, to)),
        _ => exchange::xliff::write(&documents, (main, to), site).into_bytes(),
    };
    match &own.output {
        None => {
            let mut out = std::io::stdout().lock();
            let written = out.write_all(&bytes).and_then(|()| out.flush());
            written.map_err(|error| files::not_written("-", &error))?;
        }
        Some(file) => {
            cache::keep(file, &bytes)
                .map_err(|error| files::not_written(&file.display().to_string(), &error))?;
            if !shared.quiet && !shared.format.is_document() {
                let count: usize = documents.iter().map(|document| document.units.len()).sum();
                stdout(&format!(
                    "wrote {} from {main} to {to} into {}\n",
                    counted(count, "string"),
                    file.display()
                ));
            }
        }
    }
    Ok(problems)
}

/// Adds what the translation memory has of each text, and its terms. A text that the memory has is translated already.
fn remember(loaded: &Loaded, documents: &mut [Document], to: &str) -> Result<Problems, Problem> {
    let memory = loaded.memory()?;
    let (terms, problems) = Terms::load(loaded.config());
    let references: BTreeSet<String> = documents
        .iter()
        .map(|document| document.reference.clone())
        .collect();
    let indices: BTreeMap<&str, _> = references
        .iter()
        .map(|from| (from.as_str(), memory.index(from, to)))
        .collect();
    for document in documents {
        let from = document.reference.clone();
        for unit in &mut document.units {
            unit.terms = terms.of(&unit.source, &from, to);
            if !matches!(unit.state, State::Initial | State::Stale) || memory.is_empty() {
                continue;
            }
            if let Some(target) = memory.exact(&from, &unit.source, to) {
                let (source, target) = (unit.source.clone(), target.to_owned());
                unit.matches.push(Match {
                    percent: 100,
                    source,
                    target: target.clone(),
                });
                if unit.state == State::Initial {
                    (unit.target, unit.state) = (Some(target), State::Translated);
                }
            } else {
                let similar = indices[from.as_str()].similar(&unit.source, LEAST);
                unit.matches.extend(similar.into_iter().map(|one| Match {
                    percent: one.percent,
                    source: one.source,
                    target: one.target,
                }));
            }
        }
    }
    Ok(problems)
}

pub(super) fn import(shared: &GlobalOptions, own: &TranslatedArguments) -> u8 {
    match imported(shared, own) {
        Ok(problems) | Err(problems) => shared.report_beside(problems),
    }
}

fn imported(shared: &GlobalOptions, own: &TranslatedArguments) -> Result<Problems, Problems> {
    let path = own.file.display().to_string();
    let (file, text) = read(&path, &own.file)?;
    let source = Source::new(path.clone(), text);
    let loaded = load(shared)?;
    let Some(language) = &file.language else {
        return Err(refused(
            &path,
            "the file does not name the language of the translations".to_owned(),
        )
        .hint("keep the header of the file that `sitegen translations export` wrote")
        .into());
    };
    let to = loaded
        .language(language)
        .map_err(|problem| problem.at(Place::file(path.clone())))?;
    let from = file
        .source_language
        .as_deref()
        .map(|from| loaded.language(from))
        .transpose();
    let from = from.map_err(|problem| problem.at(Place::file(path.clone())))?;
    let from = from.filter(|from| *from != loaded.config().site.default_locale());
    let site = loaded.config().site.base_url();
    if let Some(other) = file
        .site
        .as_deref()
        .filter(|other| other.trim_end_matches('/') != site.trim_end_matches('/'))
    {
        return Err(refused(
            &path,
            format!("the file belongs to the site {other}, but this site is {site}"),
        )
        .hint(format!(
            "import it in the folder of the other site, or add `--base-url {other}` if the site has moved"
        ))
        .into());
    }
    let documents = loaded.documents(from, to);
    let known = files::before_change(&loaded.config().paths.root, memory::FILE);
    let mut memory = loaded.memory()?;
    let import = Import {
        options: &loaded.options,
        config: loaded.config(),
        documents: &documents,
        source: &source,
        memory: &memory,
    };
    let mut outcome = import.plan(&file);
    let ready: Vec<_> = outcome
        .texts
        .iter()
        .filter(|taken| taken.is_ready)
        .collect();
    if !ready.is_empty() {
        ready
            .iter()
            .for_each(|taken| memory.add(&taken.reference, &taken.source, to, &taken.target));
        outcome
            .files
            .push(SourceChange::to_text(memory::FILE, known, &memory.write()));
    }
    if !own.dry_run {
        import::write(&loaded.config().paths.root, &outcome.files)?;
    }
    report(shared, own, &outcome);
    Ok(outcome.problems)
}

/// Refuses a file.
fn refused(path: &str, message: String) -> Problem {
    Problem::error(Code::ExchangeFile, message).at(Place::file(path))
}

/// Reads a file by its ending, or by how it begins.
fn read(path: &str, file: &Path) -> Result<(ReturnedFile, String), Problem> {
    let bytes = fs_err::metadata(file)
        .and_then(|meta| {
            if meta.len() > MAX_FILE {
                Ok(None)
            } else {
                fs_err::read(file).map(Some)
            }
        })
        .map_err(|error| {
            refused(
                path,
                format!("the file cannot be read ({})", files::reason(&error)),
            )
        })?
        .ok_or_else(|| refused(path, "the file is larger than 512 MB".to_owned()))?;
    let bytes = in_utf8(bytes);
    let ending = file
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default()
        .to_lowercase();
    if matches!(ending.as_str(), "csv" | "tsv" | "txt") {
        let read = exchange::table::read(path, &bytes)?;
        return Ok((read, String::from_utf8_lossy(&bytes).into_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        refused(path, "the file is not UTF-8".to_owned())
            .hint("save it in UTF-8, as `sitegen translations export` wrote it")
    })?;
    let text = text
        .strip_prefix('\u{feff}')
        .map(str::to_owned)
        .unwrap_or(text);
    let read = match ending.as_str() {
        "po" | "pot" => exchange::po::read(path, &text)?,
        "xlf" | "xliff" | "xml" => exchange::xliff::read(path, &text)?,
        _ if text.trim_start().starts_with('<') => exchange::xliff::read(path, &text)?,
        _ if text.contains("msgid ") => exchange::po::read(path, &text)?,
        _ => {
            return Err(refused(path, "the file is not XLIFF, PO or CSV".to_owned())
                .hint("give the file the extension of its format: `.xlf`, `.po` or `.csv`"));
        }
    };
    Ok((read, text))
}

/// Bytes in UTF-8 of a file in UTF-16, which Excel calls Unicode text. Its first bytes say that it is.
fn in_utf8(bytes: Vec<u8>) -> Vec<u8> {
    let unit: fn([u8; 2]) -> u16 = match bytes.get(..2) {
        Some([0xff, 0xfe]) => u16::from_le_bytes,
        Some([0xfe, 0xff]) => u16::from_be_bytes,
        _ => return bytes,
    };
    let units: Vec<u16> = bytes[2..]
        .as_chunks()
        .0
        .iter()
        .map(|pair| unit(*pair))
        .collect();
    String::from_utf16(&units).map_or(bytes, String::into_bytes)
}

fn report(shared: &GlobalOptions, own: &TranslatedArguments, outcome: &Outcome) {
    let ready = outcome.texts.iter().filter(|taken| taken.is_ready).count();
    let drafts = outcome.texts.len() - ready;
    let refused = outcome.problems.iter().count();
    if shared.format == Format::Json {
        let files: Vec<&str> = outcome
            .files
            .iter()
            .map(|file| file.path.as_str())
            .collect();
        let json = json!({
            "version": 1, "written": ready, "drafts": drafts, "unchanged": outcome.unchanged, "refused": refused,
            "accepted": outcome.accepted, "files": files, "dry_run": own.dry_run,
        });
        stdout(&format!("{json}\n"));
        return;
    }
    if shared.quiet || shared.format.is_document() {
        return;
    }
    let verb = if own.dry_run { "would write" } else { "wrote" };
    let drafts = if drafts == 0 {
        String::new()
    } else {
        format!(", {drafts} not ready yet")
    };
    let refused = if refused == 0 {
        String::new()
    } else {
        format!(", {refused} refused")
    };
    stdout(&format!(
        "{verb} {}{drafts}; {} unchanged{refused}\n",
        counted(ready, "translation"),
        outcome.unchanged
    ));
    for name in &outcome.accepted {
        stdout(&format!("  {name} is up to date\n"));
    }
}

pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 {
        format!("1 {what}")
    } else {
        format!("{count} {what}s")
    }
}
