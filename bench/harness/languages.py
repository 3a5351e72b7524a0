"""A sixth language: a site with five, and the same site with six, which have the same number of posts in each language."""

import datetime
import shutil
import subprocess

from statistics import median

from . import install, paths
from .measure import Failed, run, say
from .paths import Workspace

FIVE = ["en", "es", "de", "fr", "it"]
SIX = [*FIVE, "pt-BR"]
# A title and a paragraph of each language. The number makes every post another one.
TEXTS = {
    "en": ("Notes from week {n}", "We repaired the old roof before the rain came. The neighbours brought bread, and **nobody** counted the hours of week {n}."),
    "es": ("Apuntes de la semana {n}", "Reparamos el tejado viejo antes de que llegara la lluvia. Los vecinos trajeron pan y **nadie** contó las horas de la semana {n}."),
    "de": ("Notizen aus Woche {n}", "Wir haben das alte Dach repariert, bevor der Regen kam. Die Nachbarn brachten Brot, und **niemand** zählte die Stunden der Woche {n}."),
    "fr": ("Notes de la semaine {n}", "Nous avons réparé le vieux toit avant la pluie. Les voisins ont apporté du pain, et **personne** n’a compté les heures de la semaine {n}."),
    "it": ("Appunti della settimana {n}", "Abbiamo riparato il vecchio tetto prima della pioggia. I vicini hanno portato il pane e **nessuno** ha contato le ore della settimana {n}."),
    "pt-BR": ("Notas da semana {n}", "Consertamos o telhado velho antes da chuva. Os vizinhos trouxeram pão, e **ninguém** contou as horas da semana {n}."),
}
PARAGRAPHS = 12


def post(code, number):
    title, text = (words.format(n=number) for words in TEXTS[code])
    day = datetime.date(2001, 1, 1) + datetime.timedelta(days=number)
    body = "\n\n".join(f"{text} ({part})" for part in range(PARAGRAPHS))
    return f"---\ntitle: {title}\ndate: {day}\nauthor: sam-rivera\nexcerpt: {title}, in a few words.\n---\n{body}\n"


def prepare(folder, codes, posts):
    command = [install.sitegen(), "new", folder, "--sample", "--languages", ",".join(codes)]
    created = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if created.returncode != 0:
        raise Failed(created.stderr)
    (folder / "node_modules").symlink_to(paths.BENCH.parent / "node_modules")
    for code in codes:
        page = folder / "content/pages/blog" / f"{code}.yaml"
        if not page.exists():
            page.write_text(f"path: /{code.lower()}/blog/\n")
        blog = folder / "content/blog" / code
        blog.mkdir(parents=True, exist_ok=True)
        for number in range(posts):
            (blog / f"week-{number}.md").write_text(post(code, number))


def measure(posts, rounds, wanted):
    """`{posts, pages: {5: …, 6: …}, rows: [{round, languages, wall, cpu, peak}], ratio}`; the ratio is that of CPU a page."""
    rows, pages = [], {}
    with Workspace(wanted, posts * 11, 1) as work:
        sites = {len(codes): work.folder / f"languages-{len(codes)}" for codes in (FIVE, SIX)}
        for codes in (FIVE, SIX):
            prepare(sites[len(codes)], codes, posts)
            # The islands are bundled and rendered once for both, in builds that do not count.
            run([install.sitegen(), "build", "--quiet"], sites[len(codes)], {}, work.folder / "first.log")
        for number in range(rounds):
            for languages, folder in sorted(sites.items(), reverse=number % 2 == 1):
                for part in ("dist", ".sitegen/records"):
                    shutil.rmtree(folder / part, ignore_errors=True)
                cost = run([install.sitegen(), "build", "--quiet"], folder, {}, work.folder / "build.log")
                rows.append({"round": number, "languages": languages, **cost.data()})
                say(f"  round {number + 1}/{rounds}  {languages} languages {cost.wall:8.3f} s {cost.cpu:8.3f} s of CPU")
        for languages, folder in sites.items():
            pages[str(languages)] = sum(1 for _ in (folder / "dist").rglob("*.html"))
    a_page = lambda number, languages: next(row["cpu"] for row in rows if (row["round"], row["languages"]) == (number, languages)) / pages[str(languages)]  # noqa: E731
    ratio = median(a_page(number, 6) / a_page(number, 5) for number in range(rounds))
    return {"posts": posts, "pages": pages, "rows": rows, "ratio": ratio}


def table(result):
    """The head and the rows of the table of costs."""
    middle = lambda languages, part: median(row[part] for row in result["rows"] if row["languages"] == languages)  # noqa: E731
    rows = []
    for languages in (5, 6):
        pages = result["pages"][str(languages)]
        a_page = f"{middle(languages, 'cpu') / pages * 1e6:.0f} µs"
        rows.append([str(languages), f"{pages:,}", f"{middle(languages, 'wall'):.2f} s", a_page, f"{middle(languages, 'peak'):.0f}"])
    return ["languages", "pages", "clean build", "CPU a page", "peak, MiB"], rows
