"""Sends hostile requests to the API, and counts those that were answered with a 5xx or with a detail of the program."""

import json
import os
import re
import socket
import subprocess

from . import install, leads, paths
from .api import Server
from .measure import Failed, say

# Texts that only the program's own code or its libraries would write.
INNER = re.compile(rb"panick|serde|sqlite|dynamo|hyper|reqwest|\bsrc/|\.rs\b|EOF|at line \d|stack|os error", re.IGNORECASE)
# The time limit for an answer, in seconds. Some requests are incomplete, and the API waits longer for the rest of them.
LIMIT = 2


def searches():
    """Addresses below `/api/`."""
    texts = [
        "%00", "%ff%fe", "%", "%zz", "%25%32%35", "'", "'%20OR%201=1--", "\"", "*", "***", "~", "AND%20OR%20NOT", "(((((((((", "a" * 6000,
        "%20".join(["a"] * 500), "..%2f..%2fetc%2fpasswd", "%E2%80%AE", "%F0%9F%99%82", "{{7*7}}", "[a-z]{1000}", "-" * 500, "%0d%0aSet-Cookie:%20a=b",
    ]
    numbers = ["", "0", "-1", "1e309", "99999999999999999999", "0x10", "1.5", "NaN", "%20", "1,2", "null", "[]"]
    yield from (f"/api/posts?search={text}" for text in texts)
    yield from (f"/api/posts?{field}={number}" for field in ("page", "per_page", "page[size]") for number in numbers)
    yield from (f"/api/posts?{field}={text}" for field in ("tag", "lang", "locale", "orderby", "slug") for text in texts[:8])
    yield from ("/api/posts?" + "&".join(["search=a"] * 1000), "/api/posts?" + "&" * 3000, "/api/posts?=&=&=", "/api//posts", "/api/../posts",
                "/api/%2e%2e/%2e%2e/etc/passwd", "/api/posts/", "/api/", "/api/nothing", "/api/" + "x/" * 2000, "/api/leads", "/api/openapi.json?x")


def bodies():
    """Bodies for `/api/leads`, as `(content type, bytes)`."""
    deep = b"[" * 30_000 + b"]" * 30_000
    lead = lambda **fields: json.dumps({**leads.lead(1), **fields}).encode()
    documents = [
        b"", b"{", b"[]", b"[{}]", b"7", b"null", b'"name"', b'{"name":"\xff\xfe"}', b'{"name":"\\ud800"}', b'{"name":"a","name":"b"}', deep,
        b'{"name":' + deep + b"}", b"{}", b" " * 70_000, b"x" * 300_000, b"\x00" * 1000, b"\xef\xbb\xbf{}", lead(name=7), lead(name=None),
        lead(name={"a": 1}), lead(name="\0\u202e\r\n "), lead(name="x" * 20_000), lead(message="'; DROP TABLE leads; --"),
        lead(message="a\r\nBcc: everybody@example.com\r\n\r\nbody"), lead(email="a@" + "b" * 10_000), lead(email="@@@@"), lead(admin=True),
        lead(phone="+" * 500), lead(recaptchaToken="x" * 50_000), lead(recaptchaToken=[]), lead(projectType="\ud83d"),
    ]
    yield from ((b"application/json", body) for body in documents)
    forms = [b"", b"&&&&", b"=" * 1000, b"name=%ff%fe", b"name=%", b"name=a&name=b", b"name=" + b"a" * 300_000, b"a=b&" * 20_000, b"\x00\xff" * 500]
    yield from ((b"application/x-www-form-urlencoded", body) for body in forms)
    yield from ((kind, b"{}") for kind in (b"", b"text/plain", b"application/json; charset=utf-99", b"multipart/form-data; boundary=x", b"\xff\xfe", b"a" * 5000))


def requests():
    """Whole requests, as bytes."""
    get = lambda path: b"GET " + path.encode("latin-1") + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    post = lambda more, body: b"POST /api/leads HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + more + b"\r\n" + body
    yield from map(get, searches())
    for kind, body in bodies():
        yield post(b"Content-Type: " + kind + b"\r\nContent-Length: " + str(len(body)).encode() + b"\r\n", body)
    headers = [
        b"X-Form-Signals: %ff%fe&&&=;", b"X-Form-Signals: elapsed=-1", b"Accept-Language: ;q=,,;;q=nan", b"Accept-Language: \xfe", b"Origin: \xfe",
        b"Origin: null", b"Idempotency-Key: " + b"k" * 5000, b"Idempotency-Key: \xff", b"X-Forwarded-For: " + b"1," * 2000, b"Cookie: " + b"a=b;" * 2000,
        b"Content-Encoding: gzip", b"Expect: 200-ok", b"Range: bytes=0-,5-", b"If-None-Match: " + b'"x",' * 2000, b"Authorization: Bearer \xff",
    ]
    body = json.dumps(leads.lead(2)).encode()
    for header in headers:
        yield post(b"Content-Type: application/json\r\n" + header + b"\r\nContent-Length: " + str(len(body)).encode() + b"\r\n", body)
        yield b"GET /api/posts?search=cache HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + header + b"\r\n\r\n"
    for method in (b"PUT", b"DELETE", b"PATCH", b"BREW", b"TRACE", b"CONNECT", b"OPTIONS", b"HEAD", b"get"):
        for path in (b"/api/posts", b"/api/leads", b"*"):
            yield method + b" " + path + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    chunked = b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
    yield from (post(chunked, body) for body in (b"zz\r\n", b"5\r\n{}\r\n0\r\n\r\n", b"ffffffffffffffff\r\n", b"-1\r\n\r\n", b"2\r\n{}\r\n0\r\n\r\n"))
    yield from (post(more + b"\r\n", b"{}") for more in (
        b"Content-Length: -1", b"Content-Length: 99999999999999999999", b"Content-Length: 2\r\nContent-Length: 3", b"Content-Length: 2\r\nTransfer-Encoding: chunked",
    ))
    yield from (
        b"GET / HTTP/9.9\r\n\r\n", b"\r\n\r\n\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET\r\n\r\n",
        b"GET /api/posts HTTP/1.1\r\n\r\n", b"GET /api/posts HTTP/1.0\r\n\r\n", b"GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /api/posts HTTP/1.1\r\nHost: x\r\n" + b"a: b\r\n" * 500 + b"\r\n", b"GET /api/posts HTTP/1.1\r\nHost: x\r\n folded: a\r\n\r\n",
    )


def answer(port, request):
    """The bytes that a request was answered with; none if the connection was closed without an answer."""
    received = bytearray()
    with socket.create_connection(("127.0.0.1", port), timeout=LIMIT) as connection:
        try:
            connection.sendall(request)
        except OSError:
            pass  # The API may answer a request that is too large before all of it was sent.
        try:
            while part := connection.recv(65_536):
                received += part
        except OSError:
            pass  # The connection was reset, or stays open.
    return bytes(received)


def own_list(program, search, work):
    """`{requests, answered, failed, inner}` of the requests above."""
    folder = work / "hostile"
    folder.mkdir()
    count = {"requests": 0, "answered": 0, "failed": 0, "inner": 0}
    with leads.settings(folder) as environment, Server(program, folder, {**environment, "SITE_ARTIFACT": str(search)}) as server:
        server.answers("/api/health")
        for request in requests():
            found = answer(server.port, request)
            status = re.match(rb"HTTP/1\.[01] (\d{3})", found)
            count["requests"] += 1
            count["answered"] += status is not None
            is_failure = status is not None and int(status.group(1)) >= 500
            # Posts may contain any text, so only errors are searched.
            is_inner = status is not None and int(status.group(1)) >= 400 and INNER.search(found) is not None
            count["failed"] += is_failure
            count["inner"] += is_inner
            if is_failure or is_inner:
                say(f"  {request[:100]!r}: {found[:300]!r}")
            if server.process.poll() is not None:
                raise Failed(f"the API ended after {request[:200]!r}")
        server.answers("/api/health")
    return count


def schemathesis(program, work):
    """`{requests, answered, failed, inner}` of the requests that the tests of the API generate from its document."""
    file = work / "schemathesis.json"
    environment = {**os.environ, "SITE_API": str(program), "SITEGEN": install.sitegen(), "SITE_TEST_ANSWERS": str(file)}
    command = ["node", "--test", "--test-reporter=dot", "tests/api/schemathesis.test.mjs"]
    done = subprocess.run(command, cwd=paths.ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if not file.exists():
        raise Failed(f"the tests of the API counted no answers\n{done.stdout[-3000:]}")
    if done.returncode != 0:
        say(done.stdout[-3000:])
    return json.loads(file.read_text())
