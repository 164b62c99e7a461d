"""`model.py:loss` -> the function: the file is run as a module and the name looked up in it."""

from __future__ import annotations

import difflib
import importlib.util
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from srcad.cli.failure import Failure
from srcad.errors import SrcadError


def load_function(target: str) -> Callable[..., Any]:
    """The function that `FILE.py:name` or `FILE.py:Class.method` names.

    Raises:
        Failure: no such file or function, or the file does not run.
    """
    file, colon, name = target.rpartition(":")
    if not colon or not file.endswith(".py") or not name:
        raise Failure(
            f"{target!r} does not name a function",
            hint="write FILE.py:function, as in model.py:loss",
        )
    path = Path(file)
    if not path.is_file():
        near = difflib.get_close_matches(path.name, _files_beside(path), 1)
        hint = f"did you mean {path.with_name(near[0])}?" if near else ""
        raise Failure(f"no file {file}", hint=hint)
    found: Any = _run(path)
    for part in name.split("."):
        if not hasattr(found, part):
            raise Failure(f"{file} has no function {name!r}", hint=_alternatives(found, part))
        found = getattr(found, part)
    if not callable(found):
        raise Failure(f"{name!r} in {file} is a {type(found).__name__}, not a function")
    function: Callable[..., Any] = found
    return function


def _files_beside(path: Path) -> list[str]:
    return [each.name for each in path.parent.glob("*.py")] if path.parent.is_dir() else []


def _alternatives(owner: object, name: str) -> str:
    """Functions that may be meant, the likeliest alone."""
    module = owner.__name__ if isinstance(owner, ModuleType) else None
    names = [
        key
        for key, value in getattr(owner, "__dict__", {}).items()
        # Of a module only what it defines itself, not what it imports.
        if not key.startswith("_")
        and callable(value)
        and module in (None, getattr(value, "__module__", module))
    ]
    if near := difflib.get_close_matches(name, names, 1):
        return f"did you mean {near[0]!r}?"
    return f"it has {', '.join(names)}" if names else ""


def _run(path: Path) -> ModuleType:
    """Import a file as `python FILE.py` sees it, but not as `__main__`."""
    spec = importlib.util.spec_from_file_location(path.stem, path.resolve())
    if spec is None or spec.loader is None:  # a name that ends in .py always has both
        raise Failure(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent.resolve()))
    sys.modules[path.stem] = module  # dataclasses and pickle look modules up by name
    try:
        spec.loader.exec_module(module)
    except SrcadError:
        raise
    except (Exception, SystemExit) as problem:
        raise Failure(_describe(path, problem)) from problem
    return module


def _describe(path: Path, problem: BaseException) -> str:
    """The exception and the line of the file that it came through last."""
    here = str(path.resolve())
    frames = traceback.extract_tb(problem.__traceback__)
    line = next((frame.lineno for frame in reversed(frames) if frame.filename == here), None)
    if isinstance(problem, SyntaxError) and problem.filename == here:
        line = problem.lineno
        return f"{path}:{line}: {problem.msg}"
    place = f"{path}:{line}" if line else str(path)
    return f"{place} does not run: {type(problem).__name__}: {problem}"
