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

    /// A picture in the forms that the build made of it.
    struct Picture {
        /// The address for browsers that know nothing else.
        src: String,
        /// What it shows.
        alt: String,
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
        /// Class of the colour that stands in until the picture is there.
        tint: Option<String>,
        /// Further forms.
        sources: Vec<PictureSource>,
    }

    /// A form of a picture, in several widths.
    struct PictureSource {
        /// MIME type.
        mime: String,
        /// Addresses and their widths.
        srcset: String,
    }

    /// A way to filter case studies, and what can be chosen.
    struct FilterGroup {
        /// As addresses name it: `service`, `tech`, `sector`.
        kind: String,
        /// In the order of the catalogue.
        entries: Vec<FilterEntry>,
    }

    /// Something to filter case studies by.
    struct FilterEntry {
        /// As addresses name it.
        id: String,
        /// As readers see it.
        name: String,
        /// How many studies have it.
        count: u32,
        /// The page of these studies.
        link: Link,
    }

    /// The filter that the page's address names.
    struct ActiveFilter {
        /// `service`, `tech` or `sector`.
        kind: String,
        /// The entry's id.
        id: String,
    }

    /// A case study in a list.
    struct StudyCard {
        /// What was built.
        title: String,
        /// For whom.
        client: String,
        /// One or two sentences.
        description: String,
        /// Its largest number.
        metric: String,
        /// What that counts.
        metric_label: String,
        /// Its services, technologies and sectors by their ids, for the search.
        ids: Vec<String>,
        /// Names of its first sectors.
        sectors: Vec<String>,
        /// Its page.
        link: Link,
        /// Its picture.
        picture: Option<Picture>,
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
    /// Words of the list of case studies.
    CaseExplorerMessages {
        search_case_studies, search_label, filters, filter_service, filter_tech, filter_sector, services, technologies,
        sectors, clear_search, clear_filters, clear_all_filters, case_study_found, case_studies_found, filtered_by,
        no_case_studies, no_case_studies_hint,
    }
}

/// The list of case studies with its filters and its search.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CaseExplorer {
    /// The list without a filter.
    pub list: Link,
    /// What can be filtered by.
    pub groups: Vec<FilterGroup>,
    /// The filter that the page's address names.
    pub filter: Option<ActiveFilter>,
    /// The studies that pass that filter.
    pub studies: Vec<StudyCard>,
    /// Interface words.
    pub messages: CaseExplorerMessages,
}

impl super::Props for CaseExplorer {
    const MESSAGES: &'static [&'static str] = CaseExplorerMessages::KEYS;
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
