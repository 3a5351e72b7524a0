//! Encodes the pictures listed on standard input on all cores, as `sitegen build` does. `bench/pictures` measures it.
//!
//! A line is `FORMAT WIDTH SOURCE TARGET`, separated by tabs: `avif 768 photo.jpg photo-768.avif`. Each source is
//! decoded once.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Read as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use pictures::{PictureFormat, Pixels};

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let jobs: Vec<[&str; 4]> = text
        .lines()
        .map(|line| {
            <[&str; 4]>::try_from(line.split('\t').collect::<Vec<_>>()).map_err(|_| format!("not a job: {line}"))
        })
        .collect::<Result<_, String>>()?;
    let unpacked: BTreeMap<&str, OnceLock<Pixels>> = jobs.iter().map(|job| (job[2], OnceLock::new())).collect();
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), Failure> {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            one(job, &unpacked[job[2]])?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a thread has failed")?)
    })
}

fn one([form, width, source, target]: &[&str; 4], unpacked: &OnceLock<Pixels>) -> Result<(), Failure> {
    let form = match *form {
        "avif" => PictureFormat::Avif,
        "webp" => PictureFormat::WebP,
        "jpeg" | "png" => PictureFormat::Fallback,
        other => return Err(format!("unknown format `{other}`").into()),
    };
    let pixels = if let Some(pixels) = unpacked.get() {
        pixels
    } else {
        let pixels = pictures::decode(&std::fs::read(source)?)?;
        unpacked.get_or_init(|| pixels)
    };
    std::fs::write(target, pixels.encode(form, width.parse()?)?)?;
    Ok(())
}
