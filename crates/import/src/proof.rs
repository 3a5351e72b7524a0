//! Proves an import: builds the site twice, from its own files and from WordPress, and compares each post as readers see
//! it.
//!
//! The site from WordPress is built as one whose blog is a CMS (`content::blog`), from a snapshot of what WordPress sent.
//! It takes another way through the code than the import: no Markdown is written or read. A difference that a note of
//! the import gives the reason for is explained; every other one is a mistake of the import, or of a person who edited
//! the file.

mod body;
mod count;
mod export;
#[cfg(test)]
mod losses;
mod reasons;
mod show;
mod words;

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;

use config::{BlogSource, Config, LanguageBy, SnapshotMode};
use content::blog::archive;
use diagnostics::problem::{Code, Place, Problem, Problems};
use diagnostics::yaml::Spanned;
use diff;
use generator::pipeline::{self, BuildScope, Finished, Purpose};
use publish::hosts::Rules;
use site::Workspace;
use site::routes::file_of;
use workspace::cache;
use workspace::files::{self, not_written};
use workspace::timings::Timings;

use super::plan::comparable;
use super::{From, ImportReport};
use body::{Addresses, Hunk, LineSubject, TextDifferences};
pub(super) use reasons::Reasons;

/// The parts of an import that the proof needs.
#[derive(Debug, Default)]
pub struct Evidence {
    /// The home page of WordPress.
    pub(super) home: String,
    /// Posts as a CMS sends them, by locale.
    pub(super) posts: BTreeMap<String, Vec<Value>>,
    /// The files of pictures in the site, by their addresses.
    pub(super) pictures: BTreeMap<String, String>,
    pub(super) compared: Vec<ComparedPost>,
    /// The files that were saved, by the addresses that they had, without what varies in these.
    pub(super) saved: BTreeMap<String, Vec<String>>,
}

/// A post that is compared.
#[derive(Debug)]
pub(super) struct ComparedPost {
    /// Its file.
    pub file: String,
    /// Its address in the site.
    pub address: String,
    /// Its address in WordPress.
    pub from: String,
    pub reasons: Reasons,
}

/// Content of an export file that is neither in the site nor in the report of the import.
#[derive(Debug, Clone, Serialize)]
pub struct Lost {
    /// The item that has it: its kind, number and title.
    pub item: String,
    /// The file in which it would be; empty if there is none.
    pub file: String,
    /// Its kind.
    pub what: String,
    /// The missing text.
    pub text: String,
    /// Why; `None` if there is no known reason.
    pub reason: Option<String>,
}

/// The result of a proof.
#[derive(Debug, Default, Serialize)]
pub struct Proof {
    /// How many posts were compared.
    pub compared: usize,
    /// How many of them are the same.
    pub same: usize,
    /// How many differences have a reason.
    pub explained: usize,
    /// How many have none.
    pub unexplained: usize,
    /// The posts that differ, those without a reason first.
    pub posts: Vec<PostProof>,
    /// How much the export file has; `None` if there was none.
    pub counted: Option<count::ExportCounts>,
    /// The lost content.
    pub lost: Vec<Lost>,
}

/// The differences of a post.
#[derive(Debug, Serialize)]
pub struct PostProof {
    /// Its file.
    pub file: String,
    /// Its address in the site.
    pub address: String,
    /// Its address in WordPress.
    pub from: String,
    /// The differences.
    pub differences: Vec<Difference>,
}

/// A difference.
#[derive(Debug, Serialize)]
pub struct Difference {
    /// The subject: `text`, or the name of a value in the head.
    pub what: String,
    /// The value in WordPress.
    pub wordpress: String,
    /// The value in the site.
    pub site: String,
    /// Why; `None` if there is no known reason.
    pub reason: Option<String>,
}

/// Builds both sites, compares them, and writes `report.html` and `report.json` into a folder. `config` is that of the
/// site after the import. What an export file has is also counted, because both sites show what the importer read.
pub fn prove(
    config: &Config,
    report: &ImportReport,
    from: &From,
    folder: &Path,
) -> Result<Proof, Problems> {
    let evidence = &report.evidence;
    let aside = config.paths.cache.join("import/proof");
    let own = built(side(config, &aside, "site"))?;
    let foreign = side(config, &aside, "wordpress");
    let foreign = built(snapshot(foreign, evidence, &aside).map_err(|problem| *problem)?)?;
    let workspace = Workspace::open(config.clone());
    let planned = workspace.site();
    let rules = Rules::of(config, &planned.site, &planned.routes);
    let addresses = Addresses {
        home: &evidence.home,
        rules: &rules,
        base_url: config.site.base_url(),
    };
    let results: Vec<PostProof> = evidence
        .compared
        .par_iter()
        .map(|post| compare(post, &foreign, &own, &addresses))
        .collect();
    let mut proof = Proof {
        compared: results.len(),
        ..Proof::default()
    };
    for post in results {
        let unexplained = post
            .differences
            .iter()
            .filter(|one| one.reason.is_none())
            .count();
        proof.same += usize::from(post.differences.is_empty());
        proof.unexplained += unexplained;
        proof.explained += post.differences.len() - unexplained;
        if !post.differences.is_empty() {
            proof.posts.push(post);
        }
    }
    if let From::ExportFile(file) = from {
        let found = count::compare(file, &config.paths.root, report);
        let (counted, lost) = found.map_err(|error| {
            let message = format!(
                "the export file could not be read ({})",
                files::reason(&error)
            );
            Problems::from(
                Problem::error(Code::ImportFailed, message)
                    .at(Place::file(file.display().to_string())),
            )
        })?;
        let unexplained = lost.iter().filter(|lost| lost.reason.is_none()).count();
        proof.unexplained += unexplained;
        proof.explained += lost.len() - unexplained;
        (proof.counted, proof.lost) = (Some(counted), lost);
        proof.lost.sort_by_key(|lost| lost.reason.is_some());
    }
    proof
        .posts
        .sort_by_key(|post| post.differences.iter().all(|one| one.reason.is_some()));
    let json = serde_json::to_vec_pretty(&proof).unwrap_or_default();
    for (name, bytes) in [
        ("report.json", json),
        ("report.html", show::html(&proof).into_bytes()),
    ] {
        let file = folder.join(name);
        cache::keep(&file, &bytes)
            .map_err(|error| not_written(&file.display().to_string(), &error))?;
    }
    // Both outputs can be made again, and nobody looks for them here.
    let _ = fs_err::remove_dir_all(&aside);
    Ok(proof)
}

/// A side of the comparison: the site with an output folder of its own, and without what the comparison does not need.
fn side(config: &Config, aside: &Path, name: &str) -> Config {
    let mut side = config.clone();
    side.paths.out = aside.join(name);
    side.paths.search = aside.join(format!("{name}-search"));
    side.site.blog.search = false;
    side.site.precompress = false;
    side.run.strict = false;
    side.run.precompress = false;
    // As with `--set`, so that addresses are not compared with `content/urls.lock`.
    side.run.overrides.push("blog.search=false".to_owned());
    side
}

/// Makes WordPress the source of the blog.
fn snapshot(mut config: Config, evidence: &Evidence, aside: &Path) -> Result<Config, Box<Problem>> {
    let blog = &mut config.site.blog;
    blog.source = BlogSource::Wordpress;
    blog.url = Some(Spanned {
        value: evidence.home.clone(),
        ..Spanned::default()
    });
    blog.language_by = LanguageBy::Parameter;
    blog.languages.clear();
    let value = aside.join("snapshot").display().to_string();
    blog.snapshot = Some(Spanned {
        value,
        ..Spanned::default()
    });
    config.run.snapshot = SnapshotMode::Offline;
    // They are for the other side, and lead to pages that drafts and names of tags may change.
    config.site.redirects.clear();
    archive::write_snapshot(&config, &evidence.posts)?;
    for (address, file) in &evidence.pictures {
        let file = config.paths.root.join(file);
        // A picture that could not be had is missing on both sides.
        let _ = archive::put_picture(&config, address, &file);
    }
    Ok(config)
}

fn built(config: Config) -> Result<std::path::PathBuf, Problems> {
    let out = config.paths.out.clone();
    let whole = BuildScope::Site(Workspace::open(config));
    let (finished, problems) = pipeline::build(whole, Purpose::Preview, &|_| {}, &Timings::off());
    if finished.map(Finished::into_report).is_some() {
        return Ok(out);
    }
    let mut all = Problems::new();
    let message = "the import could not be compared with WordPress: the site does not build";
    all.push(
        Problem::error(Code::ImportFailed, message)
            .hint("correct the errors below, and import again"),
    );
    all.extend(problems);
    Err(all)
}

fn compare(post: &ComparedPost, foreign: &Path, own: &Path, addresses: &Addresses) -> PostProof {
    let file = file_of(&post.address);
    let mut result = PostProof {
        file: post.file.clone(),
        address: post.address.clone(),
        from: post.from.clone(),
        differences: Vec::new(),
    };
    let (was, is) = match (
        fs_err::read_to_string(foreign.join(&file)),
        fs_err::read_to_string(own.join(&file)),
    ) {
        (Ok(was), Ok(is)) => (was, is),
        (was, is) => {
            let [wordpress, site] = [was, is]
                .map(|side| side.map_or_else(|error| files::reason(&error), |_| "a page".into()));
            let reason = post
                .reasons
                .notes
                .iter()
                .find(|note| note.starts_with("it is a draft, because"))
                .cloned();
            result.differences.push(Difference {
                what: "page".into(),
                wordpress,
                site,
                reason,
            });
            return result;
        }
    };
    let hunks = body::compare(&was, &is, addresses);
    let texts = TextDifferences::of(
        &was,
        hunks.iter().any(|hunk| hunk.subject == LineSubject::Text),
    );
    for hunk in hunks {
        let reason = post.reasons.of(&hunk, texts);
        let Hunk { subject, old, new } = hunk;
        let what = match subject {
            LineSubject::Facts => "author and date",
            LineSubject::Tags => "tags",
            LineSubject::Text => "text",
        };
        let (wordpress, site) = (old.join("\n"), new.join("\n"));
        result.differences.push(Difference {
            what: what.into(),
            wordpress,
            site,
            reason,
        });
    }
    let (was, is) = (diff::facts(&was), diff::facts(&is));
    for name in was
        .keys()
        .chain(is.keys())
        .collect::<std::collections::BTreeSet<_>>()
    {
        let [wordpress, site] =
            [&was, &is].map(|facts| body::value(facts.get(name).map_or("", String::as_str)));
        if wordpress != site {
            let reason = post.reasons.of_value(name, &wordpress, &site, texts);
            result.differences.push(Difference {
                what: name.clone(),
                wordpress,
                site,
                reason,
            });
        }
    }
    result
}

/// The problem that stands for all differences without a reason.
pub fn problem(proof: &Proof, report: &str) -> Option<Problem> {
    let differs = proof
        .posts
        .iter()
        .find(|post| post.differences.iter().any(|one| one.reason.is_none()));
    let lost = proof.lost.iter().find(|lost| lost.reason.is_none());
    let file = differs
        .map(|post| &post.file)
        .or(lost.map(|lost| &lost.file))?;
    let all = match proof.unexplained {
        1 => "1 difference from WordPress has no known reason".to_owned(),
        count => format!("{count} differences from WordPress have no known reason"),
    };
    let message = match lost {
        Some(Lost {
            item, what, text, ..
        }) => {
            let example = if proof.unexplained > 1 {
                "for example "
            } else {
                ""
            };
            format!("{all} ({example}{what} missing from {item}: {text})")
        }
        None => all,
    };
    let problem = Problem::error(Code::ImportDiffers, message);
    let problem = if file.is_empty() {
        problem
    } else {
        problem.at(Place::file(file.clone()))
    };
    Some(problem.hint(format!("see `{report}` for all differences")))
}

/// The path of an address below the home page of WordPress; other addresses as they are.
pub(super) fn own_path<'a>(home: &str, address: &'a str) -> Option<&'a str> {
    let host = comparable(home);
    let host = host.split('/').next().unwrap_or_default();
    let (_, rest) = address.split_once("://")?;
    let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    (comparable(&rest[..at]) == host).then(|| if at == rest.len() { "/" } else { &rest[at..] })
}
