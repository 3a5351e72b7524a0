//! Pages and sections that are public for a time: they are read like all others, and set aside before and after it.

use std::sync::Arc;

use crate::placeholders;
use crate::sections::Section;
use config::Config;
use diagnostics::problem::{Code, Problem, Problems, Source};
use diagnostics::yaml::Spanned;
use schema::types::{Absence, Dates, Scheduled};
use workspace::kinds::Kind;
use workspace::parallel;

use super::{BrokenPage, LoadedPage, PageFile, PageHead, Status};

/// The pages of a site.
#[derive(Debug, Clone, Default)]
pub struct LoadedPages {
    /// Those that are public now, sorted by file path.
    pub public: Vec<PageFile>,
    /// Sections of other pages that are public now, in each language.
    pub shared: Vec<PageFile>,
    /// Those whose files could not be read.
    pub broken: Vec<BrokenPage>,
    /// Those that are not public now.
    pub withdrawn: Vec<WithdrawnPage>,
    /// Sections of other pages that are not public now, in each language. They have no paths.
    pub withdrawn_shared: Vec<WithdrawnPage>,
    /// The dates of all pages and sections.
    pub scheduled: Vec<Scheduled>,
}

/// A page that is not public now.
#[derive(Debug, Clone)]
pub struct WithdrawnPage {
    /// The folder's name.
    pub key: String,
    /// The file's name.
    pub locale: String,
    /// Its URL paths, the canonical one first.
    pub paths: Vec<String>,
    /// The collections that it lists, `blog` among them: what has its URL below a list is not public without it.
    pub lists: Vec<String>,
    /// The forms that it shows.
    pub forms: Vec<String>,
    /// Why it is not public.
    pub absence: Absence,
    /// Whether its language has a file of it.
    pub is_written: bool,
    /// Where its address leads when it is gone.
    pub expired_to: Option<Spanned<String>>,
    /// The file's text, for problems with the target.
    pub source: Arc<Source>,
}

/// Sections that are public now, and the others.
type Parted = (Vec<Section>, Vec<(Section, Absence)>);

/// The dates of a page; its sections, those apart that are not public now; and all dates in its file.
pub(super) fn of_page(
    config: &Config,
    locale: &str,
    source: &Source,
    head: &PageHead,
    sections: Vec<Section>,
    problems: &mut Problems,
) -> (Dates, Parted, Vec<Scheduled>) {
    let zone = &config.site.timezone;
    let dates = Dates::read(
        head.publish_at.as_ref(),
        head.expires_at.as_ref(),
        zone,
        source,
        problems,
    );
    let home = format!("{}/", config.site.prefix(locale));
    let given = head.publish_at.as_ref().or(head.expires_at.as_ref());
    if let Some(date) = given.filter(|_| head.status != Status::Found || head.path.value == home) {
        let message = "the home page and error pages are always public, so they cannot have dates";
        let problem = Problem::error(Code::InvalidValue, message).at(source.place(date.span));
        problems.push(problem.hint("set the dates in the page's sections instead"));
    }
    if let (Some(to), None) = (&head.expired_to, &head.expires_at) {
        let problem = Problem::error(
            Code::InvalidValue,
            "`expired_to` is for a page that expires, but this one does not",
        );
        problems.push(
            problem
                .at(source.place(to.0.span))
                .hint("add `expires_at: …`, or remove `expired_to`"),
        );
    }
    let mut scheduled = Vec::new();
    if !dates.is_empty() {
        scheduled.push(Scheduled {
            dates,
            place: source.path.clone(),
        });
    }
    let (mut public, mut hidden) = (Vec::with_capacity(sections.len()), Vec::new());
    for section in sections {
        let [from, until] = &section.dates;
        // A section that another language lends is reported and counted with the page of that one.
        let mut lent = Problems::new();
        let of_section = if section.lent.is_some() {
            &mut lent
        } else {
            &mut *problems
        };
        let dates = Dates::read(from.as_ref(), until.as_ref(), zone, source, of_section);
        if let (Some(date), None) = (from.as_ref().or(until.as_ref()), &section.lent) {
            scheduled.push(Scheduled::at(dates, source, date.span));
        }
        match dates.absence(config.run.now).filter(|_| !config.run.drafts) {
            Some(absence) => hidden.push((section, absence)),
            None => public.push(section),
        }
    }
    (dates, (public, hidden), scheduled)
}

/// Reads all files of a folder (`content/pages`).
pub(crate) fn load_all(
    config: &Config,
    read: impl Fn(&std::path::PathBuf) -> (LoadedPage, Problems) + Sync + Send,
) -> (LoadedPages, Problems) {
    let folder = config.paths.root.join(Kind::Page.folder());
    let (files, mut problems) = config.paths.root.list(&folder);
    let read: Vec<(LoadedPage, Problems)> = parallel::map(&files, read);
    let mut pages = LoadedPages::default();
    for file in read {
        pages.take(config, problems.take(file));
    }
    (pages, problems)
}

impl LoadedPages {
    fn take(&mut self, config: &Config, page: LoadedPage) {
        match page {
            LoadedPage::Page(page) => self.add(config, *page),
            LoadedPage::Shared(pages) => pages.into_iter().for_each(|page| self.take(config, page)),
            LoadedPage::Broken(page) => self.broken.push(page),
            LoadedPage::Nothing => {}
        }
    }

    fn add(&mut self, config: &Config, mut page: PageFile) {
        self.scheduled.append(&mut page.scheduled);
        let Some(absence) = page
            .dates
            .absence(config.run.now)
            .filter(|_| !config.run.drafts)
        else {
            if page.is_shared() {
                self.shared.push(page);
            } else {
                self.public.push(page);
            }
            return;
        };
        let fill = |path: &Spanned<String>| placeholders::fill(&path.value, &config.site);
        let paths = std::iter::once(&page.head.path)
            .chain(&page.head.also_at)
            .filter(|_| !page.is_shared());
        let others = if page.is_shared() {
            &mut self.withdrawn_shared
        } else {
            &mut self.withdrawn
        };
        let lists = page.sections.iter().filter_map(Section::holds_pages_of);
        let forms = page.sections.iter().filter_map(Section::form);
        others.push(WithdrawnPage {
            lists: lists.map(str::to_owned).collect(),
            forms: forms.map(str::to_owned).collect(),
            paths: paths.map(fill).collect(),
            key: page.key,
            locale: page.locale,
            absence,
            is_written: page.is_written,
            expired_to: page.head.expired_to.map(|to| Spanned {
                value: fill(&to.0),
                span: to.0.span,
            }),
            source: page.source,
        });
    }
}
