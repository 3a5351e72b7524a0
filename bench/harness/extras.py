"""The cost of sitegen's optional features: clean builds with and without each of them, in interleaved rounds."""

import re
import subprocess
import sys
import zlib

from statistics import median

from . import paths
from .measure import run, say
from .rounds import output
from .tools import Sitegen


class Variant(Sitegen):
    """sitegen's site with one additional feature."""

    def __init__(self, folder, name, title, change=lambda tool: None, flags=(), keep=()):
        super().__init__(folder)
        self.name, self.title, self.change, self.flags, self.keep = name, title, change, flags, keep
        self.folder = folder / f"extra-{name}"

    @property
    def site(self):
        return "sitegen"

    def prepare(self, corpus):
        super().prepare(corpus)
        self.change(self)

    def command(self):
        return [*super().command(), *self.flags]


def with_search(tool):
    settings = tool.folder / "content/site.yaml"
    settings.write_text(settings.read_text().replace("blog: {search: false}", "blog: {search: true}"))


def each_post(tool, change):
    for file in (tool.folder / "content/blog").rglob("*.md"):
        file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")


def with_covers(tool):
    """Removes pictures from posts, so that each gets a drawn cover."""
    each_post(tool, lambda text: re.sub(r"^image: .*\n", "", text, count=1, flags=re.MULTILINE))


def with_photographs(tool):
    """Adds four photographs, which all posts share."""
    for number in range(4):
        file = tool.folder / f"content/images/photo-{number}.png"
        # In a separate process: its memory would be inherited by the measured builds.
        subprocess.run([sys.executable, paths.BENCH / "harness/photograph.py", str(number + 1), file], check=True)
    # sharp encodes them.
    (tool.folder / "node_modules").symlink_to(paths.ROOT / "node_modules")
    each_post(tool, lambda text: text.replace("cover.svg", f"photo-{zlib.crc32(text.encode()) % 4}.png", 1))


def variants(folder):
    return [
        Variant(folder, "bare", "as compared with the others"),
        Variant(folder, "search", "with the index for the search", with_search),
        Variant(folder, "covers", "with a cover drawn for each post", with_covers),
        Variant(folder, "precompress", "with `--precompress`", flags=["--precompress"]),
        Variant(folder, "photographs", "with four photographs, encoded before", with_photographs, keep=[".sitegen/pictures"]),
    ]


def measure(posts, rounds, work, corpus):
    """`{name: {title, wall, cpu, peak, ratio, files, bytes}}`; ratios are relative to the bare site in the same round."""
    tools = variants(work)
    first = {}
    for tool in tools:
        tool.prepare(corpus)
        # The first build encodes the photographs, and is reported separately.
        first[tool.name] = run(tool.command(), tool.folder, {}, work / "extra.log").wall
    runs = {tool.name: [] for tool in tools}
    for number in range(rounds):
        for tool in tools[number % len(tools):] + tools[: number % len(tools)]:
            clean(tool)
            runs[tool.name].append(run(tool.command(), tool.folder, {}, work / "extra.log"))
    figures = {}
    for tool in tools:
        own = runs[tool.name]
        figures[tool.name] = {
            "title": tool.title,
            "first": first[tool.name],
            "wall": median(cost.wall for cost in own),
            "cpu": median(cost.cpu for cost in own),
            "peak": max(cost.peak for cost in own),
            "ratio": median(cost.wall / bare.wall for cost, bare in zip(own, runs["bare"])),
            **output(tool),
        }
        say(f"  {tool.title:<40}{figures[tool.name]['wall']:8.3f} s {figures[tool.name]['ratio']:6.2f} ×")
    return figures


def clean(tool):
    moved = [(tool.folder / path, tool.folder / f"moved-{at}") for at, path in enumerate(tool.keep)]
    for path, aside in moved:
        if path.exists():
            path.rename(aside)
    tool.clean()
    for path, aside in moved:
        if aside.exists():
            path.parent.mkdir(exist_ok=True)
            aside.rename(path)
