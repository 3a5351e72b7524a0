//! The exchange with people who translate: `sitegen translations export`, `import` and `draft`, the translation memory, and
//! terms.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::site_test::{Run, SiteTest, files_below, repository};

const LOCK: &str = "content/translations.lock";
pub(crate) const MEMORY: &str = "content/translations/memory.tmx";

pub(crate) fn horizon() -> SiteTest {
    SiteTest::from(&repository().join("examples/dental-clinics"))
}

/// The small site with a post in both languages, all accepted.
pub(crate) fn accepted() -> SiteTest {
    let post = |title: &str, link: &str, code: &str| {
        format!(
            "---\ntitle: {title}\ndate: 2025-01-01\nauthor: ana\nkey: greeting\n---\n\n{title} [here]({link}).\n\n```sh\n{code}\n```\n\n## One *more*\n\nEnd.\n"
        )
    };
    let site = SiteTest::small()
        .file("content/authors/ana.yaml", "name: Ana\n")
        .file(
            "content/blog/en/hello.md",
            post("Hello", "page:about", "ls -la"),
        )
        .file(
            "content/blog/es/hola.md",
            post("Hola", "page:about", "ls -la"),
        );
    assert_eq!(site.run(&["translations", "--accept"]).status, 0);
    site
}

pub(crate) fn export(site: &SiteTest, arguments: &[&str]) -> String {
    let run = site.run(&[&["translations", "export"], arguments].concat());
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    run.stdout
}

pub(crate) fn import(site: &SiteTest, name: &str, text: impl AsRef<[u8]>) -> Run {
    site.write(&format!("back/{name}"), text);
    let file = site.path("back").join(name);
    site.run(&["translations", "import", file.to_str().expect("UTF-8")])
}

/// The content of a site.
pub(crate) fn content(site: &SiteTest) -> BTreeMap<String, Vec<u8>> {
    files_below(&site.path("content"))
}

pub(crate) fn read(site: &SiteTest, path: &str) -> String {
    std::fs::read_to_string(site.path(path)).expect("a text")
}

/// A file with other texts in place of the translation of a unit, whose state becomes `reviewed`.
fn translated(xliff: &str, unit: &str, from: &str, to: &str) -> String {
    let (before, rest) = xliff
        .split_once(unit)
        .unwrap_or_else(|| panic!("no {unit}"));
    let (this, after) = rest.split_once("</unit>").expect("the end of the unit");
    let segment = this.find("<segment").expect("a segment");
    let (head, segment) = this.split_at(segment);
    let state = segment.find('>').expect("the end of a tag");
    let segment = format!("<segment id=\"s1\" state=\"reviewed\"{}", &segment[state..]);
    let changed = if from.is_empty() {
        segment.replace("</source>", &format!("</source><target>{to}</target>"))
    } else {
        assert!(segment.contains(from), "{segment}");
        segment.replace(from, to)
    };
    format!("{before}{unit}{head}{changed}</unit>{after}")
}

#[test]
fn what_comes_back_unchanged_changes_nothing() {
    for (site, languages) in [
        (horizon(), &["es", "de", "ar", "zh-hans"][..]),
        (accepted(), &["es"]),
    ] {
        let before = content(&site);
        for language in languages {
            for (format, name) in [("xliff", "a.xlf"), ("po", "a.po"), ("csv", "a.csv")] {
                let text = export(&site, &[language, "--format", format]);
                let run = import(&site, name, text);
                assert_eq!(
                    (run.status, run.stderr.as_str()),
                    (0, ""),
                    "{language} {format}"
                );
                assert!(
                    run.stdout.starts_with("wrote 0 translations"),
                    "{}",
                    run.stdout
                );
                assert!(
                    content(&site) == before,
                    "{language} {format} changed a file"
                );
            }
        }
    }
}

/// A site with 1,000 pages in two languages; 60 unless `SITE_TEST_FULL` is set.
#[test]
fn a_large_site_comes_back_byte_for_byte() {
    let pages = if std::env::var_os("SITE_TEST_FULL").is_some() {
        1000
    } else {
        60
    };
    let mut site = SiteTest::small();
    for number in 0..pages {
        for (code, prefix, words) in [
            ("en", "", "A *sentence* about"),
            ("es", "/es", "Una *frase* sobre"),
        ] {
            let text = format!(
                "# Written by hand.\npath: {prefix}/p{number}/\ntitle:   \"{words} {number}\"\ndescription: >-\n  {words} the page\n  {number}.\n\
                 sections:\n  - {{kind: hero, title: '{words} {number}'}}\n  - kind: prose\n    body: |\n      {words} `code` {number}.\n\n      - {{company.name}}\n"
            );
            site = site.file(&format!("content/pages/p{number}/{code}.yaml"), text);
        }
    }
    let before = content(&site);
    for (format, name) in [("xliff", "a.xlf"), ("po", "a.po"), ("csv", "a.csv")] {
        let text = export(&site, &["es", "--format", format]);
        let run = import(&site, name, text);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        assert!(content(&site) == before, "{format} changed a file");
    }
    // One text changes, and one line of one file.
    let text = export(&site, &["es", "--format", "po"]).replace(
        "Una *frase* sobre `code` 7.",
        "Una *oración* sobre `code` 7.",
    );
    assert_eq!(import(&site, "a.po", text).status, 0);
    let path = "content/pages/p7/es.yaml";
    let expect = String::from_utf8_lossy(&before["pages/p7/es.yaml"])
        .replace("Una *frase* sobre `code`", "Una *oración* sobre `code`");
    assert_eq!(read(&site, path), expect);
}

#[test]
fn codes_of_markdown_and_placeholders_are_elements() {
    let site = accepted();
    let text = export(&site, &["es"]);
    let document = roxmltree::Document::parse(&text).expect("XML");
    let root = document.root_element();
    assert_eq!(
        (
            root.attribute("version"),
            root.attribute("srcLang"),
            root.attribute("trgLang")
        ),
        (Some("2.1"), Some("en"), Some("es"))
    );
    let unit = |name: &str| {
        document
            .descendants()
            .find(|node| {
                node.has_tag_name(("urn:oasis:names:tc:xliff:document:2.0", "unit"))
                    && node.attribute("name") == Some(name)
            })
            .unwrap_or_else(|| panic!("no unit {name}"))
    };
    let inner = |name: &str, tag: &str| {
        let node = unit(name)
            .descendants()
            .find(|node| node.tag_name().name() == tag)
            .expect("an element");
        let codes: Vec<&str> = node
            .descendants()
            .filter(roxmltree::Node::is_element)
            .skip(1)
            .map(|node| node.tag_name().name())
            .collect();
        (
            node.descendants()
                .filter_map(|node| if node.is_text() { node.text() } else { None })
                .collect::<String>(),
            codes.join(" "),
        )
    };
    assert_eq!(
        inner("pages/home#title", "source"),
        (": home".to_owned(), "ph".to_owned())
    );
    assert_eq!(
        inner("pages/home#sections.1.lead", "source"),
        ("Read about us.".to_owned(), "pc".to_owned())
    );
    let data: Vec<&str> = unit("pages/home#sections.1.lead")
        .descendants()
        .filter(|node| node.tag_name().name() == "data")
        .filter_map(|node| node.text())
        .collect();
    // The translation links to another part of the page, which is a code of its own.
    assert_eq!(data, ["[", "](page:about#team)", "[", "](page:about)"]);
    assert!(
        text.contains("<note category=\"page\">https://small.example/es/</note>"),
        "{text}"
    );
    let segment = |name: &str| {
        unit(name)
            .descendants()
            .find(|node| node.tag_name().name() == "segment")
            .and_then(|node| node.attribute("state"))
    };
    assert_eq!(segment("pages/home#title"), Some("final"));
    assert_eq!(segment("pages/not-found#title"), Some("initial"));
    assert!(
        !text.contains("ls -la"),
        "code is the same in all languages"
    );
    site.edit(
        "content/pages/home/en.yaml",
        "title: Hello",
        "title: Welcome",
    );
    let text = export(&site, &["es"]);
    assert!(text.contains("subState=\"sitegen:stale\""));
    let missing = export(&site, &["es", "--missing"]);
    assert!(
        missing.contains("<source>Welcome</source>") && !missing.contains("Nosotros"),
        "{missing}"
    );
}

#[test]
fn a_translation_is_written_and_noted_as_current() {
    let site = accepted();
    site.edit(
        "content/pages/home/en.yaml",
        "title: Hello",
        "title: Welcome",
    );
    site.edit(
        "content/pages/home/es.yaml",
        "  - kind: hero\n",
        "  # A comment.\n  - kind: hero\n",
    );
    let back = translated(
        &export(&site, &["es"]),
        "<unit id=\"sections.1.title\" name=\"pages/home#sections.1.title\">",
        "Hola",
        "Bienvenido",
    );
    let dry = site.path("back/a.xlf");
    site.write("back/a.xlf", &back);
    let before = content(&site);
    let run = site.run(&[
        "translations",
        "import",
        dry.to_str().expect("UTF-8"),
        "--dry-run",
    ]);
    assert_eq!(
        (run.status, run.stdout.lines().next()),
        (0, Some("would write 1 translation; 16 unchanged")),
        "{}",
        run.stderr
    );
    assert!(content(&site) == before, "a dry run wrote something");
    let run = import(&site, "a.xlf", back);
    assert_eq!(run.stderr, "");
    assert_eq!(
        run.stdout,
        "wrote 1 translation; 16 unchanged\n  pages/home/es is up to date\n"
    );
    let expect = String::from_utf8_lossy(&before["pages/home/es.yaml"])
        .replace("title: Hola", "title: Bienvenido");
    assert_eq!(read(&site, "content/pages/home/es.yaml"), expect);
    assert!(!site.run(&["check"]).stderr.contains("stale-translation"));
    assert!(read(&site, MEMORY).contains("<tuv xml:lang=\"es\"><seg>Bienvenido</seg></tuv>"));
}

#[test]
fn a_text_that_is_not_ready_is_a_draft_until_somebody_accepts_it() {
    let site = accepted();
    let back = translated(
        &export(&site, &["es"]),
        "name=\"pages/about#title\">",
        "Nosotros",
        "La empresa",
    );
    let back = back.replace("state=\"reviewed\"", "state=\"initial\"");
    let run = import(&site, "a.xlf", back);
    assert_eq!(
        run.stdout,
        "wrote 0 translations, 1 not ready yet; 16 unchanged\n"
    );
    let check = site.run(&["check"]);
    assert!(
        check
            .stderr
            .contains("warning[machine-draft]: one string is a draft"),
        "{}",
        check.stderr
    );
    assert!(
        check.stderr.contains("--> content/pages/about/es.yaml:3:8"),
        "{}",
        check.stderr
    );
    assert_eq!(site.run(&["check", "--strict"]).status, 1);
    site.run(&["translations", "--accept"]);
    assert!(
        site.run(&["check"]).stderr.contains("machine-draft"),
        "whoever accepts all has not read it"
    );
    site.run(&["translations", "--accept", "pages/about"]);
    assert!(!site.run(&["check"]).stderr.contains("machine-draft"));
}

#[test]
fn files_of_other_tools_are_read() {
    let site = accepted();
    let text = export(&site, &["es"]);
    let back = translated(
        &text,
        "name=\"pages/about#title\">",
        "Nosotros",
        "La <mrk id=\"m1\" type=\"term\">empresa</mrk>",
    );
    let back = back
        .replace(
            "<xliff ",
            "<xliff xmlns:mq=\"urn:example:tool\" mq:project=\"7\" ",
        )
        .replace("<unit ", "<unit mq:status=\"done\" ")
        .replace(
            "</originalData>",
            "</originalData><mq:extra><mq:source>x</mq:source></mq:extra>",
        )
        .replace("<target>", "<target mq:by=\"eva\">")
        .replace("</target>", "<mq:comment>not a text</mq:comment></target>");
    let run = import(&site, "a.xlf", back);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert!(read(&site, "content/pages/about/es.yaml").contains("title: La empresa\n"));
    // Another prefix, and a unit that was cut into two segments.
    let back = translated(
        &text,
        "name=\"pages/about#description\">",
        "Quién hace las cosas pequeñas.</target>",
        "Quién hace </target></segment><segment state=\"final\"><source></source><target>todo.</target>",
    );
    let back = back.replace("<xliff xmlns=", "<xliff xmlns:x=");
    let mut prefixed = String::new();
    for part in back.split_inclusive('<') {
        let plain = part
            .strip_suffix('<')
            .map_or((part, ""), |text| (text, "<"));
        let tag = plain.0.trim_start_matches('/');
        let is_core = tag.starts_with(|c: char| c.is_ascii_lowercase())
            && !tag
                .split(['>', ' ', '/'])
                .next()
                .unwrap_or_default()
                .contains(':');
        let slash = if plain.0.starts_with('/') { "/" } else { "" };
        if is_core && !prefixed.is_empty() {
            prefixed.extend([slash, "x:", tag]);
        } else {
            prefixed.push_str(plain.0);
        }
        prefixed.push_str(plain.1);
    }
    let run = import(&site, "b.xlf", prefixed.replace("La empresa", "Nosotros"));
    assert!(
        read(&site, "content/pages/about/es.yaml").contains("description: Quién hace todo.\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_unit_whose_source_has_changed_stays_out_and_the_rest_is_written() {
    let site = accepted();
    let text = export(&site, &["es"]);
    let back = translated(
        &text,
        "name=\"pages/about#title\">",
        "Nosotros",
        "La empresa",
    );
    let back = translated(
        &back,
        "name=\"pages/home#sections.1.title\">",
        "Hola",
        "Buenas",
    );
    let line = 1 + back
        .lines()
        .position(|line| line.contains("pages/home#sections.1.title"))
        .expect("the unit");
    site.edit(
        "content/pages/home/en.yaml",
        "title: Hello",
        "title: Welcome",
    );
    let run = import(&site, "a.xlf", back);
    assert_eq!(run.status, 1);
    assert!(
        run.stderr.contains(
            "error[exchange-file]: `pages/home#sections.1.title`: the source text has changed since the export"
        ),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains(&format!("a.xlf:{line}:")),
        "{}",
        run.stderr
    );
    assert!(read(&site, "content/pages/about/es.yaml").contains("La empresa"));
    assert!(read(&site, "content/pages/home/es.yaml").contains("Hola"));
}

#[test]
fn what_editors_have_changed_since_the_export_stays() {
    for (format, name) in [("xliff", "a.xlf"), ("po", "a.po"), ("csv", "a.csv")] {
        let site = accepted();
        let text = export(&site, &["es", "--format", format]);
        site.edit(
            "content/pages/about/es.yaml",
            "title: Nosotros",
            "title: Sobre nosotros",
        );
        let before = content(&site);
        let run = import(&site, name, &text);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{format}");
        assert!(
            content(&site) == before,
            "{format}: an older text came back"
        );
        let run = import(&site, name, text.replacen("Nosotros", "La empresa", 1));
        assert!(
            run.stderr.contains("in the site has also changed since"),
            "{}",
            run.stderr
        );
        assert!(content(&site) == before, "{format}");
    }
}

#[test]
fn line_breaks_of_windows_and_a_byte_order_mark_stay() {
    let site = accepted();
    let post = read(&site, "content/blog/es/hola.md").replace("End.", "End\nof it.");
    site.write("content/blog/es/hola.md", post.replace('\n', "\r\n"));
    site.write(
        "content/pages/about/es.yaml",
        format!("\u{feff}{}", read(&site, "content/pages/about/es.yaml")),
    );
    let before = content(&site);
    for (format, name) in [("xliff", "a.xlf"), ("po", "a.po"), ("csv", "a.csv")] {
        let run = import(&site, name, export(&site, &["es", "--format", format]));
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{format}");
        assert!(content(&site) == before, "{format} changed a file");
    }
    let back = export(&site, &["es", "--format", "po"])
        .replace("of it.", "de ello.")
        .replacen("Nosotros", "La empresa", 1);
    assert_eq!(import(&site, "a.po", back).stderr, "");
    let expect = String::from_utf8_lossy(&before["blog/es/hola.md"]).replace("of it.", "de ello.");
    assert_eq!(read(&site, "content/blog/es/hola.md"), expect);
    assert!(
        read(&site, "content/pages/about/es.yaml").starts_with("\u{feff}path: /es/nosotros/\n")
    );
    assert!(read(&site, "content/pages/about/es.yaml").contains("title: La empresa\n"));
}

#[test]
fn codes_are_neither_lost_nor_invented() {
    let site = accepted();
    let po = export(&site, &["es", "--format", "po"]);
    for (from, to, expect) in [
        (
            "\"Lee [sobre nosotros](page:about).\"",
            "\"Lee sobre nosotros.\"",
            "the code `[` is missing",
        ),
        (
            "\"Lee [sobre nosotros](page:about).\"",
            "\"Lee [esto](https://evil.example/).\"",
            "the code `](page:about#team)` is missing, and `](https://evil.example/)` is not in the source",
        ),
        (
            "\"{product.name}: inicio\"",
            "\"{produkt.name}: inicio\"",
            "`{produkt.name}` is not in the source",
        ),
        (
            "\"Nosotros\"",
            "\"Nosotros {company.name}\"",
            "the code `{company.name}` is not in the source",
        ),
        (
            "\"La casa de las cosas pequeñas.\"",
            "\"The home of small things.\"",
            "the translation is identical to the source",
        ),
    ] {
        assert!(po.contains(from), "{po}");
        let before = content(&site);
        let run = import(&site, "a.po", po.replacen(from, to, 1));
        assert_eq!(run.status, 1, "{to}");
        assert!(run.stderr.contains(expect), "{}", run.stderr);
        assert!(content(&site) == before, "{to} was written");
    }
    let xliff = export(&site, &["es"]);
    let back = translated(
        &xliff,
        "name=\"pages/home#title\">",
        ": inicio",
        "<ph id=\"9\"/>: inicio",
    );
    let run = import(&site, "a.xlf", back);
    assert!(
        run.stderr.contains("the code `9` is not in the source"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_text_that_the_site_would_not_build_with_stays_out() {
    let site = accepted();
    // The page is missing, and a title alone is no page.
    let text = export(&site, &["es"]);
    let back = translated(&text, "name=\"pages/not-found#title\">", "", "No está");
    let back = translated(
        &back,
        "name=\"pages/about#title\">",
        "Nosotros",
        "La empresa",
    );
    let run = import(&site, "a.xlf", back);
    assert_eq!(run.status, 1);
    assert!(
        run.stderr.contains("`pages/not-found#title`: "),
        "{}",
        run.stderr
    );
    assert!(!site.path("content/pages/not-found/es.yaml").exists());
    assert!(
        read(&site, "content/pages/about/es.yaml").contains("La empresa"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_missing_page_and_post_are_written_once_they_are_whole() {
    let site = accepted().file(
        "content/blog/en/second.md",
        "---\ntitle: Second\ndate: 2025-02-01\nauthor: ana\n---\n\nIt begins *here*.\n\n```sh\nls\n```\n",
    );
    let po = export(&site, &["es", "--format", "po", "--missing"]);
    let mut back = String::new();
    for entry in po.split("\n\n") {
        let source = entry
            .split("msgid \"")
            .nth(1)
            .and_then(|rest| rest.split("\"\n").next())
            .unwrap_or_default();
        let is_open = entry.ends_with("msgstr \"\"") || entry.ends_with("msgstr \"\"\n");
        if is_open && entry.contains("msgctxt") {
            let start = entry.trim_end().trim_end_matches("msgstr \"\"");
            back.extend([start, "msgstr \"Es: ", source, "\""]);
        } else {
            back.push_str(entry);
        }
        back.push_str("\n\n");
    }
    let run = import(&site, "a.po", back);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let page = read(&site, "content/pages/not-found/es.yaml");
    assert!(
        page.starts_with("path: /es/404.html\nstatus: 404\n"),
        "{page}"
    );
    assert_eq!(
        read(&site, "content/blog/es/second.md"),
        "---\ntitle: \"Es: Second\"\ndate: 2025-02-01\nauthor: ana\n---\n\nEs: It begins *here*.\n\n```sh\nls\n```\n"
    );
    assert_eq!(site.run(&["check"]).status, 0);
}

#[test]
fn tables_of_spreadsheets_are_read() {
    let site = accepted();
    let csv = export(&site, &["es", "--format", "csv"]);
    assert!(
        csv.starts_with("\u{feff}id,source (en),target (es),note,state\n"),
        "{csv}"
    );
    // As a spreadsheet of another country saves it.
    let changed = csv.replace(
        "Quién hace las cosas pequeñas.",
        "Quién hace todo; siempre.",
    );
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(changed.as_bytes());
    let mut writer = csv::WriterBuilder::new()
        .delimiter(b';')
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    reader
        .records()
        .for_each(|row| writer.write_record(&row.expect("a row")).expect("a row"));
    let bytes = writer.into_inner().expect("a table");
    let run = import(&site, "a.csv", &bytes);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert!(
        read(&site, "content/pages/about/es.yaml")
            .contains("description: Quién hace todo; siempre.\n")
    );
    let latin: Vec<u8> = changed
        .trim_start_matches('\u{feff}')
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'))
        .collect();
    let run = import(&site, "latin.csv", latin);
    assert_eq!(run.status, 1);
    assert!(
        run.stderr.contains("is not UTF-8")
            && run.stderr.contains("hint: save it again as `CSV UTF-8`"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_broken_file_and_one_of_another_site_change_nothing() {
    let site = accepted();
    let before = content(&site);
    let xliff = export(&site, &["es"]);
    for (name, text, expect) in [
        (
            "a.xlf",
            xliff.replace("https://small.example", "https://other.example"),
            "the file belongs to the site https://other.example",
        ),
        (
            "a.xlf",
            xliff.chars().take(2000).collect(),
            "this is not well-formed XML",
        ),
        (
            "a.xlf",
            xliff.replace("trgLang=\"es\"", "trgLang=\"fr\""),
            "the site has no language `fr`",
        ),
        (
            "a.xlf",
            "<xliff version=\"1.2\" xmlns=\"urn:oasis:names:tc:xliff:document:1.2\"/>".to_owned(),
            "this is XLIFF 1.2",
        ),
        ("a.po", "msgid \"x\n".to_owned(), "this is not a PO string"),
        ("a.bin", "x".to_owned(), "the file is not XLIFF, PO or CSV"),
    ] {
        let run = import(&site, name, text);
        assert_ne!(run.status, 0, "{expect}");
        assert!(run.stderr.contains(expect), "{}", run.stderr);
        assert!(content(&site) == before, "{expect}");
    }
    let run = site.run(&["translations", "export", "fr"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
    assert_eq!(site.run(&["check", "--format", "po"]).status, 2);
}

#[test]
fn the_memory_translates_what_is_the_same_and_proposes_what_is_alike() {
    let site = accepted().file(
        MEMORY,
        "<tmx version=\"1.4\"><header srclang=\"en\"/><body>\n<tu><tuv xml:lang=\"en\"><seg>Not here</seg></tuv><tuv xml:lang=\"es\"><seg>No está aquí</seg></tuv></tu>\n\
         <tu><tuv xml:lang=\"en\"><seg>Nobody has written this page yet.</seg></tuv><tuv xml:lang=\"es\"><seg>Nadie la ha escrito.</seg></tuv></tu>\n</body></tmx>",
    );
    site.write("content/pages/new/en.yaml", "path: /new/\ntitle: Not here\ndescription: Nobody has written that page yet.\nunlinked: true\nsections:\n  - {kind: hero, title: Not here}\n");
    let text = export(&site, &["es"]);
    assert!(
        text.contains("<target>No está aquí</target>") && text.contains("matchQuality=\"100.0\""),
        "{text}"
    );
    let similar = text
        .split("matchQuality=\"")
        .find(|part| part.contains("Nadie la ha escrito."))
        .expect("a match");
    let percent: f64 = similar
        .split('"')
        .next()
        .and_then(|number| number.parse().ok())
        .expect("a number");
    assert!((75.0..100.0).contains(&percent), "{percent}");
    assert!(
        export(&site, &["es", "--format", "po"])
            .contains("% match: Nobody has written this page yet. = Nadie la ha escrito.")
    );
    site.edit(
        MEMORY,
        "No está aquí</seg></tuv></tu>",
        "No está aquí</seg></tuv>",
    );
    for arguments in [&["check"][..], &["translations", "export", "es"]] {
        let run = site.run(arguments);
        assert_eq!(run.status, 1, "{arguments:?}");
        assert!(
            run.stderr.contains("error[translation-memory]")
                && run.stderr.contains("memory.tmx:4:"),
            "{}",
            run.stderr
        );
    }
}

/// 200,000 texts with `SITE_TEST_FULL`, else a tenth of them.
#[test]
fn a_large_memory_is_searched() {
    let count = if std::env::var_os("SITE_TEST_FULL").is_some() {
        200_000
    } else {
        20_000
    };
    let mut text = String::from("<tmx version=\"1.4\"><header/><body>\n");
    for number in 0..count {
        let _ = writeln!(
            text,
            "<tu><tuv xml:lang=\"en\"><seg>Sentence {number} of a memory with w{} and w{}.</seg></tuv><tuv xml:lang=\"es\"><seg>Frase {number}.</seg></tuv></tu>",
            number % 977,
            number % 1009
        );
    }
    let site = accepted().file(MEMORY, text + "</body></tmx>");
    site.write("content/pages/new/en.yaml", "path: /new/\ntitle: Sentence 17 of a memory with w17 and w17.\ndescription: Sentence 12 of one memory with w12 and w12.\nunlinked: true\nsections:\n  - {kind: hero, title: X}\n");
    let text = export(&site, &["es", "--missing"]);
    assert!(text.contains("<target>Frase 12.</target>"), "{text}");
    assert!(export(&site, &["es"]).contains("<target>Frase 17.</target>"));
}

#[test]
fn terms_are_checked_in_both_directions() {
    let site = accepted().file(
        "content/terms.yaml",
        "- words: {en: [thing, things], es: [cosa, cosas]}\n  forbidden: {es: trasto, en: stuff}\n  note: What we make.\n",
    );
    assert!(
        !site.run(&["check"]).stderr.contains("[term-"),
        "{}",
        site.run(&["check"]).stderr
    );
    assert!(export(&site, &["es"]).contains("<gls:term>things</gls:term>"));
    site.edit(
        "content/pages/home/es.yaml",
        "La casa de las cosas pequeñas.",
        "La casa de los trastos pequeños.",
    );
    site.edit(
        "content/pages/about/en.yaml",
        "description: Who makes the small things.",
        "description: Who makes them.",
    );
    site.edit(
        "content/pages/about/es.yaml",
        "Somos {company.name}.",
        "Un trasto.",
    );
    let check = site.run(&["check"]).stderr;
    for expect in [
        "warning[term-missing]: `things` in `en` is `cosa` in `es`, but this text does not contain `cosa`",
        "--> content/pages/home/es.yaml:3:14",
        "warning[term-missing]: `cosas` is the term for `thing`, but the text in `en` does not contain `thing`",
        "warning[term-forbidden]: `trasto` is forbidden in `es`",
        "hint: write `cosa`",
    ] {
        assert!(check.contains(expect), "{expect}\n{check}");
    }
    assert_eq!(site.run(&["check", "--strict"]).status, 1);
    site.edit("content/terms.yaml", "es: trasto", "fr: trasto");
    assert!(
        site.run(&["check"])
            .stderr
            .contains("error[unknown-id]: `fr` is not a locale in `site.yaml`")
    );
    // One that is not announced yet is no mistake.
    site.edit(
        "content/site.yaml",
        "locales: [en, es]",
        "locales: [en, es, fr]\ndraft_locales: [fr]",
    );
    assert!(
        !site.run(&["check"]).stderr.contains("`fr`"),
        "{}",
        site.run(&["check"]).stderr
    );
}

#[test]
fn a_command_writes_drafts_that_a_person_accepts() {
    let site = accepted().file("content/pages/new/en.yaml", "path: /new/\ntitle: News\ndescription: News of small things.\nunlinked: true\nsections:\n  - {kind: hero, title: News}\n");
    let run = site.run(&["translations", "draft", "es"]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr
            .contains("hint: run `sitegen translations draft es --machine 'COMMAND'`"),
        "{}",
        run.stderr
    );
    let draft = |command: &str, more: &[&str]| {
        site.run(&[&["translations", "draft", "es", "--machine", command], more].concat())
    };
    let run = draft("echo broken >&2; exit 3", &[]);
    assert_eq!(run.status, 1);
    assert!(
        run.stderr
            .contains("the command failed (exit status: 3): broken"),
        "{}",
        run.stderr
    );
    let run = draft("cat > /dev/null; sleep 60", &["--timeout", "0"]);
    assert!(
        run.stderr
            .contains("the command took longer than 0 seconds"),
        "{}",
        run.stderr
    );
    assert!(
        draft("echo no", &[])
            .stderr
            .contains("line 1 of the command's output is not")
    );
    assert!(!site.path("content/pages/new/es.yaml").exists());
    let translator = "sed -E \"s/.*\\\"id\\\":\\\"([^\\\"]*)\\\".*\\\"source\\\":\\\"([^\\\"]*)\\\".*/{\\\"id\\\":\\\"\\1\\\",\\\"target\\\":\\\"M \\2\\\"}/\"";
    let run = draft(translator, &[]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert!(read(&site, "content/pages/new/es.yaml").contains("title: M News"));
    let check = site.run(&["check", "--strict"]);
    assert!(
        check
            .stderr
            .contains("error[machine-draft]: 3 strings are drafts"),
        "{}",
        check.stderr
    );
    assert!(export(&site, &["es"]).contains("subState=\"sitegen:machine\""));
    site.edit(
        "content/pages/new/es.yaml",
        "title: M News",
        "title: Novedades",
    );
    site.run(&["translations", "--accept", "pages/new"]);
    assert!(
        !site
            .run(&["check"])
            .stderr
            .contains("content/pages/new/es.yaml")
    );
    assert!(read(&site, LOCK).contains("pages/new es\n"));
}

#[test]
fn labels_forms_and_entries_are_exchanged() {
    let site = horizon();
    let text = export(&site, &["de"]);
    for name in [
        "labels/site#header.menu.1.label",
        "forms/callback#fields.phone.label",
        "treatments/crowns#name",
        "locales#messages.team",
        "glossary/crown#term",
    ] {
        assert!(text.contains(&format!("name=\"{name}\"")), "{name}");
    }
    assert!(text.contains("slr:sizeRestriction=\"160\""));
    let back = translated(
        &text,
        "name=\"labels/site#footer.tagline\">",
        "Zähne fürs Leben.",
        "Zähne für immer.",
    );
    let back = translated(
        &back,
        "name=\"glossary/crown#text\">",
        "Eine Hülle über dem Zahn.",
        "Eine Kappe auf dem Zahn.",
    );
    let back = translated(
        &back,
        "name=\"forms/callback#submit\">",
        "Absenden",
        "Abschicken",
    );
    let long = "sehr ".repeat(40);
    let summary = back
        .split("name=\"treatments/crowns#summary\"")
        .nth(1)
        .and_then(|rest| rest.split("<target>").nth(1))
        .and_then(|rest| rest.split("</target>").next())
        .expect("a summary")
        .to_owned();
    let back = translated(
        &back,
        "name=\"treatments/crowns#summary\" slr:sizeRestriction=\"160\">",
        &summary,
        &long,
    );
    let before = content(&site);
    let run = import(&site, "a.xlf", back);
    assert!(
        run.stderr
            .contains("characters, but at most 160 are allowed"),
        "{}",
        run.stderr
    );
    let changed: Vec<String> = content(&site)
        .into_iter()
        .filter(|(path, bytes)| before.get(path) != Some(bytes))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(
        changed,
        [
            "forms/callback/de.yaml",
            "glossary/crown.yaml",
            "site.yaml",
            "translations/memory.tmx"
        ]
    );
    assert!(read(&site, "content/glossary/crown.yaml").contains("de: Eine Kappe auf dem Zahn."));
}

/// A change of content that someone merges does not run programs on the machines of others.
#[test]
fn a_command_that_content_names_is_suggested_and_never_runs() {
    let site = accepted();
    let text = read(&site, "content/site.yaml");
    site.write(
        "content/site.yaml",
        format!("{text}\ntranslations: {{machine: \"touch it's-ran\"}}\n"),
    );
    for command in [
        &["translations", "draft", "es"][..],
        &["build"],
        &["check"],
        &["translations"],
    ] {
        let run = site.run(command);
        assert!(!site.path("it's-ran").exists(), "{command:?}");
        let is_suggested =
            run.stderr.contains("--machine 'touch it'\\''s-ran'`") && run.status == 2;
        assert!(
            is_suggested || command[..] != ["translations", "draft", "es"],
            "{}",
            run.stderr
        );
    }
}

#[test]
fn the_main_language_is_translated_from_another_one_only() {
    let site = accepted();
    let run = site.run(&["translations", "export", "en"]);
    assert!(
        run.status == 2 && run.stderr.contains("`en` is the site's main language"),
        "{} {}",
        run.status,
        run.stderr
    );
    let run = site.run(&["translations", "export", "en", "--from", "es"]);
    assert!(
        run.status == 0 && run.stdout.contains("srcLang=\"es\""),
        "{}",
        run.stderr
    );
}

#[test]
fn a_file_whose_elements_have_thousands_of_attributes_is_refused_at_its_line() {
    let site = accepted();
    let attributes = (0..100_000)
        .map(|at| format!(" a{at}=\"1\""))
        .collect::<Vec<_>>()
        .concat();
    let file = format!(
        "<xliff xmlns=\"urn:oasis:names:tc:xliff:document:2.0\">\n<file{attributes}/></xliff>"
    );
    site.write("back.xlf", file);
    let back = site.path("back.xlf");
    let run = site.run(&["translations", "import", back.to_str().expect("a path")]);
    assert!(
        run.stderr
            .contains("an element has more than 500 attributes"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("back.xlf:2"), "{}", run.stderr);
}
