//! The element of an island on its page: its prerendered HTML, and what the browser needs to hydrate it.
//!
//! Scripts of islands are not preloaded (`modulepreload`). It saved them a round trip, and delayed the text of the page
//! by 0.3 to 0.8 seconds on a slow phone, because React shared the connection with it.

use std::fmt::Write as _;

use crate::assets::Islands;

use super::Directive;

/// Prerendered HTML with the props it was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Markup {
    /// The HTML that React made.
    pub html: String,
    /// The props as JSON.
    pub props: String,
}

impl Markup {
    /// The element of an island that is hydrated as `directive` says; for `none` the HTML alone. Its scripts are not announced
    /// (`modulepreload`): they would compete with fonts and style sheets for the first sight of the page.
    pub fn element(&self, name: &str, prefix: &str, directive: &Directive, scripts: &Islands) -> String {
        let Some(script) = scripts.scripts.get(name).filter(|_| *directive != Directive::None) else {
            return self.html.clone();
        };
        let mut element = String::with_capacity(self.html.len() + self.props.len() + 256);
        // Writing to a string cannot fail.
        let _ = write!(element, r#"<sitegen-island name="{name}" when="{}""#, directive.word());
        if let Directive::Media(query) = directive {
            let _ = write!(element, r#" media="{}""#, api_types::html::escape(query));
        }
        let _ = write!(element, r#" src="{}" prefix="{prefix}" props='"#, script.src);
        escape_single(&self.props, &mut element);
        element.push_str("'>");
        element.push_str(&self.html);
        element.push_str("</sitegen-island>");
        element
    }
}

/// JSON is full of double quotes, so it stands in single ones, where two characters need an escape. `<` is escaped for
/// tools that look for tags without reading attributes.
fn escape_single(text: &str, into: &mut String) {
    for c in text.chars() {
        match c {
            '&' => into.push_str("&amp;"),
            '\'' => into.push_str("&#39;"),
            '<' => into.push_str("&lt;"),
            c => into.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn props_cannot_leave_their_attribute() {
        let mut text = String::new();
        escape_single(r#"{"a":"</script><!-- ' & >"}"#, &mut text);
        assert_eq!(text, r#"{"a":"&lt;/script>&lt;!-- &#39; &amp; >"}"#);
    }
}
