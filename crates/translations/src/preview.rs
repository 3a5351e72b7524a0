//! Which translations are out of date, page by page, for the preview.

use std::collections::{BTreeMap, BTreeSet};

use config::Config;
use content::Content;
use content::blog::Post;
use diagnostics::problem::Problem;
use workspace::files::{self, FileSet};
use workspace::parallel;

use super::{Item, LanguageComparison, State, is_compared, items, read_lock};

/// The translations of a site, to ask about one page at a time.
#[derive(Debug, Default)]
pub struct PageTranslations {
    root: FileSet,
    locales: Vec<String>,
    items: BTreeMap<String, Item>,
    /// By address: the keys of the items that are shown there, and the language of the page.
    pages: BTreeMap<String, (Vec<String>, String)>,
}

impl PageTranslations {
    /// The translations of pages, each given by its address, its key with those of the sections that it shares with others, and
    /// its language. Empty if the site does not compare
    /// translations.
    pub fn new<'a>(
        config: &Config,
        content: &Content,
        posts: &[Box<Post>],
        pages: impl Iterator<Item = (&'a str, Vec<&'a str>, &'a str)>,
    ) -> PageTranslations {
        let root = &config.paths.root;
        if !is_compared(config) {
            return PageTranslations::default();
        }
        let locales: Vec<String> = config
            .site
            .locales
            .iter()
            .map(|code| code.value.clone())
            .collect();
        let codes: Vec<&str> = locales.iter().map(String::as_str).collect();
        let items = items(root, content, posts, &codes)
            .into_iter()
            .map(|item| (item.key.clone(), item));
        let items: BTreeMap<String, Item> = items.collect();
        let form = config
            .site
            .leads
            .form
            .as_ref()
            .map(|form| form.value.as_str());
        let lead_form = content
            .forms
            .list
            .iter()
            .find(|form| form.form.call.is_some());
        let lead_form = lead_form.map(|form| format!("forms/{}", form.name));
        let pages = pages
            .map(|(address, keys, locale)| {
                let of_form = lead_form
                    .clone()
                    .filter(|_| form.is_some_and(|form| keys.first() == Some(&form)));
                // The words of the interface are on every page.
                // The keys of posts and of entries are those of their pages.
                let keys = keys
                    .iter()
                    .map(|key| {
                        if items.contains_key(*key) {
                            (*key).to_owned()
                        } else {
                            format!("pages/{key}")
                        }
                    })
                    .chain(of_form)
                    .chain(["locales".to_owned()])
                    .collect();
                (address.to_owned(), (keys, locale.to_owned()))
            })
            .collect();
        PageTranslations {
            root: root.clone(),
            locales,
            items,
            pages,
        }
    }

    /// The files whose words are older than those that they translate.
    pub fn stale_files(&self) -> BTreeSet<String> {
        let (lock, _) = read_lock(&self.root);
        let locales: Vec<&str> = self.locales.iter().map(String::as_str).collect();
        let comparison = LanguageComparison {
            root: &self.root,
            content: None,
            locales: &locales,
            known: &locales,
            lock: &lock,
        };
        let items: Vec<&Item> = self.items.values().collect();
        // Each item reads its files.
        let translations = parallel::map(&items, |item| comparison.item(item))
            .into_iter()
            .flatten();
        let present =
            translations.filter(|translation| !matches!(translation.state, State::Missing));
        present
            .filter_map(|translation| Some(translation.problem?.place?.path))
            .collect()
    }

    /// The warnings about the page at an address, from its files as they are now.
    pub fn stale(&self, address: &str) -> Vec<Problem> {
        let Some((keys, locale)) = self.pages.get(address) else {
            return Vec::new();
        };
        let (lock, _) = read_lock(&self.root);
        let locales: Vec<&str> = self.locales.iter().map(String::as_str).collect();
        let comparison = LanguageComparison {
            root: &self.root,
            content: None,
            locales: &locales,
            known: &locales,
            lock: &lock,
        };
        let mut found = Vec::new();
        for item in keys.iter().filter_map(|key| self.items.get(key)) {
            let own = item.files.iter().find(|(code, _)| code == locale);
            let own = own.map(|(_, file)| files::shown(&self.root, file));
            let problems = comparison
                .item(item)
                .into_iter()
                .filter_map(|translation| translation.problem);
            // A page that has changed does not say that the other one is out of date.
            found.extend(
                problems.filter(|problem| {
                    problem.place.as_ref().map(|place| &place.path) == own.as_ref()
                }),
            );
        }
        found
    }
}
