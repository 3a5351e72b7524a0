"""
Kills the API while leads arrive and other programs use the store. Counts the leads that were confirmed and then lost, and
those that were stored twice.
"""

import contextlib
import http.client
import itertools
import json
import resource
import shutil
import signal
import sqlite3
import subprocess
import threading
import time

from collections import Counter

from . import install, leads
from .api import Server
from .measure import Failed

CLIENTS = 8
# A kill comes so many seconds after the first leads of a round, a different time in each round.
AT_LEAST, STEP, STEPS = 0.1, 0.043, 10
# The pause of a client whose request failed, in seconds.
PAUSE = 0.01


class Clients:
    """Clients that send a lead until it is confirmed, with the same idempotency key, as the form in a browser does."""

    def __init__(self):
        self.numbers, self.confirmed, self.retried = itertools.count(), [], set()
        self.port, self.stopped = 0, threading.Event()
        self.threads = [threading.Thread(target=self.work) for _ in range(CLIENTS)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        for thread in self.threads:
            thread.join()

    def work(self):
        while not self.stopped.is_set():
            number = next(self.numbers)
            while not self.is_confirmed(number):
                self.retried.add(number)
                if self.stopped.wait(PAUSE):
                    return
            self.confirmed.append(number)

    def is_confirmed(self, number):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            headers = {"Content-Type": "application/json", "Idempotency-Key": f"key-{number}"}
            connection.request("POST", "/api/leads", json.dumps(leads.lead(number)), headers)
            answer = connection.getresponse()
            return answer.status == 200 and json.loads(answer.read()).get("success") is True
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


class Trouble:
    """Another program that uses the store during a round, again and again. `done` counts how often."""

    KINDS = ("backup", "foreign backup", "reader", "commands", "lock", "full disk", "nothing")
    # More than a round stores, less than ten rounds do.
    ROOM = 400 * 1024

    def __init__(self, folder, environment):
        self.folder, self.store, self.environment = folder, folder / "leads.sqlite3", environment
        self.copies, self.done, self.failed = folder / "copies", Counter(), []
        self.copies.mkdir()

    def sitegen(self, *arguments):
        command = [install.sitegen(), "leads", *arguments, "--root", self.folder]
        ran = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        # While the API is busy, the log may keep deleted text: `forget` says so.
        if ran.returncode != 0 and "leads-remain" not in ran.stderr:
            raise Failed(f"sitegen leads {arguments[0]}: {ran.stderr}")

    def once(self, kind):
        if kind == "backup":
            self.sitegen("backup", str(self.copies / "copy.sqlite3"), "--force")
            check(self.copies / "copy.sqlite3")
        elif kind == "foreign backup":
            copy = self.copies / "foreign.sqlite3"
            copy.unlink(missing_ok=True)
            if shutil.which("sqlite3"):
                subprocess.run(["sqlite3", self.store, f".backup {copy}"], check=True, timeout=60)
            else:
                with contextlib.closing(sqlite3.connect(self.store)) as source, contextlib.closing(sqlite3.connect(copy)) as target:
                    source.backup(target)
            check(copy)
        elif kind == "reader":
            check(self.store)
        elif kind == "commands":
            for arguments in (("list",), ("retry",), ("forget", "nobody@example.com"), ("export", "--csv")):
                self.sitegen(*arguments)
        elif kind == "lock":
            with contextlib.closing(sqlite3.connect(self.store, isolation_level=None, timeout=5)) as store:
                store.execute("BEGIN EXCLUSIVE")
                time.sleep(0.05)
                store.execute("ROLLBACK")

    def work(self, kind, stopped):
        while not stopped.is_set():
            try:
                self.once(kind)
                self.done[kind] += 1
            except (Failed, sqlite3.Error, subprocess.SubprocessError) as error:
                self.failed.append(f"{kind}: {error}")
            if kind in ("full disk", "nothing"):
                stopped.wait()

    @contextlib.contextmanager
    def beside(self, kind, server):
        """Makes trouble of a kind; a full disk is a limit on the size of the files that the server writes."""
        if kind == "full disk":
            sizes = [file.stat().st_size for file in self.folder.glob("leads.sqlite3*")]
            limit = max(sizes) + self.ROOM
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        stopped = threading.Event()
        thread = threading.Thread(target=self.work, args=(kind, stopped))
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()


def check(file):
    with contextlib.closing(sqlite3.connect(file, timeout=60)) as store:
        (found,) = store.execute("PRAGMA integrity_check").fetchone()
        if found != "ok":
            raise Failed(f"{file}: {found}")


def measure(program, search, work, kills):
    """`{kills, confirmed, retried, stored, lost, doubled, beside}`; `beside` counts what other programs did."""
    folder = work / "kills"
    folder.mkdir()
    with leads.settings(folder) as own, Clients() as clients:
        environment = {**own, "SITE_ARTIFACT": str(search)}
        trouble = Trouble(folder, environment)
        for number in range(kills):
            server = Server(program, folder, environment)
            try:
                server.answers("/api/health")
                before = len(clients.confirmed)
                clients.port = server.port
                wait_for(lambda: len(clients.confirmed) > before, server)
                with trouble.beside(Trouble.KINDS[number % len(Trouble.KINDS)], server):
                    time.sleep(AT_LEAST + number % STEPS * STEP)
                    server.end(signal.SIGKILL)
            finally:
                server.end(signal.SIGKILL)
        with Server(program, folder, environment) as server:
            server.answers("/api/health")
            before = len(clients.confirmed)
            clients.port = server.port
            # Every client sends again what the last kill interrupted.
            wait_for(lambda: len(clients.confirmed) >= before + CLIENTS, server)
            clients.stopped.set()
            for thread in clients.threads:
                thread.join()
        names = stored(folder, environment)
        check(trouble.store)
    if trouble.failed:
        raise Failed("\n".join(trouble.failed[:5]))
    return {
        "kills": kills,
        "confirmed": len(clients.confirmed),
        "retried": len(clients.retried),
        "stored": sum(names.values()),
        "lost": sum(f"lead {number}" not in names for number in clients.confirmed),
        "doubled": sum(times > 1 for times in names.values()),
        "beside": dict(trouble.done),
    }


def wait_for(condition, server, limit=60):
    end = time.perf_counter() + limit
    while not condition():
        if time.perf_counter() > end or server.process.poll() is not None:
            raise Failed(f"no lead was confirmed\n{server.log.read_text(errors='replace')[-3000:]}")
        time.sleep(PAUSE)


def stored(folder, environment):
    """How often each name is stored."""
    command = [install.sitegen(), "leads", "list", "--format", "json", "--limit", "1000000", "--root", folder]
    listed = subprocess.run(command, env=environment, capture_output=True, text=True)
    if listed.returncode != 0:
        raise Failed(listed.stderr)
    return Counter(lead["name"] for lead in json.loads(listed.stdout))
