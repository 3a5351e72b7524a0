"""Compares the search index of two builds, byte for byte."""

import shutil

from .extras import Variant, with_search
from .measure import Failed, run
from .rounds import write_corpus


def of_two_builds(posts, work):
    """`{posts, files, bytes, different}`: the index of a clean build with one thread, and of another one with two."""
    corpus = work / "corpus"
    write_corpus(posts, corpus)
    site = Variant(work, "search", "with the index for the search", with_search)
    site.prepare(corpus)
    shutil.rmtree(corpus)
    first, second = (built(site, threads, work) for threads in (1, 2))
    if not first:
        raise Failed("the build wrote no index")
    return {
        "posts": posts,
        "files": len(first),
        "bytes": sum(map(len, first.values())),
        "different": sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name)),
    }


def built(site, threads, work):
    """The bytes of each file of the index after a clean build."""
    site.clean()
    run([*site.command(), "--threads", threads], site.folder, site.environment, work / "index.log")
    folder = site.folder / "search"
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def words(builds):
    """What the comparison found, for people."""
    if builds["different"]:
        return f"{len(builds['different'])} of {builds['files']} files differ, such as {builds['different'][0]}"
    return f"the same {builds['bytes']:,} bytes in {builds['files']} files"
