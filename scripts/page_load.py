#!/usr/bin/env python3
"""Loads `matchq serve` for minutes, as scripts/check_slow page calls it.

    python3 scripts/page_load.py [MINUTES]

200 watchers, every tenth of them slow, follow the game at ten moves a second while twenty others ask for moves. All events must be in
order or follow a snapshot, all requests answered, memory flat, and no files left open. Before that 1,100 connections that send half of a request's head
keep others out for half a minute at the most. Needs the environment variable MATCHQ, or target/release/matchq.
"""

import asyncio
import contextlib
import json
import pathlib
import resource
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "page"))
from conftest import Server  # noqa: E402
from test_serve import events, in_order  # noqa: E402


async def asking(port, until, number):
    """Milliseconds of each request of one who asks again and again."""
    times = []
    while time.monotonic() < until:
        body = json.dumps(
            {"ask": "values", "at": {"game": "match3", "seed": number + 20 * len(times)}, "player": {"name": "best", "simulations": 1600}}
        )
        begin = time.monotonic()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = f"POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Matchq: 1\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write((head + body).encode())
        answer = await reader.read()
        writer.close()
        assert b"200 OK" in answer and b'"moves":[' in answer, answer[:200]
        times.append(1_000 * (time.monotonic() - begin))
    return times


async def half_sent(port):
    """Seconds for which connections with half of a request's head keep a whole request waiting."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    half = [await asyncio.open_connection("127.0.0.1", port) for _ in range(1_100)]
    for _, writer in half:
        writer.write(b"GET / HTTP/1.1\r\nHost: ")
    begin = time.monotonic()
    answered = await asyncio.wait_for(asking(port, begin + 30, 0), 120)
    waited = time.monotonic() - begin - sum(answered[1:]) / 1_000
    assert answered, "no request was answered beside connections that sent half of a head"
    # The server ends the connections by itself.
    for reader, writer in half[:512]:
        await asyncio.wait_for(reader.read(), 60)
        writer.close()
    return waited


async def memory(server, until):
    found = []
    while time.monotonic() < until:
        await asyncio.sleep(10)
        found.append(server.memory())
    return found


async def load(server, minutes):
    seconds = 60 * minutes
    until = time.monotonic() + seconds
    watchers = [events(server.port, seconds, slow=0.5 if number % 10 == 0 else 0.0) for number in range(200)]
    askers = [asking(server.port, until, number) for number in range(20)]
    return await asyncio.gather(asyncio.gather(*watchers), asyncio.gather(*askers), memory(server, until))


def main():
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(Server(folder, "--pace", "10", "--player", "plan")) as server:
        files = server.files()
        waited = asyncio.run(half_sent(server.port))
        seen, times, used = asyncio.run(load(server, minutes))
        time.sleep(5)
        left = server.files()
    assert all(in_order(found) for found in seen), "a watcher missed a move without a snapshot"
    counts = sorted(len(of_one) for of_one in times)
    assert counts[0] > 0.5 * counts[-1], f"some were starved: answers by asker {counts}"
    early, late = max(used[: len(used) // 2]), max(used[len(used) // 2 :])
    assert late < 1.1 * early + 4_096, f"memory grew from {early} to {late} kB"
    assert left <= files + 8, f"{left} open files are left of {files} at first"
    every = sorted(time for of_one in times for time in of_one)
    snapshots = sum(kind == "snapshot" for found in seen for kind, _ in found) - len(seen)
    print(
        f"behind half-sent requests: {waited:.0f} s; "
        f"{sum(map(len, seen)):,} events in order, {snapshots} snapshots to slow watchers and at new games; {len(every):,} answers, median "
        f"{every[len(every) // 2]:.0f} ms, slowest {every[-1]:.0f} ms, {counts[0]} to {counts[-1]} an asker; memory {early:,} kB, then {late:,} kB; "
        f"{files} open files at first and {left} at the end"
    )


if __name__ == "__main__":
    main()
