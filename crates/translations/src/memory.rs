//! `content/translations/memory.tmx`: the translation memory, what each text was in other languages. TMX 1.4, sorted, with a
//! line for each text, so that changes of two branches rarely meet.
//!
//! A text is a unit as translators get it, not a sentence: the same cut for all languages needs no rules for any.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use roxmltree::{Document, Node, ParsingOptions};

use diagnostics::limits::excess_of_xml;
use diagnostics::problem::{Code, Problem, Source, Span};
use workspace::files::FileSet;

/// The path of the file.
pub const FILE: &str = "content/translations/memory.tmx";

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tmx version=\"1.4\">\n<header creationtool=\"sitegen\" \
     creationtoolversion=\"1\" segtype=\"block\" o-tmf=\"sitegen\" adminlang=\"en\" srclang=\"*all*\" datatype=\"plaintext\"/>\n\
     <body>\n";
const END: &str = "</body>\n</tmx>\n";
/// Texts that share words and are compared letter by letter.
const CANDIDATES: usize = 20;
/// Longer texts are compared by their words only, which takes less time and says as much.
const LETTERS: usize = 600;
/// A word that more texts have finds none of them: all other words of the text are rarer.
const COMMON: usize = 2000;

/// Texts with their translations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Memory {
    /// By language and text, the texts of other languages.
    units: BTreeMap<(String, String), BTreeMap<String, String>>,
}

/// A text that is like another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Similar {
    /// How much of it is the same, of 100.
    pub percent: u8,
    /// The text.
    pub source: String,
    /// Its translation.
    pub target: String,
}

impl Memory {
    /// The memory of a site; empty if it has none. The error has the line at which the file is broken.
    pub fn load(root: &FileSet) -> Result<Memory, Problem> {
        let path = root.join(FILE);
        if !root.exists(&path) {
            return Ok(Memory::default());
        }
        let bytes = root.read_bytes(&path, 1 << 30)?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let message = format!("byte {} is not UTF-8", error.utf8_error().valid_up_to());
            broken(&Source::new(FILE.to_owned(), String::new()), message, 0)
        })?;
        Memory::read(&Source::new(FILE.to_owned(), text))
    }

    /// Reads a file.
    pub fn read(source: &Source) -> Result<Memory, Problem> {
        if let Some((at, what)) = excess_of_xml(&source.text) {
            return Err(broken(source, what, at));
        }
        let options = ParsingOptions {
            allow_dtd: true,
            ..ParsingOptions::default()
        };
        let document = Document::parse_with_options(&source.text, options).map_err(|error| {
            let line = source
                .text
                .split_inclusive('\n')
                .take(error.pos().row.saturating_sub(1) as usize);
            broken(
                source,
                format!("this is not well-formed XML: {error}"),
                line.map(str::len).sum(),
            )
        })?;
        let root = document.root_element();
        if root.tag_name().name() != "tmx" {
            return Err(broken(
                source,
                "this is not TMX".to_owned(),
                root.range().start,
            ));
        }
        let mut memory = Memory::default();
        let body = root.children().find(|child| child.has_tag_name("body"));
        for unit in body
            .into_iter()
            .flat_map(|body| body.children())
            .filter(|child| child.has_tag_name("tu"))
        {
            let mut texts: Vec<(String, String)> = Vec::new();
            for variant in unit.children().filter(|child| child.has_tag_name("tuv")) {
                let xml = "http://www.w3.org/XML/1998/namespace";
                let language = variant
                    .attribute((xml, "lang"))
                    .or_else(|| variant.attribute("lang"));
                let Some(language) = language else {
                    return Err(broken(
                        source,
                        "a `<tuv>` has no `xml:lang`".to_owned(),
                        variant.range().start,
                    ));
                };
                let Some(text) = variant.children().find(|child| child.has_tag_name("seg")) else {
                    return Err(broken(
                        source,
                        "a `<tuv>` has no `<seg>`".to_owned(),
                        variant.range().start,
                    ));
                };
                texts.push((language.to_owned(), text_of(text)));
            }
            // The language of the source is named, or that of the first text.
            let named = unit
                .attribute("srclang")
                .and_then(|code| texts.iter().position(|(own, _)| own == code));
            if texts.len() > 1 {
                let from = texts.remove(named.unwrap_or(0));
                memory.units.entry(from).or_default().extend(texts);
            }
        }
        Ok(memory)
    }

    /// The same with the codes of languages as the site writes them: tools write `EN` and `es-ES` for `en` and `es`. Other
    /// languages stay as they are.
    #[must_use]
    pub fn in_codes_of<'a>(self, code: impl Fn(&str) -> Option<&'a str>) -> Memory {
        let own = |written: String| code(&written).map_or(written.clone(), str::to_owned);
        let mut memory = Memory::default();
        for ((from, source), others) in self.units {
            let unit = memory.units.entry((own(from), source)).or_default();
            unit.extend(others.into_iter().map(|(to, target)| (own(to), target)));
        }
        memory
    }

    /// Adds a translation, in place of the one before.
    pub fn add(&mut self, from: &str, source: &str, to: &str, target: &str) {
        let unit = self
            .units
            .entry((from.to_owned(), source.to_owned()))
            .or_default();
        unit.insert(to.to_owned(), target.to_owned());
    }

    /// The translation of a text.
    pub fn exact(&self, from: &str, source: &str, to: &str) -> Option<&str> {
        self.units
            .get(&(from.to_owned(), source.to_owned()))?
            .get(to)
            .map(String::as_str)
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// The text of the file.
    pub fn write(&self) -> String {
        let mut text = HEAD.to_owned();
        for ((from, source), others) in &self.units {
            let _ = writeln!(text, "<tu srclang=\"{}\">", escaped(from));
            let first = std::iter::once((from, source));
            for (language, one) in first.chain(others) {
                let _ = writeln!(
                    text,
                    "<tuv xml:lang=\"{}\"><seg>{}</seg></tuv>",
                    escaped(language),
                    escaped(one)
                );
            }
            text.push_str("</tu>\n");
        }
        text + END
    }

    /// An index for texts that are alike.
    pub fn index(&self, from: &str, to: &str) -> Index<'_> {
        let mut index = Index {
            texts: Vec::new(),
            by_word: HashMap::new(),
        };
        let of_language = self.units.range((from.to_owned(), String::new())..);
        for ((_, source), others) in of_language.take_while(|((language, _), _)| language == from) {
            let Some(target) = others.get(to) else {
                continue;
            };
            let number = u32::try_from(index.texts.len()).unwrap_or(u32::MAX);
            let words = words(source);
            for word in &words {
                index.by_word.entry(word.clone()).or_default().push(number);
            }
            index.texts.push((source, target, words.len()));
        }
        index
    }
}

/// The texts of one language that have a translation in another, by their words.
pub struct Index<'a> {
    texts: Vec<(&'a str, &'a str, usize)>,
    by_word: HashMap<String, Vec<u32>>,
}

impl Index<'_> {
    /// The texts of which at least a part of 100 is that of a text, the nearest first.
    pub fn similar(&self, text: &str, least: u8) -> Vec<Similar> {
        let words = words(text);
        let mut shared: HashMap<u32, usize> = HashMap::new();
        for list in words
            .iter()
            .filter_map(|word| self.by_word.get(word))
            .filter(|list| list.len() <= COMMON)
        {
            list.iter()
                .for_each(|number| *shared.entry(*number).or_default() += 1);
        }
        let mut ranked: Vec<(usize, u32)> = shared
            .into_iter()
            .map(|(number, count)| {
                (
                    2000 * count / (words.len() + self.texts[number as usize].2).max(1),
                    number,
                )
            })
            .collect();
        ranked.sort_by_key(|(score, number)| (std::cmp::Reverse(*score), *number));
        let mut found = Vec::new();
        for (score, number) in ranked.into_iter().take(CANDIDATES) {
            let (source, target, _) = self.texts[number as usize];
            let is_long = source.len().max(text.len()) > LETTERS;
            let percent = if is_long {
                f64::from(u8::try_from((score / 20).min(99)).unwrap_or(99))
            } else {
                100.0 * strsim::normalized_levenshtein(source, text)
            };
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a part of 100"
            )]
            let percent = percent.min(100.0) as u8;
            if percent >= least && source != text {
                found.push(Similar {
                    percent,
                    source: source.to_owned(),
                    target: target.to_owned(),
                });
            }
        }
        found.sort_by(|a, b| {
            b.percent
                .cmp(&a.percent)
                .then_with(|| a.source.cmp(&b.source))
        });
        found.truncate(3);
        found
    }
}

/// The words of a text; single characters where there are no spaces between words.
fn words(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for word in text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        if word.chars().any(|c| c >= '\u{2e80}') {
            words.extend(word.chars().map(String::from));
        } else {
            words.insert(word.to_lowercase());
        }
    }
    words
}

/// The text of a segment, with that of the codes of other tools in it.
fn text_of(node: Node) -> String {
    node.descendants()
        .filter(Node::is_text)
        .filter_map(|text| text.text())
        .collect()
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\r' => escaped.push_str("&#13;"),
            // XML has no other control characters, and a text needs none.
            c if c < ' ' && c != '\n' && c != '\t' => {}
            c => escaped.push(c),
        }
    }
    escaped
}

fn broken(source: &Source, message: String, at: usize) -> Problem {
    let end = source.text[at.min(source.text.len())..]
        .find('\n')
        .map_or(source.text.len(), |end| at + end);
    let place = source.place(Span::new(
        at.min(source.text.len()),
        end.min(source.text.len()),
    ));
    let hint = "correct the line, or restore the file from the last commit: `git checkout content/translations/memory.tmx`";
    Problem::error(Code::TranslationMemory, message)
        .at(place)
        .hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new(FILE.to_owned(), text.to_owned())
    }

    fn memory() -> Memory {
        let mut memory = Memory::default();
        memory.add(
            "en",
            "We open at <b>8</b> & close at 5.",
            "de",
            "Wir öffnen um 8.",
        );
        memory.add(
            "en",
            "A crown covers a tooth that has broken.",
            "de",
            "Eine Krone bedeckt einen Zahn.",
        );
        memory.add(
            "en",
            "A crown covers a tooth that has broken.",
            "es",
            "Una corona cubre un diente.",
        );
        memory
    }

    #[test]
    fn what_is_written_is_read_again_in_order() {
        let memory = memory();
        let text = memory.write();
        assert_eq!(Memory::read(&source(&text)).expect("TMX"), memory);
        assert!(text.find("A crown") < text.find("We open"), "{text}");
        assert_eq!(
            memory.exact("en", "We open at <b>8</b> & close at 5.", "de"),
            Some("Wir öffnen um 8.")
        );
        assert_eq!(memory.exact("de", "Wir öffnen um 8.", "en"), None);
    }

    #[test]
    fn texts_that_are_alike_are_found_the_nearest_first() {
        let memory = memory();
        let index = memory.index("en", "de");
        let found = index.similar("A crown covers a tooth that is broken.", 75);
        assert_eq!(found.len(), 1);
        assert!((90..100).contains(&found[0].percent), "{found:?}");
        assert!(
            index
                .similar("Something else entirely about teeth.", 75)
                .is_empty()
        );
        assert!(
            memory
                .index("en", "fr")
                .similar("A crown covers a tooth that is broken.", 75)
                .is_empty()
        );
    }

    #[test]
    fn a_memory_of_another_tool_is_read() {
        let text = "<?xml version=\"1.0\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx version=\"1.4\" xmlns:x=\"urn:x\"><header x:a=\"1\" srclang=\"en\"/>\
                    <body><tu x:id=\"1\"><prop type=\"x\">y</prop><tuv xml:lang=\"en\"><seg>See <bpt i=\"1\">[</bpt>us<ept i=\"1\">](page:a)</ept></seg></tuv>\
                    <tuv lang=\"de\"><seg>Zu uns</seg></tuv></tu></body></tmx>";
        let memory = Memory::read(&source(text)).expect("TMX");
        assert_eq!(memory.exact("en", "See [us](page:a)", "de"), Some("Zu uns"));
        // Tools write regions and capitals.
        let codes = text
            .replace("\"en\"", "\"EN-US\"")
            .replace("\"de\"", "\"de-DE\"");
        let memory = Memory::read(&source(&codes)).expect("TMX");
        let memory = memory.in_codes_of(|code| match code {
            "EN-US" => Some("en"),
            "de-DE" => Some("de"),
            _ => None,
        });
        assert_eq!(memory.exact("en", "See [us](page:a)", "de"), Some("Zu uns"));
    }

    #[test]
    fn a_broken_memory_is_an_error_at_its_line() {
        for (text, line) in [
            ("<tmx>\n<body>\n<tu>\n</body>\n</tmx>\n", 4),
            (
                "<tmx>\n<body>\n<tu>\n<tuv><seg>x</seg></tuv></tu>\n</body>\n</tmx>\n",
                4,
            ),
            ("<html/>", 1),
            ("", 1),
        ] {
            let problem = Memory::read(&source(text)).expect_err("it is broken");
            assert_eq!(
                problem
                    .place
                    .and_then(|place| place.range)
                    .map(|range| range.start.line),
                Some(line),
                "{text}"
            );
        }
    }
}
