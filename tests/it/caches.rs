//! The cache: whatever happens to it, a build gives the bytes of a first one; what it holds can be listed and removed;
//! machines can share it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use crate::pictures;
use crate::serve::Server;
use crate::shared_cache::{Behavior, Bucket, TOKEN};
use crate::site_test::{Run, SiteTest, different, files_below};

/// The kinds of entries, by the names of their folders.
const KINDS: [&str; 4] = ["pictures", "islands", "bundle", "compressed"];

type Files = BTreeMap<String, Vec<u8>>;

/// Makes damaged bytes from those of an entry.
type Damage = dyn Fn(&[u8]) -> Vec<u8>;

/// A site with a photograph, an island, a style sheet and a text that is worth compressing.
fn site() -> SiteTest {
    let site = SiteTest::islands()
        .file("content/images/two.png", pictures::encoded(&pictures::picture(300, 200), image::ImageFormat::Png))
        .file("templates/pages/page.html", "{% extends \"layouts/base.html\" %}\n{% block main %}{% for section in sections %}{% include \"sections/\" ~ section.kind ~ \"/\" ~ section.kind ~ \".html\" %}{% endfor %}{{ island(\"faq\", {\"name\": \"x\", \"items\": []}, \"load\") }}{% endblock %}\n")
        .file("templates/sections/hero/hero.html", "<h1>{{ section.title }}</h1>{{ section.lead or \"\" }}{% if section.figure %}<picture>{% for s in section.figure.sources %}<source type=\"{{ s.type }}\" srcset=\"{{ s.srcset }}\">{% endfor %}<img src=\"{{ section.figure.src }}\" alt=\"\" class=\"{{ section.figure.classes }}\"></picture>{% endif %}\n")
        .file("templates/styles/site.css", "@layer base; @layer base { body { color: red } }")
        .file("static/long.txt", "a bridge drawn by data, ".repeat(100));
    // Old assets that are kept for open pages are not part of a first build.
    site.edit(
        "content/site.yaml",
        "locales: [en, es]",
        "locales: [en, es]\nprecompress: true\nassets: {keep_days: 0}",
    );
    site.edit(
        "content/pages/home/en.yaml",
        "    title: Hello\n",
        "    title: Hello\n    figure: {src: two.png, decorative: true}\n",
    );
    site
}

/// Removes the output and the manifest, builds, and fails the test if the build fails or gives other bytes.
fn rebuilt(site: &SiteTest, first: &Files, environment: &[(&str, &str)]) -> Run {
    std::fs::remove_dir_all(site.path("dist")).ok();
    let run = site.run_with(&["build"], environment);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let files = run.files();
    let differ = different(first, &files);
    assert!(differ.is_empty(), "{differ:?} differ");
    run
}

/// The files of all kinds of entries below a folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let below = |kind: &&str| {
        let folder = folder.join(kind);
        files_below(&folder)
            .into_keys()
            .map(|name| folder.join(name))
            .collect::<Vec<_>>()
    };
    KINDS.iter().flat_map(below).collect()
}

fn set_time(file: &Path, time: SystemTime) {
    let open = std::fs::File::options()
        .append(true)
        .open(file)
        .expect("a file");
    open.set_modified(time).expect("a time");
}

#[test]
fn every_kind_is_cached_and_a_second_build_adds_nothing() {
    let site = site();
    let first = site.built().files();
    for kind in KINDS {
        assert!(
            !files_below(&site.path(".sitegen").join(kind)).is_empty(),
            "no {kind}"
        );
    }
    let before = files_below(&site.path(".sitegen/pictures"));
    rebuilt(&site, &first, &[("SITEGEN_NODE", "/no/such/node")]);
    assert!(files_below(&site.path(".sitegen/pictures")) == before);
}

#[test]
fn a_damaged_cache_gives_the_bytes_of_a_first_build() {
    let site = site();
    let first = site.built().files();
    let swap = |bytes: &[u8]| bytes.iter().rev().copied().collect::<Vec<u8>>();
    let damages: [(&str, &Damage); 5] = [
        ("empty", &|_| Vec::new()),
        ("truncated", &|bytes| bytes[..bytes.len() - 3].to_vec()),
        ("one bit", &|bytes| {
            bytes
                .iter()
                .enumerate()
                .map(|(at, byte)| byte ^ u8::from(at == bytes.len() / 2))
                .collect()
        }),
        ("of another version", &|bytes| {
            [b"sitegen cache 9\n", &bytes[16..]].concat()
        }),
        ("something else", &swap),
    ];
    for (what, damage) in damages {
        let files = entries(&site.path(".sitegen"));
        assert!(files.len() >= 10, "{what}: {files:?}");
        for file in files {
            std::fs::write(&file, damage(&std::fs::read(&file).expect("an entry")))
                .expect("written");
        }
        let run = rebuilt(&site, &first, &[]);
        assert_eq!(run.problems(), Vec::<String>::new(), "{what}");
    }
}

#[test]
fn entries_under_wrong_names_are_not_used() {
    let site = site();
    let first = site.built().files();
    for kind in KINDS {
        let files: Vec<_> = files_below(&site.path(".sitegen").join(kind))
            .into_iter()
            .collect();
        for (at, (name, _)) in files.iter().enumerate() {
            site.write(
                &format!(".sitegen/{kind}/{name}"),
                &files[(at + 1) % files.len()].1,
            );
        }
    }
    rebuilt(&site, &first, &[]);
}

#[test]
fn times_of_the_past_and_the_future_change_nothing() {
    let site = site();
    let first = site.built().files();
    let now = SystemTime::now();
    for time in [
        SystemTime::UNIX_EPOCH,
        now + Duration::from_hours(24 * 3000),
    ] {
        entries(&site.path(".sitegen"))
            .iter()
            .for_each(|file| set_time(file, time));
        rebuilt(&site, &first, &[]);
        let table = site.run(&["cache"]).stdout;
        assert!(table.contains("today"), "{table}");
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_a_warning_even_if_strict() {
    let first = site().built().files();
    let strict = || site().argument("--strict");
    let problem = ["cache-unavailable"];
    // Root may write everywhere, so files in the way stand for a read-only disk.
    let run = rebuilt(&strict().file(".sitegen", "a file in the way"), &first, &[]);
    assert_eq!(run.problems(), problem, "{}", run.stderr);
    for kind in ["pictures", "islands", "compressed"] {
        let run = rebuilt(
            &strict().file(&format!(".sitegen/{kind}"), "a file in the way"),
            &first,
            &[],
        );
        assert_eq!(run.problems(), problem, "{kind}: {}", run.stderr);
    }
}

#[test]
fn two_builds_and_a_preview_at_once_give_the_same_bytes() {
    let site = site();
    let first = site.built().files();
    std::fs::remove_dir_all(site.path(".sitegen")).expect("a cache");
    let server = Server::start(site.clone(), &[]);
    let builds: Vec<_> = ["one", "two"]
        .map(|out| {
            let out = site.path(out);
            let mut command = site.command(&["build", "--out", &out.to_string_lossy()]);
            (
                out,
                command
                    .stdout(Stdio::null())
                    .spawn()
                    .expect("sitegen starts"),
            )
        })
        .into();
    for (out, mut build) in builds {
        assert!(build.wait().expect("a status").success());
        assert!(files_below(&out) == first, "{} differs", out.display());
    }
    assert_eq!(server.get("/").0, 200);
    assert!(
        !files_below(&site.path(".sitegen"))
            .keys()
            .any(|name| name.ends_with(".part"))
    );
}

#[test]
fn the_cache_is_listed_and_pruned() {
    let site = site();
    let first = site.built().files();
    let list = || -> serde_json::Value {
        serde_json::from_str(&site.run(&["cache", "--format", "json"]).stdout).expect("JSON")
    };
    let pictures = |list: &serde_json::Value| {
        let kinds = list["kinds"].as_array().expect("a list").clone();
        kinds
            .into_iter()
            .find(|kind| kind["name"] == "pictures")
            .expect("pictures")["entries"]
            .as_u64()
    };
    assert_eq!(pictures(&list()), Some(4));
    let table = site.run(&["cache"]).stdout;
    assert!(
        table.contains("pictures") && table.contains("4.0 GB") && table.contains("records"),
        "{table}"
    );

    let old = files_below(&site.path(".sitegen/pictures"))
        .into_keys()
        .next()
        .expect("an entry");
    set_time(
        &site.path(".sitegen/pictures").join(old),
        SystemTime::now() - Duration::from_hours(24 * 40),
    );
    assert!(
        site.run(&["cache", "prune"])
            .stdout
            .starts_with("removed 1 file,")
    );
    assert_eq!(pictures(&list()), Some(3));
    let removed = site.run(&["cache", "prune", "--all"]);
    assert_eq!(removed.status, 0, "{}", removed.stderr);
    assert_eq!(pictures(&list()), Some(0));
    rebuilt(&site, &first, &[]);
}

#[test]
fn a_shared_folder_spares_another_machine_all_work() {
    let shared = tempfile::tempdir().expect("a folder");
    let place = shared.path().to_string_lossy().into_owned();
    let first = site().argument("--cache").argument(&place).built().files();
    let before = files_below(shared.path());
    assert!(
        before.keys().any(|name| name.starts_with("v1/islands/")),
        "{:?}",
        before.keys()
    );
    let times = || {
        let files = files_below(shared.path()).into_keys();
        files
            .map(|name| {
                shared
                    .path()
                    .join(name)
                    .metadata()
                    .and_then(|meta| meta.modified())
                    .expect("a time")
            })
            .collect()
    };
    let times_before: Vec<SystemTime> = times();
    // The environment may name it too.
    let other = site();
    let run = rebuilt(
        &other,
        &first,
        &[("SITEGEN_CACHE", &place), ("SITEGEN_NODE", "/no/such/node")],
    );
    assert_eq!(run.problems(), Vec::<String>::new());
    assert!(
        files_below(shared.path()) == before && times() == times_before,
        "something was computed again"
    );

    // A damaged shared entry is computed again, and replaced.
    for name in before.keys() {
        std::fs::write(shared.path().join(name), "damaged").expect("written");
    }
    let run = rebuilt(&site(), &first, &[("SITEGEN_CACHE", &place)]);
    assert_eq!(run.problems(), ["cache-unavailable"], "{}", run.stderr);

    let pruned = other.run_with(&["cache", "prune", "--all"], &[("SITEGEN_CACHE", &place)]);
    assert_eq!(pruned.status, 0, "{}", pruned.stderr);
    assert!(files_below(shared.path()).is_empty());
}

#[test]
fn two_machines_may_write_a_shared_folder_at_once() {
    let shared = tempfile::tempdir().expect("a folder");
    let first = site().built().files();
    let sites = [site(), site(), site()];
    let start = |site: &SiteTest| {
        let mut command = site.command(&["build"]);
        command
            .arg("--cache")
            .arg(shared.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("sitegen starts")
    };
    let builds: Vec<_> = sites.iter().map(start).collect();
    for (site, mut build) in sites.iter().zip(builds) {
        assert!(build.wait().expect("a status").success());
        assert!(files_below(&site.path("dist")) == first);
    }
    let left = files_below(shared.path());
    assert!(
        !left.keys().any(|name| name.ends_with(".part")),
        "{:?}",
        left.keys()
    );
}

#[test]
fn a_bucket_spares_another_machine_all_work() {
    let bucket = Bucket::start(Behavior::Works);
    let environment = bucket.environment();
    let first = site().built().files();
    rebuilt(&site(), &first, &environment);
    let written = bucket.requests("PUT");
    assert!(
        written
            .iter()
            .any(|path| path.starts_with("/bucket/prefix/v1/pictures/")),
        "{written:?}"
    );
    let without_node: Vec<_> = environment
        .into_iter()
        .chain([("SITEGEN_NODE", "/no/such/node")])
        .collect();
    let run = rebuilt(&site(), &first, &without_node);
    assert_eq!(run.problems(), Vec::<String>::new());
    assert_eq!(
        bucket.requests("PUT").len(),
        written.len(),
        "something was computed again"
    );
    assert!(bucket.is_signed());
}

#[test]
fn a_shared_cache_that_answers_wrongly_late_or_not_at_all_changes_nothing() {
    let first = site().built().files();
    let built_with = |behavior| {
        let bucket = Bucket::start(behavior);
        let start = Instant::now();
        let run = rebuilt(&site().argument("--strict"), &first, &bucket.environment());
        assert_eq!(
            run.problems(),
            ["cache-unavailable"],
            "{behavior:?}: {}",
            run.stderr
        );
        assert!(
            run.stderr
                .contains("the shared cache `s3://bucket/prefix` was "),
            "{}",
            run.stderr
        );
        assert!(!run.stderr.contains(TOKEN), "{}", run.stderr);
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "{behavior:?} took {:?}",
            start.elapsed()
        );
    };
    // Each waits for most of its time.
    std::thread::scope(|scope| {
        for behavior in [
            Behavior::Fails,
            Behavior::Garbage,
            Behavior::Closes,
            Behavior::Hangs,
            Behavior::Slow,
        ] {
            scope.spawn(move || built_with(behavior));
        }
    });
}

#[test]
fn without_credentials_the_shared_cache_is_a_warning_and_a_wrong_place_an_error() {
    let first = site().built().files();
    let missing = [
        ("SITEGEN_CACHE", "s3://bucket/prefix"),
        ("HOME", "/no/such/home"),
        ("AWS_REGION", "eu-west-1"),
    ];
    let run = rebuilt(&site(), &first, &missing);
    assert_eq!(run.problems(), ["cache-unavailable"]);
    assert!(
        run.stderr.contains("`AWS_ACCESS_KEY_ID` is not set"),
        "{}",
        run.stderr
    );
    for place in ["http://cache.example/", "s3://bucket", "gs://bucket/prefix"] {
        let run = site().run(&["build", "--cache", place]);
        assert_eq!(
            (run.status, run.problems()),
            (2, vec!["bad-setting".to_owned()]),
            "{place}: {}",
            run.stderr
        );
    }
}
