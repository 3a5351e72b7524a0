//! `sitegen lsp`: a language server for the YAML and Markdown of a site, over stdio.
//!
//! It is the build with unsaved texts in place of files ([`crate::files::unsaved`]), not a second reading of content. While
//! someone types, the site is read and planned, which takes milliseconds. When they pause, the whole check runs, and
//! what it reports is what `sitegen check` would report for the same texts.

mod analysis;
mod completion;
mod context;
mod described;
mod fixes;
mod navigation;
mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::sync::mpsc;

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CompletionOptions,
    DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, InitializeParams, OneOf,
    PublishDiagnosticsParams, Registration, RegistrationParams, RenameOptions, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri,
};
use serde::Serialize;
use serde_json::Value;

use crate::config::{Options, SnapshotMode};
use crate::files::{self, unsaved};
use diagnostics::problem::Problem;

use analysis::{Analyst, Findings};
use text::Text;

/// Runs the server until the editor ends it or closes its pipes. The error is one of the protocol, or of a pipe.
///
/// Without a site in `options.root`, the folders of the editor are searched for one.
pub fn run(options: &Options) -> Result<(), String> {
    let (connection, threads) = Connection::stdio();
    let capabilities = serde_json::to_value(capabilities()).map_err(|error| error.to_string())?;
    let served = match connection.initialize(capabilities) {
        Ok(parameters) => {
            let parameters: InitializeParams = serde_json::from_value(parameters).unwrap_or_default();
            let root = site_of(&options.root, &parameters);
            // A CMS is not asked after each key.
            let snapshot = match options.snapshot {
                SnapshotMode::Fallback => SnapshotMode::Recent,
                other => other,
            };
            let options = Options { root, snapshot, ..options.clone() };
            watch(&connection, &parameters).and_then(|()| Server::new(&connection, &options).serve())
        }
        // An editor that closes before it has said anything.
        Err(error) if error.channel_is_disconnected() => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    drop(connection);
    let joined = threads.join().map_err(|error| error.to_string());
    served.and(joined)
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::Supported(true)),
            ..TextDocumentSyncOptions::default()
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([":", " ", "{", "#", "/", "."].map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        hover_provider: Some(true.into()),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: lsp_types::WorkDoneProgressOptions::default(),
        })),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        color_provider: Some(lsp_types::ColorProviderCapability::Simple(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        ..ServerCapabilities::default()
    }
}

/// The folder of the site: the one that was named, or the first folder of the editor that is a site or contains one.
fn site_of(named: &Path, parameters: &InitializeParams) -> PathBuf {
    let is_site = |folder: &Path| folder.join("content/site.yaml").is_file();
    let named = crate::config::absolute(named);
    #[expect(deprecated, reason = "older editors send nothing else")]
    let root = parameters.root_uri.iter();
    let folders = parameters.workspace_folders.iter().flatten().map(|folder| &folder.uri).chain(root);
    let folders: Vec<PathBuf> = folders.filter_map(path_of).collect();
    let below = folders.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let below: Vec<PathBuf> = below.map(|entry| entry.path()).collect();
    let all = std::iter::once(&named).chain(&folders).chain(&below);
    all.into_iter().find(|folder| is_site(folder)).unwrap_or(&named).clone()
}

/// Asks the editor to tell what happens to files outside of it, if it can.
fn watch(connection: &Connection, parameters: &InitializeParams) -> Result<(), String> {
    let workspace = parameters.capabilities.workspace.as_ref();
    let watched = workspace.and_then(|workspace| workspace.did_change_watched_files);
    if watched.and_then(|watched| watched.dynamic_registration) != Some(true) {
        return Ok(());
    }
    let glob = |folder: &&str| GlobPattern::String(format!("**/{folder}/**"));
    let watcher = |folder| FileSystemWatcher { glob_pattern: glob(folder), kind: None };
    let watchers = files::SOURCES.iter().map(watcher).collect();
    let options = DidChangeWatchedFilesRegistrationOptions { watchers };
    let registration = Registration {
        id: "sources".to_owned(),
        method: notification::DidChangeWatchedFiles::METHOD.to_owned(),
        register_options: serde_json::to_value(options).ok(),
    };
    let parameters = RegistrationParams { registrations: vec![registration] };
    let method = request::RegisterCapability::METHOD.to_owned();
    let request = Request::new(RequestId::from("sources".to_owned()), method, parameters);
    connection.sender.send(Message::Request(request)).map_err(|error| error.to_string())
}

/// The path of a file that an editor names; `None` for a text that is no file.
fn path_of(uri: &Uri) -> Option<PathBuf> {
    url::Url::parse(uri.as_str()).ok()?.to_file_path().ok()
}

/// The address of a file, as editors write it.
fn uri_of(path: &Path) -> Option<Uri> {
    Uri::from_str(url::Url::from_file_path(path).ok()?.as_str()).ok()
}

/// A message from the threads that analyze the site.
enum Event {
    /// A message of the editor; `None` if it has closed its pipe.
    Editor(Option<Message>),
    /// The site was read.
    Found(Box<Findings>),
}

struct Server<'a> {
    connection: &'a Connection,
    root: PathBuf,
    /// The open documents.
    open: BTreeMap<PathBuf, Text>,
    analyst: Analyst,
    /// What was found last.
    findings: Findings,
    /// The problems that the editor shows, by file.
    reported: BTreeMap<PathBuf, Vec<Problem>>,
    events: mpsc::Receiver<Event>,
}

impl<'a> Server<'a> {
    fn new(connection: &'a Connection, options: &Options) -> Server<'a> {
        let (sender, events) = mpsc::channel();
        let own = sender.clone();
        let receiver = connection.receiver.clone();
        std::thread::spawn(move || {
            for message in &receiver {
                if own.send(Event::Editor(Some(message))).is_err() {
                    return;
                }
            }
            let _ = own.send(Event::Editor(None));
        });
        let root = crate::config::absolute(&options.root);
        let analyst = Analyst::start(options, &sender);
        analyst.changed();
        let (open, reported) = (BTreeMap::new(), BTreeMap::new());
        Server { connection, root, open, analyst, findings: Findings::default(), reported, events }
    }

    fn serve(mut self) -> Result<(), String> {
        while let Ok(event) = self.events.recv() {
            match event {
                // Some editors close their pipe without a word.
                Event::Editor(None) => return Ok(()),
                Event::Editor(Some(Message::Notification(last))) if last.method == notification::Exit::METHOD => {
                    return Ok(());
                }
                Event::Editor(Some(Message::Request(request))) => {
                    let response = self.answer(request);
                    self.send(Message::Response(response))?;
                }
                Event::Editor(Some(Message::Notification(notification))) => self.note(notification),
                Event::Editor(Some(Message::Response(_))) => {}
                Event::Found(findings) => {
                    self.findings = *findings;
                    self.publish()?;
                }
            }
        }
        Ok(())
    }

    fn send(&self, message: Message) -> Result<(), String> {
        self.connection.sender.send(message).map_err(|error| error.to_string())
    }

    /// The text of a file: the open document, else the file.
    fn text(&self, path: &Path) -> Option<Text> {
        let open = self.open.get(path).cloned();
        open.or_else(|| files::read_text(&self.root, path).ok().map(|source| Text::new(source.text.as_str())))
    }

    fn note(&mut self, Notification { method, params }: Notification) {
        match method.as_str() {
            notification::DidOpenTextDocument::METHOD => {
                if let Some(opened) = read::<lsp_types::DidOpenTextDocumentParams>(params)
                    && let Some(path) = path_of(&opened.text_document.uri)
                {
                    self.set(&path, Text::new(opened.text_document.text.as_str()));
                }
            }
            notification::DidChangeTextDocument::METHOD => {
                if let Some(changed) = read::<lsp_types::DidChangeTextDocumentParams>(params)
                    && let Some(path) = path_of(&changed.text_document.uri)
                    && let Some(text) = self.open.get(&path)
                {
                    let text = changed.content_changes.iter().fold(text.clone(), |text, edit| text.edited(edit));
                    self.set(&path, text);
                }
            }
            notification::DidCloseTextDocument::METHOD => {
                if let Some(closed) = read::<lsp_types::DidCloseTextDocumentParams>(params)
                    && let Some(path) = path_of(&closed.text_document.uri)
                {
                    self.open.remove(&path);
                    unsaved::set(&path, None);
                    self.analyst.changed();
                }
            }
            notification::DidSaveTextDocument::METHOD | notification::DidChangeWatchedFiles::METHOD => {
                self.analyst.changed();
            }
            _ => {}
        }
    }

    fn set(&mut self, path: &Path, text: Text) {
        if path.starts_with(&self.root) {
            unsaved::set(path, Some(text.text.clone()));
        }
        self.open.insert(path.to_owned(), text);
        self.analyst.changed();
    }

    fn answer(&self, Request { id, method, params }: Request) -> Response {
        match method.as_str() {
            request::Completion::METHOD => with(id, params, |asked: lsp_types::CompletionParams| {
                let (path, text, offset) = self.position(&asked.text_document_position)?;
                Some(completion::complete(&self.findings.index, (&path, &text), offset))
            }),
            request::HoverRequest::METHOD => with(id, params, |asked: lsp_types::HoverParams| {
                let (path, text, offset) = self.position(&asked.text_document_position_params)?;
                navigation::hover(&self.findings, (&path, &text), offset)
            }),
            request::GotoDefinition::METHOD => with(id, params, |asked: lsp_types::GotoDefinitionParams| {
                let (path, text, offset) = self.position(&asked.text_document_position_params)?;
                let location = navigation::definition(&self.findings.index, (&path, &text), offset)?;
                Some(lsp_types::GotoDefinitionResponse::Scalar(location))
            }),
            request::References::METHOD => with(id, params, |asked: lsp_types::ReferenceParams| {
                let (path, text, offset) = self.position(&asked.text_document_position)?;
                let key = navigation::key_at(&self.findings.index, (&path, &text), offset)?.0;
                Some(navigation::references(&self.root, &key))
            }),
            request::PrepareRenameRequest::METHOD => {
                with(id, params, |asked: lsp_types::TextDocumentPositionParams| {
                    let (path, text, offset) = self.position(&asked)?;
                    let (key, span) = navigation::key_at(&self.findings.index, (&path, &text), offset)?;
                    let range = text.range(span);
                    navigation::can_rename(&key)
                        .then_some(lsp_types::PrepareRenameResponse::RangeWithPlaceholder { range, placeholder: key })
                })
            }
            request::Rename::METHOD => match read::<lsp_types::RenameParams>(params) {
                Some(asked) => match self.rename(&asked) {
                    Ok(edit) => Response::new_ok(id, edit),
                    Err(why) => Response::new_err(id, ErrorCode::RequestFailed as i32, why),
                },
                None => Response::new_ok(id, Value::Null),
            },
            request::DocumentSymbolRequest::METHOD => with(id, params, |asked: lsp_types::DocumentSymbolParams| {
                let (path, text) = self.document(&asked.text_document)?;
                Some(lsp_types::DocumentSymbolResponse::Nested(navigation::symbols(&path, &text)))
            }),
            request::Formatting::METHOD => with(id, params, |asked: lsp_types::DocumentFormattingParams| {
                let (path, text) = self.document(&asked.text_document)?;
                Some(fixes::format(&self.root, &self.findings.index.locales, &path, &text))
            }),
            request::CodeActionRequest::METHOD => with(id, params, |asked: lsp_types::CodeActionParams| {
                let (path, text) = self.document(&asked.text_document)?;
                Some(fixes::actions(self.findings.of(&path), &asked, &text))
            }),
            request::DocumentColor::METHOD => with(id, params, |asked: lsp_types::DocumentColorParams| {
                let (path, text) = self.document(&asked.text_document)?;
                Some(navigation::colors(&path, &text))
            }),
            request::Shutdown::METHOD => Response::new_ok(id, Value::Null),
            _ => Response::new_err(id, ErrorCode::MethodNotFound as i32, format!("there is no `{method}`")),
        }
    }

    fn rename(&self, asked: &lsp_types::RenameParams) -> Result<lsp_types::WorkspaceEdit, String> {
        let nothing = || "there is nothing to rename here".to_owned();
        let (path, text, offset) = self.position(&asked.text_document_position).ok_or_else(nothing)?;
        let (key, _) = navigation::key_at(&self.findings.index, (&path, &text), offset).ok_or_else(nothing)?;
        navigation::rename(&self.root, &self.findings.index, &key, &asked.new_name)
    }

    fn document(&self, named: &lsp_types::TextDocumentIdentifier) -> Option<(PathBuf, Text)> {
        let path = path_of(&named.uri)?;
        let text = self.text(&path)?;
        Some((path, text))
    }

    fn position(&self, named: &lsp_types::TextDocumentPositionParams) -> Option<(PathBuf, Text, usize)> {
        let (path, text) = self.document(&named.text_document)?;
        let offset = text.offset(named.position);
        Some((path, text, offset))
    }

    /// Sends the problems of every file in which they are others than before.
    fn publish(&mut self) -> Result<(), String> {
        let found = &self.findings.problems;
        let gone = self.reported.keys().filter(|path| !found.contains_key(*path)).map(|path| (path, &[][..]));
        let is_new = |(path, problems): &(&PathBuf, &Vec<Problem>)| self.reported.get(*path) != Some(*problems);
        let new = found.iter().filter(is_new).map(|(path, problems)| (path, problems.as_slice()));
        for (path, problems) in gone.chain(new) {
            let Some(uri) = uri_of(path) else { continue };
            let text = self.text(path).unwrap_or_else(|| Text::new(""));
            let diagnostics = problems.iter().map(|problem| fixes::diagnostic(problem, &text)).collect();
            let parameters = PublishDiagnosticsParams { uri, diagnostics, version: None };
            let method = notification::PublishDiagnostics::METHOD.to_owned();
            self.send(Message::Notification(Notification::new(method, parameters)))?;
        }
        self.reported.clone_from(&self.findings.problems);
        Ok(())
    }
}

fn read<T: serde::de::DeserializeOwned>(parameters: Value) -> Option<T> {
    serde_json::from_value(parameters).ok()
}

/// Answers a request; `null` if there is nothing to say, or if it cannot be read.
fn with<P, R>(id: RequestId, parameters: Value, answer: impl FnOnce(P) -> Option<R>) -> Response
where
    P: serde::de::DeserializeOwned,
    R: Serialize,
{
    Response::new_ok(id, read(parameters).and_then(answer))
}
