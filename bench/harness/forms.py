"""The forms for editors: sites of two sizes, and a browser that opens and saves forms in them (`forms.mjs`)."""

import json
import os
import shutil
import subprocess

from . import install, paths
from .extras import Variant
from .measure import Failed
from .rounds import write_corpus

# Posts of the site whose forms are opened, and entries of the list.
EDITED, LISTED = 1500, 15000
# What is measured, in milliseconds: its name in the results, its title, and how long it may take.
TIMES = (
    ("open", "a form of a post opens, 1,500 posts", 300),
    ("save", "a form of a post is saved, 1,500 posts", 300),
    ("list", "the list of 15,000 entries opens", 1000),
    ("search", "the list of 15,000 entries answers a search", 100),
    ("new", "`new` and `serve` to the first page", 2000),
)


def site(posts, work):
    """A site with so many posts."""
    corpus = work / f"corpus-{posts}"
    write_corpus(posts, corpus)
    made = Variant(work, f"forms-{posts}", "forms")
    made.prepare(corpus)
    shutil.rmtree(corpus)
    return made


def measure(work):
    """`{open, save, list, search, new}`: milliseconds of each round."""
    edited, listed = site(EDITED, work), site(LISTED, work)
    command = [install.node(), paths.BENCH / "harness/forms.mjs", edited.folder, listed.folder, work / "new"]
    environment = {**os.environ, **edited.environment, "SITEGEN": str(install.sitegen()), "npm_config_offline": "true"}
    process = subprocess.run([str(part) for part in command], cwd=paths.ROOT, env=environment, capture_output=True, text=True)
    if process.returncode != 0:
        raise Failed(f"the browser could not use the forms:\n{process.stderr[-3000:]}")
    return json.loads(process.stdout.splitlines()[-1])


def middle(times):
    return sorted(times)[len(times) // 2]


def table(measured):
    """The head and the rows of the table of times."""
    rows = [[title, f"{middle(measured[name]):.0f} ms", f"{max(measured[name]):.0f} ms", f"≤ {limit:,} ms"] for name, title, limit in TIMES]
    return ["", "median", "at worst", "limit of the median"], rows


def words(measured):
    """The figures, for people."""
    lines = [f"{title}: {middle(measured[name]):.0f} ms (at most {limit})" for name, title, limit in TIMES]
    return "\n".join(lines)
