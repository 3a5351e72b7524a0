//! The element of an island on its page: its prerendered HTML, and the attributes for hydrating it.
//!
//! Scripts of islands are not preloaded (`modulepreload`). Preloading saved a round trip, but delayed the text of the
//! page by 0.3 to 0.8 seconds on a slow phone, because React shared the connection with it.

use std::fmt::Write as _;

use crate::Islands;

use super::Directive;

/// The prerendered HTML of an island, with its props.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Markup {
    /// The HTML that React rendered.
    pub html: String,
    /// The props as JSON.
    pub props: String,
}

impl Markup {
    /// The custom element of an island with the given directive; for `none` only the HTML.
    pub fn element(
        &self,
        name: &str,
        prefix: &str,
        directive: &Directive,
        scripts: &Islands,
    ) -> String {
        let Some(script) = scripts
            .scripts
            .get(name)
            .filter(|_| *directive != Directive::None)
        else {
            return self.html.clone();
        };
        let mut element = String::with_capacity(self.html.len() + self.props.len() + 256);
        // Writing to a string cannot fail.
        let _ = write!(
            element,
            r#"<sitegen-island name="{name}" when="{}""#,
            directive.word()
        );
        if let Directive::Media(query) = directive {
            let _ = write!(element, r#" media="{}""#, api_types::html::escape(query));
        }
        let _ = write!(
            element,
            r#" src="{}" prefix="{prefix}" props='"#,
            script.src
        );
        escape_single(&self.props, &mut element);
        element.push_str("'>");
        element.push_str(&self.html);
        element.push_str("</sitegen-island>");
        element
    }
}

/// Escapes text for an attribute in single quotes. JSON is full of double quotes, so this needs fewer escapes. `<` is
/// escaped as well, for tools that look for tags without parsing attributes.
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
