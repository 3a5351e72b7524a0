//! `sitegen lsp`: a language server for the YAML and Markdown of a site, over stdio.
//!
//! It is the build with unsaved texts in place of files ([`workspace::files::FileSet`]), not a second reading of content.
//! While someone types, the site is read and planned; when they pause, the whole check runs, and reports what `sitegen
//! check` would report for the same texts. Each change makes a new [`Revision`]. One thread reads and writes messages;
//! requests are answered by others, each from the revision that was the newest when it came.

mod analysis;
mod completion;
mod context;
mod described;
mod entry_names;
mod fixes;
mod moving;
mod names;
mod navigation;
mod outline;
mod redirects;
mod refusals;
mod rename;
mod requests;
mod revision;
mod server;
mod text;
mod wire;

use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::sync::{Arc, mpsc};

use lsp_server::{ErrorCode, Message, Request, RequestId, Response};
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CompletionOptions,
    DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, InitializeParams,
    OneOf, Registration, RegistrationParams, RenameOptions, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, Uri,
};
use serde_json::json;

use config::{Config, Options, SnapshotMode};
use diagnostics::problem::Problems;
use site::Workspace;
use workspace::files;
use workspace::kinds::Kind;

pub use moving::{LinkPlace, links_to, moved_page, new_error};

use analysis::{Analyst, Findings};
use server::Server;
use wire::{Folder, Reader, Refusal, Writer};

/// The parts of the generator that the server needs. So the forms and the language server are compiled without it.
#[derive(Debug, Clone, Copy)]
pub struct Generator {
    /// The problems that `sitegen check` reports. The second function is called between the parts of the check, and may end
    /// it by unwinding.
    pub check: fn(Workspace, &(dyn Fn() + Sync)) -> Problems,
    /// The names of all icons.
    pub icons: fn(&Config) -> Vec<String>,
}

/// Runs the server until the editor ends it or closes its pipes. The error is one of a pipe: what is wrong in a message is
/// answered.
///
/// Without a site in `options.root`, the folders of the editor are searched for one.
pub fn run(options: &Options, generator: Generator) -> Result<(), String> {
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
    let Some(parameters) = initialize(&mut writer, &events).map_err(|error| error.to_string())?
    else {
        return Ok(());
    };
    let root = site_of(&options.root, &parameters);
    // A CMS is not asked after each key.
    let snapshot = match options.snapshot {
        SnapshotMode::Fallback => SnapshotMode::Recent,
        other => other,
    };
    let folder = Folder::new(linked_folder(&root));
    let options = Options {
        root,
        snapshot,
        ..options.clone()
    };
    let analyst = Analyst::start(generator, &sender);
    Server::new(
        writer,
        folder,
        options,
        analyst,
        &parameters,
        &sender,
        events,
    )
    .serve()
    .map_err(|error| error.to_string())
}

/// Waits until the editor begins, and returns what it can do. `None` if it ends instead.
fn initialize(
    writer: &mut Output,
    events: &mpsc::Receiver<Event>,
) -> io::Result<Option<InitializeParams>> {
    while let Ok(Event::Editor(Some(message))) = events.recv() {
        match message {
            Err(refusal) => writer.refuse(refusal)?,
            Ok(Message::Request(Request { id, method, params }))
                if method == request::Initialize::METHOD =>
            {
                if params.is_object() {
                    let result = json!({"capabilities": capabilities()});
                    writer.send(&Message::Response(Response::new_ok(id, result)))?;
                    return Ok(Some(serde_json::from_value(params).unwrap_or_default()));
                }
                let code = ErrorCode::InvalidParams as i32;
                let response = Response::new_err(
                    id,
                    code,
                    "the parameters of `initialize` are not an object".to_owned(),
                );
                writer.send(&Message::Response(response))?;
            }
            Ok(Message::Request(Request { id, method, .. })) => {
                let code = ErrorCode::ServerNotInitialized as i32;
                let response =
                    Response::new_err(id, code, format!("`{method}` came before `initialize`"));
                writer.send(&Message::Response(response))?;
            }
            Ok(Message::Notification(last)) if last.method == notification::Exit::METHOD => {
                return Ok(None);
            }
            Ok(_) => {}
        }
    }
    Ok(None)
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::Supported(true)),
                ..TextDocumentSyncOptions::default()
            },
        )),
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
#[expect(
    clippy::disallowed_methods,
    reason = "asks the disk itself, not the files of a moment"
)]
fn site_of(named: &Path, parameters: &InitializeParams) -> PathBuf {
    let is_named = named != Path::new(".");
    #[expect(deprecated, reason = "older editors send nothing else")]
    let root = parameters.root_uri.iter();
    let folders = parameters
        .workspace_folders
        .iter()
        .flatten()
        .map(|folder| &folder.uri)
        .chain(root);
    let folders: Vec<PathBuf> = folders.filter_map(path_of).collect();
    let below = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let below: Vec<PathBuf> = below.map(|entry| entry.path()).collect();
    let all = folders.iter().chain(&below);
    let named = &std::path::absolute(named).unwrap_or_else(|_| named.to_owned());
    let (first, last) = if is_named {
        (Some(named), None)
    } else {
        (None, Some(named))
    };
    first
        .into_iter()
        .chain(all)
        .chain(last)
        .find(|folder| folder.join(Kind::Site.path()).is_file())
        .unwrap_or(named)
        .clone()
}

/// Asks the editor to tell what happens to files outside of it, if it can.
fn watch(parameters: &InitializeParams) -> Option<Message> {
    let workspace = parameters.capabilities.workspace.as_ref();
    let watched = workspace.and_then(|workspace| workspace.did_change_watched_files);
    if watched.and_then(|watched| watched.dynamic_registration) != Some(true) {
        return None;
    }
    let watchers = files::SOURCES
        .iter()
        .map(|folder| FileSystemWatcher {
            glob_pattern: GlobPattern::String(format!("**/{folder}/**")),
            kind: None,
        })
        .collect();
    let options = DidChangeWatchedFilesRegistrationOptions { watchers };
    let registration = Registration {
        id: "sources".to_owned(),
        method: notification::DidChangeWatchedFiles::METHOD.to_owned(),
        register_options: serde_json::to_value(options).ok(),
    };
    let parameters = RegistrationParams {
        registrations: vec![registration],
    };
    let method = request::RegisterCapability::METHOD.to_owned();
    Some(Message::Request(Request::new(
        RequestId::from("sources".to_owned()),
        method,
        parameters,
    )))
}

/// Whether the editor can rename files as part of an edit.
fn can_move(parameters: &InitializeParams) -> bool {
    let workspace = parameters.capabilities.workspace.as_ref();
    let edits = workspace.and_then(|workspace| workspace.workspace_edit.as_ref());
    // Some editors do not say that they know `documentChanges`, which such operations are part of.
    let operations = edits.and_then(|edits| edits.resource_operations.as_ref());
    operations
        .is_some_and(|operations| operations.contains(&lsp_types::ResourceOperationKind::Rename))
}

/// The path of a file that an editor names; `None` for a text that is no file.
fn path_of(uri: &Uri) -> Option<PathBuf> {
    url::Url::parse(uri.as_str()).ok()?.to_file_path().ok()
}

/// The addresses of the folder as the editor names it, and of the folder that it leads to, if they differ.
fn linked_folder(named: &Path) -> Option<(String, String)> {
    let theirs = uri_of(named)?.as_str().to_owned();
    let ours = uri_of(&files::absolute(named))?.as_str().to_owned();
    (theirs != ours).then_some((theirs, ours))
}

/// The address of a file, as editors write it.
fn uri_of(path: &Path) -> Option<Uri> {
    Uri::from_str(url::Url::from_file_path(path).ok()?.as_str()).ok()
}

/// The pipe to the editor.
type Output = Writer<io::Stdout>;

/// A message to the thread that has the pipes.
enum Event {
    /// A message of the editor, or what to answer instead; `None` if it has closed its pipe.
    Editor(Option<Result<Message, Refusal>>),
    /// A revision of the site was read.
    Found(Arc<Findings>),
    /// A request was answered.
    Answered(Response),
}
