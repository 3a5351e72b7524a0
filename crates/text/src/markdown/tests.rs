//! Tests for rendering Markdown.

use super::*;
use crate::rich::Piece;

fn check(text: &str, expect: &str) {
    written(false, text, expect);
}

fn written(article: bool, text: &str, expect: &str) {
    let fill = |text: &str| text.replace("{product.name}", "P&Q");
    let rules = Rules {
        article,
        taken: &[],
        fill: &fill,
        locate: &|_, _| Span::default(),
        origin: None,
    };
    let html: String = render(text, rules)
        .pieces
        .iter()
        .map(|piece| match piece {
            Piece::Html(html) => html.clone(),
            Piece::Link(target) => format!(" →{}", target.to),
            Piece::Picture(picture) => format!("[{}: {}]", picture.src, picture.alt),
            Piece::Word(callout) => format!("({})", callout.name()),
            Piece::Media(_, target) => format!(" »{}", target.to),
            Piece::Part(number, written) => format!("(part {number}: {written:?})"),
        })
        .collect();
    assert_eq!(html, expect);
}

#[test]
fn an_id_may_have_underscores() {
    written(true, "### T {#A.__call__}", "<h3 id=\"A.__call__\">T</h3>");
    written(
        true,
        "### *T* {#_x_} {#a_b_}",
        "<h3 id=\"a_b_\"><em>T</em> {#<em>x</em>}</h3>",
    );
}

#[test]
fn sections_and_islands_are_parts() {
    written(
        true,
        "A\n:::faq\nx: y\n:::\nB",
        "<p>A</p>\n(part 0: \":::faq\\nx: y\\n:::\")\n<p>B</p>",
    );
    written(
        true,
        "- a\n\n{{ island(\"x\", {}, \"none\") }}",
        "<ul>\n<li>a</li>\n</ul>\n(part 0: \"{{ island(\\\"x\\\", {}, \\\"none\\\") }}\")",
    );
}

#[test]
fn links_are_unresolved() {
    check(
        "See [our *work*](page:work#top).",
        "<p>See <a →page:work#top>our <em>work</em></a>.</p>",
    );
}

#[test]
fn placeholders_are_filled_and_escaped_but_not_in_code() {
    check(
        "{product.name} `{product.name}`",
        "<p>P&amp;Q <code>{product.name}</code></p>",
    );
}

#[test]
fn raw_html_is_escaped() {
    check(
        "a <b onclick=x>b</b>",
        "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>",
    );
}

#[test]
fn headings_have_anchors_and_begin_at_level_two() {
    check(
        "# Año nuevo\n\n# Año nuevo",
        "<h2 id=\"año-nuevo\">Año nuevo</h2>\n<h2 id=\"año-nuevo-2\">Año nuevo</h2>",
    );
}

#[test]
fn code_blocks_are_closed() {
    check(
        "```\n{product.name}\n```\n\n{product.name}",
        "<pre><code>{product.name}\n</code></pre>\n<p>P&amp;Q</p>",
    );
}

#[test]
fn footnotes_link_back_to_their_reference() {
    written(
        true,
        "One[^a], again[^a].\n\n[^a]: Said *here*.\n",
        "<p>One<sup><a id=\"note-1-back\" href=\"#note-1\" role=\"doc-noteref\">1</a></sup>, \
         again<sup><a href=\"#note-1\" role=\"doc-noteref\">1</a></sup>.</p>\n\
         <section class=\"footnotes\" role=\"doc-endnotes\"><ol>\n\
         <li id=\"note-1\"><p>Said <em>here</em>. <a href=\"#note-1-back\" role=\"doc-backlink\">↩</a></p></li>\n\
         </ol></section>",
    );
}

#[test]
fn a_heading_may_have_the_name_of_a_footnote() {
    written(
        true,
        "## Note 1\n\nOne[^a].\n\n[^a]: Two.\n",
        "<h2 id=\"note-1\">Note 1</h2>\n\
         <p>One<sup><a id=\"note-1-2-back\" href=\"#note-1-2\" role=\"doc-noteref\">1</a></sup>.</p>\n\
         <section class=\"footnotes\" role=\"doc-endnotes\"><ol>\n\
         <li id=\"note-1-2\"><p>Two. <a href=\"#note-1-2-back\" role=\"doc-backlink\">↩</a></p></li>\n\
         </ol></section>",
    );
}

#[test]
fn a_picture_has_plain_alternative_text() {
    written(
        true,
        "![A {product.name} *plan*](plan.jpg)",
        "<p>[plan.jpg: A P&Q plan]</p>",
    );
}

#[test]
fn tasks_are_characters_and_tables_scroll() {
    written(
        true,
        "- [x] done",
        "<ul>\n<li><span class=\"task task-done\">☑</span> done</li>\n</ul>",
    );
    written(
        true,
        "|a|\n|-|\n",
        "<div class=\"table-scroll\" tabindex=\"0\"><table><thead><tr><th>a</th></tr></thead><tbody>\n\
         </tbody></table></div>",
    );
}

#[test]
fn the_first_paragraph_is_outside_of_quotations() {
    let rules = Rules {
        article: true,
        taken: &[],
        fill: &str::to_owned,
        locate: &|_, _| Span::default(),
        origin: None,
    };
    let marked = mark(
        "# Top\n\n> Said\n\n- an item\n\nThe `first`\n[one](x).\n\nSecond.",
        rules,
    );
    assert_eq!((marked.lead.as_str(), marked.words), ("The first one.", 8));
    assert_eq!(
        marked.headings,
        [Heading {
            level: 2,
            id: "top".into(),
            text: "Top".into()
        }]
    );
}

#[test]
fn headings_leave_the_ids_of_the_layout_alone() {
    check(
        "## Main\n\n## Site menu\n\n## Maintenance",
        "<h2 id=\"main-2\">Main</h2>\n<h2 id=\"site-menu-2\">Site menu</h2>\n<h2 id=\"maintenance\">Maintenance</h2>",
    );
}
