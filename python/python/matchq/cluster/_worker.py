"""What a worker does: it runs the program in a folder of its own.

Ray sends this module's functions to the workers by value. A worker needs Ray and the program matchq, but not this
package. For that reason the module imports the standard library alone.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path

# Exit code of a program that is not there, as of a shell.
MISSING = 127

# Most bytes of a program's output that are kept.
KEPT = 4_000

# The program must not outlive the worker, with whom Linux kills it, and must hear SIGINT, which Ray blocks. Between
# fork and exec Python's threads could hang, so that a small program asks for this and becomes the program.
LAUNCH = """
import ctypes, os, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
signal.pthread_sigmask(signal.SIG_SETMASK, [])
if os.getppid() != int(sys.argv[1]):
    sys.exit(75)
os.execv(sys.argv[2], sys.argv[2:])
"""


# The program's file, on Windows the second.
NAMES = ("matchq", "matchq.exe")


def program() -> str | None:
    """The path of the program matchq: MATCHQ, else what this package was installed with, else beside Python, else in PATH."""
    given = os.environ.get("MATCHQ")
    if given:
        return os.path.abspath(given) if os.path.isfile(given) else None
    installed: list[Path] = []
    with contextlib.suppress(metadata.PackageNotFoundError):
        files = metadata.files("matchq") or []
        installed = [Path(str(file.locate())) for file in files if file.name in NAMES]
    beside = (path for path in [*installed, *(Path(sys.executable).parent / name for name in NAMES)] if path.is_file())
    return next(map(str, beside), None) or shutil.which("matchq")


def missing() -> str:
    """The sentence about a program that is not there."""
    given = os.environ.get("MATCHQ")
    where = f"MATCHQ={given} is no file" if given else "it is neither beside Python nor in PATH"
    return f"the program matchq is missing on {platform.node()}: {where}; install it there, or name its file in MATCHQ"


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes files by their paths relative to a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def read(folder: Path) -> dict[str, bytes]:
    """The files in a folder by their paths relative to it, without those that lock it."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "lock")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def work(
    arguments: Sequence[str],
    shared: Mapping[str, bytes],
    own: Mapping[str, bytes],
    back: str,
    stop_after: float | None,
    variables: Mapping[str, str],
) -> tuple[int, str, dict[str, bytes], float]:
    """Runs the program with these arguments in a new folder that holds the files ``shared`` and ``own``.

    The result is the exit code (negative for a signal), the end of the output, the files in the folder ``back``, and
    the seconds of the program. After ``stop_after`` seconds the program is asked to stop by SIGINT.
    """
    path = program()
    if path is None:
        return MISSING, missing(), {}, 0.0
    with tempfile.TemporaryDirectory(prefix="matchq-", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary, "work")
        folder.mkdir()
        write(folder, shared)
        write(folder, own)
        command = [sys.executable, "-I", "-S", "-c", LAUNCH, str(os.getpid()), path, *arguments]
        with open(Path(temporary, "output"), "w+b") as output:
            begin = time.monotonic()
            process = subprocess.Popen(
                command,
                cwd=folder,
                env={**os.environ, **variables},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                asked = False
                while True:
                    # A cancelled task is interrupted between two waits only.
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(0.5)
                        break
                    if stop_after is not None and not asked and time.monotonic() - begin > stop_after:
                        process.send_signal(signal.SIGINT)
                        asked = True
            finally:
                # What the program may have started goes with it.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            seconds = time.monotonic() - begin
            output.seek(max(0, output.seek(0, os.SEEK_END) - KEPT))
            text = output.read().decode(errors="replace").strip()
        files = read(folder / back) if process.returncode == 0 else {}
        return process.returncode, text, files, seconds
