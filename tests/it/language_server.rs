//! The language server's response to anything that isn't a message: the error of the protocol, after which it goes on.
//! Sessions of editors are in `tests/editors/`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::site_test::SiteTest;

pub struct LanguageServer {
    child: Child,
    /// `None` after it was closed.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl LanguageServer {
    pub fn start(site: &SiteTest) -> LanguageServer {
        let mut command = site.command(&["lsp"]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("sitegen starts");
        let (input, output) = (
            child.stdin.take().expect("stdin"),
            child.stdout.take().expect("stdout"),
        );
        LanguageServer {
            child,
            input: Some(input),
            output: BufReader::new(output),
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("an open pipe");
        input
            .write_all(bytes)
            .and_then(|()| input.flush())
            .expect("the server reads");
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    /// Sends a request, and returns the result.
    pub fn request(&mut self, id: i32, method: &str, params: &Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.answer().1
    }

    pub fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The parameters of the next notification of this name.
    pub fn notification(&mut self, method: &str) -> Value {
        loop {
            let mut message = self.message();
            if message["method"] == method {
                return message["params"].take();
            }
        }
    }

    fn message(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(
                self.output.read_line(&mut line).expect("a line") > 0,
                "the server has ended"
            );
            match line.trim().split_once(": ") {
                Some((_, value)) => length = value.parse().expect("a length"),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("a body");
        serde_json::from_slice(&body).expect("JSON")
    }

    /// The next answer, whose id and result or code it returns. Requests and notifications of the server are skipped.
    fn answer(&mut self) -> (Value, Value) {
        loop {
            let mut message = self.message();
            if message.get("method").is_none() {
                let id = message["id"].take();
                let code = message["error"]["code"].take();
                return (
                    id,
                    if code.is_null() {
                        message["result"].take()
                    } else {
                        code
                    },
                );
            }
        }
    }
}

impl Drop for LanguageServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn what_is_no_message_is_answered_and_the_server_goes_on() {
    let site = SiteTest::small();
    let mut server = LanguageServer::start(&site);
    let request =
        |id: i32, method: &str| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {}});
    // Before it is initialized.
    server.send(&request(1, "textDocument/hover"));
    assert_eq!(server.answer(), (json!(1), json!(-32002)));
    server.send(&json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {}}));
    server.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": 7}));
    assert_eq!(server.answer(), (json!(2), json!(-32602)));
    let wrong: [(&[u8], i32); 6] = [
        (b"Content-Length: 9\r\n\r\n{\"id\": 1,", -32700),
        (b"Content-Length: 2\r\n\r\n\xff\xfe", -32700),
        (b"Content-Length: 2\r\n\r\n[]", -32600),
        (b"Content-Length: x\r\n\r\n", -32700),
        (b"Content-Length: -5\r\n\r\n", -32700),
        (b"hello\r\n\r\n", -32700),
    ];
    for (bytes, code) in wrong {
        server.write(bytes);
        assert_eq!(
            server.answer(),
            (Value::Null, json!(code)),
            "{}",
            String::from_utf8_lossy(bytes)
        );
    }
    server.send(&request(3, "initialize"));
    let (id, result) = server.answer();
    assert!(id == 3 && result["capabilities"].is_object(), "{result}");
    for (bytes, code) in wrong {
        server.write(bytes);
        assert_eq!(
            server.answer(),
            (Value::Null, json!(code)),
            "{}",
            String::from_utf8_lossy(bytes)
        );
    }
    // Without `initialized`, and with parameters that are none.
    server.send(&request(4, "textDocument/hover"));
    assert_eq!(server.answer(), (json!(4), json!(-32602)));
    server.send(&json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": [1]}));
    server.send(&request(5, "textDocument/nonsense"));
    assert_eq!(server.answer(), (json!(5), json!(-32601)));
    server.send(&request(6, "initialize"));
    assert_eq!(server.answer(), (json!(6), json!(-32600)));
    server.send(&request(7, "shutdown"));
    assert_eq!(server.answer(), (json!(7), Value::Null));
    server.send(&request(8, "textDocument/hover"));
    assert_eq!(server.answer(), (json!(8), json!(-32600)));
    server.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    assert_eq!(server.child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_closed_pipe_ends_it_at_any_moment() {
    let site = SiteTest::small();
    for begun in ["", "Content-Len", "Content-Length: 50\r\n\r\n{\"id\"", "{"] {
        let mut server = LanguageServer::start(&site);
        server.write(begun.as_bytes());
        server.input = None;
        assert_eq!(
            server.child.wait().expect("it ends").code(),
            Some(0),
            "{begun:?}"
        );
    }
}

/// Text is read as it is typed, before anybody saves it.
#[test]
fn no_document_ends_the_server() {
    let site = SiteTest::blog();
    let mut server = LanguageServer::start(&site);
    let root = format!("file://{}", site.path("").display());
    server.request(
        1,
        "initialize",
        &json!({"rootUri": root, "capabilities": {}}),
    );
    server.notify("initialized", &json!({}));
    let nested = |open: &str, close: &str, count: usize| {
        format!("{}a{}", open.repeat(count), close.repeat(count))
    };
    let post =
        |text: &str| format!("---\ntitle: Deep\ndate: 2025-03-14\nauthor: ana\n---\n{text}\n");
    let documents = [
        (
            "content/blog/en/a.md",
            post(&format!("$${}$$", nested("\\sqrt{", "}", 1_000))),
        ),
        (
            "content/blog/en/b.md",
            post(&format!("$${}$$", nested("\\left(", "\\right)", 1_000))),
        ),
        (
            "content/blog/en/c.md",
            post(&nested("<div>", "</div>", 10_000)),
        ),
        (
            "content/pages/about/en.yaml",
            format!("path: /about/\ntitle: {}", nested("[", "]", 10_000)),
        ),
        (
            "content/site.yaml",
            format!("locales: {}", nested("{a: ", "}", 10_000)),
        ),
        (
            "content/locales/en.yaml",
            format!(
                "words:\n  a: \"{}\"",
                nested("{n, plural, other {", "}}", 2_000)
            ),
        ),
    ];
    for (version, (path, text)) in (2..).zip(&documents) {
        let uri = format!("{root}{}{path}", if root.ends_with('/') { "" } else { "/" });
        let document = json!({"uri": uri, "languageId": "yaml", "version": version, "text": text});
        server.notify("textDocument/didOpen", &json!({"textDocument": document}));
        let params = json!({"textDocument": {"uri": uri}, "position": {"line": 1, "character": 1}});
        server.send(&json!({"jsonrpc": "2.0", "id": version, "method": "textDocument/hover", "params": params}));
        // Diagnostics may come before the answer.
        while server.message()["id"] != version {}
    }
}
