"""`bench/RESULTS.md`: the published figures, generated from `results.json`, and the analysis in `bench/profiles.md`."""

from . import brief, entries, forms, goals, index, languages, paths, site_search, tables, unseen
from .summary import ratio, table

HEAD = """# Benchmark results

Written by `make bench-full`; [Benchmarks](../docs/benchmarks.md) explains how to run it. Do not edit: the next run overwrites it.
The profiles at the end are from [profiles.md](profiles.md), which is written by hand.

Each tool builds the same site from the same Markdown files: N English posts and N/2 Spanish ones by 12 authors with 40 tags;
lists of ten, pages of tags and authors, RSS, Atom and JSON feeds of each language and tag, a sitemap, hreflang. The sites are in
`bench/sites/`, and their HTML is equal except for whitespace: files, links, words and anchors are compared. The tools are
interleaved in each round, and ratios are computed within a round, so that changes in the speed of the machine affect all tools
equally; the tables show medians. Ratios are relative to **a clean build by Hugo** in the same round. Each build publishes a
change, and its output is checked for it.

*floor* is a minimal program in this repository (`bench/floor/`) that uses the same libraries as sitegen.
"""

UNEQUAL = """## Differences between the tools

- sitegen resolves every link, checks rendered pages for dead addresses and duplicate titles and descriptions, finds related posts,
  generates structured data for each page (which the template of this site leaves out), hashes its output, and swaps the output
  folder atomically. This cannot be turned off, the other tools do not do it, and it is included in sitegen's time.
- sitegen highlights the code in posts. The others could; here they do not.
- sitegen also writes a portrait with initials for each author, `_headers`, and the list of its files. Hugo writes a sitemap per
  language and an index of them, and does not list further pages of lists in it.
- Every list has ten posts per page, because sitegen's number is fixed.
- Related posts are left out, because each tool selects them differently; posts link to their older and newer neighbor.
- Astro's preview server renders pages on each request, so repeated requests slow it down.
- CPU is that of a process and its finished children; memory is that of the largest process of each tool.
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
        yield f"Rounds: {result['rounds']}. Measured with {program(result)}.\n"
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
        yield "## The cost of sitegen's optional features\n"
        yield from table(*tables.extras(results["extras"]), markdown=True)
        first = results["extras"]["variants"]["photographs"]["first"]
        yield f"\nThe photographs of that site are encoded once, in {first:.1f} s, and kept in `.sitegen/pictures/`.\n"
    if "scale" in results:
        yield "## As a site grows\n"
        yield "Clean builds by sitegen and by the floor program. With more than 50,000 posts, each builds once.\n"
        yield from table(*tables.scale(results["scale"]), markdown=True)
        yield ""
    if "entries" in results:
        yield "## Entries of collections\n"
        yield "People in two languages, each with a reference to a clinic, beside pages of a section in Hugo (`bench/entries`).\n"
        yield from table(*entries.table(results["entries"]), markdown=True)
        yield ""
    if "languages" in results:
        yield "## A sixth language\n"
        own = results["languages"]
        yield f"A site with {own['posts']:,} posts in each of five languages and of six; CPU of a page in six is {own['ratio']:.3f} × that in five.\n"
        yield from table(*languages.table(own), markdown=True)
        yield ""
    if "site_search" in results:
        yield from site_search.lines(results["site_search"])
    if "search" in results:
        yield from searches(results["search"], results.get("index"))
    if "leads" in results:
        yield from leads(results["leads"])
    if "inbox" in results:
        yield from inbox(results["inbox"])
    if "forms" in results:
        yield from of_forms(results["forms"])
    if "api" in results:
        yield from api(results)
    if "cold" in results:
        yield from newcomer(results["cold"])
    if "brief" in results:
        yield from clinics(results["brief"])
    if "pictures" in results:
        yield from pictures(results["pictures"])
    if "unseen" in results:
        yield "## Photographs that no page shows\n"
        yield "Above the same site without them. The files are sparse: the header of a JPEG, and then a hole.\n"
        yield from table(*unseen.rows(results["unseen"]), markdown=True)
        yield ""
    if "pages" in results:
        yield from visitor(results["pages"])
    if "islands" in results:
        yield from scripts(results["islands"])
    yield "\n" + (paths.BENCH / "profiles.md").read_text(encoding="utf-8").replace("# ", "## ", 1)


def program(result, published="the published program (`scripts/published`)"):
    return published if result["is_published"] else "the program that `make` compiles (profile `release`)"


def library(result):
    """What a benchmark in `benches/` was compiled with."""
    return program(result, "what is published, compiled with the profile `dist`")


def searches(sizes, builds):
    yield "## Searches\n"
    programs = ", ".join(sorted({library(own) for own in sizes.values()}))
    yield (
        "In process, one search after the other, on one core. The texts are a hard case: the most common words are in a third of all "
        f"posts. *mixed* are one to four words, of which the last one is unfinished or has a typo. Measured with {programs}.\n"
    )
    yield from table(*tables.searches(sizes), markdown=True)
    yield ""
    yield from table(*tables.indexes(sizes), markdown=True)
    if builds:
        yield f"\nThe index of two clean builds with {builds['posts']:,} posts, one with one thread and one with two: {index.words(builds)}.\n"
    else:
        yield ""


def leads(figures):
    yield "## Leads\n"
    yield (
        "Leads stored durably, compared with a loop that commits one row at a time with the same settings (WAL, `synchronous = FULL`) on "
        f"the same disk ({figures['file_system']}), {figures['seconds']} s each. Measured with {library(figures)}.\n"
    )
    yield from table(*tables.leads(figures), markdown=True)
    yield ""


def inbox(figures):
    yield "## The inbox\n"
    yield (
        "The newest leads of a list with what else its page reads, in the store on one machine. Words are searched in what visitors "
        f"wrote. Measured with {library(figures)}.\n"
    )
    yield from table(*tables.inbox(figures), markdown=True)
    yield ""


def of_forms(figures):
    yield "## Forms for editors\n"
    yield (
        "In Chromium, from the press of a key or the begin of a navigation until the page shows the answer; the last row is from the command "
        f"`new` to the first page that `serve` answers with. Rounds: {len(figures['open'])}, and {len(figures['new'])} new sites. Measured "
        f"on {figures['measured']} with {program(figures)}.\n"
    )
    yield from table(*forms.table(figures), markdown=True)
    yield ""


def api(results):
    yield "## The API\n"
    build = "A build that `SITE_API` named" if results["api"]["is_given"] else "Compiled with the profile of deployments"
    yield f"{build}, with the search index of this repository's site.\n"
    yield from table(*tables.api(results["api"]), markdown=True)
    yield ""
    if "kills" in results:
        yield (
            "While eight clients send leads, a fifth of them with a file, to two servers of one store, one after the other is killed "
            "(`SIGKILL`) and both are started again. A client repeats a lead with the same "
            "idempotency key until it is confirmed, as the form does. Then the stored leads are compared with the confirmed ones.\n"
        )
        yield from table(*tables.kills(results["kills"]), markdown=True)
        yield ""
        if results["kills"].get("beside"):
            done = ", ".join(f"{kind} {count:,}" for kind, count in results["kills"]["beside"].items() if kind != "nothing")
            yield f"Beside the kills, other programs used the store, again and again (a full disk is a limit on the size of files): {done}.\n"
    if "hostile" in results:
        yield (
            "Hostile requests: the list in `bench/harness/hostile.py`, and those that schemathesis generates from the API's document. Some "
            "are not answered, because they never end.\n"
        )
        yield from table(*tables.hostile(results["hostile"]), markdown=True)
        yield ""


def clinics(results):
    yield "## The brief's clinics\n"
    yield (
        "Five collections in five languages with the same words and facts, by `bench/brief`: the content is that of "
        "`examples/dental-clinics`, and the projects for Hugo and Astro are in `bench/sites/brief/`. The site of sitegen also has forms, "
        f"press and pages that the others leave out. Builds are medians of {results['rounds']} rounds; Astro keeps its caches in "
        "the builds after a change, and so does sitegen.\n"
    )
    yield from table(*brief.work_rows(results), markdown=True)
    yield (
        "\nMistakes are planted one by one (`bench/sites/brief/mistakes.json`). One is noticed if a build fails, or warns in lines "
        "that a build without mistakes does not write.\n"
    )
    yield from table(*brief.notice_rows(results), markdown=True)
    yield ""
    yield from table(*brief.mistake_rows(results), markdown=True)
    yield ""


def newcomer(cold):
    yield "## For a newcomer\n"
    yield "`make serve` in a fresh clone with an empty `target/` and `node_modules/`, by `bench/cold`; ratios are relative to the last commit.\n"
    yield from table(*tables.cold(cold), markdown=True)
    if any(own["edits"] for own in cold["commits"]):
        yield "\nAfter a changed line, `make serve` again:\n"
        yield from table(*tables.edits(cold), markdown=True)
    yield ""
    yield from table(*tables.units(cold), markdown=True)
    yield "\nCPU is that of the compilers as the kernel counts it; `(C)` is C code that the build script of a crate compiles.\n"


def pictures(figures):
    yield "## Photographs, compared with sharp\n"
    yield (
        f"The {figures['files']} files of {figures['photographs']} photographs of this repository, encoded by sitegen and by sharp in turns (rounds: {figures['rounds']}): the same "
        "pictures, widths and formats on all cores. SSIMULACRA2 is measured at a width of 768 pixels; sharp's quality should be set so that "
        "its pictures do not look better.\n"
    )
    yield from table(*tables.pictures(figures), markdown=True)
    for part, words in (("wall", "wall time"), ("cpu", "CPU")):
        own = figures[part]
        yield f"\n{words}: sitegen {own['sitegen']:.1f} s, sharp {own['sharp']:.1f} s, {ratio(figures[f'{part}_ratio'])} ×."
    yield ""
    if figures["first"]:
        yield f"The first build of the site with empty caches takes {figures['first']['wall']:.1f} s, {figures['first']['cpu']:.1f} s of CPU.\n"


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
    if pages.get("scrolling"):
        yield "A list is scrolled to its end in Chromium, while the API takes two seconds for each answer. All layout shifts are added up:\n"
        rows = [[own["path"], f"{own['width']} px", f"{own['shift']:.3f}"] for own in pages["scrolling"]]
        yield from table(["list", "width", "layout shift"], rows, markdown=True)
        yield ""
    if pages.get("search"):
        yield (
            "A search of the site of `tests/browser/horizon.mjs`, from the first key to the frame that shows the first result, in Chromium. "
            f"The thread of the page is slowed four times, that of the worker is not. Load of the machine: {pages['load']:.1f}.\n"
        )
        rows = [[own["language"], own["when"], f"{own['median']:.0f} ms", f"{own['worst']:.0f} ms"] for own in pages["search"]]
        yield from table(["language", "the first key", "median", "at worst"], rows, markdown=True)
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


def scripts(weights):
    yield "\nThe scripts of the islands: those of all, and those that each loads in addition. Some belong to more than one.\n"
    rows = [["all islands", f"{weights['shared']:.1f} kB"], ["React and react-dom alone", f"{weights['react']:.1f} kB"], *([name, f"{weight:.1f} kB"] for name, weight in weights["own"].items())]
    yield from table(["script", "brotli"], rows, markdown=True)


def text(results):
    return "\n".join(lines(results)).rstrip() + "\n"
