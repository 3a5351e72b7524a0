// Converts the values of a file to those of a form, and back. A form has no block whose keys are free, and no keys with
// dots: such blocks become lists of entries with a key each, and words such as `hero.title` become blocks.
//
// Nothing else changes, and what was converted is converted back without knowing the file: entries carry their keys, and
// how the words were written is kept below `__sitegen`, beside the text that the form began with.

/** @typedef {import("./decap").Json} Json */
/** @typedef {import("./decap").Block} Block */
/** @typedef {import("./decap").Values} Values */
/** @typedef {import("./decap").Kind} Kind */
/** @typedef {import("./decap").Rules} Rules */
/** @typedef {import("./decap").Order} Order */
/** @typedef {import("./decap").Meta} Meta */

const KEY = "__key";
const VALUE = "__value";
const ITEMS = "__items";
const META = "__sitegen";

/**
 * @param {Json | Meta} value
 * @returns {value is Block}
 */
const isBlock = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/**
 * @param {Json} value
 * @returns {value is Block}
 */
const isEntry = (value) => isBlock(value) && KEY in value;

/**
 * The values of a form, from those of a file of this kind.
 * @param {Values} values
 * @param {Kind} kind
 * @param {Rules} rules
 * @returns {Values}
 */
export function toForm(values, kind, rules) {
  const { [META]: meta, ...rest } = values;
  if (kind === "page" && isWords(rest)) {
    const { words, written } = gather(rest);
    return { ...words, [META]: { ...meta, written } };
  }
  return { ...openBlock(root(rest, rules), withoutList(rules)), ...(meta && { [META]: meta }) };
}

/**
 * The values of a file, from those of its form.
 * @param {Values} form
 * @param {Kind} kind
 * @param {Rules} rules
 * @returns {Values}
 */
export function toFile(form, kind, rules) {
  const { [META]: meta, ...rest } = form;
  if (kind === "page" && (meta?.written || isWords(rest))) {
    const { written, ...kept } = meta ?? {};
    return { ...scatter(rest, written ?? {}), ...(meta && { [META]: kept }) };
  }
  /** @type {Order[]} */
  const orders = [];
  const closed = closeBlock(rest, withoutList(rules), [], orders);
  const { [ITEMS]: items, ...named } = closed;
  const values = isBlock(items) ? { ...named, ...items } : closed;
  // What is a list in the form has an order, also where nobody else minds.
  for (const order of orders) if (order.path[0] === ITEMS) order.path.shift();
  return { ...values, ...(meta && { [META]: { ...meta, orders } }) };
}

/**
 * A file whose keys are free has a list of them beside the keys that have fields of their own.
 * @param {Block} values
 * @param {Rules} rules
 * @returns {Block}
 */
function root(values, rules) {
  if (!rules.map || ITEMS in values) return values;
  /** @param {[string, Json]} entry */
  const isFixed = ([key]) => rules.fixed?.includes(key);
  const entries = Object.entries(values);
  return {
    ...Object.fromEntries(entries.filter(isFixed)),
    [ITEMS]: Object.fromEntries(entries.filter((entry) => !isFixed(entry))),
  };
}

/**
 * The rules of a file as those of a block, with the rules of its list below the key of the list.
 * @param {Rules} rules
 * @returns {Rules}
 */
function withoutList(rules) {
  if (!rules.map && !rules.each) return rules;
  const { map, each, kinds, ...rest } = rules;
  return { ...rest, keys: [...(rules.keys ?? []), [ITEMS, { map, each, kinds }]] };
}

/**
 * @param {Rules} rules
 * @param {string} key
 * @returns {Rules}
 */
const below = (rules, key) => rules.keys?.find(([name]) => name === key)?.[1] ?? {};

/**
 * The rules of an item of a list or an entry of a block.
 * @param {Rules} rules
 * @param {Json} item
 * @returns {Rules}
 */
function ofItem(rules, item) {
  const kind = isBlock(item) ? rules.kinds?.find(([name]) => name === item.kind)?.[1] : undefined;
  return kind ?? rules.each ?? { keys: rules.keys };
}

/**
 * Blocks with free keys become lists.
 * @param {Json} value
 * @param {Rules} rules
 * @returns {Json}
 */
function open(value, rules) {
  if (Array.isArray(value)) return value.map((item) => open(item, ofItem(rules, item)));
  if (!isBlock(value)) return value;
  if (rules.map) {
    return Object.entries(value).map(([key, item]) => {
      const own = ofItem(rules, item);
      return isBlock(item) ? { [KEY]: key, ...openBlock(item, own) } : { [KEY]: key, [VALUE]: open(item, below(own, VALUE)) };
    });
  }
  return openBlock(value, rules);
}

/**
 * @param {Block} block
 * @param {Rules} rules
 * @returns {Block}
 */
const openBlock = (block, rules) =>
  Object.fromEntries(Object.entries(block).map(([key, item]) => [key, open(item, below(rules, key))]));

/**
 * Lists of entries become blocks again. `orders` gets the order of each, with the path of the block.
 * @param {Json} value
 * @param {Rules} rules
 * @param {string[]} path
 * @param {Order[]} orders
 * @returns {Json}
 */
function close(value, rules, path, orders) {
  if (Array.isArray(value)) {
    if (rules.map && value.every(isEntry)) {
      orders.push({ path, names: value.map((item) => String(item[KEY])) });
      return Object.fromEntries(
        value.map(({ [KEY]: name, ...item }) => {
          const key = String(name);
          const own = ofItem(rules, item);
          const inner = [...path, key];
          const closed = VALUE in item ? close(item[VALUE], below(own, VALUE), inner, orders) : close(item, own, inner, orders);
          return [key, closed];
        }),
      );
    }
    return value.map((item, at) => close(item, ofItem(rules, item), [...path, String(at)], orders));
  }
  if (!isBlock(value)) return value;
  return closeBlock(value, rules, path, orders);
}

/**
 * @param {Block} block
 * @param {Rules} rules
 * @param {string[]} path
 * @param {Order[]} orders
 * @returns {Block}
 */
const closeBlock = (block, rules, path, orders) =>
  Object.fromEntries(Object.entries(block).map(([key, item]) => [key, close(item, below(rules, key), [...path, key], orders)]));

/**
 * Whether a file of a page has words only: its sections, if it names any, are names.
 * @param {Block} values
 */
function isWords(values) {
  const { sections, like } = values;
  if (sections === undefined) return like === undefined || Object.keys(values).some((key) => key.includes("."));
  return Array.isArray(sections) && sections.every((section) => typeof section === "string");
}

/**
 * Words as blocks and lists. `written` has the paths of keys with dots whose values are the texts of a list, and the
 * keys whose values are written as blocks, with dots or without.
 * @param {Block} values
 * @returns {{ words: Block, written: { items: string[], blocks: string[] } }}
 */
function gather(values) {
  /** @type {Block} */
  const words = {};
  /** @type {{ items: string[], blocks: string[] }} */
  const written = { items: [], blocks: [] };
  for (const [key, value] of Object.entries(values)) {
    const path = key.split(".");
    if (isBlock(value)) written.blocks.push(key);
    if (path.length > 1 && /^\d+$/.test(path.at(-1) ?? "") && !isBlock(value)) written.items.push(path.slice(0, -1).join("."));
    set(words, path, value);
  }
  return { words: listsBelow(words), written: { items: [...new Set(written.items)], blocks: written.blocks } };
}

/**
 * @param {Block} words
 * @param {string[]} path
 * @param {Json} value
 */
function set(words, path, value) {
  const last = path.at(-1) ?? "";
  let block = words;
  for (const part of path.slice(0, -1)) {
    const known = block[part];
    const inner = isBlock(known) ? known : Array.isArray(known) ? numbered(known) : {};
    block[part] = inner;
    block = inner;
  }
  const known = block[last];
  block[last] = isBlock(known) && isBlock(value) ? { ...known, ...value } : value;
}

/**
 * @param {Json[]} items
 * @returns {Block}
 */
const numbered = (items) => Object.fromEntries(items.map((item, at) => [at + 1, item]));

/**
 * The words of a page: its own are a block, whatever their names are.
 * @param {Block} words
 * @returns {Block}
 */
const listsBelow = (words) => Object.fromEntries(Object.entries(words).map(([key, item]) => [key, lists(item)]));

/**
 * Blocks whose keys are numbers from 1 become lists; a number that nobody wrote is an item without words.
 * @param {Json} value
 * @returns {Json}
 */
function lists(value) {
  if (!isBlock(value)) return value;
  const block = listsBelow(value);
  const entries = Object.entries(block);
  const numbers = entries.map(([key]) => Number(key));
  if (entries.length === 0 || !numbers.every((number) => Number.isInteger(number) && number > 0 && number < 1000)) {
    return block;
  }
  const holdsBlocks = entries.some(([, item]) => isBlock(item));
  /** @type {Json[]} */
  const items = Array.from({ length: Math.max(...numbers) }, () => (holdsBlocks ? {} : ""));
  for (const [key, item] of entries) items[Number(key) - 1] = item;
  return items;
}

/**
 * Words as they are written in a file: a key for each text, but for blocks that were written as blocks.
 * @param {Block} form
 * @param {NonNullable<Meta["written"]>} written
 * @returns {Block}
 */
function scatter(form, { items = [], blocks = [] }) {
  /** @type {Block} */
  const values = {};
  /**
   * @param {string} path
   * @param {Json} value
   */
  const write = (path, value) => {
    if (blocks.includes(path)) values[path] = value;
    else if (isBlock(value)) for (const [key, item] of Object.entries(value)) write(`${path}.${key}`, item);
    else if (Array.isArray(value) && (value.some(isBlock) || items.includes(path)))
      for (const [at, item] of value.entries()) write(`${path}.${at + 1}`, item);
    else values[path] = value;
  };
  for (const [key, value] of Object.entries(form)) write(key, value);
  return values;
}
