//! Finds the pages of entries that are as they were, without making their contexts, in a build before which nothing but
//! entries was edited.
//!
//! Such a page consists of what the page itself says, of what entries decide together (addresses, menus, pictures), and of
//! the entries that it has asked for when it was rendered last. If all of these are the same, so is the page. If one may
//! have changed, the page has its usual fingerprint, so an omission here is the only way to a stale page:
//! `build --verify-cache` and `tests/it/entry_edits.rs` find it.

use std::fmt::Write as _;

use manifest::{ChangedEntries, EntryHashes};
use site::model::{Body, Page};
use site::routes::Route;
use workspace::sources::{Hash, hash, hash_value};

use super::context::AssetsContext;
use super::{Renderer, breadcrumbs};

impl Renderer<'_> {
    /// The entries that have changed since the last build; `None` if more than the texts of some entries may have.
    pub(super) fn compare_entries(&self) -> Option<ChangedEntries> {
        let collections = &self.site.collections;
        self.render_cache.compare_entries(
            || EntryHashes::of(collections, &self.shared_by_entries()),
            collections,
        )
    }

    /// The hashes of what entries decide together.
    fn shared_by_entries(&self) -> Vec<Hash> {
        let (site, manifest) = (self.site, self.manifest);
        let used: Vec<&String> = site.images.keys().collect();
        let colors: Vec<_> = manifest.styles.tokens("color").collect();
        let looks = hash_value(&(&manifest.images, used, colors, &self.drawings.icons));
        let frames = self.frames.iter().map(|frame| frame.fingerprint.all());
        [self.addresses(), looks]
            .into_iter()
            .chain(frames)
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

    /// The hash of everything that the page of an entry consists of, without what entries decide together and the values of
    /// entries. `None` for other pages.
    pub(super) fn inputs(&self, index: usize, page: &Page, assets: &AssetsContext) -> Option<Hash> {
        if !matches!(page.body, Body::Entry(_)) || !page.sections.is_empty() {
            return None;
        }
        let trail = breadcrumbs::trail(self.settings, self.site, self.routes, page);
        Some(hash_value(&(
            page.visible(),
            trail,
            self.share_image(index),
            assets,
        )))
    }

    /// The hash of the published page of an entry, if the page is as it was.
    pub(super) fn unchanged<'f>(
        &self,
        page: &Page,
        file: &str,
        copies: impl Iterator<Item = &'f str>,
        inputs: Hash,
    ) -> Option<Hash> {
        let changed = self
            .changed_entries
            .as_ref()
            .filter(|changed| !changed.has(&page.key))?;
        self.render_cache.unchanged(file, copies, inputs, changed)
    }
}
