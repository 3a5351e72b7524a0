//! Observes a connection: whether it waits for a request, reads a body, or waits for the client to take the response.
//! At its end, reads what the client is still sending.

use std::io::{IoSlice, Result as IoResult};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::connections::State;

/// The bytes of a connection.
pub(super) struct Watched {
    stream: TcpStream,
    state: Arc<State>,
}

impl Watched {
    pub(super) fn new(stream: TcpStream, state: Arc<State>) -> Watched {
        Watched { stream, state }
    }

    fn wrote(&self, written: Poll<IoResult<usize>>) -> Poll<IoResult<usize>> {
        match &written {
            Poll::Pending => self.state.is_blocked(),
            Poll::Ready(_) => self.state.has_sent(),
        }
        written
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<IoResult<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.stream).poll_read(context, buffer));
        if buffer.filled().len() > before {
            self.state.has_received();
        }
        Poll::Ready(read)
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<IoResult<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<IoResult<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.wrote(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<IoResult<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    /// After a request that was answered before its body had come, as refused ones are, first waits for the end of that body:
    /// if a client sends into a connection that is closed, its system drops the response that it has not read yet.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<IoResult<()>> {
        ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        if !self.state.has_unread_body() {
            return Poll::Ready(Ok(()));
        }
        self.state.waits_for_close();
        loop {
            let mut discarded = [MaybeUninit::uninit(); DISCARDED];
            let mut discarded = ReadBuf::uninit(&mut discarded);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut discarded))?;
            if discarded.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

/// How many bytes of a body that nobody wants are read at once.
const DISCARDED: usize = 16 * 1024;

/// The body of a request. A handler has read it when it is at its end or dropped.
pub(super) struct RequestBody {
    body: Incoming,
    state: Arc<State>,
}

impl RequestBody {
    /// The head has been read, and the request begins.
    pub(super) fn new(body: Incoming, state: &Arc<State>) -> RequestBody {
        state.serves(!body.is_end_stream());
        RequestBody {
            body,
            state: Arc::clone(state),
        }
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if frame.is_none() {
            self.state.has_body();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        self.state.has_body();
        if !self.body.is_end_stream() {
            self.state.leaves_body();
        }
    }
}

/// The body of a response. When it is dropped, the connection waits for another request.
pub(super) struct ResponseBody {
    body: Body,
    state: Arc<State>,
}

impl ResponseBody {
    pub(super) fn new(body: Body, state: Arc<State>) -> ResponseBody {
        ResponseBody { body, state }
    }
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for ResponseBody {
    fn drop(&mut self) {
        self.state.waits();
    }
}
