//! Formulas as `MathML`, which browsers draw without script, style or font of the site.

use std::sync::LazyLock;

use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};

use diagnostics::limits::{FORMULA_DEPTH, FORMULA_PARTS};

/// Number of parts of a formula that are converted on the stack of the caller.
const PARTS_IN_PLACE: usize = 100;
/// Bytes of stack for each part: more than the converter takes, which a test tries with all kinds of parts.
const STACK_PER_PART: usize = 32 * 1024;

/// The `MathML` of a formula in `LaTeX`, or what is wrong with it.
pub(super) fn mathml(formula: &str, is_block: bool) -> Result<String, String> {
    let parts = formula
        .bytes()
        .filter(|byte| matches!(byte, b'\\' | b'{' | b'[' | b'^' | b'_' | b'\''))
        .count();
    let mathml = match parts {
        parts if parts <= PARTS_IN_PLACE => convert(formula, is_block)?,
        parts if parts <= FORMULA_PARTS => convert_apart(formula, is_block, parts)?,
        _ => {
            return Err(format!(
                "it has more than {FORMULA_PARTS} commands, braces and indices"
            ));
        }
    };
    if depth(&mathml) > FORMULA_DEPTH {
        return Err(format!(
            "it is nested more than {FORMULA_DEPTH} levels deep"
        ));
    }
    // A strict content security policy forbids inline styles: some colors and spaces are left as they are without.
    if mathml.contains(" style=") {
        Err("it needs an inline style, which pages do not allow".to_owned())
    } else {
        Ok(mathml)
    }
}

fn convert(formula: &str, is_block: bool) -> Result<String, String> {
    static CONVERTER: LazyLock<Option<LatexToMathML>> =
        LazyLock::new(|| LatexToMathML::new(MathCoreConfig::default()).ok());
    let display = if is_block {
        MathDisplay::Block
    } else {
        MathDisplay::Inline
    };
    // The library's own tables are right, so it is always there.
    let converter = CONVERTER.as_ref().ok_or("no formula can be read")?;
    let converted = converter.convert_with_local_state(formula.trim(), display);
    Ok(converted.map_err(|error| error.to_string())?.mathml)
}

/// Converts a formula on a stack that is large enough for parts that are all in each other. Counting how deep they are
/// would be the parser once more: `\frac a\frac a…` needs no braces for it.
fn convert_apart(formula: &str, is_block: bool, parts: usize) -> Result<String, String> {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(parts * STACK_PER_PART);
        let thread = builder.spawn_scoped(scope, || convert(formula, is_block));
        thread
            .ok()
            .and_then(|thread| thread.join().ok())
            .unwrap_or_else(|| Err("it cannot be read".to_owned()))
    })
}

/// The depth of elements in each other.
fn depth(mathml: &str) -> usize {
    let mut deepest: usize = 0;
    mathml.split('<').skip(1).fold(0_usize, |depth, tag| {
        let is_empty = tag.split('>').next().is_some_and(|tag| tag.ends_with('/'));
        let depth = if tag.starts_with('/') {
            depth.saturating_sub(1)
        } else {
            depth + usize::from(!is_empty)
        };
        deepest = deepest.max(depth);
        depth
    });
    deepest
}

#[cfg(test)]
mod tests {
    use super::{FORMULA_DEPTH, FORMULA_PARTS, PARTS_IN_PLACE, depth, mathml};

    #[test]
    fn formulas_are_mathml_without_styles() {
        let html = mathml(r"a_1 + b_2 = \frac{a}{b}", false).expect("a formula");
        assert!(
            html.starts_with("<math><msub><mi>a</mi><mn>1</mn></msub>") && html.contains("<mfrac>"),
            "{html}"
        );
        let html = mathml(r"\sum_{i=0}^n x_i < \text{a \& b}", true).expect("a formula");
        assert!(
            html.starts_with("<math display=\"block\">")
                && html.contains("&lt;")
                && html.contains("&amp;"),
            "{html}"
        );
    }

    #[test]
    fn what_is_no_formula_is_an_error() {
        assert!(mathml(r"\frac{a", false).is_err());
        assert!(mathml(r"\nosuchcommand", false).is_err());
    }

    /// Each would be thousands of calls in each other, and end the process.
    #[test]
    fn no_formula_is_too_deep_for_the_stack() {
        let nested = |open: &str, close: &str, count: usize| {
            format!("{}a{}", open.repeat(count), close.repeat(count))
        };
        let kinds = [
            ("{", "}"),
            (r"\sqrt{", "}"),
            (r"\sqrt ", ""),
            (r"\sqrt[a", "]b"),
            (r"\frac a", ""),
            (r"\frac{a}", ""),
            (r"\overset a", ""),
            (r"\not ", ""),
            (r"\mathrm ", ""),
            (r"\displaystyle a", ""),
            (r"\color{red} a", ""),
            (r"\xrightarrow[a", "]b"),
            (r"\underbrace{", "}"),
            (r"\text{", "}"),
            (r"\left(", r"\right)"),
            (r"\begin{matrix}", r"\end{matrix}"),
            (r"\begin{cases}a&", r"\end{cases}"),
            ("x^{", "}"),
            ("x_", ""),
            ("x'^{", "}"),
        ];
        for (open, close) in kinds {
            let per_level = open
                .bytes()
                .chain(close.bytes())
                .filter(|byte| br"\{[^_'".contains(byte))
                .count()
                .max(1);
            for count in [PARTS_IN_PLACE / per_level, FORMULA_PARTS / per_level, 5_000] {
                // An error or a formula, and no end of the process.
                let html = mathml(&nested(open, close, count), true).unwrap_or_default();
                assert!(depth(&html) <= FORMULA_DEPTH, "{open} {count}");
            }
            assert!(mathml(&nested(open, close, 5_000), true).is_err(), "{open}");
        }
        assert!(mathml(&nested("{", "}", 150), true).is_ok_and(|html| html.contains("<mi>a</mi>")));
        let sum = (0..400)
            .map(|at| format!(r"\frac{{a_{at}}}{{b}} +"))
            .collect::<Vec<_>>()
            .concat();
        assert!(
            mathml(&format!("{sum} c"), true)
                .is_ok_and(|html| html.matches("<mfrac>").count() == 400)
        );
    }

    proptest::proptest! {
        #[test]
        fn no_formula_writes_a_tag_of_its_own(text in r"([a-z<>&{}^_\\]|[\\]text[{]|[\\]href[{]|<script>|\PC){0,30}") {
            if let Ok(html) = mathml(&text, false) {
                assert!(!html.contains("<script") && !html.contains("style=") && !html.contains("href"), "{html}");
            }
        }
    }
}
