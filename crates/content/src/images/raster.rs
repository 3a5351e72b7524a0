//! A photograph, known by its header. Its bytes are read when it is hashed or decoded, and let go again: a site may have
//! thousands of photographs, of some MB each.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use pictures::Animation;
use serde::{Deserialize, Serialize};

use diagnostics::problem::{Code, Place, Problem};
use workspace::files::{self, FileSet, Stamp};
use workspace::sources::{Hash, hash};

/// Maximum size of a picture that moves, in bytes: a browser loads it whole, in every width of the page.
pub const MAX_ANIMATION: u64 = 2_000_000;
/// Maximum size of a picture file, in bytes.
pub(super) const LIMIT: u64 = 40 * 1024 * 1024;

/// A photograph.
#[derive(Debug)]
pub struct Raster {
    root: FileSet,
    file: PathBuf,
    /// Its stamp when its header was read.
    stamp: Stamp,
    size: (u32, u32),
    animation: Option<Animation>,
    hashed: Mutex<Option<Hashed>>,
}

/// The hash of a photograph with the settings of its encoder, and the hash of these settings alone.
type Hashed = (Hash, [u8; 32]);

/// The facts about a photograph that the last build has read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownRaster {
    stamp: Stamp,
    size: (u32, u32),
    animation: Option<Animation>,
    hashed: Option<Hashed>,
}

impl Raster {
    /// The photograph in a file: as the last build knew it, if that has the same stamp, or else from its header.
    pub(super) fn open(
        root: &FileSet,
        file: &Path,
        stamp: Option<Stamp>,
        known: Option<&KnownRaster>,
    ) -> Result<Raster, Problem> {
        let raster = |KnownRaster {
                          stamp,
                          size,
                          animation,
                          hashed,
                      }| Raster {
            root: root.clone(),
            file: file.to_owned(),
            stamp,
            size,
            animation,
            hashed: Mutex::new(hashed),
        };
        if let Some(known) = known.filter(|known| Some(known.stamp) == stamp) {
            return Ok(raster(known.clone()));
        }
        let (open, stamp) = root.open_file(file, LIMIT)?;
        let mut open = BufReader::new(open);
        // A file that cannot be read has no size, too.
        let animation = open.fill_buf().ok().and_then(Animation::of);
        let size = pictures::dimensions(open).map_err(|error| {
            let message = format!("the image could not be used ({error})");
            Problem::error(Code::BadImage, message).at(Place::file(files::shown(root, file)))
        })?;
        Ok(raster(KnownRaster {
            stamp,
            size,
            animation,
            hashed: None,
        }))
    }

    /// The facts for the next build, if a file with `stamp` is still the one that was read.
    pub(super) fn known(&self, stamp: Option<Stamp>) -> Option<KnownRaster> {
        let hashed = *self.hashed.lock().unwrap_or_else(PoisonError::into_inner);
        (stamp == Some(self.stamp)).then_some(KnownRaster {
            stamp: self.stamp,
            size: self.size,
            animation: self.animation,
            hashed,
        })
    }

    /// How it moves, if it is published with all its frames.
    pub fn animation(&self) -> Option<Animation> {
        self.animation.filter(|_| self.length() <= MAX_ANIMATION)
    }

    /// Whether it moves, and is too large for a page, which shows its first frame.
    pub fn is_stilled(&self) -> bool {
        self.animation.is_some() && self.animation().is_none()
    }

    /// Width and height of the upright picture.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// The length of the file, in bytes.
    pub fn length(&self) -> u64 {
        self.stamp.length()
    }

    /// The hash of the settings of an encoder and the file, which is read in pieces, unless it is known.
    pub fn hash(&self, settings: &str) -> Result<[u8; 32], Problem> {
        let key = hash(settings.as_bytes());
        let mut hashed = self.hashed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = hashed.filter(|(of, _)| *of == key) {
            return Ok(known);
        }
        let (open, stamp) = self.root.open_file(&self.file, LIMIT)?;
        let mut hasher = hasher(settings);
        // A file may grow while it is read.
        let read = hasher
            .update_reader((&open).take(LIMIT))
            .map(|_| Stamp::of_open(&open));
        let after = read.map_err(|error| files::unreadable(&self.shown(), &error))?;
        if stamp != self.stamp || after != Some(stamp) {
            return Err(self.changed());
        }
        let whole = *hasher.finalize().as_bytes();
        *hashed = Some((key, whole));
        Ok(whole)
    }

    /// The bytes of the file. A problem if they are not those of [`Raster::hash`].
    pub fn bytes(&self, settings: &str) -> Result<Vec<u8>, Problem> {
        let bytes = self.root.read_bytes(&self.file, LIMIT)?;
        let now = *hasher(settings).update(&bytes).finalize().as_bytes();
        if self.hash(settings)? == now {
            Ok(bytes)
        } else {
            Err(self.changed())
        }
    }

    /// Its path as problems print it.
    pub fn shown(&self) -> String {
        files::shown(&self.root, &self.file)
    }

    fn changed(&self) -> Problem {
        let problem = Problem::error(
            Code::ChangedWhileBuilding,
            "the file was changed while the site was being built",
        );
        problem.at(Place::file(self.shown())).hint("build again")
    }
}

/// Hashes a file for an encoder with these settings.
fn hasher(settings: &str) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    hasher.update(settings.as_bytes());
    hasher
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder with a small photograph, and the photograph as it was opened.
    fn photograph() -> (tempfile::TempDir, Raster) {
        let folder = tempfile::tempdir().expect("a folder");
        let bytes = pictures::Pixels::solid(40, 20, [10, 120, 90])
            .fallback()
            .expect("a JPEG");
        fs::write(folder.path().join("a.jpg"), bytes).expect("a file");
        let raster = Raster::open(
            &FileSet::open(folder.path()),
            &folder.path().join("a.jpg"),
            None,
            None,
        )
        .expect("a photograph");
        (folder, raster)
    }

    #[track_caller]
    fn assert_changed<T: std::fmt::Debug>(result: Result<T, Problem>) {
        let problem = result.expect_err("a changed file");
        let place = problem.place.as_ref().map(|place| place.path.as_str());
        assert_eq!(
            (problem.code, place),
            (Code::ChangedWhileBuilding, Some("a.jpg"))
        );
    }

    #[test]
    fn bytes_that_are_not_those_of_the_name_are_refused() {
        let (folder, raster) = photograph();
        let hash = raster.hash("settings").expect("a hash");
        assert_ne!(hash, raster.hash("others").expect("a hash"));
        let bytes = raster.bytes("settings").expect("the same bytes");
        let mut other = bytes.clone();
        *other.last_mut().expect("a byte") ^= 1;
        fs::write(folder.path().join("a.jpg"), other).expect("a file");
        assert_changed(raster.bytes("settings"));
        fs::write(folder.path().join("a.jpg"), &bytes[..10]).expect("a file");
        assert_changed(raster.bytes("settings"));
        fs::write(folder.path().join("a.jpg"), &bytes).expect("a file");
        assert_eq!(raster.bytes("settings").expect("the old bytes"), bytes);
    }

    #[test]
    fn a_file_that_has_changed_since_its_header_was_read_is_not_hashed() {
        let (folder, raster) = photograph();
        let grown = [
            fs::read(folder.path().join("a.jpg")).expect("a file"),
            vec![0; 100],
        ]
        .concat();
        fs::write(folder.path().join("a.jpg"), grown).expect("a file");
        assert_changed(raster.hash("settings"));
        fs::remove_file(folder.path().join("a.jpg")).expect("removed");
        fs::create_dir(folder.path().join("a.jpg")).expect("a folder");
        assert_eq!(
            raster.hash("settings").expect_err("a folder").code,
            Code::Unreadable
        );
        assert_eq!(
            raster.bytes("settings").expect_err("a folder").code,
            Code::Unreadable
        );
    }

    #[test]
    fn only_a_photograph_with_the_same_stamp_is_known() {
        let (folder, raster) = photograph();
        let stamp = Some(raster.stamp);
        raster.hash("settings").expect("a hash");
        let known = raster.known(stamp).expect("known");
        assert_eq!(raster.known(None), None);
        fs::remove_file(folder.path().join("a.jpg")).expect("removed");
        let open = |stamp| {
            Raster::open(
                &FileSet::open(folder.path()),
                &folder.path().join("a.jpg"),
                stamp,
                Some(&known),
            )
        };
        let again = open(stamp).expect("it is not opened");
        assert_eq!(
            (again.size(), again.hash("settings")),
            ((40, 20), raster.hash("settings"))
        );
        assert!(open(None).is_err());
    }
}
