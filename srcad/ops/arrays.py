"""srcad's own functions of arrays: of `runtime`, of `kernels`, and what the IR has besides."""

from srcad import runtime
from srcad.ir import inplace
from srcad.ops.table import Row, state

state(Row(store=True, in_place=inplace.index_set), runtime.index_update)
state(Row(store=True, in_place=inplace.index_iadd), runtime.index_add)
state(Row(store=True, in_place=inplace.index_isub), inplace.index_sub)
state(Row(store=True, in_place=inplace.index_imul), inplace.index_mul)
state(Row(store=True, in_place=inplace.index_itruediv), inplace.index_truediv)
