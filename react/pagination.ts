// Shows page N of a list at `/list/?page=N` where the host knows only files and has answered with page 1: takes the list
// out of the prerendered `/list/page/N/`. Loaded only when the address asks for a page; other hosts answer it themselves.

/** The list and what the head says of it, which are another page's. */
const replaceList = (other: Document, list: Element): void => {
  const found = other.querySelector("[data-page]");
  if (!found) return;
  document.title = other.title;
  for (const selector of ["link[rel=canonical]", "link[rel=prev]", "link[rel=next]"]) {
    document.head.querySelector(selector)?.remove();
    const link = other.head.querySelector(selector);
    if (link) document.head.append(link);
  }
  list.replaceWith(found);
};

const list = document.querySelector<HTMLElement>("[data-page]");
const number = new URLSearchParams(location.search).get("page") ?? "";

if (list && /^[1-9]\d{0,5}$/.test(number) && number !== list.dataset.page) {
  // Without an answer the first page stays, which leads on to the others.
  fetch(`${list.dataset.list}page/${number}/`)
    .then((response) => (response.ok ? response.text() : ""))
    .then((html) => replaceList(new DOMParser().parseFromString(html, "text/html"), list))
    .catch(() => undefined);
}
