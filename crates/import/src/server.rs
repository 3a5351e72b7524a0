//! Reads a WordPress over its REST API.
//!
//! With an application password (`BLOG_USER`, `BLOG_PASSWORD`) also drafts, scheduled and private posts, and texts as
//! the editor stores them. Without one, what every visitor may read.

use std::collections::HashMap;

use serde_json::Value;

use content::blog::archive::Archive;

use super::plain_text;
use super::source::{
    Comment, Media, SourceAuthor, SourcePost, SourceSite, SourceText, Status, Term, TermKind,
};

/// All items of a kind, with what an editor sees of them if one is signed in.
fn list(
    archive: &Archive,
    api: &str,
    name: &str,
    query: &[(&str, &str)],
) -> Result<Vec<Value>, String> {
    let mut all: Vec<(&str, String)> = query
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()))
        .collect();
    all.push(("per_page", "100".to_owned()));
    if archive.has_credentials() && !matches!(name, "comments" | "users") {
        all.push(("context", "edit".to_owned()));
    }
    archive.list(&format!("{api}/{name}"), &all)
}

/// A text as it was written, if an editor is signed in.
fn text(value: &Value) -> String {
    string(&value["raw"])
        .or_else(|| string(&value["rendered"]))
        .unwrap_or_default()
}

/// Reads everything. Texts are returned beside, by the numbers of their posts.
pub(super) fn read(
    archive: &Archive,
    home: &url::Url,
) -> Result<(SourceSite, HashMap<u64, SourceText>), String> {
    let base = home.as_str().trim_end_matches('/').to_owned();
    let api = format!("{base}/wp-json/wp/v2");
    let about = archive.get(&format!("{base}/wp-json/?_fields=name,home"))?;
    let mut source = SourceSite {
        home: string(&about["home"])
            .filter(|home| !home.is_empty())
            .unwrap_or(base)
            .trim_end_matches('/')
            .to_owned(),
        title: plain_text(about["name"].as_str().unwrap_or_default()),
        ..SourceSite::default()
    };
    let is_editor = archive.has_credentials();
    for (name, kind) in [("tags", TermKind::Tag), ("categories", TermKind::Category)] {
        for term in list(archive, &api, name, &[])? {
            source.terms.extend(read_term(&term, kind));
        }
    }
    // Some sites hide their users; posts then bring their authors along.
    for user in list(archive, &api, "users", &[]).unwrap_or_default() {
        if let Some((number, author)) = read_author(&user) {
            source.authors.insert(number, author);
        }
    }
    for media in list(archive, &api, "media", &[])? {
        let Some(number) = media["id"].as_u64() else {
            continue;
        };
        source.media.insert(
            number,
            Media {
                address: string(&media["source_url"]).unwrap_or_default(),
                alt: string(&media["alt_text"]).unwrap_or_default(),
                caption: text(&media["caption"]),
                link: string(&media["link"]).unwrap_or_default(),
                parent: media["post"].as_u64().unwrap_or_default(),
                copies: copies(&media["media_details"]["sizes"]),
                texts: Vec::new(),
            },
        );
    }
    let mut texts = HashMap::new();
    for (name, is_page) in [("posts", false), ("pages", true)] {
        let mut query = vec![
            ("_embed", "author,wp:term"),
            ("orderby", "date"),
            ("order", "asc"),
        ];
        if is_editor {
            query.push(("status", "publish,future,draft,pending,private"));
        }
        for post in list(archive, &api, name, &query)? {
            let Some((mut own, text)) = read_post(&post, is_page) else {
                source
                    .locked
                    .extend(post["id"].as_u64().zip(string(&post["link"])));
                continue;
            };
            let author = &post["_embedded"]["author"][0];
            if let Some((number, author)) = read_author(author) {
                source.authors.entry(number).or_insert(author);
            }
            if !source.authors.contains_key(&own.author) {
                own.author.clear();
            }
            if is_page && text.content.trim().is_empty() {
                source.empty_pages.insert(own.number);
            }
            source.note_anchors(&text.content);
            texts.insert(own.number, text);
            source.posts.push(own);
        }
    }
    // A site may have switched them off.
    for comment in list(archive, &api, "comments", &[("order", "asc")]).unwrap_or_default() {
        let Some(text) = comment["post"]
            .as_u64()
            .and_then(|post| texts.get_mut(&post))
        else {
            continue;
        };
        text.comments.push(Comment {
            id: comment["id"].as_u64().unwrap_or_default(),
            parent: comment["parent"].as_u64().unwrap_or_default(),
            author: string(&comment["author_name"]).unwrap_or_default(),
            date: string(&comment["date"]).unwrap_or_default(),
            text: string(&comment["content"]["rendered"]).unwrap_or_default(),
        });
    }
    Ok((source, texts))
}

fn string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// The names of a picture's smaller copies. WordPress sends an empty list if there are none.
fn copies(sizes: &Value) -> Vec<String> {
    let sizes = sizes
        .as_object()
        .into_iter()
        .flat_map(serde_json::Map::values);
    sizes
        .filter_map(|size| string(&size["file"]))
        .filter(|name| !name.contains('/'))
        .collect()
}

fn read_term(term: &Value, kind: TermKind) -> Option<Term> {
    Some(Term {
        kind,
        slug: string(&term["slug"])?,
        parent: String::new(),
        name: plain_text(term["name"].as_str()?),
        link: string(&term["link"]),
        number: term["id"].as_u64().unwrap_or_default(),
    })
}

fn read_author(author: &Value) -> Option<(String, SourceAuthor)> {
    let number = author["id"].as_u64()?;
    let avatar =
        string(&author["avatar_urls"]["96"]).filter(|address| !address.contains("gravatar.com"));
    let own = SourceAuthor {
        number,
        slug: string(&author["slug"])?,
        name: string(&author["name"]).filter(|name| !name.is_empty())?,
        description: string(&author["description"]).unwrap_or_default(),
        avatar,
    };
    Some((number.to_string(), own))
}

fn read_post(post: &Value, is_page: bool) -> Option<(SourcePost, SourceText)> {
    let number = post["id"].as_u64()?;
    let raw = string(&post["content"]["raw"]);
    let is_protected = post["content"]["protected"] == true;
    // Without the password its text is empty.
    if is_protected && raw.is_none() {
        return None;
    }
    let status = match post["status"].as_str().unwrap_or("publish") {
        "publish" if !is_protected => Status::Published,
        "publish" | "private" => Status::Private,
        "future" => Status::Scheduled,
        _ => Status::Draft,
    };
    let embedded = post["_embedded"]["wp:term"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_array)
        .flatten();
    let tags = embedded.filter_map(|term| match term["taxonomy"].as_str()? {
        "post_tag" => read_term(term, TermKind::Tag),
        "category" => read_term(term, TermKind::Category),
        _ => None,
    });
    // Translations are an object, or an empty list: the numbers of all of them.
    let translations = post["translations"].as_object().map(|all| {
        let mut numbers: Vec<u64> = all
            .values()
            .filter_map(Value::as_u64)
            .chain([number])
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join("-")
    });
    let own = SourcePost {
        number,
        is_page,
        parent: post["parent"].as_u64().unwrap_or_default(),
        slug: string(&post["slug"]).unwrap_or_default(),
        link: string(&post["link"]).unwrap_or_default(),
        title: text(&post["title"]),
        date: string(&post["date"]).unwrap_or_default(),
        date_utc: string(&post["date_gmt"]).unwrap_or_default(),
        modified: string(&post["modified"]).unwrap_or_default(),
        status,
        is_protected,
        author: post["author"]
            .as_u64()
            .map(|number| number.to_string())
            .unwrap_or_default(),
        authors: Vec::new(),
        description: None,
        enclosures: Vec::new(),
        fields: Vec::new(),
        picture: post["featured_media"].as_u64().filter(|number| *number > 0),
        tags: tags.collect(),
        language: string(&post["lang"]).filter(|code| !code.is_empty()),
        translations,
        old_slugs: Vec::new(),
        footnotes: string(&post["meta"]["footnotes"]).filter(|notes| !notes.is_empty()),
        is_rendered: raw.is_none(),
    };
    let rendered = string(&post["content"]["rendered"]);
    let content = raw.or_else(|| rendered.clone()).unwrap_or_default();
    Some((
        own,
        SourceText {
            content,
            rendered,
            excerpt: text(&post["excerpt"]),
            comments: Vec::new(),
        },
    ))
}
