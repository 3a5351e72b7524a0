//! Case studies: one file each in `content/case-studies/`, and the catalog by which they are filtered in
//! `content/case-studies.yaml`. Also the section that lists them, which holds the words that their pages share, so that
//! templates hold none.
//!
//! The name of a study in addresses is the name of its file, or its `slug`. Its picture is not written down: it is the
//! one of that name in `content/images/case-studies/`, else the catalog's default, so nothing can point at the wrong
//! picture. Work that has only a picture so far is `announced`: it is shown below the list, and neither counted nor
//! linked.

use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::config::Config;
use crate::content_types::{Action, Date, Image, Link, Markdown};
use crate::files;
use diagnostics::problem::{Code, Place, Problem, Problems, Source};
use diagnostics::yaml::{self, Spanned};

/// One study, as it was read.
#[derive(Debug, Clone)]
pub struct StudyFile {
    /// The file's name.
    pub id: String,
    /// Its keys; none when they could not be read, which is a problem already.
    pub study: Option<Study>,
    /// The file's text, for problems found later.
    pub source: Arc<Source>,
}

/// The keys of a study. What is serialized reaches its template.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Study {
    /// Its name in addresses, when it is not the file's.
    #[serde(skip_serializing)]
    pub slug: Option<Spanned<String>>,
    /// What was built, in a few words.
    #[serde(serialize_with = "value")]
    pub title: Spanned<String>,
    /// For whom.
    pub client: String,
    /// Stands before the others.
    #[serde(default)]
    pub featured: bool,
    /// One or two sentences, also for search engines.
    #[serde(serialize_with = "value")]
    pub short_description: Spanned<String>,
    /// What had to be mended.
    pub challenge: Markdown,
    /// Ids of the catalog.
    #[serde(skip_serializing)]
    pub services: Vec<Spanned<String>>,
    /// Ids of the catalog.
    #[serde(skip_serializing)]
    pub technologies: Vec<Spanned<String>>,
    /// Ids of the catalog.
    #[serde(skip_serializing)]
    pub sectors: Vec<Spanned<String>>,
    /// How long it took.
    pub duration: String,
    /// How many worked on it.
    pub team_size: String,
    /// What came of it.
    pub results: Results,
    /// Where it can be seen.
    pub link: Option<Link>,
    /// When it was published.
    #[serde(skip_serializing)]
    pub publish_date: Spanned<Date>,
    /// Its two largest numbers.
    pub featured_metrics: Metrics,
    /// What its picture shows.
    #[serde(skip_serializing)]
    pub image_alt: Option<Spanned<String>>,
}

/// Two numbers and what they count.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Metrics {
    primary: String,
    primary_label: String,
    secondary: String,
    secondary_label: String,
}

/// What came of a project: a map from a name to a text, in the order of the file.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Results(pub Vec<Outcome>);

/// One result.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    name: String,
    text: Markdown,
}

impl<'de> Deserialize<'de> for Results {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Results, D::Error> {
        struct InOrder;
        impl<'de> serde::de::Visitor<'de> for InOrder {
            type Value = Results;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a name and a text for each result")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut access: A) -> Result<Results, A::Error> {
                let mut results = Vec::new();
                while let Some((name, text)) = access.next_entry()? {
                    results.push(Outcome { name, text });
                }
                Ok(Results(results))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// Templates take the value alone; its place in the file is for the checks.
fn value<S: Serializer>(spanned: &Spanned<String>, serializer: S) -> Result<S::Ok, S::Error> {
    spanned.value.serialize(serializer)
}

/// `content/case-studies.yaml`.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Catalog {
    /// What the company does, in order.
    pub services: Vec<CatalogEntry>,
    /// With what, in order.
    pub technologies: Vec<CatalogEntry>,
    /// For whom, in order.
    pub sectors: Vec<CatalogEntry>,
    /// Shown for a study without a picture of its own.
    pub default_image: Option<Image>,
    /// Work whose study is still to be written: all there is so far is a picture.
    #[serde(default)]
    pub announced: Vec<Announced>,
}

/// Something that studies are filtered by.
#[derive(Debug, Clone, Deserialize)]
pub struct CatalogEntry {
    /// As studies and addresses name it.
    pub id: Spanned<String>,
    /// As readers see it.
    pub name: String,
}

/// Work that has a picture, and no study yet.
#[derive(Debug, Clone, Deserialize)]
pub struct Announced {
    /// Names its picture, and one day its study.
    pub slug: Spanned<String>,
    /// What it is.
    pub title: String,
    /// What its picture shows.
    pub image_alt: String,
}

/// All that was read about case studies.
#[derive(Debug, Clone, Default)]
pub struct CaseStudyFiles {
    /// In the order of their files.
    pub studies: Vec<StudyFile>,
    /// The catalog and its file; none when it is not there or could not be read.
    pub catalog: Option<(Catalog, Arc<Source>)>,
    /// The catalog is there but could not be read, which is a problem already.
    pub broken_catalog: bool,
}

const CATALOG: &str = "content/case-studies.yaml";

/// Reads the catalog and all studies.
pub(super) fn load(config: &Config) -> (CaseStudyFiles, Problems) {
    let folder = config.root.join("content/case-studies");
    let (paths, mut problems) = files::list(&config.root, &folder);
    let mut studies = Vec::new();
    for path in paths {
        match load_one(&config.root, &folder, &path, &mut problems) {
            Ok(study) => studies.push(study),
            Err(problem) => problems.push(problem),
        }
    }
    let path = config.root.join(CATALOG);
    let is_there = path.exists();
    let source = is_there.then(|| files::read_text(&config.root, &path).map_err(|problem| problems.push(problem)));
    let catalog =
        source.and_then(Result::ok).and_then(|source| Some((yaml::load::<Catalog>(&source, &mut problems)?, source)));
    if let (false, Some(study)) = (is_there, studies.first()) {
        let problem =
            Problem::error(Code::UnknownId, "the studies have no catalogue of services, technologies and sectors");
        problems.push(problem.at(Place::file(study.source.path.clone())).hint(format!("write it in `{CATALOG}`")));
    }
    (CaseStudyFiles { studies, broken_catalog: is_there && catalog.is_none(), catalog }, problems)
}

fn load_one(root: &Path, folder: &Path, path: &Path, problems: &mut Problems) -> Result<StudyFile, Problem> {
    let relative = files::shown(folder, path);
    let Some(id) = relative.strip_suffix(".yaml").filter(|id| !id.contains('/')) else {
        let problem = Problem::error(Code::UnexpectedFile, "nothing reads this file");
        return Err(problem.at(Place::file(files::shown(root, path))).hint(
            "a study is `content/case-studies/<slug>.yaml`; its picture lies in `content/images/case-studies/`",
        ));
    };
    let id = id.to_owned();
    let unread = |problem: Problem| {
        let source = Arc::new(Source { path: files::shown(root, path), text: String::new() });
        (problem, StudyFile { id: id.clone(), study: None, source })
    };
    let source = match files::read_text(root, path).map_err(unread) {
        Ok(source) => source,
        Err((problem, study)) => {
            problems.push(problem);
            return Ok(study);
        }
    };
    Ok(StudyFile { id, study: yaml::load(&source, problems), source })
}

/// The list of case studies, and what the pages made from them say beside a study's own words.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct CaseStudies {
    /// What the list is called, on the way to a study.
    label: String,
    /// Titles and descriptions of the pages that are narrowed to one entry of the catalog, `{name}`.
    filtered: FilteredPages,
    /// What every study's page says.
    study: StudyPage,
    /// The head of work that is announced.
    announced: Option<AnnouncedWords>,
}

/// For each way to filter.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct FilteredPages {
    /// Of a service.
    service: PageWords,
    /// Of a technology.
    tech: PageWords,
    /// Of a sector.
    sector: PageWords,
}

/// The head of a page.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct PageWords {
    /// The whole `<title>`.
    title: String,
    /// For search engines.
    description: String,
}

/// What every study's page says.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct StudyPage {
    /// The pattern of its `<title>`, from `{client}` and `{title}`.
    title: String,
    /// How the company works.
    solution: Markdown,
    /// The call to action at its end.
    closing: Closing,
}

/// A call to action.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Closing {
    /// One line that says what to do.
    title: String,
    /// What happens then.
    text: Option<Markdown>,
    /// One is best, two are enough.
    actions: Vec<Action>,
}

/// The head of work that is announced.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct AnnouncedWords {
    /// Its heading.
    title: String,
    /// Why the studies are not there yet.
    text: Option<Markdown>,
}
