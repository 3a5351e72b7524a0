//! A section's fields as the tree that its template receives, with links, Markdown and pictures as typed leaves.
//!
//! The tree is made by serializing the section's struct, in which those types mark themselves
//! ([`crate::content_types`]). One walk then fills placeholders, renders Markdown and checks pictures, for every kind
//! of section at once.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use crate::config::Config;
use crate::content::images::{ImageFile, ImageKind, Images};
use crate::content::markdown::{self, Rules};
use crate::content::placeholders;
use crate::content::rich::{Piece, Rich, Target};
use crate::content::sections::{Section, picture_widths};
use crate::content_types::{IMAGE, Image, LINK, MARKDOWN};
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span, did_you_mean};

use super::pages::RESERVED;

/// One value of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// An optional field that was left out.
    None,
    /// `true` or `false`.
    Bool(bool),
    /// Text, to be escaped.
    Text(String),
    /// Rendered Markdown.
    Rich(Rich),
    /// A link.
    Link(Target),
    /// A picture.
    Image(Picture),
    /// A list.
    List(Vec<Field>),
    /// Named values.
    Map(Vec<(String, Field)>),
}

/// A picture that a page uses.
#[derive(Debug, Clone)]
pub struct UsedImage {
    /// The file.
    pub file: ImageFile,
    /// The widths that its places on pages ask for, in CSS pixels.
    pub widths: BTreeSet<u32>,
    /// The first place that names it, for problems found later.
    pub place: Place,
}

/// A picture and what it shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Path below `content/images/`.
    pub src: String,
    /// What it shows; empty when it is decorative.
    pub alt: String,
}

impl Field {
    /// A named value of a map.
    pub fn get(&self, name: &str) -> Option<&Field> {
        match self {
            Field::Map(entries) => entries.iter().find(|(key, _)| key == name).map(|(_, field)| field),
            _ => None,
        }
    }

    /// Calls `visit` for each link, also those inside rendered Markdown.
    pub fn links<'a>(&'a self, visit: &mut dyn FnMut(&'a Target)) {
        match self {
            Field::Link(target) => visit(target),
            Field::Rich(rich) => rich.pieces.iter().for_each(|piece| {
                if let Piece::Link(target) = piece {
                    visit(target);
                }
            }),
            Field::List(items) => items.iter().for_each(|item| item.links(visit)),
            Field::Map(entries) => entries.iter().for_each(|(_, field)| field.links(visit)),
            _ => {}
        }
    }

    /// Calls `visit` for each picture.
    pub fn pictures<'a>(&'a self, visit: &mut dyn FnMut(&'a Picture)) {
        match self {
            Field::Image(picture) => visit(picture),
            Field::List(items) => items.iter().for_each(|item| item.pictures(visit)),
            Field::Map(entries) => entries.iter().for_each(|(_, field)| field.pictures(visit)),
            _ => {}
        }
    }

    /// Calls `visit` for each anchor that rendered Markdown gives.
    pub fn anchors<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        match self {
            Field::Rich(rich) => rich.anchors.iter().for_each(|anchor| visit(anchor)),
            Field::List(items) => items.iter().for_each(|item| item.anchors(visit)),
            Field::Map(entries) => entries.iter().for_each(|(_, field)| field.anchors(visit)),
            _ => {}
        }
    }
}

/// The width, in pixels, at which networks show a shared picture sharp.
const SHARED_WIDTH: u32 = 1200;

/// What the walk needs to know.
pub(super) struct Walk<'a> {
    pub config: &'a Config,
    pub source: &'a Source,
    pub images: &'a Images,
    pub widths: &'static [u32],
    pub used: &'a mut BTreeMap<String, UsedImage>,
    /// Ids that the page has so far: no heading may have one again.
    pub taken: Vec<String>,
    pub problems: &'a mut Problems,
}

impl<'a> Walk<'a> {
    /// A walk through the texts of one file.
    pub fn new(
        config: &'a Config,
        source: &'a Source,
        images: &'a Images,
        used: &'a mut BTreeMap<String, UsedImage>,
        problems: &'a mut Problems,
    ) -> Walk<'a> {
        let taken = RESERVED.iter().copied().map(str::to_owned).collect();
        Walk { config, source, images, widths: &[], used, taken, problems }
    }

    /// The tree of a section.
    pub fn section(&mut self, section: &Section) -> Field {
        self.widths = picture_widths(section.kind);
        self.tree(&section.body)
    }

    /// The tree of anything that content is read into.
    pub fn tree(&mut self, content: &impl Serialize) -> Field {
        // These are structs of text, flags and lists: they always serialize.
        self.walk(serde_json::to_value(content).unwrap_or(Value::Null))
    }

    /// A picture of its own, outside a tree.
    pub fn picture(&mut self, image: &Image) -> Option<Picture> {
        match self.tree(image) {
            Field::Image(picture) => Some(picture),
            _ => None,
        }
    }

    /// Has a picture published in the widths of this walk. `place` is asked once for each picture.
    pub fn use_picture(&mut self, src: &str, place: impl FnOnce() -> Place) {
        if let Some(Some(file)) = self.images.0.get(src) {
            let fresh = || UsedImage { file: file.clone(), widths: BTreeSet::new(), place: place() };
            self.used.entry(src.to_owned()).or_insert_with(fresh).widths.extend(self.widths);
        }
    }

    /// The picture that stands for the page elsewhere: networks show pixels only.
    pub fn shared_picture(&mut self, image: &Image) -> Option<Picture> {
        self.widths = &[SHARED_WIDTH];
        let Field::Image(picture) = self.walk(serde_json::to_value(image).unwrap_or(Value::Null)) else { return None };
        let is_drawn = self.used.get(&picture.src).is_some_and(|used| matches!(used.file.kind, ImageKind::Vector(_)));
        if is_drawn {
            let problem = Problem::error(Code::BadImage, "a picture for sharing is a photograph, and this is an SVG");
            let problem = problem.at(self.source.place(image.src.span));
            self.problems.push(problem.hint("name a JPEG, PNG or WebP, or leave `image` away for a drawn card"));
        }
        (!is_drawn).then_some(picture)
    }

    fn walk(&mut self, value: Value) -> Field {
        match value {
            Value::Null => Field::None,
            Value::Bool(value) => Field::Bool(value),
            Value::Number(number) => Field::Text(number.to_string()),
            Value::String(text) => Field::Text(self.text(&text)),
            Value::Array(items) => Field::List(items.into_iter().map(|item| self.walk(item)).collect()),
            Value::Object(map) => {
                let first = map.iter().next().map(|(key, value)| (key.as_str(), value));
                match first {
                    Some((LINK, value)) => Field::Link(self.link(value)),
                    Some((MARKDOWN, value)) => Field::Rich(self.markdown(value)),
                    Some((IMAGE, value)) => self.image(value),
                    _ => Field::Map(map.into_iter().map(|(key, value)| (key, self.walk(value))).collect()),
                }
            }
        }
    }

    /// A text with its placeholders filled in.
    pub fn text(&mut self, text: &str) -> String {
        let whole = Span::new(0, self.source.text.len());
        self.check_placeholders(text, whole);
        placeholders::fill(text, self.config)
    }

    fn check_placeholders(&mut self, text: &str, within: Span) {
        let source = self.source;
        placeholders::check(text, self.config, &|written| source.place(source.locate(within, written)), self.problems);
    }

    fn link(&mut self, value: &Value) -> Target {
        let (text, span) = spanned(value);
        self.check_placeholders(text, span);
        Target { to: placeholders::fill(text, self.config), span }
    }

    fn markdown(&mut self, value: &Value) -> Rich {
        let (text, span) = spanned(value);
        // Only the renderer knows what is code, where braces are just braces.
        let filled = std::cell::RefCell::new(Vec::new());
        let fill = |text: &str| {
            filled.borrow_mut().push(text.to_owned());
            placeholders::fill(text, self.config)
        };
        let source = self.source;
        let locate = |target: &str, _| source.locate(span, target);
        let rules = Rules { article: false, taken: &self.taken, fill: &fill, locate: &locate };
        let mut rich = markdown::render(text, rules);
        for text in filled.into_inner() {
            self.check_placeholders(&text, span);
        }
        self.taken.extend(rich.anchors.iter().cloned());
        // Nothing says how large a picture would be shown here.
        rich.pieces.retain(|piece| {
            if let Piece::Picture(picture) = piece {
                let problem = Problem::error(Code::BadImage, "running text takes no picture");
                self.problems.push(
                    problem.at(source.place(picture.span)).hint("use a section with a picture, such as `kind: photo`"),
                );
            }
            !matches!(piece, Piece::Picture(_))
        });
        rich
    }

    fn image(&mut self, value: &Value) -> Field {
        let written = value[0].as_str().unwrap_or_default();
        // A picture beside the page comes before one of that name in `content/images/`.
        let beside = self
            .source
            .path
            .strip_prefix("content/")
            .and_then(|path| path.rsplit_once('/'))
            .map(|(folder, _)| format!("{folder}/{written}"));
        let src = beside.filter(|beside| self.images.0.contains_key(beside)).unwrap_or_else(|| written.to_owned());
        let span: Span = serde_json::from_value(value[1].clone()).unwrap_or_default();
        let alt = value[2].as_str().map(str::trim).filter(|alt| !alt.is_empty());
        let decorative = value[3].as_bool().unwrap_or(false);
        let place = self.source.place(span);
        if !self.images.0.contains_key(&src) {
            let message = format!("there is no picture `{src}` in `content/images/`, nor beside this page");
            let near = did_you_mean(&src, self.images.0.keys().map(String::as_str));
            self.problems.push(Problem::error(Code::MissingImage, message).at(place.clone()).maybe_hint(near));
        }
        self.use_picture(&src, || place.clone());
        let alt_problem = match (alt, decorative) {
            (None, false) => Some((
                "the picture does not say what it shows",
                "add `alt: …`, or `decorative: true` if it adds nothing to the text",
            )),
            (Some(_), true) => Some(("the picture has `alt` and is `decorative`", "remove one of the two")),
            _ => None,
        };
        if let Some((message, hint)) = alt_problem {
            self.problems.push(Problem::error(Code::MissingAlt, message).at(place).hint(hint));
        }
        let alt = self.text(alt.unwrap_or_default());
        Field::Image(Picture { src, alt })
    }
}

/// The text and span of a serialized `Spanned<String>`.
fn spanned(value: &Value) -> (&str, Span) {
    let span = serde_json::from_value(value["span"].clone()).unwrap_or_default();
    (value["value"].as_str().unwrap_or_default(), span)
}
