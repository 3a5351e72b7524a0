//! Says which old addresses the site answers: those of an access log, a sitemap or a list.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use percent_encoding::percent_decode_str;
use serde::Serialize;

use config::Config;
use content::blog::archive::Archive;
use diagnostics::problem::{Code, Place, Problem, Problems};
use publish::hosts::Rules;
use site::Workspace;
use workspace::files;

use super::addresses::{decoded as percent_decoded, without_campaign};

/// The most bytes of a compressed file that are read.
const UNPACKED_MAX: u64 = 1 << 30;
/// The most sitemaps that indexes can name.
const SITEMAPS_MAX: usize = 50_000;
/// Files that WordPress itself serves, and that no site needs.
const OF_WORDPRESS: [&str; 9] = [
    "/wp-admin/",
    "/wp-login.php",
    "/wp-json/",
    "/wp-includes/",
    "/wp-sitemap",
    "/xmlrpc.php",
    "/wp-cron.php",
    "/wp-content/plugins/",
    "/wp-content/themes/",
];

/// How an address is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "answer", content = "to")]
pub enum Answer {
    /// A file of the site.
    Found,
    /// A redirect to this address.
    Redirect(String),
    /// It belongs to WordPress itself: its administration, its API, plugins.
    Internal,
    /// Nothing.
    Missing,
}

/// An address with the number of its requests.
#[derive(Debug, Serialize)]
pub struct Verified {
    /// The path with its query.
    pub address: String,
    /// How often it stands in the file.
    pub count: usize,
    /// How the site answers it.
    #[serde(flatten)]
    pub answer: Answer,
}

/// Verifies the addresses of a file, those with the most requests first. Needs the output of a build.
pub fn verify(config: &Config, file: &Path) -> (Vec<Verified>, Problems) {
    let place = Place::file(file.display().to_string());
    let text = match fs_err::read(file) {
        Ok(bytes) => decoded(&bytes),
        Err(error) => {
            let message = format!("the file could not be read ({})", files::reason(&error));
            return (
                Vec::new(),
                Problem::error(Code::ImportFailed, message).at(place).into(),
            );
        }
    };
    let (texts, mut problems) = sitemaps(config, file, text);
    if !config.paths.out.join(".sitegen-files").is_file() {
        let problem = Problem::error(
            Code::ImportFailed,
            "the site has not been built, so its files are not known",
        );
        return (Vec::new(), problem.hint("run `sitegen build` first").into());
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for address in texts.iter().flat_map(|text| addresses(text)) {
        *counts.entry(address).or_default() += 1;
    }
    if counts.is_empty() {
        if !problems.has_errors() {
            let problem = Problem::error(Code::ImportFailed, "the file contains no URLs").at(place);
            problems.push(
                problem.hint("name an access log, a sitemap, or a file with one URL per line"),
            );
        }
        return (Vec::new(), problems);
    }
    let workspace = Workspace::open(config.clone());
    let planned = workspace.site();
    problems.extend(workspace.problems());
    let rules = Rules::of(config, &planned.site, &planned.routes);
    let mut verified: Vec<Verified> = counts
        .into_iter()
        .map(|(address, count)| Verified {
            answer: answer(&rules, &config.paths.out, &address),
            address,
            count,
        })
        .collect();
    verified.sort_by(|a, b| {
        b.count
            .cmp(&a.count)
            .then_with(|| a.address.cmp(&b.address))
    });
    (verified, problems)
}

/// The text of a file in UTF-8, or in UTF-16 with a byte order mark, which may be compressed with gzip.
fn decoded(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    let is_compressed = bytes.starts_with(&[0x1f, 0x8b]);
    if is_compressed
        && MultiGzDecoder::new(bytes)
            .take(UNPACKED_MAX)
            .read_to_end(&mut text)
            .is_err()
    {
        return String::new();
    }
    encoding_rs::UTF_8
        .decode(if is_compressed { &text } else { bytes })
        .0
        .into_owned()
}

/// The problem of a sitemap that could not be read.
fn unread(address: &str, why: &str, index: &Path) -> Problem {
    let message = format!("the sitemap `{address}` could not be read ({why})");
    let problem =
        Problem::error(Code::ImportFailed, message).at(Place::file(index.display().to_string()));
    problem.hint("download it, put it next to the sitemap index, and verify again")
}

/// The sitemaps that an index names, and those that are named by an index in it, or the text itself if it isn't an index.
fn sitemaps(config: &Config, file: &Path, text: String) -> (Vec<String>, Problems) {
    let mut problems = Problems::new();
    let (mut texts, mut seen) = (Vec::new(), BTreeSet::new());
    let mut found = vec![text];
    while !found.is_empty() {
        let (indexes, others): (Vec<String>, Vec<String>) = found
            .into_iter()
            .partition(|text| root(text).ends_with("sitemapindex"));
        texts.extend(others);
        let named = indexes.iter().flat_map(|index| locations(index));
        let new = named.filter(|address| seen.len() < SITEMAPS_MAX && seen.insert(address.clone()));
        found = read_sitemaps(config, file, new.collect(), &mut problems);
    }
    (texts, problems)
}

/// Reads sitemaps from files of their names next to the index; those that aren't there are fetched.
fn read_sitemaps(
    config: &Config,
    file: &Path,
    addresses: Vec<String>,
    problems: &mut Problems,
) -> Vec<String> {
    let (mut texts, mut missing) = (Vec::new(), Vec::new());
    for address in addresses {
        let name = address
            .split(['?', '#'])
            .next()
            .and_then(|path| path.rsplit('/').next())
            .unwrap_or_default();
        let name = percent_decode_str(name).decode_utf8_lossy();
        let beside =
            Some(file.with_file_name(&*name)).filter(|path| !name.is_empty() && path != file);
        match beside.and_then(|path| fs_err::read(path).ok()) {
            Some(bytes) => texts.push(decoded(&bytes)),
            None => missing.push(address),
        }
    }
    if !missing.is_empty() {
        match Archive::new(config, None, None) {
            Ok(archive) => archive.files(missing, false, &mut |address, answer| match answer {
                Ok(bytes) => texts.push(decoded(&bytes)),
                Err(why) => problems.push(unread(address, &why, file)),
            }),
            Err(why) => missing
                .iter()
                .for_each(|address| problems.push(unread(address, &why, file))),
        }
    }
    texts
}

/// The name of the first element of an XML document.
fn root(text: &str) -> &str {
    let elements = text
        .split('<')
        .skip(1)
        .filter(|tag| !tag.starts_with(['?', '!']));
    elements
        .map(|tag| {
            tag.split(|c: char| c.is_whitespace() || c == '>')
                .next()
                .unwrap_or_default()
        })
        .next()
        .unwrap_or_default()
}

/// The URLs in a sitemap or in an index of sitemaps: those of `<loc>`, which has the prefix of the first element.
fn locations(text: &str) -> Vec<String> {
    let prefix = root(text)
        .rsplit_once(':')
        .map_or(String::new(), |(prefix, _)| format!("{prefix}:"));
    let (start, end) = (format!("<{prefix}loc>"), format!("</{prefix}loc>"));
    let inner = text
        .split(&start)
        .skip(1)
        .filter_map(|rest| rest.split(&end).next());
    inner
        .map(|address| match address.trim().strip_prefix("<![CDATA[") {
            Some(address) => address.trim_end_matches("]]>").trim().to_owned(),
            None => api_types::html::unescape(address.trim()),
        })
        .collect()
}

/// The paths in a text: of the requests of a log that were answered, of `<loc>` in a sitemap, or of each line.
fn addresses(text: &str) -> Vec<String> {
    if text.trim_start().starts_with('<') {
        return locations(text)
            .iter()
            .filter_map(|address| path(address))
            .collect();
    }
    text.lines().filter_map(line).collect()
}

fn line(line: &str) -> Option<String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    // `… "GET /a/?b HTTP/1.1" 200 …`
    if let Some((_, request)) = line.split_once('"')
        && let Some((request, rest)) = request.split_once('"')
        && let [method, target, protocol] = request.split(' ').collect::<Vec<_>>()[..]
        && protocol.starts_with("HTTP/")
    {
        let status = rest
            .split_whitespace()
            .next()
            .and_then(|status| status.parse::<u16>().ok())
            .unwrap_or(200);
        let was_answered = matches!(method, "GET" | "HEAD") && status < 400;
        return was_answered.then(|| path(target)).flatten();
    }
    path(line.split_whitespace().next()?)
}

/// The path and the query of an address.
fn path(address: &str) -> Option<String> {
    let path = match address.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => address,
    };
    path.starts_with('/')
        .then(|| without_campaign(path.split('#').next().unwrap_or_default()))
}

/// Answers as a host does that follows the rules of the site.
fn answer(rules: &Rules, out: &Path, address: &str) -> Answer {
    let (path, query) = address
        .split_once('?')
        .map_or((address, None), |(path, query)| (path, Some(query)));
    let path = percent_decoded(path);
    if OF_WORDPRESS.iter().any(|own| path.starts_with(own)) {
        return Answer::Internal;
    }
    if let Some((_, to)) = rules.redirect(&path, query) {
        return Answer::Redirect(to);
    }
    let below = path.trim_matches('/');
    if below.split('/').any(|part| matches!(part, "." | "..")) {
        return Answer::Missing;
    }
    let file = out.join(below);
    let is_query_of_wordpress = query.is_some_and(|query| {
        query.split('&').any(|pair| {
            ["p=", "page_id=", "cat=", "m=", "attachment_id="]
                .iter()
                .any(|name| pair.starts_with(name))
        })
    });
    if is_query_of_wordpress && below.is_empty() {
        return Answer::Missing;
    }
    if file.join("index.html").is_file() || file.is_file() && !below.is_empty() {
        Answer::Found
    } else {
        Answer::Missing
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn gzip(text: &str) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text.as_bytes()).expect("memory");
        packed.finish().expect("memory")
    }

    #[test]
    fn addresses_are_read_from_logs_sitemaps_and_lists() {
        let log = "1.2.3.4 - - [01/Jan/2024:00:00:00 +0000] \"GET /a/?b=1 HTTP/1.1\" 200 12 \"-\" \"x\"\n\
                   1.2.3.4 - - [01/Jan/2024:00:00:00 +0000] \"GET /gone/ HTTP/1.1\" 404 12 \"-\" \"x\"\n\
                   1.2.3.4 - - [01/Jan/2024:00:00:00 +0000] \"POST /form/ HTTP/1.1\" 200 12 \"-\" \"x\"\n";
        assert_eq!(addresses(log), ["/a/?b=1"]);
        let sitemap = "<?xml version=\"1.0\"?><urlset><url><loc>https://a.example/x/?a=1&amp;b=2</loc></url></urlset>";
        assert_eq!(addresses(sitemap), ["/x/?a=1&b=2"]);
        let sitemap = "<?xml version=\"1.0\"?><!-- by a plugin --><s:urlset xmlns:i=\"x\"><s:url><s:loc> <![CDATA[https://a.example/x/?a&b]]> </s:loc>\
            <i:image><i:loc>https://a.example/x.png</i:loc></i:image></s:url></s:urlset>";
        assert_eq!(addresses(sitemap), ["/x/?a&b"]);
        assert_eq!(
            addresses(&decoded(b"\xef\xbb\xbf<urlset><loc>/x/</loc></urlset>")),
            ["/x/"]
        );
        assert_eq!(decoded(b"\xff\xfe/\0x\0"), "/x");
        let packed = gzip("<urlset><loc>/packed/</loc></urlset>");
        assert_eq!(addresses(&decoded(&packed)), ["/packed/"]);
        assert_eq!(decoded(&packed[..packed.len() / 2]), "");
        assert_eq!(
            addresses(
                "# old\nhttps://a.example\n/b/?utm_source=x&fbclid=y 3\n/c/?p=1&gclid=2\n\nnothing\n"
            ),
            ["/", "/b/", "/c/?p=1"]
        );
    }
}
