//! Plans every address of the site before anything is rendered: pages, copies, redirects, static files.
//!
//! If two files claim one address, one problem names both. Every link that an author wrote is resolved here, and a dead
//! link is a problem at its own column.

mod absent;
pub mod contract;
mod expired;
mod links;
pub mod numbered;
mod paths;
mod redirects;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use api_types::base_url::{Hosts, LanguageHost};
use foldhash::{HashMap, HashMapExt};

use crate::model::{Body, Page, Site};
use config::SiteSettings;
use content::collections::POSTS;
use content::pages::Status;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span, did_you_mean};
use diagnostics::yaml::Spanned;
use schema::types::{Slug, alike, composed, folded, one_file, reserved_folder};
use workspace::kinds::Kind;

pub use links::Href;
pub use redirects::{QueryAddress, is_old_path, is_value};

/// All addresses of a site.
#[derive(Debug)]
pub struct Routes {
    /// By path, e.g. `/es/servicios/`.
    by_path: BTreeMap<String, Route>,
    /// Targets of redirects from paths with a parameter.
    by_query: BTreeMap<QueryAddress, String>,
    /// Targets of redirects from every address below a folder.
    by_folder: BTreeMap<String, String>,
    /// Redirects whose target is not public yet, so that no browser may remember them: `/old/`, or `/old/?p=3`.
    temporary: BTreeSet<String>,
    /// Addresses that answer that what was there is gone, with a trailing slash.
    gone: BTreeSet<String>,
    /// Index of the page of a key in each locale, in the order of the site's locales.
    by_key: HashMap<String, Vec<Option<usize>>>,
    /// Without a trailing slash; with the path that the site is mounted at.
    base_url: String,
    /// The languages that are on a host of their own.
    hosts: Vec<LanguageHost>,
    /// The path of `base_url`, without a trailing slash; usually empty.
    base_path: String,
}

/// Whose anchors a link names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    /// Those of its language.
    Own,
    /// Perhaps those of a fallback, whose words it is in.
    MayBeLent,
}

/// The response at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// A page; its index in `site.pages`.
    Page {
        /// Index in `site.pages`.
        page: usize,
        /// Whether this is the canonical address of the page, not that of a copy.
        canonical: bool,
    },
    /// A redirect to a path or to another site.
    Redirect {
        /// The target.
        to: String,
    },
    /// A file of `static/`.
    Static,
}

/// An alternate of a page in another language.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Alternate {
    /// BCP 47 tag, or `x-default`.
    pub hreflang: String,
    /// Absolute address.
    pub url: String,
}

impl Routes {
    /// All addresses, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Route)> {
        self.by_path
            .iter()
            .map(|(path, route)| (path.as_str(), route))
    }

    /// Redirects from paths with a parameter, sorted, and their targets.
    pub fn queries(&self) -> impl Iterator<Item = (&QueryAddress, &str)> {
        self.by_query
            .iter()
            .map(|(address, to)| (address, to.as_str()))
    }

    /// Folders below which every address is redirected, sorted, and their targets.
    pub fn folders(&self) -> impl Iterator<Item = (&str, &str)> {
        self.by_folder
            .iter()
            .map(|(folder, to)| (folder.as_str(), to.as_str()))
    }

    /// The redirects that another replaces once their target is public, sorted: old paths, with their parameter.
    pub fn temporary(&self) -> impl Iterator<Item = &str> {
        self.temporary.iter().map(String::as_str)
    }

    /// Addresses that answer that what was there is gone, sorted.
    pub fn gone(&self) -> impl Iterator<Item = &str> {
        self.gone.iter().map(String::as_str)
    }

    /// The route at an address.
    pub fn get(&self, path: &str) -> Option<&Route> {
        self.by_path.get(path)
    }

    /// The address of a path of the site as it is written in a page: below the base path, and percent-encoded.
    pub fn href(&self, path: &str) -> String {
        [self.base_path.as_str(), &percent_encoded(path)].concat()
    }

    /// The same as a page at another path has it: with its host, if the two are on different ones.
    pub fn link(&self, path: &str, from: &str) -> String {
        let is_here =
            self.hosts.is_empty() || self.hosts().of_path(path) == self.hosts().of_path(from);
        if is_here {
            self.href(path)
        } else {
            self.absolute(path)
        }
    }

    /// The base URLs of the site.
    pub fn hosts(&self) -> Hosts<'_> {
        Hosts {
            main: &self.base_url,
            languages: &self.hosts,
        }
    }

    /// The absolute URL of a path of the site, percent-encoded, on the host of its language.
    pub fn absolute(&self, path: &str) -> String {
        [self.hosts().of_path(path), &percent_encoded(path)].concat()
    }

    /// The absolute URL of an address that has the base path already, such as that of a picture. A whole address stays as
    /// it is.
    pub fn absolute_href(&self, href: &str) -> String {
        if !href.starts_with(['/', '?', '#']) {
            return href.to_owned();
        }
        let path = href.strip_prefix(self.base_path.as_str()).unwrap_or(href);
        // Encoded characters stay as they are.
        [
            self.hosts().of_path(path),
            &*Cow::from(percent_encoding::utf8_percent_encode(path, UNSAFE)),
        ]
        .concat()
    }

    /// The page of a key in a locale, if it is translated.
    pub fn page(&self, key: &str, locale: usize) -> Option<usize> {
        self.by_key
            .get(&*composed(key))?
            .get(locale)
            .copied()
            .flatten()
    }

    /// The translations of a page for `hreflang`, its own language included. Empty for a page in one language only, and
    /// for a page with `noindex`.
    pub fn alternates(&self, site: &Site, page: &Page) -> Vec<Alternate> {
        let Some(pages) = self
            .by_key
            .get(&page.key)
            .filter(|_| !page.noindex && !page.is_fallback)
        else {
            return Vec::new();
        };
        let listed: Vec<(usize, &Page)> = pages
            .iter()
            .enumerate()
            .filter_map(|(locale, index)| Some((locale, &site.pages[(*index)?])))
            .filter(|(_, page)| !page.noindex && !page.is_fallback)
            .collect();
        if listed.len() < 2 {
            return Vec::new();
        }
        let alternate = |hreflang: &str, page: &Page| Alternate {
            hreflang: hreflang.to_owned(),
            url: self.absolute(&page.path),
        };
        let mut alternates: Vec<Alternate> = listed
            .iter()
            .map(|(locale, page)| alternate(&site.locales[*locale].language, page))
            .collect();
        alternates.push(alternate("x-default", listed[0].1));
        alternates
    }

    /// The target of the language switch of a page: its translation, or the home page of the other language.
    pub fn translation(&self, site: &Site, page: &Page, locale: usize) -> String {
        let pages = self
            .by_key
            .get(&page.key)
            .filter(|_| page.status == Status::Found);
        let translated = pages.and_then(|pages| pages[locale]);
        translated.map_or_else(
            || self.home(site, locale),
            |index| site.pages[index].path.value.clone(),
        )
    }

    /// The address of a language's home page, which is the prefix of the language.
    pub fn home(&self, site: &Site, locale: usize) -> String {
        format!("{}/", site.locales[locale].prefix)
    }
}

/// The folder of the index of the search.
const INDEX: &str = "pagefind/";

/// Files of `dist/` that configure a host. sitegen generates them, so `static/` cannot contain them.
pub const HOST_FILES: [&str; 2] = ["_headers", "_redirects"];

/// A percent-encoded path. [`Routes::href`] makes it an address of a page.
///
/// ```
/// assert_eq!(site::routes::encoded("/es/blog/tag/automatización/"), "/es/blog/tag/automatizaci%C3%B3n/");
/// ```
pub fn encoded(path: &str) -> String {
    percent_encoded(path).into_owned()
}

/// The characters that must be encoded in a path, according to <https://url.spec.whatwg.org/#path-percent-encode-set>
/// and RFC 3986, and those that would end it or be taken for an encoding: files may have any of them in their names.
const ENCODED: &percent_encoding::AsciiSet = &UNSAFE.add(b'#').add(b'%').add(b'?');

/// The characters that no address may have.
const UNSAFE: &percent_encoding::AsciiSet = &percent_encoding::CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Borrowed if nothing had to be encoded, which is the usual case.
fn percent_encoded(path: &str) -> Cow<'_, str> {
    percent_encoding::utf8_percent_encode(path, ENCODED).into()
}

/// The file below `dist/` that an address is served from.
///
/// ```
/// assert_eq!(site::routes::file_of("/es/servicios/"), "es/servicios/index.html");
/// assert_eq!(site::routes::file_of("/404.html"), "404.html");
/// ```
pub fn file_of(path: &str) -> String {
    let path = path.trim_start_matches('/');
    if path.is_empty() || path.ends_with('/') {
        [path, "index.html"].concat()
    } else {
        path.to_owned()
    }
}

/// The claimant of each file of `dist/`. Claims are by file, because `/about/` and `/about/index.html` are the same.
#[derive(Default)]
struct RouteClaims<'a>(HashMap<String, Claimant<'a>>);

/// The origin of an address.
#[derive(Clone, Copy)]
enum Claimant<'a> {
    /// The place in a source file where the address is written.
    Written(&'a Source, Span),
    /// A file of `static/`, by its path there.
    Static(&'a str),
    /// A file that sitegen writes, which one of `static/` may replace if it `gives_way`.
    Generated { gives_way: bool },
}

impl Claimant<'_> {
    fn is_static(self) -> bool {
        matches!(self, Claimant::Static(_))
    }

    /// The place for a problem. Computed only when it is needed, because there are tens of thousands of claims.
    fn place(self) -> Place {
        match self {
            Claimant::Written(source, span) => source.place(span),
            Claimant::Static(path) => Place::file(format!("static/{path}")),
            Claimant::Generated { .. } => Place::file("sitegen"),
        }
    }

    /// The problem of an address that another claimant has.
    fn taken(self, path: &str, by: Claimant) -> Problem {
        let problem = match by {
            Claimant::Generated { .. } => {
                let file = path.trim_end_matches('/');
                let message = format!("sitegen writes the file `{file}` itself");
                Problem::error(Code::PathTaken, message).hint("choose another URL")
            }
            by => {
                let message = format!("the URL `{path}` is already taken");
                Problem::error(Code::PathTaken, message).hint(has_it(&by.place()))
            }
        };
        problem.at(self.place())
    }
}

impl<'a> RouteClaims<'a> {
    /// Claims an address. Returns false and reports a problem if it is taken.
    fn claim(&mut self, path: &str, claimant: Claimant<'a>, problems: &mut Problems) -> bool {
        if let Some(folder) = reserved_folder(path, claimant.is_static()) {
            let message = format!("the URLs below `/{folder}/` are reserved for sitegen");
            let problem = Problem::error(Code::PathTaken, message).at(claimant.place());
            problems.push(problem.hint(format!(
                "choose another URL, such as `/about-{}/`",
                folder.trim_start_matches('_')
            )));
            return false;
        }
        let file = file_of(path);
        if let Some(other) = self.0.get(&file).copied() {
            let is_replaced =
                claimant.is_static() && matches!(other, Claimant::Generated { gives_way: true });
            if !is_replaced {
                // Two files of `static/` are reported as sources.
                if !claimant.is_static() || !other.is_static() {
                    problems.push(claimant.taken(path, other));
                }
                return false;
            }
        }
        self.0.insert(file, claimant);
        true
    }

    /// Reports addresses whose files are one on some systems: `static/About/index.html` and the page `/about/`.
    fn check_alike(&self, problems: &mut Problems) {
        for (_, files) in alike(self.0.keys().map(String::as_str)) {
            let mut claims: Vec<(&str, Claimant)> =
                files.into_iter().map(|file| (file, self.0[file])).collect();
            claims.sort_by_key(|(_, claimant)| claimant.is_static());
            for pair in claims.windows(2).filter(|pair| !pair[0].1.is_static()) {
                let [(first, other), (second, claimant)] = [pair[0], pair[1]];
                problems
                    .push(one_file([first, second], claimant.place()).hint(has_it(&other.place())));
            }
        }
    }

    /// Reports files that have the path of a folder: `static/about` and the page `/about/`.
    fn check_folders(&self, problems: &mut Problems) {
        // Pages are `index.html` in their folders, so few files can conflict with a folder.
        let plain: BTreeMap<Cow<str>, &Claimant> = self
            .0
            .iter()
            .filter(|(file, _)| !file.ends_with("/index.html"))
            .map(|(file, claimant)| (folded(file.as_str()), claimant))
            .collect();
        let conflicts = self.0.iter().filter_map(|(file, claimant)| {
            let form = folded(file.as_str());
            let mut folders = form.match_indices('/').map(|(at, _)| &form[..at]);
            let other = *folders.find_map(|folder| plain.get(folder))?;
            Some((
                format!("/{}", file.trim_end_matches("index.html")),
                claimant,
                other,
            ))
        });
        let mut conflicts: Vec<_> = conflicts.collect();
        conflicts.sort_unstable_by(|(a, ..), (b, ..)| a.cmp(b));
        for (path, claimant, other) in conflicts {
            problems.push(claimant.taken(&path, *other));
        }
    }
}

/// The files that sitegen writes beside pages and what they load, and whether a file of `static/` may replace each.
fn generated(settings: &SiteSettings, site: &Site) -> Vec<(String, bool)> {
    const ICONS: [&str; 5] = [
        "favicon.png",
        "apple-touch-icon.png",
        "icon-192.png",
        "icon-512.png",
        "icon-maskable-512.png",
    ];
    let mut files = vec![("robots.txt".to_owned(), true)];
    if settings.is_indexed() {
        files.push(("sitemap.xml".to_owned(), true));
        files.extend(settings.llms_txt.then(|| ("llms.txt".to_owned(), true)));
    }
    if settings.icon.is_some() {
        files.extend(ICONS.map(|icon| (icon.to_owned(), true)));
        for locale in &site.locales {
            let path = format!("{}/site.webmanifest", locale.prefix);
            files.push((file_of(&path), true));
        }
    }
    let of_blog = site.blog.languages.values().map(|language| language.list.0);
    if settings.blog.search && !site.blog.languages.is_empty() {
        files.push(("build.json".to_owned(), false));
    }
    let with_feed = site.collections.list.iter();
    let of_collections = with_feed
        .filter(|collection| collection.schema.feed.is_some())
        .flat_map(|collection| collection.lists.iter().flatten())
        .map(|place| place.page);
    for list in of_blog.chain(of_collections) {
        let folder = &site.pages[list].path.value;
        files.extend(redirects::FEEDS.map(|feed| (file_of(&format!("{folder}{feed}")), true)));
    }
    files
}

/// The problem of each collection whose feeds another list on the same page has.
fn feeds_of_one_page(site: &Site) -> Problems {
    let of_blog = site.blog.languages.values();
    let mut taken: BTreeMap<usize, &str> =
        of_blog.map(|language| (language.list.0, POSTS)).collect();
    let mut problems = Problems::new();
    for collection in &site.collections.list {
        let name = collection.schema.name;
        if collection.schema.feed.is_none() {
            continue;
        }
        let other = collection.lists.iter().flatten().find_map(|place| {
            let other = taken
                .insert(place.page, name)
                .filter(|other| *other != name);
            other.map(|other| (place.page, other))
        });
        if let Some((page, other)) = other {
            let message = format!(
                "the page `{}` lists `{other}` and `{name}`, so their feeds would have the same URLs",
                site.pages[page].key
            );
            problems.push(
                Problem::error(Code::PathTaken, message)
                    .at(Place::file(Kind::Collection.file(name, "")))
                    .hint("list one of the two on another page, or remove `feed` from its schema"),
            );
        }
    }
    problems
}

fn has_it(other: &Place) -> String {
    let at = other
        .range
        .map(|range| format!(":{}:{}", range.start.line, range.start.column))
        .unwrap_or_default();
    format!(
        "`{}{at}` uses it; choose another URL for one of the two",
        other.path
    )
}

/// Plans all addresses and checks all links.
pub fn plan(settings: &SiteSettings, site: &Site) -> (Routes, Problems) {
    let mut problems = Problems::new();
    // Sorted at once, which is faster than to insert one by one.
    let mut by_path = Vec::with_capacity(site.pages.len());
    let mut by_key: HashMap<String, Vec<Option<usize>>> = HashMap::with_capacity(site.pages.len());
    let mut claims = RouteClaims(HashMap::with_capacity(site.pages.len()));
    for (file, gives_way) in generated(settings, site) {
        claims.0.insert(file, Claimant::Generated { gives_way });
    }
    problems.extend(feeds_of_one_page(site));
    for (index, page) in site.pages.iter().enumerate() {
        let locale = site.locale_index(&page.locale);
        by_key
            .entry(page.key.clone())
            .or_insert_with(|| vec![None; site.locales.len()])[locale] = Some(index);
        let own = std::iter::once((&page.path, true))
            .chain(page.also_at.iter().map(|path| (path, false)));
        let below = answers_below_problem(settings, page);
        if let Some(problem) = below {
            problems.push(problem);
            continue;
        }
        for (path, canonical) in own {
            // A wrong address is not claimed, so that its consequences are not reported as further mistakes.
            if let Some(problem) = path_problem(settings, page, path) {
                problems.push(problem);
            } else if claims.claim(
                &path.value,
                Claimant::Written(&page.source, path.span),
                &mut problems,
            ) {
                by_path.push((
                    path.value.clone(),
                    Route::Page {
                        page: index,
                        canonical,
                    },
                ));
            }
        }
    }
    for file in &site.static_files {
        let claimant = Claimant::Static(&file.path);
        if file.path.chars().any(char::is_control) {
            problems.push(
                Problem::error(
                    Code::BadPath,
                    "the name of this file contains a control character",
                )
                .at(claimant.place())
                .hint("rename it"),
            );
        } else if HOST_FILES.contains(&&*folded(&file.path)) {
            let message = format!("sitegen writes `{}` itself", file.path);
            let hint =
                "remove the file, and set `headers` and `redirects` in `content/site.yaml` instead";
            problems.push(
                Problem::error(Code::PathTaken, message)
                    .at(claimant.place())
                    .hint(hint),
            );
        } else if settings.search.is_some() && folded(&file.path).starts_with(INDEX) {
            let message =
                format!("sitegen writes the files in `{INDEX}` itself, for this site's search");
            let problem = Problem::error(Code::PathTaken, message).at(claimant.place());
            problems.push(problem.hint("move the file to another folder"));
        } else if claims.claim(&format!("/{}", file.path), claimant, &mut problems) {
            by_path.push((format!("/{}", file.path), Route::Static));
        }
    }
    let mut routes = Routes {
        by_path: by_path.into_iter().collect(),
        by_query: BTreeMap::new(),
        by_folder: BTreeMap::new(),
        temporary: BTreeSet::new(),
        gone: BTreeSet::new(),
        by_key,
        base_url: settings.base_url().to_owned(),
        hosts: settings.hosts().languages.to_vec(),
        base_path: settings.base_path().to_owned(),
    };
    check_homes(settings, site, &routes, &mut problems);
    redirects::plan(settings, site, &mut routes, &mut claims, &mut problems);
    expired::plan(site, &mut routes, &claims);
    absent::plan(site, &mut routes, &claims, &mut problems);
    claims.check_alike(&mut problems);
    claims.check_folders(&mut problems);
    links::check(settings, site, &routes, &mut problems);
    (routes, problems)
}

/// A path like one that an author wrote, as the other rules for paths want it.
fn suggested_path(prefix: &str, text: &str, is_file: bool) -> String {
    let language = prefix.trim_start_matches('/');
    let parts: Vec<String> = text
        .split('/')
        .enumerate()
        .filter(|(at, part)| !(part.is_empty() || *at == 0 && *part == language))
        .map(|(_, part)| match Slug::of(part) {
            Some(slug) if !is_file => slug.into_string(),
            _ => part.to_owned(),
        })
        .collect();
    match (parts.is_empty(), is_file) {
        (true, _) => format!("{prefix}/"),
        (false, true) => format!("{prefix}/{}", parts.join("/")),
        (false, false) => format!("{prefix}/{}/", parts.join("/")),
    }
}

fn path_problem(settings: &SiteSettings, page: &Page, path: &Spanned<String>) -> Option<Problem> {
    let text = path.value.as_str();
    let bad = |message: String, hint: String| {
        Some(
            Problem::error(Code::BadPath, message)
                .at(page.source.place(path.span))
                .hint(hint),
        )
    };
    let prefix = settings.prefix(&page.locale);
    let is_error = page.status != Status::Found;
    if !text.starts_with('/') {
        return bad(
            format!("the URL `{text}` does not begin with a slash"),
            format!("write `{}`", suggested_path(&prefix, text, is_error)),
        );
    }
    if is_error {
        let file = format!("/{}.html", page.status.number());
        // A copy of an error page in another folder answers for addresses below that folder.
        let copy = text
            .strip_suffix(file.as_str())
            .filter(|_| *text != page.path.value);
        if let Some(folder) = copy {
            let folder = format!("{folder}/");
            return match paths::segments_problem(&folder) {
                Some((message, _)) => bad(
                    message,
                    format!("write a URL such as `{prefix}/blog/tag{file}`"),
                ),
                None => locale_problem(settings, page, &folder)
                    .and_then(|(message, hint)| bad(message, hint)),
            };
        }
        let below = page
            .answers_below
            .as_ref()
            .map_or_else(|| format!("{prefix}/"), |below| below.value.clone());
        let wanted = format!("{below}{}.html", page.status.number());
        return (text != wanted)
            .then(|| {
                bad(
                    format!(
                        "the {} page is served from `{wanted}`",
                        page.status.number()
                    ),
                    format!("write `path: {wanted}`"),
                )
            })
            .flatten();
    }
    if !text.ends_with('/') {
        return bad(
            format!("the URL `{text}` does not end with a slash"),
            format!("write `{text}/`"),
        );
    }
    // The name of a tag may contain any letter; its slug has no characters that would end a segment.
    if !matches!(page.body, Body::Blog(_))
        && let Some((message, hint)) = paths::segments_problem(text)
    {
        return bad(message, hint);
    }
    locale_problem(settings, page, text).and_then(|(message, hint)| bad(message, hint))
}

/// The problem with a path that does not belong to the page's own locale, and the hint.
fn locale_problem(settings: &SiteSettings, page: &Page, path: &str) -> Option<(String, String)> {
    let prefix = settings.prefix(&page.locale);
    if !path
        .strip_prefix(prefix.as_str())
        .is_some_and(|below| below.is_empty() || below.starts_with('/'))
    {
        return Some((
            format!(
                "the URL of a page in the locale `{}` must begin with `{prefix}/`",
                page.locale
            ),
            format!("write `{prefix}{path}`"),
        ));
    }
    let foreign = settings.locales.iter().find(|code| {
        code.value != page.locale
            && code.value != settings.default_locale()
            && path
                .strip_prefix(&settings.prefix(&code.value))
                .is_some_and(|below| below.starts_with('/'))
    });
    foreign.map(|code| {
        (
            format!(
                "`{}/` is the prefix of another locale",
                settings.prefix(code)
            ),
            format!(
                "move the page to `content/pages/{}/{}.yaml`, or change its URL",
                page.key, code.value
            ),
        )
    })
}

/// The problem with `answers_below` of a page.
fn answers_below_problem(settings: &SiteSettings, page: &Page) -> Option<Problem> {
    let below = page.answers_below.as_ref()?;
    let text = below.value.as_str();
    let (message, hint) = if page.status != Status::NotFound {
        let message = "only a page with `status: 404` can have `answers_below`".to_owned();
        (
            message,
            "add `status: 404`, or remove `answers_below`".to_owned(),
        )
    } else if !text.starts_with('/') || !text.ends_with('/') {
        let message = format!("`{text}` must begin and end with a slash");
        (message, format!("write `/{}/`", text.trim_matches('/')))
    } else if let Some(problem) = paths::segments_problem(text) {
        problem
    } else {
        locale_problem(settings, page, text)?
    };
    Some(
        Problem::error(Code::BadPath, message)
            .at(page.source.place(below.span))
            .hint(hint),
    )
}

/// Reports languages without a home page, to which the language switch of untranslated pages links.
fn check_homes(settings: &SiteSettings, site: &Site, routes: &Routes, problems: &mut Problems) {
    for (index, locale) in site.locales.iter().enumerate() {
        let home = routes.home(site, index);
        let is_unread = site.broken_pages.iter().any(|page| {
            page.locale == locale.code && (page.paths.is_empty() || page.paths.contains(&home))
        });
        // A page whose URL is wrong, which was reported, may be the home page.
        let is_misplaced = || {
            site.pages.iter().any(|page| {
                page.locale == locale.code && path_problem(settings, page, &page.path).is_some()
            })
        };
        if !matches!(routes.get(&home), Some(Route::Page { .. })) && !is_unread && !is_misplaced() {
            let near = site
                .pages
                .iter()
                .filter(|page| page.locale == locale.code)
                .map(|page| page.path.value.as_str());
            let problem = Problem::error(
                Code::BadPath,
                format!("the locale `{}` has no home page at `{home}`", locale.code),
            )
            .at(Place::file(Kind::Page.folder()))
            .hint(format!(
                "add `content/pages/home/{}.yaml` with `path: {home}`",
                locale.code
            ));
            problems.push(
                problem
                    .maybe_hint(did_you_mean(&home, near).filter(|hint| hint.starts_with("did"))),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use percent_encoding::percent_decode_str;

    use schema::types::Slug;

    use super::{encoded, file_of};

    proptest::proptest! {
        #[test]
        fn any_name_has_a_slug_that_is_valid_in_paths_and_urls(name in "(\\PC|[ -~./%\u{0}-\u{1f}\u{ad}\u{202e}ñİΣ\u{301}]){0,80}") {
            let slug = Slug::or_hash(&name, "tag").into_string();
            assert!(Slug::is(&slug), "{slug:?} is not its own slug");
            assert!(slug.len() <= 200 && !slug.starts_with('.') && !slug.contains(['/', '\\', '\0', '?', '#', '%']));
            // A browser that requests the published folder sends the same slug.
            let path = format!("/blog/{slug}/");
            let url = reqwest::Url::parse("https://a.example/").and_then(|base| base.join(&encoded(&path)));
            let url = url.expect("an address");
            let requested = percent_decode_str(url.path()).decode_utf8().expect("UTF-8");
            assert_eq!(requested, path);
            let file = file_of(&requested);
            assert_eq!(file, format!("blog/{slug}/index.html"));
            assert!(std::path::Path::new(&file).components().all(|part| matches!(part, std::path::Component::Normal(_))));
        }
    }
}
