"""The page of a program with a game of its own, in the folder OWN_PAGE: scripts/build_page --package FOLDER."""

import os
import pathlib

import pytest
from playwright.sync_api import expect

from test_local import is_done, start, train_view
from test_page import opened, played

DIST = pathlib.Path(os.environ.get("OWN_PAGE", "none"))


@pytest.mark.skipif(not DIST.exists(), reason="OWN_PAGE is no page")
def test_a_game_of_ones_own_is_played_and_learned_from_disk(browser):
    with opened(browser) as page:
        page.goto((DIST / "matchq.html").as_uri())
        page.locator("#games [data-game=groups]").click()
        page.get_by_role("button", name="One move (right arrow)").click()
        assert len(played(page, 1)) == 1
        train_view(page, (DIST / "matchq.html").as_uri())
        start(page, "groups-fitted", "mine")
        is_done(page, "mine")
        page.get_by_role("button", name="Watch it play").click()
        expect(page.locator("#games [data-game=groups]")).to_have_attribute("aria-pressed", "true")
        page.get_by_role("button", name="One move (right arrow)").click()
        assert len(played(page, 1)) == 1
