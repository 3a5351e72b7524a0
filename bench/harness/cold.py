"""Times a fresh clone until its first page, and a changed line until the next one.

A wrapper script for rustc and the C compiler (`RUSTC_WRAPPER`, `CC`) logs the CPU time of each call. It works with every
commit, and measures C code separately, which `cargo build --timings` includes in build scripts.
"""

import http.client
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser

from . import paths
from .measure import Failed, say, tail
from .serving import free_port

# Interval between two requests, in seconds.
POLL_INTERVAL = 0.05
# Number of parallel requests, as in browsers.
PARALLEL = 6
# The server is idle if it used less than this share of a core for REST_SECONDS. The wait ends after REST_LIMIT seconds.
REST_SHARE, REST_SECONDS, REST_LIMIT = 0.05, 3, 900

# Logs one line per compiler process: package, crate, program, wall, user and system time. A fork of bash takes 2 ms.
LOGGER = r"""#!/usr/bin/env bash
exec 7>&1 8>&2
TIMEFORMAT='%R %U %S'
case ${0##*/} in
  cc) kind=C; set -- $COLD_CC "$@" ;;
  *) kind=rust ;;
esac
took=$({ time "$@" 1>&7 2>&8 7>&- 8>&-; } 2>&1)
status=$?
[[ -z ${CARGO_PKG_NAME:-} ]] || echo "$kind ${CARGO_PKG_NAME} ${CARGO_CRATE_NAME:--} ${CARGO_BIN_NAME:--} $took" >>"$COLD_LOG"
exit $status
"""

# The files to change: the first existing match of these patterns, or text files with the lines to add.
RENDER = ["src/render/head.rs", "crates/*/src/render/head.rs", "crates/*/src/head.rs"]
LEAF = ["src/cli/routes.rs", "crates/*/src/cli/routes.rs", "crates/*/src/routes.rs"]
TEXTS = [("content/pages/about/en.yaml", "\n# {}\n"), ("templates/layouts/base.html", "{{# {} #}}\n"), ("react/loader.ts", "\n// {}\n")]


def git(*words):
    run = subprocess.run(["git", "-C", paths.ROOT, *words], capture_output=True, text=True)
    if run.returncode != 0:
        raise Failed(run.stderr.strip() or f"`git {' '.join(words)}` ended with {run.returncode}")
    return run.stdout.strip()


def resolve(name):
    try:
        return git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    except Failed:
        raise Failed(f"`{name}` is not a commit of this repository") from None


class Pictures(HTMLParser):
    """The paths of the pictures that a page references on its own host."""

    def __init__(self, html):
        super().__init__()
        self.found, self.hosts, self.shared = set(), {""}, set()
        self.feed(html)
        self.paths = sorted({self.path(address) for address in self.found | self.shared} - {None})

    def handle_starttag(self, tag, attributes):
        own = {name: value or "" for name, value in attributes}
        rel = own.get("rel", "").split()
        if tag == "img" and "src" in own:
            self.found.add(own["src"])
        if tag in ("img", "source"):
            self.found.update(candidates(own.get("srcset", "")))
        if tag == "link" and "canonical" in rel:
            self.hosts.add(urllib.parse.urlsplit(own.get("href", "")).netloc)
        if tag == "link" and ("icon" in rel or "apple-touch-icon" in rel or own.get("as") == "image"):
            self.found.add(own.get("href", ""))
            self.found.update(candidates(own.get("imagesrcset", "")))
        if tag == "meta" and (own.get("property") or own.get("name")) in ("og:image", "twitter:image"):
            self.shared.add(own.get("content", ""))

    def path(self, address):
        parts = urllib.parse.urlsplit(urllib.parse.urljoin("/", address))
        if not address or parts.scheme == "data" or parts.netloc not in self.hosts:
            return None
        return parts.path + (f"?{parts.query}" if parts.query else "")


def candidates(srcset):
    return [part.split()[0] for part in srcset.split(",") if part.split()]


class Newcomer:
    """A fresh clone of a commit."""

    def __init__(self, commit, folder, empty_caches, limit):
        self.folder, self.site, self.limit = folder, folder / "site", limit
        self.log, self.compilers = folder / "make.log", folder / "compilers.log"
        git("clone", "--quiet", "--no-checkout", paths.ROOT, self.site)
        git("-C", self.site, "checkout", "--quiet", "--detach", commit)
        self.environment = {**os.environ, **self.logged(), **(self.caches() if empty_caches else {})}
        # A shared target folder would not be empty.
        self.environment.pop("CARGO_TARGET_DIR", None)

    def logged(self):
        bin = self.folder / "bin"
        bin.mkdir()
        for name in ("rustc", "cc"):
            (bin / name).write_text(LOGGER)
            (bin / name).chmod(0o755)
        return {
            "RUSTC_WRAPPER": str(bin / "rustc"), "CC": str(bin / "cc"), "COLD_CC": os.environ.get("CC", "cc"),
            "COLD_LOG": str(self.compilers),
        }

    def caches(self):
        """Empty cargo and npm caches. Settings, such as a registry mirror, are copied."""
        cargo = self.folder / "cargo"
        cargo.mkdir()
        usual = pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo")
        for name in ("config.toml", "config", "credentials.toml"):
            if (usual / name).exists():
                shutil.copy(usual / name, cargo / name)
        return {"CARGO_HOME": str(cargo), "npm_config_cache": str(self.folder / "npm")}

    def measure(self, edits):
        result = {}
        with Serve(self) as server:
            result["first_page"] = server.page()
            say(f"  first page after {result['first_page']:.1f} s")
            result["pictures"], result["complete"] = server.pictures()
            say(f"  with its {result['pictures']} pictures after {result['complete']:.1f} s")
            if edits:
                server.rest()
        result["cpu"] = server.cpu
        result["units"] = self.units()
        result["compile_cpu"] = sum(unit["cpu"] for unit in result["units"])
        result["edits"] = [self.edited(name, change) for name, change in EDITS.items()] if edits else []
        return result

    def edited(self, name, change):
        """Changes lines, and times the next `make serve`."""
        files = change(self.site)
        self.compilers.unlink(missing_ok=True)
        with Serve(self) as server:
            seconds = server.page()
            server.rest()
        compiled = [unit["name"] for unit in self.units()]
        say(f"  {name}: {seconds:.1f} s, {len(compiled)} units compiled")
        return {"name": name, "files": files, "seconds": seconds, "units": compiled, "cpu": sum(unit["cpu"] for unit in self.units())}

    def units(self):
        """The units compiled since the log began, sorted by CPU time."""
        units = {}
        for line in self.compilers.read_text().splitlines() if self.compilers.exists() else []:
            kind, package, crate, binary, wall, user, system = line.split()
            if crate == "___":
                continue  # cargo queries rustc's configuration
            if kind == "C":
                name = f"{package} (C)"
            elif crate.startswith("build_script_"):
                name = f"{package} (build script)"
            else:
                name = package if binary == "-" else f"{package} (program)"
            unit = units.setdefault(name, {"name": name, "cpu": 0.0, "wall": 0.0})
            unit["cpu"] += float(user) + float(system)
            unit["wall"] += float(wall)
        return sorted(units.values(), key=lambda unit: -unit["cpu"])


class Serve:
    """A running `make serve` in the clone. After it ended, `cpu` has the CPU seconds of all its processes."""

    def __init__(self, newcomer):
        self.limit, self.log, self.port = newcomer.limit, newcomer.log, free_port()
        self.ended, self.cpu = False, 0.0
        self.begin = time.perf_counter()
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                ["make", "serve", f"PORT={self.port}"], cwd=newcomer.site, env=newcomer.environment, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True,
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # make forwards the signal and waits for its children, so that the kernel counts their CPU time.
        if self.alive():
            os.kill(self.process.pid, signal.SIGTERM)
        end = time.perf_counter() + 30
        while self.alive() and time.perf_counter() < end:
            time.sleep(POLL_INTERVAL)
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.reap(0)

    def alive(self):
        self.reap(os.WNOHANG)
        return not self.ended

    def reap(self, flags):
        if self.ended:
            return
        pid, status, usage = os.wait4(self.process.pid, flags)
        if pid:
            self.ended, self.cpu = True, usage.ru_utime + usage.ru_stime
            self.process.returncode = os.waitstatus_to_exitcode(status)

    def get(self, path):
        """Returns status and body; status 0 if the connection fails."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.limit)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            return 0, b""
        finally:
            connection.close()

    def answer(self, path):
        """Repeats the request until status 200. Returns the body."""
        status = 0
        while time.perf_counter() < self.begin + self.limit:
            status, body = self.get(path)
            if status == 200:
                return body
            if not self.alive():
                raise Failed(f"`make serve` ended with {self.process.returncode}\n{tail(self.log)}")
            time.sleep(POLL_INTERVAL)
        raise Failed(f"{path} did not answer 200 within {self.limit} s (last status: {status or 'none'})\n{tail(self.log)}")

    def page(self):
        """Seconds from the start of the command to the first page."""
        self.home = self.answer("/")
        return time.perf_counter() - self.begin

    def pictures(self):
        """The number of pictures on the page, and the seconds until all of them were received."""
        wanted = Pictures(self.home.decode()).paths
        with ThreadPoolExecutor(PARALLEL) as pool:
            empty = [path for path, body in zip(wanted, pool.map(self.answer, wanted)) if not body]
        if empty or not wanted:
            raise Failed(f"the picture {empty[0]} is empty" if empty else "the home page names no picture")
        return len(wanted), time.perf_counter() - self.begin

    def rest(self):
        """Waits until the server's background work, such as encoding pictures, is finished."""
        end = time.perf_counter() + REST_LIMIT
        used = self.used()
        while time.perf_counter() < end:
            time.sleep(REST_SECONDS)
            before, used = used, self.used()
            if used - before < REST_SHARE * REST_SECONDS:
                return
        say(f"  the server is still busy after {REST_LIMIT} s")

    def used(self):
        """CPU seconds of the running processes and of their finished children."""
        ticks = 0
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue  # the process has ended
            if int(fields[3]) == self.process.pid:
                ticks += sum(map(int, fields[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")


def code(patterns):
    """Changes the first function of a source file. A changed comment would not trigger code generation."""
    def change(site):
        path = next((path for pattern in patterns for path in sorted(site.glob(pattern))), None)
        if path is None:
            raise Failed(f"none of {', '.join(patterns)} exists in this commit; adapt the patterns in bench/harness/cold.py")
        text = path.read_text()
        changed = re.sub(r"^( *(?:pub(?:\([^)]*\))? )?fn [^;{}]*\{\n)", rf"\1std::hint::black_box({time.time_ns()}_u64);\n", text, count=1, flags=re.M)
        if changed == text:
            raise Failed(f"{path} has no function")
        path.write_text(changed)
        return [str(path.relative_to(site))]
    return change


def texts(site):
    for file, line in TEXTS:
        with open(site / file, "a") as text:
            text.write(line.format(time.time_ns()))
    return [file for file, _ in TEXTS]


EDITS = {"render": code(RENDER), "leaf": code(LEAF), "texts": texts}
