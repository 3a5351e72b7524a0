// Gives each block of code in an article a button that copies it, and makes blocks and tables a stop of the Tab key only while
// they scroll. Only articles with a block or a table load this module.

import { fill } from "./lib/words";

/** How many characters of the code are said again once it is copied. */
const SAID = 40;

/** How long that stays, in milliseconds: over a single line, it covers the code. */
const STAYS = 5_000;

const addButton = (block: HTMLElement, { copy = "", copied = "", cannotCopy = "" }: DOMStringMap): void => {
  const frame = document.createElement("div");
  frame.className = "code";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "code__copy";
  button.textContent = copy;
  const said = document.createElement("span");
  said.className = "code__said";
  said.setAttribute("role", "status");
  // Without script there is nothing that these say.
  for (const part of [button, said]) part.dataset.needsScript = "";
  let going: ReturnType<typeof setTimeout> | undefined;
  const say = (words: string): void => {
    said.replaceChildren(words);
    clearTimeout(going);
    going = setTimeout(() => said.replaceChildren(), STAYS);
  };
  button.addEventListener("click", () => {
    const code = block.textContent ?? "";
    const [line = ""] = code.trim().split("\n");
    const text = line.length > SAID ? `${line.slice(0, SAID)}…` : line;
    // There is no clipboard on pages without a secure connection, and a visitor may have forbidden it.
    const written = navigator.clipboard?.writeText(code) ?? Promise.reject(new Error("the clipboard is not available"));
    written.then(
      () => say(fill(copied, { text })),
      () => say(cannotCopy),
    );
  });
  block.replaceWith(frame);
  frame.append(block, said, button);
};

/** Elements that can be scrolled take the focus, so that the arrow keys scroll them. */
const stops = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});

for (const body of document.querySelectorAll<HTMLElement>("[data-copy]")) {
  for (const block of body.querySelectorAll("pre")) addButton(block, body.dataset);
  for (const scroller of body.querySelectorAll("pre, .table-scroll")) stops.observe(scroller);
}
