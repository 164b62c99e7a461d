"""Views by strides, of arrays that lie in memory row by row.

as_strided(x, (n, 3), (x.strides[0],) * 2)       by_strides(x, (n, 3), (1, 1))
"""

from __future__ import annotations

import operator

import numpy as np

from srcad import runtime
from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.expressions.missing import fails
from srcad.frontend.expressions.sharing import by_layout
from srcad.frontend.objects.attributes import ARRAY_ATTRIBUTES
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value
from srcad.ir.types import dtype_of

as_strided = np.lib.stride_tricks.as_strided


def _as_strided(
    frame: Frame,
    x: Abstract,
    shape: Abstract = None,
    strides: Abstract = None,
    subok: Abstract = False,
    writeable: Abstract = True,
) -> Abstract:
    """A view that is read only, unlike NumPy's: entries of it may be one in memory."""
    memory = frame.session.memory
    if not is_array(x) or subok is not False or not memory.is_row_by_row(x):
        raise by_layout(*_REFUSED)
    counts = _parts(ARRAY_ATTRIBUTES["shape"](frame, x) if shape is None else shape)
    given = _parts(ARRAY_ATTRIBUTES["strides"](frame, x) if strides is None else strides)
    if len(counts) != len(given):
        raise fails(frame, ValueError("mismatch in length of strides and shape"))
    steps = tuple(_step(frame, each, _size(x)) for each in given)
    return frame.session.emit(runtime.by_strides, (x, counts, steps))


def _parts(x: Abstract) -> tuple[Abstract, ...]:
    if isinstance(x, ListObj) and x.form is None:
        return tuple(x.items)
    return x if isinstance(x, tuple) else (x,)


def _step(frame: Frame, stride: Abstract, size: int) -> Abstract:
    """A stride in entries.

    Raises:
        UnsupportedFunction: E204, it is not known to be a whole number of them.
    """
    if isinstance(stride, int) and stride % size == 0:
        return stride // size
    op = frame.session.memory.producers.get(stride) if isinstance(stride, Value) else None
    if op is None or op.fn not in (operator.mul, operator.add):
        raise by_layout(*_REFUSED)
    if op.fn is operator.add:
        return frame.session.emit(op.fn, tuple(_step(frame, each, size) for each in op.args))
    known = [k for k, each in enumerate(op.args) if isinstance(each, int) and each % size == 0]
    at = known[0] if known else 0 if isinstance(op.args[0], Value) else 1
    other = op.args[1 - at]
    return frame.session.emit(op.fn, (_step(frame, op.args[at], size), other))


def _size(x: Value) -> int:
    dtype = dtype_of(x.type)
    assert dtype is not None
    return dtype.itemsize


_REFUSED = (
    "`np.lib.stride_tricks.as_strided`, of these arrays,",
    "use `np.lib.stride_tricks.sliding_window_view`, or an index: `x[i[:, None] + j]`",
)

BUILTINS[as_strided] = _as_strided

__all__: list[str] = []
