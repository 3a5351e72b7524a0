//! `sitegen translations draft`: lets a command write drafts of missing texts. It reads lines of JSON and writes lines of
//! JSON. The command line names it: whoever edits content cannot run programs on the machine of an editor.

use std::collections::BTreeMap;
use std::io::{Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use clap::Args;
use serde::Deserialize;
use serde_json::json;

use diagnostics::problem::{Code, Problem, Problems, Source};
use translations::memory::Memory;
use translations::terms::Terms;

use exchange::import::{self, Import};
use exchange::units::{Document, State};
use exchange::{Returned, ReturnedFile, Text};

use super::super::{GlobalOptions, stdout};
use super::exchange::{Loaded, counted, load};

/// Bytes of an answer.
const MAX_ANSWER: u64 = 256 << 20;
/// Characters of the command's messages that are shown.
const SHOWN: usize = 2000;

#[derive(Debug, Args)]
pub(super) struct DraftArguments {
    /// The language to translate into, such as `de`.
    #[arg(value_name = "LANGUAGE")]
    to: String,
    /// The language to translate from [default: the first one that has the text].
    #[arg(long, value_name = "LANGUAGE")]
    from: Option<String>,
    /// The command that translates. `translations.machine` in `content/site.yaml` suggests one, but it never runs automatically.
    #[arg(long, value_name = "COMMAND")]
    machine: Option<String>,
    /// How long the command can take.
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    timeout: u64,
}

/// A line of the answer.
#[derive(Debug, Deserialize)]
struct DraftLine {
    id: String,
    target: Option<String>,
}

pub(super) fn draft(shared: &GlobalOptions, own: &DraftArguments) -> u8 {
    match drafted(shared, own) {
        Ok(problems) | Err(problems) => shared.report_beside(problems),
    }
}

fn drafted(shared: &GlobalOptions, own: &DraftArguments) -> Result<Problems, Problems> {
    let loaded = load(shared)?;
    let to = loaded.language(&own.to)?;
    let from = own
        .from
        .as_deref()
        .map(|from| loaded.language(from))
        .transpose()?;
    let Some(command) = &own.machine else {
        let suggested = loaded.config().site.translations.machine.as_ref();
        let problem = Problem::error(Code::BadSetting, "no translation command was given");
        let problem = suggested.map_or(problem.clone(), |named| {
            problem.at(loaded.config().site.source.place(named.span))
        });
        let named = suggested.map_or("COMMAND", |named| named.value.as_str());
        let quoted = named.replace('\'', "'\\''");
        return Err(problem
            .hint(format!(
                "run `sitegen translations draft {} --machine '{quoted}'`",
                own.to
            ))
            .into());
    };
    let mut documents = loaded.documents(from, to);
    // Labels share a file with other languages, for which nothing notes what a draft is.
    documents.retain(|document| !document.key.starts_with("labels/"));
    let units = documents.iter().flat_map(|document| &document.units);
    let count = units
        .filter(|unit| unit.target.is_none() && unit.state == State::Initial)
        .count();
    if count == 0 {
        say(shared, &format!("no translation is missing in {to}\n"));
        return Ok(Problems::new());
    }
    let asked = questions(&loaded, &documents, to);
    let answer = run(command, &asked, &loaded, own.timeout).map_err(|message| {
        Problem::error(Code::MachineDraft, message)
            .hint("correct the command, and run it again; nothing was written")
    })?;
    let mut file = ReturnedFile::default();
    let sources: BTreeMap<String, &str> = documents
        .iter()
        .flat_map(|document| {
            document
                .units
                .iter()
                .map(move |unit| (document.id(unit), unit.source.as_str()))
        })
        .collect();
    for (number, line) in (1..)
        .zip(answer.lines())
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let line: DraftLine = serde_json::from_str(line).map_err(|error| {
            let message =
                format!("line {number} of the command's output is not `{{\"id\": …, \"target\": …}}`: {error}");
            Problem::error(Code::MachineDraft, message).hint("correct the command, and run it again; nothing was written")
        })?;
        let target = line
            .target
            .filter(|target| !target.is_empty())
            .map(Text::plain);
        let source = Text::plain(sources.get(&line.id).copied().unwrap_or_default());
        let before = Some("none".to_owned());
        file.units.push(Returned {
            id: line.id,
            source,
            target,
            state: State::Initial,
            before,
            line: number,
        });
    }
    let import = Import {
        options: &loaded.options,
        config: loaded.config(),
        documents: &documents,
        source: &Source::new("the command's output".to_owned(), answer),
        memory: &Memory::default(),
    };
    let outcome = import.plan(&file);
    import::write(&loaded.config().paths.root, &outcome.files)?;
    say(
        shared,
        &format!(
            "wrote {} for {count} missing translations in {to}; review them, then accept them\n",
            counted(outcome.texts.len(), "draft")
        ),
    );
    Ok(outcome.problems)
}

fn say(shared: &GlobalOptions, text: &str) {
    if !shared.quiet && !shared.format.is_document() {
        stdout(text);
    }
}

/// A line of JSON for each missing text.
fn questions(loaded: &Loaded, documents: &[Document], to: &str) -> String {
    let (terms, _) = Terms::load(loaded.config());
    let mut lines = String::new();
    for document in documents {
        for unit in document.units.iter().filter(|unit| unit.target.is_none()) {
            let found: Vec<_> = terms.of(&unit.source, &document.reference, to);
            let line = json!({
                "id": document.id(unit), "from": document.reference, "to": to, "source": unit.source,
                "note": unit.meaning, "max": unit.max, "terms": found,
            });
            lines.push_str(&line.to_string());
            lines.push('\n');
        }
    }
    lines
}

/// The output of a command; the error is a message.
#[expect(clippy::disallowed_methods, reason = "runs a program of others")]
fn run(command: &str, input: &str, loaded: &Loaded, seconds: u64) -> Result<String, String> {
    let mut child = Command::new("sh")
        .args(["-c", command])
        .current_dir(&*loaded.config().paths.root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Processes that it starts end with it.
        .process_group(0)
        .spawn()
        .map_err(|error| format!("the command could not be started ({error})"))?;
    let group = rustix::process::Pid::from_child(&child);
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_owned();
        // A command that reads nothing closes its end, which its status says more about.
        std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    }
    let (sender, receiver) = mpsc::channel();
    let streams = [
        child
            .stdout
            .take()
            .map(|stream| Box::new(stream) as Box<dyn Read + Send>),
        child
            .stderr
            .take()
            .map(|stream| Box::new(stream) as Box<dyn Read + Send>),
    ];
    for (is_answer, stream) in [true, false].into_iter().zip(streams) {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let result = stream.map_or(Ok(0), |stream| {
                stream.take(MAX_ANSWER).read_to_end(&mut bytes)
            });
            let _ = sender.send((is_answer, result.map(|_| bytes)));
        });
    }
    let (mut answer, mut messages) = (Vec::new(), Vec::new());
    let ends = std::time::Instant::now() + Duration::from_secs(seconds);
    for _ in 0..2 {
        match receiver.recv_timeout(ends.saturating_duration_since(std::time::Instant::now())) {
            Ok((true, bytes)) => answer = bytes.map_err(|error| error.to_string())?,
            Ok((false, bytes)) => messages = bytes.unwrap_or_default(),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
                let _ = child.wait();
                return Err(format!("the command took longer than {seconds} seconds"));
            }
        }
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    if !status.success() {
        let messages = String::from_utf8_lossy(&messages);
        let shown: String = messages.trim().chars().take(SHOWN).collect();
        return Err(format!("the command failed ({status}): {shown}"));
    }
    String::from_utf8(answer).map_err(|_| "the command's output is not UTF-8".to_owned())
}
