//! Writes `search/` for the API: an index of each language's posts, the posts themselves, and what the API must know of
//! the site.
//!
//! Equal posts give equal bytes. The name of the build is a hash of what goes in, so a build whose posts have not changed
//! ends here after hashing them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;

use crate::output::{Output, hash};
use crate::render::LanguagePosts;
use api_types::html::text_of;
use api_types::posts::Post;
use search_index::bundle::{self, BundleLocale, FileSum, SearchBundle, VERSION};
use search_index::{BODIES, CARDS, IndexWriter, written_records};

/// The file of `dist/` that names the build of `search/` that it belongs to. A file of its own rather than a field of a
/// hashed one, so that whoever deploys, or watches the site, can compare it with what `/api/health` says.
pub const BUILD_FILE: &str = "build.json";

/// Posts that one thread analyzes at a time. Fewer would find fewer words that they share.
const POSTS_A_PART: usize = 512;

/// What is to be written.
#[derive(Debug)]
pub struct Search {
    build: String,
    base_url: String,
    languages: Vec<Prepared>,
}

#[derive(Debug)]
struct Prepared {
    about: BundleLocale,
    /// Posts as JSON without their text.
    cards: Vec<Vec<u8>>,
    bodies: Vec<String>,
    /// The slugs of each post's tags, with blanks between them.
    tags: Vec<String>,
}

#[derive(Serialize)]
struct BuildName<'a> {
    build: &'a str,
}

/// Names the build.
pub fn prepare(base_url: &str, languages: Vec<LanguagePosts>) -> Search {
    let languages: Vec<Prepared> = languages.into_iter().map(prepared).collect();
    let mut sums = String::new();
    for language in &languages {
        // Writing to a string cannot fail.
        let _ = writeln!(sums, "{:?}", language.about);
        let posts = language.cards.par_iter().zip(&language.bodies).zip(&language.tags);
        let hashes: Vec<String> =
            posts.map(|((card, body), tags)| hash(&[card, body.as_bytes(), tags.as_bytes()])).collect();
        hashes.iter().for_each(|hash| sums.push_str(hash));
    }
    let version = VERSION.to_string();
    let build = hash(&[version.as_bytes(), base_url.as_bytes(), sums.as_bytes()]);
    Search { build, base_url: base_url.to_owned(), languages }
}

fn prepared(language: LanguagePosts) -> Prepared {
    let made: Vec<(Vec<u8>, String, String)> = language
        .posts
        .into_par_iter()
        .map(|(mut post, tags)| {
            let body = std::mem::take(&mut post.content);
            // Structs of texts always serialize.
            (serde_json::to_vec(&post).unwrap_or_default(), body, tags.join(" "))
        })
        .collect();
    let index = (!made.is_empty()).then(|| language.locale.clone());
    let about =
        BundleLocale { code: language.locale, language: language.language, index, categories: language.categories };
    let mut prepared = Prepared { about, cards: Vec::new(), bodies: Vec::new(), tags: Vec::new() };
    for (card, body, tags) in made {
        prepared.cards.push(card);
        prepared.bodies.push(body);
        prepared.tags.push(tags);
    }
    prepared
}

/// Whether a folder holds a build, whole.
pub fn has(folder: &Path, build: &str) -> bool {
    let has_length =
        |(name, sum): (&String, &FileSum)| folder.join(name).metadata().is_ok_and(|meta| meta.len() == sum.length);
    bundle::read(folder).is_ok_and(|there| there.build == build && there.files.iter().all(has_length))
}

/// The file of `dist/` that names the build.
pub fn build_file(build: &str) -> Output {
    // A struct of text always serializes.
    let mut text = serde_json::to_vec(&BuildName { build }).unwrap_or_default();
    text.push(b'\n');
    Output::bytes(BUILD_FILE, Arc::new(text))
}

impl Search {
    /// Its name.
    pub fn build(&self) -> &str {
        &self.build
    }

    /// The files of the folder. The error is in words.
    pub fn outputs(&self) -> Result<Vec<Output>, String> {
        let (mut outputs, mut files) = (Vec::new(), BTreeMap::new());
        for language in &self.languages {
            if let Some(folder) = &language.about.index {
                let records = [(CARDS, written_records(&language.cards)), (BODIES, written_records(&language.bodies))];
                let index = index(language).map_err(|error| format!("the index of `{folder}`: {error}"))?;
                for (name, bytes) in records.into_iter().chain(index) {
                    let path = format!("{folder}/{name}");
                    files.insert(path.clone(), FileSum::of(&bytes));
                    outputs.push(Output::bytes(path, Arc::new(bytes)));
                }
            }
        }
        let bundle = SearchBundle {
            version: VERSION,
            build: self.build.clone(),
            base_url: self.base_url.clone(),
            locales: self.languages.iter().map(|language| language.about.clone()).collect(),
            files,
        };
        let mut text = serde_json::to_vec_pretty(&bundle).unwrap_or_default();
        text.push(b'\n');
        outputs.push(Output::bytes(bundle::FILE, Arc::new(text)));
        Ok(outputs)
    }
}

/// The files of the index of a language, by their names. The error is a message for people.
fn index(language: &Prepared) -> Result<Vec<(&'static str, Vec<u8>)>, String> {
    let parts: Vec<IndexWriter> = (0..language.cards.len())
        .into_par_iter()
        .step_by(POSTS_A_PART)
        .map(|start| part(language, start..(start + POSTS_A_PART).min(language.cards.len())))
        .collect::<Result<_, _>>()?;
    let mut writer = IndexWriter::new(&language.about.language);
    parts.into_iter().for_each(|part| writer.append(part));
    writer.files().map_err(|error| error.to_string())
}

/// The terms of some posts, by their places in the list.
fn part(language: &Prepared, places: std::ops::Range<usize>) -> Result<IndexWriter, String> {
    let mut writer = IndexWriter::new(&language.about.language);
    for at in places {
        let post: Post = serde_json::from_slice(&language.cards[at]).map_err(|error| error.to_string())?;
        let place = u32::try_from(at).map_err(|error| error.to_string())?;
        let body = text_of(&language.bodies[at]);
        let texts = [&post.title, &post.excerpt, &post.author.name, &body].into_iter().chain(&post.tags);
        writer.add(place, texts.map(String::as_str), language.tags[at].split_whitespace());
    }
    Ok(writer)
}
