//! Shapes that WordPress gives to parts of a post: what attributes mean, captions, galleries, code blocks, videos.

use std::collections::HashMap;

use super::tree::{Element, Node};
pub(super) use text::markup::blocks::{FOOTNOTE, FOOTNOTE_REFERENCE, blocks, paragraph, squeeze};

/// `<sup data-fn="name" class="fn"><a href="#name">1</a></sup>`
pub(super) fn footnote_reference(element: &Element) -> Vec<Node> {
    let link = element
        .find(&|own| own.name == "a")
        .and_then(|link| link.get("href")?.strip_prefix('#'));
    let name = element.get("data-fn").or(link).unwrap_or_default();
    let mut reference = Element::new(FOOTNOTE_REFERENCE, Vec::new());
    reference.set("name", name);
    vec![Node::Element(reference)]
}

/// Whether an attribute of an element is kept in a text of a language.
pub(super) fn is_kept(element: &str, attribute: (&str, &str), language: &str) -> bool {
    let (attribute, value) = attribute;
    match attribute {
        "id" => !matches!(element, "p" | "li" | "ul" | "ol"),
        // Texts that were pasted into an editor often say what holds anyway.
        "lang" => main_language(value) != main_language(language),
        "dir" => value.eq_ignore_ascii_case("rtl") || element.starts_with("bd"),
        "title" => matches!(element, "abbr" | "dfn"),
        "start" | "reversed" | "type" => element == "ol",
        "value" => element == "li",
        "open" => element == "details",
        "datetime" => element == "time",
        "colspan" | "rowspan" | "scope" => matches!(element, "td" | "th"),
        "span" => matches!(element, "col" | "colgroup"),
        _ => false,
    }
}

fn main_language(tag: &str) -> String {
    tag.split(['-', '_'])
        .next()
        .unwrap_or_default()
        .to_lowercase()
}

/// The class of sitegen for a cell that is aligned by a class of the block editor, by an attribute or by its style.
pub(super) fn side_of(cell: &Element) -> Option<&'static str> {
    if !matches!(cell.name.as_str(), "td" | "th") {
        return None;
    }
    let style = cell.get("style").unwrap_or_default().to_lowercase();
    let styled = style.split(';').find_map(|rule| {
        let (name, value) = rule.split_once(':')?;
        (name.trim() == "text-align").then(|| value.trim().to_owned())
    });
    let side = styled
        .or_else(|| cell.get("data-align").map(str::to_lowercase))
        .or_else(|| cell.get("align").map(str::to_lowercase))
        .unwrap_or_default();
    if side == "right" || side == "end" || cell.has_class("has-text-align-right") {
        Some("align-end")
    } else if side == "center" || cell.has_class("has-text-align-center") {
        Some("align-center")
    } else {
        None
    }
}

pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{a0}' | '\u{200b}' | '\u{feff}')
}

/// Whether an element has more than text: a picture, a frame, a target of links.
pub(super) fn has_content(element: &Element) -> bool {
    element
        .find(&|own| {
            matches!(own.name.as_str(), "img" | "iframe" | "hr" | "input")
                || own.get("id").is_some()
        })
        .is_some()
}

/// The pictures of a gallery, one after another: from lists, from nested figures, and from lines.
pub(super) fn gallery(nodes: Vec<Node>) -> Vec<Node> {
    let mut out = Vec::new();
    for node in nodes {
        match node {
            Node::Element(element) if matches!(element.name.as_str(), "ul" | "ol" | "li") => {
                out.extend(gallery(blocks(element.children)));
            }
            Node::Element(element)
                if element.name == "p"
                    && element
                        .children
                        .iter()
                        .filter(|child| !child.is_blank())
                        .count()
                        > 1 =>
            {
                let pictures = element
                    .children
                    .into_iter()
                    .filter(|child| !child.is_blank());
                out.extend(pictures.map(|picture| paragraph(vec![picture])));
            }
            node => out.push(node),
        }
    }
    out
}

/// Removes the caption of a figure and returns it.
pub(super) fn take_caption(figure: &mut Element) -> Option<Element> {
    let at = figure
        .children
        .iter()
        .position(|child| child.element().is_some_and(|own| own.name == "figcaption"))?;
    match figure.children.remove(at) {
        Node::Element(caption) if !caption.text().trim().is_empty() => Some(caption),
        _ => None,
    }
}

/// A code block with its language, from the attributes that editors and plugins write.
pub(super) fn code(element: &Element) -> Element {
    let inner = element
        .find(&|own| own.name == "code")
        .filter(|code| code.text().trim() == element.text().trim());
    let sources: Vec<&Element> = [Some(element), inner].into_iter().flatten().collect();
    let mut class = sources
        .iter()
        .filter_map(|own| own.get("class"))
        .flat_map(str::split_whitespace);
    let named = class.find_map(|class| {
        class
            .strip_prefix("language-")
            .or(class.strip_prefix("lang-"))
    });
    let brush = element
        .get("class")
        .and_then(|class| class.split_once("brush:"))
        .map(|(_, rest)| rest.trim_start());
    let brush = brush.and_then(|rest| rest.split([';', ' ']).next());
    let other = sources.iter().find_map(|own| {
        own.get("data-enlighter-language")
            .or(own.get("data-lang"))
            .or(own.get("data-language"))
            .or(own.get("lang"))
    });
    let language = named.or(brush).or(other).map(str::trim).filter(|language| {
        !matches!(
            *language,
            "" | "generic" | "plain" | "text" | "none" | "raw"
        )
    });
    let mut pre = Element::new("pre", vec![Node::Text(element.text())]);
    if let Some(language) = language {
        pre.set(
            "class",
            format!("language-{}", language.to_ascii_lowercase()),
        );
    }
    pre
}

/// Moves headings so that the highest one has level 2: the title of the page has level 1.
pub(super) fn shift_headings(nodes: &mut [Node]) {
    let mut levels = Vec::new();
    collect_levels(nodes, &mut levels);
    let Some(top) = levels.into_iter().min() else {
        return;
    };
    set_levels(nodes, top);
}

pub(super) fn level(element: &Element) -> Option<u8> {
    element
        .name
        .strip_prefix('h')
        .filter(|rest| rest.len() == 1)?
        .parse()
        .ok()
        .filter(|level| (1..=6).contains(level))
}

pub(super) fn collect_levels(nodes: &[Node], levels: &mut Vec<u8>) {
    for element in nodes.iter().filter_map(Node::element) {
        levels.extend(level(element));
        collect_levels(&element.children, levels);
    }
}

pub(super) fn set_levels(nodes: &mut [Node], top: u8) {
    for node in nodes {
        let Node::Element(element) = node else {
            continue;
        };
        if let Some(own) = level(element) {
            element.name = format!("h{}", (own + 2 - top).min(6));
        }
        set_levels(&mut element.children, top);
    }
}

pub(super) fn frame_element(address: String, title: &str) -> Element {
    let mut frame = Element::new("iframe", Vec::new());
    frame.set("src", address);
    if !title.is_empty() {
        frame.set("title", title);
    }
    frame
}

/// The seconds of a start time: `43`, `43s`, `1m3s`, `1h2m3s`.
fn seconds(time: &str) -> Option<u32> {
    let (mut total, mut number) = (0u32, String::new());
    for c in time.chars() {
        let unit = match c {
            '0'..='9' => {
                number.push(c);
                continue;
            }
            'h' => 3600,
            'm' => 60,
            's' => 1,
            _ => return None,
        };
        total = total.checked_add(number.parse::<u32>().ok()?.checked_mul(unit)?)?;
        number.clear();
    }
    if !number.is_empty() {
        total = total.checked_add(number.parse().ok()?)?;
    }
    (total > 0).then_some(total)
}

const YOUTUBE: &str = "https://www.youtube-nocookie.com/embed/";
const VIMEO: &str = "https://player.vimeo.com/video/";

/// The address of the player of a video, from that of its page or its player; `None` for other sites.
pub(super) fn video(address: &str) -> Option<String> {
    let address = if address.starts_with("//") {
        format!("https:{address}")
    } else {
        address.to_owned()
    };
    let url = url::Url::parse(&address).ok()?;
    let host = url.host_str()?;
    let host = host
        .strip_prefix("www.")
        .or(host.strip_prefix("m."))
        .unwrap_or(host);
    let parts: Vec<&str> = url
        .path_segments()?
        .filter(|part| !part.is_empty())
        .collect();
    let query: HashMap<_, _> = url.query_pairs().collect();
    let (player, id) = match (host, &parts[..]) {
        ("youtube.com" | "youtube-nocookie.com", ["embed" | "shorts" | "live", id])
        | ("youtu.be", [id]) => (YOUTUBE, *id),
        ("youtube.com", ["watch"]) => (YOUTUBE, &**query.get("v")?),
        ("vimeo.com", [id]) | ("player.vimeo.com", ["video", id])
            if id.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            (VIMEO, *id)
        }
        ("dailymotion.com", ["video", id] | ["embed", "video", id]) | ("dai.ly", [id]) => {
            ("https://www.dailymotion.com/embed/video/", *id)
        }
        ("loom.com", ["share" | "embed", id]) => ("https://www.loom.com/embed/", *id),
        ("ted.com" | "embed.ted.com", ["talks", id]) => ("https://embed.ted.com/talks/", *id),
        ("videopress.com" | "video.wordpress.com", ["v" | "embed", id]) => {
            ("https://videopress.com/embed/", *id)
        }
        _ => return None,
    };
    let start = match player {
        YOUTUBE => {
            let start = query.get("t").or(query.get("start"));
            start.and_then(|start| Some(format!("?start={}", seconds(start)?)))
        }
        VIMEO => url
            .fragment()
            .filter(|start| start.starts_with("t="))
            .map(|start| format!("#{start}")),
        _ => None,
    };
    id.chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        .then(|| format!("{player}{id}{}", start.unwrap_or_default()))
}

pub(super) fn is_picture_address(address: &str) -> bool {
    let path = address
        .split(['?', '#'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    [".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// The words of a file name: `/uploads/office-plan-2-1024x768.png` → `office plan`.
pub(super) fn words_of(address: &str) -> String {
    let name = address
        .split(['?', '#'])
        .next()
        .unwrap_or_default()
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let name = percent_encoding::percent_decode_str(name).decode_utf8_lossy();
    let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
    let words: Vec<&str> = stem
        .split(['-', '_', ' ', '+'])
        .filter(|word| !(word.chars().all(|c| c.is_ascii_digit() || c == 'x') || *word == "scaled"))
        .collect();
    if words.is_empty() {
        stem.to_owned()
    } else {
        words.join(" ")
    }
}

/// Whether visitors do not see an element. `<details>` and the like are opened by them.
pub(super) fn is_hidden(element: &Element) -> bool {
    let style = element
        .get("style")
        .unwrap_or_default()
        .to_ascii_lowercase();
    let declarations = || {
        style.split(';').filter_map(|declaration| {
            let (name, value) = declaration.split_once(':')?;
            let value = value.trim().trim_end_matches("!important").trim_end();
            Some((name.trim(), value))
        })
    };
    let is_cut = declarations().any(|(name, value)| {
        matches!(name, "overflow" | "overflow-x" | "overflow-y") && value.starts_with(['h', 'c'])
    });
    let is_styled = declarations().any(|declaration| match declaration {
        ("display", "none")
        | ("visibility", "hidden" | "collapse")
        | ("content-visibility", "hidden")
        | ("transform", "scale(0)") => true,
        ("font-size" | "opacity", size) => is_zero(size),
        ("height" | "max-height" | "width" | "max-width", size) => is_cut && is_zero(size),
        // Links of spam are put beside the page.
        ("left" | "right" | "top" | "text-indent" | "margin-left", place) => {
            let digits = place
                .strip_prefix('-')
                .map_or(0, |far| far.bytes().take_while(u8::is_ascii_digit).count());
            digits > 2
        }
        _ => false,
    });
    let is_closed = element.name == "dialog" && element.get("open").is_none();
    element
        .get("hidden")
        .is_some_and(|how| how != "until-found")
        || element.get("popover").is_some()
        || is_closed
        || is_styled
}

/// Whether a size is 0, with any unit.
fn is_zero(size: &str) -> bool {
    size.starts_with('0')
        && size
            .trim_start_matches(['0', '.'])
            .bytes()
            .all(|c| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::is_hidden;
    use crate::tree::parse;

    #[test]
    fn what_visitors_do_not_see_is_hidden() {
        let check = |html: &str| {
            parse(html)
                .iter()
                .filter_map(|node| node.element())
                .any(is_hidden)
        };
        for html in [
            "<p hidden>a</p>",
            "<div style=\"color: red; display:none\">a</div>",
            "<span style='DISPLAY : NONE !important'>a</span>",
            "<p style=\"visibility:hidden\">a</p>",
            "<div style=\"position:absolute; left:-9999px\">a</div>",
            "<p style=\"font-size:0px\">a</p>",
            "<p style=\"opacity: 0\">a</p>",
            "<dialog>a</dialog>",
            "<div popover>a</div>",
            "<p style=\"height:0; overflow:hidden\">a</p>",
            "<p style=\"overflow:clip;max-width:0px\">a</p>",
        ] {
            assert!(check(html), "{html}");
        }
        for html in [
            "<p>a</p>",
            "<p hidden=until-found>a</p>",
            "<p style=\"display:block\">none</p>",
            "<details>a</details>",
            "<dialog open>a</dialog>",
            "<p style=\"height:0\">a</p>",
            "<p style=\"height:0.5em;overflow:hidden\">a</p>",
            "<p style=\"margin-left:-12px;opacity:0.8;font-size:0.9em\">a</p>",
        ] {
            assert!(!check(html), "{html}");
        }
    }
}
