//! Rules of the codebase: module dependencies, file comments, file sizes, forbidden words.

mod source;

use std::collections::{BTreeMap, BTreeSet};

use crate::site_test::{each, files_below, repository};

use source::{Modules, crates, is_within, joined, mentions, modules, paths, target};

/// Text files below a folder of the repository, by path.
fn texts(folder: &str, endings: &[&str]) -> BTreeMap<String, String> {
    files_below(&repository().join(folder))
        .into_iter()
        .filter(|(path, _)| endings.iter().any(|ending| path.ends_with(ending)))
        .filter_map(|(path, bytes)| Some((format!("{folder}/{path}"), String::from_utf8(bytes).ok()?)))
        .collect()
}

/// All Rust sources of the workspace, by path.
fn sources() -> BTreeMap<String, String> {
    texts("src", &[".rs"]).into_iter().chain(texts("crates", &[".rs"])).collect()
}

/// The module at the top of a crate that a module belongs to: `routes` for `routes::links`.
fn room(module: &str) -> &str {
    module.split("::").next().unwrap_or_default()
}

/// The modules at the top of the crates that read a site and run the stages, and which others of their crate each of them uses,
/// by whichever path: `crate::routes`, `super::super::routes`. Cargo knows the arrows between crates.
fn arrows_in_code() -> BTreeMap<String, BTreeSet<String>> {
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for folder in ["crates/site/src", "crates/generator/src"] {
        let modules = modules(folder);
        for (module, code) in modules.iter().filter(|(module, _)| !module.is_empty()) {
            let targets = paths(code).into_iter().filter_map(|path| target(&modules, module, &path));
            let rooms = targets.map(|target| room(&target).to_owned());
            let others = rooms.filter(|to| !to.is_empty() && to != room(module));
            arrows.entry(room(module).to_owned()).or_default().extend(others);
        }
    }
    arrows
}

/// The crates of this repository that each of them uses, from its manifest.
fn crates_in_manifests() -> BTreeMap<String, BTreeSet<String>> {
    let all = crates();
    let uses = |file: &str| -> BTreeSet<String> {
        let text = std::fs::read_to_string(repository().join(file)).expect("a manifest");
        let list = text.split("\n[dependencies]\n").nth(1).unwrap_or_default().split("\n[").next().unwrap_or_default();
        let names = list.lines().filter_map(|line| line.split(['.', ' ']).next());
        names.filter(|name| all.contains_key(*name) && !name.is_empty()).map(str::to_owned).collect()
    };
    let of = |name: &String| match name.as_str() {
        "" => ("sitegen".to_owned(), uses("Cargo.toml")),
        name => (name.to_owned(), uses(&format!("crates/{name}/Cargo.toml"))),
    };
    all.keys().map(of).collect()
}

#[test]
fn crates_use_each_other_as_documented() {
    let text = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")).filter_map(|line| line.split_once("` |"));
    let rows = rows.filter(|(name, _)| name.starts_with("crates/") || *name == "src/");
    let documented: BTreeMap<String, BTreeSet<String>> = rows
        .map(|(name, rest)| {
            let names = rest.split('|').next().unwrap_or_default().split([',', ' ', '`']);
            let name = name.strip_prefix("crates/").unwrap_or("sitegen");
            (name.to_owned(), names.filter(|name| !name.is_empty()).map(str::to_owned).collect())
        })
        .collect();
    assert_eq!(crates_in_manifests(), documented, "manifests (left) and the table in ARCHITECTURE.md (right)");
}

/// The fenced table of ARCHITECTURE.md, with lines such as `routes → model config problem`.
fn arrows_in_document() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let table =
        text.split("```arrows\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the fenced table of arrows");
    table
        .lines()
        .filter_map(|line| line.split_once('→'))
        .map(|(from, to)| {
            (
                from.trim().to_owned(),
                to.split_whitespace().filter(|name| *name != "(nothing)").map(str::to_owned).collect(),
            )
        })
        .collect()
}

#[test]
fn modules_use_each_other_as_documented() {
    let (code, document) = (arrows_in_code(), arrows_in_document());
    for (from, to) in &code {
        let documented =
            document.get(from).unwrap_or_else(|| panic!("the table in ARCHITECTURE.md has no line for `{from}`"));
        assert_eq!(to, documented, "the modules that `{from}` uses (left) differ from ARCHITECTURE.md (right)");
    }
    assert_eq!(code.keys().collect::<Vec<_>>(), document.keys().collect::<Vec<_>>());
}

/// Which modules use a sibling, and where. Siblings are modules below the same one.
type Siblings = BTreeMap<String, BTreeMap<String, String>>;

fn arrows_between_siblings(modules: &Modules) -> Siblings {
    let mut arrows = Siblings::new();
    for (module, code) in modules {
        for path in paths(code) {
            let Some(target) = target(modules, module, &path) else { continue };
            let Some((from, to)) = siblings(module, &target) else { continue };
            let place = || format!("`{}` in {module}", path.join("::"));
            arrows.entry(from).or_default().entry(to).or_insert_with(place);
        }
    }
    arrows
}

/// The siblings that two modules belong to: `a::b` and `a::c` for `a::b::d` and `a::c`. `None` if one of the modules is
/// the other or below it.
fn siblings(one: &str, other: &str) -> Option<(String, String)> {
    if is_within(one, other) || is_within(other, one) {
        return None;
    }
    let (one, other): (Vec<&str>, Vec<&str>) = (one.split("::").collect(), other.split("::").collect());
    let shared = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    Some((one[..=shared].join("::"), other[..=shared].join("::")))
}

/// A circle of arrows, a line for each.
fn circle(mut arrows: Siblings) -> Option<String> {
    let is_done = |arrows: &Siblings, to: &BTreeMap<String, String>| !to.keys().any(|to| arrows.contains_key(to));
    while let Some(done) = arrows.iter().find(|(_, to)| is_done(&arrows, to)).map(|(from, _)| from.clone()) {
        arrows.remove(&done);
    }
    // Each module that is left uses another one that is left, so a way among them comes back to where it was.
    let mut from = arrows.keys().next()?;
    let mut way: Vec<(&String, String)> = Vec::new();
    loop {
        if let Some(start) = way.iter().position(|(earlier, _)| *earlier == from) {
            let lines: Vec<&str> = way[start..].iter().map(|(_, line)| line.as_str()).collect();
            return Some(lines.join("\n"));
        }
        let (to, place) = arrows[from].iter().find(|(to, _)| arrows.contains_key(*to))?;
        way.push((from, format!("  {from} → {to}: {place}")));
        from = to;
    }
}

/// `Word` is what the check for unused interface messages knows of Rust code.
#[test]
fn messages_that_code_reads_are_listed() {
    let code: String =
        sources().into_iter().filter(|(path, _)| !path.ends_with("src/locale.rs")).map(|(_, text)| text).collect();
    for word in languages::locale::Word::ALL {
        let name = format!("Word::{word:?}");
        assert!(code.contains(&format!("{name},")) || code.contains(&format!("{name})")), "nothing uses `{name}`");
    }
    assert!(!code.contains(".word(\""), "call `own_word`, so that the message is not reported as unused");
}

#[test]
fn modules_have_no_cycles() {
    let mut circles = Vec::new();
    for (name, modules) in crates() {
        let circle = circle(arrows_between_siblings(&modules));
        circles.extend(circle.map(|lines| format!("`{name}` has a circle:\n{lines}")));
    }
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn a_circle_is_traced() {
    let module = |path: &str, code: &str| (path.to_owned(), code.to_owned());
    let modules = Modules::from([
        module("", "mod a; mod b;"),
        module("a", "mod x; use crate::b::{self, z::Z}; pub struct A;"),
        module("a::x", "use super::A; use super::super::b::y::f; use crate::a;"),
        module("b", "mod y; mod z;"),
        module("b::y", "use super::z::Z;"),
        module("b::z", "fn f() -> super::y::Y {}"),
    ]);
    let lines = "  b::y → b::z: `super::z::Z` in b::y\n  b::z → b::y: `super::y::Y` in b::z";
    assert_eq!(circle(arrows_between_siblings(&modules)).as_deref(), Some(lines));
}

#[test]
fn every_file_begins_with_a_description() {
    for (path, text) in each(sources().into_iter().chain(texts("tests/it", &[".rs"])), 600) {
        assert!(text.starts_with("//! "), "{path} does not begin with a `//!` line");
    }
    for (path, text) in each(texts("react", &[".ts", ".tsx"]), 80) {
        assert!(text.starts_with("// ") || text.starts_with("/**"), "{path} does not begin with a comment");
    }
}

#[test]
fn files_stay_small_enough_to_read() {
    let mut sizes: Vec<(usize, String)> =
        sources().into_iter().map(|(path, text)| (text.lines().count(), path)).collect();
    sizes.sort();
    for (lines, path) in &sizes {
        assert!(*lines <= 600 || path.ends_with("content/sections.rs"), "{path} has {lines} lines: split it");
    }
    let nine_of_ten = &sizes[sizes.len() * 9 / 10 - 1];
    assert!(nine_of_ten.0 <= 400, "more than a tenth of the files have over 400 lines, such as {nine_of_ten:?}");
}

#[test]
fn file_names_are_specific() {
    let folders = ["src", "crates", "react"].iter();
    for path in each(folders.flat_map(|folder| files_below(&repository().join(folder)).into_keys()), 700) {
        for word in ["util", "common", "misc", "helper", "manager", "processor", "service"] {
            assert!(!path.to_lowercase().contains(word), "{path}");
        }
    }
}

/// Interface messages belong in content. Any letters between tags count as text.
#[test]
fn templates_contain_no_visible_text() {
    for (path, text) in each(texts("templates", &[".html"]), 70) {
        let mut plain = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find('{') {
            plain.push_str(&rest[..at]);
            let close = match rest.as_bytes().get(at + 1) {
                Some(b'{') => "}}",
                Some(b'%') => "%}",
                Some(b'#') => "#}",
                _ => "{",
            };
            rest = rest[at..].find(close).map_or("", |end| &rest[at + end + close.len()..]);
        }
        plain.push_str(rest);
        for part in plain.split('>').skip(1) {
            let words = part.split('<').next().unwrap_or_default();
            // A macro may consist of attributes, which are inserted into a tag elsewhere.
            let words: Vec<&str> = words.split_whitespace().filter(|word| !word.contains("=\"")).collect();
            let words = words.join(" ").replace("&nbsp;", "").replace("&copy;", "");
            assert!(
                !words.chars().any(char::is_alphabetic),
                "{path} contains the text {:?}: move it to content/locales",
                words.trim()
            );
        }
        for attribute in ["alt=\"", "aria-label=\"", "placeholder=\"", "title=\""] {
            for value in text.split(attribute).skip(1).map(|rest| rest.split('"').next().unwrap_or_default()) {
                assert!(value.is_empty() || value.contains('{'), "{path}: {attribute}{value}\" contains text");
            }
        }
    }
}

/// The generator does not depend on a company.
#[test]
fn the_brand_is_in_content_only() {
    let settings = std::fs::read_to_string(repository().join("content/site.yaml")).expect("site.yaml");
    let slug = settings
        .lines()
        .find_map(|line| line.trim().strip_prefix("slug: "))
        .expect("the product's slug")
        .trim()
        .to_owned();
    let places = ["src", "crates", "templates", "react", "tests"];
    for (path, text) in places
        .iter()
        .flat_map(|folder| texts(folder, &[".rs", ".html", ".css", ".ts", ".tsx", ".mjs", ".yaml", ".txt"]))
    {
        assert!(!text.to_lowercase().contains(&slug), "{path} names the brand");
    }
    // In content, the slug may be a common word, but the name as it is written is not allowed.
    let name = settings.lines().find_map(|line| line.trim().strip_prefix("name: ")).expect("the product's name").trim();
    let pages = texts("content", &[".yaml"]);
    for (path, text) in pages.iter().filter(|(path, _)| !path.ends_with("site.yaml")) {
        assert!(!text.contains(name), "{path} names the brand: write {{product.name}}");
    }
}

/// What reads files, or looks at them.
const READS: &[&str] = &[
    "fs::Dir",
    "fs::canonicalize",
    "fs::exists",
    "fs::fstat",
    "fs::metadata",
    // As they are used here; they could create files.
    "fs::open",
    "fs::openat",
    "fs::openat2",
    "fs::read",
    "fs::read_dir",
    "fs::read_link",
    "fs::read_to_string",
    "fs::stat",
    "fs::statat",
    "fs::statfs",
    "fs::symlink_metadata",
    ".canonicalize",
    ".exists",
    ".is_dir",
    ".is_file",
    ".is_symlink",
    ".metadata",
    ".read_dir",
    ".read_link",
    ".symlink_metadata",
    ".try_exists",
    "Clock::of",
    "File::open",
    "FileState::hashed",
    "FileState::settled",
    "ServeDir::new",
    "ServeFile::new",
    "Tree::of",
    "WalkDir::new",
    "sources::kept_value",
    "cache::usage",
    "fs::lstat",
    ".open_file",
    ".read_bytes",
    ".read_listed",
    ".read_text",
    "files::before_change",
    "files::is_one_file_system",
    "memmap2",
];

/// What writes files, or changes folders.
const WRITES: &[&str] = &[
    "fs::copy",
    "fs::create_dir",
    "fs::create_dir_all",
    "fs::hard_link",
    "fs::remove_dir",
    "fs::remove_dir_all",
    "fs::remove_file",
    "fs::rename",
    "fs::renameat_with",
    "fs::set_permissions",
    "fs::symlink",
    "fs::write",
    "Connection::open_with_flags",
    "DirBuilder::new",
    "File::create",
    "File::create_new",
    "File::options",
    "OpenOptions::new",
    "sources::keep_value",
    "cache::keep",
    "cache::keep_with",
    "cache::prune",
    "cache::remove_all",
    "files::SourceWriter",
    "files::Transaction",
    "files::create_cache_folder",
    "files::duplicate",
    "files::recover_sources",
    "files::rewrite",
    "io::copy",
    "tempfile",
];

/// What neither reads nor writes, among the names of modules that are for files.
const NEITHER: &[&str] = &[
    "cache::FORMS",
    // The store reads and writes by itself, for each module that has a value worth keeping.
    "cache::Kind",
    "cache::Place",
    "cache::Removed",
    "cache::Store",
    "cache::Usage",
    "cache::self",
    "cache::shared_entries",
    "cache::unique_name",
    // The command `sitegen cache`.
    "cache::CacheArguments",
    "cache::cache",
    "fs::AtFlags",
    "fs::CWD",
    "fs::DirBuilder",
    "fs::DirBuilderExt",
    "fs::DirEntry",
    "fs::File",
    "fs::FileExt",
    "fs::FileType",
    "fs::Metadata",
    "fs::MetadataExt",
    "fs::Mode",
    "fs::OFlags",
    "fs::OpenOptions",
    "fs::OpenOptionsExt",
    "fs::PermissionsExt",
    "fs::RenameFlags",
    "fs::ResolveFlags",
    "fs::Stat",
    "fs::TryLockError",
    "fs::os",
    "fs::self",
    "files::BESIDE",
    "files::CACHE",
    "files::Change",
    "files::Draft",
    "files::Clock",
    "files::FileLock",
    "files::FileSet",
    "files::FileState",
    "files::Overlay",
    "files::absolute",
    "files::SOURCES",
    "files::SourceChange",
    "files::Stamp",
    "files::TEXT_LIMIT",
    "files::Tree",
    "files::is_litter",
    "files::nanoseconds",
    "files::not_written",
    "files::reason",
    "files::unreadable",
    "files::self",
    "files::conflict",
    "files::shown",
];

/// What a module may do outside of the program, the names by which its code shows that, and the modules and crates that
/// do it, with what is below them. ARCHITECTURE.md documents the same rules.
const ACCESS: &[(&str, &[&str], &[&str])] = &[
    (
        "reads files",
        READS,
        &[
            "api",
            "api-types",
            "assets",
            "build_cache",
            "cache",
            "cli",
            "cms",
            "config",
            "content",
            "diff",
            "exchange",
            "files",
            "graphics",
            "import",
            "indexing",
            "indexnow",
            "link_check::external",
            "locale",
            "lsp",
            "pipeline",
            "publish",
            "search-index",
            "preview",
            "sources",
            "theme",
            "verify",
        ],
    ),
    (
        "writes files",
        WRITES,
        &[
            "api",
            "assets",
            "build_cache",
            "cache",
            "cli::cache",
            "cli::changed",
            "cli::cms",
            "cli::diff",
            "cli::fmt",
            "cli::import",
            "cli::leads",
            "cli::new",
            "cli::schema",
            "cli::theme",
            "cli::translations",
            "cms::decap",
            "cms::protocol",
            "config",
            "exchange::import",
            "content::blog",
            "content::collections::fetched",
            "content::images",
            "files",
            "import",
            "indexnow",
            "islands",
            "link_check::external",
            "pipeline",
            "publish",
            "sources",
            "theme",
            "timings",
            "verify",
        ],
    ),
    ("starts processes", &["process::Command"], &["assets", "cli::diff", "cli::translations", "cms::decap"]),
    ("opens sockets", &["tokio::net"], &["api::listen", "preview", "site-api"]),
    ("uses HTTP", &["reqwest"], &["addresses", "api", "cache::place", "content", "indexnow", "link_check::external"]),
    ("reads the environment", &["std::env"], &["api", "config"]),
    // Answers of other sites expire, and entries of the cache age; the output does not depend on them.
    ("reads the clock", &["SystemTime::now"], &["api", "cache", "config", "link_check::external"]),
];

/// The modules of `assets` and `publish` that other crates know by their own names.
const PARTS: &[&str] = &["build_cache", "graphics", "islands", "link_check", "output", "xml"];

/// What the code of each module of all crates mentions. `fs_err` counts as `fs`, which it wraps. No module of the crates with
/// many has the name of one of another, so they have no name before it.
fn mentions_of_modules() -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::new();
    for (name, modules) in crates() {
        let has_own_names = ["site", "generator", "authoring"].contains(&name.as_str());
        for (module, code) in modules {
            let is_part = ["assets", "publish"].contains(&name.as_str()) && PARTS.contains(&room(&module));
            let name = if has_own_names || is_part { "" } else { &name };
            all.insert(joined(name, &module), mentions(&code.replace("fs_err::", "fs::")));
        }
    }
    all
}

#[test]
fn external_access_is_limited_to_documented_modules() {
    let all = mentions_of_modules();
    for (what, names, allowed) in ACCESS {
        let mut unused: BTreeSet<&str> = allowed.iter().copied().collect();
        for (module, mentions) in &all {
            let is_access = |mention: &&String| names.iter().any(|name| is_within(mention, name));
            let Some(mention) = mentions.iter().find(is_access) else { continue };
            let own = allowed.iter().find(|own| is_within(module, own));
            let own = own.unwrap_or_else(|| panic!("`{module}` {what} (`{mention}`), which belongs to {allowed:?}"));
            unused.remove(own);
        }
        assert!(unused.is_empty(), "none of {unused:?} {what}: remove it from the list");
    }
}

#[test]
fn every_way_to_read_or_write_files_is_known() {
    let known: BTreeSet<&str> = [READS, WRITES, NEITHER].concat().into_iter().collect();
    for (module, mentions) in mentions_of_modules() {
        for name in mentions.iter().filter(|name| ["fs", "files", "cache"].iter().any(|of| is_within(name, of))) {
            assert!(known.contains(name.as_str()), "{module}: does `{name}` read or write? Add it to a list above");
        }
    }
}
