"""Names of variables: the first of a family that nothing holds which lives at the same time."""

from dataclasses import dataclass
from itertools import count

import numpy as np
import pytest

from srcad.emit.plan.families import Family, HeldNames


@dataclass
class Variable:
    mine: int
    living: int


def first_free(holding, variable):
    """The first name that no clashing variable holds, by looking at each of them."""
    taken = {
        name
        for name, other in holding
        if variable.living & other.mine or other.living & variable.mine
    }
    return next(name for name in (f"x_{k}" for k in count()) if name not in taken)


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_first_that_no_clashing_variable_holds(seed):
    rng = np.random.default_rng(seed)
    held, holding = HeldNames(), []
    family = Family((f"x_{k}" for k in count()), set())
    for k in range(150):
        # Most values live from where they are written to somewhat later; some live at odd places.
        before = int("".join(rng.choice(["0", "1"], p=[0.6, 0.4], size=k + 1)), 2)
        odd = 1 << int(rng.integers(0, 150)) if rng.random() < 0.2 else 0
        variable = Variable(1 << k, (before | odd) & ~(1 << k))
        name = family.free(held, variable)
        assert name == first_free(holding, variable)
        held.give(name, variable)
        holding.append((name, variable))


def test_reserved_names_are_left_out():
    family = Family(iter(["x", "x_2", "x_3"]), {"x_2"})
    held = HeldNames()
    given = []
    for k in range(2):
        variable = Variable(1 << k, (1 << k) - 1)
        given.append(family.free(held, variable))
        held.give(given[-1], variable)
    assert given == ["x", "x_3"]
