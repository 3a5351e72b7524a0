// Shows page N of a list at `/list/?page=N` on hosts that ignore the query and respond with page 1: fetches the
// prerendered `/list/page/N/` and takes the list from it. Loaded only if the URL has a `page` parameter; on hosts that
// support it, page N is already there.

/** Replaces the list, the title and the canonical, `prev` and `next` links with those of another document. */
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
  // If the request fails, the first page stays. It links to the other pages.
  fetch(`${list.dataset.list}page/${number}/`)
    .then((response) => (response.ok ? response.text() : ""))
    .then((html) => replaceList(new DOMParser().parseFromString(html, "text/html"), list))
    .catch(() => undefined);
}
