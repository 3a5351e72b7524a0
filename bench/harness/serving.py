"""The preview servers: milliseconds from saving a post until the new text is served."""

import http.client
import os
import signal
import socket
import subprocess
import time

from .measure import Failed, say, tail
from .scenarios import Scenarios

# Timeouts until a server responds, and until it serves a change, in seconds.
START_LIMIT = 900
CHANGE_LIMIT = 300
# Interval between two requests, in seconds.
POLL_INTERVAL = 0.001
# Delay before a save after the last change was served, in seconds, so that the server is idle, as with a real editor.
SAVE_DELAY = 1.0


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def fetch(port, path):
    """The current page; `None` if the request fails."""
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
        body = fetch(port, path)
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
    # Child processes of the server are in its process group, and may outlive it.
    try:
        os.killpg(server.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    server.wait()


def measure(tool, posts, saves, work):
    """Seconds from the start to the first page, and milliseconds of each save."""
    scenarios = Scenarios(posts)
    scenarios.counter = 1_000_000
    port = free_port()
    log = work / f"{tool.name}-serve.log"
    with open(log, "wb") as output:
        began = time.perf_counter()
        server = subprocess.Popen(
            [str(part) for part in tool.server(port)], cwd=tool.folder, env={**os.environ, **tool.environment},
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
        )
        try:
            alive = lambda: server.poll() is None
            path, text = next(iter(scenarios.nothing(tool).items()))
            wait(port, path, text, START_LIMIT, alive)
            start = time.perf_counter() - began
            times = []
            # The first save is a warm-up.
            for _ in range(saves + 1):
                time.sleep(SAVE_DELAY)
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
