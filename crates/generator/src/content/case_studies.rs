//! Reads case studies: one file each in `content/case-studies/`, and the catalog of filters in
//! `content/case-studies.yaml`. Also defines the section that lists them, with the texts that their pages share:
//! templates contain no text.
//!
//! The slug of a study is its `slug` or the name of its file. Its picture has the same name in
//! `content/images/case-studies/`, else it is the catalog's default, so no reference to a picture can be wrong.
//! Projects that have only a picture so far are `announced`: they are shown below the list, without count and link.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::config::Config;
use crate::content_types::{Action, Date, Focus, Image, Label, Link, Markdown, composed};
use crate::files;
use diagnostics::problem::{Code, Place, Problem, Problems, Source};
use diagnostics::yaml::{self, Spanned};

use super::clients::Clients;
use super::origins;

/// A case study, as read.
#[derive(Debug, Clone)]
pub struct StudyFile {
    /// The name of the file.
    pub id: String,
    /// Its keys; `None` if they could not be read, which was reported.
    pub study: Option<Study>,
    /// The file's text, for problems that later stages find.
    pub source: Arc<Source>,
}

impl StudyFile {
    /// Its slug: the one in the file, else the name of the file.
    pub fn slug(&self) -> &str {
        let own = self.study.as_ref().and_then(|study| study.slug.as_ref());
        own.map_or(&self.id, |slug| &slug.value)
    }
}

/// The keys of a study. Serialized fields are available in its template.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Study {
    /// Its slug, if it differs from the file name.
    #[serde(skip_serializing)]
    pub slug: Option<Spanned<String>>,
    /// The project in a few words.
    pub title: Label,
    /// The client's name; in the file its key, if the site has `content/clients.yaml`.
    pub client: String,
    /// Listed before the others.
    #[serde(default)]
    pub featured: bool,
    /// One or two sentences, also used as meta description.
    pub short_description: Label,
    /// The problem to solve.
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
    /// Duration of the project.
    pub duration: String,
    /// Size of the team.
    pub team_size: String,
    /// Results of the project.
    pub results: Results,
    /// Link to the finished work.
    pub link: Option<Link>,
    /// Date of publication.
    #[serde(skip_serializing)]
    pub publish_date: Spanned<Date>,
    /// Its two most important metrics.
    pub featured_metrics: Metrics,
    /// Alternative text of its picture.
    #[serde(skip_serializing)]
    pub image_alt: Option<Spanned<String>>,
    /// The point of its picture that stays in sight where a layout crops it: `[0.3, 0.6]`.
    #[serde(skip_serializing)]
    pub image_focus: Option<Focus>,
}

/// Two metrics with labels.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Metrics {
    /// The figure itself, such as `99.9%`.
    primary: String,
    /// What it counts.
    primary_label: String,
    /// The second figure.
    secondary: String,
    /// What that one counts.
    secondary_label: String,
}

/// Results of a project: a map of names to texts, in file order.
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

impl JsonSchema for Results {
    fn schema_name() -> Cow<'static, str> {
        "Results".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": generator.subschema_for::<Markdown>() })
    }
}

/// `content/case-studies.yaml`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Catalog {
    /// Services, in display order.
    pub services: Vec<CatalogEntry>,
    /// Technologies, in display order.
    pub technologies: Vec<CatalogEntry>,
    /// Sectors, in display order.
    pub sectors: Vec<CatalogEntry>,
    /// Picture of studies that have none.
    pub default_image: Option<Image>,
    /// Projects without a study yet.
    #[serde(default)]
    pub announced: Vec<Announced>,
}

/// A filter for studies.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct CatalogEntry {
    /// Id in studies and URLs.
    pub id: Spanned<String>,
    /// Display name.
    pub name: String,
}

/// A project that has a picture, and no study yet.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Announced {
    /// Name of its picture, and of its future study.
    pub slug: Spanned<String>,
    /// The project in a few words.
    pub title: String,
    /// Alternative text of its picture.
    pub image_alt: String,
    /// The point of its picture that stays in sight where a layout crops it: `[0.3, 0.6]`.
    pub image_focus: Option<Focus>,
}

/// All source files about case studies.
#[derive(Debug, Clone, Default)]
pub struct CaseStudyFiles {
    /// Studies, sorted by file path.
    pub studies: Vec<StudyFile>,
    /// The catalog and its file; `None` if it does not exist or could not be read.
    pub catalog: Option<(Catalog, Arc<Source>)>,
    /// The catalog exists but could not be read, which was reported.
    pub broken_catalog: bool,
}

const CATALOG: &str = "content/case-studies.yaml";

/// Reads the catalog and all studies.
pub(super) fn load(config: &Config) -> (CaseStudyFiles, Problems) {
    let folder = config.paths.root.join("content/case-studies");
    let (paths, mut problems) = config.paths.root.list(&folder);
    let mut studies = Vec::new();
    let mut clients = Clients::read(&config.paths.root);
    clients.iter_mut().for_each(|clients| clients.mark(&config.site));
    for path in paths {
        match load_one(config, &folder, &path, clients.as_ref(), &mut problems) {
            Ok(study) => studies.push(study),
            Err(problem) => problems.push(problem),
        }
    }
    let path = config.paths.root.join(CATALOG);
    let is_there = config.paths.root.exists(&path);
    let source = is_there.then(|| config.paths.root.read_text(&path).map_err(|problem| problems.push(problem)));
    let catalog = source
        .and_then(Result::ok)
        .and_then(|source| Some((origins::load::<Catalog>(&config.site, &source, &mut problems)?, source)));
    if let (false, Some(study)) = (is_there, studies.first()) {
        let problem =
            Problem::error(Code::UnknownId, "the studies have no catalog of services, technologies and sectors");
        problems.push(problem.at(Place::file(study.source.path.clone())).hint(format!("write it in `{CATALOG}`")));
    }
    (CaseStudyFiles { studies, broken_catalog: is_there && catalog.is_none(), catalog }, problems)
}

fn load_one(
    config: &Config,
    folder: &Path,
    path: &Path,
    clients: Option<&Clients>,
    problems: &mut Problems,
) -> Result<StudyFile, Problem> {
    let root = &config.paths.root;
    let relative = files::shown(folder, path);
    let Some(id) = relative.strip_suffix(".yaml").filter(|id| !id.contains('/')) else {
        let problem = Problem::error(Code::UnexpectedFile, "nothing reads this file");
        return Err(problem
            .at(Place::file(files::shown(root, path)))
            .hint("a study is `content/case-studies/<slug>.yaml`; its picture is in `content/images/case-studies/`"));
    };
    let id = composed(id).into_owned();
    let unread = |problem: Problem| {
        let source = Arc::new(Source { path: files::shown(root, path), text: String::new() });
        (problem, StudyFile { id: id.clone(), study: None, source })
    };
    let source = match root.read_text(path).map_err(unread) {
        Ok(source) => source,
        Err((problem, study)) => {
            problems.push(problem);
            return Ok(study);
        }
    };
    let study = match yaml::parse(&source, 0..source.text.len()) {
        Ok(mut node) => {
            if let Some(clients) = clients {
                clients.name_in_study(&mut node, &source, problems);
            }
            origins::mark_tree(&config.site, &source, &mut node);
            yaml::read(&source, &node, problems)
        }
        Err(problem) => {
            problems.push(problem);
            None
        }
    };
    Ok(StudyFile { id, study, source })
}

/// The list of case studies, and the texts that their pages share.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct CaseStudies {
    /// Name of the list in breadcrumbs.
    label: String,
    /// Titles and descriptions of the filtered lists, with `{name}` of the catalog entry.
    filtered: FilteredPages,
    /// Texts on the page of every study.
    study: StudyPage,
    /// Heading of the announced projects.
    announced: Option<AnnouncedWords>,
}

/// Texts for each kind of filter.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct FilteredPages {
    /// For services.
    service: PageWords,
    /// For technologies.
    tech: PageWords,
    /// For sectors.
    sector: PageWords,
}

/// Title and description of a page.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct PageWords {
    /// The whole `<title>`.
    title: String,
    /// The meta description.
    description: String,
}

/// Texts on the page of every study.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct StudyPage {
    /// Pattern of the `<title>`, with `{client}` and `{title}`.
    title: String,
    /// How the company works.
    solution: Markdown,
    /// The call to action at its end.
    closing: Closing,
}

/// A call to action.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Closing {
    /// The call, in one line.
    title: String,
    /// What happens then.
    text: Option<Markdown>,
    /// One is best, two are enough.
    actions: Vec<Action>,
}

/// Heading of the announced projects.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct AnnouncedWords {
    /// Its heading.
    title: String,
    /// Why the studies are not there yet.
    text: Option<Markdown>,
}
