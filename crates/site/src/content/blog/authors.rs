//! Reads authors: `content/authors/<slug>.yaml`, with a picture next to it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::content_types::{Localized, Slug, composed};
use crate::files;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, did_you_mean};
use diagnostics::yaml::{self, Spanned};

use crate::content::images::is_picture;
use crate::content::{Images, placeholders};

/// An author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Author {
    /// The slug in URLs: the name of the file.
    pub slug: String,
    /// Display name.
    pub name: String,
    /// Role, by locale.
    pub role: Localized<String>,
    /// Biography of a few sentences, by locale.
    pub description: Localized<String>,
    /// Key of the portrait in [`Images`].
    pub avatar: Option<String>,
}

/// The keys of the file of an author.
#[derive(Deserialize, JsonSchema)]
pub(in crate::content) struct AuthorFile {
    /// Display name.
    name: Spanned<String>,
    /// Role, by language.
    #[serde(default)]
    role: Localized<String>,
    /// Biography of a few sentences, by language.
    #[serde(default)]
    description: Localized<String>,
    /// The portrait: a file next to this one, or a path below `content/images/`.
    avatar: Option<Spanned<String>>,
}

/// Reads all authors. If a file cannot be read, the author gets the slug as name, so that the problem is reported once
/// and not for each post.
pub(super) fn load(config: &Config, images: &Images) -> (BTreeMap<String, Author>, Problems) {
    let folder = config.paths.root.join("content/authors");
    let (paths, mut problems) = config.paths.root.list(&folder);
    let mut authors = BTreeMap::new();
    for path in paths.iter().filter(|path| !is_picture(path)) {
        if let Some(author) = load_one(config, images, &folder, path, &mut problems) {
            authors.insert(author.slug.clone(), author);
        }
    }
    (authors, problems)
}

fn load_one(config: &Config, images: &Images, folder: &Path, path: &Path, problems: &mut Problems) -> Option<Author> {
    let relative = composed(files::shown(folder, path));
    let Some(slug) = relative.strip_suffix(".yaml").filter(|slug| Slug::is(slug)) else {
        let problem = Problem::error(Code::UnexpectedFile, "nothing reads this file")
            .at(Place::file(files::shown(&config.paths.root, path)))
            .hint("an author is `content/authors/<slug>.yaml`, in lower case and without spaces");
        problems.push(problem);
        return None;
    };
    let fallback = || Author {
        slug: slug.to_owned(),
        name: slug.to_owned(),
        role: Localized::default(),
        description: Localized::default(),
        avatar: None,
    };
    let source = match config.paths.root.read_text(path) {
        Ok(source) => source,
        Err(problem) => {
            problems.push(problem);
            return Some(fallback());
        }
    };
    let Some(file) = yaml::load::<AuthorFile>(&source, problems) else { return Some(fallback()) };
    let mut filled = |key: &str, texts: &Localized<String>| texts_of(config, &source, key, texts, problems);
    let (role, description) = (filled("role", &file.role), filled("description", &file.description));
    let avatar = file.avatar.as_ref().and_then(|avatar| {
        let found = images.find(["authors"], &avatar.value);
        if found.is_none() {
            let names = images.keys().filter_map(|key| key.strip_prefix("authors/"));
            let problem =
                Problem::error(Code::MissingImage, format!("there is no picture `{}` next to this file", avatar.value));
            problems.push(problem.at(source.place(avatar.span)).maybe_hint(did_you_mean(&avatar.value, names)));
        }
        found
    });
    Some(Author { name: placeholders::fill(&file.name, &config.site), role, description, avatar, ..fallback() })
}

/// Fills in the placeholders of a text in each locale. Reports missing locales, unless the text is missing in all.
fn texts_of(
    config: &Config,
    source: &Arc<Source>,
    key: &str,
    texts: &Localized<String>,
    problems: &mut Problems,
) -> Localized<String> {
    let whole = diagnostics::problem::Span::new(0, source.text.len());
    let mut texts = texts.clone();
    config.site.lenders().into_iter().for_each(|(locale, from)| texts.lend(locale, from));
    for locale in config.site.locales.iter().filter(|_| !texts.0.is_empty()) {
        if texts.get(&locale.value).is_none() {
            let message = format!("`{key}` has no text for the locale `{}`", locale.value);
            let problem = Problem::error(Code::TranslationMissing, message).at(Place::file(source.path.clone()));
            problems.push(problem.hint(format!("add `{}: …` beside the other languages", locale.value)));
        }
    }
    for text in texts.0.values() {
        placeholders::check(text, &config.site, &|written| source.place(source.locate(whole, written)), problems);
    }
    Localized(
        texts
            .0
            .iter()
            .map(|(locale, text)| (locale.clone(), placeholders::fill(text, config.site.in_language(locale))))
            .collect(),
    )
}
