"""Photographs that no page shows: the time and memory of a check and of a build after one edit, above those without them."""

import os
import shutil
from statistics import median

from . import install, paths
from .extras import Variant
from .measure import run, say
from .rounds import write_corpus

POSTS, ROUNDS = 100, 3
# The length of each photograph, in bytes.
LENGTH = 12_000_000
# How much of a photograph of this repository is copied: more than its header.
HEAD = 65_536


def add_photographs(site, count):
    """Writes sparse files: after the header of a JPEG comes a hole, which takes no room."""
    head = (paths.ROOT / "docs/home.jpg").read_bytes()[:HEAD]
    folder = site.folder / "content/images/unseen"
    folder.mkdir(parents=True)
    for number in range(count):
        file = folder / f"{number:04}.jpg"
        file.write_bytes(head)
        os.truncate(file, LENGTH)


def edit(site, number):
    post = sorted((site.folder / "content/blog/en").glob("*.md"))[0]
    post.write_text(post.read_text(encoding="utf-8") + f"\nAn edit with the number {number}.\n", encoding="utf-8")


def measure(count, work):
    """`{photographs, bytes, programs: {name: {step: {memory, time, first}}}}`: MiB and seconds above the site without them."""
    corpus = work / "corpus"
    write_corpus(POSTS, corpus)
    programs = {"sitegen": install.sitegen()}
    if "BEFORE" in os.environ:
        programs["before"] = install.before()
    measured = {}
    for name, program in programs.items():
        pair = [Variant(work, f"{name}-{kind}", kind) for kind in ("without", "with")]
        for site in pair:
            site.prepare(corpus)
        add_photographs(pair[1], count)
        measured[name] = above(pair, program, work)
        for site in pair:
            shutil.rmtree(site.folder)
    return {"photographs": count, "bytes": LENGTH, "rounds": ROUNDS, "programs": measured}


def above(pair, program, work):
    costs = {}
    for number in range(ROUNDS + 1):
        for site in pair:
            for step in ("check", "build"):
                edit(site, number)
                cost = run([program, step, "--quiet"], site.folder, site.environment, work / "unseen.log")
                costs.setdefault((site.title, step), []).append(cost)
        say(f"round {number} of {ROUNDS}")
    result = {}
    for step in ("check", "build"):
        # The first round reads the headers, which the others know.
        first, *others = zip(costs["with", step], costs["without", step])
        result[step] = {
            "memory": max(one.peak for one, _ in others) - max(one.peak for _, one in others),
            "time": median(one.wall - other.wall for one, other in others),
            "first": first[0].wall - first[1].wall,
        }
    return result


def rows(measured):
    of = f"{measured['photographs']:,} photographs of {measured['bytes'] / 1e6:.0f} MB that no page shows"
    steps = {"check": "`check`", "build": "`build` after one edit"}
    return [of, "memory above", "time above", "the first time"], [
        [f"{title}, {name}", f"{own[step]['memory']:.1f} MiB", f"{own[step]['time']:.3f} s", f"{own[step]['first']:.3f} s"]
        for name, own in measured["programs"].items() for step, title in steps.items()
    ]
