//! Symbolic links in the output folder: whatever they lead to, a build writes to nothing behind them, and keeps them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::incremental;
use crate::serve::Server;
use crate::site_test::SiteTest;

const HOME: &str = "content/pages/home/en.yaml";
const POST: &str = "content/blog/en/note-3.md";

/// Files as pages and lists of a build are called, so that a build that follows a link meets its own names.
const BEHIND: &[&str] = &[
    "f.txt",
    "index.html",
    "about/index.html",
    "deep/er/plain.txt",
    ".sitegen-files",
];

/// A site with folders beside it to which links lead.
struct Linked {
    site: SiteTest,
    /// A folder on another device, if there is one.
    device: TempDir,
}

impl Linked {
    fn new(site: SiteTest) -> Linked {
        let shared = Path::new("/dev/shm");
        let device = if shared.is_dir() {
            tempfile::tempdir_in(shared)
        } else {
            tempfile::tempdir()
        };
        let linked = Linked {
            site,
            device: device.expect("a folder"),
        };
        for file in BEHIND {
            linked
                .site
                .write(&format!("up/{file}"), format!("data of {file}\n"));
            let other = linked.device.path().join(file);
            fs::create_dir_all(other.parent().expect("a folder")).expect("a folder");
            fs::write(other, format!("data of {file}\n")).expect("a file");
        }
        linked
    }

    /// The targets that a link below `dist/` can have, with a name each. `folder` is the folder of the link.
    fn targets(&self, folder: &str) -> Vec<(&'static str, PathBuf)> {
        let root = PathBuf::from("../".repeat(1 + Path::new(folder).components().count()));
        vec![
            ("relative-folder", root.join("up")),
            ("relative-file", root.join("up/f.txt")),
            ("absolute-folder", self.site.path("up")),
            ("absolute-file", self.site.path("up/f.txt")),
            ("dangling", root.join("nowhere/at/all")),
            ("absolute-dangling", self.site.path("nowhere")),
            ("circular", "circular".into()),
            ("folder-itself", ".".into()),
            ("output", self.site.path("dist")),
            ("page", self.site.path("dist/index.html")),
            ("site", root.clone()),
            ("sources", root.join("content")),
            ("device-folder", self.device.path().to_owned()),
            ("device-file", self.device.path().join("f.txt")),
            ("endless", "/dev/zero".into()),
        ]
    }

    /// Adds a link of each kind to a folder below `dist/`, and returns their paths with what they lead to.
    fn add_links(&self, folder: &str) -> BTreeMap<PathBuf, PathBuf> {
        let all = self
            .targets(folder)
            .into_iter()
            .map(|(name, target)| (Path::new("dist").join(folder).join(name), target));
        all.inspect(|(link, target)| self.link(link, target))
            .collect()
    }

    /// Puts a link in a place.
    fn link(&self, link: &Path, target: &Path) {
        let link = self.site.path(&link.to_string_lossy());
        fs::create_dir_all(link.parent().expect("a folder")).expect("a folder");
        if link.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            fs::remove_dir_all(&link).expect("removed");
        } else if link.symlink_metadata().is_ok() {
            fs::remove_file(&link).expect("removed");
        }
        symlink(target, link).expect("a link");
    }

    /// Everything that is not of the build: bytes, and the inode and time of each file.
    fn others(&self) -> BTreeMap<PathBuf, (Vec<u8>, u64, i64)> {
        let folders = ["up", "content", "static"].map(|folder| self.site.path(folder));
        let walk = folders
            .iter()
            .map(PathBuf::as_path)
            .chain([self.device.path()])
            .flat_map(walkdir::WalkDir::new);
        let files = walk
            .map(|entry| entry.expect("an entry"))
            .filter(|entry| entry.file_type().is_file());
        let stamped = files.map(|entry| {
            let meta = entry.metadata().expect("metadata");
            let bytes = fs::read(entry.path()).expect("a file");
            (entry.into_path(), (bytes, meta.ino(), meta.mtime_nsec()))
        });
        let others: BTreeMap<_, _> = stamped.collect();
        assert!(others.len() > 2 * BEHIND.len());
        others
    }

    fn assert_kept(&self, links: &BTreeMap<PathBuf, PathBuf>) {
        assert!(!links.is_empty());
        for (link, target) in links {
            let found = fs::read_link(self.site.path(&link.to_string_lossy()));
            assert_eq!(found.ok().as_ref(), Some(target), "{}", link.display());
        }
    }

    /// The next build exchanges the folders.
    fn forget(&self) {
        fs::remove_dir_all(self.site.path(".sitegen")).expect("the cache");
    }
}

/// Folders of links: the output folder, one below a folder of the build, and folders that are not of the build.
const FOLDERS: &[&str] = &["", "about", "mine", "mine/deep/er"];

#[test]
fn a_build_writes_through_no_link_and_keeps_all() {
    for folder in FOLDERS {
        let linked = Linked::new(SiteTest::small());
        let links = linked.add_links(folder);
        let before = linked.others();
        let check = |what: &str| {
            let run = linked.site.built();
            assert!(
                linked.others() == before,
                "{what}, {folder:?}: files behind links have changed"
            );
            linked.assert_kept(&links);
            run
        };
        let run = check("the first build");
        assert!(
            !folder.is_empty() || run.stderr.contains("this symbolic link; it is kept"),
            "{}",
            run.stderr
        );
        check("a build without a change");
        linked.forget();
        check("an exchange of folders");
        linked.site.edit(
            "templates/layouts/base.html",
            "<main>",
            "<main class=\"x\">",
        );
        check("a small change");
    }
}

#[test]
fn a_link_in_the_place_of_a_page_is_replaced_and_not_followed() {
    for (name, target) in Linked::new(SiteTest::small()).targets("about") {
        for is_exchange in [false, true] {
            let linked = Linked::new(SiteTest::small());
            let target = linked
                .targets("about")
                .into_iter()
                .find(|(other, _)| *other == name)
                .map_or(target.clone(), |(_, own)| own);
            let before = linked.others();
            let page = Path::new("dist/about/index.html");
            linked.link(page, &target);
            let run = linked.site.build();
            assert_eq!(
                run.problems(),
                ["foreign-file SITE/dist/about/index.html"],
                "{name}: {}",
                run.stderr
            );
            assert!(linked.others() == before, "{name}: the first build");
            linked.site.remove("dist/about/index.html");
            linked.site.built();
            linked.link(page, &target);
            if is_exchange {
                linked.forget();
            }
            let run = linked.site.built();
            assert!(linked.others() == before, "{name}, exchange: {is_exchange}");
            assert!(fs::read_link(linked.site.path("dist/about/index.html")).is_err());
            run.page("/about/").contains("<h1");
        }
    }
}

#[test]
fn an_output_folder_that_is_a_dangling_link_is_named() {
    let site = SiteTest::small();
    symlink("nowhere", site.path("dist")).expect("a link");
    let run = site.build();
    let hint = "it is a symbolic link to `nowhere`, which doesn't exist: create that folder";
    assert!(
        run.status == 3 && run.stderr.contains(hint),
        "{}",
        run.stderr
    );
    assert!(!site.path("nowhere").exists());
}

#[test]
fn a_link_in_the_place_of_a_folder_stops_the_build() {
    for name in [
        "relative-folder",
        "absolute-folder",
        "device-folder",
        "output",
        "site",
        "dangling",
        "circular",
    ] {
        for (is_exchange, loses_its_pages) in
            [(false, false), (true, false), (false, true), (true, true)]
        {
            let linked = Linked::new(SiteTest::small());
            let lone = "path: /far/lone/\ntitle: L\ndescription: L.\nunlinked: true\nsections:\n  - {kind: hero, title: L}\n";
            linked.site.write("content/pages/lone/en.yaml", lone);
            linked.site.write("up/lone/index.html", "mine");
            fs::create_dir(linked.device.path().join("lone")).expect("a folder");
            fs::write(linked.device.path().join("lone/index.html"), "mine").expect("a file");
            linked.site.built();
            let folder = if loses_its_pages { "far/lone" } else { "about" };
            let parent = Path::new(folder)
                .parent()
                .expect("a folder")
                .to_string_lossy()
                .into_owned();
            let target = linked
                .targets(&parent)
                .into_iter()
                .find(|(other, _)| *other == name)
                .expect("a target")
                .1;
            // Behind the link are files with the names of pages.
            let target = if loses_its_pages && name.ends_with("-folder") {
                target.join("lone")
            } else {
                target
            };
            linked.link(&Path::new("dist").join(folder), &target);
            if is_exchange {
                linked.forget();
            }
            linked.site.edit(HOME, "Hello", "Changed");
            if loses_its_pages {
                linked.site.remove("content/pages/lone/en.yaml");
            }
            let before = linked.others();
            let run = linked.site.build();
            let what = format!("{name}, exchange: {is_exchange}, without pages: {loses_its_pages}");
            assert!(
                linked.others() == before,
                "{what}: files behind the link have changed"
            );
            assert_eq!(
                run.problems(),
                [format!("foreign-file SITE/dist/{folder}")],
                "{what}: {}",
                run.stderr
            );
            linked.assert_kept(&BTreeMap::from([(Path::new("dist").join(folder), target)]));
        }
    }
}

/// Repeats until a condition is met, for up to a minute.
fn wait(server: &Server, is_met: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_mins(1);
    while !is_met() {
        assert!(Instant::now() < end, "{}", server.log());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_preview_writes_through_no_link() {
    let linked = Linked::new(incremental::site());
    linked
        .site
        .edit(POST, "tags:", "excerpt: Said in short.\ntags:");
    let links: BTreeMap<PathBuf, PathBuf> = FOLDERS
        .iter()
        .flat_map(|folder| linked.add_links(folder))
        .collect();
    let before = linked.others();
    let server = Server::start(linked.site.clone(), &[]);
    assert_eq!(server.get("/about/").0, 200, "{}", server.log());
    assert!(linked.others() == before, "the first build");
    linked.assert_kept(&links);
    linked.site.edit(HOME, "Hello", "Changed");
    wait(&server, || server.get("/").2.contains("Changed"));
    linked.assert_kept(&links);
    // The page of a saved post is published before the others, even if its folder has become a link.
    linked.site.write("up/note-3/index.html", "mine");
    linked.link(Path::new("dist/notes"), &linked.site.path("up"));
    linked.site.edit(POST, "first words", "second words");
    let before = linked.others();
    wait(&server, || server.log().contains("dist/notes"));
    assert!(linked.others() == before, "a saved post");
}
