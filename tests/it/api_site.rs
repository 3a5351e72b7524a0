//! A search bundle for tests of the API, and a client that calls the router without a network.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use api::leads::LeadSettings;
use api::{Api, Log, Proxies, Settings, alone, router};
use api_types::base_url::Hosts;
use api_types::posts::{Author, AvatarUrls, Post};
use assets::output;
use axum::Router;
use axum::body::Body;
use axum::http::Request;
use generator::indexing;
use render::LanguagePosts;
use serde_json::Value;
use tempfile::TempDir;
use tower::ServiceExt as _;

/// A folder with a search bundle.
pub struct ApiSite {
    folder: TempDir,
}

/// A response of the API.
#[derive(Debug, Clone)]
pub struct ApiAnswer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

/// Creates a post. The newest one has the number 1, so ids and dates sort in opposite directions.
pub fn post(number: u32, title: &str, content: &str, tags: &[&str]) -> Post {
    let slug = format!("post-{number}");
    Post {
        id: slug.clone(),
        key: slug.clone(),
        title: title.into(),
        link: format!("/blog/{slug}/"),
        slug,
        date: Some(format!("{:04}-01-01T00:00:00", 2999 - number)),
        modified: None,
        content: content.into(),
        excerpt: format!("About {title}."),
        author: Author {
            name: "Ana Ruiz".into(),
            slug: "ana-ruiz".into(),
            description: String::new(),
            avatar_urls: AvatarUrls::default(),
        },
        featured_image: None,
        cover: Some(format!("/_assets/images/drawn-{number}.svg")),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
    }
}

/// The posts of a language. A tag's slug is its name in lower case.
pub fn language(code: &str, posts: Vec<Post>) -> LanguagePosts {
    let slug = |tag: &String| tag.to_lowercase().replace(' ', "-");
    let categories = posts
        .iter()
        .flat_map(|post| post.tags.clone())
        .collect::<std::collections::BTreeSet<_>>();
    let posts = posts
        .into_iter()
        .map(|post| (post.clone(), post.tags.iter().map(slug).collect()))
        .collect();
    LanguagePosts {
        locale: code.into(),
        language: code.into(),
        categories: categories.into_iter().collect(),
        posts,
    }
}

impl ApiSite {
    /// A site with these English and Spanish posts.
    pub fn new(english: Vec<Post>, spanish: Vec<Post>) -> ApiSite {
        let site = ApiSite {
            folder: tempfile::tempdir().expect("a folder"),
        };
        site.build(vec![language("en", english), language("es", spanish)]);
        site
    }

    /// A site with 25 English and 3 Spanish posts.
    pub fn small() -> ApiSite {
        let english = (1..=25).map(|number| {
            let tag = if number % 2 == 0 {
                "Even"
            } else {
                "Odd Numbers"
            };
            post(
                number,
                &format!("Number {number}"),
                "<p>Caching <b>post</b>greSQL queries.</p>",
                &[tag],
            )
        });
        let spanish = [
            post(
                1,
                "La migración de datos",
                "<p>Canciones y más.</p>",
                &["Datos"],
            ),
            post(2, "Otra cosa", "<p>Una migración pequeña.</p>", &[]),
            post(3, "Nada", "<p>Vacío.</p>", &["Datos"]),
        ];
        ApiSite::new(english.collect(), spanish.into())
    }

    /// Replaces the search bundle, as a build does.
    pub fn build(&self, languages: Vec<LanguagePosts>) {
        self.build_at("https://site.example", languages);
    }

    /// Replaces the search bundle with that of a site at this base URL.
    pub fn build_at(&self, base_url: &str, languages: Vec<LanguagePosts>) {
        let staging = tempfile::tempdir_in(self.folder.path()).expect("a folder");
        let outputs = indexing::prepare(
            Hosts {
                main: base_url,
                languages: &[],
            },
            languages,
        )
        .outputs()
        .expect("an index");
        for output in outputs {
            let output::Body::Bytes(bytes) = output.body else {
                panic!("{} is not in memory", output.path)
            };
            let target = staging.path().join(&output.path);
            std::fs::create_dir_all(target.parent().expect("a parent")).expect("a folder");
            std::fs::write(target, bytes.as_slice()).expect("a file");
        }
        let old = self.folder.path().join("old");
        if self.path().exists() {
            std::fs::rename(self.path(), &old).expect("the old build");
        }
        std::fs::rename(staging.path(), self.path()).expect("the new build");
        let _ = std::fs::remove_dir_all(old);
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("search")
    }
}

/// A client that calls the router directly.
pub struct Direct {
    router: Router,
}

impl Direct {
    /// The API of a site.
    pub fn of(site: &ApiSite) -> Direct {
        Direct::at(site.path())
    }

    /// The API for a search bundle.
    pub fn at(bundle: PathBuf) -> Direct {
        Direct::with(bundle, LeadSettings::default())
    }

    /// The API for a search bundle, with leads.
    pub fn with(bundle: PathBuf, leads: LeadSettings) -> Direct {
        Direct {
            router: router(&Direct::api(bundle, leads)),
        }
    }

    /// The complete router of a site, as `site-api` serves it.
    pub fn alone(site: &ApiSite) -> Direct {
        Direct {
            router: alone(&Direct::api(site.path(), LeadSettings::default())),
        }
    }

    fn api(bundle: PathBuf, leads: LeadSettings) -> Arc<Api> {
        let settings = Settings {
            leads,
            bundle,
            listen: ([127, 0, 0, 1], 0).into(),
            is_lambda: false,
            mirror: None,
            origins: vec!["https://preview.example".into()],
            look_every: Duration::ZERO,
            cached: true,
            log: Log::Silent,
            proxies: Proxies::default(),
            origin_secrets: None,
            metrics_tokens: None,
            max_connections: None,
        };
        Api::new(settings).expect("an API")
    }

    pub fn request(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> ApiAnswer {
        self.send(method, target, headers, &[])
    }

    /// Sends a request with a body.
    pub fn send(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> ApiAnswer {
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request
            .body(Body::from(body.to_vec()))
            .unwrap_or_else(|error| panic!("{target}: {error}"));
        block_on(async {
            let response = self
                .router
                .clone()
                .oneshot(request)
                .await
                .expect("an answer");
            let (head, body) = response.into_parts();
            let body = axum::body::to_bytes(body, usize::MAX)
                .await
                .expect("a body")
                .to_vec();
            let text = |value: &axum::http::HeaderValue| {
                String::from_utf8_lossy(value.as_bytes()).into_owned()
            };
            let mut headers: BTreeMap<String, String> = BTreeMap::new();
            for (name, value) in &head.headers {
                let known = headers.entry(name.to_string()).or_default();
                *known = if known.is_empty() {
                    text(value)
                } else {
                    format!("{known}, {}", text(value))
                };
            }
            ApiAnswer {
                status: head.status.as_u16(),
                headers,
                body,
            }
        })
    }
}

pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(future)
}

impl ApiAnswer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error} in {:?}", String::from_utf8_lossy(&self.body)))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// The slugs of the posts.
    pub fn slugs(&self) -> Vec<String> {
        let json = self.json();
        let posts = json["posts"]
            .as_array()
            .unwrap_or_else(|| panic!("no posts in {json}"));
        posts
            .iter()
            .map(|post| post["slug"].as_str().expect("a slug").to_owned())
            .collect()
    }

    pub fn total(&self) -> u64 {
        self.json()["pagination"]["total"]
            .as_u64()
            .expect("a total")
    }
}
