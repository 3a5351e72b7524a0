"""The weight of the islands' scripts, as the build of this repository's site reports it."""

import re
import subprocess

from . import install, paths
from .measure import Failed

# `islands (brotli): faq 0.2 kB, menu 0.8 kB; shared by all 67.9 kB`
REPORT = re.compile(r"^islands \(brotli\): (?P<own>.*); shared by all (?P<shared>[\d.]+) kB$", re.MULTILINE)
ISLAND = re.compile(r"([\w-]+) ([\d.]+) kB")


def weights(work):
    """
    `{shared, react, own: {island: weight}}`, in kB of brotli: what all islands load, React and react-dom alone, and what each island
    loads in addition.
    """
    command = [install.sitegen(), "build", "--root", paths.ROOT, "--out", work / "dist"]
    built = subprocess.run(command, capture_output=True, text=True)
    found = REPORT.search(built.stdout)
    if built.returncode != 0 or not found:
        raise Failed(f"the build did not report the islands\n{built.stdout}{built.stderr}")
    script = (paths.BENCH / "harness/react-alone.mjs").read_text(encoding="utf-8")
    alone = subprocess.run([install.node(), "--input-type=module", "-"], input=script, cwd=paths.ROOT, capture_output=True, text=True)
    if alone.returncode != 0:
        raise Failed(alone.stderr)
    own = {name: float(weight) for name, weight in ISLAND.findall(found["own"])}
    return {"shared": float(found["shared"]), "react": int(alone.stdout) / 1000, "own": own}


def words(weights):
    """The islands of their own, for people."""
    return ", ".join(f"{name} {weight}" for name, weight in weights["own"].items())
