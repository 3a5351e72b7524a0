//! Ids of a text that a site removes, such as those that begin with a digit: they get a name that it keeps, and links within
//! the text follow.

use std::collections::{BTreeMap, BTreeSet};

use text::sanitize::is_id;

use super::addresses::decoded;
use super::plan::unique;
use super::tree::{Element, Node};

/// Bytes of an id.
const LENGTH: usize = 90;

/// Renames ids of elements, and returns the old names with the new ones. Those of WordPress's own footnotes stay: other places
/// refer to them, too.
pub(super) fn rename(nodes: &mut [Node]) -> BTreeMap<String, String> {
    let (mut taken, mut wrong) = (BTreeSet::new(), BTreeSet::new());
    each(nodes, &mut |element| {
        if let Some(id) = id_of(element) {
            if is_id(id) {
                taken.insert(id.to_owned());
            } else if !id.trim().is_empty() {
                wrong.insert(id.to_owned());
            }
        }
    });
    let renamed: BTreeMap<String, String> = wrong
        .into_iter()
        .map(|id| {
            let new = unique(&mut taken, &kept(&id));
            (id, new)
        })
        .collect();
    if renamed.is_empty() {
        return renamed;
    }
    each(nodes, &mut |element| {
        for (name, value) in &mut element.attributes {
            let new = match name.as_str() {
                "id" => renamed.get(value).cloned(),
                "name" if element.name == "a" => renamed.get(value).cloned(),
                "href" => value
                    .strip_prefix('#')
                    .and_then(|id| Some(format!("#{}", renamed.get(&decoded(id))?))),
                _ => None,
            };
            if let Some(new) = new {
                *value = new;
            }
        }
    });
    renamed
}

/// Moves the targets of links, in the text or in others, into an empty `<span>`, where the element around them is one that
/// Markdown writes without attributes.
pub(super) fn keep_linked(nodes: &mut [Node], is_linked: &dyn Fn(&str) -> bool) {
    let mut linked = BTreeSet::new();
    each(nodes, &mut |element| {
        let id = element.get("href").and_then(|href| href.strip_prefix('#'));
        linked.extend(id.map(decoded));
    });
    each(nodes, &mut |element| {
        let is_kept =
            element.name.starts_with('h') || matches!(element.name.as_str(), "a" | "span" | "sup");
        let Some(id) = element
            .get("id")
            .filter(|id| !is_kept && (linked.contains(*id) || is_linked(id)))
            .map(str::to_owned)
        else {
            return;
        };
        element.attributes.retain(|(name, _)| name != "id");
        let mut target = Element::new("span", Vec::new());
        target.set("id", id);
        if !put_first(element, &target) {
            element.children.insert(0, Node::Element(target));
        }
    });
}

/// Puts a node before the first line of text below an element. Whether there is one.
fn put_first(element: &mut Element, node: &Element) -> bool {
    if matches!(
        element.name.as_str(),
        "p" | "li" | "dt" | "dd" | "td" | "th" | "figcaption" | "summary"
    ) {
        element.children.insert(0, Node::Element(node.clone()));
        return true;
    }
    element.children.iter_mut().any(|child| match child {
        Node::Element(child) => put_first(child, node),
        _ => false,
    })
}

fn each(nodes: &mut [Node], act: &mut impl FnMut(&mut Element)) {
    for node in nodes {
        if let Node::Element(element) = node {
            if element.has_class("wp-block-footnotes") {
                continue;
            }
            act(element);
            each(&mut element.children, act);
        }
    }
}

fn id_of(element: &Element) -> Option<&str> {
    let name = element.get("name").filter(|_| element.name == "a");
    element.get("id").or(name)
}

/// The name that an anchor of another text has there.
pub(super) fn elsewhere(anchor: &str) -> String {
    let id = decoded(anchor);
    if is_id(&id) {
        anchor.to_owned()
    } else {
        kept(&id)
    }
}

/// The id with other characters for those that it cannot have: `2 steps` → `id-2-steps`.
fn kept(id: &str) -> String {
    let mut kept: String = id
        .trim()
        .chars()
        .map(|c| if is_id(&format!("a{c}")) { c } else { '-' })
        .collect();
    if !kept.starts_with(char::is_alphabetic) {
        kept.insert_str(0, "id-");
    }
    kept.truncate(kept.floor_char_boundary(LENGTH));
    kept
}

#[cfg(test)]
mod tests {
    use super::super::tree::parse;
    use super::*;

    #[test]
    fn ids_get_names_that_a_site_keeps_and_links_follow() {
        let html = "<h2 id=\"2-steps\">Two</h2><h3 id=\"my heading\">A</h3><a name=\"1\"></a><p id=\"good\">\
                    <sup id=\"fnref:1\"><a href=\"#fn:1\">1</a></sup> <a href=\"#my%20heading\">A</a> \
                    <a href=\"#good\">G</a> <a href=\"#none:1\">N</a></p><li id=\"fn:1\">B</li><b id=\"fn-1\">C</b>";
        let mut nodes = parse(html);
        let renamed = rename(&mut nodes);
        assert_eq!(renamed["2-steps"], "id-2-steps");
        let mut found = Vec::new();
        each(&mut nodes, &mut |element| {
            found.extend(element.attributes.iter().map(|(_, value)| value.clone()));
        });
        assert_eq!(
            found,
            [
                "id-2-steps",
                "my-heading",
                "id-1",
                "good",
                "fnref-1",
                "#fn-1-2",
                "#my-heading",
                "#good",
                "#none:1",
                "fn-1-2",
                "fn-1"
            ]
        );
        assert!(rename(&mut nodes).is_empty());
    }
}
