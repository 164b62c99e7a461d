"""Which of the user's lines has a derivative that disagrees with differences.

The program is run at points along a line through the arguments, so that the difference of each
value that it computes is known. With those of what an operation reads, its own rule gives the
tangent of what it makes, and a cotangent must pair with both alike:

    y = bump(x)       differences: x_dot, y_dot        forward: the rule's tangent is y_dot
                                                       reverse: <y_bar, y_dot> = <x_bar, x_dot>

So each line is judged alone, whatever is wrong before or after it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcad.errors import Location, SrcadError
from srcad.ir import Function, Op, Value
from srcad.ir.evaluate import evaluate
from srcad.ir.interface import Interface, Outside, Param, Record, Slot, slots
from srcad.ir.nodes import Block
from srcad.ir.types import is_inexact
from srcad.ir.walk import statements, values_in
from srcad.ops import row_of
from srcad.pipeline.request import Request
from srcad.pipeline.stages import derive_request, lower_with_statics, prepared
from srcad.rules.core.table import name_of
from srcad.runtime.outside import values_of
from srcad.transform.places import symbol_of

# Along the line; the central difference of fourth order weighs them so.
_STEPS = {-2: 1.0, -1: -8.0, 1: 8.0, 2: -1.0}
# Lines that are reported; executions of an operation in a loop that are checked.
_LARGEST, _EXECUTIONS = 5, 3
# Tolerance where numbers of single precision are involved; bytes of those of double precision.
_SINGLE = 2e-2
_DOUBLE = {False: 8, True: 16}


@dataclass(slots=True)
class Run:
    """An operation that was run: what it read and made."""

    op: Op
    read: list[Any]
    made: list[Any]


@dataclass(slots=True)
class Tolerance:
    """Step of the differences, and how far off a derivative may be."""

    step: float
    rtol: float
    atol: float


def disagreeing_lines(
    f: Callable[..., Any],
    moved: Callable[[float], Sequence[Any]],
    modes: Sequence[str],
    tolerance: Tolerance,
    rng: np.random.Generator,
) -> list[str]:
    """What to tell of each line whose derivative is wrong, in the order in which they run.

    Args:
        moved: makes the arguments, so far along the line.
    """
    args = moved(0.0)
    request = Request("jvp", f, ())
    lowered, _ = lower_with_statics(request, args, frozenset())
    program = lowered.function

    def run(at: Sequence[Any]) -> list[Run]:
        runs: list[Run] = []
        flat = _flat_inputs(program, copy.deepcopy(at), _captured(lowered, f, at))
        evaluate(program, *flat, watch=lambda *told: runs.append(Run(*told)))
        return runs

    base = run(args)
    beside = {k: run(moved(k * tolerance.step)) for k in _STEPS}
    names = _variables(program)
    told: dict[tuple[str, int], str] = {}
    times: dict[Op, int] = {}
    for i, each in enumerate(base):
        others = {k: runs[i] for k, runs in beside.items() if i < len(runs)}
        if len(others) < len(_STEPS) or any(o.op is not each.op for o in others.values()):
            break  # beside the point the program takes another path
        place = each.op.loc
        times[each.op] = times.get(each.op, 0) + 1
        if place is None or times[each.op] > _EXECUTIONS:
            continue
        place = place.shown
        if (place.file, place.line) in told or not any(is_inexact(v.type) for v in each.op.outs):
            continue
        for text in _mistakes(each, others, modes, tolerance, rng):
            told[place.file, place.line] = _report(place, each.op, names, text)
            break
    return [*told.values()][:_LARGEST]


def _mistakes(
    run: Run, others: dict[int, Run], modes: Sequence[str], tol: Tolerance, rng: Any
) -> Iterator[str]:
    """How the derivative of one operation disagrees with differences."""
    params = [*dict.fromkeys(values_in((run.op.args, run.op.kwargs)))]
    read = [_difference([o.read[j] for o in others.values()], tol) for j in range(len(params))]
    made = [_difference([o.made[j] for o in others.values()], tol) for j in range(len(run.made))]
    active = [j for j, value in enumerate(params) if is_inexact(value.type)]
    wanted = [j for j, value in enumerate(run.op.outs) if is_inexact(value.type)]
    known = [*(read[j] for j in active), *(made[j] for j in wanted)]
    if row_of(run.op.fn).of_shape is np.empty:
        return  # whatever stood in memory
    if not active or any(dot is None or not np.all(np.isfinite(dot)) for dot in known):
        return  # sequences, what changes its shape, what overflows or is made of nothing
    if not all(np.all(np.isfinite(run.read[j])) for j in active):
        return
    if any(np.asarray(dot).dtype.itemsize < _DOUBLE[np.iscomplexobj(dot)] for dot in known):
        tol = replace(tol, rtol=_SINGLE, atol=_SINGLE)
    program = _alone(run.op, params)
    if "fwd" in modes:
        found = _tangents(program, run, read) or []
        for j in wanted if found else ():
            yield from _compare("fwd", found[j], made[j], run.made[j], tol)
    if "rev" in modes:
        bars = [_drawn(run.made[j], rng) for j in wanted]
        found = _cotangents(program, run, bars) or []
        if found:
            along = sum(_inner(b, made[j]) for b, j in zip(bars, wanted, strict=True))
            against = sum(_inner(b, read[j]) for b, j in zip(found, active, strict=True))
            pairs = zip(bars, wanted, strict=True)
            sizes = (_inner(np.abs(b), np.abs(made[j]) + np.abs(run.made[j])) for b, j in pairs)
            yield from _compare("rev", against, along, sum(sizes), tol)


def _compare(mode: str, found: Any, wanted: Any, size: Any, tol: Tolerance) -> Iterator[str]:
    # Where there is no derivative, it may be NaN: that is an affair of `debug_nans`.
    found, wanted = np.asarray(found), np.asarray(wanted)
    largest = max(1.0, float(np.max(np.abs(size), initial=0)))
    wrong = np.abs(found - wanted) > tol.rtol * np.abs(wanted) + tol.atol * largest
    if wrong.any():
        at = tuple(int(k) for k in np.argwhere(wrong)[0])
        entry = f", entry {at}" if at else ""
        what = "derivative" if mode == "fwd" else "cotangent, along the differences,"
        yield (
            f"mode {mode!r}{entry}: the {what} is {found[at].item()!r}, "
            f"differences give {wanted[at].item()!r}"
        )


# One operation as a program -----------------------------------------------------------------------


def _alone(op: Op, params: list[Value]) -> Function:
    results = tuple(Slot(j) for j in range(len(op.outs)))
    given = tuple(Param(f"x{j}", Slot(j)) for j in range(len(params)))
    return Function("line", Block(params, [op], [*op.outs]), Interface(given, (), results))


def _derived(program: Function, kind: Any) -> Function | None:
    """The product of one operation; None where there is none, as for what has no rule."""
    request = Request(kind, lambda: None, ())
    try:
        return derive_request(request, prepared(request, program))
    except SrcadError:
        return None


def _tangents(program: Function, run: Run, dots: list[Any]) -> list[Any] | None:
    derived = _derived(program, "jvp")
    if derived is None:
        return None
    given = [x if dot is None else _like(x, dot) for x, dot in zip(run.read, dots, strict=True)]
    try:
        results = evaluate(derived, *run.read, *given)
    except ZeroDivisionError:  # Python's, where a slope is infinite
        return None
    assert derived.interface is not None
    _, y_dot = derived.interface.result
    return [results[each.index] if isinstance(each, Slot) else 0.0 for each in y_dot]


def _cotangents(program: Function, run: Run, bars: list[Any]) -> list[Any] | None:
    derived = _derived(program, "vjp")
    if derived is None:
        return None
    given = iter(bars)
    all_bars = [next(given) if is_inexact(v.type) else 0 for v in program.body.results]
    *_, pullback = evaluate(derived, *run.read)
    try:
        found: list[Any] = pullback(*all_bars)
    except ZeroDivisionError:
        return None
    return found


# Values -------------------------------------------------------------------------------------------


def _flat_inputs(program: Function, args: Sequence[Any], captured: Sequence[Any]) -> list[Any]:
    assert program.interface is not None
    flat: list[Any] = [None] * len(program.params)
    for param, value in zip(program.interface.inputs, (*args, *captured), strict=True):
        _fill(param.tree, value, flat)
    return flat


def _fill(tree: Any, value: Any, flat: list[Any]) -> None:
    if isinstance(tree, Slot):
        flat[tree.index] = value
    elif isinstance(tree, tuple | list):
        for each, item in zip(tree, value, strict=True):
            _fill(each, item, flat)
    elif isinstance(tree, dict):
        for key, each in tree.items():
            _fill(each, value[key], flat)
    elif isinstance(tree, Outside):
        if tree.own_values() is not None:
            _fill(tree.own_values(), values_of(value), flat)
    elif isinstance(tree, Record):
        for name, each in tree.fields.items():
            if slots(each):
                _fill(each, getattr(value, name), flat)


def _captured(lowered: Any, f: Any, args: Sequence[Any]) -> list[Any]:
    scope = {"F": f, "A": args, "K": lowered.kept}
    return [eval(path, dict(scope)) for path in lowered.captures]


def _difference(values: list[Any], tol: Tolerance) -> Any:
    """The derivative along the line, by a central difference; None of what has none."""
    if not all(isinstance(x, float | complex | np.ndarray | np.generic) for x in values):
        return None
    if len({np.shape(x) for x in values}) > 1 or np.asarray(values[0]).dtype.kind not in "fc":
        return None
    weighed = (weight * np.asarray(x) for weight, x in zip(_STEPS.values(), values, strict=True))
    return sum(weighed) / (12 * tol.step)


def _like(x: Any, dot: Any) -> Any:
    if isinstance(x, np.ndarray):
        return np.asarray(dot, x.dtype)
    return x.dtype.type(dot) if isinstance(x, np.generic) else type(x)(dot)


def _drawn(x: Any, rng: np.random.Generator) -> Any:
    drawn: Any = rng.uniform(-1, 1, np.shape(x))
    if np.iscomplexobj(x):
        drawn = drawn + 1j * rng.uniform(-1, 1, np.shape(x))
    return _like(x, drawn)


def _inner(a: Any, b: Any) -> float:
    return float(np.sum((np.asarray(a) * b).real))


# Words --------------------------------------------------------------------------------------------


def _variables(program: Function) -> dict[Location, str]:
    """The variable that each place assigns: what its last operation makes, if it has a name."""
    return {
        stmt.loc: stmt.outs[0].name
        for stmt in statements(program.body)
        if isinstance(stmt, Op) and stmt.loc is not None and stmt.outs and stmt.outs[0].name
    }


def _report(place: Location, op: Op, names: dict[Location, str], text: str) -> str:
    what = place.operation or symbol_of(op.fn) or _name_of(op.fn)
    assert op.loc is not None
    name = names.get(op.loc, "")
    within = f", on the way to `{name}`," * bool(name)
    return f"{place}: the derivative of `{what}`{within} disagrees\n{place.excerpt()}\n{text}"


def _name_of(fn: Any) -> str:
    """A function as the user writes it: his own by their names alone."""
    name = name_of(fn)
    return name if name.startswith(("np.", "scipy.")) else name.rpartition(".")[2]


__all__ = ["Tolerance", "disagreeing_lines"]
