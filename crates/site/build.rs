//! Sets `SITEGEN_SOURCES` to a hash of the sources of a crate and of those that it calls, so that caches of another build
//! of sitegen are ignored. The crates `site` and `generator` have it.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::path::Path;
use std::process::Command;

fn main() {
    let mut hasher = DefaultHasher::new();
    for file in ["../../Cargo.toml", "../../Cargo.lock", "Cargo.toml"] {
        add(Path::new(file), &mut hasher);
    }
    // The commands and the API are left out: they do not affect anything that is cached.
    for folder in ["src", "../site", "../diagnostics", "../api-types", "../pictures", "../search-index"] {
        add(Path::new(folder), &mut hasher);
    }
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler).arg("-V").output().map(|output| output.stdout).unwrap_or_default();
    version.hash(&mut hasher);
    println!("cargo:rustc-env=SITEGEN_SOURCES={:016x}", hasher.finish());
}

/// Hashes a file, or all files below a folder sorted by name.
fn add(path: &Path, hasher: &mut DefaultHasher) {
    println!("cargo:rerun-if-changed={}", path.display());
    if let Ok(entries) = fs::read_dir(path) {
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths.iter().for_each(|path| add(path, hasher));
    } else {
        path.hash(hasher);
        fs::read(path).unwrap_or_default().hash(hasher);
    }
}
