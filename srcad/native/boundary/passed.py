"""What is passed to a compiled function: arrays as dense ones, tuples and tapes in parts."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.analysis.alias import LOCKED, Aliases
from srcad.ir import ArrayType, NumberType, Op, SeqType, Stmt, Value
from srcad.ir.walk import reads, values_in
from srcad.native.boundary.shapes_passed import is_shape, items_of, taken_apart
from srcad.native.boundary.tapes_passed import as_arrays, as_tape
from srcad.native.scalarize.written_arrays import written_in
from srcad.runtime.saved import pack

_FORMS = (np.copy, np.ascontiguousarray, np.asarray)  # what makes an array to be passed of another


class Passed:
    """The parameters of a function and the arguments of its call."""

    def __init__(
        self, run: Sequence[Stmt], taken: Sequence[Value], facts: Aliases, doubtful: set[Value]
    ) -> None:
        self.before: list[Stmt] = []  # ahead of the call
        self.args: list[Any] = []
        self.params: list[Value] = []
        self.inner: dict[Value, Any] = {}
        self.sources: dict[Value, Any] = {}  # by the parameter: an argument, in whatever form
        self.tuples: list[Stmt] = []  # at the head of the function
        self.facts = facts
        arrays = [v for v in taken if isinstance(v.type, ArrayType) and v.type.shape != ()]
        apart = self.apart(run, arrays)
        for value in taken:
            if is_shape(value):
                self.shape(value, value in doubtful)
            elif isinstance(value.type, SeqType):
                self.tape(value)
            elif value in doubtful:
                self.pass_(value, self.asked(value))
            elif value in arrays:
                self.array(value, value in apart or LOCKED in facts.of(value))
            elif isinstance(value.type, ArrayType) and not value.type.scalar:
                number = Value("", value.type)
                self.before.append(Op(value.type.dtype.type, (value,), {}, (number,)))
                self.pass_(value, number)
            else:
                self.pass_(value, value)

    def apart(self, run: Sequence[Stmt], arrays: list[Value]) -> set[Value]:
        """The arrays that may share memory which the run writes through another."""
        found: set[Value] = set()
        # What is the caller's is not written, but for the arrays that a compiled function changes.
        for target in set().union(*map(written_in, run)):
            sites = self.facts.of(target) - self.facts.outside
            sharing = [v for v in arrays if not sites.isdisjoint(self.facts.of(v))]
            if len(sharing) > 1:
                found.update(v for v in sharing if v is not target)
        return found

    def pass_(self, value: Value, arg: Any) -> None:
        """Pass a value as an argument."""
        param = Value(value.name, value.type)
        self.inner[value] = param
        self.sources[param] = value
        self.params.append(param)
        self.args.append(arg)

    def asked(self, value: Value) -> Value:
        """An integer, or nothing is called."""
        number = Value("", NumberType(int))
        self.before.append(Op(operator.index, (value,), {}, (number,)))
        return number

    def array(self, value: Value, is_copied: bool) -> None:
        """Pass an array as a dense one."""
        source, dense = value, Value("", value.type)
        if is_copied:
            source = Value("", value.type)
            self.before.append(Op(np.copy, (value,), {}, (source,)))
        self.before.append(Op(np.ascontiguousarray, (source,), {}, (dense,)))
        self.pass_(value, dense)

    def tape(self, value: Value) -> None:
        """Pass what loops have saved as arrays."""
        made = as_arrays(value, self.before)
        own = [Value(value.name, each.type) for each in made]
        whole = self.inner[value] = Value(value.name, value.type)
        self.sources.update(zip(own, made, strict=True))
        self.params += own
        self.args += made
        self.tuples.append(as_tape(own, whole))

    def shape(self, value: Value, is_doubtful: bool) -> None:
        """Pass a tuple's integers one by one."""
        own = [Value(value.name, t) for t in items_of(value)]
        whole = Value(value.name, value.type)
        self.inner[value] = whole
        self.params += own
        parts = taken_apart(value, self.before)
        if is_doubtful:
            parts = [self.asked(part) for part in parts]
        self.sources.update(zip(own, parts, strict=True))
        self.args += parts
        self.tuples.append(Op(pack, tuple(own), {}, (whole,)))


def read_ones(before: Sequence[Stmt], args: Sequence[Any]) -> list[Stmt]:
    """The statements without those that copy arrays which are not passed."""
    read, made = set(values_in(list(args))), []
    for stmt in reversed(before):
        if not (isinstance(stmt, Op) and stmt.fn in _FORMS) or (stmt.out in read):
            made.append(stmt)
            read.update(reads(stmt))
    return made[::-1]


__all__ = ["Passed", "read_ones"]
