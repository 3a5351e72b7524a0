//! When an island wakes: the third argument of `island()` in a template.

/// When the browser hydrates an island.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directive {
    /// As soon as the page has been painted.
    Load,
    /// When the page is there and the browser has nothing better to do.
    Idle,
    /// When it comes into sight.
    Visible,
    /// When the visitor reaches for one of its controls.
    Interaction,
    /// While a media query holds.
    Media(String),
    /// Never: its markup is all there is.
    None,
}

impl Directive {
    /// What a template may write.
    pub const WORDS: &[&str] = &["load", "idle", "visible", "interaction", "media(QUERY)", "none"];

    /// Reads `visible`, `media(min-width: 60em)` and the like.
    ///
    /// ```
    /// use sitegen::islands::Directive;
    /// assert_eq!(Directive::parse("media(min-width: 60em)"), Some(Directive::Media("(min-width: 60em)".into())));
    /// assert_eq!(Directive::parse("never"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Directive> {
        match text {
            "load" => Some(Directive::Load),
            "idle" => Some(Directive::Idle),
            "visible" => Some(Directive::Visible),
            "interaction" => Some(Directive::Interaction),
            "none" => Some(Directive::None),
            _ => {
                let query = text.strip_prefix("media(")?.strip_suffix(')')?.trim();
                (!query.is_empty()).then(|| Directive::Media(format!("({query})")))
            }
        }
    }

    /// The word that the browser's script knows it by.
    pub fn word(&self) -> &'static str {
        match self {
            Directive::Load => "load",
            Directive::Idle => "idle",
            Directive::Visible => "visible",
            Directive::Interaction => "interaction",
            Directive::Media(_) => "media",
            Directive::None => "none",
        }
    }
}
