//! Requests to the Node process that prerenders islands.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::NodeProcess;
use api_types::islands::Island;
use diagnostics::problem::{Code, Problem};

/// Timeout of one request. Rendering a component takes a millisecond, on a busy machine a hundred times as long.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A request to `react/prerender.tsx`.
#[derive(Serialize)]
struct Request<'a> {
    island: &'a str,
    props: &'a RawValue,
    prefix: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Answer {
    Html(String),
    Threw { message: String, stack: String },
    Missing,
}

/// Why a request failed.
pub(super) enum Failure {
    /// The component threw or does not exist. The process keeps running.
    Island(Problem),
    /// The process ended or does not respond, and must be started again.
    Process(Problem),
}

/// Starts Node with the site's prerender bundle. An error if there is no Node, or if it is too old.
pub(super) fn start(
    node: Option<&Path>,
    bundle: &Path,
    root: &Path,
) -> Result<NodeProcess, Problem> {
    let arguments = [OsStr::new("--enable-source-maps"), bundle.as_os_str()];
    NodeProcess::start(node, "prerenders the islands", &arguments, root, TIMEOUT)
}

/// Renders an island to HTML.
pub(super) fn render(
    node: &NodeProcess,
    island: &str,
    props: &str,
    prefix: &str,
) -> Result<String, Failure> {
    let props = RawValue::from_string(props.to_owned())
        .map_err(|error| Failure::Island(failed(error.to_string())))?;
    let request = Request {
        island,
        props: &props,
        prefix,
    };
    match node.ask(
        &request,
        &format!("prerendering the island `{island}`"),
        TIMEOUT,
    ) {
        Ok(Answer::Html(html)) => Ok(html),
        Ok(Answer::Threw { message, stack }) => {
            let problem = failed(format!("the island `{island}` threw an error: {message}"));
            Err(Failure::Island(problem.maybe_hint(frames(&stack))))
        }
        Ok(Answer::Missing) => {
            let table = if Island::named(island).is_some() {
                "react/islands.ts"
            } else {
                "react/custom-islands.ts"
            };
            let problem = Problem::error(
                Code::UnknownIsland,
                format!("`{table}` has no island `{island}`"),
            );
            Err(Failure::Island(problem.hint(format!(
                "add `\"{island}\": () => import(\"./islands/{island}/{island}\"),` to `{table}`"
            ))))
        }
        Err(why) => Err(Failure::Process(failed(why))),
    }
}

/// A problem with rendering islands in Node.
fn failed(why: String) -> Problem {
    Problem::error(Code::IslandFailed, why)
}

/// The frames of a stack trace that are in the site's own files, the innermost first.
fn frames(stack: &str) -> Option<String> {
    let own: Vec<&str> = stack
        .lines()
        .map(str::trim)
        .filter(|line| {
            line.starts_with("at ") && line.contains("react/") && !line.contains("node_modules")
        })
        .take(5)
        .collect();
    (!own.is_empty()).then(|| own.join(" ← "))
}
