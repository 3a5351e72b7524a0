//! The template of a drawing: SVG with the values of the page, the design tokens, and a function that breaks text into
//! lines.
//!
//! `{{ fit(page.title, width=900, height=320, sizes=[88, 72, 60], font=tokens.font.display, weight=600) }}` returns
//! `size`, `leading`, `rtl` and `lines`; each line is a list of runs with `text` and the `font` that has its letters.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::value::{Kwargs, Serde};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, Value};

use diagnostics::problem::{Code, Place, Problem, Source, Span};
use site::model::Brand;

use super::fonts::Fonts;
use super::printed::Unprintable;
use super::text::{self, TextBox};
use super::{DrawContext, VERSION};

/// A compiled template, with the hash of the inputs that all its drawings share.
pub(super) struct CompiledDrawing {
    name: String,
    source: Arc<Source>,
    environment: Environment<'static>,
    shared: blake3::Hasher,
}

impl CompiledDrawing {
    pub(super) fn compile(
        name: &str,
        source: &Arc<Source>,
        context: &DrawContext,
    ) -> Result<CompiledDrawing, Problem> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.set_debug(true);
        environment.set_formatter(Unprintable::print);
        let fonts = Arc::clone(&context.fonts);
        environment.add_function("fit", move |words: &str, room: Kwargs| {
            fit(&fonts, words, &room)
        });
        let [color, font] = ["color", "font"].map(|name| {
            context
                .manifest
                .styles
                .tokens(name)
                .collect::<BTreeMap<&str, &str>>()
        });
        let tokens = serde_json::json!({ "color": color, "font": font });
        // Only what stands in pictures: another drawing of the brand does not change them.
        let Brand {
            mark: logo,
            footer,
            call_to_action,
            card,
            ..
        } = context.brand;
        let brand = serde_json::json!({
            "mark": logo, "footer": footer, "call_to_action": call_to_action, "card": card,
        });
        let mark = serde_json::json!(context.mark);
        let look = serde_json::json!(context.manifest.styles.look());
        let mut shared = blake3::Hasher::new();
        let values = [&tokens, &mark, &brand, &look].map(ToString::to_string);
        for part in [VERSION, &source.text]
            .into_iter()
            .chain(values.iter().map(String::as_str))
        {
            shared.update(part.as_bytes()).update(&[0]);
        }
        context.fonts.names().for_each(|name| {
            shared.update(name.as_bytes()).update(&[0]);
        });
        environment.add_global("tokens", Value::from(Serde(tokens)));
        environment.add_global("look", Value::from(Serde(look)));
        environment.add_global("brand", Value::from(Serde(brand)));
        environment.add_global(
            "mark",
            context.mark.map_or_else(
                || Value::from(()),
                |mark| {
                    Value::from(BTreeMap::from([
                        ("view_box", Value::from(mark.view_box.as_str())),
                        ("shapes", Value::from_safe_string(mark.shapes.clone())),
                    ]))
                },
            ),
        );
        let mut drawing = CompiledDrawing {
            name: name.to_owned(),
            source: Arc::clone(source),
            environment,
            shared,
        };
        let added = drawing
            .environment
            .add_template_owned(name.to_owned(), source.text.clone());
        added.map_err(|error| drawing.problem(&error))?;
        Ok(drawing)
    }

    /// The cache key of a drawing: the hash of its inputs.
    pub(super) fn key(&self, values: &serde_json::Value) -> String {
        let mut hasher = self.shared.clone();
        hasher.update(values.to_string().as_bytes());
        hasher.finalize().to_hex()[..20].to_owned()
    }

    /// The SVG.
    pub(super) fn render(&self, values: &serde_json::Value) -> Result<String, Problem> {
        let template = self.environment.get_template(&self.name);
        template
            .and_then(|template| template.render(Serde(values)))
            .map_err(|error| self.problem(&error))
    }

    /// The problem for an SVG that was rendered and cannot be drawn.
    pub(super) fn bad(&self, why: &str) -> Problem {
        let message = format!("this drawing cannot be rendered ({why})");
        Problem::error(Code::BadDrawing, message).at(Place::file(self.source.path.clone()))
    }

    fn problem(&self, error: &Error) -> Problem {
        let written = error.range().and_then(|range| self.source.text.get(range));
        let message = match (error.kind(), written) {
            (ErrorKind::UndefinedError, Some(name)) => {
                format!("`{}` is undefined here", name.trim())
            }
            (_, Some(name)) if unprintable(error).is_some() => {
                unprintable(error).map_or_else(String::new, |found| found.describe(name.trim()).0)
            }
            _ => error
                .detail()
                .map_or_else(|| error.kind().to_string(), str::to_owned),
        };
        let place = match (error.range(), error.line()) {
            (Some(range), _) => self.source.place(Span::new(range.start, range.end)),
            (None, Some(line)) => self.source.place_at(line, 1),
            (None, None) => Place::file(self.source.path.clone()),
        };
        Problem::error(Code::BadDrawing, message).at(place)
    }
}

/// The value that could not be printed, if that is the reason of an error.
fn unprintable(error: &Error) -> Option<&Unprintable> {
    std::error::Error::source(error)?.downcast_ref()
}

fn fit(fonts: &Fonts, words: &str, room: &Kwargs) -> Result<Value, Error> {
    let wanted = TextBox {
        width: room.get("width")?,
        height: room.get("height")?,
        sizes: room.get("sizes")?,
        leading: room.get::<Option<f32>>("leading")?.unwrap_or(1.1),
        font: room.get("font")?,
        weight: room.get::<Option<u32>>("weight")?.unwrap_or(400),
        tracking: room.get::<Option<f32>>("tracking")?.unwrap_or(0.0),
    };
    room.assert_all_used()?;
    let layout = text::fit(fonts, words, &wanted);
    layout
        .map(|layout| Value::from(Serde(layout)))
        .map_err(|why| Error::new(ErrorKind::InvalidOperation, why))
}
