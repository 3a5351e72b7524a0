//! Islands: interactive parts of a page, written once as React components. React prerenders each at build time, and
//! hydrates it in the browser from the same props, when a visitor needs it.
//!
//! A template says `{{ island("menu", {"links": menu}, "interaction") }}`. This module checks the props against the
//! island's Rust struct (`api_types::islands`), adds the interface texts that it names in the page's language, and asks
//! Node for the markup, once for each distinct value. A site's own islands declare their props in TypeScript
//! (`declared.rs`).
//!
//! An embedded JavaScript engine would not need Node. But the available engines format dates and numbers differently
//! from browsers, and one difference makes React discard the markup of an island.

mod declared;
mod directive;
mod markup;
mod node;
mod prerender;

pub use directive::Directive;
pub use markup::Markup;
pub use prerender::Prerenderer;
