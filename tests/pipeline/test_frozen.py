import base64
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from srcad.pipeline.standalone.frozen import frozen


def thaw(text):
    return eval(text, {"np": np, "base64": base64})


def assert_same(a, b):
    assert type(a) is type(b)
    if isinstance(a, np.ndarray | np.generic):
        assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
        assert (a.flags.c_contiguous, a.flags.f_contiguous) == (
            b.flags.c_contiguous,
            b.flags.f_contiguous,
        )
    elif isinstance(a, int):
        assert a == b
    else:
        assert repr(a) == repr(b)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (-0.0, "-0.0"),
        (3, "3"),
        (True, "True"),
        ("a", "'a'"),
        ((1,), "(1,)"),
        ({"a": [1, 2.0]}, "{'a': [1, 2.0]}"),
        (math.inf, 'float("inf")'),
        (np.float32(0.1), "np.float32(0.10000000149011612)"),
        (np.eye(2), "np.array([[1.0, 0.0], [0.0, 1.0]])"),
        (np.array([1, 2], np.int8), 'np.array([1, 2], "int8")'),
        (np.array([1.0], ">f4"), 'np.array([1.0], ">f4")'),
        (np.zeros((0, 3)), 'np.zeros((0, 3), "float64")'),
        (np.array(2.5), "np.array(2.5)"),
        (np.dtype("f4"), 'np.dtype("<f4")'),
    ],
    ids=repr,
)
def test_small_values_read_well(value, text):
    assert frozen(value) == text
    assert_same(thaw(text), value)


@pytest.mark.parametrize(
    "value",
    [
        np.arange(1000.0),
        np.asfortranarray(np.arange(60.0).reshape(6, 10)),
        np.asfortranarray(np.eye(2)),
        np.array([np.nan, -np.nan, -0.0, np.inf]),
        np.frombuffer(b"\x01\0\0\0\0\0\xf0\x7f"),
        np.array(np.nan),
        np.float64(-np.nan),
        np.longdouble(1) / 3,
        np.array([1, 2], np.longdouble) / 3,
        np.array(["a", "bc"]),
        np.array([1, 2], "M8[D]"),
        np.arange(100) % 2 == 0,
        complex(-0.0, 2.0),
        complex(math.nan, -math.inf),
        10**5000,
    ],
    ids=lambda x: type(x).__name__,
)
def test_all_others_come_back_to_the_bit(value):
    assert_same(thaw(frozen(value)), value)


def test_views_become_arrays():
    view = np.arange(100.0)[::2]
    assert_same(thaw(frozen(view)), view.copy())


def test_an_array_is_no_window_on_the_text():
    thawed = thaw(frozen(np.arange(1000.0)))
    thawed[0] = 1.0
    assert thawed.flags.writeable


@settings(suppress_health_check=[HealthCheck.too_slow])  # drawn slowly on a busy machine
@given(
    hnp.arrays(
        st.sampled_from(["f8", "f4", "f2", "c16", "i8", "u1", "?"]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5),
    )
)
def test_any_array(value):
    assert_same(thaw(frozen(value)), value)


@given(st.floats() | st.integers() | st.complex_numbers() | st.text() | st.binary())
def test_any_constant(value):
    assert_same(thaw(frozen(value)), value)


@pytest.mark.parametrize(
    "value", [object(), len, np.array([None]), np.zeros(2, "f8, i4"), [object()], {1: len}]
)
def test_objects_have_no_text(value):
    assert frozen(value) is None
