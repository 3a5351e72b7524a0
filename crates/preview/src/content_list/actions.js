// What can be done with a row besides its form: another address with a redirect, taking it off the site and bringing it back,
// deletion. What links to it is shown first.

/** @typedef {import("./list.js").Row} Row @typedef {import("./words.js").Words} Words */

/** @template {HTMLElement} T @param {string} id @returns {T} */
const byId = (id) => /** @type {T} */ (document.getElementById(id));

/** Sends a change. Throws what the server says. @param {string} path @param {object} change */
async function send(path, change) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(change) });
  const answer = await response.json().catch(() => ({ error: response.statusText }));
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/**
 * Returns a function that opens the dialog of a row. `changed` is told the files that a change has written.
 * @param {(files: string[]) => Promise<void>} changed
 * @param {(text: string, values: Record<string, string | number>) => string} fill
 */
export function attachActions(changed, fill) {
  /** @type {HTMLDialogElement} */
  const dialog = byId("actions");
  /** @type {HTMLFormElement} */
  const move = byId("move");
  const [title, linksTitle, links, failed] = [byId("actions-title"), byId("links-title"), byId("links"), byId("failed")];
  /** @type {HTMLFormElement} */
  const withdraw = byId("withdraw");
  /** @type {HTMLFormElement} */
  const restore = byId("restore");
  const remove = byId("delete");
  /** @param {HTMLFormElement} form @param {string} name */
  const input = (form, name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
  const to = input(move, "to");
  /** @type {Row | undefined} */
  let row;
  /** @type {Words | undefined} */
  let words;
  let isSure = false;

  /** Makes a change, and closes the dialog if it was made. @param {() => Promise<string[]>} act */
  const run = async (act) => {
    failed.textContent = "";
    try {
      const files = await act();
      dialog.close();
      await changed(files);
    } catch (error) {
      failed.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  move.addEventListener("submit", (event) => {
    event.preventDefault();
    const change = { action: "move", file: row?.file, to: to.value.trim() };
    run(async () => (await send("change", change)).files);
  });
  withdraw.addEventListener("submit", (event) => {
    event.preventDefault();
    const [leads, everywhere] = [input(withdraw, "to").value.trim(), input(withdraw, "everywhere").checked];
    run(async () => (await send("change", { action: "withdraw", file: row?.file, to: leads, everywhere })).files);
  });
  restore.addEventListener("submit", (event) => {
    event.preventDefault();
    const until = input(restore, "until").value;
    run(async () => (await send("change", { action: "restore", file: row?.file, until })).files);
  });
  remove.addEventListener("click", () => {
    const file = row?.file ?? "";
    // A second press confirms, with the links in sight.
    if (!isSure) {
      isSure = true;
      remove.textContent = words?.deleteAgain ?? "";
      return;
    }
    run(async () => {
      await send("../api", { branch: "preview", action: "deleteFiles", params: { paths: [file] } });
      return [file];
    });
  });
  byId("close").addEventListener("click", () => dialog.close());

  /** @param {Row} opened @param {Words} own */
  return (opened, own) => {
    [row, words, isSure] = [opened, own, false];
    title.textContent = opened.title || opened.file;
    for (const place of [linksTitle, failed]) place.textContent = "";
    links.replaceChildren();
    remove.textContent = own.delete;
    move.hidden = opened.kind !== "page" || !opened.address || opened.state !== "public";
    to.value = opened.address ?? "";
    const isAway = opened.state === "draft" || opened.state === "scheduled" || opened.state === "expired";
    const isPage = opened.kind === "page";
    const isShared = opened.kind === "shared_sections";
    const isEntry = !isPage && !isShared && opened.kind !== "post";
    withdraw.hidden = isAway || opened.kind === "author" || opened.state === "fallback";
    restore.hidden = !isAway;
    for (const form of [withdraw, restore]) form.reset();
    byId("to").hidden = !isPage;
    byId("everywhere").hidden = !isPage && !isShared;
    byId("until").hidden = !isEntry;
    const ofPage = isShared ? own.withdrawShared : own.withdrawPage;
    byId("withdraw-hint").textContent = isPage || isShared ? ofPage : isEntry ? own.withdrawEntry : own.withdrawDraft;
    dialog.showModal();
    fetch(`links?${new URLSearchParams({ file: opened.file })}`)
      .then((response) => response.json())
      .then((/** @type {[string, number][]} */ found) => {
        if (row !== opened) return;
        const text = found.length === 0 ? own.noLinks : found.length === 1 ? own.oneLink : own.manyLinks;
        linksTitle.textContent = fill(text, { count: found.length });
        links.replaceChildren(
          ...found.map(([file, line]) => Object.assign(document.createElement("li"), { textContent: `${file}:${line}` })),
        );
      })
      .catch((error) => {
        failed.textContent = String(error);
      });
  };
}
