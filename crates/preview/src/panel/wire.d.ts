// What the server tells the scripts of the preview, made from the structs in crates/preview/src/. Do not edit: `cargo test -p preview wire_types` writes it.

export type BudgetsPart = { html: number | null, css: number | null, script: number | null, islands: number | null, };

export type LastSave = {
/**
 * The files that were saved, below the folder of the site. Empty for the build at the start.
 */
files: Array<string>,
/**
 * The pages that were rendered, by address.
 */
pages: Array<SavedPage>,
/**
 * How many pages were rendered; not all of them may be listed.
 */
rendered: number,
/**
 * How many pages there are.
 */
total: number, };

export type Link = {
/**
 * The path below the folder of the site.
 */
path: string,
/**
 * From 1; `None` for the whole file.
 */
line: number | null,
/**
 * From 1, in characters.
 */
column: number | null,
/**
 * The text of the line.
 */
text: string | null,
/**
 * The address that opens it; `None` without an editor, and for what is no file of the site.
 */
url: string | null, };

export type PageAnswer = {
/**
 * `None` for an address that is no page, such as that of an error page.
 */
page: PagePart | null,
/**
 * The warnings of the last build: those about files of the page first.
 */
problems: Array<ProblemPart>,
/**
 * How many of them are about the page.
 */
own_problems: number,
/**
 * The translations of the page that are out of date.
 */
stale: Array<ProblemPart>, unpublished: Array<UnpublishedPart>,
/**
 * Whether drafts and scheduled posts are shown.
 */
shows_drafts: boolean,
/**
 * The address of the published site, without a slash at its end.
 */
base_url: string, };

export type PagePart = { key: string, locale: string, kind: string, files: Array<Link>, remote: string | null, state: StatePart | null,
/**
 * Language and address of each.
 */
translations: Array<[string, string]>,
/**
 * The languages that the page lacks.
 */
missing: Array<string>, };

export type PageSource = {
/**
 * Its HTML with marks; empty for an address that is no page of the site.
 */
html: string,
/**
 * Where the marked texts are written, by the numbers of their marks.
 */
places: { [key in number]: Link },
/**
 * The templates of its sections that the site has, in the order of the sections.
 */
templates: Array<Link | null>,
/**
 * The files of the page.
 */
files: Array<Link>,
/**
 * The address of its post in the CMS.
 */
remote: string | null, };

export type PanelWeight = { bytes: number | null,
/**
 * Compressed with brotli; as it is for formats that are compressed already.
 */
sent: number | null, };

export type ProblemPart = { is_error: boolean, code: string, message: string, hint: string | null, place: Link | null, };

export type SavedPage = {
/**
 * As a browser has it, with the base path.
 */
address: string, reasons: Array<string>, };

export type StatePart = { name: string, at: string | null, };

export type UnpublishedPart = { title: string, locale: string, state: StatePart, file: Link,
/**
 * Its address in the preview, if it is shown.
 */
address: string | null, };

export type Weights = { files: Array<PanelWeight>, budgets: BudgetsPart, };
