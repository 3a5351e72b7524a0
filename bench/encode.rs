//! Encodes the pictures listed on standard input on all cores, as `sitegen build` does. `bench/pictures` measures it.
//!
//! A line is `FORMAT WIDTH SOURCE TARGET`, separated by tabs: `avif 768 photo.jpg photo-768.avif`. Lines for one source
//! follow each other, and so do those for one width of it. The argument is the folder of the site with the packages.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Read as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use assets::{Encoder, SharpFormat};
use config::{self, Options};
use diagnostics::problem::Place;
use pictures::Pixels;

type Failure = Box<dyn Error + Send + Sync>;

/// The pixels that are decoded and resized of one source.
#[derive(Default)]
struct Source {
    whole: Option<Arc<Pixels>>,
    /// The last width.
    resized: Option<(u32, Arc<Pixels>)>,
}

fn main() -> Result<(), Failure> {
    let root = std::env::args().nth(1).ok_or("usage: encode SITE < LIST")?;
    let (config, _) = config::load(&Options {
        root: root.into(),
        ..Options::default()
    });
    let encoder = Encoder::new(&config.ok_or("no site")?).map_err(|problem| problem.message)?;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let jobs: Vec<[&str; 4]> = text
        .lines()
        .map(|line| {
            <[&str; 4]>::try_from(line.split('\t').collect::<Vec<_>>())
                .map_err(|_| format!("not a job: {line}"))
        })
        .collect::<Result<_, String>>()?;
    let sources: BTreeMap<&str, Mutex<Source>> =
        jobs.iter().map(|job| (job[2], Mutex::default())).collect();
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), Failure> {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            one(job, &sources[job[2]], &encoder)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| "a thread has failed")?)
    })
}

fn one(
    [form, width, path, target]: &[&str; 4],
    source: &Mutex<Source>,
    encoder: &Encoder,
) -> Result<(), Failure> {
    let width = width.parse()?;
    let pixels = source
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .resized(path, width)?;
    let place = Place::file(*path);
    let sharp = |format| {
        encoder
            .encode(&pixels, format, &place)
            .map_err(|problem| problem.message)
    };
    let bytes = match *form {
        "avif" => sharp(SharpFormat::Avif)?,
        "webp" => sharp(SharpFormat::WebP)?,
        "jpeg" | "png" => pixels.fallback()?,
        other => return Err(format!("unknown format `{other}`").into()),
    };
    std::fs::write(target, bytes)?;
    Ok(())
}

impl Source {
    fn resized(&mut self, path: &str, width: u32) -> Result<Arc<Pixels>, Failure> {
        if let Some((_, pixels)) = self.resized.as_ref().filter(|(known, _)| *known == width) {
            return Ok(Arc::clone(pixels));
        }
        let whole = match &self.whole {
            Some(whole) => Arc::clone(whole),
            None => Arc::clone(
                self.whole
                    .insert(Arc::new(pictures::decode(&std::fs::read(path)?)?)),
            ),
        };
        let pixels = Arc::new(whole.resized(width)?.into_owned());
        self.resized = Some((width, Arc::clone(&pixels)));
        Ok(pixels)
    }
}
