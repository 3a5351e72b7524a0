//! The texts of a new site that are in another language than their file, because the sample does not have that language:
//! `content/sample.lock` lists their hashes. So `--strict` can tell them from texts that somebody has put into the wrong file.

use std::collections::BTreeSet;
use std::path::Path;

use diagnostics::problem::{Code, Problem, Source};
use workspace::files::FileSet;
use workspace::sources::{hash, hex};

use super::{ForeignText, KnownLanguages, Languages, findings};

/// The file, from the folder of the site.
pub const FILE: &str = "content/sample.lock";

const HEADER: &str = "\
# Hashes of the sample text that is not in the language of its file. `sitegen check` lists what is left of it as
# `sample-text`. Delete this file once nothing is left.
";

/// The hashes of the sample's texts.
#[derive(Debug, Default)]
pub(super) struct Samples(BTreeSet<String>);

impl Samples {
    /// Those of a site. Without the file, or if it cannot be read, there are none.
    pub(super) fn of(root: &FileSet) -> Samples {
        let file = root.join(FILE);
        let source = if root.exists(&file) {
            root.read_text(&file).ok()
        } else {
            None
        };
        Samples(
            source
                .iter()
                .flat_map(|source| source.text.lines())
                .map(str::to_owned)
                .collect(),
        )
    }

    pub(super) fn contains(&self, text: &ForeignText) -> bool {
        self.0.contains(&text.hash)
    }
}

/// The warning about the sample's texts in a file; `None` if there are none.
pub(super) fn problem(source: &Source, texts: &[ForeignText]) -> Option<Problem> {
    let first = texts.first()?;
    let language = &first.file_language;
    let message = match texts.len() {
        1 => format!("one string is sample text that is not in {language}"),
        count => format!("{count} strings are sample text that is not in {language}"),
    };
    let problem = Problem::warning(Code::SampleText, message).at(source.place(first.span));
    Some(problem.hint("translate anything that is in another language"))
}

/// The hash of a text in the file.
pub(super) fn hash_of(text: &str) -> String {
    hex(&hash(text.as_bytes()))
}

/// The content of [`FILE`] for a site that has just been created; `None` if all of its texts are in their languages.
pub fn lock(root: &FileSet, languages: Languages) -> Option<String> {
    let content: &Path = &root.join("content");
    let (read, _) = findings(root, content, languages, &KnownLanguages::default());
    let hashes: BTreeSet<String> = read
        .into_iter()
        .flat_map(|(_, _, found)| found.foreign)
        .map(|text| text.hash)
        .collect();
    (!hashes.is_empty()).then(|| {
        hashes
            .into_iter()
            .fold(HEADER.to_owned(), |text, hash| text + &hash + "\n")
    })
}
