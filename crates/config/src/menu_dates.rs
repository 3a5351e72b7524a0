//! Leaves out the links of the header and of the footer that are not public now.

use diagnostics::problem::{Problems, Source};
use diagnostics::yaml::Spanned;
use schema::types::{Dates, Moment, Scheduled};

use super::{MenuEntry, SiteSettings};

impl SiteSettings {
    /// Keeps the entries of menus that are public at a time, or all if there is none. A group that is left without
    /// links goes too.
    pub fn keep_public(&mut self, now: Option<Moment>, problems: &mut Problems) {
        let zone = self.timezone.clone();
        let (mut dated, mut hidden) = (Vec::new(), Vec::new());
        let mut is_public = |entry: &Spanned<MenuEntry>, source: &Source| {
            let (from, until) = (&entry.value.publish_at, &entry.value.expires_at);
            let dates = Dates::read(from.as_ref(), until.as_ref(), &zone, source, problems);
            if !dates.is_empty() {
                dated.push(Scheduled::at(dates, source, entry.span));
            }
            let is_public = now.is_none_or(|now| dates.absence(now).is_none());
            if !is_public {
                hidden.extend(entry.value.to.clone());
            }
            is_public
        };
        let source = self.source.clone();
        self.header.menu.retain_mut(|entry| {
            let is_group = !entry.value.children.is_empty();
            entry
                .value
                .children
                .retain(|child| is_public(child, &source));
            is_public(entry, &source) && !(is_group && entry.value.children.is_empty())
        });
        for group in &mut self.footer.groups {
            group.links.retain(|entry| is_public(entry, &source));
        }
        self.dated_menu_entries = dated;
        self.hidden_menu_links = hidden;
    }
}
