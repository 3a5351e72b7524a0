//! Posts as people write them for other programs: nothing of their text is lost or changed without a word.

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};

use crate::serve::Server;
use crate::site_test::{Page, Run, SiteTest};

const AUTHOR: &str = "name: Ana Ruiz\ndescription: {en: Writes., es: Escribe.}\n";

fn site() -> SiteTest {
    SiteTest::blog().file("content/authors/ana.yaml", AUTHOR)
}

fn with(name: &str, body: &str) -> SiteTest {
    let text = format!("---\ntitle: A plan\ndate: 2025-03-14\nauthor: ana\n---\n{body}\n");
    site().file(&format!("content/blog/en/{name}.md"), text)
}

/// A post that is published.
fn published(body: &str) -> (Page, Run) {
    let run = with("a-plan", body).built();
    (run.page("/blog/a-plan/"), run)
}

/// A post that is published without a warning.
fn quiet(body: &str) -> Page {
    let (page, run) = published(body);
    assert_eq!(run.problems(), [""; 0], "{}", run.stderr);
    page
}

#[test]
fn what_looks_like_a_tag_of_a_table_is_text_in_code() {
    quiet("Write `<td style=\"text-align: right\">` and `<th></th>`.\n\n| a | b |\n|--:|:-:|\n| 1 | 2 |")
        .contains("<code>&lt;td style=\"text-align: right\"&gt;</code> and <code>&lt;th&gt;&lt;/th&gt;</code>")
        .contains("<td class=\"align-end\">1</td><td class=\"align-center\">2</td>");
}

#[test]
fn raw_html_leaves_tables_as_they_are() {
    let table = "\n\n|   | b |\n|:-:|--:|\n| 1 | 2 |";
    for before in [
        "Lead one.",
        "Lead two.\n\n<!--more-->",
        "Lead two <kbd>x</kbd>.",
    ] {
        quiet(&format!("{before}{table}"))
            .contains("<th class=\"align-end\">b</th>")
            .contains("<td class=\"align-center\"></td>")
            .contains("<td class=\"align-center\">1</td><td class=\"align-end\">2</td>")
            .contains("<div class=\"table-scroll\" tabindex=\"0\"><table>");
    }
}

#[test]
fn a_dead_link_in_raw_html_is_reported_at_its_own_place() {
    let text = "[one](https://x.example/nope/)\n\n<a href=\"/nope/\">two</a> <i title='/nope/ no'>x</i>\n\n\
                <p>A <a href='/nope/'>three</a></p>";
    let run = with("a-plan", text).build();
    let places: Vec<&str> = run
        .stderr
        .lines()
        .filter(|line| line.contains("--> "))
        .collect();
    let ends = |place: &str, end: &str| place.ends_with(end);
    assert!(
        places.len() == 2 && ends(places[0], ":10") && ends(places[1], ":15"),
        "{}",
        run.stderr
    );
}

#[test]
fn raw_html_leads_to_pages_by_their_keys() {
    let site = with(
        "a-plan",
        "Lead.\n\n<p>See <a href=\"page:about\">us</a>.</p>",
    );
    let built = site.built();
    built
        .page("/blog/a-plan/")
        .contains("<p>See <a href=\"/about/\">us</a>.</p>");
}

#[test]
fn films_sounds_asides_and_readings_of_a_site_are_published() {
    let body = "Lead.\n\n<video controls src=\"/media/a.mp4\" poster=\"/media/a.jpg\"><track src=\"/media/a.vtt\" \
                kind=\"captions\" srclang=\"en\"></video>\n\n<audio controls><source src=\"/media/a.mp3\" \
                type=\"audio/mpeg\"></audio>\n\n<aside>Beside</aside>\n\n<ruby>漢<rt>kan</rt></ruby> <bdo dir=\"rtl\">x</bdo>\n\n\
                <details open><summary>s</summary>d</details>\n\n<figure><figcaption>c</figcaption></figure>";
    let site = with("a-plan", body);
    for name in ["a.mp4", "a.mp3", "a.vtt", "a.jpg"] {
        site.write(&format!("static/media/{name}"), "x");
    }
    let run = site.built();
    assert_eq!(run.problems(), [""; 0], "{}", run.stderr);
    let page = run.page("/blog/a-plan/");
    for tag in [
        "src=\"/media/a.mp4\" poster=\"/media/a.jpg\">",
        "<source type=\"audio/mpeg\" src=\"/media/a.mp3\">",
        "srclang=\"en\" src=\"/media/a.vtt\">",
        "<aside>Beside</aside>",
        "<ruby>漢<rt>kan</rt></ruby>",
        "<bdo dir=\"rtl\">x</bdo>",
        "<details open=\"\"><summary>s</summary>d</details>",
        "<figure><figcaption>c</figcaption></figure>",
    ] {
        page.contains(tag);
    }
    let headers = String::from_utf8(run.files()["_headers"].clone()).expect("UTF-8");
    assert!(headers.contains("; media-src 'self';"), "{headers}");
    // To a file that is not there.
    site.remove("static/media/a.mp3");
    assert_eq!(
        site.build().problems(),
        ["dead-link content/blog/en/a-plan.md:10:30"]
    );
}

#[test]
fn html_that_is_removed_is_named_at_its_line_with_what_to_write() {
    let removed = [
        (
            "<a name=\"n1\">x</a>",
            "`name` on `<a>` is removed",
            "write `id=\"n1\"`",
        ),
        (
            "<p style=\"color: red\">x</p>",
            "`style` on `<p>` is removed",
            "the theme decides how text looks",
        ),
        (
            "<div class=\"note\">x</div>",
            "the class `note` on `<div>` is removed",
            "for a note, write `> [!NOTE]`",
        ),
        (
            "<svg><circle r=\"1\"/></svg>",
            "`<svg>` and its contents are removed",
            "![what it shows](drawing.svg)",
        ),
        (
            "<script>a()</script>",
            "`<script>` and its contents are removed",
            "sitegen new island",
        ),
        (
            "<iframe src=\"https://maps.example/\"></iframe>",
            "`<iframe>` and its contents are removed",
            "write a link",
        ),
        (
            "<object data=\"x\">y</object>",
            "`<object>` and its contents are removed",
            "write a link to the file",
        ),
        (
            "<form action=\"/x\">y</form>",
            "`<form>` is removed",
            "page:contact",
        ),
        (
            "<center>x</center>",
            "`<center>` is removed",
            "the theme decides how text looks",
        ),
        (
            "<x-card>x</x-card>",
            "`<x-card>` is removed",
            "remove the tag",
        ),
        (
            "<a href=\"javascript:a()\">x</a>",
            "`href` on `<a>` is removed",
            "write a URL",
        ),
        (
            "<p onclick=\"a()\">x</p>",
            "`onclick` on `<p>` is removed",
            "remove it",
        ),
        (
            "<video src=\"https://a.example/a.mp4\"></video>",
            "`https://a.example/a.mp4` cannot be played",
            "static/media/",
        ),
        (
            "![x](a.svg \"The title\")",
            "the image's title, `The title`, is not shown",
            "<figcaption>The title",
        ),
        (
            "<picture><img src=\"a.svg\" alt=\"x\"></picture>",
            "`<picture>` is removed",
            "write only `<img>`",
        ),
    ];
    let drawing =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 4 2\"><path d=\"M0 0h4\"/></svg>";
    let body: Vec<&str> = removed.iter().map(|(html, ..)| *html).collect();
    let run = with("a-plan", &body.join("\n\n"))
        .file("content/blog/en/a.svg", drawing)
        .built();
    for (number, (html, message, hint)) in removed.iter().enumerate() {
        let place = format!("removed-html content/blog/en/a-plan.md:{}:", 6 + 2 * number);
        let found = run
            .problems()
            .iter()
            .filter(|problem| problem.starts_with(&place))
            .count();
        assert_eq!(found, 1, "{html}: {}", run.stderr);
        assert!(
            run.stderr.contains(message) && run.stderr.contains(hint),
            "{message}: {}",
            run.stderr
        );
    }
    // Each kind once, and again in the next build, which reads the post from no cache.
    let twice = with(
        "a-plan",
        "<center>a</center>\n\n<center>b</center>\n\n`<center>`",
    );
    for _ in 0..2 {
        let run = twice.built();
        assert_eq!(
            run.problems(),
            ["removed-html content/blog/en/a-plan.md:6:1"],
            "{}",
            run.stderr
        );
        assert!(
            run.stderr
                .contains("`<center>` is removed, here and in 1 more place"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn links_keep_their_titles() {
    quiet("[x](page:about \"A \\\"title\\\"\")")
        .contains("<a title=\"A &quot;title&quot;\" href=\"/about/\">x</a>");
    quiet("[x](page:about \"Title\") <kbd>k</kbd>")
        .contains("<a title=\"Title\" href=\"/about/\">x</a>");
}

#[test]
fn halves_of_pairs_are_named() {
    let (page, run) = published(
        "Lead[^b] and[^b] `[^c]` \\[^d] Missing[^none].\n\n[^b]: Second.\n[^unused]: Never.\n\n~~~rust\nlet a;\n~~~\n\n> ```\n> x\n\n```js\nlet b;\n\nThe end.",
    );
    let line = |line: usize, column: usize| {
        format!("unpaired-markup content/blog/en/a-plan.md:{line}:{column}")
    };
    let mut problems = run.problems();
    // The hint has the form of a place, too.
    problems.retain(|problem| problem.starts_with("unpaired"));
    assert_eq!(
        problems,
        [line(6, 38), line(9, 1), line(15, 3), line(18, 1)],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("hint: write `[^none]: …` on its own line"),
        "{}",
        run.stderr
    );
    page.contains("Missing[^none].").contains("Never.");
    let (_, run) = published("Lead.\n\n<!-- a comment\n\nThe rest.");
    assert_eq!(run.problems(), [line(8, 1)], "{}", run.stderr);
    assert!(
        run.stderr.contains("the comment is never closed"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_title_is_not_empty() {
    for title in ["''", "\"  \""] {
        let text = format!("---\ntitle: {title}\ndate: 2025-03-14\nauthor: ana\n---\nText.\n");
        let run = site().file("content/blog/en/a.md", text).build();
        assert_eq!(
            run.problems(),
            ["invalid-value content/blog/en/a.md:2:8"],
            "{}",
            run.stderr
        );
    }
}

#[test]
fn addresses_are_links_without_brackets() {
    quiet("See https://example.com/a_b_c, www.example.com and <https://example.com/x>, or me@example.com.")
        .contains("<a href=\"https://example.com/a_b_c\" rel=\"external noopener\">https://example.com/a_b_c</a>, ")
        .contains("<a href=\"http://www.example.com\" rel=\"external noopener\">www.example.com</a> and")
        .contains("<a href=\"mailto:me@example.com\">me@example.com</a>.");
    quiet("Write to <me@example.com> or [me at example.com](mailto:me@example.com) `www.example.com`.")
        .contains("Write to <a href=\"mailto:me@example.com\">me@example.com</a> or")
        .contains("<code>www.example.com</code>");
    // A link in a link, and in HTML.
    quiet("[www.example.com](/about/) <kbd>x</kbd> https://a.example/?a=1&b=2")
        .contains("<a href=\"/about/\">www.example.com</a>")
        .contains(
            "<a href=\"https://a.example/?a=1&amp;b=2\" rel=\"external noopener\">https://a.example/?a=1&amp;b=2</a>",
        );
}

#[test]
fn callouts_have_a_word_in_the_language_of_the_page() {
    let words = |words: [&str; 5]| {
        let keys = ["note", "tip", "important", "warning", "caution"]
            .into_iter()
            .zip(words);
        keys.map(|(key, word)| format!("  callout_{key}: {word}\n"))
            .collect::<Vec<_>>()
            .concat()
    };
    let locales = |site: SiteTest| {
        let texts = [
            (
                "en",
                words(["Note", "Tip", "Important", "Warning", "Caution"]),
            ),
            (
                "es",
                words(["Nota", "Consejo", "Importante", "Advertencia", "Precaución"]),
            ),
        ];
        for (locale, text) in texts {
            site.edit(
                &format!("content/locales/{locale}.yaml"),
                "messages:\n",
                &format!("messages:\n{text}"),
            );
        }
        site
    };
    let kinds = ["NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"];
    let body: Vec<String> = kinds
        .iter()
        .map(|kind| format!("> [!{kind}]\n> Read *this*."))
        .collect();
    for html in ["", "\n\n<kbd>x</kbd>"] {
        let run = locales(with(
            "a-plan",
            &format!("Lead.\n\n{}{html}", body.join("\n\n")),
        ))
        .built();
        assert_eq!(run.problems(), [""; 0], "{}", run.stderr);
        run.page("/blog/a-plan/")
            .contains("<aside class=\"callout callout-note\"><p class=\"callout-title\">Note</p>")
            .contains("<p>Read <em>this</em>.</p>")
            .contains(
                "<aside class=\"callout callout-caution\"><p class=\"callout-title\">Caution</p>",
            );
    }
    let text = format!(
        "---\ntitle: Un plan\ndate: 2025-03-14\nauthor: ana\n---\n{}\n",
        body[3]
    );
    let run = locales(site().file("content/blog/es/un-plan.md", text)).built();
    run.page("/es/blog/un-plan/")
        .contains("<p class=\"callout-title\">Advertencia</p>");
}

#[test]
fn headings_have_the_ids_that_are_written_and_keep_all_letters() {
    let headings = "## Foo {#custom-id}\n\n## Foo\n\n## हिन्दी में शीर्षक\n\n## การทดสอบ น้ำ\n\n## cafe\u{301} — {x}\n\nSetext {#under}\n---\n\n### Closed {#closed} ##\n\n[a](#custom-id) [b](#हिन्दी-में-शीर्षक) [c](#%E0%A4%B9%E0%A4%BF%E0%A4%A8%E0%A5%8D%E0%A4%A6%E0%A5%80-%E0%A4%AE%E0%A5%87%E0%A4%82-%E0%A4%B6%E0%A5%80%E0%A4%B0%E0%A5%8D%E0%A4%B7%E0%A4%95)";
    for html in ["", "\n\n<kbd>x</kbd>"] {
        quiet(&format!("{headings}{html}"))
            .contains("<h2 id=\"custom-id\">Foo</h2>")
            .contains("<h2 id=\"foo\">Foo</h2>")
            .contains("<h2 id=\"हिन्दी-में-शीर्षक\">")
            .contains("<h2 id=\"การทดสอบ-น้ำ\">")
            .contains("<h2 id=\"caf\u{e9}-x\">cafe\u{301} — {x}</h2>")
            .contains("<h2 id=\"under\">Setext</h2>")
            .contains("id=\"closed\">Closed</h");
    }
    let run = with("a-plan", "## A {#same}\n\n## B {#same}").build();
    assert_eq!(
        run.problems(),
        ["duplicate-id content/blog/en/a-plan.md:8:6"],
        "{}",
        run.stderr
    );
}

#[test]
fn lists_of_definitions_and_formulas_are_drawn_without_styles() {
    for html in ["", "\n\n<kbd>x</kbd>"] {
        let page = quiet(&format!(
            "Term\n: Definition\n\nLead math $a_1 + b_2 = \\frac{{a}}{{b}}$ and $$\\sum_{{i=0}}^n x_i$$ and $5 and $6.{html}"
        ));
        page.contains("<dt>Term</dt>")
            .contains("<dd>Definition</dd>")
            .contains("<math><msub><mi>a</mi><mn>1</mn></msub>")
            .contains("<mfrac>")
            .contains("<math display=\"block\">")
            .contains(" and $5 and $6.")
            .lacks(" style=");
    }
    let (page, run) = published("A $\\nosuch{x}$ formula.");
    assert_eq!(
        run.problems(),
        ["foreign-markup content/blog/en/a-plan.md:6:3"],
        "{}",
        run.stderr
    );
    page.contains("<code>$\\nosuch{x}$</code>");
}

#[test]
fn emphasis_ends_beside_chinese_punctuation() {
    quiet(
        "第一段。**这是重点，**后面继续。\n\n**注意：**请看。\n\n한국어 **강조(괄호)**는 됩니다.",
    )
    .contains("<strong>这是重点，</strong>后面")
    .contains("<strong>注意：</strong>请看")
    .contains("<strong>강조(괄호)</strong>는");
}

#[test]
fn markup_of_other_programs_is_named_once_a_post() {
    let body = "Lead {{< youtube abc >}} and {{< youtube def >}}.\n\n{% highlight ruby %}\n\n:::note\nadmon\n:::\n\n[[Wiki Link]]\n\n## A {: .class}\n\n[TOC]\n\n```mermaid\ngraph TD\n```\n\n==mark== and x^2^ :smile: inline^[note]\n\n*[HTML]: Hyper\n\n\\\\(x_1\\\\)\n\n`{{< code >}}` \\{{< escaped >}} 10:30:00 [a] a == b == c";
    let (page, run) = published(body);
    let names = [
        "the shortcode `{{< youtube abc >}}`",
        "the template tag `{% highlight ruby %}`",
        "the admonition `:::note`",
        "the wiki link `[[Wiki Link]]`",
        "the attribute list `{: .class}`",
        "the table of contents `[TOC]`",
        "the diagram in `mermaid`",
        "the highlight `==mark==`",
        "the superscript `^2^`",
        "the emoji name `:smile:`",
        "the inline footnote `^[note]`",
        "the abbreviation `*[HTML]:`",
        "the formula `\\(x_1\\)`",
    ];
    for name in names {
        assert_eq!(
            run.stderr
                .matches(&format!("{name} is shown as text"))
                .count(),
            1,
            "{name}: {}",
            run.stderr
        );
    }
    assert_eq!(
        run.stderr.matches("warning[").count(),
        names.len(),
        "{}",
        run.stderr
    );
    page.contains("{{&lt; youtube def &gt;}}");
    quiet(
        "A plain post: 10:30:00, [a], a == b, f(x)^2, {x}, a::b::c, it's *[done]*, 1 ^ 2 ^ 3, $HOME!!",
    );
}

#[test]
fn a_post_that_begins_with_a_picture_has_a_description() {
    let drawing =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 4 2\"><path d=\"M0 0h4\"/></svg>";
    for html in ["", "\n\n<kbd>x</kbd>"] {
        let site = with(
            "a-plan",
            &format!("![pic](a.svg)\n\nReal first paragraph.{html}"),
        );
        let run = site.file("content/blog/en/a.svg", drawing).built();
        run.page("/blog/a-plan/")
            .contains("<meta name=\"description\" content=\"Real first paragraph.\">");
        run.page("/blog/feed.xml")
            .contains("<description>Real first paragraph.</description>");
    }
    quiet("- One item.\n- Another.").contains("<meta name=\"description\" content=\"One item.");
}

#[test]
fn links_that_a_browser_follows_are_not_dead() {
    let site = with(
        "a-plan",
        "[a](/blog/other/?utm=1) [b](#) [c](#top) [d](/blog/%E6%97%A5%E6%9C%AC/) [e](./other.md) [f](other.md#part) \
         [g](/content/blog/en/other.md) [h](../es/otro.md) [i](/blog/other/index.html) [j](/blog/x/../other/) \
         [k](/blog/other/#:~:text=Part) [l](page:about?x=1#) [m](?page=2) [n](../../pages/about/en.yaml) [o](/a%20b.txt)",
    );
    let post = |title: &str, body: &str| {
        format!("---\ntitle: {title}\ndate: 2025-03-13\nauthor: ana\n---\n{body}\n")
    };
    let site = site
        .file(
            "content/blog/en/other.md",
            post("Other", "## Part\n\nText."),
        )
        .file("content/blog/en/日本.md", post("Japan", "About Japan."))
        .file("content/blog/es/otro.md", post("Otro", "Texto."))
        .file("static/a b.txt", "x");
    let run = site.built();
    assert_eq!(run.problems(), [""; 0], "{}", run.stderr);
    let page = run.page("/blog/a-plan/");
    for link in [
        "<a href=\"/blog/other/?utm=1\">a",
        "<a href=\"#\">b",
        "<a href=\"#top\">c",
        "<a href=\"/blog/%E6%97%A5%E6%9C%AC/\">d",
        "<a href=\"/blog/other/\">e",
        "<a href=\"/blog/other/#part\">f",
        "<a href=\"/blog/other/\">g",
        "<a href=\"/es/blog/otro/\" hreflang=\"es\">h",
        "<a href=\"/blog/other/\">i",
        "<a href=\"/blog/other/\">j",
        "<a href=\"/blog/other/#:~:text=Part\">k",
        "<a href=\"/about/?x=1#\">l",
        "<a href=\"?page=2\">m",
        "<a href=\"/about/\">n",
        "<a href=\"/a%20b.txt\">o",
    ] {
        page.contains(link);
    }
    let dead = with(
        "a-plan",
        "[a](othr.md) [b](../other/) [c](report.pdf) [d](//a.example/x) [e](/blog/nothing/?a=1)",
    );
    let run = dead
        .file("content/blog/en/other.md", post("Other", "Text."))
        .build();
    let at = |code: &str, column: usize| format!("{code} content/blog/en/a-plan.md:6:{column}");
    assert_eq!(
        run.problems(),
        [
            at("dead-link", 5),
            at("bad-link", 18),
            at("bad-link", 33),
            at("dead-link", 49),
            at("dead-link", 68)
        ],
        "{}",
        run.stderr
    );
    for hint in [
        "content/blog/en/other.md",
        "write `/blog/other/`",
        "write `/report.pdf`",
        "write `https://a.example/x`",
    ] {
        assert!(run.stderr.contains(hint), "{hint}: {}", run.stderr);
    }
}

#[test]
fn old_addresses_of_any_form_are_redirected() {
    let redirects = "- {from: /2015/My-Post/, to: /about/}\n- {from: \"/old page/\", to: /about/}\n\
                     - {from: \"/other%20page/\", to: /about/}\n- {from: \"/%E6%97%A5/\", to: /about/}\n\
                     - {from: \"/100%25/\", to: /about/}\n- {from: \"/gone/*\", to: /about/}\n\
                     - {from: \"/notes/*\", to: /blog/*}\n";
    let site = with("a-plan", "Text.").file("content/redirects/a.yaml", redirects);
    let run = site.built();
    assert_eq!(run.problems(), [""; 0], "{}", run.stderr);
    let rules = String::from_utf8(run.files()["_redirects"].clone()).expect("UTF-8");
    for rule in [
        "/2015/My-Post/ /about/ 301",
        "/old%20page/ /about/ 301",
        "/other%20page/ /about/ 301",
        "/日/ /about/ 301",
        "/100%25/ /about/ 301",
        "/gone/* /about/ 301",
        "/notes/a-plan/ /blog/a-plan/ 301",
        "/notes/ /blog/ 301",
    ] {
        assert!(rules.lines().any(|line| line == rule), "{rule}: {rules}");
    }
    for page in [
        "/2015/My-Post/",
        "/old page/",
        "/日/",
        "/100%/",
        "/gone/",
        "/notes/a-plan/",
    ] {
        run.page(page).contains("http-equiv=\"refresh\"");
    }
    for (from, to, message) in [
        (
            "/blog/*",
            "/about/",
            "is a URL of the site, so `/blog/*` would hide it",
        ),
        ("/a/*/b/", "/about/", "has a `*` that is not its last part"),
        ("/a/../b/", "/about/", "an empty part, `.` or `..`"),
        (
            "/a:b/",
            "/about/",
            "contains `:`, which not every system allows in file names",
        ),
        ("/x/*", "/nothing/*", "there is no page below `/nothing/`"),
        ("/x/", "/blog/*", "`/blog/*` has a `*`, but `from` has none"),
    ] {
        let run = site
            .clone()
            .file(
                "content/redirects/a.yaml",
                format!("- {{from: \"{from}\", to: \"{to}\"}}\n"),
            )
            .build();
        assert_eq!(run.status, 1, "{from}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{from}: {}", run.stderr);
    }
    let pages = site.clone().argument("--set").argument("host=github-pages");
    pages.write(
        "content/redirects/a.yaml",
        "- {from: \"/gone/*\", to: /about/}\n",
    );
    let run = pages.built();
    assert!(
        run.stderr
            .contains("GitHub Pages has no redirect rules, so `/gone/*`"),
        "{}",
        run.stderr
    );
}

#[test]
fn pictures_are_found_by_names_and_by_addresses() {
    let drawing = |n: u32| {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {n} 2\"><path d=\"M0 0h{n}\"/></svg>"
        )
    };
    let names = [
        "my photo.svg",
        "a#b.svg",
        "100%.svg",
        "plain.svg",
        "UPPER.SVG",
        "cafe\u{301}.svg",
        "q?.svg",
    ];
    let written = [
        "<my photo.svg>",
        "my%20photo.svg",
        "a#b.svg",
        "a%23b.svg",
        "100%.svg",
        "100%25.svg",
        "./plain.svg",
        "../en/plain.svg",
        "UPPER.SVG",
        "caf\u{e9}.svg",
        "caf%C3%A9.svg",
        "cafe%CC%81.svg",
        "q%3F.svg",
        "plain.svg?raw=true",
    ];
    let body: Vec<String> = written
        .iter()
        .map(|written| format!("![x]({written})"))
        .collect();
    let mut site = with("a-plan", &body.join("\n\n"));
    for (number, name) in names.iter().enumerate() {
        site = site.file(
            &format!("content/blog/en/{name}"),
            drawing(4 + u32::try_from(number).expect("few")),
        );
    }
    let run = site.built();
    assert_eq!(run.problems(), [""; 0], "{}", run.stderr);
    let html = run.page("/blog/a-plan/").html;
    let server = Server::start(site, &[]);
    for written in written {
        let src = percent_encode(
            written.trim_matches(['<', '>']).as_bytes(),
            NON_ALPHANUMERIC,
        );
        let address = format!("/admin/picture?src={src}&beside=content/blog/en/a-plan.md");
        assert_eq!(server.get(&address).0, 200, "a form shows {written}");
    }
    let shown: Vec<&str> = html
        .split("<picture>")
        .skip(1)
        .filter_map(|part| part.split("src=\"").nth(1)?.split('"').next())
        .collect();
    assert_eq!(shown.len(), written.len(), "{html}");
    for src in shown {
        assert!(!src.contains([' ', '#', '%', '?']), "{src}");
        assert!(run.out.join(src.trim_start_matches('/')).is_file(), "{src}");
    }
}

#[test]
fn files_of_any_name_are_published_and_linked() {
    let names = [
        "my file.txt",
        "a#b.txt",
        "100%.txt",
        "q?.txt",
        "UPPER.TXT",
        ".well-known/security.txt",
        ".nojekyll",
    ];
    let links = "[a](</my file.txt>) [b](/a%23b.txt) [c](/100%25.txt) [d](/q%3F.txt) [e](/UPPER.TXT) [f](/.well-known/security.txt) [g](</100%.txt>)";
    let mut site = with("a-plan", links);
    for name in names {
        site = site.file(&format!("static/{name}"), "x");
    }
    let run = site.built();
    assert_eq!(run.problems(), [""; 0], "{}", run.stderr);
    for name in names {
        assert!(run.files().contains_key(name), "{name}");
    }
    for href in [
        "/my%20file.txt",
        "/a%23b.txt",
        "/100%25.txt",
        "/q%3F.txt",
        "/UPPER.TXT",
        "/.well-known/security.txt",
    ] {
        run.page("/blog/a-plan/")
            .contains(&format!("<a href=\"{href}\">"));
    }
    // Built again, nothing of it is foreign.
    assert_eq!(site.built().problems(), [""; 0]);
}

#[test]
fn a_post_with_the_name_of_a_feed_is_refused_by_a_check() {
    for name in [
        "feed.xml",
        "atom.xml",
        "feed.json",
        "index.html",
        "page",
        "tag",
    ] {
        let run = with(name, "Text.").run(&["check"]);
        assert_eq!(
            run.problems(),
            [format!("bad-path content/blog/en/{name}.md")],
            "{}",
            run.stderr
        );
    }
}

#[test]
fn the_front_matter_of_others_is_named_with_its_counterpart() {
    let text = "---\ntitle: A\ndate: 2025-03-14T09:30:00+0700\npublish_at: 2025-03-14 09:30:00 +0700\nauthor: ana\n\
                description: Words.\ncategories: [a]\nlastmod: 2025-03-15\nlayout: post\naliases: [/old/]\n---\nText.\n";
    let run = site().file("content/blog/en/a.md", text).build();
    let at = |line: usize| format!("unknown-key content/blog/en/a.md:{line}:1");
    assert_eq!(
        run.problems(),
        [at(6), at(7), at(8), at(9), at(10)],
        "{}",
        run.stderr
    );
    for hint in [
        "did you mean `excerpt`?",
        "did you mean `tags`?",
        "did you mean `modified`?",
        "content/redirects/",
    ] {
        assert!(run.stderr.contains(hint), "{hint}: {}", run.stderr);
    }
    for (format, front) in [
        ("TOML", "+++\ntitle = \"A\"\n+++\n"),
        ("JSON", "{\"title\": \"A\"}\n"),
    ] {
        let run = site()
            .file("content/blog/en/a.md", format!("{front}Text.\n"))
            .build();
        assert_eq!(
            run.problems(),
            ["yaml-syntax content/blog/en/a.md:1:1"],
            "{}",
            run.stderr
        );
        assert!(
            run.stderr
                .contains(&format!("the front matter is {format}")),
            "{}",
            run.stderr
        );
    }
    let text = "---\ntitle: A\ndate: 2025-03-14 09:30:00 +0700\nauthor: ana\n---\nText.\n";
    site()
        .file("content/blog/en/a.md", text)
        .built()
        .page("/blog/a/")
        .contains("2025-03-14");
}

/// A GIF of two frames of 2 × 1 pixels, with a comment.
const GIF: &[u8] = b"GIF89a\x02\0\x01\0\x80\0\0\xff\0\0\0\0\xff!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0\
    !\xf9\x04\0\x0a\0\0\0,\0\0\0\0\x02\0\x01\0\0\x02\x02\x04\x0a\0!\xfe\x06secret\0\
    !\xf9\x04\0\x0a\0\0\0,\0\0\0\0\x02\0\x01\0\0\x02\x02\x04\x0a\0;";

#[test]
fn a_picture_that_moves_is_published_with_all_its_frames() {
    let frames = std::fs::read(crate::site_test::repository().join("tests/it/animated.webp"))
        .expect("a picture");
    let site = with("a-plan", "![moving](anim.webp)\n\n![a GIF](wave.GIF)")
        .file("content/blog/en/anim.webp", &frames)
        .file("content/blog/en/wave.GIF", GIF);
    for _ in 0..2 {
        let run = site.built();
        assert_eq!(run.problems(), [""; 0], "{}", run.stderr);
        let files = run.files();
        let published = |ending: &str| {
            let mut found = files
                .iter()
                .filter(|(path, _)| path.starts_with("_assets/images/") && path.ends_with(ending));
            let (path, bytes) = found.next().expect("a published picture");
            assert!(found.next().is_none(), "{path} is not alone");
            run.page("/blog/a-plan/")
                .contains(&format!("<img src=\"/{path}\""));
            bytes.clone()
        };
        assert_eq!(published(".webp"), frames);
        let gif = published(".gif");
        assert!(
            !String::from_utf8_lossy(&gif).contains("secret"),
            "the comment is published"
        );
        assert_eq!(gif.split(|byte| *byte == b',').count(), 3);
        run.page("/blog/a-plan/")
            .contains("width=\"2\" height=\"1\"")
            .lacks("<source");
    }
}

#[test]
fn a_picture_that_moves_and_is_too_large_is_not_stilled_without_a_word() {
    let mut frames = std::fs::read(crate::site_test::repository().join("tests/it/animated.webp"))
        .expect("a picture");
    frames.resize(2_000_001, 0);
    let site = with("a-plan", "Text.").file("content/blog/en/anim.webp", frames);
    for _ in 0..2 {
        let run = site.built();
        assert_eq!(
            run.problems(),
            ["bad-image content/blog/en/anim.webp"],
            "{}",
            run.stderr
        );
        assert!(
            run.stderr
                .contains("the image is animated and larger than 2 MB"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn markup_of_others_that_is_escaped_is_text() {
    quiet("Use \\{{ name }}, \\{% if %}, \\:smile: and a\\==b\\==c, 2\\^3\\^.")
        .contains("Use {{ name }}, {% if %}, :smile: and a==b==c, 2^3^.");
    let (_, run) = published("Use {{ name }} and :smile:.");
    assert_eq!(run.problems().len(), 2, "{}", run.stderr);
    assert!(
        run.stderr
            .contains("put `\\` before the tag to show it as text"),
        "{}",
        run.stderr
    );
}

#[test]
fn two_tags_with_one_address_are_named() {
    let head = |tags: &str| {
        format!("---\ntitle: A plan\ndate: 2025-03-14\nauthor: ana\ntags: {tags}\n---\nText.\n")
    };
    let other = head("['C%', rust]")
        .replace("A plan", "Another")
        .replace("Text", "Words");
    let site = site()
        .file("content/blog/en/a.md", head("['C#', Rust]"))
        .file("content/blog/en/b.md", &other);
    let run = site.built();
    assert_eq!(
        run.problems(),
        ["duplicate-id content/blog/en/b.md"],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("`C#` and `C%` have the same URL, `…/tag/c-/`"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_date_with_other_signs_is_shown_as_it_is_written_here() {
    for (written, wanted) in [
        ("2014-3-3", "2014-03-03"),
        ("2022年02月03日22:14:57", "2022-02-03T22:14"),
    ] {
        let text = format!("---\ntitle: A\ndate: {written}\nauthor: ana\n---\nText.\n");
        let run = site().file("content/blog/en/a.md", text).build();
        assert_eq!(
            run.problems(),
            ["invalid-value content/blog/en/a.md:3:7"],
            "{}",
            run.stderr
        );
        assert!(
            run.stderr
                .contains(&format!("`{written}` is not a date: write `{wanted}`")),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn a_heading_may_have_an_id_with_underscores_and_periods() {
    quiet("## A call {#A.__call__}\n\n[x](#A.__call__)")
        .contains("<h2 id=\"A.__call__\">A call</h2>");
}
