//! The fields of a section as a tree for its template, with links, Markdown and pictures as typed leaves.
//!
//! A section is read as JSON, in which these types are marked objects ([`schema::types`]). One walk then fills in placeholders, renders Markdown and checks pictures, for all
//! section kinds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize as _, Serialize};
use serde_json::Value;

use config::SiteSettings;
use content::images::{ImageFile, ImageKind, Images};
use content::origins;
use content::placeholders;
use content::sections::Section;
use diagnostics::marks::{TextOrigin, without};
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span, did_you_mean};
use diagnostics::yaml::Spanned;
use schema::types::{
    Embed, Focus, IMAGE, Image, LABEL, LINK, MARKDOWN, Reference, TOKEN, TYPED, Typed,
};
use text::markdown::{self, Rules};
use text::rich::{InlinePicture, LAYOUT_IDS, Piece, Rich, Target};

/// A node of the tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// A missing optional field.
    None,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Number(i64),
    /// Plain text, which templates escape.
    Text(String),
    /// Rendered Markdown.
    Rich(Rich),
    /// A link.
    Link(Target),
    /// A picture.
    Image(Picture),
    /// A date, a number with a fraction, an address, a reference and the like.
    Typed(Box<Typed>),
    /// A list.
    List(Vec<Field>),
    /// Named values, in order.
    Map(Vec<(String, Field)>),
}

/// A picture that a page uses.
#[derive(Debug, Clone)]
pub struct UsedImage {
    /// The file.
    pub file: ImageFile,
    /// All widths in which pages show it, in CSS pixels.
    pub widths: BTreeSet<u32>,
    /// Its first use, for problems that later stages find.
    pub place: Place,
}

/// A picture with alternative text.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Its key in [`content::Images`].
    pub src: String,
    /// Alternative text; empty for a decorative picture.
    pub alt: String,
    /// The point that stays in sight where it is cropped.
    pub focus: Option<Focus>,
    /// The number of the mark of its place; 0 in a build.
    pub mark: u32,
}

impl Field {
    /// A value of a map by name; `None` for other nodes.
    pub fn get(&self, name: &str) -> Option<&Field> {
        match self {
            Field::Map(entries) => entries
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, field)| field),
            _ => None,
        }
    }

    /// Calls `visit` for each link, including those in rendered Markdown.
    pub fn links<'a>(&'a self, visit: &mut dyn FnMut(&'a Target)) {
        match self {
            Field::Link(target) => visit(target),
            Field::Rich(rich) => rich.pieces.iter().for_each(|piece| {
                if let Piece::Link(target) | Piece::Media(_, target) = piece {
                    visit(target);
                }
            }),
            Field::List(items) => items.iter().for_each(|item| item.links(visit)),
            Field::Map(entries) => entries.iter().for_each(|(_, field)| field.links(visit)),
            _ => {}
        }
    }

    /// Calls `visit` for each rendered Markdown.
    pub fn texts<'a>(&'a self, visit: &mut dyn FnMut(&'a Rich)) {
        match self {
            Field::Rich(rich) => visit(rich),
            Field::List(items) => items.iter().for_each(|item| item.texts(visit)),
            Field::Map(entries) => entries.iter().for_each(|(_, field)| field.texts(visit)),
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

    /// Calls `visit` for each value of a type that is written as text.
    pub fn typed<'a>(&'a self, visit: &mut dyn FnMut(&'a Typed)) {
        match self {
            Field::Typed(typed) => visit(typed),
            Field::List(items) => items.iter().for_each(|item| item.typed(visit)),
            Field::Map(entries) => entries.iter().for_each(|(_, field)| field.typed(visit)),
            _ => {}
        }
    }

    /// Calls `visit` for each reference to an entry.
    pub fn references<'a>(&'a self, visit: &mut dyn FnMut(&'a Reference)) {
        self.typed(&mut |typed| {
            if let Typed::Reference(reference) = typed {
                visit(reference);
            }
        });
    }

    /// Calls `visit` for each frame of another site.
    pub fn embeds<'a>(&'a self, visit: &mut dyn FnMut(&'a Embed)) {
        self.typed(&mut |typed| {
            if let Typed::Embed(embed) = typed {
                visit(embed);
            }
        });
    }

    /// Removes the references that `keep` refuses: from lists, or the value of the field.
    pub(super) fn retain_references(&mut self, keep: &dyn Fn(&Reference) -> bool) {
        let is_refused = |field: &Field| match field {
            Field::Typed(typed) => {
                matches!(&**typed, Typed::Reference(reference) if !keep(reference))
            }
            _ => false,
        };
        match self {
            Field::List(items) => {
                items.retain(|item| !is_refused(item));
                items
                    .iter_mut()
                    .for_each(|item| item.retain_references(keep));
            }
            Field::Map(entries) => entries
                .iter_mut()
                .for_each(|(_, field)| field.retain_references(keep)),
            field if is_refused(field) => *field = Field::None,
            _ => {}
        }
    }

    /// Calls `visit` for each anchor in rendered Markdown.
    pub fn anchors<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        match self {
            Field::Rich(rich) => rich.anchors.iter().for_each(|anchor| visit(anchor)),
            Field::List(items) => items.iter().for_each(|item| item.anchors(visit)),
            Field::Map(entries) => entries.iter().for_each(|(_, field)| field.anchors(visit)),
            _ => {}
        }
    }
}

/// Width of pictures for social networks, in pixels.
const SHARED_WIDTH: u32 = 1200;

/// The state of the walk through the fields of one source file.
pub(super) struct Walk<'a> {
    pub settings: &'a SiteSettings,
    pub source: &'a Arc<Source>,
    pub images: &'a Images,
    pub widths: &'static [u32],
    pub used: &'a mut BTreeMap<String, UsedImage>,
    /// Whether Markdown may contain pictures. In sections their displayed width is unknown.
    pub inline_pictures: bool,
    /// Ids that are taken on the page, so that headings get other ones.
    pub taken: Vec<String>,
    pub problems: &'a mut Problems,
}

impl<'a> Walk<'a> {
    /// Begins a walk through the fields of one file.
    pub fn new(
        settings: &'a SiteSettings,
        source: &'a Arc<Source>,
        images: &'a Images,
        used: &'a mut BTreeMap<String, UsedImage>,
        problems: &'a mut Problems,
    ) -> Walk<'a> {
        let taken = LAYOUT_IDS.map(str::to_owned).into();
        Walk {
            settings,
            source,
            images,
            widths: &[],
            used,
            inline_pictures: false,
            taken,
            problems,
        }
    }

    /// Converts a section.
    pub fn section(&mut self, section: &Section) -> Field {
        self.widths = section.kind.picture_widths;
        self.walk(&section.fields)
    }

    /// Converts any struct of content.
    pub fn tree(&mut self, content: &impl Serialize) -> Field {
        // Serializing plain structs cannot fail.
        self.walk(&serde_json::to_value(content).unwrap_or(Value::Null))
    }

    /// Registers a picture for publishing in the widths of this walk. `place` is called at its first use only.
    pub fn use_picture(&mut self, src: &str, place: impl FnOnce() -> Place) {
        if let Some(file) = self.images.get(src) {
            self.used
                .entry(src.to_owned())
                .or_insert_with(|| UsedImage {
                    file: file.clone(),
                    widths: BTreeSet::new(),
                    place: place(),
                })
                .widths
                .extend(self.widths);
        }
    }

    /// Converts the picture for social networks, and reports an SVG, which they do not show.
    pub fn shared_picture(&mut self, image: &Image) -> Option<Picture> {
        self.widths = &[SHARED_WIDTH];
        let Field::Image(picture) = self.walk(&serde_json::to_value(image).unwrap_or(Value::Null))
        else {
            return None;
        };
        let is_vector = self
            .used
            .get(&picture.src)
            .is_some_and(|used| !matches!(used.file.kind, ImageKind::Raster(_)));
        if is_vector {
            let problem = Problem::error(Code::BadImage, "a sharing image cannot be an SVG");
            let problem = problem.at(self.source.place(image.src.span));
            self.problems.push(
                problem.hint("use a JPEG, PNG or WebP, or remove `image` to get a generated card"),
            );
        }
        (!is_vector).then_some(picture)
    }

    /// Converts content that was serialized.
    pub fn walk(&mut self, value: &Value) -> Field {
        match value {
            Value::Null => Field::None,
            Value::Bool(value) => Field::Bool(*value),
            Value::Number(number) => number
                .as_i64()
                .map_or_else(|| Field::Text(number.to_string()), Field::Number),
            Value::String(text) => Field::Text(self.text(text)),
            Value::Array(items) => Field::List(items.iter().map(|item| self.walk(item)).collect()),
            Value::Object(map) => {
                let first = map.iter().next().map(|(key, value)| (key.as_str(), value));
                match first {
                    Some((LINK, value)) => Field::Link(self.link(value)),
                    Some((MARKDOWN, value)) => Field::Rich(self.markdown(value)),
                    Some((IMAGE, value)) => self.image(value),
                    Some((TYPED, value)) => {
                        // Values are written by the type that reads them.
                        let typed = Typed::deserialize(value);
                        typed.map_or(Field::None, |typed| Field::Typed(Box::new(typed)))
                    }
                    Some((TOKEN, value)) => {
                        Field::Text(value["name"].as_str().unwrap_or_default().to_owned())
                    }
                    Some((LABEL, value)) => {
                        let (text, span) = spanned(value);
                        Field::Text(self.label(&Spanned {
                            value: text.to_owned(),
                            span,
                        }))
                    }
                    _ => Field::Map(
                        map.iter()
                            .map(|(key, value)| (key.clone(), self.walk(value)))
                            .collect(),
                    ),
                }
            }
        }
    }

    /// Fills in the placeholders of a text.
    pub fn text(&mut self, text: &str) -> String {
        let whole = Span::new(0, self.source.text.len());
        self.check_placeholders(text, whole);
        placeholders::fill(text, self.settings)
    }

    /// Fills in the placeholders of a text with a span.
    pub fn label(&mut self, text: &Spanned<String>) -> String {
        let filled = self.text(&text.value);
        origins::marked(self.settings, self.source, text.span, filled)
    }

    /// The number of the mark of a span; 0 if no marks are asked for.
    pub fn mark(&self, span: Span) -> u32 {
        let marks = self.settings.marks.as_ref();
        marks.map_or(0, |marks| {
            marks.number(TextOrigin::Written(Arc::clone(self.source), span))
        })
    }

    fn check_placeholders(&mut self, text: &str, within: Span) {
        let source = self.source;
        placeholders::check(
            text,
            self.settings,
            &|written| source.place(source.locate(within, written)),
            self.problems,
        );
    }

    fn link(&mut self, value: &Value) -> Target {
        let (text, span) = spanned(value);
        self.check_placeholders(text, span);
        let to = placeholders::fill(text, self.settings);
        // A value of the settings may have a mark, which is for texts.
        Target {
            to: if self.settings.marks.is_some() {
                without(&to)
            } else {
                to
            },
            span,
        }
    }

    fn markdown(&mut self, value: &Value) -> Rich {
        let (text, span) = spanned(value);
        // Collect the texts that the renderer fills in: it skips code, where braces are no placeholders.
        let filled = std::cell::RefCell::new(Vec::new());
        let fill = |text: &str| {
            filled.borrow_mut().push(text.to_owned());
            placeholders::fill(text, self.settings)
        };
        let source = self.source;
        let locate = |target: &str, _| source.locate(span, target);
        let origin = origins::of_markdown(self.settings, source, span, text);
        let origin = origin
            .as_ref()
            .map(|origin| origin as &dyn Fn(usize) -> String);
        let rules = Rules {
            article: false,
            taken: &self.taken,
            fill: &fill,
            locate: &locate,
            origin,
        };
        let mut rich = markdown::render(text, rules);
        for text in filled.into_inner() {
            self.check_placeholders(&text, span);
        }
        self.taken.extend(rich.anchors.iter().cloned());
        rich.pieces.retain_mut(|piece| match piece {
            Piece::Picture(picture) => self.inline_picture(picture),
            _ => true,
        });
        rich
    }

    /// Finds a picture in Markdown. Returns whether it stays.
    fn inline_picture(&mut self, picture: &mut InlinePicture) -> bool {
        let place = self.source.place(picture.span);
        if !self.inline_pictures {
            let problem = Problem::error(Code::BadImage, "images are not allowed in running text");
            self.problems.push(
                problem
                    .at(place)
                    .hint("use a section with an image, such as `kind: photo`"),
            );
            return false;
        }
        let Some(src) = self.find_picture(&picture.src) else {
            self.missing_picture(&picture.src, place);
            return false;
        };
        self.use_picture(&src, || place);
        picture.src = src;
        true
    }

    /// The key of a picture: one next to the file takes precedence over one in `content/images/`.
    fn find_picture(&self, written: &str) -> Option<String> {
        self.images.find(&self.source.path, written)
    }

    fn missing_picture(&mut self, src: &str, place: Place) {
        let message =
            format!("there is no image `{src}` in `content/images/` or next to this page");
        let near = did_you_mean(src, self.images.keys());
        self.problems.push(
            Problem::error(Code::MissingImage, message)
                .at(place)
                .maybe_hint(near),
        );
    }

    fn image(&mut self, value: &Value) -> Field {
        let written = value[0].as_str().unwrap_or_default();
        let found = self.find_picture(written);
        let is_missing = found.is_none();
        let src = found.unwrap_or_else(|| written.to_owned());
        let span: Span = serde_json::from_value(value[1].clone()).unwrap_or_default();
        let alt = value[2]
            .as_str()
            .map(str::trim)
            .filter(|alt| !alt.is_empty());
        let decorative = value[3].as_bool().unwrap_or(false);
        let focus = serde_json::from_value(value[4].clone()).unwrap_or_default();
        let place = self.source.place(span);
        if is_missing {
            self.missing_picture(&src, place.clone());
        }
        self.use_picture(&src, || place.clone());
        let alt_problem = match (alt, decorative) {
            (None, false) => Some((
                "the image has no alternative text",
                "add `alt: …`, or `decorative: true` if the image adds nothing to the text",
            )),
            (Some(_), true) => Some((
                "the image has `alt`, but is marked as `decorative`",
                "remove one of the two",
            )),
            _ => None,
        };
        if let Some((message, hint)) = alt_problem {
            self.problems.push(
                Problem::error(Code::MissingAlt, message)
                    .at(place)
                    .hint(hint),
            );
        }
        let alt = self.text(alt.unwrap_or_default());
        let mark = self.mark(span);
        Field::Image(Picture {
            src,
            alt,
            focus,
            mark,
        })
    }
}

/// The text and span of a serialized `Spanned<String>`.
fn spanned(value: &Value) -> (&str, Span) {
    let span = Span::deserialize(&value["span"]).unwrap_or_default();
    (value["value"].as_str().unwrap_or_default(), span)
}
