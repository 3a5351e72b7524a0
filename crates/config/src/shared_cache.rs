//! The cache that machines share: `--cache FOLDER` or `--cache s3://BUCKET/PREFIX`, or the same in `SITEGEN_CACHE`.

use std::path::Path;

use bucket::Bucket;

use diagnostics::problem::{Code, Problem, Problems};
use workspace::cache::Place;

use super::{absolute, aws, environment, text_in};

/// The shared cache that the flag or the environment names. Without credentials it is not used, which is a warning:
/// builds of pull requests from other repositories have none.
pub fn place(flag: Option<&str>) -> (Option<Place>, Problems) {
    let Some(text) = flag
        .map(str::to_owned)
        .or_else(|| text_in(environment::CACHE))
    else {
        return (None, Problems::new());
    };
    let is_bucket = text.strip_prefix("s3://").is_some_and(|rest| {
        rest.trim_end_matches('/')
            .split_once('/')
            .is_some_and(|(bucket, prefix)| !bucket.is_empty() && !prefix.is_empty())
    });
    if !is_bucket && text.contains("://") {
        let problem = Problem::error(
            Code::BadSetting,
            format!("the shared cache `{text}` is neither a folder nor a bucket with a prefix"),
        );
        return (
            None,
            problem
                .hint("name a folder, or a bucket with a prefix: `s3://BUCKET/PREFIX`")
                .into(),
        );
    }
    if !is_bucket {
        return (
            Some(Place::Folder(absolute(Path::new(&text)))),
            Problems::new(),
        );
    }
    match Bucket::from(&text, aws::endpoint(), aws::value) {
        Ok(bucket) => (
            bucket.map(|bucket| Place::Bucket(Box::new(bucket), text)),
            Problems::new(),
        ),
        Err(why) => {
            let message = format!("the shared cache `{text}` is not used ({why})");
            (
                None,
                Problem::warning(Code::CacheUnavailable, message).into(),
            )
        }
    }
}
