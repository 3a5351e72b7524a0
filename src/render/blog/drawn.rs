//! Placeholders for missing pictures: a cover generated from the id of a post, and initials for an author without a
//! portrait. The same id always gives the same picture.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use minijinja::Value;

use crate::assets::{FOLDER, Manifest};
use crate::config::SiteSettings;
use crate::content::design::COVER_SCHEMES;
use crate::model::Site;
use crate::output::{Output, short_hash};
use api_types::html::escape;

/// A generated SVG.
pub(super) struct Drawing {
    svg: String,
    width: u32,
    height: u32,
}

/// The files of all placeholders that the blog shows.
pub(crate) fn outputs(site: &Site, manifest: &Manifest) -> Vec<Output> {
    if site.blog.languages.is_empty() {
        return Vec::new();
    }
    let (blog, colors) = (&site.blog.content, colors(manifest));
    let covers =
        blog.posts.iter().filter(|post| !post.image.as_ref().is_some_and(|image| site.images.contains_key(&image.src)));
    let faceless =
        blog.authors.values().filter(|author| !author.avatar.as_ref().is_some_and(|src| site.images.contains_key(src)));
    let drawn: BTreeMap<String, Vec<u8>> = covers
        .map(|post| cover(&post.id, &colors))
        .chain(faceless.map(|author| initials(&author.name, &colors)))
        .map(|drawn| (drawn.path(), drawn.svg.into_bytes()))
        .collect();
    drawn.into_iter().map(|(path, bytes)| Output::bytes(path, Arc::new(bytes))).collect()
}

impl Drawing {
    fn path(&self) -> String {
        format!("{FOLDER}/images/drawn-{}.svg", short_hash(self.svg.as_bytes()))
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
            ("tint", Value::from(())),
            ("svg", Value::from(())),
        ]))
    }
}

/// A deterministic generator of pseudo-random numbers, seeded by a text.
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
    move |name: &str| manifest.styles.tokens("color").find(|(token, _)| *token == name).map(|(_, value)| value)
}

/// Picks one of the schemes, with the site's colors.
fn scheme<'c>(dice: &mut Dice, colors: &Colors<'c>) -> [&'c str; 3] {
    let names = COVER_SCHEMES[dice.below(5) as usize];
    match names.map(colors) {
        [Some(ground), Some(line), Some(accent)] => [ground, line, accent],
        _ => PLAIN,
    }
}

/// A bridge of arcs over a water line. The id determines the number of spans, their height, and the accented span.
pub(super) fn cover(id: &str, colors: &Colors) -> Drawing {
    let mut dice = Dice::of(id);
    let [ground, line, accent] = scheme(&mut dice, colors);
    let spans = 2 + dice.below(5);
    let (width, height, deck) = (1200, 400, 200 + 10 * dice.below(8));
    let marked = dice.below(spans);
    let rise = 60 + 10 * dice.below(10);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\"><path fill=\"{ground}\" d=\"M0 0h{width}v{height}H0z\"/>"
    );
    let span = width / spans;
    for number in 0..spans {
        let (left, right) = (number * span, (number + 1) * span);
        let (color, stroke) = if number == marked { (accent, 14) } else { (line, 4) };
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<path fill=\"none\" stroke=\"{color}\" stroke-width=\"{stroke}\" d=\"M{left} {deck}Q{} {} {right} {deck}\"/>",
            u32::midpoint(left, right),
            deck.saturating_sub(2 * rise).max(8)
        );
        for cable in 1..6 {
            let x = left + span * cable / 6;
            let t = f64::from(cable) / 6.0;
            let lift = 2.0 * t * (1.0 - t) * f64::from(deck - deck.saturating_sub(2 * rise).max(8));
            let _ = write!(svg, "<path stroke=\"{line}\" stroke-width=\"1.5\" d=\"M{x} {deck}v-{lift:.0}\"/>");
        }
    }
    let _ = write!(
        svg,
        "<path stroke=\"{line}\" stroke-width=\"8\" d=\"M0 {deck}h{width}\"/><path stroke=\"{line}\" stroke-opacity=\".35\" stroke-width=\"2\" d=\"M0 {}h{width}M0 {}h{width}\"/></svg>",
        deck + 70,
        deck + 96
    );
    Drawing { svg, width, height }
}

/// The first letters of the first and the last word of the name.
pub(super) fn initials(name: &str, colors: &Colors) -> Drawing {
    let mut dice = Dice::of(name);
    let [ground, line, _] = scheme(&mut dice, colors);
    let words: Vec<&str> = name.split_whitespace().collect();
    let first = words.first().and_then(|word| word.chars().next());
    let last = words.last().filter(|_| words.len() > 1).and_then(|word| word.chars().next());
    let letters: String = first.into_iter().chain(last).flat_map(char::to_uppercase).collect();
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 96 96\" width=\"96\" height=\"96\"><path fill=\"{ground}\" d=\"M0 0h96v96H0z\"/><text x=\"48\" y=\"60\" fill=\"{line}\" font-family=\"Arial, sans-serif\" font-size=\"36\" font-weight=\"700\" text-anchor=\"middle\">{}</text></svg>",
        escape(&letters)
    );
    Drawing { svg, width: 96, height: 96 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cover_follows_from_the_id_alone() {
        assert_eq!(cover("a", &|_| None).svg, cover("a", &|_| None).svg);
        assert_ne!(cover("a", &|_| None).svg, cover("b", &|_| None).svg);
    }

    #[test]
    fn initials_are_text_whatever_the_name_holds() {
        assert!(initials("Ñandú <b>", &|_| None).svg.contains(">Ñ&lt;</text>"));
        assert!(initials("", &|_| None).svg.contains("></text>"));
    }
}
