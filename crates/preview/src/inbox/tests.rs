//! The inbox as browsers, other sites and proxies meet it, over a store of its own.

use axum::body::{Body, to_bytes};
use axum::http::Request;
use tempfile::TempDir;
use tower::ServiceExt as _;

use api::leads::{
    Channel, Contents, DeliveryOutcome, FileContent, Lead, NewFile, NewLead, SiteFile, Sqlite,
    Status, new_id,
};

use super::words::Language;
use super::*;

const HOST: &str = "127.0.0.1:4200";
/// A day in 2027 in milliseconds, at noon.
const NOON: i64 = 1_801_483_200_000;

/// An inbox over a store, and the cookie of who has opened its address.
struct Tested {
    router: Router,
    store: Arc<Sqlite>,
    cookie: String,
    _folder: TempDir,
}

/// A response.
struct Answer {
    status: u16,
    headers: axum::http::HeaderMap,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}

impl Tested {
    async fn new(allows_changes: bool, trusted: Option<&str>) -> Tested {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Arc::new(Sqlite::new(&folder.path().join("leads.sqlite3")).expect("a store"));
        let access = Access {
            hosts: vec!["inbox.example".into()],
            is_behind_proxy: trusted.is_some(),
        };
        let gate = Gate::new(
            HOST.parse().expect("an address"),
            "127.0.0.1",
            access,
            COMMAND,
        )
        .expect("a gate");
        let query = gate.query();
        let inbox = Arc::new(Inbox {
            store: Arc::<Sqlite>::clone(&store),
            site: SiteFile::new(folder.path().join("leads.json")),
            templates: templates(),
            gate,
            trusted: trusted.map(|name| header_name(name).expect("a header")),
            tokens: Tokens::new().expect("tokens"),
            allows_changes,
        });
        let mut tested = Tested {
            router: router(&inbox),
            store,
            cookie: String::new(),
            _folder: folder,
        };
        if trusted.is_none() {
            let welcome = tested
                .ask(Request::get(format!("/{query}")).header("host", HOST))
                .await;
            welcome
                .header("set-cookie")
                .split(';')
                .next()
                .unwrap_or_default()
                .clone_into(&mut tested.cookie);
        }
        tested
    }

    async fn ask(&self, request: axum::http::request::Builder) -> Answer {
        self.send(request, String::new()).await
    }

    async fn send(&self, request: axum::http::request::Builder, body: String) -> Answer {
        let answer = self
            .router
            .clone()
            .oneshot(request.body(Body::from(body)).expect("a request"))
            .await;
        let (parts, body) = answer.expect("an answer").into_parts();
        let body = to_bytes(body, usize::MAX).await.expect("a body");
        let body = String::from_utf8_lossy(&body).into_owned();
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body,
        }
    }

    /// The response that the author gets.
    async fn get(&self, address: &str) -> Answer {
        self.ask(
            Request::get(address)
                .header("host", HOST)
                .header("cookie", &self.cookie),
        )
        .await
    }

    /// Posts a form of a page, as a browser does.
    async fn post(&self, address: &str, body: &str) -> Answer {
        let request = Request::post(address)
            .header("host", HOST)
            .header("cookie", &self.cookie);
        let request = request
            .header("origin", format!("http://{HOST}"))
            .header("sec-fetch-site", "same-origin");
        self.send(request, body.to_owned()).await
    }

    /// The token in a page.
    async fn token(&self, address: &str) -> String {
        token_in(&self.get(address).await.body)
    }

    async fn store(&self, lead: Lead, files: Vec<NewFile>, channels: Vec<Channel>) -> String {
        let (id, fingerprint) = (lead.id.clone(), lead.contents.fingerprint());
        let new = NewLead {
            lead,
            key: None,
            fingerprint,
            token: None,
            channels,
            files,
        };
        self.store.insert(new).await.expect("it is stored");
        id
    }

    async fn status(&self, id: &str) -> Option<Status> {
        self.store
            .lead(id.to_owned())
            .await
            .expect("a store")
            .map(|lead| lead.status)
    }
}

fn token_in(page: &str) -> String {
    let token = page
        .split("name=\"token\" value=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    token
        .unwrap_or_else(|| panic!("no token in {page}"))
        .to_owned()
}

/// A lead of the lead form.
fn lead(name: &str, at: i64) -> Lead {
    let email = format!(
        "{}@example.com",
        name.split(' ').next().unwrap_or_default().to_lowercase()
    );
    let answers =
        serde_json::json!({"name": name, "email": email, "message": "We need <b>help</b>"});
    let contents = Contents::of_call(answers.as_object().expect("an object").clone());
    Lead {
        id: new_id(at),
        at,
        locale: "en".into(),
        status: Status::Verified,
        reason: None,
        contents,
    }
}

/// An answer to the form `visit`, in Spanish.
fn visit(name: &str, at: i64) -> Lead {
    let answers = serde_json::json!({"name": name, "day": "2027-02-01", "scan": {"name": "tooth.pdf", "type": "application/pdf", "size": 4}});
    let contents = Contents {
        name: name.into(),
        form: "visit".into(),
        page: "/es/cita/".into(),
        answers: answers.as_object().expect("an object").clone(),
        consents: [(
            "privacy".into(),
            api::leads::StoredConsent {
                words: Some("I agree.".into()),
                hash: "x".into(),
            },
        )]
        .into(),
        ..Contents::default()
    };
    Lead {
        locale: "es".into(),
        status: Status::Quarantined,
        reason: Some("no script".into()),
        contents,
        ..lead(name, at)
    }
}

#[tokio::test]
async fn only_the_browser_that_opened_the_printed_address_reads_leads() {
    let inbox = Tested::new(false, None).await;
    let id = inbox
        .store(lead("Ana Ruiz", NOON), Vec::new(), Vec::new())
        .await;
    for address in [
        "/".to_owned(),
        format!("/lead/{id}"),
        "/export.csv".into(),
        "/export.json".into(),
    ] {
        let page = inbox.get(&address).await;
        assert!(
            page.status == 200 && page.body.contains("Ana Ruiz"),
            "{address}: {}",
            page.body
        );
        assert_eq!(page.header("cache-control"), "no-store", "{address}");
        assert_eq!(
            page.header("x-content-type-options"),
            "nosniff",
            "{address}"
        );
        assert_eq!(
            page.header("referrer-policy"),
            "same-origin",
            "forms are sent with their origin: {address}"
        );
        assert!(
            page.header("content-security-policy")
                .starts_with("default-src 'none';"),
            "{address}"
        );
        let request = |host: &str| Request::get(&address).header("host", host);
        for (refused, why) in [
            (request(HOST), "no cookie"),
            (
                request("evil.example:4200").header("cookie", &inbox.cookie),
                "a name that was made to lead here",
            ),
            (
                request(HOST)
                    .header("cookie", &inbox.cookie)
                    .header("x-forwarded-for", "1.2.3.4"),
                "through a proxy",
            ),
            (
                request(HOST)
                    .header("cookie", &inbox.cookie)
                    .header("sec-fetch-site", "cross-site"),
                "of another site",
            ),
        ] {
            let answer = inbox.ask(refused).await;
            assert!(
                answer.status == 403 && !answer.body.contains("Ana"),
                "{why}: {} {}",
                answer.status,
                answer.body
            );
        }
    }
}

#[tokio::test]
async fn a_proxy_names_who_asks() {
    let inbox = Tested::new(true, Some("X-Forwarded-User")).await;
    let id = inbox
        .store(lead("Ana Ruiz", NOON), Vec::new(), Vec::new())
        .await;
    let request = |host: &str| Request::get("/").header("host", host);
    let seen = inbox
        .ask(request("inbox.example").header("x-forwarded-user", "eva"))
        .await;
    assert!(
        seen.status == 200 && seen.body.contains("Ana Ruiz"),
        "{}",
        seen.body
    );
    for (refused, status) in [
        (request("inbox.example"), 401),
        (
            request("inbox.example").header("x-forwarded-user", " "),
            401,
        ),
        (
            request("inbox.example")
                .header("x-forwarded-user", "eva")
                .header("x-forwarded-user", "root"),
            401,
        ),
        (
            request("other.example").header("x-forwarded-user", "eva"),
            403,
        ),
    ] {
        let answer = inbox.ask(refused).await;
        assert!(
            answer.status == status && !answer.body.contains("Ana"),
            "{}: {}",
            answer.status,
            answer.body
        );
    }
    // A form is that of one user.
    let token = token_in(&seen.body);
    let mark = |user: &str, origin: &str| {
        let request = Request::post("/mark")
            .header("host", "inbox.example")
            .header("x-forwarded-user", user);
        request.header("origin", origin)
    };
    let body = format!("token={token}&id={id}");
    assert_eq!(
        inbox
            .send(mark("mallory", "https://inbox.example"), body.clone())
            .await
            .status,
        403
    );
    assert_eq!(
        inbox
            .send(mark("eva", "https://evil.example"), body.clone())
            .await
            .status,
        403
    );
    assert!(!inbox.store.is_read(id.clone()).await.expect("a store"));
    assert_eq!(
        inbox
            .send(mark("eva", "https://inbox.example"), body)
            .await
            .status,
        303
    );
    assert!(inbox.store.is_read(id).await.expect("a store"));
}

#[tokio::test]
async fn a_list_is_filtered_searched_and_paged() {
    let inbox = Tested::new(false, None).await;
    assert!(inbox.get("/").await.body.contains("No leads yet."));
    for number in 0..120 {
        let name = format!("Visitor {number:03}");
        let at = NOON + number * 86_400_000;
        let one = if number % 3 == 0 {
            visit(&name, at)
        } else {
            lead(&name, at)
        };
        inbox.store(one, Vec::new(), Vec::new()).await;
    }
    let names = |page: &str| -> Vec<String> {
        let titles = page.split("dir=\"auto\">Visitor ").skip(1);
        titles.map(|rest| rest[..3].to_owned()).collect()
    };
    let first = inbox.get("/").await.body;
    assert_eq!(
        (
            names(&first).len(),
            names(&first)[0].as_str(),
            names(&first)[49].as_str()
        ),
        (50, "119", "070")
    );
    assert!(
        first.contains("<p class=\"total\">120 leads</p>"),
        "{first}"
    );
    let older = first
        .split("rel=\"next\" href=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .expect("older leads");
    let second = inbox.get(&older.replace("&#x2f;", "/")).await.body;
    assert_eq!(
        (names(&second)[0].as_str(), names(&second)[49].as_str()),
        ("069", "020")
    );
    for (query, expect) in [
        ("form=visit", "117 114 111"),
        ("form=-", "119 118 116"),
        ("locale=es", "117 114 111"),
        ("status=quarantined&form=visit", "117 114 111"),
        ("status=spam", ""),
        ("q=VISITOR+1+11", "119 118 117"),
        ("q=tooth.pdf", "117 114 111"),
        ("q=visitor104%40example.com", ""),
        ("from=2027-02-05&to=2027-02-06", "005 004"),
        ("from=2027-02-05&to=2027-02-06&form=visit", ""),
        ("q=visitor&to=2027-02-03&form=visit", "000"),
        ("unread=1&form=visit&to=2027-02-10", "009 006 003"),
    ] {
        let page = inbox.get(&format!("/?{query}")).await.body;
        assert_eq!(
            names(&page)
                .into_iter()
                .take(3)
                .collect::<Vec<_>>()
                .join(" "),
            expect,
            "{query}"
        );
    }
    // The export has the rows of the list.
    let csv = inbox.get("/export.csv?form=visit&to=2027-02-10").await;
    assert_eq!(
        csv.header("content-disposition").split(';').next(),
        Some("attachment")
    );
    assert_eq!(csv.body.lines().count(), 1 + 4, "{}", csv.body);
    let json: serde_json::Value = serde_json::from_str(
        &inbox
            .get("/export.json?form=visit&to=2027-02-10")
            .await
            .body,
    )
    .expect("JSON");
    assert_eq!(
        (json.as_array().map(Vec::len), json[0]["name"].as_str()),
        (Some(4), Some("Visitor 000"))
    );
    let wrong = inbox.get("/?from=yesterday").await.body;
    assert!(
        wrong.contains("role=\"alert\">Enter dates as 2027-01-31."),
        "{wrong}"
    );
}

#[tokio::test]
async fn a_lead_is_shown_whole_and_escaped() {
    let inbox = Tested::new(true, None).await;
    let mut one = visit("Ana <script>alert(1)</script>", NOON);
    one.contents.email = "ana@example.com".into();
    let file = NewFile {
        field: "scan".into(),
        name: "to\"oth ñ.html".into(),
        kind: "application/pdf".into(),
        content: FileContent::Bytes(b"<script>".to_vec()),
    };
    one.contents.answers.insert("scan".into(), file.described());
    let id = inbox.store(one, vec![file], vec![Channel::Mail]).await;
    let trouble = DeliveryOutcome::Dead {
        trouble: "the mail server responded with 550".into(),
    };
    inbox
        .store
        .complete(format!("{id}-mail"), trouble)
        .await
        .expect("a store");
    for (language, words) in [
        (
            "en",
            [
                "Answers",
                "I agree.",
                "Quarantined",
                "no script",
                "the mail server responded with 550",
                "Failed",
                "Release",
            ],
        ),
        (
            "es",
            [
                "Respuestas",
                "I agree.",
                "En cuarentena",
                "no script",
                "the mail server responded with 550",
                "Abandonado",
                "Liberar",
            ],
        ),
    ] {
        let page = inbox.get(&format!("/lead/{id}?lang={language}")).await;
        assert_eq!(page.status, 200);
        assert!(
            page.body.contains("file&#x2f;1") || page.body.contains("/file/1"),
            "{}",
            page.body
        );
        assert!(
            page.header("set-cookie")
                .starts_with(&format!("sitegen-inbox-language={language};"))
        );
        for word in words.into_iter().chain([
            "/es/cita/",
            "2027-02-01",
            "Ana &lt;script&gt;alert(1)&lt;/script&gt;",
            &id,
        ]) {
            let plain = page.body.replace("&#x2f;", "/");
            assert!(plain.contains(word), "`{word}` is not in {plain}");
        }
        assert!(!page.body.contains("<script"), "{}", page.body);
    }
    let file = inbox.get(&format!("/lead/{id}/file/1")).await;
    assert_eq!(file.header("content-type"), "application/octet-stream");
    assert_eq!(
        file.header("content-disposition"),
        "attachment; filename=\"to_oth _.html\"; filename*=UTF-8''to%22oth%20%C3%B1%2Ehtml"
    );
    assert!(file.header("content-security-policy").contains("sandbox"));
    assert_eq!(
        (file.header("x-content-type-options"), file.body.as_str()),
        ("nosniff", "<script>")
    );
    for address in [
        format!("/lead/{id}/file/2"),
        format!("/lead/{id}/file/0"),
        "/lead/none".into(),
        "/none".into(),
    ] {
        assert_eq!(inbox.get(&address).await.status, 404, "{address}");
    }
}

#[tokio::test]
async fn nothing_changes_unless_that_is_allowed_and_a_page_of_the_inbox_asks() {
    let inbox = Tested::new(false, None).await;
    let id = inbox
        .store(visit("Ana", NOON), Vec::new(), Vec::new())
        .await;
    for address in [
        "/mark".to_owned(),
        format!("/lead/{id}/release"),
        format!("/lead/{id}/forget"),
    ] {
        let refused = inbox.post(&address, &format!("id={id}")).await;
        assert!(
            refused.status == 403 && refused.body.contains("--allow-changes"),
            "{}",
            refused.body
        );
    }
    assert!(!inbox.get("/").await.body.contains("<form method=\"post\""));

    let inbox = Tested::new(true, None).await;
    let mut one = visit("Ana", NOON);
    one.contents.email = "ana@example.com".into();
    let id = inbox.store(one, Vec::new(), Vec::new()).await;
    let token = inbox.token("/").await;
    let good = format!("token={token}&id={id}");
    let release = format!("/lead/{id}/release");
    for address in [
        "/mark",
        &release,
        &format!("/lead/{id}/forget"),
        &format!("/lead/{id}/retry"),
    ] {
        let request = || {
            Request::post(address)
                .header("host", HOST)
                .header("cookie", &inbox.cookie)
        };
        for (request, body, why) in [
            (request(), format!("id={id}"), "no token"),
            (
                request(),
                format!("token={}&id={id}", "0".repeat(64)),
                "another token",
            ),
            (
                request().header("origin", "http://evil.example"),
                good.clone(),
                "another site",
            ),
            (
                request().header("origin", "null"),
                good.clone(),
                "a page without an origin",
            ),
            (
                request().header("sec-fetch-site", "same-site"),
                good.clone(),
                "another port",
            ),
        ] {
            assert_eq!(
                inbox.send(request, body).await.status,
                403,
                "{address}: {why}"
            );
        }
        assert_eq!(
            inbox.get(address).await.status,
            if address.ends_with("forget") {
                200
            } else {
                405
            },
            "{address}"
        );
    }
    assert_eq!(inbox.status(&id).await, Some(Status::Quarantined));
    assert!(!inbox.store.is_read(id.clone()).await.expect("a store"));
    let large = "x".repeat(BODY_MAX + 1);
    assert_eq!(inbox.post("/mark", &large).await.status, 413);
}

#[tokio::test]
async fn leads_are_marked_released_retried_and_forgotten() {
    let inbox = Tested::new(true, None).await;
    let mut one = visit("Ana", NOON);
    one.contents.email = "Ana@example.com".into();
    let (held, other) = (
        inbox.store(one, Vec::new(), Vec::new()).await,
        inbox
            .store(lead("Ana Ruiz", NOON + 1), Vec::new(), vec![Channel::Mail])
            .await,
    );
    let third = inbox
        .store(lead("Bob", NOON + 2), Vec::new(), Vec::new())
        .await;
    let token = inbox.token("/").await;
    let marked = inbox
        .post(
            "/mark",
            &format!("token={token}&as=read&id={held}&id={other}&list=q%3Da"),
        )
        .await;
    assert_eq!(
        (marked.status, marked.header("location")),
        (303, "/?q=a&notice=read")
    );
    let unread = inbox.get("/?unread=1").await.body;
    assert!(
        unread.contains("Bob") && !unread.contains("Ana"),
        "{unread}"
    );
    let marked = inbox
        .post(
            "/mark",
            &format!("token={token}&as=unread&on=lead&id={held}"),
        )
        .await;
    assert_eq!(
        marked.header("location"),
        format!("/lead/{held}?notice=unread")
    );
    assert!(
        inbox
            .get(marked.header("location"))
            .await
            .body
            .contains("role=\"status\">Marked as unread.")
    );

    let released = inbox
        .post(&format!("/lead/{held}/release"), &format!("token={token}"))
        .await;
    assert_eq!(
        released.header("location"),
        format!("/lead/{held}?notice=released_at_start")
    );
    assert_eq!(inbox.status(&held).await, Some(Status::Released));
    let again = inbox
        .post(&format!("/lead/{held}/release"), &format!("token={token}"))
        .await;
    assert_eq!(
        again.header("location"),
        format!("/lead/{held}?notice=not_held")
    );

    let retry = format!("/lead/{other}/retry");
    let nothing = inbox.post(&retry, &format!("token={token}")).await;
    assert!(
        nothing
            .header("location")
            .ends_with("notice=nothing_to_retry")
    );
    let dead = DeliveryOutcome::Dead {
        trouble: "no".into(),
    };
    inbox
        .store
        .complete(format!("{other}-mail"), dead)
        .await
        .expect("a store");
    assert!(
        inbox
            .post(&retry, &format!("token={token}"))
            .await
            .header("location")
            .ends_with("notice=retried")
    );

    let question = inbox.get(&format!("/lead/{other}/forget")).await.body;
    assert!(question.contains("ana@example.com"), "{question}");
    let forgotten = inbox
        .post(&format!("/lead/{other}/forget"), &format!("token={token}"))
        .await;
    assert_eq!(forgotten.header("location"), "/?notice=forgotten");
    assert_eq!(
        (inbox.status(&held).await, inbox.status(&other).await),
        (None, None)
    );
    assert_eq!(inbox.status(&third).await, Some(Status::Verified));
}

/// A word that is missing would be an empty text, and a value that is missing an error.
#[test]
fn every_word_of_the_templates_and_notices_is_there() {
    let sources = [
        include_str!("layout.html"),
        include_str!("list.html"),
        include_str!("lead.html"),
        include_str!("forget.html"),
        include_str!("message.html"),
        include_str!("actions.rs"),
        include_str!("pages.rs"),
        include_str!("guard.rs"),
    ];
    let mut names: Vec<String> = Vec::new();
    for source in sources {
        let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
        let after = |mark: &str| -> Vec<String> {
            source
                .split(mark)
                .skip(1)
                .map(|rest| rest.chars().take_while(|c| is_name(*c)).collect())
                .collect()
        };
        names.extend(after("{ t.").into_iter().chain(after("language.say(\"")));
        names.extend(
            after("StatusCode::NOT_FOUND, \"")
                .into_iter()
                .chain(after("StatusCode::FORBIDDEN, \"")),
        );
    }
    for notice in [
        "read",
        "unread",
        "not_held",
        "released_at_start",
        "released_only",
        "released",
        "retried",
    ] {
        names.push(format!("notice_{notice}"));
    }
    names.extend(
        [
            "notice_nothing_to_retry",
            "notice_forgotten",
            "notice_text_remains",
            "unnamed",
        ]
        .map(str::to_owned),
    );
    assert!(names.len() > 50, "{names:?}");
    for name in names {
        assert!(
            !Language::Spanish.say(&name).is_empty(),
            "there is no word `{name}`"
        );
    }
}

#[tokio::test]
async fn every_endpoint_and_every_other_address_refuses_strangers() {
    let inbox = Tested::new(true, None).await;
    let id = inbox
        .store(lead("Ana Ruiz", NOON), Vec::new(), Vec::new())
        .await;
    assert!(
        ENDPOINTS.len() >= 10
            && ENDPOINTS
                .iter()
                .all(|endpoint| endpoint.who == For::Authors)
    );
    let paths =
        ENDPOINTS
            .iter()
            .map(|endpoint| endpoint.path)
            .chain(["/nothing", "/lead/", "/api/leads"]);
    for path in paths {
        let path = path.replace("{id}", &id).replace("{number}", "0");
        for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"] {
            let stranger = Request::builder()
                .method(method)
                .uri(&path)
                .header("host", HOST);
            let answer = inbox.ask(stranger).await;
            assert_eq!(answer.status, 403, "{method} {path}: {}", answer.body);
            assert!(
                !answer.body.contains("Ana"),
                "{method} {path}: {}",
                answer.body
            );
            let rebound = Request::builder()
                .method(method)
                .uri(&path)
                .header("host", "rebound.example");
            assert_eq!(
                inbox
                    .ask(rebound.header("cookie", &inbox.cookie))
                    .await
                    .status,
                403,
                "{method} {path}"
            );
        }
        assert_ne!(inbox.get(&path).await.status, 403, "{path}");
    }
}
