"""`scipy.integrate.odeint`: the user's function becomes an IR function, which the call is given.

    def decay(y, t, k): return -k * y          def decay(y, t, k): return multiply(neg(k), y)
    odeint(decay, y0, t, args=(k,))            odeint(decay, y0, t, (k,))

All that the function reads is passed, what it reads of its surroundings too. The state and what the
function returns are vectors of float64, as SciPy makes them. Derivatives: `transform.solutions`.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.call_leaves import leaves_of
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Closed
from srcad.frontend.calls.in_place import as_array
from srcad.frontend.calls.lifting import has_effects
from srcad.frontend.dispatch import Args, call
from srcad.frontend.nested.transforms import bind_arguments, lower_inner, name_of, parameters_of
from srcad.ir.calls import passes_function
from srcad.ir.nodes import Block, Function, Op, Value
from srcad.ir.types import ArrayType, NumberType, dtype_of, rank_of, shape_of
from srcad.ir.walk import copy_block, free_values, fresh_like, statements
from srcad.rules.core.staged import type_of

_REAL = np.dtype(float)
_OPTIONS = ("rtol", "atol", "h0", "hmax", "hmin", "mxstep", "mxhnil", "mxordn", "mxords")
_WHAT = "`scipy.integrate.odeint`"


def odeint(
    frame: Frame,
    fn: Any,
    func: Abstract,
    y0: Abstract,
    t: Abstract,
    args: Abstract = (),
    *,
    tfirst: Abstract = False,
    **options: Abstract,
) -> Abstract:
    """The solution of `y' = func(y, t, *args)` at the times `t`, by `fn`, which is SciPy's."""
    session = frame.session
    if not isinstance(args, tuple):
        raise error("E132", None, what=f"{_WHAT} with `args` that are no tuple")
    kept = _checked(options)
    start, times = _vector(frame, y0, "`y0`"), _vector(frame, t, "`t`")
    time_first = bool(session.static(tfirst, "`tfirst`"))
    function, passed = _system(frame, func, start, args, time_first)
    extents = [shape_of(x.type) for x in (times, start)]
    out = Value("", ArrayType(_REAL, tuple(e for shape in extents for e in shape or ())))
    atoms = (function, session.atom(start), session.atom(times), passed)
    loc, effect = session.builder.loc, has_effects(function)
    op = Op(fn, atoms, session.atom(kept), (out,), loc, effect)
    session.builder.body.append(op)
    for watch in session.watchers:
        watch(op)
    session.memory.tell(out, ())
    return out


def _system(
    frame: Frame, func: Abstract, start: Value, args: Args, time_first: bool
) -> tuple[Function, Any]:
    """The function of state, time and what it reads besides; and the atoms of the last."""
    y, now = Value("y", start.type), Value("t", NumberType(float))
    frame.session.memory.tell(y, ())
    names = [p.name for p in parameters_of(func)[2:]]

    def apply(frame: Frame, y: Abstract, t: Abstract, *args: Abstract) -> Abstract:
        for name, x in zip(names, args, strict=False):
            if isinstance(x, Value):
                x.name = name
        first = (t, y) if time_first else (y, t)
        rate = _vector(frame, call(frame, func, (*first, *args)), "what the function returns")
        _refuse_writes(frame, (y, *args))
        return rate

    kinds = inspect.Parameter
    params = [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in ("y", "t")]
    params.append(kinds("args", kinds.VAR_POSITIONAL))
    primal = Closed(apply, name_of(func), (func,), params)
    inner = lower_inner(frame, primal, bind_arguments(frame, primal, (y, now, *args), {}))
    block = inner.function.body
    if any(isinstance(stmt, Op) and passes_function(stmt) for stmt in statements(block)):
        fix = "make one system of the two: SciPy's solver cannot run inside itself"
        raise error("E100", None, what=f"{_WHAT} inside a function that it integrates", fix=fix)
    fresh = {v: fresh_like(v) for v in free_values(block)}
    closed = copy_block(block, fresh)
    whole = Block([*closed.params, *fresh.values()], closed.body, closed.results)
    return Function(name_of(func), whole), frame.session.atom((*inner.atoms[2:], *fresh))


def _refuse_writes(frame: Frame, args: Args) -> None:
    """Refuse a function that changes its arguments: SciPy goes on with what it has changed."""
    contents = frame.session.memory.contents
    for x in leaves_of(args):
        if isinstance(x, Value) and contents.get(x, x) is not x:
            what = f"what {_WHAT} integrates writes into `{x.name}`, which"
            raise error("E133", None, what=what, fix="write into a copy: `y = y.copy()`")


def _checked(options: dict[str, Abstract]) -> dict[str, Abstract]:
    """The options that are passed on; the others are refused unless they are as if left out."""
    kept = {name: x for name, x in options.items() if name in _OPTIONS and x is not None}
    for name, x in options.items():
        if name not in _OPTIONS and x not in (None, 0, False):
            raise error("E203", None, what=f"{_WHAT} with `{name}=`")
        if name in kept and rank_of(type_of(x)) != 0:
            fix = "pass a number: the derivatives have more components than the state"
            raise error("E203", None, what=f"{_WHAT} with an array for `{name}=`", fix=fix)
    return kept


def _vector(frame: Frame, x: Abstract, what: str) -> Any:
    """A number, a list or an array as a vector of float64."""
    x = as_array(frame, x)
    dtype, rank = dtype_of(type_of(x)), rank_of(type_of(x))
    if dtype is None or dtype.kind not in "biuf":
        raise error("E132", None, what=f"{_WHAT} of {what}, which is not real,")
    if rank not in (0, 1) or (rank == 0 and what == "`t`"):
        raise error("E132", None, what=f"{_WHAT} of {what}, which is no vector,")
    if dtype != _REAL or not isinstance(x, Value):
        x = frame.session.emit(np.array, (x,), {"dtype": float})
    return frame.session.emit(np.reshape, (x, (1,))) if rank == 0 else x


__all__ = ["odeint"]
