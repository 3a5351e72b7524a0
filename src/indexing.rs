//! Writes `search/` for the API: an index of each language's posts, the posts themselves, and what the API must know of
//! the site.
//!
//! Equal posts give equal bytes. The name of the build is a hash of what goes in, so a build whose posts have not changed
//! ends here after hashing them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;
use tantivy::directory::RamDirectory;
use tantivy::tokenizer::WhitespaceTokenizer;
use tantivy::{Directory as _, IndexSettings, TantivyDocument};

use crate::artifact::{self, Artifact, ArtifactLocale, FileSum, VERSION};
use crate::html::text_of;
use crate::output::{Output, hash};
use crate::render::LanguagePosts;
use crate::search::{ANALYSED, Analyser, BODIES, CARDS, field, schema, written_records};
use crate::wire::posts::Post;

/// The file of `dist/` that names the build of `search/` that it belongs to. A file of its own rather than a field of a
/// hashed one, so that whoever deploys, or watches the site, can compare it with what `/api/health` says.
pub const BUILD_FILE: &str = "build.json";

/// Bytes that the table of terms begins with; it grows.
const TABLE_BYTES: usize = 16_000_000;

/// What is to be written.
#[derive(Debug)]
pub struct Search {
    build: String,
    base_url: String,
    languages: Vec<Prepared>,
}

#[derive(Debug)]
struct Prepared {
    about: ArtifactLocale,
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
            // Structs of texts always serialise.
            (serde_json::to_vec(&post).unwrap_or_default(), body, tags.join(" "))
        })
        .collect();
    let index = (!made.is_empty()).then(|| language.locale.clone());
    let about =
        ArtifactLocale { code: language.locale, language: language.language, index, categories: language.categories };
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
    artifact::read(folder).is_ok_and(|there| there.build == build && there.files.iter().all(has_length))
}

/// The file of `dist/` that names the build.
pub fn build_file(build: &str) -> Output {
    // A struct of text always serialises.
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
                for (name, bytes) in records.map(|(name, bytes)| (name.to_owned(), bytes)).into_iter().chain(index) {
                    let path = format!("{folder}/{name}");
                    files.insert(path.clone(), FileSum::of(&bytes));
                    outputs.push(Output::bytes(path, Arc::new(bytes)));
                }
            }
        }
        let artifact = Artifact {
            version: VERSION,
            build: self.build.clone(),
            base_url: self.base_url.clone(),
            locales: self.languages.iter().map(|language| language.about.clone()).collect(),
            files,
        };
        let mut text = serde_json::to_vec_pretty(&artifact).unwrap_or_default();
        text.push(b'\n');
        outputs.push(Output::bytes(artifact::FILE, Arc::new(text)));
        Ok(outputs)
    }
}

/// The words of a post, each once: with blanks between them, and their stems likewise.
fn words(analyser: &Analyser, card: &[u8], body: &str) -> Result<(String, String), serde_json::Error> {
    let post: Post = serde_json::from_slice(card)?;
    let (mut folded, mut stems) = (BTreeSet::new(), BTreeSet::new());
    let body = text_of(body);
    let texts = [&post.title, &post.excerpt, &post.author.name, &body].into_iter().chain(&post.tags);
    for word in texts.flat_map(|text| analyser.words(text)) {
        folded.insert(word.folded);
        stems.insert(word.stem);
    }
    let joined = |words: BTreeSet<String>| words.into_iter().collect::<Vec<_>>().join(" ");
    Ok((joined(folded), joined(stems)))
}

/// The files of the index of a language, by their names.
fn index(language: &Prepared) -> tantivy::Result<BTreeMap<String, Vec<u8>>> {
    let analyser = Analyser::new(&language.about.language);
    let analysed: Vec<(String, String)> = language
        .cards
        .par_iter()
        .zip(&language.bodies)
        .map(|(card, body)| words(&analyser, card, body))
        .collect::<Result<_, _>>()
        .map_err(|error| tantivy::TantivyError::InternalError(error.to_string()))?;
    let schema = schema();
    let of = |name: &str| schema.get_field(name);
    let (words, stems, tags) = (of(field::WORDS)?, of(field::STEMS)?, of(field::TAGS)?);
    let directory = RamDirectory::create();
    let settings = IndexSettings { docstore_compress_dedicated_thread: false, ..IndexSettings::default() };
    let tokenizers = tantivy::tokenizer::TokenizerManager::new();
    tokenizers.register(ANALYSED, WhitespaceTokenizer::default());
    let mut writer = tantivy::Index::builder()
        .schema(schema)
        .settings(settings)
        .tokenizers(tokenizers)
        .single_segment_index_writer(directory.clone(), TABLE_BYTES)?;
    // One after the other: the number of a document is its place in the list.
    for ((folded, stemmed), own_tags) in analysed.iter().zip(&language.tags) {
        let mut document = TantivyDocument::new();
        document.add_text(words, folded);
        document.add_text(stems, stemmed);
        document.add_text(tags, own_tags);
        writer.add_document(document)?;
    }
    let index = writer.finalize()?;
    files(&index, &directory)
}

/// Reads the one segment back. Its name is random, and becomes the hash of what it holds; lists of the writer's own are
/// left out.
fn files(index: &tantivy::Index, directory: &RamDirectory) -> tantivy::Result<BTreeMap<String, Vec<u8>>> {
    const META: &str = "meta.json";
    let mut parts: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let metas = index.searchable_segment_metas()?;
    let read = |path: &Path| -> tantivy::Result<Vec<u8>> { Ok(directory.open_read(path)?.read_bytes()?.to_vec()) };
    for path in index.directory().list_managed_files() {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if metas.iter().any(|meta| meta.id().uuid_string() == stem) && directory.exists(&path).unwrap_or(false) {
            let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            parts.insert(extension, read(&path)?);
        }
    }
    let contents: Vec<&[u8]> = parts.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes.as_slice()]).collect();
    let name = hash(&contents);
    let mut meta = String::from_utf8_lossy(&read(Path::new(META))?).into_owned();
    for segment in &metas {
        meta = meta.replace(&dashed(&segment.id().uuid_string()), &dashed(&name));
    }
    let named = parts.into_iter().map(|(extension, bytes)| (format!("{name}.{extension}"), bytes));
    Ok(named.chain([(META.to_owned(), meta.into_bytes())]).collect())
}

/// 32 digits as the file writes ids.
fn dashed(id: &str) -> String {
    [&id[..8], &id[8..12], &id[12..16], &id[16..20], &id[20..]].join("-")
}
