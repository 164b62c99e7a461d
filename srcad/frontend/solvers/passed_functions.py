"""Functions of the user's that a library's solver calls: IR functions, passed on.

    def decay(y, t): return -k * y          def decay(y, t, k): return multiply(neg(k), y)
    odeint(decay, y0, t)                    odeint(decay, y0, t, (k,))

All that the function reads is passed, what it reads of its surroundings too.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.call_leaves import leaves_of
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Closed
from srcad.frontend.dispatch import Args, call
from srcad.frontend.nested.parameters import bind_arguments, name_of, parameters_of
from srcad.frontend.nested.transforms import lower_inner
from srcad.ir.nodes import Block, Function, Value
from srcad.ir.walk import copy_block, free_values, fresh_like


def passed_function(
    frame: Frame,
    func: Abstract,
    result: Callable[[Frame, str, Abstract], Abstract],
    leading: Sequence[Value],
    args: Args,
    what: str,
    is_turned: bool = False,
) -> tuple[Function, Any]:
    """The function of what the solver gives and of what it reads besides; the atoms of the last.

    Args:
        func: the user's function.
        result: what the solver makes of the function's result, `result(frame, what, x)`.
        leading: the parameters that the solver gives.
        args: what is passed on to each call.
        what: the solver, for messages.
        is_turned: the user's function takes `leading` in reverse order.
    """
    names = [p.name for p in parameters_of(func)[len(leading) :]]
    for value in leading:
        frame.session.memory.tell(value, ())

    def apply(frame: Frame, *xs: Abstract) -> Abstract:
        for name, x in zip(names, xs[len(leading) :], strict=False):
            if isinstance(x, Value):
                x.name = name
        first = xs[: len(leading)]
        given = (*(first[::-1] if is_turned else first), *xs[len(leading) :])
        found = result(frame, what, call(frame, func, given))
        _refuse_writes(frame, xs, what)
        return found

    kinds = inspect.Parameter
    params = [kinds(v.name, kinds.POSITIONAL_OR_KEYWORD) for v in leading]
    params.append(kinds("args", kinds.VAR_POSITIONAL))
    primal = Closed(apply, name_of(func), (func,), params)
    inner = lower_inner(frame, primal, bind_arguments(primal, (*leading, *args), {}))
    block = inner.function.body
    fresh = {v: fresh_like(v) for v in free_values(block)}
    closed = copy_block(block, fresh)
    whole = Block([*closed.params, *fresh.values()], closed.body, closed.results)
    passed = frame.session.atom((*inner.atoms[len(leading) :], *fresh))
    return Function(name_of(func), whole), passed


def with_same_arguments(
    *each: tuple[Function, Sequence[Any], int],
) -> tuple[list[Function], tuple[Any, ...]]:
    """Functions that are passed the same: each has the parameters of all.

    Args:
        each: a function, the atoms that it is passed, and how many parameters the solver gives.
    """
    given: list[Any] = []
    kinds: list[Value] = []
    places: list[list[int]] = []
    for f, atoms, n in each:
        places.append([])
        for atom, param in zip(atoms, f.params[n:], strict=True):
            k = next((k for k, x in enumerate(given) if x is atom), len(given))
            if k == len(given):
                given.append(atom)
                kinds.append(param)
            places[-1].append(k)
    made = []
    for (f, _, n), own in zip(each, places, strict=True):
        params = [fresh_like(p) for p in kinds]
        renamed = {p: params[k] for p, k in zip(f.params[n:], own, strict=True)}
        moved = copy_block(Block(f.params[:n], f.body.body, f.body.results), renamed)
        made.append(Function(f.name, Block([*moved.params, *params], moved.body, moved.results)))
    return made, tuple(given)


def _refuse_writes(frame: Frame, args: Args, what: str) -> None:
    """Refuse a function that changes its arguments: the solver goes on with what it has changed."""
    contents = frame.session.memory.contents
    for x in leaves_of(args):
        if isinstance(x, Value) and contents.get(x, x) is not x:
            written = f"what {what} calls writes into `{x.name}`, which"
            raise error("E133", None, what=written, fix="write into a copy: `y = y.copy()`")


__all__ = ["passed_function", "with_same_arguments"]
