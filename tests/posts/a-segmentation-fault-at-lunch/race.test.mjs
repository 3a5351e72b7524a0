// ThreadSanitizer finds the race in the function of the post, and finds nothing once the buffer belongs to a thread.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { code, folder, run } from "../posts.mjs";

const SLUG = "a-segmentation-fault-at-lunch";
const BEFORE = `#include <cmath>
#include <vector>
struct Point { double x, y; };
static void simplify(std::vector<Point>&) {}
`;
const TEST = `#include <thread>
#include <vector>
struct Point { double x, y; };
double area(const std::vector<Point>&);
int main() {
    std::vector<Point> large(9000, {1, 2}), small(4000, {3, 4});
    std::thread other([&] { for (int i = 0; i < 20; ++i) area(large); });
    for (int i = 0; i < 20; ++i) area(small);
    other.join();
}
`;

test("the sanitizer reports the race before the fix, and nothing after it", async () => {
  const home = await folder();
  const [geometry] = code(SLUG, "cpp");
  const [removed, added] = code(SLUG, "diff")[0].trim().split("\n");
  assert.ok(geometry.includes(removed.slice(1)));
  const fixed = geometry.replace(removed.slice(1), added.slice(1));
  const command = code(SLUG, "bash")
    .find((block) => block.includes("-fsanitize"))
    .split("\n")[0]
    .split(" ");
  await writeFile(join(home, "race_test.cpp"), TEST);
  for (const [text, raced] of [
    [geometry, true],
    [fixed, false],
  ]) {
    await writeFile(join(home, "geometry.cpp"), BEFORE + text);
    run(command[0], command.slice(1), { cwd: home });
    // Without randomized addresses, which this sanitizer cannot handle on all kernels.
    const { status, stderr } = run("setarch", ["-R", "./race_test"], { cwd: home, wanted: null });
    assert.equal(status === 66, raced, stderr);
    if (raced) assert.match(stderr, /WARNING: ThreadSanitizer: data race[\s\S]*area\(.*geometry\.cpp/);
    else assert.equal(stderr, "");
  }
});
