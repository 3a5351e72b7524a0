//! The content of a page as Markdown: what is in its `<main>`, without controls, drawings and navigation.

use super::blocks::{blocks, paragraph, squeeze};
use super::markdown;
use super::tree::{Element, Node, parse};

/// Elements that say nothing without a browser, or that lead through the site.
const LEFT_OUT: [&str; 22] = [
    "audio", "button", "canvas", "dialog", "fieldset", "form", "iframe", "input", "label", "link",
    "meta", "nav", "noscript", "object", "script", "select", "source", "style", "svg", "template",
    "textarea", "video",
];

/// Elements that Markdown has signs for, and the cells and items in them.
const KEPT: [&str; 27] = [
    "a",
    "b",
    "blockquote",
    "br",
    "code",
    "del",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "li",
    "ol",
    "p",
    "pre",
    "s",
    "strong",
    "table",
    "td",
    "th",
    "tr",
    "ul",
];

/// The content of a page, which begins with its `title` if it has no heading of the first level. `origin` precedes
/// addresses of the site, so that they lead somewhere wherever the text is read.
pub fn markdown_of(html: &str, title: &str, origin: &str) -> String {
    let main = html
        .find("<main")
        .and_then(|start| Some(&html[start..html.rfind("</main>")?]))
        .unwrap_or_default();
    let nodes = blocks(simplified(parse(main), origin));
    let has_title = nodes
        .iter()
        .any(|node| node.element().is_some_and(|own| own.name == "h1"));
    let mut all = Vec::new();
    if !has_title {
        all.push(Node::Element(Element::new(
            "h1",
            vec![Node::Text(title.to_owned())],
        )));
    }
    all.extend(nodes);
    markdown::write_without_html(&all).markdown
}

fn simplified(nodes: Vec<Node>, origin: &str) -> Vec<Node> {
    nodes
        .into_iter()
        .flat_map(|node| simplify(node, origin))
        .collect()
}

fn simplify(node: Node, origin: &str) -> Vec<Node> {
    let mut element = match node {
        Node::Element(element) => element,
        Node::Text(text) => return vec![Node::Text(text)],
        Node::Comment(_) => return Vec::new(),
    };
    let name = element.name.clone();
    let is_hidden = element.get("hidden").is_some() || element.get("aria-hidden") == Some("true");
    if is_hidden || LEFT_OUT.contains(&name.as_str()) {
        return Vec::new();
    }
    if name == "pre" {
        let language = element.find(&|own| {
            own.get("class")
                .is_some_and(|class| class.starts_with("language-"))
        });
        let class = language.and_then(|own| own.get("class")).map(str::to_owned);
        let mut pre = Element::new("pre", vec![Node::Text(element.text())]);
        class.into_iter().for_each(|class| pre.set("class", class));
        return vec![Node::Element(pre)];
    }
    let [alt, src, href, start] =
        ["alt", "src", "href", "start"].map(|name| element.get(name).map(str::to_owned));
    element.attributes.clear();
    let children = simplified(std::mem::take(&mut element.children), origin);
    let is_block = element.is_block();
    match name.as_str() {
        "img" => {
            let (Some(alt), Some(src)) = (alt.filter(|alt| !alt.trim().is_empty()), src) else {
                return Vec::new();
            };
            let mut picture = Element::new("img", Vec::new());
            picture.set("src", absolute(&src, origin));
            picture.set("alt", alt);
            vec![Node::Element(picture)]
        }
        "a" => link(children, href, origin),
        "dt" | "summary" => vec![paragraph(vec![Node::Element(Element::new(
            "strong", children,
        ))])],
        // A list whose items have headings is a row of cards.
        "ul" | "ol" if has_headings(&children) => children
            .into_iter()
            .flat_map(|item| match item {
                Node::Element(item) => blocks(item.children),
                other => vec![other],
            })
            .collect(),
        _ if !KEPT.contains(&name.as_str()) => {
            if is_block {
                blocks(children)
            } else {
                children
            }
        }
        _ => {
            let is_empty = !matches!(name.as_str(), "br" | "hr" | "td" | "th")
                && children
                    .iter()
                    .all(|child| child.is_blank() && !matches!(child, Node::Comment(_)));
            if is_empty {
                return children;
            }
            element.children =
                if matches!(name.as_str(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "p") {
                    // A heading or a paragraph is one line of text.
                    children
                        .into_iter()
                        .flat_map(|child| match child {
                            Node::Element(own) if own.is_block() => own.children,
                            other => vec![other],
                        })
                        .collect()
                } else {
                    children
                };
            start
                .into_iter()
                .for_each(|start| element.set("start", start));
            vec![Node::Element(element)]
        }
    }
}

/// A link. One around blocks, such as a card, is that of the first heading or paragraph in it.
fn link(mut children: Vec<Node>, href: Option<String>, origin: &str) -> Vec<Node> {
    let has_text = children.iter().any(|child| match child {
        Node::Text(text) => !text.trim().is_empty(),
        Node::Element(own) => !own.text().trim().is_empty(),
        Node::Comment(_) => false,
    });
    // A link to a place of the page leads nowhere in a text.
    let Some(href) = href.filter(|href| has_text && !href.starts_with('#')) else {
        return children;
    };
    let mut link = Element::new("a", Vec::new());
    link.set("href", absolute(&href, origin));
    if !children.iter().any(Node::is_block) {
        link.children = children;
        return vec![Node::Element(link)];
    }
    let at = children
        .iter()
        .position(|node| {
            node.element()
                .is_some_and(|own| own.name.len() == 2 && own.name.starts_with('h'))
        })
        .or_else(|| children.iter().position(Node::is_block));
    if let Some(Node::Element(first)) = at.map(|at| &mut children[at]) {
        link.children = std::mem::take(&mut first.children);
        first.children = vec![Node::Element(link)];
    }
    children
}

fn has_headings(nodes: &[Node]) -> bool {
    nodes.iter().filter_map(Node::element).any(|own| {
        own.find(&|own: &Element| {
            own.name.len() == 2
                && own.name.starts_with('h')
                && own.name.as_bytes()[1].is_ascii_digit()
        })
        .is_some()
    })
}

/// An address with scheme and host. Blanks, which Markdown would take for its end, are none of it.
fn absolute(address: &str, origin: &str) -> String {
    let address = squeeze(address);
    if address.starts_with('/') && !address.starts_with("//") {
        format!("{origin}{address}")
    } else {
        address
    }
}

#[cfg(test)]
mod tests {
    use super::markdown_of;

    fn check(main: &str, expect: &str) {
        let html = format!(
            "<body><header>Menu</header><main id=main>{main}</main><footer>End</footer></body>"
        );
        assert_eq!(
            markdown_of(&html, "Title", "https://x.example").trim_end(),
            expect,
            "{main}"
        );
    }

    #[test]
    fn a_page_is_written_as_a_person_would_write_it() {
        check(
            "<section><div><h1 id=a>One <span>two</span></h1><p>Text with <a href=/b/>a link</a>.</p></div></section>\
             <ul><li>a</li><li><b>b</b></li></ul>",
            "# One two\n\nText with [a link](https://x.example/b/).\n\n- a\n- **b**",
        );
        check("<p>No heading</p>", "# Title\n\nNo heading");
        check(
            "<h1>A</h1><div>one</div><div>two <em>three</em></div>",
            "# A\n\none\n\ntwo *three*",
        );
        check(
            "<h1>A</h1><pre><code class=language-rust>let a = 1;\n</code></pre>",
            "# A\n\n```rust\nlet a = 1;\n```",
        );
    }

    #[test]
    fn controls_drawings_and_decoration_are_left_out() {
        check(
            "<nav><a href=/>Home</a></nav><h1>A<svg><title>x</title></svg></h1><form><input><button>Send</button></form>\
             <img src=/d.svg alt=''><picture><source srcset=/a.avif><img src=/a.jpg alt='A bridge'></picture>\
             <p aria-hidden=true>x</p><script>1</script>",
            "# A\n\n![A bridge](https://x.example/a.jpg)",
        );
    }

    #[test]
    fn a_card_is_a_heading_with_its_link() {
        check(
            "<h1>A</h1><ul><li><a href=/b/><h2>B</h2><p>text</p></a></li><li><article><h2><a href=/c/>C</a></h2></article></ul>",
            "# A\n\n## [B](https://x.example/b/)\n\ntext\n\n## [C](https://x.example/c/)",
        );
        check("<h1>A</h1><p><a href=#b>to b</a></p>", "# A\n\nto b");
    }

    #[test]
    fn signs_in_texts_stay_text() {
        check(
            "<h1>A</h1><p>1. not *a* list</p><p># no heading</p>",
            "# A\n\n1\\. not \\*a\\* list\n\n\\# no heading",
        );
    }
}
