"""Trainings in the browser, without a server."""

import contextlib
import io
import json
import os
import subprocess
import tomllib
import zipfile

import pytest
from playwright.sync_api import expect

from conftest import DIST, PROGRAM
from test_page import opened

# Short trainings of each kind. A gradient's norm and Muon's products of matrices are burn's, which takes the machine's widest
# instructions: without them a network, too, learns the same bits.
SHORT = {
    "match3-fitted": ["training.sweeps=3"],
    "tetris-cma": ["training.generations=2"],
    "quick": ["learning.optimizer=\"adam\"", "learning.max_gradient_norm=0", "training.steps=2240", "evaluation.every=1600", "evaluation.games=2", "evaluation.luck=0", "logging.every=320"],
}


@pytest.fixture
def link(request, host):
    return (DIST / "matchq.html").as_uri() if getattr(request, "param", "module") == "file" else host


# From a host of files, and from disk.
everywhere = pytest.mark.parametrize("link", ["module", "file"], indirect=True)


@pytest.fixture
def page(browser):
    with opened(browser) as page:
        yield page


# A long training that begins at once.
LONG = ["evaluation.games=1", "evaluation.luck=0"]


def train_view(page, link, **given):
    page.goto("about:blank")
    page.goto(f"{link}#view=train")
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()
    expect(page.locator(".keys label").first).to_be_visible(timeout=60_000)


def as_toml(table, section=""):
    plain = [f"{key} = {json.dumps(value)}" for key, value in table.items() if not isinstance(value, dict)]
    below = [f"[{section}{key}]\n{as_toml(value, f'{section}{key}.')}" for key, value in table.items() if isinstance(value, dict)]
    return "\n".join([*plain, *below])


def set_keys(page, sets):
    """Writes keys into the configuration's text, as a visitor does who knows them."""
    page.get_by_text("The whole configuration as text").click()
    area = page.get_by_label("Configuration as text")
    table = tomllib.loads(area.input_value())
    for given in sets:
        key, value = given.split("=")
        section, name = key.split(".")
        table.setdefault(section, {})[name] = json.loads(value)
    area.fill(as_toml(table))


def start(page, config, name, sets=()):
    page.get_by_label("Configuration").first.select_option(config)
    if sets:
        set_keys(page, sets)
    page.get_by_label("Name").first.fill(name)
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(f".runs button[data-run='{name}']")).to_be_visible(timeout=60_000)


def state(page, name):
    return page.locator(f".runs tr:has(button[data-run='{name}']) small")


def is_done(page, name):
    expect(state(page, name)).to_contain_text("done", timeout=120_000)


def saved(page):
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    return zipfile.ZipFile(io.BytesIO(open(download.value.path(), "rb").read()))


@pytest.mark.parametrize("config", SHORT)
def test_a_training_has_the_bits_of_the_programs(page, link, config, tmp_path):
    train_view(page, link)
    start(page, config, "one", SHORT[config])
    is_done(page, "one")
    files = saved(page)
    flags = [flag for given in SHORT[config] for flag in ("--set", given)]
    environment = {**os.environ, "MATCHQ_INSTRUCTIONS": "portable"}
    subprocess.run([PROGRAM, "train", "--config", config, "--name", "one", "--threads", "1", "--quiet", *flags], cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert files.read("one/last.safetensors") == (tmp_path / "runs" / "one" / "last.safetensors").read_bytes()


@everywhere
def test_a_training_stops_is_found_again_and_goes_on(page, link):
    train_view(page, link)
    start(page, "quick", "long", LONG)
    expect(state(page, "long")).to_contain_text("running")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(state(page, "long")).to_contain_text("stopped")
    page.reload()
    expect(state(page, "long")).to_contain_text("stopped")
    page.get_by_role("button", name="Resume", exact=True).click()
    expect(state(page, "long")).to_contain_text("running")


def test_a_run_moves_to_the_program_and_back(page, link, tmp_path):
    train_view(page, link)
    start(page, "match3-fitted", "moved", ["training.sweeps=2"])
    is_done(page, "moved")
    saved(page).extractall(tmp_path / "runs")
    subprocess.run([PROGRAM, "train", "--resume", "moved", "--set", "training.sweeps=4", "--quiet"], cwd=tmp_path, check=True, capture_output=True)
    packed = tmp_path / "moved.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as files:
        for path in (tmp_path / "runs" / "moved").rglob("*"):
            files.write(path, path.relative_to(tmp_path / "runs"))
    page.locator(".train input[type=file]").set_input_files(packed)
    expect(page.locator(".runs button[data-run='moved-2']")).to_be_visible(timeout=60_000)
    is_done(page, "moved-2")
    expect(page.locator(".runs tr:has(button[data-run='moved-2'])")).to_contain_text("100 %")


def test_what_is_no_run_and_no_configuration_is_said(page, link, tmp_path):
    train_view(page, link)
    damaged = tmp_path / "damaged.zip"
    with zipfile.ZipFile(damaged, "w") as files:
        files.writestr("damaged/last.ckpt", b"no checkpoint")
    page.locator(".train input[type=file]").set_input_files(damaged)
    expect(page.locator("#notice")).to_contain_text("is not a checkpoint of matchq", timeout=60_000)
    page.get_by_text("The whole configuration as text").click()
    area = page.get_by_label("Configuration as text")
    area.fill(area.input_value().replace("batch = 64", "batch = 0"))
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("#notice")).to_contain_text("learning.batch = 0: it must be")


def running(page, link, name="long"):
    train_view(page, link)
    start(page, "quick", name, LONG)
    expect(state(page, name)).to_contain_text("running")


@pytest.mark.parametrize("has_locks", [True, False])
def test_a_second_tab_sees_a_training_and_cannot_train_the_same(page, link, has_locks):
    if not has_locks:
        # As on a host without HTTPS.
        page.context.add_init_script("Object.defineProperty(navigator, 'locks', { value: undefined })")
    running(page, link)
    with contextlib.closing(page.context.new_page()) as other:
        train_view(other, link)
        expect(state(other, "long")).to_contain_text("running")
        other.get_by_role("button", name="Stop", exact=True).click()
        expect(other.locator("#notice")).to_contain_text("stop it there")
        other.get_by_label("Name").first.fill("long")
        other.get_by_role("button", name="Start", exact=True).click()
        expect(other.locator("#notice")).to_contain_text("There is a run long already")
        # What the first tab leaves, the second goes on with.
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(state(page, "long")).to_contain_text("stopped")
        other.get_by_role("button", name="Resume", exact=True).click()
        expect(other.locator("#notice")).to_contain_text("long goes on")
        expect(state(page, "long")).to_contain_text("running")
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(page.locator("#notice")).to_contain_text("stop it there")


@pytest.mark.parametrize("delay", [0, 100])
def test_of_two_tabs_that_claim_a_run_one_has_it_also_without_https(page, host, delay):
    page.add_init_script("Object.defineProperty(navigator, 'locks', { value: undefined })")
    train_view(page, host)
    claims = """async (delay) => {
        const { locks } = await import('./locks.js');
        const later = () => new Promise((done) => { setTimeout(done, delay); });
        const tabs = [locks(), locks()];
        const taken = await Promise.all(tabs.map(async (tab, number) => { if (number) await later(); return tab.take('run'); }));
        const won = taken.map((release) => release !== null);
        const seen = await tabs[won.indexOf(false)].held();
        taken.find(Boolean)();
        const again = await tabs[won.indexOf(false)].take('run');
        again?.();
        return [won.filter(Boolean).length, seen, again !== null];
    }"""
    for _ in range(5):
        assert page.evaluate(claims, delay) == [1, ["run"], True]


def test_a_training_goes_on_while_its_tab_is_hidden(page, link):
    hidden = "value => { Object.defineProperty(document, 'hidden', { value, configurable: true }); document.dispatchEvent(new Event('visibilitychange')); }"
    running(page, link)
    page.evaluate(hidden, True)
    seen = state(page, "long").evaluate("small => small.closest('tr').cells[2].textContent")
    # The page looks at nothing meanwhile, but the run is saved.
    kept = """async () => {
        const settled = (request) => new Promise((done) => { request.onsuccess = () => done(request.result); });
        const base = await settled(indexedDB.open('matchq', 1));
        return (await settled(base.transaction('runs').objectStore('runs').get('long'))).summary.step;
    }"""
    first = page.evaluate(kept)
    page.wait_for_function(f"async first => await ({kept})() > first", arg=first, timeout=120_000)
    assert state(page, "long").evaluate("small => small.closest('tr').cells[2].textContent") == seen
    page.evaluate(hidden, False)
    page.wait_for_function("seen => document.querySelector('.runs tbody tr').cells[2].textContent !== seen", arg=seen)


def test_a_run_is_listed_once_while_it_is_saved(page, host):
    page.goto(host)
    listed = page.evaluate("""async () => {
      const { Keep } = await import('./keep.js');
      const keep = new Keep();
      const counts = [];
      for (let step = 0; step < 50; step += 1) {
        const [, runs] = await Promise.all([keep.put({ name: 'one', step }, {}), keep.all()]);
        counts.push(runs.length);
      }
      return counts;
    }""")
    assert listed == [1] * 50


def test_a_training_that_is_stopped_while_it_is_loaded_stops(page, link):
    running(page, link)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(state(page, "long")).to_contain_text("stopped")
    # Both in one turn of the page, as a visitor of a slow machine does.
    page.evaluate("() => document.querySelectorAll('.train .row button').forEach((one) => { if (one.textContent === 'Resume') one.click(); })")
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(state(page, "long")).to_contain_text("stopped")
    page.wait_for_timeout(3000)
    expect(state(page, "long")).to_contain_text("stopped")


def test_a_removed_run_leaves_nothing_and_a_seed_of_the_text_counts(page, link):
    train_view(page, link)
    start(page, "match3-fitted", "five", ["training.sweeps=2"])
    is_done(page, "five")
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("There is no training yet.")).to_be_visible()
    expect(page.get_by_role("heading", name="five")).to_be_hidden()
    area = page.get_by_label("Configuration as text")
    area.fill(area.input_value().replace("seed = 1", "seed = 5"))
    expect(page.get_by_label("Seed").first).to_have_value("5")
    page.get_by_label("Name").first.fill("again")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(".train")).to_contain_text("fitted for match3, seed 5", timeout=60_000)


def test_a_run_that_finds_no_room_lasts_as_long_as_the_page(page, link):
    page.add_init_script("IDBObjectStore.prototype.put = () => { throw new DOMException('The room is full', 'QuotaExceededError'); };")
    train_view(page, link)
    start(page, "match3-fitted", "short", ["training.sweeps=2"])
    is_done(page, "short")
    expect(page.locator(".train .error").first).to_contain_text("The room is full")
    assert "short/last.ckpt" in saved(page).namelist()


def test_a_damaged_run_is_named_and_the_list_stays(page, link):
    running(page, link)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(state(page, "long")).to_contain_text("stopped")
    page.evaluate(
        """async () => {
            const settled = (request) => new Promise((done) => { request.onsuccess = () => done(request.result); });
            const base = await settled(indexedDB.open('matchq', 1));
            const store = base.transaction('files', 'readwrite').objectStore('files');
            const run = await settled(store.get('long'));
            run.files['last.ckpt'][1000] ^= 255;
            await settled(store.put(run));
        }"""
    )
    page.get_by_role("button", name="Resume", exact=True).click()
    expect(page.locator("#notice")).to_contain_text("last.ckpt is damaged", timeout=60_000)
    expect(state(page, "long")).to_contain_text("stopped")


def test_a_training_for_which_there_is_no_memory_is_said(page, link):
    train_view(page, link)
    page.get_by_label("Configuration").first.select_option("quick")
    # A tree of priorities above two gigabytes.
    set_keys(page, ["replay.capacity=268435456", "replay.prioritised=true"])
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("#notice")).to_contain_text("memory", timeout=120_000)


@everywhere
def test_the_lesson_shows_each_step_of_a_round(page, link):
    page.goto(f"{link}#view=learn")
    following = page.get_by_role("button", name="Next step")
    expect(following).to_be_enabled(timeout=120_000)
    expect(page.get_by_role("heading", name="1. Act")).to_be_visible()
    # Each step stands beside its part of the source.
    marks = ["epsilon_greedy", "replay.push", "self.sample", "self.targets", "self.gradient_step", "update_target_network"]
    page.get_by_text("This step in the source").click()
    for number, mark in enumerate(marks):
        if number > 0:
            following.click()
        expect(page.locator(".learn pre")).to_contain_text(mark)
        others = [other for other in marks if other != mark]
        text = page.locator(".learn pre").inner_text()
        assert not [other for other in others if other in text], text
    # No step is wider than a small phone.
    page.set_viewport_size({"width": 320, "height": 700})
    for name in ("Act", "Remember", "Sample", "Targets", "Gradient step", "Target network"):
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.get_by_role("heading", name=name)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name
    page.set_viewport_size({"width": 1280, "height": 900})
    value = lambda text: float(text.replace("\u2212", "-").replace(",", ""))
    page.get_by_role("button", name="Targets").click()
    points, future, average, target = [value(cell) for cell in page.locator(".sums td:last-child").all_inner_texts()]
    assert abs(points + future - average - target) < 0.02
    page.get_by_role("button", name="Sample").click()
    expect(page.locator(".thumb")).to_have_count(6)
    page.locator(".thumb").nth(3).click()
    expect(page.locator(".thumb").nth(3)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Remember").click()
    before = page.locator(".meter").inner_text()
    page.get_by_role("button", name="Next round").click()
    expect(page.locator(".meter")).not_to_have_text(before)
    first, second = [int(text.split(" of ")[0].replace(",", "")) for text in (before, page.locator(".meter").inner_text())]
    assert second == first + 32
    # The chosen transition is followed, by the same board, through the rounds.
    page.get_by_role("button", name="Gradient step").click()
    expect(page.locator(".stage tbody tr")).to_have_count(2)
    board = page.locator(".stage .board").get_attribute("data-board")
    page.get_by_role("button", name="100 rounds").click()
    expect(page.locator(".stage tbody tr")).to_have_count(3, timeout=120_000)
    assert page.locator(".stage .board").get_attribute("data-board") == board


def test_the_lesson_trains_by_one_label_and_by_all(page, link):
    page.goto(f"{link}#view=learn")
    expect(page.get_by_role("button", name="Next step")).to_be_enabled(timeout=120_000)
    page.get_by_role("button", name="Train both side by side").click()
    expect(page.locator(".learn")).to_contain_text("one-label-a-board: ", timeout=60_000)
    expect(page.locator(".learn")).to_contain_text("all-labels-of-a-board: ")
    page.get_by_role("tab", name="Train").click()
    configs = {}
    for name in ("one-label-a-board", "all-labels-of-a-board"):
        page.locator(f".runs button[data-run='{name}']").click()
        expect(page.get_by_role("heading", name=name)).to_be_visible()
        page.get_by_role("button", name="Stop", exact=True).click()
        configs[name] = page.locator(".train details:has(summary:text('The whole file')) pre").text_content()
    assert "expected" not in configs["one-label-a-board"] and "[learning.expected]" in configs["all-labels-of-a-board"]
