//! The text of each page that search engines list, as a hash: its title, its description, and the words in its `<main>`
//! with the alternative texts of pictures. Header, footer, markup, addresses and names of files are no part of it.

use std::collections::BTreeMap;

use html5gum::Token;

use super::document::{Attributes, SILENT, VOID};
use super::folder::{Folder, is_page};
use crate::output::hash;
use crate::parallel;
use api_types::html::each_token;
use diagnostics::problem::Problem;

/// The canonical address of each listed page of an output, with the hash of its text. Redirects, copies, error pages and
/// pages with `noindex` are left out, and so are all pages of an output that search engines must not list.
pub fn listed_texts(folder: &Folder) -> Result<BTreeMap<String, String>, Problem> {
    let names: Vec<&String> = folder.files.keys().filter(|name| is_page(name)).collect();
    let texts = parallel::map(&names, |name| Ok(read(&folder.text(name)?)));
    // A copy has the address of its original, and the same text.
    texts.into_iter().filter_map(Result::transpose).collect()
}

/// The canonical address of a page, and the hash of its text; `None` for one that search engines do not list.
fn read(html: &str) -> Option<(String, String)> {
    let (mut canonical, mut title, mut description) = (None, String::new(), String::new());
    let (mut is_listed, mut depth_of_main, mut in_title) = (true, 0_usize, false);
    let mut silent: Option<(Vec<u8>, usize)> = None;
    let mut words = String::new();
    each_token(html, &mut |token| match token {
        Token::StartTag(tag) => {
            let name = tag.name.as_slice();
            if let Some((silent, depth)) = &mut silent {
                *depth += usize::from(silent == name && !tag.self_closing);
                return;
            }
            let attributes = Attributes(&tag.attributes);
            match name {
                b"main" => depth_of_main += 1,
                b"title" => in_title = true,
                b"link" if attributes.get("rel") == "canonical" => canonical = Some(attributes.get("href").into_owned()),
                b"meta" if attributes.get("http-equiv").eq_ignore_ascii_case("refresh") => is_listed = false,
                b"meta" => match &*attributes.get("name") {
                    "description" => description = attributes.get("content").into_owned(),
                    "robots" => is_listed &= !attributes.get("content").contains("noindex"),
                    _ => {}
                },
                b"img" if depth_of_main > 0 => {
                    words.push(' ');
                    words.push_str(&attributes.get("alt"));
                    words.push(' ');
                }
                _ => {}
            }
            if !api_types::html::elements::is_inline(&String::from_utf8_lossy(name)) {
                words.push(' ');
            }
            if name != b"title" && SILENT.contains(&name) && !VOID.contains(&name) && !tag.self_closing {
                silent = Some((name.to_vec(), 1));
            }
        }
        Token::EndTag(tag) => {
            let name = tag.name.as_slice();
            if let Some((hidden, depth)) = &mut silent {
                if hidden == name {
                    *depth -= 1;
                }
                if *depth == 0 {
                    silent = None;
                }
                return;
            }
            match name {
                b"main" => depth_of_main = depth_of_main.saturating_sub(1),
                b"title" => in_title = false,
                _ => {}
            }
            if !api_types::html::elements::is_inline(&String::from_utf8_lossy(name)) {
                words.push(' ');
            }
        }
        Token::String(text) if silent.is_none() => {
            let text = String::from_utf8_lossy(&text);
            if in_title {
                title.push_str(&text);
            } else if depth_of_main > 0 {
                words.push_str(&text);
            }
        }
        _ => {}
    });
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = || hash(&[title.trim().as_bytes(), description.as_bytes(), words.as_bytes()]);
    canonical.filter(|_| is_listed).map(|canonical| (canonical, text()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(head: &str, main: &str) -> Option<(String, String)> {
        read(&format!(
            "<head><title>T</title><link rel=canonical href=https://x.example/a/>{head}</head>\
             <body><header>Menu</header><main>{main}</main><footer>2026</footer></body>"
        ))
    }

    #[test]
    fn only_words_count() {
        let text = page("<meta name=description content=D>", "<h1>One</h1><p>two <b>three</b></p>");
        assert_eq!(text.as_ref().map(|(url, _)| url.as_str()), Some("https://x.example/a/"));
        let same = "<section class=new>\n<h2>One</h2><p>two <i>three</i><svg><text>x</text></svg></p><script>1</script>\
                    </section>";
        assert_eq!(page("<meta name=description content=D><link rel=stylesheet href=/b.css>", same), text);
        for (head, main) in [
            ("<meta name=description content=E>", "<h1>One</h1><p>two three</p>"),
            ("<meta name=description content=D>", "<h1>One</h1><p>twothree</p>"),
            ("<meta name=description content=D>", "<h1>One</h1><p>two three <img src=/a.png alt=four></p>"),
        ] {
            assert_ne!(page(head, main), text, "{head} {main}");
        }
    }

    #[test]
    fn pages_that_are_not_listed_have_no_text() {
        assert_eq!(page("<meta name=robots content='noindex, nofollow'>", "x"), None);
        assert_eq!(page("<meta http-equiv=refresh content='0; url=/b/'>", "x"), None);
        assert_eq!(read("<title>T</title><main>x</main>"), None);
    }
}
