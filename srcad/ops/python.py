"""Operators and builtins, and the functions of numbers."""

import cmath
import math
import operator
from dataclasses import replace
from types import BuiltinFunctionType

from srcad.ops.memory import of_index
from srcad.ops.table import Row, named, state

_ENTRYWISE = Row(memory="fresh", elementwise=True)
state(replace(_ENTRYWISE, in_place=operator.iadd, commutes=True), operator.add)
state(replace(_ENTRYWISE, in_place=operator.isub), operator.sub)
state(replace(_ENTRYWISE, in_place=operator.imul, commutes=True), operator.mul)
state(replace(_ENTRYWISE, in_place=operator.itruediv), operator.truediv)
state(_ENTRYWISE, *named(operator, "floordiv mod pow neg pos and_ or_ xor invert lshift rshift"))
state(replace(_ENTRYWISE, compares=True), *named(operator, "lt le gt ge eq ne"))
state(Row(memory="fresh", product=True), operator.matmul)
state(Row(memory="fresh"), *named(operator, "abs contains is_ is_not not_ truth"))
state(Row(memory="either", memory_at=of_index), operator.getitem)

# Numbers lie in no memory that is written.
state(Row(memory="fresh"), abs, pow, round, divmod, bool, int, float, complex, complex.conjugate)
_OF_MODULES = (fn for module in (math, cmath) for fn in vars(module).values())
state(
    Row(memory="fresh"),
    *(fn for fn in _OF_MODULES if isinstance(fn, BuiltinFunctionType) and fn is not math.prod),
)
state(Row(memory="fresh"), sum)  # of an array: its type function refuses all else
state(Row(memory="fresh", shape_only=True), len)
state(Row(memory="unknown"), min, max, list)  # one of the arguments, a list of views
