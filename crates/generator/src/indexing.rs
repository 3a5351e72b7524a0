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

use api_types::base_url::Hosts;
use api_types::html::text_of;
use assets::output::{Output, hash};
use publish::Publisher;
use render::LanguagePosts;
use search_index::bundle::{self, BundleLocale, FileSum, SearchBundle, VERSION};
use search_index::{BODIES, CARDS, IndexWriter, written_records};
use workspace::parallel;

/// The file of `dist/` that names the bundle in `search/` that belongs to the pages. Its name has no hash, so that
/// deployment scripts and monitors can compare it with the answer of `/api/health`.
pub const BUILD_FILE: &str = "build.json";

/// The fewest posts that a thread analyzes at a time. Fewer posts share fewer words, so merging the parts would cost more.
const MIN_POSTS: usize = 128;

/// The contents of a search bundle.
#[derive(Debug)]
pub struct Search {
    build: String,
    base_url: String,
    other_base_urls: Vec<String>,
    languages: Vec<LanguageData>,
}

#[derive(Debug)]
struct LanguageData {
    about: BundleLocale,
    /// Posts as JSON without their body.
    cards: Vec<Vec<u8>>,
    bodies: Vec<String>,
    /// The title, the excerpt, the author and the tags of each post, which are searched with its body.
    labels: Vec<String>,
    /// The slugs of each post's tags, separated by spaces.
    tags: Vec<String>,
}

#[derive(Serialize)]
struct BuildName<'a> {
    build: &'a str,
    /// Changes with any page.
    site: String,
}

/// Serializes the posts and computes the name of the bundle.
pub fn prepare(hosts: Hosts, languages: Vec<LanguagePosts>) -> Search {
    let languages: Vec<LanguageData> = languages.into_iter().map(language_data).collect();
    let mut sums = String::new();
    for language in &languages {
        sums += &serde_json::to_string(&language.about).unwrap_or_default();
        let posts: Vec<_> = language
            .cards
            .iter()
            .zip(&language.bodies)
            .zip(&language.tags)
            .collect();
        let hashes = parallel::map(&posts, |((card, body), tags)| {
            hash(&[card, body.as_bytes(), tags.as_bytes()])
        });
        hashes.iter().for_each(|hash| sums.push_str(hash));
    }
    let version = VERSION.to_string();
    let base_urls: Vec<&str> = hosts.base_urls().collect();
    let build = hash(&[
        version.as_bytes(),
        base_urls.join(" ").as_bytes(),
        sums.as_bytes(),
    ]);
    let other_base_urls = base_urls[1..]
        .iter()
        .map(|base_url| (*base_url).to_owned())
        .collect();
    Search {
        build,
        base_url: hosts.main.to_owned(),
        other_base_urls,
        languages,
    }
}

fn language_data(mut language: LanguagePosts) -> LanguageData {
    let bodies = language
        .posts
        .iter_mut()
        .map(|(post, _)| std::mem::take(&mut post.content))
        .collect();
    let posts = parallel::map(&language.posts, |(post, tags)| {
        let labels = format!(
            "{}\n{}\n{}\n{}",
            post.title,
            post.excerpt,
            post.author.name,
            post.tags.join("\n")
        );
        // A struct of strings always serializes.
        (
            serde_json::to_vec(post).unwrap_or_default(),
            labels,
            tags.join(" "),
        )
    });
    let index = (!posts.is_empty()).then(|| language.locale.clone());
    let about = BundleLocale {
        code: language.locale,
        language: language.language,
        index,
        categories: language.categories,
    };
    let mut data = LanguageData {
        about,
        cards: vec![],
        bodies,
        labels: vec![],
        tags: vec![],
    };
    for (card, labels, tags) in posts {
        data.cards.push(card);
        data.labels.push(labels);
        data.tags.push(tags);
    }
    data
}

/// Whether a folder holds the complete bundle of this name. File lengths are compared, not hashes.
pub fn has(folder: &Path, build: &str) -> bool {
    bundle::read(folder).is_ok_and(|bundle| {
        bundle.build == build
            && bundle.files.iter().all(|(name, sum)| {
                folder
                    .join(name)
                    .metadata()
                    .is_ok_and(|meta| meta.len() == sum.length)
            })
    })
}

/// Publishes [`BUILD_FILE`] after all else, a hash of which it has. A site without a bundle has none.
pub fn put_build_file(build: Option<&str>, publisher: &Publisher) {
    let Some(build) = build else { return };
    let site = format!(
        "{:032x}",
        u128::from_be_bytes(publisher.content_hash(BUILD_FILE))
    );
    // A struct of strings always serializes.
    let mut text = serde_json::to_vec(&BuildName { build, site }).unwrap_or_default();
    text.push(b'\n');
    publisher.put(&Output::bytes(BUILD_FILE, Arc::new(text)));
}

impl Search {
    /// The name of the bundle.
    pub fn build(&self) -> &str {
        &self.build
    }

    /// The files of `search/`. The error is a message for people.
    pub fn outputs(&self) -> Result<Vec<Output>, String> {
        // All languages at once: one of few posts does not keep all threads busy.
        let written: Vec<Vec<(FileSum, Output)>> = parallel::map(&self.languages, language_files)
            .into_iter()
            .collect::<Result<_, _>>()?;
        let (mut outputs, mut files) = (Vec::new(), BTreeMap::new());
        for (sum, output) in written.into_iter().flatten() {
            files.insert(output.path.clone(), sum);
            outputs.push(output);
        }
        let bundle = SearchBundle {
            version: VERSION,
            build: self.build.clone(),
            base_url: self.base_url.clone(),
            other_base_urls: self.other_base_urls.clone(),
            locales: self
                .languages
                .iter()
                .map(|language| language.about.clone())
                .collect(),
            files,
        };
        let mut text = serde_json::to_vec_pretty(&bundle).unwrap_or_default();
        text.push(b'\n');
        outputs.push(Output::bytes(bundle::FILE, Arc::new(text)));
        Ok(outputs)
    }
}

/// The files of a language, with their checksums. The error is a message for people.
fn language_files(language: &LanguageData) -> Result<Vec<(FileSum, Output)>, String> {
    let Some(folder) = &language.about.index else {
        return Ok(Vec::new());
    };
    let index = index(language).map_err(|error| format!("the index of `{folder}`: {error}"))?;
    let records = [
        (CARDS, written_records(&language.cards)),
        (BODIES, written_records(&language.bodies)),
    ];
    let files: Vec<(&str, Vec<u8>)> = records.into_iter().chain(index).collect();
    let sums = parallel::map(&files, |(_, bytes)| FileSum::of(bytes));
    let outputs = files
        .into_iter()
        .map(|(name, bytes)| Output::bytes(format!("{folder}/{name}"), Arc::new(bytes)));
    Ok(sums.into_iter().zip(outputs).collect())
}

/// The files of the index of a language, by their names. The error is a message for people.
fn index(language: &LanguageData) -> Result<Vec<(&'static str, Vec<u8>)>, String> {
    let about = &language.about.language;
    let places = (0..language.bodies.len())
        .into_par_iter()
        .with_min_len(MIN_POSTS);
    let writer = places.try_fold(
        || IndexWriter::new(about),
        |mut writer, at| {
            let place = u32::try_from(at).map_err(|error| error.to_string())?;
            let body = text_of(&language.bodies[at]);
            writer.add(
                place,
                [language.labels[at].as_str(), &body],
                language.tags[at].split_whitespace(),
            );
            Ok(writer)
        },
    );
    // Posts that follow each other are in parts that follow each other.
    let writer = writer.try_reduce(
        || IndexWriter::new(about),
        |mut writer, next| {
            writer.append(next);
            Ok::<_, String>(writer)
        },
    )?;
    writer.files().map_err(|error| error.to_string())
}
