//! `search/`: when a build writes the search bundle, and its contents.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;

use crate::api_site::Direct;
use crate::site_test::{SiteTest, files_below};

fn search(site: &SiteTest) -> BTreeMap<String, Vec<u8>> {
    files_below(&site.path("search"))
}

/// The inodes of all files, which change when files are rewritten.
fn inodes(site: &SiteTest) -> Vec<u64> {
    search(site)
        .keys()
        .map(|path| {
            std::fs::metadata(site.path("search").join(path))
                .expect("a file")
                .ino()
        })
        .collect()
}

#[test]
fn equal_posts_give_equal_bytes_and_are_not_rewritten() {
    let site = SiteTest::whole();
    let with_threads = |threads: &str| {
        let run = site.run_with(&["build"], &[("RAYON_NUM_THREADS", threads)]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        run
    };
    let run = with_threads("1");
    let (first, nodes) = (search(&site), inodes(&site));
    assert!(
        first.keys().any(|path| path.starts_with("en/"))
            && first.keys().any(|path| path.starts_with("es/"))
    );
    let manifest: serde_json::Value = serde_json::from_slice(&first["site.json"]).expect("JSON");
    let named: serde_json::Value =
        serde_json::from_slice(&run.files()["build.json"]).expect("JSON");
    assert_eq!(
        manifest["build"], named["build"],
        "search/ and dist/ have the same build id"
    );
    // A change of a page changes dist/ but not the index.
    site.edit(
        "content/pages/about/en.yaml",
        "description: ",
        "description: Now ",
    );
    let changed = with_threads("2");
    assert_eq!(inodes(&site), nodes);
    let now: serde_json::Value =
        serde_json::from_slice(&changed.files()["build.json"]).expect("JSON");
    assert!(
        now["build"] == named["build"] && now["site"] != named["site"],
        "{now} {named}"
    );
    site.edit(
        "content/pages/about/en.yaml",
        "description: Now ",
        "description: ",
    );
    let again: serde_json::Value =
        serde_json::from_slice(&with_threads("1").files()["build.json"]).expect("JSON");
    assert_eq!(again, named, "the same content has the same name");
    std::fs::remove_dir_all(site.path("search")).expect("a folder");
    with_threads("2");
    assert_eq!(search(&site), first);

    // The published posts are found in both languages.
    let api = Direct::at(site.path("search"));
    for (query, least) in [
        ("lang=en", 26),
        ("lang=es", 14),
        ("lang=es&search=migracion", 1),
    ] {
        let answer = api.request(
            "GET",
            &format!("/api/posts?per_page=100&content=full&{query}"),
            &[],
        );
        assert!(answer.total() >= least, "{query}: {}", answer.total());
        for post in answer.json()["posts"].as_array().expect("posts") {
            let link = post["link"].as_str().expect("an address");
            assert!(
                post["content"]
                    .as_str()
                    .is_some_and(|html| html.contains("<p>")),
                "{link}"
            );
            let shown = [
                &post["featured_image"]["source_url"],
                &post["cover"],
                &post["author"]["avatar_urls"]["96"],
            ];
            let files = shown
                .iter()
                .filter_map(|address| address.as_str())
                .filter(|address| !address.is_empty());
            for file in files
                .map(str::to_owned)
                .chain([format!("{link}index.html")])
            {
                assert!(
                    site.path("dist").join(&file[1..]).exists(),
                    "{link}: {file}"
                );
            }
        }
    }

    let post = site.path("content/blog/es");
    let post = files_below(&post)
        .into_keys()
        .find(|path| path.ends_with(".md"))
        .expect("a post");
    site.edit(
        &format!("content/blog/es/{post}"),
        "title: ",
        "title: Ahora ",
    );
    with_threads("2");
    assert_ne!(search(&site)["site.json"], first["site.json"]);

    site.edit(
        "content/site.yaml",
        "blog: {sharing_cards: false}",
        "blog: {search: false}",
    );
    let run = with_threads("2");
    assert!(!site.path("search").exists() && !run.files().contains_key("build.json"));
}

#[test]
fn untracked_files_in_the_search_folder_are_kept() {
    let site = SiteTest::small().file("search/notes.txt", "mine");
    site.built();
    assert_eq!(
        std::fs::read_to_string(site.path("search/notes.txt")).expect("the file"),
        "mine"
    );
    assert!(site.path("search/site.json").exists());
}

#[test]
fn each_output_folder_has_its_own_index() {
    let site = SiteTest::small();
    let (one, two) = (site.path("one"), site.path("two"));
    for out in [&one, &two] {
        let run = site.run(&["build", "--out", &out.to_string_lossy()]);
        assert_eq!(run.status, 0, "{}", run.stderr);
    }
    assert!(
        site.path("one-search/site.json").exists() && site.path("two-search/site.json").exists()
    );
    assert!(!site.path("search").exists());
}
