"""Run as a process of its own: Numba compiles the functions of one generated file, for its disk.

    python -P build.py ~/.cache/srcad/heat_grad-5e1f.../heat_grad.py conv2d[float32]

Only the decorated functions are executed, with what they need of NumPy and of srcad's functions for
Numba: whatever else the file imports is the user's. A file that others may have written is not
read. Kernels of srcad's are compiled where their names are given. A file `compiled` beside it tells
the next process that this was done, and how many seconds it took.
"""

from __future__ import annotations

import ast
import gc
import os
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import ModuleType

_IMPORTS = {"numpy", "numba", "math", "cmath"}
_FUNCTIONS = "srcad.native."


def build(path: str, kernels: Sequence[str] = ()) -> None:
    """Compile the functions of a file, and kernels: `conv2d[float32]`."""
    with suppress(AttributeError, OSError):
        os.nice(10)
    # Most of what a compiler makes stays: to look through it often takes a twentieth of the time.
    gc.set_threshold(10_000)
    start = time.perf_counter()
    from srcad.kernels.loading import load_before_compiling
    from srcad.ownership import read_own

    load_before_compiling()
    tree = ast.parse(read_own(path))
    tree.body = [node for node in tree.body if _is_wanted(node)]
    with _locked(path):
        # Lines stay as they are: Numba finds a function by its file, name and line.
        exec(compile(tree, path, "exec"), vars(new_module(path)))
        if kernels:
            from srcad.kernels.compiled import prepare

            prepare((name, dtype) for name, _, dtype in (k[:-1].partition("[") for k in kernels))
        draft = os.path.join(os.path.dirname(path), f".compiled.{os.getpid()}")
        with open(draft, "w") as file:
            file.write(f"{time.perf_counter() - start:.3f}\n")
        os.replace(draft, marker(path))


def new_module(path: str) -> ModuleType:
    """An empty module for a file, under the name that what Numba keeps refers to."""
    from srcad.kernels.loading import program_module

    name = program_module(os.path.basename(os.path.dirname(path)))
    module = sys.modules[name] = ModuleType(name)
    module.__file__ = path
    return module


def marker(path: str) -> str:
    """The file that tells that a file's functions were compiled."""
    return os.path.join(os.path.dirname(path), "compiled")


def _is_wanted(node: ast.stmt) -> bool:
    match node:
        case ast.Import(names=names):
            return all(name.name.split(".")[0] in _IMPORTS for name in names)
        case ast.ImportFrom(module=module):
            top = (module or "").split(".")[0]
            return top in _IMPORTS or (module or "").startswith(_FUNCTIONS)
        case ast.FunctionDef():
            return bool(node.decorator_list)
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name != "__all__"
        case _:
            return False


def _locked(path: str) -> ExitStack:
    """Two processes that compile the same file do it one after the other: the second finds it."""
    stack = ExitStack()
    with suppress(ImportError, OSError):
        import fcntl

        lock = os.path.join(os.path.dirname(path), ".lock")
        descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        stack.callback(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    return stack


def _end_with_parent() -> None:
    """Wait until the other end of the pipe is closed, as it is when the process that it works for
    is gone; then end.
    """
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Where srcad is, after everything else.
    sys.path.append(str(Path(__file__).resolve().parents[3]))
    build(sys.argv[1], sys.argv[2:])
