//! Answers requests of the editor, each from one revision of the site, in threads of their own: a slow request keeps
//! neither the next one nor the typed text waiting.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};

use lsp_server::{ErrorCode, Request, RequestId, Response};
use lsp_types::request::{self, Request as _};
use serde::Serialize;
use serde_json::Value;

use super::analysis::{Findings, STACK};
use super::revision::Revision;
use super::text::Text;
use super::{Event, completion, fixes, navigation, outline, path_of, refusals, rename};

/// The number of threads. One answers while another one waits for the site to be read.
const THREADS: usize = 2;

/// A request with all that its answer depends on.
pub(super) struct Asked {
    pub request: Request,
    pub revision: Arc<Revision>,
    /// The last findings, which may be in an older revision.
    pub findings: Arc<Findings>,
    /// Whether the editor can rename files.
    pub can_move: bool,
    pub is_cancelled: Arc<AtomicBool>,
}

/// Threads that answer requests.
pub(super) struct Pool(Sender<Asked>);

impl Pool {
    /// Starts the threads.
    pub fn start(events: &Sender<Event>) -> Pool {
        let (sender, asked) = mpsc::channel::<Asked>();
        let asked = Arc::new(Mutex::new(asked));
        for _ in 0..THREADS {
            let (asked, events) = (Arc::clone(&asked), events.clone());
            let answer = move || {
                // Loops that would use all cores run on this thread alone: those of a check have all others, and an answer would
                // wait for their end. An error leaves it to them.
                let _alone = rayon::ThreadPoolBuilder::new()
                    .num_threads(1)
                    .use_current_thread()
                    .build();
                loop {
                    // Poisoned only if another thread panicked while it waited; the channel is intact.
                    let next = asked.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(next) = next else { return };
                    if events.send(Event::Answered(next.answered())).is_err() {
                        return;
                    }
                }
            };
            let _ = std::thread::Builder::new().stack_size(STACK).spawn(answer);
        }
        Pool(sender)
    }

    /// Lets a thread answer a request. The error is the answer if there is no thread.
    pub fn ask(&self, asked: Asked) -> Result<(), Response> {
        self.0.send(asked).map_err(|refused| {
            let message = "no thread could be started for this request".to_owned();
            Response::new_err(
                refused.0.request.id,
                ErrorCode::InternalError as i32,
                message,
            )
        })
    }
}

impl Asked {
    /// The answer. A panic is a bug of sitegen, and an answer too.
    fn answered(self) -> Response {
        let (id, method) = (self.request.id.clone(), self.request.method.clone());
        if self.is_cancelled.load(Ordering::SeqCst) {
            // The server answers.
            return Response::new_ok(id, Value::Null);
        }
        catch_unwind(AssertUnwindSafe(|| self.answer())).unwrap_or_else(|_| {
            Response::new_err(
                id,
                ErrorCode::InternalError as i32,
                format!("sitegen panicked in `{method}`"),
            )
        })
    }

    fn answer(&self) -> Response {
        let Request { id, method, params } = self.request.clone();
        let (revision, findings) = (&self.revision, &*self.findings);
        match method.as_str() {
            request::Completion::METHOD => {
                with(id, params, |asked: lsp_types::CompletionParams| {
                    let (path, text, offset) = self.position(&asked.text_document_position)?;
                    Some(completion::complete(&findings.index, &path, &text, offset))
                })
            }
            request::HoverRequest::METHOD => with(id, params, |asked: lsp_types::HoverParams| {
                let (path, text, offset) = self.position(&asked.text_document_position_params)?;
                navigation::hover(findings, &path, &text, offset)
            }),
            request::GotoDefinition::METHOD => {
                with(id, params, |asked: lsp_types::GotoDefinitionParams| {
                    let (path, text, offset) =
                        self.position(&asked.text_document_position_params)?;
                    let found =
                        navigation::definition(&findings.index, &path, &text, offset, revision);
                    (!found.is_empty()).then_some(lsp_types::GotoDefinitionResponse::Array(found))
                })
            }
            request::References::METHOD => with(id, params, |asked: lsp_types::ReferenceParams| {
                let (path, _, offset) = self.position(&asked.text_document_position)?;
                let (_, all) = revision.names_soon()?;
                let name = &all.at(&path, offset)?.name;
                Some(navigation::locations(rename::places(&all, name).filter(
                    |one| !one.declares || asked.context.include_declaration,
                )))
            }),
            request::PrepareRenameRequest::METHOD => try_with(
                id,
                params,
                |asked: lsp_types::TextDocumentPositionParams| self.prepare_rename(&asked),
            ),
            request::Rename::METHOD => try_with(id, params, |asked: lsp_types::RenameParams| {
                self.rename(&asked)
            }),
            request::DocumentSymbolRequest::METHOD => {
                with(id, params, |asked: lsp_types::DocumentSymbolParams| {
                    let (path, text) = self.document(&asked.text_document)?;
                    Some(lsp_types::DocumentSymbolResponse::Nested(outline::symbols(
                        &path, &text,
                    )))
                })
            }
            request::FoldingRangeRequest::METHOD => {
                with(id, params, |asked: lsp_types::FoldingRangeParams| {
                    let (path, text) = self.document(&asked.text_document)?;
                    Some(outline::folds(&path, &text))
                })
            }
            request::DocumentLinkRequest::METHOD => {
                with(id, params, |asked: lsp_types::DocumentLinkParams| {
                    let (path, text) = self.document(&asked.text_document)?;
                    Some(navigation::document_links(&findings.index, &path, &text))
                })
            }
            request::Formatting::METHOD => {
                with(id, params, |asked: lsp_types::DocumentFormattingParams| {
                    let (path, text) = self.document(&asked.text_document)?;
                    Some(fixes::format(
                        &revision.files,
                        &findings.index,
                        &path,
                        &text,
                    ))
                })
            }
            request::CodeActionRequest::METHOD => {
                with(id, params, |asked: lsp_types::CodeActionParams| {
                    let (path, text) = self.document(&asked.text_document)?;
                    Some(fixes::actions(findings.of(&path), &asked, &text))
                })
            }
            request::DocumentColor::METHOD => {
                with(id, params, |asked: lsp_types::DocumentColorParams| {
                    let (path, text) = self.document(&asked.text_document)?;
                    Some(outline::colors(&path, &text))
                })
            }
            _ => Response::new_err(
                id,
                ErrorCode::MethodNotFound as i32,
                format!("the method `{method}` is not supported"),
            ),
        }
    }

    fn prepare_rename(
        &self,
        asked: &lsp_types::TextDocumentPositionParams,
    ) -> Result<Option<lsp_types::PrepareRenameResponse>, String> {
        let Some((path, text, offset)) = self.position(asked) else {
            return Ok(None);
        };
        let Some((workspace, all)) = self.revision.names_soon() else {
            return Ok(None);
        };
        let Some(found) = all.at(&path, offset) else {
            return Ok(None);
        };
        if let Some(why) = refusals::of(workspace.site(), &found.name) {
            return Err(why);
        }
        let range = text.range(found.span.clone());
        let placeholder =
            rename::shown(found, text.text.get(found.span.clone()).unwrap_or_default());
        Ok(Some(
            lsp_types::PrepareRenameResponse::RangeWithPlaceholder { range, placeholder },
        ))
    }

    fn rename(&self, asked: &lsp_types::RenameParams) -> Result<lsp_types::WorkspaceEdit, String> {
        let nothing = || "there is nothing to rename here".to_owned();
        let (path, _, offset) = self
            .position(&asked.text_document_position)
            .ok_or_else(nothing)?;
        let revision = self.revision.current();
        let (_, all) = revision.names().ok_or_else(nothing)?;
        let name = &all.at(&path, offset).ok_or_else(nothing)?.name;
        let edit = rename::rename(&revision, name, &asked.new_name)?;
        navigation::workspace_edit(&revision.files, edit, self.can_move)
    }

    fn document(&self, named: &lsp_types::TextDocumentIdentifier) -> Option<(PathBuf, Text)> {
        let path = path_of(&named.uri)?;
        let text = self.revision.text(&path)?;
        Some((path, text))
    }

    fn position(
        &self,
        named: &lsp_types::TextDocumentPositionParams,
    ) -> Option<(PathBuf, Text, usize)> {
        let (path, text) = self.document(&named.text_document)?;
        let offset = text.offset(named.position);
        Some((path, text, offset))
    }
}

/// Whether an answer is about places in texts, so that it is wrong after one of them has changed.
pub(super) fn has_places(method: &str) -> bool {
    matches!(
        method,
        request::GotoDefinition::METHOD
            | request::References::METHOD
            | request::PrepareRenameRequest::METHOD
            | request::Rename::METHOD
            | request::Formatting::METHOD
            | request::CodeActionRequest::METHOD
    )
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
fn try_with<P, R>(
    id: RequestId,
    parameters: Value,
    answer: impl FnOnce(P) -> Result<R, String>,
) -> Response
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
