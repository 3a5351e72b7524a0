//! Where the cursor is in a YAML text: the path of keys that leads there, and whether it is at a key or at a value.
//!
//! A text is rarely valid while someone types. So a mark is written at the cursor, and the line is ended in the ways in which it
//! can go on, until the parser of the site takes the text. The place of the mark in the tree is that of the cursor.

use std::ops::Range;

use diagnostics::problem::Source;
use diagnostics::yaml::{self, Key, Node, Value};

use super::text::Text;

/// The mark, a character of private use, so that no text contains it.
const MARK: char = '\u{f8ff}';

/// The characters that can be missing at the end of the line that is typed.
const ENDS: [&str; 15] = [
    "", "}", "]", "\"", "'", "\"}", "'}", "\"]", "']", "}}", "]}", "}]", "\"}]", "\"]}", "}]}",
];

/// The most lines above the cursor that are left out because the parser refuses them.
const LEFT_OUT: usize = 3;

/// One step from the root of a file to the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Into the value of a key.
    Key(String),
    /// Into an item of a list.
    Item,
}

/// A block of keys, and what it says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Block {
    /// Its keys, without the one at the cursor.
    pub keys: Vec<String>,
    /// The value of its key `kind`.
    pub kind: Option<String>,
}

/// The place of the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Context {
    /// The way to the block or list that the cursor is in.
    pub path: Vec<Step>,
    /// For each prefix of the path, from the root, the block it leads to; one more than steps.
    pub blocks: Vec<Block>,
    /// The key that is typed, or whose value is.
    pub key: Option<String>,
    /// Whether the cursor is at the key itself.
    pub at_key: bool,
    /// The byte range of the key or value at the cursor.
    pub span: Range<usize>,
}

impl Context {
    /// The key that says what the value at the cursor is: its own, or that of the list that it is in. Of a path, such as
    /// `hero.actions.1.to`, it is the last part.
    pub fn field(&self) -> Option<&str> {
        let of_list = self.path.iter().rev().find_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Item => None,
        });
        self.key.as_deref().or(of_list)?.rsplit('.').next()
    }
}

/// The context at a byte offset of the lines `lines` of a text. `None` in a comment, and where nothing can be read.
pub(super) fn at(text: &Text, lines: Range<usize>, offset: usize) -> Option<Context> {
    let start = text.start_of(lines.start);
    let yaml = &text.text[start..text.start_of(lines.end)];
    let (before, after) = yaml.split_at_checked(offset.checked_sub(start)?)?;
    let word = after.find([':', ' ', ',', '{', '}', '[', ']', '\n', '\r']);
    let (word, after) = after.split_at(word.unwrap_or(after.len()));
    let written = readable(before, &format!("{MARK}{word}"), after).and_then(|tree| found(&tree));
    let mut found = match written {
        Some(found) if found.at_key => found,
        // A word without a colon may become a key.
        other => readable(before, &format!("{MARK}{word}: "), after)
            .and_then(|tree| found(&tree))
            .filter(|found| found.at_key && !is_in_list(found, yaml))
            .or(other)
            .or_else(|| without_word(before, &yaml[before.len()..]))?,
    };
    // Without the mark, and without a quote that ends the line.
    let end = (found.span.end - MARK.len_utf8()).min(yaml.len());
    let own = yaml.get(found.span.start..end)?.trim_end();
    found.span.end = found.span.start + own.len();
    if found.at_key && !yaml[found.span.end..].trim_start().starts_with(':') {
        found.key = None;
    }
    found.span = start + found.span.start..start + found.span.end;
    Some(found)
}

/// The context of a value that is wrong by itself: `to: page:}`.
fn without_word(before: &str, after: &str) -> Option<Context> {
    let start = before
        .rfind([' ', ',', '{', '[', '\n'])
        .map_or(0, |at| at + 1);
    let end = after.find([' ', ',', '}', ']', '\n', '\r']);
    let (word, rest) = after.split_at(end.unwrap_or(after.len()));
    let mut found = found(&readable(&before[..start], &MARK.to_string(), rest)?)?;
    found.span = start..before.len() + word.len() + MARK.len_utf8();
    Some(found)
}

/// Whether a word is an item of a list between brackets, in which YAML takes `word:` for a block.
fn is_in_list(word: &Context, yaml: &str) -> bool {
    word.path.last() == Some(&Step::Item)
        && yaml[..word.span.start].trim_end().ends_with(['[', ','])
}

/// The tree of a text of which a line is typed: `before` the cursor, what is `typed` there, and what comes `after` it.
fn readable(before: &str, typed: &str, after: &str) -> Option<Node> {
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let (above, before) = before.split_at(line);
    let end = after.find(['\r', '\n']).unwrap_or(after.len());
    let (rest, below) = after.split_at(end);
    let mut above = above.to_owned();
    let line = format!("{before}{typed}{rest}");
    for _ in 0..=LEFT_OUT {
        let problem = match parse(&format!("{above}{line}{below}")) {
            Ok(tree) => return Some(tree),
            Err(problem) => problem,
        };
        let ends = if line.contains(['{', '[', '"', '\'']) {
            &ENDS[..]
        } else {
            &ENDS[..1]
        };
        let ended = [below, ""]
            .iter()
            .flat_map(|below| ends.iter().map(move |end| (end, below)))
            .find_map(|(end, below)| parse(&format!("{above}{line}{end}{below}")).ok());
        if ended.is_some() {
            return ended;
        }
        let wrong = problem.place.and_then(|place| place.range)?.start.line as usize;
        let mut lines: Vec<&str> = above.split_inclusive('\n').collect();
        let wrong = lines.get_mut(wrong.checked_sub(1)?)?;
        let blank = format!("{}\n", " ".repeat(wrong.len() - 1));
        *wrong = &blank;
        above = lines.concat();
    }
    None
}

fn parse(text: &str) -> Result<Node, diagnostics::problem::Problem> {
    yaml::parse(&Source::new(String::new(), text.to_owned()), 0..text.len())
}

/// The place of the mark in a tree.
fn found(tree: &Node) -> Option<Context> {
    let mut context = Context {
        path: Vec::new(),
        blocks: Vec::new(),
        key: None,
        at_key: false,
        span: 0..0,
    };
    (context.is_text(tree) || context.seek(tree)).then_some(context)
}

impl Context {
    /// Whether a node is the text that has the mark.
    fn is_text(&mut self, node: &Node) -> bool {
        let is_found = node.as_text().is_some_and(|text| text.contains(MARK));
        if is_found {
            self.span = node.span.start as usize..node.span.end as usize;
            self.blocks.push(Block::default());
        }
        is_found
    }

    /// Goes on from a block or a list to the mark. Nothing has changed if it is not there.
    fn seek(&mut self, node: &Node) -> bool {
        match &node.value {
            Value::Map(entries) => {
                self.blocks.push(Block::of(entries));
                for (key, value) in entries {
                    if key.name.contains(MARK) {
                        self.key = Some(key.name.replace(MARK, ""));
                        self.at_key = true;
                        self.span = key.span.start as usize..key.span.end as usize;
                        return true;
                    }
                    if self.is_text(value) {
                        self.blocks.pop();
                        self.key = Some(key.name.clone());
                        return true;
                    }
                    self.path.push(Step::Key(key.name.clone()));
                    if self.seek(value) {
                        return true;
                    }
                    self.path.pop();
                }
                self.blocks.pop();
                false
            }
            Value::List(items) => {
                self.path.push(Step::Item);
                self.blocks.push(Block::default());
                if items
                    .iter()
                    .any(|item| self.is_text(item) || self.seek(item))
                {
                    return true;
                }
                self.path.pop();
                self.blocks.pop();
                false
            }
            _ => false,
        }
    }
}

impl Block {
    fn of(entries: &[(Key, Node)]) -> Block {
        let names = entries.iter().map(|(key, _)| key.name.as_str());
        let kind = entries.iter().find(|(key, _)| key.name == "kind");
        Block {
            keys: names
                .filter(|name| !name.contains(MARK))
                .map(str::to_owned)
                .collect(),
            kind: kind.and_then(|(_, kind)| Some(kind.as_text()?.replace(MARK, ""))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `|` in the text is the cursor. Shows the path, the key in brackets, and what is at the cursor.
    fn check(text: &str, expect: &str) {
        let offset = text.find('|').expect("a cursor");
        let text = Text::new(text.replacen('|', "", 1));
        let context = at(&text, 0..text.len(), offset).expect("a place");
        let steps = context.path.iter().map(|step| match step {
            Step::Key(key) => format!("{key}/"),
            Step::Item => "-/".to_owned(),
        });
        let at = if context.at_key { "key" } else { "value" };
        let key = context.key.clone().unwrap_or_default();
        let found = format!(
            "{}[{key}] {at} `{}`",
            steps.collect::<String>(),
            &text.text[context.span.clone()]
        );
        assert_eq!(found, expect, "{}", text.text);
        assert_eq!(context.blocks.len(), context.path.len() + 1);
    }

    #[test]
    fn keys_and_values_have_their_path() {
        check("ti|", "[] key `ti`");
        check("title: A|b", "[title] value `Ab`");
        check("a:\n  b:\n    c|", "a/b/[] key `c`");
        check("a:\n  b: 1\n  |\nc: 2\n", "a/[] key ``");
        check(
            "sections:\n  - kind: hero\n    ti|tle: x\n",
            "sections/-/[title] key `title`",
        );
        check("sections:\n- kind: he|\n", "sections/-/[kind] value `he`");
        check("sections:\n  - ki|", "sections/-/[] key `ki`");
        check(
            "sections:\n  - kind: hero\n    actions:\n      - {label: A, to: pa|}\n",
            "sections/-/actions/-/[to] value `pa`",
        );
        check("figure: {s|}\n", "figure/[] key `s`");
        check("a: {b: [{c: 1}, {d: |}]}\n", "a/b/-/[d] value ``");
        check("tags: [One, Tw|]", "tags/-/[] value `Tw`");
        check(
            "layout:\n  header: {background: in|k, text: light}\n",
            "layout/header/[background] value `ink`",
        );
        check("hero.title: A\nhero.le|", "[] key `hero.le`");
        check("tags:\n  - One\n  - Tw|\n", "tags/-/[] key `Tw`");
        check("\"a|b\": 1\n", "[ab] key `\"ab\"`");
    }

    #[test]
    fn texts_and_brackets_over_several_lines_are_read_as_the_site_reads_them() {
        check(
            "a: >\n  One\n  b: tw|o\nc: 1\n",
            "[a] value `One\n  b: two`",
        );
        check("a: {\n  b: 1,\n  c|\n}\n", "a/[] key `c`");
        check("a: [\n  {b: 1},\n  {b: |}\n]\n", "a/-/[b] value ``");
        check("a: One\n  tw|o\n", "[a] value `One\n  two`");
    }

    #[test]
    fn a_line_may_be_unfinished_and_others_wrong() {
        check("a:\n  b: \"On|\n  c: 1\nd: 2\n", "a/[b] value `\"On`");
        check("a:\n  - {b: 1, c: pa|\n  - {b: 2}\n", "a/-/[c] value `pa`");
        check("a: [One, T|\nb: 1\n", "a/-/[] value `T`");
        check("a:\n  b|\nc: \"One\nd: 1\n", "a/[] key `b`");
        check("a = 1\nb:\n  c: |\n", "b/[c] value ``");
        check("a: 1\n   b: 2\nc:\n  d|\n", "c/[] key `d`");
        check("a: 1\na: 2\nb: |\n", "[b] value ``");
        check("a: {to: pa|ge:}\nb: 1\n", "a/[to] value `page:`");
        let text = Text::new("# a: b\nc: 1\n");
        assert_eq!(at(&text, 0..text.len(), 4), None);
    }

    #[test]
    fn blocks_know_their_keys_and_their_kind() {
        let text = "sections:\n  - kind: hero\n    title: A\n    |\n    lead: B\n  - kind: faq\n";
        let offset = text.find('|').expect("a cursor");
        let text = Text::new(text.replacen('|', "", 1));
        let context = at(&text, 0..text.len(), offset).expect("a place");
        let block = context.blocks.last().expect("a block");
        assert_eq!(block.kind.as_deref(), Some("hero"));
        let mut keys = block.keys.clone();
        keys.sort();
        assert_eq!(keys, ["kind", "lead", "title"]);
    }
}
