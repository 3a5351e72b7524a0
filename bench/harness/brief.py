"""The brief's clinics in sitegen, Hugo and Astro: how much there is to write, what a build takes, and which mistakes are noticed."""

import json
import os
import re
import shutil
import subprocess

from statistics import median

from . import install, paths
from .measure import Failed, run, say
from .paths import Workspace

BRIEF = paths.SITES / "brief"
HORIZON = paths.ROOT / "examples/dental-clinics"
COLLECTIONS = ("treatments", "clinics", "team", "jobs", "events")
LANGUAGES = ("en", "es", "de", "ar", "zh-hans")
# What one more dentist is called in the page that is looked for after a build.
NEW = "Dr. Ines Vidal"
# Colors and other marks of a terminal.
MARKS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# Times and numbers, which differ from build to build.
DIGITS = re.compile(r"\d+")


class Tool:
    """A tool with its project in a folder of its own."""

    caches = ()
    environment = {}

    def __init__(self, work):
        self.folder = work / self.name

    def prepare(self):
        shutil.copytree(BRIEF / self.name, self.folder)
        command = [install.node(), BRIEF / "content.mjs", HORIZON, self.name, self.folder]
        # The package that reads YAML is among those of the repository.
        subprocess.run(command, cwd=paths.ROOT, check=True)

    def clean(self):
        for folder in (self.out, *self.caches):
            shutil.rmtree(self.folder / folder, ignore_errors=True)

    def content(self):
        """The files of the entries of the collections; pages that list them are left out."""
        content = self.folder / "content"
        folders = [folder for folder in (content, *(content / code for code in LANGUAGES)) if folder.is_dir()]
        files = [path for folder in folders for name in COLLECTIONS for path in sorted((folder / name).glob("*.*"))]
        return [path for path in files if path.name != "_index.md"]

    def templates(self):
        """The files of templates, schemas and settings."""
        return [path for folder in self.code for path in sorted((self.folder / folder).rglob("*")) if path.is_file()]

    def dentist(self):
        """The files of one more dentist, by their paths."""
        return {
            "content/team/ines-vidal.yaml": f"name: {NEW}\nclinics: [madrid]\ntreatments: [crowns]\nspeaks: [es, en]\n"
            "role: {en: Dentist, es: Odontóloga, de: Zahnärztin, ar: طبيبة أسنان, zh-hans: 牙医}\n"
        }

    def page(self, address):
        file = self.folder / self.out / address / "index.html"
        return file.read_text(encoding="utf-8") if file.exists() else ""


class Sitegen(Tool):
    name, out, caches = "sitegen", "dist", (".sitegen",)
    code = ("templates",)
    price = ("content/treatments/crowns.yaml",)

    def prepare(self):
        shutil.copytree(HORIZON, self.folder)

    def command(self):
        return [install.sitegen(), "build"]


class Hugo(Tool):
    name, out, caches = "hugo", "public", ("resources",)
    code = ("layouts", "i18n")
    price = tuple(f"content/{code}/treatments/crowns.md" for code in LANGUAGES)

    def command(self):
        return [install.hugo(), "--cacheDir", self.folder / "cache"]

    def dentist(self):
        words = dict(zip(LANGUAGES, ("Dentist", "Odontóloga", "Zahnärztin", "طبيبة أسنان", "牙医")))
        head = "clinics:\n  - madrid\ntreatments:\n  - crowns\nspeaks:\n  - es\n  - en\n"
        return {f"content/{code}/team/ines-vidal.md": f"---\ntitle: {NEW}\n{head}role: {role}\n---\n" for code, role in words.items()}


class Astro(Tool):
    name, out, caches = "astro", "dist", (".astro", ".astro-cache")
    code = ("src",)
    environment = {"ASTRO_TELEMETRY_DISABLED": "1", "NO_COLOR": "1"}
    price = ("content/treatments/crowns.yaml",)

    def prepare(self):
        super().prepare()
        (self.folder / "node_modules").symlink_to(install.npm_packages())

    def command(self):
        return [install.node(), self.folder / "node_modules/astro/bin/astro.mjs", "build"]


TOOLS = {tool.name: tool for tool in (Sitegen, Hugo, Astro)}


def size(files):
    """Files, and lines that are not empty."""
    text = [path.read_text(encoding="utf-8") for path in files]
    return {"files": len(files), "lines": sum(1 for one in text for line in one.splitlines() if line.strip())}


def costs(tool, rounds, log):
    """Medians of seconds: a clean build, one with another price, one with one more dentist. Each is looked up in the output."""
    seconds = {"clean": [], "price": [], "dentist": []}
    new = tool.dentist()
    for number in range(rounds):
        tool.clean()
        seconds["clean"].append(run(tool.command(), tool.folder, tool.environment, log).wall)
        for file in tool.price:
            text = (tool.folder / file).read_text(encoding="utf-8")
            (tool.folder / file).write_text(re.sub(r"(price: )\d+", rf"\g<1>{700 + number}", text), encoding="utf-8")
        seconds["price"].append(run(tool.command(), tool.folder, tool.environment, log).wall)
        if f"{700 + number}" not in tool.page("treatments/crowns"):
            raise Failed(f"{tool.name} did not publish another price")
        for file, text in new.items():
            (tool.folder / file).write_text(text, encoding="utf-8")
        seconds["dentist"].append(run(tool.command(), tool.folder, tool.environment, log).wall)
        if NEW not in tool.page("team/ines-vidal") or NEW not in tool.page("clinics/madrid"):
            raise Failed(f"{tool.name} did not publish one more dentist")
        for file in new:
            (tool.folder / file).unlink()
    return {scenario: median(found) for scenario, found in seconds.items()}


def plant(folder, changes):
    """Makes the changes of a mistake. Returns the paths that they are in."""
    touched = []
    for change in changes:
        if isinstance(change, list):
            path, before, after = change
            text = (folder / path).read_text(encoding="utf-8")
            if before not in text:
                raise Failed(f"`{path}` of {folder.name} has no `{before}`")
            (folder / path).write_text(text.replace(before, after, 1), encoding="utf-8")
        elif "remove" in change:
            path = change["remove"]
            (folder / path).unlink()
        elif "rename" in change:
            path, to = change["rename"]
            (folder / path).rename(folder / to)
        elif "write" in change:
            path, text = change["write"]
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        else:
            path, word = change["latin1"]
            data = (folder / path).read_bytes()
            if word.encode() not in data:
                raise Failed(f"`{path}` of {folder.name} has no `{word}`")
            (folder / path).write_bytes(data.replace(word.encode(), word.encode("latin-1"), 1))
        touched.append(path)
    return touched


def build(tool):
    """The exit status of a build, and the lines that it writes."""
    process = subprocess.run(
        [str(part) for part in tool.command()], cwd=tool.folder, env={**os.environ, **tool.environment},
        capture_output=True, text=True, errors="replace", timeout=600,
    )
    return process.returncode, [MARKS.sub("", line).strip() for line in (process.stdout + process.stderr).splitlines()]


def notice(tool, mistake, usual):
    """
    What a build says of a mistake: `nothing`, `said` without the file, `file` with its name, or `line`. A message counts if it warns
    or if the build fails; `usual` are the lines of a build without mistakes, with numbers left out.
    """
    kept = tool.folder.with_name(f"{tool.name}-kept")
    shutil.copytree(tool.folder, kept, symlinks=True)
    try:
        touched = plant(tool.folder, mistake[tool.name])
        status, lines = build(tool)
    finally:
        shutil.rmtree(tool.folder)
        kept.rename(tool.folder)
    new = [line for line in lines if DIGITS.sub("", line) not in usual]
    is_warned = any(re.search(r"\b(warn|error|problem)", line, re.IGNORECASE) for line in new)
    if status == 0 and not is_warned:
        return "nothing"
    text = "\n".join(new)
    names = {name for path in touched for name in (path, os.path.splitext(os.path.basename(path))[0]) if len(name) > 3}
    if re.search("|".join(rf"{re.escape(path)}:\d+" for path in touched), text):
        return "line"
    return "file" if any(name in text for name in names) else "said"


def measure(names, rounds, wanted):
    """`{tools: {name: {content, templates, dentist, price, seconds}}, mistakes: [{what, name: notice}]}`."""
    mistakes = json.loads((BRIEF / "mistakes.json").read_text(encoding="utf-8"))
    result = {"rounds": rounds, "tools": {}, "mistakes": [{"what": mistake["what"]} for mistake in mistakes]}
    with Workspace(wanted, 2000, len(names)) as work:
        for name in names:
            tool = TOOLS[name](work.folder)
            tool.prepare()
            figures = {"content": size(tool.content()), "templates": size(tool.templates())}
            figures["dentist"], figures["price"] = len(tool.dentist()), len(tool.price)
            figures["seconds"] = costs(tool, rounds, work.folder / f"{name}.log")
            figures["pages"] = sum(1 for _ in (tool.folder / tool.out).rglob("*.html"))
            result["tools"][name] = figures
            say(f"  {name}: {figures}")
            tool.clean()
            status, lines = build(tool)
            if status != 0:
                raise Failed(f"{name} does not build the site without mistakes")
            usual = {DIGITS.sub("", line) for line in lines}
            for number, mistake in enumerate(mistakes):
                if name in mistake:
                    found = notice(tool, mistake, usual)
                    result["mistakes"][number][name] = found
                    say(f"  {name:<8}{found:<8}{mistake['what']}")
    return result


def work_rows(result):
    """The head and the rows of what there is to write, and what a build takes."""
    head = ["", *result["tools"]]
    of = lambda read: [read(figures) for figures in result["tools"].values()]  # noqa: E731
    amount = lambda part: of(lambda figures: f"{figures[part]['files']} files, {figures[part]['lines']:,} lines")  # noqa: E731
    seconds = lambda part: of(lambda figures: f"{figures['seconds'][part]:.2f} s")  # noqa: E731
    return head, [
        ["content of five collections", *amount("content")],
        ["templates, schemas, words", *amount("templates")],
        ["pages", *of(lambda figures: str(figures["pages"]))],
        ["files for one more dentist", *of(lambda figures: str(figures["dentist"]))],
        ["files for another price", *of(lambda figures: str(figures["price"]))],
        ["clean build", *seconds("clean")],
        ["build with another price", *seconds("price")],
        ["build with one more dentist", *seconds("dentist")],
    ]


def notice_rows(result):
    """The head and the rows of how many mistakes each tool notices."""
    rows = []
    for name in result["tools"]:
        found = [mistake[name] for mistake in result["mistakes"] if name in mistake]
        place = sum(kind in ("file", "line") for kind in found)
        noticed = sum(kind != "nothing" for kind in found)
        rows.append([name, str(len(found)), str(noticed), str(place), str(found.count("line"))])
    return ["", "planted", "noticed", "with the file", "with the line"], rows


def mistake_rows(result):
    """The head and the rows of each mistake."""
    words = {"nothing": "–", "said": "noticed", "file": "with the file", "line": "with the line", None: "does not apply"}
    rows = [[mistake["what"], *(words[mistake.get(name)] for name in result["tools"])] for mistake in result["mistakes"]]
    return ["mistake", *result["tools"]], rows
