// The props of the islands and what they send, made from the structs in src/islands/props.rs and src/wire/. Do not edit: `cargo test wire` writes it.

export type ActiveFilter = {
/**
 * `service`, `tech` or `sector`.
 */
kind: string,
/**
 * The entry's id.
 */
id: string, };

export type AppType = "website" | "platform" | "app" | "workflow";

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
 * The word `clear_search`.
 */
clearSearch: string,
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

export type Faq = {
/**
 * The group's name: opening one of a group closes the others.
 */
name: string,
/**
 * In their order.
 */
items: Array<Question>, };

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
 * In the order of the catalogue.
 */
entries: Array<FilterEntry>, };

export type LabelledLink = {
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

export type LeadErrorCode = "required" | "contact_required" | "invalid_email" | "too_long" | "invalid_choice" | "captcha_required" | "captcha_refused" | "bad_request" | "key_conflict" | "forbidden_origin" | "script_required" | "method_not_allowed" | "timeout" | "too_large" | "unsupported_media_type" | "rate_limited" | "unavailable";

export type LeadField = "name" | "email" | "company" | "phone" | "position" | "projectType" | "message" | "appName" | "appType" | "appDescription" | "recaptchaToken";

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

export type Menu = {
/**
 * The entries.
 */
links: Array<LabelledLink>,
/**
 * The button beside them.
 */
action: LabelledLink,
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
 * Class of the colour that stands in until the picture is there.
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

/** The props of every island, by its name. */
export interface Islands {
  "case-explorer": CaseExplorer;
  "faq": Faq;
  "menu": Menu;
}
