// The dialog of the search in the header. Its form is that of the search page, which it fetches, so that other pages carry
// nothing but a link.

import { attach } from "./form";
import { addressOf } from "./query";

export const create = async (href: string): Promise<{ open: () => void }> => {
  const response = await fetch(href);
  if (!response.ok) throw new Error(`${href}: ${response.status}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fetched = page.querySelector<HTMLElement>("[data-search-form]");
  if (!fetched) throw new Error(`${href} has no search form`);
  const root = document.importNode(fetched, true);
  root.querySelector("[data-search-pages]")?.remove();

  const dialog = document.createElement("dialog");
  dialog.className = "site-search";
  dialog.setAttribute("aria-label", root.getAttribute("data-label") ?? "");
  const close = document.createElement("button");
  close.type = "button";
  close.className = "site-search__close";
  close.textContent = root.getAttribute("data-close");
  close.addEventListener("click", () => dialog.close());
  dialog.append(close, root);
  document.body.append(dialog);

  const form = attach(root, (query, isSubmitted) => {
    if (isSubmitted && query.words) location.assign(addressOf(href, query, form.names));
  });
  form.prepare();
  // A click beside the dialog, and a link to an anchor of the same page, close it.
  dialog.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest("a") : null;
    if (target === dialog || (link?.hash && link.pathname === location.pathname)) dialog.close();
  });

  return {
    open: () => {
      if (!dialog.open) dialog.showModal();
      form.field.focus();
      form.field.select();
    },
  };
};
