"""Functions of optree in a compiled or differentiated function: the structure is known."""

from collections import OrderedDict, namedtuple

import numpy as np
import optree
import pytest

import srcad
from srcad.errors import SrcadError

Layer = namedtuple("Layer", "w b")
GLOBAL = {"z": 1.0, "c": [2.0, np.ones(2)]}
PARAMETERS = {"b": np.array([1.0, 2.0]), "a": [3.0, (4.0, None)]}
STRUCTURE = optree.tree_structure({"x": 0, "y": [0]})


def doubled(x):
    return x * 2


def is_pair(x):
    return isinstance(x, tuple)


def taken_apart(p):
    leaves, structure = optree.tree_flatten(p)
    return optree.tree_unflatten(structure, [3 * x for x in leaves])


def rebuilt_by_method(p):
    leaves, structure = optree.tree_flatten(p)
    return structure.unflatten([x + 1 for x in leaves])


def in_order(p):
    seen = []
    optree.tree_map_(lambda x: seen.append(np.sum(x)), p)
    return seen


def caught(p):
    try:
        return optree.tree_map(lambda x, y: x, p, [1.0])
    except ValueError:
        return -1.0


PROGRAMS = [
    lambda p: optree.tree_map(doubled, p),
    lambda p: optree.tree_map(lambda x, y: 2 * x - y, p, p),
    lambda p: optree.tree_map(doubled, GLOBAL),
    lambda p: optree.tree_map(doubled, Layer(p["b"], p)),
    lambda p: optree.tree_map(doubled, OrderedDict(z=p["b"], a=2.0))["z"],
    lambda p: optree.tree_map(lambda x, y: y, {"a": 1.0, "b": 2.0}, p),
    lambda p: optree.tree_map(lambda x: x[0], {"a": (p["b"], 2.0)}, is_leaf=is_pair),
    lambda p: optree.tree_map(lambda x: 0.0 if x is None else x, p, none_is_leaf=True),
    lambda p: optree.tree_map(lambda x: x, p)["b"] is p["b"],
    lambda p: [optree.tree_map(lambda x: x * i, p) for i in range(2)],
    optree.tree_leaves,
    lambda p: optree.tree_leaves({2: p["b"], 1: 3.0}),
    lambda p: optree.tree_leaves({"a": (p["b"], 2.0)}, is_pair)[0],
    lambda p: optree.tree_reduce(lambda a, b: a + np.sum(b), p),
    lambda p: optree.tree_reduce(lambda a, b: a + np.sum(b), p, initial=1.0),
    lambda p: optree.tree_sum(optree.tree_map(np.sum, p), start=2.0),
    lambda p: optree.tree_all(optree.tree_map(lambda x: np.sum(x) > 0, p)),
    lambda p: optree.tree_unflatten(STRUCTURE, [p["b"], 1.0]),
    taken_apart,
    rebuilt_by_method,
    in_order,
    caught,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_compiled_functions_give_what_optree_gives(f):
    if f is optree.tree_leaves:
        f = lambda p: optree.tree_leaves(p)
    assert repr(srcad.compile(f)(PARAMETERS)) == repr(f(PARAMETERS))


def squares(p):
    return optree.tree_reduce(lambda s, x: s + np.sum(x**2), p, 0.0)


def test_gradients_pass_through_them():
    found = srcad.grad(squares)(PARAMETERS)
    np.testing.assert_array_equal(found["b"], [2.0, 4.0])
    assert found["a"][0] == 6.0
    assert found["a"][1] == (8.0, None)


def test_a_training_step_maps_over_parameters():
    def train(p):
        for _ in range(3):
            p = optree.tree_map(lambda x, d: x - 0.1 * d, p, srcad.grad(squares)(p))
        return p

    for a, b in zip(
        optree.tree_leaves(srcad.compile(train)(PARAMETERS)),
        optree.tree_leaves(train(PARAMETERS)),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("other", [{"a": 1.0}, {"a": 1.0, "b": 2.0}, [1.0]])
def test_other_structures_raise_what_optree_raises(other):
    def f(p):
        return optree.tree_map(lambda x, y: x, p, other)

    for each in (f, srcad.compile(f)):
        with pytest.raises(ValueError, match=r"[Ee]xpected"):
            each(PARAMETERS)


@optree.register_pytree_node_class(namespace="test_trees")
class Held:
    def __init__(self, x):
        self.x = x

    def tree_flatten(self):
        return (self.x,), None

    @classmethod
    def tree_unflatten(cls, data, children):
        return cls(*children)


@pytest.mark.parametrize(
    "f",
    [
        lambda p: optree.tree_map_with_path(lambda path, x: x, p)["b"],
        lambda p: optree.tree_leaves([Held(p["b"])], namespace="test_trees")[0],
    ],
)
def test_what_is_not_known_is_refused_at_the_call(f):
    with pytest.raises(SrcadError, match="E120") as refused:
        srcad.compile(f)(PARAMETERS)
    assert "test_trees.py" in str(refused.value)
