"""The program's page: served by `matchq serve`, or from page/dist/ (scripts/build_page)."""

import contextlib
import functools
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import threading
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("MATCHQ", str(ROOT / "target" / "release" / "matchq"))
PICTURES = ROOT / "tests" / "pictures"
DIST = ROOT / "page" / "dist"
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def run(*arguments, folder=None):
    """Standard output of the program."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Server:
    """`matchq serve` in a folder, on a free port of this machine."""

    def __init__(self, folder, *more, listen="127.0.0.1:0", flags=None):
        self.folder = folder
        self.process = subprocess.Popen(
            [PROGRAM, "serve", *(flags or ["--listen", listen]), *more], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.link = self.process.stdout.readline().strip()
        assert self.link, "serve printed no link"
        self.port = int(re.search(r":(\d+)/", self.link).group(1))
        self.url = f"http://127.0.0.1:{self.port}"

    def request(self, path, body=None, headers=None):
        """Status and text of an answer."""
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"X-Matchq": "1"} if headers is None else headers
        request = urllib.request.Request(self.url + path, data=data, headers=given)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def ask(self, request):
        status, text = self.request("/api/ask", request)
        assert status == 200, text
        return json.loads(text)

    def memory(self):
        """Resident kilobytes of the server."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1))

    def files(self):
        """Open files of the server."""
        return len(list(pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def close(self):
        self.process.terminate()
        self.process.wait()


@pytest.fixture(scope="session")
def quick_run(tmp_path_factory):
    """A folder with a short training, named short, in its runs."""
    folder = tmp_path_factory.mktemp("served")
    settings = ["training.steps=1600", "evaluation.every=800", "evaluation.games=4", "checkpoint.every=800", "logging.every=200"]
    flags = [flag for setting in settings for flag in ("--set", setting)]
    run("train", "--config", "quick", "--name", "short", "--quiet", *flags, folder=folder)
    return folder


@pytest.fixture
def folder(quick_run, tmp_path):
    """A copy that a test may change."""
    shutil.copytree(quick_run / "runs", tmp_path / "runs")
    return tmp_path


@pytest.fixture
def server(folder):
    with contextlib.closing(Server(folder, "--pace", "10", "--player", "plan")) as server:
        yield server


# One for all modules: a process has one Playwright.
@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A host of files that prints nothing."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def host():
    handler = functools.partial(Quiet, directory=str(DIST))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/index.html"
        server.shutdown()
