//! The texts of a file of content, each with where it is written and which section of a page it belongs to.

use std::path::Path;
use std::sync::Arc;

use diagnostics::problem::{Source, Span};
use diagnostics::yaml::{self, Node, Value, Written};
use generator::config::SiteSettings;
use generator::content::typography::{MACHINE_KEYS, parts_of_post};
use generator::files::FileSet;

use super::letters::Letters;

/// One text.
#[derive(Debug)]
pub(super) struct Text {
    pub letters: Letters,
    /// Its keys from the root of the file, `hero.title` as two; items of lists are counted from 1. Empty for the body of
    /// a post.
    pub path: Vec<String>,
    pub role: Role,
    /// The language that one of its keys names.
    pub locale: Option<String>,
    /// Where it begins in the file.
    pub place: usize,
}

/// What a text is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    /// It is shown.
    Shown,
    /// A program reads it, such as an address or a date.
    Machine(String),
    /// It is the name of a key, which the style guide shows.
    Key,
    /// It is the path of a picture in Markdown.
    Picture(String),
}

/// A file with its texts.
#[derive(Debug)]
pub(super) struct FileTexts {
    pub source: Arc<Source>,
    pub texts: Vec<Text>,
    /// The language of the file; `None` if it is for all languages.
    pub locale: Option<String>,
    /// The names of the sections in their order, if the file says them.
    pub sections: Option<Vec<String>>,
}

struct Reader<'a> {
    source: &'a Source,
    settings: &'a SiteSettings,
    texts: Vec<Text>,
    path: Vec<String>,
    locale: Option<String>,
}

/// Reads the texts of a file below the folder of the site. `None` if it cannot be read, which the build reports.
pub(super) fn read(root: &FileSet, path: &Path, settings: &SiteSettings) -> Option<FileTexts> {
    of(root.read_text(path).ok()?, settings)
}

/// The texts of a file. `None` if its syntax is wrong.
pub(super) fn of(source: Arc<Source>, settings: &SiteSettings) -> Option<FileTexts> {
    let codes = || settings.locales.iter().map(|code| code.value.as_str());
    let locale = source.path.split(['/', '.']).find(|part| codes().any(|code| code == *part)).map(str::to_owned);
    let mut reader = Reader { source: &source, settings, texts: Vec::new(), path: Vec::new(), locale: None };
    let mut sections = None;
    if source.path.ends_with(".md") {
        let (front, body) = parts_of_post(&source.text);
        if !front.is_empty() {
            reader.walk(&yaml::parse(&source, front).ok()?);
        }
        reader.markdown(&source.text[body.clone()], &|at| body.start + at, None);
    } else {
        let root = yaml::parse(&source, 0..source.text.len()).ok()?;
        sections = root.get("sections").and_then(names);
        reader.walk(&root);
    }
    let texts = reader.texts;
    Some(FileTexts { source, texts, locale, sections })
}

/// The names of sections: the keys of a block, or a list of names.
fn names(node: &Node) -> Option<Vec<String>> {
    match &node.value {
        Value::Map(entries) => Some(entries.iter().map(|(key, _)| key.name.clone()).collect()),
        Value::List(items) => items.iter().map(|item| item.as_text().map(str::to_owned)).collect(),
        _ => None,
    }
}

impl Reader<'_> {
    fn walk(&mut self, node: &Node) {
        match &node.value {
            Value::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.path.push((at + 1).to_string());
                    self.walk(item);
                    self.path.pop();
                }
            }
            Value::Map(entries) => {
                let is_code = |name: &str| self.settings.locales.iter().any(|code| code.value == name);
                let is_localized = !entries.is_empty() && entries.iter().all(|(key, _)| is_code(&key.name));
                for (key, value) in entries {
                    let outer = self.locale.clone();
                    if is_localized {
                        self.locale = Some(key.name.clone());
                    }
                    let depth = self.path.len();
                    self.path.extend(key.name.split('.').map(str::to_owned));
                    let letters = self.plain(&key.name, &|at| key.span.start as usize + at);
                    self.push(letters, Role::Key, key.span);
                    self.walk(value);
                    self.path.truncate(depth);
                    self.locale = outer;
                }
            }
            Value::Text(text) => self.text(node, text),
            Value::Int(number) => self.number(node, &number.to_string()),
            Value::Float(number) => self.number(node, &number.to_string()),
            Value::Bool(_) | Value::Null => {}
        }
    }

    fn number(&mut self, node: &Node, number: &str) {
        let letters = self.plain(number, &|_| node.span.start as usize);
        self.push(letters, Role::Shown, node.span);
    }

    fn text(&mut self, node: &Node, text: &str) {
        let written = Written::of(self.source, node);
        let start = node.span.start as usize;
        let place = |at: usize| written.as_ref().map_or(start, |written| written.span(at..at + 1).start as usize);
        let text = written.as_ref().map_or(text, |written| written.text.as_str());
        let is_machine = self.path.last().is_some_and(|key| MACHINE_KEYS.contains(&key.as_str()));
        let role = if is_machine { Role::Machine(text.to_owned()) } else { Role::Shown };
        let letters = self.plain(text, &place);
        // What looks like Markdown may be a text that is shown as it is, so both readings count.
        if !is_machine && text.contains(['*', '_', '`', '[', '<', '|', '#', '\n']) {
            self.markdown(text, &place, Some(&letters));
        }
        self.push(letters, role, node.span);
    }

    /// Adds the parts of a text in Markdown, other than one that is `known`.
    fn markdown(&mut self, text: &str, place: &dyn Fn(usize) -> usize, known: Option<&Letters>) {
        let (found, pictures) = Letters::of_markdown(text, place, self.settings);
        for letters in found.into_iter().filter(|letters| Some(letters) != known) {
            let start = letters.place(0).unwrap_or_default();
            self.push(letters, Role::Shown, Span::new(start, start));
        }
        for picture in pictures {
            let span = Span::new(picture.place, picture.place);
            self.push(Letters::default(), Role::Picture(picture.src), span);
        }
    }

    fn plain(&self, text: &str, place: &dyn Fn(usize) -> usize) -> Letters {
        Letters::of_plain(text, place, self.settings)
    }

    fn push(&mut self, letters: Letters, role: Role, span: Span) {
        let (path, locale) = (self.path.clone(), self.locale.clone());
        self.texts.push(Text { letters, path, role, locale, place: span.start as usize });
    }
}

impl Text {
    /// The index of the section that the text belongs to. `names` are those of the page's sections in their order.
    pub fn section(&self, names: &[String]) -> Option<usize> {
        let position = |name: &String| names.iter().position(|known| known == name);
        let (first, second) = (self.path.first()?, self.path.get(1));
        if first != "sections" {
            return position(first);
        }
        let number = second.and_then(|second| second.parse::<usize>().ok());
        // A number without more is an item of a list of names.
        let item = number.filter(|_| self.path.len() > 2).and_then(|number| number.checked_sub(1));
        item.or_else(|| position(second?))
    }

    /// The path of the picture that it names, as written; for a text that may be one.
    pub fn picture(&self) -> Option<&str> {
        match &self.role {
            Role::Picture(src) => Some(src),
            Role::Machine(text) => Some(text),
            Role::Shown | Role::Key => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(path: &str, text: &str) -> FileTexts {
        let mut settings = SiteSettings::default();
        settings.locales =
            ["en", "es"].map(|code| yaml::Spanned { value: code.to_owned(), span: Span::default() }).into();
        of(Arc::new(Source { path: path.into(), text: text.into() }), &settings).expect("valid")
    }

    #[test]
    fn texts_know_their_sections() {
        let structure = texts("content/pages/a/page.yaml", "sections:\n  hero: {kind: hero}\n  call: {to: page:b}\n");
        let names = structure.sections.expect("names");
        assert_eq!(names, ["hero", "call"]);
        let words = texts("content/pages/a/es.yaml", "title: T\nhero.title: A\ncall:\n  items: [B]\n");
        assert_eq!(words.locale.as_deref(), Some("es"));
        let sections: Vec<_> = words.texts.iter().map(|text| text.section(&names)).collect();
        // Each key is a text, too.
        assert_eq!(sections, [None, None, Some(0), Some(0), Some(1), Some(1), Some(1)]);
        let whole = texts("content/pages/a/en.yaml", "sections:\n  - kind: hero\n    title: A\n  - kind: prose\n");
        assert_eq!(whole.sections, None);
        assert_eq!(whole.texts.last().and_then(|text| text.section(&[])), Some(1));
    }

    #[test]
    fn texts_know_their_languages_and_places() {
        let text = "menu:\n  - {en: Home, es: \"Inicio\"}\n";
        let site = texts("content/site.yaml", text);
        assert_eq!(site.locale, None);
        let spanish = site.texts.iter().find(|text| text.letters.is("inicio")).expect("a text");
        assert_eq!((spanish.locale.as_deref(), spanish.letters.place(0)), (Some("es"), text.find("Inicio")));
    }

    #[test]
    fn pictures_are_found_in_posts() {
        let post = texts("content/blog/en/a.md", "---\nimage: {src: cover.jpg}\n---\nText\n\n![x](plan.png)\n");
        let pictures: Vec<_> = post.texts.iter().filter_map(Text::picture).collect();
        assert_eq!(pictures, ["cover.jpg", "plan.png"]);
    }
}
