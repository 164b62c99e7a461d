"""Values as Python text that gives them back to the bit.

0.1                    0.1
np.float32(0.1)        np.float32(0.10000000149011612)
np.eye(2)              np.array([[1.0, 0.0], [0.0, 1.0]])
np.zeros(1000)         np.frombuffer(bytearray(base64.b64decode(...)), "<f8").reshape(1000)
"""

from __future__ import annotations

import base64
from textwrap import wrap
from typing import Any

import numpy as np

SMALL = 16
_WIDTH = 84
_AS_NUMBERS = "?bhilqpBHILQPefdFD"  # what Python's numbers hold exactly
_PLAIN = (bool, str, bytes, type(None), type(...))


def frozen(value: Any) -> str | None:
    """Text for a number, string, array, dtype, range, slice, or tuple, list, dict or set of these;
    None for others.

    It may use `np` and `base64`.
    """
    text = _literal(value)
    if text is not None and _is_same(eval(text, {"np": np, "base64": base64}), value):
        return text
    if isinstance(value, np.ndarray | np.generic) and _is_simple(value.dtype):
        return _bytes(value)
    return None


def _literal(value: Any) -> str | None:
    """Text that reads well; NaN payloads and the like may be lost."""
    kind = type(value)
    if kind in _PLAIN:
        return repr(value)
    if kind is int:
        return repr(value) if abs(value) < 10**100 else hex(value)
    if kind is float:
        return repr(value) if np.isfinite(value) else f'float("{value}")'
    if kind is complex:
        return f"complex({_literal(value.real)}, {_literal(value.imag)})"
    if kind in (tuple, list):
        items = [frozen(item) for item in value]
        end = "," if kind is tuple and len(items) == 1 else ""
        inner = _joined(items)
        return None if inner is None else f"({inner}{end})" if kind is tuple else f"[{inner}]"
    if kind is dict:
        pairs = [_joined([frozen(key), frozen(item)], ": ") for key, item in value.items()]
        inner = _joined(pairs)
        return None if inner is None else f"{{{inner}}}"
    if kind in (set, frozenset) and all(type(item) in (int, bool) for item in value):
        # Of other items the order, which `repr` shows, is another in each process.
        return f"{kind.__name__}({frozen([*value])})"
    if kind in (range, slice):
        parts = _joined([frozen(each) for each in (value.start, value.stop, value.step)])
        return None if parts is None else f"{kind.__name__}({parts})"
    if isinstance(value, np.dtype):
        if value.names is not None and np.dtype(value.descr) == value and not value.hasobject:
            return f"np.dtype({value.descr!r})"
        return f'np.dtype("{value.str}")' if _is_simple(value) else None
    if isinstance(value, np.generic) and value.dtype.char in _AS_NUMBERS:
        return f"np.{kind.__name__}({_literal(value.item())})"
    if kind is np.ndarray and value.size <= SMALL and value.dtype.char in _AS_NUMBERS:
        return _array(value)
    return None


def _joined(parts: list[str | None], by: str = ", ") -> str | None:
    return None if None in parts else by.join(part for part in parts if part is not None)


def _array(value: np.ndarray[Any, Any]) -> str | None:
    name = value.dtype.name if value.dtype.isnative else value.dtype.str
    if value.size == 0:
        return f'np.zeros({value.shape}, "{name}")'
    items = _literal(value.tolist())
    if items is None or np.array(value.tolist()).dtype == value.dtype:
        return items and f"np.array({items})"
    return f'np.array({items}, "{name}")'


def _bytes(value: np.ndarray[Any, Any] | np.generic) -> str:
    is_fortran = value.flags.f_contiguous and not value.flags.c_contiguous
    encoded = base64.b64encode(value.tobytes("F" if is_fortran else "C")).decode()
    lines = "\n".join(f'            "{line}"' for line in wrap(encoded, _WIDTH))
    head = (
        f"np.frombuffer(\n    bytearray(\n        base64.b64decode(\n{lines}\n        )\n    ),"
        f'\n    "{value.dtype.str}",\n)'
    )
    if isinstance(value, np.generic):
        return f"{head}[0]"
    shape = ", ".join(map(str, value.shape)) or "()"
    return f'{head}.reshape({shape}, order="F")' if is_fortran else f"{head}.reshape({shape})"


def _is_simple(dtype: np.dtype[Any]) -> bool:
    """Whether its `str` and the bytes of a value say everything."""
    return not dtype.hasobject and dtype.names is None and dtype.subdtype is None


def _is_same(a: Any, b: Any) -> bool:
    """Equal to the bit, in the same type."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray | np.generic):
        same_layout = a.flags.f_contiguous == b.flags.f_contiguous
        is_same = a.dtype == b.dtype and a.shape == b.shape and same_layout
        return bool(is_same and a.tobytes() == b.tobytes())
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(_is_same, a, b))
    if isinstance(a, dict):
        return _is_same(list(a.items()), list(b.items()))
    if isinstance(a, slice):
        return _is_same((a.start, a.stop, a.step), (b.start, b.stop, b.step))
    by_text = isinstance(a, float | complex | set | frozenset)
    return repr(a) == repr(b) if by_text else bool(a == b)
