"""What some paths leave unbound is converted, and has a tangent, where it is bound: no path raises
for it.
"""

import numpy as np
import pytest
from optional import BACKENDS

import srcad

WIDE = np.array([0.5, 1.5, -1.0])


def never_read(b, y, flag):
    for _ in range(2):
        if flag > 0:
            kept = y  # noqa: F841 - that nothing reads it is what is tested
        y = np.ones(3) * b
    return b * 0.5


def read_where_it_is_bound(b, y, flag):
    if flag > 0:
        kept = y
    if flag > 1:
        kept = WIDE * b
    if flag > 0:
        b = b * np.sum(kept)
    return b


def by_loops(b, y, flag):
    for v in y:
        if v > flag:
            kept = y
    for v in WIDE:
        if v > flag:
            kept = WIDE * b
    return b * np.sum(kept)


def read_in_the_loop(b, y, flag):
    for k in range(3):
        if k == 1 and flag > 0:
            kept = y
        y = WIDE * b
        if k > 1:
            b = b * np.sum(kept)
    return b


def twice(b, y, flag):
    if flag > 0:
        kept = y
    if flag > 1:
        kept = y.astype(np.float64) * b
    if flag > 2:
        kept = kept * 1j
    if flag > 1:
        b = b * np.sum(np.abs(kept))
    return b


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "f", [never_read, read_where_it_is_bound, by_loops, read_in_the_loop, twice]
)
def test_a_path_that_binds_nothing_converts_nothing(f, backend):
    def along(b, *rest):
        return srcad.jvp(lambda b: f(b, *rest), (b,), (1.0,))

    functions = [srcad.compile(f, backend=backend), along]
    if f not in (read_in_the_loop, twice):  # refused
        functions.append(srcad.value_and_grad(f, backend=backend))
    for flag in (-1, 0, 1, 2, 3):
        for y in (np.array([1, 3, 2]), WIDE.astype(np.float32)):
            for function in functions:
                assert_gives_the_same(function, f, (2.0, y, flag))


def of_one_kind(b, y, flag):
    if flag > 0:
        kept = y
    if flag > 1:
        kept = y * b
    if flag > 2:
        kept = kept * 2.0
    if flag > 1:
        b = b * np.sum(np.abs(kept))
    return b


def in_a_loop(b, y, flag):
    for k, v in enumerate(y):
        if v > flag:
            kept = y * 1.0
        if k > 1 and flag < 0:
            kept = kept * b
    if flag < 0:
        b = b * np.sum(kept)
    return b


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [of_one_kind, in_a_loop])
def test_a_path_that_binds_nothing_has_no_tangent(f, backend):
    derived = srcad.jacfwd(f, backend=backend)
    for flag in (-1, 0, 1, 2, 3):
        for y in (np.array([1, 3, 2]), WIDE):
            wanted = (f(2.0 + 1e-6, y, flag) - f(2.0 - 1e-6, y, flag)) / 2e-6
            assert np.isclose(derived(2.0, y, flag), wanted)


def assert_gives_the_same(function, f, args):
    try:
        wanted = f(*args)
    except UnboundLocalError:
        with pytest.raises(UnboundLocalError):
            function(*args)
    else:
        found = function(*args)
        assert np.isclose(found[0] if isinstance(found, tuple) else found, wanted)
