//! Encodes pixels as AVIF and WebP with sharp, an npm package with the encoders of `AOMedia` and Google.
//!
//! sharp's AVIF files are a quarter smaller than those of the encoders written in Rust, and take a third of the time
//! (`bench/pictures`). It only encodes: files are decoded and resized by the crate `pictures`, so a hostile picture of
//! a CMS does not reach a decoder written in C.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pictures::Pixels;
use serde::{Deserialize, Serialize};

use config::Config;
use diagnostics::problem::{Code, Place, Problem};

use super::node::{LazyNode, NodeProcess};

const SCRIPT: &str = include_str!("encoder.js");
/// The package, in the folder of npm packages.
const PACKAGE: &str = "sharp";
/// Timeout of one request. Encoding takes up to a few seconds, on a busy machine many times as long.
const TIMEOUT: Duration = Duration::from_mins(2);

/// A format that sharp encodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharpFormat {
    /// The AV1 image format, with color at full resolution.
    Avif,
    /// Lossy WebP.
    WebP,
}

impl SharpFormat {
    /// The format as sharp names it, and its options. Quality is 0 to 100; a higher effort gives smaller files.
    const fn options(self) -> (&'static str, EncoderOptions) {
        match self {
            // An effort of 4, which is sharp's default, takes three times as long for 4 % smaller files.
            SharpFormat::Avif => (
                "avif",
                EncoderOptions {
                    quality: 50,
                    effort: 3,
                },
            ),
            SharpFormat::WebP => (
                "webp",
                EncoderOptions {
                    quality: 74,
                    effort: 6,
                },
            ),
        }
    }
}

#[derive(Debug, Clone, Copy, Serialize)]
struct EncoderOptions {
    quality: u8,
    effort: u8,
}

#[derive(Serialize)]
struct Request<'a> {
    width: u32,
    height: u32,
    channels: u8,
    /// Base64.
    pixels: String,
    format: &'a str,
    options: EncoderOptions,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Answer {
    /// Base64.
    Bytes(String),
    Failed(String),
}

/// The encoder of a run, for all threads.
#[derive(Debug)]
pub struct Encoder {
    root: PathBuf,
    node: Option<PathBuf>,
    packages: PathBuf,
    /// The version of sharp, and the options of its formats. Part of cache keys, because other ones give other bytes.
    pub(super) settings: String,
    process: LazyNode,
}

#[derive(Deserialize)]
struct SharpPackage {
    version: String,
}

impl Encoder {
    /// An encoder that starts Node when it is first used. An error if sharp is not installed.
    pub fn new(config: &Config) -> Result<Encoder, Problem> {
        let package = package_file(config).and_then(|file| fs_err::read(file).ok());
        let package = package.and_then(|text| serde_json::from_slice::<SharpPackage>(&text).ok());
        let (Some(SharpPackage { version }), Some(packages)) =
            (package, config.paths.node_modules.clone())
        else {
            return Err(Problem::error(
                Code::BundlerMissing,
                "sharp is not installed, but the site has photographs",
            )
            .hint("run `npm install` in the site's folder"));
        };
        let options = [SharpFormat::Avif, SharpFormat::WebP].map(|format| {
            let (name, EncoderOptions { quality, effort }) = format.options();
            format!("{name} {quality}/{effort}")
        });
        Ok(Encoder {
            root: config.paths.root.to_path_buf(),
            node: config.paths.node.clone(),
            packages,
            settings: format!("sharp {version}, {}", options.join(", ")),
            process: LazyNode::default(),
        })
    }

    /// Encodes a picture, which may take seconds. Threads may call it at the same time.
    ///
    /// # Errors
    /// A problem at `place` if the picture cannot be encoded, and one without a place if Node.js cannot be started.
    pub fn encode(
        &self,
        pixels: &Pixels,
        format: SharpFormat,
        place: &Place,
    ) -> Result<Vec<u8>, Problem> {
        let (name, options) = format.options();
        let request = Request {
            width: pixels.width(),
            height: pixels.height(),
            channels: if pixels.is_opaque() { 3 } else { 4 },
            pixels: STANDARD.encode(pixels.data()),
            format: name,
            options,
        };
        let process = self.process.get(|| self.start())?;
        let encoded = match process.ask(&request, "encoding an image", TIMEOUT) {
            Ok(Answer::Bytes(text)) => STANDARD
                .decode(text)
                .map_err(|error| format!("sharp's response is not base64: {error}")),
            Ok(Answer::Failed(why)) => Err(format!("sharp: {why}")),
            Err(why) => {
                self.process.discard(&process);
                Err(why)
            }
        };
        encoded.map_err(|why| {
            Problem::error(
                Code::BadImage,
                format!("the image could not be used ({why})"),
            )
            .at(place.clone())
        })
    }

    fn start(&self) -> Result<NodeProcess, Problem> {
        let arguments = [
            OsStr::new("--eval"),
            OsStr::new(SCRIPT),
            self.packages.as_os_str(),
        ];
        NodeProcess::start(
            self.node.as_deref(),
            "encodes photographs",
            &arguments,
            &self.root,
            TIMEOUT,
        )
    }
}

/// The file with the version of the installed package, whether or not it exists.
pub(super) fn package_file(config: &Config) -> Option<PathBuf> {
    Some(
        config
            .paths
            .node_modules
            .as_ref()?
            .join(PACKAGE)
            .join("package.json"),
    )
}
