//! The Node process that prerenders islands. It reads and writes JSON lines, and is started for the first island that
//! is not cached.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::assets::OLDEST_NODE;
use diagnostics::problem::{Code, Problem};

/// Timeout of one request. Rendering a component takes a millisecond, on a busy machine a hundred times as long.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// A running process.
pub(super) struct Node {
    child: Child,
    stdin: ChildStdin,
    answers: Receiver<String>,
    /// Collects its standard error until it ends.
    stderr: Option<JoinHandle<String>>,
}

/// A request: one line of JSON.
#[derive(Serialize)]
struct Request<'a> {
    island: &'a str,
    props: &'a serde_json::value::RawValue,
    prefix: &'a str,
}

/// A response. The first line contains Node's version; every other line answers a request.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum NodeAnswer {
    Ready(String),
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

impl Node {
    /// Starts Node with the site's prerender bundle. An error if there is no Node, or if it is too old.
    pub(super) fn start(node: Option<&Path>, bundle: &Path, root: &Path) -> Result<Node, Problem> {
        let hint = format!("install Node.js {OLDEST_NODE} or newer, or name its executable in SITEGEN_NODE");
        let missing = |why: String| {
            Problem::error(Code::NodeMissing, format!("Node.js prerenders the islands, and {why}")).hint(hint.clone())
        };
        let Some(node) = node else {
            return Err(missing("there is no `node` in the PATH".into()));
        };
        let mut child = Command::new(node)
            .arg("--enable-source-maps")
            .arg(bundle)
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                missing(format!("`{}` could not be started ({})", node.display(), crate::files::reason(&error)))
            })?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(missing("its streams could not be opened".into()));
        };
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let stderr = std::thread::spawn(move || {
            let mut text = String::new();
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                // Bytes: enough for a stack trace. A component that logs in a loop must not fill the memory.
                if text.len() < 8192 {
                    text.push_str(&line);
                    text.push('\n');
                }
            }
            text
        });
        let mut started = Node { child, stdin, answers, stderr: Some(stderr) };
        let version = match started.receive("it started") {
            Ok(NodeAnswer::Ready(version)) => version,
            Ok(_) => return Err(missing("`react/prerender.tsx` is of another version of sitegen".into())),
            Err(why) => return Err(missing(why)),
        };
        let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
        if major.is_none_or(|major| major < OLDEST_NODE) {
            return Err(missing(format!("`{}` is {version}, which is too old", node.display())));
        }
        Ok(started)
    }

    /// Renders an island to HTML.
    pub(super) fn render(&mut self, island: &str, props: &str, prefix: &str) -> Result<String, Failure> {
        let raw = serde_json::value::RawValue::from_string(props.to_owned());
        let mut line = raw
            .and_then(|props| serde_json::to_vec(&Request { island, props: &props, prefix }))
            .map_err(|error| Failure::Island(Problem::error(Code::IslandFailed, error.to_string())))?;
        line.push(b'\n');
        let lost = |why: String| Failure::Process(Problem::error(Code::IslandFailed, why));
        let doing = format!("it prerendered the island `{island}`");
        if let Err(error) = self.stdin.write_all(&line).and_then(|()| self.stdin.flush()) {
            let why = self.exit_reason(&doing).unwrap_or_else(|| format!("its input could not be written ({error})"));
            return Err(lost(format!("Node.js prerenders the islands, and {why}")));
        }
        match self.receive(&doing) {
            Ok(NodeAnswer::Html(html)) => Ok(html),
            Ok(NodeAnswer::Threw { message, stack }) => {
                let problem = Problem::error(Code::IslandFailed, format!("the island `{island}` threw: {message}"));
                Err(Failure::Island(problem.maybe_hint(frames(&stack))))
            }
            Ok(NodeAnswer::Missing) => {
                let problem =
                    Problem::error(Code::UnknownIsland, format!("`react/islands.ts` has no island `{island}`"));
                Err(Failure::Island(
                    problem.hint(format!("add `\"{island}\": () => import(\"./islands/{island}/{island}\"),` to it")),
                ))
            }
            Ok(NodeAnswer::Ready(_)) => Err(lost("Node.js started twice".into())),
            Err(why) => Err(lost(format!("Node.js prerenders the islands, and {why}"))),
        }
    }

    fn receive(&mut self, doing: &str) -> Result<NodeAnswer, String> {
        match self.answers.recv_timeout(ANSWER_TIMEOUT) {
            Ok(line) => serde_json::from_str(&line).map_err(|_| format!("its answer could not be read: {line}")),
            Err(RecvTimeoutError::Timeout) => {
                let _ = self.child.kill();
                Err(format!("did not answer within {} s while {doing}", ANSWER_TIMEOUT.as_secs()))
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(self.exit_reason(doing).unwrap_or_else(|| format!("it stopped answering while {doing}")))
            }
        }
    }

    /// The exit status of a process that has ended, with the last error that it printed.
    fn exit_reason(&mut self, doing: &str) -> Option<String> {
        // Its output is closed, so it has ended or is about to.
        let status = self.child.wait().ok()?;
        let stderr = self.stderr.take().and_then(|stderr| stderr.join().ok()).unwrap_or_default();
        let message = stderr.lines().rev().find(|line| line.contains("Error")).or_else(|| stderr.lines().last());
        let message = message.map(|line| format!(": {}", line.trim())).unwrap_or_default();
        Some(format!("ended ({status}) while {doing}{message}"))
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The frames of a stack trace that are in the site's own files, the innermost first.
fn frames(stack: &str) -> Option<String> {
    let own: Vec<&str> = stack
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("at ") && line.contains("react/") && !line.contains("node_modules"))
        .take(5)
        .collect();
    (!own.is_empty()).then(|| own.join(" ← "))
}
