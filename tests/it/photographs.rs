//! Photographs in the preview: pages do not wait for them, requested ones are encoded first, and the final output
//! equals that of `build`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::pictures::{encoded, site};
use crate::serve::Server;
use crate::site_test::{SiteTest, files_below};

/// Timeout for encoding, in minutes: it is slow on a busy machine.
const ENCODING_TIMEOUT: Duration = Duration::from_mins(2);

/// A noisy photograph, which is slow to encode.
fn grainy(width: u32, height: u32) -> Vec<u8> {
    let mut noise = 1_u32;
    let picture = image::RgbImage::from_fn(width, height, |x, y| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let grain = (noise >> 27).to_le_bytes()[0];
        image::Rgb([x, y, x ^ y].map(|value| (value / 8).to_le_bytes()[0].wrapping_add(grain)))
    });
    encoded(
        &image::DynamicImage::ImageRgb8(picture),
        image::ImageFormat::Jpeg,
    )
}

fn grainy_site() -> SiteTest {
    site("grainy.jpg", &grainy(1300, 866))
}

/// The addresses of all variants of the photograph on a page.
fn addresses(html: &str) -> Vec<String> {
    let mut found: Vec<String> = html
        .split(['"', ' ', ','])
        .filter(|word| word.starts_with("/_assets/images/"))
        .map(str::to_owned)
        .collect();
    found.sort();
    found.dedup();
    found
}

fn photographs(files: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    files
        .into_iter()
        .filter(|(path, _)| path.starts_with("_assets/images/"))
        .collect()
}

/// Requests a variant until it is encoded. Before that, the responses must be placeholders.
fn real(server: &Server, address: &str, kind: &str) -> Vec<u8> {
    let start = Instant::now();
    loop {
        let (status, head, body) = server.get_bytes(address);
        assert_eq!(status, 200, "{address}: {head}");
        assert!(head.contains("cache-control: no-store"), "{head}");
        if head.contains(&format!("content-type: {kind}")) {
            return body;
        }
        assert!(head.contains("content-type: image/jpeg"), "{head}");
        assert!(
            image::load_from_memory(&body).is_ok(),
            "the placeholder of {address} is not a picture"
        );
        assert!(
            start.elapsed() < ENCODING_TIMEOUT,
            "{address} was not encoded in time: {head}\n{}",
            server.log()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < ENCODING_TIMEOUT, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The cache folder of the only photograph.
fn cached(site: &SiteTest) -> PathBuf {
    let mut folders = std::fs::read_dir(site.path(".sitegen/pictures"))
        .expect("a cache")
        .flatten();
    let folder = folders.next().expect("a photograph").path();
    assert!(folders.next().is_none(), "several photographs");
    folder
}

#[test]
fn a_page_does_not_wait_for_photographs_and_gets_the_bytes_of_a_build() {
    let built = photographs(grainy_site().built().files());
    let server = Server::start(grainy_site(), &[]);
    let (status, _, html) = server.get("/");
    let published = photographs(files_below(&server.site().path("dist")));
    assert_eq!(status, 200);
    assert!(
        published.len() < built.len(),
        "the page has waited for all photographs"
    );
    let addresses = addresses(&html);
    assert_eq!(addresses.len(), built.len(), "{addresses:?}");
    for address in addresses {
        let kind = match address.rsplit_once('.') {
            Some((_, "jpg")) => "image/jpeg",
            Some((_, "avif")) => "image/avif",
            _ => "image/webp",
        };
        let bytes = real(&server, &address, kind);
        assert!(
            bytes == built[address.trim_start_matches('/')],
            "{address} differs from the output of `build`"
        );
    }
    // The others are written to the output folder without another save.
    let out = server.site().path("dist");
    wait_until("the output folder never got all photographs", || {
        photographs(files_below(&out)) == built
    });
    assert_eq!(
        server.get("/_assets/images/grainy-480-aaaaaaaaaa.avif").0,
        404
    );
}

#[test]
fn a_build_completes_the_output_of_a_stopped_preview() {
    let built = grainy_site().built().files();
    let server = Server::start(grainy_site(), &[]);
    assert_eq!(server.get("/").0, 200);
    let site = server.stop();
    let again = site.built().files();
    assert_eq!(
        again.keys().collect::<Vec<_>>(),
        built.keys().collect::<Vec<_>>()
    );
    assert_eq!(photographs(again), photographs(built));
    let verified = site.run(&["build", "--verify-cache"]);
    assert_eq!(verified.status, 0, "{}", verified.stderr);
}

#[test]
fn the_output_of_a_stopped_preview_is_served_without_watching() {
    let server = Server::start(grainy_site(), &[]);
    let (_, _, html) = server.get("/");
    let site = server.stop();
    let server = Server::start(site, &["--no-watch"]);
    for address in addresses(&html) {
        let (status, head, body) = server.get_bytes(&address);
        assert!(status == 200 && !body.is_empty(), "{address}: {head}");
        // A placeholder must not be cached under an immutable name.
        let is_placeholder =
            !address.ends_with(".jpg") && head.contains("content-type: image/jpeg");
        assert_eq!(
            is_placeholder,
            head.contains("no-store"),
            "{address}: {head}"
        );
    }
}

#[test]
fn a_preview_does_not_encode_published_photographs() {
    let site = grainy_site();
    let built = photographs(site.built().files());
    std::fs::remove_dir_all(cached(&site)).expect("a cache to remove");
    let server = Server::start(site, &[]);
    let (_, _, html) = server.get("/");
    for address in addresses(&html) {
        assert!(
            server.get_bytes(&address).2 == built[address.trim_start_matches('/')],
            "{address}"
        );
    }
    let left = files_below(&cached(server.site()));
    assert_eq!(
        left.keys().collect::<Vec<_>>(),
        ["facts"],
        "something was encoded again"
    );
}

#[test]
fn a_photograph_that_cannot_be_cached_is_served_like_the_others() {
    let site = grainy_site();
    let built = photographs(site.built().files());
    let folder = cached(&site);
    std::fs::remove_dir_all(site.path("dist")).expect("an output folder");
    for name in ["480.avif", "768.webp"] {
        std::fs::remove_file(folder.join(name)).expect("a cached file");
    }
    // A folder in place of the file makes writing fail.
    std::fs::create_dir_all(folder.join("480.avif/in-the-way")).expect("a folder");
    let server = Server::start(site, &[]);
    let (_, _, html) = server.get("/");
    for (part, ending, kind) in [
        ("-480-", ".avif", "image/avif"),
        ("-768-", ".webp", "image/webp"),
    ] {
        let named = addresses(&html)
            .into_iter()
            .find(|address| address.contains(part) && address.ends_with(ending));
        let address = named.expect("an address");
        assert!(
            real(&server, &address, kind) == built[address.trim_start_matches('/')],
            "{address}"
        );
    }
    let run = server.stop().built();
    assert_eq!(run.problems(), ["cache-unavailable"], "{}", run.stderr);
    assert_eq!(photographs(run.files()), built);
}

#[test]
fn a_truncated_photograph_is_a_problem_until_it_is_complete() {
    let whole = grainy(600, 400);
    let server = Server::start(site("grainy.jpg", &whole), &[]);
    assert_eq!(server.get("/").0, 200);
    server
        .site()
        .write("content/images/grainy.jpg", &whole[..whole.len() / 2]);
    wait_until("the problem never shows", || {
        server.get("/").2.contains("content/images/grainy.jpg")
    });
    assert_eq!(server.get("/").0, 500);
    server.site().write("content/images/grainy.jpg", &whole);
    wait_until("the page never comes back", || server.get("/").0 == 200);
}

#[test]
fn a_picture_cache_that_cannot_be_written_changes_nothing() {
    let site = grainy_site().file(".sitegen/pictures", "a file in the way");
    let run = site.built();
    assert_eq!(run.problems(), ["cache-unavailable"], "{}", run.stderr);
    assert_eq!(
        photographs(run.files()),
        photographs(grainy_site().built().files())
    );
}

#[test]
fn checking_finds_a_damaged_photograph_and_encodes_none() {
    let site = grainy_site();
    let run = site.run(&["check"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(
        files_below(&cached(&site)).keys().collect::<Vec<_>>(),
        ["facts"]
    );
}
