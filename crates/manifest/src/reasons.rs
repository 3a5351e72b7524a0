//! Says in words why a build rendered a page.

use super::{BuildManifest, ChangedDependency, DEPENDENCIES, PageEntry, RebuildReason};

impl BuildManifest {
    /// Why this build rendered a page: a line for each value that changed, or the description of each dependency whose
    /// values are not known one by one. Empty if it did not render the page.
    pub fn reasons<'a>(&'a self, entry: &'a PageEntry) -> Vec<&'a str> {
        match &entry.reason {
            RebuildReason::Unchanged => Vec::new(),
            RebuildReason::New => vec!["the cache had no entry for it"],
            RebuildReason::Missing => vec!["its output file was missing or had been edited"],
            RebuildReason::Changed(dependencies) => dependencies
                .iter()
                .flat_map(|changed| self.values_of(entry, changed))
                .collect(),
        }
    }

    fn values_of<'a>(
        &'a self,
        entry: &'a PageEntry,
        changed: &'a ChangedDependency,
    ) -> Vec<&'a str> {
        let ChangedDependency { position, values } = changed;
        let Some((_, description)) = DEPENDENCIES.get(usize::from(*position)) else {
            return Vec::new();
        };
        let mut names: Vec<&str> = values.iter().map(String::as_str).collect();
        names.extend(
            self.values
                .changed(&entry.locale, *position)
                .iter()
                .map(String::as_str),
        );
        if names.is_empty() {
            names.push(description);
        }
        names
    }
}
