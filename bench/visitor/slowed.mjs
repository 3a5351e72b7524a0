// A visit on a slowed processor, and the time from what a visitor does to the frame that shows its effect.

import { visit } from "../../tests/browser/site.mjs";

/** How many times slower the processor is than it is. */
const SLOWED = 4;

/** What is not shown after so many milliseconds is not shown at all. */
const LIMIT = 30_000;

/** As `visit` of the tests, on a processor that is slower. */
export const slowVisit = (browser, url, options, look) => {
  const prepare = async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWED });
    await options.prepare?.(page);
  };
  return visit(browser, url, { ...options, prepare }, look);
};

/**
 * Milliseconds from the first input that `act` causes to the first frame in which `isShown` holds, by the page's own clock.
 * @param {any} page @param {() => Promise<any>} act
 * @param {(given: any) => boolean} isShown runs in the page @param {any} [given]
 */
export async function timeTo(page, act, isShown, given) {
  await page.evaluate(
    ([source, value, limit]) => {
      const shown = new Function(`return (${source})`)();
      let began;
      const begin = (event) => (began ??= event.timeStamp);
      for (const type of ["pointerdown", "keydown", "input"]) addEventListener(type, begin, { capture: true, once: true });
      window.benchShown = new Promise((resolve, reject) => {
        setTimeout(
          () =>
            reject(new Error(`${began === undefined ? "nothing was typed or clicked" : "nothing came of it"} in ${limit} ms`)),
          limit,
        );
        const look = () => {
          if (began === undefined || !shown(value)) return requestAnimationFrame(look);
          // The frame is on the screen when the task after it runs.
          return setTimeout(() => resolve(performance.now() - began));
        };
        requestAnimationFrame(look);
      });
    },
    [String(isShown), given, LIMIT],
  );
  await act();
  return page.evaluate(() => window.benchShown);
}

export const median = (figures) => [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)];
