"""
Kills two API servers of one store while leads with and without files arrive and other programs use the store. Counts the
leads and files that were confirmed and then lost, and the leads that were stored twice.
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

from . import install, leads, paths
from .api import Server
from .measure import Failed

CLIENTS = 8
# Every so many leads, one has a file of so many bytes: more than a page of the database, and less than the room of a full disk.
EACH_FILE, FILE = 5, 20_000
# A kill comes so many seconds after the first leads of a round, a different time in each round.
AT_LEAST, STEP, STEPS = 0.1, 0.043, 10
# What a form reports of its visitor: the page, and the time to fill it in, in milliseconds.
SIGNALS = "elapsed=9000&page=%2Fappointment%2F"
# The pause of a client whose request failed, in seconds.
PAUSE = 0.01


class Clients:
    """Clients that send a lead until it is confirmed, with the same idempotency key, as the form in a browser does."""

    def __init__(self, consent):
        self.numbers, self.confirmed, self.retried = itertools.count(), [], set()
        # `consent` says which words a visitor agreed to. The ports are those of the servers.
        self.consent, self.ports, self.stopped = consent, [1], threading.Event()
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
        has_file = number % EACH_FILE == 0
        path, kind, body = self.upload(number) if has_file else ("leads", "application/json", json.dumps(leads.lead(number)))
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[number % len(self.ports)], timeout=60)
        try:
            headers = {"Content-Type": kind, "Idempotency-Key": f"key-{number}", "X-Form-Signals": SIGNALS}
            connection.request("POST", f"/api/{path}", body, headers)
            answer = connection.getresponse()
            return answer.status == 200 and json.loads(answer.read()).get("success") is True
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def upload(self, number):
        """The path, the content type and the body of an answer to a form with a file, as a browser sends it."""
        values = {
            "name": f"lead {number}", "clinic": "madrid", "email": "ana@example.com", "privacy": self.consent,
            "_captcha": f"token {number}",
        }
        edge = "a-line-that-no-file-has"
        parts = [f'name="{name}"\r\n\r\n{value}' for name, value in values.items()]
        document = f"%PDF-1.7\n{number}\n".ljust(FILE)
        parts.append(f'name="xray"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n{document}')
        body = "".join(f"--{edge}\r\nContent-Disposition: form-data; {part}\r\n" for part in parts) + f"--{edge}--\r\n"
        return "forms/appointment", f"multipart/form-data; boundary={edge}", body


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
    def beside(self, kind, servers):
        """Makes trouble of a kind; a full disk is a limit on the size of the files that the servers write."""
        if kind == "full disk":
            sizes = [file.stat().st_size for file in self.folder.glob("leads.sqlite3*")]
            limit = max(sizes) + self.ROOM
            for server in servers:
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
    """`{kills, confirmed, retried, stored, lost, files, lost_files, doubled, beside}`; `beside` counts what other programs did."""
    folder = work / "kills"
    folder.mkdir()
    with leads.settings(folder) as own:
        consent = with_forms(folder / "leads.json", work / "clinics")
        environment = {**own, "SITE_ARTIFACT": str(search)}
        trouble = Trouble(folder, environment)
        with Clients(consent) as clients:
            for number in range(kills):
                servers = []
                try:
                    servers += [Server(program, folder, environment) for _ in range(2)]
                    for server in servers:
                        server.answers("/api/health")
                    before = len(clients.confirmed)
                    clients.ports = [server.port for server in servers]
                    wait_for(lambda: len(clients.confirmed) > before, servers[0])
                    with trouble.beside(Trouble.KINDS[number % len(Trouble.KINDS)], servers):
                        time.sleep(AT_LEAST + number % STEPS * STEP)
                        # The other one goes on for as long.
                        servers[number % 2].end(signal.SIGKILL)
                        time.sleep(AT_LEAST)
                finally:
                    for server in servers:
                        server.end(signal.SIGKILL)
            with Server(program, folder, environment) as server:
                server.answers("/api/health")
                before = len(clients.confirmed)
                clients.ports = [server.port]
                # Every client sends again what the last kill interrupted.
                wait_for(lambda: len(clients.confirmed) >= before + CLIENTS, server)
                clients.stopped.set()
                for thread in clients.threads:
                    thread.join()
            names = stored(folder, environment)
            check(trouble.store)
        with_files = [number for number in clients.confirmed if number % EACH_FILE == 0]
        whole = whole_files(trouble.store)
    if trouble.failed:
        raise Failed("\n".join(trouble.failed[:5]))
    return {
        "kills": kills,
        "confirmed": len(clients.confirmed),
        "retried": len(clients.retried),
        "stored": sum(names.values()),
        "lost": sum(f"lead {number}" not in names for number in clients.confirmed),
        "files": len(with_files),
        "lost_files": sum(number not in whole for number in with_files),
        "doubled": sum(times > 1 for times in names.values()),
        "beside": dict(trouble.done),
    }


def with_forms(file, folder):
    """Gives the API the forms of the dental clinics, which take files. Returns the hash of the words that visitors agree to."""
    command = [install.sitegen(), "build", "--quiet", "--root", paths.ROOT / "examples/dental-clinics", "--out", folder / "dist"]
    if subprocess.run(command).returncode != 0:
        raise Failed("the site with forms was not built")
    site = json.loads((folder / "leads.json").read_text())
    file.write_text(json.dumps({**site, "base_url": f"https://{leads.HOST}"}))
    (form,) = (form for form in site["forms"] if form["name"] == "appointment")
    return form["languages"]["en"]["consents"]["privacy"]["hash"]


def whole_files(store):
    """The numbers of the leads whose file is whole."""
    with contextlib.closing(sqlite3.connect(store)) as opened:
        files = [bytes(file).decode() for (file,) in opened.execute("SELECT bytes FROM files")]
    return {int(file.split()[1]) for file in files if len(file) == FILE}


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
