"""The documents run: every snippet, every command, every link.

A page's ```python fences run in order in one namespace, as the file `example.py`; a fence with
title="NAME" is written to NAME instead. A ```console fence holds `$ srcad ...` commands and what
they print. A fence after the line `<!-- output -->` is what the fence above it printed.

    pytest tests/test_docs.py --update-docs      write the outputs of now into the pages
"""

import ast
import contextlib
import dataclasses
import io
import linecache
import pkgutil
import re
import shlex
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from srcad.cli import main

ROOT = Path(__file__).parent.parent
# From the code; tests/test_errors.py runs the examples of the errors.
GENERATED = {
    "errors.md", "rules.md", "anatomy.md", "packages.md", "options.md", "reference.md",
    "reference-networks.md",
}  # fmt: skip
ALL_PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES = [page for page in ALL_PAGES if page.name not in GENERATED]
# What a page is about, which may not be installed.
NEEDS = {"pandas.md": "pandas", "xarray.md": "xarray"}
FENCE = re.compile(
    r"^(?P<output><!-- output -->\n\n?)?^```(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n"
    r"(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"\]\((?!https?:)(?P<target>[^)#]*)(?:#(?P<anchor>[^)]*))?\)")
CODE = re.compile(r"^(```+).*?^\1$|(`+).*?\2", re.MULTILINE | re.DOTALL)


@dataclasses.dataclass
class Snippet:
    """A fence that runs, and the place of the output that follows it, if any."""

    kind: str
    title: str | None
    body: str
    line: int
    shown: tuple[int, int] | None = None


def snippets(text: str) -> list[Snippet]:
    """The fences of a page that run."""
    found: list[Snippet] = []
    for fence in FENCE.finditer(text):
        line = text.count("\n", 0, fence.start("body")) + 1
        if fence["output"]:
            assert found, f"line {line}: output of nothing"
            found[-1].shown = fence.span("body")
        elif fence["language"] in ("python", "console") or fence["title"]:
            found.append(Snippet(fence["language"], fence["title"], fence["body"], line))
            if fence["language"] == "console":
                found[-1].shown = fence.span("body")
    return found


class Page:
    """Runs the snippets of one page in the current folder."""

    def __init__(self, module: types.ModuleType) -> None:
        self.module = module
        self.text = ""

    def run(self, snippet: Snippet) -> str:
        """What a snippet prints."""
        if snippet.title:
            Path(snippet.title).write_text(snippet.body)
            return ""
        return self.console(snippet) if snippet.kind == "console" else self.python(snippet.body)

    def python(self, body: str) -> str:
        start = self.text.count("\n")
        self.text += body
        Path("example.py").write_text(self.text)
        linecache.cache.pop("example.py", None)
        # With the imports above it, as when the file is compiled whole: code depends on them.
        tree = ast.parse(self.text)
        imports = (ast.Import, ast.ImportFrom)
        tree.body = [node for node in tree.body if node.lineno > start or isinstance(node, imports)]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, "example.py", "exec"), vars(self.module))
        return tidy(printed.getvalue())

    def console(self, snippet: Snippet) -> str:
        session = ""
        for command in re.findall(r"^\$ (.*(?:\\\n.*)*)", snippet.body, re.MULTILINE):
            words = shlex.split(command.replace("\\\n", " "))
            assert words[0] == "srcad", f"line {snippet.line}: {command}"
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                main(words[1:])
            session += f"$ {command}\n{tidy(printed.getvalue())}"
        return session


def tidy(printed: str) -> str:
    """Without blanks at line ends and blank lines at the end."""
    lines = "\n".join(line.rstrip() for line in printed.splitlines()).rstrip()
    return f"{lines}\n" if lines else ""


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_snippets_print_what_the_page_shows(path, tmp_path, monkeypatch, request):
    if path.name in NEEDS:
        pytest.importorskip(NEEDS[path.name])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    page = Page(module := types.ModuleType("example"))
    monkeypatch.setitem(sys.modules, "example", module)
    text = before = path.read_text()
    with np.printoptions(precision=4, suppress=True):
        results = [(snippet, page.run(snippet)) for snippet in snippets(text)]
    for snippet, printed in reversed(results):
        where = f"{path.name}:{snippet.line}"
        if snippet.shown is None:
            assert not printed, f"{where}: prints, but shows no output:\n{printed}"
        elif request.config.getoption("--update-docs"):
            assert "```" not in printed, f"{where}: what it prints would end the fence"
            start, end = snippet.shown
            text = text[:start] + printed + text[end:]
        else:
            assert printed == text[slice(*snippet.shown)], f"{where}: pytest --update-docs"
    if text != before:
        path.write_text(text)


def without_code(text: str) -> str:
    """A page with its code blanked out, line by line."""
    return CODE.sub(lambda code: re.sub(r"[^\n]", "-", code[0]), text)


def anchors(path: Path) -> list[str]:
    """The anchors of a page's headings, as MkDocs makes them: `zero`, `zero_1`."""
    found: list[str] = []
    lines = path.read_text().splitlines()
    for line, shown in zip(lines, without_code(path.read_text()).splitlines(), strict=True):
        if re.match(r"#+ ", shown):
            name, n = anchor(line.lstrip("#").strip()), sum(line == other for other in lines)
            assert n == 1, (
                f"{path.name}: two headings {line!r}, which MkDocs and GitHub number unlike"
            )
            found.append(name)
    return found


def faulty_links(path: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    faulty = []
    for link in LINK.finditer(without_code(path.read_text())):
        target = path.parent / link["target"] if link["target"] else path
        if not target.exists() or (link["anchor"] and link["anchor"] not in anchors(target)):
            faulty.append(link[0])
    return faulty


def faulty_tables(text: str) -> list[int]:
    """The lines of a page that are rows of a table with another number of cells than its head."""
    faulty, width = [], 0
    for n, (row, shown) in enumerate(
        zip(text.splitlines(), without_code(text).splitlines(), strict=True), 1
    ):
        if not shown.startswith("|"):
            width = 0
            continue
        # GitHub takes a bar in code for the end of a cell, too.
        cells = len(re.findall(r"(?<!\\)\|", row)) - 1
        width = width or cells
        if cells != width or not row.rstrip().endswith("|"):
            faulty.append(n)
    return faulty


@pytest.mark.parametrize("path", ALL_PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    assert faulty_links(path) == []


def test_links_that_lead_nowhere_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# A page\n```\n# no heading\n```\n[a](#a-page) [b](#no-heading) [c](other.md)\n"
    )
    assert faulty_links(page) == ["](#no-heading)", "](other.md)"]


@pytest.mark.parametrize("path", ALL_PAGES, ids=lambda path: path.name)
def test_rows_of_tables_have_as_many_cells_as_the_head(path):
    assert faulty_tables(path.read_text()) == []


def test_faulty_tables_are_found():
    assert faulty_tables("| a | b |\n|---|---|\n| `x | y` | 1 |\n| 2 |\n| 3 | 4\n| 5 | 6 |\n") == [
        3,
        4,
        5,
    ]


def test_each_page_is_in_the_navigation_once():
    listed = re.findall(r": ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(page.name for page in ALL_PAGES if page.name != "README.md")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_named_files_exist(path):
    """A file of the project that a page names in backquotes, by its name or its whole path."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("the files of the project are listed by git")
    files = listed.stdout.split()
    names = {*files, *(Path(each).name for each in files)}
    named = re.findall(r"`([a-z_]+(?:/[a-z_]+)*\.py)`", path.read_text())
    assert [each for each in named if each not in names] == []


@pytest.mark.parametrize("path", ALL_PAGES, ids=lambda path: path.name)
def test_named_functions_exist(path):
    """`srcad.grad`, `srcad.nn.dense`: what a page names in backquotes can be imported."""
    for name in set(re.findall(r"`@?(srcad(?:\.[a-zA-Z]\w*)+)", path.read_text())):
        if name.startswith("srcad.native"):
            pytest.importorskip("numba")
        if name != "srcad.generated":  # the module that warnings of programs name
            pkgutil.resolve_name(name)


def anchor(heading: str) -> str:
    """A heading's anchor, as GitHub and MkDocs make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_generated_pages_are_of_now():
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, f"{done.stdout}python docs/generate.py writes them"


def test_commands_of_the_readme_are_those_of_continuous_integration():
    """`.ci/run` installs, runs the main job and the tests in a fresh environment."""
    readme = (ROOT / "README.md").read_text()
    commands = [
        part.strip()
        for fence in re.findall(r"^```sh\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
        for line in fence.splitlines()
        for part in line.split("&&")
    ]
    assert len(commands) == 4
    script = (ROOT / ".ci" / "run").read_text()
    for command in commands:
        if "pip install" in command:
            # One environment serves both commands there: `dev` includes `examples` and `test`.
            extras = re.search(r"\[(.*)\]", command)[1].split(",")
            assert "pip install --quiet --disable-pip-version-check -e '.[dev]'" in script
            pyproject = (ROOT / "pyproject.toml").read_text()
            included = re.search(r'^dev = \["srcad\[(.*?)\]"', pyproject, re.MULTILINE)[1]
            assert set(extras) <= set(included.split(","))
        else:
            assert command.removesuffix(" -q") in script
