//! The completions at the cursor: keys and values by schema, and the names of everything that content refers to.

use std::path::Path;

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, InsertTextFormat,
    TextEdit,
};

use config::SiteSettings;
use content::pages::{PAGE_KEYS, SHARED_KEYS};
use json_schema::{Expected, Property};

use super::analysis::{Index, Target};
use super::context::{self, Context, Step};
use super::described::Described;
use super::text::Text;

/// A name that can be completed, and what it is.
type Name = (String, String);

/// The completions at a byte offset.
pub(super) fn complete(
    index: &Index,
    path: &Path,
    text: &Text,
    offset: usize,
) -> Vec<CompletionItem> {
    let before = before(text, offset);
    // `{product.` in any text, and `page:` in any text or link.
    if let Some(typed) = before.rsplit_once('{').map(|(_, typed)| typed)
        && typed
            .chars()
            .all(|c| c.is_ascii_lowercase() || matches!(c, '.' | '_'))
        && (before.matches('"').count() % 2 == 1
            || path.extension().is_some_and(|ending| ending == "md"))
    {
        let names = SiteSettings::PLACEHOLDERS
            .iter()
            .map(|name| ((*name).to_owned(), String::new()))
            .collect();
        return items(
            names,
            CompletionItemKind::CONSTANT,
            text,
            offset - typed.len()..offset,
        );
    }
    if let Some(typed) = property_before(before) {
        let names = index
            .tokens
            .iter()
            .flat_map(|(group, tokens)| {
                tokens
                    .iter()
                    .map(|(name, value)| (format!("--{group}-{name}"), value.clone()))
                    .collect::<Vec<_>>()
            })
            .collect();
        return items(
            names,
            CompletionItemKind::VARIABLE,
            text,
            offset - typed.len()..offset,
        );
    }
    if let Some(typed) = link_before(before) {
        return links(index, path, text, offset - typed.len()..offset, typed);
    }
    let Some((lines, described)) = yaml_lines(text, path).zip(Described::of(index, path)) else {
        return Vec::new();
    };
    if offset < text.start_of(lines.start) || text.position(offset).line as usize >= lines.end {
        return Vec::new();
    }
    let Some(context) = context::at(text, lines, offset) else {
        return Vec::new();
    };
    let keys = if context.at_key {
        keys(&described, &context, text)
    } else {
        Vec::new()
    };
    // A word in a list may be an item that is text, or the first key of a block.
    if !keys.is_empty() || context.at_key && context.path.last() != Some(&Step::Item) {
        return keys;
    }
    values(index, &described, &context, path, text)
}

/// The text of the line before the cursor.
fn before(text: &Text, offset: usize) -> &str {
    let start = text.start_of(text.position(offset).line as usize);
    text.text.get(start..offset).unwrap_or_default()
}

/// The lines of a document that are YAML: all, or those of the front matter.
pub(super) fn yaml_lines(text: &Text, path: &Path) -> Option<std::ops::Range<usize>> {
    match path.extension()?.to_str()? {
        "yaml" => Some(0..text.len()),
        "md" if text.line(0).trim_end() == "---" => {
            let end = (1..text.len()).find(|line| text.line(*line).trim_end() == "---");
            Some(1..end.unwrap_or(text.len()))
        }
        _ => None,
    }
}

/// The link that is typed before the cursor: `page:ab` of `to: page:ab`.
fn link_before(before: &str) -> Option<&str> {
    let start = before.rfind("page:")?;
    let typed = &before[start..];
    let is_link = typed
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, ':' | '/' | '-' | '_' | '#'));
    is_link.then_some(typed)
}

/// The custom property that is typed before the cursor: `--col` of `var(--col`.
fn property_before(before: &str) -> Option<&str> {
    let typed = &before[before.rfind("var(")? + "var(".len()..];
    let is_name = typed
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    is_name.then_some(typed)
}

fn links(
    index: &Index,
    path: &Path,
    text: &Text,
    span: std::ops::Range<usize>,
    typed: &str,
) -> Vec<CompletionItem> {
    let locale = locale_of(index, path);
    if let Some((link, _)) = typed.split_once('#') {
        let key = link.trim_start_matches("page:");
        let target = target(index, key, locale.as_deref());
        let anchors = target.iter().flat_map(|target| target.anchors.iter());
        let names = anchors
            .map(|anchor| (format!("{link}#{anchor}"), String::new()))
            .collect();
        return items(names, CompletionItemKind::REFERENCE, text, span);
    }
    let mut seen = std::collections::BTreeSet::new();
    let own = index
        .targets
        .iter()
        .filter(|target| {
            locale
                .as_ref()
                .is_none_or(|locale| *locale == target.locale)
        })
        .chain(index.targets.iter());
    let names = own
        .filter(|target| seen.insert(target.key.as_str()))
        .map(|target| {
            (
                format!("page:{}", target.key),
                format!("{} · {}", target.title, target.path),
            )
        });
    items(names.collect(), CompletionItemKind::FILE, text, span)
}

/// The page with a key, in a language if it has that one.
pub(super) fn target<'a>(index: &'a Index, key: &str, locale: Option<&str>) -> Option<&'a Target> {
    let all = || index.targets.iter().filter(|target| target.key == key);
    all()
        .find(|target| locale == Some(&target.locale))
        .or_else(|| all().next())
}

/// The language of a file, as its name or folder says.
pub(super) fn locale_of(index: &Index, path: &Path) -> Option<String> {
    let shown = workspace::files::shown(&index.root, path);
    let names = |part: &str, code: &str| part == code || part.strip_suffix(".yaml") == Some(code);
    let found = index
        .locales
        .iter()
        .find(|locale| shown.split('/').any(|part| names(part, &locale.code)));
    found.map(|locale| locale.code.clone())
}

fn keys(described: &Described, context: &Context, text: &Text) -> Vec<CompletionItem> {
    let Some((part, block)) = described.at(context).zip(context.blocks.last()) else {
        return Vec::new();
    };
    let is_free = |name: &str| !block.keys.iter().any(|key| key == name);
    let indent = " ".repeat(text.position(context.span.start).character as usize + 2);
    let mut found = Vec::new();
    let mut add = |name: String, property: &Property| {
        let after = after_key(&property.value, &indent);
        let meaning = property.value.simplest().meaning;
        let required = property.required && !described.file.is_part;
        let order = if required { "0" } else { "1" };
        found.push(CompletionItem {
            kind: Some(CompletionItemKind::PROPERTY),
            detail: required.then(|| "required".to_owned()),
            documentation: Some(Documentation::String(
                meaning.unwrap_or_default().to_owned(),
            )),
            sort_text: Some(format!("{order}{:03}", found.len())),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                range: text.range(context.span.clone()),
                new_text: if text.text[context.span.end..].starts_with(':') {
                    name.clone()
                } else {
                    format!("{name}:{after}")
                },
            })),
            insert_text_format: Some(InsertTextFormat::PLAIN_TEXT),
            label: name,
            ..CompletionItem::default()
        });
    };
    let is_shared = described.is_shared(context);
    let belongs = |name: &str| {
        !is_shared
            || !context.path.is_empty()
            || !PAGE_KEYS.contains(&name)
            || SHARED_KEYS.contains(&name)
    };
    let properties = part.of_kind(block.kind.as_deref()).properties();
    for property in properties
        .iter()
        .filter(|property| is_free(&property.name) && belongs(&property.name))
    {
        add(property.name.clone(), property);
    }
    if context.path.is_empty() {
        for (section, properties) in described.words() {
            for property in properties {
                let name = format!("{section}.{}", property.name);
                if is_free(&name)
                    && property.value.items().is_none()
                    && !property.value.can_be_block()
                {
                    add(name, property);
                }
            }
        }
    }
    found
}

/// The text between a key and its value.
fn after_key(value: &Expected, indent: &str) -> String {
    if value.items().is_some() {
        format!("\n{indent}- ")
    } else if value.can_be_block() {
        format!("\n{indent}")
    } else {
        " ".to_owned()
    }
}

fn values(
    index: &Index,
    described: &Described,
    context: &Context,
    path: &Path,
    text: &Text,
) -> Vec<CompletionItem> {
    let Some((part, block)) = described.at(context).zip(context.blocks.last()) else {
        return Vec::new();
    };
    let key = context.key.as_deref();
    let value = key.map_or(Some(part), |key| described.property(part, block, key));
    let span = context.span.clone();
    let allowed = value.map(Expected::values).unwrap_or_default();
    if !allowed.is_empty() {
        return items(allowed, CompletionItemKind::ENUM_MEMBER, text, span);
    }
    // The type of the field names a collection.
    let to = value.and_then(Expected::names_entries_of);
    if let Some(collection) = to.and_then(|to| index.collections.get(to)) {
        return items(
            collection.entries.clone(),
            CompletionItemKind::REFERENCE,
            text,
            span,
        );
    }
    let (kind, names) = match context.field().unwrap_or_default() {
        "to" | "link" | "live" => return links(index, path, text, span, "page:"),
        "tags" => (CompletionItemKind::VALUE, plain(&index.tags)),
        "src" | "avatar" => (CompletionItemKind::FILE, plain(index.pictures.iter())),
        // At the top of the settings, it is a file in `static/`.
        "icon" if context.path.is_empty() => return Vec::new(),
        "icon" | "icons" => (CompletionItemKind::VALUE, plain(index.icons.iter())),
        "text" if !path.ends_with("content/design.yaml") => return Vec::new(),
        "text" | "color" | "ground" | "grounds" => {
            (CompletionItemKind::COLOR, index.tokens_of("color").to_vec())
        }
        "font" => (CompletionItemKind::VALUE, index.tokens_of("font").to_vec()),
        "group" => (CompletionItemKind::VALUE, plain(index.tokens.keys())),
        "like" => {
            let own = index
                .targets
                .iter()
                .filter(|target| !target.key.contains('/'));
            let keys: std::collections::BTreeMap<_, _> =
                own.map(|target| (&target.key, &target.title)).collect();
            let names = keys
                .into_iter()
                .map(|(key, title)| (key.clone(), title.clone()));
            (CompletionItemKind::FILE, names.collect())
        }
        "on_pages" | "not_on_pages" => (
            CompletionItemKind::FILE,
            index
                .patterns
                .iter()
                .map(|(pattern, meaning)| (quoted(pattern), meaning.clone()))
                .collect(),
        ),
        _ => return Vec::new(),
    };
    items(names, kind, text, span)
}

/// Names without a meaning.
fn plain<'a>(names: impl IntoIterator<Item = &'a String>) -> Vec<Name> {
    names
        .into_iter()
        .map(|name| (name.clone(), String::new()))
        .collect()
}

/// A pattern as YAML writes it: a star at its beginning would be an alias.
fn quoted(pattern: &str) -> String {
    if pattern.starts_with('*') {
        format!("\"{pattern}\"")
    } else {
        pattern.to_owned()
    }
}

fn items(
    names: Vec<Name>,
    kind: CompletionItemKind,
    text: &Text,
    span: std::ops::Range<usize>,
) -> Vec<CompletionItem> {
    let range = text.range(span);
    names
        .into_iter()
        .map(|(name, detail)| CompletionItem {
            kind: Some(kind),
            detail: Some(detail).filter(|detail| !detail.is_empty()),
            // Editors would compare with a word, which ends at `:` or `/`.
            filter_text: Some(name.clone()),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                range,
                new_text: name.clone(),
            })),
            label: name,
            ..CompletionItem::default()
        })
        .collect()
}
