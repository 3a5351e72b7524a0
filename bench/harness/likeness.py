"""Compares the outputs of the tools (files, links, words), so that all tools are timed for the same work."""

import os
import re
from html.parser import HTMLParser
from urllib.parse import unquote

# Additional files that sitegen always writes, and Hugo's sitemaps per language.
OWN = re.compile(r"^(_assets/|\.sitegen-files|_headers|_redirects|build\.json|speculation-rules\.json|(en|es)/sitemap\.xml$)")
# Number of pages that are compared word by word.
SAMPLE = 60


class Reader(HTMLParser):
    """Collects the links, the text and the anchors of a page."""

    def __init__(self):
        super().__init__()
        self.links, self.words, self.anchors = [], [], []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in ("a", "link") and values.get("href"):
            # Tools differ in percent-encoding of non-ASCII letters.
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
    # Syntax highlighting may split words, so all whitespace is removed.
    return sorted(reader.links), "".join("".join(reader.words).split()), sorted(reader.anchors)


def files(tool):
    root = str(tool.folder / tool.out)
    found = {os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names}
    own = {path for path in found if OWN.match(path)}
    return found - own, own


def locations(tool):
    """All addresses in the sitemaps."""
    root = tool.folder / tool.out
    found = set()
    for sitemap in root.glob("**/sitemap*.xml"):
        found.update(re.findall(r"<loc>([^<]*)</loc>", sitemap.read_text(encoding="utf-8")))
    return {address for address in found if not address.endswith(".xml")}


def differences(tools):
    """Describes how each tool's output differs from that of the first tool. A list is empty if there is no difference."""
    first, *others = tools
    expected, _ = files(first)
    pages = sorted(path for path in expected if path.endswith(".html"))
    step = max(1, len(pages) // SAMPLE)
    result = {}
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
        result[tool.name] = {"differences": notes[:20], "own_files": len(own)}
    return result
