"""The index of the search of a whole site, beside Pagefind's own command over the same output."""

from statistics import median

from .summary import table


def lines(result):
    yield "## The search of a whole site\n"
    yield (
        f"A new site with {result['posts']:,} posts in English and half as many in Spanish, by `bench/site-search`; rounds: "
        f"{len(result['times']['nothing changed'])}. What a search adds to a clean build is **{result['ratio']:.2f} ×** the time of Pagefind's own "
        f"command over the finished output. Load of the machine at the end: {result['load']:.1f}.\n"
    )
    yield from table(["", "seconds"], [[what, f"{median(times):.2f}"] for what, times in result["times"].items()], markdown=True)
    yield ""
