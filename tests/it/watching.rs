//! Changes that the preview must notice: in linked folders, in folders that are created again, after an overflow, by
//! editors of all kinds.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

use crate::incremental;
use crate::publish_faults::library;
use crate::serve::Server;
use crate::site_test::{SiteTest, sitegen};
use crate::waiting::wait_for;

const HOME: &str = "content/pages/home/en.yaml";
const POST: &str = "content/blog/en/note-3.md";

/// Waits until a page contains a text.
fn wait(server: &Server, path: &str, text: &str) {
    wait_for(&format!("{text:?} on {path}; {}", server.log()), || {
        server.get(path).2.contains(text).then_some(())
    });
}

/// Waits until the server has printed a text.
fn wait_for_log(server: &Server, text: &str) {
    wait_for(&format!("{text:?} in {}", server.log()), || {
        server.log().contains(text).then_some(())
    });
}

/// Stops the server's process meanwhile, so that the system has to keep all events.
fn while_stopped(server: &Server, change: impl FnOnce()) {
    let process = Pid::from_raw(server.process().cast_signed()).expect("a process");
    kill_process(process, Signal::STOP).expect("stopped");
    change();
    kill_process(process, Signal::CONT).expect("continued");
}

/// How many events the system keeps.
fn limit() -> usize {
    let text = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").expect("a limit");
    text.trim().parse().expect("a number")
}

fn builds(server: &Server) -> usize {
    server.log().matches("built ").count()
}

fn moved(from: &Path, to: &Path) {
    fs::rename(from, to).expect("moved");
}

#[test]
fn after_an_overflow_everything_is_rebuilt() {
    let site = incremental::site();
    let server = Server::start(site.clone(), &[]);
    while_stopped(&server, || {
        // No build reads it, so only the overflow is left to tell. Events of one file that follow one another are one.
        for at in 0..=limit() / 2 {
            fs::write(site.path(&format!("content/.{}", at % 2)), "x").expect("a file");
        }
        site.edit(POST, "first words", "words after all");
        site.write("static/later/below/a.txt", "new");
    });
    wait(&server, "/notes/note-3/", "words after all");
    wait(&server, "/later/below/a.txt", "new");
    // The new folder is watched as well.
    site.write("static/later/below/a.txt", "newer");
    wait(&server, "/later/below/a.txt", "newer");
}

#[test]
fn a_switch_of_branches_is_one_build() {
    let count = if std::env::var_os("SITE_TEST_FULL").is_some() {
        20_000
    } else {
        2_000
    };
    let site = SiteTest::small();
    let server = Server::start(site.clone(), &[]);
    let before = builds(&server);
    while_stopped(&server, || {
        for at in 0..count {
            site.write(
                &format!("static/many/{}/{at}.txt", at % 50),
                format!("file {at}"),
            );
        }
        site.edit(HOME, "Hello", "Hello from a branch");
    });
    wait(&server, "/", "Hello from a branch");
    for at in [0, count / 2, count - 1] {
        wait(
            &server,
            &format!("/many/{}/{at}.txt", at % 50),
            &format!("file {at}"),
        );
    }
    site.edit(HOME, "from a branch", "from an author");
    wait(&server, "/", "from an author");
    wait_for_log(&server, "built");
    let more = wait_for("the builds", || {
        (builds(&server) >= before + 2).then(|| builds(&server))
    });
    assert_eq!(more, before + 2, "{}", server.log());
}

#[test]
fn a_full_table_of_watched_folders_is_reported_with_what_to_do() {
    let site = SiteTest::small();
    let mut command = site.command(&["serve", "--port", "0"]);
    // The site, `content/` and one folder in it.
    command.env("LD_PRELOAD", library()).env("WATCHES", "3");
    let server = Server::of(site.clone(), command);
    wait_for_log(&server, "sudo sysctl fs.inotify.max_user_watches=524288");
    assert!(
        server
            .log()
            .contains("the system can't watch any more folders"),
        "{}",
        server.log()
    );
    let before = builds(&server);
    // A folder that is watched is rebuilt.
    site.edit("content/site.yaml", "Small things.", "Very small things.");
    wait_for("a build", || (builds(&server) > before).then_some(()));
}

#[test]
fn a_site_behind_a_link_is_rebuilt() {
    let site = SiteTest::small();
    let elsewhere = tempfile::tempdir().expect("a folder");
    symlink(site.path(""), elsewhere.path().join("site")).expect("a link");
    let mut command = sitegen();
    command
        .args(["serve", "--port", "0", "--root"])
        .arg(elsewhere.path().join("site"));
    let server = Server::of(site.clone(), command);
    site.edit(HOME, "Hello", "Hello through a link");
    wait(&server, "/", "Hello through a link");
}

#[test]
fn linked_folders_are_watched_as_they_are_read() {
    let outside = tempfile::tempdir().expect("a folder");
    let shared = |path: &str| outside.path().join(path);
    fs::create_dir_all(shared("texts/deep")).expect("folders");
    fs::write(shared("texts/deep/a.txt"), "first").expect("a file");
    fs::write(shared("one.txt"), "one").expect("a file");
    let site = SiteTest::small();
    let settings = fs::read_to_string(site.path("content/site.yaml")).expect("settings");
    let allowed = format!(
        "{settings}\nlinked_folders: [{}]\n",
        outside.path().display()
    );
    site.write("content/site.yaml", &allowed);
    site.write("static/own.txt", "own");
    symlink(shared("texts"), site.path("static/texts")).expect("a link");
    symlink(shared("one.txt"), site.path("static/one.txt")).expect("a link");
    let mut command = site.command(&["serve", "--port", "0"]);
    command.env("SITEGEN_LINKED_FOLDERS", outside.path());
    let server = Server::of(site.clone(), command);
    wait(&server, "/texts/deep/a.txt", "first");
    fs::write(shared("texts/deep/a.txt"), "second").expect("a file");
    wait(&server, "/texts/deep/a.txt", "second");
    // An editor replaces the file that a link leads to.
    fs::write(shared("one.new"), "two").expect("a file");
    moved(&shared("one.new"), &shared("one.txt"));
    wait(&server, "/one.txt", "two");
    // The folder is replaced by another one.
    fs::create_dir_all(shared("other/deep")).expect("folders");
    fs::write(shared("other/deep/a.txt"), "third").expect("a file");
    moved(&shared("texts"), &shared("old"));
    moved(&shared("other"), &shared("texts"));
    wait(&server, "/texts/deep/a.txt", "third");
    fs::write(shared("texts/deep/a.txt"), "fourth").expect("a file");
    wait(&server, "/texts/deep/a.txt", "fourth");
    // A new link, and one to another folder of the site.
    fs::create_dir(shared("more")).expect("a folder");
    fs::write(shared("more/b.txt"), "fifth").expect("a file");
    symlink(shared("more"), site.path("static/more")).expect("a link");
    wait(&server, "/more/b.txt", "fifth");
    fs::write(shared("more/b.txt"), "sixth").expect("a file");
    wait(&server, "/more/b.txt", "sixth");
    // A link that the settings do not allow any more is an error, and allowed again is watched again.
    site.write("content/site.yaml", &settings);
    wait(&server, "/", "link-outside");
    site.write("content/site.yaml", &allowed);
    wait(&server, "/more/b.txt", "sixth");
    fs::write(shared("more/b.txt"), "seventh").expect("a file");
    wait(&server, "/more/b.txt", "seventh");
}

#[test]
fn a_folder_that_is_created_again_is_watched_again() {
    let site = SiteTest::small();
    let server = Server::start(site.clone(), &[]);
    for (folder, file, word) in [
        ("templates", "templates/layouts/base.html", "<html"),
        ("content", HOME, "title:"),
    ] {
        moved(&site.path(folder), &site.path("away"));
        wait_for("problems", || (server.get("/").0 >= 500).then_some(()));
        moved(&site.path("away"), &site.path(folder));
        wait_for("a page", || (server.get("/").0 == 200).then_some(()));
        // In a folder below it.
        site.edit(file, word, &format!("broken {word} {{{{ broken"));
        wait_for("problems", || (server.get("/").0 >= 500).then_some(()));
        site.edit(file, &format!("broken {word} {{{{ broken"), word);
        wait_for("a page", || (server.get("/").0 == 200).then_some(()));
    }
}

#[test]
fn saves_of_all_editors_are_noticed() {
    let site = incremental::site();
    let server = Server::start(site.clone(), &[]);
    let text = fs::read_to_string(site.path(POST)).expect("a post");
    let with = |words: &str| text.replace("first words", words);
    // A new file takes the place of the old one.
    for beside in [
        "content/blog/en/.note-3.md.swx",
        "content/blog/en/note-3.md.tmp.4711",
    ] {
        let words = format!("words through {}", &beside[16..19]);
        site.write(beside, with(&words));
        moved(&site.path(beside), &site.path(POST));
        wait(&server, "/notes/note-3/", &words);
    }
    // The old one becomes a backup.
    moved(&site.path(POST), &site.path("content/blog/en/note-3.md~"));
    site.write(POST, with("words beside a backup"));
    wait(&server, "/notes/note-3/", "words beside a backup");
    // It is emptied, and much later written.
    site.write(POST, "");
    wait_for("the empty file", || {
        server.get("/").2.contains("empty-file").then_some(())
    });
    site.write(POST, with("words after nothing"));
    wait(&server, "/notes/note-3/", "words after nothing");
    // The time of the file goes back, and its length stays.
    site.write(POST, with("words before noting"));
    let file = fs::File::options()
        .append(true)
        .open(site.path(POST))
        .expect("a file");
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_hours(24))
        .expect("a time");
    wait(&server, "/notes/note-3/", "words before noting");
}

#[test]
fn a_clock_that_goes_back_hides_no_change() {
    let site = incremental::site();
    let mut build = site.command(&["build"]);
    // A year.
    assert!(
        build
            .env("LD_PRELOAD", library())
            .env("CLOCK_AHEAD", "31536000")
            .status()
            .expect("it runs")
            .success()
    );
    let mut command = site.command(&["serve", "--port", "0"]);
    command
        .env("LD_PRELOAD", library())
        .env("CLOCK_AHEAD", "-31536000");
    let server = Server::of(site.clone(), command);
    site.edit(POST, "first words", "words of the past");
    wait(&server, "/notes/note-3/", "words of the past");
    site.edit("content/pages/home/en.yaml", "Hello", "Hello again");
    wait(&server, "/", "Hello again");
    let site = server.stop();
    assert_eq!(site.run(&["build", "--verify-cache"]).status, 0);
}
