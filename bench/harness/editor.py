"""An editor for the language server: types into a post, and waits until the problems are reported."""

import itertools
import json
import os
import shutil
import subprocess
import time

from .extras import Variant
from .measure import Failed
from .rounds import write_corpus

# The keystrokes that are measured, each of which makes or corrects a mistake, and the pause between two, in seconds. The
# first ones follow while someone types on; before the others, the whole check has run.
TYPED, PAUSES = 40, (0.1, 2.0)
# The questions about the author of a post, each asked so many times, and each time right after a keystroke.
ASKED = 20
QUESTIONS = {
    "definition": ("textDocument/definition", {}),
    "references": ("textDocument/references", {"context": {"includeDeclaration": True}}),
    "rename": ("textDocument/prepareRename", {}),
}
# How long the server may take for an answer, in seconds.
LIMIT = 120


class Client:
    """Speaks the protocol over the pipes of a server."""

    def __init__(self, command, folder, environment):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.server = subprocess.Popen([str(part) for part in command], cwd=folder, env={**os.environ, **environment}, **pipes)
        self.last = 0

    def send(self, method, parameters, is_request=False):
        message = {"jsonrpc": "2.0", "method": method, "params": parameters}
        if is_request:
            self.last += 1
            message["id"] = self.last
        body = json.dumps(message).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.server.stdin.flush()

    def read(self):
        length = None
        while (line := self.server.stdout.readline().strip()):
            name, value = line.split(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if length is None:
            raise Failed("the language server has ended")
        return json.loads(self.server.stdout.read(length))

    def until(self, wanted):
        """The next message for which `wanted` is true."""
        end = time.perf_counter() + LIMIT
        while time.perf_counter() < end:
            message = self.read()
            if wanted(message):
                return message
        raise Failed(f"the language server did not answer within {LIMIT} s")


def measure(posts, work):
    """`{posts, times, asked: {question: times}, peak}`: milliseconds of each keystroke and of each answer, and MiB."""
    corpus = work / "corpus"
    write_corpus(posts, corpus)
    site = Variant(work, "editor", "the language server")
    site.prepare(corpus)
    shutil.rmtree(corpus)
    program = site.command()[0]
    post = sorted((site.folder / "content/blog/en").glob("*.md"))[posts // 2]
    uri, text = post.as_uri(), post.read_text(encoding="utf-8")
    line = next(number for number, line in enumerate(text.split("\n")) if line.startswith("tags:"))
    client = Client([program, "lsp"], site.folder, site.environment)
    try:
        root = site.folder.as_uri()
        client.send("initialize", {"processId": None, "rootUri": root, "capabilities": {}}, is_request=True)
        client.until(lambda message: message.get("id") == client.last)
        client.send("initialized", {})
        client.send("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "markdown", "version": 1, "text": text}})
        times = []
        for number in range(TYPED):
            time.sleep(PAUSES[number * len(PAUSES) // TYPED])
            is_mistake = number % 2 == 0
            span = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 4}}
            change = {"range": span, "text": "tgas" if is_mistake else "tags"}
            began = time.perf_counter()
            client.send("textDocument/didChange", {"textDocument": {"uri": uri, "version": number + 2}, "contentChanges": [change]})
            client.until(lambda message: has_mistake(message, uri) == is_mistake)
            times.append((time.perf_counter() - began) * 1000)
        asked = {name: [] for name in QUESTIONS}
        versions = itertools.count(2 + TYPED)
        for _ in range(ASKED):
            for name in QUESTIONS:
                asked[name].append(ask(client, uri, text, next(versions), name))
        peak = memory(client.server.pid)
        client.send("shutdown", None, is_request=True)
        client.until(lambda message: message.get("id") == client.last)
        client.send("exit", None)
        client.server.wait(LIMIT)
    finally:
        client.server.kill()
        client.server.wait()
    return {"posts": posts, "times": times, "asked": asked, "peak": peak}


def ask(client, uri, text, version, name):
    """Types a letter at the end of a post, and asks about its author; milliseconds until the answer."""
    lines = text.split("\n")
    end = {"line": len(lines), "character": 0}
    change = {"range": {"start": end, "end": end}, "text": "a"}
    client.send("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]})
    line = next(number for number, line in enumerate(lines) if line.startswith("author:"))
    place = {"line": line, "character": len("author: ") + 1}
    method, more = QUESTIONS[name]
    began = time.perf_counter()
    client.send(method, {"textDocument": {"uri": uri}, "position": place, **more}, is_request=True)
    answer = client.until(lambda message: message.get("id") == client.last)
    if not answer.get("result"):
        raise Failed(f"the language server did not answer {method}: {answer}")
    return (time.perf_counter() - began) * 1000


def has_mistake(message, uri):
    """Whether a message reports the mistake in the post, or reports its problems without; `None` for any other."""
    if message.get("method") != "textDocument/publishDiagnostics" or message["params"]["uri"] != uri:
        return None
    return any(problem["code"] == "unknown-key" for problem in message["params"]["diagnostics"])


def memory(process):
    """Peak memory of a process, in MiB."""
    with open(f"/proc/{process}/status", encoding="ascii") as status:
        return int(next(line.split()[1] for line in status if line.startswith("VmHWM"))) / 1024


def p95(times):
    return sorted(times)[len(times) * 95 // 100 - 1]


def words(measured):
    """The figures, for people."""
    times = sorted(measured["times"])
    asked = ", ".join(f"{name} {p95(times):.0f}" for name, times in measured["asked"].items())
    typed = f"{times[len(times) // 2]:.0f} ms from a keystroke to the problems, 95 % within {p95(times):.0f} ms"
    return f"{typed}; 95 % of answers in ms: {asked}; {measured['peak']:.0f} MiB"
