"""Runs the benchmarks in `benches/`, which print their figures and write them as JSON."""

import json
import os
import pathlib
import subprocess
import tempfile

from . import paths
from .measure import Failed

# The profile that benchmarks are compiled with.
PROFILE = os.environ.get("BENCH_PROFILE", "release")
IS_PUBLISHED = PROFILE == "dist"


def of_bench(name, arguments, given):
    """
    The figures of a benchmark. `given` is the variable that may name an existing build of it; without one, cargo
    builds it.
    """
    program = os.environ.get(given)
    bench = ["cargo", "bench", "--quiet", "--locked", "--profile", PROFILE, "-p", "generator", "--bench", name, "--"]
    command = [os.path.abspath(program)] if program else bench
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "figures.json"
        done = subprocess.run([*command, *arguments], cwd=paths.ROOT, env={**os.environ, "BENCH_JSON": str(file)})
        if done.returncode != 0:
            raise Failed(f"the benchmark `{name}` ended with {done.returncode}")
        if not file.exists():
            raise Failed(f"the benchmark `{name}` wrote no figures; does {given} name an older build?")
        return json.loads(file.read_text())
