"""Calls with arguments that a builtin or a method does not take are refused, not read leniently."""

import pytest

import srcad

CALLS = [
    lambda a, d: sorted(a, by=None),
    lambda a, d: a.sort(by=None),
    lambda a, d: a.sort(None),
    lambda a, d: a.pop(index=0),
    lambda a, d: a.append(object=1.0),
    lambda a, d: a.insert(0),
    lambda a, d: d.get("a", default=1.0),
    lambda a, d: d.setdefault("c", default=1.0),
    lambda a, d: d.items(1),
    lambda a, d: list(map(abs)),
    lambda a, d: next(iter(a), 1.0, 2.0),
    lambda a, d: list(enumerate(a, first=1)),
    lambda a, d: sum(a, initial=1.0),
    lambda a, d: list(zip(a, shortest=True)),
    lambda a, d: max(a, initial=1.0),
    lambda a, d: isinstance(a),
    lambda a, d: (1.0, 2.0).index(1.0, start=0),
]


@pytest.mark.parametrize("f", CALLS)
def test_misfitting_arguments_are_refused(f):
    with pytest.raises(TypeError):
        f([1.0, 2.0], {"a": 1.0})
    with pytest.raises(TypeError, match="E1"):
        srcad.compile(f)([1.0, 2.0], {"a": 1.0})


def by_keys(x):
    d = dict(x=x, self=2.0)
    d.update(x=d["x"] * d["self"], self=3.0)
    return d["x"] * d["self"] + dict({"y": x}, x=1.0)["y"]


def test_keys_are_called_as_parameters_are():
    assert srcad.value_and_grad(by_keys)(2.0) == (14.0, 7.0)
