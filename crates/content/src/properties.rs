//! Property tests for untrusted text: the rendered HTML, parsed again as browsers do, contains only elements,
//! attributes and URLs that the policy allows, and does not change the structure of the page around it.
//!
//! Texts are random, and shrunk to the smallest that fails. `PROPTEST_CASES=100000` tries more of them.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use diagnostics::problem::{Source, Span};
use html5ever::tendril::TendrilSink as _;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use proptest::prelude::*;

use api_types::html::escape;

use super::blog::markdown::mark;
use text::markdown::{self, Rules};
use text::rich::{InlinePicture, MARK, Marked, Piece, Rich, Target};
use text::sanitize::{OWN_TAGS, Open, POLICY, clean};

/// Fragments of HTML whose meaning depends on their context.
const HTML: &[&str] = &[
    "text ",
    "&lt;b&gt;",
    "&amp;lt;",
    "&#0;",
    "&",
    "<",
    ">",
    "\"",
    "'",
    "`",
    "\u{a0}",
    "\r",
    "\n\n",
    "=",
    "/",
    "--",
    "]]>",
    "<b>",
    "</b>",
    "<i>",
    "</i>",
    "<p>",
    "</p>",
    "<div>",
    "<div class=table-scroll>",
    "</div>",
    "<span>",
    "</span>",
    "<a href=/x>",
    "<a href=javascript:alert(1)>",
    "<a href=sitegen-link:0>",
    "<a href='sitegen-video:0'>",
    "</a>",
    "<img src=x onerror=alert(1)>",
    "<img src=sitegen-picture:0>",
    "<img src=sitegen-video:0>",
    "<img alt='<i>' src=/y>",
    "<img alt='\"><script>' src=z>",
    "<img src=a alt=☺>",
    "<h1>",
    "</h1>",
    "<h2 id=a>",
    "<h2 id=a-2>",
    "</h2>",
    "<h3>A",
    "</h3>",
    "<h6 id='\"><img>'>",
    "</h6>",
    "<ul>",
    "<li>",
    "</li>",
    "</ul>",
    "<ol start=3 onclick=x>",
    "</ol>",
    "<dl><dt>",
    "<dd>",
    "</dl>",
    "<blockquote>",
    "</blockquote>",
    "<figure>",
    "<figcaption>",
    "</figcaption>",
    "</figure>",
    "<table>",
    "<caption>",
    "<colgroup>",
    "<col span=2>",
    "<thead>",
    "<tbody>",
    "<tr>",
    "<th scope=col>",
    "<td colspan=2>",
    "</td>",
    "</tr>",
    "</table>",
    "<pre>",
    "<code class=language-rust>",
    "let a = \"",
    "</code>",
    "</pre>",
    "<br>",
    "<hr>",
    "<details open>",
    "<summary>",
    "</summary>",
    "</details>",
    "<section id=b>",
    "</section>",
    "</article>",
    "</main>",
    "</body>",
    "</html>",
    "<body onload=x>",
    "<html lang=x>",
    "<head>",
    "<main>",
    "<article>",
    "<iframe>",
    "<iframe src=https://www.youtube.com/embed/a title='<b>'>",
    "</iframe>",
    "<noembed>",
    "</noembed>",
    "<noframes>",
    "</noframes>",
    "<noscript>",
    "</noscript>",
    "<xmp>",
    "</xmp>",
    "<plaintext>",
    "<textarea>",
    "</textarea>",
    "<title>",
    "</title>",
    "<template>",
    "</template>",
    "<style>",
    "</style>",
    "<script>alert(1)",
    "</script>",
    "<select>",
    "<option>",
    "<optgroup>",
    "</select>",
    "<button>",
    "</button>",
    "<form>",
    "</form>",
    "<input autofocus onfocus=x>",
    "<object>",
    "</object>",
    "<svg>",
    "<svg onload=x>",
    "<g>",
    "<foreignObject>",
    "<desc>",
    "</desc>",
    "</svg>",
    "<math>",
    "<mi>",
    "<mtext>",
    "<annotation-xml encoding=text/html>",
    "<mglyph>",
    "<malignmark>",
    "</math>",
    "<!--",
    "-->",
    "--!>",
    "<!-->",
    "<![CDATA[",
    "<!doctype html>",
    "<?xml ",
    "</",
    "<b ",
    " href=x",
    " id=c",
    " title='-->'",
    " style=x",
    " class=code-x",
    "<frameset>",
    "<frame>",
    "<base href=//x>",
    "<meta http-equiv=refresh content=0>",
    "<link rel=stylesheet href=x>",
    "<video src=x>",
    "</video>",
    "<marquee>",
    "<font color=x>",
    "</font>",
    "<ruby><rt>",
    "<rp>",
    "<nobr>",
    "<center>",
    "[gallery ids=1]",
    "[caption]",
    "[/caption]",
    "<p id=a>",
    "<span id=a>",
    "<time datetime=x>",
    "<wbr>",
    "</p><p>",
];

/// Fragments of Markdown whose meaning depends on their context.
const MARKDOWN: &[&str] = &[
    "# ",
    "## A\n",
    "\n## A\n",
    "\n## Note 1\n",
    "\n### Note 1 back\n",
    "\n\n",
    "\n",
    "* ",
    "1. ",
    "> ",
    "    ",
    "`",
    "```",
    "\n```rust\n",
    "~~~\n",
    "*",
    "**",
    "_",
    "~~",
    "[a](/x)",
    "[a](",
    ")",
    "[",
    "]",
    "](",
    "[a][b]",
    "[b]: /y\n",
    "![a](x.png)",
    "![a *b*](",
    "![",
    "<https://a.example>",
    "<javascript:alert(1)>",
    "[a](javascript:alert(1))",
    "[a](<x y> \"t\")",
    "[^1]",
    "[^1]: ",
    "\n[^1]: note\n",
    "[^2]",
    "|a|b|\n",
    "|-|:-:|\n",
    "|c\n",
    "- [ ] ",
    "- [x] ",
    "---\n",
    "===\n",
    "\\",
    "  \n",
    "&copy;",
    "&#0;",
    "{product.name}",
    "\t",
];

fn soup(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        30 => proptest::sample::select(pieces).prop_map(str::to_owned),
        2 => "[ -~]{1,6}",
        1 => any::<char>().prop_filter("refused when a file is read", |c| *c != MARK).prop_map(String::from),
    ];
    prop::collection::vec(piece, 1..24).prop_map(|pieces| pieces.concat())
}

/// Markdown with fragments of HTML.
fn mixed() -> impl Strategy<Value = String> {
    let piece = prop_oneof![2 => soup(MARKDOWN), 1 => soup(HTML)];
    prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.concat())
}

fn cleaned(html: &str) -> Marked {
    let link = &mut |href: &str| {
        (!href.starts_with('#') && !href.is_empty()).then(|| Target {
            to: "/to/".into(),
            span: Span::default(),
        })
    };
    let picture = &mut |_: &str, alt: Option<&str>| {
        Some(InlinePicture {
            src: "/picture".into(),
            alt: alt.unwrap_or_default().to_owned(),
            span: Span::default(),
        })
    };
    clean(
        Marked {
            html: html.to_owned(),
            ..Marked::default()
        },
        Open {
            link,
            picture,
            media: None,
            shortcodes: true,
        },
    )
}

/// The HTML of a text in a page.
fn body(rich: &Rich) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Html(html) => html.clone(),
        Piece::Link(_) => " href=\"/to/\"".to_owned(),
        Piece::Word(callout) => callout.name().to_owned(),
        Piece::Part(..) => String::new(),
        Piece::Media(attribute, _) => format!(" {}=\"/to/\"", attribute.name()),
        Piece::Picture(picture) => {
            format!(
                "<picture><source><img src=\"/picture\" alt=\"{}\"></picture>",
                escape(&picture.alt)
            )
        }
    };
    rich.pieces.iter().map(piece).collect()
}

fn elements(node: &Handle) -> Vec<Handle> {
    let children = node.children.borrow();
    children
        .iter()
        .filter(|child| matches!(child.data, NodeData::Element { .. }))
        .cloned()
        .collect()
}

fn name(node: &Handle) -> String {
    match &node.data {
        NodeData::Element { name, .. } => name.local.to_string(),
        _ => String::new(),
    }
}

fn child(node: &Handle, wanted: &str) -> Handle {
    elements(node)
        .into_iter()
        .find(|child| name(child) == wanted)
        .unwrap_or_else(|| panic!("no `{wanted}`"))
}

/// Checks a text in a page, as browsers parse it.
fn check(body: &str, scripting_enabled: bool) -> Result<(), TestCaseError> {
    let page = format!(
        "<!doctype html><title>t</title><body><main><article>{body}</article><aside></aside></main>"
    );
    let mut options = ParseOpts::default();
    options.tree_builder.scripting_enabled = scripting_enabled;
    let dom = parse_document(RcDom::default(), options).one(page);
    let root = child(&dom.document, "html");
    prop_assert_eq!(
        elements(&root).iter().map(name).collect::<Vec<_>>(),
        ["head", "body"]
    );
    prop_assert_eq!(
        elements(&child(&root, "head")).len(),
        1,
        "an element in the head"
    );
    let around = child(&root, "body");
    prop_assert_eq!(
        around.children.borrow().len(),
        1,
        "an element next to `main`"
    );
    let main = child(&around, "main");
    let inside: Vec<String> = main.children.borrow().iter().map(name).collect();
    prop_assert_eq!(inside, ["article", "aside"]);
    prop_assert!(
        child(&main, "aside").children.borrow().is_empty(),
        "content in the following element"
    );
    let mut ids = HashSet::new();
    allowed(&child(&main, "article"), &mut ids)
}

/// The policy's allowlist: elements, attributes by element, and attributes of all elements.
static ALLOWED: LazyLock<Allowed> = LazyLock::new(|| Allowed {
    tags: POLICY.clone_tags(),
    of_tag: POLICY.clone_tag_attributes(),
    generic: POLICY.clone_generic_attributes(),
});

struct Allowed {
    tags: HashSet<&'static str>,
    of_tag: HashMap<&'static str, HashSet<&'static str>>,
    generic: HashSet<&'static str>,
}

/// Checks that everything below a node is allowed, and that ids are unique.
fn allowed(node: &Handle, ids: &mut HashSet<String>) -> Result<(), TestCaseError> {
    for child in node.children.borrow().iter() {
        let NodeData::Element { name, attrs, .. } = &child.data else {
            prop_assert!(
                matches!(child.data, NodeData::Text { .. }),
                "neither an element nor text"
            );
            continue;
        };
        let tag = &*name.local;
        // Formulas, which sitegen writes itself.
        if &*name.ns == "http://www.w3.org/1998/Math/MathML" {
            for attribute in attrs.borrow().iter() {
                let key = &*attribute.name.local;
                prop_assert!(
                    !key.starts_with("on") && !matches!(key, "style" | "href" | "src"),
                    "<{} {}>",
                    tag,
                    key
                );
            }
            prop_assert!(
                !matches!(tag, "annotation-xml" | "maction" | "semantics"),
                "<{}>",
                tag
            );
            allowed(child, ids)?;
            continue;
        }
        prop_assert_eq!(&*name.ns, "http://www.w3.org/1999/xhtml");
        let is_own = ALLOWED.tags.contains(tag) || OWN_TAGS.contains(&tag);
        prop_assert!(is_own || matches!(tag, "picture" | "input"), "<{}>", tag);
        for attribute in attrs.borrow().iter() {
            let (key, value) = (&*attribute.name.local, &*attribute.value);
            let of_tag = ALLOWED.of_tag.get(tag).is_some_and(|own| own.contains(key));
            let own = match (tag, key) {
                // Written by sitegen: focusable blocks, task lists, video cards.
                ("div" | "pre", "tabindex") => value == "0",
                // Films and sounds of the site's own files, which start when a visitor wants.
                ("audio" | "source" | "track" | "video", _) => {
                    !key.starts_with("on") && key != "autoplay"
                }
                ("input", "type") => value == "checkbox",
                ("input", "disabled" | "checked") => value.is_empty(),
                ("a", "rel") => value == "external noopener",
                ("a", "class") => value == "video-card",
                ("a" | "sup", "aria-label") => true,
                ("aside" | "div" | "li" | "p" | "sup" | "section" | "ol" | "ul", "class") => value
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | ' ')),
                _ => false,
            };
            prop_assert!(
                own || of_tag || ALLOWED.generic.contains(key),
                "<{} {}={:?}>",
                tag,
                key,
                value
            );
            if key == "id" {
                prop_assert!(
                    ids.insert(value.to_owned()),
                    "the id `{}` is not unique",
                    value
                );
            }
            if matches!(key, "href" | "src") {
                let is_card_or_anchor = ["https://www.youtube.com/", "#"]
                    .iter()
                    .any(|start| value.starts_with(start));
                prop_assert!(
                    is_card_or_anchor || matches!(value, "/to/" | "/picture"),
                    "{}={:?}",
                    key,
                    value
                );
            }
        }
        allowed(child, ids)?;
    }
    Ok(())
}

/// Checks a rendered text and its anchors.
fn check_marked(marked: &Marked) -> Result<(), TestCaseError> {
    let rich = marked.finish();
    let html = body(&rich);
    prop_assert!(!html.contains(MARK), "the HTML contains a mark: {:?}", html);
    for scripting in [true, false] {
        check(&html, scripting).map_err(|error| {
            TestCaseError::fail(format!("{error}, with scripting {scripting}: {html}"))
        })?;
    }
    for anchor in rich.anchors.iter() {
        prop_assert!(
            html.contains(&format!("id=\"{}\"", escape(anchor))),
            "no `{}` in {}",
            anchor,
            html
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12 * ProptestConfig::default().cases, ..ProptestConfig::default() })]

    #[test]
    fn untrusted_html_is_harmless_in_a_page(html in soup(HTML)) {
        check_marked(&cleaned(&html))?;
    }

    #[test]
    fn sanitizing_twice_keeps_the_text(html in soup(HTML)) {
        let once = body(&cleaned(&html).finish());
        let read = |html: &str| text::sanitize::plain_text(html);
        prop_assert_eq!(read(&body(&cleaned(&once).finish())), read(&once));
    }

    #[test]
    fn posts_in_markdown_are_harmless_in_a_page(text in mixed()) {
        let source = Source::new("post.md".into(), text);
        let marked = mark(&source, 0..source.text.len(), &|text| text.to_owned(), None);
        for target in &marked.targets {
            let (start, end) = (target.span.start as usize, target.span.end as usize);
            prop_assert!(source.text.get(start..end).is_some(), "{:?} is not a range of the text", target);
        }
        check_marked(&marked)?;
    }

    #[test]
    fn texts_of_sections_contain_no_raw_html(text in mixed()) {
        let locate = &|_: &str, range: std::ops::Range<usize>| Span::new(range.start, range.end);
        let rules = Rules { article: false, taken: &["a".to_owned()], fill: &|text| text.to_owned(), locate, origin: None };
        let marked = markdown::mark(&text, rules);
        prop_assert!(!marked.headings.iter().any(|heading| heading.id == "a"));
        check_marked(&marked)?;
    }

    #[test]
    fn plain_text_has_collapsed_whitespace(html in soup(HTML)) {
        // A no-break space is not collapsed.
        let words = text::sanitize::plain_text(&html).replace('\u{a0}', "x");
        prop_assert_eq!(words.split_whitespace().collect::<Vec<_>>().join(" "), words);
    }
}
