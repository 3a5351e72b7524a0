//! Checks the addresses in finished files, and reports wrong ones. Links in content are checked before, in
//! `routes/links.rs`.

use std::collections::BTreeMap;

use config::SiteSettings;
use content::Templates;
use diagnostics::problem::{Code, Place, Problem, Problems, Span, did_you_mean};
use manifest::Reference;
use site::model::{Page, Site};
use site::routes::{Route, Routes};
use workspace::parallel;

use super::FileIndex;
use super::html_scan;
use super::targets::Target;

/// The links of all files, with the data to check them.
pub(super) struct AddressCheck<'a> {
    pub names: &'a [String],
    pub numbered: &'a FileIndex<'a>,
    pub settings: &'a SiteSettings,
    pub site: &'a Site,
    pub routes: &'a Routes,
    pub templates: &'a Templates,
}

/// The prefix of the API on the site's own host.
const API: &str = "/api/";

/// On which pages an address is valid.
#[derive(Debug, Clone, Copy)]
enum Validity {
    Everywhere,
    /// On pages of the locale with this index. Links on other pages need `hreflang`.
    InLocale(usize),
    /// To be checked for each page.
    Unclear,
}

/// A mistake, without the pages that contain it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    Missing,
    NotBelowBase,
    Relative,
    NoAnchor { anchor: String },
    NoHreflang { language: String },
}

impl AddressCheck<'_> {
    /// One problem for each mistake, however many pages contain it.
    pub fn problems(&self) -> Problems {
        // Most pages contain the same addresses, so each address is checked once; only unclear ones are checked per
        // page.
        let targets = &self.numbered.targets;
        let validity: Vec<Validity> =
            parallel::map(targets, |(target, file)| self.validity(target, *file));
        let numbers: Vec<usize> = (0..self.numbered.files.len()).collect();
        let found = parallel::map(&numbers, |number| {
            let (number, (_, links)) = (*number, &self.numbered.files[*number]);
            let own = self
                .page(number)
                .map(|page| self.site.locale_index(&page.locale));
            let wrong = links
                .iter()
                .flat_map(|links| &links.references)
                .filter(|reference| match validity[reference.name as usize] {
                    Validity::Everywhere => false,
                    Validity::InLocale(locale) => {
                        reference.is_link() && own.is_some_and(|own| own != locale)
                    }
                    Validity::Unclear => true,
                });
            let faults = wrong.filter_map(|reference| {
                Some((reference.name, self.fault(number, *reference)?, number))
            });
            faults.collect::<Vec<_>>()
        });
        let mut faults: BTreeMap<(&str, Fault), Vec<usize>> = BTreeMap::new();
        for (name, fault, file) in found.into_iter().flatten() {
            let files = faults
                .entry((&self.names[name as usize], fault))
                .or_default();
            if files.last() != Some(&file) {
                files.push(file);
            }
        }
        let mut problems = Problems::new();
        faults
            .iter()
            .for_each(|((name, fault), files)| problems.push(self.problem(name, fault, files)));
        problems
    }

    /// On which pages an address is valid, as far as that does not depend on the page.
    fn validity(&self, target: &Target, file: Option<usize>) -> Validity {
        match (target, file) {
            (Target::Outside, _) => Validity::Everywhere,
            (Target::Inside { path, .. }, _) if path.starts_with(API) => Validity::Everywhere,
            (Target::Inside { anchor, .. }, Some(file)) => {
                let ids = self.numbered.files[file]
                    .1
                    .map_or(&[] as &[u64], |links| &links.ids);
                if anchor
                    .as_ref()
                    .is_some_and(|anchor| ids.binary_search(&html_scan::id(anchor)).is_err())
                {
                    return Validity::Unclear;
                }
                self.page(file).map_or(Validity::Everywhere, |page| {
                    Validity::InLocale(self.site.locale_index(&page.locale))
                })
            }
            _ => Validity::Unclear,
        }
    }

    fn page(&self, file: usize) -> Option<&Page> {
        self.numbered.pages[file].map(|index| &self.site.pages[index])
    }

    fn fault(&self, file: usize, reference: Reference) -> Option<Fault> {
        let (target, anchor) = match &self.numbered.targets[reference.name as usize] {
            (Target::Outside, _) => return None,
            (Target::Relative, _) => return Some(Fault::Relative),
            (Target::NotBelowBase, _) => return Some(Fault::NotBelowBase),
            (Target::Here { anchor }, _) => (file, anchor),
            // The API answers these addresses; they have no files.
            (Target::Inside { path, .. }, _) if path.starts_with(API) => return None,
            (Target::Inside { anchor, .. }, Some(target)) => (*target, anchor),
            (Target::Inside { path, .. }, None) => {
                return (!self.is_redirected(path)).then_some(Fault::Missing);
            }
        };
        let page = self.page(target);
        if let (Some(anchor), Some(links)) = (anchor, self.numbered.files[target].1) {
            // The redirect page at an old address has no anchors, but passes the fragment on. The list of anchors is read last,
            // and by few: it is as long as the page.
            if links.ids.binary_search(&html_scan::id(anchor)).is_err()
                && (page.is_some() || target == file)
                && !page.is_some_and(|page| page.partial || page.anchors.contains(anchor))
            {
                return Some(Fault::NoAnchor {
                    anchor: anchor.clone(),
                });
            }
        }
        let (own, other) = (self.page(file)?, page?);
        let language = &self.site.locales[self.site.locale_index(&other.locale)].language;
        let hreflang = reference
            .hreflang()
            .map(|number| self.names[number as usize].as_str());
        let is_wrong = reference.is_link()
            && own.locale != other.locale
            && hreflang != Some(language.as_str());
        is_wrong.then(|| Fault::NoHreflang {
            language: language.clone(),
        })
    }

    /// Whether an address is redirected. For some hosts a redirect is only a rule, without a page at the old address.
    fn is_redirected(&self, path: &str) -> bool {
        let with_slash = format!("{path}/");
        [path, with_slash.as_str()]
            .into_iter()
            .any(|path| matches!(self.routes.get(path), Some(Route::Redirect { .. })))
    }

    fn problem(&self, name: &str, fault: &Fault, files: &[usize]) -> Problem {
        let page = files.first().and_then(|first| self.page(*first));
        let file = files
            .first()
            .map_or("", |first| self.numbered.files[*first].0);
        let address = page.map_or_else(|| format!("/{file}"), |page| page.path.value.clone());
        let others = match files.len() {
            0 | 1 => String::new(),
            2 => " (and one more page)".to_owned(),
            count => format!(" (and {} more pages)", count - 1),
        };
        let problem = match fault {
            Fault::Missing => {
                let paths: Vec<String> = self
                    .routes
                    .iter()
                    .map(|(path, _)| self.settings.href(path))
                    .collect();
                let message =
                    format!("`{address}`{others} refers to `{name}`, which does not exist");
                let near = did_you_mean(name, paths.iter().map(String::as_str));
                Problem::error(Code::BrokenOutput, message).maybe_hint(near)
            }
            Fault::NotBelowBase => {
                let base = self.settings.base_path();
                let message = format!(
                    "`{address}`{others} refers to `{name}`, but the site is below `{base}/`"
                );
                Problem::error(Code::BrokenOutput, message).hint(format!(
                    "write `{{{{ \"{name}\" | href }}}}` in the template"
                ))
            }
            Fault::Relative => {
                let message = format!("`{address}`{others} refers to `{name}`, a relative URL");
                Problem::error(Code::BrokenOutput, message)
                    .hint("write the path from the root, beginning with a slash")
            }
            Fault::NoAnchor { anchor } => {
                let message = format!(
                    "`{address}`{others} links to `{name}`, but no element there has the id `{anchor}`"
                );
                Problem::error(Code::BrokenOutput, message)
                    .hint("correct the anchor, or give an element that id")
            }
            Fault::NoHreflang { language } => {
                let message = format!(
                    "`{address}`{others} links to `{name}`, a page in another language, but the link's `hreflang` is missing or wrong"
                );
                Problem::error(Code::BrokenOutput, message)
                    .hint(format!("add `hreflang=\"{language}\"` to the link"))
            }
        };
        // Who writes in the CMS must not stop a build.
        let problem = if files.iter().all(|file| {
            self.page(*file)
                .is_some_and(|page| self.site.is_foreign(page))
        }) {
            problem.as_warning()
        } else {
            problem
        };
        match self
            .template(name)
            .or_else(|| page.map(|page| Place::file(page.source.path.clone())))
        {
            Some(place) => problem.at(place),
            None => problem,
        }
    }

    /// The line of the template that contains the address literally.
    fn template(&self, name: &str) -> Option<Place> {
        let written = [format!("\"{name}\""), format!("'{name}'")];
        self.templates.html.values().find_map(|source| {
            let at = written
                .iter()
                .find_map(|written| source.text.find(written.as_str()))?
                + 1;
            Some(source.place(Span::new(at, at + name.len())))
        })
    }
}
