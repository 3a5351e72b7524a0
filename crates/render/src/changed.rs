//! Finds the pages that a change of posts or entries touches, without looking at the values of any other: those that say
//! something else themselves, and those that have asked for what has changed when they were rendered last.
//!
//! That is enough if nothing else of what pages consist of has changed: `shared` is all of it that posts and entries decide
//! together.

use std::fmt::Write as _;

use foldhash::HashSet;
use rayon::prelude::*;

use manifest::{ChangedItems, Impact, ItemHashes};
use site::model::{Body, Page};
use site::routes::{Route, file_of};
use workspace::sources::{Hash, hash, hash_value};

use super::Renderer;
use super::asked::recorded;
use super::own::{has_own, hash_sections_of};

impl Renderer<'_> {
    /// The outputs that changes of posts and entries touch since the last build, which was published and of which all files
    /// are there; everything, if more may have changed. The items are always compared, for the next build.
    pub fn impact_of_items(&self, is_nothing_else_changed: bool) -> Impact {
        let (site, collections) = (self.site, &self.site.collections);
        let posts = &site.blog.content;
        let hashes = || ItemHashes::of(posts, collections, &self.shared_by_items());
        let compared = self.render_cache.compare_items(hashes, posts, collections);
        let Some(changed) = compared.filter(|_| is_nothing_else_changed) else {
            return Impact::Everything;
        };
        let is_same: Vec<bool> = site
            .pages
            .par_iter()
            .map(|page| {
                let own = hash_value(&page.visible());
                self.render_cache.has_same(&file_of(&page.path), own)
            })
            .collect();
        // Breadcrumbs show the titles of the pages above.
        let others: HashSet<&str> = site
            .pages
            .iter()
            .zip(&is_same)
            .filter(|(_, is_same)| !**is_same)
            .map(|(page, _)| page.path.value.as_str())
            .collect();
        let touched = site
            .pages
            .par_iter()
            .zip(&is_same)
            .map(|(page, is_same)| {
                !is_same
                    || is_below(page, &others)
                    || shows_changed(page, &changed)
                    || self.render_cache.is_touched(&file_of(&page.path), &changed)
            })
            .collect::<Vec<bool>>();
        let pages = touched.iter().enumerate().filter(|(_, is)| **is);
        Impact::Items(pages.map(|(index, _)| index).collect())
    }

    /// The hashes of what posts and entries decide together.
    fn shared_by_items(&self) -> Vec<Hash> {
        let (site, manifest) = (self.site, self.manifest);
        let used: Vec<&String> = site.images.keys().collect();
        let colors: Vec<_> = manifest.styles.tokens("color").collect();
        let looks = hash_value(&(&manifest.images, used, colors, &self.drawings.icons));
        let frames = self.frames.iter().map(|frame| frame.fingerprint.all());
        let around = (0..site.locales.len()).filter_map(|locale| self.hash_around(locale));
        let closing = site.shared.iter().map(|page| {
            let values = self.values(page, site.locale_index(&page.locale));
            recorded(|| hash_sections_of(&values)).0
        });
        [self.addresses(), looks]
            .into_iter()
            .chain(frames)
            .chain(around)
            .chain(closing)
            .collect()
    }

    /// The hash of all addresses, and of the keys by which links find them.
    fn addresses(&self) -> Hash {
        let mut all = String::new();
        for page in &self.site.pages {
            all.extend([page.key.as_str(), " ", &page.locale, " ", &page.path.value]);
            all.extend(
                page.also_at
                    .iter()
                    .flat_map(|path| [" ", path.value.as_str()]),
            );
            // Writing to a text cannot fail.
            let _ = writeln!(
                all,
                " {} {} {}",
                page.noindex,
                page.is_fallback,
                page.status.number()
            );
        }
        for (path, route) in self.routes.iter() {
            match route {
                Route::Redirect { to } => all.extend([path, " ", to, "\n"]),
                Route::Static => all.extend([path, "\n"]),
                Route::Page { .. } => {}
            }
        }
        let others = (
            self.routes
                .queries()
                .map(|(address, to)| format!("{address:?} {to}"))
                .collect::<Vec<_>>(),
            self.routes.folders().collect::<Vec<_>>(),
            self.routes.gone().collect::<Vec<_>>(),
        );
        hash(&[hash(all.as_bytes()), hash_value(&others)].concat())
    }
}

/// Whether a page is below one of these URLs.
fn is_below(page: &Page, others: &HashSet<&str>) -> bool {
    let path = page.path.value.as_str();
    !others.is_empty()
        && path
            .match_indices('/')
            .any(|(at, _)| at + 1 < path.len() && others.contains(&path[..=at]))
}

/// Whether a page has to be looked at after these changes, whatever it has asked for: the page of a changed entry; a page whose
/// sections list changed entries or refer to some, because their pictures decide its style sheets; and every page of which
/// only the context shows what it consists of.
fn shows_changed(page: &Page, changed: &ChangedItems) -> bool {
    if !has_own(page) || matches!(page.body, Body::Entry(_)) && changed.has(&page.key) {
        return true;
    }
    page.sections.iter().any(|section| {
        let lists_changed = section
            .lists
            .as_deref()
            .is_some_and(|of| changed.has_of(of) || changed.has_order_of(of));
        let mut refers_to_changed = false;
        section.fields.references(&mut |reference| {
            refers_to_changed |= changed.has(&format!("{}/{}", reference.to, reference.key));
        });
        lists_changed || refers_to_changed
    })
}
