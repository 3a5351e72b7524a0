// Tests of what the style guide says about style sheets: widths of media queries, sizes and weights are tokens of
// content/design.yaml, classes have the names of their folders, and every rule can have an effect.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import postcss from "postcss";
import { content, ROOT } from "../browser/site.mjs";

const design = content("design.yaml");

const sheets = ["templates", "react"]
  .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)))
  .filter((path) => path.endsWith(".css"))
  // Declares the weights that the files of the fonts contain.
  .filter((path) => !path.endsWith("styles/fonts.css"))
  .map((path) => ({
    path,
    css: readFileSync(join(ROOT, path), "utf8").replaceAll(/\/\*.*?\*\//gs, (comment) => comment.replaceAll(/[^\n]/g, " ")),
  }));

/** All places in the sheets that match and are not allowed, as `path:line: text`. */
const places = (pattern, isAllowed) =>
  sheets.flatMap(({ path, css }) =>
    [...css.matchAll(pattern)]
      .filter((match) => !isAllowed(match, css))
      .map(({ index, 0: text }) => `${path}:${css.slice(0, index).split("\n").length}: ${text.trim()}`),
  );

/** The selector of the rule that contains the index. */
const selector = (css, index) =>
  css
    .slice(0, index)
    .match(/([^{};]*)\{[^{]*$/)?.[1]
    .trim() ?? "";

/** The layers of the site, from the weakest one. */
const LAYERS =
  readFileSync(join(ROOT, "templates/styles/site.css"), "utf8")
    .match(/@layer ([^;]+);/)?.[1]
    ?.split(", ") ?? [];

/** What holds under a condition, such as a width or another rule around it. */
const isConditional = (node) =>
  node.parent !== undefined && ((node.type === "atrule" && node.name !== "layer") || isConditional(node.parent));

/** The layer of a node by its number; -1 outside of all. */
const layerOf = (node) =>
  node === undefined || (node.type === "atrule" && node.name === "layer")
    ? LAYERS.indexOf(node?.params.split(".")[0])
    : layerOf(node.parent);

/** The last part of a selector, of the element that a rule changes: `.guide-frame .section-head:hover` → `.section-head:hover`. */
const subject = (selector) => selector.match(/(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|[^\s>+~()])+$/)?.[0] ?? "";

/**
 * The declarations of the rules in layers, one for each selector.
 * @returns {{ place: string, layer: number, selector: string, property: string, isConditional: boolean }[]}
 */
const declarations = (css, path) => {
  const found = [];
  postcss.parse(css).walkDecls(({ parent: rule, important, prop: property, source }) => {
    const layer = layerOf(rule);
    if (rule.type !== "rule" || layer === -1 || important || property.startsWith("--")) return;
    for (const selector of rule.selectors) {
      const place = `${path}:${source.start.line}: ${selector} ${property}`;
      found.push({ place, layer, selector, property, isConditional: isConditional(rule) });
    }
  });
  return found;
};

/** Those that lose on every element: a later layer sets the property of all elements with one of their classes. */
const losers = (all) => {
  const winners = all.filter(({ selector, isConditional }) => !isConditional && /^\.[\w-]+$/.test(selector));
  const isBeaten = ({ layer, selector, property }) =>
    winners.some(
      (winner) =>
        winner.layer > layer &&
        subject(selector)
          .split(/(?=[.:[])/)
          .includes(winner.selector) &&
        (property === winner.property || property.startsWith(`${winner.property}-`)),
    );
  return all.filter(isBeaten).map(({ place }) => place);
};

describe("style sheets", () => {
  it("have no rule that loses on every element", () => {
    const sheet =
      "@layer layout { .a > .b { margin-inline: 0 } .b { color: red } .b.c:hover { gap: 0 } } @layer islands { .b { margin: 0 } }";
    assert.deepEqual(losers(declarations(sheet, "s")), ["s:1: .a > .b margin-inline"]);
    const all = sheets.flatMap(({ path, css }) => declarations(css, path));
    assert.ok(all.length > 4000, `${all.length} declarations`);
    assert.deepEqual(losers(all), []);
  });

  it("name the breakpoints of the design", () => {
    assert.deepEqual(
      places(/@media[^{]*\bwidth\b[^{]*/g, () => false),
      [],
    );
    const names = Object.keys(design.breakpoint).join("|");
    const known = new RegExp(`^--(?:up-to|above)-(?:${names})$`);
    assert.deepEqual(
      places(/@media[^{]*\(--[^{]*/g, ([query]) => query.match(/--[\w-]+/g).every((name) => known.test(name))),
      [],
    );
  });

  it("name their classes after their folders", () => {
    const block = (name) => name.replace(/(?:__|--).*$/, "");
    const blocks = (css) => {
      const found = new Set();
      postcss.parse(css).walkRules(({ selector }) => {
        for (const [, name] of selector.matchAll(/\.([a-z][\w-]*)/g)) found.add(block(name));
      });
      return [...found];
    };
    const ofFolders = sheets.filter(({ path }) =>
      /^(?:templates\/(?:components|sections|collections)|react\/islands)\//.test(path),
    );
    // What belongs to the whole page, other parts that a sheet adapts, and the classes of Markdown.
    const shared = new Set(sheets.filter(({ path }) => path.startsWith("templates/styles/")).flatMap(({ css }) => blocks(css)));
    const folders = ofFolders.map(({ path }) => path.split("/").at(-2).replaceAll("_", "-"));
    const markdown = /^(?:code|video-card|callout|footnotes|table-scroll|align|task)(?:-|$)/;
    // A link that looks like a button, and a row of them, are actions as well.
    const actions = new Set(["button", "actions"]);
    const isNamed = (name) =>
      folders.some((folder) => `${name}-`.startsWith(`${folder}-`)) || shared.has(name) || actions.has(name);
    const wrong = ofFolders.flatMap(({ path, css }) =>
      blocks(css)
        .filter((name) => !isNamed(name) && !markdown.test(name) && !/^(?:is|art)-/.test(name))
        .map((name) => `${path}: ${name}`),
    );
    assert.deepEqual(wrong, []);
  });

  it("write conditions as ranges", () => {
    assert.deepEqual(
      places(/\((?:min|max)-(?:width|height)[^)]*\)/g, () => false),
      [],
    );
  });

  it("take the weights of text from the design", () => {
    // The specimens of the style guide show the weight that their class names.
    const isSpecimen = ({ index, 1: weight }, css) => selector(css, index).endsWith(`--${weight}`);
    // A label in a drawing has the units of the drawing.
    const isDrawing = ({ index }, css) => selector(css, index).startsWith(".art-");
    assert.deepEqual(
      places(/font(?:-weight)?: (\d{3}|bold\w*|lighter)\b.*/g, (match, css) => isSpecimen(match, css) || isDrawing(match, css)),
      [],
    );
  });

  it("take the sizes of text from the design", () => {
    const token = String.raw`var\(--type-\w+\)`;
    // Relative to the text around it, on paper, between two sizes of the design, at least what phones do not zoom, or at
    // most what a narrow container has room for.
    const sizes = new RegExp(
      String.raw`^(?:inherit|[\d.]+em|11pt|${token}|clamp\(${token}, [^,]+, ${token}\)|max\(16px, ${token}\)|min\(${token}, [\d.]+cqi\))$`,
    );
    const isDrawing = ({ index }, css) => selector(css, index).startsWith(".art-");
    const size = ([text]) =>
      text
        .replace(/^[\w-]+: /, "")
        .replace(/;$/, "")
        .replace(/^(?:\d{3}|var\(--weight-\w+\)) /, "")
        .replace(/ \/ .*$/, "");
    assert.deepEqual(
      places(/(?<=[\s{;])font(?:-size)?: [^;]*;/g, (match, css) => sizes.test(size(match)) || isDrawing(match, css)),
      [],
    );
  });

  it("measure columns without the zero of a font, which is another one until the web font has loaded", () => {
    assert.deepEqual(
      places(/[\d.]+ch\b/g, () => false),
      [],
    );
  });

  it("leave the size of the root to the reader, so that a rem is 16 pixels by default", () => {
    assert.deepEqual(
      places(
        /(?<=[\s{;])font(?:-size)?: [^;]*;/g,
        ({ index, 0: text }, css) => !/^(?:html|:root)\b/.test(selector(css, index)) || text.includes("pt;"),
      ),
      [],
    );
  });

  it("draw with the two strokes of the brand", () => {
    assert.deepEqual(
      places(/(?<=[\s{;])(?:(?:border|outline|text-decoration)[\w-]*): [^;]*?(?<![\d.])(?:6|1\.5)px[^;]*;/g, () => false),
      [],
    );
  });

  it("name the sides of a box by the direction of text", () => {
    // Four values name the right and the left side.
    const values = ([text]) => text.replace(/^[\w-]+: /, "").match(/[^\s(;]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?/g);
    assert.deepEqual(
      places(
        /(?<=[\s{;])(?:padding|margin|inset): [^;]*;/g,
        (match) => values(match)[1] === (values(match)[3] ?? values(match)[1]),
      ),
      [],
    );
    assert.deepEqual(
      places(
        /(?<=[\s{;])(?:(?:margin|padding|border|scroll-padding|scroll-margin)-(?:top|right|bottom|left)(?:-\w+)?|top|right|bottom|left|float|text-align): [^;]*;/g,
        ([text]) => /: (?:inline-)?(?:start|end|center);/.test(text),
      ),
      [],
    );
  });
});
