//! Frames of video sites become a link to the video: a frame would load another company's scripts before anybody asked.

use reqwest::Url;

use api_types::html::escape;

/// A link that looks like a card; none for a frame of an unknown site.
pub(super) fn card(src: &str, title: Option<&str>) -> Option<String> {
    let src = if src.starts_with("//") { format!("https:{src}") } else { src.to_owned() };
    let url = Url::parse(&src).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let (provider, address) = video(&url)?;
    let title = title.map(str::trim).filter(|title| !title.is_empty() && *title != provider);
    let title = title.map_or_else(|| address.trim_start_matches("https://").to_owned(), str::to_owned);
    Some(format!(
        "<a class=\"video-card\" href=\"{}\" rel=\"external noopener\"><span class=\"video-card-provider\">{provider}</span> \
         <span class=\"video-card-title\">{}</span></a>",
        escape(&address),
        escape(&title)
    ))
}

/// The provider's name and the address of the video's own page.
fn video(url: &Url) -> Option<(&'static str, String)> {
    let host = url.host_str()?;
    let host = host.strip_prefix("www.").unwrap_or(host);
    let parts: Vec<&str> = url.path_segments()?.filter(|part| !part.is_empty()).collect();
    let is_id = |id: &&str| !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    match (host, &parts[..]) {
        ("youtube.com" | "youtube-nocookie.com", ["embed", id]) if is_id(id) => {
            Some(("YouTube", format!("https://www.youtube.com/watch?v={id}")))
        }
        ("player.vimeo.com", ["video", id]) if is_id(id) => Some(("Vimeo", format!("https://vimeo.com/{id}"))),
        ("dailymotion.com", ["embed", "video", id]) if is_id(id) => {
            Some(("Dailymotion", format!("https://www.dailymotion.com/video/{id}")))
        }
        ("fast.wistia.net" | "fast.wistia.com", ["embed", "iframe", id]) if is_id(id) => {
            Some(("Wistia", format!("https://fast.wistia.net/embed/iframe/{id}")))
        }
        ("loom.com", ["embed", id]) if is_id(id) => Some(("Loom", format!("https://www.loom.com/share/{id}"))),
        ("ted.com" | "embed.ted.com", ["talks", id]) if is_id(id) => {
            Some(("TED", format!("https://www.ted.com/talks/{id}")))
        }
        ("videopress.com" | "video.wordpress.com", ["embed" | "v", id]) if is_id(id) => {
            Some(("VideoPress", format!("https://videopress.com/v/{id}")))
        }
        _ => None,
    }
}
