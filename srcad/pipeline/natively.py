"""The stage `native`: a program with functions that are compiled, where that is safe and of use.

A compiled program may refuse what NumPy takes (positions, unusual arrays). It is then run again by
NumPy, so nothing may have happened by then: a program that prints is left as it is. Draws of random
numbers are undone (`undone`). The caller's arrays are written by compiled functions alone, where
nothing can raise any more (`srcad.optimize.memory.commit`).
"""

from __future__ import annotations

import ast
import operator
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from srcad.ir import ArrayType, For, Function, Op, Value, While
from srcad.ir.calls import called
from srcad.ir.inplace import DESTROYS
from srcad.ir.passes import run
from srcad.ir.walk import statements
from srcad.kernels.recycled import empty, empty_like, product
from srcad.kernels.teams import together, together_multiplying
from srcad.ops import row_of
from srcad.ops.memory import is_view
from srcad.pipeline.passes import BOUNDARY, OUTLINE, SCALARIZE
from srcad.pipeline.targets import Target
from srcad.rules.draws import GENERATOR, is_draw, writes_array
from srcad.runtime.checkpoints.states import Checkpoints
from srcad.runtime.effects import commit

if TYPE_CHECKING:
    from srcad.native.boundary.reasons import Reason
    from srcad.native.scalarize.lowered_forms import Read

# What an effect may be, besides an exception, without anything having happened. After `commit` the
# caller's arrays are written, but nothing raises there.
_HARMLESS = (commit, *DESTROYS)
# What leads to compiled functions.
_OURS = (
    *(np.ascontiguousarray, operator.getitem, empty, empty_like),
    *(together, together_multiplying),
)


class Outlined(NamedTuple):
    """A program, the names of its compiled functions and kernels, why the rest stays NumPy."""

    program: Function
    compiled: tuple[str, ...]
    left: tuple[str, ...]


def outlined(fn: Function, target: Target, read: Read, generators: int = 0) -> Outlined:
    """The program with functions to be compiled; `fn` itself where there is nothing to compile.

    Args:
        target: what compiles them.
        read: makes a program of a plain function.
        generators: how many of the inputs are generators of random numbers that can be put back.
    """
    if sum(param.type == GENERATOR for param in fn.params) > generators:
        return Outlined(fn, (), ("it draws from a generator that is not found again",))
    effect = next(_effects(fn), None)
    if effect is not None:
        why = f"it calls `{effect}`, which must not happen twice, and a compiled program may be"
        return Outlined(fn, (), (f"{why} run again",))
    from srcad.native.boundary.reasons import told  # as its passes are, read where it is used

    left: list[Reason] = []
    kernels: list[str] = []
    program = run(
        OUTLINE, fn, stages=(SCALARIZE, BOUNDARY), left=left, read=read, kernels=kernels,
        has_compiler=target.has_kernels and target.is_available,
    )  # fmt: skip
    names = [each.name for each in called(program) if each.native]
    return Outlined(program, (*names, *kernels), (*told(left), *_stays(program)))


def _stays(fn: Function) -> Iterator[str]:
    """What of a program makes arrays and is not compiled, counted: `3 matmul`."""
    counts: Counter[str] = Counter()
    for each in (*called(fn), fn):
        for stmt in () if each.native else statements(each.body):
            if isinstance(stmt, For | While):
                counts["loop"] += 1
            elif isinstance(stmt, Op) and not isinstance(stmt.fn, Function) and _is_work(stmt):
                name = "matmul" if stmt.fn is product else getattr(stmt.fn, "__name__", "")
                counts[name or str(stmt.fn)] += 1
    for name, count in counts.items():
        yield f"{count} {name}"


def _is_work(op: Op) -> bool:
    """Whether an operation makes an array; arrays for compiled functions are mostly there."""
    types = (out.type for out in op.outs)
    makes = any(isinstance(t, ArrayType) and t.shape != () for t in types)
    return makes and op.fn not in _OURS and not _is_compiled(op)


def _is_compiled(op: Op) -> bool:
    # A method of a ufunc is of no module.
    return (getattr(op.fn, "__module__", None) or "").startswith("srcad.kernels.compiled.")


def _effects(fn: Function) -> Iterator[str]:
    """Names of what the program calls for its effect."""
    for each in (*called(fn), fn):
        for stmt in statements(each.body):
            if not isinstance(stmt, Op) or isinstance(stmt.fn, Function):
                continue
            if stmt.raises or not stmt.effect:
                continue
            harmless = stmt.fn in _HARMLESS or row_of(stmt.fn).control == "raises"
            harmless = harmless or is_view(stmt.fn) or _is_of_states(stmt.fn)
            if not harmless and not _is_undone(stmt):
                yield getattr(stmt.fn, "__name__", str(stmt.fn))


def _is_of_states(fn: Any) -> bool:
    """Whether a function is of the states of a loop, which each run of a program makes anew."""
    return getattr(fn, "__module__", None) == Checkpoints.__module__


def _is_undone(op: Op) -> bool:
    """Whether an operation draws from a generator that came in, and writes no array."""
    if not is_draw(op.key) or writes_array(op):
        return False
    return isinstance(op.args[0], Value) and op.args[0].type == GENERATOR


def depends_on_objects(text: str, names: set[str]) -> bool:
    """Whether a compiled function reads an object that is not written in the text.

    Numba would take it for a constant, and keep what it was for processes where it is another.
    """
    return bool(names) and any(
        isinstance(node, ast.Name) and node.id in names
        for fn in compiled_functions(ast.parse(text))
        for node in ast.walk(fn)
    )


def compiled_functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """The functions of a module that are decorated, which is how Numba gets them."""
    return [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.decorator_list]
