//! Posts as the API answers with them: texts, addresses and pictures as they are published.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::model::blog::tag_slug;
use crate::model::{BlogPage, Body, Page};
use crate::render::Parts;
use crate::render::context::Values;
use crate::wire::posts::Post;

use super::answer::answer;

/// The posts of a language, in the order of its list.
#[derive(Debug)]
pub struct LanguagePosts {
    /// Its code.
    pub locale: String,
    /// Its BCP 47 tag.
    pub language: String,
    /// Names of all its tags.
    pub categories: Vec<String>,
    /// Each post, text included, with the slugs of its tags.
    pub posts: Vec<(Post, Vec<String>)>,
}

/// The posts of all languages, in the order of the settings.
pub fn posts(parts: &Parts) -> Vec<LanguagePosts> {
    let site = parts.site;
    let pages: BTreeMap<(&str, usize), &Page> = site
        .pages
        .iter()
        .filter_map(|page| match page.body {
            Body::Blog(BlogPage::Post(index)) => Some(((page.locale.as_str(), index), page)),
            _ => None,
        })
        .collect();
    site.locales
        .iter()
        .enumerate()
        .map(|(locale, about)| {
            let language = site.blog.languages.get(&about.code);
            let places = language.map_or(&[] as &[usize], |language| &language.posts);
            let post = |index: &usize| {
                let page = pages.get(&(about.code.as_str(), *index))?;
                let values =
                    Values { config: parts.config, site, routes: parts.routes, manifest: parts.manifest, locale, page };
                Some((post(&values, *index), site.blog.post(*index).tags.iter().map(|tag| tag_slug(tag)).collect()))
            };
            LanguagePosts {
                locale: about.code.clone(),
                language: about.language.clone(),
                categories: language.into_iter().flat_map(|own| &own.tags).map(|tag| tag.name.clone()).collect(),
                posts: places.par_iter().filter_map(post).collect(),
            }
        })
        .collect()
}

fn post(values: &Values, index: usize) -> Post {
    Post { content: values.html(&values.site.blog.post(index).body), ..answer(values, index) }
}
