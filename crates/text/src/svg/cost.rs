//! Estimates how long a drawing takes to draw. A few lines can be days of work: an element that is used twice by one that is
//! used twice, and so on, or a filter with thousands of passes over the whole picture.

use std::collections::{HashMap, HashSet};

use roxmltree::Node;

use super::{Refusal, start_tag};

/// Maximum number of shapes that are drawn, with each use counted.
const SHAPE_LIMIT: u64 = 100_000;
/// Maximum depth of elements and references in each other.
const DEPTH_LIMIT: usize = 200;
/// Maximum number of filter primitives in one drawing.
const PRIMITIVE_LIMIT: usize = 200;
/// Maximum numbers in attributes of filters. More of them cannot be seen.
const NUMBER_LIMITS: &[(&str, f64)] = &[
    ("numOctaves", 10.0),
    ("order", 15.0),
    ("radius", 100.0),
    ("stdDeviation", 500.0),
];

/// The same for drawings that a build draws itself.
const DRAWN_SHAPE_LIMIT: u64 = 20_000;
/// Maximum number of groups that are drawn on a surface of their own: with an opacity, a mask or a clip path.
const LAYER_LIMIT: u64 = 200;
/// Elements whose time to draw depends on the size of the picture, in a way that is not estimated here.
const UNBOUNDED: &[&str] = &["filter", "image", "marker", "pattern"];

/// The number of shapes and layers, with each use counted, and the depth of elements and references in each other.
#[derive(Debug, Default, Clone, Copy)]
struct Cost {
    shapes: u64,
    layers: u64,
    depth: usize,
}

struct Count<'a, 'i> {
    by_id: HashMap<&'a str, Node<'a, 'i>>,
    known: HashMap<roxmltree::NodeId, Cost>,
    open: HashSet<roxmltree::NodeId>,
}

/// Refuses a drawing that takes too long for a browser. Returns the first part that takes too long for a build.
pub(super) fn check(root: Node, referenced: &[String]) -> Result<Option<Refusal>, Refusal> {
    let elements: Vec<Node> = root.descendants().filter(Node::is_element).collect();
    let mut primitives = 0;
    for element in &elements {
        let name = element.tag_name().name();
        primitives += usize::from(name.starts_with("fe"));
        if primitives > PRIMITIVE_LIMIT {
            return Err(Refusal::of(
                format!("more than {PRIMITIVE_LIMIT} filter primitives"),
                start_tag(*element),
            ));
        }
        for attribute in element.attributes().filter(|_| name.starts_with("fe")) {
            let limit = NUMBER_LIMITS
                .iter()
                .find(|(known, _)| *known == attribute.name());
            if let Some((name, limit)) = limit
                && attribute
                    .value()
                    .split([' ', ',', '\t', '\n'])
                    .filter_map(|part| part.parse::<f64>().ok())
                    .any(|number| number.is_nan() || number > *limit)
            {
                return Err(Refusal::of(
                    format!("a filter with `{name}` above {limit}"),
                    attribute.range(),
                ));
            }
        }
    }
    let wanted: HashSet<&str> = referenced.iter().map(String::as_str).collect();
    let by_id = elements.iter().filter_map(|node| {
        Some((
            node.attribute("id").filter(|id| wanted.contains(id))?,
            *node,
        ))
    });
    let mut count = Count {
        by_id: by_id.collect(),
        known: HashMap::new(),
        open: HashSet::new(),
    };
    let cost = count.node(root, 0)?;
    if cost.shapes > SHAPE_LIMIT {
        return Err(Refusal::of(
            format!("references that draw more than {SHAPE_LIMIT} shapes"),
            start_tag(root),
        ));
    }
    if let Some(element) = elements
        .iter()
        .find(|element| UNBOUNDED.contains(&element.tag_name().name()))
    {
        return Ok(Some(Refusal::of(
            format!("a `<{}>`", element.tag_name().name()),
            start_tag(*element),
        )));
    }
    let is_much = cost.shapes > DRAWN_SHAPE_LIMIT || cost.layers > LAYER_LIMIT;
    Ok(is_much.then(|| Refusal::of("too many shapes or transparent groups", start_tag(root))))
}

/// Refuses references of a part in a part, and so on.
fn too_deep(node: Node) -> Refusal {
    Refusal::of("references that are nested too deeply", start_tag(node))
}

impl<'a, 'i> Count<'a, 'i> {
    fn node(&mut self, node: Node<'a, 'i>, depth: usize) -> Result<Cost, Refusal> {
        if let Some(known) = self.known.get(&node.id()) {
            return Ok(*known);
        }
        if depth > DEPTH_LIMIT {
            return Err(too_deep(node));
        }
        if !self.open.insert(node.id()) {
            return Err(Refusal::of(
                "an element that refers to itself",
                start_tag(node),
            ));
        }
        let mut cost = Cost {
            shapes: 1,
            ..Cost::default()
        };
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            // Dashes are as many as the line is long, which is not measured.
            let is_dashed = (name == "stroke-dasharray"
                || name == "style" && value.contains("dasharray"))
                && value != "none";
            let is_layer = matches!(
                name,
                "opacity" | "mask" | "clip-path" | "filter" | "style" | "mix-blend-mode"
            );
            cost.shapes += if is_dashed { 200 } else { 0 };
            cost.layers += u64::from(is_layer);
            let mut ids = Vec::new();
            if name == "href" {
                ids.extend(value.trim().strip_prefix('#').map(str::to_owned));
            } else {
                // Refused values were reported before.
                let _ = super::values::check(value, &mut ids);
            }
            for id in ids {
                if let Some(target) = self.by_id.get(id.as_str()).copied() {
                    let times = if name.starts_with("marker") {
                        corners(node)
                    } else {
                        1
                    };
                    cost = cost.plus(self.node(target, depth + 1)?, times);
                }
            }
        }
        for child in node.children().filter(Node::is_element) {
            cost = cost.plus(self.node(child, depth + 1)?, 1);
        }
        if cost.depth > DEPTH_LIMIT {
            return Err(too_deep(node));
        }
        self.open.remove(&node.id());
        self.known.insert(node.id(), cost);
        Ok(cost)
    }
}

/// About the number of corners of a line, each of which has a marker.
fn corners(node: Node) -> u64 {
    let points = node
        .attribute("d")
        .or_else(|| node.attribute("points"))
        .unwrap_or_default();
    points.len() as u64 / 2 + 2
}

impl Cost {
    fn plus(self, other: Cost, times: u64) -> Cost {
        Cost {
            shapes: self
                .shapes
                .saturating_add(other.shapes.saturating_mul(times)),
            layers: self
                .layers
                .saturating_add(other.layers.saturating_mul(times)),
            depth: self.depth.max(other.depth + 1),
        }
    }
}
