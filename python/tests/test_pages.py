"""The pages: their links lead somewhere, and their Python is that of the examples."""

import re
import subprocess
import sys

from conftest import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "python" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def anchors(page):
    """Anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_within_the_repository_leads_to_a_file_and_a_heading():
    missing = []
    for page in PAGES:
        text = CODE.sub("", page.read_text(encoding="utf-8"))
        for link in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'src="([^"]+)"', text):
            if re.match(r"https?:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists() or (anchor and anchor not in anchors(target)):
                missing.append(f"{page.relative_to(ROOT)}: {link}")
    assert missing == []


def test_every_page_of_the_documentation_is_in_its_list():
    listed = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = [page.name for page in PAGES if page.parent.name == "docs" and page.name != "README.md"]
    assert [page for page in pages if f"]({page})" not in listed] == []


def test_the_player_of_the_page_is_the_example_and_plays_a_game():
    example = ROOT / "python" / "examples" / "my_player.py"
    page = (ROOT / "docs" / "hand-in.md").read_text(encoding="utf-8")
    block = page.split("```python\n")[1].split("```")[0]
    assert block in example.read_text(encoding="utf-8")
    done = subprocess.run([sys.executable, example], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    seed, points = done.stdout.splitlines()
    assert seed == "Seed: 7" and re.fullmatch(r"-?\d+ points", points)
