//! Where the cursor is in a YAML text: the path of keys that leads there, and whether it is at a key or at a value.
//!
//! A text is rarely valid while someone types, so this reads lines and their indentation, and no tree.

use super::text::Text;

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
    pub span: std::ops::Range<usize>,
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

/// A key or the mark of an item, at a column of a line.
#[derive(Debug)]
struct Token<'a> {
    line: usize,
    column: usize,
    /// `None` for the mark of an item.
    key: Option<&'a str>,
    value: &'a str,
}

/// The context at a byte offset of the lines `lines` of a text.
pub(super) fn at(text: &Text, lines: std::ops::Range<usize>, offset: usize) -> Context {
    let line = text.position(offset).line as usize;
    let start = text.start_of(line);
    let whole = text.line(line);
    let column = (offset - start).min(whole.len());
    let mut tokens: Vec<Token> = Vec::new();
    for number in lines.clone() {
        scan(number, text.line(number), &mut tokens);
    }
    // The part of the line that the cursor is in: behind the marks of items.
    let own: Vec<&Token> = tokens.iter().filter(|token| token.line == line).collect();
    let key = own.iter().find(|token| token.key.is_some());
    let content = key.map_or_else(
        || {
            own.last()
                .map_or(whole.len() - whole.trim_start().len(), |item| {
                    (item.column + 2).min(whole.len())
                })
        },
        |key| key.column,
    );
    // An empty line belongs to the block whose column the cursor has.
    let content = if whole.trim().is_empty() {
        column
    } else {
        content
    };
    let value_start = key.map(|key| whole.len() - key.value.len());
    let (path, mut blocks) = way(&tokens, line, content);
    let is_value =
        value_start.is_some_and(|value| column >= value.min(whole.len()) && column > content);
    if let (true, Some(key), Some(value)) = (is_value, key, value_start) {
        let name = key.key.unwrap_or_default().to_owned();
        return flow(
            &whole[value..],
            column - value,
            start + value,
            Some(name),
            path,
            blocks,
        );
    }
    if key.is_none() && whole[content.min(whole.len())..].starts_with(['{', '[']) {
        return flow(
            &whole[content..],
            column - content,
            start + content,
            None,
            path,
            blocks,
        );
    }
    let typed = whole.get(content..).unwrap_or_default();
    let end = typed.find([':', ' ']).unwrap_or(typed.len());
    let key = key.and_then(|token| token.key).map(str::to_owned);
    let is_item = key.is_none() && own.last().is_some_and(|token| token.key.is_none());
    if let (Some(key), Some(block)) = (&key, blocks.last_mut()) {
        block.keys.retain(|other| other != key);
    }
    // `- ` with one word may be an item that is text, or the first key of a block.
    let at_key = !is_item || path.last() == Some(&Step::Item);
    Context {
        path,
        blocks,
        key,
        at_key,
        span: start + content..start + content + end,
    }
}

/// Adds the marks of items and the key of a line.
fn scan<'a>(line: usize, text: &'a str, tokens: &mut Vec<Token<'a>>) {
    let mut column = text.len() - text.trim_start_matches(' ').len();
    if text[column..].starts_with('#') {
        return;
    }
    while text[column..] == *"-" || text[column..].starts_with("- ") {
        tokens.push(Token {
            line,
            column,
            key: None,
            value: "",
        });
        let rest = &text[column + 1..];
        column += 1 + rest.len() - rest.trim_start_matches(' ').len();
    }
    let rest = &text[column..];
    if rest.starts_with(['{', '[', '\'']) {
        return;
    }
    let colon = rest
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| matches!(rest.as_bytes().get(at + 1), None | Some(b' ')));
    if let Some(colon) = colon {
        let key = rest[..colon].trim_matches('"');
        let value = rest[colon + 1..].trim_start();
        tokens.push(Token {
            line,
            column,
            key: Some(key),
            value,
        });
    }
}

/// The way to the block at a column of a line, and the blocks on it.
fn way(tokens: &[Token], line: usize, column: usize) -> (Vec<Step>, Vec<Block>) {
    let first = tokens
        .partition_point(|token| token.line < line || token.line == line && token.column < column);
    let (mut path, mut blocks) = (Vec::new(), vec![block(tokens, first, column)]);
    let (mut limit, mut after_item) = (column, false);
    for (at, token) in tokens[..first].iter().enumerate().rev() {
        // The list of a key may begin at the column of the key.
        let is_parent =
            token.column < limit || after_item && token.key.is_some() && token.column == limit;
        if !is_parent {
            continue;
        }
        limit = token.column;
        after_item = token.key.is_none();
        match token.key {
            Some(key)
                if token.value.is_empty() || token.value.starts_with(['#', '|', '>', '&']) =>
            {
                path.push(Step::Key(key.to_owned()));
                blocks.push(block(tokens, at, token.column));
            }
            // A key with a value has no block, so the line is wrongly indented; its siblings are the best guess.
            Some(_) => {}
            None => {
                path.push(Step::Item);
                blocks.push(Block::default());
            }
        }
    }
    path.reverse();
    blocks.reverse();
    (path, blocks)
}

/// The keys of the block at a column around a token.
fn block(tokens: &[Token], at: usize, column: usize) -> Block {
    let mut block = Block::default();
    let mut add = |token: &Token| {
        if let Some(key) = token.key.filter(|_| token.column == column) {
            block.keys.push(key.to_owned());
            if key == "kind" {
                block.kind = Some(token.value.trim_matches(['"', '\'']).to_owned());
            }
        }
    };
    tokens[at..]
        .iter()
        .take_while(|token| token.column >= column)
        .for_each(&mut add);
    for token in tokens[..at].iter().rev() {
        if token.column < column {
            break;
        }
        add(token);
    }
    block
}

/// The context in a value on one line, which may hold flow maps and lists: `{label: Us, to: page:about}`.
fn flow(
    value: &str,
    cursor: usize,
    start: usize,
    key: Option<String>,
    mut path: Vec<Step>,
    mut blocks: Vec<Block>,
) -> Context {
    struct Frame {
        is_map: bool,
        entry: usize,
        key: Option<String>,
    }
    let mut frames: Vec<Frame> = Vec::new();
    let mut quote = None;
    let mut value_start = 0;
    for (at, c) in value.char_indices() {
        if at >= cursor {
            break;
        }
        if let Some(open) = quote {
            quote = Some(open).filter(|open| *open != c);
            continue;
        }
        match c {
            '"' | '\'' => quote = Some(c),
            '{' | '[' => {
                frames.push(Frame {
                    is_map: c == '{',
                    entry: at + 1,
                    key: None,
                });
                value_start = at + 1;
            }
            '}' | ']' => drop(frames.pop()),
            ',' => {
                if let Some(frame) = frames.last_mut() {
                    (frame.entry, frame.key) = (at + 1, None);
                    value_start = at + 1;
                }
            }
            ':' if value[at + 1..].starts_with(' ') || at + 1 == value.len() => {
                if let Some(frame) = frames
                    .last_mut()
                    .filter(|frame| frame.is_map && frame.key.is_none())
                {
                    frame.key = Some(value[frame.entry..at].trim().trim_matches('"').to_owned());
                    value_start = at + 1;
                }
            }
            _ => {}
        }
    }
    let Some(last) = frames.pop() else {
        let end = value.find(" #").unwrap_or(value.len());
        return Context {
            path,
            blocks,
            key,
            at_key: false,
            span: start..start + value[..end].trim_end().len(),
        };
    };
    let mut steps: Vec<Step> = key.into_iter().map(Step::Key).collect();
    for frame in &frames {
        steps.extend(if frame.is_map {
            frame.key.clone().map(Step::Key)
        } else {
            Some(Step::Item)
        });
    }
    if !last.is_map {
        steps.push(Step::Item);
    }
    for step in steps {
        path.push(step);
        blocks.push(Block::default());
    }
    if last.is_map
        && let Some(block) = blocks.last_mut()
    {
        let entries = value.trim_end_matches(['}', ' ']).split([',', '{']);
        let pairs = entries
            .filter_map(|entry| entry.split_once(':'))
            .map(|(key, value)| (key.trim(), value.trim()));
        for (key, value) in pairs {
            block.keys.push(key.to_owned());
            if key == "kind" {
                block.kind = Some(value.to_owned());
            }
        }
        if let Some(own) = &last.key {
            block.keys.retain(|other| other != own);
        }
    }
    let from = if last.key.is_some() || !last.is_map {
        value_start
    } else {
        last.entry
    };
    let rest = &value[from..];
    let from = from + rest.len() - rest.trim_start().len();
    let rest = &value[from.min(value.len())..];
    let ends: &[char] = if last.key.is_some() || !last.is_map {
        &[',', '}', ']']
    } else {
        &[',', '}', ']', ':', ' ']
    };
    let end = rest.find(ends).unwrap_or(rest.len());
    let span = start + from..start + from + rest[..end].trim_end().len();
    Context {
        path,
        blocks,
        at_key: last.is_map && last.key.is_none(),
        key: last.key,
        span,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `|` in the text is the cursor. Shows the path, the key in brackets, and what is at the cursor.
    fn check(text: &str, expect: &str) {
        let offset = text.find('|').expect("a cursor");
        let text = Text::new(text.replacen('|', "", 1));
        let context = at(&text, 0..text.len(), offset);
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
    }

    #[test]
    fn blocks_know_their_keys_and_their_kind() {
        let text = "sections:\n  - kind: hero\n    title: A\n    |\n    lead: B\n  - kind: faq\n";
        let offset = text.find('|').expect("a cursor");
        let text = Text::new(text.replacen('|', "", 1));
        let context = at(&text, 0..text.len(), offset);
        let block = context.blocks.last().expect("a block");
        assert_eq!(block.kind.as_deref(), Some("hero"));
        let mut keys = block.keys.clone();
        keys.sort();
        assert_eq!(keys, ["kind", "lead", "title"]);
    }
}
