//! The fields of a post in an export file: what WordPress and its plugins keep beside the text.
//!
//! A field is used, counted because only programs read it, or given to the report with its value.

use std::collections::{BTreeMap, BTreeSet};

use super::source::SourcePost;

/// Fields with the description that search engines get, the most common plugin first.
const DESCRIPTIONS: [&str; 8] = [
    "_yoast_wpseo_metadesc",
    "rank_math_description",
    "_aioseo_description",
    "_aioseop_description",
    "_seopress_titles_desc",
    "_genesis_description",
    "advanced_seo_description",
    "_metaseo_metadesc",
];

/// Fields that only programs read. They hold numbers, names of templates, and copies of what is elsewhere.
const INTERNAL: [&str; 14] = [
    "_edit_last",
    "_edit_lock",
    "_encloseme",
    "_last_editor_used_jetpack",
    "_oembed_",
    "_pingme",
    "_wp_desired_post_slug",
    "_wp_old_date",
    "_wp_page_template",
    "_wp_trash_meta_",
    "_wpas_done_",
    "_wpas_skip_",
    "_yoast_wpseo_content_score",
    "_yoast_wpseo_linkdex",
];

/// Whether only programs read a field.
pub(super) fn is_internal(key: &str) -> bool {
    INTERNAL
        .iter()
        .any(|internal| match internal.strip_suffix('_') {
            Some(_) => key.starts_with(internal),
            None => key == *internal,
        })
}

/// Takes what a post can hold from its fields. The others stay in [`SourcePost::fields`].
pub(super) fn read(
    post: &mut SourcePost,
    meta: &[(String, String)],
    internal: &mut BTreeMap<String, usize>,
) {
    let mut old_slugs = BTreeSet::new();
    let descriptions = meta
        .iter()
        .filter(|(key, value)| DESCRIPTIONS.contains(&key.as_str()) && !is_empty(value))
        .filter(|(_, value)| !has_variables(value));
    post.description = descriptions
        .min_by_key(|(key, _)| DESCRIPTIONS.iter().position(|known| known == key))
        .map(|(_, value)| value.trim().to_owned());
    for (key, value) in meta {
        match key.as_str() {
            "_thumbnail_id" if post.picture.is_none() && value.parse::<u64>().is_ok() => {
                post.picture = value.parse().ok();
            }
            "_wp_old_slug" => drop(old_slugs.insert(value.clone())),
            "footnotes" if post.footnotes.is_none() => post.footnotes = Some(value.clone()),
            "_wpml_import_language_code" if !is_empty(value) => post.language = Some(value.clone()),
            "_wpml_import_translation_group" => post.translations = Some(format!("wpml-{value}")),
            "enclosure" => match value.lines().next().map(str::trim) {
                Some(address) if address.starts_with("http") => {
                    post.enclosures.push(address.to_owned());
                }
                _ => post.fields.push((key.clone(), value.clone())),
            },
            key if is_internal(key) || is_empty(value) => {
                *internal.entry(key.to_owned()).or_default() += 1;
            }
            _ if post.description.as_deref() == Some(value.trim()) => {}
            _ => post.fields.push((key.clone(), value.clone())),
        }
    }
    post.old_slugs = old_slugs.into_iter().collect();
}

/// Whether a plugin fills in parts of a description for each page: `%%sitename%%`, `%excerpt%`, `#post_title`.
fn has_variables(value: &str) -> bool {
    value.split_whitespace().any(|word| {
        let is_name = |name: &str| !name.is_empty() && name.chars().all(is_of_name);
        let is_of_yoast = word.matches('%').count() > 1 && word.split('%').skip(1).any(is_name);
        let is_of_aioseo = word
            .strip_prefix('#')
            .is_some_and(|name| name.contains('_') && is_name(name));
        is_of_yoast || is_of_aioseo
    })
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_lowercase() || matches!(c, '_' | '-' | '(' | ')')
}

/// Whether a value holds no text.
fn is_empty(value: &str) -> bool {
    matches!(value.trim(), "" | "0" | "a:0:{}" | "[]" | "{}" | "null")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_is_used_or_counted_or_reported() {
        let meta = [
            ("_aioseo_description", "#post_excerpt #separator_sa"),
            ("_seopress_titles_desc", "%%post_excerpt%% 5 % off"),
            ("rank_math_description", "Second"),
            ("_yoast_wpseo_metadesc", "First"),
            ("_edit_last", "1"),
            ("_oembed_0815", "<iframe>"),
            ("enclosure", "https://a.example/a.mp3\n123\naudio/mpeg"),
            ("price", "12 €"),
            ("_price", ""),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()));
        let (mut post, mut internal) = (SourcePost::default(), BTreeMap::new());
        read(&mut post, &meta, &mut internal);
        assert_eq!(post.description.as_deref(), Some("First"));
        assert_eq!(post.enclosures, ["https://a.example/a.mp3"]);
        let fields: Vec<&str> = post.fields.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(
            fields,
            [
                "_aioseo_description",
                "_seopress_titles_desc",
                "rank_math_description",
                "price"
            ]
        );
        assert_eq!(
            internal.into_keys().collect::<Vec<_>>(),
            ["_edit_last", "_oembed_0815", "_price"]
        );
    }
}
