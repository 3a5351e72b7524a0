//! Formulas as `MathML`, which browsers draw without script, style or font of the site.

use std::sync::LazyLock;

use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};

/// The `MathML` of a formula in `LaTeX`, or what is wrong with it.
pub(super) fn mathml(formula: &str, is_block: bool) -> Result<String, String> {
    static CONVERTER: LazyLock<Option<LatexToMathML>> =
        LazyLock::new(|| LatexToMathML::new(MathCoreConfig::default()).ok());
    let display = if is_block { MathDisplay::Block } else { MathDisplay::Inline };
    // The library's own tables are right, so it is always there.
    let converter = CONVERTER.as_ref().ok_or("no formula can be read")?;
    let converted = converter.convert_with_local_state(formula.trim(), display);
    let mathml = converted.map_err(|error| error.to_string())?.mathml;
    // A strict content security policy forbids inline styles: some colors and spaces are left as they are without.
    if mathml.contains(" style=") { Err("it needs a style, which pages do not have".to_owned()) } else { Ok(mathml) }
}

#[cfg(test)]
mod tests {
    use super::mathml;

    #[test]
    fn formulas_are_mathml_without_styles() {
        let html = mathml(r"a_1 + b_2 = \frac{a}{b}", false).expect("a formula");
        assert!(html.starts_with("<math><msub><mi>a</mi><mn>1</mn></msub>") && html.contains("<mfrac>"), "{html}");
        let html = mathml(r"\sum_{i=0}^n x_i < \text{a \& b}", true).expect("a formula");
        assert!(
            html.starts_with("<math display=\"block\">") && html.contains("&lt;") && html.contains("&amp;"),
            "{html}"
        );
    }

    #[test]
    fn what_is_no_formula_is_an_error() {
        assert!(mathml(r"\frac{a", false).is_err());
        assert!(mathml(r"\nosuchcommand", false).is_err());
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
