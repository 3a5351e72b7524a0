//! Temporary sites: `SiteTest::small().file("content/…", "…").build().page("/es/").contains("…")`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::rc::Rc;
use std::sync::OnceLock;

use image::ImageFormat;
use tempfile::TempDir;

/// The root folder of the repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The path of `site-api`. Cargo does not build it for these tests, because it is in another package.
///
/// `SITE_API` names one that is compiled already: `tests/run` sets it, because there each test is a process of its own.
/// Otherwise the first call builds it with the profile of these tests, beside `sitegen`. The arguments match those of
/// `tests/run`: with others, Cargo would unify features differently and compile shared dependencies a second time.
pub fn site_api_program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        if let Some(program) = std::env::var_os("SITE_API") {
            return PathBuf::from(program);
        }
        let folder = Path::new(env!("CARGO_BIN_EXE_sitegen"))
            .parent()
            .expect("a folder of programs");
        let profile = match folder.file_name().and_then(|name| name.to_str()) {
            Some("debug") => "dev",
            Some(profile) => profile,
            None => panic!("{} does not name a profile", folder.display()),
        };
        let target = folder.parent().expect("a target folder");
        let built = Command::new(env!("CARGO"))
            .args([
                "build",
                "--quiet",
                "--locked",
                "--workspace",
                "--bins",
                "--tests",
                "--examples",
                "--profile",
                profile,
            ])
            .arg("--target-dir")
            .arg(target)
            .current_dir(repository())
            .status()
            .expect("cargo starts");
        assert!(built.success(), "`site-api` could not be built");
        folder.join("site-api")
    })
}

/// A site in a temporary folder, which is deleted with the last clone.
#[derive(Clone)]
pub struct SiteTest {
    folder: Rc<TempDir>,
    arguments: Vec<String>,
    shares_cache: bool,
}

/// The result of running the program.
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
    pub out: PathBuf,
    /// Keeps the site's folder while the result is in use.
    _folder: Rc<TempDir>,
}

/// The paths of files that only one of two folders has, or with other bytes.
pub fn different<'a>(
    one: &'a BTreeMap<String, Vec<u8>>,
    other: &'a BTreeMap<String, Vec<u8>>,
) -> Vec<&'a String> {
    one.keys()
        .chain(other.keys())
        .filter(|path| one.get(*path) != other.get(*path))
        .collect()
}

impl SiteTest {
    /// A site in two languages with minimal templates, without style sheets or scripts.
    pub fn small() -> SiteTest {
        SiteTest::from(&repository().join("tests/sites/_base"))
    }

    /// The project's own site, with fonts and icons from the project's `node_modules`.
    pub fn whole() -> SiteTest {
        let site = SiteTest::empty().with_shared_cache();
        for folder in ["content", "templates", "react", "static"] {
            copy(&repository().join(folder), &site.path(folder));
        }
        // Encoding the photographs takes half a minute and is tested elsewhere, so a small one replaces all of a format.
        let small = image::RgbImage::from_pixel(64, 36, image::Rgb([90, 100, 95]));
        let formats = [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP].map(|format| {
            let mut bytes = std::io::Cursor::new(Vec::new());
            small.write_to(&mut bytes, format).expect("a picture");
            (format, bytes.into_inner())
        });
        for path in files_below(&site.path("content/images")).into_keys() {
            let format = ImageFormat::from_path(&path).ok();
            if let Some((_, bytes)) = formats.iter().find(|(known, _)| Some(*known) == format) {
                site.write(&format!("content/images/{path}"), bytes);
            }
        }
        // So does drawing a card for each post, which tests of a new site look at.
        site.edit(
            "content/site.yaml",
            "sharing_cards: true",
            "sharing_cards: false",
        );
        site
    }

    /// The site of the benchmarks: small, without islands, with a blog but without posts.
    pub fn blog() -> SiteTest {
        let sites = repository().join("bench/sites");
        SiteTest::from(&sites.join("sitegen")).overlay(&sites.join("_shared"))
    }

    /// The small site with the project's island runtime, and a test component in place of `faq`.
    pub fn islands() -> SiteTest {
        let site = SiteTest::small();
        copy(&repository().join("react"), &site.path("react"));
        std::fs::remove_dir_all(site.path("react/islands")).expect("the project's own islands");
        site.overlay(&repository().join("tests/islands"))
    }

    pub fn from(base: &Path) -> SiteTest {
        let site = SiteTest::empty();
        copy(base, site.folder.path());
        site
    }

    fn empty() -> SiteTest {
        let folder = Rc::new(tempfile::tempdir().expect("a folder for the test"));
        SiteTest {
            folder,
            arguments: Vec::new(),
            shares_cache: false,
        }
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    pub fn overlay(self, folder: &Path) -> SiteTest {
        copy(folder, self.folder.path());
        self
    }

    pub fn file(self, path: &str, text: impl AsRef<[u8]>) -> SiteTest {
        self.write(path, text);
        self
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.path(path)).expect("a file to remove");
    }

    /// Replaces the first occurrence of a text in a file. Fails if there is none.
    pub fn edit(&self, path: &str, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.path(path)).expect("a file to edit");
        assert!(text.contains(from), "{path} does not contain {from:?}");
        self.write(path, text.replacen(from, to, 1));
    }

    pub fn argument(mut self, argument: &str) -> SiteTest {
        self.arguments.push(argument.to_owned());
        self
    }

    /// Takes cards, icons and scripts that another test has made of the same input. Not for tests of what a build makes
    /// without a cache.
    pub fn with_shared_cache(self) -> SiteTest {
        SiteTest {
            shares_cache: true,
            ..self
        }
    }

    pub fn without_shared_cache(self) -> SiteTest {
        SiteTest {
            shares_cache: false,
            ..self
        }
    }

    /// A command that runs the program on this site.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = sitegen();
        if self.shares_cache {
            command.env("SITEGEN_CACHE", shared_cache());
        }
        command
            .args(arguments)
            .arg("--root")
            .arg(self.folder.path())
            .args(&self.arguments);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, &[])
    }

    /// Runs with additional environment variables.
    pub fn run_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Run {
        let mut command = self.command(arguments);
        let Output {
            status,
            stdout,
            stderr,
        } = command
            .envs(environment.iter().copied())
            .output()
            .expect("sitegen starts");
        let text = |bytes: Vec<u8>| {
            String::from_utf8(bytes)
                .expect("UTF-8 output")
                .replace(&*self.folder.path().to_string_lossy(), "SITE")
        };
        Run {
            status: status.code().unwrap_or(-1),
            stdout: text(stdout),
            stderr: text(stderr),
            out: self.path("dist"),
            _folder: Rc::clone(&self.folder),
        }
    }

    /// Builds. The build may fail.
    pub fn build(&self) -> Run {
        self.run(&["build"])
    }

    /// Builds, and fails the test if the build fails.
    pub fn built(&self) -> Run {
        let run = self.build();
        assert_eq!(run.status, 0, "{}", run.stderr);
        run
    }
}

/// A command for the program, with an environment independent of the machine.
pub fn sitegen() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sitegen"));
    command
        .env_remove("GITHUB_ACTIONS")
        .env_remove("CLICOLOR_FORCE")
        .env("NO_COLOR", "1")
        .env_remove("SITEGEN_CACHE");
    command.env("SITEGEN_NODE_MODULES", repository().join("node_modules"));
    command
}

/// The cache that whole sites share, so that each card is drawn once. It lasts as long as the compiled program.
fn shared_cache() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let program = std::fs::metadata(env!("CARGO_BIN_EXE_sitegen")).expect("the program");
        let made = program.modified().and_then(|time| {
            time.duration_since(std::time::UNIX_EPOCH)
                .map_err(std::io::Error::other)
        });
        let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared-cache");
        let own = all.join(
            made.expect("the time of the program")
                .as_nanos()
                .to_string(),
        );
        for old in std::fs::read_dir(&all)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
        {
            if old != own {
                // Another run may do the same.
                let _ = std::fs::remove_dir_all(old);
            }
        }
        own
    })
}

impl Run {
    /// The codes of all problems with their places: `dead-link content/pages/home/en.yaml:9:10`.
    pub fn problems(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut code = "";
        for line in self.stderr.lines() {
            if let Some((head, _)) = line.split_once("]: ")
                && let Some((_, name)) = head.split_once('[')
            {
                code = name;
                found.push(code.to_owned());
            } else if let (Some(place), Some(last)) =
                (line.trim_start().strip_prefix("--> "), found.last_mut())
                && *last == code
            {
                *last = format!("{code} {place}");
            }
        }
        found
    }

    pub fn page(&self, path: &str) -> Page {
        let file = self.out.join(site::routes::file_of(path));
        let html = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
        Page {
            path: path.to_owned(),
            html,
        }
    }

    /// All output files by path.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        files_below(&self.out)
    }
}

/// An output page.
pub struct Page {
    path: String,
    pub html: String,
}

impl Page {
    pub fn contains(&self, text: &str) -> &Page {
        assert!(
            self.html.contains(text),
            "{} does not contain {text:?}:\n{}",
            self.path,
            self.html
        );
        self
    }

    pub fn lacks(&self, text: &str) -> &Page {
        assert!(!self.html.contains(text), "{} contains {text:?}", self.path);
        self
    }
}

/// The things that a test found to look at, at least so many: a loop over nothing would pass for ever.
#[track_caller]
pub fn each<T>(found: impl IntoIterator<Item = T>, at_least: usize) -> Vec<T> {
    let found: Vec<T> = found.into_iter().collect();
    assert!(
        found.len() >= at_least,
        "only {} were found, and at least {at_least} are there",
        found.len()
    );
    found
}

/// All files below a folder by relative path.
pub fn files_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    walkdir::WalkDir::new(folder)
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry
                .path()
                .strip_prefix(folder)
                .expect("below the folder")
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read(entry.path()).expect("a readable file"))
        })
        .collect()
}

fn copy(from: &Path, to: &Path) {
    for (name, bytes) in files_below(from) {
        let target = to.join(name);
        std::fs::create_dir_all(target.parent().expect("a parent")).expect("a folder");
        std::fs::write(target, bytes).expect("a file");
    }
}
