//! The props of each island. TypeScript's side, `react/generated/wire.ts`, is made from these structs by a test.

use serde::{Deserialize, Serialize};

/// Defines the interface words of an island: a struct of texts whose fields are keys of `content/locales/`.
macro_rules! messages {
    ($(#[$meta:meta])* $name:ident { $($key:ident),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Serialize, Deserialize)]
        #[cfg_attr(test, derive(ts_rs::TS), ts(rename_all = "camelCase"))]
        #[serde(deny_unknown_fields, rename_all(serialize = "camelCase"))]
        pub struct $name {
            $(#[doc = concat!(" The word `", stringify!($key), "`.")] pub $key: String,)*
        }

        impl $name {
            /// The keys.
            pub const KEYS: &[&str] = &[$(stringify!($key)),*];
        }
    };
}

/// Defines props: camelCase on the wire, unknown names refused, a type on TypeScript's side.
macro_rules! props {
    ($($(#[$meta:meta])* struct $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone, Serialize, Deserialize)]
            #[cfg_attr(test, derive(ts_rs::TS))]
            #[serde(rename_all = "camelCase", deny_unknown_fields)]
            pub struct $name {
                $($(#[$field_meta])* pub $field: $type,)*
            }
        )*
    };
}

props! {
    /// A link, resolved for the page's language.
    struct Link {
        /// Where it leads.
        href: String,
        /// It leads to another site.
        external: bool,
        /// The language of a target in another language than the page's.
        hreflang: Option<String>,
    }

    /// Words and where they lead.
    struct LabelledLink {
        /// The words.
        label: String,
        /// Where they lead.
        link: Link,
    }

    /// Questions of which one is open at a time.
    struct Faq {
        /// The group's name: opening one of a group closes the others.
        name: String,
        /// In their order.
        items: Vec<Question>,
    }

    /// A question and its answer.
    struct Question {
        /// Plain text.
        question: String,
        /// HTML that the build made from Markdown.
        answer: String,
        /// It starts open.
        open: bool,
    }
}

impl super::Props for Faq {
    const MESSAGES: &'static [&'static str] = &[];
}

messages! {
    /// Words of the menu.
    MenuMessages { menu, main_navigation, opens_external }
}

/// The site's menu and the button beside it. A struct of its own, because it names interface words.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Menu {
    /// The entries.
    pub links: Vec<LabelledLink>,
    /// The button beside them.
    pub action: LabelledLink,
    /// Interface words.
    pub messages: MenuMessages,
}

impl super::Props for Menu {
    const MESSAGES: &'static [&'static str] = MenuMessages::KEYS;
}
