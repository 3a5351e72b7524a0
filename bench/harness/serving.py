"""The preview servers: milliseconds from saving a post to the new text over HTTP."""

import http.client
import os
import signal
import socket
import subprocess
import time

from .measure import Failed, say, tail
from .scenarios import Scenarios

# How long a server may take until it answers, and until it shows a change, in seconds.
START_LIMIT = 900
CHANGE_LIMIT = 300
# Between two requests, in seconds.
POLL_INTERVAL = 0.001
# A save follows so long after the last change was seen, in seconds, as an editor's would, not while a server still works.
BREATH = 1.0


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def ask(port, path):
    """The page as it is now; none while nothing answers."""
    connection = http.client.HTTPConnection("localhost", port, timeout=60)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        return body if answer.status == 200 else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def wait(port, path, text, limit, alive):
    text = text.encode()
    end = time.perf_counter() + limit
    while time.perf_counter() < end:
        body = ask(port, path)
        if body is not None and text in body:
            return
        if not alive():
            raise Failed("the server has ended")
        time.sleep(POLL_INTERVAL)
    raise Failed(f"{path} did not show {text!r} within {limit} s")


def stop(server):
    if server.poll() is None:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            pass
    # What a server started lives in its group, and may outlive it.
    try:
        os.killpg(server.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    server.wait()


def measure(tool, posts, saves, work):
    """Milliseconds of each save, and of the start to the first page."""
    scenarios = Scenarios(posts)
    scenarios.counter = 1_000_000
    port = free_port()
    log = work / f"{tool.name}-serve.log"
    with open(log, "wb") as said:
        began = time.perf_counter()
        server = subprocess.Popen(
            [str(part) for part in tool.server(port)], cwd=tool.folder, env={**os.environ, **tool.environment},
            stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True,
        )
        try:
            alive = lambda: server.poll() is None
            path, text = next(iter(scenarios.nothing(tool).items()))
            wait(port, path, text, START_LIMIT, alive)
            start = time.perf_counter() - began
            times = []
            # The first save warms the server up, and does not count.
            for _ in range(saves + 1):
                time.sleep(BREATH)
                scenarios.begin()
                (path, text), = scenarios.edit(tool).items()
                saved = time.perf_counter()
                wait(port, path, text, CHANGE_LIMIT, alive)
                times.append((time.perf_counter() - saved) * 1e3)
            say(f"  {tool.name:<10} first page after {start:.1f} s, saves {', '.join(f'{ms:.0f}' for ms in times[1:])} ms")
            return {"start": start, "saves": times[1:]}
        except Failed as error:
            raise Failed(f"{tool.name}: {error}\n{tail(log)}") from error
        finally:
            stop(server)
