"""The pages: links lead somewhere, figures are those of the reports, commands are ones that their scripts take."""

import re
import shlex
import shutil
import subprocess
import sys
import tomllib

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


def check_of_figures(pages):
    """What scripts/tables.py finds wrong in the pages of this folder: nothing, or a line each."""
    command = [sys.executable, ROOT / "scripts" / "tables.py", "--docs", pages / "docs", "check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode == 0) == (done.stderr == "")
    return done.stderr.splitlines()


def test_the_figures_of_the_pages_are_those_of_their_reports():
    assert check_of_figures(ROOT) == []


# A page, words of it, others in their place, and what is said of these.
WRONG = [
    ("README.md", "| 633.5 ± 2.6 |", "| 634.5 ± 2.6 |", "README.md: by its reports + | `greedy`: the most points at once | 633.5 ± 2.6"),
    ("docs/bilging.md", "| 3.26 ± 0.02 |", "| 3.27 ± 0.02 |", "docs/bilging.md: by its reports + | `setup` | 3.26 ± 0.02"),
    ("docs/runs.md", "1.7 (`greedy`)", "1.8 (`greedy`)", "docs/runs.md: by its reports + "),
    ("docs/search.md", "# The search\n", "# The search\n\nIt wins 1,234 ± 3 points.\n", "docs/search.md:3: nothing in scripts/tables.py writes 1,234 ±,"),
    ("docs/page.md", "# The page\n", "# The page\n\nA move takes 0.73 ms.\n", "docs/page.md:3: nothing in scripts/tables.py writes 0.73,"),
]


def test_figures_that_no_report_has_are_found(tmp_path):
    for folder in ("docs", "python"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*.png", "target", "*.so"))
    shutil.copy(ROOT / "README.md", tmp_path)
    for page, was, put, _ in WRONG:
        text = (tmp_path / page).read_text(encoding="utf-8")
        assert text.count(was) == 1, page
        (tmp_path / page).write_text(text.replace(was, put), encoding="utf-8")
    found = check_of_figures(tmp_path)
    assert [said for *_, said in WRONG if not any(line.startswith(said) for line in found)] == []


def commands():
    """The commands in the pages' blocks, and those between backquotes that begin as one: the page and the words of each."""
    for page in [*PAGES, *sorted((ROOT / "docs" / "reports").glob("*.md"))]:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        lines = re.findall(r"^    (\S.*)$", text, re.MULTILINE)
        lines += [line for line in re.findall(r"`([^`]+)`", text) if re.match(r"(python3?|pip|pytest|scripts/\S+) [^|]+$", line)]
        for line in lines:
            shell = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
            shell.whitespace_split = True
            try:
                words = list(shell)
            except ValueError:
                # No command: an apostrophe of a formula, say.
                continue
            while words:
                end = next((at for at, word in enumerate(words) if set(word) <= set("|&;<>")), len(words))
                command = [word for word in words[:end] if not re.match(r"[A-Z_]+=", word)]
                if command:
                    yield page, command
                words = words[end + 1 :]


# Takes a script's arguments as its own parser does, and does nothing.
PARSED = """
import argparse, runpy, sys
inside = 0
def last(parse):
    def call(*arguments, **named):
        global inside
        inside += 1
        found = parse(*arguments, **named)
        inside -= 1
        return found if inside else sys.exit(0)
    return call
parser, sys.argv = argparse.ArgumentParser, sys.argv[1:]
parser.parse_args, parser.parse_known_args = last(parser.parse_args), last(parser.parse_known_args)
sys.path.insert(0, sys.argv[0].rpartition("/")[0])
run = runpy.run_path if "/" in sys.argv[0] else runpy.run_module
run(sys.argv[0], run_name="__main__")
"""


def fault(command):
    """What is wrong with a command that is Python's; None if nothing is, or if it is of others."""
    program, *rest = command
    if program in ("python", "python3") and rest[0] != "-c":
        script, *arguments = rest[1:] if rest[0] == "-m" else rest
        if "/" in script and not (ROOT / script).exists():
            return f"there is no {script}"
        if script == "pytest":
            return fault(["pytest", *arguments])
        if script == "matchq" and arguments[0] not in ("play", "watch"):
            # A command of the program, which tests/cli/pages.rs takes.
            return None
        source = "argparse" if "/" not in script else (ROOT / script).read_text(encoding="utf-8")
        if "argparse" not in source:
            return None if not arguments else f"{script} takes no arguments"
        done = subprocess.run([sys.executable, "-c", PARSED, script, *arguments], cwd=ROOT, capture_output=True, text=True)
        missing = "ModuleNotFoundError" in done.stderr
        return None if done.returncode == 0 or missing else done.stderr
    if program == "pip":
        extras = tomllib.loads((ROOT / "python" / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
        asked = [name for word in rest for name in re.findall(r"^\./python\[(.*)\]$", word) for name in name.split(",")]
        return next((f"the package has no extra {name}" for name in asked if name not in extras), None)
    paths = [program] if program.startswith("scripts/") else [word for word in rest if "/" in word] if program == "pytest" else []
    absent = [path for path in paths if not (ROOT / path).exists()]
    if program == "scripts/check_slow":
        parts = re.search(r"^# Usage: scripts/check_slow \[(.*?)\]", (ROOT / program).read_text(encoding="utf-8"), re.MULTILINE)[1].split("|")
        absent += [word for word in rest if word not in parts]
    return f"there is no {', '.join(absent)}" if absent else None


def test_every_command_of_the_pages_to_python_and_to_a_script_is_one_that_it_takes():
    found = list(commands())
    faults = [f"{page.relative_to(ROOT)}: {shlex.join(command)}: {wrong}" for page, command in found if (wrong := fault(command))]
    assert faults == []
    checked = [command for _, command in found if command[0] in ("python", "python3", "pip", "pytest") or "scripts/" in command[0]]
    assert len(checked) > 25
