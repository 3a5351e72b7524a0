// The order of the entries of a menu: what a button does with the tree, without a page. A group holds links, and no groups.

/**
 * @typedef {object} Entry
 * @property {string | null} id its place in the settings; null for a new one
 * @property {Record<string, string>} label by language
 * @property {string | null} to @property {string | null} collection
 * @property {string | null} from @property {string | null} until
 * @property {Entry[] | null} links of a group
 *
 * @typedef {"up" | "down" | "indent" | "outdent"} Move
 */

/**
 * The list that holds an entry, and the group of the list.
 * @param {Entry[]} top @param {Entry} entry
 * @returns {{ list: Entry[], group: Entry | null }}
 */
export function placeOf(top, entry) {
  const group = top.find((one) => one.links?.includes(entry));
  return group?.links ? { list: group.links, group } : { list: top, group: null };
}

/**
 * Whether an entry can be moved. In `columns`, links are in groups only.
 * @param {Entry[]} top @param {Entry} entry @param {Move} move @param {boolean} columns
 */
export function canMove(top, entry, move, columns) {
  const { list, group } = placeOf(top, entry);
  const at = list.indexOf(entry);
  const beside = group ? top[top.indexOf(group) + (move === "up" ? -1 : 1)] : undefined;
  switch (move) {
    case "up":
      return at > 0 || (columns && !!beside?.links);
    case "down":
      return at < list.length - 1 || (columns && !!beside?.links);
    case "indent":
      return !group && !entry.links && !!top[at - 1]?.links;
    default:
      return !!group && !columns;
  }
}

/**
 * Moves an entry, if that can be.
 * @param {Entry[]} top @param {Entry} entry @param {Move} move @param {boolean} columns
 */
export function moveEntry(top, entry, move, columns) {
  if (!canMove(top, entry, move, columns)) return;
  const { list, group } = placeOf(top, entry);
  const at = list.indexOf(entry);
  list.splice(at, 1);
  if (move === "indent") top[at - 1].links?.push(entry);
  else if (move === "outdent" && group) top.splice(top.indexOf(group) + 1, 0, entry);
  else {
    const to = at + (move === "up" ? -1 : 1);
    const beside = group && columns ? top[top.indexOf(group) + (move === "up" ? -1 : 1)] : undefined;
    // Past the end of a column, a link goes on in the next one.
    if (to < 0) beside?.links?.push(entry);
    else if (to > list.length) beside?.links?.unshift(entry);
    else list.splice(to, 0, entry);
  }
}

/** Removes an entry. @param {Entry[]} top @param {Entry} entry */
export function removeEntry(top, entry) {
  const { list } = placeOf(top, entry);
  list.splice(list.indexOf(entry), 1);
}

/** A new entry: a link, or a group. @param {boolean} isGroup @returns {Entry} */
export const newEntry = (isGroup) => ({
  id: null,
  label: {},
  to: null,
  collection: null,
  from: null,
  until: null,
  links: isGroup ? [] : null,
});
