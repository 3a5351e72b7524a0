// Converts the values of a file to those of a form, and back. A form has no block whose keys are free, and no keys with
// dots: such blocks become lists of entries with a key each, and words such as `hero.title` become blocks.
//
// Nothing else changes, and what was converted is converted back without knowing the file: entries carry their keys, and
// how the words were written is kept below `sitegen`, beside the text that the form began with.

const KEY = "__key";
const VALUE = "__value";
const ITEMS = "__items";
const META = "sitegen";

const isBlock = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isEntry = (value) => isBlock(value) && KEY in value;

/** The values of a form, from those of a file of this kind (`data`, `page`, `post`). */
export function toForm(values, kind, rules) {
  const { [META]: meta, ...rest } = values;
  if (kind === "page" && isWords(rest)) {
    const { words, written } = gather(rest);
    return { ...words, [META]: { ...meta, written } };
  }
  return { ...open(root(rest, rules), withoutList(rules)), ...(meta && { [META]: meta }) };
}

/** The values of a file, from those of its form. */
export function toFile(form, kind, rules) {
  const { [META]: meta, ...rest } = form;
  if (kind === "page" && (meta?.written || isWords(rest))) {
    const { written, ...kept } = meta ?? {};
    return { ...scatter(rest, written ?? {}), ...(meta && { [META]: kept }) };
  }
  const orders = [];
  const closed = close(rest, withoutList(rules), [], orders);
  const { [ITEMS]: items, ...named } = closed;
  const values = isBlock(items) ? { ...named, ...items } : closed;
  // What is a list in the form has an order, also where nobody else minds.
  for (const order of orders) if (order.path[0] === ITEMS) order.path.shift();
  return { ...values, ...(meta && { [META]: { ...meta, orders } }) };
}

/** A file whose keys are free has a list of them beside the keys that have fields of their own. */
function root(values, rules) {
  if (!rules.map || ITEMS in values) return values;
  const isFixed = ([key]) => rules.fixed?.includes(key);
  const entries = Object.entries(values);
  return {
    ...Object.fromEntries(entries.filter(isFixed)),
    [ITEMS]: Object.fromEntries(entries.filter((entry) => !isFixed(entry))),
  };
}

/** The rules of a file as those of a block, with the rules of its list below the key of the list. */
function withoutList(rules) {
  if (!rules.map && !rules.each) return rules;
  const { map, each, kinds, ...rest } = rules;
  return { ...rest, keys: [...(rules.keys ?? []), [ITEMS, { map, each, kinds }]] };
}

const below = (rules, key) => rules.keys?.find(([name]) => name === key)?.[1] ?? {};

/** The rules of an item of a list or an entry of a block. */
function ofItem(rules, item) {
  const kind = isBlock(item) ? rules.kinds?.find(([name]) => name === item.kind)?.[1] : undefined;
  return kind ?? rules.each ?? { keys: rules.keys };
}

/** Blocks with free keys become lists. */
function open(value, rules) {
  if (Array.isArray(value)) return value.map((item) => open(item, ofItem(rules, item)));
  if (!isBlock(value)) return value;
  if (rules.map) {
    return Object.entries(value).map(([key, item]) => {
      const own = ofItem(rules, item);
      return isBlock(item) ? { [KEY]: key, ...open(item, own) } : { [KEY]: key, [VALUE]: open(item, below(own, VALUE)) };
    });
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, open(item, below(rules, key))]));
}

/** Lists of entries become blocks again. `orders` gets the order of each, with the path of the block. */
function close(value, rules, path, orders) {
  if (Array.isArray(value)) {
    if (rules.map && value.every(isEntry)) {
      orders.push({ path, names: value.map((item) => item[KEY]) });
      return Object.fromEntries(
        value.map(({ [KEY]: key, ...item }) => {
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
  const entry = ([key, item]) => [key, close(item, below(rules, key), [...path, key], orders)];
  return Object.fromEntries(Object.entries(value).map(entry));
}

/** Whether a file of a page has words only: its sections, if it names any, are names. */
function isWords(values) {
  const { sections, like } = values;
  if (sections === undefined) return like === undefined || Object.keys(values).some((key) => key.includes("."));
  return Array.isArray(sections) && sections.every((section) => typeof section === "string");
}

/**
 * Words as blocks and lists. `written` has the paths of keys with dots whose values are the texts of a list, and the
 * names of blocks that are written as such.
 */
function gather(values) {
  const words = {};
  const written = { items: [], blocks: [] };
  for (const [key, value] of Object.entries(values)) {
    const path = key.split(".");
    if (path.length === 1 && isBlock(value)) written.blocks.push(key);
    if (path.length > 1 && /^\d+$/.test(path.at(-1)) && !isBlock(value)) written.items.push(path.slice(0, -1).join("."));
    set(words, path, value);
  }
  return { words: lists(words), written: { items: [...new Set(written.items)], blocks: written.blocks } };
}

function set(words, path, value) {
  const last = path.pop();
  let block = words;
  for (const part of path) {
    if (!isBlock(block[part])) block[part] = Array.isArray(block[part]) ? { ...numbered(block[part]) } : {};
    block = block[part];
  }
  block[last] = isBlock(block[last]) && isBlock(value) ? { ...block[last], ...value } : value;
}

const numbered = (items) => Object.fromEntries(items.map((item, at) => [at + 1, item]));

/** Blocks whose keys are numbers from 1 become lists; a number that nobody wrote is an item without words. */
function lists(value) {
  if (!isBlock(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, lists(item)]);
  const numbers = entries.map(([key]) => Number(key));
  if (entries.length === 0 || !numbers.every((number) => Number.isInteger(number) && number > 0 && number < 1000)) {
    return Object.fromEntries(entries);
  }
  const holdsBlocks = entries.some(([, item]) => isBlock(item));
  const items = Array.from({ length: Math.max(...numbers) }, () => (holdsBlocks ? {} : ""));
  for (const [key, item] of entries) items[Number(key) - 1] = item;
  return items;
}

/** Words as they are written in a file: a key for each text, but for blocks that were written as blocks. */
function scatter(form, { items = [], blocks = [] }) {
  const values = {};
  const write = (path, value) => {
    const isList = Array.isArray(value) && (value.some(isBlock) || items.includes(path));
    if (isBlock(value)) for (const [key, item] of Object.entries(value)) write(`${path}.${key}`, item);
    else if (isList) for (const [at, item] of value.entries()) write(`${path}.${at + 1}`, item);
    else values[path] = value;
  };
  for (const [key, value] of Object.entries(form)) {
    if (blocks.includes(key)) values[key] = value;
    else write(key, value);
  }
  return values;
}
