"""Compares what the tools published, so that nobody is timed for less work than another: addresses, links, words."""

import os
import re
from html.parser import HTMLParser
from urllib.parse import unquote

# What sitegen writes beside the pages whether asked or not, and how Hugo divides its sitemap.
OWN = re.compile(r"^(_assets/|\.sitegen-files|_headers|_redirects|build\.json|speculation-rules\.json|(en|es)/sitemap\.xml$)")
# So many pages are compared word by word.
SAMPLE = 60


class Reader(HTMLParser):
    """The links of a page, and its words without regard to blanks between them."""

    def __init__(self):
        super().__init__()
        self.links, self.words, self.anchors = [], [], []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in ("a", "link") and values.get("href"):
            # Letters with accents may stand in an address as they are.
            self.links.append(unquote(values["href"]))
        if values.get("id"):
            self.anchors.append(values["id"])

    def handle_data(self, data):
        self.words.append(data)


def read(path):
    reader = Reader()
    with open(path, encoding="utf-8") as file:
        text = re.sub(r' data-edit="\d+"|Skip to content( \d+)?', "", file.read())
    reader.feed(text)
    # Color of code may divide words anywhere.
    return sorted(reader.links), "".join("".join(reader.words).split()), sorted(reader.anchors)


def files(tool):
    root = str(tool.folder / tool.out)
    found = {os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names}
    own = {path for path in found if OWN.match(path)}
    return found - own, own


def locations(tool):
    """Every address that the sitemaps name."""
    root = tool.folder / tool.out
    found = set()
    for sitemap in root.glob("**/sitemap*.xml"):
        found.update(re.findall(r"<loc>([^<]*)</loc>", sitemap.read_text(encoding="utf-8")))
    return {address for address in found if not address.endswith(".xml")}


def differences(tools):
    """What each tool's output has otherwise than that of the first one, in words; empty lists when nothing."""
    first, *others = tools
    expected, _ = files(first)
    pages = sorted(path for path in expected if path.endswith(".html"))
    step = max(1, len(pages) // SAMPLE)
    told = {}
    for tool in others:
        found, own = files(tool)
        notes = []
        for title, paths in (("lacks", expected - found), ("also has", found - expected)):
            if paths:
                notes.append(f"{title} {len(paths)} files, such as {sorted(paths)[0]}")
        for path in pages[::step]:
            if path not in found:
                continue
            mine, theirs = (read(each.folder / each.out / path) for each in (tool, first))
            for title, one, other in zip(("links", "words", "anchors"), mine, theirs):
                if one != other:
                    notes.append(f"{path}: other {title} ({len(one)} beside {len(other)})")
        if locations(tool) != locations(first):
            notes.append(f"the sitemap names {len(locations(tool))} addresses, not {len(locations(first))}")
        told[tool.name] = {"differences": notes[:20], "own_files": len(own)}
    return told
