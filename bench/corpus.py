#!/usr/bin/env python3
"""Writes the posts of the benchmark: N in English, N/2 of them also in Spanish, by 12 authors, with 40 tags.

    bench/corpus.py 1500 FOLDER    FOLDER/blog/<locale>/<slug>.md and FOLDER/authors.json

The same number gives the same bytes on any machine; a longer corpus begins with the posts of a shorter one. All tools read
the same files: links are absolute paths, front matter is YAML that all of them support, and the text contains no syntax
that is special to one of them.
"""

import json
import pathlib
import random
import sys
import unicodedata
from datetime import datetime, timedelta

from harness import words

# The date of the first post. Further ones follow every 90 minutes, so that even 100,000 posts have distinct dates in
# the past.
FIRST = datetime(2003, 1, 1, 8, 0)
STEP = timedelta(minutes=90)
# Number of distinct sentences per language. Posts choose among them, which is faster than generating each one.
SENTENCES = 6000
BASES = {"en": "/blog/", "es": "/es/blog/"}


def slug(text):
    plain = unicodedata.normalize("NFD", text.lower()).encode("ascii", "ignore").decode()
    return "-".join("".join(letter if letter.isalnum() else " " for letter in plain).split())


def filled(dice, language, pattern, **given):
    """Fills each placeholder of the pattern with a random word."""
    while True:
        for kind in ("noun", "verb", "adjective"):
            place = "{" + kind + "}"
            if place in pattern:
                pattern = pattern.replace(place, dice.choice(language[kind]), 1)
                break
        else:
            return pattern.format(**given) if given else pattern


class Corpus:
    """Generates posts. `post()` returns the text of a file; its slug is that of the English title."""

    def __init__(self):
        dice = random.Random("the words of the benchmark")
        self.sentences, self.headings = {}, {}
        for locale, language in words.LANGUAGES.items():
            self.sentences[locale] = [filled(dice, language, dice.choice(language["sentences"])) for _ in range(SENTENCES)]
            self.headings[locale] = sorted({filled(dice, language, dice.choice(language["headings"])) for _ in range(1500)})

    def slug(self, number):
        return slug(self.title(number, "en"))

    @staticmethod
    def title(number, locale):
        dice = random.Random(f"title {locale} {number}")
        language = words.LANGUAGES[locale]
        text = filled(dice, language, dice.choice(language["titles"]))
        return f"{text} {number}"

    def post(self, number, locale, counter=0, added=False):
        """The text of a post's file. It contains `counter`, so that each edit changes it."""
        dice = random.Random(f"post {locale} {number}")
        # Seeded without the locale: a translation has the author and the tags of the post.
        about = random.Random(f"about {number}")
        author = slug(words.AUTHORS[number // 2 % len(words.AUTHORS)])
        tags = about.sample(words.SHARED_TAGS, about.choice((2, 3, 3, 4)))
        date = FIRST + STEP * number
        head = [
            "---",
            f'title: "{self.title(number, locale)}"',
            f"date: {date.isoformat()}",
            f"author: {author}",
            f"tags: [{', '.join(tags)}]",
            # The number makes descriptions unique.
            f'excerpt: "{self.plain(dice, locale)} ({number})"',
            "image: {src: cover.svg, alt: Cover}",
            "---",
            "",
        ]
        return "\n".join(head) + self.body(dice, number, locale, counter, added)

    def plain(self, dice, locale):
        """A sentence without emphasis."""
        while True:
            text = dice.choice(self.sentences[locale])
            if "*" not in text and "`" not in text:
                return text

    def paragraph(self, dice, locale):
        return " ".join(dice.choices(self.sentences[locale], k=dice.randint(2, 5)))

    def body(self, dice, number, locale, counter, added):
        parts = [f"{self.paragraph(dice, locale)} ({locale}-{number}-{counter})"]
        sections = dice.sample(self.headings[locale], dice.randint(3, 6))
        for place, heading in enumerate(sections):
            parts.append(f"## {heading}")
            parts.extend(self.paragraph(dice, locale) for _ in range(dice.randint(1, 3)))
            kind = (number + place) % 5
            if kind == 0:
                parts.append("\n".join(f"- {self.plain(dice, locale)}" for _ in range(dice.randint(3, 6))))
            elif kind == 1:
                parts.append(self.link(dice, number, locale))
            elif kind == 2:
                parts.append("\n".join(f"{at}. {self.plain(dice, locale)}" for at in range(1, dice.randint(4, 6))))
            elif kind == 3 and place % 2:
                parts.append(self.code(dice))
            elif kind == 4 and place % 2:
                parts.append("> " + self.plain(dice, locale))
        if added:
            parts.append(f"added-{counter}")
        return "\n\n".join(parts) + "\n"

    def link(self, dice, number, locale):
        """A link to an older post, which exists in a corpus of any size."""
        # Posts with an even number exist in both languages.
        target = dice.randrange(max(1, number // 2)) * 2 if number else 0
        target = max(0, min(target, number))
        language = words.LANGUAGES[locale]
        return filled(dice, language, language["link"], href=f"{BASES[locale]}{self.slug(target - target % 2)}/")

    @staticmethod
    def code(dice):
        name = dice.choice(sorted(words.CODE))
        first, second = dice.sample(words.CODE_NAMES, 2)
        return f"```{name}\n" + words.CODE[name].format(noun=first, verb=second, number=dice.randint(2, 90)) + "```"


def authors():
    """The authors as data: slug → name, role and description by language."""
    made = {}
    for name in words.AUTHORS:
        texts = {}
        for part in ("role", "description"):
            texts[part] = {
                locale: filled(random.Random(f"{part} {locale} {name}"), language, language[part])
                for locale, language in words.LANGUAGES.items()
            }
        made[slug(name)] = {"name": name, **texts}
    return made


def locales_of(number):
    return ("en", "es") if number % 2 == 0 else ("en",)


def write(posts, folder):
    folder = pathlib.Path(folder)
    corpus = Corpus()
    for locale in BASES:
        (folder / "blog" / locale).mkdir(parents=True)
    for number in range(posts):
        name = corpus.slug(number)
        for locale in locales_of(number):
            with open(f"{folder}/blog/{locale}/{name}.md", "w", encoding="utf-8") as file:
                file.write(corpus.post(number, locale))
    (folder / "authors.json").write_text(json.dumps(authors(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write(int(sys.argv[1]), sys.argv[2])
