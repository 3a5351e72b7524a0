// Keeps the first page of a visit, the host that led to it, and the parameters of its address that the site allows, for the
// forms of the site. Only sites with `leads.campaigns` load this module. The tab forgets it when it is closed.

import { FIRST_PAGE } from "./lib/submission";

const allowed = (document.documentElement.dataset.campaigns ?? "").split(" ");

/** The host of the page before, if it is not of this site. */
const referrer = (): string => {
  try {
    const { host } = new URL(document.referrer);
    return host === location.host ? "" : host;
  } catch {
    return "";
  }
};

try {
  if (sessionStorage.getItem(FIRST_PAGE) === null) {
    const known = new URLSearchParams({ entry: location.pathname, referrer: referrer() });
    for (const [name, value] of new URLSearchParams(location.search)) {
      if (allowed.includes(name)) known.set(`campaign.${name}`, value.slice(0, 100));
    }
    sessionStorage.setItem(FIRST_PAGE, String(known));
  }
} catch {
  // The visitor allows no storage.
}
