"""Runs a program and returns its cost as measured by the kernel."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass


@dataclass
class Cost:
    """
    `wall` and `cpu` in seconds, CPU of all processes of the tree; `peak` in MiB, of the largest process. The peak includes the
    memory of this program at the time of the fork, so it is at least about 25 MiB.
    """

    wall: float
    cpu: float
    peak: float

    def data(self):
        return asdict(self)


class Failed(Exception):
    """A program failed; the message contains the end of its output."""


def run(command, folder, environment, log, limit=3600, read=os.devnull):
    """
    Runs a command, which may read the file `read` as its standard input. Output goes to the file `log`, so that the command never
    blocks on a pipe.
    """
    with open(log, "wb") as output, open(read, "rb") as given:
        start = time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in command], cwd=folder, env={**os.environ, **environment}, stdin=given,
            stdout=output, stderr=output, start_new_session=True,
        )
        previous = signal.signal(signal.SIGALRM, lambda *_: os.killpg(process.pid, signal.SIGKILL))
        signal.alarm(limit)
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, previous)
        wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if status != 0:
        raise Failed(f"`{command[0]}` ended with {process.returncode}\n{tail(log)}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def tail(log, length=3000):
    with open(log, errors="replace") as file:
        return file.read()[-length:]


def say(*words):
    """Prints progress to stderr; only results go to stdout."""
    print(*words, file=sys.stderr, flush=True)
