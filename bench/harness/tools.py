"""The tools: how each lays out, builds and serves its site, and which files the edits change."""

import json
import re
import shutil
import subprocess

from corpus import authors

from . import install, paths


class Tool:
    """A generator with its own copy of the site. Paths are relative to the folder of that copy."""

    name = ""
    out = "dist"
    caches: tuple = ()
    # The folder of the posts in a language.
    posts = "content/blog/{locale}"
    # The template of all pages, and the file with the English messages.
    template = ""
    words = ""
    environment: dict = {}

    def __init__(self, folder):
        self.folder = folder / self.name

    def prepare(self, corpus):
        """Creates the site with the posts of a corpus."""
        source = paths.SITES / self.site
        shutil.copytree(source, self.folder)
        shutil.copytree(paths.SHARED / "static", self.folder / "static")
        for locale in ("en", "es"):
            shutil.copytree(corpus / "blog" / locale, self.folder / self.posts.format(locale=locale), dirs_exist_ok=True)
        self.add_authors()

    @property
    def site(self):
        return self.name

    def add_authors(self):
        pass

    def command(self):
        raise NotImplementedError

    def server(self, port):
        raise NotImplementedError

    def version(self):
        raise NotImplementedError

    def post(self, locale, slug):
        return self.folder / self.posts.format(locale=locale) / f"{slug}.md"

    def page(self, path):
        """The published file of an address; empty if it does not exist."""
        file = self.folder / self.out / path.lstrip("/")
        file = file / "index.html" if path.endswith("/") else file
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def clean(self):
        """Deletes output and caches."""
        for name in (self.out, *self.caches):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def edit_template(self, counter):
        file = self.folder / self.template
        text, times = re.subn(r'class="skip"( data-edit="\d+")?', f'class="skip" data-edit="{counter}"', file.read_text())
        assert times == 1, file
        file.write_text(text)

    def edit_word(self, counter):
        file = self.folder / self.words
        text, times = re.subn(r'(skip_to_content"?: "?)[^"\n]*', rf"\g<1>Skip to content {counter}", file.read_text())
        assert times == 1, file
        file.write_text(text)


class Sitegen(Tool):
    name = "sitegen"
    caches = (".sitegen", "search")
    template = "templates/layouts/base.html"
    words = "content/locales/en.yaml"

    def __init__(self, folder):
        super().__init__(folder)
        self.program = install.sitegen()

    def add_authors(self):
        # JSON is valid YAML.
        (self.folder / "content/authors").mkdir()
        for slug, author in authors().items():
            (self.folder / f"content/authors/{slug}.yaml").write_text(json.dumps(author))

    def command(self):
        return [self.program, "build", "--quiet"]

    def server(self, port):
        return [self.program, "serve", "--quiet", "--port", port]

    def version(self):
        return parsed_version([self.program, "--version"])


class Before(Sitegen):
    """Another build of sitegen, such as the last release. `BEFORE` names it."""

    name = "before"

    def __init__(self, folder):
        super().__init__(folder)
        self.program = install.before()

    @property
    def site(self):
        return "sitegen"


class Floor(Sitegen):
    """The floor program, which builds sitegen's site with the minimal work."""

    name = "floor"
    caches = ()

    def __init__(self, folder):
        Tool.__init__(self, folder)
        self.program = install.floor()

    @property
    def site(self):
        return "sitegen"

    def command(self):
        return [self.program, ".", self.out]

    def version(self):
        return "of this repository"


class Hugo(Tool):
    name = "hugo"
    out = "public"
    caches = ("resources",)
    posts = "content/{locale}/blog"
    template = "layouts/baseof.html"
    words = "i18n/en.yaml"

    def __init__(self, folder):
        super().__init__(folder)
        self.program = install.hugo()
        self.environment = {"HUGO_CACHEDIR": str(self.folder / "resources/cache")}

    def add_authors(self):
        for slug, author in authors().items():
            for locale in ("en", "es"):
                own = self.folder / f"content/{locale}/author/{slug}"
                own.mkdir(parents=True)
                about = {"slug": slug, "title": author["name"], "role": author["role"][locale]}
                about |= {"description": author["description"][locale], "outputs": ["html"]}
                (own / "_index.md").write_text(f"---\n{json.dumps(about)}\n---\n")

    def command(self):
        return [self.program, "--quiet"]

    def server(self, port):
        return [self.program, "server", "--bind", "127.0.0.1", "--port", port]

    def version(self):
        return parsed_version([self.program, "version"])


class NodeTool(Tool):
    """An npm package. `node_modules` is linked into its folder."""

    words_folder = ""

    def __init__(self, folder):
        super().__init__(folder)
        self.node, self.packages = install.node(), install.npm_packages()

    def add_authors(self):
        (self.folder / "authors.json").write_text(json.dumps(authors()))
        (self.folder / "package.json").write_text('{"type": "module"}\n')
        shutil.copytree(paths.SHARED / "words", self.folder / self.words_folder)
        (self.folder / "node_modules").symlink_to(self.packages)


class Eleventy(NodeTool):
    name = "eleventy"
    caches = (".cache",)
    template = "_includes/base.njk"
    words_folder = "_data/words"
    words = "_data/words/en.json"

    def command(self):
        return [self.node, self.packages / "@11ty/eleventy/cmd.cjs", "--quiet"]

    def server(self, port):
        return [*self.command(), "--serve", f"--port={port}"]

    def version(self):
        return install.package_version("@11ty/eleventy")


class Astro(NodeTool):
    name = "astro"
    caches = (".astro", ".astro-cache")
    template = "src/layouts/Base.astro"
    words_folder = "src/words"
    words = "src/words/en.json"
    environment = {"ASTRO_TELEMETRY_DISABLED": "1"}

    def command(self):
        return [self.node, self.packages / "astro/bin/astro.mjs", "build", "--silent"]

    def server(self, port):
        return [self.node, self.packages / "astro/bin/astro.mjs", "dev", "--host", "127.0.0.1", "--port", port]

    def version(self):
        return install.package_version("astro")


def parsed_version(command):
    """Runs a command and returns the first version number in its output."""
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.search(r"\d+(\.\d+)+", output).group()


TOOLS = {tool.name: tool for tool in (Hugo, Sitegen, Before, Floor, Eleventy, Astro)}
# `before` is only used on request.
ALL_BY_DEFAULT = [name for name in TOOLS if name != Before.name]
# Maximum number of posts for Astro, which takes too long with more.
ASTRO_AT_MOST = 1500
