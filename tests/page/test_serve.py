"""What `matchq serve` answers, refuses and bears, without a browser."""

import asyncio
import base64
import concurrent.futures
import contextlib
import json
import random
import socket
import subprocess
import time

import pytest

from conftest import PROGRAM, ROOT, Server, run

SEED = {"game": "match3", "seed": 0}


def test_values_are_those_of_advise(server, tmp_path):
    board = server.ask({"ask": "position", "at": SEED})["board"]
    (tmp_path / "board.txt").write_text(board)
    for player, text in [({"name": "plan"}, "plan"), ({"name": "dqn"}, "dqn"), ({"name": "best", "simulations": 200}, "best:sims=200")]:
        advised = json.loads(run("advise", tmp_path / "board.txt", "--player", text, "--json"))
        values = server.ask({"ask": "values", "at": SEED, "player": player})
        assert [move["value"] for move in values["moves"]] == [move["value"] for move in advised["moves"]]
        assert [move["words"] for move in values["moves"]] == [move["words"] for move in advised["moves"]]


def test_the_page_may_load_nothing_from_elsewhere(server):
    connection = socket.create_connection(("127.0.0.1", server.port))
    connection.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode())
    answer = b""
    while part := connection.recv(1 << 16):
        answer += part
    head = answer.partition(b"\r\n\r\n")[0].decode().lower()
    assert "content-security-policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval';" in head
    assert "x-content-type-options: nosniff" in head


@pytest.mark.parametrize(
    "headers, status",
    [
        ({"X-Matchq": "1", "Host": "evil.example"}, 403),
        ({"X-Matchq": "1", "Origin": "http://evil.example"}, 403),
        ({"X-Matchq": "1", "Origin": "null"}, 403),
        ({}, 403),
        ({"X-Matchq": "1", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"X-Matchq": "1", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"X-Matchq": "1"}, 200),
    ],
)
def test_other_sites_pages_get_no_answer(server, headers, status):
    assert server.request("/api/ask", {"ask": "position", "at": SEED}, headers)[0] == status


def test_a_picture_of_another_sites_page_reads_nothing(server):
    assert server.request("/api/runs", headers={"Sec-Fetch-Site": "cross-site"})[0] == 403
    assert server.request("/", headers={"Sec-Fetch-Site": "cross-site"})[0] == 200


def test_what_is_too_long_or_takes_too_long_is_refused(server):
    assert server.request("/api/ask", b"[" * (25 << 20))[0] == 413
    assert server.request("/api/train", b"[" * (2 << 20))[0] == 413
    past = {"ask": "past", "at": SEED, "player": {"name": "best", "simulations": 25_600}, "moves": 1_000}
    assert "ask for fewer" in server.ask(past)["error"]


def test_nobody_who_has_left_keeps_others_waiting(server):
    body = json.dumps({"ask": "past", "at": {"game": "bejeweled", "seed": 1}, "player": {"name": "best", "simulations": 2_000}, "moves": 100})
    for _ in range(8):
        connection = socket.create_connection(("127.0.0.1", server.port))
        connection.sendall(
            f"POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nX-Matchq: 1\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        time.sleep(0.1)
        connection.close()
    begin = time.monotonic()
    assert server.ask({"ask": "position", "at": SEED})["score"] == 0
    # All eight to their ends take minutes.
    assert time.monotonic() - begin < 20


def test_a_page_that_asks_by_another_name_of_the_server_sees_nothing_of_the_runs(server):
    # DNS rebinding: the attacker's name leads to this machine.
    assert server.request("/api/runs", headers={"Host": f"evil.example:{server.port}"})[0] == 403
    assert server.request("/", headers={"Host": f"evil.example:{server.port}"})[0] == 403
    for host in ("localhost.evil.example", "127.0.0.1.evil.example:80", "evil.example:127.0.0.1", "localhost:80:80", "[::1", ""):
        assert server.request("/", headers={"Host": host})[0] == 403, host


@pytest.mark.parametrize("host", ["localhost", "localhost:9000", "LOCALHOST:9000", "127.0.0.1:1", "[::1]", "[::1]:9000"])
def test_a_tunnels_port_of_this_machine_is_answered(server, host):
    # As by ssh -L 9000:localhost:8010, docker run -p, or kubectl port-forward.
    assert server.request("/", headers={"Host": host})[0] == 200
    own = {"Host": host, "Origin": f"http://{host.lower()}", "X-Matchq": "1"}
    assert server.request("/api/ask", {"ask": "position", "at": SEED}, own)[0] == 200
    assert server.request("/api/ask", {"ask": "position", "at": SEED}, {**own, "Origin": "http://localhost:9001"})[0] == 403


def test_the_refusal_of_another_name_says_how_it_would_be_answered(server):
    status, text = server.request("/", headers={"Host": "games.example"})
    assert status == 403 and "games.example" in text and "--listen 0.0.0.0:PORT" in text


@pytest.mark.parametrize("flags", [["--listen", "localhost:0"], ["--port", "0"]])
def test_a_server_listens_on_this_machine_by_its_name_or_a_port_alone(tmp_path, flags):
    with contextlib.closing(Server(tmp_path, flags=flags)) as server:
        assert server.link == f"http://127.0.0.1:{server.port}/" or server.link == f"http://[::1]:{server.port}/"


@pytest.mark.parametrize("flags, right", [(["--listen", "8011"], "localhost:8010"), (["--listen", "no.such.machine.invalid:1"], "localhost:8010"), (["--port", "1", "--listen", "127.0.0.1:2"], "--listen")])
def test_an_address_that_is_none_is_a_sentence(flags, right):
    wrong = subprocess.run([PROGRAM, "serve", *flags], capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 2 and right in wrong.stderr, wrong.stderr


def test_beyond_this_machine_the_link_has_a_token_and_nothing_is_answered_without_it(folder):
    with contextlib.closing(Server(folder, listen="0.0.0.0:0")) as server:
        token = server.link.partition("?token=")[2]
        assert len(token) == 32
        assert server.request("/")[0] == 200
        for path, body in [("/api/runs", None), ("/api/ask", {"ask": "about"}), ("/api/watch", None)]:
            assert server.request(path, body)[0] == 401
        wrong = {"X-Matchq": "1", "Authorization": "Bearer " + token[:-1] + ("0" if token[-1] != "0" else "1")}
        assert server.request("/api/runs", headers=wrong)[0] == 401
        right = {"X-Matchq": "1", "Authorization": f"Bearer {token}"}
        assert server.request("/api/runs", headers=right)[0] == 200
        assert server.request(f"/api/runs?token={token}")[0] == 200


@pytest.mark.parametrize("name", ["..", "../runs", "..%2f..", "%2e%2e", "/etc", "%2fetc%2fpasswd", "short/../short", ".hidden", "short%00"])
def test_no_path_leads_out_of_the_runs(server, name):
    (server.folder / "runs" / ".hidden").mkdir(exist_ok=True)
    for path in ("/api/runs/", "/api/reports/", "/"):
        status, text = server.request(path + name)
        assert status in (400, 404) or (path, name) in {("/", ".."), ("/", "%2e%2e")}, (path, name, text)
        assert "root:" not in text
    for path in ("/api/resume", "/api/agent"):
        key = "run" if path.endswith("agent") else "name"
        assert server.request(path, {key: name.replace("%2f", "/").replace("%2e", ".").replace("%00", "\0")})[0] in (400, 404)


def test_a_player_of_a_path_is_no_player(server):
    for name in ("/etc/passwd", "network:checkpoint=/etc/passwd", "runs/short", "linear:weights=/etc/passwd", "plan:depth=6"):
        answer = server.ask({"ask": "values", "at": SEED, "player": {"name": name}})
        assert "there is no player" in answer["error"]
    too_many = {"ask": "values", "at": SEED, "player": {"name": "best", "simulations": 10_000_000}}
    assert "simulations must be from 1 to 25600" in server.ask(too_many)["error"]


def test_of_more_agents_than_there_is_room_for_the_last_ones_play(server):
    file = base64.b64encode((ROOT / "checkpoints" / "match3-fitted" / "best.safetensors").read_bytes()).decode()
    for number in range(33):
        assert "error" not in server.ask({"ask": "agent", "name": f"agent {number}", "file": file})
    # A file that is no agent takes nobody's place.
    assert "error" in server.ask({"ask": "agent", "name": "none", "file": "AAAA"})
    ask = {"ask": "values", "at": SEED}
    assert "there is no player" in server.ask({**ask, "player": {"name": "agent 0"}})["error"]
    assert all(server.ask({**ask, "player": {"name": f"agent {number}"}})["moves"] for number in (1, 32))


def test_a_training_is_started_watched_stopped_and_resumed(server):
    def post(path, body):
        status, text = server.request(path, body)
        return json.loads(text) if status == 200 else text

    def state():
        runs = {run["name"]: run for run in json.loads(server.request("/api/runs")[1])["runs"]}
        return runs["mine"]

    assert post("/api/train", {"config": "quick", "name": "mine", "seed": 7}) == {"name": "mine"}
    assert "is trained already" in post("/api/train", {"config": "quick", "name": "mine"})
    assert "exists already" in post("/api/train", {"config": "quick", "name": "short"})
    assert "no configuration" in post("/api/train", {"config": "../evil", "name": "other"})
    assert "a run's name has" in post("/api/train", {"config": "quick", "name": "--resume"})
    while not (state()["running"] and state()["step"] > 0 and state()["agent"]):
        time.sleep(0.1)
    assert post("/api/agent", {"run": "mine"})["name"] == "run mine"
    values = server.ask({"ask": "values", "at": SEED, "player": {"name": "run mine"}})
    assert values["moves"]
    # Impatient clicks do not end it before it has saved.
    assert post("/api/stop", {"name": "mine"}) == {"name": "mine"}
    time.sleep(0.2)
    assert post("/api/stop", {"name": "mine"}) == {"name": "mine"} or not state()["running"]
    while state()["running"]:
        time.sleep(0.1)
    stopped = state()["step"]
    assert "not trained by this server" in post("/api/stop", {"name": "mine"})
    assert post("/api/resume", {"name": "mine"}) == {"name": "mine"}
    while state()["step"] <= stopped:
        time.sleep(0.1)
    post("/api/stop", {"name": "mine"})
    run_of_mine = json.loads(server.request("/api/runs/mine")[1])
    assert run_of_mine["differs"] == [["seed", "1", "7"]]
    assert run_of_mine["train"]["columns"][0] == "step"
    while state()["running"]:
        time.sleep(0.1)


def test_a_damaged_run_is_said_and_does_not_hide_the_others(server):
    broken = server.folder / "runs" / "broken"
    broken.mkdir()
    (broken / "config.toml").write_text("= no toml")
    names = [run["name"] for run in json.loads(server.request("/api/runs")[1])["runs"]]
    assert names == ["short"]
    status, text = server.request("/api/runs/broken")
    assert status == 400 and "is no TOML" in text


def test_a_port_in_use_is_a_sentence(server):
    again = subprocess.run([PROGRAM, "serve", "--listen", f"127.0.0.1:{server.port}"], capture_output=True, text=True, timeout=60)
    assert again.returncode == 2 and "another port may be free" in again.stderr
    for flags in (["--player", "nobody"], ["--game", "chess"], ["--pace", "0"]):
        wrong = subprocess.run([PROGRAM, "serve", "--listen", "127.0.0.1:0", *flags], capture_output=True, text=True, timeout=60)
        assert wrong.returncode == 2 and wrong.stderr.startswith("error: "), wrong.stderr


def together(work):
    """The result of a coroutine, in a thread of its own: Playwright has a loop in this one."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


async def events(port, seconds, slow=0.0):
    """Events of a watcher, as pairs of kind and number; a slow one reads little at a time, so that the system has room again in any
    half minute, after which the server would let it go.
    """
    loop, peer = asyncio.get_running_loop(), socket.socket()
    peer.setblocking(False)
    await loop.sock_connect(peer, ("127.0.0.1", port))
    await loop.sock_sendall(peer, f"GET /api/watch HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    found, kind, end, rest = [], None, time.monotonic() + seconds, b""
    while (left := end - time.monotonic()) > 0:
        try:
            part = await asyncio.wait_for(loop.sock_recv(peer, 2_000 if slow else 1 << 16), left)
        except (TimeoutError, asyncio.TimeoutError):
            break
        assert part, "the server ended the stream"
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            if line.startswith(b"event: "):
                kind = line[7:].decode().strip()
            elif line.startswith(b"id: "):
                found.append((kind, int(line[4:])))
        if slow:
            await asyncio.sleep(slow)
    peer.close()
    return found


def in_order(found):
    """Whether every move follows on the one before, or on a snapshot."""
    for (_, before), (kind, number) in zip(found, found[1:]):
        if kind == "move" and number != before + 1:
            return False
    return found[0][0] == "snapshot"


def test_200_watchers_see_every_move_in_order(server):
    async def watch():
        return await asyncio.gather(*(events(server.port, 6) for _ in range(200)))

    seen = together(watch())
    assert all(in_order(found) for found in seen)
    # At ten moves a second; a busy machine plays fewer.
    assert all(sum(kind == "move" for kind, _ in found) > 5 for found in seen)


def test_twenty_at_once_are_all_answered(server):
    async def ask(number):
        body = json.dumps({"ask": "values", "at": {"game": "match3", "seed": number}, "player": {"name": "best", "simulations": 1600}})
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        head = f"POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nX-Matchq: 1\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write((head + body).encode())
        answer = await reader.read()
        writer.close()
        return answer

    async def all_of_them():
        return await asyncio.gather(*(ask(number) for number in range(20)))

    answers = together(all_of_them())
    assert all(b"200 OK" in answer and b'"moves":[' in answer for answer in answers)


def malformed(chance):
    """A request that no server should like."""
    at = {"game": chance.choice(["match3", "tetris", "chess", 7]), "seed": chance.choice([0, -1, 1e30, "x", None])}
    body = chance.choice(
        [
            bytes(chance.randrange(256) for _ in range(chance.randrange(60))),
            # Cut somewhere, at the latest before its end.
            json.dumps({"ask": chance.choice(["position", "play", "values", "sing", 3]), "at": at}).encode()[: chance.randrange(90)][:-1],
            json.dumps({"ask": "position", "at": {"game": "match3", "board": "abcd#?\n\0\u00e4" * chance.randrange(40)}}).encode(),
            json.dumps({"ask": "play", "at": {"game": "match3", "seed": 0, "moves": [chance.randrange(200, 10**9)]}, "action": 0}).encode(),
            json.dumps({"ask": "read", "picture": chance.choice(["iVBORw0KGgo=", "/9j/4AAQ", "====", "AAAA"])}).encode(),
            json.dumps({"ask": "agent", "name": "x", "file": chance.choice(["AAAA", "//////////8="])}).encode(),
            json.dumps({"ask": "chart", "chart": {"kind": "lines", "title": "", "x": "", "y": "", "lines": []}}).encode(),
            b"[" * chance.randrange(1, 2000),
        ]
    )
    path = chance.choice(["/api/ask", "/api/ask", "/api/ask", "/api/train", "/api/stop", "/api/resume", "/api/agent"])
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Matchq: 1\r\nContent-Length: {len(body)}\r\n\r\n"
    if chance.random() < 0.05:
        return bytes(chance.randrange(256) for _ in range(40)) + b"\r\n\r\n", True
    return head.encode() + body, False


def test_no_malformed_request_is_accepted_or_stops_the_server(server):
    chance, refused = random.Random(1), 0
    before = server.memory()
    connection = None
    for _ in range(10_000):
        request, ends = malformed(chance)
        request = request.replace(b"Host: 127.0.0.1\r\n", f"Host: 127.0.0.1:{server.port}\r\n".encode())
        connection = connection or socket.create_connection(("127.0.0.1", server.port), timeout=20)
        connection.sendall(request)
        answer = connection.recv(1 << 16)
        refused += b" 400 " in answer or b" 404 " in answer or b'{"error":' in answer or answer == b""
        if ends or not answer:
            connection.close()
            connection = None
    assert refused == 10_000
    assert server.ask({"ask": "position", "at": SEED})["score"] == 0
    assert server.memory() < before + 100_000
