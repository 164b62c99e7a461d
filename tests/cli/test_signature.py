"""The language of --signature."""

import numpy as np
import pytest

from srcad.cli.failure import Failure
from srcad.cli.signature import build_arguments


def one(text, **options):
    (value,) = build_arguments(text, **options)
    return value


@pytest.mark.parametrize(
    ("text", "dtype", "shape"),
    [
        ("f64[3,4]", "float64", (3, 4)),
        ("f32[100, 784]", "float32", (100, 784)),
        ("f16[2]", "float16", (2,)),
        ("c128[2]", "complex128", (2,)),
        ("i64[5]", "int64", (5,)),
        ("u8[5]", "uint8", (5,)),
        ("bool[5]", "bool", (5,)),
        ("f64[]", "float64", ()),
        ("f64[0,3]", "float64", (0, 3)),
    ],
)
def test_arrays(text, dtype, shape):
    value = one(text)
    assert isinstance(value, np.ndarray)
    assert (value.dtype, value.shape) == (np.dtype(dtype), shape)


@pytest.mark.parametrize(
    ("text", "cls"),
    [("f64", np.float64), ("f32", np.float32), ("i32", np.int32), ("bool", np.bool_)],
)
def test_dtype_alone_is_a_numpy_scalar(text, cls):
    assert type(one(text)) is cls


@pytest.mark.parametrize(("text", "cls"), [("float", float), ("int", int)])
def test_python_numbers(text, cls):
    assert type(one(text)) is cls


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-0.5", -0.5),
        ("1e-3", 1e-3),
        (".5", 0.5),
        ('"relu"', "relu"),
        ("'a, b'", "a, b"),
        ("True", True),
        ("None", None),
        ("()", ()),
        ("[]", []),
        ("{}", {}),
        ("(3)", 3),
        ("(3,)", (3,)),
        ("(3, [4, (5, 6)])", (3, [4, (5, 6)])),
        ("{'a': 1, \"b\": {'c': (2,)},}", {"a": 1, "b": {"c": (2,)}}),
    ],
)
def test_values_and_containers(text, value):
    found = one(text)
    assert found == value
    assert type(found) is type(value)


def test_several_arguments_with_containers_of_arrays():
    params, pair, x = build_arguments('{"w": f64[3,4], "b": f64[4]}, (f32[2], float), f64[5,3]')
    assert {key: value.shape for key, value in params.items()} == {"w": (3, 4), "b": (4,)}
    assert pair[0].dtype == np.float32
    assert type(pair[1]) is float
    assert x.shape == (5, 3)


def test_no_arguments():
    assert build_arguments("  ") == ()


def test_entries_are_the_same_each_time_and_in_range():
    first, again = one("f64[1000]"), one("f64[1000]")
    assert np.array_equal(first, again)
    assert not np.array_equal(first, one("f64[1000]", seed=1))
    assert -1 <= first.min() < -0.9
    assert 0.9 < first.max() <= 1
    positive = one("f32[1000]", low=0.5, high=2.0)
    assert 0.5 <= positive.min()
    assert positive.max() <= 2
    assert set(one("i64[1000]").tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("text", "reason", "caret"),
    [
        ("g64[3]", "unknown type 'g64'", "^^^"),
        ("f64[3,", "expected an extent", "      ^"),
        ("f64[-1]", "expected an extent", "    ^^"),
        ("f64[n]", "expected an extent", "    ^"),
        ("f64 f64", "expected ',', found 'f64'", "    ^^^"),
        ("(f64", "expected ',', found the end", "    ^"),
        ("f64)", "expected ',', found ')'", "   ^"),
        ("f64,", "expected a type", "    ^"),
        ("f64, $", "unexpected '$'", "     ^"),
        ("{w: f64}", "expected a key", " ^"),
        ('{"w" f64}', "expected ':', found 'f64'", "     ^^^"),
        ("f64[3 4]", "expected ',', found '4'", "      ^"),
    ],
)
def test_mistakes_are_shown_where_they_are(text, reason, caret):
    with pytest.raises(Failure) as caught:
        build_arguments(text)
    first, shown, below = caught.value.message.splitlines()
    assert first.startswith("signature: ")
    assert reason in first
    assert shown == f"    {text}"
    assert below.startswith("    " + caret)
    assert below.rstrip("^") == "    " + caret.rstrip("^")
    assert caught.value.code == 2
    assert caught.value.hint
