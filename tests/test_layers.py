"""The floors of the house: a module imports its own package or lower floors; no circles."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "srcad"
LONG = 350  # lines of a file
CROWDED = 25  # files of a folder

FLOOR = {
    **dict.fromkeys(("__main__",), 13),
    **dict.fromkeys(("cli",), 12),
    **dict.fromkeys(("testing", "nn", "parallel"), 11),
    **dict.fromkeys(("api", "__init__"), 10),
    **dict.fromkeys(("explore",), 9),
    **dict.fromkeys(("pipeline",), 8),
    **dict.fromkeys(("native",), 7),
    **dict.fromkeys(("transform", "optimize", "cache"), 6),  # the pipeline asks the cache
    **dict.fromkeys(("frontend", "emit"), 5),
    **dict.fromkeys(("analysis",), 4),
    **dict.fromkeys(("ops",), 3),
    **dict.fromkeys(("rules",), 2),
    **dict.fromkeys(("ir",), 1),
    **dict.fromkeys(("errors", "runtime", "kernels"), 0),
    # What is on disk, for the cache and for machine code; what a thread prints; arrays on a GPU.
    **dict.fromkeys(("deferred", "devices", "ownership", "silence"), -1),
    **dict.fromkeys(("forks", "interrupts", "once"), -2),
}
FILES = sorted(ROOT.rglob("*.py"))


def name_of(path: Path) -> str:
    """`srcad/ir/types.py` -> `srcad.ir.types`, `srcad/ir/__init__.py` -> `srcad.ir`."""
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in FILES}


def room(module: str) -> str:
    """`srcad.ir.types` -> `ir`, `srcad.forks` -> `forks`, `srcad` -> `__init__`."""
    return [*module.split("."), "__init__"][1]


def at_once(node: ast.AST) -> Iterator[ast.AST]:
    """What is executed when a module is imported."""
    yield node
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from at_once(child)


@cache
def imported(path: Path, walk: Callable[[ast.AST], Iterator[ast.AST]] = ast.walk) -> dict[str, int]:
    """The modules of srcad that a file imports anywhere in it, each with a line."""
    here = name_of(path) if path.name == "__init__.py" else name_of(path).rpartition(".")[0]
    found: dict[str, int] = {}
    for node in walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = here.split(".")
            base = parts[: len(parts) - node.level + 1] if node.level else []
            base += node.module.split(".") if node.module else []
            names = [".".join([*base, alias.name]) for alias in node.names]
        else:
            continue
        for name in names:
            # `from srcad.ir import Op` names something of a module, not a module.
            module = name if name in MODULES else name.rpartition(".")[0]
            if module in MODULES and module != name_of(path):
                found.setdefault(module, node.lineno)
    return found


def begun(module: str) -> Iterator[str]:
    """What may be executed when a module is imported and its own package is there: the modules
    that it imports, and the packages around them.

    An interrupted import takes a package away and leaves the packages in it that were imported.
    """
    own = module.rpartition(".")[0]
    for other in imported(MODULES[module], at_once):
        while other not in ("srcad", own, module):
            yield other
            other = other.rpartition(".")[0]


def circles(follow: Callable[[str], Iterable[str]]) -> list[set[str]]:
    """The sets of modules that import one another, however indirectly, by Tarjan's algorithm."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        stack.append(module)
        for other in follow(module):
            if other not in number:
                visit(other)
            if other in stack:
                lowest[module] = min(lowest[module], lowest[other])
        if lowest[module] == number[module]:
            at = stack.index(module)
            found.append(set(stack[at:]))
            del stack[at:]

    for module in MODULES:
        if module not in number:
            visit(module)
    return [circle for circle in found if len(circle) > 1]


def test_every_room_has_a_floor():
    assert {room(module) for module in MODULES} == FLOOR.keys()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_only_own_room_or_lower_floors(path):
    mine = room(name_of(path))
    upwards = [
        f"{path.name}:{line}: {mine} (floor {FLOOR[mine]}) imports {name} (floor {FLOOR[name]})"
        for name, line in sorted((room(module), line) for module, line in imported(path).items())
        if name != mine and FLOOR[name] >= FLOOR[mine] and (mine, name) != ("__init__", "api")
    ]
    assert not upwards


def test_no_modules_import_one_another():
    found = circles(lambda module: imported(MODULES[module]))
    assert [sorted(circle) for circle in found] == []


def test_packages_are_not_needed_by_what_they_import():
    assert [sorted(circle) for circle in circles(begun)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_named_in_texts_exist(path):
    named = set(re.findall(r"`(srcad(?:\.[a-z_]+)+)`", path.read_text())) - {"srcad.generated"}
    for name in named:
        parents = {name.rpartition(".")[0], name}  # the last may be a name in a module
        assert parents & MODULES.keys(), name


def test_no_file_is_long():
    found = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in FILES}
    assert {name: count for name, count in found.items() if count > LONG} == {}


def test_no_folder_is_crowded():
    folders = {path.parent for path in FILES}
    found = {str(f.relative_to(ROOT)): len(list(f.glob("*.py"))) for f in folders}
    assert {name: count for name, count in found.items() if count > CROWDED} == {}
