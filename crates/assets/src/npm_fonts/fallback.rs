//! A face of a font that every machine has, with the width and the height of a web font, so that nothing moves when the web
//! font has loaded.

use skrifa::FontRef;
use skrifa::MetadataProvider as _;
use skrifa::instance::Size;

use super::faces::quoted;

/// The weight that is compared.
const REGULAR: f32 = 400.0;

/// How often letters and blanks are in running English text, in thousandths and rounded, and their widths in Arial and Times
/// New Roman, in thousandths of the size: those of Adobe's metrics of Helvetica and Times, whose widths the two have.
const LETTERS: [(char, f32, f32, f32); 27] = [
    (' ', 180.0, 278.0, 250.0),
    ('a', 67.0, 556.0, 444.0),
    ('b', 12.0, 556.0, 500.0),
    ('c', 23.0, 500.0, 444.0),
    ('d', 35.0, 556.0, 500.0),
    ('e', 104.0, 556.0, 444.0),
    ('f', 18.0, 278.0, 333.0),
    ('g', 16.0, 556.0, 500.0),
    ('h', 50.0, 556.0, 500.0),
    ('i', 57.0, 222.0, 278.0),
    ('j', 1.0, 222.0, 278.0),
    ('k', 6.0, 500.0, 500.0),
    ('l', 33.0, 222.0, 278.0),
    ('m', 20.0, 833.0, 778.0),
    ('n', 55.0, 556.0, 500.0),
    ('o', 62.0, 556.0, 500.0),
    ('p', 16.0, 556.0, 500.0),
    ('q', 1.0, 556.0, 500.0),
    ('r', 49.0, 333.0, 333.0),
    ('s', 52.0, 500.0, 389.0),
    ('t', 75.0, 278.0, 278.0),
    ('u', 23.0, 556.0, 500.0),
    ('v', 8.0, 500.0, 500.0),
    ('w', 20.0, 722.0, 722.0),
    ('x', 1.0, 500.0, 500.0),
    ('y', 16.0, 500.0, 500.0),
    ('z', 1.0, 500.0, 444.0),
];

/// The rule of a family that stands in for a font while it loads. `stack` is the list of families behind the font: a list
/// that ends with `serif` gets Times New Roman, one that ends with `monospace` none, any other Arial. `None` as well for a font
/// without Latin letters, and for bytes that are no font. The bytes are those of an unpacked font.
pub(super) fn rule(family: &str, font: &[u8], stack: &str) -> Option<String> {
    let generic = stack.rsplit(',').next().unwrap_or_default().trim();
    let (is_serif, local) = match generic {
        "monospace" | "ui-monospace" => return None,
        "serif" | "ui-serif" => (
            true,
            "local(\"Times New Roman\"),local(\"TimesNewRomanPSMT\"),local(\"Liberation Serif\"),local(\"LiberationSerif\")",
        ),
        _ => (
            false,
            "local(\"Arial\"),local(\"ArialMT\"),local(\"Liberation Sans\"),local(\"LiberationSans\")",
        ),
    };
    let font = FontRef::new(font).ok()?;
    let location = font.axes().location([("wght", REGULAR)]);
    let (metrics, charmap) = (font.metrics(Size::unscaled(), &location), font.charmap());
    let glyphs = font.glyph_metrics(Size::unscaled(), &location);
    let (mut width, mut local_width) = (0.0, 0.0);
    for (letter, share, arial, times) in LETTERS {
        width += share * glyphs.advance_width(charmap.map(letter)?)?;
        local_width += share * if is_serif { times } else { arial };
    }
    let em = f32::from(metrics.units_per_em);
    let size = width * 1000.0 / em / local_width;
    let [ascent, descent, leading] = [metrics.ascent, metrics.descent, metrics.leading]
        .map(|length| length.abs() / em / size * 100.0);
    (size.is_finite() && size > 0.0).then(|| {
        format!(
            "@font-face{{font-family:{};src:{local};size-adjust:{:.1}%;ascent-override:{ascent:.1}%;\
             descent-override:{descent:.1}%;line-gap-override:{leading:.1}%}}\n",
            quoted(family),
            size * 100.0,
        )
    })
}
