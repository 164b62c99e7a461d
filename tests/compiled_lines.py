"""Which lines of srcad's own compiled functions the tests run, as machine code.

    PYTHONPATH=tests python -m pytest -p compiled_lines -n 2 tests/kernels tests/native
    PYTHONPATH=tests python -m compiled_lines                                 # the table

Numba compiles each function with a store before every statement, to a byte for its line. Other
tools see only what the interpreter runs. Functions that are drawn into others with
`forceinline=True` are seen as well; text in LLVM's own language (`@intrinsic`) is not.
"""

from __future__ import annotations

import ast
import functools
import inspect
import os
import sys
import textwrap
import types as pytypes
from collections import defaultdict
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
FOLDER = Path(os.environ.get("SRCAD_COMPILED_LINES", ROOT / ".compiled_lines"))
MOST = 1 << 16
MARK = "__mark_line"

_lines: list[tuple[str, int]] = []
_seen = np.zeros(MOST, np.uint8)


def _intrinsic_mark():
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def mark(typingctx, k):
        def codegen(context, builder, signature, args):
            place = builder.add(args[0], ir.Constant(ir.IntType(64), _seen.ctypes.data))
            byte = builder.inttoptr(place, ir.IntType(8).as_pointer())
            builder.store(ir.Constant(ir.IntType(8), 1), byte)
            return context.get_dummy_value()

        return types.void(types.int64), codegen

    return mark


class _Marked(ast.NodeTransformer):
    """Puts a mark before each statement but docstrings."""

    def __init__(self, file: str, offset: int) -> None:
        self.file, self.offset = file, offset

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        made = []
        for stmt in body:
            is_text = isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
            if not is_text and not isinstance(stmt, ast.FunctionDef):
                made.append(self.mark(stmt))
            made.append(self.visit(stmt))
        return made

    def mark(self, stmt: ast.stmt) -> ast.stmt:
        _lines.append((self.file, stmt.lineno + self.offset))
        call = ast.Call(ast.Name(MARK, ast.Load()), [ast.Constant(len(_lines) - 1)], [])
        return ast.copy_location(ast.Expr(call), stmt)

    def visit_With(self, node: ast.With) -> ast.With:
        return node  # `objmode`: Python runs it

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name, x in ast.iter_fields(node):
            if isinstance(x, list) and x and isinstance(x[0], ast.stmt):
                setattr(node, name, self.statements(x))
        return node


def _with_marks(function):
    """The function with marks; as it is, where it is not srcad's."""
    code = getattr(function, "__code__", None)
    if code is None or not code.co_filename.startswith(str(ROOT / "srcad")):
        return function
    lines, first = inspect.getsourcelines(function)
    tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    if not isinstance(tree, ast.FunctionDef):
        return function
    tree.decorator_list = []
    name = str(Path(code.co_filename).relative_to(ROOT))
    tree = _Marked(name, first - 1).visit(tree)
    frees = code.co_freevars
    outer = ast.parse(f"def outer({', '.join(frees)}):\n    pass").body[0]
    outer.body = [tree, ast.Return(ast.Name(tree.name, ast.Load()))]
    module = ast.fix_missing_locations(ast.Module([outer], []))
    space: dict[str, object] = {}
    exec(compile(module, code.co_filename, "exec"), space)
    inner = space["outer"](*[None] * len(frees)).__code__
    function.__globals__[MARK] = _mark()
    assert inner.co_freevars == frees
    made = pytypes.FunctionType(
        inner, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    return functools.update_wrapper(made, function)


@functools.cache
def _mark():
    return _intrinsic_mark()


def _patch_numba():
    import numba

    plain = numba.njit

    def njit(*args, **options):
        if args and isinstance(args[0], pytypes.FunctionType):
            return plain(_with_marks(args[0]), *args[1:], **options)

        def of(function):
            marked = _with_marks(function)
            mine = options if marked is function else {**options, "cache": False}
            return plain(*args, **mine)(marked)

        return of

    numba.njit = njit


def pytest_sessionfinish():
    """Write what this process has seen."""
    FOLDER.mkdir(exist_ok=True)
    text = "".join(f"{f}:{n}:{_seen[k]}\n" for k, (f, n) in enumerate(_lines))
    (FOLDER / str(os.getpid())).write_text(text)


def table() -> str:
    """Lines of each file that were run, and those that were not."""
    seen: dict[tuple[str, int], bool] = defaultdict(bool)
    for path in FOLDER.iterdir():
        for row in path.read_text().split():
            name, line, mark = row.split(":")
            seen[name, int(line)] |= mark == "1"
    rows, total = [], [0, 0]
    for name in sorted({name for name, _ in seen}):
        lines = sorted(line for each, line in seen if each == name)
        left = [line for line in lines if not seen[name, line]]
        rows.append(f"{name:45} {len(lines) - len(left):5} of {len(lines):5}  {left or ''}")
        total = [total[0] + len(lines) - len(left), total[1] + len(lines)]
    return "\n".join([*rows, f"{total[0]} of {total[1]}"])


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
else:
    _patch_numba()
