//! Imports from WordPress: what is written, what is reported, and that nobody's work is lost.

use std::fs;

use serde_json::{Value, json};

use crate::cms_server::{CmsServer, Reply, Request};
use crate::documents;
use crate::incremental;
use crate::pictures::encoded;
use crate::site_test::{Run, SiteTest, repository};

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
    let picture = encoded(&image::DynamicImage::ImageRgb8(picture), image::ImageFormat::Png);
    site.file("uploads/2024/03/Boat_One.png", picture)
}

fn import(site: &SiteTest, file: &str) -> Run {
    let uploads = site.path("uploads");
    site.run(&["import", "wordpress", file, "--uploads", &uploads.to_string_lossy()])
}

fn harbor() -> String {
    sources().join("harbor.xml").to_string_lossy().into_owned()
}

/// The text of a file of the site, and of the file that it must equal.
fn check_file(site: &SiteTest, file: &str, golden: &str) {
    let golden = sources().join(golden);
    let written = fs::read_to_string(site.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &written).expect("the golden file");
    }
    assert_eq!(written, fs::read_to_string(&golden).unwrap_or_default(), "{file}");
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

const PUBLISHED: &str = "<wp:status>publish</wp:status>";

#[test]
fn an_export_file_becomes_markdown_that_the_site_builds() {
    let site = site();
    let run = import(&site, &harbor());
    assert_eq!(run.status, 0, "{}", run.stderr);
    check_file(&site, "content/blog/en/block-post/index.md", "block-post.md");
    check_file(&site, "content/blog/en/classic/index.md", "classic.md");
    check_file(&site, "content/redirects/wordpress.yaml", "redirects.yaml");
    assert_eq!(
        fs::read_to_string(site.path("content/authors/harbor-notes.yaml")).expect("an author"),
        "name: Harbor Notes\n"
    );
    assert!(
        run.stdout.contains("the block `latest-posts`") && run.stdout.contains("`javascript:alert(1)`"),
        "{}",
        run.stdout
    );
    let built = site.built();
    built.page("/notes/block-post/").contains("A small boat");
}

#[test]
fn the_steps_of_the_document_work() {
    let site = site();
    site.write("export.xml", fs::read_to_string(harbor()).expect("the export file"));
    site.write(
        "old-sitemap.xml",
        "<urlset><url><loc>https://blog.harbor.example/2024/02/classic/</loc></url></urlset>",
    );
    let commands = documents::commands("docs/leave-wordpress.md");
    assert!(commands.len() >= 5, "{commands:?}");
    for command in commands {
        let words: Vec<&str> = command.split_whitespace().skip(1).collect();
        let run = site.command(&words).current_dir(site.path("")).output().expect("sitegen starts");
        assert!(run.status.success(), "{command}: {}", String::from_utf8_lossy(&run.stderr));
    }
}

#[test]
fn comments_are_kept_without_addresses_of_readers() {
    let site = site();
    assert_eq!(import(&site, &harbor()).status, 0);
    let comments = fs::read_to_string(site.path("content/blog/en/block-post/comments.json")).expect("the comments");
    assert!(comments.contains("Nice") && !comments.contains('@'), "{comments}");
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
    assert!(site.run(&["import", "verify", &log]).stderr.contains("sitegen build"));
    site.built();
    let run = site.run(&["import", "verify", &log, "--all"]);
    assert_eq!(run.status, 1, "{}", run.stdout);
    assert!(run.stdout.contains("2 × /2024/02/classic/  redirect to /notes/classic/"), "{}", run.stdout);
    assert!(
        run.stdout.ends_with("6 addresses: 1 found, 3 redirected, 1 of WordPress itself, 1 without an answer\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn an_import_that_is_repeated_overwrites_no_edit() {
    let site = site();
    assert_eq!(import(&site, &harbor()).status, 0);
    assert!(import(&site, &harbor()).stdout.contains("unchanged"), "a second import");
    let file = site.path("content/blog/en/classic/index.md");
    let edited = fs::read_to_string(&file).expect("a post").replace("Old text", "My text");
    fs::write(&file, &edited).expect("an edit");
    let run = import(&site, &harbor());
    assert!(run.status == 0 && run.stdout.contains("1 kept"), "{}", run.stdout);
    // WordPress changes the same post.
    let newer = fs::read_to_string(harbor()).expect("the export file").replace("Old text", "Newer text");
    site.write("newer.xml", newer);
    let run = import(&site, &site.path("newer.xml").to_string_lossy());
    assert_eq!(run.problems(), ["import-conflict content/blog/en/classic/index.md"]);
    assert_eq!(fs::read_to_string(&file).expect("a post"), edited);
    let aside =
        fs::read_to_string(site.path(".sitegen/import/content/blog/en/classic/index.md")).expect("the new version");
    assert!(aside.contains("Newer text"), "{aside}");
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
            item(1, "One", "one", "Text.", &format!("{PUBLISHED}{}", language("en"))),
            item(2, "Uno", "uno", "Texto.", &format!("{PUBLISHED}{}", language("es"))),
            item(
                3,
                "Eins",
                "eins",
                "Text.",
                &format!("{PUBLISHED}<category domain=\"language\" nicename=\"de\">x</category>"),
            ),
            item(4, "Later", "later", "Text of later.", "<wp:status>future</wp:status>"),
            item(5, "Draft", "", "Text of a draft.", "<wp:status>draft</wp:status>"),
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
    let read = |file: &str| fs::read_to_string(site.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert!(read("content/blog/es/uno.md").contains("key: one\n"), "translations are tied");
    assert!(read("content/blog/en/later.md").contains("publish_at: 2024-05-06T12:08:09Z\n"));
    assert!(read("content/blog/en/draft.md").contains("draft: true\n"));
    assert!(read("content/blog/en/secret.md").contains("draft: true\n"));
    assert!(
        read("content/authors/sam-rivera.yaml").starts_with("name: Sam Rivera\n"),
        "an address is no name of a file"
    );
    assert!(
        run.stdout.contains("not imported: 1 posts in `de`") && run.stdout.contains("post in the trash"),
        "{}",
        run.stdout
    );
    let redirects = read("content/redirects/wordpress.yaml");
    assert!(redirects.contains("/uno/") && !redirects.contains("/secret/"), "{redirects}");
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
    let read = |file: &str| fs::read_to_string(site.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert!(read("content/blog/en/same.md").contains("title: same\n"));
    let hostile = read("content/blog/en/same-2.md");
    assert!(!["script", "onclick", "onload", "javascript"].iter().any(|bad| hostile.contains(bad)), "{hostile}");
    // `page` begins other addresses of a blog, so the title names the file.
    let tricky = read("content/blog/en/t-x.md");
    assert!(tricky.contains("{<!-- -->product.name} \\&evil; \\]\\]> end\n"), "{tricky}");
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
        ("html", "<html><body>Not found</body></html>".to_owned(), "not an export file of WordPress"),
        (
            "encoding",
            "<?xml version=\"1.0\" encoding=\"EBCDIC-CP-US\"?><rss/>".to_owned(),
            "encoding `ebcdic-cp-us` is unknown",
        ),
        ("empty", String::new(), "import-failed"),
    ];
    for (name, text, expect) in cases {
        let site = site();
        site.write("export.xml", text);
        let run = import(&site, &site.path("export.xml").to_string_lossy());
        assert!(run.status == 1 && run.stderr.contains(expect), "{name}: {}", run.stderr);
        assert!(!site.path("content/blog").exists() && !site.path("content/redirects").exists(), "{name}");
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
    assert!(text.contains("Bomb &b;") && !text.contains("aaaa"), "{text}");
}

/// A WordPress with one public post and one draft, for those who have the password.
fn wordpress(request: &Request) -> Reply {
    let is_editor = request.headers.contains_key("authorization");
    let list = |items: Vec<Value>| {
        let total = items.len();
        Reply::json(&json!(items)).with("X-WP-Total", total).with("X-WP-TotalPages", 1)
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
        "/wp-json/" => Reply::json(&json!({"name": "Old &amp; blog", "home": "https://old.example"})),
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
    let read = |site: &SiteTest, file: &str| fs::read_to_string(site.path(file)).unwrap_or_default();
    let text = read(&visitor, "content/blog/en/post-1.md");
    assert!(
        text.contains("title: \"Post & 1\"") && text.contains("tags: [SQL]") && text.ends_with("Seen by **all**.\n"),
        "{text}"
    );
    assert!(read(&visitor, "content/authors/ana.yaml").starts_with("name: Ana Ruiz"));
    assert!(!visitor.path("content/blog/en/post-2.md").exists());

    let editor = site();
    let run =
        editor.run_with(&["import", "wordpress", &server.url], &[("BLOG_USER", "ana"), ("BLOG_PASSWORD", "secret")]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(read(&editor, "content/blog/en/post-1.md").ends_with("Stored\n\ntext.\n"));
    assert!(read(&editor, "content/blog/en/post-2.md").contains("draft: true\n"));
    assert!(!format!("{}{}", run.stdout, run.stderr).contains("secret"));
}

#[test]
fn a_server_that_fails_imports_nothing() {
    let server = CmsServer::start(|request| match request.path.as_str() {
        "/wp-json/wp/v2/posts" => {
            Reply::Whole(200, vec![("X-WP-Total", "5".into()), ("X-WP-TotalPages", "1".into())], b"[]".to_vec())
        }
        _ => wordpress(request),
    });
    let site = site();
    let run = site.run(&["import", "wordpress", &server.url, "--set", "blog.retries=0"]);
    assert!(run.status == 1 && run.stderr.contains("none were received"), "{}", run.stderr);
    assert!(!site.path("content/blog").exists());
    let run = site.run(&["import", "wordpress", "ftp://old.example"]);
    assert!(run.stderr.contains("not the address of a website"), "{}", run.stderr);
}
