//! The languages of a site, those that are not announced yet, and whose texts one shows where it has none: `locales`,
//! `draft_locales` and `fallback` in `site.yaml`.

use std::sync::Arc;

use diagnostics::problem::{Code, Place, Problem, Problems, Source, did_you_mean};
use diagnostics::yaml::Spanned;
use schema::types::{Localized, Tag};

use super::SiteSettings;
use super::search::SearchSettings;
use super::settings::MenuEntry;

impl SiteSettings {
    /// A language and those whose texts it shows where it has none, the nearest first.
    pub fn with_fallbacks<'a>(&'a self, locale: &'a str) -> impl Iterator<Item = &'a str> {
        // A circle was reported, and has as many languages as the site at most.
        std::iter::successors(Some(locale), |code: &&'a str| {
            self.fallback.get(*code).map(|other| other.value.as_str())
        })
        .take(self.locales.len() + 1)
    }

    /// Each language that has a fallback, with each language that lends it texts, the nearest first.
    pub fn lenders(&self) -> Vec<(&str, &str)> {
        let borrowers = self.locales.iter().map(|code| code.value.as_str());
        borrowers
            .flat_map(|code| {
                self.with_fallbacks(code)
                    .skip(1)
                    .map(move |from| (code, from))
            })
            .collect()
    }

    /// Whether a language is one of the site that this build leaves out: its files are no mistakes, and are not read.
    pub fn is_withheld(&self, code: &str) -> bool {
        self.withheld.iter().any(|withheld| withheld == code)
    }

    /// Whether a language is one of the site, also if this build leaves it out.
    pub fn has_language(&self, code: &str) -> bool {
        self.locales.iter().any(|known| known.value == code) || self.is_withheld(code)
    }

    /// The problem with the code of another language, without a place.
    pub fn unknown_language(&self, code: &str) -> Problem {
        let known = self.locales.iter().map(|known| known.value.as_str());
        let message = format!("`{code}` is not a locale in `site.yaml`");
        Problem::error(Code::UnknownId, message).maybe_hint(did_you_mean(code, known))
    }

    /// Checks the languages that settings name, and leaves out those that are not announced, unless drafts are built.
    pub fn leave_out_drafts(&mut self, drafts: bool, source: &Source, problems: &mut Problems) {
        self.check_drafts(&mut |code, message, hint| {
            problems.push(
                Problem::error(Code::InvalidValue, message)
                    .at(source.place(code.span))
                    .hint(hint),
            );
        });
        if !drafts {
            self.withhold();
        }
        self.check_names(&mut |message, hint| {
            let problem =
                Problem::error(Code::UnknownId, message).at(Place::file(source.path.clone()));
            problems.push(problem.maybe_hint(hint));
        });
    }

    /// Leaves out the languages that are not announced. A language that shows their texts shows those of the next one.
    fn withhold(&mut self) {
        let (main, drafts) = (self.default_locale(), &self.draft_locales);
        let is_draft = |code: &str| code != main && drafts.iter().any(|draft| draft.value == code);
        let withheld: Vec<String> = self
            .locales
            .iter()
            .filter(|code| is_draft(code))
            .map(|code| code.value.clone())
            .collect();
        let is_withheld = |code: &str| withheld.iter().any(|withheld| withheld == code);
        let next = |code: &str| {
            let lender = self
                .with_fallbacks(code)
                .skip(1)
                .find(|lender| !is_withheld(lender))?;
            self.fallback
                .values()
                .find(|other| other.value == lender)
                .cloned()
        };
        let borrowers = self.fallback.keys().filter(|code| !is_withheld(code));
        let fallback = borrowers
            .filter_map(|code| Some((code.clone(), next(code)?)))
            .collect();
        self.locales.retain(|code| !is_withheld(code));
        self.blog.languages.retain(|code, _| !is_withheld(code));
        self.base_urls.retain(|code, _| !is_withheld(code));
        (self.fallback, self.withheld) = (fallback, withheld);
    }

    /// The settings as pages in a language show them: with the names of the product and the company in it.
    pub fn in_language(&self, code: &str) -> &SiteSettings {
        self.localized.get(code).map_or(self, |settings| settings)
    }

    /// Prepares [`SiteSettings::in_language`], once everything else is known.
    pub fn localize(&mut self) {
        self.localized.clear();
        self.localized = self
            .locales
            .iter()
            .filter_map(|code| {
                let name = |names: &Localized<String>| {
                    self.with_fallbacks(code)
                        .find_map(|code| names.get(code))
                        .cloned()
                };
                let (product, company) = (name(&self.product.names), name(&self.company.names));
                if product.is_none() && company.is_none() {
                    return None;
                }
                let mut settings = self.clone();
                settings.product.name = product.unwrap_or(settings.product.name);
                settings.company.name = company.unwrap_or(settings.company.name);
                Some((code.value.clone(), Arc::new(settings)))
            })
            .collect();
    }

    /// Checks the languages of names.
    fn check_names(&self, report: &mut impl FnMut(String, Option<String>)) {
        for (key, names) in [
            ("product.names", &self.product.names),
            ("company.names", &self.company.names),
        ] {
            let listed = || self.locales.iter().map(|code| code.value.as_str());
            for (code, name) in &names.0 {
                if !self.has_language(code) {
                    let message =
                        format!("`{key}` names `{code}`, which is not a locale in `site.yaml`");
                    report(message, did_you_mean(code, listed()));
                } else if name.trim().is_empty() {
                    let hint = "write a name, or remove the line".to_owned();
                    report(
                        format!("`{key}` has an empty name for `{code}`"),
                        Some(hint),
                    );
                }
            }
        }
    }

    /// Checks `draft_locales`.
    fn check_drafts(&self, report: &mut impl FnMut(&Spanned<String>, String, &str)) {
        for code in &self.draft_locales {
            let known = self.locales.iter().map(|listed| listed.value.as_str());
            if code.value == self.default_locale() {
                let message = format!(
                    "`{}` is the main language, which every build includes",
                    code.value
                );
                report(
                    code,
                    message,
                    "remove it, or list another language first in `locales`",
                );
            } else if self.locales.iter().all(|listed| listed.value != code.value) {
                let near =
                    did_you_mean(code, known).unwrap_or_else(|| "list it in `locales`".to_owned());
                report(
                    code,
                    format!("`{}` is not a locale in `site.yaml`", code.value),
                    &near,
                );
            }
        }
    }

    /// Gives labels the texts of other languages where theirs are missing.
    pub fn lend_labels(&mut self) {
        fn entries(list: &mut [Spanned<MenuEntry>], locale: &str, from: &str) {
            for entry in list {
                entry.value.label.lend(locale, from);
                entries(&mut entry.value.children, locale, from);
            }
        }
        let lenders: Vec<(String, String)> = self
            .lenders()
            .into_iter()
            .map(|(locale, from)| (locale.to_owned(), from.to_owned()))
            .collect();
        for (locale, from) in lenders
            .iter()
            .map(|(locale, from)| (locale.as_str(), from.as_str()))
        {
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
    pub fn check_languages(
        &self,
        are_read: bool,
        report: &mut impl FnMut(&Spanned<String>, String, &str),
    ) {
        for (index, code) in self.locales.iter().enumerate() {
            if let Err(bad) = Tag::parse(code) {
                report(code, bad.message, &bad.hint);
            }
            if self.locales[..index]
                .iter()
                .any(|earlier| earlier.eq_ignore_ascii_case(code))
            {
                report(
                    code,
                    format!("the locale `{}` is listed twice", code.value),
                    "remove one of the two",
                );
            }
        }
        for (code, other) in self.fallback.iter().filter(|_| are_read) {
            let is_listed = |code: &str| self.locales.iter().any(|listed| listed.value == code);
            let others: Vec<&str> = self.with_fallbacks(code).skip(1).collect();
            let circle = others.iter().position(|other| other == code).map(|end| {
                [code.as_str()]
                    .into_iter()
                    .chain(others[..=end].iter().copied())
                    .collect::<Vec<_>>()
                    .join(" → ")
            });
            if let Some(unknown) = [code, &other.value]
                .into_iter()
                .find(|code| !is_listed(code))
            {
                let codes = self.locales.iter().map(|listed| listed.value.as_str());
                let near = did_you_mean(unknown, codes)
                    .unwrap_or_else(|| "list it in `locales`".to_owned());
                report(
                    other,
                    format!("`{unknown}` is not a locale in `site.yaml`"),
                    &near,
                );
            } else if code == self.default_locale() {
                let message =
                    format!("`{code}` is the main language, so it cannot have a fallback");
                report(
                    other,
                    message,
                    &format!(
                        "remove the line, or list `{}` first in `locales`",
                        other.value
                    ),
                );
            } else if let Some(circle) = circle {
                let message = format!("the fallbacks of `{code}` form a loop: {circle}");
                report(
                    other,
                    message,
                    &format!(
                        "write `{}`, the main language, for one of them",
                        self.default_locale()
                    ),
                );
            }
        }
    }
}
