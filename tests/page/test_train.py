"""Trainings in the page, whose logs are written by hand, and what a link may ask for."""

import concurrent.futures
import contextlib

from playwright.sync_api import expect, sync_playwright

from conftest import Server
from test_page import CHROMIUM, DIST, go, opened

CONFIG = 'seed = {seed}\nlearner = "dqn"\n[game]\nname = "match3"\n[training]\nsteps = 200\n'
HEAD = "step,seconds,mean,half_width,best\n"


def in_browser(work):
    """Does work with a page, in a thread of its own: a thread has one Playwright, and the other tests hold that of theirs."""

    def whole():
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            with contextlib.closing(browser), opened(browser) as page:
                work(page)

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(whole).result()


def write_run(folder, name, seed, rows, config=CONFIG):
    run = folder / "runs" / name
    run.mkdir(parents=True)
    (run / "config.toml").write_text(config.format(seed=seed))
    (run / "evaluations.csv").write_text(HEAD + "".join(f"{row}\n" for row in rows))


def test_seeds_are_one_line_by_their_steps_also_across_seconds(tmp_path):
    write_run(tmp_path, "a", 1, ["100,2,10,1,10", "200,4,30,1,30"])
    write_run(tmp_path, "b", 2, ["100,4,20,1,20", "200,8,50,1,50"])
    # This seed has just begun.
    write_run(tmp_path, "c", 3, ["100,6,30,1,30"])

    def work(page):
        page.goto(f"{server.link}#view=train&run=a")
        line = page.locator(".chart svg .line")
        expect(line).to_have_attribute("data-points", "100 20 10 30 200 40 30 50")
        expect(line).to_have_attribute("data-name", "a (3 seeds)")
        page.locator("label.field:has(> span:text-is('Across')) select").select_option("seconds")
        expect(line).to_have_attribute("data-points", "4 20 10 30 6 40 30 50")

    with contextlib.closing(Server(tmp_path)) as server:
        in_browser(work)


def test_runs_that_are_ticked_share_a_chart_and_a_link(tmp_path):
    write_run(tmp_path, "a", 1, ["100,2,10,1,10", "200,4,30,1,30"])
    write_run(tmp_path, "b", 2, ["100,4,20,1,20", "200,8,50,1,50"])
    write_run(tmp_path, "c", 1, ["100,4,25,1,25", "200,8,55,1,55"], CONFIG.replace("steps = 200", "steps = 300"))
    write_run(tmp_path, "d", 1, ["10,4,9,1,9"], CONFIG.replace("match3", "bilging"))

    def work(page):
        page.goto(f"{server.link}#view=train&run=a")
        lines = page.locator(".chart svg .line")
        tick = lambda name: page.get_by_label(f"{name} in the chart")
        expect(lines).to_have_count(1)
        # The shown run is in its chart; another game's scores are no scores of this one.
        expect(tick("a")).to_be_disabled()
        expect(tick("d")).to_be_disabled()
        tick("c").check()
        expect(lines).to_have_count(2)
        assert [line.get_attribute("data-name") for line in lines.all()] == ["a (2 seeds)", "c"]
        expect(lines.last).to_have_attribute("data-points", "100 25 24 26 200 55 54 56")
        # What is ticked stays when the list is asked for again, and is in the link.
        with page.expect_response("**/api/runs"):
            pass
        expect(tick("c")).to_be_checked()
        page.reload()
        expect(lines).to_have_count(2)
        tick("c").uncheck()
        expect(lines).to_have_count(1)

    with contextlib.closing(Server(tmp_path)) as server:
        in_browser(work)


def test_a_chart_on_a_phone_is_as_wide_as_its_card(tmp_path):
    write_run(tmp_path, "a", 1, ["100,2,10,1,10", "200,4,30,1,30"])

    def work(page):
        page.set_viewport_size({"width": 375, "height": 700})
        page.goto(f"{server.link}#view=train&run=a")
        chart = page.locator(".train .chart svg")
        expect(chart).to_have_attribute("viewBox", "0 0 400 400")
        place = page.locator(".train .chart")
        assert place.evaluate("place => place.scrollWidth <= place.clientWidth")
        assert chart.bounding_box()["width"] >= 0.9 * place.bounding_box()["width"]
        # Turned, it has the other drawing.
        page.set_viewport_size({"width": 1200, "height": 700})
        expect(chart).to_have_attribute("viewBox", "0 0 800 500")

    with contextlib.closing(Server(tmp_path)) as server:
        in_browser(work)


def test_the_configuration_to_begin_with_is_the_first(tmp_path):
    def work(page):
        page.goto(f"{server.link}#view=train")
        expect(page.get_by_label("Configuration").locator("option").first).to_have_text("quick")

    with contextlib.closing(Server(tmp_path)) as server:
        in_browser(work)


def test_from_an_empty_part_of_a_chart_leads_a_way_back(tmp_path):
    write_run(tmp_path, "a", 1, ["100,2,10,1,10", "200,4,30,1,30"])

    def work(page):
        page.goto(f"{server.link}#view=train&run=a")
        line = page.locator(".chart svg .line")
        expect(line).to_be_attached()
        page.locator(".chart svg").scroll_into_view_if_needed()
        # Between the two points.
        ends = page.evaluate(
            """() => {
                const svg = document.querySelector('.chart svg');
                const [from, to, low, high] = svg.querySelector('.axes').dataset.x.split(' ').map(Number);
                const place = (value) => new DOMPoint(from + (value - low) / (high - low) * (to - from), 200).matrixTransform(svg.getScreenCTM());
                return [130, 170].map(place).map(({ x, y }) => [x, y]);
            }"""
        )
        page.mouse.move(*ends[0])
        page.mouse.down()
        page.mouse.move(*ends[1], steps=4)
        page.mouse.up()
        expect(page.locator(".chart .error")).to_contain_text("nothing to draw")
        page.get_by_role("button", name="Whole chart").click()
        expect(line).to_have_attribute("data-points", "100 10 9 11 200 30 29 31")
        expect(page.get_by_role("button", name="Whole chart")).to_be_hidden()

    with contextlib.closing(Server(tmp_path)) as server:
        in_browser(work)


def test_a_link_asks_for_no_more_simulations_than_are_offered():
    def work(page):
        go(page, (DIST / "matchq.html").as_uri(), view="watch", game="match3", player="best", simulations=10_000_000)
        expect(page.locator(".picker select").nth(1)).to_have_value("25600")
        page.wait_for_function("location.hash.includes('simulations=25600')")

    in_browser(work)
