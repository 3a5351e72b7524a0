//! Tests for sanitizing untrusted HTML.

use super::*;
use crate::rich::Piece;
use diagnostics::problem::Span;

fn cleaned(html: &str) -> Marked {
    let mut link = |href: &str| {
        (!href.starts_with('#') && !href.is_empty()).then(|| Target {
            to: href.to_owned(),
            span: Span::default(),
        })
    };
    let mut picture = |src: &str, alt: Option<&str>| {
        let alt = alt.unwrap_or("?").to_owned();
        Some(InlinePicture {
            src: src.to_owned(),
            alt,
            span: Span::default(),
        })
    };
    let open = Open {
        link: &mut link,
        picture: &mut picture,
        media: None,
        shortcodes: true,
    };
    clean(
        Marked {
            html: html.to_owned(),
            ..Marked::default()
        },
        open,
    )
}

fn check(html: &str, expect: &str) {
    let rich = cleaned(html).finish();
    let text: String = rich
        .pieces
        .iter()
        .map(|piece| match piece {
            Piece::Html(html) => html.clone(),
            Piece::Link(target) => format!(" →{}", target.to),
            Piece::Word(callout) => callout.name().to_owned(),
            Piece::Part(..) => "a part".to_owned(),
            Piece::Media(attribute, target) => format!(" {} →{}", attribute.name(), target.to),
            Piece::Picture(picture) => format!("[{}: {}]", picture.src, picture.alt),
        })
        .collect();
    assert_eq!(text, expect, "{html}");
}

#[test]
fn scripts_handlers_styles_and_forms_are_removed() {
    check("a<script>alert(1)</script><style>p{}</style>b", "ab");
    check("<p onclick=x style='color:red' class=big>a</p>", "<p>a</p>");
    check(
        "<form action=/x><input name=a><textarea>t</textarea><button>Go</button>left</form>",
        "left",
    );
    check(
        "<base href=//evil.example><meta http-equiv=refresh content='0;url=//evil.example'>a",
        "a",
    );
    check("<svg><a href=x>y</a></svg><math><mi>z</mi></math>", "");
    check(
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\"></noscript>",
        "[x: ?]\"&gt;",
    );
    check("<!--nextpage-->a<!-- b -->", "a");
}

#[test]
fn a_link_that_could_run_code_loses_its_target() {
    for href in [
        "javascript:alert(1)",
        "java\tscript:alert(1)",
        "&#1;javascript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
    ] {
        check(&format!("<a href=\"{href}\">a</a>"), "<a>a</a>");
    }
    check(
        "<a href=\"https://a.example/?a=1&amp;b\" target=_blank rel=x>a</a>",
        "<a →https://a.example/?a=1&b>a</a>",
    );
}

#[test]
fn code_with_a_language_is_highlighted() {
    let colored = "<pre class=\"code-line\" tabindex=\"0\"><code class=\"language-rust\"><span class=\"code-keyword\">let</span> a = <span class=\"code-string\">&quot;&lt;b&gt;&quot;</span>;\n</code></pre>";
    check(
        "<pre class='wp-block-code language-rust'><code>let a = \"&lt;b&gt;\";\n</code></pre>",
        colored,
    );
    check(
        "<pre><code class='hljs language-rust'>let a = \"&lt;b&gt;\";<br></code></pre>",
        colored,
    );
    check(
        "<pre class=language-rust>let a = \"&lt;b&gt;\";\n</pre>",
        colored,
    );
    // Already highlighted, in an unknown language, or without a language.
    check(
        "<pre><code class=language-rust><span class=code-keyword>let</span></code></pre>",
        "<pre tabindex=\"0\"><code class=\"language-rust\"><span class=\"code-keyword\">let</span></code></pre>",
    );
    let unknown = "<pre class=\"code-line\" tabindex=\"0\"><code class=\"language-brainfuck\">+&lt;&amp;</code></pre>";
    check(
        "<pre><code class=language-brainfuck>+&lt;&amp;</code></pre>",
        unknown,
    );
    check(
        "<pre><code>a\n  b</code></pre>",
        "<pre tabindex=\"0\"><code>a\n  b</code></pre>",
    );
    check(
        "<pre class=language-rust>let <b>a</b></pre>",
        "<pre class=\"language-rust\" tabindex=\"0\">let <b>a</b></pre>",
    );
    check("<pre>open", "<pre tabindex=\"0\">open</pre>");
}

#[test]
fn frames_of_known_sites_become_cards_and_others_are_removed() {
    check("<iframe src=\"https://evil.example/embed/x\"></iframe>", "");
    check("<iframe srcdoc=\"<script>alert(1)</script>\"></iframe>", "");
    check(
        "<iframe src=\"//www.youtube.com/embed/aB-1?rel=0\" title=\"How &lt;it&gt; works\"></iframe>",
        "<a class=\"video-card\" href=\"https://www.youtube.com/watch?v=aB-1\" rel=\"external noopener\">\
         <span class=\"video-card-provider\">YouTube</span> <span class=\"video-card-title\">How &lt;it&gt; works</span></a>",
    );
    check(
        "<iframe src=\"https://www.youtube.com.evil.example/embed/x\"></iframe>",
        "",
    );
    check(
        "<iframe src=\"https://player.vimeo.com/video/../x\"></iframe>",
        "",
    );
}

#[test]
fn the_content_of_a_frame_is_never_markup() {
    check("<iframe></select><b><script>alert(1)</script>", "");
    check(
        "a<iframe src=https://vimeo.com><img src=x onerror=alert(1)></iframe>b",
        "ab",
    );
    check("a<IFRAME></iframe >b", "ab");
    check(
        "<svg><iframe><img src=x onerror=alert(1)></iframe></svg>a",
        "a",
    );
    // Links cannot be nested.
    check(
        "<a href=/x><iframe src=https://player.vimeo.com/video/1></iframe></a>",
        "<a →/x><span class=\"video-card-provider\">Vimeo</span> <span class=\"video-card-title\">vimeo.com/1</span></a>",
    );
}

#[test]
fn raw_text_elements_are_removed_with_their_content() {
    for name in [
        "noembed", "noframes", "noscript", "xmp", "textarea", "title", "template", "style",
        "script",
    ] {
        check(
            &format!("a<{name}><img src=x onerror=alert(1)></{name}>b"),
            "ab",
        );
    }
    check("a<plaintext><img src=x onerror=alert(1)>", "a");
}

#[test]
fn headings_begin_at_level_two() {
    check(
        "<h1>A</h1><h2>B</h2>",
        "<h2 id=\"a\">A</h2><h3 id=\"b\">B</h3>",
    );
    check(
        "<h3>A</h3><h4 id=x>A</h4><h3>A</h3>",
        "<h2 id=\"a\">A</h2><h3 id=\"x\">A</h3><h2 id=\"a-2\">A</h2>",
    );
    let headings = cleaned("<h2>One <em>two</em>\n &amp; three</h2>").headings;
    assert_eq!(
        headings,
        [Heading {
            level: 2,
            id: "one-two-three".into(),
            text: "One two & three".into()
        }]
    );
}

#[test]
fn ids_are_unique_and_links_to_missing_ids_lose_their_target() {
    check("<p id=a>1</p><p id=a>2</p>", "<p id=\"a\">1</p><p>2</p>");
    check(
        "<a href=#a>1</a><a href=#b>2</a><p id=b>3</p>",
        "<a>1</a><a href=\"#b\">2</a><p id=\"b\">3</p>",
    );
}

#[test]
fn tables_scroll_and_code_is_focusable() {
    check(
        "<table border=1><tr><td colspan=2>a</td></tr></table>",
        "<div class=\"table-scroll\" tabindex=\"0\"><table><tbody><tr><td colspan=\"2\">a</td></tr></tbody></table></div>",
    );
    check(
        "<pre><code class='language-sql wp'>a</code></pre>",
        "<pre class=\"code-line\" tabindex=\"0\"><code class=\"language-sql\">a</code></pre>",
    );
}

#[test]
fn pictures_are_unresolved_and_tracking_pixels_are_removed() {
    check(
        "<img src=/a.jpg srcset='/b.jpg 2x' alt='A &amp; B' onerror=x>",
        "[/a.jpg: A & B]",
    );
    check("<img src=/a.jpg>", "[/a.jpg: ?]");
    check("<img src=https://count.example/x width=1 height=1>a", "a");
    check("<img src=data:image/png;base64,AAAA alt=x>a", "a");
}

#[test]
fn shortcodes_are_removed_and_other_brackets_kept() {
    check(
        "a [gallery ids=”1,2”]b[/gallery] [sic] [1]",
        "a b [sic] [1]",
    );
    check(
        "<code>[gallery ids=1]</code>",
        "<code>[gallery ids=1]</code>",
    );
}

#[test]
fn a_nul_character_is_not_a_mark() {
    let marked = cleaned("a\0L0\0b<p title='\0P0\0'>c</p>");
    assert!(!marked.html.contains(MARK), "{:?}", marked.html);
}

#[test]
fn html_in_markdown_keeps_links_and_pictures_of_markdown() {
    use crate::markdown::{Rules, mark};
    let rules = Rules {
        article: true,
        taken: &[],
        fill: &str::to_owned,
        locate: &|_, _| Span::default(),
        origin: None,
    };
    let marked = mark(
        "## Top\n\n<kbd onclick=x>Ctrl</kbd> [one](page:a) ![P](p.png)[^1]\n\n[^1]: Note.",
        rules,
    );
    assert!(marked.has_raw_html);
    let mut never = |_: &str| unreachable!("no raw link");
    let mut no_picture = |_: &str, _: Option<&str>| unreachable!("no raw picture");
    let open = Open {
        link: &mut never,
        picture: &mut no_picture,
        media: None,
        shortcodes: false,
    };
    let html = clean(marked, open);
    assert_eq!(
        (html.targets.len(), html.pictures.len(), html.headings.len()),
        (1, 1, 1)
    );
    assert!(
        html.html
            .contains("<kbd>Ctrl</kbd> <a\0L0\0>one</a> \0P0\0<sup>"),
        "{:?}",
        html.html
    );
    assert!(
        html.html
            .contains("<section class=\"footnotes\" role=\"doc-endnotes\">"),
        "{:?}",
        html.html
    );
}

#[test]
fn html_is_converted_to_plain_text() {
    assert_eq!(
        plain_text("It&#8217;s <em>new</em>&nbsp;&amp; <img onerror=x src=y>&lt;b&gt;</script>"),
        "It’s new\u{a0}& <b>"
    );
    assert_eq!(plain_text("<script>x</script>\n a"), "a");
}

#[test]
fn a_heading_in_a_heading_is_text() {
    check(
        "<h1><form>A <h2 id=a>B</h2></form> C</h1>",
        "<h2 id=\"a-b-c\">A B C</h2>",
    );
    check(
        "<h2 id=a>A <p id=a>B</p></h2>",
        "<h2 id=\"a\">A <p>B</p></h2>",
    );
}

#[test]
fn a_line_break_at_the_beginning_of_a_pre_stays() {
    // The first one is dropped by the parser of the page, as by that of the source.
    assert!(
        cleaned("<pre>\n\na</pre>").html.contains(">\n\na</pre>"),
        "{}",
        cleaned("<pre>\n\na</pre>").html
    );
    assert!(cleaned("<pre>\na</pre>").html.contains(">a</pre>"));
    assert!(cleaned("<pre><b>\na</b></pre>").html.contains("<b>\na</b>"));
}
