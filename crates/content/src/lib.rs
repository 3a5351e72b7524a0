//! Reads the source files of a site: pages, posts, images, design tokens, templates, static files.
//!
//! Loading never fails as a whole. A file that cannot be parsed is reported with its location, and all others are read.

mod authors;
pub mod blog;
pub mod changed;
pub mod collections;
mod drawing_contrast;
mod early_files;
mod fetched;
pub mod forms;
pub mod front_matter;
pub mod gallery;
pub mod images;
pub mod origins;
pub mod pages;
pub mod placeholders;
pub mod sections;
pub mod style_guide;
pub mod templates;
pub mod words;

use std::borrow::Cow;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use blog::claims::Claims;
use blog::{NextChange, Post};
use collections::Askers;
use config::source_index::SourceIndex;
use config::theme;
use config::{BlogSource, Config};
use diagnostics::problem::{Code, Place, Problem, Problems, Source};
use diagnostics::yaml;
use languages::locale::{self, Locale};
use pages::LoadedPages;
use schema::types::{Moment, RESERVED_FOLDERS, Scheduled, alike, composed, one_file};
use sections::{Kinds, SectionRole};
use text::svg;
use workspace::files::{self, FileSet};
use workspace::kinds::{self, Kind};

pub use blog::Blog;
pub use collections::{Collections, kept_answers};
pub use config::design::Design;
pub use fetched::{FetchedPosts, Suspects};
pub use gallery::Gallery;
pub use images::Images;
pub use pages::{BrokenPage, PageFile, WithdrawnPage};
pub use style_guide::Sidebar;
pub use templates::Templates;

/// Identifies these sources of sitegen to the values that are kept: its version, and the hash of this crate and of those that
/// it calls.
const MADE_BY: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("SITEGEN_SOURCES"));

/// The content of all source files, before references between them are resolved.
#[derive(Debug, Clone)]
pub struct Content {
    /// The locales, the default one first.
    pub locales: Vec<Locale>,
    /// Pages, sorted by file path.
    pub pages: Vec<PageFile>,
    /// Sections that are shown at the end of other pages, in each language.
    pub shared_sections: Vec<PageFile>,
    /// Pages whose files could not be read.
    pub broken_pages: Vec<BrokenPage>,
    /// Pages that are not public now.
    pub withdrawn_pages: Vec<WithdrawnPage>,
    /// Sections of other pages that are not public now, in each language.
    pub withdrawn_sections: Vec<WithdrawnPage>,
    /// The dates of pages, sections and links of menus.
    pub scheduled: Vec<Scheduled>,
    /// The collections that the site declares.
    pub collections: Collections,
    /// The forms that the site declares.
    pub forms: forms::Forms,
    /// Posts and their authors.
    pub blog: Arc<Blog>,
    /// Pictures in `content/images/`, and next to pages, posts and entries.
    pub images: Images,
    /// `content/design.yaml`.
    pub design: Design,
    /// The sidebar of the style guide.
    pub sidebar: Sidebar,
    /// Templates by name.
    pub templates: Templates,
    /// The gallery of templates in the style guide.
    pub gallery: Gallery,
    /// The kinds of sections.
    pub kinds: Kinds,
    /// `content/urls.lock`, if the site has one.
    pub urls_lock: Option<Arc<Source>>,
    /// `content/changed.lock`; empty if the site has none.
    pub changed_lock: changed::ChangedLock,
    /// Files in `static/`.
    pub static_files: Vec<StaticFile>,
    /// A link in `templates/` or `react/` leads out of the site, so scripts and style sheets must not be bundled: other
    /// programs read them.
    pub code_leads_out: bool,
}

/// A file that is copied to the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaticFile {
    /// Path below `static/`, with forward slashes and in normalization form C: its URL path without the leading slash.
    pub path: String,
    /// The source file.
    pub file: PathBuf,
    /// Its length in bytes.
    pub length: u64,
    /// The text that is published in place of the file: a drawing that is written again.
    pub written: Option<Arc<Vec<u8>>>,
}

impl StaticFile {
    /// Whether it has this path, however its accents are encoded.
    pub fn is(&self, path: &str) -> bool {
        self.path == composed(path)
    }
}

/// Reads the site folder.
pub fn load(config: &Config) -> (Content, Problems) {
    let fetched = fetch_posts(config, &|_, _| ());
    let new = fetched.clone().filter(FetchedPosts::is_new);
    let (content, mut problems) = load_listed(config, &SourceIndex::scan(config), fetched, None);
    problems.extend(new.map_or_else(Problems::new, |new| new.keep(config, &problems)));
    (content, problems)
}

/// Whether posts or entries of a site are fetched.
pub fn is_fetched(config: &Config) -> bool {
    config.site.blog.source != BlogSource::Markdown || config.may_fetch_entries()
}

/// Fetches the posts of a site that has them in a CMS, and the entries that come from an address. Meanwhile, `on_wait` is called once a second with the host of the
/// CMS and the elapsed seconds. This may take minutes, so the caller holds no lock.
pub fn fetch_posts(config: &Config, on_wait: &dyn Fn(&str, u64)) -> Option<FetchedPosts> {
    if !is_fetched(config) {
        return None;
    }
    // Mistakes in these files are reported when they are loaded.
    let _ = lay_out_theme(config);
    let (entries, of_collections) = collections::fetch(config, on_wait);
    if config.site.blog.source == BlogSource::Markdown {
        return Some(FetchedPosts {
            posts: None,
            entries,
            of_collections,
        });
    }
    let (kinds, _) = sections::load_kinds(&config.paths.root, &config.paths.theme_root());
    let (pages, _) = load_pages(config, &kinds);
    let claims = claims(config, &pages.public, &static_files(config).0);
    Some(FetchedPosts {
        posts: Some(blog::fetch(
            config,
            claims,
            collections::posts_fields(config),
            on_wait,
        )),
        entries,
        of_collections,
    })
}

/// Reads the site folder, whose files were listed before. Posts of a CMS were fetched before; those of an earlier reading of
/// the same files are not read again. Texts are marked with where they are written if the settings ask for it (see
/// [`origins`]).
pub fn load_listed(
    config: &Config,
    sources: &SourceIndex,
    fetched: Option<FetchedPosts>,
    known: Option<&Blog>,
) -> (Content, Problems) {
    let mut problems = lay_out_theme(config);
    // An index has no links. The files of a site without a theme are not listed otherwise.
    let code_leads_out = !sources.has_tree() && code_leads_out(&config.paths.root);
    if code_leads_out && config.paths.theme.is_none() {
        problems.extend(config.paths.root.list(&config.paths.root.join("react")).1);
    }
    let kinds = problems.take(sections::load_kinds(
        &config.paths.root,
        &config.paths.theme_root(),
    ));
    let pages = problems.take(load_pages(config, &kinds));
    problems.extend(pages::lacking::check(config, &pages));
    let LoadedPages {
        shared: shared_sections,
        broken: broken_pages,
        withdrawn: withdrawn_pages,
        ..
    } = pages;
    let (withdrawn_sections, mut scheduled, pages) =
        (pages.withdrawn_shared, pages.scheduled, pages.public);
    scheduled.extend(config.site.dated_menu_entries.iter().cloned());
    let mut images = problems.take(images::load(config, sources, &collections::names(config)));
    let static_files = problems.take(static_files(config));
    let (posts, entries) = fetched.map_or_else(Default::default, |fetched| {
        problems.extend(fetched.of_collections);
        (fetched.posts, fetched.entries)
    });
    let fetched = posts.map(|posts| (posts, claims(config, &pages, &static_files)));
    let mut locales = problems.take(locale::load(
        &config.paths.root,
        &config.site,
        &config.theme,
    ));
    mark_locales(config, &mut locales);
    let languages = locales
        .iter()
        .map(|locale| (locale.code.clone(), locale.language.clone()))
        .collect();
    let mut collections = problems.take(collections::load(config, sources, &entries));
    let authors = authors::of(config, &collections, &images);
    let inputs = blog::PostInputs {
        kinds: kinds.clone(),
        languages,
        schema: collections.posts_schema(),
    };
    let blog = problems.take(blog::load(
        config,
        sources,
        &mut images,
        inputs,
        authors,
        fetched,
        known,
    ));
    images.save();
    let mut templates = problems.take(templates::load(&config.paths.theme_root()));
    problems.extend(templates::blocked::check(&config.site, &templates));
    problems.extend(templates::unclosed::check(&templates));
    problems.extend(templates::blocks::check(&templates));
    let gallery = problems.take(gallery::load(config, &kinds, &pages, &mut templates));
    let forms = problems.take(forms::load(config));
    let askers = Askers {
        pages: &pages,
        shared: &shared_sections,
        kinds: &kinds,
        forms: &forms,
        templates: &templates,
    };
    if askers.ask(config, &collections) {
        problems.extend(collections.add_posts(config, &blog));
    }
    let content = Content {
        locales,
        pages,
        shared_sections,
        broken_pages,
        withdrawn_pages,
        withdrawn_sections,
        scheduled,
        collections,
        forms,
        blog: Arc::new(blog),
        images,
        design: problems.take(config::design::load(&config.paths.root)),
        sidebar: problems.take(style_guide::load(config)),
        templates,
        gallery,
        kinds,
        urls_lock: problems.take(urls_lock(config)),
        changed_lock: problems.take(changed::load(config)),
        static_files,
        code_leads_out,
    };
    problems.extend(drawing_contrast::check(
        &config.paths.root,
        &content.design,
        &content.images,
    ));
    problems.extend(words::check(&content.locales, &content.templates));
    problems.extend(check_unexpected(config));
    problems.extend(early_files::check(config, &content));
    problems.extend(check_names(&sources.paths(&config.paths.root)));
    (content, problems)
}

impl Content {
    /// The files of pages and of sections that many pages show.
    pub fn page_files(&self) -> impl Iterator<Item = &PageFile> + Clone {
        self.pages.iter().chain(&self.shared_sections)
    }

    /// The next time at which posts or entries begin or end to be public, if any.
    pub fn next_change(&self, now: Moment) -> Option<NextChange> {
        let of_entries =
            next_change_of_entries(&self.collections, self.page_files(), &self.templates, now);
        let changes = [
            self.blog.next_change.clone(),
            NextChange::of(&self.scheduled, now),
            of_entries,
        ];
        changes.into_iter().flatten().reduce(NextChange::first)
    }

    /// Reads one page or post again, without the others; `None` for another kind of file, which only a whole reading
    /// reads.
    pub fn reread(&self, config: &Config, file: &Path) -> Option<(Option<Box<Post>>, Problems)> {
        let folder = config.paths.root.join(Kind::Page.folder());
        // A file that languages share concerns the files of all of them.
        let is_page =
            file.extension().is_some_and(|ending| ending == "yaml") && !file.ends_with("page.yaml");
        if is_page && file.starts_with(&folder) {
            return Some((None, pages::load(config, &self.kinds, &folder, file).1));
        }
        let is_post = config.site.blog.source == BlogSource::Markdown
            && file.extension().is_some_and(|ending| ending == "md");
        is_post
            .then(|| self.blog.reread(config, &self.images, file))
            .flatten()
    }
}

/// Marks the messages of all languages, if the settings ask for it.
fn mark_locales(config: &Config, locales: &mut [Locale]) {
    let Some(marks) = &config.site.marks else {
        return;
    };
    for locale in locales {
        // Messages of the theme are in no file of the site, and their path says so.
        let name = Kind::Locale.file("", &locale.code);
        let of_theme = config.theme.source(&name).map(|source| {
            Arc::new(Source::new(
                format!("{name} of the theme"),
                source.text.clone(),
            ))
        });
        locale.mark(marks, of_theme.as_ref());
    }
}

/// The addresses of a site without those of its posts.
fn claims(config: &Config, pages: &[PageFile], files: &[StaticFile]) -> Claims {
    let fill = |text: &str| placeholders::fill(text, &config.site);
    let paths = pages
        .iter()
        .flat_map(|page| std::iter::once(&page.head.path).chain(&page.head.also_at));
    let redirects = config.site.redirects.iter().map(|redirect| &redirect.from);
    let addresses = paths.chain(redirects).map(|path| fill(&path.value));
    let lists = pages
        .iter()
        .filter(|page| {
            page.sections
                .iter()
                .any(|section| section.kind.role == SectionRole::PostList)
        })
        .map(|page| (page.locale.clone(), fill(&page.head.path.value)));
    let reserved = RESERVED_FOLDERS.iter().map(|folder| (*folder).to_owned());
    Claims::new(
        addresses
            .chain(files.iter().map(|file| file.path.clone()))
            .chain(reserved),
        lists,
    )
}

/// Whether a link in `templates/` or `react/` leads out of the site.
fn code_leads_out(root: &FileSet) -> bool {
    theme::FOLDERS.iter().any(|folder| {
        root.list(&root.join(folder))
            .1
            .iter()
            .any(|problem| problem.code == Code::LinkOutside)
    })
}

/// Writes the theme where templates and scripts are read, and compares it with what the site was made for.
pub fn lay_out_theme(config: &Config) -> Problems {
    let (root, site) = (&config.paths.root, &config.site);
    let Some(version) = &site.theme else {
        return Problems::new();
    };
    let mut problems = config
        .theme
        .check(root, version, Some(site.source.place(version.span)));
    if config.paths.theme.is_some() {
        problems.extend(config.theme.lay_out(root, &config.paths.theme_root()));
    }
    problems
}

/// The schemas of the collections of a site, sorted by name, and the problems in them.
pub fn collection_schemas(
    config: &Config,
) -> (Vec<&'static collections::CollectionSchema>, Problems) {
    let mut problems = lay_out_theme(config);
    let (schemas, _) = problems.take(collections::load_schemas(config));
    (schemas, problems)
}

/// Tells whether a template may list entries by their dates. `aria-current="page"` is no option.
fn lists_by_date(template: &str) -> bool {
    ["upcoming=", "past=", " current=", ",current="]
        .iter()
        .any(|option| template.contains(option))
}

/// The next time at which an entry begins or ends to be public, or a date of one passes that a list selects by.
fn next_change_of_entries<'p>(
    collections: &Collections,
    pages: impl Iterator<Item = &'p pages::PageFile>,
    templates: &Templates,
    now: Moment,
) -> Option<NextChange> {
    let sections = pages.flat_map(|page| page.sections.iter());
    let listed: std::collections::BTreeSet<&str> = sections
        .filter_map(sections::Section::lists_by_date)
        .collect();
    // Which collection a template lists follows when it is rendered.
    let in_templates = templates
        .html
        .values()
        .any(|template| lists_by_date(&template.text));
    collections.next_change(now, &|name| in_templates || listed.contains(name))
}

/// The next time at which something else than a post begins or ends to be public, without reading posts.
pub fn next_change_without_posts(config: &Config) -> Option<NextChange> {
    let (kinds, _) = sections::load_kinds(&config.paths.root, &config.paths.theme_root());
    let pages = load_pages(config, &kinds).0;
    let (templates, _) = templates::load(&config.paths.theme_root());
    let collections = collections::load(config, &SourceIndex::default(), &[]).0;
    let shown = pages.public.iter().chain(&pages.shared);
    let of_entries = next_change_of_entries(&collections, shown, &templates, config.run.now);
    let mut scheduled = pages.scheduled;
    scheduled.extend(config.site.dated_menu_entries.iter().cloned());
    NextChange::of(&scheduled, config.run.now)
        .into_iter()
        .chain(of_entries)
        .reduce(NextChange::first)
}

/// The collections of a site with their entries, without reading anything else.
pub fn collections_of(config: &Config) -> Collections {
    collections::load(config, &SourceIndex::default(), &[]).0
}

fn load_pages(config: &Config, kinds: &Kinds) -> (LoadedPages, Problems) {
    let folder = config.paths.root.join(Kind::Page.folder());
    pages::load_all(config, |path| pages::load(config, kinds, &folder, path))
}

fn urls_lock(config: &Config) -> (Option<Arc<Source>>, Problems) {
    let path = config.paths.root.join("content/urls.lock");
    if !config.paths.root.exists(&path) {
        return (None, Problems::new());
    }
    config.paths.root.read_text(&path).map_or_else(
        |problem| (None, problem.into()),
        |lock| (Some(lock), Problems::new()),
    )
}

fn static_files(config: &Config) -> (Vec<StaticFile>, Problems) {
    let folder = config.paths.root.join("static");
    let (files, mut problems) = config.paths.root.list(&folder);
    let mut found = Vec::with_capacity(files.len());
    for file in files {
        let written = problems.take(written(config, &file));
        let length = std::fs::metadata(&file).map_or(0, |data| data.len());
        let length = written.as_ref().map_or(length, |bytes| bytes.len() as u64);
        found.push(StaticFile {
            path: composed(files::shown(&folder, &file)).into_owned(),
            file,
            length,
            written,
        });
    }
    (found, problems)
}

/// The text that is published in place of a file of `static/`, and the reason why the file is not published.
fn written(config: &Config, file: &Path) -> (Option<Arc<Vec<u8>>>, Problems) {
    let shown = || files::shown(&config.paths.root, file);
    let ending = file
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_ascii_lowercase();
    match ending.as_str() {
        // A visitor can open the file itself, and a script in it would run as a part of the site.
        ending if ending == "svg" || !PLAIN.contains(&ending) && is_drawing(file) => {
            match config
                .paths
                .root
                .read_text(file)
                .and_then(|source| Ok((images::checked(&source)?, source)))
            {
                Ok((drawing, source)) if drawing.file == source.text => (None, Problems::new()),
                Ok((drawing, _)) => (Some(Arc::new(drawing.file.into_bytes())), Problems::new()),
                Err(problem) => (None, problem.into()),
            }
        }
        "svgz" => {
            let problem = Problem::error(Code::BadImage, "a compressed SVG file cannot be checked")
                .at(Place::file(shown()));
            let hint = "replace it with the `.svg` file (`gunzip -c -S .svgz FILE.svgz > FILE.svg`); hosts compress files when they send them";
            (None, problem.hint(hint).into())
        }
        _ => {
            let error = std::fs::File::open(file).err();
            let problem = error.map(|error| {
                let message = format!("the file could not be read ({})", files::reason(&error));
                Problem::error(Code::Unreadable, message).at(Place::file(shown()))
            });
            (None, problem.map_or_else(Problems::new, Problems::from))
        }
    }
}

/// Endings of files that no browser reads as XML, whatever they contain. HTML is code of its own.
const PLAIN: [&str; 10] = [
    "txt", "md", "csv", "json", "js", "mjs", "css", "htm", "html", "yaml",
];

/// Whether the first element of a file is that of a drawing: hosts send `.xml` and many other endings as XML, and some send
/// what they do not know as what it looks like.
fn is_drawing(file: &Path) -> bool {
    let mut start = [0; 64];
    let read = std::fs::File::open(file)
        .and_then(|mut file| file.read(&mut start))
        .unwrap_or_default();
    let is_markup = start[..read]
        .iter()
        .find(|byte| byte.is_ascii_graphic())
        .is_none_or(|first| *first == b'<');
    is_markup && std::fs::read(file).is_ok_and(|bytes| svg::is_drawing(&bytes))
}

/// Reports source files and folders that some systems take for one: a copy of the site on a Mac would lack one of the two.
fn check_names(paths: &[Cow<str>]) -> Problems {
    let mut problems = Problems::new();
    let mut folders: Vec<String> = Vec::new();
    for (form, paths) in alike(paths.iter().map(Cow::as_ref)) {
        // Files in folders that were reported are not reported again.
        if folders.iter().any(|folder| form.starts_with(folder)) {
            continue;
        }
        for pair in paths.windows(2) {
            let place = Place::file(pair[1].trim_end_matches('/'));
            problems.push(one_file([pair[0], pair[1]], place));
        }
        folders.extend(form.ends_with('/').then_some(form));
    }
    problems
}

/// Checks the YAML syntax of all files but `site.yaml`. Used if `site.yaml` is broken, so that one run reports more
/// problems.
pub fn check_syntax(root: &FileSet) -> Problems {
    let (paths, mut problems) = root.list(&root.join("content"));
    for path in paths.iter().filter(|path| {
        path.extension()
            .is_some_and(|extension| extension == "yaml")
            && !path.ends_with("site.yaml")
    }) {
        let read = root
            .read_text(path)
            .and_then(|source| yaml::parse(&source, 0..source.text.len()));
        problems.extend(read.err().map_or_else(Problems::new, Problems::from));
    }
    problems
}

/// Reports files that nothing reads. Otherwise they would be missing from the site without a message.
fn check_unexpected(config: &Config) -> Problems {
    const LOCKS: [&str; 5] = [
        "urls.lock",
        "changed.lock",
        "sample.lock",
        "theme.lock",
        "translations.lock",
    ];
    let folder = config.paths.root.join("content");
    let mut problems = Problems::new();
    let codes = config
        .site
        .locales
        .iter()
        .map(|code| &code.value)
        .chain(&config.site.withheld);
    let locales: Vec<String> = codes.map(|code| format!("{code}.yaml")).collect();
    let (files, _) = config.paths.root.list(&folder.join("locales"));
    for file in files {
        let name = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if !locales.contains(&name) {
            let problem = Problem::error(
                Code::UnexpectedFile,
                format!("`site.yaml` does not list a locale for `{name}`"),
            )
            .at(Place::file(files::shown(&config.paths.root, &file)))
            .hint("add its code to `locales` in `content/site.yaml`, or remove the file");
            problems.push(problem);
        }
    }
    let (collections, has_settings) = (
        collections::names(config),
        collections::has_settings(config),
    );
    let Ok(entries) = std::fs::read_dir(&folder) else {
        return problems;
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let known: Vec<&str> = if entry.path().is_dir() {
            kinds::content_folders()
                .chain(collections.iter().map(String::as_str))
                .collect()
        } else {
            kinds::content_files()
                .chain(LOCKS)
                .chain(has_settings.then_some("settings.yaml"))
                .collect()
        };
        let snapshot = config
            .site
            .blog
            .snapshot_folder(&config.paths.root, &config.paths.cache);
        // A collection without a schema was reported there.
        let is_collection = config.paths.root.exists(
            &config
                .paths
                .root
                .join(Kind::Collection.folder())
                .join(&name),
        );
        let is_known = known.contains(&name.as_str()) || is_collection;
        if !snapshot.starts_with(entry.path()) && !is_known && !files::is_litter(&name) {
            let problem = Problem::error(
                Code::UnexpectedFile,
                format!("nothing reads `{name}` in `content/`"),
            )
            .at(Place::file(files::shown(&config.paths.root, &entry.path())));
            let moved =
                "move its text into `content/forms/lead/`; docs/lead-form.md shows the files"
                    .to_owned();
            let hint = (name == "lead-form").then_some(moved);
            let near = || diagnostics::problem::did_you_mean(&name, known.iter().copied());
            let mut problem = problem.maybe_hint(hint.or_else(near));
            let is_near = problem
                .hint
                .as_ref()
                .is_some_and(|hint| hint.starts_with("did you mean"));
            if entry.path().is_dir() && !is_near {
                let schema = format!("`templates/collections/{name}/schema.yaml`");
                problem = problem.hint(format!(
                    "if it is a collection, restore {schema}, or run `sitegen new collection {name}` to create one"
                ));
            }
            problems.push(problem);
        }
    }
    problems
}

#[cfg(test)]
mod properties;
