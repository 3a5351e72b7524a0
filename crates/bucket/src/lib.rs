//! A folder of a bucket in S3 or any store with its interface, or of a plain web server, and the requests to its objects.

pub mod clock;
pub mod signature;

use std::collections::BTreeMap;

use reqwest::{Client, Method, RequestBuilder, Url};

use clock::Millis;
use signature::{PostPolicy, Signer, Unsigned, hash, host};

/// AWS's variable for another S3 endpoint, such as an emulator. The credentials are in AWS's other variables.
pub const ENDPOINT: &str = "AWS_ENDPOINT_URL_S3";

/// A folder of a bucket, or of a web server.
#[derive(Debug, Clone)]
pub struct Bucket {
    /// The URL of the folder, without a trailing slash.
    pub url: Url,
    /// The name of the bucket; empty for a plain web server.
    name: String,
    /// The folder in the bucket, without a slash at its ends; may be empty.
    folder: String,
    /// Signs requests to S3; `None` for a plain web server.
    signer: Option<Signer>,
}

impl Bucket {
    /// Parses `s3://BUCKET/FOLDER` or an HTTP URL. `endpoint` replaces the server of AWS, and `read` reads AWS's
    /// environment variables. Returns `None` for a local path. The error is a message for the operator.
    pub fn from(
        text: &str,
        endpoint: Option<String>,
        read: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Bucket>, String> {
        let wrong = || {
            format!(
                "`{text}` is not a URL such as `s3://BUCKET/search` or `https://site.example/search`"
            )
        };
        if text.starts_with("http://") || text.starts_with("https://") {
            let url = Url::parse(text.trim_end_matches('/')).map_err(|_| wrong())?;
            return Ok(Some(Bucket {
                url,
                name: String::new(),
                folder: String::new(),
                signer: None,
            }));
        }
        let Some(rest) = text.strip_prefix("s3://") else {
            return Ok(None);
        };
        let (name, folder) = rest
            .trim_end_matches('/')
            .split_once('/')
            .ok_or_else(wrong)?;
        if folder.is_empty() {
            Err(wrong())
        } else {
            Bucket::in_s3(name, folder, endpoint, read, wrong).map(Some)
        }
    }

    /// Parses `s3://BUCKET` or `s3://BUCKET/FOLDER`, to store files in.
    pub fn for_files(
        text: &str,
        endpoint: Option<String>,
        read: impl Fn(&str) -> Option<String>,
    ) -> Result<Bucket, String> {
        let wrong = || format!("`{text}` is not a URL such as `s3://BUCKET`");
        let rest = text
            .strip_prefix("s3://")
            .ok_or_else(wrong)?
            .trim_end_matches('/');
        let (name, folder) = rest.split_once('/').unwrap_or((rest, ""));
        Bucket::in_s3(name, folder, endpoint, read, wrong)
    }

    fn in_s3(
        name: &str,
        folder: &str,
        endpoint: Option<String>,
        read: impl Fn(&str) -> Option<String>,
        wrong: impl Fn() -> String,
    ) -> Result<Bucket, String> {
        let is_plain = |name: &str| {
            name.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte))
        };
        if name.is_empty() || !is_plain(name) || !is_plain(folder) {
            return Err(wrong());
        }
        let signer = Signer::new("S3", read)?;
        // Path-style URL: in a virtual-hosted URL, a bucket name with dots would not match the wildcard certificate.
        let server =
            endpoint.unwrap_or_else(|| format!("https://s3.{}.amazonaws.com", signer.region));
        let url = format!("{}/{name}/{folder}", server.trim_end_matches('/'));
        let url = Url::parse(url.trim_end_matches('/')).map_err(|_| wrong())?;
        Ok(Bucket {
            url,
            name: name.to_owned(),
            folder: folder.to_owned(),
            signer: Some(signer),
        })
    }

    /// The name of the bucket.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key of the object `name` below the folder.
    pub fn key(&self, name: &str) -> String {
        if self.folder.is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", self.folder)
        }
    }

    /// A request for the object `name` below the folder. The name consists of letters, digits and `-_./`. `headers` are signed
    /// and sent with it; their names are in lower case.
    pub fn request(
        &self,
        client: &Client,
        method: &Method,
        name: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> RequestBuilder {
        let mut url = self.url.clone();
        url.set_path(&format!("{}/{name}", self.url.path().trim_end_matches('/')));
        let mut request = client.request(method.clone(), url.clone());
        let Some((signer, host)) = self.signer.as_ref().zip(host(&url)) else {
            let request = headers.iter().fold(request, |request, (name, value)| {
                request.header(*name, *value)
            });
            return if body.is_empty() {
                request
            } else {
                request.body(body)
            };
        };
        let sum = hash(&body);
        let unsigned = Unsigned {
            service: "s3",
            method: method.as_str(),
            host: &host,
            path: url.path(),
            headers: &[headers, &[("x-amz-content-sha256", &sum)]].concat(),
            body: &body,
        };
        for (name, value) in signer.sign(&unsigned, clock::now()) {
            request = request.header(name, value);
        }
        if body.is_empty() && *method != Method::PUT {
            request
        } else {
            request.body(body)
        }
    }

    /// The fields with which a browser may send the object `name` of `size` bytes, until a time. Its media type says nothing: the
    /// object is never shown.
    pub fn sign_post(&self, name: &str, size: u64, until: Millis) -> BTreeMap<String, String> {
        let key = self.key(name);
        let fields = [
            ("key", key.as_str()),
            ("content-type", "application/octet-stream"),
        ];
        let policy = PostPolicy {
            bucket: &self.name,
            fields: &fields,
            size,
            until,
        };
        self.signer
            .as_ref()
            .map(|signer| signer.sign_post(&policy, clock::now()))
            .unwrap_or_default()
    }
}
