"""The API as a program: starts it, and measures its size, the time to its first answer and its memory."""

import http.client
import os
import re
import shutil
import signal
import subprocess
import time

from statistics import median

from . import install, paths
from .measure import Failed, say, tail
from .serving import free_port

STARTS = 20
SEARCHES = 1_000
# The time limit for a start, in seconds.
START_LIMIT = 60
# Interval between two attempts to connect, in seconds. A start takes a few milliseconds.
POLL_INTERVAL = 0.0002


def program(work):
    """The program as it is deployed, stripped. `SITE_API` may name an existing build of it."""
    built = os.environ.get("SITE_API")
    if not built:
        say("building the API with the profile of deployments")
        command = ["cargo", "build", "--quiet", "--profile", "dist", "--locked", "-p", "site-api"]
        if subprocess.run(command, cwd=paths.ROOT).returncode != 0:
            raise Failed("the API was not built")
        built = paths.ROOT / "target/dist/site-api"
    stripped = work / "site-api"
    if shutil.which("strip"):
        subprocess.run(["strip", "-o", stripped, built], check=True)
    else:
        raise Failed("`strip` is not installed; it is part of binutils")
    return stripped


def build_site(work):
    """Builds this repository's site, for its search index. Returns the folder of the index."""
    command = [install.sitegen(), "build", "--quiet", "--root", paths.ROOT, "--out", work / "site/dist"]
    if subprocess.run(command).returncode != 0:
        raise Failed("the site was not built")
    return work / "site/search"


class Server:
    """The program on a free port, with a log file. It ends with the `with` block."""

    def __init__(self, program, folder, environment):
        self.folder, self.log, self.port = folder, folder / "api.log", free_port()
        own = {"LISTEN": f"127.0.0.1:{self.port}", "PATH": os.environ["PATH"], **environment}
        with open(self.log, "ab") as log:
            self.begin = time.perf_counter()
            # Python ignores the signal of a file that is too large, and so does the program, as if the disk were full.
            self.process = subprocess.Popen(
                [program], cwd=folder, env=own, stdin=subprocess.DEVNULL, stdout=log, stderr=log, restore_signals=False
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end(signal.SIGTERM)

    def end(self, by):
        self.process.send_signal(by)
        self.process.wait()

    def answers(self, path):
        """Repeats a request until it is answered. Returns the milliseconds since the start."""
        while time.perf_counter() < self.begin + START_LIMIT:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=START_LIMIT)
                connection.request("GET", path)
                status = connection.getresponse().status
                took = (time.perf_counter() - self.begin) * 1e3
                if status != 200:
                    raise Failed(f"{path} was answered {status}\n{tail(self.log)}")
                return took
            except ConnectionRefusedError:
                if self.process.poll() is not None:
                    raise Failed(f"the API ended with {self.process.returncode}\n{tail(self.log)}") from None
                time.sleep(POLL_INTERVAL)
        raise Failed(f"the API did not answer within {START_LIMIT} s\n{tail(self.log)}")

    def own_memory(self):
        """Memory in MiB that belongs to this process only, without its program file and the index."""
        status = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(r"^RssAnon:\s+(\d+)", status, re.MULTILINE).group(1)) / 1024


def measure(program, search, work):
    """`{bytes, start, start_worst, starts, memory, searches, is_given}`; starts in milliseconds, memory in MiB after searches."""
    environment = {"SITE_ARTIFACT": str(search), "LEADS_STORE": "off"}
    starts = []
    for _ in range(STARTS):
        with Server(program, work, environment) as server:
            starts.append(server.answers("/api/posts"))
    with Server(program, work, environment) as server:
        server.answers("/api/posts")
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        for number in range(SEARCHES):
            connection.request("GET", f"/api/posts?search=cach%20{number % 50}")
            answer = connection.getresponse()
            if answer.status != 200 or not answer.read():
                raise Failed(f"a search was answered {answer.status}")
        memory = server.own_memory()
    return {
        "bytes": program.stat().st_size, "start": median(starts), "start_worst": max(starts), "starts": STARTS,
        "memory": memory, "searches": SEARCHES, "is_given": "SITE_API" in os.environ,
    }
