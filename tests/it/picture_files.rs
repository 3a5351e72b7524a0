//! Files of photographs: when they are read, and how they are found by name.

use std::fs;

use image::ImageFormat;

use crate::pictures::{encoded, picture, site};
use crate::site_test::{Run, SiteTest};

/// `café.jpg` as a Mac writes it, and as keyboards do.
const APART: &str = "cafe\u{301}";
const COMPOSED: &str = "caf\u{e9}";

fn jpeg(width: u32) -> Vec<u8> {
    encoded(&picture(width, width / 2), ImageFormat::Jpeg)
}

fn published(run: &Run) -> Vec<String> {
    run.files()
        .into_keys()
        .filter(|path| path.starts_with("_assets/images/"))
        .collect()
}

/// The head of a JPEG, and then a hole: 12 MB that take no room on the disk.
fn add_hollow(site: &SiteTest, path: &str, length: u64) {
    let whole = jpeg(1200);
    let scan = whole
        .windows(2)
        .position(|pair| pair == [0xff, 0xda])
        .expect("a scan");
    site.write(path, &whole[..scan + 20]);
    let file = fs::File::options()
        .write(true)
        .open(site.path(path))
        .expect("a file");
    file.set_len(length).expect("a hole");
}

#[cfg(target_os = "linux")]
mod reads {
    use std::mem::MaybeUninit;

    use rustix::fs::inotify;
    use serde_json::json;

    use super::*;
    use crate::language_server::LanguageServer;

    /// Notes which files of a folder are opened.
    struct Watch(rustix::fd::OwnedFd);

    impl Watch {
        fn of(site: &SiteTest, folder: &str) -> Watch {
            let watch =
                inotify::init(inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC)
                    .expect("inotify");
            inotify::add_watch(&watch, site.path(folder), inotify::WatchFlags::OPEN)
                .expect("a watch");
            Watch(watch)
        }

        /// The files that were opened since, each once.
        fn opened(&self) -> Vec<String> {
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut events = inotify::Reader::new(&self.0, &mut buffer);
            let mut names = Vec::new();
            while let Ok(event) = events.next() {
                names.extend(
                    event
                        .file_name()
                        .map(|name| name.to_string_lossy().into_owned()),
                );
            }
            names.retain(|name| name.ends_with(".jpg"));
            names.sort();
            names.dedup();
            names
        }
    }

    /// A site that shows `two.jpg` and has pictures that no page shows.
    fn with_unseen() -> SiteTest {
        let site = site("two.jpg", &jpeg(800));
        for number in 0..3 {
            add_hollow(
                &site,
                &format!("content/images/unseen-{number}.jpg"),
                12_000_000,
            );
        }
        site
    }

    #[test]
    fn a_photograph_is_opened_again_only_if_it_has_changed() {
        let site = with_unseen();
        let watch = Watch::of(&site, "content/images");
        site.built();
        assert_eq!(
            watch.opened(),
            ["two.jpg", "unseen-0.jpg", "unseen-1.jpg", "unseen-2.jpg"]
        );
        site.edit("content/pages/about/en.yaml", "title:", "title: New and");
        site.built();
        assert_eq!(site.run(&["check"]).status, 0);
        assert_eq!(site.run(&["next-change"]).status, 0);
        site.run(&["translations"]);
        assert_eq!(watch.opened(), [""; 0]);
        // Another file under the old name, with the old length and time of the last change.
        let file = site.path("content/images/two.jpg");
        let time = fs::metadata(&file)
            .and_then(|meta| meta.modified())
            .expect("a time");
        let mut bytes = fs::read(&file).expect("a picture");
        let at = bytes.len() - 3;
        bytes[at] ^= 4;
        fs::write(&file, bytes).expect("written");
        fs::File::options()
            .write(true)
            .open(&file)
            .and_then(|file| file.set_modified(time))
            .expect("the old time");
        watch.opened();
        let old = published(&site.run(&["check"]));
        assert_eq!(watch.opened(), ["two.jpg"]);
        let all = published(&site.built());
        assert!(
            old.iter().all(|path| all.contains(path)) && all.len() == 2 * old.len(),
            "{old:?} {all:?}"
        );
    }

    #[test]
    fn an_editor_opens_no_photograph_for_a_key() {
        let site = with_unseen();
        site.built();
        let watch = Watch::of(&site, "content/images");
        let uri = |path: &str| format!("file://{}", site.path(path).display());
        let (page, text) = (
            uri("content/pages/about/en.yaml"),
            "path: /about/\ntitel: About\n",
        );
        let mut server = LanguageServer::start(&site);
        server.request(
            1,
            "initialize",
            &json!({"processId": null, "rootUri": uri(""), "capabilities": {}}),
        );
        server.notify("initialized", &json!({}));
        let document =
            json!({"uri": page, "languageId": "yaml", "version": 1, "text": "path: /about/\n"});
        server.notify("textDocument/didOpen", &json!({"textDocument": document}));
        let document = json!({"uri": page, "version": 2});
        server.notify(
            "textDocument/didChange",
            &json!({"textDocument": document, "contentChanges": [{"text": text}]}),
        );
        let has_mistake = |problems: &serde_json::Value| problems.to_string().contains("titel");
        while !has_mistake(&server.notification("textDocument/publishDiagnostics")) {}
        assert_eq!(watch.opened(), [""; 0]);
    }
}

#[test]
fn a_photograph_that_was_touched_replaced_or_renamed_is_that_of_a_clean_build() {
    let site = site("two.jpg", &jpeg(800));
    let first = published(&site.built());
    let touched = fs::read(site.path("content/images/two.jpg")).expect("a picture");
    site.write("content/images/two.jpg", touched);
    assert_eq!(published(&site.built()), first);
    site.write("content/images/other.jpg", jpeg(500));
    fs::rename(
        site.path("content/images/two.jpg"),
        site.path("content/images/aside.jpg"),
    )
    .expect("renamed");
    fs::rename(
        site.path("content/images/other.jpg"),
        site.path("content/images/two.jpg"),
    )
    .expect("renamed");
    let run = site.built();
    run.page("/").contains("width=\"500\" height=\"250\"");
    let clean = crate::pictures::site("two.jpg", &jpeg(500)).built();
    let old = |path: &String| !first.contains(path);
    assert_eq!(
        published(&run).into_iter().filter(old).collect::<Vec<_>>(),
        published(&clean)
    );
}

#[test]
fn a_table_of_photographs_that_is_damaged_changes_nothing() {
    let site = site("two.jpg", &jpeg(800));
    let first = site.built().files();
    let table = site.path(".sitegen/photographs");
    let whole = fs::read(&table).expect("the table");
    for damage in [&whole[..whole.len() / 2], b"", b"sitegen value\n"] {
        fs::write(&table, damage).expect("written");
        site.edit("content/pages/about/en.yaml", "title:", "title: ");
        assert!(site.built().files() == first);
        assert!(fs::read(&table).expect("the table") == whole);
    }
}

#[test]
fn files_that_are_no_photographs_are_reported_as_such() {
    // Nobody looks further into what no page shows.
    let hollow = || {
        let site = site("two.jpg", &jpeg(300));
        add_hollow(&site, "content/images/hollow.jpg", 40_000_000);
        site
    };
    assert_eq!(hollow().run(&["check"]).problems(), [""; 0]);
    let shown = hollow();
    shown.edit(
        "content/pages/home/en.yaml",
        "src: two.jpg",
        "src: hollow.jpg",
    );
    let run = shown.run(&["check"]);
    assert_eq!(
        run.problems(),
        ["bad-image content/images/hollow.jpg"],
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("it is truncated"), "{}", run.stderr);

    let site = site("two.jpg", &jpeg(300)).file("content/images/empty.jpg", "");
    add_hollow(&site, "content/images/large.jpg", 50_000_000);
    let run = site.run(&["check"]);
    assert_eq!(
        run.problems(),
        [
            "bad-image content/images/empty.jpg",
            "too-large content/images/large.jpg"
        ]
    );
    for name in ["empty.jpg", "large.jpg"] {
        site.remove(&format!("content/images/{name}"));
    }
    site.remove("content/images/two.jpg");
    fs::create_dir(site.path("content/images/two.jpg")).expect("a folder");
    let problems = site.run(&["check"]).problems();
    assert!(
        !problems.is_empty()
            && problems
                .iter()
                .all(|problem| problem.starts_with("missing-image")),
        "{problems:?}"
    );
}

#[test]
fn a_photograph_of_an_entry_that_no_page_shows_is_neither_decoded_nor_published() {
    let site = site("two.jpg", &jpeg(800))
        .file(
            "templates/collections/rooms/schema.yaml",
            "meaning: Rooms.\nfields:\n  name: {type: text, required: true, meaning: Its name.}\n  \
             photo: {type: picture, decorative: true, meaning: A view of it.}\n  \
             next: {type: reference, to: rooms, meaning: The one behind its door.}\n",
        )
        .file(
            "content/rooms/hall.yaml",
            "name: Hall\nphoto: hall.jpg\nnext: yard\n",
        )
        .file("content/rooms/yard.yaml", "name: Yard\nphoto: yard.jpg\n")
        .file(
            "content/rooms/cellar.yaml",
            "name: Cellar\nphoto: cellar.jpg\nnext: hall\n",
        )
        .file("content/rooms/hall.jpg", jpeg(400))
        .file("content/rooms/yard.jpg", jpeg(400));
    // Damaged: whoever decodes it reports it.
    add_hollow(&site, "content/rooms/cellar.jpg", 12_000_000);
    let of_rooms = |run: &Run| -> Vec<String> {
        let names = run.files().into_keys().filter_map(|path| {
            path.strip_prefix("_assets/images/rooms-")
                .map(str::to_owned)
        });
        let mut names: Vec<String> = names
            .map(|name| name.split('-').next().unwrap_or_default().to_owned())
            .collect();
        names.dedup();
        names
    };
    assert_eq!(site.run(&["check"]).problems(), [""; 0]);
    assert_eq!(of_rooms(&site.built()), [""; 0]);
    // A section refers to a room, from whose door one sees another.
    site.write(
        "templates/sections/tour/schema.yaml",
        "meaning: A tour.\nfields:\n  room: {type: reference, to: rooms, required: true, meaning: Where it begins.}\n",
    );
    site.write(
        "templates/sections/tour/tour.html",
        "{% for room in [section.room, section.room.next] %}<img src=\"{{ room.photo.src }}\" alt=\"\">{% endfor %}",
    );
    let home = "content/pages/home/en.yaml";
    let text = fs::read_to_string(site.path(home)).expect("a page");
    site.write(home, text + "  - {kind: tour, room: hall}\n");
    let run = site.built();
    assert_eq!(of_rooms(&run), ["hall", "yard"]);
    run.page("/")
        .contains("<img src=\"/_assets/images/rooms-hall-")
        .contains("<img src=\"/_assets/images/rooms-yard-");
    // A template that names the collection may show each of them.
    site.edit(
        "templates/sections/tour/tour.html",
        "{% for",
        "{{ entries(\"rooms\") | length }}{% for",
    );
    assert_eq!(
        site.run(&["check"]).problems(),
        ["bad-image content/rooms/cellar.jpg"]
    );
}

#[cfg(unix)]
#[test]
fn a_photograph_behind_a_link_is_the_one_that_it_leads_to() {
    let site = site("two.jpg", &jpeg(800));
    fs::create_dir(site.path("content/images/shared")).expect("a folder");
    site.write("content/images/shared/three.jpg", jpeg(500));
    site.remove("content/images/two.jpg");
    std::os::unix::fs::symlink("shared/three.jpg", site.path("content/images/two.jpg"))
        .expect("a link");
    site.built()
        .page("/")
        .contains("width=\"500\" height=\"250\"");
    site.write("content/images/shared/three.jpg", jpeg(400));
    site.built()
        .page("/")
        .contains("width=\"400\" height=\"200\"");
    site.write("content/images/shared/four.jpg", jpeg(300));
    site.remove("content/images/two.jpg");
    std::os::unix::fs::symlink("shared/four.jpg", site.path("content/images/two.jpg"))
        .expect("a link");
    site.built()
        .page("/")
        .contains("width=\"300\" height=\"150\"");
}

/// A site whose page, post, author and study show a picture with an accent in its name, and that links to such a file.
fn accented(saved: &str, written: &str) -> SiteTest {
    let site = crate::incremental::site().file(
        &format!("content/images/{saved}.svg"),
        crate::incremental::picture(60),
    );
    let site = site
        .file(&format!("content/authors/{saved}.svg"), crate::incremental::picture(61))
        .file(&format!("content/pages/{saved}/en.yaml"), "path: /cafe/\ntitle: Cafe\ndescription: A place.\nsections:\n  - {kind: hero, title: Cafe}\n")
        .file(&format!("static/{saved}.txt"), "text")
        .file(
            &format!("content/blog/en/{saved}/index.md"),
            format!("---\ntitle: Coffee\ndate: 2024-01-02\nauthor: {written}\nimage: {{src: {written}-1.svg, alt: A shape}}\n---\n\
                ![A shape]({written}-2.svg), [a file](/{written}.txt), [a page](page:{written}), [this](page:blog/{written}).\n"),
        )
        .file(&format!("content/blog/en/{saved}/{saved}-1.svg"), crate::incremental::picture(62))
        .file(&format!("content/blog/en/{saved}/{saved}-2.svg"), crate::incremental::picture(63))
        .file(&format!("content/authors/{saved}.yaml"), format!("name: Café\navatar: {written}.svg\n"));
    site.edit(
        "templates/sections/hero/hero.html",
        "<h1>",
        &format!("<p>{{{{ static(\"{written}.txt\") }}}}</p><h1>"),
    );
    site.edit(
        "content/authors/ana.yaml",
        "name: Ana Ruiz\n",
        &format!("name: Ana Ruiz\navatar: {written}.svg\n"),
    );
    site
}

#[test]
fn a_name_is_found_however_its_accents_are_encoded() {
    let built = |saved, written| {
        let site = accented(saved, written);
        let run = site.built();
        assert_eq!(run.problems(), [""; 0], "{}", run.stderr);
        run.page(&format!("/notes/{COMPOSED}/"))
            .contains("/caf%C3%A9.txt")
            .contains("/cafe/");
        run.page("/about/")
            .contains(&format!("<p>/{COMPOSED}.txt</p>"));
        run.files()
    };
    let all = built(COMPOSED, COMPOSED);
    assert!(all.contains_key(&format!("{COMPOSED}.txt")));
    for (saved, written) in [(APART, COMPOSED), (COMPOSED, APART), (APART, APART)] {
        let files = built(saved, written);
        assert_eq!(
            files.keys().collect::<Vec<_>>(),
            all.keys().collect::<Vec<_>>()
        );
    }
}

/// Files that a Mac could not hold beside each other.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_one_file_on_other_systems_are_reported_with_both() {
    let problems = |changes: &[&str]| {
        let site = site("two.jpg", &jpeg(300));
        for path in changes {
            let text = if path.ends_with(".svg") {
                crate::incremental::picture(60)
            } else {
                "text".to_owned()
            };
            site.write(path, text);
        }
        let run = site.run(&["check"]);
        assert!(
            run.stderr.contains("on systems that ignore"),
            "{}",
            run.stderr
        );
        (run.problems(), run.stderr)
    };
    let (found, text) = problems(&["content/images/a.svg", "content/images/A.svg"]);
    assert_eq!(found, ["path-taken content/images/a.svg"]);
    assert!(
        text.contains("`content/images/A.svg` and `content/images/a.svg` are the same file"),
        "{text}"
    );
    assert!(text.contains("hint: rename one of the two"), "{text}");
    let (found, text) = problems(&[
        "content/images/caf\u{e9}.svg",
        "content/images/cafe\u{301}.svg",
    ]);
    assert_eq!(found, ["path-taken content/images/caf\u{e9}.svg"]);
    assert!(text.contains("how accents are encoded"), "{text}");
    // The content of two such folders is not reported again.
    let (found, _) = problems(&[
        "static/Docs/a.txt",
        "static/docs/a.txt",
        "static/docs/b.txt",
    ]);
    assert_eq!(found, ["path-taken static/docs"]);
    let (found, text) = problems(&["static/About/index.html"]);
    assert_eq!(found, ["path-taken static/About/index.html"]);
    assert!(
        text.contains("`content/pages/about/en.yaml:1:7` uses it"),
        "{text}"
    );
    assert_eq!(
        problems(&["static/Robots.txt"]).0,
        ["path-taken static/Robots.txt"]
    );
}

#[test]
fn a_redirect_and_a_file_that_are_one_on_other_systems_are_reported() {
    let site = SiteTest::small().file("static/old/Index.html", "text");
    let run = site.run(&["check"]);
    assert_eq!(
        run.problems(),
        ["path-taken static/old/Index.html"],
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("content/site.yaml:"), "{}", run.stderr);
}

#[test]
fn a_file_in_place_of_a_folder_is_reported_in_any_case() {
    let site = SiteTest::small().file("static/ABOUT", "text");
    assert_eq!(
        site.run(&["check"]).problems(),
        ["path-taken content/pages/about/en.yaml:1:7"]
    );
}
