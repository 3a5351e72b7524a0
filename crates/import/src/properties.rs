//! Properties of the import: no text of a post disappears without a note, and no export that somebody has broken ends the
//! program.

use std::cell::RefCell;

use proptest::prelude::*;

use super::simplify::{Lookup, simplify};
use super::tree::{self, Node};
use super::{export_file, markdown};

/// What a post can be made of. Each `%` becomes a word of its own.
const PIECES: &[&str] = &[
    "%",
    " ",
    "\n\n",
    "<p>%</p>",
    "<p>%",
    "</p>",
    "<p dir=\"rtl\">%</p>",
    "<p id=\"x\" lang=\"he\">%",
    "<p><br></p>",
    "<br>",
    "<div class=\"wp-block-group\" id=\"x\">",
    "<div dir=\"rtl\">%",
    "</div>",
    "<span style=\"font-weight:bold\">%</span>",
    "<span lang=\"fr\">%</span>",
    "<b>",
    "</b>",
    "<em>%</em>",
    "<ul id=\"x\"><li>%</li>",
    "</ul>",
    "<ol start=\"3\" reversed><li value=\"7\">%",
    "</ol>",
    "<li>%",
    "<table><caption>%</caption><tr><td colspan=\"2\">%</td><th>%</th></tr>",
    "<td>%",
    "</table>",
    "<figure><img src=\"a.png\" alt=\"%\"><figcaption>%</figcaption></figure>",
    "<figure class=\"wp-block-gallery\"><ul><li><figure><img src=\"b.png\"></figure></li></ul></figure>",
    "<img src=\"data:x\" data-src=\"c.png\" alt=\"%\">",
    "<pre>%\n  %</pre>",
    "<pre class=\"wp-block-verse\">%\n%</pre>",
    "<code>%</code>",
    "<h1>%</h1>",
    "<h2 id=\"2-x\">%</h2>",
    "<h6>%</h6>",
    "<a href=\"#x\">%</a>",
    "<a href=\"https://a.example/?b&c\">%</a>",
    "<a name=\"x\"></a>",
    "<blockquote><p>%</p><cite>%</cite></blockquote>",
    "<iframe src=\"https://youtu.be/abc?t=3\"></iframe>",
    "<sup>%</sup>",
    "<details><summary>%</summary>%</details>",
    "<dl><dt>%<dd>%</dl>",
    "<!-- wp:more -->",
    "<!-- wp:paragraph -->",
    "&lt;%&gt;",
    "*%*",
    "_%_",
    "# %",
    "1. %",
    "| % |",
    "`%`",
    "[%](x)",
    "<noscript>%</noscript>",
    "<button>%</button>",
    "<form>%</form>",
    "<svg><text>%</text></svg>",
    "<ruby>%<rt>%</rt></ruby>",
    "<bdo dir=\"rtl\">%</bdo>",
    "<del>%</del>",
    "<center><font color=\"red\">%</font></center>",
];

/// A site that has every link and every picture.
#[derive(Default)]
struct Anything {
    left_out: RefCell<String>,
}

impl Lookup for Anything {
    fn link(&self, address: &str) -> Option<String> {
        Some(address.to_owned())
    }

    fn picture(&self, _address: &str) -> Option<String> {
        Some("a.png".to_owned())
    }

    fn alt(&self, _number: Option<u64>, _address: &str) -> Option<String> {
        None
    }

    fn left_out(&self, text: &str, _why: &str) {
        self.left_out.borrow_mut().push_str(text);
    }

    fn reusable(&self, _number: u64) -> Option<Vec<Node>> {
        None
    }

    fn is_linked(&self, anchor: &str) -> bool {
        anchor.len() > 3
    }

    fn language(&self) -> &'static str {
        "en"
    }
}

/// HTML, and each word in it.
fn post() -> impl Strategy<Value = (String, Vec<String>)> {
    let pieces = prop::collection::vec(proptest::sample::select(PIECES), 1..14);
    pieces.prop_map(|pieces| {
        let (mut html, mut words) = (String::new(), Vec::new());
        for part in pieces.concat().split_inclusive('%') {
            html.push_str(part.trim_end_matches('%'));
            if part.ends_with('%') {
                words.push(format!("w{}w", words.len()));
                html.extend(words.last().map(String::as_str));
            }
        }
        (html, words)
    })
}

proptest! {
    #[test]
    fn no_word_disappears_without_a_note((html, words) in post()) {
        let lookup = Anything::default();
        let (nodes, notes) = simplify(tree::parse(&html), &lookup);
        let written = markdown::write(&nodes).markdown;
        let left_out = lookup.left_out.into_inner();
        let noted: String = notes.into_iter().collect();
        for word in words {
            let is_there = [&written, &left_out, &noted].into_iter().any(|text| text.contains(&word));
            prop_assert!(is_there, "{}\n{}\n{}", word, html, written);
        }
    }

    #[test]
    fn a_broken_export_is_read_or_refused(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..40, proptest::sample::select(PIECES)), 1..5),
    ) {
        let mut bytes = include_bytes!("../../../tests/import/harbor.xml").to_vec();
        for (at, length, new) in &cuts {
            let start = at.index(bytes.len());
            let end = (start + length).min(bytes.len());
            bytes.splice(start..end, new.bytes());
        }
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("export.xml");
        fs_err::write(&file, bytes).expect("a file");
        if export_file::read(&file).is_ok() {
            let mut texts = Vec::new();
            // What is read first may still end too early.
            let _ = export_file::texts(&file, &mut |_, text| texts.push(text));
            for text in texts {
                let (nodes, _) = simplify(tree::parse(&text.content), &Anything::default());
                markdown::write(&nodes);
            }
        }
    }
}
