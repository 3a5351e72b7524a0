//! Reads the export file of WordPress (WXR 1.0 to 1.2), as a stream.
//!
//! A file may have hundreds of megabytes, and what refers to what is known only at its end. So it is read twice: first
//! everything but the texts, then the texts one by one. Entities of a document type are never expanded.

use std::io::BufRead;
use std::path::Path;

use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};

use diagnostics::problem::{Code, Place, Problem};

use super::encoding::{self, Failure};
use super::meta;
use super::source::{
    Comment, Media, Numbers, SourceAuthor, SourcePost, SourceSite, SourceText, Status, Term,
    TermKind,
};

/// Kinds of items that belong to WordPress itself.
const INTERNAL: [&str; 10] = [
    "customize_changeset",
    "custom_css",
    "nav_menu_item",
    "oembed_cache",
    "revision",
    "user_request",
    "wp_font_face",
    "wp_global_styles",
    "wp_navigation",
    "wp_template",
];

/// An item of the file.
#[derive(Debug, Default)]
struct Item {
    kind: String,
    status: String,
    password: String,
    guid: String,
    attachment: String,
    parent: u64,
    post: SourcePost,
    text: SourceText,
    meta: Vec<(String, String)>,
    /// Terms of taxonomies that are no tags: the name of the taxonomy, and that of the term.
    terms: Vec<(String, String)>,
    /// The number of comments that readers did not see, and of pings.
    unseen_comments: usize,
}

/// Reads everything but the texts of posts.
pub(super) fn read(file: &Path) -> Result<SourceSite, Problem> {
    let mut source = SourceSite::default();
    let mut reader = open(file)?;
    let mut items = 0;
    walk(&mut reader, file, &mut |part| match part {
        Part::Channel(name, text) => match name {
            "title" => source.title = text,
            "description" if !text.is_empty() => {
                source
                    .about
                    .insert("the tagline of the site".to_owned(), text);
            }
            "language" => source.language = Some(text).filter(|text| !text.is_empty()),
            "link" if source.home.is_empty() => {
                text.trim_end_matches('/').clone_into(&mut source.home);
            }
            "wp:base_blog_url" if !text.is_empty() => {
                text.trim_end_matches('/').clone_into(&mut source.home);
            }
            _ => {}
        },
        Part::Author(login, author) => {
            source.authors.insert(login, author);
        }
        Part::Term(term) => {
            source.terms.insert(term);
        }
        Part::About(what, text) => {
            source.about.insert(what, text);
        }
        Part::Item(item) => {
            items += 1;
            add(&mut source, *item);
        }
    })?;
    // WXR 1.0 has no list of authors, and a list may lack one: posts contain their names. The name may be an email
    // address, which stays in WordPress.
    for post in source.posts.iter().filter(|post| !post.author.is_empty()) {
        let name = post.author.split('@').next().unwrap_or_default().to_owned();
        let author = SourceAuthor {
            slug: name.clone(),
            name,
            ..SourceAuthor::default()
        };
        source.authors.entry(post.author.clone()).or_insert(author);
    }
    if items == 0 && source.home.is_empty() {
        return Err(invalid(file, "the file is not a WordPress export")
            .hint("in WordPress, choose Tools → Export → All content"));
    }
    Ok(source)
}

/// Reads the texts of posts in the order of the file. `take` gets the number and the text of each.
pub(super) fn texts(file: &Path, take: &mut dyn FnMut(u64, SourceText)) -> Result<(), Problem> {
    let mut reader = open(file)?;
    walk(&mut reader, file, &mut |part| {
        if let Part::Item(item) = part
            && matches!(item.kind.as_str(), "post" | "page")
        {
            take(item.post.number, item.text);
        }
    })
}

fn invalid(file: &Path, why: impl std::fmt::Display) -> Problem {
    Problem::error(Code::ImportFailed, format!("{why}")).at(Place::file(file.display().to_string()))
}

/// Opens a file.
fn open(file: &Path) -> Result<Reader<Box<dyn BufRead>>, Problem> {
    let input = encoding::open(file).map_err(|failure| match failure {
        Failure::File(error) => invalid(
            file,
            format!(
                "the export file could not be read ({})",
                workspace::files::reason(&error)
            ),
        ),
        Failure::Unknown(name) => invalid(
            file,
            format!("the file is in the encoding `{name}`, which sitegen cannot read"),
        )
        .hint("save the file as UTF-8, and write `encoding=\"UTF-8\"` in its first line"),
    })?;
    let mut reader = Reader::from_reader(input);
    reader.config_mut().check_end_names = false;
    Ok(reader)
}

/// A part of a file.
enum Part<'a> {
    /// A field of the site, by its name.
    Channel(&'a str, String),
    Author(String, SourceAuthor),
    Term(Term),
    /// Content that no page shows: its subject, and its text.
    About(String, String),
    Item(Box<Item>),
}

/// The fields of an element that is being read, by name.
type Fields = Vec<(String, String)>;

fn field(fields: &Fields, name: &str) -> String {
    fields
        .iter()
        .find(|(own, _)| own == name)
        .map(|(_, value)| value.trim().to_owned())
        .unwrap_or_default()
}

/// Reads a file to its end. A file that was cut off is refused as a whole.
fn walk(
    reader: &mut Reader<Box<dyn BufRead>>,
    file: &Path,
    part: &mut dyn FnMut(Part),
) -> Result<(), Problem> {
    let mut buffer = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let (mut text, mut ended) = (String::new(), false);
    let mut item: Option<Box<Item>> = None;
    let mut fields: Fields = Vec::new();
    let mut category = (String::new(), String::new());
    let mut last = String::from("its beginning");
    let mut numbers = Numbers::default();
    loop {
        let event = reader.read_event_into(&mut buffer);
        let event = event.map_err(|error| cut_off(file, &last, &error.to_string()))?;
        match event {
            Event::Start(start) => {
                let name = start.name().as_ref().to_owned();
                match (path.len(), name.as_str()) {
                    (2, "item") => item = Some(Box::default()),
                    (2, "wp:author" | "wp:category" | "wp:tag" | "wp:term")
                    | (3, "wp:postmeta" | "wp:comment") => {
                        fields.clear();
                    }
                    (3, "category") => {
                        category = (attribute(&start, "domain"), attribute(&start, "nicename"));
                    }
                    _ => {}
                }
                path.push(name);
                text.clear();
            }
            Event::Text(more) => text.push_str(&encoding::without_controls(&more)),
            Event::CData(more) => text.push_str(&encoding::without_controls(&more)),
            Event::GeneralRef(name) => {
                let name = name.to_string();
                match reference(&name) {
                    Some(own) => text.push_str(&encoding::without_controls(&own)),
                    None => text.extend(["&", &name, ";"]),
                }
            }
            Event::End(_) => {
                let Some(name) = path.pop() else { continue };
                let value = std::mem::take(&mut text);
                match (path.len(), item.as_mut()) {
                    (2, None)
                        if matches!(
                            name.as_str(),
                            "wp:author" | "wp:category" | "wp:tag" | "wp:term"
                        ) =>
                    {
                        group(&name, &fields, part);
                    }
                    (2, None) => part(Part::Channel(&name, value.trim().to_owned())),
                    (2, Some(_)) if name == "item" => {
                        if let Some(mut item) = item.take() {
                            if matches!(item.kind.as_str(), "post" | "page") {
                                item.post.number = numbers.own(item.post.number);
                            }
                            last = format!("item {} (`{}`)", item.post.number, item.post.slug);
                            part(Part::Item(item));
                        }
                    }
                    (3, Some(item)) => match name.as_str() {
                        "wp:postmeta" => {
                            item.meta.push((
                                field(&fields, "wp:meta_key"),
                                field(&fields, "wp:meta_value"),
                            ));
                        }
                        "wp:comment" => match comment(&fields) {
                            Some(comment) => item.text.comments.push(comment),
                            None => item.unseen_comments += 1,
                        },
                        "category" => term_of(item, &category.0, &category.1, value.trim()),
                        name => item_field(item, name, value),
                    },
                    (3, None) | (4, Some(_)) => fields.push((name, value)),
                    _ => {}
                }
                ended |= path.is_empty();
            }
            Event::Eof if ended => return Ok(()),
            Event::Eof => return Err(cut_off(file, &last, "the file is cut off")),
            _ => {}
        }
        buffer.clear();
    }
}

fn cut_off(file: &Path, last: &str, why: &str) -> Problem {
    invalid(
        file,
        format!("the export file is damaged after {last}: {why}"),
    )
    .hint("export it again; nothing was imported")
}

fn attribute(start: &BytesStart, name: &str) -> String {
    let found = start
        .attributes()
        .with_checks(false)
        .flatten()
        .find(|attribute| attribute.key.as_ref() == name);
    let Some(found) = found else {
        return String::new();
    };
    api_types::html::unescape(&found.value)
}

/// The text of a character reference or of one of XML's five names. Names that a document defines stay as written.
fn reference(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).map(String::from);
    }
    resolve_xml_entity(name).map(str::to_owned)
}

/// An author, a tag or a category of the site.
fn group(name: &str, fields: &Fields, part: &mut dyn FnMut(Part)) {
    for (key, title) in [
        ("wp:category_description", "wp:cat_name"),
        ("wp:tag_description", "wp:tag_name"),
    ] {
        let text = field(fields, key);
        if !text.is_empty() {
            part(Part::About(
                format!("the description of {}", field(fields, title)),
                text,
            ));
        }
    }
    match name {
        "wp:author" => {
            let login = field(fields, "wp:author_login");
            let written = field(fields, "wp:author_display_name");
            let both = format!(
                "{} {}",
                field(fields, "wp:author_first_name"),
                field(fields, "wp:author_last_name")
            );
            let name = [written, both.trim().to_owned(), login.clone()]
                .into_iter()
                .find(|name| !name.is_empty())
                .unwrap_or_default();
            if !login.is_empty() {
                let number = field(fields, "wp:author_id").parse().unwrap_or_default();
                part(Part::Author(
                    login.clone(),
                    SourceAuthor {
                        number,
                        slug: login,
                        name,
                        ..SourceAuthor::default()
                    },
                ));
            }
        }
        "wp:term" => {
            let (taxonomy, name) = (
                field(fields, "wp:term_taxonomy"),
                field(fields, "wp:term_name"),
            );
            let text = field(fields, "wp:term_description");
            part(Part::About(format!("a term of `{taxonomy}`: {name}"), text));
        }
        "wp:tag" => part(Part::Term(Term {
            slug: field(fields, "wp:tag_slug"),
            name: field(fields, "wp:tag_name"),
            number: field(fields, "wp:term_id").parse().unwrap_or_default(),
            ..Term::default()
        })),
        "wp:category" => part(Part::Term(Term {
            kind: TermKind::Category,
            slug: field(fields, "wp:category_nicename"),
            parent: field(fields, "wp:category_parent"),
            name: field(fields, "wp:cat_name"),
            link: None,
            number: field(fields, "wp:term_id").parse().unwrap_or_default(),
        })),
        _ => {}
    }
}

fn comment(fields: &Fields) -> Option<Comment> {
    let kind = field(fields, "wp:comment_type");
    if field(fields, "wp:comment_approved") != "1" || !matches!(kind.as_str(), "" | "comment") {
        return None;
    }
    Some(Comment {
        id: field(fields, "wp:comment_id").parse().ok()?,
        parent: field(fields, "wp:comment_parent")
            .parse()
            .unwrap_or_default(),
        author: field(fields, "wp:comment_author"),
        date: field(fields, "wp:comment_date"),
        text: field(fields, "wp:comment_content"),
    })
}

/// A tag, a category or the language of an item.
fn term_of(item: &mut Item, domain: &str, slug: &str, name: &str) {
    let kind = match domain {
        "category" => TermKind::Category,
        "post_tag" | "tag" => TermKind::Tag,
        "language" => {
            item.post.language = Some(slug.to_owned());
            return;
        }
        "post_translations" => {
            item.post.translations = Some(slug.to_owned());
            return;
        }
        // Co-Authors Plus.
        "author" => {
            item.post.authors.push(name.to_owned());
            return;
        }
        // WXR 1.0 has every term twice, the first time without a domain.
        "" => return,
        other => {
            item.terms.push((other.to_owned(), name.to_owned()));
            return;
        }
    };
    if slug.is_empty() || name.is_empty() {
        return;
    }
    let term = Term {
        kind,
        slug: slug.to_owned(),
        name: name.to_owned(),
        ..Term::default()
    };
    if !item.post.tags.contains(&term) {
        item.post.tags.push(term);
    }
}

fn item_field(item: &mut Item, name: &str, value: String) {
    match name {
        "content:encoded" => return item.text.content = value,
        "excerpt:encoded" => return item.text.excerpt = value,
        _ => {}
    }
    let value = value.trim().to_owned();
    match name {
        "title" => item.post.title = value,
        "link" => item.post.link = value,
        "guid" => item.guid = value,
        "dc:creator" => item.post.author = value,
        "wp:post_id" => item.post.number = value.parse().unwrap_or_default(),
        "wp:post_date" => item.post.date = value,
        "wp:post_date_gmt" => item.post.date_utc = value,
        "wp:post_modified" => item.post.modified = value,
        "wp:post_name" => item.post.slug = value,
        "wp:status" => item.status = value,
        "wp:post_parent" => item.parent = value.parse().unwrap_or_default(),
        "wp:post_type" => item.kind = value,
        "wp:post_password" => item.password = value,
        "wp:attachment_url" => item.attachment = value,
        "wp:is_sticky" if value == "1" => item.terms.push(("sticky".to_owned(), "yes".to_owned())),
        _ => {}
    }
}

/// The names of a picture's smaller copies, from its metadata as PHP serializes them:
/// `…s:9:"thumbnail";a:5:{s:4:"file";s:16:"boat-150x150.png";…`. The picture itself has a path there, not a name.
fn copies(metadata: &str) -> Vec<String> {
    let values = metadata.split("s:4:\"file\";s:").skip(1);
    let names = values.filter_map(|rest| Some(rest.split_once(":\"")?.1.split_once('"')?.0));
    names
        .filter(|name| !name.contains('/'))
        .map(str::to_owned)
        .collect()
}

/// The values of a field.
fn values<'a>(meta: &'a [(String, String)], name: &str) -> impl Iterator<Item = &'a str> {
    meta.iter()
        .filter(move |(own, _)| own == name)
        .map(|(_, value)| value.as_str())
}

/// Adds an item to what is known of the site. Its text is dropped, unless other texts show it.
fn add(source: &mut SourceSite, item: Item) {
    let Item {
        kind,
        status,
        password,
        guid,
        attachment,
        parent,
        mut post,
        text,
        meta,
        terms,
        unseen_comments,
    } = item;
    if unseen_comments > 0 {
        *source
            .others
            .entry("comments that were not public, and pings".to_owned())
            .or_default() += unseen_comments;
    }
    match kind.as_str() {
        "attachment" => {
            let address = if attachment.is_empty() {
                guid
            } else {
                attachment
            };
            let alt = values(&meta, "_wp_attachment_image_alt")
                .next()
                .unwrap_or_default()
                .to_owned();
            let copies = values(&meta, "_wp_attachment_metadata")
                .flat_map(copies)
                .collect();
            let mut texts = vec![post.title, text.content];
            texts.extend(
                meta.into_iter()
                    .filter(|(key, _)| !key.starts_with('_'))
                    .map(|(_, value)| value),
            );
            texts.retain(|text| !text.trim().is_empty());
            let (caption, link) = (text.excerpt, post.link);
            source.media.insert(
                post.number,
                Media {
                    address,
                    alt,
                    caption,
                    link,
                    parent,
                    copies,
                    texts,
                },
            );
        }
        "wp_block" => {
            source.note_anchors(&text.content);
            source.reusable.insert(post.number, text.content);
        }
        "post" | "page" => {
            post.is_page = kind == "page";
            source.note_anchors(&text.content);
            if post.is_page && text.content.trim().is_empty() {
                source.empty_pages.insert(post.number);
            }
            post.parent = parent;
            post.is_protected = status == "publish" && !password.is_empty();
            post.status = match status.as_str() {
                "publish" if password.is_empty() => Status::Published,
                "publish" | "private" => Status::Private,
                "future" => Status::Scheduled,
                "draft" | "pending" => Status::Draft,
                _ => return source.skip(&post, format!("{kind} in the trash")),
            };
            post.fields = terms;
            meta::read(&mut post, &meta, &mut source.internal_fields);
            source.terms.extend(post.tags.iter().cloned());
            source.posts.push(post);
        }
        kind if INTERNAL.contains(&kind) => {
            source.skip(&post, format!("{kind} (internal to WordPress)"));
        }
        "" => source.skip(&post, "items without a type".to_owned()),
        kind => source.skip(&post, kind.to_owned()),
    }
}
