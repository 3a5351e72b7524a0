"""Cost per page as the site grows: clean builds by sitegen and by the floor program."""

import shutil

from statistics import median

from .measure import run, say
from .paths import Workspace
from .rounds import output, write_corpus
from .tools import Floor, Sitegen


def measure(sizes, rounds, wanted):
    """`[{posts, tool, wall, cpu, peak, pages, per_page}]`; `per_page` is CPU in microseconds."""
    rows = []
    for posts in sizes:
        with Workspace(wanted, posts, 2) as work:
            corpus = work.folder / "corpus"
            write_corpus(posts, corpus)
            tool, floor = Sitegen(work.folder), Floor(work.folder)
            tool.prepare(corpus)
            shutil.rmtree(corpus)
            # The floor program reads the same folder; another copy would take another gigabyte.
            floor.folder, floor.out = tool.folder, "floor"
            costs = {"sitegen": [], "floor": []}
            # At the largest size a build takes long enough that one round is sufficient.
            for _ in range(1 if posts > 50_000 else rounds):
                for own in (tool, floor):
                    own.clean()
                    costs[own.name].append(run(own.command(), own.folder, {}, work.folder / "scale.log"))
                    pages = output(own)["pages"]
                    shutil.rmtree(own.folder / own.out)
                    cost = costs[own.name][-1]
                    say(f"  {posts:>7} posts  {own.name:<8}{cost.wall:8.2f} s {cost.peak:7.0f} MiB")
            for name, own in costs.items():
                cpu = median(cost.cpu for cost in own)
                rows.append({
                    "posts": posts,
                    "tool": name,
                    "wall": median(cost.wall for cost in own),
                    "cpu": cpu,
                    "peak": max(cost.peak for cost in own),
                    "pages": pages,
                    "per_page": cpu / pages * 1e6,
                })
    return {"rows": rows}
