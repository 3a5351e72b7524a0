//! Client directives: when an island hydrates, the third argument of `island()` in a template.

/// When the browser hydrates an island.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directive {
    /// As soon as the page has been painted.
    Load,
    /// When the page has loaded and the browser is idle.
    Idle,
    /// When the island enters the viewport.
    Visible,
    /// At the first interaction with one of its controls.
    Interaction,
    /// When a media query matches.
    Media(String),
    /// Never: the island is static HTML.
    None,
}

impl Directive {
    /// The forms that a template may use.
    pub const WORDS: &[&str] = &[
        "load",
        "idle",
        "visible",
        "interaction",
        "media(QUERY)",
        "none",
    ];

    /// Parses `visible`, `media(min-width: 60em)` and the like.
    ///
    /// ```
    /// use assets::islands::Directive;
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

    /// The value of the attribute `when` in the markup.
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
