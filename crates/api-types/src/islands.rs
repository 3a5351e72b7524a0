//! The islands of the site and their props: what a template hands to a React component.
//!
//! Each island is a line of the list below. The generator checks the values of a template against the struct, adds the
//! interface words that the struct names, and prerenders the component from the result. `react/generated/wire.ts` is
//! written from the structs by the test in `typescript.rs`.

pub mod props;
#[cfg(test)]
mod typescript;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What an island takes.
pub trait Props: Serialize + DeserializeOwned {
    /// The interface words that it gets, by their keys in `content/locales/`.
    const MESSAGES: &'static [&'static str];
}

/// An island, as the list below states it.
#[derive(Debug, Clone, Copy)]
pub struct Island {
    /// The name that templates use; its component is `react/islands/<name>/<name>.tsx`.
    pub name: &'static str,
    /// The interface words that it gets.
    pub messages: &'static [&'static str],
    /// Checks props and gives them as the component receives them, or says where they are wrong and why.
    pub check: fn(Value) -> Result<Value, (String, String)>,
}

macro_rules! islands {
    ($($name:literal $props:ty,)*) => {
        /// Every island. To add one: a line here, a line in `react/islands.ts`, and its component.
        pub const ISLANDS: &[Island] = &[
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
    "faq" props::Faq,
    "guide-copy" props::GuideCopy,
    "guide-icons" props::GuideIcons,
    "guide-search" props::GuideSearch,
    "guide-swatches" props::GuideSwatches,
    "guide-type" props::GuideType,
    "lead-form" props::LeadForm,
    "menu" props::Menu,
}

impl Island {
    /// The island of a name.
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
