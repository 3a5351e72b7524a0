//! The languages of a site, and whose texts one shows where it has none yet: `locales` and `fallback` in `site.yaml`.

use crate::content_types::Tag;
use diagnostics::problem::did_you_mean;
use diagnostics::yaml::Spanned;

use super::SiteSettings;
use super::search::SearchSettings;
use super::settings::MenuEntry;

impl SiteSettings {
    /// A language and those whose texts it shows where it has none, the nearest first.
    pub fn with_fallbacks<'a>(&'a self, locale: &'a str) -> impl Iterator<Item = &'a str> {
        let next = |code: &&'a str| self.fallback.get(*code).map(|other| other.value.as_str());
        // A circle was reported, and has as many languages as the site at most.
        std::iter::successors(Some(locale), next).take(self.locales.len() + 1)
    }

    /// Each language that has a fallback, with each language that lends it texts, the nearest first.
    pub fn lenders(&self) -> Vec<(&str, &str)> {
        let borrowers = self.locales.iter().map(|code| code.value.as_str());
        borrowers.flat_map(|code| self.with_fallbacks(code).skip(1).map(move |from| (code, from))).collect()
    }

    /// Gives labels the texts of other languages where theirs are missing.
    pub(super) fn lend_labels(&mut self) {
        fn entries(list: &mut [Spanned<MenuEntry>], locale: &str, from: &str) {
            for entry in list {
                entry.value.label.lend(locale, from);
                entries(&mut entry.value.children, locale, from);
            }
        }
        let lenders: Vec<(String, String)> =
            self.lenders().into_iter().map(|(locale, from)| (locale.to_owned(), from.to_owned())).collect();
        for (locale, from) in lenders.iter().map(|(locale, from)| (locale.as_str(), from.as_str())) {
            if let Some(hours) = &mut self.company.hours {
                hours.lend(locale, from);
            }
            self.header.call_to_action.lend(locale, from);
            entries(&mut self.header.menu, locale, from);
            for label in self.search.iter_mut().flat_map(SearchSettings::labels) {
                label.lend(locale, from);
            }
            self.footer.tagline.lend(locale, from);
            for group in &mut self.footer.groups {
                group.title.lend(locale, from);
                entries(&mut group.links, locale, from);
            }
        }
    }

    /// Checks `locales`, and `fallback` if these could be read.
    pub(super) fn check_languages(&self, are_read: bool, report: &mut impl FnMut(&Spanned<String>, String, &str)) {
        for (index, code) in self.locales.iter().enumerate() {
            if let Err(bad) = Tag::parse(code) {
                report(code, bad.message, &bad.hint);
            }
            if self.locales[..index].iter().any(|earlier| earlier.eq_ignore_ascii_case(code)) {
                report(code, format!("the locale `{}` is listed twice", code.value), "remove one of the two");
            }
        }
        for (code, other) in self.fallback.iter().filter(|_| are_read) {
            let is_listed = |code: &str| self.locales.iter().any(|listed| listed.value == code);
            let others: Vec<&str> = self.with_fallbacks(code).skip(1).collect();
            let circle = others.iter().position(|other| other == code).map(|end| {
                [code.as_str()].into_iter().chain(others[..=end].iter().copied()).collect::<Vec<_>>().join(" → ")
            });
            if let Some(unknown) = [code, &other.value].into_iter().find(|code| !is_listed(code)) {
                let codes = self.locales.iter().map(|listed| listed.value.as_str());
                let near = did_you_mean(unknown, codes).unwrap_or_else(|| "list it in `locales`".to_owned());
                report(other, format!("`{unknown}` is not a locale of `site.yaml`"), &near);
            } else if code == self.default_locale() {
                let message = format!("`{code}` is the main language, which shows its own texts");
                report(other, message, &format!("remove the line, or list `{}` first in `locales`", other.value));
            } else if let Some(circle) = circle {
                let message = format!("the fallback of `{code}` leads back to it: {circle}");
                report(
                    other,
                    message,
                    &format!("write `{}`, the main language, for one of them", self.default_locale()),
                );
            }
        }
    }
}
