#!/usr/bin/env python3
"""Cuts the power of trainings, on paper: what was not flushed is lost, and the training must go on from what is left.

    python3 scripts/power_cut.py [CUTS] [--learners NAME,NAME] [--seed N] [--program FILE]

strace records what a training of scripts/kill_trainings.py does to its files. A cut comes after any of these calls; then a folder is made
as a disk may hold it that has only what was flushed (fsync, fdatasync), in one of four ways:
nothing else; the names of files, but not their contents; the contents, but not the names; or parts of both, with torn ends and zeros.
The training goes on in that folder, is recorded and cut again, and must end with the checkpoint, the agents and the tables of one that nobody cut.
Needs strace.
"""

import argparse
import collections
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import kill_trainings

CALLS = "?openat,?write,?writev,?pwrite64,?pwritev,?fsync,?fdatasync,?sync_file_range,?rename,?renameat,?renameat2,?unlink,?unlinkat,?ftruncate,?truncate,?mkdir,?mkdirat,?rmdir,?lseek,?close,?copy_file_range,?sendfile,?link,?linkat,?symlink,?symlinkat,?dup,?dup2,?fcntl"
LINE = re.compile(r"^(\d+)\s+(.*)$")
CALL = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+)")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
CHECKPOINT = b"/last.ckpt"
WAYS = ("flushed", "names", "contents", "torn")


def texts(arguments):
    return [bytes.fromhex(found.replace("\\x", "")) for found in TEXT.findall(arguments)]


class File:
    """Contents as the program sees them, and as the disk surely has them."""

    def __init__(self, contents=b""):
        self.seen, self.flushed = bytearray(contents), bytes(contents)

    def on_disk(self, way, dice):
        if way in ("flushed", "names"):
            return self.flushed
        seen = bytes(self.seen)
        if way == "contents":
            return seen
        length = dice.randint(min(len(self.flushed), len(seen)), max(len(self.flushed), len(seen)))
        torn = (seen if dice.random() < 0.5 else self.flushed)[:length]
        return torn if dice.random() < 0.5 else torn + bytes(max(0, len(seen) - len(torn)))


def apply(changes, names):
    for name, node in changes:
        if node == "gone":
            names.pop(name, None)
        else:
            names[name] = node


class Disk:
    """The files below a folder, and the names that the disk surely has."""

    def __init__(self, root, before):
        """The disk with a folder `root` that holds what `before` holds, all of it flushed."""
        self.root = str(root).encode()
        named = lambda path: str(root / path.relative_to(before)).encode()
        # Files by name; a folder is None.
        self.names = {named(path): None if path.is_dir() else File(path.read_bytes()) for path in sorted(before.rglob("*"))}
        self.flushed = dict(self.names)
        # Changes of names that are not flushed, a list of names and files for each call.
        self.pending = []
        self.open = {}
        # Each checkpoint that was given its name.
        self.saved = [bytes(node.seen) for name, node in self.names.items() if name.endswith(CHECKPOINT)]

    def here(self, path):
        return path.startswith(self.root + b"/")

    def change(self, changes):
        apply(changes, self.names)
        self.pending.append(changes)

    def flush_folder(self, folder):
        inside = lambda name: name.rsplit(b"/", 1)[0] == folder
        rest = []
        for changes in self.pending:
            # A rename within a folder is one change.
            if all(inside(name) for name, _ in changes):
                apply(changes, self.flushed)
            else:
                rest.append(changes)
        self.pending = rest

    def call(self, name, arguments, result):
        """Takes a call; whether it changed anything that matters."""
        if result < 0:
            return False
        if name == "openat":
            (path,) = texts(arguments)
            if not (path == self.root or self.here(path)):
                self.open.pop(result, None)
                return False
            flags = arguments.rsplit('"', 1)[1]
            if "O_CREAT" in flags and path not in self.names:
                self.change([(path, File())])
            node = self.names.get(path)
            if node is not None and "O_TRUNC" in flags:
                node.seen.clear()
            self.open[result] = [node, path, 0, "O_APPEND" in flags]
            return "O_CREAT" in flags or "O_TRUNC" in flags
        if name in ("rename", "renameat", "renameat2"):
            source, to = texts(arguments)
            if self.here(source) != self.here(to):
                sys.exit("failed: a file was moved out of its folder, which this script does not know")
            if self.here(source):
                self.change([(to, self.names[source]), (source, "gone")])
                if to.endswith(CHECKPOINT):
                    self.saved.append(bytes(self.names[to].seen))
            return self.here(source)
        if name in ("unlink", "unlinkat", "rmdir", "mkdir", "mkdirat"):
            (path,) = texts(arguments)
            if self.here(path):
                self.change([(path, None if name.startswith("mkdir") else "gone")])
            return self.here(path)
        if name in ("link", "linkat", "symlink", "symlinkat", "truncate"):
            if any(map(self.here, texts(arguments))):
                sys.exit(f"failed: this script does not know {name}")
            return False
        handle = self.open.get(int(arguments.split(",", 1)[0]))
        if name == "close":
            self.open.pop(int(arguments), None)
            return False
        if handle is None:
            return False
        node, path, place, appends = handle
        if name in ("fsync", "fdatasync"):
            if node is None:
                self.flush_folder(path)
            else:
                node.flushed = bytes(node.seen)
            return True
        if name == "write":
            (written,) = texts(arguments)
            written = written[:result]
            place = len(node.seen) if appends else place
            node.seen.extend(bytes(max(0, place - len(node.seen))))
            node.seen[place : place + len(written)] = written
            handle[2] = place + len(written)
            return True
        if name == "ftruncate":
            length = int(arguments.split(",")[1])
            del node.seen[length:]
            node.seen.extend(bytes(length - len(node.seen)))
            return True
        if name == "lseek":
            handle[2] = result
            return False
        if name == "fcntl" and "F_DUPFD" not in arguments:
            return False
        sys.exit(f"failed: this script does not know {name}({arguments[:80]}")

    def leave(self, way, dice, to):
        """Makes the folder as a disk may hold it after a cut."""
        names = dict(self.flushed)
        pending = self.pending if way == "names" else self.pending[: dice.randint(0, len(self.pending))] if way == "torn" else []
        for changes in pending:
            apply(changes, names)
        shutil.rmtree(to)
        to.mkdir()
        for name, node in sorted(names.items()):
            path = to / name[len(self.root) + 1 :].decode()
            if not path.parent.is_dir():
                continue  # A file whose folder has no name yet.
            if node is None:
                path.mkdir()
            else:
                path.write_bytes(node.on_disk(way, dice))


def record(trace):
    """Calls of a trace in the order in which they ended."""
    begun = {}
    with open(trace, encoding="latin-1") as file:
        for line in file:
            process, rest = LINE.match(line).groups()
            if "<unfinished ...>" in rest:
                begun[process] = rest.split("<unfinished")[0]
                continue
            if rest.startswith("<..."):
                rest = begun.pop(process) + rest.split("resumed>", 1)[1]
            if found := CALL.match(rest):
                yield found[1], found[2], int(found[3])


def cuts(program, folder, learner, configuration, count, dice):
    straight = kill_trainings.Training(program, folder / "straight", "run", configuration)
    straight.to_the_end()
    expected = straight.end()
    counted, ended, seen = 0, 0, collections.Counter()
    while counted < count:
        runs = folder / "cut"
        shutil.rmtree(runs, ignore_errors=True)
        runs.mkdir()
        # Folders that the training makes, too.
        cut = kill_trainings.Training(program, runs / "new" / "folders", "run", configuration)
        here = []
        for _ in range(dice.randint(1, 4)):
            trace = folder / "trace"
            before = folder / "before"
            command = cut.command()
            shutil.rmtree(before, ignore_errors=True)
            shutil.copytree(runs, before)
            strace = ["strace", "-f", "-qq", "-e", f"trace={CALLS}", "-e", "signal=none", "-xx", "-s", str(1 << 28), "-o", trace]
            done = subprocess.run([str(part) for part in [*strace, *command]], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"failed: {runs} cannot go on after {', '.join(here)}: {done.stderr}")
            calls = list(record(trace))
            disk = Disk(runs, before)
            changing = [place for place, call in enumerate(calls) if disk.call(*call)]
            if not changing:
                break
            disk = Disk(runs, before)
            at = dice.choice(changing)
            for call in calls[: at + 1]:
                disk.call(*call)
            way = dice.choice(WAYS)
            disk.leave(way, dice, runs)
            # A save that was followed by another is never lost.
            left = cut.run / CHECKPOINT[1:].decode()
            if len(disk.saved) > 1 and (not left.exists() or left.read_bytes() not in disk.saved[-2:]):
                sys.exit(f"failed: {runs} lost more than the last checkpoint, after call {at} ({calls[at][0]}), {way}")
            here.append(f"a cut after call {at} ({calls[at][0]}), {way}")
            seen[way] += 1
            counted += 1
        cut.to_the_end()
        ended += 1
        if wrong := kill_trainings.different(expected, cut.end()):
            sys.exit(f"failed: {runs} differs from {straight.run} in {', '.join(wrong)} after {', '.join(here)}")
    ways = ", ".join(f"{seen[way]} {way}" for way in WAYS)
    print(f"{learner}: {counted} cuts of {ended} trainings ({ways}); all ended alike", flush=True)
    shutil.rmtree(straight.runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cuts", nargs="?", type=int, default=20)
    parser.add_argument("--learners", default=",".join(kill_trainings.CONFIGURATIONS))
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--program", type=pathlib.Path, default=kill_trainings.ROOT / "target" / "release" / "matchq")
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    dice = random.Random(given.seed)
    folder = pathlib.Path(tempfile.mkdtemp()).resolve()
    for learner in given.learners.split(","):
        configuration = folder / f"{learner}.toml"
        configuration.write_text(kill_trainings.CONFIGURATIONS[learner], encoding="utf-8")
        cuts(given.program, folder, learner, configuration, given.cuts, dice)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
