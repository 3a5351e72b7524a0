"""The scenarios: each changes the site, and returns the addresses and texts that must show the change."""

from corpus import Corpus

# Position of the edited post, as a share of all posts from the oldest: on neither the first nor the last page.
EDITED_AT = 0.4


class Scenarios:
    """Edits for one size of corpus. A counter makes each edit unique."""

    def __init__(self, posts):
        self.corpus = Corpus()
        self.posts = posts
        # An English post without translation has an odd number.
        self.edited = int(posts * EDITED_AT) | 1
        self.counter = 0
        self.by_name = {
            "clean": self.clean,
            "nothing": self.nothing,
            "edit": self.edit,
            "add": self.add,
            "template": self.template,
            "word": self.word,
        }

    def begin(self):
        """Starts a new edit, the same for all tools."""
        self.counter += 1

    def path(self, number):
        return f"/blog/{self.corpus.slug(number)}/"

    def clean(self, tool):
        self.added_file(tool).unlink(missing_ok=True)
        tool.clean()
        return self.edit(tool)

    def nothing(self, tool):
        return {self.path(self.edited): f"(en-{self.edited}-"}

    def edit(self, tool):
        text = self.corpus.post(self.edited, "en", self.counter)
        tool.post("en", self.corpus.slug(self.edited)).write_text(text, encoding="utf-8")
        return {self.path(self.edited): f"(en-{self.edited}-{self.counter})"}

    def added_file(self, tool):
        return tool.post("en", self.corpus.slug(self.posts))

    def add(self, tool):
        """Adds the newest post, which shifts all posts in the lists by one."""
        text = self.corpus.post(self.posts, "en", self.counter, added=True)
        self.added_file(tool).write_text(text, encoding="utf-8")
        # It pushes the tenth post of the first page to the second one.
        moved = self.corpus.slug(self.posts - 10)
        return {self.path(self.posts): f"added-{self.counter}", "/blog/": self.path(self.posts), "/blog/page/2/": moved}

    def template(self, tool):
        tool.edit_template(self.counter)
        return {self.path(1): f'data-edit="{self.counter}"', "/es/blog/": f'data-edit="{self.counter}"'}

    def word(self, tool):
        tool.edit_word(self.counter)
        return {self.path(1): f"Skip to content {self.counter}", "/blog/": f"Skip to content {self.counter}"}


TITLES = {
    "clean": "clean",
    "nothing": "nothing changed",
    "edit": "one post edited",
    "add": "one post added",
    "template": "the template of all pages edited",
    "word": "one word of the interface edited",
}


def missing(tool, expected):
    """The addresses that do not contain the expected text."""
    return [f"{path} lacks {text!r}" for path, text in expected.items() if text not in tool.page(path)]
