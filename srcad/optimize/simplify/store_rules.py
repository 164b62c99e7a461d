"""Laws of arrays that are written in part: scatters into zeros, stores, the identity matrix.

    x + scatter(g, shape, i)          index_add(x, i, g)          no array of zeros
    index_update(x, i, v)[i]          v                           what was just stored
    eye(n) * g @ b                    g * b

They stand in the table of `srcad.optimize.simplify.algebra_table`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.nodes import Value
from srcad.ir.types import shape_of
from srcad.ir.walk import map_tree
from srcad.optimize.simplify.pattern import ACCURATE, EXACT, Law, make_law, rank
from srcad.rules import call
from srcad.rules.arrays.distinct import is_basic_index, names_all
from srcad.rules.core.facts import shape_from
from srcad.rules.core.staged import type_of

STORES: list[Law] = []
_X = np.arange(-2.0, 4.0).reshape(2, 3)


def _law(left: Any, right: Any, accuracy: str = EXACT, **about: Any) -> None:
    STORES.append(make_law(left, right, accuracy, **about))


# ---- zeros by construction: -0.0 may become 0.0, and 0 * inf does not come up


def _has_shape(x: Any, shape: Any) -> bool:
    """Whether `x` is an array of that shape for certain: what is added to it is not broadcast."""
    known = shape_of(type_of(x))
    types = map_tree(lambda a: a.type if isinstance(a, Value) else a, shape)
    return bool(known) and known == shape_from(types)


_SCATTER = ((_X, _X[0], (2, 3), 1), (_X, _X[:, 0], (2, 3), (slice(None), 2)))

_law(
    lambda x, g, s, i: x + call(runtime.scatter, g, s, i),
    lambda x, g, s, i: call(runtime.index_add, x, i, g),
    ACCURATE,
    once=True,
    when=lambda x, g, s, i: _has_shape(x, s),
    cases=_SCATTER,
)
_law(
    lambda x, g, s, i: call(runtime.scatter, g, s, i) + x,
    lambda x, g, s, i: call(runtime.index_add, x, i, g),
    ACCURATE,
    once=True,
    when=lambda x, g, s, i: _has_shape(x, s),
    cases=_SCATTER,
)
_law(
    lambda g, s, i, h: call(runtime.index_add, call(runtime.scatter, g, s, i), i, h),
    lambda g, s, i, h: call(runtime.scatter, g + h, s, i),
    ACCURATE,
    cases=((_X[0], (2, 3), 1, _X[1]),),
)
_law(
    lambda x, i, g, h: call(runtime.index_add, call(runtime.index_add, x, i, g), i, h),
    lambda x, i, g, h: call(runtime.index_add, x, i, g + h),
    ACCURATE,
    cases=((_X, 1, _X[0], _X[1]),),
)
_law(
    lambda v, t, s, i: call(runtime.scatter, np.broadcast_to(v, t), s, i),
    lambda v, t, s, i: call(runtime.scatter, v, s, i),
    when=lambda v, t, s, i: rank(v) == 0,
    cases=((np.float64(2.5), (3,), (2, 3), 1),),
)
_law(
    lambda x, v, t, i: call(runtime.index_add, x, i, np.broadcast_to(v, t)),
    lambda x, v, t, i: call(runtime.index_add, x, i, v),
    when=lambda x, v, t, i: rank(v) == 0,
    cases=((_X, np.float64(2.5), (3,), 1),),
)

# ---- stores: what was just stored is read, or stored over

_STORED = ((_X, 1, _X[0]), (_X, (slice(None), 2), _X[:, 0]))


_law(
    lambda x, i, v: call(runtime.index_update, x, i, v)[i],
    lambda x, i, v: v,
    integers=True,
    when=lambda x, i, v: is_basic_index(i),
    cases=_STORED,
)
_law(
    lambda x, i, v: call(runtime.index_update, x, i, v),
    lambda x, i, v: v,
    integers=True,
    when=lambda x, i, v: names_all(i),
    cases=((_X, slice(None), _X), (_X, Ellipsis, -_X)),
)
_law(
    lambda x, i, v, w: call(runtime.index_update, call(runtime.index_update, x, i, v), i, w),
    lambda x, i, v, w: call(runtime.index_update, x, i, w),
    once=True,
    integers=True,
    cases=((_X, 1, _X[0], _X[1]),),
)
_law(
    lambda x, i, g, w: call(runtime.index_update, call(runtime.index_add, x, i, g), i, w),
    lambda x, i, g, w: call(runtime.index_update, x, i, w),
    once=True,
    integers=True,
    cases=((_X, 1, _X[0], _X[1]),),
)
_law(
    lambda x, i: call(runtime.index_update, x, i, x[i]),
    lambda x, i: x,
    integers=True,
    cases=((_X, 1), (_X, (slice(None), np.array([0, 2, 2])))),
)
_law(
    lambda zeros, i: call(runtime.index_update, zeros, i, 0),
    lambda zeros, i: zeros,
    cases=((np.zeros((2, 3)), 1),),
)
_law(
    lambda g, s, i, w: call(runtime.index_update, call(runtime.scatter, g, s, i), i, w),
    lambda g, s, i, w: call(runtime.scatter, w, s, i),
    when=lambda g, s, i, w: is_basic_index(i),
    cases=((_X[0], (2, 3), 1, _X[1]),),
)
_law(lambda zeros, x: zeros + x, lambda zeros, x: x, ACCURATE, cases=((np.zeros((2, 3)), _X),))
_law(lambda x, zeros: x + zeros, lambda x, zeros: x, ACCURATE, cases=((_X, np.zeros((2, 3))),))
_law(lambda x, zeros: x - zeros, lambda x, zeros: x, ACCURATE, cases=((_X, np.zeros((2, 3))),))

# ---- the identity


def _is_number(n: Any, b: Any, g: Any) -> bool:
    return rank(g) == 0


_EYE = ((2, _X, 3.0), (2, _X, np.float64(-0.5)))
_law(
    lambda n, b, g: (call(np.eye, n) * g) @ b,
    lambda n, b, g: g * b,
    ACCURATE,
    when=_is_number,
    derived=True,
    cases=_EYE,
)
_law(
    lambda n, b, g: (g * call(np.eye, n)) @ b,
    lambda n, b, g: g * b,
    ACCURATE,
    when=_is_number,
    derived=True,
    cases=_EYE,
)
_law(
    lambda n, b, g: b @ (call(np.eye, n) * g),
    lambda n, b, g: g * b,
    ACCURATE,
    when=_is_number,
    derived=True,
    cases=((3, _X, 3.0),),
)
_law(
    lambda n, b, g: b @ (g * call(np.eye, n)),
    lambda n, b, g: g * b,
    ACCURATE,
    when=_is_number,
    derived=True,
    cases=((3, _X, 3.0),),
)
_law(lambda n, b: call(np.eye, n) @ b, lambda n, b: b, ACCURATE, derived=True, cases=((2, _X),))
_law(lambda n, b: b @ call(np.eye, n), lambda n, b: b, ACCURATE, derived=True, cases=((3, _X),))


__all__ = ["STORES"]
