"""The tables of the results, as headers and rows, for the terminal and for `RESULTS.md`."""

from statistics import median

from .scenarios import TITLES
from .summary import cells, in_order, ratio, seconds
from .tools import TOOLS


def builds(result):
    """Wall time of each scenario: seconds, and relative to Hugo's clean build."""
    by_tool = cells(result["runs"])
    tools = in_order({tool for tool, _ in by_tool}, TOOLS)
    rows = []
    for scenario, title in TITLES.items():
        own = [by_tool.get((tool, scenario)) for tool in tools]
        rows.append([title, *(f"{seconds(cell['wall'])} ({ratio(cell['wall_ratio'])})" if cell else "" for cell in own)])
    return ["wall time (relative to Hugo, clean)", *tools], rows


def costs(result):
    """CPU, memory and output of clean builds."""
    by_tool = cells(result["runs"])
    rows = []
    for tool in in_order({tool for tool, _ in by_tool}, TOOLS):
        cell, output = by_tool[(tool, "clean")], result["outputs"][tool]
        peak = max(own["peak"] for (name, _), own in by_tool.items() if name == tool)
        rows.append([
            tool, result["versions"][tool], seconds(cell["cpu"]), ratio(cell["cpu_ratio"]), f"{cell['peak']:.0f}", f"{peak:.0f}",
            f"{output['pages']:,}", f"{output['files']:,}", f"{output['bytes'] / 1e6:.1f}",
        ])
    head = ["clean build", "version", "CPU", "relative", "peak MiB", "peak of all scenarios", "pages", "files", "MB"]
    return head, rows


def servers(result):
    rows = []
    for tool in in_order(result["serve"], TOOLS):
        own = result["serve"][tool]
        saves = own["saves"]
        rows.append([tool, f"{own['start']:.2f} s", f"{median(saves):.0f} ms", f"{min(saves):.0f} ms", f"{max(saves):.0f} ms"])
    return ["preview server", "first page after", "a save is seen after", "at best", "at worst"], rows


def likenesses(result):
    """Lines that describe how the outputs differ."""
    lines = []
    for tool, comparison in result["likeness"].items():
        notes = comparison["differences"]
        more = f"; {comparison['own_files']} files of its own" if comparison["own_files"] else ""
        lines.append(f"{tool}: " + ("; ".join(notes[:3]) if notes else "the same files, links, words and anchors as sitegen") + more)
    return lines


def extras(result):
    rows = [
        [own["title"], seconds(own["wall"]), ratio(own["ratio"]), seconds(own["cpu"]), f"{own['peak']:.0f}", f"{own['files']:,}",
         f"{own['bytes'] / 1e6:.1f}"]
        for own in result["variants"].values()
    ]
    return [f"sitegen, clean, {result['posts']:,} posts", "wall", "relative", "CPU", "peak MiB", "files", "MB"], rows


def scale(result):
    first = {}
    rows = []
    for own in result["rows"]:
        base = first.setdefault(own["tool"], own["per_page"])
        rows.append([
            own["tool"], f"{own['posts']:,}", f"{own['pages']:,}", seconds(own["wall"]), f"{own['per_page']:.0f} µs",
            f"{own['per_page'] / base:.2f}", f"{own['peak']:.0f}",
        ])
    return ["clean build", "posts", "pages", "wall", "CPU a page", "relative to the first", "peak MiB"], rows


# The changes that `bench/cold` makes.
EDITS = {"render": "a line of the render stage", "leaf": "a line of a CLI command", "texts": "lines in content/, templates/ and react/"}


def cold(result):
    """From a fresh clone to the first page; ratios relative to the last commit."""
    last = result["commits"][-1]
    names = (("first_page", "first page"), ("complete", "with its pictures"), ("compile_cpu", "CPU of compilers"), ("cpu", "CPU in all"))
    rows = []
    for own in result["commits"]:
        cells = [f"{own[name]:.0f} s" + (f" ({ratio(own[name] / last[name])})" if own is not last else "") for name, _ in names]
        rows.append([f"{own['name']} ({own['commit'][:9]})", *cells, len(own["units"])])
    return [f"fresh clone, caches {result['caches']}", *(title for _, title in names), "units"], rows


def edits(result):
    """From a changed line to the next page of `make serve`."""
    rows = [
        [f"{EDITS[edit['name']]} ({own['name']})", f"{edit['seconds']:.1f} s", f"{edit['cpu']:.1f} s", ", ".join(edit["units"]) or "nothing"]
        for own in result["commits"] for edit in own["edits"]
    ]
    return ["changed", "until the page", "CPU of compilers", "compiled"], rows


def units(result, count=10):
    """The heaviest units of the first commit, by the CPU time of their compiler."""
    own = result["commits"][0]
    rows = [[unit["name"], f"{unit['cpu']:.1f} s", f"{unit['wall']:.1f} s", ratio(unit["cpu"] / own["compile_cpu"])] for unit in own["units"][:count]]
    return [f"heaviest units of {own['name']}", "CPU", "wall", "share"], rows


def pictures(figures):
    rows = [
        [form, own["files"], *(f"{own['bytes'][name] / 1000:,.0f}" for name in ("sitegen", "sharp")),
         ratio(own["bytes"]["sitegen"] / own["bytes"]["sharp"]),
         *(f"{own['sight'][name]:.1f}" if own["sight"] else "" for name in ("sitegen", "sharp"))]
        for form, own in figures["forms"].items()
    ]
    return ["form", "files", "sitegen kB", "sharp kB", "ratio", "sitegen SSIMULACRA2", "sharp SSIMULACRA2"], rows


def searches(sizes):
    """Latency of searches in process. The figures are those of one core."""
    rows = [
        [f"{name}, {own['posts']:,} posts", f"{times['p50']:.3f} ms", f"{times['p99']:.3f} ms", f"{times['found']:,} of {times['of']:,}"]
        for own in by_posts(sizes) for name, times in own["searches"].items()
    ]
    return ["searches", "p50", "p99", "found something"], rows


def indexes(sizes):
    """The cost of the index of the searches."""
    rows = [
        [f"{own['posts']:,}", f"{own['per_second']:,.0f}", f"{own['index_kb']:.2f}", f"{own['all_kb']:.2f}", f"{own['open']:.2f} ms", f"{own['unchanged']:.2f} ms"]
        for own in by_posts(sizes)
    ]
    return ["posts", "indexed per second and core", "kB a post", "kB with its text", "opened in", "found unchanged in"], rows


def by_posts(sizes):
    return sorted(sizes.values(), key=lambda own: own["posts"])


def leads(figures):
    rows = [["bare loop of commits", f"{figures['bare']:,.0f}", "1.0", "", ""]]
    for name, title in (("store", "store"), ("api", "`POST /api/leads`")):
        own = figures[name]
        rows.append([title, f"{own['per_second']:,.0f}", f"{own['ratio']:.1f}", f"{own['p50']:.2f} ms", f"{own['p99']:.2f} ms"])
    return [f"leads, {figures['clients']} clients", "per second", "relative", "p50", "p99"], rows


def inbox(figures):
    rows = [[name, f"{own['median']:.1f} ms", f"{own['most']:.1f} ms"] for name, own in figures["lists"].items()]
    return [f"a page of 50 of {figures['leads']:,} leads", "median", "at most"], rows


def api(figures):
    rows = [
        ["size, stripped", f"{figures['bytes'] / 1e6:.1f} MB"],
        [f"start to the first answer, median of {figures['starts']}", f"{figures['start']:.1f} ms"],
        ["start to the first answer, at worst", f"{figures['start_worst']:.1f} ms"],
        [f"own memory after {figures['searches']:,} searches", f"{figures['memory']:.1f} MiB"],
    ]
    return ["the API as a program", ""], rows


def kills(figures):
    names = ("kills", "confirmed", "retried", "stored", "lost", "files", "lost files", "doubled")

    def count(name):
        # Earlier results have no files.
        return f"{figures[name]:,}" if name in figures else ""

    return ["kills while leads arrive", *names[1:]], [[figures["kills"], *(count(name.replace(" ", "_")) for name in names[1:])]]


def hostile(figures):
    rows = [[source, *(f"{own[name]:,}" for name in ("requests", "answered", "failed", "inner"))] for source, own in figures.items()]
    return ["hostile requests", "sent", "answered", "with a 5xx", "with an inner detail"], rows
