//! Turns the HTML of WordPress into the plain structure of a text: no wrappers, buttons, lazy loaders or scripts.
//!
//! Content that a post cannot have is replaced with the nearest thing that it can have, or left out. Both are noted,
//! so that nothing disappears unseen. The result has the elements that Markdown knows, and a few more that stay HTML.

use std::collections::BTreeSet;

use text::sanitize::TAGS;

use super::ids;
use super::shapes::{
    FOOTNOTE, blocks, code, footnote_reference, frame_element, gallery, has_content, is_hidden,
    is_kept, is_picture_address, is_space, paragraph, shift_headings, side_of, squeeze,
    take_caption, video, words_of,
};
use super::tree::{Element, Node, text};

/// Elements for readings of characters and for directions of text, which posts take as HTML.
const READINGS: [&str; 6] = ["bdi", "bdo", "rb", "rp", "rt", "ruby"];

/// The lookups in the rest of the import, for URLs and images.
pub(super) trait Lookup {
    /// The link to write for an address; `None` removes the link and keeps its text.
    fn link(&self, address: &str) -> Option<String>;
    /// The file of a picture next to the post; `None` for a picture that cannot be had.
    fn picture(&self, address: &str) -> Option<String>;
    /// The alternative text that the media library has for a picture, by its number or its address.
    fn alt(&self, number: Option<u64>, address: &str) -> Option<String>;
    /// Notes a text that readers of WordPress see and that is left out, and why.
    fn left_out(&self, text: &str, why: &str);
    /// Whether a link in another text names an anchor.
    fn is_linked(&self, anchor: &str) -> bool;
    /// The text of a reusable block.
    fn reusable(&self, number: u64) -> Option<Vec<Node>>;
    /// The language of the text.
    fn language(&self) -> &str;
}

/// Elements that only group or style others.
const WRAPPERS: [&str; 19] = [
    "address", "article", "aside", "big", "center", "div", "fieldset", "font", "footer", "header",
    "hgroup", "label", "main", "nav", "noscript", "picture", "search", "section", "tt",
];

/// Elements that are left out with their content, and what a note calls them.
const LEFT_OUT: [(&str, &str); 17] = [
    ("applet", "an applet"),
    ("button", "a button"),
    ("canvas", "a canvas"),
    ("embed", "a plug-in"),
    ("frameset", "frames"),
    ("input", "a form field"),
    ("link", "a style sheet"),
    ("map", "an image map"),
    ("math", "a formula"),
    ("meta", "metadata"),
    ("object", "a plug-in"),
    ("script", "a script"),
    ("select", "a form field"),
    ("style", "a style sheet"),
    ("svg", "an inline drawing"),
    ("template", "a template"),
    ("textarea", "a form field"),
];

/// Simplifies the nodes of a post. Returns them with what a person should know about them.
pub(super) fn simplify(mut nodes: Vec<Node>, lookup: &dyn Lookup) -> (Vec<Node>, BTreeSet<String>) {
    let mut simplifier = Simplifier {
        lookup,
        notes: BTreeSet::new(),
        depth: 0,
    };
    for (old, new) in ids::rename(&mut nodes) {
        simplifier.note(format!("the anchor `#{old}` is now `#{new}`"));
    }
    ids::keep_linked(&mut nodes, &|id| lookup.is_linked(id));
    let mut nodes = simplifier.nodes(nodes);
    shift_headings(&mut nodes);
    (nodes, simplifier.notes)
}

/// Takes away the language and the direction of an element.
fn take_language(element: &mut Element) -> Vec<(String, String)> {
    let all = std::mem::take(&mut element.attributes).into_iter();
    let (taken, left) = all.partition(|named| matches!(named.0.as_str(), "lang" | "dir"));
    element.attributes = left;
    taken
}

struct Simplifier<'a> {
    lookup: &'a dyn Lookup,
    notes: BTreeSet<String>,
    /// The number of reusable blocks that are open: one may contain itself.
    depth: usize,
}

impl Simplifier<'_> {
    fn note(&mut self, what: impl Into<String>) {
        self.notes.insert(what.into());
    }

    fn left_out(&mut self, element: &Element, why: impl Into<String>) {
        let why = why.into();
        let mut words = String::new();
        spaced(&element.children, &mut words);
        self.lookup.left_out(&words, &why);
        self.notes.insert(why);
    }

    fn nodes(&mut self, nodes: Vec<Node>) -> Vec<Node> {
        let mut out: Vec<Node> = Vec::new();
        for node in nodes {
            let simple = match node {
                Node::Text(text) => vec![Node::Text(text)],
                Node::Comment(comment) => self.comment(comment.trim()),
                Node::Element(element) => self.element(element),
            };
            for node in simple {
                match (node, out.last_mut()) {
                    (Node::Text(more), Some(Node::Text(text))) => text.push_str(&more),
                    (node, _) => out.push(node),
                }
            }
        }
        out
    }

    /// Comments are marks of the editor. A dynamic block has no other content.
    fn comment(&mut self, comment: &str) -> Vec<Node> {
        if comment == "nextpage" {
            self.note("it had several pages, which are now one");
        }
        let Some(block) = comment
            .strip_prefix("wp:")
            .and_then(|block| block.strip_suffix('/'))
        else {
            return Vec::new();
        };
        let (name, settings) = block.trim().split_once(' ').unwrap_or((block.trim(), ""));
        let settings: serde_json::Value = serde_json::from_str(settings.trim()).unwrap_or_default();
        match name {
            "block" => {
                let found = settings["ref"].as_u64().filter(|_| self.depth < 5);
                if let Some(nodes) = found.and_then(|number| self.lookup.reusable(number)) {
                    self.depth += 1;
                    let nodes = self.nodes(nodes);
                    self.depth -= 1;
                    return nodes;
                }
                self.note("a reusable block that no longer exists was left out");
            }
            "social-link" | "core/social-link" => {
                let service = settings["label"]
                    .as_str()
                    .or(settings["service"].as_str())
                    .unwrap_or("link")
                    .to_owned();
                if let Some(url) = settings["url"].as_str() {
                    return vec![paragraph(self.link(url, vec![Node::Text(service)]))];
                }
            }
            "spacer" | "more" | "separator" | "footnotes" => {}
            name => {
                let why = format!(
                    "the block `{name}`, which WordPress fills in for each visitor, was left out"
                );
                if settings
                    .as_object()
                    .is_some_and(|settings| !settings.is_empty())
                {
                    self.lookup.left_out(&settings.to_string(), &why);
                }
                self.note(why);
            }
        }
        Vec::new()
    }

    /// Notes what an element says in attributes that are left out.
    fn note_attributes(&mut self, element: &Element) {
        // Pictures, links and frames keep it, and so do abbreviations.
        if let Some(title) = element
            .get("title")
            .filter(|title| !title.trim().is_empty())
            && !matches!(element.name.as_str(), "a" | "abbr" | "iframe" | "img")
        {
            self.lookup
                .left_out(title, "a tooltip (`title`) was left out");
        }
        let background = element
            .get("style")
            .and_then(|style| style.split_once("background-image"));
        if let Some(address) =
            background.and_then(|(_, rest)| rest.split_once("url(")?.1.split(')').next())
        {
            self.note(format!(
                "a background image (`{}`) was left out",
                address.trim_matches(['"', '\''])
            ));
        }
    }

    fn element(&mut self, mut element: Element) -> Vec<Node> {
        let name = element.name.clone();
        if let Some(kind) = list_type(&element) {
            element.set("type", kind);
        }
        self.note_attributes(&element);
        if is_hidden(&element) {
            if !element.text().trim().is_empty() {
                self.left_out(&element, "text hidden from visitors was left out");
            }
            return Vec::new();
        }
        // As posts show the boxes of task lists.
        if name == "input" && element.get("type") == Some("checkbox") {
            let is_checked = element.get("checked").is_some();
            return vec![Node::Text(if is_checked { "☑ " } else { "☐ " }.to_owned())];
        }
        if let Some((_, what)) = LEFT_OUT.iter().find(|(own, _)| *own == name) {
            let is_seen = !matches!(
                name.as_str(),
                "script" | "style" | "link" | "meta" | "template"
            ) || !element.text().trim().is_empty();
            if is_seen {
                self.left_out(&element, format!("{what} (`<{name}>`) was left out"));
            }
            return Vec::new();
        }
        if element.has_class("wp-block-file") {
            let button = element
                .find(&|own| own.has_class("wp-block-file__button"))
                .map(Element::text);
            button.iter().for_each(|text| {
                self.lookup
                    .left_out(text, "the button next to a file repeats its link");
            });
            element.children.retain(|child| {
                child
                    .element()
                    .is_none_or(|child| !child.has_class("wp-block-file__button"))
            });
        }
        if element.has_class("screen-reader-text") || element.has_class("sharedaddy") {
            self.lookup
                .left_out(&element.text(), "the site provides its own sharing buttons");
            return Vec::new();
        }
        match name.as_str() {
            "img" => self.picture(&element),
            "iframe" => self.frame(&element),
            "audio" | "video" => self.media(&element),
            "form" => {
                self.left_out(&element, "a form was left out");
                Vec::new()
            }
            "figure" => self.figure(element),
            "pre" if element.has_class("wp-block-verse") => self.verse(element),
            "pre" => {
                if element
                    .find(&|own| {
                        matches!(own.name.as_str(), "a" | "b" | "strong" | "i" | "em" | "img")
                    })
                    .is_some()
                {
                    self.note(
                        "emphasis and links in a `<pre>` lost their markup, because it is code",
                    );
                }
                vec![Node::Element(code(&element))]
            }
            "a" => self.anchor(element),
            "span" | "b" | "strong" | "i" | "em" => self.styled(element),
            "strike" => self.renamed(element, "s"),
            "sup" if element.has_class("fn") || element.get("data-fn").is_some() => {
                footnote_reference(&element)
            }
            "ol" if element.has_class("wp-block-footnotes") => self.footnotes(element),
            "dir" | "menu" => self.renamed(element, "ul"),
            "blockquote" => {
                element.children = self.nodes(element.children);
                element.attributes.clear();
                vec![Node::Element(element)]
            }
            _ if element.has_class("wp-block-embed__wrapper")
                || element.has_class("wp-embed-wrapper") =>
            {
                let address = element.text();
                if element.find(&|own| own.name == "iframe").is_none()
                    && address.trim().starts_with("http")
                {
                    return self.embed(address.trim());
                }
                self.nodes(element.children)
            }
            _ if element.has_class("wp-block-buttons") => {
                let children = self.nodes(element.children);
                let links = children.into_iter().filter(|child| !child.is_blank());
                links
                    .map(|child| {
                        if child.is_block() {
                            child
                        } else {
                            paragraph(vec![child])
                        }
                    })
                    .collect()
            }
            _ if WRAPPERS.contains(&name.as_str()) => self.wrapper(element),
            name if TAGS.contains(&name) || READINGS.contains(&name) => {
                let name = name.to_owned();
                element.children = self.nodes(element.children);
                let side = side_of(&element);
                self.keep_attributes(&mut element);
                if let Some(class) = side {
                    element.set("class", class);
                }
                if name == "p" && element.children.iter().any(Node::is_block) {
                    // A figure that was a part of a line.
                    return blocks(element.children);
                }
                // What Markdown writes without attributes has them around it.
                if matches!(name.as_str(), "p" | "ul" | "ol" | "li") {
                    let attributes = take_language(&mut element);
                    if !attributes.is_empty() && name != "li" {
                        let around = Element::new("div", vec![Node::Element(element)]);
                        return vec![Node::Element(Element {
                            attributes,
                            ..around
                        })];
                    }
                    if !attributes.is_empty() {
                        let around = Element::new("span", std::mem::take(&mut element.children));
                        element.children = vec![Node::Element(Element {
                            attributes,
                            ..around
                        })];
                        return vec![Node::Element(element)];
                    }
                }
                let line = text(&element.children);
                let is_address = name == "p"
                    && line.trim().starts_with("http")
                    && !line.trim().contains(char::is_whitespace);
                if is_address
                    && element
                        .children
                        .iter()
                        .all(|child| child.element().is_none())
                    && video(line.trim()).is_some()
                {
                    return self.embed(line.trim());
                }
                if name == "p" && line.trim_matches(is_space).is_empty() && !has_content(&element) {
                    return Vec::new();
                }
                vec![Node::Element(element)]
            }
            _ => {
                if !matches!(name.as_str(), "nobr" | "rtc") {
                    self.note(format!(
                        "the markup of `<{name}>` was removed, and its text was kept"
                    ));
                }
                self.nodes(element.children)
            }
        }
    }

    /// The notes at the end of a text, each with the name that references use.
    fn footnotes(&mut self, list: Element) -> Vec<Node> {
        let mut notes = Vec::new();
        for item in list.children {
            let Node::Element(mut item) = item else {
                continue;
            };
            let Some(name) = item.get("id").map(str::to_owned) else {
                continue;
            };
            // The link back is written again by the page.
            item.children.retain(|child| {
                child.element().is_none_or(|own| {
                    own.name != "a" || !own.get("href").is_some_and(|href| href.starts_with('#'))
                })
            });
            let mut note = Element::new(FOOTNOTE, self.nodes(item.children));
            note.set("name", name);
            notes.push(Node::Element(note));
        }
        notes
    }

    /// A verse is no code: its lines are lines, and its words may be slanted.
    fn verse(&mut self, mut element: Element) -> Vec<Node> {
        self.note("a verse (`<pre>`) is now a paragraph with line breaks (`<br>`)");
        element.children = broken(std::mem::take(&mut element.children));
        element.attributes.clear();
        self.renamed(element, "p")
    }

    fn renamed(&mut self, element: Element, name: &str) -> Vec<Node> {
        self.element(Element {
            name: name.to_owned(),
            ..element
        })
    }

    /// The content of an element that groups others. Its text becomes paragraphs if it stood as a block.
    fn wrapper(&mut self, mut element: Element) -> Vec<Node> {
        let is_line = matches!(
            element.name.as_str(),
            "font" | "label" | "picture" | "big" | "tt"
        );
        if element.name == "noscript" {
            // The picture itself was found by the attributes of the lazy loader.
            if !element.text().trim().is_empty() {
                self.left_out(
                    &element,
                    "a text for browsers without script (`<noscript>`) was left out",
                );
            }
            return Vec::new();
        }
        element.children = self.nodes(element.children);
        self.keep_attributes(&mut element);
        element.attributes = take_language(&mut element);
        match (is_line, element.attributes.is_empty()) {
            (true, true) => element.children,
            (false, true) => blocks(element.children),
            (is_line, false) => {
                if is_line { "span" } else { "div" }.clone_into(&mut element.name);
                vec![Node::Element(element)]
            }
        }
    }

    fn keep_attributes(&self, element: &mut Element) {
        let Element {
            name, attributes, ..
        } = element;
        let language = self.lookup.language();
        attributes.retain(|(attribute, value)| is_kept(name, (attribute, value), language));
    }

    fn link(&mut self, address: &str, children: Vec<Node>) -> Vec<Node> {
        let found = self.lookup.link(address.trim());
        if found.is_none() && !address.trim().is_empty() && address.trim() != "#" {
            self.note(format!(
                "a link to `{}` was removed, and its text was kept",
                address.trim()
            ));
        }
        match found {
            Some(href) => {
                let mut link = Element::new("a", children);
                link.set("href", href);
                vec![Node::Element(link)]
            }
            None => children,
        }
    }

    fn anchor(&mut self, element: Element) -> Vec<Node> {
        let (href, title) = (
            element.get("href").map(str::to_owned),
            element.get("title").map(str::to_owned),
        );
        let id = element.get("id").or(element.get("name")).map(str::to_owned);
        let children = self.nodes(element.children);
        let is_empty = children.iter().all(Node::is_blank);
        let Some(href) = href else {
            // A target of links. An empty one keeps its place.
            return match id {
                Some(id) if is_empty => vec![Node::Element(Element {
                    attributes: vec![("id".into(), id)],
                    ..Element::new("span", children)
                })],
                _ => children,
            };
        };
        // A picture that leads to itself in full size.
        let is_picture = children
            .iter()
            .filter(|child| !child.is_blank())
            .all(|child| child.element().is_some_and(|own| own.name == "img"));
        if !is_empty && is_picture && is_picture_address(&href) {
            return children;
        }
        if is_empty {
            return children;
        }
        if children.iter().any(Node::is_block) {
            self.note("a link around several blocks is now only on its first line");
            return self.block_link(&href, children);
        }
        let mut nodes = self.link(&href, children);
        if let (Some(Node::Element(link)), Some(title)) = (nodes.first_mut(), title)
            && link.name == "a"
            && link.text().trim() != title.trim()
        {
            link.set("title", title);
        }
        nodes
    }

    fn block_link(&mut self, href: &str, mut children: Vec<Node>) -> Vec<Node> {
        let first = children.iter_mut().find_map(|child| match child {
            Node::Element(element)
                if element.is_block() && !element.children.iter().any(Node::is_block) =>
            {
                Some(element)
            }
            _ => None,
        });
        if let Some(first) = first {
            let inner = std::mem::take(&mut first.children);
            first.children = self.link(href, inner);
        }
        children
    }

    /// Text that is bold, slanted or struck through by its style, as word processors write it.
    fn styled(&mut self, mut element: Element) -> Vec<Node> {
        let style: String = element
            .get("style")
            .unwrap_or_default()
            .to_ascii_lowercase()
            .split_whitespace()
            .collect();
        let mut names: Vec<&str> = match element.name.as_str() {
            "b" | "strong"
                if style.contains("font-weight:normal") || style.contains("font-weight:400") =>
            {
                Vec::new()
            }
            "i" | "em" if style.contains("font-style:normal") => Vec::new(),
            "span" => Vec::new(),
            "b" | "strong" => vec!["strong"],
            _ => vec!["em"],
        };
        if element.name == "span" {
            let is_bold = [
                "font-weight:bold",
                "font-weight:600",
                "font-weight:700",
                "font-weight:800",
                "font-weight:900",
            ];
            names.extend(
                is_bold
                    .iter()
                    .any(|bold| style.contains(bold))
                    .then_some("strong"),
            );
            names.extend(style.contains("font-style:italic").then_some("em"));
            names.extend(style.contains("line-through").then_some("del"));
            if element.has_class("wp-video-shortcode") || element.has_class("mejs-offscreen") {
                return Vec::new();
            }
        }
        let mut nodes = self.nodes(std::mem::take(&mut element.children));
        self.keep_attributes(&mut element);
        let mut attributes = take_language(&mut element);
        if element.name == "span" {
            attributes.append(&mut element.attributes);
        }
        let has_id = attributes.iter().any(|(name, _)| name == "id");
        if text(&nodes).trim().is_empty() && !has_id {
            return nodes;
        }
        for name in names.into_iter().rev() {
            // Emphasis in emphasis is one.
            nodes = vec![Node::Element(Element::new(name, nodes))];
        }
        if !attributes.is_empty() {
            nodes = vec![Node::Element(Element {
                attributes,
                ..Element::new("span", nodes)
            })];
        }
        nodes
    }

    fn picture(&mut self, element: &Element) -> Vec<Node> {
        let lazy = [
            "data-src",
            "data-lazy-src",
            "data-original",
            "data-orig-file",
        ]
        .into_iter()
        .find_map(|name| element.get(name));
        let written = element.get("src").unwrap_or_default();
        let address = lazy
            .filter(|_| {
                written.is_empty()
                    || written.starts_with("data:")
                    || written.contains("placeholder")
            })
            .unwrap_or(written);
        if element.has_class("emoji") || element.has_class("wp-smiley") {
            return vec![Node::Text(
                element.get("alt").unwrap_or_default().to_owned(),
            )];
        }
        let mut sizes = ["width", "height"]
            .into_iter()
            .map(|name| element.get(name));
        if sizes.all(|size| size.is_some_and(|size| matches!(size.trim(), "0" | "1"))) {
            self.note(format!("a tracking pixel (`{address}`) was left out"));
            return Vec::new();
        }
        if address.is_empty() || address.starts_with("data:") {
            let alt = squeeze(element.get("alt").unwrap_or_default());
            self.note(if alt.is_empty() {
                "an image without a file was left out".to_owned()
            } else {
                format!("an image without a file was left out: `{alt}`")
            });
            return Vec::new();
        }
        let Some(file) = self.lookup.picture(address) else {
            self.note(format!(
                "the image `{address}` could not be fetched, so it was left out"
            ));
            return Vec::new();
        };
        let number = element.get("class").and_then(|class| {
            class
                .split_whitespace()
                .find_map(|class| class.strip_prefix("wp-image-")?.parse().ok())
        });
        let own = element
            .get("alt")
            .map(squeeze)
            .filter(|alt| !alt.is_empty());
        let alt = own
            .or_else(|| self.lookup.alt(number, address))
            .unwrap_or_else(|| {
                self.note(format!(
                    "the image `{file}` has no alternative text; its file name is used instead"
                ));
                words_of(address)
            });
        let mut picture = Element::new("img", Vec::new());
        picture.set("src", file);
        picture.set("alt", alt);
        if let Some(title) = element
            .get("title")
            .map(squeeze)
            .filter(|title| !title.is_empty())
        {
            self.note(format!(
                "the title of an image (`{title}`) was left out, because pages don't show it"
            ));
        }
        vec![Node::Element(picture)]
    }

    fn frame(&mut self, element: &Element) -> Vec<Node> {
        let address = ["src", "data-src", "data-lazy-src"]
            .into_iter()
            .find_map(|name| element.get(name))
            .unwrap_or_default()
            .trim();
        let title = element.get("title").map(squeeze).unwrap_or_default();
        if let Some(frame) = video(address) {
            return vec![Node::Element(frame_element(frame, &title))];
        }
        if !address.starts_with("http") && !address.starts_with("//") {
            self.note("a frame without a URL was left out");
            return Vec::new();
        }
        self.note(format!("a frame with `{address}` is now a link to it"));
        let label = if title.is_empty() {
            address.trim_start_matches("https://").to_owned()
        } else {
            title
        };
        vec![paragraph(self.link(address, vec![Node::Text(label)]))]
    }

    /// The address of an embed, alone on its line: a video card, or a link.
    fn embed(&mut self, address: &str) -> Vec<Node> {
        if let Some(frame) = video(address) {
            return vec![Node::Element(frame_element(frame, ""))];
        }
        self.note(format!("an embed of `{address}` is now a link to it"));
        vec![paragraph(
            self.link(address, vec![Node::Text(address.to_owned())]),
        )]
    }

    fn media(&mut self, element: &Element) -> Vec<Node> {
        let source = element
            .find(&|own| own.get("src").is_some())
            .and_then(|own| own.get("src"))
            .unwrap_or_default()
            .to_owned();
        if source.is_empty() {
            return Vec::new();
        }
        if let Some(poster) = element.get("poster").filter(|poster| !poster.is_empty()) {
            self.note(format!(
                "the poster image of a video (`{poster}`) was left out"
            ));
        }
        let what = if element.name == "video" {
            "a video"
        } else {
            "a recording"
        };
        self.note(format!("{what} (`{source}`) is now a link to its file"));
        let name = source
            .rsplit('/')
            .next()
            .unwrap_or(&source)
            .split('?')
            .next()
            .unwrap_or_default()
            .to_owned();
        vec![paragraph(self.link(&source, vec![Node::Text(name)]))]
    }

    fn figure(&mut self, mut element: Element) -> Vec<Node> {
        if element.has_class("wp-block-embed") || element.has_class("is-type-video") {
            let caption = take_caption(&mut element);
            let mut nodes = blocks(self.nodes(element.children));
            nodes.extend(caption.map(|caption| self.caption_paragraph(caption)));
            return nodes;
        }
        let is_gallery = element.has_class("wp-block-gallery") || element.has_class("gallery");
        let has_table = element.find(&|own| own.name == "table").is_some();
        let has_quote = element
            .children
            .iter()
            .any(|child| child.element().is_some_and(|own| own.name == "blockquote"));
        let inner_figures = element.children.iter().any(|child| {
            child
                .element()
                .is_some_and(|own| own.name == "figure" || own.name == "ul")
        });
        let caption = take_caption(&mut element);
        let children = self.nodes(element.children);
        if is_gallery || has_table || has_quote || inner_figures {
            let mut nodes = blocks(children);
            if is_gallery {
                nodes = gallery(nodes);
            }
            nodes.extend(caption.map(|caption| self.caption_paragraph(caption)));
            return nodes;
        }
        let pictures: Vec<Node> = children
            .into_iter()
            .filter(|child| !child.is_blank())
            .collect();
        if pictures.is_empty() {
            return caption
                .map(|caption| self.caption_paragraph(caption))
                .into_iter()
                .collect();
        }
        let caption = caption
            .map(|caption| self.nodes(caption.children))
            .filter(|caption| !text(caption).trim().is_empty());
        let Some(caption) = caption else {
            return blocks(pictures);
        };
        let mut children = pictures;
        children.push(Node::Element(Element::new("figcaption", caption)));
        vec![Node::Element(Element::new("figure", children))]
    }

    fn caption_paragraph(&mut self, caption: Element) -> Node {
        let children = self.nodes(caption.children);
        paragraph(vec![Node::Element(Element::new("em", children))])
    }
}

/// The `type` of a numbered list that has it as a style, as the block editor writes it.
fn list_type(element: &Element) -> Option<&'static str> {
    let (_, style) = element
        .get("style")
        .filter(|_| element.name == "ol")?
        .split_once("list-style-type:")?;
    let kinds = [
        ("lower-alpha", "a"),
        ("upper-alpha", "A"),
        ("lower-roman", "i"),
        ("upper-roman", "I"),
    ];
    kinds
        .into_iter()
        .find(|(name, _)| style.trim_start().starts_with(name))
        .map(|(_, kind)| kind)
}

/// The text of nodes, with a space around each element that is no part of a word.
fn spaced(nodes: &[Node], out: &mut String) {
    for node in nodes {
        match node {
            Node::Text(text) => out.push_str(text),
            Node::Element(element)
                if matches!(
                    element.name.as_str(),
                    "a" | "b" | "code" | "em" | "i" | "span" | "strong"
                ) =>
            {
                spaced(&element.children, out);
            }
            Node::Element(element) => {
                out.push(' ');
                out.push_str(element.get("alt").unwrap_or_default());
                spaced(&element.children, out);
                out.push(' ');
            }
            Node::Comment(_) => {}
        }
    }
}

/// Makes an element of each line break in a text.
fn broken(nodes: Vec<Node>) -> Vec<Node> {
    let mut out = Vec::new();
    for node in nodes {
        match node {
            Node::Text(text) => {
                for (at, line) in text.split('\n').enumerate() {
                    out.extend((at > 0).then(|| Node::Element(Element::new("br", Vec::new()))));
                    out.push(Node::Text(line.to_owned()));
                }
            }
            Node::Element(mut element) => {
                element.children = broken(element.children);
                out.push(Node::Element(element));
            }
            Node::Comment(_) => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_numbered_list_is_kept() {
        for (name, style, kind) in [
            ("ol", "list-style-type:upper-roman", Some("I")),
            ("ol", "color:red; list-style-type: lower-alpha;", Some("a")),
            ("ol", "list-style-type:decimal", None),
            ("ul", "list-style-type:lower-alpha", None),
        ] {
            let mut list = Element::new(name, Vec::new());
            list.set("style", style);
            assert_eq!(list_type(&list), kind, "{style}");
        }
    }
}
