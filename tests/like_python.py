"""What a function gives through srcad beside what Python gives."""

import numpy as np
import pytest

STEP = 1e-6


def check_like_python(f, value_and_grad, x):
    """Require Python's value, in its class, and slopes as central differences tell them."""
    value, gradient = value_and_grad(x)
    wanted = f(x)
    assert type(value) is type(wanted)
    assert value == pytest.approx(wanted, rel=1e-14)
    slopes = [(f(x + e) - f(x - e)) / (2 * STEP) for e in STEP * np.eye(len(x))]
    assert gradient == pytest.approx(slopes, rel=1e-6, abs=1e-8)
