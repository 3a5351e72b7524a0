//! Saves of the forms that happen at once, that fail, and that are killed: what is confirmed is in the files, and every
//! save is whole or not there.

use std::collections::BTreeMap;
use std::sync::{Arc, Barrier};

use serde_json::{Value, json};

use crate::serve::{Server, exchange};
use crate::site_test::{SiteTest, files_below};

const HOME: &str = "content/pages/home/en.yaml";
const POST: &str = "content/blog/en/hello.md";
const PICTURE: &str = "content/images/uploads/bridge.svg";
const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"8\"/>";
/// The same in base64.
const ENCODED: &str =
    "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHdpZHRoPSI4IiBoZWlnaHQ9IjgiLz4=";
/// Forms that are saved at once.
const FORMS: usize = 16;

/// A browser of the author, which other threads may use.
#[derive(Clone)]
struct Author {
    address: String,
    cookie: String,
}

impl Author {
    fn of(server: &Server) -> Author {
        Author {
            address: server.address().to_owned(),
            cookie: server.cookie(),
        }
    }

    /// A request of the forms; `None` if the server ends before it answers.
    fn ask(&self, action: &str, params: &Value) -> Option<(u16, Value)> {
        let body = json!({"branch": "preview", "action": action, "params": params}).to_string();
        let (address, cookie) = (&self.address, &self.cookie);
        let headers = format!("Host: {address}\r\n{cookie}Content-Type: application/json\r\n");
        let headers = format!("{headers}Content-Length: {}\r\n\r\n{body}", body.len());
        let (status, _, answer) = exchange(address, "POST", "/admin/api", &headers)?;
        Some((
            status,
            serde_json::from_slice(&answer).unwrap_or(Value::Null),
        ))
    }

    fn opened(&self, path: &str) -> Value {
        let (status, answer) = self
            .ask("getEntry", &json!({"path": path}))
            .expect("an answer");
        assert_eq!(status, 200, "{answer}");
        serde_json::from_str(answer["data"].as_str().expect("a text")).expect("JSON")
    }

    fn save(&self, files: &[(&str, &Value)], pictures: &[&str]) -> Option<(u16, Value)> {
        let file = |(path, values): &(&str, &Value)| json!({"path": path, "slug": "any", "raw": values.to_string()});
        let files: Vec<Value> = files.iter().map(file).collect();
        let asset = |path: &&str| json!({"path": path, "content": ENCODED, "encoding": "base64"});
        let assets: Vec<Value> = pictures.iter().map(asset).collect();
        self.ask(
            "persistEntry",
            &json!({"dataFiles": files, "assets": assets, "options": {}}),
        )
    }
}

/// Runs something in `FORMS` threads that begin together.
fn at_once<T: Send>(run: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let barrier = Arc::new(Barrier::new(FORMS));
    std::thread::scope(|scope| {
        let (run, barrier) = (&run, &barrier);
        let start = |at| {
            scope.spawn(move || {
                barrier.wait();
                run(at)
            })
        };
        let running: Vec<_> = (0..FORMS).map(start).collect();
        running
            .into_iter()
            .map(|thread| thread.join().expect("it ends"))
            .collect()
    })
}

#[test]
fn forms_that_are_saved_at_once_are_all_saved() {
    let site = SiteTest::small();
    let keys: Vec<String> = (0..FORMS).map(|at| format!("key{at}: old\n")).collect();
    let text = std::fs::read_to_string(site.path(HOME)).expect("a page");
    site.write(HOME, text + &keys.concat());
    // Two servers of one folder.
    let servers = [
        Server::start(site.clone(), &[]),
        Server::start(site.clone(), &["--out", "other"]),
    ];
    let authors = servers.each_ref().map(Author::of);
    for round in 0..5 {
        let base = authors[0].opened(HOME);
        let statuses = at_once(|at| {
            let mut form = base.clone();
            form[format!("key{at}")] = json!(format!("round {round}"));
            let new = json!({"title": format!("New {round}"), "__sitegen": {"base": null}});
            let path = format!("content/blog/en/new-{round}-{at}.md");
            let author = &authors[at % 2];
            let saved = author
                .save(&[(HOME, &form), (&path, &new)], &[])
                .expect("an answer");
            saved.0
        });
        assert_eq!(
            statuses, [200; FORMS],
            "nobody has changed the value of another"
        );
        let text = std::fs::read_to_string(site.path(HOME)).expect("a page");
        for at in 0..FORMS {
            assert!(
                text.contains(&format!("key{at}: round {round}\n")),
                "round {round} of form {at} is lost:\n{text}"
            );
            assert!(
                site.path(&format!("content/blog/en/new-{round}-{at}.md"))
                    .exists()
            );
        }
    }
    // One value that all of them change: the first is saved, and the others learn of it.
    let base = authors[0].opened(HOME);
    let statuses = at_once(|at| {
        let mut form = base.clone();
        form["key0"] = json!(format!("of {at}"));
        authors[at % 2]
            .save(&[(HOME, &form)], &[])
            .expect("an answer")
            .0
    });
    assert_eq!(
        statuses.iter().filter(|status| **status == 200).count(),
        1,
        "{statuses:?}"
    );
    assert_eq!(
        statuses.iter().filter(|status| **status == 409).count(),
        FORMS - 1,
        "{statuses:?}"
    );
    let of_saved = statuses
        .iter()
        .position(|status| *status == 200)
        .expect("one");
    let text = std::fs::read_to_string(site.path(HOME)).expect("a page");
    assert!(text.contains(&format!("key0: of {of_saved}\n")), "{text}");
}

#[test]
fn a_picture_does_not_replace_another_of_its_name() {
    let site = SiteTest::small();
    let server = Server::start(site.clone(), &[]);
    let author = Author::of(&server);
    let home = author.opened(HOME);
    assert_eq!(
        author
            .save(&[(HOME, &home)], &[PICTURE])
            .expect("an answer")
            .0,
        200
    );
    assert_eq!(
        author
            .save(&[(HOME, &home)], &[PICTURE])
            .expect("an answer")
            .0,
        200,
        "the same picture again"
    );
    site.write(PICTURE, SVG.replace('8', "9"));
    let mut changed = home.clone();
    changed["title"] = json!("Changed");
    let (status, answer) = author
        .save(&[(HOME, &changed)], &[PICTURE])
        .expect("an answer");
    assert!(
        status == 409
            && answer["error"]
                .as_str()
                .is_some_and(|text| text.contains(PICTURE)),
        "{answer}"
    );
    assert!(
        !std::fs::read_to_string(site.path(HOME))
            .expect("a page")
            .contains("Changed")
    );
}

#[test]
fn a_save_that_cannot_be_written_is_refused_with_words_and_leaves_everything() {
    use std::os::unix::fs::PermissionsExt as _;
    let site = SiteTest::small();
    site.write("content/authors/a.yaml", "name: A\n");
    let server = Server::start(site.clone(), &[]);
    let author = Author::of(&server);
    let mut home = author.opened(HOME);
    home["title"] = json!("Changed");
    let before = files_below(&site.path("content"));
    // A file is where the folder of the second file has to be.
    site.write("content/blog", "in the way");
    let post = json!({"title": "New", "__sitegen": {"base": null}});
    let (status, answer) = author
        .save(&[(HOME, &home), (POST, &post)], &[PICTURE])
        .expect("an answer");
    assert_eq!(status, 409, "{answer}");
    let message = answer["error"].as_str().expect("a message");
    assert!(message.contains("nothing was saved"), "{message}");
    site.remove("content/blog");
    assert_eq!(files_below(&site.path("content")), before);
    assert!(
        !site.path("content/images").exists(),
        "a folder of the save is left"
    );
    // Without permission. The owner of all files may write everywhere.
    let folder = site.path("content/pages/home");
    let set = |mode| {
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode))
            .expect("permissions");
    };
    set(0o555);
    if std::fs::File::create(folder.join("probe")).is_err() {
        let (status, answer) = author
            .save(&[(HOME, &home)], &[PICTURE])
            .expect("an answer");
        assert_eq!(status, 409, "{answer}");
        assert!(
            answer["error"]
                .as_str()
                .is_some_and(|text| text.contains("permission denied")),
            "{answer}"
        );
        assert_eq!(files_below(&site.path("content")), before);
    }
    set(0o755);
    let _ = std::fs::remove_file(folder.join("probe"));
    assert_eq!(
        author
            .save(&[(HOME, &home)], &[PICTURE])
            .expect("an answer")
            .0,
        200
    );
}

/// The content without what no reader looks at.
#[cfg(target_os = "linux")]
fn content(site: &SiteTest) -> BTreeMap<String, Vec<u8>> {
    let mut files = files_below(&site.path("content"));
    files.retain(|path, _| !path.split('/').any(|part| part.starts_with('.')));
    files
}

/// Saves a page, a new post and a new picture while one call that changes a file fails. Returns whether the call was
/// reached, and the status.
#[cfg(target_os = "linux")]
fn save_with_fault(site: &SiteTest, at: usize, kills: bool) -> (bool, Option<u16>) {
    let done = site.path("fault-done");
    let _ = std::fs::remove_file(&done);
    let mut command = site.command(&["serve", "--port", "0"]);
    command
        .env("LD_PRELOAD", crate::publish_faults::library())
        .env("FAULT_IN", "content");
    command
        .env("FAULT_AT", at.to_string())
        .env("FAULT_DONE", &done);
    if kills {
        command.env("FAULT_KILL", "1");
    }
    let server = Server::of(site.clone(), command);
    let author = Author::of(&server);
    let mut home = author.opened(HOME);
    home["title"] = json!("Changed");
    let post = json!({"title": "New", "body": "Text.", "__sitegen": {"base": null}});
    let saved = author.save(&[(HOME, &home), (POST, &post)], &[PICTURE]);
    assert!(!server.log().contains("panicked"), "{}", server.log());
    (done.exists(), saved.map(|(status, _)| status))
}

#[cfg(target_os = "linux")]
fn each_call(kills: bool) {
    // Each call has its own start of the server. Without `SITE_TEST_FULL`, some of them are tried.
    let step = if std::env::var_os("SITE_TEST_FULL").is_some() {
        1
    } else {
        4
    };
    let site = SiteTest::small();
    let old = content(&site);
    let mut faults = 0;
    for at in (0..).step_by(step) {
        let site = SiteTest::small();
        let (reached, status) = save_with_fault(&site, at, kills);
        if !reached {
            assert_eq!(status, Some(200), "without a fault");
            break;
        }
        faults += 1;
        if kills {
            // The next command takes back what was begun, whatever it is for. The new post is an error of the build.
            let run = site.run(&["routes"]);
            assert!(
                run.status == 0 || run.stderr.contains("hello.md"),
                "call {at}: {}",
                run.stderr
            );
        }
        let found = content(&site);
        let is_new = found.contains_key("blog/en/hello.md")
            && found.contains_key("images/uploads/bridge.svg");
        let is_whole = if is_new {
            found.len() == old.len() + 2
        } else {
            found == old
        };
        let names: Vec<&String> = found.keys().collect();
        assert!(is_whole, "call {at}: half of the save is there: {names:?}");
        match status {
            Some(200) => assert!(is_new, "call {at}: a confirmed save is not there"),
            Some(_) => assert!(!is_new, "call {at}: a refused save is there"),
            None => assert!(kills, "call {at}: the server has ended"),
        }
        // The next save finds nothing in its way.
        let server = Server::start(site.clone(), &[]);
        let author = Author::of(&server);
        let mut home = author.opened(HOME);
        home["description"] = json!("Saved afterwards.");
        assert_eq!(
            author.save(&[(HOME, &home)], &[]).expect("an answer").0,
            200,
            "call {at}"
        );
        let left: Vec<_> = std::fs::read_dir(site.path(".sitegen"))
            .expect("a folder")
            .flatten()
            .collect();
        let left: Vec<_> = left
            .iter()
            .map(std::fs::DirEntry::file_name)
            .filter(|name| name == "content-save")
            .collect();
        assert!(left.is_empty(), "call {at}: {left:?}");
    }
    assert!(faults * step > 15, "only {faults} calls were made to fail");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_at_any_call_of_a_save_leaves_all_old_or_all_new() {
    each_call(false);
}

#[cfg(target_os = "linux")]
#[test]
fn a_kill_at_any_call_of_a_save_leaves_all_old_or_all_new() {
    each_call(true);
}
