"""Runs a program to its end and tells what it took, as the kernel counts it."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass


@dataclass
class Cost:
    """
    `wall` and `cpu` in seconds, CPU of all processes of the tree; `peak` in MiB, of the largest of them. The kernel counts what
    this program itself had before the other one began, so no peak is below some 25 MiB.
    """

    wall: float
    cpu: float
    peak: float

    def data(self):
        return asdict(self)


class Failed(Exception):
    """A program that ended with an error, and what it said."""


def run(command, folder, environment, log, limit=3600):
    """Runs a command. Output goes to the file `log`, so that no pipe is waited for."""
    with open(log, "wb") as said:
        start = time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in command], cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
            stdout=said, stderr=said, start_new_session=True,
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
    """Tells how far the benchmark is; results go to stdout alone."""
    print(*words, file=sys.stderr, flush=True)
