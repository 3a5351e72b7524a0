"""Entries of collections, beside pages of a section in Hugo: people in two languages, each with a reference to a clinic."""

import datetime
import shutil

from statistics import median

from . import install, paths
from .measure import Failed, run, say
from .paths import Workspace

# People for each clinic.
PER_CLINIC = 100
CITIES = ["Lisbon", "Graz", "Turku", "Leeds", "Nantes", "Gijón", "Brno", "Aarhus"]
GIVEN = ["Ada", "Bo", "Cleo", "Dana", "Eli", "Fay", "Gus", "Hana", "Ivo", "Jun"]
FAMILY = ["Abel", "Brandt", "Costa", "Duarte", "Eklund", "Ferri", "Gomez", "Hanser", "Ibsen", "Jonas", "Kovac"]
ROLES = {"en": ["Dentist", "Surgeon", "Hygienist"], "es": ["Dentista", "Cirujana", "Higienista"]}
TEXT = {
    "en": "Listens first, and explains **every step** before it is taken. Has worked in {city} since {year}.",
    "es": "Escucha primero y explica **cada paso** antes de darlo. Trabaja en {city} desde {year}.",
}


def name(number):
    return f"{GIVEN[number % len(GIVEN)]} {FAMILY[number // len(GIVEN) % len(FAMILY)]} {number}"


def city(clinic):
    return CITIES[clinic % len(CITIES)]


def joined(number):
    return (datetime.date(1996, 1, 1) + datetime.timedelta(days=number % 10_000)).isoformat()


def words(number, locale, edit=0):
    """The role and the text of a person; `edit` makes them unique."""
    text = TEXT[locale].format(city=city(number // PER_CLINIC), year=joined(number)[:4])
    return ROLES[locale][number % 3], f"{text} ({locale}-{number}-{edit})"


class Sitegen:
    name = "sitegen"
    out, caches = "dist", (".sitegen", "search")
    base = "sitegen"

    def __init__(self, folder):
        self.folder = folder / self.name
        self.program = install.sitegen()

    def command(self):
        return [self.program, "build", "--quiet"]

    def clinic(self, number):
        folder = self.folder / "content/clinics"
        folder.mkdir(exist_ok=True)
        (folder / f"clinic-{number}.yaml").write_text(f"name: Clinic {number}\ncity: {city(number)}\n")

    def person(self, number, edit=0):
        folder = self.folder / f"content/people/person-{number}"
        folder.mkdir(parents=True, exist_ok=True)
        facts = f"name: {name(number)}\nclinic: clinic-{number // PER_CLINIC}\njoined: {joined(number)}\n"
        (folder / "entry.yaml").write_text(facts)
        for locale in ("en", "es"):
            role, text = words(number, locale, edit)
            (folder / f"{locale}.yaml").write_text(f"role: {role}\nbody: {text}\n")


class Before(Sitegen):
    name = "before"

    def __init__(self, folder):
        super().__init__(folder)
        self.program = install.before()


class Hugo:
    name = "hugo"
    out, caches = "public", ("resources",)
    base = "hugo"

    def __init__(self, folder):
        self.folder = folder / self.name
        self.program = install.hugo()

    def command(self):
        return [self.program, "--quiet", "--cacheDir", self.folder / "cache"]

    def write(self, locale, section, key, head, text=""):
        folder = self.folder / f"content/{locale}/{section}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{key}.md").write_text(f"---\n{head}---\n{text}\n")

    def clinic(self, number):
        for locale in ("en", "es"):
            self.write(locale, "clinics", f"clinic-{number}", f"title: Clinic {number}\ncity: {city(number)}\n")

    def person(self, number, edit=0):
        for locale in ("en", "es"):
            role, text = words(number, locale, edit)
            head = f"title: {name(number)}\nrole: {role}\nclinic: [clinic-{number // PER_CLINIC}]\ndate: {joined(number)}\n"
            self.write(locale, "people", f"person-{number}", head, text)


TOOLS = {tool.name: tool for tool in (Sitegen, Before, Hugo)}


def prepare(tool, entries):
    """Copies the site of the benchmark of posts, without posts, and adds the collections and their entries."""
    shutil.copytree(paths.SITES / tool.base, tool.folder)
    shutil.copytree(paths.SHARED / "static", tool.folder / "static")
    shutil.copytree(paths.SITES / "entries" / tool.base, tool.folder, dirs_exist_ok=True)
    for number in range(-(-entries // PER_CLINIC)):
        tool.clinic(number)
    for number in range(entries):
        tool.person(number)


def page(tool, number, locale):
    prefix = "" if locale == "en" else "es/"
    file = tool.folder / tool.out / f"{prefix}people/person-{number}/index.html"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def measure(entries, names, rounds, wanted):
    """`{entries, pages, rows: [{round, tool, scenario, wall, cpu, peak}]}`; scenarios are a clean build and one edited entry."""
    rows, pages = [], {}
    edited = entries * 2 // 5
    with Workspace(wanted, entries, len(names)) as work:
        tools = [TOOLS[name](work.folder) for name in names]
        for tool in tools:
            prepare(tool, entries)
        for number in range(rounds):
            order = tools[number % len(tools):] + tools[: number % len(tools)]
            for scenario in ("clean", "edit"):
                for tool in order:
                    if scenario == "clean":
                        for folder in (tool.out, *tool.caches):
                            shutil.rmtree(tool.folder / folder, ignore_errors=True)
                    edit = 2 * number + (scenario == "edit")
                    tool.person(edited, edit)
                    cost = run(tool.command(), tool.folder, {}, work.folder / f"{tool.name}.log")
                    for locale in ("en", "es"):
                        if f"({locale}-{edited}-{edit})" not in page(tool, edited, locale):
                            raise Failed(f"{tool.name} did not publish the {scenario} of an entry in {locale}")
                    rows.append({"round": number, "tool": tool.name, "scenario": scenario, **cost.data()})
                    say(f"  round {number + 1}/{rounds}  {scenario:<7}{tool.name:<10}{cost.wall:8.3f} s {cost.peak:7.0f} MiB")
        for tool in tools:
            pages[tool.name] = sum(1 for _ in (tool.folder / tool.out).rglob("*.html"))
    return {"entries": entries, "pages": pages, "rows": rows}


def figure(result, tool, scenario, part):
    """The median of a cost."""
    found = [row[part] for row in result["rows"] if row["tool"] == tool and row["scenario"] == scenario]
    return median(found) if found else None


def table(result):
    """The head and the rows of the table of costs."""
    head = ["", "pages", "clean, s", "CPU a page, µs", "one entry edited, s", "peak, MiB"]
    tools = list(result["pages"])

    def row(tool):
        of = lambda scenario, part: figure(result, tool, scenario, part)  # noqa: E731
        a_page = of("clean", "cpu") / result["pages"][tool] * 1e6
        return [tool, str(result["pages"][tool]), f"{of('clean', 'wall'):.2f}", f"{a_page:.0f}", f"{of('edit', 'wall'):.3f}", f"{of('clean', 'peak'):.0f}"]

    return head, [row(tool) for tool in tools]
