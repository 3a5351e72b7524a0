// The props of the islands and the answers of the API, made from the structs in src/islands/props.rs and src/wire/. Do not edit: `cargo test wire` writes it.

export type ActiveFilter = {
/**
 * `service`, `tech` or `sector`.
 */
kind: string,
/**
 * The entry's id.
 */
id: string, };

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
 * By their names.
 */
sizes: Sizes, };

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
