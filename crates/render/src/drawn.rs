//! Placeholders for missing pictures: a cover generated from the id of a post, and initials for an author without a
//! portrait. The same id always gives the same picture.
//!
//! A site may bring a drawing of its own for covers, `content/images/brand/cover.svg`: a template that receives `ground`,
//! `line` and `accent`, three colors of the site, and `pick(n)`, a number below `n` that follows from the id.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, Value, context};

use api_types::html::escape;
use assets::output::{Output, short_hash};
use assets::{FOLDER, Manifest};
use config::SiteSettings;
use config::design::COVER_SCHEMES;
use content::templates::within_limits;
use diagnostics::problem::{Code, Problem, Problems, Source};
use site::model::{Site, brand};
use text::svg;

/// A generated SVG.
pub(super) struct Drawing {
    svg: String,
    width: u32,
    height: u32,
}

/// The files of all placeholders that the blog shows.
pub(super) fn outputs(site: &Site, manifest: &Manifest, covers: &Covers) -> Vec<Output> {
    if site.blog.languages.is_empty() {
        return Vec::new();
    }
    let (blog, colors) = (&site.blog.content, colors(manifest));
    let coverless = blog.posts.iter().filter(|post| {
        !post
            .image
            .as_ref()
            .is_some_and(|image| site.images.contains_key(&image.src))
    });
    let faceless = blog.authors.values().filter(|author| {
        !author
            .avatar
            .as_ref()
            .is_some_and(|src| site.images.contains_key(src))
    });
    let drawn: BTreeMap<String, Vec<u8>> = coverless
        .map(|post| covers.draw(&post.id, &colors))
        .chain(faceless.map(|author| initials(&author.name, &colors)))
        .map(|drawn| (drawn.path(), drawn.svg.into_bytes()))
        .collect();
    drawn
        .into_iter()
        .map(|(path, bytes)| Output::bytes(path, Arc::new(bytes)))
        .collect()
}

impl Drawing {
    fn path(&self) -> String {
        format!(
            "{FOLDER}/images/drawn-{}.svg",
            short_hash(self.svg.as_bytes())
        )
    }

    /// Its address.
    pub(super) fn address(&self, settings: &SiteSettings) -> String {
        settings.href(&format!("/{}", self.path()))
    }

    /// The picture as a template value, like `Values::picture`.
    pub(super) fn value(&self, settings: &SiteSettings) -> Value {
        Value::from(BTreeMap::from([
            ("src", Value::from(self.address(settings))),
            ("alt", Value::from("")),
            ("width", Value::from(self.width)),
            ("height", Value::from(self.height)),
            ("sources", Value::from(Vec::<Value>::new())),
            ("classes", Value::from(())),
            ("svg", Value::from(())),
        ]))
    }
}

/// A deterministic generator of pseudo-random numbers, seeded by a text.
#[derive(Debug)]
struct Dice(blake3::OutputReader);

impl Dice {
    fn of(text: &str) -> Dice {
        Dice(blake3::Hasher::new().update(text.as_bytes()).finalize_xof())
    }

    fn below(&mut self, limit: u32) -> u32 {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes);
        u32::from_le_bytes(bytes) % limit
    }
}

/// The scheme of a site that lacks one of these tokens.
const PLAIN: [&str; 3] = ["#DDDDDD", "#222222", "#222222"];

/// Returns the value of a color token.
pub(super) type Colors<'c> = dyn Fn(&str) -> Option<&'c str> + 'c;

/// The colors of the design tokens.
pub(super) fn colors<'m>(manifest: &'m Manifest) -> impl Fn(&str) -> Option<&'m str> {
    move |name: &str| {
        manifest
            .styles
            .tokens("color")
            .find(|(token, _)| *token == name)
            .map(|(_, value)| value)
    }
}

/// Picks one of the schemes, with the site's colors.
fn scheme<'c>(dice: &mut Dice, colors: &Colors<'c>) -> [&'c str; 3] {
    let names = COVER_SCHEMES[dice.below(5) as usize];
    match names.map(colors) {
        [Some(ground), Some(line), Some(accent)] => [ground, line, accent],
        _ => PLAIN,
    }
}

/// Draws covers: by the template of the brand, or by [`tiles`].
#[derive(Debug)]
pub(super) struct Covers(Option<OwnCover>);

/// The drawing of the brand.
#[derive(Debug)]
struct OwnCover {
    source: Arc<Source>,
    environment: Environment<'static>,
    width: u32,
    height: u32,
}

impl Covers {
    /// The covers of a site. The problem is that of a template that cannot be drawn: tiles stand in for it.
    pub(super) fn new(site: &Site) -> (Covers, Problems) {
        let Some(art) = &site.brand.cover else {
            return (Covers(None), Problems::new());
        };
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_debug(true);
        environment.set_fuel(Some(FUEL));
        let source = Source::new(brand::path_of("cover"), art.svg.clone());
        let source = match within_limits(Arc::new(source)) {
            Ok(source) => source,
            Err(problem) => return (Covers(None), problem.into()),
        };
        let added = environment.add_template_owned(COVER, art.svg.clone());
        let own = OwnCover {
            source,
            environment,
            width: art.width,
            height: art.height,
        };
        // Some numbers may fail where others do not.
        match added.and_then(|()| {
            (0..TRIED).try_for_each(|id| own.draw(&mut Dice::of(&id.to_string()), PLAIN).map(drop))
        }) {
            Ok(()) => (Covers(Some(own)), Problems::new()),
            Err(error) => (Covers(None), own.problem(&error).into()),
        }
    }

    /// The cover of a post, by its id.
    pub(super) fn draw(&self, id: &str, colors: &Colors) -> Drawing {
        let mut dice = Dice::of(id);
        let scheme = scheme(&mut dice, colors);
        let own = self.0.as_ref().and_then(|own| {
            // Tiles also stand in where a template fails for numbers that were not tried.
            let svg = own.draw(&mut dice, scheme).ok()?;
            Some(Drawing {
                svg,
                width: own.width,
                height: own.height,
            })
        });
        own.unwrap_or_else(|| tiles(&mut Dice::of(id), scheme))
    }
}

impl OwnCover {
    fn draw(&self, dice: &mut Dice, [ground, line, accent]: [&str; 3]) -> Result<String, Error> {
        let dice = Mutex::new(std::mem::replace(dice, Dice::of("")));
        let pick = move |limit: u32| match limit {
            0 => Err(Error::new(
                ErrorKind::InvalidOperation,
                "`pick` needs a number above 0",
            )),
            limit => Ok(dice
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .below(limit)),
        };
        let values = context! { ground, line, accent, pick => Value::from_function(pick) };
        let drawn = self.environment.get_template(COVER)?.render(values)?;
        match svg::read(&drawn) {
            Ok(drawing) => Ok(drawing.text),
            Err(error) => Err(Error::new(ErrorKind::InvalidOperation, error.to_string())),
        }
    }

    fn problem(&self, error: &Error) -> Problem {
        let written = error.range().and_then(|range| self.source.text.get(range));
        let message = match (error.kind(), written) {
            (ErrorKind::UndefinedError, Some(name)) => {
                format!("`{}` is undefined here", name.trim())
            }
            _ => error
                .detail()
                .map_or_else(|| error.kind().to_string(), str::to_owned),
        };
        let place = self.source.place_at(error.line().unwrap_or(1), 1);
        let hint = "a cover can use `ground`, `line`, `accent` and `pick(n)`";
        let is_undefined = error.kind() == ErrorKind::UndefinedError;
        Problem::error(Code::BadDrawing, message)
            .at(place)
            .maybe_hint(is_undefined.then(|| hint.to_owned()))
    }
}

/// How many steps the template of covers may take. The cover of a site takes a hundredth of it.
const FUEL: u64 = 100_000;
/// The name of the template of covers.
const COVER: &str = "cover.svg";
/// How many covers are drawn to find out whether a template can be.
const TRIED: u32 = 16;
/// The width and height of a tile.
const TILE: u32 = 200;
/// Tiles in a row, and rows.
const TILES: (u32, u32) = (6, 2);

/// Discs, parts of discs, rings and stripes in a grid, one of them accented.
fn tiles(dice: &mut Dice, [ground, line, accent]: [&str; 3]) -> Drawing {
    let (width, height) = (TILES.0 * TILE, TILES.1 * TILE);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\"><path fill=\"{ground}\" d=\"M0 0h{width}v{height}H0z\"/>"
    );
    let accented = dice.below(TILES.0 * TILES.1);
    let (mut faint, mut drawn, mut strong) = (String::new(), String::new(), String::new());
    for at in 0..TILES.0 * TILES.1 {
        let (x, y) = (at % TILES.0 * TILE, at / TILES.0 * TILE);
        let shape = dice.below(8);
        let (fill, shape) = if at == accented {
            (&mut strong, shape % 3)
        } else {
            (&mut faint, shape)
        };
        let (far_x, far_y, half) = (x + TILE, y + TILE, TILE / 2);
        // Writing to a string cannot fail.
        let _ = match shape {
            // A quarter of a disc, with its center in one of the corners.
            0 => match dice.below(4) {
                0 => write!(fill, "M{x} {y}h{TILE}a{TILE} {TILE} 0 0 1-{TILE} {TILE}z"),
                1 => write!(
                    fill,
                    "M{far_x} {y}v{TILE}a{TILE} {TILE} 0 0 1-{TILE}-{TILE}z"
                ),
                2 => write!(
                    fill,
                    "M{far_x} {far_y}h-{TILE}a{TILE} {TILE} 0 0 1 {TILE}-{TILE}z"
                ),
                _ => write!(
                    fill,
                    "M{x} {far_y}v-{TILE}a{TILE} {TILE} 0 0 1 {TILE} {TILE}z"
                ),
            },
            1 => write!(fill, "M{x} {far_y}a{half} {half} 0 0 1 {TILE} 0z"),
            2 => write!(
                fill,
                "M{x} {}a{half} {half} 0 0 1 {TILE} 0a{half} {half} 0 0 1-{TILE} 0z",
                y + half
            ),
            3 => write!(
                drawn,
                "M{} {}a60 60 0 0 1 120 0a60 60 0 0 1-120 0z",
                x + half - 60,
                y + half
            ),
            4 => (0..5).try_for_each(|row| write!(drawn, "M{x} {}h{TILE}", y + 20 + 40 * row)),
            _ => Ok(()),
        };
    }
    let _ = write!(
        svg,
        "<path fill=\"{line}\" fill-opacity=\".16\" d=\"{faint}\"/><path fill=\"none\" stroke=\"{line}\" stroke-width=\"4\" d=\"{drawn}\"/><path fill=\"{accent}\" d=\"{strong}\"/></svg>"
    );
    Drawing { svg, width, height }
}

/// The first letters of the first and the last word of the name.
pub(super) fn initials(name: &str, colors: &Colors) -> Drawing {
    let mut dice = Dice::of(name);
    let [ground, line, _] = scheme(&mut dice, colors);
    let words: Vec<&str> = name.split_whitespace().collect();
    let first = words.first().and_then(|word| word.chars().next());
    let last = words
        .last()
        .filter(|_| words.len() > 1)
        .and_then(|word| word.chars().next());
    let letters: String = first
        .into_iter()
        .chain(last)
        .flat_map(char::to_uppercase)
        .collect();
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 96 96\" width=\"96\" height=\"96\"><path fill=\"{ground}\" d=\"M0 0h96v96H0z\"/><text x=\"48\" y=\"60\" fill=\"{line}\" font-family=\"Arial, sans-serif\" font-size=\"36\" font-weight=\"700\" text-anchor=\"middle\">{}</text></svg>",
        escape(&letters)
    );
    Drawing {
        svg,
        width: 96,
        height: 96,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cover_follows_from_the_id_alone() {
        let cover = |id: &str| Covers(None).draw(id, &|_| None).svg;
        assert_eq!(cover("a"), cover("a"));
        assert_ne!(cover("a"), cover("b"));
    }

    #[test]
    fn every_cover_is_well_formed() {
        for id in 0..200 {
            let svg = Covers(None).draw(&id.to_string(), &|_| None).svg;
            assert!(roxmltree::Document::parse(&svg).is_ok(), "{svg}");
        }
    }

    #[test]
    fn initials_are_text_whatever_the_name_holds() {
        assert!(
            initials("Ñandú <b>", &|_| None)
                .svg
                .contains(">Ñ&lt;</text>")
        );
        assert!(initials("", &|_| None).svg.contains("></text>"));
    }
}
