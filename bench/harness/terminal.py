"""Prints the tables to the terminal."""

from . import tables
from .summary import table


def show(head, rows):
    print("\n" + "\n".join(table(head, rows)))


def show_size(result):
    print(f"\n{result['posts']:,} posts in English, {result['posts'] // 2:,} in Spanish; {result['rounds']} rounds on {result['file_system']}")
    show(*tables.builds(result))
    show(*tables.costs(result))
    if result["serve"]:
        show(*tables.servers(result))
    print("\n" + "\n".join(tables.likenesses(result)))


def show_extras(result):
    show(*tables.extras(result))
    print(f"the four photographs are encoded once, in {result['variants']['photographs']['first']:.1f} s")


def show_scale(result):
    show(*tables.scale(result))


def show_cold(result):
    show(*tables.cold(result))
    if any(own["edits"] for own in result["commits"]):
        show(*tables.edits(result))
    show(*tables.units(result))


def show_api(results):
    for part, rows in (("api", tables.api), ("kills", tables.kills), ("hostile", tables.hostile)):
        if part in results:
            show(*rows(results[part]))
