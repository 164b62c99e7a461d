"""Operators and builtins."""

import operator

from srcad.ops.table import Row, state

state(Row(in_place=operator.iadd), operator.add)
state(Row(in_place=operator.isub), operator.sub)
state(Row(in_place=operator.imul), operator.mul)
state(Row(in_place=operator.itruediv), operator.truediv)
state(Row(product=True), operator.matmul)
