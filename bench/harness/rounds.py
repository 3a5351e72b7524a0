"""Interleaved rounds of builds: in each round, all tools run each scenario, starting with a different tool each time."""

import os
import shutil
import subprocess
import sys

from . import paths
from .measure import run, say
from .scenarios import TITLES, Scenarios, missing
from .tools import TOOLS


def write_corpus(posts, folder):
    """Writes the corpus in a separate process: memory of this one would be counted for the programs that it starts."""
    subprocess.run([sys.executable, paths.BENCH / "corpus.py", str(posts), folder], check=True)


def prepare(names, posts, work):
    corpus = work / "corpus"
    write_corpus(posts, corpus)
    tools = [TOOLS[name](work) for name in names]
    for tool in tools:
        tool.prepare(corpus)
    shutil.rmtree(corpus)
    return tools


def timed(tool, scenario, scenarios, work):
    """Runs one build and returns its cost. Exits if the output does not contain the change."""
    expected = scenario(tool)
    cost = run(tool.command(), tool.folder, tool.environment, work / f"{tool.name}.log")
    wrong = missing(tool, expected)
    if wrong:
        sys.exit(f"error: {tool.name} did not publish the change: {'; '.join(wrong)}")
    return cost


def measure(tools, posts, rounds, work):
    """All scenarios with all tools: a list of `{round, scenario, tool, wall, cpu, peak}`."""
    scenarios = Scenarios(posts)
    runs = []
    for number in range(rounds):
        for at, (name, scenario) in enumerate(scenarios.by_name.items()):
            scenarios.begin()
            first = (number + at) % len(tools)
            for tool in tools[first:] + tools[:first]:
                # The floor program has no cache, so only its clean build is meaningful.
                if tool.name == "floor" and name != "clean":
                    scenario(tool)
                    continue
                cost = timed(tool, scenario, scenarios, work)
                runs.append({"round": number, "scenario": name, "tool": tool.name, **cost.data()})
                say(f"  round {number + 1}/{rounds}  {TITLES[name]:<34}{tool.name:<10}{cost.wall:8.3f} s {cost.peak:7.0f} MiB")
    for tool in tools:
        if tool.name == "floor":
            # The outputs are compared in the end, so all tools must have built the same state.
            run(tool.command(), tool.folder, tool.environment, work / "floor.log")
    return runs


def output(tool):
    """The size of a tool's output: files, HTML pages, bytes."""
    files = pages = size = 0
    for folder, _, names in os.walk(tool.folder / tool.out):
        for name in names:
            files += 1
            pages += name.endswith(".html")
            size += os.path.getsize(os.path.join(folder, name))
    return {"files": files, "pages": pages, "bytes": size}
