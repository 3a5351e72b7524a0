//! Imports from WordPress: what is written, what is reported, and that nobody's work is lost.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::cms_server::{CmsServer, Reply, Request};
use crate::pictures::encoded;
use crate::site_test::{Run, SiteTest, repository};
use crate::{documents, incremental};

/// The folder of export files and of what is made of them.
fn sources() -> std::path::PathBuf {
    repository().join("tests/import")
}

/// A site without posts, and a copy of the uploads with one picture.
fn site() -> SiteTest {
    let site = incremental::site();
    for folder in ["content/blog", "content/authors"] {
        fs::remove_dir_all(site.path(folder)).expect("the blog");
    }
    let picture = image::RgbImage::from_pixel(40, 20, image::Rgb([9, 90, 160]));
    let picture = encoded(
        &image::DynamicImage::ImageRgb8(picture),
        image::ImageFormat::Png,
    );
    // The template of the theme in short: its classes name what a proof compares.
    let post = "{% extends \"layouts/base.html\" %}{% block main %}<h1>{{ post.title }}</h1><p class=\"article__facts\">{{ post.author }} {{ post.date.iso }}</p><div class=\"article__body\">{{ post.body }}</div>{% endblock %}\n";
    site.file("uploads/2024/03/Boat_One.png", picture)
        .file("templates/pages/blog-post.html", post)
}

fn import(site: &SiteTest, file: &str) -> Run {
    let uploads = site.path("uploads");
    site.run(&[
        "import",
        "wordpress",
        file,
        "--uploads",
        &uploads.to_string_lossy(),
    ])
}

fn harbor() -> String {
    sources().join("harbor.xml").to_string_lossy().into_owned()
}

/// The text of a file of the site, and of the file that it must equal.
fn check_file(site: &SiteTest, file: &str, golden: &str) {
    let golden = sources().join(golden);
    let written =
        fs::read_to_string(site.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &written).expect("the golden file");
    }
    assert_eq!(
        written,
        fs::read_to_string(&golden).unwrap_or_default(),
        "{file}"
    );
}

/// An export file around some items.
fn export(items: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" xmlns:wp=\"http://wordpress.org/export/1.2/\"><channel>\
         <title>Old blog</title><wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>https://old.example</wp:base_blog_url>\
         <wp:author><wp:author_login>sam@old.example</wp:author_login><wp:author_display_name>Sam Rivera</wp:author_display_name></wp:author>\
         {items}</channel></rss>"
    )
}

/// A post of an export file. `more` are further elements.
fn item(number: usize, title: &str, slug: &str, content: &str, more: &str) -> String {
    format!(
        "<item><title>{title}</title><link>https://old.example/{slug}/</link><dc:creator>sam@old.example</dc:creator>\
         <content:encoded><![CDATA[{content}]]></content:encoded><wp:post_id>{number}</wp:post_id>\
         <wp:post_date>2024-05-06 07:08:09</wp:post_date><wp:post_date_gmt>2024-05-06 12:08:09</wp:post_date_gmt>\
         <wp:post_name>{slug}</wp:post_name><wp:post_type>post</wp:post_type>{more}</item>"
    )
}

/// An author of an export file.
fn author(login: &str, name: &str) -> String {
    format!(
        "<wp:author><wp:author_login>{login}</wp:author_login><wp:author_display_name>{name}</wp:author_display_name></wp:author>"
    )
}

/// An item by another author.
fn by(item: &str, login: &str) -> String {
    item.replace("sam@old.example", login)
}

const PUBLISHED: &str = "<wp:status>publish</wp:status>";

#[test]
fn an_export_file_becomes_markdown_that_the_site_builds() {
    let site = site();
    let run = import(&site, &harbor());
    assert_eq!(run.status, 0, "{}", run.stderr);
    check_file(
        &site,
        "content/blog/en/block-post/index.md",
        "block-post.md",
    );
    check_file(&site, "content/blog/en/classic/index.md", "classic.md");
    check_file(&site, "content/redirects/wordpress.yaml", "redirects.yaml");
    assert_eq!(
        fs::read_to_string(site.path("content/authors/harbor-notes.yaml")).expect("an author"),
        "name: Harbor Notes\n"
    );
    assert!(
        run.stdout.contains("the block `latest-posts`")
            && run.stdout.contains("`javascript:alert(1)`"),
        "{}",
        run.stdout
    );
    let built = site.built();
    built.page("/notes/block-post/").contains("A small boat");
}

#[test]
fn the_steps_of_the_document_work() {
    let site = site();
    site.write(
        "export.xml",
        fs::read_to_string(harbor()).expect("the export file"),
    );
    site.write(
        "old-sitemap.xml",
        "<urlset><url><loc>https://blog.harbor.example/2024/02/classic/</loc></url></urlset>",
    );
    let commands = documents::commands("docs/leave-wordpress.md");
    assert!(commands.len() >= 5, "{commands:?}");
    for command in commands {
        let words: Vec<&str> = command.split_whitespace().skip(1).collect();
        let run = site
            .command(&words)
            .current_dir(site.path(""))
            .output()
            .expect("sitegen starts");
        assert!(
            run.status.success(),
            "{command}: {}",
            String::from_utf8_lossy(&run.stderr)
        );
    }
}

#[test]
fn comments_are_kept_without_addresses_of_readers() {
    let site = site();
    assert_eq!(import(&site, &harbor()).status, 0);
    let comments = fs::read_to_string(site.path("content/blog/en/block-post/comments.json"))
        .expect("the comments");
    assert!(
        comments.contains("Nice") && !comments.contains('@'),
        "{comments}"
    );
    let all = fs::read_to_string(site.path(".sitegen/import/report.json")).expect("the report");
    assert!(!all.contains("ana@harbor.example"), "{all}");
}

#[test]
fn old_addresses_are_verified() {
    let site = site();
    assert_eq!(import(&site, &harbor()).status, 0);
    let log = site.path("old.log").to_string_lossy().into_owned();
    site.write(
        "old.log",
        "/2024/02/classic/\n/2024/02/classic/\n/2024/02/older-slug/\n/feed/\n/wp-json/wp/v2\n/nothing/\n/notes/\n",
    );
    assert!(
        site.run(&["import", "verify", &log])
            .stderr
            .contains("sitegen build")
    );
    site.built();
    let run = site.run(&["import", "verify", &log, "--all"]);
    assert_eq!(run.status, 1, "{}", run.stdout);
    assert!(
        run.stdout
            .contains("2 × /2024/02/classic/  redirect to /notes/classic/"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .ends_with("6 URLs: 1 found, 3 redirected, 1 internal to WordPress, 1 missing\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn the_sitemaps_of_an_index_are_verified() {
    let site = site();
    assert_eq!(import(&site, &harbor()).status, 0);
    site.built();
    let index = "<sitemapindex><sitemap><loc>https://blog.harbor.example/posts.xml</loc></sitemap>\
        <sitemap><loc>http://127.0.0.1:1/pages.xml</loc></sitemap></sitemapindex>";
    site.write("old/sitemap.xml", index);
    site.write(
        "old/posts.xml",
        "<urlset><url><loc>https://blog.harbor.example/2024/02/classic/</loc></url>\
         <url><loc>https://blog.harbor.example/notes/</loc></url></urlset>",
    );
    let file = site.path("old/sitemap.xml").to_string_lossy().into_owned();
    let run = site.run(&["import", "verify", &file, "--all"]);
    assert_eq!(run.status, 1, "{}", run.stdout);
    assert!(
        run.stdout
            .contains("2 URLs: 1 found, 1 redirected, 0 internal to WordPress, 0 missing"),
        "{}",
        run.stdout
    );
    let message = "the sitemap `http://127.0.0.1:1/pages.xml` could not be read";
    assert!(
        run.stderr.contains(message) && run.stderr.contains("next to the sitemap index"),
        "{}",
        run.stderr
    );
    site.write(
        "old/pages.xml",
        "<urlset><url><loc>https://blog.harbor.example/notes/</loc></url></urlset>",
    );
    let run = site.run(&["import", "verify", &file, "--all"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
}

#[test]
fn items_with_one_number_and_odd_names_are_all_imported() {
    let items = [
        author("1.5", "1.5"),
        author("~", "~"),
        by(
            &item(7, "First", "first", "<p>Alpha.</p>", PUBLISHED),
            "1.5",
        ),
        by(&item(7, "Second", "second", "<p>Beta.</p>", PUBLISHED), "~"),
        page(7, 0, "Admin", "/admin/", "<p>Gamma.</p>"),
        page(8, 0, "Interface", "/API/", "<p>Delta.</p>"),
    ];
    let (site, run) = proven(&items.concat());
    assert!(
        run.stdout.contains("imported 2 posts, 2 pages"),
        "{}",
        run.stdout
    );
    let built = site.built();
    for (path, text) in [
        ("/notes/first/", "Alpha"),
        ("/notes/second/", "Beta"),
        ("/about-admin/", "Gamma"),
        ("/about-api/", "Delta"),
    ] {
        built.page(path).contains(text);
    }
    assert!(site.path("content/authors/1-5.yaml").is_file());
}

#[test]
fn an_import_that_is_repeated_overwrites_no_edit() {
    let site = site();
    assert_eq!(import(&site, &harbor()).status, 0);
    assert!(
        import(&site, &harbor()).stdout.contains("unchanged"),
        "a second import"
    );
    let file = site.path("content/blog/en/classic/index.md");
    let edited = fs::read_to_string(&file)
        .expect("a post")
        .replace("Old text", "My text");
    fs::write(&file, &edited).expect("an edit");
    let run = import(&site, &harbor());
    assert!(
        run.status == 0 && run.stdout.contains("1 kept"),
        "{}",
        run.stdout
    );
    // WordPress changes the same post.
    let newer = fs::read_to_string(harbor())
        .expect("the export file")
        .replace("Old text", "Newer text");
    site.write("newer.xml", newer);
    let run = import(&site, &site.path("newer.xml").to_string_lossy());
    assert_eq!(
        run.problems(),
        ["import-conflict content/blog/en/classic/index.md"]
    );
    assert_eq!(fs::read_to_string(&file).expect("a post"), edited);
    let aside = fs::read_to_string(site.path(".sitegen/import/content/blog/en/classic/index.md"))
        .expect("the new version");
    assert!(aside.contains("Newer text"), "{aside}");
}

/// Imports items with a proof, which must find them the same, and returns the site with the run.
fn proven(items: &str) -> (SiteTest, Run) {
    let site = site();
    site.write("export.xml", export(items));
    let (file, proof) = (site.path("export.xml"), site.path("proof"));
    let run = site.run(&[
        "import",
        "wordpress",
        &file.to_string_lossy(),
        "--report",
        &proof.to_string_lossy(),
    ]);
    let report = fs::read_to_string(proof.join("report.html")).unwrap_or_default();
    assert_eq!(run.status, 0, "{}{}{report}", run.stdout, run.stderr);
    (site, run)
}

#[test]
fn old_urls_with_capital_letters_and_signs_lead_on() {
    let tag = |name: &str, slug: &str| {
        format!("<category domain=\"post_tag\" nicename=\"{slug}\"><![CDATA[{name}]]></category>")
    };
    let tags = tag("What's new", "whats-new") + &tag("\"Quoted\"", "quoted");
    let old = "<wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key><wp:meta_value>Old_Slug.v2</wp:meta_value></wp:postmeta>";
    let (site, _) = proven(
        &[
            item(
                1,
                "One",
                "News/2020/Upper-Case",
                "<p>Alpha.</p>",
                &format!("{PUBLISHED}{tags}{old}"),
            ),
            item(
                2,
                "Two",
                "two",
                "<p>See <a href=\"https://old.example/tag/whats-new/\">all</a>.</p>",
                PUBLISHED,
            ),
        ]
        .concat(),
    );
    let built = site.built();
    for (from, to) in [
        ("/News/2020/Upper-Case/", "/notes/news-2020-upper-case/"),
        ("/News/2020/Old_Slug.v2/", "/notes/news-2020-upper-case/"),
        ("/tag/whats-new/", "/notes/tag/what&#39;s-new/"),
        ("/tag/quoted/", "/notes/tag/-quoted-/"),
    ] {
        built.page(from).contains(to);
    }
    built
        .page("/notes/two/")
        .contains("href=\"/notes/tag/what&#39;s-new/\"");
}

#[test]
fn anchors_languages_and_start_times_are_kept() {
    let text = "<p><a href=\"#prices\">Prices</a>, <a href=\"#list\">list</a> and <a href=\"#box\">box</a>.</p>\
        <p id=\"prices\">From <i lang=\"la\">circa</i> 5.</p><ul id=\"list\"><li>one</li></ul>\
        <div id=\"box\" class=\"wp-block-group\"><p>Box.</p></div>\
        <p dir=\"rtl\" lang=\"he\">שלום</p><p dir=\"ltr\" lang=\"en-US\">Pasted.</p><p><br></p>\
        <p><iframe src=\"https://www.youtube.com/embed/dQw4w9WgXcQ?start=90\" title=\"Song\"></iframe></p>\
        <p><iframe src=\"https://player.vimeo.com/video/76979871#t=30s\"></iframe></p>\
        <p><iframe src=\"https://player.vimeo.com/video/76979872#comments\"></iframe></p>\
        <figure class=\"wp-block-embed\"><div class=\"wp-block-embed__wrapper\">\nhttps://youtu.be/aBcDeFgHiJk?t=1m3s\n</div></figure>";
    let (site, _) = proven(&item(1, "One", "one", text, PUBLISHED));
    let built = site.built();
    let page = built.page("/notes/one/");
    for part in [
        "<p><span id=\"prices\"></span>From <span lang=\"la\"><em>circa</em></span> 5.",
        "<li><span id=\"list\"></span>one",
        "<span id=\"box\"></span>Box.",
        "<div dir=\"rtl\" lang=\"he\"><p>שלום</p></div>",
        "<p>Pasted.</p>",
        "watch?v=dQw4w9WgXcQ&amp;t=90s",
        "watch?v=aBcDeFgHiJk&amp;t=63s",
        "href=\"https://vimeo.com/76979871#t=30s\"",
        "href=\"https://vimeo.com/76979872\"",
    ] {
        page.contains(part);
    }
}

#[test]
fn other_texts_lead_to_a_paragraph_and_boxes_stay_ticked() {
    let (one, two) = (
        "<p id=\"target\">First.</p><p id=\"2-x\">Second.</p><p id=\"unused\">Third.</p>\
         <ul><li><input type=\"checkbox\" checked> Done</li><li><input type=\"checkbox\"> To do</li></ul>\
         <pre>go <a href=\"https://old.example/two/\">there</a></pre><p>To &lt;mail@old.example&gt;.</p>",
        "<dl><dt>Term</dt><dd>Words</dd></dl>\
         <p><a href=\"https://old.example/one/#target\">A</a> <a href=\"/one/#2-x\">B</a></p>",
    );
    let items = [("One", "one", one), ("Two", "two", two)];
    let numbered = items.iter().zip(1..);
    let items = numbered.map(|((title, slug, text), at)| item(at, title, slug, text, PUBLISHED));
    let (site, _) = proven(&items.collect::<String>());
    let built = site.built();
    let page = built.page("/notes/one/");
    for part in [
        "<p><span id=\"target\"></span>First.",
        "<p><span id=\"id-2-x\"></span>Second.",
        "<p>Third.",
        "<li>☑ Done",
        "<li>☐ To do",
    ] {
        page.contains(part);
    }
    let page = built.page("/notes/two/");
    page.contains("href=\"/notes/one/#target\"");
    page.contains("href=\"/notes/one/#id-2-x\"");
}

#[test]
fn authors_with_one_name_are_told_apart() {
    let items = [
        author("bob", "Bob Lee"),
        author("bob2", "Bob Lee"),
        by(&item(1, "One", "one", "<p>Alpha.</p>", PUBLISHED), "bob"),
        by(&item(2, "Two", "two", "<p>Beta.</p>", PUBLISHED), "bob2"),
    ];
    let (site, _) = proven(&items.concat());
    site.built()
        .page("/notes/author/bob2/")
        .contains("Bob Lee (bob2)");
    site.edit("content/authors/bob2.yaml", " (bob2)", "");
    let run = site.build();
    assert!(
        run.stderr
            .contains("`content/authors/bob.yaml` has the same title"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("--> content/authors/bob2.yaml"),
        "{}",
        run.stderr
    );
}

#[test]
fn languages_drafts_and_scheduled_posts_keep_their_state() {
    let site = site();
    let language = |code: &str| {
        format!(
            "<category domain=\"language\" nicename=\"{code}\">x</category><category domain=\"post_translations\" nicename=\"pll_1\">pll_1</category>"
        )
    };
    let text = export(
        &[
            item(
                1,
                "One",
                "one",
                "Text.",
                &format!("{PUBLISHED}{}", language("en")),
            ),
            item(
                2,
                "Uno",
                "uno",
                "Texto.",
                &format!("{PUBLISHED}{}", language("es")),
            ),
            item(
                3,
                "Eins",
                "eins",
                "Text.",
                &format!("{PUBLISHED}<category domain=\"language\" nicename=\"de\">x</category>"),
            ),
            item(
                4,
                "Later",
                "later",
                "Text of later.",
                "<wp:status>future</wp:status>",
            ),
            item(
                5,
                "Draft",
                "",
                "Text of a draft.",
                "<wp:status>draft</wp:status>",
            ),
            item(
                6,
                "Secret",
                "secret",
                "A secret text.",
                &format!("{PUBLISHED}<wp:post_password>x</wp:post_password>"),
            ),
            item(7, "Gone", "gone", "Text.", "<wp:status>trash</wp:status>"),
        ]
        .concat(),
    );
    site.write("export.xml", text);
    let run = import(&site, &site.path("export.xml").to_string_lossy());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let read = |file: &str| {
        fs::read_to_string(site.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    assert!(
        read("content/blog/es/uno.md").contains("key: one\n"),
        "translations are tied"
    );
    assert!(read("content/blog/en/later.md").contains("publish_at: 2024-05-06T12:08:09Z\n"));
    assert!(read("content/blog/en/draft.md").contains("draft: true\n"));
    assert!(read("content/blog/en/secret.md").contains("draft: true\n"));
    assert!(
        read("content/authors/sam-rivera.yaml").starts_with("name: Sam Rivera\n"),
        "an address is no name of a file"
    );
    assert!(
        run.stdout
            .contains("not imported: 1 posts and pages in `de`")
            && run.stdout.contains("post in the trash"),
        "{}",
        run.stdout
    );
    let redirects = read("content/redirects/wordpress.yaml");
    assert!(
        redirects.contains("/uno/") && redirects.contains("{from: \"/secret/\", to: \"/notes/\"}"),
        "{redirects}"
    );
    let built = site.build();
    assert_eq!(built.status, 0, "{}", built.stderr);
}

#[test]
fn poor_posts_are_imported_with_what_they_have() {
    let site = site();
    let broken = "<b>bold <i>both</b> slanted</i> <table><tr><td><ul><li>in a table<blockquote><table><tr><td>deep";
    let text = export(&[
        item(1, "", "same", broken, PUBLISHED),
        item(2, "Same", "same", "<p onclick=\"x()\">a</p><script>alert(1)</script><svg onload=x()><a xlink:href=\"javascript:x()\">b</a></svg>", PUBLISHED),
        item(3, "&lt;/script&gt;&lt;b&gt;T&lt;/b&gt; \u{202e}x", "page", "{product.name} &evil; ]]]]><![CDATA[> end", PUBLISHED),
        item(4, "日本語の投稿", "%e6%97%a5%e6%9c%ac", "テキスト。", PUBLISHED),
        item(5, "عنوان", "%d8%b9%d9%86", "نص.", PUBLISHED).replace("2024-05-06 07:08:09", "0000-00-00 00:00:00"),
    ].concat());
    site.write("export.xml", text);
    let run = import(&site, &site.path("export.xml").to_string_lossy());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let read = |file: &str| {
        fs::read_to_string(site.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    assert!(read("content/blog/en/same.md").contains("title: same\n"));
    let hostile = read("content/blog/en/same-2.md");
    assert!(
        !["script", "onclick", "onload", "javascript"]
            .iter()
            .any(|bad| hostile.contains(bad)),
        "{hostile}"
    );
    // `page` begins other addresses of a blog, so the title names the file.
    let tricky = read("content/blog/en/t-x.md");
    assert!(
        tricky.contains("{<!-- -->product.name} \\&evil; \\]\\]> end\n"),
        "{tricky}"
    );
    assert!(read("content/blog/en/日本.md").contains("title: 日本語の投稿\n"));
    assert!(read("content/blog/en/عن.md").contains("date: 1970-01-01\n"));
    let built = site.build();
    assert_eq!(built.status, 0, "{}", built.stderr);
}

#[test]
fn a_damaged_file_imports_nothing() {
    let whole = fs::read_to_string(harbor()).expect("the export file");
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE rss [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>";
    let cases = [
        ("cut", whole[..whole.len() / 2].to_owned(), "damaged after"),
        (
            "html",
            "<html><body>Not found</body></html>".to_owned(),
            "not a WordPress export",
        ),
        (
            "encoding",
            "<?xml version=\"1.0\" encoding=\"EBCDIC-CP-US\"?><rss/>".to_owned(),
            "in the encoding `ebcdic-cp-us`",
        ),
        ("empty", String::new(), "import-failed"),
    ];
    for (name, text, expect) in cases {
        let site = site();
        site.write("export.xml", text);
        let run = import(&site, &site.path("export.xml").to_string_lossy());
        assert!(
            run.status == 1 && run.stderr.contains(expect),
            "{name}: {}",
            run.stderr
        );
        assert!(
            !site.path("content/blog").exists() && !site.path("content/redirects").exists(),
            "{name}"
        );
    }
    let site = site();
    site.write(
        "export.xml",
        export(&item(1, "Bomb", "bomb", "x", PUBLISHED))
            .replace("<?xml version=\"1.0\" encoding=\"UTF-8\"?>", bomb)
            .replace("<title>Bomb", "<title>Bomb &b;"),
    );
    let run = import(&site, &site.path("export.xml").to_string_lossy());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let text = fs::read_to_string(site.path("content/blog/en/bomb.md")).expect("a post");
    assert!(
        text.contains("Bomb &b;") && !text.contains("aaaa"),
        "{text}"
    );
}

/// A WordPress with one public post and one draft, for those who have the password.
fn wordpress(request: &Request) -> Reply {
    let is_editor = request.headers.contains_key("authorization");
    let list = |items: Vec<Value>| {
        let total = items.len();
        Reply::json(&json!(items))
            .with("X-WP-Total", total)
            .with("X-WP-TotalPages", 1)
    };
    let post = |id: u64, status: &str| {
        let mut post = json!({
            "id": id, "slug": format!("post-{id}"), "status": status, "link": format!("https://old.example/2024/post-{id}/"),
            "date": "2024-05-06T07:08:09", "date_gmt": "2024-05-06T12:08:09", "modified": "2024-05-06T07:08:09",
            "title": {"rendered": format!("Post &amp; {id}")}, "author": 3, "featured_media": 0,
            "content": {"rendered": "<p>Seen by <b>all</b>.</p>", "protected": false}, "excerpt": {"rendered": ""},
            "_embedded": {"wp:term": [[{"taxonomy": "post_tag", "slug": "sql", "name": "SQL"}]],
                "author": [{"id": 3, "slug": "ana", "name": "Ana Ruiz", "avatar_urls": {}}]},
        });
        if is_editor {
            post["content"]["raw"] = json!("Stored\n\ntext.");
            post["title"]["raw"] = json!(format!("Post & {id}"));
        }
        post
    };
    match request.path.as_str() {
        "/wp-json/" => {
            Reply::json(&json!({"name": "Old &amp; blog", "home": "https://old.example"}))
        }
        "/wp-json/wp/v2/posts" if is_editor => list(vec![post(1, "publish"), post(2, "draft")]),
        "/wp-json/wp/v2/posts" => list(vec![post(1, "publish")]),
        "/wp-json/wp/v2/users" => Reply::status(401),
        "/wp-json/wp/v2/tags"
        | "/wp-json/wp/v2/categories"
        | "/wp-json/wp/v2/media"
        | "/wp-json/wp/v2/pages"
        | "/wp-json/wp/v2/comments" => list(Vec::new()),
        _ => Reply::status(404),
    }
}

#[test]
fn a_server_is_read_as_a_visitor_or_as_an_editor() {
    let server = CmsServer::start(wordpress);
    let visitor = site();
    let run = visitor.run(&["import", "wordpress", &server.url]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let read =
        |site: &SiteTest, file: &str| fs::read_to_string(site.path(file)).unwrap_or_default();
    let text = read(&visitor, "content/blog/en/post-1.md");
    assert!(
        text.contains("title: Post & 1\n")
            && text.contains("tags: [SQL]")
            && text.ends_with("Seen by **all**.\n"),
        "{text}"
    );
    assert!(read(&visitor, "content/authors/ana.yaml").starts_with("name: Ana Ruiz"));
    assert!(!visitor.path("content/blog/en/post-2.md").exists());

    let editor = site();
    let run = editor.run_with(
        &["import", "wordpress", &server.url],
        &[("BLOG_USER", "ana"), ("BLOG_PASSWORD", "secret")],
    );
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(read(&editor, "content/blog/en/post-1.md").ends_with("Stored\n\ntext.\n"));
    assert!(read(&editor, "content/blog/en/post-2.md").contains("draft: true\n"));
    assert!(!format!("{}{}", run.stdout, run.stderr).contains("secret"));
}

#[test]
fn a_server_that_fails_imports_nothing() {
    let server = CmsServer::start(|request| match request.path.as_str() {
        "/wp-json/wp/v2/posts" => Reply::Whole(
            200,
            vec![("X-WP-Total", "5".into()), ("X-WP-TotalPages", "1".into())],
            b"[]".to_vec(),
        ),
        _ => wordpress(request),
    });
    let site = site();
    let run = site.run(&[
        "import",
        "wordpress",
        &server.url,
        "--set",
        "blog.retries=0",
    ]);
    assert!(
        run.status == 1 && run.stderr.contains("none were received"),
        "{}",
        run.stderr
    );
    assert!(!site.path("content/blog").exists());
    let run = site.run(&["import", "wordpress", "ftp://old.example"]);
    assert!(
        run.stderr.contains("not the URL of a website"),
        "{}",
        run.stderr
    );
}

#[test]
fn export_files_of_all_versions_give_the_same_post() {
    for version in ["1.0", "1.1", "1.2"] {
        let site = site();
        let picture = fs::read(site.path("uploads/2024/03/Boat_One.png")).expect("a picture");
        let site = site.file("uploads/2009/05/boat.png", picture);
        let run = import(
            &site,
            &sources()
                .join(format!("wxr-{version}.xml"))
                .to_string_lossy(),
        );
        assert_eq!(run.status, 0, "{version}: {}", run.stderr);
        check_file(
            &site,
            "content/blog/en/a-b/index.md",
            &format!("wxr-{version}.md"),
        );
        let built = site.built();
        built.page("/notes/a-b/").contains("The boat");
    }
}

/// A page of an export file, below another one if `parent` is not 0.
fn page(number: usize, parent: usize, title: &str, path: &str, content: &str) -> String {
    let slug = path
        .trim_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    item(
        number,
        title,
        slug,
        content,
        &format!("{PUBLISHED}<wp:post_parent>{parent}</wp:post_parent>"),
    )
    .replace("<wp:post_type>post<", "<wp:post_type>page<")
    .replace(
        &format!("https://old.example/{slug}/"),
        &format!("https://old.example{path}"),
    )
}

#[test]
fn pages_and_documents_keep_their_addresses() {
    let language = |code: &str| {
        format!(
            "<category domain=\"language\" nicename=\"{code}\">x</category><category domain=\"post_translations\" nicename=\"p1\">p1</category></item>"
        )
    };
    let text = "<h2 id=\"own\">Rules</h2><p>See <a href=\"#own\">above</a>, <a href=\"https://old.example/post/\">a post</a> and <a href=\"/wp-content/uploads/2024/03/Prices%202024.pdf\">prices</a>.</p>\
                <figure><img src=\"https://old.example/wp-content/uploads/2024/03/Boat_One-300x200.png\" alt=\"A boat\"><figcaption>On <b>water</b></figcaption></figure><p>{product.name} H<sub>2</sub>O</p>";
    let export_text = export(
        &[
            page(1, 0, "Harbor &amp; rules", "/harbor/", "<p>Text of the harbor.</p>").replace("</item>", &language("en")),
            page(2, 1, "Team", "/harbor/team/", text),
            page(3, 0, "Puerto", "/puerto/", "<p>Texto del puerto.</p>").replace("</item>", &language("es")),
            page(4, 0, "Front", "/", "<p>Welcome.</p>"),
            page(5, 0, "Taken", "/about/", "<p>Ours is another.</p>"),
            page(6, 0, "Hidden", "/hidden/", "<p>x</p>").replace("publish", "draft"),
            "<item><title>Boat</title><wp:post_id>9</wp:post_id><wp:post_type>attachment</wp:post_type><wp:attachment_url>https://old.example/wp-content/uploads/2024/03/Boat_One.png</wp:attachment_url><wp:postmeta><wp:meta_key>_wp_attachment_metadata</wp:meta_key><wp:meta_value><![CDATA[a:2:{s:4:\"file\";s:20:\"2024/03/Boat_One.png\";s:5:\"sizes\";a:1:{s:9:\"thumbnail\";a:1:{s:4:\"file\";s:20:\"Boat_One-150x150.png\";}}}]]></wp:meta_value></wp:postmeta></item>".to_owned(),
            item(7, "Post", "post", "To <a href=\"/?page_id=2\">the team</a>.", PUBLISHED),
        ]
        .concat(),
    );
    let photo = "<p>{{ section.image.alt }}</p>{{ section.caption }}\n";
    let site = site()
        .file("uploads/2024/03/Prices 2024.pdf", "%PDF-1.4")
        .file("templates/sections/photo/photo.html", photo);
    site.write("export.xml", export_text);
    let run = import(&site, &site.path("export.xml").to_string_lossy());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let read = |file: &str| {
        fs::read_to_string(site.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    for expect in [
        "1 pages that are not public",
        "1 front pages",
        "1 pages whose URL the site already has",
    ] {
        assert!(run.stdout.contains(expect), "{expect}: {}", run.stdout);
    }
    assert!(
        read("content/pages/harbor/es.yaml").contains("path: /es/puerto/\n"),
        "translations are tied"
    );
    assert!(read("content/blog/en/post.md").contains("[the team](page:harbor-team)"));
    assert_eq!(
        read("static/wp-content/uploads/2024/03/Prices 2024.pdf"),
        "%PDF-1.4"
    );
    check_file(&site, "content/pages/harbor-team/en.yaml", "page.yaml");
    check_file(
        &site,
        "content/redirects/wordpress-queries.yaml",
        "queries.yaml",
    );
    check_file(
        &site,
        "content/redirects/wordpress-files.yaml",
        "files.yaml",
    );
    let built = site.built();
    built
        .page("/harbor/team/")
        .contains("On <strong>water</strong>");
    site.write(
        "old.log",
        "/harbor/team/\n/puerto/\n/?page_id=3\n/?p=7\n/?author=0\n/wp-content/uploads/2024/03/Boat_One.png\n/wp-content/uploads/2024/03/Prices%202024.pdf\n",
    );
    let verified = site
        .run(&[
            "import",
            "verify",
            &site.path("old.log").to_string_lossy(),
            "--all",
        ])
        .stdout;
    for expect in [
        "/harbor/team/  found",
        "/puerto/  redirect to /es/puerto/",
        "/?page_id=3  redirect to /es/puerto/",
        "/?p=7  redirect to /notes/post/",
        "Boat_One.png  redirect to /harbor/team/",
        "Prices%202024.pdf  found",
    ] {
        assert!(verified.contains(expect), "{expect}: {verified}");
    }
}

#[test]
fn a_proof_lists_every_difference_with_its_reason() {
    let site = site();
    let prove = |expect: i32| -> Value {
        let uploads = site.path("uploads");
        let (uploads, folder) = (uploads.to_string_lossy(), site.path("proof"));
        let run = site.run(&[
            "import",
            "wordpress",
            &harbor(),
            "--uploads",
            &uploads,
            "--report",
            &folder.to_string_lossy(),
        ]);
        assert_eq!(
            run.status,
            expect,
            "{}\n{}",
            run.stderr,
            fs::read_to_string(folder.join("report.json")).unwrap_or_default()
        );
        let page = fs::read_to_string(folder.join("report.html")).expect("the report");
        assert!(
            page.starts_with("<!doctype html>") && !page.contains("<script"),
            "{page}"
        );
        serde_json::from_str(&fs::read_to_string(folder.join("report.json")).expect("the report"))
            .expect("JSON")
    };
    let report = prove(0);
    assert_eq!(
        (&report["compared"], &report["unexplained"]),
        (&json!(2), &json!(0)),
        "{report:#}"
    );
    let reasons = report.to_string();
    for expect in [
        "its author was deleted",
        "the caption of a table",
        "a card that links to the video",
        "https://maps.example/x",
    ] {
        assert!(reasons.contains(expect), "{expect}: {report:#}");
    }
    // An edit of a person is a reason, too.
    let file = site.path("content/blog/en/classic/index.md");
    let edited = fs::read_to_string(&file)
        .expect("a post")
        .replace("Old text with a line", "New");
    fs::write(&file, edited).expect("an edit");
    assert!(
        prove(0)
            .to_string()
            .contains("the file was edited after the import")
    );
}

#[test]
fn an_import_that_was_stopped_goes_on_where_it_was() {
    static POSTS: AtomicUsize = AtomicUsize::new(0);
    static IS_DOWN: AtomicBool = AtomicBool::new(true);
    let server = CmsServer::start(|request| match request.path.as_str() {
        "/wp-json/wp/v2/pages" if IS_DOWN.load(Ordering::SeqCst) => Reply::status(500),
        path => {
            POSTS.fetch_add(
                usize::from(path == "/wp-json/wp/v2/posts"),
                Ordering::SeqCst,
            );
            wordpress(request)
        }
    });
    let site = site();
    let run = || {
        site.run(&[
            "import",
            "wordpress",
            &server.url,
            "--set",
            "blog.retries=0",
        ])
    };
    assert_eq!(run().status, 1);
    assert_eq!(POSTS.load(Ordering::SeqCst), 1);
    IS_DOWN.store(false, Ordering::SeqCst);
    assert_eq!(run().status, 0);
    assert_eq!(
        POSTS.load(Ordering::SeqCst),
        1,
        "the list of posts was read before"
    );
    assert!(
        !site.path(".sitegen/import/answers").exists(),
        "a complete import keeps no answers"
    );
    assert_eq!(run().status, 0);
    assert_eq!(
        POSTS.load(Ordering::SeqCst),
        2,
        "the next import asks again"
    );
}

#[test]
fn a_media_library_that_lost_its_files_is_reported() {
    let server = CmsServer::start(|request| match request.path.as_str() {
        "/wp-json/wp/v2/posts" => {
            let mut reply = json!([]);
            reply = match &wordpress(request) {
                Reply::Whole(_, _, body) => serde_json::from_slice(body).expect("a list"),
                _ => reply,
            };
            let host = &request.headers["host"];
            reply[0]["content"]["rendered"] = json!(format!(
                "<p><img src=\"http://{host}/wp-content/uploads/gone.png\" alt=\"Gone\"></p><p><a href=\"http://{host}/wp-content/uploads/gone.pdf\">gone</a></p>"
            ));
            Reply::json(&reply)
                .with("X-WP-Total", 1)
                .with("X-WP-TotalPages", 1)
        }
        "/wp-json/" => Reply::json(
            &json!({"name": "Old", "home": format!("http://{}", request.headers["host"])}),
        ),
        _ => wordpress(request),
    });
    let site = site();
    let run = site.run(&[
        "import",
        "wordpress",
        &server.url,
        "--set",
        "blog.retries=0",
    ]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for expect in [
        "gone.png` could not be fetched",
        "gone.pdf` could not be fetched",
        "or remove it from the post",
    ] {
        assert!(run.stderr.contains(expect), "{expect}: {}", run.stderr);
    }
    let text = fs::read_to_string(site.path("content/blog/en/post-1/index.md")).expect("the post");
    assert!(text.contains("![Gone](gone.png)"), "{text}");
}

#[test]
fn a_server_that_lies_about_its_pages_imports_nothing() {
    type Lie = fn(&Request) -> Reply;
    let lies: [(&str, Lie); 3] = [
        ("claims to have 999999999 pages", |_| {
            Reply::json(&json!([{"id": 1}]))
                .with("X-WP-Total", 5)
                .with("X-WP-TotalPages", 999_999_999)
        }),
        ("page 2 of 2 is missing", |request| {
            let items = if request.query["page"] == "1" {
                json!([{"id": 1}])
            } else {
                json!([])
            };
            Reply::json(&items)
                .with("X-WP-Total", 5)
                .with("X-WP-TotalPages", 2)
        }),
        // Without the headers, pages are read until the list ends.
        ("repeats earlier pages", |_| {
            Reply::json(&json!([{"id": 1}]))
        }),
    ];
    for (expect, lie) in lies {
        let server = CmsServer::start(move |request| match request.path.as_str() {
            "/wp-json/wp/v2/posts" => lie(request),
            _ => wordpress(request),
        });
        let site = site();
        let run = site.run(&[
            "import",
            "wordpress",
            &server.url,
            "--set",
            "blog.retries=0",
        ]);
        assert!(
            run.status == 1 && run.stderr.contains(expect),
            "{expect}: {}",
            run.stderr
        );
        assert!(!site.path("content/blog").exists(), "{expect}");
    }
}

#[test]
fn what_visitors_read_has_no_shortcodes_of_lost_plugins() {
    let server = CmsServer::start(|request| {
        match request.path.as_str() {
        "/wp-json/wp/v2/posts" => Reply::json(&json!([
            {"id": 1, "slug": "a", "link": "https://old.example/a/", "date": "2024-05-06T07:08:09", "title": {"rendered": "A"},
             "content": {"rendered": "<p>One [lost id=”1″]two[/lost] [sic] <code>[kept a=1]</code></p>", "protected": false}, "excerpt": {"rendered": ""}},
            {"id": 2, "slug": "b", "link": "https://old.example/b/", "date": "2024-05-06T07:08:09", "title": {"rendered": "Protected: B"},
             "content": {"rendered": "", "protected": true}, "excerpt": {"rendered": ""}},
        ]))
        .with("X-WP-Total", 2)
        .with("X-WP-TotalPages", 1),
        _ => wordpress(request),
    }
    });
    let site = site();
    let run = site.run(&["import", "wordpress", &server.url]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let read = |file: &str| {
        fs::read_to_string(site.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    assert!(
        read("content/blog/en/a.md").ends_with("One two \\[sic\\] `[kept a=1]`\n"),
        "{}",
        read("content/blog/en/a.md")
    );
    assert!(!site.path("content/blog/en/b.md").exists());
    // Its address was in the sitemap of WordPress.
    assert!(read("content/redirects/wordpress.yaml").contains("{from: \"/b/\", to: \"/notes/\"}"));
}
