//! Writes `search/` for the API: an index of the posts of each language, the posts themselves, and the facts of the
//! site that the API needs.
//!
//! Equal posts give equal bytes. The name of the bundle is a hash of its inputs, so if no post has changed, this stage
//! ends after hashing them.

use std::collections::BTreeMap;
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

/// The file of `dist/` that names the bundle in `search/` that belongs to the pages. Its name has no hash, so that
/// deployment scripts and monitors can compare it with the answer of `/api/health`.
pub const BUILD_FILE: &str = "build.json";

/// Posts that one thread analyzes at a time. Fewer posts share fewer words, so merging the parts would cost more.
const POSTS_PER_PART: usize = 512;

/// The contents of a search bundle.
#[derive(Debug)]
pub struct Search {
    build: String,
    base_url: String,
    languages: Vec<LanguageData>,
}

#[derive(Debug)]
struct LanguageData {
    about: BundleLocale,
    /// Posts as JSON without their body.
    cards: Vec<Vec<u8>>,
    bodies: Vec<String>,
    /// The slugs of each post's tags, separated by spaces.
    tags: Vec<String>,
}

#[derive(Serialize)]
struct BuildName<'a> {
    build: &'a str,
}

/// Serializes the posts and computes the name of the bundle.
pub fn prepare(base_url: &str, languages: Vec<LanguagePosts>) -> Search {
    let languages: Vec<LanguageData> = languages.into_iter().map(language_data).collect();
    let mut sums = String::new();
    for language in &languages {
        sums += &serde_json::to_string(&language.about).unwrap_or_default();
        let posts = language.cards.par_iter().zip(&language.bodies).zip(&language.tags);
        let hashes: Vec<String> =
            posts.map(|((card, body), tags)| hash(&[card, body.as_bytes(), tags.as_bytes()])).collect();
        hashes.iter().for_each(|hash| sums.push_str(hash));
    }
    let version = VERSION.to_string();
    let build = hash(&[version.as_bytes(), base_url.as_bytes(), sums.as_bytes()]);
    Search { build, base_url: base_url.to_owned(), languages }
}

fn language_data(language: LanguagePosts) -> LanguageData {
    let posts: Vec<(Vec<u8>, String, String)> = language
        .posts
        .into_par_iter()
        .map(|(mut post, tags)| {
            let body = std::mem::take(&mut post.content);
            // A struct of strings always serializes.
            (serde_json::to_vec(&post).unwrap_or_default(), body, tags.join(" "))
        })
        .collect();
    let index = (!posts.is_empty()).then(|| language.locale.clone());
    let about =
        BundleLocale { code: language.locale, language: language.language, index, categories: language.categories };
    let mut data = LanguageData { about, cards: Vec::new(), bodies: Vec::new(), tags: Vec::new() };
    for (card, body, tags) in posts {
        data.cards.push(card);
        data.bodies.push(body);
        data.tags.push(tags);
    }
    data
}

/// Whether a folder holds the complete bundle of this name. File lengths are compared, not hashes.
pub fn has(folder: &Path, build: &str) -> bool {
    let has_length =
        |(name, sum): (&String, &FileSum)| folder.join(name).metadata().is_ok_and(|meta| meta.len() == sum.length);
    bundle::read(folder).is_ok_and(|bundle| bundle.build == build && bundle.files.iter().all(has_length))
}

/// The file [`BUILD_FILE`].
pub fn build_file(build: &str) -> Output {
    // A struct of strings always serializes.
    let mut text = serde_json::to_vec(&BuildName { build }).unwrap_or_default();
    text.push(b'\n');
    Output::bytes(BUILD_FILE, Arc::new(text))
}

impl Search {
    /// The name of the bundle.
    pub fn build(&self) -> &str {
        &self.build
    }

    /// The files of `search/`. The error is a message for people.
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
fn index(language: &LanguageData) -> Result<Vec<(&'static str, Vec<u8>)>, String> {
    let parts: Vec<IndexWriter> = (0..language.cards.len())
        .into_par_iter()
        .step_by(POSTS_PER_PART)
        .map(|start| part(language, start..(start + POSTS_PER_PART).min(language.cards.len())))
        .collect::<Result<_, _>>()?;
    let mut writer = IndexWriter::new(&language.about.language);
    parts.into_iter().for_each(|part| writer.append(part));
    writer.files().map_err(|error| error.to_string())
}

/// Indexes the posts at these positions of the list.
fn part(language: &LanguageData, places: std::ops::Range<usize>) -> Result<IndexWriter, String> {
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
