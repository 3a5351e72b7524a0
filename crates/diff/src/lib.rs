//! Compares two outputs: which pages are new, gone, moved or different, and what a reader, a search engine and a network
//! notice of them.
//!
//! A file whose hash is in the manifests of both builds is not read; only pages that differ are parsed. A change that
//! many pages share, such as a label of the menu, is reported once.

mod document;
mod folder;
mod moves;
mod pages;
mod show;
mod site_files;
mod words;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use serde::Serialize;

use diagnostics::problem::Problem;

use workspace::parallel;

use document::Document;
pub use folder::{FileInfo, OutputFolder, address_of};
use folder::{different, is_page};
pub use show::{markdown, text};
pub use words::{ListedText, listed_texts};

/// A change on at least this many pages is reported once for all of them.
const SHARED_BY: usize = 5;

/// The differences between two outputs.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// `base_url` before and now, if it differs. Other changes do not repeat it.
    pub base_url: Option<(String, String)>,
    /// Addresses of pages that only the new output has.
    pub added: Vec<PageName>,
    /// Pages that only the old output has, without a redirect.
    pub removed: Vec<PageName>,
    /// Pages at another address.
    pub moved: Vec<Move>,
    /// Redirects that only the old output has: their addresses answer nothing now.
    pub lost_redirects: Vec<PageRedirect>,
    /// Redirects that only the new output has, or that lead elsewhere now.
    pub redirects: Vec<PageRedirect>,
    /// Changes of many pages.
    pub shared: Vec<SharedChange>,
    /// Pages with changes of their own, the most changed first.
    pub changed: Vec<PageChange>,
    /// How many pages differ in names of assets only.
    pub same_but_assets: usize,
    /// Addresses in sitemaps and entries of feeds.
    pub lists: Vec<ListChange>,
    /// Other files: headers, redirects, `robots.txt`, files of `static/`.
    pub files: Vec<FileChange>,
    /// Assets by their names without hashes, the largest difference first.
    pub assets: Vec<AssetChange>,
}

/// A page by its address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageName {
    /// Its address, without the path of `base_url`.
    pub address: String,
    /// Its title.
    pub title: String,
}

/// A page that has another address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Move {
    /// Its old address.
    pub from: String,
    /// Its new one.
    pub to: String,
    /// Whether the old address leads to the new one.
    pub is_redirected: bool,
}

/// A redirect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageRedirect {
    /// Its address.
    pub from: String,
    /// Where it leads to.
    pub to: String,
}

/// A change of many pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedChange {
    /// The change.
    pub change: Change,
    /// How many pages have it.
    pub pages: usize,
    /// Some of them.
    pub examples: Vec<String>,
}

/// The changes of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageChange {
    /// Its address.
    pub address: String,
    /// Its title.
    pub title: String,
    /// The changes.
    pub changes: Vec<Change>,
}

/// The subject of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// Title, description, canonical address, robots, language.
    Head,
    /// The address of the page in another language.
    Hreflang,
    /// A heading.
    Heading,
    /// Words of a paragraph.
    Words,
    /// The same words in another order.
    Order,
    /// A link.
    Link,
    /// A picture, or its alternative text.
    Picture,
    /// A value of the structured data.
    Data,
    /// The preview in social networks.
    Sharing,
    /// Bytes that the page loads.
    Weight,
    /// Markup that nothing above explains.
    Markup,
}

impl Subject {
    /// How much a change of it matters, to sort pages.
    fn importance(self) -> usize {
        match self {
            Subject::Head => 20,
            Subject::Hreflang | Subject::Heading => 10,
            Subject::Data | Subject::Link | Subject::Picture | Subject::Weight => 5,
            Subject::Words | Subject::Order | Subject::Sharing => 2,
            Subject::Markup => 1,
        }
    }
}

/// One change of a page.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Change {
    /// The subject.
    pub subject: Subject,
    /// Which one of them: `title`, an address, the path of a value.
    pub name: String,
    /// The old value; `None` if it is new.
    pub old: Option<String>,
    /// The new value; `None` if it is gone.
    pub new: Option<String>,
}

/// How a list of addresses has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListChange {
    /// `sitemap.xml`, `blog/feed.xml`.
    pub file: String,
    /// Addresses that are new.
    pub added: Vec<String>,
    /// Addresses that are gone.
    pub removed: Vec<String>,
    /// Addresses whose entries differ.
    pub changed: Vec<String>,
}

/// How another file has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// Its path.
    pub file: String,
    /// Its length in bytes before; `None` if it is new.
    pub old: Option<u64>,
    /// Its length in bytes now; `None` if it is gone.
    pub new: Option<u64>,
    /// The lines that differ, with `+` and `-`, if it is a text.
    pub lines: Vec<String>,
}

/// How the assets of a name have changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AssetChange {
    /// Their name without a hash.
    pub name: String,
    /// Their bytes together before; 0 if they are new.
    pub old: u64,
    /// Their bytes together now; 0 if they are gone.
    pub new: u64,
}

impl Comparison {
    /// Whether the outputs are the same for readers, search engines and networks.
    pub fn is_same(&self) -> bool {
        let Comparison {
            same_but_assets: _,
            assets,
            ..
        } = self;
        assets.is_empty()
            && Comparison {
                assets: Vec::new(),
                same_but_assets: 0,
                ..self.without_assets()
            } == Comparison::default()
    }

    fn without_assets(&self) -> Comparison {
        Comparison {
            base_url: self.base_url.clone(),
            added: self.added.clone(),
            removed: self.removed.clone(),
            moved: self.moved.clone(),
            lost_redirects: self.lost_redirects.clone(),
            redirects: self.redirects.clone(),
            shared: self.shared.clone(),
            changed: self.changed.clone(),
            lists: self.lists.clone(),
            files: self.files.clone(),
            ..Comparison::default()
        }
    }

    /// The addresses that answered before and do not anymore.
    pub fn lost(&self) -> impl Iterator<Item = &str> {
        let removed = self.removed.iter().map(|page| page.address.as_str());
        let moved = self
            .moved
            .iter()
            .filter(|page| !page.is_redirected)
            .map(|page| page.from.as_str());
        removed.chain(moved).chain(
            self.lost_redirects
                .iter()
                .map(|redirect| redirect.from.as_str()),
        )
    }
}

/// The length of a page, and what it contains.
fn page(folder: &OutputFolder, name: &str) -> Result<(u64, Document), Problem> {
    folder
        .text(name)
        .map(|html| (html.len() as u64, document::read(&html)))
}

/// Pages that the other side does not have.
fn only(side: &OutputFolder, other: &OutputFolder) -> Result<Vec<(String, Document)>, Problem> {
    let names = side
        .files
        .keys()
        .filter(|name| is_page(name) && !other.files.contains_key(*name));
    let names: Vec<&String> = names.collect();
    parallel::map(&names, |name| Ok((address_of(name), page(side, name)?.1)))
        .into_iter()
        .collect()
}

/// Compares two outputs.
pub fn compare(old: &OutputFolder, new: &mut OutputFolder) -> Result<Comparison, Problem> {
    let mut comparison = Comparison::default();
    if let (Some(was), Some(is)) = (base_url(old)?, base_url(new)?)
        && was != is
    {
        new.read_as(&is, &was);
        comparison.base_url = Some((was, is));
    }
    let new = &*new;
    let differing = different(old, new)?;
    let (gone, fresh) = (only(old, new)?, only(new, old)?);
    let pages: Vec<&str> = differing
        .iter()
        .copied()
        .filter(|name| is_page(name))
        .collect();
    let compared = parallel::map(&pages, |name| {
        let ((old_length, was), (new_length, is)) = (page(old, name)?, page(new, name)?);
        let address = address_of(name);
        Ok(match (was.redirect.clone(), is.redirect.clone()) {
            (None, None) => {
                let changes = pages::changes(&was, &is, (old_length, new_length), old, new);
                let changes = if changes.is_empty() && pages::differs_in_markup(old, new, name)? {
                    vec![pages::markup(old_length, new_length)]
                } else {
                    changes
                };
                let title = is.head.get("title").cloned().unwrap_or_default();
                FileComparison::Page(PageChange {
                    address,
                    title,
                    changes,
                })
            }
            (was_redirect, is_redirect) => FileComparison::Redirect {
                address,
                was: was_redirect,
                is: is_redirect,
                old: Box::new(was),
                new: Box::new(is),
            },
        })
    });
    let mut moves = moves::Moves::default();
    for (address, page) in gone {
        moves.gone(address, page);
    }
    for (address, page) in fresh {
        moves.fresh(address, page);
    }
    let mut changed = Vec::new();
    for one in compared {
        match one? {
            FileComparison::Page(page) if page.changes.is_empty() => {
                comparison.same_but_assets += 1;
            }
            FileComparison::Page(page) => changed.push(page),
            FileComparison::Redirect {
                address,
                was,
                is,
                old,
                new,
            } => match (was, is) {
                (None, Some(_)) => {
                    moves.gone(address.clone(), *old);
                    moves.fresh(address, *new);
                }
                (Some(_), None) => moves.fresh(address, *new),
                (was, Some(to)) if was.as_ref() != Some(&to) => {
                    comparison
                        .redirects
                        .push(PageRedirect { from: address, to });
                }
                _ => {}
            },
        }
    }
    moves.finish(&mut comparison);
    let (shared, mut changed) = share(changed);
    changed.sort_by_cached_key(|page| {
        (
            Reverse(page.changes.iter().map(pages::importance).sum::<usize>()),
            page.address.clone(),
        )
    });
    (comparison.shared, comparison.changed) = (shared, changed);
    site_files::compare(old, new, &differing, &mut comparison)?;
    Ok(comparison)
}

/// The facts in a page about itself: the values of its head and of its structured data, by name.
pub fn facts(html: &str) -> BTreeMap<String, String> {
    let Document { head, data, .. } = document::read(html);
    head.into_iter().chain(data).collect()
}

/// The canonical address of the home page.
fn base_url(folder: &OutputFolder) -> Result<Option<String>, Problem> {
    const HOME: &str = "index.html";
    if !folder.files.contains_key(HOME) {
        return Ok(None);
    }
    let home = document::read(&folder.text(HOME)?);
    Ok(home
        .head
        .get("canonical")
        .map(|address| address.trim_end_matches('/').to_owned()))
}

/// The result for a file that both sides have.
enum FileComparison {
    Page(PageChange),
    /// It is a redirect on one side at least.
    Redirect {
        address: String,
        was: Option<String>,
        is: Option<String>,
        old: Box<Document>,
        new: Box<Document>,
    },
}

/// Moves the changes that many pages have out of them. Pages without changes of their own are left out.
fn share(pages: Vec<PageChange>) -> (Vec<SharedChange>, Vec<PageChange>) {
    let mut counts: HashMap<&Change, usize> = HashMap::new();
    let mut pages = pages;
    for page in &mut pages {
        let mut seen = HashSet::new();
        page.changes.retain(|change| seen.insert(change.clone()));
    }
    for page in &pages {
        page.changes
            .iter()
            .for_each(|change| *counts.entry(change).or_default() += 1);
    }
    let mut shared: BTreeMap<Change, SharedChange> = counts
        .into_iter()
        .filter(|(_, count)| *count >= SHARED_BY)
        .map(|(change, pages)| {
            (
                change.clone(),
                SharedChange {
                    change: change.clone(),
                    pages,
                    examples: Vec::new(),
                },
            )
        })
        .collect();
    let mut own = Vec::new();
    for mut page in pages {
        page.changes.retain(|change| match shared.get_mut(change) {
            Some(known) => {
                if known.examples.len() < 3 {
                    known.examples.push(page.address.clone());
                }
                false
            }
            None => true,
        });
        if !page.changes.is_empty() {
            own.push(page);
        }
    }
    let mut shared: Vec<SharedChange> = shared.into_values().collect();
    shared.sort_by(|a, b| b.pages.cmp(&a.pages).then_with(|| a.change.cmp(&b.change)));
    (shared, own)
}
