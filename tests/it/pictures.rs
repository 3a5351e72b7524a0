//! Photographs: resizing, encoding, orientation, removal of metadata.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

use crate::site_test::{Run, SiteTest, repository};

const FIGURE: &str = "templates/sections/hero/hero.html";
const HERO: &str = "<h1>{{ section.title }}</h1>\n{% set p = section.figure %}<picture>{% for s in p.sources %}<source type=\"{{ s.type }}\" srcset=\"{{ s.srcset }}\">{% endfor %}<img src=\"{{ p.src }}\" alt=\"{{ p.alt }}\" width=\"{{ p.width }}\" height=\"{{ p.height }}\" class=\"{{ p.classes }}\"></picture>";

/// A picture with a red left half and a blue right half.
pub fn picture(width: u32, height: u32) -> DynamicImage {
    let color = |x, _| {
        if x < width / 2 {
            Rgb([200, 30, 30])
        } else {
            Rgb([30, 30, 200])
        }
    };
    DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, color))
}

pub fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture
        .write_to(&mut bytes, format)
        .expect("an encoded picture");
    bytes.into_inner()
}

pub fn site(name: &str, bytes: &[u8]) -> SiteTest {
    let page = format!(
        "path: /\ntitle: Home\ndescription: The home.\nsections:\n  - {{kind: hero, title: Hello, figure: {{src: {name}, alt: Two colours}}}}\n"
    );
    let site = SiteTest::small()
        .file(FIGURE, HERO)
        .file(&format!("content/images/{name}"), bytes);
    // The template requires a picture on every page.
    site.write("content/pages/home/en.yaml", page);
    for path in [
        "content/pages/home/es.yaml",
        "content/pages/about/en.yaml",
        "content/pages/about/es.yaml",
        "content/pages/not-found/en.yaml",
    ] {
        let text = std::fs::read_to_string(site.path(path)).expect("a page");
        let hero = text.find("  - kind: hero\n").expect("a hero") + "  - kind: hero\n".len();
        site.write(
            path,
            format!(
                "{}    figure: {{src: {name}, decorative: true}}\n{}",
                &text[..hero],
                &text[hero..]
            ),
        );
    }
    site
}

fn images(run: &Run) -> Vec<String> {
    run.files()
        .into_keys()
        .filter(|path| path.starts_with("_assets/images/"))
        .collect()
}

#[test]
fn a_photograph_is_published_in_three_formats_and_four_widths() {
    let run = site(
        "photos/two.jpg",
        &encoded(&picture(1300, 650), ImageFormat::Jpeg),
    )
    .built();
    let html = run.page("/").html.clone();
    for width in [480, 600, 768, 1200] {
        assert!(
            html.contains(&format!("{width}w")),
            "{width} is missing in {html}"
        );
    }
    assert!(
        html.contains("image/avif")
            && html.contains("image/webp")
            && html.contains("width=\"1300\" height=\"650\""),
        "{html}"
    );
    let files = images(&run);
    assert_eq!(files.len(), 9, "{files:?}");
    let tint = html
        .split("class=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .expect("a tint");
    let sheet = run
        .files()
        .into_iter()
        .find(|(path, _)| path.contains("page-"))
        .expect("the page's sheet")
        .1;
    assert!(String::from_utf8_lossy(&sheet).contains(tint));
    assert!(
        html.find("image/avif") < html.find("image/webp"),
        "the smaller format comes first"
    );
}

#[test]
fn a_picture_may_lie_beside_its_page() {
    let site = site("two.png", &encoded(&picture(300, 200), ImageFormat::Png));
    site.write(
        "content/pages/home/own.png",
        encoded(&picture(200, 100), ImageFormat::Png),
    );
    site.edit("content/pages/home/en.yaml", "src: two.png", "src: own.png");
    site.built()
        .page("/")
        .contains("width=\"200\" height=\"100\"")
        .contains("pages-home-own-200-");
}

#[test]
fn a_crop_keeps_the_point_of_a_picture() {
    let site = site("two.png", &encoded(&picture(300, 200), ImageFormat::Png));
    site.edit(
        "content/pages/home/en.yaml",
        "alt: Two colours",
        "alt: Two colours, focus: [0.305, 1]",
    );
    let run = site.built();
    let html = &run.page("/").html;
    assert!(html.contains(" focus-305-1000\""), "{html}");
    let sheets = run
        .files()
        .into_iter()
        .filter(|(path, _)| path.contains("page-"));
    let has_rule = |sheet: &[u8]| {
        String::from_utf8_lossy(sheet).contains(".focus-305-1000{object-position:30.5% 100%}")
    };
    let sheets: Vec<String> = sheets
        .filter(|(_, text)| has_rule(text))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(sheets.len(), 1, "only the page that shows it has the rule");
}

#[test]
fn a_point_outside_its_picture_is_reported() {
    let site = site("two.png", &encoded(&picture(300, 200), ImageFormat::Png));
    for (focus, what) in [
        ("[0.5, 1.2]", "`[0.5, 1.2]` is not a point"),
        ("[0.5]", "a list with 2 items"),
        ("center", "a list"),
    ] {
        site.edit(
            "content/pages/home/en.yaml",
            "alt: Two colours",
            &format!("alt: Two colours, focus: {focus}"),
        );
        let run = site.run(&["check"]);
        assert!(
            run.problems().len() == 1 && run.stderr.contains(what),
            "{}",
            run.stderr
        );
        site.edit(
            "content/pages/home/en.yaml",
            &format!(", focus: {focus}"),
            "",
        );
    }
}

#[test]
fn a_small_picture_is_never_upscaled() {
    let run = site("two.png", &encoded(&picture(300, 200), ImageFormat::Png)).built();
    run.page("/").contains("300w").lacks("480w");
}

#[test]
fn a_second_build_takes_pictures_from_the_cache() {
    let site = site("two.jpg", &encoded(&picture(800, 400), ImageFormat::Jpeg));
    site.built();
    let cache = walkdir::WalkDir::new(site.path(".sitegen/pictures"))
        .into_iter()
        .flatten();
    let avif: Vec<_> = cache
        .filter(|entry| entry.path().extension().is_some_and(|e| e == "avif"))
        .collect();
    assert_eq!(avif.len(), 4);
    let folder = site.path(".sitegen/pictures");
    let name = avif[0]
        .path()
        .strip_prefix(&folder)
        .expect("below the folder")
        .to_string_lossy();
    let store = workspace::cache::Store::new(&site.path(".sitegen"), None);
    store.put(
        workspace::cache::Kind::Pictures,
        &name,
        b"taken from the cache",
    );
    // A build reads the cache only if the output is missing.
    std::fs::remove_dir_all(site.path("dist")).expect("removed");
    assert!(
        site.built()
            .files()
            .values()
            .any(|bytes| bytes == b"taken from the cache")
    );
}

/// The picture is stored rotated, with an EXIF orientation and a GPS position.
#[test]
fn a_picture_is_rotated_upright_and_its_metadata_is_dropped() {
    let upright = encoded(&picture(400, 200).rotate270(), ImageFormat::Jpeg);
    let mut exif: Vec<u8> =
        b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0".to_vec();
    exif.extend(b"GPSLatitude 4.6097");
    let length = u16::try_from(exif.len() + 2)
        .expect("a short segment")
        .to_be_bytes();
    let mut bytes = upright[..2].to_vec();
    bytes.extend([0xff, 0xe1]);
    bytes.extend(length);
    bytes.extend(&exif);
    bytes.extend(&upright[2..]);
    let run = site("turned.jpg", &bytes).built();
    run.page("/").contains("width=\"400\" height=\"200\"");
    let files = run.files();
    for path in images(&run) {
        assert!(
            !files[&path].windows(11).any(|part| part == b"GPSLatitude"),
            "{path} contains the GPS position"
        );
    }
    let (_, jpeg) = files
        .iter()
        .find(|(path, _)| path.ends_with(".jpg"))
        .expect("the fallback");
    let pixels = image::load_from_memory(jpeg).expect("a picture").to_rgb8();
    assert!(
        pixels.get_pixel(10, 100).0[0] > 150 && pixels.get_pixel(390, 100).0[2] > 150,
        "red should be left and blue right"
    );
}

#[test]
fn transparent_pictures_fall_back_to_png() {
    let clear = DynamicImage::ImageRgba8(image::RgbaImage::from_pixel(
        500,
        300,
        image::Rgba([10, 20, 30, 90]),
    ));
    let run = site("clear.png", &encoded(&clear, ImageFormat::Png)).built();
    assert!(images(&run).iter().any(|path| path.ends_with(".png")));
}

#[test]
fn sharp_is_needed_for_photographs_only() {
    let photograph = site("two.jpg", &encoded(&picture(500, 300), ImageFormat::Jpeg));
    // Everything that a build needs but sharp.
    let packages = photograph.path("packages");
    std::fs::create_dir(&packages).expect("a folder");
    for entry in std::fs::read_dir(repository().join("node_modules"))
        .expect("packages")
        .flatten()
    {
        if entry.file_name() != "sharp" {
            std::os::unix::fs::symlink(entry.path(), packages.join(entry.file_name()))
                .expect("a link");
        }
    }
    let build = |site: &SiteTest| {
        let mut command = site.command(&["build"]);
        command
            .env("SITEGEN_NODE_MODULES", &packages)
            .output()
            .expect("sitegen starts")
    };
    let output = build(&photograph);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert_eq!(
        stderr.matches("sharp is not installed").count(),
        1,
        "{stderr}"
    );
    assert!(stderr.contains("npm install"), "{stderr}");
    assert!(!photograph.path("dist").exists());
    let output = build(&SiteTest::small());
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn one_problem_reports_that_photographs_cannot_be_encoded() {
    let site = site("two.jpg", &encoded(&picture(1300, 650), ImageFormat::Jpeg));
    let run = site.run_with(&["build"], &[("SITEGEN_NODE", "/no/such/node")]);
    assert_eq!(run.problems(), ["node-missing"], "{}", run.stderr);
    assert_eq!(
        run.stderr
            .matches("Node.js, which encodes photographs")
            .count(),
        1,
        "{}",
        run.stderr
    );
    assert!(!site.path("dist").exists());
}

#[test]
fn a_truncated_picture_is_a_problem() {
    let whole = encoded(&picture(600, 600), ImageFormat::Jpeg);
    let run = site("cut.jpg", &whole[..whole.len() / 2]).build();
    assert_eq!(
        run.problems(),
        ["bad-image content/images/cut.jpg"],
        "{}",
        run.stderr
    );
}

#[test]
fn an_oversized_picture_is_a_problem() {
    // The header of a PNG of 30,000 × 30,000 pixels. The data after it must not be decoded.
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    let mut header = Vec::new();
    header.extend(30_000_u32.to_be_bytes());
    header.extend(30_000_u32.to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    bytes.extend(&header);
    let crc = crc32(&[b"IHDR".as_slice(), &header].concat());
    bytes.extend(crc.to_be_bytes());
    bytes.extend(b"\0\0\0\0IDAT\x35\xaf\x06\x1e");
    let run = site("huge.png", &bytes).build();
    assert_eq!(
        run.problems(),
        ["bad-image content/images/huge.png"],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("30000 × 30000 pixels"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_html_file_named_as_a_picture_is_a_problem() {
    let run = site("page.jpg", b"<!doctype html><p>404").build();
    assert_eq!(
        run.problems(),
        ["bad-image content/images/page.jpg"],
        "{}",
        run.stderr
    );
}

/// The checksum of PNG chunks.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 {
                (crc >> 1) ^ 0xedb8_8320
            } else {
                crc >> 1
            }
        })
    })
}
