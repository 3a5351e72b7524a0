//! A running `site-api` with a captcha provider, a webhook and a folder that tests can damage.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cms_server::{CmsServer, Reply, Request};
use crate::site_test::{site_api_program, sitegen};
use crate::waiting::wait_for;

pub const HOST: &str = "site.example";
/// The token with which tests read the server's metrics.
pub const METRICS_TOKEN: &str = "token-of-the-tests";

/// A captcha provider. The token selects the response: `good…` succeeds once, `elsewhere` reports another host.
pub fn captcha() -> CmsServer {
    let used: Mutex<Vec<String>> = Mutex::default();
    CmsServer::start(move |request| {
        let body = String::from_utf8_lossy(&request.body).into_owned();
        let token = body
            .rsplit_once("response=")
            .map_or("", |(_, token)| token)
            .to_owned();
        if !body.starts_with("secret=s3cret&") {
            return Reply::json(
                &json!({"success": false, "error-codes": ["invalid-input-secret"]}),
            );
        }
        let mut used = used.lock().expect("the tokens");
        if token.starts_with("good") && !used.contains(&token) {
            used.push(token);
            return Reply::json(&json!({"success": true, "hostname": HOST}));
        }
        match token.as_str() {
            "elsewhere" => Reply::json(&json!({"success": true, "hostname": "evil.example"})),
            "html" => Reply::Whole(200, Vec::new(), b"<html>".to_vec()),
            "down" => Reply::status(500),
            "silent" => Reply::Silence,
            _ => Reply::json(&json!({"success": false, "error-codes": ["timeout-or-duplicate"]})),
        }
    })
}

/// A response of the server.
#[derive(Debug)]
pub struct HttpResponse {
    pub status: u16,
    /// Status line and headers in lower case.
    pub head: String,
    pub body: String,
}

impl HttpResponse {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Status and error code; `200 null` for a stored lead.
    pub fn code(&self) -> String {
        format!(
            "{} {}",
            self.status,
            self.json()["code"].as_str().unwrap_or("null")
        )
    }
}

/// A running server. It stops when it is dropped.
pub struct LeadsServer {
    child: Option<Child>,
    address: String,
    pub folder: Arc<TempDir>,
    environment: Vec<(String, String)>,
    log: Arc<Mutex<String>>,
    captcha: Arc<CmsServer>,
}

impl LeadsServer {
    pub fn start() -> LeadsServer {
        LeadsServer::with(&[])
    }

    /// Starts with additional environment variables.
    pub fn with(environment: &[(&str, &str)]) -> LeadsServer {
        let folder = Arc::new(tempfile::tempdir().expect("a folder"));
        write(&folder.path().join("leads.json"), &lead_site().to_string());
        let captcha = Arc::new(captcha());
        let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut all = vec![
            own("LISTEN", "127.0.0.1:0"),
            own("CAPTCHA_SECRET", "s3cret"),
            own("CAPTCHA_VERIFY_URL", &captcha.url),
            own("LEADS_PER_MINUTE", "0"),
            own("LEADS_PER_MINUTE_TOTAL", "0"),
            own("LEADS_RETRY_AFTER", "1"),
            own("METRICS_TOKEN", METRICS_TOKEN),
        ];
        all.extend(environment.iter().map(|(name, value)| own(name, value)));
        let mut server = LeadsServer {
            child: None,
            address: String::new(),
            folder,
            environment: all,
            log: Arc::default(),
            captcha,
        };
        server.run();
        server
    }

    /// Starts the program, on a free port.
    pub fn run(&mut self) {
        let mut command = Command::new(site_api_program());
        command
            .current_dir(self.folder.path())
            .envs(self.environment.iter().cloned());
        self.run_as(command);
    }

    /// Starts the program with a custom command.
    pub fn run_as(&mut self, mut command: Command) {
        let mut child = command
            .stderr(Stdio::piped())
            .spawn()
            .expect("site-api starts");
        let mut lines = BufReader::new(child.stderr.take().expect("stderr"));
        let mut line = String::new();
        while !line.contains("http://") {
            line.clear();
            assert_ne!(
                lines.read_line(&mut line).expect("a line"),
                0,
                "site-api ends before it listens"
            );
            self.log.lock().expect("the log").push_str(&line);
        }
        self.address = line
            .split("http://")
            .nth(1)
            .and_then(|rest| rest.split('/').next())
            .expect("an address")
            .into();
        let log = Arc::clone(&self.log);
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                log.lock().expect("the log").push_str(&(line + "\n"));
            }
        });
        self.child = Some(child);
    }

    pub fn environment(&self) -> &[(String, String)] {
        &self.environment
    }

    /// Sets a variable for the next start.
    pub fn set(&mut self, name: &str, value: &str) {
        self.environment.retain(|(other, _)| other != name);
        self.environment.push((name.to_owned(), value.to_owned()));
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// How many captcha tokens the provider was asked about.
    pub fn verified(&self) -> usize {
        self.captcha.requests().len()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program's log so far.
    pub fn log(&self) -> String {
        self.log.lock().expect("the log").clone()
    }

    /// Waits until the program has logged a text: what it does in the background, it reports later than it answers.
    pub fn wait_for_log(&self, text: &str) {
        wait_for(&format!("{text:?} in the log"), || {
            self.log().contains(text).then_some(())
        });
    }

    /// Kills the program, and leaves it to [`LeadsServer::kill`] to wait for its end.
    pub fn interrupt(&self) {
        let pid = self
            .child
            .as_ref()
            .and_then(|child| i32::try_from(child.id()).ok())
            .and_then(rustix::process::Pid::from_raw);
        // It may have ended by itself.
        let _ = pid.map(|pid| rustix::process::kill_process(pid, rustix::process::Signal::KILL));
    }

    /// Kills the program.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    pub fn request(&self, head: &str, body: &[u8]) -> HttpResponse {
        request(&self.address, head, body).expect("an answer")
    }

    /// Posts a lead as JSON.
    pub fn post(&self, lead: &Value) -> HttpResponse {
        self.post_with("", lead)
    }

    /// Posts a lead with additional headers.
    pub fn post_with(&self, headers: &str, lead: &Value) -> HttpResponse {
        self.send(
            &format!("POST /api/leads HTTP/1.1\r\nContent-Type: application/json\r\n{headers}"),
            &lead.to_string(),
        )
    }

    pub fn send(&self, head: &str, body: &str) -> HttpResponse {
        self.request(
            &format!("{head}Content-Length: {}\r\n", body.len()),
            body.as_bytes(),
        )
    }

    /// Posts a form as a browser without JavaScript does.
    pub fn form(&self, query: &str, body: &str) -> HttpResponse {
        let kind = "Content-Type: application/x-www-form-urlencoded";
        self.send(
            &format!("POST /api/leads{query} HTTP/1.1\r\n{kind}\r\n"),
            body,
        )
    }

    /// Runs `sitegen leads …`. Returns exit status, stdout and stderr.
    pub fn leads(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = sitegen();
        command
            .arg("leads")
            .args(arguments)
            .args(["--root"])
            .arg(self.folder.path());
        let output = command
            .envs(self.environment.iter().cloned())
            .output()
            .expect("sitegen starts");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (
            output.status.code().unwrap_or(-1),
            text(output.stdout),
            text(output.stderr),
        )
    }

    /// All stored leads, newest first.
    pub fn stored(&self) -> Vec<Value> {
        let (status, stdout, stderr) =
            self.leads(&["list", "--limit", "1000000", "--format", "json"]);
        assert_eq!(status, 0, "{stderr}");
        serde_json::from_str(&stdout).expect("JSON")
    }
}

impl Drop for LeadsServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Sends a request over a new connection.
pub fn request(address: &str, head: &str, body: &[u8]) -> std::io::Result<HttpResponse> {
    let mut stream = TcpStream::connect(address)?;
    // Sending may fail if the server has responded and closed the connection early.
    let sent = write!(stream, "{head}Host: {address}\r\nConnection: close\r\n\r\n")
        .and_then(|()| stream.write_all(body));
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    if bytes.is_empty() {
        sent?;
        read?;
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| std::io::Error::other(format!("no status in {head:?}")))?;
    Ok(HttpResponse {
        status,
        head: head.to_lowercase(),
        body: body.to_owned(),
    })
}

/// The contents of `leads.json` for a site in two languages.
pub fn lead_site() -> Value {
    json!({
        "version": 1,
        "base_url": format!("https://{HOST}"),
        "rules": {"refuse_without_script": false, "refuse_unverified": false, "keep_days": null},
        "locales": [
            {"code": "en", "errors": {}, "form": FORM, "thanks": "/thanks/"},
            {"code": "es", "errors": {"required": "Falta."}, "form": FORM, "thanks": "/es/gracias/"},
        ],
    })
}

/// A lead with a captcha token.
pub fn lead(token: &str) -> Value {
    json!({
        "name": "Ana Ruiz", "email": "ana@example.com", "company": "", "phone": "", "projectType": "Support",
        "message": "one\ntwo", "recaptchaToken": token,
    })
}

/// A webhook receiver.
pub fn webhook(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> CmsServer {
    CmsServer::start(answer)
}

pub fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("a file");
}

const FORM: &str = "<!doctype html><title>Form</title><script src=/a.js></script>\
    <form data-lead-form method=post action=/api/leads><p data-error hidden></p>\
    <p data-error=email hidden></p><input name=name><input name=email type=email>\
    <select name=projectType><option value=Support>a</option><option value=SEO>b</option></select>\
    <textarea name=message></textarea></form>";
