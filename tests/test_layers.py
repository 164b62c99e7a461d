"""The floors of the house: a module imports its own package or lower floors, never upwards."""

import ast
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "srcad"
LONG = 400

FLOOR = {
    **dict.fromkeys(("__main__",), 10),
    **dict.fromkeys(("cli",), 9),
    **dict.fromkeys(("testing", "explore", "nn"), 8),
    **dict.fromkeys(("api", "__init__"), 7),
    **dict.fromkeys(("pipeline",), 6),
    **dict.fromkeys(("native",), 5),
    **dict.fromkeys(("transform", "optimize", "cache"), 4),  # the pipeline asks the cache
    **dict.fromkeys(("frontend", "analysis", "emit"), 3),
    **dict.fromkeys(("rules",), 2),
    **dict.fromkeys(("ir",), 1),
    **dict.fromkeys(("errors", "runtime", "kernels"), 0),
    **dict.fromkeys(("ownership",), -1),  # what is on disk, for the cache and for machine code
    **dict.fromkeys(("forks", "interrupts"), -2),
}
FILES = sorted(ROOT.rglob("*.py"))


def room(path: Path) -> str:
    """`srcad/ir/types.py` -> `ir`, `srcad/errors.py` -> `errors`."""
    return path.relative_to(ROOT).with_suffix("").parts[0]


def imported_rooms(path: Path) -> set[tuple[str, int]]:
    """The rooms that a file imports anywhere in it, each with its line."""
    here = ("srcad", *path.relative_to(ROOT).parts[:-1])
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = list(here[: len(here) - node.level + 1]) if node.level else []
            base += node.module.split(".") if node.module else []
            names = [".".join([*base, alias.name]) for alias in node.names]
        else:
            continue
        parts = [name.split(".") for name in names]
        ours = [p for p in parts if p[0] == "srcad"]
        found |= {(p[1] if len(p) > 1 else "__init__", node.lineno) for p in ours}
    # `from srcad import grad` names something of srcad/__init__.py, not a room of its own.
    return {(name if name in FLOOR else "__init__", line) for name, line in found}


def test_every_room_has_a_floor():
    assert {room(path) for path in FILES} <= FLOOR.keys()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_only_own_room_or_lower_floors(path):
    mine = room(path)
    upwards = [
        f"{path.name}:{line}: {mine} (floor {FLOOR[mine]}) imports {name} (floor {FLOOR[name]})"
        for name, line in sorted(imported_rooms(path))
        if name != mine and FLOOR[name] >= FLOOR[mine] and (mine, name) != ("__init__", "api")
    ]
    assert not upwards
    if (lines := len(path.read_text().splitlines())) > LONG:
        warnings.warn(f"{path.relative_to(ROOT)} has {lines} lines: still one idea?", stacklevel=1)
