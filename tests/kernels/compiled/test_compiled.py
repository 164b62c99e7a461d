"""What is compiled, and when."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from srcad import kernels

pytest.importorskip("numba", reason="Numba is not installed")
from srcad.kernels import compiled
from srcad.kernels.compiled.correlation import correlate


def test_every_compiled_kernel_is_called_as_the_one_it_stands_for() -> None:
    for plain, fast in compiled.COMPILED.items():
        assert plain is getattr(kernels, plain.__name__)
        assert fast is getattr(compiled, plain.__name__)
        assert str(inspect.signature(fast)) == str(inspect.signature(plain))


def test_what_is_prepared_is_not_compiled_at_the_call() -> None:
    compiled.prepare((fn.__name__, "float64") for fn in compiled.COMPILED)
    loop = correlate(np.dtype("float64"))
    assert len(loop.signatures) == 1
    compiled.conv2d(np.ones((9, 1, 3, 3)), np.ones((1, 1, 2, 2)))
    assert correlate(np.dtype("float64")) is loop
    assert len(loop.signatures) == 1


def test_unknown_kernels_are_refused() -> None:
    with pytest.raises(KeyError, match="unknown"):
        compiled.prepare([("unknown", "float32")])
