"""`bench/RESULTS.md`: the figures for readers, made from `results.json` alone."""

from . import goals, tables
from .summary import ratio, table

HEAD = """# How fast sitegen is, beside others

Written by `make bench-full`; [README.md](../README.md#benchmarks) says how to run it. Do not edit: the next run writes it again.

The same site is built by each tool from the same Markdown files: N English posts and N/2 Spanish ones by 12 authors with 40 tags;
lists of ten, pages of tags and authors, RSS, Atom and JSON feeds of each language and tag, a sitemap, hreflang. The sites lie in
`bench/sites/`, and their HTML is the same but for blanks: files, links, words and anchors are compared before anything is
reported. All tools take turns in each round, and ratios are taken within a round, so that a machine that gets slower is unfair
to none; the tables show medians. Ratios are relative to **a clean build by Hugo** in the same round. Every build publishes
something that the one before had not, and is checked for it.

*floor* is a program of this repository (`bench/floor/`) that does only what cannot be left out, with the libraries that sitegen uses.
"""

UNEQUAL = """## What is not the same

- sitegen looks up every link and reads every finished page for dead addresses, checks titles and descriptions against each other, finds
  related posts and writes structured data for each page (which the template of this site leaves out), hashes what it publishes, and
  exchanges the finished folder in one step. None of it can be turned off, the others do none of it, and it is in sitegen's time.
- sitegen colors the code in posts. The others could; here they do not.
- sitegen also writes a portrait with initials for each author, `_headers`, and the list of what it wrote. Hugo writes a sitemap for each
  language and one that names them, and does not list the further pages of a list there.
- Every list has ten posts a page, because sitegen's number is fixed.
- Related posts are left out everywhere, because each tool has another idea of them; posts name their older and newer neighbor.
- Astro's pages are rendered on each request by its preview server, so asking for them again and again slows it down.
- CPU is that of a process and those it waited for; memory is that of the largest process of each tool.
"""


def lines(results):
    machine = results["machine"]
    systems = sorted({result["file_system"] for result in results.get("sizes", {}).values()})
    yield HEAD
    yield (
        f"Measured on {results['measured']}: {machine['cores']} cores ({machine['processor']}), {machine['memory_gib']} GiB, {machine['system']}, "
        f"file system {', '.join(systems)}.\n"
    )
    yield "## Goals\n"
    yield from table(["goal", "limit", "reached", ""], goals.table(results), markdown=True)
    for result in results.get("sizes", {}).values():
        yield f"\n## {result['posts']:,} posts in English, {result['posts'] // 2:,} in Spanish\n"
        yield f"Rounds: {result['rounds']}.\n"
        yield from table(*tables.builds(result), markdown=True)
        yield ""
        yield from table(*tables.costs(result), markdown=True)
        if result["serve"]:
            yield ""
            yield from table(*tables.servers(result), markdown=True)
        yield ""
        yield from (f"- {line}" for line in tables.likenesses(result))
    yield f"\n{UNEQUAL}"
    if "extras" in results:
        yield "## What sitegen's extras cost on top\n"
        yield from table(*tables.extras(results["extras"]), markdown=True)
        first = results["extras"]["variants"]["photographs"]["first"]
        yield f"\nThe photographs of that site are encoded once, in {first:.1f} s, and kept in `.sitegen/pictures/`.\n"
    if "scale" in results:
        yield "## As a site grows\n"
        yield from table(*tables.scale(results["scale"]), markdown=True)
        yield ""
    if "cold" in results:
        yield from newcomer(results["cold"])
    if "pictures" in results:
        yield from pictures(results["pictures"])
    if "pages" in results:
        yield from visitor(results["pages"])


def newcomer(cold):
    yield "## For a newcomer\n"
    yield "`make serve` in a fresh clone with an empty `target/` and `node_modules/`, by `bench/cold`; ratios are relative to the last commit.\n"
    yield from table(*tables.cold(cold), markdown=True)
    if any(own["edits"] for own in cold["commits"]):
        yield "\nThen a line is changed, and `make serve` called again:\n"
        yield from table(*tables.edits(cold), markdown=True)
    yield ""
    yield from table(*tables.units(cold), markdown=True)
    yield "\nCPU is that of the compilers as the kernel counts it; `(C)` is C code that the build script of a crate compiles.\n"


def pictures(figures):
    yield "## Photographs, beside sharp\n"
    yield (
        f"The {figures['files']} files of this repository's photographs, encoded by sitegen and by sharp in turns ({figures['rounds']} rounds): the same "
        "pictures, widths and formats on all cores. The look is SSIMULACRA2 at a width of 768 pixels; sharp's quality is set so that its "
        "pictures look no better.\n"
    )
    yield from table(*tables.pictures(figures), markdown=True)
    for part, words in (("wall", "wall time"), ("cpu", "CPU")):
        own = figures[part]
        yield f"\n{words}: sitegen {own['sitegen']:.1f} s, sharp {own['sharp']:.1f} s, {ratio(figures[f'{part}_ratio'])} ×."
    yield f"\nThe first build of the site with empty caches takes {figures['first']['wall']:.1f} s, {figures['first']['cpu']:.1f} s of CPU.\n"


def visitor(pages):
    if pages["audits"]:
        yield "## For the visitor\n"
        version = pages["audits"][0]["version"]
        yield f"Lighthouse {version}, mobile with simulated throttling, against `sitegen serve --no-watch` of this repository's site.\n"
        head = ["kind of page", "performance", "accessibility", "best practices", "SEO", "layout shift", "first paint", "largest paint", "blocking", "kB"]
        rows = [
            [own["kind"], own["performance"], own["accessibility"], own["bestPractices"], own["seo"], f"{own['layoutShift']:.3f}",
             f"{own['firstPaint']:.0f} ms", f"{own['largestPaint']:.0f} ms", f"{own['blocking']:.0f} ms", f"{own['bytes'] / 1000:.0f}"]
            for own in pages["audits"]
        ]
        yield from table(head, rows, markdown=True)
        yield ""
    yield "In Chromium on a processor slowed four times:\n"
    rows = [[own["name"], f"{own['median']:.0f} ms", f"{own['worst']:.0f} ms"] for own in pages["interactions"]]
    yield from table(["interaction", "median", "at worst"], rows, markdown=True)
    yield ""
    rows = [[f"{own['name']} (on {own['when']})", f"{own['awake']:.0f} ms", f"{own['longest']:.0f} ms"] for own in pages["islands"]]
    yield from table(["island", "answers after", "longest task until then"], rows, markdown=True)
    yield (
        "\nIslands that wake by themselves are counted from the beginning of the visit, those that wake on `interaction` or when they are "
        "`visible` from then on."
    )


def text(results):
    return "\n".join(lines(results)).rstrip() + "\n"
