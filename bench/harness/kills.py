"""Kills the API while leads arrive, and counts those that were confirmed and then lost, and those that were stored twice."""

import http.client
import itertools
import json
import signal
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


def measure(program, search, work, kills):
    """`{kills, confirmed, retried, stored, lost, doubled}`."""
    folder = work / "kills"
    folder.mkdir()
    with leads.settings(folder) as own, Clients() as clients:
        environment = {**own, "SITE_ARTIFACT": str(search)}
        for number in range(kills):
            server = Server(program, folder, environment)
            try:
                server.answers("/api/health")
                before = len(clients.confirmed)
                clients.port = server.port
                wait_for(lambda: len(clients.confirmed) > before, server)
                time.sleep(AT_LEAST + number % STEPS * STEP)
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
    return {
        "kills": kills,
        "confirmed": len(clients.confirmed),
        "retried": len(clients.retried),
        "stored": sum(names.values()),
        "lost": sum(f"lead {number}" not in names for number in clients.confirmed),
        "doubled": sum(times > 1 for times in names.values()),
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
