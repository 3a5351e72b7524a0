//! A folder of a bucket in S3 or any store with its interface, or of a plain web server, and the requests to its objects.

use reqwest::{Client, Method, RequestBuilder, Url};

use super::clock;
use super::signature::{Signer, Unsigned, hash, host};

/// A folder of a bucket, or of a web server.
#[derive(Debug, Clone)]
pub struct Bucket {
    /// The URL of the folder, without a trailing slash.
    pub url: Url,
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
        let wrong = || format!("`{text}` is not an address such as s3://BUCKET/search or https://site.example/search");
        if text.starts_with("http://") || text.starts_with("https://") {
            let url = Url::parse(text.trim_end_matches('/')).map_err(|_| wrong())?;
            return Ok(Some(Bucket { url, signer: None }));
        }
        let Some(rest) = text.strip_prefix("s3://") else { return Ok(None) };
        let (bucket, folder) = rest.trim_end_matches('/').split_once('/').ok_or_else(wrong)?;
        let is_plain = |name: &str| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte))
        };
        if !is_plain(bucket) || !is_plain(folder) {
            return Err(wrong());
        }
        let signer = Signer::new("S3", read)?;
        // Path-style URL: in a virtual-hosted URL, a bucket name with dots would not match the wildcard certificate.
        let server = endpoint.unwrap_or_else(|| format!("https://s3.{}.amazonaws.com", signer.region));
        let url = Url::parse(&format!("{}/{bucket}/{folder}", server.trim_end_matches('/'))).map_err(|_| wrong())?;
        Ok(Some(Bucket { url, signer: Some(signer) }))
    }

    /// A request for the object `name` below the folder. The name consists of letters, digits and `-_./`.
    pub fn request(&self, client: &Client, method: &Method, name: &str, body: Vec<u8>) -> RequestBuilder {
        let mut url = self.url.clone();
        url.set_path(&format!("{}/{name}", self.url.path().trim_end_matches('/')));
        let mut request = client.request(method.clone(), url.clone());
        if let Some((signer, host)) = self.signer.as_ref().zip(host(&url)) {
            let sum = hash(&body);
            let unsigned = Unsigned {
                service: "s3",
                method: method.as_str(),
                host: &host,
                path: url.path(),
                headers: &[("x-amz-content-sha256", &sum)],
                body: &body,
            };
            for (name, value) in signer.sign(&unsigned, clock::now()) {
                request = request.header(name, value);
            }
        }
        if body.is_empty() { request } else { request.body(body) }
    }
}
