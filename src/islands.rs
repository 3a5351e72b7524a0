//! Islands: interactive parts of a page, written once as React components. React prerenders each at build time, and
//! hydrates it in the browser from the same props, when a visitor needs it.
//!
//! A template says `{{ island("menu", {"links": menu}, "interaction") }}`. Here the props are checked against the
//! island's Rust struct (`api_types::islands`), the interface words that it names are added in the page's language, and
//! Node is asked for the markup once for each distinct value.

mod directive;
mod markup;
mod node;
mod prerender;

pub use directive::Directive;
pub use markup::Markup;
pub use prerender::Prerenderer;
