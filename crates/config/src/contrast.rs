//! Color contrast: the ratio of WCAG 2, and the lightness contrast of APCA.

/// Minimum contrast ratio of body text in WCAG 2, level AA.
pub const MINIMUM: f64 = 4.5;

/// Red, green and blue of `#RRGGBB`; `None` for other notations. The contrast of a color with an alpha channel
/// depends on what is below it.
pub fn channels(hex: &str) -> Option<[u8; 3]> {
    let digits = hex
        .strip_prefix('#')
        .filter(|digits| digits.len() == 6 && digits.is_ascii())?;
    let channel = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    Some([channel(0)?, channel(2)?, channel(4)?])
}

/// WCAG 2 contrast ratio, from 1 to 21.
pub fn ratio(text: [u8; 3], background: [u8; 3]) -> f64 {
    let (a, b) = (luminance(text), luminance(background));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The nearest color to a text color that has the minimum contrast on a background: darker or lighter, of the same hue.
/// `None` if none of both is enough.
pub fn nearest(text: [u8; 3], background: [u8; 3]) -> Option<[u8; 3]> {
    // Steps of half a percent towards black and white; the first that is enough is the nearest.
    const STEPS: u16 = 200;
    let mixed = |end: u8, step: u16| {
        text.map(|from| {
            u8::try_from((u16::from(from) * (STEPS - step) + u16::from(end) * step) / STEPS)
                .unwrap_or(end)
        })
    };
    (1..=STEPS)
        .flat_map(|step| [0, u8::MAX].map(|end| mixed(end, step)))
        .find(|color| ratio(*color, background) >= MINIMUM)
}

/// A color as CSS writes it: `#0E1412`.
pub fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// Relative luminance of WCAG 2.
fn luminance(color: [u8; 3]) -> f64 {
    let [red, green, blue] = color.map(|channel| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// Lightness contrast of APCA 0.1.9 (`Lc`): positive for dark text on a light background, negative for light on dark.
pub fn apca(text: [u8; 3], background: [u8; 3]) -> f64 {
    const BLACK_THRESHOLD: f64 = 0.022;
    const BLACK_CLAMP: f64 = 1.414;
    const SCALE: f64 = 1.14;
    const OFFSET: f64 = 0.027;
    const CLIP: f64 = 0.1;
    let lightness = |color: [u8; 3]| {
        let [red, green, blue] = color.map(|channel| (f64::from(channel) / 255.0).powf(2.4));
        let sum = 0.212_672_9 * red + 0.715_152_2 * green + 0.072_175_0 * blue;
        if sum < BLACK_THRESHOLD {
            sum + (BLACK_THRESHOLD - sum).powf(BLACK_CLAMP)
        } else {
            sum
        }
    };
    let (text, background) = (lightness(text), lightness(background));
    if (text - background).abs() < 0.0005 {
        return 0.0;
    }
    let contrast = if background > text {
        SCALE * (background.powf(0.56) - text.powf(0.57))
    } else {
        SCALE * (background.powf(0.65) - text.powf(0.62))
    };
    if contrast.abs() < CLIP {
        0.0
    } else {
        100.0 * (contrast - OFFSET.copysign(contrast))
    }
}

/// Whether this is a CSS color: hexadecimal, a color function, `transparent` or `currentcolor`. Color names are
/// refused.
pub fn is_color(value: &str) -> bool {
    const FUNCTIONS: &[&str] = &[
        "rgb",
        "rgba",
        "hsl",
        "hsla",
        "hwb",
        "lab",
        "lch",
        "oklab",
        "oklch",
        "color",
        "color-mix",
        "light-dark",
        "var",
    ];
    if let Some(digits) = value.strip_prefix('#') {
        return matches!(digits.len(), 3 | 4 | 6 | 8)
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    let function = value
        .strip_suffix(')')
        .and_then(|rest| rest.split_once('('))
        .map(|(name, _)| name);
    function.is_some_and(|name| FUNCTIONS.contains(&name.to_ascii_lowercase().as_str()))
        || matches!(
            value.to_ascii_lowercase().as_str(),
            "transparent" | "currentcolor"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: [u8; 3] = [0; 3];
    const WHITE: [u8; 3] = [255; 3];

    fn near(value: f64, expect: f64) {
        assert!((value - expect).abs() < 0.05, "{value} is not {expect}");
    }

    #[test]
    fn black_on_white_is_21_to_1() {
        near(ratio(BLACK, WHITE), 21.0);
    }

    #[test]
    fn the_nearest_color_has_just_enough_contrast() {
        let yellow = [0xFF, 0xD5, 0x4A];
        let found = nearest([0x88; 3], yellow).expect("a color");
        assert!(
            ratio(found, yellow) >= MINIMUM && ratio(found, yellow) < MINIMUM + 0.1,
            "{found:?}"
        );
        assert!(found[0] < 0x88, "darker on a light ground");
        assert!(
            nearest([0x33; 3], BLACK).is_some_and(|color| color[0] > 0x33),
            "lighter on a dark ground"
        );
        assert_eq!(hex(yellow), "#FFD54A");
    }

    /// The values that APCA's own documentation gives.
    #[test]
    fn apca_distinguishes_text_and_background() {
        near(apca(BLACK, WHITE), 106.04);
        near(apca(WHITE, BLACK), -107.88);
        near(apca([0x88; 3], WHITE), 63.06);
        near(apca(WHITE, WHITE), 0.0);
    }

    #[test]
    fn a_color_with_alpha_has_no_contrast() {
        assert_eq!(channels("#0E14121F"), None);
        assert_eq!(channels("#0E1412"), Some([0x0E, 0x14, 0x12]));
    }

    #[test]
    fn colors_are_recognized() {
        for color in ["#FFF", "#0E14121F", "oklch(70% 0.1 200)", "transparent"] {
            assert!(is_color(color), "{color}");
        }
        for other in ["#GGGGGG", "#12345", "16px", "blurple", "calc(1px + 2px)"] {
            assert!(!is_color(other), "{other}");
        }
    }
}
