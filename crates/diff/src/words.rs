//! The text of each page that search engines list, as a hash: its title, its description, and the words in its `<main>`
//! with the alternative texts of pictures. Header, footer, markup, addresses and names of files are no part of it.

use html5gum::Token;

use super::document::{Attributes, SILENT, VOID};
use super::folder::OutputFolder;
use api_types::base_url::Hosts;
use api_types::html::{each_token, elements::is_inline};
use assets::output::hash;
use diagnostics::limits::excess_of_xml;
use diagnostics::problem::Problem;
use workspace::parallel;

/// A page in the sitemap of an output.
#[derive(Debug)]
pub struct ListedText {
    /// Its URL, as it is in the sitemap.
    pub url: String,
    /// Its path, without the path of `base_url` and decoded, such as `/about-us/`.
    pub path: String,
    /// A hash of its text.
    pub hash: String,
}

/// The pages that the sitemap of an output lists, in the order of their URLs. An output that search engines must not list
/// has no sitemap.
pub fn listed_texts(folder: &OutputFolder, hosts: Hosts) -> Result<Vec<ListedText>, Problem> {
    let mut pages: Vec<(String, String, String)> = Vec::new();
    for name in folder
        .files
        .keys()
        .filter(|name| name.starts_with("sitemap") && name.ends_with(".xml") && !name.contains('/'))
    {
        let text = folder.text(name)?;
        if excess_of_xml(&text).is_some() {
            continue;
        }
        let Ok(sitemap) = roxmltree::Document::parse(&text) else {
            continue;
        };
        for entry in sitemap
            .descendants()
            .filter(|node| node.tag_name().name() == "url")
        {
            let url = entry
                .children()
                .find(|node| node.tag_name().name() == "loc")
                .and_then(|node| node.text());
            let Some(path) = url.and_then(|url| hosts.path_in(url.trim())) else {
                continue;
            };
            let path = percent_encoding::percent_decode_str(path)
                .decode_utf8_lossy()
                .into_owned();
            let file = path.trim_start_matches('/');
            let end = if file.is_empty() || file.ends_with('/') {
                "index.html"
            } else {
                ""
            };
            let file = format!("{file}{end}");
            if folder.files.contains_key(&file) {
                pages.push((url.unwrap_or_default().trim().to_owned(), path, file));
            }
        }
    }
    pages.sort_unstable();
    pages.dedup();
    parallel::map(&pages, |(url, path, file): &(String, String, String)| {
        Ok(ListedText {
            url: url.clone(),
            path: path.clone(),
            hash: hash_of(&folder.text(file)?),
        })
    })
    .into_iter()
    .collect()
}

/// The blank in whose place a tag stands.
fn blank(name: &[u8]) -> &'static str {
    if is_inline(&String::from_utf8_lossy(name)) {
        ""
    } else {
        " "
    }
}

/// The hash of the text of a page. Without `<main>`, its whole body is its content.
fn hash_of(html: &str) -> String {
    let content: &[u8] = if html.contains("<main") {
        b"main"
    } else {
        b"body"
    };
    let (mut title, mut description, mut words) = (String::new(), String::new(), String::new());
    let (mut depth, mut in_title) = (0_usize, false);
    let mut silent: Option<(Vec<u8>, usize)> = None;
    each_token(html, &mut |token| match token {
        Token::StartTag(tag) => {
            let name = tag.name.as_slice();
            if let Some((silent, depth)) = &mut silent {
                *depth += usize::from(silent == name && !tag.self_closing);
                return;
            }
            let attributes = Attributes(&tag.attributes);
            words.push_str(blank(name));
            match name {
                b"title" => in_title = true,
                b"meta" if attributes.get("name") == "description" => {
                    description = attributes.get("content").into_owned();
                }
                b"img" if depth > 0 => words.extend([" ", &*attributes.get("alt"), " "]),
                _ if name == content => depth += 1,
                _ if SILENT.contains(&name) && !VOID.contains(&name) && !tag.self_closing => {
                    silent = Some((name.to_vec(), 1));
                }
                _ => {}
            }
        }
        Token::EndTag(tag) => {
            let name = tag.name.as_slice();
            if let Some((hidden, depth)) = &mut silent {
                *depth -= usize::from(hidden == name);
                if *depth == 0 {
                    silent = None;
                }
                return;
            }
            words.push_str(blank(name));
            in_title &= name != b"title";
            depth = depth.saturating_sub(usize::from(name == content));
        }
        Token::String(text) if silent.is_none() => {
            let text = String::from_utf8_lossy(&text);
            if in_title {
                title.push_str(&text);
            } else if depth > 0 {
                words.push_str(&text);
            }
        }
        _ => {}
    });
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    hash(&[
        title.trim().as_bytes(),
        description.as_bytes(),
        words.as_bytes(),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(head: &str, main: &str) -> String {
        hash_of(&format!(
            "<head><title>T</title>{head}</head>\
             <body><header>Menu</header><main>{main}</main><footer>2026</footer></body>"
        ))
    }

    #[test]
    fn only_words_count() {
        let text = page(
            "<meta name=description content=D>",
            "<h1>One</h1><p>two <b>three</b></p>",
        );
        let same = "<section class=new>\n<h2>One</h2><p>two <i>three</i><svg><text>x</text></svg></p><script>1</script>\
                    </section>";
        assert_eq!(
            page(
                "<meta name=description content=D><link rel=stylesheet href=/b.css>",
                same
            ),
            text
        );
        for (head, main) in [
            (
                "<meta name=description content=E>",
                "<h1>One</h1><p>two three</p>",
            ),
            (
                "<meta name=description content=D>",
                "<h1>One</h1><p>twothree</p>",
            ),
            (
                "<meta name=description content=D>",
                "<h1>One</h1><p>two three <img src=/a.png alt=four></p>",
            ),
        ] {
            assert_ne!(page(head, main), text, "{head} {main}");
        }
        assert_ne!(
            hash_of("<body><p>a</p></body>"),
            hash_of("<body><p>b</p></body>"),
            "a page without `<main>`"
        );
    }
}
