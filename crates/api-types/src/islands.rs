//! The islands of the site and their props: the values that a template passes to a React component.
//!
//! Each island is one line in the list below. The generator validates the template's values against the struct, adds
//! the interface messages that the struct names, and prerenders the component with the result. The test in
//! `typescript.rs` generates `react/generated/wire.ts` from the structs.

pub mod props;
#[cfg(test)]
mod typescript;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The props of an island.
pub trait Props: Serialize + DeserializeOwned {
    /// Keys of the interface messages in `content/locales/` that the island receives.
    const MESSAGES: &'static [&'static str];
}

/// An entry of [`ISLANDS`].
#[derive(Debug, Clone, Copy)]
pub struct Island {
    /// The name that templates use; its component is `react/islands/<name>/<name>.tsx`.
    pub name: &'static str,
    /// Keys of the interface messages that the island receives.
    pub messages: &'static [&'static str],
    /// Validates props and returns them as the component receives them. The error is the path of the invalid value and
    /// the reason.
    pub check: fn(Value) -> Result<Value, (String, String)>,
}

macro_rules! islands {
    ($($name:literal $props:ty,)*) => {
        /// All islands. To add one, add a line here, a line in `react/islands.ts`, and the component.
        // Not a constant, for which each crate that names it would compile all checks again.
        pub static ISLANDS: &[Island] = &[
            $(Island { name: $name, messages: <$props as Props>::MESSAGES, check: check::<$props> },)*
        ];

        /// The names and TypeScript types of all props.
        #[cfg(test)]
        fn declarations(write: &mut typescript::Declarations) {
            $(write.island::<$props>($name);)*
        }
    };
}

islands! {
    "blog-explorer" props::BlogExplorer,
    "case-explorer" props::CaseExplorer,
    "embed" props::Embed,
    "faq" props::Faq,
    "form" props::SiteForm,
    "form-steps" props::SiteForm,
    "guide-copy" props::GuideCopy,
    "guide-icons" props::GuideIcons,
    "guide-search" props::GuideSearch,
    "guide-swatches" props::GuideSwatches,
    "guide-type" props::GuideType,
    "list-search" props::ListSearch,
    "menu" props::Menu,
}

impl Island {
    /// Looks up an island by name.
    pub fn named(name: &str) -> Option<&'static Island> {
        ISLANDS.iter().find(|island| island.name == name)
    }
}

fn check<P: Props>(value: Value) -> Result<Value, (String, String)> {
    let props: P = serde_path_to_error::deserialize(value)
        .map_err(|error| (error.path().to_string(), error.inner().to_string()))?;
    // Structs of texts, numbers and lists always serialize.
    Ok(serde_json::to_value(props).unwrap_or_default())
}
