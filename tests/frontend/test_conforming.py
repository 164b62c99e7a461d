"""Builtins and methods, where Python's answer is not the first that comes to mind."""

import numpy as np
import pytest

import srcad


class Lowered(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lambda a: hasattr(a, "lower"), (b"a",)),
        (lambda a: hasattr(a, "lower"), (1.0,)),
        (lambda a: hasattr(a, "bit_length"), (1,)),
        (lambda a: hasattr(a, "append"), ([1.0],)),
        (lambda a: hasattr(a, "keys"), ({"a": 1.0},)),
        (lambda a: hasattr(a, "count"), ((1.0, 2.0),)),
        (lambda a: getattr(a, "upper", 1.0)(), ("a",)),
        (lambda a: all([a > 1.0, a < 3.0]), (2.0,)),
        (lambda a: a.__contains__(1.0), (np.ones(2),)),
        (lambda a: a.__add__(1.0), (2.0,)),
        (lambda a: a.__add__(1), (2.0,)),
        (lambda a: a.__rsub__(1.0), (2.0,)),
        (lambda a, b: a.__iadd__(b), (np.ones(2), 2.0)),
        (lambda a, b: a.__add__(b), (np.ones(2), 2.0)),
        (lambda x: x.conjugate(), (np.arange(2),)),
        (lambda x: np.apply_along_axis(np.sum, 0, x), (np.ones((0, 2)),)),
        (lambda x: np.poly(x), (np.ones(0),)),
        (lambda x: np.quantile(x, 0.4, method="lower"), (np.arange(4),)),
    ],
)
def test_value(f, args):
    want = f(*[np.copy(a) if isinstance(a, np.ndarray) else a for a in args])
    made = srcad.compile(f)(*args)
    assert type(made) is type(want)
    np.testing.assert_array_equal(made, want)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lambda a: a.__lt__(1), (1j,)),  # NotImplemented
        (lambda a: a.item(None), (np.ones(1),)),
        (lambda a: a.put(a, 0), (np.ones(1, np.uint64),)),
        (lambda a: a.__array__("f4"), (np.ones(2),)),
        (lambda a: a.__int__(2), (3,)),
        (lambda a: a.__add__("a"), (2.0,)),
        (lambda a: a.__ne__("a"), (np.ones(2),)),
        (lambda a: hasattr(a, "mT"), (np.ones(2),)),
        (lambda a: a.fill([0.0, 1.0]), (np.ones(2),)),
        (lambda a: a.sort(axis=None), (np.ones(2),)),
        (lambda a: a.copy(0), (np.float64(1.0),)),
        (lambda a: a.__copy__(1), (np.float64(1.0),)),
        (lambda a: a.__ge__(1), (2j,)),  # NotImplemented
        (lambda a: a.update(None), ({"a": 1.0},)),
        (lambda a: a.item(True), (np.ones(2),)),
    ],
)
def test_refusal(f, args):
    with pytest.raises(srcad.SrcadError, match="E1"):
        srcad.compile(f)(*args)


def test_methods_of_an_int_are_taken_of_the_int_itself():
    assert srcad.compile(lambda a: a.__truediv__(2.5))(3) is NotImplemented
    assert srcad.compile(lambda a: a.__eq__(2.5))(3) is NotImplemented
    assert srcad.compile(lambda a: a.__add__(2))(3) == 5


def test_values_that_are_put_must_fit_the_array():
    def f(a):
        a.put(1, -1)

    with pytest.raises(OverflowError):
        f(np.ones(2, np.uint8))
    with pytest.raises(OverflowError):
        srcad.compile(f)(np.ones(2, np.uint8))


def test_copies_by_the_protocol_keep_the_order_in_memory():
    def f(a):
        return a.__copy__(), a.copy()

    a = np.asfortranarray(np.ones((2, 3)))
    assert [x.strides for x in srcad.compile(f)(a)] == [x.strides for x in f(a)]


def test_list_and_array():
    """`list += array` is NumPy's sum: the list is not extended."""

    def f(a, b):
        c = [1.0, 2.0]
        c += b
        return c * a

    np.testing.assert_array_equal(srcad.compile(f)(2.0, np.ones(2)), f(2.0, np.ones(2)))
    value, slope = srcad.value_and_grad(lambda a, b: np.sum(f(a, b)))(2.0, np.ones(2))
    assert (value, slope) == (10.0, 5.0)


def test_imaginary_part_of_real_array_is_not_written():
    def f(x):
        x.imag = 1.0

    with pytest.raises(srcad.SrcadError, match="E116"):
        srcad.compile(f)(np.ones(2))


def test_deleted_name_is_local():
    def f(x):
        del LIMIT  # noqa: F821
        return x

    with pytest.raises((srcad.SrcadError, UnboundLocalError)):
        srcad.compile(f)(1.0)


LIMIT = 2.0


@pytest.mark.parametrize("f", [
    lambda x: (1 / 0, x)[1], lambda x: (2.0**5000, x)[1], lambda x: (int("a"), x)[1],
    lambda x: (1.0 // 0.0, x)[1], lambda x: (10**400 * 1.0, x)[1], lambda x: (1 << -1, x)[1],
])  # fmt: skip
def test_constants_that_raise(f):
    """Python raises, whether the result is used or not; in a `try` it is caught."""

    def caught(x):
        try:
            return f(x)
        except (ArithmeticError, ValueError):
            return 2 * x

    with pytest.raises((ArithmeticError, ValueError)) as raised:
        f(1.0)
    for transform in (srcad.compile, srcad.value_and_grad):
        with pytest.raises(raised.type):
            transform(f)(1.5)
    assert srcad.compile(caught)(1.5) == 3.0
    assert srcad.value_and_grad(caught)(1.5) == (3.0, 2.0)


class Offset:
    __array_ufunc__ = None

    def __radd__(self, other):
        return other - 1.0


def test_array_is_not_added_to_in_place_by_an_object():
    def f(x):
        x += Offset()
        return x

    with pytest.raises(TypeError):
        f(np.ones(2))
    with pytest.raises(srcad.SrcadError, match="E132"):
        srcad.compile(f)(np.ones(2))
    assert (srcad.compile(lambda x: x + Offset())(np.ones(2)) == 0.0).all()


@pytest.mark.parametrize("b", [np.float64(2), np.complex128(2), 2.0, np.ones(2)], ids=repr)
def test_ufuncs_of_python_complex_numbers(b):
    """`np.add(1j, np.float64(2))` is NumPy's complex, `1j + np.float64(2)` is Python's."""

    def f(a, b):
        return np.add(a, b), np.multiply(b, a), np.power(a, b), a + b, b * a

    made, want = srcad.compile(f)(1.5 - 2j, b), f(1.5 - 2j, b)
    assert list(map(type, made)) == list(map(type, want))
    for x, y in zip(made, want, strict=True):
        np.testing.assert_array_equal(x, y)


def test_facts_of_a_dtype():
    f = srcad.compile(lambda a: (np.ndim(a), np.shape(a)))
    assert f(np.dtype("f8")) == (0, ())


def test_transpose_of_a_vector_is_a_view():
    x = np.arange(3.0)
    made = srcad.compile(lambda a: a.T)(x)
    assert made is not x and np.shares_memory(made, x)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda a: np.apply_along_axis(np.sum, 0, a), np.ones((2, 0))),
        (lambda a: np.interp(a, [0.0, 1.0], [2, 3]), ["a", "b"]),
    ],
)
def test_exception(f, x):
    with pytest.raises(ValueError) as wanted:
        f(x)
    with pytest.raises(ValueError) as caught:
        srcad.compile(f)(x)
    assert str(caught.value) == str(wanted.value)
