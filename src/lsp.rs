//! `sitegen lsp`: a language server for the YAML and Markdown of a site, over stdio.
//!
//! It is the build with unsaved texts in place of files ([`generator::files::unsaved`]), not a second reading of content. While
//! someone types, the site is read and planned, which takes milliseconds. When they pause, the whole check runs, and
//! what it reports is what `sitegen check` would report for the same texts.

mod analysis;
mod completion;
mod context;
mod described;
mod fixes;
mod names;
mod navigation;
mod outline;
mod redirects;
mod refusals;
mod rename;
mod text;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::sync::mpsc;

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CompletionOptions,
    DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, InitializeParams, OneOf,
    PublishDiagnosticsParams, Registration, RegistrationParams, RenameOptions, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri,
};
use serde::Serialize;
use serde_json::{Value, json};

use diagnostics::problem::Problem;
use generator::config::{Options, SnapshotMode};
use generator::files;
use generator::files::unsaved::{self, InPlace};

use analysis::{Analyst, Findings, Planned};
use names::Occurrence;
use text::Text;
use wire::{Reader, Refusal, Writer};

/// Runs the server until the editor ends it or closes its pipes. The error is one of a pipe: what is wrong in a message is
/// answered.
///
/// Without a site in `options.root`, the folders of the editor are searched for one.
pub fn run(options: &Options) -> Result<(), String> {
    let (sender, events) = mpsc::channel();
    let own = sender.clone();
    std::thread::spawn(move || {
        let mut reader = Reader::new(std::io::stdin().lock());
        // An editor that is killed leaves a broken pipe.
        while let Some(message) = reader.next().unwrap_or_default() {
            if own.send(Event::Editor(Some(message))).is_err() {
                return;
            }
        }
        let _ = own.send(Event::Editor(None));
    });
    let mut writer = Writer::new(std::io::stdout());
    let Some(parameters) = initialize(&mut writer, &events).map_err(|error| error.to_string())? else { return Ok(()) };
    let root = site_of(&options.root, &parameters);
    // A CMS is not asked after each key.
    let snapshot = match options.snapshot {
        SnapshotMode::Fallback => SnapshotMode::Recent,
        other => other,
    };
    let options = Options { root, snapshot, ..options.clone() };
    Server::new(writer, options, &parameters, &sender, events).serve().map_err(|error| error.to_string())
}

/// Waits until the editor begins, and returns what it can do. `None` if it ends instead.
fn initialize(writer: &mut Output, events: &mpsc::Receiver<Event>) -> io::Result<Option<InitializeParams>> {
    while let Ok(Event::Editor(Some(message))) = events.recv() {
        match message {
            Err(refusal) => writer.refuse(refusal)?,
            Ok(Message::Request(Request { id, method, params })) if method == request::Initialize::METHOD => {
                if params.is_object() {
                    let result = json!({"capabilities": capabilities()});
                    writer.send(&Message::Response(Response::new_ok(id, result)))?;
                    return Ok(Some(serde_json::from_value(params).unwrap_or_default()));
                }
                let code = ErrorCode::InvalidParams as i32;
                let response = Response::new_err(id, code, "the parameters of `initialize` are no object".to_owned());
                writer.send(&Message::Response(response))?;
            }
            Ok(Message::Request(Request { id, method, .. })) => {
                let code = ErrorCode::ServerNotInitialized as i32;
                let response = Response::new_err(id, code, format!("`{method}` came before `initialize`"));
                writer.send(&Message::Response(response))?;
            }
            Ok(Message::Notification(last)) if last.method == notification::Exit::METHOD => return Ok(None),
            Ok(_) => {}
        }
    }
    Ok(None)
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
        folding_range_provider: Some(lsp_types::FoldingRangeProviderCapability::Simple(true)),
        document_link_provider: Some(lsp_types::DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: lsp_types::WorkDoneProgressOptions::default(),
        }),
        document_formatting_provider: Some(OneOf::Left(true)),
        color_provider: Some(lsp_types::ColorProviderCapability::Simple(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        ..ServerCapabilities::default()
    }
}

/// The folder of the site: the one that was named with `--root`, or the first folder of the editor that is a site or
/// contains one, or the folder that the editor started the server in.
fn site_of(named: &Path, parameters: &InitializeParams) -> PathBuf {
    let is_site = |folder: &Path| folder.join("content/site.yaml").is_file();
    let is_named = named != Path::new(".");
    let named = generator::config::absolute(named);
    #[expect(deprecated, reason = "older editors send nothing else")]
    let root = parameters.root_uri.iter();
    let folders = parameters.workspace_folders.iter().flatten().map(|folder| &folder.uri).chain(root);
    let folders: Vec<PathBuf> = folders.filter_map(path_of).collect();
    let below = folders.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let below: Vec<PathBuf> = below.map(|entry| entry.path()).collect();
    let all = folders.iter().chain(&below);
    let (first, last) = if is_named { (Some(&named), None) } else { (None, Some(&named)) };
    first.into_iter().chain(all).chain(last).find(|folder| is_site(folder)).unwrap_or(&named).clone()
}

/// Asks the editor to tell what happens to files outside of it, if it can.
fn watch(parameters: &InitializeParams) -> Option<Message> {
    let workspace = parameters.capabilities.workspace.as_ref();
    let watched = workspace.and_then(|workspace| workspace.did_change_watched_files);
    if watched.and_then(|watched| watched.dynamic_registration) != Some(true) {
        return None;
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
    Some(Message::Request(Request::new(RequestId::from("sources".to_owned()), method, parameters)))
}

/// Whether the editor can rename files as part of an edit.
fn can_move(parameters: &InitializeParams) -> bool {
    let workspace = parameters.capabilities.workspace.as_ref();
    let edits = workspace.and_then(|workspace| workspace.workspace_edit.as_ref());
    // Some editors do not say that they know `documentChanges`, which such operations are part of.
    let operations = edits.and_then(|edits| edits.resource_operations.as_ref());
    operations.is_some_and(|operations| operations.contains(&lsp_types::ResourceOperationKind::Rename))
}

/// The copy of a template in the folder of the theme, which is read in its place.
fn of_theme(root: &Path, theme_root: &Path, path: &Path) -> Option<PathBuf> {
    let below = path.strip_prefix(root).ok().filter(|_| !theme_root.as_os_str().is_empty() && theme_root != root)?;
    generator::theme::FOLDERS.iter().any(|folder| below.starts_with(folder)).then(|| theme_root.join(below))
}

/// The path of a file that an editor names; `None` for a text that is no file.
fn path_of(uri: &Uri) -> Option<PathBuf> {
    url::Url::parse(uri.as_str()).ok()?.to_file_path().ok()
}

/// The address of a file, as editors write it.
fn uri_of(path: &Path) -> Option<Uri> {
    Uri::from_str(url::Url::from_file_path(path).ok()?.as_str()).ok()
}

/// The pipe to the editor.
type Output = Writer<io::Stdout>;

/// A message from the threads that read and analyze.
enum Event {
    /// A message of the editor, or what to answer instead; `None` if it has closed its pipe.
    Editor(Option<Result<Message, Refusal>>),
    /// The site was read.
    Found(Box<Findings>),
}

struct Server {
    writer: Output,
    options: Options,
    root: PathBuf,
    /// Whether the editor can rename files.
    can_move: bool,
    /// What to ask the editor for when it is ready.
    watch: Option<Message>,
    /// Whether the editor has said that it will end the server.
    is_shut_down: bool,
    /// The open documents.
    open: BTreeMap<PathBuf, Text>,
    /// Those whose files have been there: if such a file vanishes, its text is none of the site anymore.
    saved: BTreeSet<PathBuf>,
    analyst: Analyst,
    /// What was found last.
    findings: Findings,
    /// The problems that the editor shows, by file.
    reported: BTreeMap<PathBuf, Vec<Problem>>,
    events: mpsc::Receiver<Event>,
}

impl Server {
    fn new(
        writer: Output,
        options: Options,
        parameters: &InitializeParams,
        sender: &mpsc::Sender<Event>,
        events: mpsc::Receiver<Event>,
    ) -> Server {
        let root = generator::config::absolute(&options.root);
        let analyst = Analyst::start(&options, sender);
        analyst.changed();
        Server {
            writer,
            options,
            root,
            can_move: can_move(parameters),
            watch: watch(parameters),
            is_shut_down: false,
            open: BTreeMap::new(),
            saved: BTreeSet::new(),
            analyst,
            findings: Findings::default(),
            reported: BTreeMap::new(),
            events,
        }
    }

    fn serve(mut self) -> io::Result<()> {
        while let Ok(event) = self.events.recv() {
            match event {
                // Some editors close their pipe without a word.
                Event::Editor(None) => return Ok(()),
                Event::Editor(Some(Err(refusal))) => self.writer.refuse(refusal)?,
                Event::Editor(Some(Ok(Message::Notification(last)))) if last.method == notification::Exit::METHOD => {
                    return Ok(());
                }
                Event::Editor(Some(Ok(Message::Request(request)))) => {
                    let response = self.response(request);
                    self.send(&Message::Response(response))?;
                }
                Event::Editor(Some(Ok(Message::Notification(notification)))) => {
                    if notification.method == notification::Initialized::METHOD
                        && let Some(watch) = self.watch.take()
                    {
                        self.send(&watch)?;
                    }
                    // A panic is a bug of sitegen; the next change is read again.
                    let _ = catch_unwind(AssertUnwindSafe(|| self.note(notification)));
                }
                Event::Editor(Some(Ok(Message::Response(_)))) => {}
                Event::Found(findings) => {
                    let is_elsewhere = findings.index.theme_root != self.findings.index.theme_root;
                    self.findings = *findings;
                    if is_elsewhere && !self.open.is_empty() {
                        self.show_all();
                        self.analyst.changed();
                    }
                    self.publish()?;
                }
            }
        }
        Ok(())
    }

    fn send(&mut self, message: &Message) -> io::Result<()> {
        self.writer.send(message)
    }

    /// The answer to a request. A panic is a bug of sitegen, and an answer too.
    fn response(&mut self, request: Request) -> Response {
        let (id, method) = (request.id.clone(), request.method.clone());
        let refused = |code: ErrorCode, why: String| Response::new_err(id.clone(), code as i32, why);
        if self.is_shut_down || method == request::Initialize::METHOD {
            return refused(ErrorCode::InvalidRequest, format!("`{method}` cannot be asked now"));
        }
        self.is_shut_down = method == request::Shutdown::METHOD;
        let answered = catch_unwind(AssertUnwindSafe(|| self.answer(request)));
        answered.unwrap_or_else(|_| refused(ErrorCode::InternalError, format!("sitegen panicked in `{method}`")))
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
                    self.saved.remove(&path);
                    unsaved::set(&path, None);
                    if let Some(copy) = of_theme(&self.root, &self.findings.index.theme_root, &path) {
                        unsaved::set(&copy, None);
                    }
                    self.analyst.changed();
                }
            }
            notification::DidSaveTextDocument::METHOD | notification::DidChangeWatchedFiles::METHOD => {
                self.show_all();
                self.analyst.changed();
            }
            _ => {}
        }
    }

    fn set(&mut self, path: &Path, text: Text) {
        self.show(path, &text);
        self.open.insert(path.to_owned(), text);
        self.analyst.changed();
    }

    fn show_all(&mut self) {
        for (path, text) in self.open.clone() {
            self.show(&path, &text);
        }
    }

    /// Lets the site be read with the text of an open document.
    fn show(&mut self, path: &Path, text: &Text) {
        let text = text.text.clone();
        if !path.starts_with(&self.root) {
            return;
        }
        if self.saved.contains(path) || path.is_file() {
            self.saved.insert(path.to_owned());
            if let Some(copy) = of_theme(&self.root, &self.findings.index.theme_root, path) {
                unsaved::set(&copy, Some(InPlace::Text(text.clone())));
            }
            unsaved::set(path, Some(InPlace::Text(text)));
        } else if path.starts_with(self.root.join("content")) {
            // Elsewhere, a file that is not there yet is none of the site.
            unsaved::set(path, Some(InPlace::New(text)));
        }
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
                let names = || self.names();
                let found = navigation::definition(&self.findings.index, (&path, &text), offset, names);
                (!found.is_empty()).then_some(lsp_types::GotoDefinitionResponse::Array(found))
            }),
            request::References::METHOD => with(id, params, |asked: lsp_types::ReferenceParams| {
                let (path, _, offset) = self.position(&asked.text_document_position)?;
                let all = self.names()?.1;
                let name = &names::at(&all, &path, offset)?.name;
                let is_wanted = |one: &&Occurrence| !one.declares || asked.context.include_declaration;
                Some(navigation::locations(&self.root, rename::places(&all, name).filter(is_wanted)))
            }),
            request::PrepareRenameRequest::METHOD => {
                try_with(id, params, |asked: lsp_types::TextDocumentPositionParams| self.prepare_rename(&asked))
            }
            request::Rename::METHOD => try_with(id, params, |asked: lsp_types::RenameParams| self.rename(&asked)),
            request::DocumentSymbolRequest::METHOD => with(id, params, |asked: lsp_types::DocumentSymbolParams| {
                let (path, text) = self.document(&asked.text_document)?;
                Some(lsp_types::DocumentSymbolResponse::Nested(outline::symbols(&path, &text)))
            }),
            request::FoldingRangeRequest::METHOD => with(id, params, |asked: lsp_types::FoldingRangeParams| {
                let (path, text) = self.document(&asked.text_document)?;
                Some(outline::folds(&path, &text))
            }),
            request::DocumentLinkRequest::METHOD => with(id, params, |asked: lsp_types::DocumentLinkParams| {
                let (path, text) = self.document(&asked.text_document)?;
                Some(navigation::document_links(&self.findings.index, (&path, &text)))
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
                Some(outline::colors(&path, &text))
            }),
            request::Shutdown::METHOD => Response::new_ok(id, Value::Null),
            _ => Response::new_err(id, ErrorCode::MethodNotFound as i32, format!("there is no `{method}`")),
        }
    }

    /// The site as it is now, with every place of every name.
    fn names(&self) -> Option<(Planned, Vec<Occurrence>)> {
        let planned = analysis::plan(&self.options).0?;
        let all = names::all(&planned);
        Some((planned, all))
    }

    fn prepare_rename(
        &self,
        asked: &lsp_types::TextDocumentPositionParams,
    ) -> Result<Option<lsp_types::PrepareRenameResponse>, String> {
        let Some((path, text, offset)) = self.position(asked) else { return Ok(None) };
        let Some((planned, all)) = self.names() else { return Ok(None) };
        let Some(found) = names::at(&all, &path, offset) else { return Ok(None) };
        if let Some(why) = refusals::of(&planned, &found.name) {
            return Err(why);
        }
        let range = text.range(found.span.clone());
        let placeholder = rename::shown(found, text.text.get(found.span.clone()).unwrap_or_default());
        Ok(Some(lsp_types::PrepareRenameResponse::RangeWithPlaceholder { range, placeholder }))
    }

    fn rename(&self, asked: &lsp_types::RenameParams) -> Result<lsp_types::WorkspaceEdit, String> {
        let nothing = || "there is nothing to rename here".to_owned();
        let (path, _, offset) = self.position(&asked.text_document_position).ok_or_else(nothing)?;
        let (_, all) = self.names().ok_or_else(nothing)?;
        let name = &names::at(&all, &path, offset).ok_or_else(nothing)?.name;
        let edit = rename::rename(&self.options, &all, name, &asked.new_name)?;
        navigation::workspace_edit(&self.root, edit, self.can_move)
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
    fn publish(&mut self) -> io::Result<()> {
        let found = &self.findings.problems;
        let gone = self.reported.keys().filter(|path| !found.contains_key(*path)).map(|path| (path, &[][..]));
        let is_new = |(path, problems): &(&PathBuf, &Vec<Problem>)| self.reported.get(*path) != Some(*problems);
        let new = found.iter().filter(is_new).map(|(path, problems)| (path, problems.as_slice()));
        let mut messages = Vec::new();
        for (path, problems) in gone.chain(new) {
            let Some(uri) = uri_of(path) else { continue };
            let text = self.text(path).unwrap_or_else(|| Text::new(""));
            let diagnostics = problems.iter().map(|problem| fixes::diagnostic(problem, &text)).collect();
            let parameters = PublishDiagnosticsParams { uri, diagnostics, version: None };
            let method = notification::PublishDiagnostics::METHOD.to_owned();
            messages.push(Message::Notification(Notification::new(method, parameters)));
        }
        self.reported.clone_from(&self.findings.problems);
        messages.iter().try_for_each(|message| self.send(message))
    }
}

fn read<T: serde::de::DeserializeOwned>(parameters: Value) -> Option<T> {
    serde_json::from_value(parameters).ok()
}

/// Answers a request; `null` if there is nothing to say.
fn with<P, R>(id: RequestId, parameters: Value, answer: impl FnOnce(P) -> Option<R>) -> Response
where
    P: serde::de::DeserializeOwned,
    R: Serialize,
{
    try_with(id, parameters, |asked| Ok(answer(asked)))
}

/// Answers a request, or refuses it with a reason.
fn try_with<P, R>(id: RequestId, parameters: Value, answer: impl FnOnce(P) -> Result<R, String>) -> Response
where
    P: serde::de::DeserializeOwned,
    R: Serialize,
{
    match serde_json::from_value(parameters).map(answer) {
        Ok(Ok(answer)) => Response::new_ok(id, answer),
        Ok(Err(why)) => Response::new_err(id, ErrorCode::RequestFailed as i32, why),
        Err(error) => {
            let why = format!("the parameters cannot be read: {error}");
            Response::new_err(id, ErrorCode::InvalidParams as i32, why)
        }
    }
}
