"""Writes that cannot be followed are refused: with their code, at their line, never wrongly."""

import functools
import inspect
from types import SimpleNamespace

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError

CASES = []
A = np.arange(1.0, 5.0)
P = np.arange(12.0).reshape(3, 4)
KEPT = np.ones(4)
BOX = SimpleNamespace(w=np.ones(4))
TABLE = {"w": np.ones(4)}
NUMBERS = [1.0, 2.0]


def refuse(codes, *args):
    """A function that is refused, at the line marked by a comment if there is one."""

    def add(fn):
        CASES.append(pytest.param(fn, args, codes, id=fn.__name__))
        return fn

    return add


@pytest.mark.parametrize(("fn", "args", "codes"), CASES)
def test_refused(fn, args, codes):
    held = [KEPT.copy(), BOX.w.copy(), TABLE["w"].copy(), list(NUMBERS), args and args[0] * 1]
    with pytest.raises(SrcadError) as caught:
        srcad.grad(fn)(*args)
    found = caught.value
    assert found.code in codes.split(), str(found)
    assert found.location is not None
    marked = [i for i, line in enumerate(inspect.getsource(fn).splitlines()) if "# here" in line]
    if marked:
        assert found.location.line == fn.__code__.co_firstlineno + marked[0]
    after = [KEPT, BOX.w, TABLE["w"], NUMBERS, args and args[0]]
    assert all(np.array_equal(a, b) for a, b in zip(held, after, strict=True))


# What the function does not own ----------------------------------------------------------------


@refuse("E133", A)
def global_array_by_index(x):
    KEPT[0] = x[1]  # here
    return np.sum(KEPT * x)


@refuse("E133", A)
def global_array_as_a_whole(x):
    y = KEPT
    y += x  # here
    return np.sum(y)


@refuse("E133", A)
def view_of_a_global_array(x):
    y = KEPT[1:]
    y[0] = x[0]  # here
    return np.sum(KEPT * x)


@refuse("E133", A)
def array_of_a_global_object(x):
    BOX.w[1] = x[0]  # here
    return np.sum(BOX.w)


@refuse("E133", A)
def attribute_of_a_global_object(x):
    BOX.w = x * 2.0  # here
    return np.sum(BOX.w)


@refuse("E133", A)
def array_in_a_global_dict(x):
    TABLE["w"] *= x  # here
    return np.sum(TABLE["w"])


@refuse("E133", A)
def global_list(x):
    NUMBERS[0] = x[0]  # here
    return NUMBERS[0] * x[1]


def _with_closure():
    kept = np.zeros(4)

    @refuse("E133", A)
    def closure_array(x):
        kept[0] = x[0]  # here
        return np.sum(kept * x)

    return kept


CLOSED_OVER = _with_closure()


def _writes(target, x):
    target[0] = x[0]
    return target


@refuse("E133", A)
def global_array_by_helper(x):
    return np.sum(_writes(KEPT, x))


@refuse("E133", A)
def global_array_by_out(x):
    np.multiply(x, 2.0, out=KEPT)  # here
    return np.sum(KEPT)


@refuse("E133", A)
def global_array_by_add_at(x):
    np.add.at(KEPT, [0, 0], x[:2])  # here
    return np.sum(KEPT)


@refuse("E133", A)
def global_array_sorted(x):
    KEPT.sort()  # here
    return np.sum(KEPT * x)


# What NumPy refuses as well --------------------------------------------------------------------


@refuse("E137", A)
def broadcast_written(x):
    y = np.broadcast_to(x * 2.0, (3, 4))
    y[0, 0] = 1.0
    return np.sum(y)


@refuse("E137", P)
def diagonal_written(p):
    y = p * 2.0
    d = np.diagonal(y)
    d[0] = 1.0
    return np.sum(y)


@refuse("E204", A)
def resized(x):
    y = x * 2.0
    y.resize(6)  # here
    return np.sum(y**2)


@refuse("E116", A)
def shape_assigned(x):
    y = x * 2.0
    z = y
    y.shape = (2, 2)  # here
    return np.sum(z[0])


@refuse("E132", A)
def float_added_to_integers(x):
    k = np.arange(4)
    k += x  # here
    return np.sum(k * x)


@pytest.mark.parametrize(
    ("target", "values", "write"),
    [
        ("f4", "f8", lambda y, v: np.putmask(y, v > 1.0, v)),
        ("i8", "f8", lambda y, v: np.place(y, v > 1.0, v)),
        ("i8", "f8", lambda y, v: np.copyto(y, v)),
        ("i8", "f8", lambda y, v: np.copyto(y, v, where=v > 1.0)),
        ("f4", "f8", lambda y, v: np.copyto(y, v, "safe")),
        ("f4", "f8", lambda y, v: np.dot(np.eye(4), v, out=y)),
        ("f4", "f8", lambda y, v: np.einsum("i->i", v, out=y)),
        ("f8", "f4", lambda y, v: np.take(v, [0, 1, 2, 3], out=y)),
        ("f8", "f4", lambda y, v: np.compress([True] * 4, v, out=y)),
        ("f4", "f8", lambda y, v: np.putmask(y, v > 1.0, v.tolist())),
        ("f4", "f8", lambda y, v: np.putmask(y, v > 1.0, v[0])),
        ("f4", "f8", lambda y, v: np.copyto(y, 0.5, "safe")),
        ("i8", "f8", lambda y, v: np.copyto(y, v, "unsafe")),
        ("f4", "f8", lambda y, v: np.take(v, [0, 1, 2, 3], out=y)),
    ],
)
def test_what_numpy_does_not_cast_is_refused_and_nothing_else(target, values, write):
    def f(x):
        y = np.ones(4, target)
        write(y, x.astype(values))
        return np.sum(y * 1.5) + np.sum(x)

    try:
        wanted = f(A)
    except (TypeError, ValueError):
        with pytest.raises(SrcadError) as caught:
            srcad.grad(f)(A)
        assert caught.value.code == "E132"
    else:
        assert srcad.value_and_grad(f)(A)[0] == pytest.approx(wanted, rel=1e-6)


# What may or may not share memory --------------------------------------------------------------


@refuse("E117", P.T)
def reshape_of_unknown_layout_written(p):
    z = p.reshape(-1)
    z[0] = 5.0
    return np.sum(p**2)


@refuse("E128", A, 1.0)
def which_of_two_lists_asked(x, flag):
    first, second = [x * 1.0], [x * 2.0]
    chosen = first if flag > 0 else second
    return np.sum(x) if chosen is first else np.sum(x**2)  # here


@functools.cache
def ramp(n):
    return np.arange(float(n))


@refuse("E116", A)
def result_of_a_cached_function_written(x):
    y = ramp(4)
    y *= x  # here
    return np.sum(y * ramp(4))


@refuse("E116", A)
def result_of_a_function_cached_inside_written(x):
    @functools.cache
    def steps(n):
        return np.arange(float(n))

    y = steps(4)
    y[0] = x[0]  # here
    return np.sum(y * steps(4))


@refuse("E116", A)
def flat_array_moved_by_one(x):
    y = x * 2.0
    y.flat[1:] = y[:-1]  # here
    return np.sum(y * x)


@refuse("E116", P)
def masked_entries_from_the_array_itself(p):
    y = p * 2.0
    y[y > 3.0] = y[0, 0:1]  # here
    return np.sum(y * p)


@refuse("E116", P)
def diagonal_from_the_array_itself(p):
    y = p[:, :3] * 2.0
    np.fill_diagonal(y, y[::-1, 0])  # here
    return np.sum(y)


@refuse("E116", A)
def halves_exchanged_in_place(x):
    y = x * 2.0
    np.concatenate([y[2:], y[:2]], out=y)  # here
    return np.sum(y * x)


@refuse("E116", A, 1.0)
def integers_on_one_path_written(x, flag):
    y = np.zeros(4, int) if flag > 0 else np.zeros(4)
    y[0] = x[0]  # here
    return np.sum(y * x)


@refuse("E116", A)
def made_of_an_integer_in_the_first_turn(x):
    h = 0
    for v in x:
        row = np.full(2, h)
        row[0] = v  # here
        h = 1.5 * np.sum(row)
    return h


@refuse("E123", A, 1.0)
def dtype_that_depends_on_the_path(x, flag):
    y = np.full(4, 0 if flag > 0 else 0.5) * 2
    return np.sum(x) if y.dtype == float else np.sum(x**2)  # here


@refuse("E117", P)
def copies_in_the_order_of_what_was_copied_written(p):
    y = np.array(p.T)
    z = y.reshape(-1)
    z[0] = 5.0
    return np.sum(y**2)  # here


@refuse("E117", P)
def joined_arrays_in_their_order_written(p):
    y = np.concatenate([p.T, p.T])
    z = y.reshape(-1)
    z[0] = 5.0
    return np.sum(y**2)  # here


@refuse("E117", A)
def stopped_array_written(x):
    y = x * 2.0
    z = srcad.stop_gradient(y)
    z[0] = x[1]
    return np.sum(y**2)  # here


def test_read_only_argument_is_refused_when_it_comes():
    def f(x):
        x[0] = x[1]
        return np.sum(x * x)

    gradient = srcad.grad(f)
    x = np.ones(3)
    assert np.array_equal(gradient(x), [0.0, 4.0, 2.0])
    x.flags.writeable = False
    with pytest.raises(SrcadError) as caught:
        gradient(x)
    assert caught.value.code == "E137"


def subtract(w, g):
    w -= 0.1 * g


def multiply(w, g):
    w *= g


def product(w, g):
    w @= g


def summed(w, g):
    np.sum(g, axis=0, out=w)


def added(w, g):
    np.add(w, g, out=w)


def unpack(w, g):
    a, b = w + g
    return a * b


@pytest.mark.parametrize(
    ("f", "shapes"),
    [
        (subtract, ((1,), (50,))),
        (subtract, ((3,), (4,))),
        (subtract, ((), (4,))),
        (subtract, ((4,), (3, 4))),
        (multiply, ((1, 50), (50, 50))),
        (multiply, ((50, 1), (1, 50))),
        (product, ((2, 3), (3, 4))),
        (summed, ((1,), (5, 2))),
        (summed, ((3,), (5, 2))),
        (added, ((1,), (5,))),
        (unpack, ((1,), (5,))),
        (unpack, ((5,), (5,))),
    ],
)
@pytest.mark.parametrize("backend", BACKENDS)
def test_result_that_does_not_fit_is_a_value_error(f, shapes, backend):
    """Python's `ValueError`, as an exception of this class, and nothing is written."""
    args = [np.full(shape, 2.0) for shape in shapes]
    with pytest.raises(ValueError):
        f(*(x.copy() for x in args))
    kept = [x.copy() for x in args]
    with pytest.raises(ValueError, match=r"E401|E402|E134|unpack") as raised:
        srcad.compile(f, backend=backend)(*args)
    assert not isinstance(raised.value, srcad.InternalError)
    for x, before in zip(args, kept, strict=True):
        np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize(
    ("index", "values"),
    [
        (0, [7.0, 8.0]), (-1, ()), ((0, 0), [1.0]), ((slice(None), 0, 0), 1.0), ((0, 0, 0), 1.0),
        ((None, 0, slice(None), 1), 2.0),
    ],
)  # fmt: skip
def test_entries_that_are_not_there_or_no_numbers(index, values):
    """NumPy raises, or takes the truth of a list for a bool: each is refused."""

    def f(x):
        x[index] = values
        return x

    for dtype in (float, int, bool):
        x = np.zeros((2, 2), dtype) if type(index) is tuple else np.zeros(2, dtype)
        with pytest.raises((SrcadError, IndexError)):
            srcad.compile(f)(x)


def test_dates_are_not_written():
    def f(x):
        x[:] = [7.0, 8.0]

    with pytest.raises(SrcadError, match="E132"):
        srcad.compile(f)(np.array(["2020-01-01", "2021-01-01"], "M8[D]"))


def test_put_takes_ints_alone():
    for at in (np.array([True, False]), np.array([0.0, 1.0]), [True]):
        with pytest.raises(SrcadError, match="E132"):
            srcad.compile(lambda x: x.put(at, 1.0))(np.zeros(2))


def test_index_beyond_a_known_extent():
    def f(x):
        unread = np.ones(2)[5]
        return x

    def caught(x):
        try:
            return np.ones(2)[-3] * x
        except IndexError:
            return 3 * x

    with pytest.raises(IndexError):
        srcad.compile(f)(1.0)
    assert srcad.value_and_grad(caught)(1.5) == (4.5, 3.0)


def test_what_may_be_a_number_of_an_array_is_not_written():
    def f(x, a):
        m = np.outer(x, x)
        if a > 0:
            m = x * 1.0
        for row in m:
            row += 1.0
        return np.sum(m)

    with pytest.raises(SrcadError, match="E116"):
        srcad.value_and_grad(f)(np.array([1.5, 2.5]), 2.0)
