// The props of the islands, what they send and what the API answers, made from the structs in crates/api-types/. Do not edit: `cargo test -p api-types` writes it.

export type ActiveFilter = {
/**
 * `service`, `tech` or `sector`.
 */
kind: string,
/**
 * The entry's id.
 */
id: string, };

export type AnswerType = "text" | "email" | "phone" | "date" | "number" | "choice" | "flag" | "reference" | "file";

export type Author = {
/**
 * Display name.
 */
name: string,
/**
 * Slug in the URL; empty for an author without a page.
 */
slug: string,
/**
 * Biography as plain text.
 */
description: string,
/**
 * URLs of the portrait by size in CSS pixels.
 */
avatar_urls: AvatarUrls, };

export type AvatarUrls = {
/**
 * The portrait for a width of 96 CSS pixels.
 */
"96": string, };

export type BlogExplorer = {
/**
 * The posts of this page.
 */
posts: Array<Post>,
/**
 * The position of this page in the list.
 */
pagination: Pagination,
/**
 * HTML of the links to the pages of the list; empty if it has one page.
 */
pages: string,
/**
 * The heading of the list.
 */
heading: string,
/**
 * HTML below the heading; may be empty.
 */
lead: string,
/**
 * HTML of the links to the tags, an item of a list each.
 */
topics: string,
/**
 * The name of the current tag.
 */
selectedTag: string | null,
/**
 * The slug of the current tag, for the API.
 */
tagSlug: string | null,
/**
 * The list of all posts. URLs of posts begin with it.
 */
base: Link,
/**
 * The URL of the posts API.
 */
api: string,
/**
 * The `lang` parameter for the API; `None` for the site's default language.
 */
lang: string | null,
/**
 * The author shown for posts without one.
 */
team: string,
/**
 * The date format.
 */
dates: DateWords,
/**
 * Whether to show placeholder posts instead of an error if a request fails.
 */
placeholders: boolean,
/**
 * Whether the page was rendered with an error instead of posts.
 */
error: boolean,
/**
 * The text of that error.
 */
errorMessage: string | null,
/**
 * Interface messages.
 */
messages: BlogExplorerMessages, };

export type BlogExplorerMessages = {
/**
 * The word `topics`.
 */
topics: string,
/**
 * The word `article`.
 */
article: string,
/**
 * The word `articles`.
 */
articles: string,
/**
 * The word `search_articles`.
 */
searchArticles: string,
/**
 * The word `search_articles_label`.
 */
searchArticlesLabel: string,
/**
 * The word `clear`.
 */
clear: string,
/**
 * The word `clear_search`.
 */
clearSearch: string,
/**
 * The word `show_all_articles`.
 */
showAllArticles: string,
/**
 * The word `searching_articles`.
 */
searchingArticles: string,
/**
 * The word `search_results`.
 */
searchResults: string,
/**
 * The word `article_found`.
 */
articleFound: string,
/**
 * The word `articles_found`.
 */
articlesFound: string,
/**
 * The word `load_more_articles`.
 */
loadMoreArticles: string,
/**
 * The word `loading_more_articles`.
 */
loadingMoreArticles: string,
/**
 * The word `no_articles_title`.
 */
noArticlesTitle: string,
/**
 * The word `no_articles`.
 */
noArticles: string,
/**
 * The word `no_articles_for_query`.
 */
noArticlesForQuery: string,
/**
 * The word `cannot_search_articles`.
 */
cannotSearchArticles: string,
/**
 * The word `cannot_load_articles`.
 */
cannotLoadArticles: string,
/**
 * The word `something_went_wrong`.
 */
somethingWentWrong: string,
/**
 * The word `try_again`.
 */
tryAgain: string,
/**
 * The word `by_author`.
 */
byAuthor: string,
/**
 * The word `recent`.
 */
recent: string,
/**
 * The word `untitled_post`.
 */
untitledPost: string,
/**
 * The word `placeholder_result`.
 */
placeholderResult: string,
/**
 * The word `placeholder_article`.
 */
placeholderArticle: string,
/**
 * The word `placeholder_excerpt`.
 */
placeholderExcerpt: string, };

export type Captcha = {
/**
 * The URL of the provider's script, or of the API's challenges if there is no interface. Empty without a captcha.
 */
script: string,
/**
 * The name of the script's interface, in `window`.
 */
interface: string,
/**
 * The parameter of the script's URL that sets the language; empty if the widget takes it.
 */
languageParameter: string,
/**
 * The site key, which the provider issued.
 */
siteKey: string,
/**
 * The language of the widget, if it is not the site's default language.
 */
language: string | null, };

export type CaseExplorer = {
/**
 * The unfiltered list.
 */
list: Link,
/**
 * The filters.
 */
groups: Array<FilterGroup>,
/**
 * The filter in the page's URL.
 */
filter: ActiveFilter | null,
/**
 * The studies that match the filter.
 */
studies: Array<StudyCard>,
/**
 * Interface messages.
 */
messages: CaseExplorerMessages, };

export type CaseExplorerMessages = {
/**
 * The word `search_case_studies`.
 */
searchCaseStudies: string,
/**
 * The word `search_label`.
 */
searchLabel: string,
/**
 * The word `filters`.
 */
filters: string,
/**
 * The word `filter_service`.
 */
filterService: string,
/**
 * The word `filter_tech`.
 */
filterTech: string,
/**
 * The word `filter_sector`.
 */
filterSector: string,
/**
 * The word `services`.
 */
services: string,
/**
 * The word `technologies`.
 */
technologies: string,
/**
 * The word `sectors`.
 */
sectors: string,
/**
 * The word `clear`.
 */
clear: string,
/**
 * The word `clear_filters`.
 */
clearFilters: string,
/**
 * The word `clear_all_filters`.
 */
clearAllFilters: string,
/**
 * The word `case_studies_found`.
 */
caseStudiesFound: string,
/**
 * The word `filtered_by`.
 */
filteredBy: string,
/**
 * The word `no_case_studies`.
 */
noCaseStudies: string,
/**
 * The word `no_case_studies_hint`.
 */
noCaseStudiesHint: string, };

export type ChoicesBy = {
/**
 * The name of the other field, a choice or a reference.
 */
field: string,
/**
 * The choices by its values. A value without an entry offers none.
 */
choices: { [key in string]: Array<string> }, };

export type Condition = {
/**
 * The name of the field.
 */
field: string,
/**
 * The values; of a flag `true` or `false`. [`ANY`] stands for every value.
 */
values: Array<string>, };

export type DateWords = {
/**
 * A pattern with `{day}`, `{month}` and `{year}`.
 */
pattern: string,
/**
 * The names of the months, January first.
 */
months: Array<string>, };

export type Embed = {
/**
 * The address of the frame.
 */
src: string,
/**
 * The name of the frame.
 */
title: string,
/**
 * The label of the button that loads it.
 */
label: string, };

export type Faq = {
/**
 * The `name` of the group: opening one question closes the others in the group.
 */
name: string,
/**
 * The questions, in order.
 */
items: Array<Question>, };

export type FeaturedImage = {
/**
 * URL of the largest variant.
 */
source_url: string,
/**
 * Alternative text.
 */
alt_text: string,
/**
 * Size and variants.
 */
media_details: MediaDetails,
/**
 * The point that stays in sight where a layout crops it: shares of its width from the left and of its height from
 * the top, 0 to 1. Absent for the middle.
 */
focus?: [number, number], };

export type FilterEntry = {
/**
 * Its id in URLs.
 */
id: string,
/**
 * The displayed name.
 */
name: string,
/**
 * The number of studies that match it.
 */
count: number,
/**
 * The page that lists these studies.
 */
link: Link, };

export type FilterGroup = {
/**
 * Its name in URLs: `service`, `tech` or `sector`.
 */
kind: string,
/**
 * The options, in the order of the catalog.
 */
entries: Array<FilterEntry>, };

export type FormAnswer = {
/**
 * Whether the answer is stored durably.
 */
success: boolean,
/**
 * The error message in the visitor's language.
 */
error: string | null,
/**
 * The error code, for programs.
 */
code: LeadErrorCode | null,
/**
 * The messages for fields by name, in the visitor's language.
 */
errors: { [key in string]: string }, };

export type FormChoice = {
/**
 * The value.
 */
value: string,
/**
 * Its name for visitors.
 */
label: string,
/**
 * A sentence below the name, on a card.
 */
text: string | null,
/**
 * The icon of a card as SVG.
 */
icon: string | null,
/**
 * The text that is shown once it is chosen, as HTML.
 */
preview: string | null,
/**
 * The fragments of the page's address that choose it.
 */
anchors: Array<string>, };

export type FormConsent = {
/**
 * Its name.
 */
name: string,
/**
 * The words as HTML.
 */
html: string,
/**
 * The hash of the words, which is sent.
 */
hash: string, };

export type FormControl = {
/**
 * Its name.
 */
name: string,
/**
 * The key of the call that the form makes, if that is not its name.
 */
key?: string,
/**
 * Set if the call does not hold it.
 */
unsent?: boolean,
/**
 * Set if the call has the labels of its choices, and not their values.
 */
labelled?: boolean,
/**
 * The type of its value.
 */
takes: AnswerType,
/**
 * Its name for visitors.
 */
label: string,
/**
 * How to fill it in.
 */
hint: string | null,
/**
 * The message if it is wrong, in place of those in `errors` of the form.
 */
error: string | null,
/**
 * The messages by error code, in place of both.
 */
mistakes?: { [key in string]: string },
/**
 * Whether it must have a value while it is shown.
 */
required: boolean,
/**
 * Whether it takes several of its choices.
 */
list: boolean,
/**
 * The height of a text of several lines.
 */
lines: number | null,
/**
 * The least number or day, or `today`.
 */
min: string | null,
/**
 * The greatest number or day, or `today`.
 */
max: string | null,
/**
 * The most characters, or the most bytes of a file.
 */
most: number,
/**
 * A regular expression that the whole text matches.
 */
pattern: string | null,
/**
 * The types of files that it takes, separated by commas.
 */
accept: string | null,
/**
 * The choices that it offers.
 */
choices: Array<FormChoice>,
/**
 * It is shown while each of these fields has one of these values.
 */
shownWhen: Array<Condition>,
/**
 * It takes only the choices that the answer to another field offers, and is shown while there are some.
 */
choicesBy: ChoicesBy | null,
/**
 * How browsers fill it in.
 */
autocomplete: string | null,
/**
 * The choice that is made at first.
 */
default?: string,
/**
 * The words of a menu in which nothing is chosen.
 */
unchosen?: string,
/**
 * How its choices are shown. Otherwise a menu, and those of a list as boxes to tick.
 */
look: "buttons" | "cards" | "radios" | null,
/**
 * The parameter of the page's address that fills it in.
 */
fromQuery: string | null, };

export type FormKey = {
/**
 * The key.
 */
name: string,
/**
 * Whether it is sent only with a value.
 */
optional: boolean, };

export type FormMessages = {
/**
 * The word `required_mark`.
 */
requiredMark: string,
/**
 * The word `submitting`.
 */
submitting: string,
/**
 * The word `submission_failed`.
 */
submissionFailed: string,
/**
 * The word `failed_to_submit`.
 */
failedToSubmit: string,
/**
 * The word `network_error`.
 */
networkError: string,
/**
 * The word `offline`.
 */
offline: string,
/**
 * The word `fix_errors`.
 */
fixErrors: string,
/**
 * The word `too_long`.
 */
tooLong: string,
/**
 * The word `captcha_title`.
 */
captchaTitle: string,
/**
 * The word `captcha_blocked`.
 */
captchaBlocked: string,
/**
 * The word `captcha_loading`.
 */
captchaLoading: string,
/**
 * The word `captcha_expired`.
 */
captchaExpired: string,
/**
 * The word `leave_empty`.
 */
leaveEmpty: string,
/**
 * The word `step_of`.
 */
stepOf: string,
/**
 * The word `form_progress`.
 */
formProgress: string,
/**
 * The word `step_done`.
 */
stepDone: string,
/**
 * The word `continue_action`.
 */
continueAction: string,
/**
 * The word `back`.
 */
back: string,
/**
 * The word `try_again`.
 */
tryAgain: string,
/**
 * The word `start_over`.
 */
startOver: string, };

export type FormStep = {
/**
 * The names of its fields, in order.
 */
fields: Array<string>,
/**
 * Its name in the list of steps.
 */
label: string,
/**
 * Its heading.
 */
title: string,
/**
 * The text below the heading, as HTML; can be empty.
 */
text: string,
/**
 * The text below the fields, as HTML.
 */
note?: string, };

export type FormUploads = {
/**
 * Always true.
 */
success: boolean,
/**
 * An upload for each file, in the order of the request. None if the API takes the files itself, with the form.
 */
uploads: Array<SignedUpload>, };

export type GuideCopy = {
/**
 * The id of the element with the text.
 */
target: string,
/**
 * The name of the text.
 */
name: string,
/**
 * Interface messages.
 */
messages: GuideCopyMessages, };

export type GuideCopyMessages = {
/**
 * The word `copy_code`.
 */
copyCode: string,
/**
 * The word `copied`.
 */
copied: string,
/**
 * The word `cannot_copy`.
 */
cannotCopy: string, };

export type GuideEntry = [string, string, string];

export type GuideGroup = {
/**
 * The title of the section.
 */
title: string,
/**
 * The title of its page, if it differs.
 */
page: string | null,
/**
 * The URL of the section.
 */
href: string,
/**
 * The entries in the section.
 */
entries: Array<GuideEntry>, };

export type GuideIcons = {
/**
 * The names of the icons.
 */
names: Array<string>,
/**
 * Interface messages.
 */
messages: GuideIconsMessages, };

export type GuideIconsMessages = {
/**
 * The word `filter_icons`.
 */
filterIcons: string,
/**
 * The word `filter_icons_label`.
 */
filterIconsLabel: string,
/**
 * The word `clear`.
 */
clear: string,
/**
 * The word `icon_linear`.
 */
iconLinear: string,
/**
 * The word `icon_filled`.
 */
iconFilled: string,
/**
 * The word `copy_name`.
 */
copyName: string,
/**
 * The word `copy_svg`.
 */
copySvg: string,
/**
 * The word `copied`.
 */
copied: string,
/**
 * The word `cannot_copy`.
 */
cannotCopy: string,
/**
 * The word `icons_found`.
 */
iconsFound: string,
/**
 * The word `no_icons`.
 */
noIcons: string, };

export type GuideSearch = {
/**
 * The entries, grouped by section.
 */
groups: Array<GuideGroup>,
/**
 * Interface messages.
 */
messages: GuideSearchMessages, };

export type GuideSearchMessages = {
/**
 * The word `search_guide`.
 */
searchGuide: string,
/**
 * The word `search_guide_label`.
 */
searchGuideLabel: string,
/**
 * The word `clear`.
 */
clear: string,
/**
 * The word `guide_result`.
 */
guideResult: string,
/**
 * The word `guide_results`.
 */
guideResults: string,
/**
 * The word `guide_no_results`.
 */
guideNoResults: string,
/**
 * The word `guide_no_results_hint`.
 */
guideNoResultsHint: string,
/**
 * The word `guide_keys`.
 */
guideKeys: string, };

export type GuideSwatches = {
/**
 * The colors.
 */
swatches: Array<Swatch>,
/**
 * Interface messages.
 */
messages: GuideSwatchesMessages, };

export type GuideSwatchesMessages = {
/**
 * The word `copy_as`.
 */
copyAs: string,
/**
 * The word `copy_hex`.
 */
copyHex: string,
/**
 * The word `copy_variable`.
 */
copyVariable: string,
/**
 * The word `copy_rgb`.
 */
copyRgb: string,
/**
 * The word `copied`.
 */
copied: string,
/**
 * The word `cannot_copy`.
 */
cannotCopy: string,
/**
 * The word `principal_color`.
 */
principalColor: string, };

export type GuideType = {
/**
 * The name of the typeface's token.
 */
font: string,
/**
 * The initial sample text.
 */
sample: string,
/**
 * The weights.
 */
weights: Array<string>,
/**
 * Interface messages.
 */
messages: GuideTypeMessages, };

export type GuideTypeMessages = {
/**
 * The word `specimen_label`.
 */
specimenLabel: string,
/**
 * The word `weight`.
 */
weight: string, };

export type ImageSource = {
/**
 * MIME type.
 */
mime: string,
/**
 * The `srcset` attribute: URLs with their widths.
 */
srcset: string, };

export type LabeledLink = {
/**
 * The link text.
 */
label: string,
/**
 * The target.
 */
link: Link, };

export type LeadErrorCode = "required" | "contact_required" | "invalid_email" | "too_long" | "invalid_value" | "out_of_range" | "upload_missing" | "one_required" | "invalid_choice" | "captcha_required" | "captcha_refused" | "bad_request" | "key_conflict" | "forbidden_origin" | "script_required" | "method_not_allowed" | "timeout" | "too_large" | "unsupported_media_type" | "rate_limited" | "unavailable";

export type Link = {
/**
 * The URL of the target.
 */
href: string,
/**
 * Whether the target is on another site.
 */
external: boolean,
/**
 * The target's language, if it differs from the page's.
 */
hreflang: string | null, };

export type ListSearch = {
/**
 * The label of its field.
 */
label: string,
/**
 * Interface messages.
 */
messages: ListSearchMessages, };

export type ListSearchMessages = {
/**
 * The word `clear`.
 */
clear: string,
/**
 * The word `site_search_one`.
 */
siteSearchOne: string,
/**
 * The word `site_search_many`.
 */
siteSearchMany: string,
/**
 * The word `site_search_none`.
 */
siteSearchNone: string, };

export type MediaDetails = {
/**
 * Width of the largest variant in pixels; 0 if unknown.
 */
width: number,
/**
 * Height of the largest variant in pixels; 0 if unknown.
 */
height: number,
/**
 * Variants in other formats, for `<source>` elements.
 */
sources: Array<ImageSource>,
/**
 * Variants by name.
 */
sizes: Sizes, };

export type Menu = {
/**
 * The menu entries.
 */
links: Array<MenuItem>,
/**
 * The button beside the menu.
 */
action: LabeledLink,
/**
 * Interface messages.
 */
messages: MenuMessages, };

export type MenuItem = {
/**
 * The label.
 */
label: string,
/**
 * The target of a link.
 */
link?: Link,
/**
 * The links of a group.
 */
children?: Array<LabeledLink>, };

export type MenuMessages = {
/**
 * The word `menu`.
 */
menu: string,
/**
 * The word `main_navigation`.
 */
mainNavigation: string,
/**
 * The word `opens_external`.
 */
opensExternal: string, };

export type Pagination = {
/**
 * The number of posts that match.
 */
total: number,
/**
 * The number of pages; at least 1.
 */
total_pages: number,
/**
 * The number of this page, starting at 1.
 */
current_page: number,
/**
 * The number of posts per page.
 */
per_page: number, };

export type Picture = {
/**
 * The URL of the fallback, for browsers that support none of `sources`.
 */
src: string,
/**
 * The alternative text.
 */
alt: string,
/**
 * Width in pixels.
 */
width: number,
/**
 * Height in pixels.
 */
height: number,
/**
 * CSS classes: the color that is shown until the picture has loaded, and the point that stays in sight where
 * the picture is cropped.
 */
classes: string | null,
/**
 * The `<source>` elements.
 */
sources: Array<PictureSource>, };

export type PictureSource = {
/**
 * MIME type.
 */
mime: string,
/**
 * The `srcset` attribute: URLs with their widths.
 */
srcset: string, };

export type Post = {
/**
 * Stable id of the post, unique within its language.
 */
id: string,
/**
 * Id shared by all translations of the post.
 */
key: string,
/**
 * Title as plain text.
 */
title: string,
/**
 * Slug in the URL.
 */
slug: string,
/**
 * Root-relative URL of the post's page.
 */
link: string,
/**
 * Publication time: local time without a zone, ISO 8601. `null` if unknown.
 */
date: string | null,
/**
 * Time of the last change, in the format of `date`.
 */
modified: string | null,
/**
 * Body as HTML; empty unless requested with `content=full`.
 */
content: string,
/**
 * Excerpt as plain text.
 */
excerpt: string,
/**
 * The author.
 */
author: Author,
/**
 * The post's picture.
 */
featured_image: FeaturedImage | null,
/**
 * Root-relative URL of the cover that the build draws for a post without a picture.
 */
cover: string | null,
/**
 * Names of the tags.
 */
tags: Array<string>, };

export type PostsAnswer = {
/**
 * The posts of this page.
 */
posts: Array<Post>,
/**
 * The position of this page in the list.
 */
pagination: Pagination,
/**
 * The names of all tags in the language.
 */
categories: Array<string>, };

export type Question = {
/**
 * Plain text.
 */
question: string,
/**
 * HTML that the build rendered from Markdown.
 */
answer: string,
/**
 * Whether it is open initially.
 */
open: boolean, };

export type SignedUpload = {
/**
 * The address of a `POST` as `multipart/form-data`.
 */
url: string,
/**
 * The fields of this request. The last one, `file`, is the file.
 */
fields: { [key in string]: string },
/**
 * The value of the form's field, once the file is sent.
 */
token: string, };

export type SiteForm = {
/**
 * Its name.
 */
name: string,
/**
 * Its id on the page.
 */
id: string,
/**
 * The URL that it is sent to.
 */
action: string,
/**
 * The page's language.
 */
locale: string,
/**
 * The path of the page.
 */
page: string,
/**
 * The version of the form.
 */
version: string,
/**
 * Its fields, in order.
 */
fields: Array<FormControl>,
/**
 * Its steps, in order; none if it is on one page.
 */
steps: Array<FormStep>,
/**
 * Whether the tab keeps what was entered until it is sent.
 */
draft: boolean,
/**
 * The names of the fields whose answers stand above each later step.
 */
summary: Array<string>,
/**
 * Whether it scrolls to the next step without delay.
 */
isBrisk: boolean,
/**
 * The consents that the visitor must give.
 */
consents: Array<FormConsent>,
/**
 * Groups of fields, of each of which one must have a value.
 */
requireOneOf: Array<Array<string>>,
/**
 * The captcha, if it is sent with one.
 */
captcha: Captcha | null,
/**
 * The words of the button.
 */
submit: string,
/**
 * The heading once the answer is stored.
 */
successTitle: string,
/**
 * The text about the next steps, as HTML.
 */
successText: string,
/**
 * A drawing above that heading as SVG.
 */
drawing: string | null,
/**
 * The words of a button that empties the form after that.
 */
again: string | null,
/**
 * The message for each error code.
 */
errors: { [key in string]: string },
/**
 * The name of the header with the idempotency key.
 */
keyHeader: string,
/**
 * The name of the header with what is known beside the fields.
 */
signalsHeader: string,
/**
 * The company's email address.
 */
email: string | null,
/**
 * The company's phone number.
 */
phone: string | null,
/**
 * Interface messages.
 */
messages: FormMessages, } & ({ "endpoint": "leads",
/**
 * The template of the message: a line for each `{field}` with an answer.
 */
message: string,
/**
 * The other keys.
 */
keys: Array<FormKey>, } | { "endpoint": "forms",
/**
 * The URL that is asked where to send files, if browsers send them by themselves.
 */
uploads: string | null, });

export type Size = {
/**
 * URL of the variant.
 */
source_url: string, };

export type Sizes = {
/**
 * The variant for a card.
 */
medium_large: Size | null,
/**
 * The variant for the header of a post.
 */
large: Size | null, };

export type StudyCard = {
/**
 * The title.
 */
title: string,
/**
 * The client's name.
 */
client: string,
/**
 * One or two sentences.
 */
description: string,
/**
 * The highlighted figure.
 */
metric: string,
/**
 * The label of the figure: the thing that it measures.
 */
metricLabel: string,
/**
 * Ids of its services, technologies and sectors, for the search.
 */
ids: Array<string>,
/**
 * Names of its first sectors.
 */
sectors: Array<string>,
/**
 * The study's page.
 */
link: Link,
/**
 * The study's picture.
 */
picture: Picture | null, };

export type Swatch = {
/**
 * The color's name.
 */
label: string,
/**
 * The hex value: `#F0FF64`.
 */
code: string,
/**
 * The custom property: `--color-signal-400`.
 */
property: string,
/**
 * Red, green and blue: `240 255 100`.
 */
rgb: string,
/**
 * Whether it is shown larger than the others.
 */
highlighted: boolean,
/**
 * Whether the palette is named after it.
 */
principal: boolean, };

/** The props of every island, by its name. */
export interface Islands {
  "blog-explorer": BlogExplorer;
  "case-explorer": CaseExplorer;
  "embed": Embed;
  "faq": Faq;
  "form": SiteForm;
  "form-steps": SiteForm;
  "guide-copy": GuideCopy;
  "guide-icons": GuideIcons;
  "guide-search": GuideSearch;
  "guide-swatches": GuideSwatches;
  "guide-type": GuideType;
  "list-search": ListSearch;
  "menu": Menu;
}
