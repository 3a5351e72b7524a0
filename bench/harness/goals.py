"""The goals and the measured values: each goal is a value from the results, a limit, and a description."""

from dataclasses import dataclass
from statistics import median
from typing import Callable

from . import editor, forms
from .summary import cells, ratio

SMALL, LARGE = 1500, 15_000
# The number of posts at which searches and their index are measured, and the largest one.
INDEXED, MOST_INDEXED = 10_000, 100_000
# The goal for a fresh clone is relative to this commit, measured in the same run.
COLD_REFERENCE = "1fb70c4"


@dataclass
class Goal:
    """`value` is `None` if it was not measured. `shown` writes the value and the limit as text."""

    what: str
    value: float | None
    limit: float
    shown: Callable[[float], str]
    at_least: bool = False

    @property
    def is_reached(self):
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def row(self):
        """`(goal, limit, reached, result)` as text."""
        limit = f"{'≥' if self.at_least else '≤'} {self.shown(self.limit)}"
        if self.value is None:
            return self.what, limit, "not measured", ""
        if self.is_reached:
            return self.what, limit, self.shown(self.value), "reached"
        times = f", {self.value / self.limit:.2f} times the limit" if self.limit and not self.at_least else ""
        return self.what, limit, self.shown(self.value), f"missed{times}"


def table(results):
    """`[(goal, limit, value, result)]`, all as text. A goal that was not measured is in it, too."""
    parts = (of_builds, of_features, of_photographs, of_unseen, of_pages, of_searches, of_leads, of_api, of_editors, of_forms, of_newcomers)
    return [goal.row() for part in parts for goal in part(results)]


def plain(value):
    return f"{value:g}"


def unit(name, digits=0):
    """Writes a number with a unit and so many digits after the point."""
    return lambda value: f"{value:,.{digits}f} {name}"


def beside_hugo(value):
    return f"{ratio(value)} × Hugo"


SHARP, MEBIBYTES, MILLISECONDS, SECONDS = unit("× sharp", 3), unit("MiB"), unit("ms"), unit("s")
TIMES, PLAIN_BUILD, KILOBYTES = unit("times", 2), unit("× a plain build", 2), unit("kB", 1)


def of_builds(results):
    for size in (SMALL, LARGE):
        yield Goal(f"clean build, {size:,} posts, wall time", build(results, size, "clean", "wall_ratio"), 0.15, beside_hugo)
    for scenario, name, limit in (("edit", "one post edited", 0.02), ("add", "one post added", 0.05), ("nothing", "nothing changed", 0.005)):
        yield Goal(f"{name}, new process, {LARGE:,} posts", build(results, LARGE, scenario, "wall_ratio"), limit, beside_hugo)
    for size, limit in ((SMALL, 100), (LARGE, 350)):
        yield Goal(f"peak memory, {size:,} posts", build(results, size, "clean", "peak"), limit, MEBIBYTES)
    for size in (SMALL, LARGE):
        yield Goal(f"`serve`, save to new HTML, {size:,} posts", save(results, size), 25, MILLISECONDS)
    yield Goal("CPU a page, 1,000 to 100,000 posts", growth(results), 1.3, TIMES)


def build(results, size, scenario, part):
    """A figure of sitegen's builds at a size."""
    result = results.get("sizes", {}).get(str(size))
    cell = cells(result["runs"]).get(("sitegen", scenario)) if result else None
    return cell[part] if cell else None


def save(results, size):
    saves = results.get("sizes", {}).get(str(size), {}).get("serve", {}).get("sitegen", {}).get("saves")
    return median(saves) if saves else None


def growth(results):
    own = {row["posts"]: row["per_page"] for row in results.get("scale", {}).get("rows", []) if row["tool"] == "sitegen"}
    return own[100_000] / own[1000] if {1000, 100_000} <= own.keys() else None


def of_features(results):
    extras = results.get("extras", {})
    variants = extras["variants"] if extras.get("posts") == SMALL else {}
    for name, title, limit in (("search", "the index for the search", 1.3), ("precompress", "`--precompress`", 8)):
        yield Goal(f"clean build with {title}, {SMALL:,} posts", variants[name]["ratio"] if name in variants else None, limit, PLAIN_BUILD)


def of_photographs(results):
    pictures = results.get("pictures")
    # Some pictures alone say little about all of them.
    pictures = pictures if pictures and pictures["is_whole"] else None
    yield Goal("photographs, CPU", pictures and pictures["cpu_ratio"], 0.8, SHARP)
    yield Goal("photographs, wall time", pictures and pictures["wall_ratio"], 0.8, SHARP)
    sizes = pictures and [own["bytes"] for own in pictures["forms"].values()]
    total = lambda name: sum(own[name] for own in sizes)
    yield Goal("photographs, bytes", sizes and total("sitegen") / total("sharp"), 1, SHARP)
    # Time and bytes count only at equal quality. Nobody sees a difference of one point.
    seen = pictures and [own["sight"] for own in pictures["forms"].values() if own["sight"]]
    worse = max(own["sharp"] - own["sitegen"] for own in seen) if seen else None
    yield Goal("photographs, SSIMULACRA2 below that of sharp, the worst format", worse, 1, unit("points", 1))


def of_unseen(results):
    measured = results.get("unseen")
    steps = measured["programs"]["sitegen"].values() if measured and measured["photographs"] >= 1000 else None
    what = "`check` and a build after one edit with 1,000 photographs of 12 MB that no page shows"
    yield Goal(f"{what}, memory above", steps and max(step["memory"] for step in steps), 20, MEBIBYTES)
    yield Goal(f"{what}, time above", steps and max(step["time"] for step in steps), 0.1, unit("s", 3))


def of_pages(results):
    pages, weights = results.get("pages", {}), results.get("islands")
    audits = pages.get("audits")
    of_audits = lambda choose, name: choose(own[name] for own in audits) if audits else None
    for name, words, limit in (("performance", "performance", 98), ("accessibility", "accessibility", 100), ("bestPractices", "best practices", 100), ("seo", "SEO", 100)):
        yield Goal(f"Lighthouse, {words}, the worst page", of_audits(min, name), limit, plain, at_least=True)
    shift = "{:.3f}".format
    yield Goal("layout shift, the worst page", of_audits(max, "layoutShift"), 0, shift)
    scrolled = pages.get("scrolling")
    yield Goal("layout shift while a list is scrolled to its end, the worst list", max(own["shift"] for own in scrolled) if scrolled else None, 0, shift)
    keys = {own["id"]: own["median"] for own in pages.get("interactions", []) if own.get("id")}
    for name, title in (("studies", "2,000 case studies"), ("posts", "300 posts")):
        yield Goal(f"slowest of seven keys in the search of {title}, processor slowed 4 times", keys.get(name), 100, MILLISECONDS)
    searched = [row["median"] for row in pages.get("search", []) if row["when"] == "when the index is loaded"]
    what = "first result of a search of the site, the slowest language, processor slowed 4 times"
    yield Goal(what, max(searched) if searched else None, 150, MILLISECONDS)
    more = weights and weights["shared"] - weights["react"]
    yield Goal("script that all islands share beside React and react-dom, brotli", more, 6, KILOBYTES)
    # An island may load six kilobytes that others load as well, and what is its own.
    for island, title, limit in (("form", "a form on one page", 6 + 6), ("form-steps", "the lead form", 6 + 14), ("blog-explorer", "the blog", 6 + 4)):
        own = weights and island in weights["own"] and more + weights["own"][island]
        yield Goal(f"script of {title} beside React and react-dom, brotli", own, limit, KILOBYTES)


def of_searches(results):
    sizes, index = results.get("search", {}), results.get("index")
    figures = lambda posts, name: sizes[str(posts)][name] if str(posts) in sizes else None
    mixed = lambda posts, share: sizes[str(posts)]["searches"]["mixed"][share] if str(posts) in sizes else None
    precise = unit("ms", 2)
    yield Goal(f"search in process, {INDEXED:,} posts, p50", mixed(INDEXED, "p50"), 0.15, precise)
    yield Goal(f"search in process, {INDEXED:,} posts, p99", mixed(INDEXED, "p99"), 0.8, precise)
    yield Goal(f"search in process, {MOST_INDEXED:,} posts, p99", mixed(MOST_INDEXED, "p99"), 5, precise)
    yield Goal(f"posts indexed per second and core, {INDEXED:,} posts", figures(INDEXED, "per_second"), 2500, unit("posts"), at_least=True)
    browsers = results.get("site_search", {})
    ratio_of_index = browsers.get("ratio") if browsers.get("posts") == LARGE else None
    yield Goal(f"index for browsers, {LARGE:,} posts, what it adds to a build", ratio_of_index, 1, unit("× Pagefind's command", 2))
    yield Goal(f"size of the index per post, {INDEXED:,} posts", figures(INDEXED, "index_kb"), 0.8, unit("kB", 2))
    yield Goal("files of the index that differ between two builds", index and len(index["different"]), 0, plain)


def of_leads(results):
    leads, kills = results.get("leads"), results.get("kills")
    for name, title in (("store", "leads stored"), ("api", "leads over `POST /api/leads`")):
        yield Goal(f"{title}, per second", leads and leads[name]["ratio"], 3, unit("× bare commits", 1), at_least=True)
        yield Goal(f"{title}, p99", leads and leads[name]["p99"], 5, unit("ms", 1))
    for name, title in (("lost", "confirmed leads that are lost"), ("lost_files", "files of confirmed leads that are lost"), ("doubled", "leads that are stored twice")):
        yield Goal(f"{title} in 200 kills", kills.get(name) if kills and kills["kills"] >= 200 else None, 0, plain)
    inbox = results.get("inbox")
    lists = inbox["lists"].values() if inbox and inbox["leads"] >= 100_000 else None
    yield Goal("a list of 100,000 leads in the inbox, the slowest filter or words", lists and max(own["median"] for own in lists), 100, MILLISECONDS)


def of_api(results):
    api, hostile = results.get("api"), results.get("hostile")
    yield Goal("the API as a program, stripped", api and api["bytes"] / 1e6, 12, unit("MB", 1))
    yield Goal("start of the API to its first answer", api and api["start"], 8, unit("ms", 1))
    yield Goal("own memory of the API", api and api["memory"], 16, unit("MiB", 1))
    # Both sources of requests are needed: one alone would leave out kinds of requests.
    sources = list(hostile.values()) if hostile and len(hostile) == 2 else None
    for name, title in (("failed", "a 5xx"), ("inner", "a detail of the program")):
        yield Goal(f"hostile requests answered with {title}", sources and sum(own[name] for own in sources), 0, plain)


def of_editors(results):
    for posts, limit in ((SMALL, 15), (LARGE, 40)):
        measured = results.get("editor", {}).get(str(posts))
        yield Goal(f"`lsp`, keystroke to problems, {posts:,} posts, 95 %", measured and editor.p95(measured["times"]), limit, MILLISECONDS)
    measured = results.get("editor", {}).get(str(SMALL))
    for name in editor.QUESTIONS:
        asked = measured and measured.get("asked")
        yield Goal(f"`lsp`, {name}, {SMALL:,} posts, 95 %", asked and editor.p95(asked[name]), 15, MILLISECONDS)
    yield Goal(f"`lsp`, peak memory, {SMALL:,} posts", measured and measured["peak"], 200, MEBIBYTES)


def of_forms(results):
    measured = results.get("forms")
    for name, title, limit in forms.TIMES:
        yield Goal(title, measured and forms.middle(measured[name]), limit, MILLISECONDS)


def of_newcomers(results):
    relative, first_page, edits, compiled = cold(results)
    yield Goal(f"fresh clone to the first page, beside {COLD_REFERENCE}", relative, 0.4, TIMES)
    yield Goal("fresh clone to the first page, on an ordinary machine with two cores", first_page, 150, SECONDS)
    yield Goal("a changed line of the render stage to the next page", edits.get("render"), 8, SECONDS)
    yield Goal("a changed line of a CLI command to the next page", edits.get("leaf"), 3, SECONDS)
    yield Goal("units compiled after a change of content, templates and islands", compiled, 0, plain)


def cold(results):
    """`(first page relative to the reference, its seconds, {edit: seconds}, units compiled after a change of texts)`."""
    commits = results.get("cold", {}).get("commits")
    if not commits:
        return None, None, {}, None
    own, last = commits[0], commits[-1]
    edits = {edit["name"]: edit for edit in own["edits"]}
    relative = own["first_page"] / last["first_page"] if last is not own and last["commit"].startswith(COLD_REFERENCE) else None
    compiled = len(edits["texts"]["units"]) if "texts" in edits else None
    return relative, own["first_page"], {name: edit["seconds"] for name, edit in edits.items()}, compiled
