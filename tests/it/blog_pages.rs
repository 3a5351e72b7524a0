//! The published pages of the blog: content, structured data, feeds and share links.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::cms_server::{CmsServer, Reply, api_post};
use crate::site_test::{Run, SiteTest};

/// The project's own site with the posts of an API, by language.
fn published(english: Vec<Value>, spanish: Vec<Value>) -> Run {
    let server = CmsServer::start(move |request| {
        let posts = if request.query.get("lang").is_some_and(|lang| lang == "es") {
            &spanish
        } else {
            &english
        };
        Reply::json(
            &json!({"posts": posts, "pagination": {"total": posts.len(), "total_pages": 1}}),
        )
    });
    let url = format!("blog.url={}", server.url);
    let run = SiteTest::whole().run(&["build", "--set", "blog.source=posts_api", "--set", &url]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    run
}

/// A post with only an id.
fn bare(id: u64) -> Value {
    json!({"id": id})
}

/// The node of a type in a page's structured data.
fn node(html: &str, kind: &str) -> Option<Value> {
    let script = html
        .split("<script type=\"application/ld+json\">")
        .nth(1)?
        .split("</script>")
        .next()?;
    let document: Value = serde_json::from_str(script).expect("JSON");
    document["@graph"]
        .as_array()
        .expect("a graph")
        .iter()
        .find(|node| node["@type"] == kind)
        .cloned()
}

fn product() -> String {
    let text = std::fs::read_to_string(crate::site_test::repository().join("content/site.yaml"))
        .expect("settings");
    let product = text
        .split("product:")
        .nth(1)
        .and_then(|rest| rest.split("name:").nth(1))
        .expect("a product");
    product
        .lines()
        .next()
        .unwrap_or_default()
        .trim()
        .trim_matches('"')
        .to_owned()
}

/// Lists and the page of a post use different fallback texts.
#[test]
fn missing_fields_of_a_post_have_fallback_texts() {
    let run = published(vec![bare(1)], vec![bare(2)]);
    let product = product();
    let cases = [
        (
            "/blog/",
            [
                format!("By {product} Team"),
                "Untitled Post".into(),
                "<span>Recent</span>".into(),
            ],
        ),
        (
            "/es/blog/",
            [
                format!("Por Equipo {product}"),
                "Artículo sin título".into(),
                "<span>Reciente</span>".into(),
            ],
        ),
        (
            "/blog/post-1/",
            ["By Unknown Author", "Untitled Post</h1>", "Unknown Date"].map(str::to_owned),
        ),
        (
            "/es/blog/post-2/",
            [
                "Por Autor Desconocido",
                "Título No Disponible</h1>",
                "Fecha Desconocida",
            ]
            .map(str::to_owned),
        ),
    ];
    for (path, words) in cases {
        let page = run.page(path);
        for word in &words {
            page.contains(word);
        }
    }
    run.page("/es/blog/post-2/")
        .contains("Contenido No Disponible")
        .lacks(&format!("Equipo {product}"));
    run.page("/blog/post-1/")
        .contains(&format!("<title>Untitled Post · {product}</title>"))
        .lacks(&format!("{product} Team"));
    run.page("/blog/")
        .contains("href=\"/blog/post-1/\"")
        .lacks("Unknown");
    let feed = String::from_utf8(run.files()["blog/feed.json"].clone()).expect("text");
    assert!(
        !feed.contains("post-1"),
        "a feed contains a post without a date: {feed}"
    );
}

#[test]
fn a_feed_uses_the_fallback_texts_of_lists() {
    let mut post = api_post(1);
    post["title"] = Value::Null;
    post["author"] = Value::Null;
    let files = published(vec![post.clone()], vec![post]).files();
    let text = |path: &str| String::from_utf8(files[path].clone()).expect("text");
    let product = product();
    for file in ["blog/feed.xml", "blog/atom.xml", "blog/feed.json"] {
        assert!(
            text(file).contains("Untitled Post") && text(file).contains(&format!("{product} Team")),
            "{file}"
        );
        let spanish = text(&format!("es/{file}"));
        assert!(
            spanish.contains("Artículo sin título")
                && spanish.contains(&format!("Equipo {product}")),
            "{file}"
        );
    }
}

#[test]
fn a_post_has_structured_data() {
    let mut unsigned = api_post(2);
    unsigned["author"] = Value::Null;
    unsigned["date"] = Value::Null;
    let run = published(vec![api_post(1), unsigned], Vec::new());
    let html = run.page("/blog/post-1-of-api/").html;
    let posting = node(&html, "BlogPosting").expect("a posting");
    let url = posting["url"].as_str().expect("an address").to_owned();
    let site = url
        .strip_suffix("/blog/post-1-of-api/")
        .expect("the site's own address");
    assert_eq!(posting["headline"], "Title 1");
    assert_eq!(
        (&posting["datePublished"], &posting["dateModified"]),
        (
            &json!("2025-01-05T10:00:00Z"),
            &json!("2025-01-05T10:00:00Z")
        )
    );
    assert_eq!(
        posting["author"],
        json!({"@type": "Person", "name": "Ana Ruiz", "url": format!("{site}/blog/author/ana/")})
    );
    assert_eq!(
        posting["publisher"],
        json!({"@id": format!("{site}/#organization")})
    );
    assert_eq!(
        posting["mainEntityOfPage"],
        json!({"@id": format!("{url}#webpage")})
    );
    assert_eq!(
        (&posting["inLanguage"], &posting["keywords"]),
        (&json!("en"), &json!(["SQL"]))
    );
    assert!(
        posting["image"]["url"]
            .as_str()
            .is_some_and(|image| image.starts_with(site)),
        "the blog's card is the fallback"
    );
    let trail = node(&html, "BreadcrumbList").expect("a trail");
    assert_eq!(
        trail["itemListElement"][2],
        json!({"@type": "ListItem", "position": 3, "name": "Title 1", "item": url})
    );
    assert!(html.contains("<meta property=\"og:type\" content=\"article\">"));

    let posting = node(&run.page("/blog/post-2-of-api/").html, "BlogPosting").expect("a posting");
    assert_eq!(
        posting["author"], posting["publisher"],
        "the author falls back to the publisher"
    );
    assert_eq!(posting.get("datePublished"), None);
    assert!(node(&run.page("/blog/").html, "BlogPosting").is_none());
}

#[test]
fn share_links_work_without_javascript() {
    let mut post = api_post(1);
    post["title"] = json!("Q&amp;A: 100% “sure” + done?");
    let run = published(vec![post], Vec::new());
    let page = run.page("/blog/post-1-of-api/");
    let shared = "Q%26A%3A%20100%25%20%E2%80%9Csure%E2%80%9D%20%2B%20done%3F";
    let url = node(&page.html, "BlogPosting").expect("a posting")["url"]
        .as_str()
        .expect("an address")
        .replace(':', "%3A");
    page.contains(&format!(
        "href=\"https://www.linkedin.com/sharing/share-offsite/?url={url}\" rel=\"external noopener nofollow\""
    ))
    .contains(&format!(
        "href=\"https://x.com/intent/post?text={shared}&amp;url={url}\" rel=\"external noopener nofollow\""
    ))
    .contains(&format!("href=\"mailto:?subject={shared}&amp;body={url}\""));
}

#[test]
fn paginated_lists_link_to_their_neighbors() {
    let posts = |count| (1..=count).map(api_post).collect::<Vec<Value>>();
    let run = published(posts(21), Vec::new());
    let ends = |html: &str, rel: &str| {
        let start = format!("<link rel=\"{rel}\" href=\"https://");
        html.lines()
            .find(|line| line.trim_start().starts_with(&start))
            .map(|line| {
                let address = line.split("href=\"https://").nth(1).unwrap_or_default();
                address
                    .find('/')
                    .map_or("", |at| &address[at..])
                    .trim_end_matches("\">")
                    .to_owned()
            })
    };
    for base in ["/blog/", "/blog/tag/sql/", "/blog/author/ana/"] {
        let numbered = |number: u32| {
            if number == 1 {
                base.to_owned()
            } else {
                format!("{base}page/{number}/")
            }
        };
        for number in 1..=3 {
            let html = run.page(&numbered(number)).html;
            assert_eq!(ends(&html, "canonical"), Some(numbered(number)));
            assert_eq!(
                ends(&html, "prev"),
                (number > 1).then(|| numbered(number - 1))
            );
            assert_eq!(
                ends(&html, "next"),
                (number < 3).then(|| numbered(number + 1))
            );
        }
    }
    run.page("/blog/author/ana/page/2/")
        .contains("href=\"/blog/author/ana/?page=1\"")
        .contains("href=\"/blog/author/ana/?page=3\"")
        .contains("data-page=\"2\" data-list=\"/blog/author/ana/\"");
    run.page("/blog/")
        .contains("href=\"/blog/page/2/\"")
        .lacks("?page=");
}

/// Authors of posts in other languages also have a page.
#[test]
fn an_author_without_posts_has_a_page() {
    let mut spanish = api_post(2);
    spanish["author"] = json!({"name": "Luz Paz", "slug": "luz"});
    let run = published(vec![api_post(1)], vec![spanish]);
    run.page("/blog/author/luz/")
        .contains("<h1 class=\"person__title\">Luz Paz</h1>")
        .contains("No posts found for this author.")
        .contains("<meta name=\"robots\" content=\"noindex\">");
    run.page("/es/blog/author/ana/")
        .contains("No se encontraron artículos para este autor.");
    run.page("/es/blog/author/luz/")
        .contains("href=\"/es/blog/post-2-of-api/\"")
        .lacks("noindex");
    assert!(!run.files().contains_key("blog/author/nobody/index.html"));
}

/// Builds never publish this variant, because a build without its posts publishes nothing.
#[test]
fn an_author_page_can_show_an_error_instead_of_posts() {
    let with_error = |message: &str| {
        format!(
            "{{% extends \"layouts/base.html\" %}}{{% block main %}}{{% set author = {{\"name\": author.name, \"role\": author.role, \"description\": author.description, \"picture\": author.picture, \
             \"posts\": author.posts, \"count\": author.count, \"pagination\": author.pagination, \"error\": true, \
             \"error_message\": {message}}} %}}{{% include \"components/person/person.html\" %}}{{% endblock %}}\n"
        )
    };
    let site = SiteTest::whole();
    let own = site.built().files();
    let (path, _) = own
        .iter()
        .find(|(path, _)| path.starts_with("blog/author/") && path.ends_with("/index.html"))
        .expect("an author");
    for (message, shown) in [("\"They are being moved.\"", true), ("none", false)] {
        site.write("templates/pages/blog-author.html", with_error(message));
        let page = String::from_utf8(site.built().files()[path].clone()).expect("HTML");
        assert!(
            page.contains("Error</h2>") && !page.contains("post-card"),
            "{page}"
        );
        assert_eq!(
            page.contains("<p>They are being moved.</p>"),
            shown,
            "{page}"
        );
    }
}

/// The sitemap lists pictures at the post that contains them, not at lists.
#[test]
fn the_sitemap_lists_the_pictures_of_a_post() {
    let png = {
        let mut bytes = std::io::Cursor::new(Vec::new());
        let picture = image::RgbImage::from_pixel(40, 20, image::Rgb([9, 90, 9]));
        picture
            .write_to(&mut bytes, image::ImageFormat::Png)
            .expect("a picture");
        bytes.into_inner()
    };
    let mut post = api_post(1);
    post["featured_image"] = json!({"source_url": "/head.png", "alt_text": "Head"});
    post["content"] = json!("<p>Text. <img src=\"/inner.png?a=1\" alt=\"Inner\"></p>");
    let server = CmsServer::start(move |request| match request.path.as_str() {
        path if path.ends_with(".png") => Reply::Whole(200, vec![], png.clone()),
        _ if request.query.contains_key("lang") => {
            Reply::json(&json!({"posts": [], "pagination": {"total": 0, "total_pages": 1}}))
        }
        _ => Reply::json(
            &json!({"posts": [post, api_post(2)], "pagination": {"total": 2, "total_pages": 1}}),
        ),
    });
    let url = format!("blog.url={}", server.url);
    let run = SiteTest::whole().run(&["build", "--set", "blog.source=posts_api", "--set", &url]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let sitemap = String::from_utf8(run.files()["sitemap.xml"].clone()).expect("text");
    let images = |path: &str| {
        let entry = sitemap
            .lines()
            .find(|line| line.contains(&format!("{path}</loc>")))
            .expect("an entry");
        entry.matches("<image:image><image:loc>https://").count()
    };
    assert_eq!(
        (
            images("/blog/post-1-of-api/"),
            images("/blog/post-2-of-api/"),
            images("/blog/")
        ),
        (2, 0, 0)
    );
}

#[test]
fn a_list_with_noindex_does_not_depend_on_lists_of_other_languages() {
    let site = crate::incremental::site();
    site.edit(
        "content/pages/notes/es.yaml",
        "title: Notes /es/notas/",
        "noindex: true\ntitle: Notes /es/notas/",
    );
    let run = site.built();
    run.page("/es/notas/note-3/").contains("Note 3");
    run.page("/notes/note-3/").contains("Note 3");
}

/// A blog with a post of Ana.
fn blog_of_ana() -> SiteTest {
    let post = "---\ntitle: A note\ndate: 2025-03-14\nauthor: ana\n---\nText.\n";
    SiteTest::blog()
        .file("content/authors/ana.yaml", "name: Ana\n")
        .file("content/blog/en/note.md", post)
}

#[test]
fn templates_without_a_collection_of_authors_take_that_of_the_program() {
    let site = blog_of_ana();
    assert!(!site.path("templates/collections").exists());
    site.built().page("/blog/author/ana/").contains("Ana");
}

#[test]
fn an_author_has_fields_of_the_site() {
    let site = blog_of_ana();
    let schema = "templates/collections/authors/schema.yaml";
    site.write(
        schema,
        std::fs::read(crate::site_test::repository().join(schema))
            .expect("the schema of the theme"),
    );
    site.edit(
        schema,
        "fields:\n",
        "fields:\n  town: {type: text, meaning: Where they live.}\n",
    );
    site.edit(
        "templates/pages/blog-author.html",
        "{% block main %}",
        "{% block main %}<b>{{ entry.town }}</b>",
    );
    site.write("content/authors/ana.yaml", "name: Ana\ntown: Graz\n");
    site.built()
        .page("/blog/author/ana/")
        .contains("<b>Graz</b>");
    site.write("content/authors/ana.yaml", "name: Ana\ntown: Linz\n");
    site.built()
        .page("/blog/author/ana/")
        .contains("<b>Linz</b>");
}

/// The floor of the benchmarks has its own code for what the templates of `bench/sites/sitegen` get.
#[test]
fn the_floor_of_the_benchmarks_writes_the_pages_of_a_build() {
    let words = |what: &str| format!("{{en: {what}, es: {what}}}");
    let author = format!(
        "name: Ana\nrole: {}\ndescription: {}\n",
        words("Author"),
        words("Writes.")
    );
    let mut site = SiteTest::blog().file("content/authors/ana.yaml", author);
    for number in 10..25 {
        let head = format!(
            "title: Note {number}\ndate: 2025-03-{number}T09:00:00Z\nauthor: ana\ntags: [One, Two]\nexcerpt: Short {number}."
        );
        for locale in ["en", "es"] {
            let path = format!("content/blog/{locale}/note-{number}.md");
            site = site.file(
                &path,
                format!("---\n{head}\n---\nText of {number}.\n\n## Part\n\nMore.\n"),
            );
        }
    }
    let run = site.built();
    let program = Path::new(env!("CARGO_BIN_EXE_sitegen"))
        .with_file_name("examples")
        .join("floor");
    let status = Command::new(&program)
        .arg(site.path(""))
        .arg(site.path("floor"))
        .status();
    let status = status
        .unwrap_or_else(|error| panic!("{} (cargo build --examples): {error}", program.display()));
    assert!(status.success());
    let links = |html: &str| -> Vec<String> {
        html.split("<a href=\"")
            .skip(1)
            .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
            .collect()
    };
    for path in [
        "blog/",
        "blog/page/2/",
        "blog/tag/one/",
        "blog/author/ana/",
        "blog/note-12/",
        "es/blog/",
    ] {
        let floor = std::fs::read_to_string(site.path("floor").join(path).join("index.html"))
            .expect("a page");
        let found = links(&floor);
        assert!(found.len() > 3, "{path}: {floor}");
        assert_eq!(found, links(&run.page(&format!("/{path}")).html), "{path}");
    }
}
