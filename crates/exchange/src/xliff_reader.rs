//! Reads XLIFF 2, as translation tools write it: elements and attributes of other namespaces are passed over, and a unit may
//! have been cut into segments.

use roxmltree::{Document, Node};

use diagnostics::limits::excess_of_xml;
use diagnostics::problem::{Problem, Source};

use super::units::State;
use super::{Part, Returned, ReturnedFile, Text, line_of, unreadable};

/// The category of the note that names the site.
pub(super) const SITE_NOTE: &str = "site";
/// The category of the note with the hash of the translation before.
pub(super) const BEFORE_NOTE: &str = "before";
const CORE: &str = "urn:oasis:names:tc:xliff:document:2.0";
const CORE_22: &str = "urn:oasis:names:tc:xliff:document:2.2";
const OLD: &str = "urn:oasis:names:tc:xliff:document:1.2";

/// Reads a file. The error has the line at which it is broken.
pub fn read(path: &str, text: &str) -> Result<ReturnedFile, Problem> {
    if let Some((at, what)) = excess_of_xml(text) {
        let problem = unreadable(path, what);
        let line = text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1;
        return Err(problem.at(line_of(
            &Source::new(path.to_owned(), text.to_owned()),
            u32::try_from(line).unwrap_or(u32::MAX),
        )));
    }
    let document = Document::parse(text).map_err(|error| {
        let problem = unreadable(path, format!("this is not well-formed XML: {error}"));
        problem
            .at(line_of(
                &Source::new(path.to_owned(), text.to_owned()),
                error.pos().row,
            ))
            .hint("ask for the file again; it was cut off or changed by hand")
    })?;
    let root = document.root_element();
    let is_core = matches!(root.tag_name().namespace(), Some(CORE | CORE_22));
    if root.tag_name().name() != "xliff" || !is_core {
        let is_old = root.tag_name().namespace() == Some(OLD)
            || root
                .attribute("version")
                .is_some_and(|v| v.starts_with('1'));
        return Err(if is_old && root.tag_name().name() == "xliff" {
            unreadable(path, "this is XLIFF 1.2")
                .hint("save it as XLIFF 2.0 or 2.1; `sitegen translations export` writes 2.1")
        } else {
            unreadable(path, "this is not XLIFF 2")
                .hint("import the file that `sitegen translations export` wrote")
        });
    }
    let lines = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let reader = Reader {
        lines,
        namespace: root.tag_name().namespace().unwrap_or_default(),
    };
    let mut file = ReturnedFile {
        source_language: root.attribute("srcLang").map(str::to_owned),
        language: root.attribute("trgLang").map(str::to_owned),
        ..ReturnedFile::default()
    };
    for one in reader.children(root, "file") {
        let key = one.attribute("id").unwrap_or_default();
        file.site = file.site.or_else(|| reader.note(one, SITE_NOTE));
        reader.units(one, key, &mut file.units);
    }
    Ok(file)
}

struct Reader<'a> {
    /// Where each line begins, because counting them for each unit takes seconds for a large file.
    lines: Vec<usize>,
    namespace: &'a str,
}

impl Reader<'_> {
    fn is(&self, node: Node, name: &str) -> bool {
        node.is_element()
            && node.tag_name().name() == name
            && node.tag_name().namespace() == Some(self.namespace)
    }

    fn children<'d>(
        &'d self,
        node: Node<'d, 'd>,
        name: &'d str,
    ) -> impl Iterator<Item = Node<'d, 'd>> {
        node.children().filter(move |child| self.is(*child, name))
    }

    /// The text of the note of a category.
    fn note(&self, node: Node, category: &str) -> Option<String> {
        let notes = node
            .children()
            .filter(|child| self.is(*child, "notes"))
            .flat_map(|notes| notes.children());
        let note = notes
            .into_iter()
            .find(|note| note.attribute("category") == Some(category));
        Some(note?.text()?.trim().to_owned())
    }

    /// The units of a file, in groups too.
    fn units(&self, node: Node, key: &str, units: &mut Vec<Returned>) {
        for child in node.children() {
            if self.is(child, "group") {
                self.units(child, key, units);
            } else if self.is(child, "unit") {
                units.push(self.unit(child, key));
            }
        }
    }

    fn unit(&self, node: Node, key: &str) -> Returned {
        let mut segments: Vec<Node> = node
            .children()
            .filter(|child| self.is(*child, "segment") || self.is(*child, "ignorable"))
            .collect();
        // A tool may put the segments of a translation in another order.
        let order = |segment: &Node| {
            let target = segment.children().find(|child| self.is(*child, "target"));
            target
                .and_then(|target| target.attribute("order"))
                .and_then(|order| order.parse::<usize>().ok())
        };
        let (mut source, mut target) = (Text::default(), Text::default());
        let mut state = State::Final;
        for segment in &segments {
            if let Some(found) = segment.children().find(|child| self.is(*child, "source")) {
                self.content(found, &mut source);
            }
            if self.is(*segment, "segment") {
                state = state.min(state_of(segment.attribute("state")));
            }
        }
        if segments.iter().any(|segment| order(segment).is_some()) {
            let at: Vec<usize> = segments
                .iter()
                .enumerate()
                .map(|(at, one)| order(one).unwrap_or(at + 1))
                .collect();
            let mut numbered: Vec<(usize, Node)> = at.into_iter().zip(segments).collect();
            numbered.sort_by_key(|(at, _)| *at);
            segments = numbered.into_iter().map(|(_, segment)| segment).collect();
        }
        let mut has_target = false;
        for segment in segments {
            let found = segment.children().find(|child| self.is(*child, "target"));
            has_target |= found.is_some() && self.is(segment, "segment");
            // The text between segments is the same in the translation, unless the file has it.
            let or_source = || {
                segment
                    .children()
                    .find(|child| self.is(*child, "source"))
                    .filter(|_| self.is(segment, "ignorable"))
            };
            if let Some(found) = found.or_else(or_source) {
                self.content(found, &mut target);
            }
        }
        let line = self
            .lines
            .partition_point(|start| *start <= node.range().start);
        Returned {
            id: format!("{key}#{}", node.attribute("id").unwrap_or_default()),
            source,
            target: Some(target).filter(|target| has_target && !target.is_empty()),
            state,
            before: self.note(node, BEFORE_NOTE),
            line: u32::try_from(line).unwrap_or(u32::MAX),
        }
    }

    fn content(&self, node: Node, text: &mut Text) {
        for child in node.children() {
            if child.is_text() {
                let words = child.text().unwrap_or_default();
                match text.0.last_mut() {
                    Some(Part::Words(last)) => last.push_str(words),
                    _ => text.0.push(Part::Words(words.to_owned())),
                }
                continue;
            }
            if child.tag_name().namespace() != Some(self.namespace) {
                continue;
            }
            let id = || child.attribute("id").unwrap_or_default().to_owned();
            match child.tag_name().name() {
                "pc" => {
                    text.0.push(Part::Open(id()));
                    self.content(child, text);
                    text.0.push(Part::Close(id()));
                }
                "sc" => text.0.push(Part::Open(id())),
                "ec" => {
                    let start = child.attribute("startRef").map_or_else(id, str::to_owned);
                    text.0.push(Part::Close(start));
                }
                "ph" => text.0.push(Part::Alone(id())),
                "cp" => {
                    let code = child
                        .attribute("hex")
                        .and_then(|hex| u32::from_str_radix(hex, 16).ok());
                    text.0.extend(
                        code.and_then(char::from_u32)
                            .map(|c| Part::Words(c.to_string())),
                    );
                }
                // A mark of a tool around words.
                "mrk" => self.content(child, text),
                _ => {}
            }
        }
    }
}

fn state_of(state: Option<&str>) -> State {
    match state {
        Some("translated") => State::Translated,
        Some("reviewed" | "final") => State::Final,
        _ => State::Initial,
    }
}
