//! A Node.js process that answers requests: React prerenders islands in one, and sharp encodes pictures in another.
//!
//! Requests and answers are JSON lines with an id, so that several threads may use one process at the same time. Its
//! first line has the id 0 and is Node's version. A process is started for the first request.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use foldhash::HashMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::OLDEST_NODE;
use diagnostics::problem::{Code, Problem};

/// A running process.
#[derive(Debug)]
pub struct NodeProcess {
    /// Its purpose, for problems: `prerenders the islands`.
    purpose: &'static str,
    child: Mutex<Child>,
    stdin: Mutex<ChildStdin>,
    waiting: Arc<Mutex<Waiting>>,
    next_id: AtomicU64,
    /// Collects its standard error until it ends.
    stderr: Mutex<Option<JoinHandle<String>>>,
}

/// An answer that could not be read, or the JSON of one that could.
type Answer = Result<Box<RawValue>, String>;

/// Who waits for an answer, by the id of the request; `None` after the process has ended.
type Waiting = Option<HashMap<u64, Sender<Answer>>>;

#[derive(Serialize)]
struct RequestLine<'a, T> {
    id: u64,
    request: &'a T,
}

#[derive(Deserialize)]
struct AnswerLine {
    id: u64,
    answer: Box<RawValue>,
}

/// The problem of a Node.js that is not as it must be.
fn missing(purpose: &str, why: &str) -> Problem {
    let hint = format!(
        "install Node.js {OLDEST_NODE} or newer, or set `SITEGEN_NODE` to the path of its executable"
    );
    Problem::error(
        Code::NodeMissing,
        format!("Node.js, which {purpose}, cannot be used: {why}"),
    )
    .hint(hint)
}

/// The reason for a response that is not as it must be.
fn unreadable(line: &str) -> String {
    format!("its response could not be read: {line:.400}")
}

impl NodeProcess {
    /// Starts `node` with these arguments in a folder. `purpose` completes “Node.js, which …,” in problems. `timeout`
    /// limits the time until it has loaded its script.
    ///
    /// # Errors
    /// A problem without a place if there is no Node, if it is too old, or if the script cannot be loaded.
    #[expect(clippy::disallowed_methods, reason = "runs a program of others")]
    pub fn start(
        node: Option<&Path>,
        purpose: &'static str,
        arguments: &[&OsStr],
        folder: &Path,
        timeout: Duration,
    ) -> Result<NodeProcess, Problem> {
        let Some(node) = node else {
            return Err(missing(purpose, "there is no `node` in `PATH`"));
        };
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let mut child = Command::new(node)
            .args(arguments)
            .current_dir(folder)
            .env("UV_THREADPOOL_SIZE", threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                let why = workspace::files::reason(&error);
                missing(
                    purpose,
                    &format!("`{}` could not be started ({why})", node.display()),
                )
            })?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(missing(purpose, "its streams could not be opened"));
        };
        let (send, greeting) = channel();
        let waiting = Arc::new(Mutex::new(Some(HashMap::from_iter([(0, send)]))));
        let readers = Arc::clone(&waiting);
        std::thread::spawn(move || pass_on(BufReader::new(stdout), &readers));
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
        let process = NodeProcess {
            purpose,
            child: Mutex::new(child),
            stdin: Mutex::new(stdin),
            waiting,
            next_id: AtomicU64::new(1),
            stderr: Mutex::new(Some(stderr)),
        };
        let version: String = process
            .receive(&greeting, "starting", timeout)
            .map_err(|why| missing(purpose, &why))?;
        let major = version
            .trim_start_matches('v')
            .split('.')
            .next()
            .and_then(|major| major.parse::<u32>().ok());
        if major.is_none_or(|major| major < OLDEST_NODE) {
            return Err(missing(
                purpose,
                &format!("`{}` is {version}, which is too old", node.display()),
            ));
        }
        Ok(process)
    }

    /// Sends a request and waits for its answer. `doing` completes “while” in problems.
    ///
    /// # Errors
    /// A sentence, if the process ended, does not answer in time, or answers something else. It must not be used again.
    pub fn ask<T: DeserializeOwned>(
        &self,
        request: &impl Serialize,
        doing: &str,
        timeout: Duration,
    ) -> Result<T, String> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let mut line =
            serde_json::to_vec(&RequestLine { id, request }).map_err(|error| error.to_string())?;
        line.push(b'\n');
        let (send, answer) = channel();
        match lock(&self.waiting).as_mut() {
            Some(waiting) => drop(waiting.insert(id, send)),
            // Dropped: nobody will send, which `receive` reports.
            None => drop(send),
        }
        let mut stdin = lock(&self.stdin);
        let written = stdin.write_all(&line).and_then(|()| stdin.flush());
        drop(stdin);
        let received = match written {
            Ok(()) => self.receive(&answer, doing, timeout),
            Err(error) => Err(self
                .exit_reason(doing)
                .unwrap_or_else(|| format!("its input could not be written ({error})"))),
        };
        received.map_err(|why| format!("Node.js, which {}, cannot be used: {why}", self.purpose))
    }

    fn receive<T: DeserializeOwned>(
        &self,
        answer: &std::sync::mpsc::Receiver<Answer>,
        doing: &str,
        timeout: Duration,
    ) -> Result<T, String> {
        match answer.recv_timeout(timeout) {
            Ok(Ok(answer)) => {
                serde_json::from_str(answer.get()).map_err(|_| unreadable(answer.get()))
            }
            Ok(Err(line)) => Err(unreadable(&line)),
            Err(RecvTimeoutError::Timeout) => {
                let _ = lock(&self.child).kill();
                Err(format!(
                    "it did not respond within {} s while {doing}",
                    timeout.as_secs()
                ))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self
                .exit_reason(doing)
                .unwrap_or_else(|| format!("it stopped responding while {doing}"))),
        }
    }

    /// The exit status of a process that has ended, with the last error that it printed.
    fn exit_reason(&self, doing: &str) -> Option<String> {
        // Its output is closed, so it has ended or is about to.
        let status = lock(&self.child).wait().ok()?;
        let stderr = lock(&self.stderr)
            .take()
            .and_then(|stderr| stderr.join().ok())
            .unwrap_or_default();
        let message = stderr
            .lines()
            .rev()
            .find(|line| line.contains("Error"))
            .or_else(|| stderr.lines().last());
        let message = message
            .map(|line| format!(": {}", line.trim()))
            .unwrap_or_default();
        Some(format!("it exited ({status}) while {doing}{message}"))
    }
}

impl Drop for NodeProcess {
    fn drop(&mut self) {
        let mut child = lock(&self.child);
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Passes each answer to the thread that waits for it. If a line is no answer, every waiting thread gets it.
fn pass_on(stdout: impl std::io::BufRead, waiting: &Mutex<Waiting>) {
    for line in stdout.lines().map_while(Result::ok) {
        let mut waiting = lock(waiting);
        let Some(waiting) = waiting.as_mut() else {
            return;
        };
        // A thread that gave up does not receive any more, so failing to send is no mistake.
        match serde_json::from_str::<AnswerLine>(&line) {
            Ok(AnswerLine { id, answer }) => {
                drop(waiting.remove(&id).map(|send| send.send(Ok(answer))));
            }
            Err(_) => waiting
                .drain()
                .for_each(|(_, send)| drop(send.send(Err(line.clone())))),
        }
    }
    *lock(waiting) = None;
}

/// A process that is started when it is first needed.
#[derive(Debug, Default)]
pub struct LazyNode(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    #[default]
    NotStarted,
    Running(Arc<NodeProcess>),
    /// It could not be started. Later requests do not try again.
    Unusable(Problem),
}

impl LazyNode {
    /// The running process; otherwise `start` starts it.
    ///
    /// # Errors
    /// The problem of the first attempt to start it.
    pub fn get(
        &self,
        start: impl FnOnce() -> Result<NodeProcess, Problem>,
    ) -> Result<Arc<NodeProcess>, Problem> {
        let mut state = lock(&self.0);
        if let State::NotStarted = *state {
            *state = match start() {
                Ok(process) => State::Running(Arc::new(process)),
                Err(problem) => State::Unusable(problem),
            };
        }
        match &*state {
            State::Running(process) => Ok(Arc::clone(process)),
            State::Unusable(problem) => Err(problem.clone()),
            State::NotStarted => Err(Problem::error(Code::Internal, "Node.js was not started")),
        }
    }

    /// Forgets a process that failed, so that the next request starts another one.
    pub fn discard(&self, failed: &Arc<NodeProcess>) {
        let mut state = lock(&self.0);
        if matches!(&*state, State::Running(process) if Arc::ptr_eq(process, failed)) {
            *state = State::NotStarted;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Poisoned only if another thread panicked; the value is intact.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_mins(1);

    /// A process that runs this script. `read` calls a function with each request.
    fn process(script: &str) -> NodeProcess {
        let common =
            "const answer = (id, value) => console.log(JSON.stringify({ id, answer: value }));
            const read = (each) => require('readline').createInterface({ input: process.stdin })
                .on('line', (line) => each(JSON.parse(line)));
            answer(0, process.version);";
        let script = format!("{common}\n{script}");
        let arguments = [OsStr::new("--eval"), OsStr::new(&script)];
        NodeProcess::start(
            Some(Path::new("node")),
            "is tested",
            &arguments,
            Path::new("."),
            TIMEOUT,
        )
        .expect("Node.js")
    }

    fn ask(process: &NodeProcess, request: u32) -> Result<u32, String> {
        process.ask(&request, "answering", TIMEOUT)
    }

    #[test]
    fn each_thread_gets_its_own_answer() {
        // Answers come in the reverse order of the requests, and only once all of them have arrived.
        let process = process(
            "const all = []; read((one) => {
            all.unshift(one); if (all.length === 8) all.forEach(({ id, request }) => answer(id, request * 2)); });",
        );
        let process = &process;
        std::thread::scope(|scope| {
            let asked: Vec<_> = (0..8)
                .map(|number| (number, scope.spawn(move || ask(process, number))))
                .collect();
            for (number, answer) in asked {
                assert_eq!(answer.join().expect("no panic"), Ok(number * 2));
            }
        });
    }

    #[test]
    fn a_process_that_ends_fails_the_requests_that_wait_and_later_ones() {
        let process = process(
            "read(({ request }) => { if (request) { console.error('Error: out of luck'); process.exit(7); } });",
        );
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| ask(&process, 0));
            let ended = ask(&process, 1);
            for result in [waiting.join().expect("no panic"), ended] {
                let why = result.expect_err("an error");
                assert!(
                    why.starts_with(
                        "Node.js, which is tested, cannot be used: it exited (exit status: 7) while answering"
                    ),
                    "{why}"
                );
            }
        });
        assert!(ask(&process, 2).is_err());
    }

    #[test]
    fn text_that_is_no_answer_fails_the_request() {
        let process = process("read(() => console.log('a package says hello'));");
        let why = ask(&process, 1).expect_err("an error");
        assert!(
            why.contains("its response could not be read: a package says hello"),
            "{why}"
        );
    }

    #[test]
    fn a_process_that_does_not_answer_is_stopped() {
        let process = process("read(() => {});");
        let why = process
            .ask::<u32>(&1, "answering", Duration::from_millis(50))
            .expect_err("an error");
        assert!(why.contains("did not respond within 0 s"), "{why}");
        assert!(ask(&process, 1).is_err(), "the process still runs");
    }
}
