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

export type AppKind = {
/**
 * As the API names it.
 */
id: string,
/**
 * As visitors see it.
 */
name: string, };

export type AppType = "website" | "platform" | "app" | "workflow";

export type Author = {
/**
 * As readers see it.
 */
name: string,
/**
 * As addresses name it; empty for an author without a page.
 */
slug: string,
/**
 * Plain text.
 */
description: string,
/**
 * Addresses of the portrait by its size in CSS pixels.
 */
avatar_urls: AvatarUrls, };

export type AvatarUrls = {
/**
 * 96 CSS pixels wide.
 */
"96": string, };

export type BlogExplorer = {
/**
 * The posts of this page.
 */
posts: Array<Post>,
/**
 * Where this page stands.
 */
pagination: Pagination,
/**
 * The first and the last page of the list, and those around this one.
 */
pages: Array<NumberedPage>,
/**
 * What the list is called.
 */
heading: string,
/**
 * HTML below the heading; empty when there is none.
 */
lead: string,
/**
 * The tags.
 */
topics: Array<Topic>,
/**
 * The name of the tag that is shown.
 */
selectedTag: string | null,
/**
 * The same as the API names it.
 */
tagSlug: string | null,
/**
 * The list of all posts; posts lie below it.
 */
base: Link,
/**
 * Where the API answers for posts.
 */
api: string,
/**
 * The language that the API is asked for; none for the site's default one.
 */
lang: string | null,
/**
 * Who wrote what nobody is named for.
 */
team: string,
/**
 * How a day is written.
 */
dates: DateWords,
/**
 * Made-up posts stand in for what could not be fetched, in place of an error.
 */
placeholders: boolean,
/**
 * The page came with an error in place of posts.
 */
error: boolean,
/**
 * What it says.
 */
errorMessage: string | null,
/**
 * Interface words.
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
placeholderExcerpt: string,
/**
 * The word `pages`.
 */
pages: string,
/**
 * The word `page_number`.
 */
pageNumber: string,
/**
 * The word `previous`.
 */
previous: string,
/**
 * The word `next`.
 */
next: string, };

export type Captcha = {
/**
 * The provider's script.
 */
script: string,
/**
 * What the provider knows the site by.
 */
siteKey: string,
/**
 * The language of the widget, where it is not the site's default one.
 */
language: string | null, };

export type CaseExplorer = {
/**
 * The list without a filter.
 */
list: Link,
/**
 * What can be filtered by.
 */
groups: Array<FilterGroup>,
/**
 * The filter that the page's address names.
 */
filter: ActiveFilter | null,
/**
 * The studies that pass that filter.
 */
studies: Array<StudyCard>,
/**
 * Interface words.
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
 * The word `case_study_found`.
 */
caseStudyFound: string,
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

export type DateWords = {
/**
 * With `{day}`, `{month}` and `{year}`.
 */
pattern: string,
/**
 * The names of the months.
 */
months: Array<string>, };

export type Faq = {
/**
 * The group's name: opening one of a group closes the others.
 */
name: string,
/**
 * In their order.
 */
items: Array<Question>, };

export type FeaturedImage = {
/**
 * The address of its largest form.
 */
source_url: string,
/**
 * What it shows.
 */
alt_text: string,
/**
 * Its forms.
 */
media_details: MediaDetails, };

export type FilterEntry = {
/**
 * As addresses name it.
 */
id: string,
/**
 * As readers see it.
 */
name: string,
/**
 * How many studies have it.
 */
count: number,
/**
 * The page of these studies.
 */
link: Link, };

export type FilterGroup = {
/**
 * As addresses name it: `service`, `tech`, `sector`.
 */
kind: string,
/**
 * In the order of the catalog.
 */
entries: Array<FilterEntry>, };

export type GuideCopy = {
/**
 * The id of the text.
 */
target: string,
/**
 * What it is called.
 */
name: string,
/**
 * Interface words.
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
 * What the place is called.
 */
title: string,
/**
 * The page that it lies on, when that is called otherwise.
 */
page: string | null,
/**
 * The place's address.
 */
href: string,
/**
 * What can be found there beside the place itself.
 */
entries: Array<GuideEntry>, };

export type GuideIcons = {
/**
 * Their names.
 */
names: Array<string>,
/**
 * Interface words.
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
 * Where it is shown.
 */
groups: Array<GuideGroup>,
/**
 * Interface words.
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
 * Interface words.
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
 * What is set until somebody types.
 */
sample: string,
/**
 * The weights.
 */
weights: Array<string>,
/**
 * Interface words.
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
 * Addresses and their widths, as the attribute of that name has them.
 */
srcset: string, };

export type LabeledLink = {
/**
 * The words.
 */
label: string,
/**
 * Where they lead.
 */
link: Link, };

export type LeadAnswer = {
/**
 * The lead is stored, and cannot be lost any more.
 */
success: boolean,
/**
 * What went wrong, in the visitor's language.
 */
error: string | null,
/**
 * The same for programs.
 */
code: LeadErrorCode | null,
/**
 * The field that has to be mended.
 */
field: LeadField | null, };

export type LeadChoice = {
/**
 * `help`, `create`, `advice`.
 */
id: string,
/**
 * SVG.
 */
icon: string,
/**
 * In a word or two.
 */
title: string,
/**
 * What it is for.
 */
text: string,
/**
 * What can be asked for.
 */
services: Array<LeadService>, };

export type LeadErrorCode = "required" | "contact_required" | "invalid_email" | "too_long" | "invalid_choice" | "captcha_required" | "captcha_refused" | "bad_request" | "key_conflict" | "forbidden_origin" | "script_required" | "method_not_allowed" | "timeout" | "too_large" | "unsupported_media_type" | "rate_limited" | "unavailable";

export type LeadField = "name" | "email" | "company" | "phone" | "position" | "projectType" | "message" | "appName" | "appType" | "appDescription" | "recaptchaToken";

export type LeadForm = {
/**
 * The ways to begin.
 */
choices: Array<LeadChoice>,
/**
 * Kinds of application.
 */
appTypes: Array<AppKind>,
/**
 * The heading of each step.
 */
steps: LeadSteps,
/**
 * How long each part may be.
 */
limits: LeadLimits,
/**
 * Where leads are sent.
 */
api: string,
/**
 * The site's language.
 */
locale: string,
/**
 * The header that names a submission.
 */
keyHeader: string,
/**
 * The header with what else the form noticed.
 */
signalsHeader: string,
/**
 * The field that no visitor sees.
 */
honeypot: string,
/**
 * The name of the time that the form was looked at.
 */
elapsed: string,
/**
 * What has to be solved.
 */
captcha: Captcha,
/**
 * Steps follow each other sooner.
 */
isBrisk: boolean,
/**
 * The home page.
 */
home: Link,
/**
 * HTML: what becomes of what is typed.
 */
privacy: string,
/**
 * Where else the company can be reached.
 */
email: string | null,
/**
 * Where else the company can be reached.
 */
phone: string | null,
/**
 * Interface words.
 */
messages: LeadFormMessages, };

export type LeadFormMessages = {
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
 * The word `we_recommend`.
 */
weRecommend: string,
/**
 * The word `continue_action`.
 */
continueAction: string,
/**
 * The word `view_more_details`.
 */
viewMoreDetails: string,
/**
 * The word `back`.
 */
back: string,
/**
 * The word `name`.
 */
name: string,
/**
 * The word `company`.
 */
company: string,
/**
 * The word `position`.
 */
position: string,
/**
 * The word `email`.
 */
email: string,
/**
 * The word `phone`.
 */
phone: string,
/**
 * The word `required_mark`.
 */
requiredMark: string,
/**
 * The word `contact_note`.
 */
contactNote: string,
/**
 * The word `has_app`.
 */
hasApp: string,
/**
 * The word `has_app_yes`.
 */
hasAppYes: string,
/**
 * The word `has_app_no`.
 */
hasAppNo: string,
/**
 * The word `app_name`.
 */
appName: string,
/**
 * The word `app_type`.
 */
appType: string,
/**
 * The word `choose_app_type`.
 */
chooseAppType: string,
/**
 * The word `app_description`.
 */
appDescription: string,
/**
 * The word `app_description_hint`.
 */
appDescriptionHint: string,
/**
 * The word `submit`.
 */
submit: string,
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
 * The word `try_again`.
 */
tryAgain: string,
/**
 * The word `start_over`.
 */
startOver: string,
/**
 * The word `back_to_home`.
 */
backToHome: string,
/**
 * The word `submit_another_request`.
 */
submitAnotherRequest: string,
/**
 * The word `fix_errors`.
 */
fixErrors: string,
/**
 * The word `enter_name`.
 */
enterName: string,
/**
 * The word `enter_contact`.
 */
enterContact: string,
/**
 * The word `enter_valid_email`.
 */
enterValidEmail: string,
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
 * The word `message_service`.
 */
messageService: string,
/**
 * The word `message_position`.
 */
messagePosition: string,
/**
 * The word `message_has_app`.
 */
messageHasApp: string,
/**
 * The word `message_app_name`.
 */
messageAppName: string,
/**
 * The word `message_app_type`.
 */
messageAppType: string,
/**
 * The word `message_app_description`.
 */
messageAppDescription: string,
/**
 * The word `your_request`.
 */
yourRequest: string,
/**
 * The word `leave_empty`.
 */
leaveEmpty: string,
/**
 * The word `project_type`.
 */
projectType: string, };

export type LeadLimits = {
/**
 * Of `name`.
 */
name: number,
/**
 * Of `email`.
 */
email: number,
/**
 * Of `company`.
 */
company: number,
/**
 * Of `phone`.
 */
phone: number,
/**
 * Of the position in a company.
 */
position: number,
/**
 * Of `projectType`.
 */
projectType: number,
/**
 * Of `message`.
 */
message: number,
/**
 * Of `appName`.
 */
appName: number,
/**
 * Of `appDescription`.
 */
appDescription: number, };

export type LeadRequest = {
/**
 * Who asks. Required.
 */
name: string,
/**
 * This or the phone is required.
 */
email: string,
/**
 * The visitor's company.
 */
company: string,
/**
 * This or the e-mail address is required.
 */
phone: string,
/**
 * The title of the chosen service.
 */
projectType: string,
/**
 * Several lines, made by the form.
 */
message: string,
/**
 * What the solved captcha gave.
 */
recaptchaToken: string,
/**
 * The visitor's application, when there is one.
 */
appName?: string,
/**
 * What kind of application it is.
 */
appType?: AppType,
/**
 * What it does.
 */
appDescription?: string, };

export type LeadService = {
/**
 * Its name.
 */
id: string,
/**
 * SVG.
 */
icon: string,
/**
 * What it is called.
 */
title: string,
/**
 * What a visitor would say.
 */
request: string,
/**
 * What it is.
 */
description: string,
/**
 * Its page, when it has one.
 */
details: Link | null,
/**
 * Anchors of the form's address that choose it; choosing it writes the first one there.
 */
hashes: Array<string>, };

export type LeadSteps = {
/**
 * The first.
 */
choice: StepWords,
/**
 * The second.
 */
service: StepWords,
/**
 * The third.
 */
contact: StepWords,
/**
 * The fourth.
 */
project: StepWords,
/**
 * The last.
 */
success: StepWords, };

export type Link = {
/**
 * Where it leads.
 */
href: string,
/**
 * It leads to another site.
 */
external: boolean,
/**
 * The language of a target in another language than the page's.
 */
hreflang: string | null, };

export type MediaDetails = {
/**
 * Of the largest form, in pixels; 0 when it is not known.
 */
width: number,
/**
 * Of the largest form, in pixels; 0 when it is not known.
 */
height: number,
/**
 * The same picture in newer formats, for `<source>`.
 */
sources: Array<ImageSource>,
/**
 * By their names.
 */
sizes: Sizes, };

export type Menu = {
/**
 * The entries.
 */
links: Array<LabeledLink>,
/**
 * The button beside them.
 */
action: LabeledLink,
/**
 * Interface words.
 */
messages: MenuMessages, };

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

export type NumberedPage = {
/**
 * From 1.
 */
number: number,
/**
 * Where it is.
 */
link: Link, };

export type Pagination = {
/**
 * So many posts match.
 */
total: number,
/**
 * So many pages they fill; at least 1.
 */
total_pages: number,
/**
 * The number of this page, from 1.
 */
current_page: number,
/**
 * So many posts stand on a page.
 */
per_page: number, };

export type Picture = {
/**
 * The address for browsers that know nothing else.
 */
src: string,
/**
 * What it shows.
 */
alt: string,
/**
 * In pixels.
 */
width: number,
/**
 * In pixels.
 */
height: number,
/**
 * Class of the color that stands in until the picture is there.
 */
tint: string | null,
/**
 * Further forms.
 */
sources: Array<PictureSource>, };

export type PictureSource = {
/**
 * MIME type.
 */
mime: string,
/**
 * Addresses and their widths.
 */
srcset: string, };

export type Post = {
/**
 * Names the post in its language, for ever.
 */
id: string,
/**
 * Names the post in all languages: its translations have the same.
 */
key: string,
/**
 * Plain text.
 */
title: string,
/**
 * As addresses name it.
 */
slug: string,
/**
 * The address of its page, from the root of the site on.
 */
link: string,
/**
 * Local time without a zone, ISO 8601; none when it is not known.
 */
date: string | null,
/**
 * When it was last changed, in the same form.
 */
modified: string | null,
/**
 * HTML; empty unless it was asked for.
 */
content: string,
/**
 * Plain text.
 */
excerpt: string,
/**
 * Who wrote it.
 */
author: Author,
/**
 * Its picture.
 */
featured_image: FeaturedImage | null,
/**
 * The address of the cover that is drawn for a post without a picture.
 */
cover: string | null,
/**
 * Names of its tags.
 */
tags: Array<string>, };

export type PostsAnswer = {
/**
 * The posts of this page.
 */
posts: Array<Post>,
/**
 * Where this page stands.
 */
pagination: Pagination,
/**
 * Names of all tags of the language.
 */
categories: Array<string>, };

export type Question = {
/**
 * Plain text.
 */
question: string,
/**
 * HTML that the build made from Markdown.
 */
answer: string,
/**
 * It starts open.
 */
open: boolean, };

export type Size = {
/**
 * Its address.
 */
source_url: string, };

export type Sizes = {
/**
 * For a card.
 */
medium_large: Size | null,
/**
 * For the head of a post.
 */
large: Size | null, };

export type StepWords = {
/**
 * In the line of steps.
 */
label: string,
/**
 * The heading itself.
 */
title: string,
/**
 * One or two sentences.
 */
text: string, };

export type StudyCard = {
/**
 * What was built.
 */
title: string,
/**
 * For whom.
 */
client: string,
/**
 * One or two sentences.
 */
description: string,
/**
 * Its largest number.
 */
metric: string,
/**
 * What that counts.
 */
metricLabel: string,
/**
 * Its services, technologies and sectors by their ids, for the search.
 */
ids: Array<string>,
/**
 * Names of its first sectors.
 */
sectors: Array<string>,
/**
 * Its page.
 */
link: Link,
/**
 * Its picture.
 */
picture: Picture | null, };

export type Swatch = {
/**
 * Its name.
 */
label: string,
/**
 * As CSS writes it: `#F0FF64`.
 */
code: string,
/**
 * Its custom property: `--color-signal-400`.
 */
property: string,
/**
 * Red, green and blue: `240 255 100`.
 */
rgb: string,
/**
 * Shown larger than the others.
 */
highlighted: boolean,
/**
 * The color that the palette is named for.
 */
principal: boolean, };

export type Topic = {
/**
 * As readers see it.
 */
name: string,
/**
 * Its page; for the tag that is shown, the list of all posts.
 */
link: Link,
/**
 * The list shows this tag's posts.
 */
current: boolean, };

/** The props of every island, by its name. */
export interface Islands {
  "blog-explorer": BlogExplorer;
  "case-explorer": CaseExplorer;
  "faq": Faq;
  "guide-copy": GuideCopy;
  "guide-icons": GuideIcons;
  "guide-search": GuideSearch;
  "guide-swatches": GuideSwatches;
  "guide-type": GuideType;
  "lead-form": LeadForm;
  "menu": Menu;
}
