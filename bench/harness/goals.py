"""The goals and the measured values: each goal is a value from the results, a limit, and a description."""

from statistics import median

from .summary import cells

SMALL, LARGE = "1500", "15000"


def of_builds(results, size, tool, scenario, part):
    result = results.get("sizes", {}).get(size)
    if not result:
        return None
    cell = cells(result["runs"]).get((tool, scenario))
    return cell[part] if cell else None


def of_saves(results, size):
    saves = results.get("sizes", {}).get(size, {}).get("serve", {}).get("sitegen", {}).get("saves")
    return median(saves) if saves else None


def of_scale(results):
    own = {row["posts"]: row["per_page"] for row in results.get("scale", {}).get("rows", []) if row["tool"] == "sitegen"}
    return own[100_000] / own[1000] if {1000, 100_000} <= own.keys() else None


# The goal for a fresh clone is relative to this commit, measured in the same run.
COLD_REFERENCE = "1fb70c4"


def of_cold(results):
    """`(first page relative to the reference, its seconds, {edit: seconds}, units compiled after a change of texts)`."""
    commits = results.get("cold", {}).get("commits")
    if not commits:
        return None, None, {}, None
    own, last = commits[0], commits[-1]
    edits = {edit["name"]: edit for edit in own["edits"]}
    relative = own["first_page"] / last["first_page"] if last is not own and last["commit"].startswith(COLD_REFERENCE) else None
    compiled = len(edits["texts"]["units"]) if "texts" in edits else None
    return relative, own["first_page"], {name: edit["seconds"] for name, edit in edits.items()}, compiled


def least(results, name):
    audits = results.get("pages", {}).get("audits")
    return min(audit[name] for audit in audits) if audits else None


def most(results, name):
    audits = results.get("pages", {}).get("audits")
    return max(audit[name] for audit in audits) if audits else None


def table(results):
    """`[(goal, limit, value, result)]`, all as text."""
    rows = []

    def add(what, value, limit, shown, at_least=False):
        sign = "≥" if at_least else "≤"
        if value is None:
            rows.append((what, f"{sign} {shown(limit)}", "not measured", ""))
        else:
            is_met = value >= limit if at_least else value <= limit
            rows.append((what, f"{sign} {shown(limit)}", shown(value), "reached" if is_met else f"missed, {value / limit:.1f} times the limit" if limit else "missed"))

    ratio = lambda value: f"{value:.3f} × Hugo"
    mebi = lambda value: f"{value:.0f} MiB"
    milli = lambda value: f"{value:.0f} ms"
    times = lambda value: f"{value:.2f} times"
    for size, name in ((SMALL, "1,500"), (LARGE, "15,000")):
        add(f"clean build, {name} posts, wall time", of_builds(results, size, "sitegen", "clean", "wall_ratio"), 0.15, ratio)
    for size, name, limit in ((SMALL, "1,500", 100), (LARGE, "15,000", 400)):
        add(f"peak memory, {name} posts", of_builds(results, size, "sitegen", "clean", "peak"), limit, mebi)
    for scenario, name, limit in (("edit", "one post edited", 0.02), ("add", "one post added", 0.06), ("nothing", "nothing changed", 0.015)):
        add(f"{name}, new process, 15,000 posts", of_builds(results, LARGE, "sitegen", scenario, "wall_ratio"), limit, ratio)
    for size, name in ((SMALL, "1,500"), (LARGE, "15,000")):
        add(f"`serve`, save to new HTML, {name} posts", of_saves(results, size), 50, milli)
    add("CPU a page, 1,000 to 100,000 posts", of_scale(results), 1.3, times)
    pictures = results.get("pictures")
    times_sharp = lambda value: f"{value:.3f} × sharp"
    add("photographs, CPU", pictures and pictures["cpu_ratio"], 0.8, times_sharp)
    add("photographs, wall time", pictures and pictures["wall_ratio"], 0.8, times_sharp)
    sizes = pictures and [own["bytes"] for own in pictures["forms"].values()]
    total = lambda name: sum(own[name] for own in sizes)
    add("photographs, bytes", sizes and total("sitegen") / total("sharp"), 1, times_sharp)
    plain = lambda value: f"{value:g}"
    relative, first_page, edited, compiled = of_cold(results)
    waited = lambda value: f"{value:.0f} s"
    add(f"fresh clone to the first page, beside {COLD_REFERENCE}", relative, 0.4, lambda value: f"{value:.2f} times")
    add("fresh clone to the first page, on an ordinary machine with two cores", first_page, 360, waited)
    add("a changed line of the render stage to the next page", edited.get("render"), 30, waited)
    add("a changed line of a CLI command to the next page", edited.get("leaf"), 10, waited)
    add("units compiled after a change of content, templates and islands", compiled, 0, plain)
    for name, words, limit in (("performance", "performance", 98), ("accessibility", "accessibility", 100), ("bestPractices", "best practices", 100), ("seo", "SEO", 100)):
        add(f"Lighthouse, {words}, the worst page", least(results, name), limit, plain, at_least=True)
    add("layout shift, the worst page", most(results, "layoutShift"), 0, plain)
    return rows
