//! Drawings (SVG) in pages, in `static/` and of a CMS: what is published of them.

use std::sync::{Arc, OnceLock};

use serde_json::json;

use crate::cms::run;
use crate::cms_server::{CmsServer, Reply, wordpress, wordpress_post};
use crate::new_site::new_site;
use crate::site_test::{Run, SiteTest};

const START: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'";

/// Parts that run script in a browser, in a page, as a file, or both.
const ACTIVE: &[&str] = &[
    " ONLOAD='alert(1)'/>",
    " onload='alert(1)'/>",
    "><SCRIPT>alert(1)</SCRIPT></svg>",
    "><script href='//evil.example'/></svg>",
    "><p><![CDATA[><script>alert(1)</script>]]></p></svg>",
    "><foreignObject><iframe xmlns='http://www.w3.org/1999/xhtml' src='//evil.example'/></foreignObject></svg>",
    "><a href='javascript:alert(1)'><path d='M0 0h9'/></a></svg>",
    "><path id='a'/><set href='#a' attributeName='onclick' to='alert(1)'/></svg>",
    "><use href='data:image/svg+xml,&lt;svg/&gt;'/></svg>",
    "><metadata><script>alert(1)</script></metadata></svg>",
];

#[test]
fn a_drawing_with_script_is_an_error_wherever_it_lies() {
    for part in ACTIVE {
        for file in [
            "static/mark.svg",
            "static/a/MARK.SVG",
            "content/images/mark.svg",
        ] {
            let run = SiteTest::small()
                .file(file, format!("{START}{part}"))
                .build();
            let problems = run.problems();
            let is_reported = problems
                .iter()
                .any(|problem| problem.starts_with(&format!("bad-image {file}:")));
            assert!(
                run.status == 1 && is_reported,
                "{file} {part}: {problems:?} {}",
                run.stderr
            );
        }
    }
}

#[test]
fn a_drawing_in_static_is_checked_and_published_as_it_is() {
    let inkscape = "<?xml version=\"1.0\"?>\n<!-- Inkscape -->\n<svg xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\" xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"><style>#a { fill: red }</style><g inkscape:label=\"A\" id=\"a\"><path style=\"fill:#f00\" d=\"M0 0\"/></g></svg>";
    let run = SiteTest::small().file("static/ink.svg", inkscape).build();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(
        std::fs::read_to_string(run.out.join("ink.svg")).expect("the file"),
        inkscape
    );
}

#[test]
fn a_drawing_in_static_that_runs_something_alone_is_refused_or_written_again() {
    let hostile = [
        (
            "a.svg",
            "<x:svg xmlns:x=\"http://www.w3.org/2000/svg\"><x:script>alert(1)</x:script><![CDATA[<!DOCTYPE ><svg \
             xmlns=\"http://www.w3.org/2000/svg\"/><!--]]></x:svg>-->",
        ),
        (
            "b.svg",
            "<?xml-stylesheet type=\"text/xsl\" href=\"/t.xml\"?><!DOCTYPE svg><svg xmlns=\"http://www.w3.org/2000/svg\"/>",
        ),
        (
            "c.svg",
            "<svg xmlns=\"http://www.w3.org/2000/svg\" style=\"background:url(https://evil.example/x.png)\"/>",
        ),
        ("d.SVGZ", "\u{1f}"),
        (
            "e.xml",
            "\u{feff}<?xml version=\"1.0\"?>\n<!-- a --><svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>",
        ),
        (
            "f.RDF",
            "<?a b?><!DOCTYPE svg><s:svg xmlns:s=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>",
        ),
        (
            "g.xsl",
            "<!DOCTYPE a [<!ENTITY b '<svg/>'>]><svg xmlns=\"http://www.w3.org/2000/svg\">&b;</svg>",
        ),
        (
            "h.svg.xml",
            "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>",
        ),
    ];
    let site = hostile
        .iter()
        .fold(SiteTest::small(), |site, (name, text)| {
            site.file(&format!("static/{name}"), text)
        });
    let run = site.build();
    let files: Vec<String> = run
        .problems()
        .iter()
        .filter_map(|problem| Some(problem.strip_prefix("bad-image static/")?[..5].to_owned()))
        .collect();
    assert_eq!(
        (run.status, files.len()),
        (1, hostile.len()),
        "{}",
        run.stderr
    );
    let wide: Vec<u8> = "\u{feff}<svg onload=\"alert(1)\"/>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let run = SiteTest::small().file("static/wide.xml", wide).build();
    assert!(
        run.status == 1 && run.stderr.contains("static/wide.xml"),
        "{}",
        run.stderr
    );
    let others = [
        (
            "browserconfig.xml",
            "<?xml version=\"1.0\"?><browserconfig><tile src=\"a.svg\"/></browserconfig>",
        ),
        ("example.txt", "<svg onload=\"alert(1)\"/>"),
    ];
    let site = others.iter().fold(SiteTest::small(), |site, (name, text)| {
        site.file(&format!("static/{name}"), text)
    });
    let run = site.built();
    for (name, text) in others {
        assert_eq!(
            std::fs::read_to_string(run.out.join(name)).expect("the file"),
            text
        );
    }
    let old = "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"svg11.dtd\">\n<svg xmlns=\"http://www.w3.org/2000/svg\"><g id=\"icon\"/></svg>";
    let run = SiteTest::small().file("static/old.svg", old).build();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let published = std::fs::read_to_string(run.out.join("old.svg")).expect("the file");
    assert_eq!(
        published,
        "<svg xmlns=\"http://www.w3.org/2000/svg\"><g id=\"icon\"/></svg>"
    );
}

#[test]
fn a_drawing_as_programs_save_it_is_shown_by_an_img() {
    let ink = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\" id=\"svg5\"><g id=\"layer1\"><path style=\"fill:#f00\" d=\"M0 0\"/></g></svg>";
    let site =
        new_site(&["--languages", "en", "--no-blog"]).file("content/images/figures/hero.svg", ink);
    let run = site.build();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let home = std::fs::read_to_string(run.out.join("index.html")).expect("the page");
    assert!(
        home.contains("/_assets/images/figures-hero-") && !home.contains("layer1"),
        "{home}"
    );
}

#[test]
fn an_icon_that_takes_minutes_to_draw_is_an_error() {
    let noise = format!(
        "{START}><filter id='f'><feTurbulence numOctaves='9'/></filter><path filter='url(#f)' d='M0 0'/></svg>"
    );
    let site = new_site(&["--languages", "en", "--no-blog"]).file("static/favicon.svg", noise);
    let run = site.build();
    assert!(
        run.status == 1 && run.stderr.contains("takes too long to draw as an icon"),
        "{}",
        run.stderr
    );
}

/// A new site with a post for each drawing: its featured picture, the portrait of its author, and a picture in its text.
fn with_featured(drawings: Vec<String>) -> Run {
    let url = Arc::new(OnceLock::<String>::new());
    let known = Arc::clone(&url);
    let server = CmsServer::start(move |request| {
        if let Some(name) = request.path.strip_suffix(".svg") {
            let index = name[2..].parse::<usize>().expect("the number of a post");
            return Reply::Whole(200, Vec::new(), drawings[index].clone().into_bytes());
        }
        let base = known.get().cloned().unwrap_or_default();
        let post = |index: usize| {
            let mut post = wordpress_post(index as u64, "en");
            post["featured_media"] = json!(9);
            post["_embedded"]["wp:featuredmedia"] =
                json!([{"source_url": format!("{base}/x{index}.svg"), "alt_text": "A picture"}]);
            let author = &mut post["_embedded"]["author"][0];
            author["slug"] = json!(format!("author-{index}"));
            author["avatar_urls"] = json!({"96": format!("{base}/y{index}.svg")});
            post["content"]["rendered"] = json!(format!(
                "<p><img src='{base}/z{index}.svg' alt='In the text'></p>"
            ));
            post
        };
        wordpress((0..drawings.len()).map(post).collect())(request)
    });
    url.set(server.url.clone()).expect("set once");
    let site = new_site(&["--languages", "en"]);
    run(&site, "wordpress", &server.url, &[])
}

/// All pages of the blog, as text.
fn blog_pages(run: &Run) -> String {
    let files = crate::site_test::files_below(&run.out.join("blog")).into_iter();
    files
        .filter(|(path, _)| path.ends_with(".html"))
        .map(|(_, bytes)| String::from_utf8(bytes).expect("text"))
        .collect()
}

#[test]
fn a_drawing_of_a_cms_is_never_a_part_of_a_page() {
    let harmless = format!("{START}><path class='of-the-cms' d='M0 0h9'/></svg>");
    let active = ACTIVE.iter().map(|part| format!("{START}{part}"));
    let run = with_featured(std::iter::once(harmless).chain(active).collect());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let pages = blog_pages(&run);
    assert!(
        pages.contains("blog-snapshot-") && !pages.contains("of-the-cms"),
        "{pages}"
    );
    assert!(!run.stderr.contains("x0.svg"), "{}", run.stderr);
    for (index, part) in ACTIVE.iter().enumerate() {
        for place in ["x", "y", "z"] {
            let name = format!("/{place}{}.svg", index + 1);
            assert!(
                run.stderr
                    .lines()
                    .any(|line| line.contains(&name) && line.contains("(the SVG contains")),
                "{name}, {part}: {}",
                run.stderr
            );
        }
    }
    let pages = pages.to_lowercase();
    assert!(!pages.contains("alert(1)") && !pages.contains("evil.example"));
}
