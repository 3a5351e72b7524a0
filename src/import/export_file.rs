//! Reads the export file of WordPress (WXR 1.0 to 1.2), as a stream.
//!
//! A file may have hundreds of megabytes, and what refers to what is known only at its end. So it is read twice: first
//! everything but the texts, then the texts one by one. Entities of a document type are never expanded.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek as _};
use std::path::Path;

use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};

use diagnostics::problem::{Code, Place, Problem};

use super::source::{Comment, Media, Source, SourceAuthor, SourcePost, SourceText, Status, Term, TermKind};

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
}

/// Reads everything but the texts of posts.
pub(super) fn read(file: &Path) -> Result<Source, Problem> {
    let mut source = Source::default();
    let mut reader = open(file)?;
    let mut items = 0;
    walk(&mut reader, file, &mut |part| match part {
        Part::Channel(name, text) => match name {
            "title" => source.title = text,
            "language" => source.language = Some(text).filter(|text| !text.is_empty()),
            "link" if source.home.is_empty() => text.trim_end_matches('/').clone_into(&mut source.home),
            "wp:base_blog_url" if !text.is_empty() => text.trim_end_matches('/').clone_into(&mut source.home),
            _ => {}
        },
        Part::Author(login, author) => {
            source.authors.insert(login, author);
        }
        Part::Term(term) => {
            source.terms.insert(term);
        }
        Part::Item(item) => {
            items += 1;
            add(&mut source, *item);
        }
    })?;
    if source.authors.is_empty() {
        // WXR 1.0 has no list of authors, and posts say their names.
        for post in source.posts.iter().filter(|post| !post.author.is_empty()) {
            let name = post.author.clone();
            let author = SourceAuthor { slug: name.clone(), name: name.clone(), ..SourceAuthor::default() };
            source.authors.entry(name).or_insert(author);
        }
    }
    if items == 0 && source.home.is_empty() {
        return Err(invalid(file, "it is not an export file of WordPress")
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

/// Opens a file. One in another encoding than UTF-8 is converted in memory.
fn open(file: &Path) -> Result<Reader<Box<dyn BufRead>>, Problem> {
    let failed = |error: std::io::Error| {
        invalid(file, format!("the export file could not be read ({})", generator::files::reason(&error)))
    };
    let mut bytes = File::open(file).map_err(failed)?;
    let mut head = [0; 200];
    let length = bytes.read(&mut head).map_err(failed)?;
    let head = &head[..length];
    bytes.rewind().map_err(failed)?;
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return Err(invalid(file, "it is in UTF-16").hint("save it as UTF-8"));
    }
    let declaration = String::from_utf8_lossy(head);
    let declaration = declaration.trim_start_matches('\u{feff}').split("?>").next().unwrap_or_default();
    let encoding = declaration
        .split("encoding=")
        .nth(1)
        .and_then(|rest| rest.trim_start_matches(['"', '\'']).split(['"', '\'']).next());
    let input: Box<dyn BufRead> = match encoding.map(str::to_ascii_lowercase).as_deref() {
        None | Some("utf-8" | "utf8" | "us-ascii") => Box::new(BufReader::with_capacity(1 << 16, bytes)),
        Some("iso-8859-1" | "latin1" | "latin-1" | "windows-1252") => {
            let mut all = Vec::new();
            bytes.read_to_end(&mut all).map_err(failed)?;
            // In the range of both encodings that texts use, a byte is its character.
            let text: String = all.into_iter().map(char::from).collect();
            Box::new(std::io::Cursor::new(text.into_bytes()))
        }
        Some(other) => {
            return Err(invalid(file, format!("its encoding `{other}` is unknown")).hint("save it as UTF-8"));
        }
    };
    let mut reader = Reader::from_reader(input);
    reader.config_mut().check_end_names = false;
    Ok(reader)
}

/// What a file consists of.
enum Part<'a> {
    /// A field of the site, by its name.
    Channel(&'a str, String),
    Author(String, SourceAuthor),
    Term(Term),
    Item(Box<Item>),
}

/// The fields of an element that is being read, by name.
type Fields = Vec<(String, String)>;

fn field(fields: &Fields, name: &str) -> String {
    fields.iter().find(|(own, _)| own == name).map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
}

/// Reads a file to its end. A file that was cut off is refused as a whole.
fn walk(reader: &mut Reader<Box<dyn BufRead>>, file: &Path, part: &mut dyn FnMut(Part)) -> Result<(), Problem> {
    let mut buffer = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let (mut text, mut ended) = (String::new(), false);
    let mut item: Option<Box<Item>> = None;
    let mut fields: Fields = Vec::new();
    let mut category = (String::new(), String::new());
    let mut last = String::from("its beginning");
    loop {
        let event = reader.read_event_into(&mut buffer);
        let event = event.map_err(|error| cut_off(file, &last, &error.to_string()))?;
        match event {
            Event::Start(start) => {
                let name = start.name().as_ref().to_owned();
                match (path.len(), name.as_str()) {
                    (2, "item") => item = Some(Box::default()),
                    (2, "wp:author" | "wp:category" | "wp:tag" | "wp:term") | (3, "wp:postmeta" | "wp:comment") => {
                        fields.clear();
                    }
                    (3, "category") => category = (attribute(&start, "domain"), attribute(&start, "nicename")),
                    _ => {}
                }
                path.push(name);
                text.clear();
            }
            Event::Text(more) => text.push_str(&more),
            Event::CData(more) => text.push_str(&more),
            Event::GeneralRef(name) => {
                let name = name.to_string();
                match reference(&name) {
                    Some(own) => text.push_str(&own),
                    None => text.extend(["&", &name, ";"]),
                }
            }
            Event::End(_) => {
                let Some(name) = path.pop() else { continue };
                let value = std::mem::take(&mut text);
                match (path.len(), item.as_mut()) {
                    (2, None) if matches!(name.as_str(), "wp:author" | "wp:category" | "wp:tag" | "wp:term") => {
                        group(&name, &fields, part);
                    }
                    (2, None) => part(Part::Channel(&name, value.trim().to_owned())),
                    (2, Some(_)) if name == "item" => {
                        if let Some(item) = item.take() {
                            last = format!("the item {} (`{}`)", item.post.number, item.post.slug);
                            part(Part::Item(item));
                        }
                    }
                    (3, Some(item)) => match name.as_str() {
                        "wp:postmeta" => {
                            item.meta.push((field(&fields, "wp:meta_key"), field(&fields, "wp:meta_value")));
                        }
                        "wp:comment" => item.text.comments.extend(comment(&fields)),
                        "category" => term_of(item, &category, value.trim()),
                        name => item_field(item, name, value),
                    },
                    (3, None) | (4, Some(_)) => fields.push((name, value)),
                    _ => {}
                }
                ended |= path.is_empty();
            }
            Event::Eof if ended => return Ok(()),
            Event::Eof => return Err(cut_off(file, &last, "the file ends in the middle")),
            _ => {}
        }
        buffer.clear();
    }
}

fn cut_off(file: &Path, last: &str, why: &str) -> Problem {
    invalid(file, format!("the export file is damaged after {last}: {why}"))
        .hint("export it again; nothing of it was imported")
}

fn attribute(start: &BytesStart, name: &str) -> String {
    let found = start.attributes().with_checks(false).flatten().find(|attribute| attribute.key.as_ref() == name);
    let Some(found) = found else { return String::new() };
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
    match name {
        "wp:author" => {
            let login = field(fields, "wp:author_login");
            let written = field(fields, "wp:author_display_name");
            let both = format!("{} {}", field(fields, "wp:author_first_name"), field(fields, "wp:author_last_name"));
            let name = [written, both.trim().to_owned(), login.clone()]
                .into_iter()
                .find(|name| !name.is_empty())
                .unwrap_or_default();
            if !login.is_empty() {
                let number = field(fields, "wp:author_id").parse().unwrap_or_default();
                part(Part::Author(
                    login.clone(),
                    SourceAuthor { number, slug: login, name, ..SourceAuthor::default() },
                ));
            }
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
        parent: field(fields, "wp:comment_parent").parse().unwrap_or_default(),
        author: field(fields, "wp:comment_author"),
        date: field(fields, "wp:comment_date"),
        text: field(fields, "wp:comment_content"),
    })
}

/// A tag, a category or the language of an item.
fn term_of(item: &mut Item, (domain, slug): &(String, String), name: &str) {
    let kind = match domain.as_str() {
        "category" => TermKind::Category,
        "post_tag" | "tag" => TermKind::Tag,
        "language" => {
            item.post.language = Some(slug.clone());
            return;
        }
        "post_translations" => {
            item.post.translations = Some(slug.clone());
            return;
        }
        // WXR 1.0 has every term twice, the first time without a domain.
        _ => return,
    };
    if slug.is_empty() || name.is_empty() {
        return;
    }
    let term = Term { kind, slug: slug.clone(), name: name.to_owned(), ..Term::default() };
    if !item.post.tags.contains(&term) {
        item.post.tags.push(term);
    }
}

fn item_field(item: &mut Item, name: &str, value: String) {
    let trimmed = || value.trim().to_owned();
    match name {
        "title" => item.post.title = trimmed(),
        "link" => item.post.link = trimmed(),
        "guid" => item.guid = trimmed(),
        "dc:creator" => item.post.author = trimmed(),
        "content:encoded" => item.text.content = value,
        "excerpt:encoded" => item.text.excerpt = value,
        "wp:post_id" => item.post.number = trimmed().parse().unwrap_or_default(),
        "wp:post_date" => item.post.date = trimmed(),
        "wp:post_date_gmt" => item.post.date_utc = trimmed(),
        "wp:post_modified" => item.post.modified = trimmed(),
        "wp:post_name" => item.post.slug = trimmed(),
        "wp:status" => item.status = trimmed(),
        "wp:post_parent" => item.parent = trimmed().parse().unwrap_or_default(),
        "wp:post_type" => item.kind = trimmed(),
        "wp:post_password" => item.password = trimmed(),
        "wp:attachment_url" => item.attachment = trimmed(),
        _ => {}
    }
}

/// The names of a picture's smaller copies, from its metadata as PHP serializes them:
/// `…s:9:"thumbnail";a:5:{s:4:"file";s:16:"boat-150x150.png";…`. The picture itself has a path there, not a name.
fn copies(metadata: &str) -> Vec<String> {
    let values = metadata.split("s:4:\"file\";s:").skip(1);
    let names = values.filter_map(|rest| Some(rest.split_once(":\"")?.1.split_once('"')?.0));
    names.filter(|name| !name.contains('/')).map(str::to_owned).collect()
}

/// Adds an item to what is known of the site. Its text is dropped, unless other texts show it.
fn add(source: &mut Source, item: Item) {
    let Item { kind, status, password, guid, attachment, parent, mut post, text, meta } = item;
    let meta = |name: &'static str| meta.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str());
    match kind.as_str() {
        "attachment" => {
            let address = if attachment.is_empty() { guid } else { attachment };
            let alt = meta("_wp_attachment_image_alt").next().unwrap_or_default().to_owned();
            let copies = meta("_wp_attachment_metadata").flat_map(copies).collect();
            let (caption, link) = (text.excerpt, post.link);
            source.media.insert(post.number, Media { address, alt, caption, link, parent, copies });
        }
        "wp_block" => {
            source.reusable.insert(post.number, text.content);
        }
        "post" | "page" => {
            post.is_page = kind == "page";
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
                _ => {
                    *source.others.entry(format!("{kind} in the trash")).or_default() += 1;
                    return;
                }
            };
            post.picture = meta("_thumbnail_id").find_map(|number| number.parse().ok());
            post.old_slugs = meta("_wp_old_slug").map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect();
            post.footnotes = meta("footnotes").next().map(str::to_owned);
            if let Some(language) = meta("_wpml_import_language_code").next() {
                post.language = Some(language.to_owned());
                post.translations = meta("_wpml_import_translation_group").next().map(|group| format!("wpml-{group}"));
            }
            source.terms.extend(post.tags.iter().cloned());
            source.posts.push(post);
        }
        kind if INTERNAL.contains(&kind) || kind.is_empty() => {}
        kind => *source.others.entry(kind.to_owned()).or_default() += 1,
    }
}
