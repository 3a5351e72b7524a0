//! Where names lead: hover, definition, references and links; what a rename is for an editor.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{
    DocumentChangeOperation, DocumentChanges, DocumentLink, Hover, HoverContents, Location,
    MarkupContent, MarkupKind, OneOf, OptionalVersionedTextDocumentIdentifier, RenameFile,
    ResourceOp, TextDocumentEdit, TextEdit, WorkspaceEdit,
};

use pulldown_cmark::{Event, Parser, Tag};

use content::blog::fields_of_sections;
use content::images;
use diagnostics::problem::Source;
use diagnostics::yaml::{self, Node, Value};
use json_schema::Expected;
use languages::typography::parts_of_post;
use workspace::files::{self, FileSet};

use super::analysis::{Findings, Index, Target};
use super::completion::{locale_of, target, yaml_lines};
use super::context;
use super::described::{Described, collection_of};
use super::entry_names;
use super::fixes;
use super::names::{self, Name, Occurrence, Writing};
use super::rename::{self, Edit};
use super::revision::Revision;
use super::text::Text;
use super::uri_of;

/// The information about the text at a byte offset: its problems, a page that it links to, or a key of YAML.
pub(super) fn hover(findings: &Findings, path: &Path, text: &Text, offset: usize) -> Option<Hover> {
    let index = &findings.index;
    let position = text.position(offset);
    let mut parts: Vec<String> = Vec::new();
    let mut range = None;
    for problem in findings.of(path) {
        let own = fixes::range(problem, text);
        if own.start <= position && position <= own.end && problem.place.is_some() {
            parts.push(format!(
                "**{}**: {}",
                problem.code.name(),
                problem.code.explanation()
            ));
            range = Some(own);
        }
    }
    if let Some((key, span)) = link_at(text, offset) {
        if let Some(target) = target(index, &key, locale_of(index, path).as_deref()) {
            parts.push(about(target));
            range = Some(text.range(span));
        }
    } else if let Some((lines, described)) = yaml_lines(text, path).zip(Described::of(index, path))
        && let Some(context) = context::at(text, lines, offset)
    {
        let (part, block) = described.at(&context).zip(context.blocks.last())?;
        let key = context.key.as_deref();
        let property = key.and_then(|key| described.property(part, block, key));
        if let Some(property) = property.filter(|_| context.at_key) {
            let meaning = property.simplest().meaning.unwrap_or_default();
            let values: Vec<String> = property
                .values()
                .into_iter()
                .map(|(value, meaning)| {
                    format!(
                        "- `{value}`{}{meaning}",
                        if meaning.is_empty() { "" } else { ": " }
                    )
                })
                .collect();
            parts.push(
                [meaning.to_owned(), values.join("\n")]
                    .join("\n\n")
                    .trim_end()
                    .to_owned(),
            );
            range = Some(text.range(context.span.clone()));
        } else if !context.at_key {
            let value = text
                .text
                .get(context.span.clone())
                .unwrap_or_default()
                .trim_matches(['"', '\'']);
            let color = index
                .tokens_of("color")
                .iter()
                .find(|(name, _)| name == value);
            let known = property.map(Expected::values).unwrap_or_default();
            let is_pattern = matches!(context.field(), Some("on_pages" | "not_on_pages"));
            let page =
                target(index, value, locale_of(index, path).as_deref()).filter(|_| is_pattern);
            if let Some(page) = page {
                parts.push(about(page));
            } else if let Some(meaning) = index.patterns.get(value).filter(|_| is_pattern) {
                parts.push(meaning.clone());
            } else if let Some((_, meaning)) = known
                .iter()
                .find(|(own, _)| own == value)
                .filter(|(_, text)| !text.is_empty())
            {
                parts.push(meaning.clone());
            } else if let Some((name, value)) = color.filter(|_| {
                matches!(
                    context.field(),
                    Some("color" | "ground" | "grounds" | "text")
                )
            }) {
                parts.push(format!("`--color-{name}`: `{value}`"));
            }
        }
    }
    let value = parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n---\n\n");
    if value.is_empty() {
        return None;
    }
    let contents = HoverContents::Markup(MarkupContent {
        kind: MarkupKind::Markdown,
        value,
    });
    Some(Hover { contents, range })
}

/// The information about a page.
fn about(page: &Target) -> String {
    format!(
        "**{}**\n\n`{}`\n\n{}",
        page.title, page.path, page.description
    )
}

/// Where the name at a byte offset leads to: the file of a page, a post or a study, the line of a token or a word, and
/// for a tag the posts that have it.
pub(super) fn definition(
    index: &Index,
    path: &Path,
    text: &Text,
    offset: usize,
    revision: &Arc<Revision>,
) -> Vec<Location> {
    if let Some((key, _)) = link_at(text, offset)
        && !key.starts_with("blog/tag/")
    {
        let locale = locale_of(index, path);
        let file = target(index, &key, locale.as_deref()).and_then(|target| target.file.clone());
        if let Some(file) = file {
            return at_start(&revision.files, &file).into_iter().collect();
        }
    }
    if let Some((workspace, all)) = revision.names_soon()
        && let Some(found) = all.at(path, offset)
    {
        let entry = match &found.name {
            Name::Entry { collection, key } => entry_names::file(workspace.site(), collection, key)
                .and_then(|file| at_start(&revision.files, &file)),
            _ => None,
        };
        let own: Vec<&Occurrence> = rename::places(&all, &found.name)
            .filter(|one| match &one.name {
                Name::Token { .. } | Name::Word(_) => one.declares,
                Name::Tag(_) => one.writing == Writing::Scalar,
                _ => false,
            })
            .collect();
        // Of the languages, that of this file.
        let here = own
            .iter()
            .position(|one| locale_of(index, &one.path) == locale_of(index, path));
        let own = match (&found.name, here) {
            (Name::Word(_), Some(here)) => own[here..=here].to_vec(),
            (Name::Word(_), None) => own.into_iter().take(1).collect(),
            _ => own,
        };
        let found: Vec<Location> = entry.into_iter().chain(locations(own)).collect();
        if !found.is_empty() {
            return found;
        }
    }
    let by_field = by_field(index, path, text, offset);
    by_field
        .or_else(|| {
            let (_, file) = pictures(index, path, text)
                .into_iter()
                .find(|(span, _)| span.contains(&offset))?;
            at_start(&index.root, &file)
        })
        .into_iter()
        .collect()
}

/// The file that a value leads to, by the key that it has.
fn by_field(index: &Index, path: &Path, text: &Text, offset: usize) -> Option<Location> {
    let lines = yaml_lines(text, path)?;
    let context = context::at(text, lines, offset)?;
    let value = text
        .text
        .get(context.span.clone())
        .filter(|_| !context.at_key)?
        .trim_matches(['"', '\'']);
    let content = index.root.join("content");
    if let Some(collection) =
        collection_of(&index.root, path).and_then(|name| index.collections.get(&name))
    {
        let field = context.field()?;
        let whole = &collection.contents.whole;
        if let Some(to) = whole.property(field).and_then(Expected::names_entries_of) {
            let file = index.collections.get(to)?.files.get(value)?;
            return at_start(&index.root, file);
        }
    }
    let file = match context.field()? {
        "like" => content.join(format!("pages/{value}/{}.yaml", locale_of(index, path)?)),
        "on_pages" | "not_on_pages" => target(index, value, locale_of(index, path).as_deref())?
            .file
            .clone()?,
        "kind" => index
            .root
            .join(format!("templates/sections/{value}/schema.yaml")),
        _ => return None,
    };
    at_start(&index.root, &file)
}

/// The pictures that a document names: the byte range of each name, and its file. In YAML it is a value, in the text of
/// a post the address of a picture.
fn pictures(index: &Index, path: &Path, text: &Text) -> Vec<(Range<usize>, PathBuf)> {
    let shown = files::shown(&index.root, path);
    let is_post = path.extension().is_some_and(|ending| ending == "md");
    if !is_post && path.extension().is_none_or(|ending| ending != "yaml") {
        return Vec::new();
    }
    let source = Source::new(shown.clone(), text.text.to_string());
    let (front, body) = if is_post {
        parts_of_post(&source.text)
    } else {
        (0..source.text.len(), 0..0)
    };
    let words = &source.text[body.clone()];
    let sections = fields_of_sections(words)
        .into_iter()
        .map(|span| body.start + span.start..body.start + span.end);
    let mut named: Vec<(Range<usize>, String)> = Vec::new();
    for part in std::iter::once(front)
        .chain(sections)
        .filter(|part| !part.is_empty())
    {
        if let Ok(tree) = yaml::parse(&source, part) {
            values(&tree, &mut named);
        }
    }
    for (event, range) in Parser::new(words).into_offset_iter() {
        let Event::Start(Tag::Image { dest_url, .. }) = event else {
            continue;
        };
        // The alternative text may hold the same words. The address of a reference lies elsewhere.
        let Some(at) = words[range.clone()].rfind(&*dest_url) else {
            continue;
        };
        let start = body.start + range.start + at;
        named.push((start..start + dest_url.len(), dest_url.into_string()));
    }
    named
        .into_iter()
        .filter_map(|(span, name)| Some((span, images::file_of(&index.root, &shown, &name)?)))
        .collect()
}

/// The texts in a tree, each with its byte range.
fn values(node: &Node, found: &mut Vec<(Range<usize>, String)>) {
    match &node.value {
        Value::Text(value) => found.push((
            node.span.start as usize..node.span.end as usize,
            value.clone(),
        )),
        Value::List(items) => items.iter().for_each(|item| values(item, found)),
        Value::Map(entries) => entries.iter().for_each(|(_, value)| values(value, found)),
        _ => {}
    }
}

/// The places of names, for editors.
pub(super) fn locations<'a>(all: impl IntoIterator<Item = &'a Occurrence>) -> Vec<Location> {
    all.into_iter()
        .filter_map(|one| {
            Some(Location {
                uri: uri_of(&one.path)?,
                range: one.range,
            })
        })
        .collect()
}

fn at_start(files: &FileSet, file: &Path) -> Option<Location> {
    Some(Location {
        uri: uri_of(file).filter(|_| files.exists(file))?,
        range: lsp_types::Range::default(),
    })
}

/// The key in a link at a byte offset, without its anchor, and its span: `about` of `page:about#team`.
fn link_at(text: &Text, offset: usize) -> Option<(String, Range<usize>)> {
    let position = text.position(offset);
    let line = text.line(position.line as usize);
    let start = text.start_of(position.line as usize);
    names::links(line)
        .map(|span| span.start + start..span.end + start)
        .find_map(|span| {
            let is_here = span.start.saturating_sub("page:".len()) <= offset && offset <= span.end;
            is_here.then(|| (text.text[span.clone()].to_owned(), span))
        })
}

/// A rename as editors apply it. The error says why this editor cannot.
pub(super) fn workspace_edit(
    root: &FileSet,
    edit: Edit,
    can_move: bool,
) -> Result<WorkspaceEdit, String> {
    if !can_move && !edit.moves.is_empty() {
        return Err("this rename includes files, which this editor cannot rename".to_owned());
    }
    let mut operations: Vec<DocumentChangeOperation> = Vec::new();
    // The protocol has a map from addresses, which do change while they are hashed: their text is compared.
    #[expect(clippy::mutable_key_type, reason = "the type is that of the protocol")]
    let mut changes = HashMap::new();
    for (path, edits) in edit.texts {
        let Ok(source) = root.read_text(&path) else {
            continue;
        };
        let Some(uri) = uri_of(&path) else { continue };
        let text = Text::new(source.text.as_str());
        let edits: Vec<TextEdit> = edits
            .into_iter()
            .map(|(span, new_text)| TextEdit {
                range: text.range(span),
                new_text,
            })
            .collect();
        if can_move {
            let text_document = OptionalVersionedTextDocumentIdentifier { uri, version: None };
            let edits = edits.into_iter().map(OneOf::Left).collect();
            operations.push(DocumentChangeOperation::Edit(TextDocumentEdit {
                text_document,
                edits,
            }));
        } else {
            changes.insert(uri, edits);
        }
    }
    for (old, new) in &edit.moves {
        let uris = uri_of(old).zip(uri_of(new));
        let (old_uri, new_uri) = uris.ok_or_else(|| "the file has no URL".to_owned())?;
        let file = RenameFile {
            old_uri,
            new_uri,
            options: None,
            annotation_id: None,
        };
        operations.push(DocumentChangeOperation::Op(ResourceOp::Rename(file)));
    }
    Ok(if can_move {
        WorkspaceEdit {
            document_changes: Some(DocumentChanges::Operations(operations)),
            ..WorkspaceEdit::default()
        }
    } else {
        WorkspaceEdit {
            changes: Some(changes),
            ..WorkspaceEdit::default()
        }
    })
}

/// The links of a document that an editor can follow: to the files of pages, of pictures, and to other sites.
pub(super) fn document_links(index: &Index, path: &Path, text: &Text) -> Vec<DocumentLink> {
    let locale = locale_of(index, path);
    let mut found: Vec<DocumentLink> = Vec::new();
    let mut add = |span: Range<usize>, target: Option<lsp_types::Uri>, tooltip: Option<String>| {
        if target.is_some() {
            found.push(DocumentLink {
                range: text.range(span),
                target,
                tooltip,
                data: None,
            });
        }
    };
    let written = &*text.text;
    for span in names::links(written) {
        let Some(page) = target(index, &written[span.clone()], locale.as_deref()) else {
            continue;
        };
        let file = page.file.as_deref().and_then(uri_of);
        add(
            span.start - "page:".len()..span.end,
            file,
            Some(page.path.clone()),
        );
    }
    for (start, _) in written
        .match_indices("https://")
        .chain(written.match_indices("http://"))
    {
        let end = written[start..].find(|c: char| c.is_whitespace() || "\"'<>`){}]|\\".contains(c));
        let end = end.map_or(written.len(), |end| start + end);
        let address = written[start..end].trim_end_matches(['.', ',', ';', ':', '!', '?']);
        let is_whole = address
            .split_once("://")
            .is_some_and(|(_, host)| host.contains('.'));
        let uri = std::str::FromStr::from_str(address)
            .ok()
            .filter(|_| is_whole);
        add(start..start + address.len(), uri, None);
    }
    for (span, file) in pictures(index, path, text) {
        add(span, uri_of(&file), None);
    }
    found.sort_by_key(|link| link.range.start);
    found
}
