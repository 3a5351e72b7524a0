// Marks the link of the card that the visitor opens, whose title and picture move into the page that it leads to. When the
// visitor comes back to a page that the browser has kept, they move back.

let opened: Element | null | undefined;

addEventListener("click", ({ target }) => {
  opened?.removeAttribute("data-opened");
  opened = (target as Element).closest(".stretched-link");
  opened?.setAttribute("data-opened", "");
});
