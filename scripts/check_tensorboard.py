#!/usr/bin/env python3
"""Reads a folder of event files as TensorBoard does and says whether what should be there is there.

Usage: check_tensorboard.py DIR [--tags TAG ...] [--last-step STEP]

Needs the package tensorboard. Exits 0 when every record is whole and all tags have values, else with a sentence and 1.
"""

import argparse
import pathlib
import struct
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c


def broken_record(path):
    """What is wrong with the framing of a file, checksums by TensorBoard's own function; None when nothing is."""
    content = path.read_bytes()
    place = 0
    while place < len(content):
        header = content[place : place + 12]
        if len(header) < 12:
            return f"{path} ends within a record's header at byte {place}"
        length, length_crc = struct.unpack("<QI", header)
        if masked_crc32c(header[:8]) != length_crc:
            return f"{path} has a record at byte {place} whose length fails its checksum"
        body = content[place + 12 : place + 12 + length + 4]
        if len(body) < length + 4:
            return f"{path} ends within the record at byte {place}"
        if masked_crc32c(body[:-4]) != struct.unpack("<I", body[-4:])[0]:
            return f"{path} has a record at byte {place} whose data fail their checksum"
        place += 16 + length
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--tags", nargs="*", default=[], help="scalars that must have values")
    parser.add_argument("--last-step", type=int, help="the step at which every one of the tags must end")
    arguments = parser.parse_args()

    paths = sorted(arguments.dir.glob("*tfevents*"))
    if not paths:
        sys.exit(f"{arguments.dir} holds no event files (names with tfevents)")
    for path in paths:
        wrong = broken_record(path)
        if wrong:
            sys.exit(wrong)

    accumulator = EventAccumulator(str(arguments.dir), size_guidance={"scalars": 0})
    accumulator.Reload()
    found = accumulator.Tags()["scalars"]
    missing = [tag for tag in arguments.tags if tag not in found]
    if missing or not found:
        sys.exit(f"{arguments.dir} has no scalars {', '.join(missing) or 'at all'}; it has {', '.join(found) or 'none'}")
    for tag in found:
        scalars = accumulator.Scalars(tag)
        steps = [scalar.step for scalar in scalars]
        if any(later < earlier for earlier, later in zip(steps, steps[1:])):
            sys.exit(f"{arguments.dir}: the steps of {tag} go back, so a resumed run was not rolled back")
        if arguments.last_step is not None and tag in arguments.tags and steps[-1] != arguments.last_step:
            sys.exit(f"{arguments.dir}: {tag} ends at step {steps[-1]}, not {arguments.last_step}")
        print(f"{tag}: {len(steps)} values, steps {steps[0]} to {steps[-1]}, last {scalars[-1].value:g}")


if __name__ == "__main__":
    main()
