//! Where names lead: hover, definition, references and rename; the outline and the colors of a document.

use std::ops::Range;
use std::path::{Path, PathBuf};

use lsp_types::{
    Color, ColorInformation, DocumentChangeOperation, DocumentChanges, DocumentSymbol, Hover, HoverContents, Location,
    MarkupContent, MarkupKind, OneOf, OptionalVersionedTextDocumentIdentifier, RenameFile, ResourceOp, SymbolKind,
    TextDocumentEdit, TextEdit, WorkspaceEdit,
};
use rayon::prelude::*;

use crate::content_types::Slug;
use crate::files;

use super::analysis::{Findings, Index};
use super::completion::{locale_of, target, yaml_lines};
use super::context;
use super::described::Described;
use super::fixes;
use super::text::Text;
use super::uri_of;

/// What is said about the text at a byte offset: its problems, a page that it leads to, or a key of YAML.
pub(super) fn hover(findings: &Findings, (path, text): (&Path, &Text), offset: usize) -> Option<Hover> {
    let index = &findings.index;
    let position = text.position(offset);
    let mut parts: Vec<String> = Vec::new();
    let mut range = None;
    for problem in findings.of(path) {
        let own = fixes::range(problem, text);
        if own.start <= position && position <= own.end && problem.place.is_some() {
            parts.push(format!("**{}**: {}", problem.code.name(), problem.code.explanation()));
            range = Some(own);
        }
    }
    if let Some((key, span)) = link_at(text, offset) {
        if let Some(target) = target(index, &key, locale_of(index, path).as_deref()) {
            parts.push(format!("**{}**\n\n`{}`\n\n{}", target.title, target.path, target.description));
            range = Some(text.range(span));
        }
    } else if let Some((lines, described)) = yaml_lines(text, path).zip(Described::of(index, path)) {
        let context = context::at(text, lines, offset);
        let (schema, block) = described.at(&context).zip(context.blocks.last())?;
        let key = context.key.as_deref();
        let property = key.and_then(|key| described.property(schema, block, key));
        if let Some(property) = property.filter(|_| context.at_key) {
            let meaning = described.meaning(property);
            let values: Vec<String> = described
                .values(property)
                .into_iter()
                .map(|(value, meaning)| format!("- `{value}`{}{meaning}", if meaning.is_empty() { "" } else { ": " }))
                .collect();
            parts.push([meaning.to_owned(), values.join("\n")].join("\n\n").trim_end().to_owned());
            range = Some(text.range(context.span.clone()));
        } else if !context.at_key {
            let value = text.text.get(context.span.clone()).unwrap_or_default().trim_matches(['"', '\'']);
            let color = index.colors.iter().find(|(name, _)| name == value);
            let known = property.map(|property| described.values(property)).unwrap_or_default();
            if let Some((_, meaning)) = known.iter().find(|(own, _)| own == value).filter(|(_, text)| !text.is_empty())
            {
                parts.push((*meaning).to_owned());
            } else if let Some((name, value)) = color.filter(|_| matches!(key, Some("color" | "ground" | "text"))) {
                parts.push(format!("`--color-{name}`: `{value}`"));
            }
        }
    }
    let value = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n---\n\n");
    if value.is_empty() {
        return None;
    }
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range })
}

/// The file that the name at a byte offset leads to.
pub(super) fn definition(index: &Index, (path, text): (&Path, &Text), offset: usize) -> Option<Location> {
    if let Some((key, _)) = link_at(text, offset) {
        let target = target(index, &key, locale_of(index, path).as_deref())?;
        let file = target.file.clone()?;
        return at_start(&file);
    }
    let lines = yaml_lines(text, path)?;
    let context = context::at(text, lines, offset);
    let value = text.text.get(context.span.clone()).filter(|_| !context.at_key)?.trim_matches(['"', '\'']);
    let content = index.root.join("content");
    let file = match context.field()? {
        "author" => content.join(format!("authors/{value}.yaml")),
        "study" => content.join(format!("case-studies/{value}.yaml")),
        "like" => content.join(format!("pages/{value}/{}.yaml", locale_of(index, path)?)),
        "client" | "logos" => content.join("clients.yaml"),
        "services" | "technologies" | "sectors" => content.join("case-studies.yaml"),
        "color" | "ground" => content.join("design.yaml"),
        "kind" => index.root.join(format!("templates/sections/{value}/schema.yaml")),
        "src" | "avatar" => {
            let beside = path.with_file_name(value);
            if beside.exists() { beside } else { content.join("images").join(value) }
        }
        _ => return None,
    };
    at_start(&file)
}

fn at_start(file: &Path) -> Option<Location> {
    Some(Location { uri: uri_of(file).filter(|_| file.exists())?, range: lsp_types::Range::default() })
}

/// The key in a link at a byte offset, without its anchor, and its span: `about` of `page:about#team`.
fn link_at(text: &Text, offset: usize) -> Option<(String, Range<usize>)> {
    let position = text.position(offset);
    let line = text.line(position.line as usize);
    let start = text.start_of(position.line as usize);
    links(line).map(|span| span.start + start..span.end + start).find_map(|span| {
        let is_here = span.start.saturating_sub("page:".len()) <= offset && offset <= span.end;
        is_here.then(|| (text.text[span.clone()].to_owned(), span))
    })
}

/// The spans of the keys in the links of a text.
fn links(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices("page:").filter_map(|(at, mark)| {
        let is_word = text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let start = at + mark.len();
        let rest = &text[start..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '/'))).unwrap_or(rest.len());
        (end > 0 && !is_word).then_some(start..start + end)
    })
}

/// The key of the page at a byte offset, and its span: of a link, or of the page whose file this is.
pub(super) fn key_at(index: &Index, (path, text): (&Path, &Text), offset: usize) -> Option<(String, Range<usize>)> {
    link_at(text, offset).or_else(|| {
        let shown = files::shown(&index.root, path);
        let key = shown.strip_prefix("content/pages/")?.split('/').next()?.to_owned();
        let line = text.position(offset).line as usize;
        let value = text.line(line).strip_prefix("path:")?;
        let start = text.start_of(line) + "path:".len() + value.len() - value.trim_start().len();
        Some((key, start..start + value.trim().len()))
    })
}

/// All links to a page, in all files.
pub(super) fn references(root: &Path, key: &str) -> Vec<Location> {
    let found = uses(root, key).into_iter().filter_map(|(path, text, spans)| {
        let uri = uri_of(&path)?;
        Some(
            spans
                .into_iter()
                .map(move |span| Location { uri: uri.clone(), range: text.range(span) })
                .collect::<Vec<_>>(),
        )
    });
    found.flatten().collect()
}

/// The files with links to a page, and the spans of its key in them.
fn uses(root: &Path, key: &str) -> Vec<(PathBuf, Text, Vec<Range<usize>>)> {
    let (paths, _) = files::list(root, &root.join("content"));
    let (templates, _) = files::list(root, &root.join("templates"));
    let is_text = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "yaml" || ending == "md");
    let paths: Vec<PathBuf> = paths.into_iter().chain(templates).filter(is_text).collect();
    let read = |path: PathBuf| {
        let source = files::read_text(root, &path).ok()?;
        let spans: Vec<_> = links(&source.text).filter(|span| source.text[span.clone()] == *key).collect();
        (!spans.is_empty()).then(|| (path, Text::new(source.text.as_str()), spans))
    };
    paths.into_par_iter().filter_map(read).collect()
}

/// Whether a key is that of a folder of `content/pages/`, and not of a post or a study.
pub(super) fn can_rename(key: &str) -> bool {
    !key.contains('/')
}

/// Renames the folder of a page, and its key in all links. Its addresses stay.
pub(super) fn rename(root: &Path, index: &Index, key: &str, new: &str) -> Result<WorkspaceEdit, String> {
    let new = new.strip_prefix("page:").unwrap_or(new);
    let folder = |key: &str| root.join("content/pages").join(key);
    if !can_rename(key) || !folder(key).is_dir() {
        return Err(format!("`{key}` is not the key of a folder in `content/pages/`"));
    }
    if !Slug::is(new) {
        return Err(format!("`{new}` is not a key: write lowercase letters, digits and hyphens"));
    }
    if folder(new).exists() || index.targets.iter().any(|target| target.key == new) {
        return Err(format!("there is a page `{new}` already"));
    }
    let mut operations: Vec<DocumentChangeOperation> = Vec::new();
    let edit = |text: &Text, span| OneOf::Left(TextEdit { range: text.range(span), new_text: new.to_owned() });
    for (path, text, spans) in uses(root, key) {
        let edits = spans.into_iter().map(|span| edit(&text, span)).collect();
        let Some(uri) = uri_of(&path) else { continue };
        let text_document = OptionalVersionedTextDocumentIdentifier { uri, version: None };
        operations.push(DocumentChangeOperation::Edit(TextDocumentEdit { text_document, edits }));
    }
    // Pages that are like this one name its key alone.
    for path in files::list(root, &root.join("content/pages")).0 {
        let Ok(source) = files::read_text(root, &path) else { continue };
        let text = Text::new(source.text.as_str());
        let line =
            (0..text.len()).find(|line| text.line(*line).strip_prefix("like:").is_some_and(|own| own.trim() == key));
        if let (Some(line), Some(uri)) = (line, uri_of(&path)) {
            let end = text.start_of(line) + text.line(line).trim_end().len();
            let text_document = OptionalVersionedTextDocumentIdentifier { uri, version: None };
            let edits = vec![edit(&text, end - key.len()..end)];
            operations.push(DocumentChangeOperation::Edit(TextDocumentEdit { text_document, edits }));
        }
    }
    let uris = uri_of(&folder(key)).zip(uri_of(&folder(new)));
    let (old_uri, new_uri) = uris.ok_or_else(|| "the folder has no address".to_owned())?;
    let file = RenameFile { old_uri, new_uri, options: None, annotation_id: None };
    operations.push(DocumentChangeOperation::Op(ResourceOp::Rename(file)));
    Ok(WorkspaceEdit { document_changes: Some(DocumentChanges::Operations(operations)), ..WorkspaceEdit::default() })
}

/// The outline of a document: the headings of a post, or the keys and sections of a page.
pub(super) fn symbols(path: &Path, text: &Text) -> Vec<DocumentSymbol> {
    let is_post = path.extension().is_some_and(|ending| ending == "md");
    let mut found: Vec<(usize, usize, String, SymbolKind)> = Vec::new();
    let mut in_code = false;
    for line in 0..text.len() {
        let written = text.line(line);
        in_code ^= is_post && written.trim_start().starts_with("```");
        let hashes = written.len() - written.trim_start_matches('#').len();
        if is_post && !in_code && hashes > 0 && written[hashes..].starts_with(' ') {
            found.push((line, hashes, written[hashes..].trim().to_owned(), SymbolKind::STRING));
        } else if !is_post {
            let indent = written.len() - written.trim_start().len();
            let item = written.trim_start();
            if let Some((key, value)) = item.split_once(':').filter(|(key, _)| indent == 0 && !key.starts_with('#')) {
                let kind = if value.trim().is_empty() { SymbolKind::NAMESPACE } else { SymbolKind::PROPERTY };
                found.push((line, 1, key.to_owned(), kind));
            } else if let Some(kind) = item.strip_prefix("- kind: ") {
                found.push((line, 2, kind.to_owned(), SymbolKind::CLASS));
            }
        }
    }
    let starts: Vec<(usize, usize)> = found.iter().map(|(line, level, ..)| (*line, *level)).collect();
    let mut roots: Vec<DocumentSymbol> = Vec::new();
    for (at, (line, level, name, kind)) in found.into_iter().enumerate() {
        let next = starts[at + 1..].iter().find(|(_, other)| *other <= level).map_or(text.len(), |(line, _)| *line);
        let last = next.saturating_sub(1).max(line);
        let start = text.start_of(line);
        let symbol = symbol(name, kind, text, (start..text.start_of(last) + text.line(last).len(), line));
        add(&mut roots, symbol, level);
    }
    roots
}

/// Adds a symbol to the last one that contains it, at most `level` - 1 levels deep.
fn add(list: &mut Vec<DocumentSymbol>, symbol: DocumentSymbol, level: usize) {
    match list.last_mut().filter(|parent| level > 1 && parent.range.end >= symbol.range.end) {
        Some(parent) => add(parent.children.get_or_insert_default(), symbol, level - 1),
        None => list.push(symbol),
    }
}

fn symbol(name: String, kind: SymbolKind, text: &Text, (span, line): (Range<usize>, usize)) -> DocumentSymbol {
    let selection = text.start_of(line)..text.start_of(line) + text.line(line).len();
    #[expect(deprecated, reason = "a field of the type that must be given")]
    DocumentSymbol {
        // Editors refuse an empty name.
        name: if name.is_empty() { "…".to_owned() } else { name },
        detail: None,
        kind,
        tags: None,
        deprecated: None,
        range: text.range(span),
        selection_range: text.range(selection),
        children: None,
    }
}

/// The colors that are written in the design tokens.
pub(super) fn colors(path: &Path, text: &Text) -> Vec<ColorInformation> {
    if path.file_name().is_none_or(|name| name != "design.yaml") {
        return Vec::new();
    }
    let written = text.text.match_indices('#').filter_map(|(at, _)| {
        let rest = &text.text[at + 1..];
        let length = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        let digits = &rest[..length];
        let channel = |at: usize| -> Option<f32> {
            let pair =
                if length <= 4 { digits.get(at..=at)?.repeat(2) } else { digits.get(2 * at..2 * at + 2)?.to_owned() };
            Some(f32::from(u8::from_str_radix(&pair, 16).ok()?) / 255.0)
        };
        let alpha = if matches!(length, 4 | 8) { channel(3)? } else { 1.0 };
        let color = Color { red: channel(0)?, green: channel(1)?, blue: channel(2)?, alpha };
        let range = text.range(at..at + 1 + length);
        matches!(length, 3 | 4 | 6 | 8).then_some(ColorInformation { range, color })
    });
    written.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_with_their_keys() {
        let keys = |text: &str| links(text).map(|span| text[span].to_owned()).collect::<Vec<_>>();
        assert_eq!(keys("to: page:about#team, [a](page:blog/x) homepage:no page: x"), ["about", "blog/x"]);
    }

    #[test]
    fn sections_are_below_their_list() {
        let text = Text::new("title: A\nsections:\n  - kind: hero\n    title: B\n  - kind: faq\n");
        let found = symbols(Path::new("a.yaml"), &text);
        let names = |list: &[DocumentSymbol]| list.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&found), ["title", "sections"]);
        assert_eq!(names(found[1].children.as_ref().expect("sections")), ["hero", "faq"]);
        let text = Text::new("# A\n\n```sh\n# no\n```\n\n## B\n\n# C\n");
        let found = symbols(Path::new("a.md"), &text);
        assert_eq!(names(&found), ["A", "C"]);
        assert_eq!(names(found[0].children.as_ref().expect("headings")), ["B"]);
    }

    #[test]
    fn colors_of_tokens_are_shown() {
        let text = Text::new("color:\n  ink: \"#0E1412\"\n  line: \"#0E141280\"\n  # Not one\n");
        let found = colors(Path::new("content/design.yaml"), &text);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].range.start, lsp_types::Position { line: 1, character: 8 });
        assert!((found[1].color.alpha - 128.0 / 255.0).abs() < 1e-6);
        assert!(colors(Path::new("content/site.yaml"), &text).is_empty());
    }
}
