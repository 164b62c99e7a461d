"""What a gradient's reverse sweep reads of its forward sweep: the forward sweep, run up to there.

    def f_grad(x):                               def f_grad(x):
        y = np.exp(x)                                y = np.exp(x)
        n = x.shape[0]                      ->       n = x.shape[0]
        border()                                     return y, n, x
        x_bar = np.broadcast_to(1.0, n) * y

The program is compiled as for a call, with a mark between the sweeps, and cut there: what follows
the mark reads is what is kept. Memory is counted by buffers: a view keeps all of what it is a view
of, what is kept twice counts once, and what the arguments hold costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from srcad.emit.module import emit
from srcad.errors import Location, error
from srcad.frontend.reading.signature import signature_of
from srcad.ir import Block, Function, Op, Value
from srcad.ir.interface import Interface, Slot, paths, slots
from srcad.ir.nodes import Stmt
from srcad.ir.types import SAVED, ArrayType, NumberType, SeqType, TupleType, Type
from srcad.ir.walk import blocks, free_values, inputs, statements, values_in
from srcad.ops import row_of
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.dispatch import MISS
from srcad.pipeline.calls.holding import unsteady
from srcad.pipeline.reports.origins import Origins
from srcad.pipeline.request import Kind, Request
from srcad.pipeline.specialize import activate
from srcad.pipeline.stages import check, derive_request, lower_with_statics, optimized, prepared
from srcad.runtime.checkpoints.states import Checkpoints
from srcad.runtime.records import parts

_FORWARD = ("derivative", "jacfwd", "products", "jvp", "linearize")
_ONE_SWEEP = {"compile": "compiled", "primal": "compiled", "vmap": "mapped"}
_AS_GRADIENT: dict[str, Kind] = {
    "jacrev": "elementwise_grad",
    "jacobian": "elementwise_grad",
    "hessian": "grad",
    "hvp": "grad",
    "vjp": "elementwise_grad",
}


@dataclass
class Kept:
    """The objects kept that one operation of the user's program made.

    `tape`: they are elements of a tape; `calls`: a called function saved them. `n_bytes` is what
    they hold beyond the arguments and beyond what was counted before.
    """

    name: str
    place: Location | None
    tape: bool = False
    calls: bool = False
    items: list[Any] = field(default_factory=list)
    n_bytes: int = 0


def measure(request: Request, args: Sequence[Any]) -> tuple[list[Kept], list[str]]:
    """What is kept for the arguments `args`, and the arguments that the reverse sweep reads again.

    The forward sweep is run once. Of a derivative by tangents nothing is kept; what reverse sweeps
    for each row, or one that is differentiated again, read of it is what a gradient's does.

    Raises:
        NotDifferentiable: E325, the program has no reverse sweep.
    """
    if request.kind in _ONE_SWEEP:
        raise error("E325", None, what=f"`{request.name}`, {_ONE_SWEEP[request.kind]},")
    if request.kind in _FORWARD:
        return [], []
    if request.kind == "vjp":
        request = replace(request, argnums=_varied(request, args), single=False)
        if not request.argnums:
            return [], []
    request = replace(request, kind=_AS_GRADIENT.get(request.kind, request.kind))
    lowered, _ = lower_with_statics(request, args, frozenset())
    primal = prepared(request, lowered.function)
    program = check(derive_request(request, primal, _border), "derive")
    program = optimized(request, program)
    forward, reverse = _cut(request, program)
    read = _read(reverse)
    values = [v for v in read if v not in set(program.params) and not _is_fact(v.type)]
    results = [*values, *program.params]
    assert program.interface is not None
    captures, params = program.interface.captures, program.interface.params
    shape = Interface(params, captures, tuple(Slot(k) for k in range(len(results))))
    emitted = emit(Function(program.name, Block(program.params, forward, results), shape))
    artifact = Artifact(
        emitted.text, emitted.entry, lowered.captures, lowered.guards, lowered.kept,
        emitted.globals, emitted.line_map,
    )  # fmt: skip
    cut = activate(artifact, request, len(args))
    try:
        found = cut.dispatch(*args)
    except Exception as problem:
        cut.reraise(problem)
    if found is MISS:
        raise unsteady(artifact, args, request.primal, len(args))
    return _count(program, dict(zip(results, found, strict=True)), values, read)


def _varied(request: Request, args: Sequence[Any]) -> tuple[int | str, ...]:
    """The arguments that a pullback gives cotangents of, as `argnums`."""
    found: list[int | str] = []
    parameters = signature_of(request.primal).parameters.values()
    for k, (p, x) in enumerate(zip(parameters, args, strict=True)):
        if p.kind is p.VAR_POSITIONAL:
            found += [k + at for at, item in enumerate(x) if _is_varied(item, {})]
        elif p.kind is not p.VAR_KEYWORD and _is_varied(x, {}):
            found.append(p.name if p.kind is p.KEYWORD_ONLY else k)
    return tuple(found)


def _is_varied(x: Any, seen: dict[int, Any]) -> bool:
    """Whether there are floats in an argument; `seen` are the objects around, by their `id`."""
    if isinstance(x, np.ndarray | np.generic | float | complex):
        return np.asarray(x).dtype.kind in "fc"
    if id(x) in seen:
        return False
    seen[id(x)] = x
    return any(_is_varied(item, seen) for item in parts(x))


def _border() -> None:
    """The mark between the sweeps."""


def _cut(request: Request, program: Function) -> tuple[list[Stmt], Block]:
    body = program.body.body
    at = next(k for k, stmt in enumerate(body) if isinstance(stmt, Op) and stmt.fn is _border)
    gradient = [program.body.results[k] for k in slots(_gradient_of(request, program))]
    return body[:at], Block([], body[at + 1 :], gradient)


def _gradient_of(request: Request, program: Function) -> Any:
    """The part of the result that is no result of the primal."""
    assert program.interface is not None
    result = program.interface.result
    if request.kind == "value_and_grad":
        return result[1]
    return result[0] if request.has_aux else result


def _read(reverse: Block) -> list[Value]:
    """The values that the reverse sweep reads, not for their shape alone."""
    real = set(values_in(reverse.results))
    for stmt in statements(reverse):
        read = inputs(stmt)
        if isinstance(stmt, Op) and row_of(stmt.fn).shape_only:
            read = (stmt.args[1:], stmt.kwargs)
        real.update(values_in(read))
        for inner in blocks(stmt):
            real.update(values_in(inner.results))
    return [v for v in free_values(reverse) if v in real]


def _is_fact(t: Type) -> bool:
    """Whether values of this type are a count, an index, a condition or a shape."""
    match t:
        case NumberType():
            return t.kind in (bool, int)
        case ArrayType():
            return t.scalar and t.dtype.kind in "biu"
        case TupleType():
            return all(map(_is_fact, t.items))
        case _:
            return False


def _count(
    program: Function,
    found: dict[Value, Any],
    values: Iterable[Value],
    read: Iterable[Value],
) -> tuple[list[Kept], list[str]]:
    assert program.interface is not None
    held = {id(_buffer(found[p])): p for p in program.params}
    counted = set(held)
    again = {p for p in program.params if p in set(read)}
    rows: dict[Value, Kept] = {}
    for row, item in _leaves(Origins(program), found, values, rows):
        row.items.append(item)
        buffer = _buffer(item)
        again.update({held[id(buffer)]} if id(buffer) in held else ())
        if not isinstance(buffer, np.ndarray | np.generic) or id(buffer) not in counted:
            row.n_bytes += _size(buffer)
        counted.add(id(buffer))
    kept = [row for row in rows.values() if any(id(_buffer(i)) not in held for i in row.items)]
    names: dict[int, str] = {}
    for param in program.interface.inputs:
        names.update(paths(param.tree, param.name))
    ordered = enumerate(program.params)
    return kept, [names[k] for k, p in ordered if p in again and not _is_fact(p.type)]


def _leaves(
    origins: Origins, found: dict[Value, Any], values: Iterable[Value], rows: dict[Value, Kept]
) -> Iterator[tuple[Kept, Any]]:
    """Each object kept, with the row that it belongs to."""
    todo = [(v, found[v], False, False) for v in values][::-1]
    while todo:
        value, thing, tape, calls = todo.pop()
        if thing is None:  # not bound on the path that was taken
            continue
        if isinstance(value.type, SeqType):
            element = origins.element(value) or Value(value.name, value.type.elem)
            todo += [(element, item, True, calls) for item in reversed(thing)]
        elif value.type == SAVED and (items := origins.packed(value)) is not None:
            pairs = reversed(list(zip(items, thing, strict=True)))
            todo += [(v, item, tape, True) for v, item in pairs if isinstance(v, Value)]
        else:
            made = origins.origin(value)
            if made not in rows:
                rows[made] = Kept(_users(value.name), origins.location(value))
            rows[made].tape |= tape
            rows[made].calls |= calls
            yield rows[made], thing


def _users(name: str) -> str:
    """The user's name; "" for a temporary that is later a cotangent."""
    return "" if name.endswith("_bar") else name


def _buffer(thing: Any) -> Any:
    """The array whose memory `thing` is a view of."""
    base = thing
    while base is not None and not isinstance(base, np.generic):
        thing = base if isinstance(base, np.ndarray) else thing
        base = getattr(base, "base", None)
    return thing


def _size(thing: Any) -> int:
    """Bytes of data."""
    if isinstance(thing, Checkpoints):
        return thing.nbytes()
    if isinstance(thing, np.ndarray | np.generic):
        return thing.nbytes
    if isinstance(thing, tuple | list):
        return sum(map(_size, thing))
    sizes: dict[type, int] = {bool: 1, int: 8, float: 8, complex: 16}
    return sizes.get(type(thing), 0)


__all__: list[str] = ["Kept", "measure"]
