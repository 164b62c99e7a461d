"""Calling convention of derivatives: containers are flattened to leaves and rebuilt.

argnums=(0,), params {"w": Slot(0), "b": Slot(1)}     find_params, differentiable_slots: [0, 1]
cotangents [w_bar, ZERO]                              or_zero: w_bar, zeros_like(b)
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.interface import (
    Interface,
    Outside,
    Param,
    Record,
    Slot,
    Static,
    Tree,
    holds_numbers,
    map_records,
    map_slots,
    map_statics,
    paths,
    rebuilt,
    slots,
)
from srcad.ir.nodes import Atom, Function, Value
from srcad.ir.types import (
    ArrayType,
    NumberType,
    ObjectType,
    Type,
    dtype_of,
    is_inexact,
    rank_of,
    zero_number,
)
from srcad.rules.core.staged import Builder, type_of
from srcad.rules.core.zero import ZERO
from srcad.runtime.outside import is_array_class
from srcad.runtime.records import is_plain_class
from srcad.transform.conform import as_scalar, zero_like
from srcad.transform.reverse.scope import Cotangent


def find_params(interface: Interface, argnums: Sequence[int | str]) -> list[Param]:
    """The parameters that `argnums` names: by position among the arguments, or by name.

    Positions reach into `*args`: of `f(*xs)`, argument 1 is `xs[1]`, while the name "xs" is all of
    them.
    """
    found: list[Param] = []
    for each in argnums:
        named = [p for p in interface.params if p.name == each]
        found.append(named[0] if named else _at_position(interface, int(each)))
    return found


def _at_position(interface: Interface, index: int) -> Param:
    for position, param in enumerate(interface.params):
        if param.kind is inspect.Parameter.VAR_POSITIONAL:
            k = index - position
            if k >= len(param.tree):
                raise error("E303", None, what=str(index))
            return Param(f"{param.name}[{k}]", param.tree[k])
        if position == index:
            return param
    raise error("E303", None, what=str(index))


def wanted_params(fn: Function, argnums: Sequence[int | str]) -> list[Param]:
    """The parameters that `argnums` names, as their gradients are to be.

    Of objects they have the attributes in which something varies: the others stay what they are.
    An int or an array of ints in a container is None: it has no gradient.
    """
    found = []
    for param in find_params(interface_of(fn), argnums):
        tree = map_records(partial(_varying, fn), param.tree)
        if not isinstance(tree, Slot | Static):
            tree = map_statics(_without_int, map_slots(partial(_without_ints, fn), tree))
            tree = _without_those_of_ints(tree)
            if slots(param.tree) and not slots(tree):
                path = next(iter(paths(map_records(_bare, param.tree), param.name).values()))
                raise error("E301", None, what=f"argument `{path}`, as all in `{param.name}`,")
        found.append(replace(param, tree=tree))
    return found


def _without_ints(fn: Function, slot: Slot) -> Tree:
    return slot if is_inexact(fn.params[slot.index].type) else Static(None)


def _without_int(x: Static) -> Static:
    return Static(None) if type(x.value) is int else x


def _without_those_of_ints(tree: Tree) -> Tree:
    """None in the place of data whose values are ints."""
    if isinstance(tree, Outside):
        return tree if tree.fields else Static(None)
    return rebuilt(tree, _without_those_of_ints)


def _varying(fn: Function, record: Record) -> Record:
    if not record.like:
        return record
    if isinstance(record, Outside):
        record = by_values(record) or record
        varying = {
            k: t
            for k, t in record.fields.items()
            if any(is_inexact(fn.params[s].type) for s in slots(t))
        }
        return replace(record, fields=varying)
    fields = {
        name: tree
        for name, tree in record.fields.items()
        if isinstance(tree, Record) or any(is_inexact(fn.params[k].type) for k in slots(tree))
    }
    return replace(record, fields=fields)


class Results:
    """The flat results of a function being put together."""

    def __init__(self, primal: list[Atom]) -> None:
        self.primal = primal
        self.atoms: list[Atom] = []

    def add(self, atom: Atom) -> Slot:
        """Append a result."""
        self.atoms.append(atom)
        return Slot(len(self.atoms) - 1)

    def keep(self, tree: Tree) -> Tree:
        """Append the primal's results that `tree` names; returns it with their new positions."""
        return map_slots(lambda slot: self.add(self.primal[slot.index]), tree)


def interface_of(fn: Function) -> Interface:
    """The interface of a whole function."""
    assert fn.interface is not None, fn.name
    return fn.interface


def differentiable_slots(fn: Function, wanted: Sequence[Param], holomorphic: bool) -> list[int]:
    """The flat positions of all leaves of the parameters, each once; refuses (E301) those that
    cannot vary.
    """
    found: dict[int, None] = {}
    for param in wanted:
        if not isinstance(param.tree, Static):
            _check_constants(param.tree, param.name)
        map_records(partial(_checked, name=param.name), param.tree)
        if isinstance(param.tree, Static) and param.tree.value is not None:
            given = param.tree.value
            code = "E301" if isinstance(given, bool | int) else "E308"
            raise error(code, None, what=f"argument `{param.name}` of type {type(given).__name__}")
        for slot, path in paths(param.tree, param.name).items():
            t = fn.params[slot].type
            if not is_inexact(t):
                raise error("E301", None, what=f"argument `{path}` of type {describe(t)}")
            if holomorphic and not is_complex(t):
                raise error("E317", None, what=f"argument `{path}` of type {describe(t)}")
            found[slot] = None
    return list(found)


def _check_constants(tree: Tree, path: str) -> None:
    """Refuse numbers that the program takes as constants, in containers that it does not look into
    (E308).
    """
    items: Any = ()
    if isinstance(tree, Static) and holds_numbers(tree.value):
        what = f"argument `{path}`, of type {type(tree.value).__name__} in this place,"
        raise error("E308", None, what=what)
    if isinstance(tree, tuple | list):
        items = enumerate(tree)
    elif isinstance(tree, dict):
        items = tree.items()
    elif isinstance(tree, Record):
        for name, item in tree.fields.items():
            _check_constants(item, f"{path}.{name}")
    for key, item in items:
        _check_constants(item, f"{path}[{key!r}]")


def _checked(record: Record, name: str) -> Record:
    """Refuse objects that hold more than their attributes: no other can be made of these."""
    if isinstance(record, Outside):
        return _checked_outside(record, name)
    is_open = issubclass(record.cls, tuple) or is_plain_class(record.cls)
    if not is_open and not is_array_class(record.cls):
        what = (
            f"argument `{name}` of type {record.cls.__name__}, which is more than its attributes,"
        )
        raise error("E308", None, what=what)
    return record


def _checked_outside(record: Outside, name: str) -> Outside:
    """What is varied of data that is its values and more. Refuse what its package computes from."""
    found = by_values(record)
    if found is None:
        raise _computed(record, name)
    return found


def _computed(record: Outside, name: str) -> Exception:
    """The refusal of data of which more is read than its values."""
    if issubclass(record.cls, np.ndarray):
        what = (
            f"argument `{name}` of type {record.cls.__name__}, whose attributes share its memory,"
        )
        fix = "pass `np.asarray(x)`, the plain array of the same entries"
        return error("E308", None, what=what, fix=fix)
    package = record.cls.__module__.partition(".")[0]
    what = f"argument `{name}` of type {record.cls.__name__}, from which {package} computes,"
    return error("E308", None, what=what, fix="pass the array that it holds: `x.to_numpy()`")


def by_values(record: Outside) -> Outside | None:
    """What is varied of data that is its values and more: these, whatever labels and attributes it
    has. None where other things are read of it that follow from them.
    """
    if record.is_joint or _without_labels(record).fields.keys() != {record.way}:
        return None
    return _without_labels(record)


def _without_labels(record: Outside) -> Outside:
    """Such data without what stays as it is."""
    labels = tuple(record.like + way for way in (".index.", ".indexes[", ".__dict__[", ".mask"))
    fields = {p: tree for p, tree in record.fields.items() if not p.startswith(labels)}
    return replace(record, fields=fields)


def tangent_params(interface: Interface) -> list[Param]:
    """The parameters, with what of each has a tangent."""
    return [
        replace(p, tree=map_records(partial(_with_tangent, name=p.name), p.tree))
        for p in interface.params
    ]


def varying_slots(interface: Interface) -> list[int]:
    """The positions of what may vary in the parameters: of data with labels or attributes, without
    these.
    """
    trees = (map_records(_bare, p.tree) for p in interface.params)
    return [slot for tree in trees for slot in slots(tree)]


def _bare(record: Record) -> Record:
    return _without_labels(record) if isinstance(record, Outside) else record


def _with_tangent(record: Record, name: str) -> Record:
    """What of an object has a tangent: of data of another package what it holds, without labels.
    Refuse (E308) what its package computes from it.
    """
    if not isinstance(record, Outside):
        return record
    found = _without_labels(record)
    if record.is_joint or any("(" in p for p in found.fields if p != record.way):
        raise _computed(record, name)
    return found


def is_complex(t: Type) -> bool:
    """Whether values of this type are complex."""
    dtype = dtype_of(t)
    return dtype is not None and dtype.kind == "c"


def describe(t: Type) -> str:
    """A type in the words of Python and NumPy."""
    match t:
        case NumberType():
            return t.kind.__name__
        case ArrayType(shape=None):
            return f"array of {t.dtype}"
        case ArrayType() if t.shape:
            extents = (str(e) if isinstance(e, int) else "n" for e in t.shape)
            return f"{t.dtype}[{', '.join(extents)}]"
        case ArrayType():
            return str(t.dtype)
        case ObjectType():
            return t.name
        case _:
            return str(t)


def describe_tree(fn: Function, tree: Tree) -> str:
    """A result in the words of Python."""
    match tree:
        case Slot():
            return f"a value of type {describe(type_of(fn.body.results[tree.index]))}"
        case Static():
            return repr(tree.value)
        case Record():
            return f"a {tree.cls.__name__}"
        case _:
            return f"a {type(tree).__name__} of length {len(tree)}"


def or_zero(builder: Builder, found: Cotangent, primal: Atom) -> Atom:
    """A (co)tangent that leaves the function: a zero in the primal's shape where there is none.

    That of a number is a number, that of an array without axes is one.
    """
    t = type_of(primal)
    if found is not ZERO:
        have = type_of(found)
        is_number = isinstance(t, NumberType) or (isinstance(t, ArrayType) and t.scalar)
        if is_number and isinstance(have, ArrayType) and have.shape == () and not have.scalar:
            return as_scalar(builder, found, have.dtype)
        if not is_number and rank_of(t) == 0 and not _is_array(have):
            return builder.emit(np.asarray, (found,))
        return found
    if isinstance(primal, Value) and is_inexact(t) and (rank_of(t) != 0 or not _is_array(t)):
        return zero_like(builder, primal)
    if rank_of(t) == 0 and isinstance(t, NumberType | ArrayType) and not _is_array(t):
        return zero_number(t)
    return builder.emit(np.zeros_like, (primal,))


def _is_array(t: Type) -> bool:
    return isinstance(t, ArrayType) and not t.scalar
