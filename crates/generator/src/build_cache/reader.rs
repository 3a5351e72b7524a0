//! Reads a manifest in two steps: first what it takes to see that nothing has changed, a quarter of it, and the rest if
//! something has. Each part is verified before it is decoded.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::FileExt as _;

use crate::parallel;

use super::stream::Written;
use super::{BuildManifest, HEAD, Head, List, LoadStatus, MADE_BY, PageEntry, Part, Published};

/// Maximum length of a head in bytes.
const HEAD_MAX: u64 = 1024;

/// The parts of a manifest that have not been read, the pages and the links. The file is open, so it can be read after
/// another one took its place.
#[derive(Debug)]
pub struct UnreadParts {
    file: File,
    pages: StoredPart,
    links: StoredPart,
}

/// A part, and where it begins in the file, in bytes.
#[derive(Debug)]
struct StoredPart {
    start: u64,
    written: Written,
}

/// Reads everything but the pages and the links.
pub(super) fn open(file: File) -> Result<(BuildManifest, UnreadParts), LoadStatus> {
    let [up_to_date, first, pages, links] = parts(&file)?;
    let read = || {
        let up_to_date = postcard::from_bytes(&up_to_date.read(&file)?).ok()?;
        let (files, folders, scanned_at, posts, search, values): (List<Published>, List<u64>, _, _, _, _) =
            postcard::from_bytes(&first.read(&file)?).ok()?;
        let (files, folders) = (files.into_iter().collect(), folders.into_iter().collect());
        let (pages, links) = (Part::default(), Part::default());
        Some(BuildManifest { files, folders, scanned_at, values, pages, links, posts, search, up_to_date })
    };
    let manifest = read().ok_or(LoadStatus::Damaged)?;
    Ok((manifest, UnreadParts { file, pages, links }))
}

/// The parts of a manifest whose head is right and that has the length that it should have.
fn parts(file: &File) -> Result<[StoredPart; 4], LoadStatus> {
    let mut start = Vec::new();
    file.take(HEAD_MAX).read_to_end(&mut start).map_err(|_| LoadStatus::Damaged)?;
    let head = || {
        let (sum, rest) = start.strip_prefix(HEAD)?.split_at_checked(32)?;
        let (head, body) = postcard::take_from_bytes::<Head>(rest).ok()?;
        let is_intact = blake3::hash(&rest[..rest.len() - body.len()]).as_bytes() == sum;
        is_intact.then_some((head, start.len() - body.len(), file.metadata().ok()?.len()))
    };
    let ((made_by, written), end, length) = head().ok_or(LoadStatus::Damaged)?;
    if made_by != MADE_BY {
        return Err(LoadStatus::OtherVersion);
    }
    let mut at = end as u64;
    let parts = written.map(|written| {
        let start = at;
        at = at.saturating_add(written.length);
        StoredPart { start, written }
    });
    if at == length { Ok(parts) } else { Err(LoadStatus::Damaged) }
}

impl UnreadParts {
    /// Adds the pages and the links to the manifest. Returns `false`, and adds nothing, if one of them is damaged.
    pub(super) fn add_to(&self, manifest: &mut BuildManifest) -> bool {
        let (pages, links) = parallel::join(|| self.pages.read(&self.file), || self.links.read(&self.file));
        let (Some(pages), Some(links)) = (pages, links) else { return false };
        manifest.pages = Part::read(pages, self.pages.written, |bytes| {
            postcard::from_bytes::<List<PageEntry>>(bytes).map(|list| list.into_iter().collect())
        });
        manifest.links = Part::read(links, self.links.written, |bytes| postcard::from_bytes(bytes));
        true
    }
}

impl StoredPart {
    /// Its bytes; `None` if they are not those that were written.
    fn read(&self, file: &File) -> Option<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(self.written.length).ok()?];
        file.read_exact_at(&mut bytes, self.start).ok()?;
        (*blake3::hash(&bytes).as_bytes() == self.written.sum).then_some(bytes)
    }
}
