//! Names what the policy takes away from the raw HTML of a site's own post: each element and attribute once, at its line,
//! with what to write instead.

use std::ops::Range;

use html5gum::Token;

use api_types::html::each_token;
use diagnostics::problem::{Code, Problem};

use super::super::rich::LAYOUT_IDS;
use super::policy::{is_allowed_attribute, is_known_class, is_own_tag};
use super::{SPECIAL, frames};

/// Raw HTML, with the places of its parts in the source.
#[derive(Default)]
pub struct HtmlBlock {
    html: String,
    /// Where each part begins, in `html` and in the source.
    parts: Vec<(usize, usize)>,
}

impl HtmlBlock {
    /// Adds a part, usually a line.
    pub fn push(&mut self, html: &str, at: usize) {
        self.parts.push((self.html.len(), at));
        self.html.push_str(html);
    }

    /// The whole text.
    pub fn html(&self) -> &str {
        &self.html
    }

    /// The place in the source of a byte.
    pub fn place(&self, at: usize) -> usize {
        let part = self.parts.partition_point(|(start, _)| *start <= at);
        let (start, source) = part.checked_sub(1).map_or((0, 0), |part| self.parts[part]);
        source + (at - start)
    }
}

/// The findings so far.
#[derive(Default)]
pub struct Removed {
    found: Vec<Found>,
    /// The open element whose content is taken away.
    inside: Option<Vec<u8>>,
}

struct Found {
    /// `<video>`, or `style` on `<td>`.
    what: String,
    /// Whether the content goes, too.
    with_content: bool,
    hint: String,
    range: Range<usize>,
    /// How many more there are.
    further: usize,
}

/// Maximum number of kinds that are reported for one post.
const MAX_KINDS: usize = 20;

impl Removed {
    /// Looks for elements and attributes that are taken away.
    pub fn check(&mut self, block: &HtmlBlock) {
        let mut inside = self.inside.take();
        each_token(&block.html, &mut |token| match token {
            Token::StartTag(tag) => {
                if inside.is_some() {
                    return;
                }
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                let place = block.place(tag.span.start);
                let range = place..place + 1 + name.len();
                if name == "iframe" {
                    let is_video =
                        frames::attribute(&tag, b"src").is_some_and(|src| frames::is_video(&src));
                    if !is_video {
                        let hint = "write a link to the page; frames from YouTube, Vimeo and other video sites become links";
                        self.add("`<iframe>`".to_owned(), true, hint, range);
                    }
                    return;
                }
                if SPECIAL.contains(&name.as_str())
                    || matches!(name.as_str(), "button" | "object" | "select")
                {
                    self.add(format!("`<{name}>`"), true, instead_of(&name), range);
                    if !tag.self_closing {
                        inside = Some(tag.name.to_vec());
                    }
                    return;
                }
                if !is_own_tag(&name) {
                    self.add(format!("`<{name}>`"), false, instead_of(&name), range);
                    return;
                }
                for (key, value) in &tag.attributes {
                    let (key, value) =
                        (String::from_utf8_lossy(key), String::from_utf8_lossy(value));
                    if let Some((what, hint)) = removed_attribute(&name, &key, &value) {
                        self.add(what, false, &hint, range.clone());
                    }
                }
            }
            Token::EndTag(tag) if inside.as_deref() == Some(tag.name.as_slice()) => inside = None,
            _ => {}
        });
        self.inside = inside;
    }

    fn add(&mut self, what: String, with_content: bool, hint: &str, range: Range<usize>) {
        if let Some(known) = self.found.iter_mut().find(|known| known.what == what) {
            known.further += 1;
        } else if self.found.len() < MAX_KINDS {
            self.found.push(Found {
                what,
                with_content,
                hint: hint.to_owned(),
                range,
                further: 0,
            });
        }
    }

    /// The problems.
    pub fn notices(self) -> impl Iterator<Item = (Range<usize>, Problem)> {
        self.found.into_iter().map(
            |Found {
                 what,
                 with_content,
                 hint,
                 range,
                 further,
             }| {
                let with = if with_content {
                    " and its contents are removed"
                } else {
                    " is removed"
                };
                let further = match further {
                    0 => String::new(),
                    further => format!(
                        ", here and in {further} more {}",
                        if further == 1 { "place" } else { "places" }
                    ),
                };
                (
                    range,
                    Problem::warning(Code::RemovedHtml, format!("{what}{with}{further}"))
                        .hint(hint),
                )
            },
        )
    }
}

/// The hint for an element that a post cannot have.
fn instead_of(name: &str) -> &'static str {
    match name {
        "svg" => "save the drawing next to the post, and write `![what it shows](drawing.svg)`",
        "math" => "write the formula as `$…$`",
        "script" => "remove it, or turn it into an island: `sitegen new island NAME`",
        "style" | "link" => "remove it; put your own CSS in `templates/styles/site.css`",
        "object" | "embed" => "write a link to the file, or `<video controls src=\"/…\"></video>`",
        "form" | "input" | "button" | "select" | "option" | "textarea" | "label" | "fieldset" => {
            "link to a page with a form: `[Write to us](page:contact)`"
        }
        "strike" => "write `<del>`, or `~~…~~`",
        "tt" => "write `` `…` ``",
        "big" | "font" | "center" | "marquee" | "blink" => {
            "remove it; the theme decides how text looks"
        }
        "acronym" => "write `<abbr title=\"…\">`",
        "picture" | "source" => "write only `<img>`: the build generates its sizes and formats",
        "article" | "header" | "footer" | "nav" | "main" | "address" | "hgroup" | "search" => {
            "write `<section>` or `<div>`"
        }
        "title" | "meta" | "base" | "head" | "body" | "html" => {
            "remove it: a post is only part of a page"
        }
        "dialog" | "menu" | "slot" | "template" | "noscript" => "remove it, or write `<details>`",
        _ => "remove the tag, or write `&lt;` to show `<` as text",
    }
}

/// An attribute that is taken away, and what to write instead.
fn removed_attribute(tag: &str, name: &str, value: &str) -> Option<(String, String)> {
    if name == "class" {
        let unknown = value
            .split_whitespace()
            .find(|class| !is_known_class(class))?;
        let hint = match unknown.to_ascii_lowercase() {
            class
                if [
                    "note",
                    "tip",
                    "info",
                    "warning",
                    "caution",
                    "alert",
                    "callout",
                    "admonition",
                ]
                .iter()
                .any(|word| class.contains(word)) =>
            {
                "for a note, write `> [!NOTE]`, and begin each line of the note below with `> `"
            }
            _ => "remove it: the theme has no rule for it",
        };
        return Some((
            format!("the class `{unknown}` on `<{tag}>`"),
            hint.to_owned(),
        ));
    }
    if is_allowed_attribute(tag, name, value) {
        return None;
    }
    let what = format!("`{name}` on `<{tag}>`");
    let hint = match (tag, name) {
        ("td" | "th", "style" | "align") => {
            "write the table in Markdown, with `|:-:|` or `|--:|` below the header row"
        }
        ("a", "name") => return Some((what, format!("write `id=\"{value}\"`"))),
        (_, "id") if LAYOUT_IDS.contains(&value) => {
            "choose a different id: the layout of every page has this one"
        }
        (_, "id") => "begin the id with a letter, and use letters, digits, `-` and `_`",
        (
            _,
            "style" | "align" | "bgcolor" | "color" | "border" | "cellpadding" | "cellspacing"
            | "valign" | "nowrap",
        ) => "remove it; the theme decides how text looks",
        (_, "href" | "src" | "cite" | "poster") => {
            "write a URL on this site, or one that begins with `https://`"
        }
        (_, "autoplay") => "remove it: with `controls`, visitors start playback themselves",
        _ => "remove it",
    };
    Some((what, hint.to_owned()))
}
