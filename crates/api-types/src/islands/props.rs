//! The props of each island. A test generates the TypeScript types in `react/generated/wire.ts` from these structs.

use serde::{Deserialize, Serialize};

use crate::posts::{Pagination, Post};

/// Defines the interface messages of an island: a struct of strings whose fields are keys of `content/locales/`.
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

/// Defines props that serialize in camelCase, reject unknown fields and have a TypeScript type.
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

mod site_form;
mod style_guide;

pub use site_form::{
    FormChoice, FormConsent, FormControl, FormEndpoint, FormKey, FormMessages, FormStep, SiteForm,
};
pub use style_guide::{
    GuideCopy, GuideEntry, GuideGroup, GuideIcons, GuideSearch, GuideSwatches, GuideType, Swatch,
};

props! {
    /// A link, resolved for the page's locale.
    struct Link {
        /// The URL of the target.
        href: String,
        /// Whether the target is on another site.
        external: bool,
        /// The target's language, if it differs from the page's.
        hreflang: Option<String>,
    }

    /// A link with its text.
    struct LabeledLink {
        /// The link text.
        label: String,
        /// The target.
        link: Link,
    }

    /// A picture with the variants that the build encoded.
    struct Picture {
        /// The URL of the fallback, for browsers that support none of `sources`.
        src: String,
        /// The alternative text.
        alt: String,
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// CSS classes: the color that is shown until the picture has loaded, and the point that stays in sight where
        /// the picture is cropped.
        classes: Option<String>,
        /// The `<source>` elements.
        sources: Vec<PictureSource>,
    }

    /// A picture in one format and several widths.
    struct PictureSource {
        /// MIME type.
        mime: String,
        /// The `srcset` attribute: URLs with their widths.
        srcset: String,
    }

    /// A filter of the case studies and its options.
    struct FilterGroup {
        /// Its name in URLs: `service`, `tech` or `sector`.
        kind: String,
        /// The options, in the order of the catalog.
        entries: Vec<FilterEntry>,
    }

    /// An option of a filter.
    struct FilterEntry {
        /// Its id in URLs.
        id: String,
        /// The displayed name.
        name: String,
        /// The number of studies that match it.
        count: u32,
        /// The page that lists these studies.
        link: Link,
    }

    /// The filter in the page's URL.
    struct ActiveFilter {
        /// `service`, `tech` or `sector`.
        kind: String,
        /// The entry's id.
        id: String,
    }

    /// A case study in a list.
    struct StudyCard {
        /// The title.
        title: String,
        /// The client's name.
        client: String,
        /// One or two sentences.
        description: String,
        /// The highlighted figure.
        metric: String,
        /// The label of the figure: the thing that it measures.
        metric_label: String,
        /// Ids of its services, technologies and sectors, for the search.
        ids: Vec<String>,
        /// Names of its first sectors.
        sectors: Vec<String>,
        /// The study's page.
        link: Link,
        /// The study's picture.
        picture: Option<Picture>,
    }

    /// A frame of another site that loads after a click.
    struct Embed {
        /// The address of the frame.
        src: String,
        /// The name of the frame.
        title: String,
        /// The label of the button that loads it.
        label: String,
    }

    /// A list of questions of which one is open at a time.
    struct Faq {
        /// The `name` of the group: opening one question closes the others in the group.
        name: String,
        /// The questions, in order.
        items: Vec<Question>,
    }

    /// A question and its answer.
    struct Question {
        /// Plain text.
        question: String,
        /// HTML that the build rendered from Markdown.
        answer: String,
        /// Whether it is open initially.
        open: bool,
    }
}

impl super::Props for Embed {
    const MESSAGES: &'static [&'static str] = &[];
}

impl super::Props for Faq {
    const MESSAGES: &'static [&'static str] = &[];
}

messages! {
    /// Interface messages of the list of case studies.
    CaseExplorerMessages {
        search_case_studies, search_label, filters, filter_service, filter_tech, filter_sector, services, technologies,
        sectors, clear, clear_filters, clear_all_filters, case_studies_found, filtered_by,
        no_case_studies, no_case_studies_hint,
    }
}

/// The list of case studies with its filters and its search.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CaseExplorer {
    /// The unfiltered list.
    pub list: Link,
    /// The filters.
    pub groups: Vec<FilterGroup>,
    /// The filter in the page's URL.
    pub filter: Option<ActiveFilter>,
    /// The studies that match the filter.
    pub studies: Vec<StudyCard>,
    /// Interface messages.
    pub messages: CaseExplorerMessages,
}

impl super::Props for CaseExplorer {
    const MESSAGES: &'static [&'static str] = CaseExplorerMessages::KEYS;
}

messages! {
    /// Interface messages of the search within a list.
    ListSearchMessages { clear, site_search_one, site_search_many, site_search_none }
}

/// The search within the list of a section.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListSearch {
    /// The label of its field.
    pub label: String,
    /// Interface messages.
    pub messages: ListSearchMessages,
}

impl super::Props for ListSearch {
    const MESSAGES: &'static [&'static str] = ListSearchMessages::KEYS;
}

/// An entry of the menu: a link, or a label with links below it. It is not declared with `props!` because pages without
/// groups have nothing of them in their HTML.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MenuItem {
    /// The label.
    pub label: String,
    /// The target of a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub link: Option<Link>,
    /// The links of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub children: Option<Vec<LabeledLink>>,
}

messages! {
    /// Interface messages of the menu.
    MenuMessages { menu, main_navigation, opens_external }
}

/// The site's menu and the button beside it. It is not declared with `props!` because it has interface messages.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Menu {
    /// The menu entries.
    pub links: Vec<MenuItem>,
    /// The button beside the menu.
    pub action: LabeledLink,
    /// Interface messages.
    pub messages: MenuMessages,
}

impl super::Props for Menu {
    const MESSAGES: &'static [&'static str] = MenuMessages::KEYS;
}

props! {
    /// The date format of a locale.
    struct DateWords {
        /// A pattern with `{day}`, `{month}` and `{year}`.
        pattern: String,
        /// The names of the months, January first.
        months: Vec<String>,
    }
}

messages! {
    /// Interface messages of the list of posts.
    BlogExplorerMessages {
        topics, article, articles, search_articles, search_articles_label, clear, clear_search, show_all_articles,
        searching_articles, search_results, article_found, articles_found, load_more_articles, loading_more_articles,
        no_articles_title, no_articles, no_articles_for_query, cannot_search_articles, cannot_load_articles,
        something_went_wrong, try_again, by_author, recent, untitled_post, placeholder_result, placeholder_article,
        placeholder_excerpt,
    }
}

/// The list of posts with its tags and its search. `posts` and `pagination` have the types of the API's response.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BlogExplorer {
    /// The posts of this page.
    pub posts: Vec<Post>,
    /// The position of this page in the list.
    pub pagination: Pagination,
    /// HTML of the links to the pages of the list; empty if it has one page.
    pub pages: String,
    /// The heading of the list.
    pub heading: String,
    /// HTML below the heading; may be empty.
    pub lead: String,
    /// HTML of the links to the tags, an item of a list each.
    pub topics: String,
    /// The name of the current tag.
    pub selected_tag: Option<String>,
    /// The slug of the current tag, for the API.
    pub tag_slug: Option<String>,
    /// The list of all posts. URLs of posts begin with it.
    pub base: Link,
    /// The URL of the posts API.
    pub api: String,
    /// The `lang` parameter for the API; `None` for the site's default language.
    pub lang: Option<String>,
    /// The author shown for posts without one.
    pub team: String,
    /// The date format.
    pub dates: DateWords,
    /// Whether to show placeholder posts instead of an error if a request fails.
    pub placeholders: bool,
    /// Whether the page was rendered with an error instead of posts.
    pub error: bool,
    /// The text of that error.
    pub error_message: Option<String>,
    /// Interface messages.
    pub messages: BlogExplorerMessages,
}

impl super::Props for BlogExplorer {
    const MESSAGES: &'static [&'static str] = BlogExplorerMessages::KEYS;
}

props! {
    /// The captcha widget.
    struct Captcha {
        /// The URL of the provider's script, or of the API's challenges if there is no interface. Empty without a captcha.
        script: String,
        /// The name of the script's interface, in `window`.
        interface: String,
        /// The parameter of the script's URL that sets the language; empty if the widget takes it.
        language_parameter: String,
        /// The site key, which the provider issued.
        site_key: String,
        /// The language of the widget, if it is not the site's default language.
        language: Option<String>,
    }
}
