"""Files of the machine where a call began: those that workers need, and those that come back."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matchq._tools import Failure
from matchq.cluster import _worker

# The best agent in the folder of a run.
BEST = "best.safetensors"


def program() -> str:
    """The path of the program on this machine."""
    path = _worker.program()
    if path is None:
        raise Failure(_worker.missing())
    return path


def call(*arguments: str) -> int:
    """Runs the program here, which prints for itself, and returns its exit code."""
    with contextlib.suppress(AttributeError):
        sys.stdout.flush()
    return subprocess.run([program(), *arguments], stdin=subprocess.DEVNULL).returncode


def needed(texts: Iterable[str]) -> dict[str, bytes]:
    """The local files that texts of players and flags name, by relative paths.

    A text names a file, a folder with a best agent, or a run in ``runs/``; its parts stand between ``,``, ``:`` and
    ``=``.
    """
    files: dict[str, bytes] = {}
    for text in texts:
        for part in re.split("[,:=]", text):
            # network+search is the agent network with a search.
            for name in {part, part.removesuffix("+search")} - {"", "."}:
                if os.path.isabs(name) or ".." in Path(name).parts:
                    raise Failure(
                        f"{name}: a worker has files by paths inside its own folder alone: go to a folder that holds "
                        "this file, and name it relative to that folder, such as runs/mine"
                    )
                for path in paths_of(name):
                    files[path.as_posix()] = path.read_bytes()
    return files


def paths_of(name: str) -> list[Path]:
    """The files that a name stands for on this machine."""
    with contextlib.suppress(OSError, ValueError):
        return [path for path in [Path(name), Path(name, BEST), Path("runs", name, BEST)] if path.is_file()]
    return []


def write_aside(path: Path, content: bytes) -> None:
    """Writes a file aside and renames it, so that it is never half there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        aside.write_bytes(content)
        aside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise Failure(f"{path} cannot be written: {error.strerror}", 1) from error


def make_folder(flag: str, folder: Path) -> None:
    """Makes a folder if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"{flag} {folder}: this folder cannot be made: {error.strerror}") from error


def recover(folder: Path) -> None:
    """Puts a folder in its place that was written whole, but not renamed."""
    whole = folder.with_name(f".{folder.name}.new")
    if whole.is_dir() and not folder.exists():
        whole.rename(folder)
    for name in [f".{folder.name}.{ending}" for ending in ("part", "new", "old")]:
        shutil.rmtree(folder.with_name(name), ignore_errors=True)


def replace_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Gives a folder new files; after a crash it holds the old or the new ones, once ``recover`` was called."""
    part, whole, old = (folder.with_name(f".{folder.name}.{ending}") for ending in ("part", "new", "old"))
    try:
        recover(folder)
        _worker.write(part, files)
        part.rename(whole)
        if folder.exists():
            folder.rename(old)
        whole.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise Failure(f"{folder} cannot be written: {error.strerror}", 1) from error


def value_of(flags: Sequence[str], flag: str, default: Any) -> Any:
    """The whole number of a flag of the program, or the default."""
    for place, text in enumerate(flags):
        value = flags[place + 1] if text == flag and place + 1 < len(flags) else text.removeprefix(f"{flag}=")
        if text == flag or text.startswith(f"{flag}="):
            with contextlib.suppress(ValueError):
                return int(value)
    return default
