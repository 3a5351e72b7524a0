// Counts how often React renders the components of a page, so that a test can tell what a key costs on any machine.

/**
 * Runs in the page before its scripts: listens to React as its developer tools do, and counts the renders of components
 * by the class of their first element. React marks what it has rendered with the flag `PerformedWork`, and keeps the
 * object of what it has skipped.
 */
function listen() {
  const PERFORMED_WORK = 1;
  const counts = {};
  globalThis.renders = counts;
  const classOf = (fiber) => {
    let inner = fiber.child;
    while (inner && typeof inner.type !== "string") inner = inner.child;
    return String(inner?.memoizedProps.className ?? "").split(" ")[0];
  };
  const look = (fiber) => {
    const isComponent = typeof fiber.type === "function" || typeof fiber.type?.type === "function";
    if (isComponent && fiber.flags & PERFORMED_WORK) counts[classOf(fiber)] = (counts[classOf(fiber)] ?? 0) + 1;
    const before = new Set();
    for (let child = fiber.alternate?.child; child; child = child.sibling) before.add(child);
    for (let child = fiber.child; child; child = child.sibling) if (!before.has(child)) look(child);
  };
  globalThis.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    checkDCE: () => {},
    inject: () => 1,
    onCommitFiberRoot: (_id, root) => look(root.current),
    onCommitFiberUnmount: () => {},
    onPostCommitFiberRoot: () => {},
  };
}

/** For `prepare` of a visit. @param {import("playwright-core").Page} page */
export const watchRenders = (page) => page.addInitScript(listen);

/** The renders since the last call, by the class of what was rendered. @returns {Promise<Record<string, number>>} */
export const takeRenders = (page) =>
  page.evaluate(() => {
    const taken = { ...globalThis.renders };
    for (const name of Object.keys(taken)) delete globalThis.renders[name];
    return taken;
  });
