"""Arguments and results as containers of leaves: what can vary, and how to walk, perturb and pair
it.
"""

import dataclasses
import enum
from types import SimpleNamespace

import numpy as np

from srcad.runtime.records import attributes, record


def parts(x):
    """The items of a container by key; None for a leaf."""
    if isinstance(x, dict):
        return dict(x)
    if isinstance(x, tuple | list):
        return dict(enumerate(x))
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return {f.name: getattr(x, f.name) for f in dataclasses.fields(x)}
    if isinstance(x, SimpleNamespace):
        return dict(sorted(attributes(x).items()))
    if type(x).__module__.startswith("corpus.") and not isinstance(x, type | enum.Enum):
        return dict(sorted(attributes(x).items()))
    return None


def rebuilt(x, items):
    """A container like `x` with other items."""
    if isinstance(x, dict):
        return items
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*items.values())
    if isinstance(x, tuple | list):
        return type(x)(items.values())
    if isinstance(x, SimpleNamespace):
        return type(x)(**items)
    return record(type(x), **items)


def map_leaves(fn, x, *others):
    """`fn` at each leaf of `x` and the containers of the same structure."""
    items = parts(x)
    if items is None:
        return fn(x, *others)
    mapped = {
        key: map_leaves(fn, item, *(parts(other)[key] for other in others))
        for key, item in items.items()
    }
    return rebuilt(x, mapped)


def varies(x):
    """Whether a leaf carries a derivative."""
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype.kind in "fc"
    return isinstance(x, float | complex)


def like(x, number):
    """`number` as a leaf of the class and dtype of `x`."""
    if isinstance(x, np.ndarray):
        return np.asarray(number, x.dtype)
    return type(x)(number) if varies(x) else x


def random_like(x, rng):
    """Random entries where a leaf varies, zeros elsewhere."""

    def leaf(each):
        if not varies(each):
            return np.zeros_like(each) if isinstance(each, np.ndarray) else each
        entries = rng.standard_normal(np.shape(each))
        if np.iscomplexobj(each):
            entries = entries + 1j * rng.standard_normal(np.shape(each))
        return like(each, entries)

    return map_leaves(leaf, x)


def moved(x, tangent, step):
    """`x + step * tangent` where leaves vary."""
    return map_leaves(lambda a, t: like(a, a + step * t) if varies(a) else a, x, tangent)


def quotient(a, b, step):
    """`(a - b) / (2 * step)` where leaves vary."""
    return map_leaves(
        lambda p, q: (
            (np.asarray(p, np.result_type(p, float)) - q) / (2 * step) if varies(p) else None
        ),
        a,
        b,
    )


def leaves(x):
    """The leaves in order; None and other constants included."""
    items = parts(x)
    return [x] if items is None else [leaf for item in items.values() for leaf in leaves(item)]


def inner(a, b):
    """The real part of the sum of the products of entries, over leaves that vary."""
    pairs = zip(leaves(a), leaves(b), strict=True)
    return sum(float(np.sum(np.real(p * q))) for p, q in pairs if varies(q) and p is not None)
