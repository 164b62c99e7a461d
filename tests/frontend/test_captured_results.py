"""Captured lists, dicts and objects that leave a function are themselves, as in Python."""

import collections
import dataclasses
import types

import numpy as np
import pytest
from optional import BACKENDS

import srcad

ITEMS, OTHERS = [1.0, 2.0], [3.0]
TABLE = {"a": [1.0], "b": 2.0}
NAMES, LAST = {1, 2}, collections.deque([1.0])
BOX = types.SimpleNamespace(items=[1.0], inner={"q": ITEMS})
Pair = collections.namedtuple("Pair", "a items")
PAIR = Pair(1.0, [2.0])


@dataclasses.dataclass
class Options:
    a: float
    items: list


OPTIONS = Options(1.0, [2.0])


class Store:
    shared = [1.0, 2.0]  # noqa: RUF012

    def __init__(self):
        self.items = [1.0]

    def get(self, x):
        return self.items


STORE = Store()


def closure():
    own = [1.0]
    return lambda x: own


def chosen(x):
    if x > 0:
        return ITEMS
    return OTHERS


WHOLE = [
    lambda x: ITEMS, lambda x: TABLE, lambda x: TABLE["a"], lambda x: TABLE.get("a"),
    lambda x: BOX.items, lambda x: BOX.inner["q"], lambda x: OPTIONS, lambda x: OPTIONS.items,
    lambda x: PAIR.items, lambda x: STORE.shared, lambda x: Store.shared, STORE.get, closure(),
    chosen, lambda x: ITEMS if x < 0 else OTHERS, lambda x: NAMES, lambda x: LAST,
]  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", WHOLE)
def test_what_is_captured_comes_back_itself(f, backend):
    compiled = srcad.compile(f, backend=backend)
    assert compiled(1.0) is f(1.0)
    assert compiled(1.0) is f(1.0)
    assert srcad.value_and_grad(lambda x: (x * x, f(x)), has_aux=True)(1.0)[0][1] is f(1.0)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "f",
    [
        lambda x: (ITEMS, x),
        lambda x: {"l": ITEMS, "x": x},
        lambda x: [ITEMS, TABLE, x],
        lambda x: (ITEMS, ITEMS),
        lambda x: [ITEMS if x > 0 else [x]],
        lambda x: PAIR,
    ],
)
def test_what_is_captured_is_itself_in_what_is_made(f, backend):
    wanted, found = f(1.0), srcad.compile(f, backend=backend)(1.0)
    aux = srcad.value_and_grad(lambda x: (x * x, f(x)), has_aux=True)(1.0)[0][1]
    for got in (found, aux):
        assert got == wanted
        for key in range(len(wanted)) if isinstance(wanted, tuple | list) else wanted:
            if isinstance(wanted[key], list | dict):
                assert got[key] is wanted[key]


def test_changes_of_the_result_are_seen():
    items = [1.0, 2.0]
    compiled = srcad.compile(lambda x: items)
    compiled(1.0).append(3.0)
    assert items == [1.0, 2.0, 3.0]
    assert compiled(1.0) is items


def test_captured_container_is_stored_into_an_argument():
    def put(x, d):
        d["k"] = ITEMS
        return d

    given = {}
    assert srcad.compile(put)(1.0, given) is given
    assert given["k"] is ITEMS


def test_argument_beside_the_value_is_a_copy():
    def loss(x, p):
        return np.sum(x) * p[0], (p if np.sum(x) > 0 else ITEMS)

    given = [2.0, 3.0]
    aux = srcad.value_and_grad(loss, has_aux=True)(np.ones(2), given)[0][1]
    assert aux == given
    aux = srcad.value_and_grad(loss, has_aux=True)(-np.ones(2), given)[0][1]
    assert aux is ITEMS
