"""`target/bench/results.json`: the results of all parts, each written when it was measured."""

import json
import os
import platform
import time

from . import paths


def machine():
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    memory = next(int(line.split()[1]) for line in open("/proc/meminfo") if line.startswith("MemTotal:"))
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "memory_gib": round(memory / 2**20),
        "system": f"{platform.system()} {platform.release()}",
    }


def read():
    return json.loads(paths.RESULTS.read_text()) if paths.RESULTS.exists() else {}


# The parts with results by number of posts, of which a run may measure only some.
BY_SIZE = ("sizes", "search", "editor")


def add(part):
    """Replaces the results of a part. Results of different sizes are merged."""
    results = read()
    for key, value in part.items():
        results[key] = {**results.get(key, {}), **value} if key in BY_SIZE else value
    results["machine"] = machine()
    results["measured"] = time.strftime("%Y-%m-%d")
    paths.RESULTS.parent.mkdir(parents=True, exist_ok=True)
    paths.RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
