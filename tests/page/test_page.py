"""The page in Chromium: by WebAssembly from a static host, from a single file, and by `matchq serve`, by the same tests."""

import base64
import contextlib
import functools
import gzip
import http.server
import json
import os
import re
import threading
import urllib.parse

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from conftest import CHROMIUM, DIST, PICTURES, ROOT, Quiet, Server, run

GAMES = ["match3", "bilging", "tetris", "bejeweled", "tile-match", "samegame"]

expect.set_options(timeout=30_000)


@pytest.fixture(scope="session")
def native(quick_run):
    """The program's own answers."""
    with contextlib.closing(Server(quick_run)) as server:
        yield server


@pytest.fixture(params=["module", "file", "serve"])
def address(request, host, native):
    return {"module": host, "file": (DIST / "matchq.html").as_uri(), "serve": native.link}[request.param]


@contextlib.contextmanager
def opened(browser, allowed="(?!)", **options):
    """A page on which nothing may go wrong, and that asks nothing of other machines."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce", **options)
    page = context.new_page()
    wrong = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda sent: wrong.append(sent.url) if not re.match(r"(http://127\.0\.0\.1:|file:|blob:|data:)", sent.url) else None)
    yield page
    context.close()
    assert [what for what in wrong if not re.search(allowed, what)] == []


@pytest.fixture
def page(browser):
    with opened(browser) as page:
        yield page


def go(page, address, awaited=".board[data-board]", **given):
    """Opens the page and waits for a board: one with tiles can be played on."""
    page.goto("about:blank")
    page.goto(f"{address}#{urllib.parse.urlencode(given)}")
    page.locator(f"{awaited} >> nth=0").wait_for()


def board_of(page):
    return page.locator(".view .left .board").get_attribute("data-board")


def moves_of(page):
    """Actions in the page's address."""
    given = urllib.parse.parse_qs(page.evaluate("location.hash.slice(1)"))
    return [int(move) for move in given["moves"][0].split(".")] if "moves" in given else []


def played(page, count):
    page.wait_for_function("count => (new URLSearchParams(location.hash.slice(1)).get('moves') ?? '').split('.').filter(Boolean).length === count", arg=count)
    return moves_of(page)


@pytest.mark.parametrize("game", GAMES)
def test_a_watched_game_is_the_programs(page, native, address, game):
    go(page, address, view="watch", game=game, seed=4, player="greedy")
    for count in (1, 2, 3):
        page.get_by_role("button", name="One move (right arrow)").click()
        moves = played(page, count)
    position = native.ask({"ask": "position", "at": {"game": game, "seed": 4, "moves": moves}})
    page.wait_for_function("board => document.querySelector('.left .board').dataset.board === board", arg=position["board"])
    page.get_by_role("button", name="One move back").click()
    before = native.ask({"ask": "position", "at": {"game": game, "seed": 4, "moves": moves[:-1]}})
    page.wait_for_function("board => document.querySelector('.left .board').dataset.board === board", arg=before["board"])


@pytest.mark.parametrize("view", ["watch", "play", "ask"])
def test_a_board_is_beside_its_panel_in_windows_of_all_sizes(page, host, view):
    for game in GAMES:
        go(page, host, view=view, game=game, seed=0)
        page.wait_for_function("() => document.querySelector('.left .board').dataset.board")
        for width, height in [(1280, 900), (1024, 768), (1024, 1366), (901, 1200), (1920, 1080)]:
            page.set_viewport_size({"width": width, "height": height})
            board, panel = (page.locator(f".view {place}").first.bounding_box() for place in (".left .board", "> .panel"))
            end = panel["x"] + panel["width"]
            assert board["x"] >= 0 and board["x"] + board["width"] <= panel["x"] and end <= width, (game, width, height, board, panel)


def test_the_names_of_all_games_fit_the_header(page, host):
    go(page, host, view="watch", game="samegame", seed=0, player="greedy")
    for width, height in [(1280, 900), (740, 360), (390, 844), (320, 640)]:
        page.set_viewport_size({"width": width, "height": height})
        for button in page.locator("#games button").all():
            assert button.evaluate("button => button.scrollWidth <= button.clientWidth"), (width, button.text_content())
        if width in (740, 1280):
            # In one line with all else.
            assert page.locator("header").bounding_box()["height"] < 60


def test_help_begins_with_its_heading(page, host):
    page.set_viewport_size({"width": 390, "height": 600})
    go(page, host, view="watch", game="match3", seed=0)
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Help")).to_be_in_viewport()


def test_a_note_is_read_to_its_end(page, host):
    go(page, host, view="play", game="tetris", seed=0)
    note = page.locator(".score .note")
    expect(note).to_have_text("Aim, then click to drop")
    assert note.evaluate("note => note.scrollWidth <= note.clientWidth && note.getBoundingClientRect().height < 40")


LATE = """
const late = (text) => (text?.includes('"ask":"position"') ? 800 : 0);
const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (message, ...rest) { setTimeout(() => postMessage.call(this, message, ...rest), late(JSON.stringify(message.request))); };
const { fetch } = window;
window.fetch = async (path, how) => { await new Promise((go) => setTimeout(go, late(how?.body))); return fetch(path, how); };
"""


@pytest.mark.parametrize("view", ["watch", "play", "ask"])
def test_what_is_pressed_before_a_board_is_there_harms_nothing(page, native, address, view):
    page.add_init_script(LATE)
    go(page, address, awaited=".board", view=view, game="match3", seed=4, player="greedy")
    # Buttons that begin another game or open a file are left out.
    press = """() => {
      document.querySelectorAll('.view button:not(:disabled)').forEach((button) => { if (button.checkVisibility() && !/file|picture|Open|New game|Another|again/.test(button.textContent)) button.click(); });
      document.querySelectorAll('.view select').forEach((choice) => { if (choice.checkVisibility()) choice.dispatchEvent(new Event('change', { bubbles: true })); });
      document.querySelector('.left .board').focus();
    }"""
    page.evaluate(press)
    page.mouse.click(*middle(page.locator(".left .board").bounding_box(), (4, 4)))
    for key in ("ArrowRight", "Space", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    assert page.locator(".left .board").get_attribute("data-board") is None
    page.wait_for_function("() => document.querySelector('.left .board').dataset.board")
    if view == "ask":
        expect(page.locator("table.moves tbody tr").first).to_be_visible()
        return
    position = native.ask({"ask": "position", "at": {"game": "match3", "seed": 4}})
    assert board_of(page) == position["board"]
    if view == "watch":
        page.get_by_role("button", name="One move (right arrow)").click()
        played(page, 1)
    else:
        move = next(one for one in position["moves"] if one["matches"])
        swap(page, move["cells"])
        assert played(page, 1) == [move["action"]]


@pytest.mark.parametrize("game, player", [("match3", "dqn"), ("match3", "plan"), ("tetris", "tetris-shapes-20"), ("bejeweled", "careful")])
def test_the_values_are_the_programs(page, native, address, game, player):
    go(page, address, view="watch", game=game, seed=2, player=player)
    values = native.ask({"ask": "values", "at": {"game": game, "seed": 2}, "player": {"name": player}})
    rows = page.locator("table.moves tbody tr")
    expect(rows.first).to_be_visible()
    if len(values["moves"]) > 10:
        page.get_by_role("button", name=re.compile("Show all")).click()
    expect(rows).to_have_count(len(values["moves"]))
    for row, move in zip(rows.all(), values["moves"]):
        cells = [cell.inner_text().replace("\u00a0", " ").replace("\u2212", "-").replace(",", "") for cell in row.locator("td").all()]
        assert cells[1].startswith(move["words"].replace(",", "")), (cells, move)
        if "value" in move:
            # Networks compute in other orders by other instructions.
            assert abs(float(cells[2]) - move["value"]) <= 0.011 * max(1, abs(move["value"])), (cells, move)
    expect(page.get_by_text(values["meaning"].split(",")[0]).first).to_be_visible()


def test_a_whole_game_by_mouse(page, native, address):
    go(page, address, view="play", game="match3", seed=6)
    whole_game(page, native, lambda box, cells: [page.mouse.click(*middle(box, cell)) for cell in cells])


def test_a_whole_game_by_drags(page, native, address):
    def drag(box, cells):
        page.mouse.move(*middle(box, cells[0]))
        page.mouse.down()
        page.mouse.move(*middle(box, cells[1]), steps=4)
        page.mouse.up()

    go(page, address, view="play", game="match3", seed=6)
    whole_game(page, native, drag)


def test_a_whole_game_by_touch(browser, native, address):
    with opened(browser, has_touch=True) as page:
        go(page, address, view="play", game="match3", seed=6)
        whole_game(page, native, lambda box, cells: [page.touchscreen.tap(*middle(box, cell)) for cell in cells])


def test_a_whole_game_by_keyboard(page, native, address):
    cursor = [0, 0]

    def press(_, cells):
        (row, column), (other_row, other_column) = cells
        vertical, across = row - cursor[0], column - cursor[1]
        for key, times in [("ArrowDown", vertical), ("ArrowUp", -vertical), ("ArrowRight", across), ("ArrowLeft", -across)]:
            for _ in range(times):
                page.keyboard.press(key)
        page.keyboard.press("Space")
        page.keyboard.press({(1, 0): "ArrowDown", (0, 1): "ArrowRight"}[other_row - row, other_column - column])
        cursor[:] = [other_row, other_column]

    go(page, address, view="play", game="match3", seed=6)
    # Keyboard alone: Tab leads to the board.
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('board')"):
            break
    whole_game(page, native, press)


def middle(box, cell):
    """Pixels of a cell's middle on a board of 8 columns: cells of 40, numbers of rows in 18 at the left, an edge of 6."""
    row, column = cell
    scale = box["width"] / (18 + 8 * 40 + 6)
    return box["x"] + scale * (18 + 40 * column + 20), box["y"] + scale * (6 + 40 * row + 20)


def whole_game(page, native, move):
    moves = []
    while True:
        position = native.ask({"ask": "position", "at": {"game": "match3", "seed": 6, "moves": moves}})
        page.wait_for_function("board => document.querySelector('.left .board').dataset.board === board", arg=position["board"])
        if position["over"]:
            break
        chosen = next(move for move in position["moves"] if move["matches"])
        move(page.locator(".left .board svg").bounding_box(), chosen["cells"])
        moves.append(chosen["action"])
        assert played(page, len(moves)) == moves
    assert len(moves) == 25
    expect(page.get_by_role("heading", name="Your game")).to_be_visible()
    expect(page.get_by_text(re.compile(rf"{position['score']} points? in 25 moves"))).to_be_visible()


def test_pieces_are_steered_by_keyboard(page, native, address):
    go(page, address, view="play", game="tetris", seed=1)
    page.locator(".left .board").focus()
    for count, keys in enumerate([["ArrowLeft", "ArrowLeft", "Space"], ["ArrowUp", "ArrowRight", "ArrowDown"], ["Space"]], 1):
        for key in keys:
            page.keyboard.press(key)
            page.wait_for_timeout(120)
        moves = played(page, count)
    position = native.ask({"ask": "position", "at": {"game": "tetris", "seed": 1, "moves": moves}})
    # The rows below the piece that is steered next.
    wall = position["board"].split("\n")[-16:]
    page.wait_for_function("wall => document.querySelector('.left .board').dataset.board.split('\\n').slice(-16).join() === wall", arg=",".join(wall))


def test_hints_are_off_until_asked_and_remembered(page, address):
    go(page, address, view="play", game="match3", seed=1, player="plan")
    expect(page.locator("table.moves")).to_be_hidden()
    page.locator("body").press("h")
    expect(page.locator("table.moves")).to_be_visible()
    if not address.startswith("file"):
        page.reload()
        expect(page.locator("table.moves")).to_be_visible()


def test_a_board_is_asked_about_and_its_faults_are_said(page, native, address):
    board = native.ask({"ask": "position", "at": {"game": "match3", "seed": 9}})["board"]
    go(page, address, view="ask", game="match3", player="plan")
    page.locator("textarea.boardtext").fill(board)
    page.wait_for_function("board => document.querySelector('.left .board').dataset.board === board", arg=board)
    values = native.ask({"ask": "values", "at": {"game": "match3", "board": board}, "player": {"name": "plan"}})
    expect(page.locator("table.moves tbody tr").first).to_contain_text(values["moves"][0]["words"])
    # The address holds the board.
    link = page.evaluate("location.href")
    page.locator("textarea.boardtext").fill(board[:-1] + "x")
    expect(page.locator(".left .error")).to_contain_text("row 9, column 7")
    go(page, link.partition("#")[0], **dict(urllib.parse.parse_qsl(link.partition("#")[2])))
    page.wait_for_function("board => document.querySelector('.left .board').dataset.board === board", arg=board)


def test_a_picture_is_read_and_a_cell_is_changed(page, native, address):
    board = run("read", PICTURES / "game.png").strip()
    # The board before the picture is another.
    other = native.ask({"ask": "position", "at": {"game": "match3", "seed": 9}})["board"]
    go(page, address, view="ask", game="match3", player="plan", board=other.replace("\n", "/"))
    page.wait_for_function("board => document.querySelector('.left .board').dataset.board === board", arg=other)
    page.locator("input[type=file]").set_input_files(PICTURES / "game.png")
    page.wait_for_function("board => document.querySelector('.left .board').dataset.board === board", arg=board)
    expect(page.locator("table.moves tbody tr").first).to_be_visible()
    page.mouse.click(*middle(page.locator(".left .board svg").bounding_box(), (0, 0)))
    page.wait_for_function("board => document.querySelector('.left .board').dataset.board !== board", arg=board)
    assert board_of(page)[1:] == board[1:]


@pytest.mark.parametrize("kind, times", [("image/jpeg", 1), ("image/webp", 1), ("image/png", 5)])
def test_a_picture_of_any_kind_and_size_is_read(page, address, kind, times):
    board = run("read", PICTURES / "game.png").strip()
    go(page, address, view="ask", game="match3", player="greedy")
    encoded = base64.b64encode((PICTURES / "game.png").read_bytes()).decode()
    changed = page.evaluate(
        """async ([encoded, kind, times]) => {
            const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
            const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
            const canvas = Object.assign(document.createElement('canvas'), { width: times * bitmap.width, height: times * bitmap.height });
            canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height);
            return canvas.toDataURL(kind, 0.9).split(',');
        }""",
        [encoded, kind, times],
    )
    assert changed[0] == f"data:{kind};base64"
    name = f"screen.{kind.partition('/')[2]}"
    page.locator("input[type=file]").set_input_files({"name": name, "mimeType": kind, "buffer": base64.b64decode(changed[1])})
    page.wait_for_function("board => document.querySelector('.left .board').dataset.board === board", arg=board)
    expect(page.locator("table.moves tbody tr").first).to_be_visible()


def test_a_broken_picture_is_named(page, address):
    go(page, address, view="ask", game="match3")
    page.locator("input[type=file]").set_input_files({"name": "torn.png", "mimeType": "image/png", "buffer": b"\x89PNG\r\n\x1a\n1234"})
    expect(page.locator(".left .error")).to_have_text("torn.png cannot be read: save it as a PNG.")


def turned(page, path):
    """A picture with its red, green and blue in another order: no theme of the program knows such gems."""
    encoded = base64.b64encode(path.read_bytes()).decode()
    return base64.b64decode(
        page.evaluate(
            """async (encoded) => {
                const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
                const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
                const canvas = Object.assign(document.createElement('canvas'), { width: bitmap.width, height: bitmap.height });
                const context = canvas.getContext('2d');
                context.drawImage(bitmap, 0, 0);
                const drawn = context.getImageData(0, 0, canvas.width, canvas.height);
                for (let at = 0; at < drawn.data.length; at += 4) {
                    const [red, green, blue] = drawn.data.slice(at, at + 3);
                    drawn.data.set([255 - blue, red, 255 - green], at);
                }
                context.putImageData(drawn, 0, 0);
                return canvas.toDataURL('image/png').split(',')[1];
            }""",
            encoded,
        )
    )


def give(page, name, kind, data):
    page.locator(".panel input[type=file]").set_input_files({"name": name, "mimeType": kind, "buffer": data})


def test_gems_of_a_picture_are_taught_kept_saved_and_given_again(browser, address):
    board = run("read", PICTURES / "game.png").strip()
    with opened(browser) as page:
        go(page, address, view="ask", game="match3", player="greedy")
        expect(page.locator("table.moves tbody tr").first).to_be_visible()
        picture = turned(page, PICTURES / "game.png")
        give(page, "screen.png", "image/png", picture)
        teaching = page.locator(".teaching")
        expect(teaching).to_contain_text("Click each marked cell right")
        # Neither a command nor the moves of the board before are shown.
        assert "matchq" not in page.locator(".left").inner_text()
        assert page.locator(".arrow, table.moves tbody tr").count() == 0
        # Every cell is put right: by a click with a letter of the palette, then the whole board as a text.
        page.locator(f".palette [data-letter={board[0]}]").click()
        page.mouse.click(*middle(page.locator(".left .board svg").bounding_box(), (0, 0)))
        page.wait_for_function("letter => document.querySelector('.left .board').dataset.board[0] === letter", arg=board[0])
        page.locator("textarea.boardtext").fill(board)
        page.wait_for_function("board => document.querySelector('.left .board').dataset.board === board", arg=board)
        page.get_by_role("button", name="Learn these gems").click()
        expect(page.locator(".themes")).to_contain_text("match3-screen.toml")
        expect(page.locator(".picture .arrow").first).to_be_attached()
        # The next picture is read at once, also after another start of the page, if the browser keeps anything.
        if not address.startswith("file"):
            page.reload()
        page.locator("textarea.boardtext").fill("a")
        give(page, "next.png", "image/png", picture)
        page.wait_for_function("board => document.querySelector('.left .board').dataset.board === board", arg=board)
        expect(page.locator(".left .error")).to_have_text("")
        with page.expect_download() as download:
            page.get_by_role("button", name="Save match3-screen.toml").click()
        theme = download.value.path().read_bytes()
        page.get_by_role("button", name="Forget match3-screen.toml").click()
        expect(page.locator(".themes")).to_be_hidden()
    with opened(browser) as page:
        go(page, address, view="ask", game="tetris")
        give(page, "mine.toml", "text/plain", theme)
        # It belongs to the game whose board it shows.
        expect(page.locator(".themes")).to_contain_text("mine.toml")
        give(page, "next.png", "image/png", picture)
        page.wait_for_function("board => document.querySelector('.left .board').dataset.board === board", arg=board)
        give(page, "broken.toml", "text/plain", b"columns = 8")
        expect(page.locator("#notice")).to_contain_text("The theme: ")


def test_a_game_of_pieces_takes_no_picture_and_says_so(page, address):
    go(page, address, view="ask", game="tetris")
    expect(page.locator(".drop")).not_to_contain_text("picture")
    expect(page.get_by_role("button", name="Paste a picture")).to_be_hidden()
    give(page, "screen.png", "image/png", (PICTURES / "game.png").read_bytes())
    expect(page.locator(".left .error")).to_contain_text("Pictures of Tetris are not read")


LOW = [(844, 390), (802, 293), (640, 360), (568, 320), (1280, 300)]


@pytest.mark.parametrize("game", GAMES)
def test_a_board_in_a_low_window_can_be_played_on(page, host, game):
    for view in ("play", "watch", "ask"):
        go(page, host, view=view, game=game, seed=5)
        for width, height in LOW:
            page.set_viewport_size({"width": width, "height": height})
            assert page.locator(".left .board").bounding_box()["width"] >= 240, (view, width, height)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (view, width, height)


@pytest.mark.parametrize("width", [320, 375, 600, 920])
def test_no_view_is_wider_than_its_window(page, native, width):
    page.set_viewport_size({"width": width, "height": 568})
    for game in GAMES:
        for view in ("play", "watch", "ask"):
            go(page, native.link, view=view, game=game, seed=5, player="greedy")
            if view != "play":
                expect(page.locator("table.moves tbody tr").first).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (view, game)
            if width < 900:
                # On a phone the board has the window's width, or is as high as leaves room for the rest.
                assert page.locator(".left .board").bounding_box()["width"] >= 240
    page.goto(f"{native.link}#view=train&run=short")
    expect(page.locator(".view figure svg").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("game", GAMES)
def test_rows_and_columns_are_numbered_at_the_edges_of_a_board(page, native, host, game):
    at = native.ask({"ask": "position", "at": {"game": game, "seed": 5}})
    about = next(one for one in native.ask({"ask": "about"})["games"] if one["name"] == game)
    go(page, host, view="watch", game=game, seed=5, player="greedy")
    board = page.locator(".left .board").bounding_box()
    numbers = [(number.text_content(), number.bounding_box()) for number in page.locator(".left .board .number").all()]
    middles = [(int(text), box["x"] + box["width"] / 2 - board["x"], box["y"] + box["height"] / 2 - board["y"]) for text, box in numbers]
    rows, columns = middles[: about["rows"]], middles[about["rows"] :]
    assert [row[0] for row in rows] == list(range(about["rows"]))
    assert [column[0] for column in columns] == list(range(about["columns"]))
    # A number stands where a cell of its row, or of its column, has its middle.
    above = len(at["board"].split("\n")) - about["rows"]
    left, _, across, _ = map(float, page.locator(".left .board svg").get_attribute("viewBox").split(" "))
    cell = board["width"] / across * 40
    assert all(y == pytest.approx(cell * (0.15 + above + row + 0.5), abs=2) for row, _, y in rows)
    assert all(x == pytest.approx(cell * (-left / 40 + column + 0.5), abs=2) for column, x, _ in columns)


def swap(page, cells):
    box = page.locator(".left .board svg").bounding_box()
    for cell in cells:
        page.mouse.click(*middle(box, cell))


def test_back_shows_the_view_before_as_it_was(page, native, address):
    go(page, address, view="watch", game="match3", seed=4, player="greedy")
    page.get_by_role("button", name="One move (right arrow)").click()
    watched = played(page, 1)
    entries = page.evaluate("history.length")
    tab = lambda name: page.get_by_role("tab", name=name)
    tab("Play").click()
    page.wait_for_function("() => location.hash.includes('view=play') && location.hash.includes('seed=4')")
    move = next(one for one in native.ask({"ask": "position", "at": {"game": "match3", "seed": 4}})["moves"] if one["matches"])
    swap(page, move["cells"])
    assert played(page, 1) == [move["action"]]
    page.get_by_role("button", name="End and look back").click()
    tab("Ask").click()
    page.wait_for_function("() => location.hash.includes('view=ask') && location.hash.includes('board=')")
    # A move is no entry of the history.
    assert page.evaluate("history.length") == entries + 2
    page.go_back()
    expect(tab("Play")).to_have_attribute("aria-selected", "true")
    assert played(page, 1) == [move["action"]]
    expect(page.get_by_role("heading", name="Your game")).to_be_visible()
    page.go_back()
    expect(tab("Watch")).to_have_attribute("aria-selected", "true")
    assert played(page, 1) == watched
    page.go_forward()
    expect(tab("Play")).to_have_attribute("aria-selected", "true")
    assert played(page, 1) == [move["action"]]


@pytest.mark.parametrize("view", ["watch", "play"])
def test_another_seed_is_an_entry_of_the_history_and_what_is_no_seed_is_refused(page, host, view):
    go(page, host, view=view, game="match3", seed=4, player="greedy")
    first, seed = board_of(page), page.get_by_label("Seed")
    shows = lambda board: page.wait_for_function("board => (document.querySelector('.left .board').dataset.board === board[0]) === board[1]", arg=board)
    seed.fill("four")
    seed.press("Enter")
    expect(page.locator("#notice")).to_contain_text("four is no seed")
    expect(seed).to_have_value("4")
    seed.fill("5")
    seed.press("Enter")
    shows([first, False])
    second = board_of(page)
    page.get_by_role("button", name="Another" if view == "watch" else "New game").click()
    expect(seed).not_to_have_value("5")
    shows([second, False])
    page.go_back()
    expect(seed).to_have_value("5")
    shows([second, True])
    page.go_back()
    expect(seed).to_have_value("4")
    shows([first, True])


def test_back_never_takes_moves_of_a_begun_game(page, native, address):
    start = {"game": "match3", "seed": 4}
    go(page, address, view="play", game="match3", seed=4)
    tab = lambda name: page.get_by_role("tab", name=name)
    actions = []
    for view in ("Watch", "Ask"):
        at = native.ask({"ask": "position", "at": {**start, "moves": actions}})
        move = next(one for one in at["moves"] if one["matches"])
        swap(page, move["cells"])
        actions.append(move["action"])
        assert played(page, len(actions)) == actions
        tab(view).click()
        expect(tab(view)).to_have_attribute("aria-selected", "true")
        if view == "Watch":
            tab("Play").click()
            assert played(page, 1) == actions
    for _ in range(2):
        page.go_back()
    expect(tab("Watch")).to_have_attribute("aria-selected", "true")
    page.go_back()
    expect(tab("Play")).to_have_attribute("aria-selected", "true")
    assert played(page, 2) == actions


def test_a_game_that_was_begun_is_there_after_a_look_at_another(page, native, address):
    move = next(one for one in native.ask({"ask": "position", "at": {"game": "match3", "seed": 4}})["moves"] if one["matches"])
    after = native.ask({"ask": "position", "at": {"game": "match3", "seed": 4, "moves": [move["action"]]}})
    game = lambda name: page.locator(f"#games [data-game={name}]")
    is_there = "board => document.querySelector('.left .board').dataset.board === board"
    go(page, address, view="play", game="match3", seed=4)
    swap(page, move["cells"])
    page.wait_for_function(is_there, arg=after["board"])
    for other in ("bilging", "tetris"):
        game(other).click()
        page.wait_for_function(f"() => location.hash.includes('game={other}') && location.hash.includes('seed=')")
    game("match3").click()
    page.wait_for_function(is_there, arg=after["board"])
    assert played(page, 1) == [move["action"]]
    page.get_by_role("tab", name="Watch").click()
    page.get_by_role("button", name="One move (right arrow)").click()
    watched = played(page, 1)
    game("bilging").click()
    page.wait_for_function("() => location.hash.includes('game=bilging') && !location.hash.includes('moves=')")
    game("match3").click()
    assert played(page, 1) == watched


def test_a_short_game_is_set_against_as_many_moves_of_the_player(page, native, address):
    go(page, address, view="play", game="match3", seed=4, player="greedy")
    moves = []
    for count in (1, 2, 3):
        position = native.ask({"ask": "position", "at": {"game": "match3", "seed": 4, "moves": moves}})
        page.wait_for_function("board => document.querySelector('.left .board').dataset.board === board", arg=position["board"])
        swap(page, next(one for one in position["moves"] if one["matches"])["cells"])
        moves = played(page, count)
    page.get_by_role("button", name="End and look back").click()
    lines = page.locator(".review .chart .line")
    expect(lines).to_have_count(2)
    for line in lines.all():
        assert [float(number) for number in line.get_attribute("data-points").split(" ")[::4]] == [0, 1, 2, 3]
    past = native.ask({"ask": "past", "at": {"game": "match3", "seed": 4}, "player": {"name": "greedy"}, "moves": 3})
    own = native.ask({"ask": "position", "at": {"game": "match3", "seed": 4, "moves": moves}})
    expect(page.locator(".review")).to_contain_text(f"greedy reaches {past['scores'][3]} points in 3 moves; you have {own['score']} points after 3.")


def test_an_agents_file_plays(page, quick_run, address):
    go(page, address, view="ask", game="match3")
    page.locator("input[type=file]").set_input_files(
        {"name": f"mine{len(address)}.safetensors", "mimeType": "application/octet-stream", "buffer": (quick_run / "runs/short/best.safetensors").read_bytes()}
    )
    expect(page.locator(".picker select").first).to_have_value(f"mine{len(address)}")
    expect(page.locator("table.moves tbody tr").first).to_be_visible()


def serious_faults(page):
    faults = Axe().run(page).response["violations"]
    return [(fault["id"], fault["nodes"][0]["html"][:120]) for fault in faults if fault["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("view", ["watch", "play", "ask"])
def test_no_serious_fault_for_people_who_use_aids(page, address, view):
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        go(page, address, view=view, game="bilging", seed=1, player="plan")
        if view != "play":
            expect(page.locator("table.moves tbody tr").first).to_be_visible()
        assert serious_faults(page) == [], scheme


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_fault_in_trainings_for_people_who_use_aids(page, native, scheme):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(f"{native.link}#view=train&run=short")
    expect(page.locator(".view figure svg").first).to_be_visible()
    assert serious_faults(page) == []


def test_nothing_moves_at_rest(page, address):
    go(page, address, view="watch", game="match3", seed=1, player="plan")
    expect(page.locator("table.moves tbody tr").first).to_be_visible()
    page.wait_for_timeout(500)
    page.evaluate("() => { window.counted = 0; new MutationObserver(() => { window.counted += 1; }).observe(document, {subtree: true, childList: true, attributes: true}); }")
    page.wait_for_timeout(1_500)
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.evaluate("window.counted") == 0


@pytest.mark.skipif("PAGE_IS_FAST" in os.environ, reason="the page was built with --fast")
def test_the_single_file_is_small_enough():
    """Without the trainer, whose size is its own."""
    page = (DIST / "matchq.html").read_bytes()
    player, trainers = re.subn(rb'<script type="text/plain" id="trainer">[^<]*</script>', b"", page)
    assert trainers == 1
    assert len(gzip.compress(player, 9)) <= 1_560_000


@pytest.mark.skipif("PAGE_IS_FAST" in os.environ, reason="the page was built with --fast")
@pytest.mark.parametrize("module, most", [("matchq", 1_500_000), ("trainer", 2_900_000)])
def test_a_module_is_small_enough(module, most):
    assert len(gzip.compress((DIST / f"{module}.wasm").read_bytes(), 9)) <= most


def test_a_game_in_a_file_is_shown_with_its_values(page, tmp_path):
    lines = run("replay", "--seed", 3, "--player", "plan").splitlines()
    run("replay", "--seed", 3, "--player", "plan", "--html", tmp_path / "game.html")
    go(page, (tmp_path / "game.html").as_uri())
    boards = [json.loads(line)["board"] for line in lines]
    assert board_of(page) == boards[0]
    expect(page.locator("table.moves tbody tr").first).to_be_visible()
    for board in boards[1:4]:
        page.get_by_role("button", name="One move (right arrow)").click()
        page.wait_for_function("board => document.querySelector('.left .board').dataset.board === board", arg=board)


def test_live_curves_grow_and_come_back_after_the_server_was_away(browser, folder):
    with opened(browser, allowed="ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET") as page:
        watch_training(page, folder)


def watch_training(page, folder):
    with contextlib.closing(Server(folder)) as server:
        port = server.port
        page.goto(f"{server.link}#view=train")
        expect(page.locator("table.runs")).to_contain_text("short")
        expect(page.locator("svg .line").first).to_be_attached()
        assert server.request("/api/train", {"config": "quick", "name": "live"})[0] == 200
        row = page.locator("table.runs tr", has_text="live")
        expect(row).to_contain_text("running")
        before = row.inner_text()
        page.wait_for_function("before => [...document.querySelectorAll('table.runs tr')].find((row) => row.innerText.includes('live')).innerText !== before", arg=before)
        page.reload()
        expect(page.locator("table.runs tr", has_text="live")).to_contain_text("running")
        assert server.request("/api/stop", {"name": "live"})[0] == 200
        expect(page.locator("table.runs tr", has_text="live")).to_contain_text("stopped")
    expect(page.locator(".train .error").first).to_contain_text("The server does not answer")
    with contextlib.closing(Server(folder, listen=f"127.0.0.1:{port}")):
        expect(page.locator(".train .error").first).to_have_text("", timeout=60_000)
    page.goto("about:blank")


def best_of(native, seed, player):
    return native.ask({"ask": "values", "at": {"game": "match3", "seed": seed}, "player": {"name": player}})["moves"][0]


def test_a_player_that_is_chosen_in_another_view_plays_on(page, native, address):
    seed = next(seed for seed in range(100) if best_of(native, seed, "plan")["action"] != best_of(native, seed, "greedy")["action"])
    first = page.locator("table.moves tbody tr").first
    go(page, address, view="watch", game="match3", seed=seed, player="plan")
    expect(first).to_contain_text(best_of(native, seed, "plan")["words"])
    page.get_by_role("tab", name="Play").click()
    page.locator(".picker select").first.select_option("greedy")
    page.get_by_role("tab", name="Watch").click()
    expect(page.locator(".picker select").first).to_have_value("greedy")
    expect(first).to_contain_text(best_of(native, seed, "greedy")["words"])
    page.get_by_role("button", name="One move (right arrow)").click()
    assert played(page, 1) == [best_of(native, seed, "greedy")["action"]]


def test_the_servers_game_takes_no_keys_and_leaves_the_own_game_alone(page, server):
    own = server.ask({"ask": "position", "at": {"game": "match3", "seed": 4}})["board"]
    go(page, server.link, view="watch", game="match3", seed=4, player="greedy")
    expect(page.locator("table.moves tbody tr").first).to_be_visible()
    page.get_by_label("Follow the server's game").check()
    page.wait_for_function("own => document.querySelector('.left .board').dataset.board !== own", arg=own)
    asked = []
    page.on("request", lambda sent: asked.append(json.loads(sent.post_data)["ask"]) if sent.url.endswith("/api/ask") else None)
    page.evaluate("document.activeElement.blur()")
    for key in ("ArrowRight", "ArrowLeft", "Home", "Space"):
        page.keyboard.press(key)
    for _ in range(2):
        page.wait_for_function("before => document.querySelector('.left .board').dataset.board !== before", arg=board_of(page))
    assert asked == []
    page.get_by_label("Follow the server's game").uncheck()
    page.wait_for_function("own => document.querySelector('.left .board').dataset.board === own", arg=own)
    # A move of the server's that was waiting to be shown would come now.
    page.wait_for_timeout(1_000)
    assert board_of(page) == own
    assert moves_of(page) == []


def test_a_page_whose_scripts_do_not_come_says_so(browser, native):
    with opened(browser, allowed="ERR_FAILED") as page:
        page.route("**/app.js", lambda route: route.abort())
        page.goto(native.link)
        expect(page.get_by_text("the browser did not get the page's scripts")).to_be_visible()


class Proxy(Quiet):
    """A reverse proxy as nginx is by default: it names the server, not itself, as Host, and passes the browser's Origin on."""

    def __init__(self, native, passes_host, *arguments):
        self.native, self.passes_host = native, passes_host
        super().__init__(*arguments)

    def do_GET(self):
        length = int(self.headers.get("content-length") or 0)
        left_out = ["connection", "accept-encoding", "content-length"] + ([] if self.passes_host else ["host"])
        headers = {name: value for name, value in self.headers.items() if name.lower() not in left_out}
        status, text = self.native.request(self.path, self.rfile.read(length) if length else None, headers)
        data = text.encode()
        self.send_response(status)
        kind = {"css": "text/css", "js": "text/javascript"}.get(self.path.rpartition(".")[2], "text/html" if self.path == "/" else "application/json")
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_POST = do_GET


@pytest.mark.parametrize("passes_host", [False, True])
def test_behind_a_proxy_the_page_works_or_says_which_header_must_be_passed_on(browser, native, passes_host):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Proxy, native, passes_host)) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{proxy.server_address[1]}"
        with opened(browser, allowed="(?!)" if passes_host else "403") as page:
            page.goto(address)
            if passes_host:
                expect(page.locator("table.moves tbody tr").first).to_be_visible()
            else:
                expect(page.locator("#view .error")).to_contain_text("a proxy between them must pass the browser's Host on")
                expect(page.locator("#view .error")).to_contain_text(address)
        proxy.shutdown()


def test_past_games_are_each_played_once(page, native):
    seeds, held = [], []

    def pass_on(route):
        request = json.loads(route.request.post_data)
        if request["ask"] == "past":
            seeds.append(request["at"]["seed"])
        if request["ask"] == "past" and len(seeds) == 3:
            held.append(route)
        else:
            route.continue_()

    go(page, native.link, view="watch", game="match3", seed=1, player="greedy")
    expect(page.locator("table.moves tbody tr").first).to_be_visible()
    page.route("**/api/ask", pass_on)
    fold = page.locator("details.past summary")
    fold.click()
    while not held:
        page.wait_for_timeout(20)
    # It is closed while the third game is played.
    fold.click()
    with page.expect_response("**/api/ask"):
        held[0].continue_()
    page.wait_for_timeout(200)
    fold.click()
    expect(page.get_by_text(re.compile("^20 games of greedy"))).to_be_visible()
    assert seeds == [2_000_000 + game for game in range(20)]


def test_a_saved_game_has_values_and_opens_again(page, native, address):
    def saved():
        with page.expect_download() as download:
            page.get_by_role("button", name="Save this game").click()
        return json.loads(download.value.path().read_text())

    def reopened(game):
        page.get_by_role("button", name="To the beginning").click()
        played(page, 0)
        page.locator(".view input[type=file]").set_input_files({"name": "game.json", "mimeType": "application/json", "buffer": json.dumps(game).encode()})
        return played(page, 2)

    go(page, address, view="watch", game="match3", seed=4, player="plan")
    for count in (1, 2):
        page.get_by_role("button", name="One move (right arrow)").click()
        moves = played(page, count)
    game = saved()
    assert game["matchq"]
    for index, value in enumerate(game["values"]):
        best = native.ask({"ask": "values", "at": {"game": "match3", "seed": 4, "moves": moves[:index]}, "player": {"name": "plan"}})["moves"][0]
        assert (best["action"], value["move"], value["best"]) == (moves[index], pytest.approx(best["value"]), pytest.approx(best["value"]))
    assert len(game["values"]) == 2
    assert reopened(game) == moves
    assert saved() == game
    # As games were saved before values were.
    assert reopened({key: value for key, value in game.items() if key != "values"}) == moves
