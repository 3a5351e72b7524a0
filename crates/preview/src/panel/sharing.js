// How Google, LinkedIn and WhatsApp show the page, with the limits at which they cut. The limits are what these services show
// today; none of them promises anything.

import { ask, h } from "./elements.js";

/** Pixels that Google gives a title of 20 px Arial, and a description of 14 px in two lines. */
const GOOGLE_TITLE = 580;
const GOOGLE_TEXT = 1080;
/** Letters that LinkedIn and WhatsApp show of a title. */
const LINKEDIN_TITLE = 119;
const WHATSAPP_TITLE = 80;
/** A description with fewer letters is often replaced by a text of the page. */
const MIN_TEXT = 50;
/** Pixels of a picture below which LinkedIn shows it as a small square. */
const [MIN_WIDTH, MIN_HEIGHT] = [1200, 627];
/** Bytes above which WhatsApp leaves out a picture. */
const MAX_PICTURE = 600_000;

const context = document.createElement("canvas").getContext("2d");

/** @typedef {ReturnType<typeof head>} Head */
/** @typedef {import("./elements.js").Child} Child */

/**
 * A text as it is shown in a width: whole words, then three dots.
 * @param {string} text
 * @param {string} font
 * @param {number} width
 */
export function cut(text, font, width) {
  if (!context) return text;
  context.font = font;
  if (context.measureText(text).width <= width) return text;
  const words = text.split(" ");
  while (words.length > 1 && context.measureText(`${words.join(" ")} ...`).width > width) words.pop();
  return `${words.join(" ")} ...`;
}

/**
 * @param {string} text
 * @param {number} most
 */
const letters = (text, most) => (text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`);

/** @param {string} name */
const meta = (name) =>
  document.head.querySelector(`meta[name="${name}"],meta[property="${name}"]`)?.getAttribute("content")?.trim() ?? "";

/** What the head of the page says. */
function head() {
  const link = document.head.querySelector("link[rel=canonical]");
  const canonical = link instanceof HTMLLinkElement ? link.href : location.href;
  const url = new URL(canonical);
  const picture = meta("og:image");
  const own = picture ? new URL(picture, canonical) : null;
  return {
    url,
    title: document.title.trim(),
    text: meta("description"),
    shared: meta("og:title") || document.title.trim(),
    sharedText: meta("og:description") || meta("description"),
    site: meta("og:site_name") || url.hostname,
    noindex: meta("robots").includes("noindex"),
    // The published site is elsewhere; its pictures have the same paths here.
    picture: own && own.origin === url.origin ? own.pathname : picture,
    isOwnPicture: Boolean(own && own.origin === url.origin),
    alt: meta("og:image:alt"),
    width: Number(meta("og:image:width")),
    height: Number(meta("og:image:height")),
    icon: [...document.head.querySelectorAll('link[rel="icon"]')].at(-1)?.getAttribute("href"),
  };
}

/**
 * @param {string[]} problems
 * @param {string} good
 */
function list(problems, good) {
  const items = problems.length > 0 ? problems : [good];
  return h(
    "ul",
    { class: problems.length > 0 ? "warn" : "warn good" },
    items.map((text) => h("li", {}, text)),
  );
}

/** @param {Head} page */
const image = (page) =>
  page.picture && page.isOwnPicture
    ? h("img", { src: page.picture, alt: page.alt, width: 1200, height: 627 })
    : h("div", { class: "none" }, page.picture ? `Image on another site: ${page.picture}` : "No image");

/** @param {Head} page */
function google(page) {
  const [title, text] = [cut(page.title, "20px Arial", GOOGLE_TITLE), cut(page.text, "14px Arial", GOOGLE_TEXT)];
  /** @type {string[]} */
  const problems = [];
  if (page.noindex) problems.push("The page has noindex, so Google doesn't show it.");
  if (!page.title) problems.push("There is no title.");
  if (title !== page.title) problems.push(`The title has ${page.title.length} characters, so its end is cut off.`);
  if (!page.text) problems.push("There is no description: Google uses text from the page.");
  else if (page.text.length < MIN_TEXT) problems.push(`The description has only ${page.text.length} characters.`);
  if (text !== page.text) problems.push(`The description has ${page.text.length} characters, so its end is cut off.`);
  const steps = decodeURI(page.url.pathname).split("/").filter(Boolean);
  const icon = page.icon ? h("img", { src: page.icon, alt: "" }) : h("span", { class: "dot" });
  const card = h(
    "div",
    { class: "card google" },
    h(
      "div",
      { class: "where" },
      icon,
      h("div", {}, h("p", { class: "site" }, page.site), h("p", {}, [page.url.origin, ...steps].join(" › "))),
    ),
    h("p", { class: "title" }, title),
    h("p", { class: "text" }, text),
  );
  return [h("h3", {}, "Google"), card, list(problems, "The title and description are shown in full.")];
}

/** @param {Head} page */
function linkedin(page) {
  /** @type {string[]} */
  const problems = [];
  if (!page.picture) problems.push("There is no image: LinkedIn shows a small card with text only.");
  else if (!page.width) problems.push("The image's size is not stated.");
  else if (page.width < MIN_WIDTH || page.height < MIN_HEIGHT)
    problems.push(
      `The image is ${page.width} × ${page.height} pixels; it is shown large only at ${MIN_WIDTH} × ${MIN_HEIGHT} or more.`,
    );
  if (page.shared.length > LINKEDIN_TITLE)
    problems.push(`The title has ${page.shared.length} characters, so its end is cut off.`);
  const words = h(
    "div",
    { class: "words" },
    h("p", { class: "title clamp" }, letters(page.shared, LINKEDIN_TITLE)),
    h("p", { class: "site" }, page.url.hostname),
  );
  return [
    h("h3", {}, "LinkedIn"),
    h("div", { class: "card linkedin" }, image(page), words),
    list(problems, "The image and title are shown in full."),
  ];
}

/**
 * @param {Head} page
 * @param {number} weight
 */
function whatsapp(page, weight) {
  /** @type {string[]} */
  const problems = [];
  if (!page.sharedText) problems.push("There is no description.");
  if (page.picture && !/\.(jpe?g|png|webp)$/i.test(page.picture)) problems.push("WhatsApp only shows JPEG, PNG and WebP images.");
  if (weight > MAX_PICTURE)
    problems.push(
      `The image is ${Math.round(weight / 1000)} kB; WhatsApp leaves out images larger than ${MAX_PICTURE / 1000} kB.`,
    );
  if (page.shared.length > WHATSAPP_TITLE)
    problems.push(`The title has ${page.shared.length} characters, so its end is cut off.`);
  const words = h(
    "div",
    { class: "words" },
    h("p", { class: "title clamp" }, letters(page.shared, WHATSAPP_TITLE)),
    h("p", { class: "text clamp" }, page.sharedText),
    h("p", { class: "site" }, page.url.hostname),
  );
  const bubble = h(
    "div",
    { class: "card whatsapp" },
    h("div", { class: "inner" }, page.picture ? image(page) : null, words),
    h("p", { class: "address" }, page.url.href),
  );
  return [h("h3", {}, "WhatsApp"), bubble, list(problems, "The image and text are shown.")];
}

/**
 * The tab.
 * @returns {Promise<Child[]>}
 */
export async function sharing() {
  const page = head();
  const asked = page.isOwnPicture ? await ask("weights", { body: { files: [page.picture] } }) : null;
  return [...google(page), ...linkedin(page), ...whatsapp(page, asked?.files[0]?.bytes ?? 0)];
}
