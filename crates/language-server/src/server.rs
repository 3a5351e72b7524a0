//! The thread that has the pipes to the editor: it takes messages, makes a revision of the site with each change, and
//! sends answers and problems.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use lsp_types::{InitializeParams, NumberOrString, PublishDiagnosticsParams};
use serde_json::Value;

use config::Options;
use diagnostics::problem::Problem;
use workspace::files::{FileSet, Overlay};

use super::analysis::{Analyst, Findings};
use super::requests::{Asked, Pool, has_places};
use super::revision::{Document, Documents, Revision};
use super::text::Text;
use super::wire::Folder;
use super::{Event, Output, can_move, fixes, path_of, uri_of, watch};

/// A request that is not answered yet.
struct Pending {
    is_cancelled: Arc<AtomicBool>,
    /// The documents as they were, if the answer is about places in them.
    documents: Option<Documents>,
}

pub(super) struct Server {
    writer: Output,
    /// How the editor names the folder of the site.
    folder: Folder,
    /// Whether the editor can rename files.
    can_move: bool,
    /// The request to the editor when it is ready.
    watch: Option<Message>,
    /// Whether the editor has said that it will end the server.
    is_shut_down: bool,
    /// The open documents whose files have been there: if such a file vanishes, its text is not part of the site anymore.
    saved: BTreeSet<PathBuf>,
    /// The site as the editor has it now.
    revision: Arc<Revision>,
    analyst: Analyst,
    pool: Pool,
    pending: HashMap<RequestId, Pending>,
    /// The last findings.
    findings: Arc<Findings>,
    /// The problems that the editor shows, by file.
    reported: BTreeMap<PathBuf, Vec<Problem>>,
    events: mpsc::Receiver<Event>,
}

impl Server {
    pub fn new(
        writer: Output,
        folder: Folder,
        options: Options,
        analyst: Analyst,
        parameters: &InitializeParams,
        sender: &mpsc::Sender<Event>,
        events: mpsc::Receiver<Event>,
    ) -> Server {
        let files = FileSet::open(&options.root);
        let revision = Arc::new(Revision::new(options, files, Documents::default()));
        analyst.read(&revision);
        Server {
            writer,
            folder,
            can_move: can_move(parameters),
            watch: watch(parameters),
            is_shut_down: false,
            saved: BTreeSet::new(),
            findings: Arc::new(Findings::none(Arc::clone(&revision))),
            revision,
            analyst,
            pool: Pool::start(sender),
            pending: HashMap::new(),
            reported: BTreeMap::new(),
            events,
        }
    }

    /// Runs until the editor ends the server or closes its pipe.
    pub fn serve(mut self) -> io::Result<()> {
        while let Ok(event) = self.events.recv() {
            match event {
                // Some editors close their pipe without a word.
                Event::Editor(None) => return Ok(()),
                Event::Editor(Some(Err(refusal))) => self.writer.refuse(refusal)?,
                Event::Editor(Some(Ok(Message::Notification(last))))
                    if last.method == notification::Exit::METHOD =>
                {
                    return Ok(());
                }
                Event::Editor(Some(Ok(Message::Request(mut request)))) => {
                    self.folder.come_in(&mut request.params);
                    if let Err(response) = self.take(request) {
                        self.send(Message::Response(response))?;
                    }
                }
                Event::Editor(Some(Ok(Message::Notification(mut notification)))) => {
                    self.folder.come_in(&mut notification.params);
                    self.note(notification)?;
                }
                Event::Editor(Some(Ok(Message::Response(_)))) => {}
                Event::Answered(response) => {
                    let response = self.still_right(response);
                    self.send(Message::Response(response))?;
                }
                // The threads that find them send them in any order.
                Event::Found(findings)
                    if findings.revision.number < self.findings.revision.number => {}
                Event::Found(findings) => {
                    self.findings = findings;
                    self.publish()?;
                }
            }
        }
        Ok(())
    }

    fn send(&mut self, mut message: Message) -> io::Result<()> {
        match &mut message {
            Message::Request(request) => self.folder.go_out(&mut request.params),
            Message::Notification(notification) => self.folder.go_out(&mut notification.params),
            Message::Response(response) => {
                response
                    .response_result
                    .iter_mut()
                    .for_each(|result| self.folder.go_out(result));
            }
        }
        self.writer.send(&message)
    }

    /// Lets a thread answer a request. The error is an answer that needs none.
    fn take(&mut self, request: Request) -> Result<(), Response> {
        let (id, method) = (request.id.clone(), request.method.as_str());
        if self.is_shut_down || method == request::Initialize::METHOD {
            let message = format!("`{method}` cannot be requested now");
            return Err(Response::new_err(
                id,
                ErrorCode::InvalidRequest as i32,
                message,
            ));
        }
        if method == request::Shutdown::METHOD {
            self.is_shut_down = true;
            return Err(Response::new_ok(id, Value::Null));
        }
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let documents = has_places(method).then(|| Arc::clone(&self.revision.documents));
        self.pending.insert(
            id,
            Pending {
                is_cancelled: Arc::clone(&is_cancelled),
                documents,
            },
        );
        let (revision, findings) = (Arc::clone(&self.revision), Arc::clone(&self.findings));
        self.pool.ask(Asked {
            request,
            revision,
            findings,
            can_move: self.can_move,
            is_cancelled,
        })
    }

    /// The answer of a thread, or why it is not needed or not right anymore.
    fn still_right(&mut self, response: Response) -> Response {
        let Some(pending) = self.pending.remove(&response.id) else {
            return response;
        };
        let refused = |code: ErrorCode, message: &str| {
            Response::new_err(response.id.clone(), code as i32, message.to_owned())
        };
        if pending.is_cancelled.load(Ordering::SeqCst) {
            return refused(ErrorCode::RequestCanceled, "the request was canceled");
        }
        if pending
            .documents
            .is_some_and(|documents| !Arc::ptr_eq(&documents, &self.revision.documents))
        {
            return refused(
                ErrorCode::ContentModified,
                "the text has changed since the request",
            );
        }
        response
    }

    /// Takes a notification. A panic is a bug of sitegen; the next change is read again.
    fn note(&mut self, Notification { method, params }: Notification) -> io::Result<()> {
        if method == notification::Initialized::METHOD
            && let Some(watch) = self.watch.take()
        {
            self.send(watch)?;
        }
        let _ = catch_unwind(AssertUnwindSafe(|| match method.as_str() {
            notification::DidOpenTextDocument::METHOD => {
                if let Some(opened) = read::<lsp_types::DidOpenTextDocumentParams>(params)
                    && let Some(path) = path_of(&opened.text_document.uri)
                {
                    let text = Text::new(opened.text_document.text.as_str());
                    self.set(
                        path,
                        Some(Document {
                            text,
                            version: opened.text_document.version,
                        }),
                    );
                }
            }
            notification::DidChangeTextDocument::METHOD => {
                if let Some(changed) = read::<lsp_types::DidChangeTextDocumentParams>(params)
                    && let Some(path) = path_of(&changed.text_document.uri)
                    && let Some(document) = self.revision.documents.get(&path)
                {
                    let before = document.text.clone();
                    let text = changed
                        .content_changes
                        .iter()
                        .fold(before, |text, edit| text.edited(edit));
                    self.set(
                        path,
                        Some(Document {
                            text,
                            version: changed.text_document.version,
                        }),
                    );
                }
            }
            notification::DidCloseTextDocument::METHOD => {
                if let Some(closed) = read::<lsp_types::DidCloseTextDocumentParams>(params)
                    && let Some(path) = path_of(&closed.text_document.uri)
                {
                    self.saved.remove(&path);
                    self.set(path, None);
                }
            }
            notification::DidSaveTextDocument::METHOD
            | notification::DidChangeWatchedFiles::METHOD => {
                let documents = Arc::clone(&self.revision.documents);
                let overlays: Vec<_> = documents
                    .iter()
                    .map(|(path, own)| self.overlay(path, Some(own)))
                    .collect();
                self.revise(documents, overlays, None);
            }
            notification::Cancel::METHOD => {
                if let Some(cancelled) = read::<lsp_types::CancelParams>(params) {
                    let id = match cancelled.id {
                        NumberOrString::Number(number) => RequestId::from(number),
                        NumberOrString::String(text) => RequestId::from(text),
                    };
                    let pending = self.pending.get(&id);
                    pending
                        .into_iter()
                        .for_each(|pending| pending.is_cancelled.store(true, Ordering::SeqCst));
                }
            }
            _ => {}
        }));
        Ok(())
    }

    /// Changes or closes a document.
    fn set(&mut self, path: PathBuf, document: Option<Document>) {
        let overlay = self.overlay(&path, document.as_ref());
        let changed = path.clone();
        let mut documents = (*self.revision.documents).clone();
        match document {
            Some(document) => drop(documents.insert(path, document)),
            None => drop(documents.remove(&path)),
        }
        self.revise(Arc::new(documents), [overlay], Some(changed));
    }

    /// The overlay in place of the file of a document.
    #[expect(
        clippy::disallowed_methods,
        reason = "asks the disk itself, not the files of a moment"
    )]
    fn overlay(&mut self, path: &Path, document: Option<&Document>) -> (PathBuf, Option<Overlay>) {
        let root = &self.revision.files;
        let overlay = document
            .filter(|_| path.starts_with(root))
            .and_then(|document| {
                let text = document.text.text.clone();
                if self.saved.contains(path) || path.is_file() {
                    self.saved.insert(path.to_owned());
                    Some(Overlay::Text(text))
                } else {
                    // Elsewhere, a file that is not there yet is not part of the site.
                    path.starts_with(root.join("content"))
                        .then_some(Overlay::New(text))
                }
            });
        (path.to_owned(), overlay)
    }

    /// Makes the next revision, and reads it.
    fn revise(
        &mut self,
        documents: Documents,
        overlays: impl IntoIterator<Item = (PathBuf, Option<Overlay>)>,
        changed: Option<PathBuf>,
    ) {
        let files = self.revision.files.with(overlays);
        self.revision = Arc::new(self.revision.next(files, documents, changed));
        self.analyst.read(&self.revision);
    }

    /// Sends the problems of every file in which they are others than before, with the version that they were found in.
    fn publish(&mut self) -> io::Result<()> {
        let findings = Arc::clone(&self.findings);
        let found = &findings.problems;
        let gone = self
            .reported
            .keys()
            .filter(|path| !found.contains_key(*path))
            .map(|path| (path, &[][..]));
        let new = found
            .iter()
            .filter(|(path, problems)| self.reported.get(*path) != Some(*problems))
            .map(|(path, problems)| (path, problems.as_slice()));
        let mut messages = Vec::new();
        for (path, problems) in gone.chain(new) {
            let Some(uri) = uri_of(path) else { continue };
            let text = findings
                .revision
                .text(path)
                .unwrap_or_else(|| Text::new(""));
            let diagnostics = problems
                .iter()
                .map(|problem| fixes::diagnostic(problem, &text))
                .collect();
            let version = findings
                .revision
                .documents
                .get(path)
                .map(|document| document.version);
            let parameters = PublishDiagnosticsParams {
                uri,
                diagnostics,
                version,
            };
            let method = notification::PublishDiagnostics::METHOD.to_owned();
            messages.push(Message::Notification(Notification::new(method, parameters)));
        }
        self.reported.clone_from(found);
        messages
            .into_iter()
            .try_for_each(|message| self.send(message))
    }
}

fn read<T: serde::de::DeserializeOwned>(parameters: Value) -> Option<T> {
    serde_json::from_value(parameters).ok()
}
