"""What a class has, where an object of the caller's hides it from one call to the next."""

import numpy as np
import pytest

import srcad


class Tagged:
    tags = [1.0, 2.0]  # noqa: RUF012
    rates = {"a": 3.0}  # noqa: RUF012
    scale = 2.0
    weights = np.array([1.0, 2.0])

    def norm(self, x):
        return x * 3


def by_list(t, x):
    return x * len(t.tags)


def by_dict(t, x):
    return x * t.rates["a"]


def by_number(t, x):
    return x * t.scale


def by_array(t, x):
    return x * np.sum(t.weights)


def by_method(t, x):
    return t.norm(x)


@pytest.mark.parametrize(
    ("f", "name", "hiding"),
    [
        (by_list, "tags", [1.0]),
        (by_list, "tags", (1.0, 2.0, 3.0)),
        (by_dict, "rates", {"a": 4.0}),
        (by_dict, "rates", {"b": 4.0, "a": 1.0}),
        (by_number, "scale", 5),
        (by_array, "weights", np.array([3.0])),
        (by_method, "norm", lambda x: x * 7),
    ],
)
def test_hidden_and_seen_again(f, name, hiding):
    t, run, slope = Tagged(), srcad.compile(f), srcad.grad(f, 1)
    for change in (None, "hide", "show", "hide"):
        if change == "hide":
            setattr(t, name, hiding)
        elif change == "show":
            delattr(t, name)
        for each in (t, Tagged()):
            assert run(each, 2.0) == f(each, 2.0)
            assert slope(each, 2.0) == f(each, 1.0)
