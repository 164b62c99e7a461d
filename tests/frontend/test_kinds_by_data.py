"""What is None, a number or a text by data: what is wrong for a kind raises as in Python."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad

X = np.array([0.61, -0.22, 0.46])


def found(x):
    """None, or the last large entry."""
    r = None
    for v in x:
        if v > 10.0:
            r = v
    return r


def multiplied(x):
    return found(x) * 2.0


def multiplied_from_the_left(x):
    return 2.0 * found(x)


def negated(x):
    return -found(x)


def added_in_place(x):
    r = found(x)
    r += 1.0
    return r


def compared(x):
    return x[0] if found(x) < 3.0 else x[1]


def root(x):
    return np.sqrt(found(x))


def as_float(x):
    return float(found(x))


def largest(x):
    return max(found(x), 2.0)


def attribute(x):
    return found(x).real * 2.0


def row(x):
    r = None
    if x[0] > 10.0:
        r = x
    return r[0]


def unpacked(x):
    r = None
    if x[0] > 10.0:
        r = (x[0], x[1])
    a, b = r
    return a * b


def iterated(x):
    r = None
    if x[0] > 10.0:
        r = (x[0], x[1])
    s = 0.0
    for v in r:
        s = s + v
    return s


def text_as_a_number(x):
    r = "none"
    if x[0] > 10.0:
        r = x[0]
    return r - 1.0


def item_beyond(x):
    t = (x[0], x[1]) if x[0] > 10.0 else (x[2],)
    return t[1] * x[0]


def too_few(x):
    t = (x[0], x[1]) if x[0] > 10.0 else (x[2],)
    a, b = t
    return a * b


def too_many(x):
    t = (x[0], x[1]) if x[0] > 10.0 else (x[2], x[0], x[1])
    a, b = t
    return a * b


def too_few_beside_a_star(x):
    t = (x[0], x[1]) if x[0] > 10.0 else (x[2],)
    a, b, *rest = t
    return a * b


def key_of_others(x):
    d = {"a": x[0]} if x[0] > 10.0 else {"b": x[1]}
    return d["a"] ** 2


FUNCTIONS = [
    multiplied, multiplied_from_the_left, negated, added_in_place, compared, root, as_float,
    largest, attribute, row, unpacked, iterated, text_as_a_number, item_beyond, too_few, too_many,
    too_few_beside_a_star, key_of_others,
]  # fmt: skip


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_the_wrong_kind_raises_as_in_python(fn):
    gradient = srcad.value_and_grad(fn)
    with pytest.raises((TypeError, AttributeError, LookupError, ValueError)) as wanted:
        fn(X)
    with pytest.raises(type(wanted.value)) as caught:
        gradient(X)
    assert str(caught.value) == str(wanted.value)
    assert type(caught.value) is type(wanted.value)
    value, _ = gradient(X + 20.0)
    assert value == fn(X + 20.0)


def test_the_wrong_kind_is_caught():
    def f(x):
        try:
            return found(x) * 2.0
        except TypeError:
            return x[1] * 5.0

    np.testing.assert_array_equal(srcad.grad(f)(X), [0.0, 5.0, 0.0])
    np.testing.assert_array_equal(srcad.grad(f)(X + 20.0), [0.0, 0.0, 2.0])


def test_a_result_that_is_none_has_no_derivative():
    def f(x):
        if x[0] > 0.0:
            return x[0] ** 2
        return None

    gradient = srcad.grad(f)
    np.testing.assert_array_equal(gradient(X), [1.22, 0.0, 0.0])
    with pytest.raises(TypeError, match="the result is None"):
        gradient(-X)


def test_conditions_around_tell_the_kind():
    def f(x):
        r = found(x)
        if r is None or x[0] > 100.0:
            return x[1]
        return r * r

    assert "TypeError" not in srcad.grad(f).source(X)


def test_a_loop_that_ends_when_it_has_found_tells_the_kind():
    def f(x):
        event = None
        while event is None:
            x = x * 1.5
            if x[0] > 10.0:
                event = x[0]
        return event * 2.0

    assert "TypeError" not in srcad.grad(f).source(X)
    assert srcad.value_and_grad(f)(X)[0] == f(X)


def test_a_loop_that_may_be_broken_off_does_not():
    def f(x):
        event = None
        while event is None:
            x = x * 1.5
            if x[1] > 10.0:
                break
            if x[0] > 10.0:
                event = x[0]
        return event * 2.0

    assert srcad.value_and_grad(f)(X)[0] == f(X)
    with pytest.raises(TypeError, match="unsupported operand"):
        srcad.grad(f)(np.array([1.0, 5.0]))


def test_what_is_known_while_compiling_has_no_code():
    def f(x, scale=None):
        if scale is None:
            scale = 2.0
        return np.sum(x * scale)

    assert "scale_kind" not in srcad.grad(f).source(X)


def test_the_rows_of_a_batch_have_their_own_kinds():
    def f(x):
        r = found(x)
        return 0.0 if r is None else r**2

    rows = np.stack([X, X + 10.0, X + 20.0])
    wanted = [srcad.grad(f)(row) for row in rows]
    try:
        got = srcad.vmap(srcad.grad(f))(rows)
    except srcad.SrcadError:
        return
    np.testing.assert_allclose(got, wanted)


def test_functions_chosen_by_data_are_called():
    def f(x):
        g = np.sin
        if x[0] > 0.0:
            g = None
        return x[0] if g is None else g(x[1])

    gradient = srcad.value_and_grad(f)
    for x in (X, -X):
        assert gradient(x)[0] == f(x)
    np.testing.assert_allclose(gradient(-X)[1], [0.0, np.cos(0.22), 0.0])


def test_kinds_in_which_what_is_iterated_over_differs():
    def f(x):
        pairs = zip(x, x) if x[0] > 0.0 else enumerate(x)
        return sum(a * b for a, b in pairs)

    with pytest.raises(srcad.SrcadError, match="E129"):
        srcad.grad(f)(X)


# Results of compiled functions --------------------------------------------------------------------


def leaves(x, rest):
    if x[0] > 0.0:
        return None


def number_or_tuple(x, rest):
    return x[0] * 2 if x[0] > 0.0 else (x[1], "small")


def texts_and_none(x, rest):
    return ["L", x[0]] if x[0] > 0.0 else ["R", None]


def texts_of_other_length(x, rest):
    return (True, ["L", "S"]) if x[0] > 0.0 else (False, [])


def own_argument(x, rest):
    return x if x[0] > 0.0 else None


def view_or_list(x, rest):
    return x[1:] if x[0] > 0.0 else rest


def list_of_own(x, rest):
    if x[0] > 0.0:
        rest.append(1.0)
        return rest
    return None


def item_of_argument(x, rest):
    rest[0] = "x" if x[0] > 0.0 else None


def value_in_a_dict(x, rest):
    found = {"a": None, "b": 1}
    if x[0] > 0.0:
        found["a"] = np.sum(x)
    return found


def twice(x, rest):
    y = x * 2
    return y, y if x[0] > 0.0 else None


def dict_or_list(x, rest):
    return {"a": x * 2} if x[0] > 0.0 else [x]


def keys(x, rest):
    return {"a": x * 2} if x[0] > 0.0 else {"b": 1}


def lengths(x, rest):
    return (x, None) if x[0] > 0.0 else (x,)


def truth_or_text(x, rest):
    return True if x[0] > 0.0 else "no"


def function(x, rest):
    return len if x[0] > 0.0 else sum


def mode(x, rest):
    found = "a"
    for v in x:
        if v < 0:
            found = "b" if found == "a" else None
    return found


RESULTS = [
    leaves, number_or_tuple, texts_and_none, texts_of_other_length, own_argument, view_or_list,
    list_of_own, item_of_argument, value_in_a_dict, twice, dict_or_list, keys, lengths,
    truth_or_text, function, mode,
]  # fmt: skip


def told(x):
    """What a result consists of: types and values."""
    if isinstance(x, list | tuple):
        return type(x), [told(item) for item in x]
    if isinstance(x, dict):
        return dict, [(key, told(item)) for key, item in x.items()]
    return type(x), x.tobytes() if isinstance(x, np.ndarray) else x


def shared(x, args):
    """Which parts of a result are an argument, or share memory with one."""
    items = x.values() if isinstance(x, dict) else x if isinstance(x, list | tuple) else ()
    own = [arg is x for arg in args]
    arrays = [arg for arg in (x, args[0]) if isinstance(arg, np.ndarray)]
    return own, len(arrays) == 2 and np.shares_memory(*arrays), [shared(y, args) for y in items]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("fn", RESULTS, ids=lambda fn: fn.__name__)
def test_a_compiled_function_returns_each_kind(fn, backend):
    compiled = srcad.compile(fn, backend=backend)
    for x in (X, -X, np.array([-1.0, -2.0, 3.0]), X):
        args, ours = (x.copy(), [1.0, 2.0]), (x.copy(), [1.0, 2.0])
        wanted, got = fn(*args), compiled(*ours)
        assert told(got) == told(wanted)
        assert told(ours) == told(args)
        assert shared(got, ours) == shared(wanted, args)


def test_what_stands_beside_the_value_is_of_any_kind():
    def f(x):
        return np.sum(x), {
            "mode": "up" if x[0] > 0.0 else None,
            "list": ["a"] if x[0] > 0.0 else [],
        }

    gradient = srcad.value_and_grad(f, has_aux=True)
    for x in (X, -X):
        assert gradient(x)[0][1] == f(x)[1]


def test_a_derivative_is_of_one_kind():
    def f(x):
        return x[0] if x[0] > 0.0 else (x[0], x[1])

    with pytest.raises(srcad.SrcadError, match="E129"):
        srcad.grad(f)(X)


def kept_in_a_table(x):
    """The least of what was found, or None."""
    costs = np.zeros((len(x), 2))
    for j in range(len(x)):
        best = None
        for k in range(j):
            cost = costs[k, 0] + x[k] * x[j] ** 2
            if best is None or cost < best:
                best = cost
        costs[j, 0] = best if j > 0 else x[0]
    return np.sum(costs)


def kept_as_nan(x):
    out = np.ones(4, x.dtype)
    out[1] = found(x)
    out[2:] = None
    return out


def kept_as_integer(x):
    out = np.ones(4, int)
    out[1] = None
    return x[0] * out[0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_arrays_of_floats_hold_nan_for_none(dtype):
    value, x_bar = srcad.value_and_grad(kept_in_a_table)(X)
    assert value == kept_in_a_table(X)
    steps = 1e-6 * np.eye(3)
    slopes = [(kept_in_a_table(X + d) - kept_in_a_table(X - d)) / 2e-6 for d in steps]
    assert np.allclose(x_bar, slopes)
    for x in (X.astype(dtype), X.astype(dtype) + 20):
        wanted, got = kept_as_nan(x), srcad.compile(kept_as_nan)(x)
        assert got.dtype == wanted.dtype
        assert np.array_equal(got, wanted, equal_nan=True)
    for call in (kept_as_integer, srcad.compile(kept_as_integer), srcad.grad(kept_as_integer)):
        with pytest.raises((TypeError, srcad.SrcadError)):
            call(X)


def test_a_pair_that_no_path_returns():
    def f(x, k):
        found = 1
        for _ in range(k):
            found = divmod(np.int64(3), 2)
        for _ in range(3):
            found = 2.0
        return np.sum(x), found

    gradient, compiled = srcad.value_and_grad(f, has_aux=True), srcad.compile(f)
    for k in (0, 2):
        assert gradient(X, k)[0] == compiled(X, k) == f(X, k)
