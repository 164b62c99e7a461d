"""Functions differentiated inside a differentiated function: `grad(f)(x)` in a loss,
`grad(grad(f))`.

The inner function is lowered to a program of its own, transformed there, and its statements are put
in place of the call. What it reads of the outer function stays a free value, so that the outer
derivative sees it: inner and outer perturbations cannot be confused.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from srcad.errors import Location, SrcadError, error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.abstract_arguments import Bindings, stand_ins
from srcad.frontend.abstract.containers.containers import (
    ARRAY,
    DictObj,
    ListObj,
    RecordObj,
    SetObj,
    is_array_record,
)
from srcad.frontend.abstract.containers.contents import known_contents, values_of
from srcad.frontend.abstract.containers.reachable import containers_in, reachable, read_by
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Instance, Ref, describe
from srcad.frontend.abstract.results import varied_tree
from srcad.frontend.abstract.signals import Pending, Raising
from srcad.frontend.calls.recursion import refuse_open
from srcad.frontend.dispatch import Args, Kwargs, call
from srcad.frontend.extents.raising import mark_raising
from srcad.frontend.nested.arguments import of_what_is_read, tree_of
from srcad.frontend.nested.directions import leaves_at, take_vector, wanted_arguments
from srcad.frontend.nested.inlining import inline
from srcad.frontend.nested.parameters import as_passed, bind_arguments, name_of, parameters_of
from srcad.frontend.objects.attributes import attribute
from srcad.frontend.reading.argument_trees import are_joint
from srcad.frontend.written import data_arrays, labelled
from srcad.frontend.written.masked.arrays import Masked
from srcad.frontend.written.pandas import series
from srcad.frontend.written.structured.arrays import Structured
from srcad.ir.interface import Interface, Param, holds_numbers
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Block, Function, Op, Stmt, Value
from srcad.ir.walk import all_reads, statements
from srcad.rules.core.sequences import OnlyItem
from srcad.runtime.effects import picked


@dataclass(frozen=True)
class Wanted:
    """A transformation asked for inside: as the requests of `srcad.pipeline`, for an abstract
    function.
    """

    kind: str
    argnums: tuple[int, ...] = (0,)
    single: bool = True
    has_aux: bool = False
    holomorphic: bool = False


_KINDS = frozenset(
    {
        *("grad", "value_and_grad", "elementwise_grad", "derivative"),
        *("jacrev", "jacfwd", "jacobian", "hessian", "hvp"),
    }
)


def derive_inside(frame: Frame, request: Any, callee: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of calling a transformed function of the outside inside another function."""
    primal = primal_of(request, callee)
    if request.kind == "compile":
        return call(frame, primal, args, kwargs)
    wanted = Wanted(
        request.kind, request.argnums, request.single, request.has_aux, request.holomorphic
    )
    return differentiate(frame, wanted, primal, args, kwargs)


def differentiate(
    frame: Frame, wanted: Wanted, primal: Abstract, args: Args, kwargs: Kwargs
) -> Abstract:
    """Lower `primal` on fresh parameters, transform, and inline the result."""
    if wanted.kind not in _KINDS:
        raise error("E120", None, what=f"`srcad.{wanted.kind}` used in this way")
    v: Abstract = None
    if wanted.kind == "hvp":
        args, kwargs, v = take_vector(parameters_of(primal), wanted.argnums, args, kwargs)
    args = tuple(_read(frame, x) for x in args)
    kwargs = {name: _read(frame, x) for name, x in kwargs.items()}
    bound = bind_arguments(primal, args, kwargs)
    bound, positions = _with_wanted(primal, wanted.argnums, bound)
    for x in wanted_arguments(bound, positions, False):
        if isinstance(x, int) and not isinstance(x, bool):
            raise error("E301", None, what=f"an argument {x!r} of type int")
        refuse_objects(frame, x)
    inner = lower_inner(frame, primal, bound, like_outside=True)
    made = frame.session.derive.derivative(
        inner.function,
        wanted.kind,
        positions,
        has_aux=wanted.has_aux,
        single=wanted.single,
        holomorphic=wanted.holomorphic,
    )
    atoms = list(inner.atoms)
    if wanted.kind == "hvp":
        xs = wanted_arguments(bound, positions, wanted.single)
        assert made.interface is not None
        atoms += leaves_at(frame, made.interface.params[-1].tree, xs, v)
    return inline(frame, made, atoms, inner.objects)


def _read(frame: Frame, x: Abstract) -> Abstract:
    """What the program is given by its values, which may be differentiated by: a Series, a
    DataArray.
    """
    if not isinstance(x, RecordObj) or x.cls not in _COMPUTED:
        return x
    values = call(frame, attribute(frame, x, "_read"), ())
    labels = {key: each for key, each in x.fields.items() if key in ("_rows", "_labels", "dims")}
    return RecordObj(_COMPUTED[x.cls], {"_held": values, **labels})


_COMPUTED: dict[type, type] = {
    series.HeldSeries: series.Series,
    data_arrays.HeldDataArray: data_arrays.DataArray,
}


def primal_of(request: Any, callee: Ref) -> Ref:
    """What a transformed function of the outside was made from."""
    return Ref(request.primal, f"{callee.path}.primal" if callee.path else "")


def refuse_objects(frame: Frame, x: Abstract) -> None:
    """Refuse (E308) what holds more than it tells in what is differentiated by. The attributes of
    objects of the caller's are all read.
    """
    if isinstance(x, Instance):
        frame.session.inputs.beside.ask_object(x.obj, x.path)
        fix = "differentiate by its attributes, or make it a dataclass"
        raise error("E308", None, what=f"an object of class `{type(x.obj).__name__}`", fix=fix)
    if isinstance(x, RecordObj) and issubclass(x.cls, labelled.Held):
        fix = "differentiate by the array that it holds: `x.to_numpy()`"
        raise error("E308", None, what=describe(x), fix=fix)
    is_masked = isinstance(x, RecordObj) and issubclass(x.cls, Masked)
    if is_masked or is_array_record(x):
        refuse_joint(frame, x)
        return
    if isinstance(x, RecordObj) and x.cls is Structured:
        fix = 'differentiate by its fields: `r["a"]`'
        raise error(
            "E308", None, what=f"{describe(x)}, in a function that is differentiated,", fix=fix
        )
    unread = set(x.items) if isinstance(x, SetObj) else x.obj if isinstance(x, Ref) else None
    if holds_numbers(unread):
        kind = type(unread).__name__
        raise error("E308", None, what=f"`{kind}`, which is not looked into,")
    if isinstance(x, RecordObj):
        frame.session.inputs.beside.ask_all(x.cls)
    if isinstance(x, tuple | ListObj | DictObj | RecordObj):
        for item in x if isinstance(x, tuple) else known_contents(x).values():
            refuse_objects(frame, item)


def refuse_joint(frame: Frame, x: Abstract) -> None:
    """Refuse (E308) arrays of classes whose attributes would vary with their entries, and masked
    arrays.
    """
    for each in reachable([x]):
        if isinstance(each, RecordObj) and issubclass(each.cls, Masked):
            fix = "differentiate by its data, `m.data` or `m.filled(0.0)`"
            raise error("E308", None, what=f"{describe(each)}, in another function,", fix=fix)
        if not is_array_record(each):
            continue
        array = each.fields[ARRAY]
        held = values_of(tuple(part for name, part in each.fields.items() if name != ARRAY))
        if any(_are_joint(frame, array, v) for v in held if is_array(v)):
            fix = "differentiate by the plain array, `np.asarray(x)`"
            what = f"{describe(each)}, whose attributes share its memory,"
            raise error("E308", None, what=what, fix=fix)


def _are_joint(frame: Frame, a: Value, b: Value) -> bool:
    memory, inputs = frame.session.memory, frame.session.inputs
    if memory.overlaps(a, b):
        return True
    first, second = (inputs.paths.get(memory.root(v)) for v in (a, b))
    return first is not None and second is not None and are_joint(inputs, first, second)


# Lowering the inner function
# -----------------------------------------------------------------------


def _with_wanted(
    primal: Abstract, argnums: Sequence[int], bound: Bindings
) -> tuple[Bindings, tuple[int, ...]]:
    """The bound arguments with defaults that are wanted, and where what is wanted is among them.

    Positions from that of `*args` on mean its items.
    """
    parameters = parameters_of(primal)
    names = [p.name for p in parameters]
    kinds = [p.kind for p in parameters]
    star = inspect.Parameter.VAR_POSITIONAL
    first_item = kinds.index(star) if star in kinds else len(names)
    filled = dict(bound)
    for i in argnums:
        if i < first_item and names[i] not in bound:
            wanted = parameters[i]
            if wanted.default is wanted.empty or isinstance(primal, Ref):
                raise error("E131", None, what=f"what is differentiated (no `{wanted.name}`)")
            filled[wanted.name] = (wanted.default, wanted.kind)
    ordered = [name for name in names if name in filled]
    left_out = [sum(name not in filled for name in names[:i]) for i in range(len(names) + 1)]
    positions = tuple(i - left_out[min(i, first_item)] for i in argnums)
    return {name: filled[name] for name in ordered}, positions


class Inner:
    """An inner program: its function, and the outer atoms that its parameters stand for."""

    def __init__(self, function: Function, atoms: list[Any], objects: dict[str, Abstract]) -> None:
        self.function = function
        self.atoms = atoms
        self.objects = objects


def lower_inner(
    frame: Frame, primal: Abstract, bound: Bindings, *, like_outside: bool = False
) -> Inner:
    """The program of `primal` on parameters that replace the leaves of its arguments; a derivative
    by an object `like_outside` has the attributes that it has where it is called by Python.

    Objects of the caller's among these are read attribute by attribute, until it turns out that
    `primal` changes one: the whole of it is an argument then, and the change is one of a copy.
    """
    try:
        return _lower_inner(frame, primal, bound, like_outside)
    except SrcadError as refusal:
        if refusal.code == "E133":
            for x in containers_in(x for x, _ in bound.values()):
                if isinstance(x, Instance):
                    frame.session.inputs.beside.ask_object(x.obj, x.path)
        raise


def _lower_inner(frame: Frame, primal: Abstract, bound: Bindings, like_outside: bool) -> Inner:
    session = frame.session
    named = {id(x) for x in read_by(primal)}  # under a second name they are not the copies
    given = stand_ins(session, bound, frozen=lambda x: id(x) in named)
    objects: dict[str, Abstract] = {}
    params = tuple(
        Param(name, tree_of(x, given.values, objects, like_outside), kind)
        for name, (x, kind) in given.bound.items()
    )
    known = {name: given.outer[id(x)] for name, x in objects.items()}
    read_before, session.attributes_read = session.attributes_read, set()
    results: list[Any] = []
    before, clock = dict(session.memory.contents), session.memory.clock
    outside = st.snapshot(frame)
    what = "the function differentiated here"
    with session.block() as body:
        session.derived += 1
        try:
            result = call(frame, primal, *as_passed(primal, given.bound))
        except Pending:
            raise
        except Raising:
            raise error("E316", None, what=what) from None
        finally:
            session.derived -= 1
            read, session.attributes_read = session.attributes_read, read_before
            session.attributes_read |= read
        tree = varied_tree(session, result, results, None)
    session.memory.leave(before, set(given.values), clock, what)
    _refuse_calls_in_parts(body)
    if st.is_rebound(frame, outside):
        fix = "change a copy of it, and return what is new (has_aux=True)"
        raise error("E133", None, what=f"{what}, by a name or container around it,", fix=fix)
    block = Block(given.values, body, results)
    if known:
        values = {*all_reads(block)}
        used = {k for k, value in enumerate(given.values) if value in values}
        paths = {name: x.path for name, x in known.items()}
        params = tuple(replace(p, tree=of_what_is_read(p.tree, read, used, paths)) for p in params)
    function = Function(name_of(primal), block, Interface(params, (), tree))
    refuse_open(session, function)
    mark_raising(function)
    return Inner(function, given.atoms, known)


def _refuse_calls_in_parts(body: Sequence[Stmt]) -> None:
    """Refuse (E100) to differentiate a gradient in parts, which only a compiled step calls."""
    for stmt in statements(Block([], [*body], [])):
        if isinstance(stmt, Op) and stmt.fn in (picked, OnlyItem(picked)):
            raise in_parts_refused(stmt.loc)


def in_parts_refused(loc: Location | None = None) -> SrcadError:
    """The error for a gradient in parts where a derivative is asked for."""
    what = "a gradient in parts, which runs outside of programs,"
    fix = "call it in a function under `srcad.compile`, or outside, and pass what it gives"
    return error("E100", loc, what=what, fix=fix)
