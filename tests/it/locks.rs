//! Programs that work on one site at once: none waits for the network of another, and each result is right.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::Read as _;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use config::{self, Options};

use crate::cms::settings;
use crate::cms_server::{CmsServer, Reply, api_post, posts_api};
use crate::content_list::change;
use crate::early_pages::{plan_of, publishes_early};
use crate::incremental;
use crate::publish_faults::library;
use crate::serve::Server;
use crate::site_test::SiteTest;
use crate::waiting::wait_for;

const HOME: &str = "content/pages/home/en.yaml";
const POST: &str = "content/blog/en/note-3.md";

/// A program that is ended with the test.
struct Running(Child);

impl Running {
    fn start(mut command: Command) -> Running {
        Running(
            command
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("sitegen starts"),
        )
    }

    fn has_ended(&mut self) -> bool {
        self.0.try_wait().expect("a state").is_some()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server that takes requests and never answers.
fn silence() -> (String, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    (
        format!("http://{}", listener.local_addr().expect("an address")),
        listener,
    )
}

/// Waits until a request has arrived. It has no answer as long as the stream is kept.
fn requested(listener: &TcpListener) -> TcpStream {
    let (mut stream, _) = listener.accept().expect("a request");
    assert!(stream.read(&mut [0; 8]).expect("a request") > 0);
    stream
}

fn wait(server: &Server, path: &str, text: &str) {
    wait_for(&format!("{text:?} on {path}"), || {
        server.get(path).2.contains(text).then_some(())
    });
}

#[test]
fn a_check_that_waits_for_other_sites_stops_no_preview() {
    let (address, listener) = silence();
    let site = SiteTest::small();
    site.edit(HOME, "page:about", &format!("{address}/slow"));
    site.built();
    let mut check = Running::start(site.command(&["check", "--external", "--accept-urls"]));
    let _stream = requested(&listener);
    let server = Server::start(site.clone(), &[]);
    site.edit(HOME, "Hello", "Hello meanwhile");
    wait(&server, "/", "Hello meanwhile");
    let built = site.run(&["build", "--out", &site.path("other").to_string_lossy()]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    let checked = site.run(&["check"]);
    assert_eq!(checked.status, 0, "{}", checked.stderr);
    assert!(!check.has_ended(), "the check is to wait all that time");
}

#[test]
fn a_build_that_waits_for_a_cms_stops_no_other() {
    let good = CmsServer::start(posts_api((1..=3).map(api_post).collect()));
    let site = SiteTest::small();
    let arguments = |url: &str| -> Vec<String> {
        settings("posts_api", url)
            .into_iter()
            .flat_map(|set| ["--set".to_owned(), set])
            .collect()
    };
    let command = |url: &str, more: &[&str]| {
        let mut command = site.command(&["build"]);
        command.args(arguments(url)).args(more);
        command
    };
    assert!(command(&good.url, &[]).status().expect("it runs").success());
    let (address, listener) = silence();
    let mut slow = Running::start(command(&address, &["--set", "blog.timeout=60"]));
    let _stream = requested(&listener);
    // The snapshot is that of the other address, so it is used.
    let offline = command(&good.url, &["--offline"])
        .output()
        .expect("it runs");
    assert!(
        offline.status.success(),
        "{}",
        String::from_utf8_lossy(&offline.stderr)
    );
    assert!(!slow.has_ended(), "the slow build is to wait all that time");
}

#[test]
fn a_page_moves_while_the_cms_is_silent() {
    let is_silent = Arc::new(AtomicBool::new(false));
    let (asked, answer) = (
        Arc::clone(&is_silent),
        posts_api((1..=3).map(api_post).collect()),
    );
    let cms = CmsServer::start(move |request| {
        if asked.load(Ordering::Relaxed) {
            Reply::Silence
        } else {
            answer(request)
        }
    });
    let sets = settings("posts_api", &cms.url)
        .into_iter()
        .flat_map(|set| ["--set".to_owned(), set]);
    // Each build asks the CMS.
    let arguments: Vec<String> = sets.chain(["--refresh".to_owned()]).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let server = Server::start(SiteTest::small(), &arguments);
    is_silent.store(true, Ordering::Relaxed);
    let before = cms.requests().len();
    let asked =
        json!({"action": "move", "file": "content/pages/about/en.yaml", "to": "/who-we-are/"});
    let (status, answer) = change(&server, &asked);
    assert_eq!(status, 200, "{answer}");
    // The build that follows asks again; the move itself has not.
    assert!(cms.requests().len() <= before + 1, "{:?}", cms.requests());
}

#[test]
fn a_file_system_without_locks_is_no_reason_to_stop() {
    let site = incremental::site();
    for arguments in [&["build"][..], &["check"], &["fmt"]] {
        let run = site.run_with(
            arguments,
            &[
                ("LD_PRELOAD", library().to_str().expect("a path")),
                ("NO_LOCKS", "1"),
            ],
        );
        assert_eq!(run.status, 0, "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn a_post_is_not_published_early_while_another_build_writes() {
    let site = incremental::site();
    site.edit(POST, "tags:", "excerpt: Said in short.\ntags:");
    let (config, _) = config::load(&Options {
        root: site.path(""),
        ..Options::default()
    });
    let config = config.expect("settings");
    let mut plan = plan_of(&config);
    site.edit(POST, "first words", "words that are early");
    let page = || fs::read_to_string(site.path("dist/notes/note-3/index.html")).expect("a page");
    for lock in [".sitegen/lock", ".dist.sitegen-lock"] {
        let file = fs::File::create(site.path(lock)).expect("a file");
        file.lock().expect("a lock");
        assert!(!publishes_early(&mut plan, &site.path(POST)), "{lock}");
        assert!(!page().contains("words that are early"), "{lock}");
        drop(file);
    }
    assert!(publishes_early(&mut plan, &site.path(POST)));
    assert!(page().contains("words that are early"));
}

#[test]
fn two_servers_of_one_folder_both_show_each_save() {
    let site = incremental::site();
    let servers = [
        Server::start(site.clone(), &[]),
        Server::start(site.clone(), &[]),
    ];
    for round in 0..3 {
        let text = fs::read_to_string(site.path(POST)).expect("a post");
        let head = text
            .rsplit_once("---\n")
            .expect("front matter")
            .0
            .to_owned();
        site.write(POST, format!("{head}---\nWords of round {round}.\n"));
        site.write(HOME, format!("path: /\ntitle: Home\ndescription: Round {round}.\nsections:\n  - {{kind: hero, title: Round {round}}}\n"));
        for server in &servers {
            wait(
                server,
                "/notes/note-3/",
                &format!("Words of round {round}."),
            );
            wait(server, "/", &format!("Round {round}"));
        }
    }
    servers.into_iter().for_each(|server| drop(server.stop()));
    assert_eq!(site.run(&["build", "--verify-cache"]).status, 0);
}

#[test]
fn checks_and_builds_at_once_leave_a_build_with_nothing_to_do() {
    let site = incremental::site();
    site.built();
    for round in 0..3 {
        site.edit(HOME, "title:", &format!("# round {round}\ntitle:"));
        let mut running: Vec<Child> = [
            ["check", "--quiet"],
            ["build", "--quiet"],
            ["check", "--quiet"],
        ]
        .into_iter()
        .map(|arguments| {
            site.command(&arguments)
                .stdout(Stdio::null())
                .spawn()
                .expect("sitegen starts")
        })
        .collect();
        assert!(
            running
                .iter_mut()
                .all(|child| child.wait().expect("it ends").success()),
            "round {round}"
        );
        let run = site.built();
        assert!(
            run.stdout.contains("nothing has changed"),
            "{}{}",
            run.stdout,
            run.stderr
        );
    }
    assert_eq!(site.run(&["build", "--verify-cache"]).status, 0);
}
