"""Operators and builtins, and the functions of numbers."""

import cmath
import math
import operator
from dataclasses import replace
from types import BuiltinFunctionType

from srcad import runtime
from srcad.ir import inplace
from srcad.ops.memory import of_index
from srcad.ops.table import Row, named, state
from srcad.runtime.exact_statistics import exact_deviation, exact_mean, exact_variance

_ENTRYWISE = Row(memory="fresh", elementwise=True)
for _fn, _in_place, _at_index, _commutes in (
    (operator.add, operator.iadd, runtime.index_add, True),
    (operator.sub, operator.isub, inplace.index_sub, False),
    (operator.mul, operator.imul, inplace.index_mul, True),
    (operator.truediv, operator.itruediv, inplace.index_truediv, False),
):
    state(replace(_ENTRYWISE, in_place=_in_place, at_index=_at_index, commutes=_commutes), _fn)
state(
    _ENTRYWISE, *named(operator, "floordiv mod pow neg pos and_ or_ xor invert inv lshift rshift")
)
for _one, _other in (
    (operator.lt, operator.ge),
    (operator.gt, operator.le),
    (operator.eq, operator.ne),
):
    state(replace(_ENTRYWISE, negation=_other), _one)
    state(replace(_ENTRYWISE, negation=_one), _other)
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
state(Row(memory="fresh", raises="values"), exact_deviation, exact_mean, exact_variance)
state(Row(memory="fresh"), sum)  # of an array: its type function refuses all else
state(Row(memory="fresh", shape_only=True), len)
state(Row(memory="unknown"), min, max, list)  # one of the arguments, a list of views
