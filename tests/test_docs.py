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
GENERATED = {"errors.md", "rules.md", "anatomy.md", "packages.md", "options.md"}
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in GENERATED),
]
FENCE = re.compile(
    r"^(?P<output><!-- output -->\n\n?)?^```(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n"
    r"(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"\]\((?!https?:)(?P<target>[^)#]*)(?:#(?P<anchor>[^)]*))?\)")


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


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    for link in LINK.finditer(path.read_text()):
        target = path.parent / link["target"] if link["target"] else path
        assert target.exists(), f"{path.name}: {link[0]}"
        if link["anchor"]:
            headings = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
            assert link["anchor"] in map(anchor, headings), f"{path.name}: {link[0]}"


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
