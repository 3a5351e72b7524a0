//! Moves the lines of entries of a menu: each entry with the comments above it, into another order, into a group or out of
//! one. It knows nothing of what the entries say; the caller compares the values of the result with those that it wants.

use serde_json::Value as Json;

use diagnostics::yaml::{Node, Value};

use super::super::save;

/// A place in the new order.
#[derive(Debug)]
pub(super) struct Slot {
    /// The entry of the file that comes here: `2`, or `2.0`. `None` for a new one.
    pub id: Option<String>,
    /// The values of a new entry.
    pub new: Json,
    /// The entries below it, if it is a group.
    pub links: Option<Vec<Slot>>,
}

/// An entry as it is written.
struct Item<'a> {
    /// The column of its dash.
    column: usize,
    /// Its lines up to the first entry below it, comments above it included.
    head: &'a [&'a str],
    /// The entries below it.
    links: Vec<Item<'a>>,
    /// The lines after these.
    tail: &'a [&'a str],
}

/// The lines of a file, and the offset of each.
struct Lines<'a> {
    lines: Vec<&'a str>,
    starts: Vec<usize>,
}

/// How much farther the entries of a new group begin than the group.
const INDENT: usize = 4;

/// The text with the list `key` of the block `above` in another order; `links` is the key of a group's entries. `None` if an
/// entry does not begin a line, or if the order names entries that are not there.
pub(super) fn arranged(
    text: &str,
    above: &Node,
    key: &str,
    links: &str,
    order: &[Slot],
) -> Option<String> {
    let lines = Lines::of(text);
    let (start, end, items) = lines.list(above, key, links, (0, lines.lines.len()))?;
    let column = items.first()?.column;
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut written: Vec<String> = Vec::new();
    for slot in order {
        write(slot, &items, links, column, &mut written)?;
    }
    let mut result = lines.lines[..start].concat();
    for line in written {
        result.push_str(line.trim_end_matches(['\r', '\n']));
        result.push_str(line_break);
    }
    result.push_str(&lines.lines[end..].concat());
    Some(result)
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Lines<'a> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let starts = lines
            .iter()
            .scan(0, |at, line| Some(std::mem::replace(at, *at + line.len())))
            .collect();
        Lines { lines, starts }
    }

    /// The line of an offset.
    fn at(&self, offset: u32) -> usize {
        self.starts
            .partition_point(|start| *start <= offset as usize)
            .saturating_sub(1)
    }

    /// The entries of a list, with the lines that they take. All are between the lines of `within`.
    fn list(
        &'a self,
        above: &Node,
        key: &str,
        links: &str,
        within: (usize, usize),
    ) -> Option<(usize, usize, Vec<Item<'a>>)> {
        let Value::Map(entries) = &above.value else {
            return None;
        };
        let (key, list) = entries.iter().find(|(known, _)| known.name == key)?;
        let Value::List(nodes) = &list.value else {
            return None;
        };
        let floor = self.at(key.span.start) + 1;
        let dashes: Vec<usize> = nodes.iter().map(|node| self.at(node.span.start)).collect();
        let column = indent(self.lines.get(*dashes.first()?)?);
        let is_dash = |line: &usize| {
            let text = self.lines[*line];
            indent(text) == column
                && (text[column..].starts_with("- ") || text[column..].trim_end() == "-")
        };
        // Items in brackets, or several in a line, are not lines.
        if !dashes.iter().all(is_dash)
            || dashes.windows(2).any(|pair| pair[0] >= pair[1])
            || dashes[0] < floor
        {
            return None;
        }
        let last = self.end_of(*dashes.last()?, column, within.1);
        let begins: Vec<usize> = (0..dashes.len())
            .map(|number| {
                let floor = if number == 0 {
                    floor
                } else {
                    dashes[number - 1] + 1
                };
                (floor..dashes[number])
                    .rev()
                    .take_while(|line| {
                        indent(self.lines[*line]) == column
                            && self.lines[*line][column..].starts_with('#')
                    })
                    .last()
                    .unwrap_or(dashes[number])
            })
            .chain([last])
            .collect();
        let mut items = Vec::with_capacity(nodes.len());
        for (number, node) in nodes.iter().enumerate() {
            let (start, end) = (begins[number], begins[number + 1]);
            let item = if node
                .get(links)
                .is_some_and(|links| matches!(links.value, Value::List(_)))
            {
                let (from, until, below) = self.list(node, links, links, (start, end))?;
                Item {
                    column,
                    head: &self.lines[start..from],
                    links: below,
                    tail: &self.lines[until..end],
                }
            } else {
                Item {
                    column,
                    head: &self.lines[start..end],
                    links: Vec::new(),
                    tail: &[],
                }
            };
            items.push(item);
        }
        Some((begins[0], last, items))
    }

    /// The line after the last one of an item whose dash is in a line: what is indented farther belongs to it.
    fn end_of(&self, dash: usize, column: usize, limit: usize) -> usize {
        let mut end = dash + 1;
        for (line, text) in self.lines.iter().enumerate().take(limit).skip(dash + 1) {
            if text.trim().is_empty() {
                continue;
            }
            if indent(text) <= column {
                break;
            }
            end = line + 1;
        }
        end
    }
}

/// Writes the lines of a slot, whose dash is in a column.
fn write(
    slot: &Slot,
    items: &[Item],
    key: &str,
    column: usize,
    written: &mut Vec<String>,
) -> Option<()> {
    let item = match &slot.id {
        Some(id) => Some(found(items, id)?),
        None => None,
    };
    let below = if let Some(item) = item {
        shifted(item.head, item.column, column, written)?;
        item.links
            .first()
            .map_or(INDENT, |link| link.column - item.column)
    } else {
        let text = save::written(&slot.new);
        let mut dash = "- ";
        for line in text.lines() {
            written.push(format!("{}{dash}{line}", " ".repeat(column)));
            dash = "  ";
        }
        if slot.links.is_some() {
            written.push(format!("{}{dash}{key}:", " ".repeat(column)));
        }
        INDENT
    };
    for link in slot.links.iter().flatten() {
        write(link, items, key, column + below, written)?;
    }
    item.map_or(Some(()), |item| {
        shifted(item.tail, item.column, column, written)
    })
}

fn found<'a, 'b>(items: &'b [Item<'a>], id: &str) -> Option<&'b Item<'a>> {
    let mut numbers = id.split('.').map(str::parse::<usize>);
    let item = items.get(numbers.next()?.ok()?)?;
    match numbers.next() {
        None => Some(item),
        Some(number) => item.links.get(number.ok()?),
    }
}

/// Writes lines that began in one column so that they begin in another.
fn shifted(lines: &[&str], from: usize, to: usize, written: &mut Vec<String>) -> Option<()> {
    for line in lines {
        if line.trim().is_empty() {
            written.push(String::new());
        } else if indent(line) >= from {
            written.push([&" ".repeat(to), &line[from..]].concat());
        } else {
            return None;
        }
    }
    Some(())
}

/// The number of spaces at the beginning of a line.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}
