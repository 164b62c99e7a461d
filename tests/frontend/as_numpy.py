"""What functions of arrays give through srcad is what NumPy and SciPy give."""

import copy

import numpy as np
import pytest
from optional import HAS_NUMBA

import srcad

BACKENDS = ("numpy", "native")


def alike(found, wanted, rtol=1e-9):
    """Whether two results have the same types, dtypes and shapes, and values up to rounding."""
    assert type(found) is type(wanted), (found, wanted)
    if isinstance(wanted, tuple):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            alike(a, b, rtol)
        return
    if isinstance(wanted, np.ndarray | np.generic):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        if wanted.dtype.kind in "fc":
            rtol = max(rtol, 10 * float(np.finfo(wanted.dtype).eps))
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol)


def given(f, *args):
    """What a call gives, or the exception that it raises; the arguments stay as they are."""
    try:
        return f(*copy.deepcopy(args))
    except Exception as problem:
        return problem


def as_numpy(f, *args, backends=BACKENDS, rtol=1e-9):
    """Check that compiled code gives what the function gives, or raises what it raises; machine
    code where Numba is installed.
    """
    wanted = given(f, *args)
    for backend in (each for each in backends if HAS_NUMBA or each != "native"):
        found = given(srcad.compile(f, backend=backend), *args)
        if isinstance(wanted, Exception):
            assert type(found) is type(wanted), (found, wanted)
        else:
            if isinstance(found, Exception):
                raise found
            alike(found, wanted, rtol)


def value_as_numpy(f, *args, wrt=0, rtol=1e-9):
    """Check the value beside the gradient; give the gradient."""
    wanted = given(f, *args)
    if isinstance(wanted, Exception):
        with pytest.raises(type(wanted)):
            srcad.value_and_grad(f, wrt)(*copy.deepcopy(args))
        return None
    value, slope = srcad.value_and_grad(f, wrt)(*copy.deepcopy(args))
    alike(value, wanted, rtol)
    return slope
