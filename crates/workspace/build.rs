//! Sets `SITEGEN_SOURCES` to a hash of the sources of a crate and of those that it calls, so that caches of another build
//! of sitegen are ignored. Every crate that keeps values for the next build has it.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script is told by the environment, and reads sources"
)]

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::path::Path;
use std::process::Command;

fn main() {
    let mut hasher = DefaultHasher::new();
    for file in ["../../Cargo.toml", "../../Cargo.lock"] {
        add(Path::new(file), &mut hasher);
    }
    let mut crates = BTreeSet::from(["workspace/build.rs".to_owned()]);
    collect(&env::var("CARGO_PKG_NAME").unwrap_or_default(), &mut crates);
    crates
        .iter()
        .for_each(|name| add(&Path::new("..").join(name), &mut hasher));
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler)
        .arg("-V")
        .output()
        .map(|output| output.stdout)
        .unwrap_or_default();
    version.hash(&mut hasher);
    println!("cargo:rustc-env=SITEGEN_SOURCES={:016x}", hasher.finish());
}

/// Collects the manifest and the sources of a crate of this repository, and of those that it calls.
fn collect(name: &str, paths: &mut BTreeSet<String>) {
    let manifest = format!("{name}/Cargo.toml");
    // A crate of another author, or one that is collected already.
    let Ok(text) = fs::read_to_string(Path::new("..").join(&manifest)) else {
        return;
    };
    if !paths.insert(manifest) {
        return;
    }
    paths.insert(format!("{name}/src"));
    let dependencies = text
        .split("\n[dependencies]\n")
        .nth(1)
        .and_then(|rest| rest.split("\n[").next());
    for line in dependencies.unwrap_or_default().lines() {
        collect(line.split('.').next().unwrap_or_default(), paths);
    }
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
