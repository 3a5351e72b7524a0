// A form of the preview that stays open while the preview ends and is started again: it says what to do, and what was typed is
// saved in the end.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, it } from "node:test";
import { asAuthor, DESKTOP, openBrowser, serve, serveCopy, TIMEOUT, takes } from "./site.mjs";

// The cache of npm has all that is fetched.
process.env.npm_config_offline = "true";

const POST = "content/blog/en/a-queue-is-a-table.md";
const TYPED = "Typed over a restart";
const browser = await openBrowser();
after(() => browser.close());

it("a form says that the preview has ended or was started again, and is saved afterwards", async () => {
  const copy = await serveCopy("--editor", "none");
  after(copy.stop);
  const port = new URL(copy.origin).port;
  const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: "reduce" });
  context.setDefaultTimeout(TIMEOUT);
  await asAuthor(context, copy);
  const form = await context.newPage();
  await form.goto(`${copy.origin}/admin/#/collections/posts-en/entries/a-queue-is-a-table`);
  const login = form.getByRole("button", { name: "Login" });
  const title = form.locator('[id^="title-field-"]').first();
  await login.or(title).first().waitFor();
  if (await login.isVisible()) await login.click();
  await Promise.all([takes(form, new RegExp(TYPED)), title.fill(TYPED)]);
  const publish = async () => {
    await form.getByRole("button", { name: "Publish", exact: true }).click();
    await form.getByText("Publish now").first().click();
  };
  const note = form.locator("dialog.sitegen-message");
  const close = () => note.getByRole("button").click();
  await copy.end();
  await publish();
  await note.filter({ hasText: "isn't responding" }).waitFor();
  await close();
  const again = await serve("--root", copy.root, "--editor", "none", "--port", port);
  await publish();
  await note.filter({ hasText: "was restarted" }).waitFor();
  await close();
  // As the message says: its address in another tab.
  await (await context.newPage()).goto(again.address);
  await publish();
  await form.getByText("Entry saved").first().waitFor();
  assert.match(await readFile(join(copy.root, POST), "utf8"), new RegExp(TYPED));
  await context.close();
  await again.stop();
});
