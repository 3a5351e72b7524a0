//! Incremental builds: what a second build skips, and that its output equals a clean build's.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::time::SystemTime;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::TestRunner;

use crate::pictures::encoded;
use crate::site_test::{Run, SiteTest, different, files_below, repository};

/// Prints everything that a blog page receives, so that a value missing in its fingerprint shows as a difference.
const EVERYTHING: &str = "<pre>{{ page | pprint }} {{ head | pprint }} {{ languages | pprint }} {{ sections | pprint }} {{ post | pprint }} {{ author | pprint }}</pre>";

/// A site with authors, posts in both languages, and their lists.
pub fn site() -> SiteTest {
    let list = |path: &str| {
        format!(
            "path: {path}\ntitle: Notes {path}\ndescription: Notes of {path}.\nsections:\n  - kind: blog\n    label: All notes\n    title: Notes\n    lead: All.\n    \
             tagged_title: \"Notes: {{tag}}\"\n    post: \"{{title}} · Notes\"\n    tag: {{title: \"{{tag}} {path}\", description: \"On {{tag}} {path}.\"}}\n    \
             author: {{title: \"{{name}} {path}\", description: \"By {{name}} {path}.\"}}\n    further: \"{{title}}, page {{number}}\"\n"
        )
    };
    let mut site = SiteTest::small()
        .file("content/authors/ana.yaml", "name: Ana Ruiz\ndescription: {en: Writes., es: Escribe.}\n")
        .file("content/pages/notes/en.yaml", list("/notes/"))
        .file("content/pages/notes/es.yaml", list("/es/notas/"))
        .file("templates/sections/blog/blog.html", "<h1>{{ section.title }}</h1>{% for post in section.explorer.posts %}<a href=\"{{ post.link }}\">{{ post.title }}</a>{% endfor %}<pre>{{ section | pprint }} {{ page | pprint }} {{ head | pprint }} {{ languages | pprint }}</pre>{% for page in section.pages.pages %}<a href=\"{{ page.link.href }}\">{{ page.label }}</a>{% endfor %}{% for topic in section.topics %}<a href=\"{{ topic.link.href }}\">{{ topic.name }}</a>{% endfor %}\n")
        .file("content/authors/leo.yaml", "name: Leo Díaz\navatar: leo.svg\n")
        .file("content/authors/leo.svg", picture(96))
        .file("content/images/shared.svg", picture(120))
        .file("content/images/face.svg", picture(60))
        .file("templates/sections/quote/quote.html", "<p>{{ section.text }}{% if section.portrait %}<img src=\"{{ section.portrait.src }}\" alt=\"A\">{% endif %}</p>")
        .file("templates/pages/blog-post.html", format!("{{% extends \"layouts/base.html\" %}}{{% block main %}}{EVERYTHING}{}", "<h1>{{ post.title }}</h1>{{ post.body }}{% if post.author_link %}<a href=\"{{ post.author_link.href }}\">{{ post.author }}</a>{% endif %}{% if post.older %}<a href=\"{{ post.older.link.href }}\">{{ post.older.label }}</a>{% endif %}{% endblock %}\n"))
        .file("templates/pages/blog-author.html", format!("{{% extends \"layouts/base.html\" %}}{{% block main %}}{EVERYTHING}{}", "<h1>{{ author.name }}</h1>{% for post in author.posts %}<a href=\"{{ post.link.href }}\">{{ post.title }}</a>{% endfor %}{% if author.pagination.next %}<a href=\"{{ author.pagination.next.href }}\">2</a>{% endif %}{% endblock %}\n"));
    // Old assets that are kept for open pages are not part of a clean build.
    site.edit(
        "content/site.yaml",
        "locales: [en, es]",
        "locales: [en, es]\nassets: {keep_days: 0}",
    );
    for number in 0..24 {
        for (locale, words) in [("en", "first"), ("es", "primero")] {
            site = site.file(
                &format!("content/blog/{locale}/note-{number}.md"),
                post(number, words),
            );
        }
    }
    // Without a link, pages would be reported, and a build after a warning renders more than the posts that were edited.
    let about = "      to: page:about\n";
    site.edit(
        "content/site.yaml",
        about,
        &format!("{about}    - label: {{en: Notes, es: Notas}}\n      to: page:notes\n"),
    );
    site
}

fn post(number: usize, words: &str) -> String {
    let tag = ["Alpha", "Beta", "Gamma"][number % 3];
    format!(
        "---\ntitle: Note {number} {words}\ndate: 2024-{:02}-{:02}\nauthor: ana\ntags: [{tag}]\n---\nThe {words} words of note {number}.\n",
        1 + number % 12,
        1 + number
    )
}

/// The first posts are never edited, because other posts link to them.
const FIXED: usize = 3;

pub fn picture(width: usize) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} 90\"><path d=\"M0 0h9v9z\"/></svg>\n"
    )
}

/// A random variant of a post.
#[derive(Debug, Clone)]
struct PostVariant {
    title: usize,
    month: usize,
    author: &'static str,
    tags: Vec<&'static str>,
    /// Additional lines of front matter.
    keys: Vec<&'static str>,
    /// Whether it shares its key with the translation of the same number.
    is_tied: bool,
    /// Parts of the body. `{step}` and `{other}` are replaced with numbers.
    parts: Vec<&'static str>,
    /// The post that it links to.
    other: usize,
}

fn varied() -> impl Strategy<Value = PostVariant> {
    let tags =
        subsequence(vec!["Alpha", "alpha", "Beta", "Gamma", "C/D"], 0..=5).prop_map(|mut tags| {
            if tags.contains(&"Alpha") {
                tags.retain(|tag| *tag != "alpha");
            }
            tags
        });
    let keys = vec![
        "modified: 2025-01-02",
        "excerpt: The note in short.",
        "image: {src: shared.svg, alt: A shape}",
        // An expired post is not published, so links to it are dead and the build fails. This is compared as well.
        "expires_at: 2024-06-01",
        "html_budget: 40",
    ];
    let parts = vec![
        "\n## Heading {step}\n",
        "\nSee [another](page:blog/note-{other}).\n",
        "\n![A shape](shared.svg)\n",
        "\nWords of step {step}, <b>raw</b> and {product.name}.\n",
        "\n:::quote\ntext: Said in step {step}\nauthor: Ana\nrole: Lead\nportrait: {src: face.svg, alt: Ana}\n:::\n",
    ];
    let keys = subsequence(keys, 0..=3);
    let (parts, author) = (subsequence(parts, 0..=5), select(vec!["ana", "leo"]));
    let varied = (
        0..3_usize,
        1..=12_usize,
        author,
        tags,
        keys,
        proptest::bool::weighted(0.1),
        parts,
        0..FIXED,
    );
    varied.prop_map(
        |(title, month, author, tags, keys, is_tied, parts, other)| PostVariant {
            title,
            month,
            author,
            tags,
            keys,
            is_tied,
            parts,
            other,
        },
    )
}

impl PostVariant {
    fn text(&self, number: usize, step: usize) -> String {
        let PostVariant {
            title,
            month,
            author,
            tags,
            ..
        } = self;
        let mut text = format!(
            "---\ntitle: Note {number} of {title}\ndate: 2024-{month:02}-{:02}\nauthor: {author}\ntags: [{}]\n",
            1 + number,
            tags.join(", ")
        );
        self.keys.iter().for_each(|key| text.extend([key, "\n"]));
        if self.is_tied {
            text.extend(["key: tied-", &number.to_string(), "\n"]);
        }
        text.extend(["---\nThe words of note ", &number.to_string(), ".\n"]);
        for part in &self.parts {
            text += &part
                .replace("{step}", &step.to_string())
                .replace("{other}", &self.other.to_string());
        }
        text
    }
}

/// The mtime of each page.
fn times(run: &Run) -> BTreeMap<String, SystemTime> {
    let html = run
        .files()
        .into_keys()
        .filter(|path| path.ends_with(".html"));
    html.map(|path| {
        let time = fs::metadata(run.out.join(&path))
            .and_then(|meta| meta.modified())
            .expect("a file");
        (path, time)
    })
    .collect()
}

/// The pages that a build after a change rewrites.
fn written(site: &SiteTest, change: impl FnOnce(&SiteTest)) -> Vec<String> {
    let before = times(&site.built());
    change(site);
    let after = times(&site.built());
    after
        .into_iter()
        .filter(|(path, time)| before.get(path) != Some(time))
        .map(|(path, _)| path)
        .collect()
}

fn why(site: &SiteTest, page: &str) -> String {
    site.run(&["why", page]).stdout
}

#[test]
fn an_unchanged_site_writes_nothing() {
    let site = site();
    assert_eq!(written(&site, |_| ()), Vec::<String>::new());
    assert!(why(&site, "/notes/note-3/").contains("none of its inputs had changed"));
}

#[test]
fn an_edited_post_does_not_rewrite_other_pages() {
    let site = site();
    let edit =
        |site: &SiteTest| site.edit("content/blog/en/note-3.md", "words of", "other words of");
    let pages = written(&site, edit);
    // Its excerpt is generated from its text and shown in lists.
    assert!(
        pages.contains(&"notes/note-3/index.html".to_owned()),
        "{pages:?}"
    );
    assert!(
        !pages.iter().any(|page| page.starts_with("es/")),
        "{pages:?}"
    );
    assert!(
        why(&site, "/notes/note-3/").contains("the text of `blog/note-3`"),
        "{}",
        why(&site, "notes/note-3")
    );
}

/// The pages that the last build rendered.
fn rendered(site: &SiteTest) -> Vec<String> {
    site.run(&["why"])
        .stdout
        .lines()
        .filter(|line| line.starts_with('/'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn after_a_warning_about_one_post_an_edit_of_another_renders_only_that_one() {
    let site = site();
    let links = "[Read on](page:blog/note-1) and [read on](page:blog/note-2)";
    for post in ["content/blog/en/note-3.md", "content/blog/en/note-7.md"] {
        site.edit(post, "tags:", &format!("excerpt: In short, {post}.\ntags:"));
    }
    site.edit(
        "content/blog/en/note-7.md",
        "The first words",
        &format!("{links} The first words"),
    );
    let warned = |site: &SiteTest, codes: &[&str]| {
        let run = site.run(&["build"]);
        let found: Vec<String> = run
            .problems()
            .iter()
            .map(|problem| problem.split(' ').next().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(found, codes, "{}", run.stderr);
    };
    warned(&site, &["same-link-text"]);
    for words in ["second", "third"] {
        site.edit(
            "content/blog/en/note-3.md",
            " of note 3.",
            &format!(" of note 3. The {words}."),
        );
        warned(&site, &["same-link-text"]);
        assert_eq!(rendered(&site), ["/notes/note-3/"]);
    }
    // Its own warning is found again, and is gone when it is mended.
    site.edit(
        "content/blog/en/note-7.md",
        "The first words",
        "The other words",
    );
    warned(&site, &["same-link-text"]);
    site.edit("content/blog/en/note-7.md", links, "No link.");
    warned(&site, &[]);
    assert_eq!(site.run(&["build", "--verify-cache"]).status, 0);
}

#[test]
fn an_edited_text_does_not_hide_what_a_check_has_cached() {
    let site = site();
    site.built();
    // The check caches the post with its new title, which the lists of the last build do not show.
    site.edit(
        "content/blog/en/note-3.md",
        "title: Note 3 first",
        "title: Another title",
    );
    assert_eq!(site.run(&["check"]).status, 0);
    site.edit(
        "content/blog/en/note-3.md",
        "words of note 3.\n",
        "words of note 3.\n\nMore words.\n",
    );
    let files = site.built().files();
    let page = |path: &str| String::from_utf8_lossy(&files[path]).into_owned();
    assert!(page("notes/note-3/index.html").contains("More words."));
    assert!(page("notes/tag/alpha/index.html").contains("Another title"));
}

#[test]
fn a_build_that_renders_no_page_keeps_no_reasons_of_the_build_before() {
    let site = site();
    site.built();
    let text = fs::read(site.path("content/blog/en/note-3.md")).expect("a source");
    fs::write(site.path("content/blog/en/note-3.md"), text).expect("the same text at another time");
    assert!(!site.built().stdout.contains("nothing has changed"));
    assert!(
        why(&site, "/notes/note-3/").contains("none of its inputs had changed"),
        "{}",
        why(&site, "/notes/note-3/")
    );
}

#[test]
fn a_changed_template_rewrites_only_its_pages() {
    let site = site();
    let pages = written(&site, |site| {
        site.edit(
            "templates/pages/blog-author.html",
            "<h1>",
            "<h1 class=\"x\">",
        );
    });
    assert!(
        !pages.is_empty() && pages.iter().all(|page| page.contains("/author/")),
        "{pages:?}"
    );
    assert!(why(&site, "/notes/author/ana/").contains("a template that it uses"));
}

#[test]
fn a_deleted_or_modified_output_file_is_restored() {
    let site = site();
    let whole = site.built().files();
    site.remove("dist/notes/note-3/index.html");
    site.write("dist/notes/note-4/index.html", "edited by hand");
    assert!(site.built().files() == whole);
    assert!(why(&site, "/notes/note-3/").contains("its output file was missing"));
}

#[test]
fn a_damaged_manifest_is_ignored() {
    // Half of it is read only if something has changed: posts, or anything.
    for touched in ["content/blog/en/note-1.md", "content/site.yaml"] {
        for tenths in [1, 5, 9] {
            let site = site();
            let whole = site.built().files();
            for path in files_below(&site.path(".sitegen/records")).into_keys() {
                let file = site.path(".sitegen/records").join(path);
                let mut bytes = fs::read(&file).expect("a manifest");
                let at = bytes.len() * tenths / 10;
                bytes[at] ^= 0x40;
                fs::write(&file, bytes).expect("written");
            }
            let text = fs::read(site.path(touched)).expect("a source");
            fs::write(site.path(touched), text).expect("the same text at another time");
            let run = site.built();
            assert!(
                run.stderr.contains("the build cache is damaged"),
                "{touched}, {tenths}: {}",
                run.stderr
            );
            assert!(run.files() == whole, "{touched}, {tenths}");
            assert!(
                !site.built().stderr.contains("damaged"),
                "the manifest was rewritten"
            );
        }
    }
}

#[test]
fn damaged_pages_of_a_manifest_are_ignored() {
    let edits: [(&str, &str, &str, bool); 3] = [
        (
            "content/site.yaml",
            "base_url:",
            "# A comment.\nbase_url:",
            true,
        ),
        // The pages are read only if a link has changed.
        (
            "content/blog/en/note-1.md",
            "first words",
            "other words",
            false,
        ),
        (
            "content/blog/en/note-1.md",
            "first words",
            "[other](page:about) words",
            false,
        ),
    ];
    for (file, old, new, is_reported) in edits {
        let site = site();
        assert_eq!(site.built().problems(), Vec::<String>::new());
        let folder = site.path(".sitegen/records");
        let pages: Vec<_> = files_below(&folder)
            .into_keys()
            .filter(|path| path.ends_with(".pages"))
            .collect();
        assert_eq!(pages.len(), 1, "{pages:?}");
        fs::write(folder.join(&pages[0]), "damaged").expect("written");
        site.edit(file, old, new);
        let run = site.built();
        assert_eq!(
            run.stderr.contains("the build cache is damaged"),
            is_reported,
            "{new}: {}",
            run.stderr
        );
        // Without the links of the other pages, nothing would seem to lead to them.
        assert_eq!(run.problems(), Vec::<String>::new(), "{new}");
        let own = run.files();
        let clean = site.run(&["build", "--out", &site.path("clean").to_string_lossy()]);
        assert_eq!(clean.status, 0, "{}", clean.stderr);
        assert!(own == files_below(&site.path("clean")), "{new}");
    }
}

#[test]
fn why_suggests_the_nearest_page() {
    let site = site();
    let reported = site.run(&["why", "/notes/"]);
    assert_eq!(reported.status, 2);
    assert!(
        reported
            .stderr
            .contains("there is no cached build of this site"),
        "{}",
        reported.stderr
    );
    site.built();
    let reported = site.run(&["why", "/nots/"]);
    assert!(
        reported.stderr.contains("did you mean `/notes/`"),
        "{}",
        reported.stderr
    );
}

#[test]
fn a_cache_is_verified_byte_by_byte() {
    let site = site();
    site.built();
    let run = site.run(&["build", "--verify-cache"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("the same bytes"), "{}", run.stdout);
    // A file with the same length and mtime passes the manifest's check, but not the comparison.
    let file = site.path("dist/notes/note-5/index.html");
    let time = fs::metadata(&file)
        .and_then(|meta| meta.modified())
        .expect("a time");
    let text = fs::read_to_string(&file)
        .expect("a page")
        .replace("first words", "FIRST WORDS");
    fs::write(&file, text).expect("written");
    fs::File::options()
        .write(true)
        .open(&file)
        .and_then(|file| file.set_modified(time))
        .expect("the old time");
    let run = site.run(&["build", "--verify-cache"]);
    let mut reported = run.problems();
    reported.retain(|problem| problem.starts_with("cache-differs"));
    assert_eq!(
        reported,
        ["cache-differs dist/notes/note-5/index.html"],
        "{}",
        run.stderr
    );
    assert!(
        !site
            .path(".sitegen")
            .read_dir()
            .expect("a folder")
            .flatten()
            .any(|entry| { entry.file_name().to_string_lossy().starts_with("verify-") })
    );
}

/// A line of a file, by its beginning, and what replaces it; `{step}` and `{year}` differ with each edit.
type Line = (&'static str, &'static str, &'static str);

/// Lines that random edits change, of settings, pages, case studies and authors.
const LINES: &[Line] = &[
    (
        "content/site.yaml",
        "base_url:",
        "base_url: https://small.example/ # {step}",
    ),
    (
        "content/site.yaml",
        "company:",
        "company: {name: Small Works {step}}",
    ),
    (
        "content/site.yaml",
        "copyright_year:",
        "copyright_year: {year}",
    ),
    (
        "content/site.yaml",
        "  tagline:",
        "  tagline: {en: Small things {step}., es: Cosas pequeñas.}",
    ),
    (
        "content/site.yaml",
        "  - {from: /old,",
        "  - {from: /old, to: page:home}",
    ),
    (
        "content/pages/about/en.yaml",
        "description:",
        "description: Who makes the small things of {step}.",
    ),
    (
        "content/pages/notes/es.yaml",
        "    lead:",
        "    lead: Todas, {step}.",
    ),
    (
        "content/pages/work/en.yaml",
        "    default_picture:",
        "    default_picture: {src: plan.svg, alt: A plan of {step}}",
    ),
    (
        "content/case-studies/bridge.yaml",
        "short_description:",
        "short_description: A bridge of {step}.",
    ),
    (
        "content/case-studies/bridge.yaml",
        "results:",
        "results: [{name: Crossings, text: \"{step} a day\"}]",
    ),
    (
        "content/case-studies/bridge.yaml",
        "publish_date:",
        "publish_date: 2023-01-31 # {step}",
    ),
    (
        "content/design.yaml",
        "  paper:",
        "  paper: \"#fdfd{year}\"",
    ),
    (
        "content/design.yaml",
        "  ink:",
        "  ink: \"#101010\" # {step}",
    ),
    (
        "content/pages/colors/en.yaml",
        "      - {color: paper,",
        "      - {color: paper, label: Paper {step}}",
    ),
    (
        "content/pages/colors/en.yaml",
        "    intro:",
        "    intro: The colors of {step}.",
    ),
    (
        "content/pages/shared/page.yaml",
        "    title:",
        "    title: Shared {step}",
    ),
    (
        "content/pages/shared/es.yaml",
        "words.body:",
        "words.body: Palabras de {step}.",
    ),
    ("content/authors/leo.yaml", "name:", "name: Leo Díaz {step}"),
    (
        "content/authors/ana.yaml",
        "description:",
        "description: {en: Writes {step}., es: Escribe.}",
    ),
    (
        "content/authors/leo.yaml",
        "avatar:",
        "avatar: leo.svg\nrole: {en: Engineer {step}, es: Ingeniero}",
    ),
];

/// Adds a style sheet that uses design tokens, a page of the style guide with a photograph, and a page whose languages
/// share a structure.
fn with_design(site: SiteTest) -> SiteTest {
    let sheets = "{% for sheet in assets.css %}<link rel=\"stylesheet\" href=\"{{ sheet }}\">{% endfor %}</head>";
    site.edit("templates/layouts/base.html", "</head>", sheets);
    site.file("content/design.yaml", "color:\n  ink: \"#101010\"\n  paper: \"#fdfd00\"\n")
        .file("templates/styles/site.css", "body { color: var(--color-ink); background: var(--color-paper) }\n")
        .file("templates/sections/guide_swatches/guide_swatches.html", "<h2>{{ section.title }}</h2><pre>{{ section | pprint }}</pre>\n")
        .file("templates/sections/photo/photo.html", "<img src=\"{{ section.image.src }}\" alt=\"{{ section.image.alt }}\"><pre>{{ section | pprint }}</pre>\n")
        .file("content/images/photo.png", photograph(0))
        .file("content/pages/shared/page.yaml", "unlinked: true\nsections:\n  hero:\n    kind: hero\n    title: Shared\n  words: {kind: prose}\n")
        .file("content/pages/shared/en.yaml", "path: /shared/\ntitle: Shared\ndescription: What languages share.\nwords.body: Words.\n")
        .file("content/pages/shared/es.yaml", "path: /es/comun/\ntitle: Común\ndescription: Lo común.\nwords.body: Palabras.\n")
        .file("content/pages/colors/en.yaml", "path: /colors/\ntitle: Colors\ndescription: The colors of the things.\nunlinked: true\nsections:\n  - kind: hero\n    title: Colors\n  - kind: guide_swatches\n    id: ink\n    title: Ink\n    intro: The colors.\n    swatches:\n      - {color: paper, label: Paper}\n  - {kind: photo, image: {src: photo.png, alt: One color}}\n")
}

fn photograph(color: u8) -> Vec<u8> {
    let picture = image::RgbImage::from_pixel(40, 20, image::Rgb([color, 90, 160]));
    encoded(
        &image::DynamicImage::ImageRgb8(picture),
        image::ImageFormat::Png,
    )
}

/// The path of the photograph that a page shows.
fn shown_photograph(site: &SiteTest) -> String {
    let names = files_below(&site.path("content/images")).into_keys();
    let mut photographs = names.filter(|name| name.starts_with("photo") && name.ends_with(".png"));
    format!(
        "content/images/{}",
        photographs.next().expect("a photograph")
    )
}

/// An edit of the site. Posts are identified by language and number.
#[derive(Debug, Clone)]
enum Edit {
    Write(&'static str, usize),
    /// Appends a paragraph to a post, and maybe a heading.
    Append(&'static str, usize, bool),
    SetLine(Line),
    Vary(&'static str, usize, PostVariant),
    Remove(&'static str, usize),
    Rename(&'static str, usize, usize),
    DrawPicture(usize),
    TakePhotograph(u8),
    /// Saves the photograph as it is.
    TouchPhotograph,
    /// Renames the photograph, and the page that shows it names it so.
    RenamePhotograph,
    /// Changes a template; if the flag is set, also the output of its pages.
    Template(&'static str, bool),
    MenuLabel(&'static str),
    AuthorName,
    StaticFile(usize),
    AddOrRemovePage(&'static str),
    DamageOutput,
}

fn edit() -> impl Strategy<Value = Edit> {
    let (locale, number) = (|| select(vec!["en", "es"]), || FIXED..30);
    let templates = vec![
        "layouts/base.html",
        "pages/blog-post.html",
        "sections/blog/blog.html",
        "sections/hero/hero.html",
    ];
    prop_oneof![
        3 => (locale(), number()).prop_map(|(locale, number)| Edit::Write(locale, number)),
        2 => (locale(), number(), varied()).prop_map(|(locale, number, varied)| Edit::Vary(locale, number, varied)),
        4 => (locale(), number(), any::<bool>()).prop_map(|(locale, number, more)| Edit::Append(locale, number, more)),
        4 => select(LINES).prop_map(Edit::SetLine),
        1 => (locale(), number()).prop_map(|(locale, number)| Edit::Remove(locale, number)),
        1 => (locale(), number(), 30..36_usize).prop_map(|(locale, number, to)| Edit::Rename(locale, number, to)),
        1 => (100..105_usize).prop_map(Edit::DrawPicture),
        1 => (0..4_u8).prop_map(Edit::TakePhotograph),
        1 => Just(Edit::TouchPhotograph),
        1 => Just(Edit::RenamePhotograph),
        1 => (select(templates), any::<bool>()).prop_map(|(template, says_more)| Edit::Template(template, says_more)),
        1 => locale().prop_map(Edit::MenuLabel),
        1 => Just(Edit::AuthorName),
        1 => (0..3_usize).prop_map(Edit::StaticFile),
        1 => locale().prop_map(Edit::AddOrRemovePage),
        1 => Just(Edit::DamageOutput),
    ]
}

impl Edit {
    fn make(&self, site: &SiteTest, step: usize) {
        let file = |locale: &str, number: usize| format!("content/blog/{locale}/note-{number}.md");
        match self {
            Edit::Write(locale, number) => {
                site.write(
                    &file(locale, *number),
                    post(*number, &format!("step-{step}")),
                );
            }
            Edit::Append(locale, number, has_heading) => {
                if let Ok(text) = fs::read_to_string(site.path(&file(locale, *number))) {
                    let heading = if *has_heading {
                        format!("\n## Heading {step}\n")
                    } else {
                        String::new()
                    };
                    let link = step % FIXED;
                    let more =
                        format!("\nAppended in step {step}, see [this](page:blog/note-{link}).\n");
                    site.write(&file(locale, *number), format!("{text}{heading}{more}"));
                }
            }
            Edit::SetLine((file, start, line)) => {
                let text = fs::read_to_string(site.path(file)).expect("a file");
                let line = line
                    .replace("{step}", &step.to_string())
                    .replace("{year}", &(2000 + step % 100).to_string());
                // The second line of a replacement is not repeated.
                let kept = text
                    .lines()
                    .filter(|own| !own.starts_with("role:") || *start == "name:");
                let lines = kept.map(|own| {
                    if own.starts_with(start) {
                        line.as_str()
                    } else {
                        own
                    }
                });
                site.write(
                    file,
                    lines.flat_map(|line| [line, "\n"]).collect::<String>(),
                );
            }
            Edit::Vary(locale, number, varied) => {
                site.write(&file(locale, *number), varied.text(*number, step));
            }
            Edit::Remove(locale, number) => {
                if site.path(&file(locale, *number)).exists() {
                    site.remove(&file(locale, *number));
                }
            }
            Edit::Rename(locale, number, to) => {
                if let Ok(text) = fs::read_to_string(site.path(&file(locale, *number))) {
                    site.remove(&file(locale, *number));
                    site.write(&file(locale, *to), text);
                }
            }
            Edit::DrawPicture(width) => site.write("content/images/shared.svg", picture(*width)),
            Edit::TakePhotograph(color) => site.write(&shown_photograph(site), photograph(*color)),
            Edit::TouchPhotograph => {
                let path = shown_photograph(site);
                site.write(&path, fs::read(site.path(&path)).expect("a photograph"));
            }
            Edit::RenamePhotograph => {
                let (old, new) = (shown_photograph(site), format!("photo-{step}.png"));
                let name = old.rsplit('/').next().expect("a name");
                fs::rename(site.path(&old), site.path("content/images").join(&new))
                    .expect("renamed");
                site.edit("content/pages/colors/en.yaml", name, &new);
            }
            Edit::Template(template, says_more) => {
                let file = format!("templates/{template}");
                let text = fs::read_to_string(site.path(&file)).expect("a template");
                let text = text
                    .split("{# ")
                    .next()
                    .unwrap_or_default()
                    .trim_end()
                    .replace("<!-- x -->", "");
                let said = if *says_more { "<!-- x -->" } else { "" };
                site.write(&file, format!("{text}{said}{{# step {step} #}}\n"));
            }
            Edit::MenuLabel(locale) => {
                let file = format!("content/locales/{locale}.yaml");
                let text = fs::read_to_string(site.path(&file)).expect("a locale");
                let lines = text.lines().map(|line| match line.split_once(": ") {
                    Some((key, _)) if key.trim() == "menu" => format!("{key}: Menu {step}\n"),
                    _ => format!("{line}\n"),
                });
                site.write(&file, lines.collect::<String>());
            }
            Edit::AuthorName => site.write(
                "content/authors/ana.yaml",
                format!("name: Ana {step}\ndescription: {{en: Writes., es: Escribe.}}\n"),
            ),
            Edit::StaticFile(number) => {
                site.write(&format!("static/file-{number}.txt"), format!("step {step}"));
            }
            Edit::AddOrRemovePage(locale) => {
                let file = format!("content/pages/lone/{locale}.yaml");
                let lone = if *locale == "en" {
                    "/lone/"
                } else {
                    "/es/lone/"
                };
                if site.path(&file).exists() {
                    site.remove(&file);
                } else {
                    site.write(&file, format!("path: {lone}\ntitle: Lone {locale} {step}\ndescription: Alone {locale}.\nunlinked: true\nsections:\n  - {{kind: hero, title: Lone}}\n"));
                }
            }
            Edit::DamageOutput => site.write("dist/notes/note-1/index.html", "somebody was here"),
        }
    }
}

/// Applies the edits, and builds after those with a flag. Returns how many builds were compared with a clean one.
fn compared(edits: &[(Edit, bool)]) -> Result<usize, TestCaseError> {
    let site = with_design(site().overlay(&repository().join("tests/sites/case-studies/in")));
    site.built();
    let mut compared = 0;
    let mut since_build = Vec::new();
    for (step, (edit, builds)) in edits.iter().enumerate() {
        edit.make(&site, step);
        since_build.push(edit);
        if !builds {
            continue;
        }
        let run = site.build();
        if run.status == 0 {
            check_rendered(&site, &std::mem::take(&mut since_build), step)?;
        }
        // The clean build uses another output folder, which has no manifest, and runs without what is known of posts and
        // photographs.
        fs::remove_dir_all(site.path("clean")).ok();
        let known = ["posts", "photographs"].map(|name| {
            (
                site.path(".sitegen").join(name),
                site.path("aside").join(name),
            )
        });
        fs::create_dir_all(site.path("aside")).expect("a folder");
        known
            .iter()
            .for_each(|(known, aside)| drop(fs::rename(known, aside)));
        let clean = site.run(&["build", "--out", &site.path("clean").to_string_lossy()]);
        fs::remove_dir_all(site.path(".sitegen/posts")).ok();
        known
            .iter()
            .for_each(|(known, aside)| drop(fs::rename(aside, known)));
        prop_assert_eq!(
            run.status,
            clean.status,
            "step {}: {}\n{}",
            step,
            run.stderr,
            clean.stderr
        );
        if run.status != 0 {
            continue;
        }
        let (own, fresh) = (run.files(), files_below(&site.path("clean")));
        let different = different(&own, &fresh);
        compared += 1;
        prop_assert!(different.is_empty(), "step {}: {:?}", step, different);
    }
    Ok(compared)
}

/// Checks that a build after an edit of one text rendered no page that cannot show it.
fn check_rendered(site: &SiteTest, edits: &[&Edit], step: usize) -> Result<(), TestCaseError> {
    let is_expected: Box<dyn Fn(&str) -> bool> = match edits {
        [Edit::Append(locale, number, _)] => {
            let list = if *locale == "en" {
                "/notes"
            } else {
                "/es/notas"
            };
            let own = format!("{list}/note-{number}/");
            Box::new(move |address| address == own)
        }
        [Edit::SetLine((_, "base_url:" | "  - {from: /old," | "publish_date:", _))] => {
            Box::new(|_| false)
        }
        [Edit::SetLine(("content/case-studies/bridge.yaml", ..))] => {
            Box::new(|address| address.contains("/work/"))
        }
        [Edit::SetLine(("content/design.yaml", "  ink:", _))] => Box::new(|_| false),
        [
            Edit::SetLine(("content/pages/colors/en.yaml", ..))
            | Edit::TakePhotograph(_)
            | Edit::RenamePhotograph,
        ] => Box::new(|address| address == "/colors/"),
        [Edit::TouchPhotograph] => Box::new(|_| false),
        [Edit::SetLine(("content/pages/shared/page.yaml", ..))] => {
            Box::new(|address| address == "/shared/" || address == "/es/comun/")
        }
        [Edit::SetLine(("content/pages/shared/es.yaml", ..))] => {
            Box::new(|address| address == "/es/comun/")
        }
        [Edit::SetLine(("content/pages/about/en.yaml", ..))] => {
            Box::new(|address| address == "/about/")
        }
        _ => return Ok(()),
    };
    let rendered = site.run(&["why"]).stdout;
    let mut unexpected = rendered
        .lines()
        .filter(|line| line.starts_with('/') && !is_expected(line));
    prop_assert_eq!(unexpected.next(), None, "step {}: {:?}", step, edits);
    Ok(())
}

#[test]
fn after_any_edits_the_bytes_are_those_of_a_clean_build() {
    const STEPS: usize = 240;
    let config = ProptestConfig::default();
    // Each case and each step of shrinking takes seconds. PROPTEST_CASES=1200 makes more than a thousand edits.
    let config = ProptestConfig {
        cases: config.cases.div_ceil(128),
        max_shrink_time: 120_000,
        ..config
    };
    let (made, total) = (Cell::new(0), Cell::new(0));
    // Often there are several edits between two builds.
    let edits = vec((edit(), proptest::bool::weighted(0.67)), 0..=STEPS);
    let cases = config.cases as usize;
    let mut runner = TestRunner::new(config);
    // Cases differ in length, so their number does not say how many edits were tried.
    while made.get() < cases * STEPS / 2 {
        let case = edits
            .new_tree(&mut runner)
            .unwrap_or_else(|failure| panic!("{failure}"));
        let run = runner.run_one(case, |edits| {
            made.set(made.get() + edits.len());
            total.set(total.get() + compared(&edits)?);
            Ok(())
        });
        run.unwrap_or_else(|failure| panic!("{failure}"));
    }
    assert!(
        total.get() > STEPS / 4,
        "only {} of the builds succeeded",
        total.get()
    );
}
