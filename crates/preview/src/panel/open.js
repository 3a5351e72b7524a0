// Opens the source of what is clicked with Alt, or of what has the focus with Alt and O. While Alt is held, an outline shows
// what would open, and after a moment where it is written.

import { elementOf, locate, targetAt } from "./clicked.js";
import { copy, h, written } from "./elements.js";

/** Milliseconds for which the pointer rests before the place is looked up. */
const REST = 250;

/** @typedef {import("./clicked.js").Answer} Answer */
/** @typedef {import("./clicked.js").Target} Target */

/**
 * Opens an address of the editor, which leaves the page as it is.
 * @param {string} url
 */
function openEditor(url) {
  const link = h("a", { href: url });
  link.click();
}

/**
 * @param {ShadowRoot} root
 * @param {{ notify: import("./elements.js").Notify, show: (answer: Answer) => void, host: Element }} panel
 */
export function listen(root, { notify, show, host }) {
  const label = h("span", { class: "label" });
  const outline = h("div", { class: "outline", hidden: true, "aria-hidden": "true" }, label);
  root.append(outline);
  let [alt, picking] = [false, false];
  /** @type {Element | null} */
  let under = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** @param {Event} event */
  const isOwn = (event) => event.composedPath().includes(host);
  const hide = () => {
    clearTimeout(timer);
    outline.hidden = true;
    under = null;
  };
  /** @param {PointerEvent} event */
  const draw = (event) => {
    if (!(event.target instanceof Element) || isOwn(event)) return hide();
    const target = targetAt(event.target, event.clientX, event.clientY);
    const element = elementOf(target);
    if (!element || element === under) return;
    under = element;
    clearTimeout(timer);
    label.textContent = "";
    const box = element.getBoundingClientRect();
    outline.hidden = false;
    Object.assign(outline.style, {
      left: `${box.left}px`,
      top: `${box.top}px`,
      width: `${box.width}px`,
      height: `${box.height}px`,
    });
    outline.classList.toggle("low", box.top < 40);
    timer = setTimeout(async () => {
      const answer = await locate(target);
      if (under !== element) return;
      const first = answer?.found[0];
      label.textContent = first ? written(first) : "No source found";
    }, REST);
  };

  /**
   * Asks for the source, opens the best place, and leaves the others to the panel.
   * @param {Target} target
   */
  const open = async (target) => {
    hide();
    const answer = await locate(target);
    if (!answer) return notify("The site is being built, or has errors. Try again when it is built.");
    const [first] = answer.found;
    show(answer);
    if (first?.url) {
      openEditor(first.url);
      return notify(`Opened ${written(first)}`);
    }
    // A word of the theme is in no file of the site.
    const [own, isTheme] = (first?.path ?? "").split(" of the ");
    if (first && isTheme) return notify(`This text comes from the theme. Write your own in ${own}: ${first.text}`);
    if (first) return notify((await copy(written(first))) ? `Copied ${written(first)}` : written(first));
    if (answer.remote) return notify(`This comes from the CMS: ${answer.remote}`);
    return notify("No source found. The panel lists the page's files.");
  };

  /** @param {boolean} on */
  const pick = (on) => {
    picking = on;
    document.documentElement.classList.toggle("sitegen-picking", on);
    if (!on) hide();
  };

  addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Alt") alt = true;
      if (event.key === "Escape" && picking) {
        event.stopPropagation();
        pick(false);
      } else if (event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.code === "KeyO") {
        event.preventDefault();
        const focused = isOwn(event) ? null : document.activeElement;
        const node = focused && focused !== document.body ? focused : (document.querySelector("h1") ?? document.body);
        open({ node, offset: 0 });
      }
    },
    true,
  );
  addEventListener(
    "keyup",
    (event) => {
      if (event.key !== "Alt") return;
      alt = false;
      if (!picking) hide();
    },
    true,
  );
  addEventListener("blur", () => {
    alt = false;
    hide();
  });
  addEventListener("scroll", hide, { capture: true, passive: true });
  addEventListener(
    "pointermove",
    (event) => {
      // The key may have been released in another window.
      if (alt && !event.altKey) alt = false;
      if ((alt && event.altKey) || picking) draw(event);
      else if (under) hide();
    },
    { passive: true },
  );
  // Buttons of the page act on these as well.
  for (const name of /** @type {const} */ (["pointerdown", "mousedown", "pointerup", "mouseup"])) {
    addEventListener(
      name,
      (event) => {
        if (isMeant(event)) event.stopPropagation();
      },
      true,
    );
  }
  addEventListener(
    "click",
    (event) => {
      if (!isMeant(event) || !(event.target instanceof Element)) return;
      event.preventDefault();
      event.stopPropagation();
      pick(false);
      open(targetAt(event.target, event.clientX, event.clientY));
    },
    true,
  );

  /** @param {MouseEvent} event */
  function isMeant(event) {
    const isAlone = event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
    return (isAlone || picking) && event.target instanceof Element && !isOwn(event);
  }
  return { pick };
}
