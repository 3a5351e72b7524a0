"""Paths: the repository, installed tools, and the temporary working folder."""

import os
import pathlib
import shutil
import signal
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCH = ROOT / "bench"
SITES = BENCH / "sites"
SHARED = SITES / "_shared"
INSTALLED = ROOT / "target/bench"
RESULTS = INSTALLED / "results.json"

# Maximum disk space per post and tool, in bytes: sources, output and staging in both languages.
BYTES_A_POST = 60_000


def available_memory():
    for line in open("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def file_system(folder):
    """The type of the file system of a folder, such as `tmpfs` or `ext4`."""
    folder, best, kind = os.path.realpath(folder), "", "unknown"
    for line in open("/proc/mounts"):
        _, mount, this, *_ = line.split()
        inside = folder == mount or folder.startswith(mount.rstrip("/") + "/")
        if inside and len(mount) >= len(best):
            best, kind = mount, this
    return kind


def roomy_memory(posts, tools):
    """Whether `/dev/shm` is a tmpfs with enough room for the sites, leaving half of the memory to the programs."""
    shm = pathlib.Path("/dev/shm")
    if not shm.is_dir() or file_system(shm) != "tmpfs" or not os.access(shm, os.W_OK):
        return False
    room = min(shutil.disk_usage(shm).free, available_memory() // 2)
    return room > posts * BYTES_A_POST * tools


class Workspace:
    """A temporary folder, which is deleted when the benchmark ends, including on SIGINT and SIGTERM."""

    def __init__(self, wanted, posts, tools):
        if wanted:
            parent = pathlib.Path(wanted)
        elif roomy_memory(posts, tools):
            parent = pathlib.Path("/dev/shm")
        else:
            parent = INSTALLED / "work"
        parent.mkdir(parents=True, exist_ok=True)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sitegen-bench-", dir=parent))

    def __enter__(self):
        # SIGTERM raises an exception, so that every `finally` runs. SIGINT is restored, because shells ignore it for
        # background jobs.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def file_system(self):
        return file_system(self.folder)
