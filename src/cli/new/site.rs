//! The files of a new site: those of `starter/`, in the chosen languages.
//!
//! `starter/small/` is the site of a few pages, `starter/sample/` the large one; what is beside them is in both. A file that
//! ends in `.j2` is a template. The files of a language have its code in their path. If the starter does not have the main
//! language of the site, its files are the English ones, to be translated; another language that it lacks gets a home page,
//! and shows the texts of the main one.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use include_dir::{Dir, File, include_dir};
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, context};

use content::collections::POSTS;
use content::sections::Kinds;
use diagnostics::problem::{Code, Problem, Problems, Source};
use diagnostics::yaml::{self, quoted_text};
use languages::locale::words_of_theme;
use workspace::files::is_litter;
use workspace::kinds::Kind;

use super::super::schema;
use super::super::theme::{embedded, files_of};
use super::NewContent;
use super::content::{ascii_slug, check_language, locale_file, refused};

static STARTER: Dir = include_dir!("$CARGO_MANIFEST_DIR/starter");
/// Labels in the settings by language, in the folder of each starter.
const WORDS: &str = "words.yaml";
/// The folders of the starters.
const FOLDERS: [&str; 2] = ["small/", "sample/"];
/// The language that stands in for those that a starter does not have.
const FIRST: &str = "en";

/// A site to create.
#[derive(Clone)]
pub(super) struct NewSite {
    /// The name of the company.
    pub name: String,
    /// Codes of the languages, the main one first.
    pub languages: Vec<String>,
    /// Whether it has a blog.
    pub blog: bool,
    /// Whether it is the large sample.
    pub sample: bool,
    /// Its address, if it has one.
    pub base_url: Option<String>,
}

/// Labels by name, by language.
type StarterLabels = BTreeMap<String, BTreeMap<String, String>>;

impl NewSite {
    /// The language of the starter in which a language of the site gets its texts; `None` if it shows those of another
    /// language of the site.
    fn texts_of<'w>(&self, words: &'w StarterLabels, code: &str) -> Option<&'w str> {
        let [named, of_region] = [code, primary(code)]
            .map(|name| words.get_key_value(name).map(|(known, _)| known.as_str()));
        let of_region =
            of_region.filter(|language| self.languages.iter().all(|other| other != language));
        let is_main = self.languages.first().is_some_and(|main| main == code);
        named.or(of_region).or(is_main.then_some(FIRST))
    }

    /// The language of the site whose texts another one shows.
    fn nearest(&self, code: &str) -> &str {
        let language = self
            .languages
            .iter()
            .find(|other| *other != code && *other == primary(code));
        language.unwrap_or(&self.languages[0])
    }
}

/// The language without script and region.
fn primary(code: &str) -> &str {
    code.split('-').next().unwrap_or(code)
}

/// The home page of a language without texts.
fn home_in(code: &str) -> NewContent {
    let text = format!(
        "# The title, description and sections come from another language until you write them here.\npath: /{}/\n",
        code.to_lowercase()
    );
    (Kind::Page.file("home", code), text.into_bytes())
}

/// Refuses a folder.
fn refuse(named: &Path, why: &str, hint: &str) -> Result<(), Problem> {
    let message = format!("`{}` {why}, so no site was created there", named.display());
    Err(Problem::error(Code::NewRefused, message).hint(hint))
}

/// Refuses a folder that is not empty, or inside of a site. Folders of version control do not count.
pub(super) fn check_folder(named: &Path, root: &Path) -> Result<(), Problem> {
    if let Some(outer) = root
        .ancestors()
        .skip(1)
        .find(|folder| folder.join(Kind::Site.path()).is_file())
    {
        return refuse(
            named,
            &format!("is in the site `{}`", outer.display()),
            "`sitegen new page TITLE` adds a page to that site; for a new site, name a folder outside of it",
        );
    }
    match std::fs::read_dir(root) {
        Ok(mut entries) => {
            let has_files = entries.any(|entry| {
                entry.is_ok_and(|entry| match &*entry.file_name().to_string_lossy() {
                    ".git" | ".DS_Store" => false,
                    name => name.starts_with('.') || !is_litter(name),
                })
            });
            if has_files {
                return refuse(named, "is not empty", "name a new or empty folder");
            }
            Ok(())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            refuse(named, "is a file", "name a new folder")
        }
        Err(error) => refuse(
            named,
            &format!("could not be read ({})", workspace::files::reason(&error)),
            "name another folder",
        ),
    }
}

/// A name from that of the folder: `my-site` → `My Site`.
pub(super) fn name_of(root: &Path) -> String {
    let folder = root.file_name().unwrap_or_default().to_string_lossy();
    let words = folder
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let capitals = words.filter_map(|word| {
        let mut chars = word.chars();
        chars
            .next()
            .map(|first| first.to_uppercase().chain(chars).collect::<String>())
    });
    let name: Vec<String> = capitals.collect();
    if name.is_empty() {
        "My Company".to_owned()
    } else {
        name.join(" ")
    }
}

/// The address that a company of this name gets until it has one.
pub(super) fn address_of(name: &str) -> String {
    format!("https://{}.example/", slug_of(name))
}

/// `Ángel & Söhne` → `angel-sohne`; `company` if nothing is left.
fn slug_of(name: &str) -> String {
    let slug = ascii_slug(name);
    if slug.is_empty() {
        "company".to_owned()
    } else {
        slug
    }
}

/// All files of a new site.
pub(super) fn files(site: &NewSite) -> Result<Vec<NewContent>, Problem> {
    let languages: Vec<String> = site
        .languages
        .iter()
        .map(|code| check_language(code))
        .collect::<Result<_, _>>()?;
    if let Some((at, code)) = languages
        .iter()
        .enumerate()
        .find(|(at, code)| languages[..*at].contains(code))
    {
        let written = &site.languages[at];
        let problem = refused(format!("the language `{code}` is named twice"));
        return Err(if written == code {
            problem
        } else {
            problem.hint(format!(
                "name it once: `{written}` means the same as `{code}`"
            ))
        });
    }
    if let Some(address) = &site.base_url {
        let host = address
            .strip_prefix("https://")
            .or_else(|| address.strip_prefix("http://"));
        if host.is_none_or(|host| {
            host.trim_matches('/').is_empty() || host.contains(char::is_whitespace)
        }) {
            let problem = refused(format!("`{address}` is not the URL of a site"));
            return Err(problem.hint("write a full URL, such as `https://www.example.com/`"));
        }
    }
    let site = &NewSite {
        languages,
        ..site.clone()
    };
    let [own, other] = if site.sample {
        [FOLDERS[1], FOLDERS[0]]
    } else {
        FOLDERS
    };
    let words = words(own)?;
    let environment = environment(site, &words);
    let mut files = Vec::new();
    for (path, bytes) in files_of(&STARTER) {
        let path = path.strip_prefix(own).unwrap_or(&path).to_owned();
        if path.starts_with(other) || path == WORDS || !site.blog && is_blog(&path) {
            continue;
        }
        let languages: Vec<(String, &str)> = match language_of(&path, &words) {
            None => vec![(path.clone(), site.languages[0].as_str())],
            Some(own) => {
                let codes = site
                    .languages
                    .iter()
                    .filter(|code| site.texts_of(&words, code) == Some(own));
                codes
                    .map(|code| (in_language(&path, own, code), code.as_str()))
                    .collect()
            }
        };
        for (path, code) in languages {
            let (path, text) = file(&environment, site, &words, &path, bytes, code)?;
            // A template that is not for this site renders nothing.
            if !text.trim_ascii().is_empty() {
                files.push((path, text));
            }
        }
    }
    let (main, theme) = (&site.languages[0], embedded());
    if words_of_theme(&theme, main).is_none() {
        files.push(locale_file(&theme, main)?);
    }
    files.extend(
        site.languages
            .iter()
            .filter(|code| site.texts_of(&words, code).is_none())
            .map(|code| home_in(code)),
    );
    let schemas = schema::documents(&Kinds::of_new_site()).into_iter();
    files.extend(
        schemas.map(|(name, text)| (format!("{}/{name}", schema::FOLDER), text.into_bytes())),
    );
    files.sort();
    Ok(files)
}

/// The labels of a starter.
fn words(folder: &str) -> Result<StarterLabels, Problem> {
    let path = format!("{folder}{WORDS}");
    let text = STARTER.get_file(&path).and_then(File::contents_utf8);
    let source = Arc::new(Source::new(path, text.unwrap_or_default().to_owned()));
    let mut problems = Problems::new();
    yaml::load(&source, &mut problems)
        .ok_or_else(|| refused(format!("the starter's `{}` could not be read", source.path)))
}

fn is_blog(path: &str) -> bool {
    [
        Kind::Post.folder(),
        "content/authors/",
        &Kind::Page.folder_of("blog", ""),
        "content/images/posts/",
    ]
    .iter()
    .any(|start| path.starts_with(start))
}

/// The language that a path names: `content/pages/home/es.yaml`, `content/blog/es/relaunch.md`.
fn language_of<'w>(path: &str, words: &'w StarterLabels) -> Option<&'w str> {
    words.keys().map(String::as_str).find(|language| {
        path.starts_with("content/")
            && path
                .split('/')
                .any(|part| part.split('.').next() == Some(language))
    })
}

/// The same path in another language.
fn in_language(path: &str, from: &str, to: &str) -> String {
    let parts = path.split('/').map(|part| match part.strip_prefix(from) {
        Some(rest) if rest.is_empty() || rest.starts_with('.') => format!("{to}{rest}"),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("/")
}

/// The file of the site that a file of the starter becomes.
fn file(
    environment: &Environment,
    site: &NewSite,
    words: &StarterLabels,
    path: &str,
    bytes: &[u8],
    language: &str,
) -> Result<NewContent, Problem> {
    let name: Vec<String> = path
        .split('/')
        .map(|part| {
            part.strip_prefix("dot-")
                .map_or(part.to_owned(), |rest| format!(".{rest}"))
        })
        .collect();
    let name = name.join("/");
    let Some(name) = name.strip_suffix(".j2") else {
        return Ok((name, bytes.to_vec()));
    };
    let slug = slug_of(&site.name);
    let prefix = if language == site.languages[0] {
        String::new()
    } else {
        format!("/{}", language.to_lowercase())
    };
    let fallback = site
        .languages
        .iter()
        .filter(|code| site.texts_of(words, code).is_none());
    let date = config::now().date();
    let values = context! {
        name => &site.name,
        slug => slug,
        base_url => site.base_url.clone().unwrap_or_else(|| address_of(&site.name)),
        locales => &site.languages,
        fallback => fallback.map(|code| format!("{code}: {}", site.nearest(code))).collect::<Vec<_>>(),
        main => site.texts_of(words, &site.languages[0]),
        language => language,
        prefix => prefix,
        blog => site.blog,
        npm => config::is_installed_by_npm(),
        year => date[..4].parse::<u32>().unwrap_or_default(),
        date => date,
        version => env!("CARGO_PKG_VERSION"),
        schemas => schemas(),
    };
    let text = String::from_utf8_lossy(bytes);
    let rendered = environment.render_named_str(path, &text, values);
    let text = rendered.map_err(|error| {
        refused(format!(
            "the starter's `{path}` could not be rendered ({error})"
        ))
    })?;
    Ok((
        name.to_owned(),
        format!("{}\n", text.trim_end()).into_bytes(),
    ))
}

/// The YAML files that each schema describes, for the settings of editors: the path of the schema, and patterns.
fn schemas() -> Vec<(String, Vec<String>)> {
    let mut all: Vec<(String, Vec<String>)> = Kind::all()
        .map(|kind| (kind.name().to_owned(), kind.patterns()))
        .filter(|(_, files)| files.iter().all(|file| file.ends_with(".yaml")))
        .collect();
    for (file, text) in embedded().files() {
        let name = Kind::of(file)
            .filter(|item| item.kind == Kind::Collection)
            .map(|item| item.key);
        // Posts are Markdown, and have a kind of file of their own.
        let Some(name) = name.filter(|name| *name != POSTS) else {
            continue;
        };
        let own = vec![
            format!("content/{name}/*.yaml"),
            format!("content/{name}/*/entry.yaml"),
        ];
        all.push((format!("collection-{name}"), own));
        let is_table = String::from_utf8_lossy(text)
            .lines()
            .any(|line| line.starts_with("source:"));
        if !is_table {
            let words = vec![
                format!("content/{name}/*/*.yaml"),
                format!("!content/{name}/*/entry.yaml"),
            ];
            all.push((format!("collection-{name}-words"), words));
        }
    }
    all.into_iter()
        .map(|(name, files)| (format!("./{}/{name}.json", schema::FOLDER), files))
        .collect()
}

fn environment(site: &NewSite, words: &StarterLabels) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    if let Ok(syntax) = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()
    {
        environment.set_syntax(syntax);
    }
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    // A text as YAML and JSON write it.
    environment.add_filter("quoted", |text: &str| quoted_text(text));
    let (site, words) = (site.clone(), words.clone());
    let (site_of_each, words_of_each) = (site.clone(), words.clone());
    // The pairs of a language and a label.
    environment.add_function("labels", move |name: &str| labels(&site, &words, name));
    // The same as YAML: `{en: Services, es: Servicios}`.
    environment.add_function("in_each", move |name: &str| {
        let pairs = labels(&site_of_each, &words_of_each, name)
            .into_iter()
            .map(|(code, text)| format!("{code}: {}", quoted_text(&text)));
        format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
    });
    environment
}

/// A label in each language of the site that has one.
fn labels(site: &NewSite, words: &StarterLabels, name: &str) -> Vec<(String, String)> {
    let codes = site.languages.iter();
    let labels = codes.filter_map(|code| {
        let own = words.get(site.texts_of(words, code)?)?;
        Some((code.clone(), own.get(name)?.clone()))
    });
    labels.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(languages: &[&str], blog: bool) -> NewSite {
        let languages = languages.iter().map(|code| (*code).to_owned()).collect();
        NewSite {
            name: "Søren & Søn".into(),
            languages,
            blog,
            sample: true,
            base_url: None,
        }
    }

    fn paths(languages: &[&str], blog: bool) -> Vec<String> {
        files(&site(languages, blog))
            .expect("files")
            .into_iter()
            .map(|(path, _)| path)
            .collect()
    }

    #[test]
    fn files_of_other_languages_are_left_out() {
        let found = paths(&["es"], true);
        assert!(
            found.contains(&"content/pages/home/es.yaml".to_owned()),
            "{found:?}"
        );
        assert!(
            !found.iter().any(|path| path
                .split('/')
                .any(|part| part == "en" || part.starts_with("en."))),
            "{found:?}"
        );
    }

    #[test]
    fn an_unknown_language_gets_the_english_files() {
        let found = paths(&["fr", "es"], true);
        for path in ["content/pages/about/fr.yaml", "content/pages/home/es.yaml"] {
            assert!(
                found.contains(&path.to_owned()),
                "{path} is not in {found:?}"
            );
        }
        assert!(
            !found.contains(&"content/locales/fr.yaml".to_owned()),
            "the theme has French words"
        );
        assert!(paths(&["sw"], true).contains(&"content/locales/sw.yaml".to_owned()));
        // One that is not the main language shows the texts of the main one.
        let found = paths(&["en", "zh-hans", "es-MX", "es"], true);
        let of = |code: &str| {
            found
                .iter()
                .filter(|path| path.contains(code))
                .map(String::as_str)
                .collect::<Vec<_>>()
        };
        assert_eq!(of("zh-Hans"), ["content/pages/home/zh-Hans.yaml"]);
        assert_eq!(of("es-MX"), ["content/pages/home/es-MX.yaml"]);
        // A region has the texts of its language.
        assert!(paths(&["en-GB"], true).contains(&"content/pages/about/en-GB.yaml".to_owned()));
        assert!(!paths(&["en-GB"], true).contains(&"content/locales/en-GB.yaml".to_owned()));
    }

    #[test]
    fn a_site_without_a_blog_has_no_posts() {
        assert!(
            !paths(&["en"], false)
                .iter()
                .any(|path| path.contains("blog") || path.contains("authors"))
        );
    }

    #[test]
    fn names_become_addresses() {
        assert_eq!(name_of(Path::new("/sites/my-site")), "My Site");
        assert_eq!(address_of("Ángel & Söhne"), "https://angel-sohne.example/");
        assert_eq!(address_of("株式会社"), "https://company.example/");
    }

    #[test]
    fn what_is_no_language_is_refused() {
        for (code, is_language) in [
            ("en", true),
            ("pt-BR", true),
            ("english", false),
            ("", false),
            ("../en", false),
        ] {
            assert_eq!(check_language(code).is_ok(), is_language, "{code}");
        }
        assert!(
            files(&site(&["en", "en"], true)).is_err()
                && files(&site(&["pt-br", "pt-BR"], true)).is_err()
        );
    }
}
