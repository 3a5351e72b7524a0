//! The tags of a table. A strict content security policy forbids inline styles, so cells have classes for their alignment.

use pulldown_cmark::{Alignment, Event, Tag, TagEnd};

/// Ends a table.
pub(super) const END: &str = "</tbody></table>\n";
/// Ends a table in a container that scrolls.
pub(super) const END_IN_ARTICLE: &str = "</tbody></table></div>\n";

/// An open table.
pub(super) struct OpenTable {
    alignments: Vec<Alignment>,
    /// Whether the open row is the head.
    is_head: bool,
    /// The number of the next cell in its row.
    column: usize,
    /// The tag that ends the open cell.
    end: &'static str,
}

impl OpenTable {
    pub fn new(alignments: Vec<Alignment>) -> OpenTable {
        OpenTable {
            alignments,
            is_head: false,
            column: 0,
            end: "",
        }
    }

    /// The tag for an event of a table; `written` is the source of its element.
    pub fn html(&mut self, event: &Event, written: &str) -> &'static str {
        match event {
            Event::Start(Tag::TableHead) => {
                (self.is_head, self.column) = (true, 0);
                "<thead><tr>"
            }
            Event::End(TagEnd::TableHead) => {
                self.is_head = false;
                "</tr></thead><tbody>\n"
            }
            Event::Start(Tag::TableRow) => {
                self.column = 0;
                "<tr>"
            }
            Event::End(TagEnd::TableRow) => "</tr>\n",
            Event::Start(Tag::TableCell) => {
                let alignment = self
                    .alignments
                    .get(self.column)
                    .copied()
                    .unwrap_or(Alignment::None);
                self.column += 1;
                // An empty corner cell is not a header.
                let is_header = self.is_head && !written.trim_matches(['|', ' ', '\t']).is_empty();
                self.end = if is_header { "</th>" } else { "</td>" };
                match (is_header, alignment) {
                    (true, Alignment::Right) => "<th class=\"align-end\">",
                    (true, Alignment::Center) => "<th class=\"align-center\">",
                    (true, _) => "<th>",
                    (false, Alignment::Right) => "<td class=\"align-end\">",
                    (false, Alignment::Center) => "<td class=\"align-center\">",
                    (false, _) => "<td>",
                }
            }
            _ => self.end,
        }
    }
}
