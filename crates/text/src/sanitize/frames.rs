//! Replaces frames of video sites with links to the video: a frame would load third-party scripts without consent.
//!
//! The content of a frame is raw text, which serializers do not escape. So frames are removed before the HTML is
//! sanitized; those that become cards are replaced with pictures that have a special URL. The output is sanitized
//! like any other HTML, so a frame that is missed here is removed later.

use std::borrow::Cow;
use std::fmt::Write as _;

use html5gum::{StartTag, Token};
use memchr::memmem;
use reqwest::Url;

use api_types::html::{each_token, escape};

/// A link to a video.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct VideoLink {
    provider: &'static str,
    address: String,
    title: String,
}

impl VideoLink {
    /// The link as HTML. Inside another link, only its text.
    pub fn html(&self, in_link: bool) -> String {
        let words = format!(
            "<span class=\"video-card-provider\">{}</span> <span class=\"video-card-title\">{}</span>",
            self.provider,
            escape(&self.title)
        );
        if in_link {
            return words;
        }
        format!(
            "<a class=\"video-card\" href=\"{}\" rel=\"external noopener\">{words}</a>",
            escape(&self.address)
        )
    }
}

/// Removes frames from HTML. Videos are replaced with `<img src="{scheme}:{index}">`, with the index of the returned
/// card.
pub(super) fn extract<'a>(html: &'a str, scheme: &str) -> (Cow<'a, str>, Vec<VideoLink>) {
    let has_frame = memmem::find_iter(html.as_bytes(), b"<").any(|at| {
        html.as_bytes()
            .get(at + 1..at + 7)
            .is_some_and(|name| name.eq_ignore_ascii_case(b"iframe"))
    });
    if !has_frame {
        return (Cow::Borrowed(html), Vec::new());
    }
    let mut out = String::with_capacity(html.len());
    let mut cards = Vec::new();
    let mut from = 0;
    let mut in_frame = false;
    each_token(html, &mut |token| {
        match token {
            Token::StartTag(tag) if *tag.name == b"iframe" => {
                out.push_str(html.get(from..tag.span.start).unwrap_or_default());
                from = tag.span.end;
                in_frame = true;
                let card = attribute(&tag, b"src")
                    .and_then(|src| card(&src, attribute(&tag, b"title").as_deref()));
                if let Some(card) = card {
                    let _ = write!(out, "<img src=\"{scheme}:{}\">", cards.len());
                    cards.push(card);
                }
            }
            // The content of the frame, up to its end tag or the end of the text.
            Token::String(text) if in_frame => from = text.span.end,
            Token::EndTag(tag) if in_frame && *tag.name == b"iframe" => {
                from = tag.span.end;
                in_frame = false;
            }
            Token::StartTag(_) | Token::EndTag(_) => in_frame = false,
            _ => {}
        }
    });
    out.push_str(html.get(from..).unwrap_or_default());
    (Cow::Owned(out), cards)
}

/// Whether a frame becomes a card.
pub(super) fn is_video(src: &str) -> bool {
    card(src, None).is_some()
}

/// The card for the `src` and `title` of a frame; `None` for unknown sites.
fn card(src: &str, title: Option<&str>) -> Option<VideoLink> {
    let src = if src.starts_with("//") {
        format!("https:{src}")
    } else {
        src.to_owned()
    };
    let url = Url::parse(&src)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let (provider, address) = video(&url)?;
    let title = title
        .map(str::trim)
        .filter(|title| !title.is_empty() && *title != provider);
    let title = title.map_or_else(
        || address.trim_start_matches("https://").to_owned(),
        str::to_owned,
    );
    Some(VideoLink {
        provider,
        address,
        title,
    })
}

/// Tells whether a text is the identifier of a video.
fn is_id(id: &str) -> bool {
    !id.is_empty()
        && id
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// The value of an attribute.
pub(super) fn attribute(tag: &StartTag<usize>, name: &[u8]) -> Option<String> {
    let value = tag
        .attributes
        .iter()
        .find(|(own, _)| own.as_slice() == name)?
        .1;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// The name of the provider and the URL of the video's page.
fn video(url: &Url) -> Option<(&'static str, String)> {
    let host = url.host_str()?;
    let host = host.strip_prefix("www.").unwrap_or(host);
    let parts: Vec<&str> = url
        .path_segments()?
        .filter(|part| !part.is_empty())
        .collect();
    match (host, &parts[..]) {
        ("youtube.com" | "youtube-nocookie.com", ["embed", id]) if is_id(id) => {
            let start = url.query_pairs().find(|(name, _)| name == "start");
            let start = start
                .filter(|(_, start)| start.bytes().all(|byte| byte.is_ascii_digit()))
                .map_or_else(String::new, |(_, start)| format!("&t={start}s"));
            let watch = format!("https://www.youtube.com/watch?v={id}{start}");
            Some(("YouTube", watch))
        }
        ("player.vimeo.com", ["video", id]) if is_id(id) => {
            let start = url
                .fragment()
                .filter(|start| start.starts_with("t=") && is_id(&start[2..]));
            let start = start.map_or_else(String::new, |start| format!("#{start}"));
            Some(("Vimeo", format!("https://vimeo.com/{id}{start}")))
        }
        ("dailymotion.com", ["embed", "video", id]) if is_id(id) => Some((
            "Dailymotion",
            format!("https://www.dailymotion.com/video/{id}"),
        )),
        ("fast.wistia.net" | "fast.wistia.com", ["embed", "iframe", id]) if is_id(id) => Some((
            "Wistia",
            format!("https://fast.wistia.net/embed/iframe/{id}"),
        )),
        ("loom.com", ["embed", id]) if is_id(id) => {
            Some(("Loom", format!("https://www.loom.com/share/{id}")))
        }
        ("ted.com" | "embed.ted.com", ["talks", id]) if is_id(id) => {
            Some(("TED", format!("https://www.ted.com/talks/{id}")))
        }
        ("videopress.com" | "video.wordpress.com", ["embed" | "v", id]) if is_id(id) => {
            Some(("VideoPress", format!("https://videopress.com/v/{id}")))
        }
        _ => None,
    }
}
