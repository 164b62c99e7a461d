"""Between containers and leaves: signature, the lines that unpack it, display of the result.

Param("params", {"w": Slot(0), "b": Slot(1)})        def loss_grad(params, x):
Param("x", Slot(2))                                      w = params["w"]
result {"w": Slot(0), "b": Slot(1)}                      b = params["b"]
                                                         ...
                                                         return {"w": w_bar, "b": b_bar}
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np

from srcad.emit.operations import Expressions
from srcad.emit.references import LOAD, STORE, References, name
from srcad.ir import UNDEFINED, ArrayType, Function, Interface, Param, Record, Slot, Static, Value
from srcad.ir.interface import Chosen, Fields, Given, Outside, Queue, Table, Tree, slots
from srcad.runtime.fields import with_fields
from srcad.runtime.outside import maker_of
from srcad.runtime.records import is_dataclass, like, ordered, record

_LITERALS = (bool, int, float, complex, str, bytes, type(None))


def interface_of(fn: Function) -> Interface:
    """The interface of `fn`, or the flat one where it has none."""
    if fn.interface is not None:
        return fn.interface
    params = tuple(Param(p.name or "t", Slot(i)) for i, p in enumerate(fn.params))
    slots = tuple(Slot(i) for i in range(len(fn.body.results)))
    return Interface(params, result=slots[0] if len(slots) == 1 else slots)


# Signature ---------------------------------------------------------------------------------------


def signature(interface: Interface, labels: Sequence[str], references: References) -> ast.arguments:
    """One parameter for each input, in order and named by `labels`; captured values come last.

    Every parameter can be passed by position: `*args` is one that takes a tuple, `**kw` one that
    takes a dict. Literal defaults are kept as far as no parameter without one follows.
    """
    inputs = interface.inputs
    is_only = [param.kind is inspect.Parameter.POSITIONAL_ONLY for param in inputs]
    n_only = (*is_only, False).index(False)
    arguments = [ast.arg(label) for label in labels]
    defaults: list[ast.expr] = []
    for param in reversed(inputs):
        if not _is_literal(param.default):
            break
        defaults.insert(0, references.constant(param.default))
    return ast.arguments(
        posonlyargs=arguments[:n_only],
        args=arguments[n_only:],
        vararg=None,
        kwonlyargs=[],
        kw_defaults=[],
        kwarg=None,
        defaults=defaults,
    )


def _is_literal(value: Any) -> bool:
    return type(value) in _LITERALS or (type(value) is tuple and all(map(_is_literal, value)))


# Prologue ----------------------------------------------------------------------------------------


class Unpacking:
    """Binds the leaves that are used; `names` are their variables."""

    def __init__(self, params: list[Value], names: Mapping[Value, str], uses: Mapping[Value, int]):
        self.params = params
        self.names = names
        self.uses = uses

    def prologue(self, interface: Interface, labels: Sequence[str]) -> list[ast.stmt]:
        """The statements that unpack the parameters that are containers."""
        self.labels = labels
        return [
            stmt
            for param, label in zip(interface.inputs, labels, strict=True)
            if not isinstance(param.tree, Slot)
            for stmt in self._unpack(param.tree, name(label))
        ]

    def _unpack(self, tree: Tree, access: ast.expr) -> Iterator[ast.stmt]:
        pattern = self._pattern(tree)
        if pattern is not None:
            yield ast.Assign([pattern], access, lineno=0)
        elif isinstance(tree, tuple | list | dict):
            for key, item in _items(tree):
                yield from self._unpack(item, ast.Subscript(access, ast.Constant(key), LOAD))
        elif isinstance(tree, Outside):
            yield from self._unpack_outside(tree, ast.unparse(access))
        elif isinstance(tree, Record):
            for key, item in tree.fields.items():
                yield from self._unpack(item, ast.Attribute(access, key, LOAD))

    def _unpack_outside(self, tree: Outside, access: str) -> Iterator[ast.stmt]:
        """What is read of the data of another package, which computes each part of it once."""
        ways = {path.removeprefix(tree.like): item for path, item in tree.fields.items()}
        known: dict[str, str] = {}
        taken = {*self.names.values(), *self.labels}
        for call in _shared_calls(list(ways)):
            label = next(f"part_{i}" for i in count(1) if f"part_{i}" not in taken)
            taken.add(label)
            part = _reached(call, known, access, self.labels)
            yield ast.Assign([ast.Name(label, STORE)], part, lineno=0)
            known[call] = label
        for way, item in ways.items():
            yield from self._unpack(item, _reached(way, known, access, self.labels))

    def _pattern(self, tree: Tree) -> ast.expr | None:
        """`(w, b), (w_2, b_2)` where everything in `tree` is used."""
        if isinstance(tree, Slot):
            value = self.params[tree.index]
            return ast.Name(self.names[value], STORE) if self.uses[value] else None
        if not isinstance(tree, tuple | list) or not tree:
            return None
        parts = [self._pattern(item) for item in tree]
        found = [part for part in parts if part is not None]
        return ast.Tuple(found, STORE) if len(found) == len(parts) else None


def _items(tree: Tree) -> Iterable[tuple[Any, Tree]]:
    return tree.items() if isinstance(tree, dict) else enumerate(tree)


# Result ------------------------------------------------------------------------------------------


class Result:
    """Displays of result trees; records are rebuilt from a parameter of their class."""

    def __init__(
        self,
        interface: Interface,
        labels: Sequence[str],
        results: list[Any],
        expressions: Expressions,
    ) -> None:
        self.interface = interface
        self.labels = labels
        self.results = results
        self.expressions = expressions
        self.references = expressions.references
        self.records: dict[type, tuple[Record, ast.expr]] = {}
        for param, label in zip(interface.inputs, labels, strict=True):
            self._find_records(param.tree, name(label))

    def _find_records(self, tree: Tree, access: ast.expr) -> None:
        if isinstance(tree, Outside):
            return
        if isinstance(tree, Record):
            self.records.setdefault(tree.cls, (tree, access))
            for key, item in tree.fields.items():
                self._find_records(item, ast.Attribute(access, key, LOAD))
        elif isinstance(tree, tuple | list | dict):
            for key, item in _items(tree):
                self._find_records(item, ast.Subscript(access, ast.Constant(key), LOAD))

    def display(self, tree: Tree) -> ast.expr:
        """The expression that builds `tree`."""
        if isinstance(tree, Slot):
            return self._leaf(self.results[tree.index])
        if isinstance(tree, tuple):
            return ast.Tuple([self.display(item) for item in tree], LOAD)
        if isinstance(tree, list):
            return self._list(tree)
        if isinstance(tree, dict):
            return self._dict(tree)
        if isinstance(tree, Given):
            return self.given(tree.path)
        if isinstance(tree, Chosen):
            return self._chosen(tree)
        if isinstance(tree, Outside):
            values = self.display(tree.own_values())
            if not tree.like:  # of a pullback, which the caller completes
                return values
            made_by = self.references.to(maker_of(tree.cls))
            return ast.Call(made_by, [self.given(tree.like), values], [])
        if isinstance(tree, Record):
            return self._record(tree)
        return self._constant(tree.value)

    def _list(self, tree: list[Tree]) -> ast.expr:
        items = ast.List([self.display(item) for item in tree], LOAD)
        if not isinstance(tree, Queue):
            return items
        room = [self.references.constant(tree.maxlen)]
        return ast.Call(self.references.to(deque), [items, *room], [])

    def _dict(self, tree: dict[Any, Tree]) -> ast.expr:
        if isinstance(tree, Fields) and tree.is_array:
            return self._fields(tree)
        keys = [self.references.constant(key) for key in tree]
        items = ast.Dict([*keys], [self.display(item) for item in tree.values()])
        if not isinstance(tree, Table):
            return items
        given = map(self.references.constant, tree.given)
        return ast.Call(self.references.to(tree.made_by), [*given, items], [])

    def _fields(self, tree: Fields) -> ast.expr:
        """An array with fields: `with_fields(dtype, {"a": a_bar}, False)`."""
        items = self._dict({key: item for key, item in tree.items() if slots(item)})
        given = [self._constant(tree.dtype), items, *map(self._constant, tree.flags)]
        return ast.Call(self.references.to(with_fields), given, [])

    def _chosen(self, tree: Chosen) -> ast.expr:
        """`None if code == 0 else best`."""
        *others, (_, item) = tree.cases.items()
        expr = self.display(item)
        for number, item in reversed(others):
            test = ast.Compare(self.display(tree.code), [ast.Eq()], [ast.Constant(number)])
            expr = ast.IfExp(test, self.display(item), expr)
        return expr

    def _constant(self, value: Any) -> ast.expr:
        """A constant; a set is built anew in each call, so that the caller may change it."""
        written = self.references.constant(value)
        if isinstance(value, set):
            return ast.Call(ast.Attribute(written, "copy", LOAD), [], [])
        return written

    def given(self, path: str) -> ast.expr:
        """`A[0]['w']` as an expression on the first parameter."""
        return given(path, self.labels)

    def _leaf(self, atom: Any) -> ast.expr:
        expr = self.expressions.tree(None if atom is UNDEFINED else atom)
        if isinstance(atom, np.ndarray):  # the caller may write into the result
            order = [ast.keyword("order", ast.Constant("F"))] if atom.flags.fnc else []
            return ast.Call(ast.Attribute(expr, "copy", LOAD), [], order)
        if self._is_shared(atom):
            return ast.Call(self.references.to(np.array), [expr], [])
        return expr

    def _is_shared(self, atom: Any) -> bool:
        """Whether an entry leaves in several places that could be written in each of them."""
        if self.references.dialect.keeps_entries or not isinstance(atom, Value):
            return False
        is_scalar = isinstance(atom.type, ArrayType) and atom.type.scalar
        return is_scalar and sum(atom is each for each in self.results) > 1

    def _record(self, tree: Record) -> ast.expr:
        if tree.like:
            fields = [ast.keyword(key, self.display(item)) for key, item in tree.fields.items()]
            made_by = self.references.to(like if tree.whole else ordered)
            return ast.Call(made_by, [self.given(tree.like)], fields)
        if not keeps_arguments(tree.cls) or not _has_fields_alone(tree):
            fields = [ast.keyword(key, self.display(item)) for key, item in tree.fields.items()]
            return ast.Call(self.references.to(record), [self.references.to(tree.cls)], fields)
        known = self.records.get(tree.cls)
        old = {} if known is None else known[0].fields
        fields = [
            ast.keyword(key, self.display(item))
            for key, item in tree.fields.items()
            if not (isinstance(item, Static) and _same_static(old.get(key), item))
        ]
        if known is None:
            return ast.Call(self.references.to(tree.cls), [], fields)
        if issubclass(tree.cls, tuple):
            return ast.Call(ast.Attribute(known[1], "_replace", LOAD), [], fields)
        if is_dataclass(tree.cls):
            return ast.Call(self.references.to(dataclasses.replace), [known[1]], fields)
        return ast.Call(self.references.to(tree.cls), [], fields)


def given(path: str, labels: Sequence[str]) -> ast.expr:
    """`A[0]['w']` as an expression on the first parameter."""
    expr: ast.expr = _Renamed(labels).visit(ast.parse(path, mode="eval").body)
    return expr


def _reached(way: str, known: Mapping[str, str], access: str, labels: Sequence[str]) -> ast.expr:
    """Where a way leads from an object that `access` reaches, the argument or its tangent; what is
    `known` on the way has a name.
    """
    longest = max((each for each in known if way.startswith(each)), key=len, default="")
    return given(f"{known.get(longest, access)}{way.removeprefix(longest)}", labels)


def _shared_calls(ways: Sequence[str]) -> list[str]:
    """The calls that several ways lead through, the shorter ones first."""
    through: dict[str, set[str]] = {}
    for way in ways:
        node: Any = ast.parse(f"x{way}", mode="eval").body
        while not isinstance(node, ast.Name):
            if isinstance(node, ast.Call):
                through.setdefault(ast.unparse(node)[1:], set()).add(way)
            node = node.func if isinstance(node, ast.Call) else node.value
    shared = [call for call, users in through.items() if len(users) > 1]
    # One that leads to another for the same ways has no use of its own.
    longest = [
        call
        for call in shared
        if not any(o != call and o.startswith(call) and through[o] == through[call] for o in shared)
    ]
    return sorted(longest, key=len)


class _Renamed(ast.NodeTransformer):
    """Puts the name of a parameter in the place of `A[k]`."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = labels

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        match node:
            case ast.Subscript(value=ast.Name(id="A"), slice=ast.Constant(value=int(k))):
                return name(self.labels[k])
        self.generic_visit(node)
        return node


def keeps_arguments(cls: Any) -> bool:
    """Whether `cls(**fields)` makes the object with these attributes."""
    if issubclass(cls, tuple | SimpleNamespace):
        return True
    code = getattr(getattr(cls, "__init__", None), "__code__", None)
    made = code is not None and code.co_filename == "<string>"
    if not made or not is_dataclass(cls) or hasattr(cls, "__post_init__"):
        return False
    return all(field.init for field in dataclasses.fields(cls))


def _has_fields_alone(tree: Record) -> bool:
    """Whether an object has the attributes that its class states, in this order, and no others."""
    if not is_dataclass(tree.cls):
        return True
    return list(tree.fields) == [field.name for field in dataclasses.fields(tree.cls)]


def _same_static(old: Any, new: Static) -> bool:
    return isinstance(old, Static) and (old.value is new.value or _equal(old.value, new.value))


def _equal(a: Any, b: Any) -> bool:
    return type(a) is type(b) and type(a) in _LITERALS and a == b
