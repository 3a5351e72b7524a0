//! The props of each island. TypeScript's side, `react/generated/wire.ts`, is made from these structs by a test.

use serde::{Deserialize, Serialize};

use crate::leads::LeadLimits;
use crate::posts::{Pagination, Post};

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

mod style_guide;

pub use style_guide::{GuideCopy, GuideEntry, GuideGroup, GuideIcons, GuideSearch, GuideSwatches, GuideType, Swatch};

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
    struct LabeledLink {
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
        /// Class of the color that stands in until the picture is there.
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
        /// In the order of the catalog.
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
        sectors, clear, clear_filters, clear_all_filters, case_study_found, case_studies_found, filtered_by,
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
    pub links: Vec<LabeledLink>,
    /// The button beside them.
    pub action: LabeledLink,
    /// Interface words.
    pub messages: MenuMessages,
}

impl super::Props for Menu {
    const MESSAGES: &'static [&'static str] = MenuMessages::KEYS;
}

props! {
    /// A tag that a list of posts can be narrowed to.
    struct Topic {
        /// As readers see it.
        name: String,
        /// Its page; for the tag that is shown, the list of all posts.
        link: Link,
        /// The list shows this tag's posts.
        current: bool,
    }

    /// A page of a list by its number.
    struct NumberedPage {
        /// From 1.
        number: u32,
        /// Where it is.
        link: Link,
    }

    /// How a language writes a day.
    struct DateWords {
        /// With `{day}`, `{month}` and `{year}`.
        pattern: String,
        /// The names of the months.
        months: Vec<String>,
    }
}

messages! {
    /// Words of the list of posts.
    BlogExplorerMessages {
        topics, article, articles, search_articles, search_articles_label, clear, clear_search, show_all_articles,
        searching_articles, search_results, article_found, articles_found, load_more_articles, loading_more_articles,
        no_articles_title, no_articles, no_articles_for_query, cannot_search_articles, cannot_load_articles,
        something_went_wrong, try_again, by_author, recent, untitled_post, placeholder_result, placeholder_article,
        placeholder_excerpt, pages, page_number, previous, next,
    }
}

/// The list of posts with its tags and its search. Lists of the API and of the build are of one type.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BlogExplorer {
    /// The posts of this page.
    pub posts: Vec<Post>,
    /// Where this page stands.
    pub pagination: Pagination,
    /// The first and the last page of the list, and those around this one.
    pub pages: Vec<NumberedPage>,
    /// What the list is called.
    pub heading: String,
    /// HTML below the heading; empty when there is none.
    pub lead: String,
    /// The tags.
    pub topics: Vec<Topic>,
    /// The name of the tag that is shown.
    pub selected_tag: Option<String>,
    /// The same as the API names it.
    pub tag_slug: Option<String>,
    /// The list of all posts; posts lie below it.
    pub base: Link,
    /// Where the API answers for posts.
    pub api: String,
    /// The language that the API is asked for; none for the site's default one.
    pub lang: Option<String>,
    /// Who wrote what nobody is named for.
    pub team: String,
    /// How a day is written.
    pub dates: DateWords,
    /// Made-up posts stand in for what could not be fetched, in place of an error.
    pub placeholders: bool,
    /// The page came with an error in place of posts.
    pub error: bool,
    /// What it says.
    pub error_message: Option<String>,
    /// Interface words.
    pub messages: BlogExplorerMessages,
}

impl super::Props for BlogExplorer {
    const MESSAGES: &'static [&'static str] = BlogExplorerMessages::KEYS;
}

props! {
    /// A way to begin the lead form.
    struct LeadChoice {
        /// `help`, `create`, `advice`.
        id: String,
        /// SVG.
        icon: String,
        /// In a word or two.
        title: String,
        /// What it is for.
        text: String,
        /// What can be asked for.
        services: Vec<LeadService>,
    }

    /// Something that can be asked for.
    struct LeadService {
        /// Its name.
        id: String,
        /// SVG.
        icon: String,
        /// What it is called.
        title: String,
        /// What a visitor would say.
        request: String,
        /// What it is.
        description: String,
        /// Its page, when it has one.
        details: Option<Link>,
        /// Anchors of the form's address that choose it; choosing it writes the first one there.
        hashes: Vec<String>,
    }

    /// A kind of application.
    struct AppKind {
        /// As the API names it.
        id: String,
        /// As visitors see it.
        name: String,
    }

    /// The heading of a step.
    struct StepWords {
        /// In the line of steps.
        label: String,
        /// The heading itself.
        title: String,
        /// One or two sentences.
        text: String,
    }

    /// The heading of each step.
    struct LeadSteps {
        /// The first.
        choice: StepWords,
        /// The second.
        service: StepWords,
        /// The third.
        contact: StepWords,
        /// The fourth.
        project: StepWords,
        /// The last.
        success: StepWords,
    }

    /// What proves that a visitor is no program.
    struct Captcha {
        /// The provider's script.
        script: String,
        /// What the provider knows the site by.
        site_key: String,
        /// The language of the widget, where it is not the site's default one.
        language: Option<String>,
    }
}

messages! {
    /// Words of the lead form.
    LeadFormMessages {
        step_of, form_progress, step_done, we_recommend, continue_action, view_more_details, back, name, company,
        position, email, phone, required_mark, contact_note, has_app, has_app_yes, has_app_no, app_name, app_type, choose_app_type, app_description,
        app_description_hint, submit, submitting, submission_failed, failed_to_submit, network_error, offline, try_again,
        start_over, back_to_home, submit_another_request, fix_errors, enter_name, enter_contact, enter_valid_email,
        too_long, captcha_title, captcha_blocked, captcha_loading, captcha_expired, message_service, message_position, message_has_app,
        message_app_name, message_app_type, message_app_description, your_request, leave_empty, project_type,
    }
}

/// The lead form.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeadForm {
    /// The ways to begin.
    pub choices: Vec<LeadChoice>,
    /// Kinds of application.
    pub app_types: Vec<AppKind>,
    /// The heading of each step.
    pub steps: LeadSteps,
    /// How long each part may be.
    pub limits: LeadLimits,
    /// Where leads are sent.
    pub api: String,
    /// The site's language.
    pub locale: String,
    /// The header that names a submission.
    pub key_header: String,
    /// The header with what else the form noticed.
    pub signals_header: String,
    /// The field that no visitor sees.
    pub honeypot: String,
    /// The name of the time that the form was looked at.
    pub elapsed: String,
    /// What has to be solved.
    pub captcha: Captcha,
    /// Steps follow each other sooner.
    pub is_brisk: bool,
    /// The home page.
    pub home: Link,
    /// HTML: what becomes of what is typed.
    pub privacy: String,
    /// Where else the company can be reached.
    pub email: Option<String>,
    /// Where else the company can be reached.
    pub phone: Option<String>,
    /// Interface words.
    pub messages: LeadFormMessages,
}

impl super::Props for LeadForm {
    const MESSAGES: &'static [&'static str] = LeadFormMessages::KEYS;
}
