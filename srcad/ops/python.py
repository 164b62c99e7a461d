"""Operators and builtins, and the functions of numbers."""

import cmath
import math
import operator
from types import BuiltinFunctionType

from srcad.ops.memory import of_index
from srcad.ops.table import Row, named, state

state(Row(in_place=operator.iadd, memory="fresh"), operator.add)
state(Row(in_place=operator.isub, memory="fresh"), operator.sub)
state(Row(in_place=operator.imul, memory="fresh"), operator.mul)
state(Row(in_place=operator.itruediv, memory="fresh"), operator.truediv)
state(Row(product=True, memory="fresh"), operator.matmul)

_OPERATORS = """abs and_ contains eq floordiv ge gt invert is_ is_not le lshift lt mod ne neg not_
    or_ pos pow rshift truth xor"""
state(Row(memory="fresh"), *named(operator, _OPERATORS))
state(Row(memory="either", memory_at=of_index), operator.getitem)

# Numbers lie in no memory that is written.
state(Row(memory="fresh"), abs, pow, round, divmod, bool, int, float, complex, complex.conjugate)
_OF_MODULES = (fn for module in (math, cmath) for fn in vars(module).values())
state(
    Row(memory="fresh"),
    *(fn for fn in _OF_MODULES if isinstance(fn, BuiltinFunctionType) and fn is not math.prod),
)
state(Row(memory="fresh"), sum)  # of an array: its type function refuses all else
state(Row(memory="unknown"), min, max, list)  # one of the arguments, a list of views
