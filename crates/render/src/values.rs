//! Fields as template values: links with their addresses, rich text as HTML, pictures with their files. Every file that
//! makes a part of a page's context uses it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use minijinja::value::{Enumerator, Object, Serde};
use minijinja::{Error, Value};

use api_types::html::escape;
use assets::Manifest;
use config::SiteSettings;
use content::images::ImageKind;
use diagnostics::marks::{characters, without};
use languages::locale::Word;
use schema::types::{Callout, Focus, Typed};
use site::model::fields::Picture;
use site::model::{Field, Page, Rich, Site};
use site::routes::{Href, Routes};
use text::rich::{InlinePicture, Piece};

use super::entries::{self, EntryViews};
use super::post_views::PostViews;
use super::typed;

/// Converts fields to template values, for one page.
pub(super) struct Values<'a> {
    pub settings: &'a SiteSettings,
    pub site: &'a Site,
    pub routes: &'a Routes,
    pub manifest: &'a Manifest,
    pub shared: &'a PostViews,
    pub entries: Weak<EntryViews>,
    pub locale: usize,
    pub page: &'a Page,
}

impl Values<'_> {
    /// Resolves a link. The plan stage has checked all links, so none is dead here.
    pub fn link(&self, to: &str) -> Href {
        self.routes
            .resolve(self.site, to, self.locale, Some(self.page))
            .unwrap_or_else(|_| Href::as_written(to))
    }

    pub fn field(&self, field: &Field) -> Value {
        match field {
            Field::None => Value::from(()),
            Field::Bool(value) => Value::from(*value),
            Field::Number(number) => Value::from(*number),
            Field::Text(text) => Value::from(text.as_str()),
            Field::Rich(rich) => Value::from_safe_string(self.html(rich)),
            Field::Link(target) => Value::from(Serde(self.link(&target.to))),
            Field::Image(picture) => self.picture(picture),
            Field::Typed(value) => match &**value {
                Typed::Reference(reference) => {
                    entries::referenced(&self.entries, self.site, self.locale, reference)
                }
                value => typed::value(self.settings, self.site, self.locale, value),
            },
            Field::List(items) => {
                let there = items.iter().filter(|item| !self.is_gone(item));
                there
                    .map(|item| self.field(item))
                    .collect::<Vec<_>>()
                    .into()
            }
            Field::Map(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, field)| (key.clone(), self.field(field)));
                let entries: BTreeMap<String, Value> = entries.collect();
                if self.settings.marks.is_some() {
                    Value::from_object(Unmarked(entries))
                } else {
                    entries.into()
                }
            }
        }
    }

    /// Whether this is a reference to an entry that the language leaves out.
    fn is_gone(&self, field: &Field) -> bool {
        let Field::Typed(typed) = field else {
            return false;
        };
        let Typed::Reference(reference) = &**typed else {
            return false;
        };
        let id = self.site.collections.find(&reference.to, &reference.key);
        id.and_then(|id| self.site.collections.text(id, self.locale))
            .is_none()
    }

    pub fn html(&self, rich: &Rich) -> String {
        rich.pieces.iter().map(|piece| self.piece(piece)).collect()
    }

    /// The HTML of a piece of rich text, with the attributes of its link, or its picture, filled in.
    pub fn piece<'p>(&self, piece: &'p Piece) -> Cow<'p, str> {
        match piece {
            Piece::Html(text) => text.as_str().into(),
            Piece::Link(target) => attributes(&self.link(&target.to)).into(),
            Piece::Picture(picture) => self.inline_picture(picture).into(),
            Piece::Word(callout) => {
                let locale = |index: usize| &self.site.locales[index];
                let word = match callout {
                    Callout::Note => Word::CalloutNote,
                    Callout::Tip => Word::CalloutTip,
                    Callout::Important => Word::CalloutImportant,
                    Callout::Warning => Word::CalloutWarning,
                    Callout::Caution => Word::CalloutCaution,
                };
                let word = locale(self.locale).own_word(word, locale(0));
                escape(word.unwrap_or(callout.name())).into()
            }
            // Templates write it.
            Piece::Part(..) => "".into(),
            Piece::Media(attribute, target) => format!(
                " {}=\"{}\"",
                attribute.name(),
                escape(&self.link(&target.to).href)
            )
            .into(),
        }
    }

    /// A picture in rich text, with its size, so that the layout does not shift, and with lazy loading.
    fn inline_picture(&self, picture: &InlinePicture) -> String {
        let (width, height) = self
            .site
            .images
            .get(&picture.src)
            .map_or((0, 0), |used| (used.file.width, used.file.height));
        let prepared = self
            .manifest
            .images
            .get(&picture.src)
            .cloned()
            .unwrap_or_default();
        let sources = prepared
            .sources
            .iter()
            .map(|(mime, srcset)| {
                format!("<source type=\"{mime}\" srcset=\"{srcset}\" sizes=\"(min-width: 768px) 736px, 100vw\">")
            })
            .collect::<Vec<_>>()
            .concat();
        let class = prepared
            .tint
            .map(|tint| format!(" class=\"{tint}\""))
            .unwrap_or_default();
        format!(
            "<picture>{sources}<img src=\"{}\" alt=\"{}\" width=\"{width}\" height=\"{height}\" loading=\"lazy\" decoding=\"async\"{class}></picture>",
            prepared.src,
            escape(&picture.alt)
        )
    }

    pub fn picture(&self, picture: &Picture) -> Value {
        let file = self.site.images.get(&picture.src).map(|image| &image.file);
        let prepared = self
            .manifest
            .images
            .get(&picture.src)
            .cloned()
            .unwrap_or_default();
        let svg = file.and_then(|file| match &file.kind {
            ImageKind::Vector {
                inline: Some(svg), ..
            } => Some(Value::from_safe_string(with_role(svg, picture))),
            ImageKind::Vector { inline: None, .. }
            | ImageKind::Template(_)
            | ImageKind::Raster(_) => None,
        });
        Value::from(BTreeMap::from([
            ("src", Value::from(prepared.src + &mark(picture))),
            ("alt", Value::from(picture.alt.as_str())),
            ("width", Value::from(file.map_or(0, |file| file.width))),
            ("height", Value::from(file.map_or(0, |file| file.height))),
            (
                "sources",
                Value::from(
                    prepared
                        .sources
                        .iter()
                        .map(|(mime, srcset)| {
                            Value::from(BTreeMap::from([
                                ("type", Value::from(*mime)),
                                ("srcset", Value::from(srcset.as_str())),
                            ]))
                        })
                        .collect::<Vec<_>>(),
                ),
            ),
            (
                "classes",
                classes(prepared.tint.as_deref(), picture.focus)
                    .map_or_else(|| Value::from(()), Value::from),
            ),
            ("svg", svg.unwrap_or_else(|| Value::from(()))),
        ]))
    }
}

/// Named values that are also found by a name with a mark: a template may look up a value by a text that it shows.
#[derive(Debug)]
struct Unmarked(BTreeMap<String, Value>);

impl Object for Unmarked {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.0.get(&without(key.as_str()?)).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.0.keys().map(|key| Value::from(key.as_str())).collect())
    }
}

/// The template filter `for_island`: a picture as the component `Picture` of islands takes it, without files that are wider than
/// a number of pixels.
pub(super) fn picture_for_island(picture: &Value, width: u32) -> Result<Value, Error> {
    let mut sources = Vec::new();
    for source in picture.get_attr("sources")?.try_iter()? {
        let srcset = source.get_attr("srcset")?.to_string();
        let srcset = srcset
            .split(", ")
            .filter(|part| {
                let own = part
                    .rsplit_once(' ')
                    .and_then(|(_, own)| own.strip_suffix('w')?.parse::<u32>().ok());
                own.is_none_or(|own| own <= width)
            })
            .collect::<Vec<_>>()
            .join(", ");
        if !srcset.is_empty() {
            sources.push(Value::from(BTreeMap::from([
                ("mime", source.get_attr("type")?),
                ("srcset", Value::from(srcset)),
            ])));
        }
    }
    let mut shown: BTreeMap<&str, Value> = BTreeMap::from([("sources", Value::from(sources))]);
    for name in ["src", "alt", "width", "height", "classes"] {
        shown.insert(name, picture.get_attr(name)?);
    }
    Ok(Value::from(shown))
}

/// The CSS classes of a photograph: the color until it has loaded, and the point that stays in sight where it is cropped.
pub(super) fn classes(tint: Option<&str>, focus: Option<Focus>) -> Option<String> {
    let classes: Vec<String> = tint
        .map(str::to_owned)
        .into_iter()
        .chain(focus.map(Focus::class))
        .collect();
    (!classes.is_empty()).then(|| classes.join(" "))
}

/// The mark of the place of a picture; empty in a build.
pub(super) fn mark(picture: &Picture) -> String {
    if picture.mark == 0 {
        String::new()
    } else {
        characters(picture.mark)
    }
}

/// Sets `role="img"` and `aria-label`, or `aria-hidden` for decorative art.
fn with_role(svg: &str, picture: &Picture) -> String {
    let alt = &picture.alt;
    let role = if alt.is_empty() {
        r#" aria-hidden="true" focusable="false""#.to_owned()
    } else {
        format!(r#" role="img" aria-label="{}""#, escape(alt))
    };
    // A comment, because the drawing has no attribute to put the mark into.
    let mark = if picture.mark == 0 {
        String::new()
    } else {
        format!("<!--{}-->", mark(picture))
    };
    svg.replacen("<svg", &format!("{mark}<svg{role}"), 1)
}

/// The attributes of a link in rich text.
fn attributes(link: &Href) -> String {
    let hreflang = link
        .hreflang
        .as_ref()
        .map(|language| format!(" hreflang=\"{language}\""))
        .unwrap_or_default();
    let external = if link.external {
        " rel=\"external noopener\""
    } else {
        ""
    };
    format!(" href=\"{}\"{hreflang}{external}", escape(&link.href))
}
