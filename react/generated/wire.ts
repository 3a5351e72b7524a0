// The props of the islands, made from the structs in src/islands/props.rs. Do not edit: `cargo test wire` writes it.

export type Faq = {
/**
 * The group's name: opening one of a group closes the others.
 */
name: string,
/**
 * In their order.
 */
items: Array<Question>, };

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

/** The props of every island, by its name. */
export interface Islands {
  "faq": Faq;
  "menu": Menu;
}
