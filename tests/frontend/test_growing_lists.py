"""Lists made by loops: one program for all lengths; unrolled or refused where they cannot be."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError


def states(w, x):
    h = np.zeros(3)
    hs = []
    for t in range(x.shape[0]):
        h = np.tanh(w @ h + x[t])
        hs.append(h)
    return np.sum(np.stack(hs) ** 2)


def squares(x):
    return np.sum(np.array([np.sum(r * r) for r in x]) ** 2)


def until(x, end):
    t, xs = 0.0, []
    while t < end:
        x = x * 0.9
        t = t + 0.1
        xs.append(x)
    return np.sum(np.array(xs))


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (states, lambda n: (np.eye(3), np.ones((n, 3)))),
        (squares, lambda n: (np.ones((n, 3)),)),
        (until, lambda n: (1.0, n / 10)),
    ],
)
def test_one_program_serves_all_lengths(fn, args):
    gradient = srcad.grad(fn)
    for n in (30, 3, 200):
        gradient(*args(n))
    assert gradient.cache_info().misses == 1
    assert len(gradient.source().splitlines()) < 60


def test_what_is_returned_as_a_list_is_unrolled():
    def f(x):
        ys = []
        for r in x:
            ys.append(r * 2)
        return ys

    y, pullback = srcad.vjp(f, np.ones((20, 2)))
    assert isinstance(y, list)
    assert len(y) == 20
    assert np.array_equal(pullback(y)[0], np.full((20, 2), 4.0))


def positive_rows(x):
    ys = []
    for r in x:
        if r[0] > 0:
            ys.append(r)
    return np.sum(np.array(ys))


def positive_logs(x):
    return np.mean([np.log(v) for v in x if v > 0])


@pytest.mark.parametrize("fn", [positive_rows, positive_logs])
def test_one_program_serves_all_numbers_of_items(fn):
    gradient = srcad.grad(fn)
    for n, first in ((5, 0), (30, 3), (200, 199)):
        x = np.arange(-first, n - first) + 0.5
        gradient(x[:, None] * np.ones(2) if fn is positive_rows else x)
    assert gradient.cache_info().misses == 1


def stacked(x):
    return np.sum(np.stack([r for r in x if r[0] > 0]))


def concatenated(x):
    return np.sum(np.concatenate([r for r in x if r[0] > 0]))


def largest(x):
    return max([r[0] for r in x if r[0] > 0])


def summed(x):
    return sum([r[0] for r in x if r[0] > 0])


def mean(x):
    kept = [r[0] for r in x if r[0] > 0]
    return np.mean(kept) if kept else np.sum(x)


def indexed(x):
    return np.sum(x[[i for i in range(len(x)) if x[i, 0] > 0]])


@pytest.mark.parametrize("fn", [stacked, concatenated, largest, summed, mean, indexed])
@pytest.mark.parametrize("n", [1, 20])
def test_a_list_without_items_is_as_in_python(fn, n):
    x = -np.ones((n, 2))
    try:
        wanted = fn(x)
    except ValueError:
        with pytest.raises(ValueError, match=r"is empty|need at least one array"):
            srcad.grad(fn)(x)
        return
    value, slope = srcad.value_and_grad(fn)(x)
    assert (type(value), value) == (type(wanted), wanted)
    assert np.array_equal(slope, np.full((n, 2), float(fn is mean)))


def test_an_array_of_no_rows_is_refused_when_the_program_runs():
    with pytest.raises(
        NotImplementedError, match=r"the list has no items: an array of it would have"
    ):
        srcad.grad(positive_rows)(-np.ones((20, 2)))


def handled(x):
    try:
        return np.array([int(v) for v in x if v > 0])
    except ValueError:
        return np.array([-1])


def test_the_refusal_of_an_array_of_no_rows_is_no_error_that_python_raises():
    with pytest.raises(NotImplementedError, match="the list has no items"):
        srcad.compile(handled)(-np.ones(20))


def typed(x):
    ints = [int(v) for v in x if v > 0]
    return np.array(ints, dtype=int), np.asarray(ints, np.float32), np.array(ints, bool)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_array_of_a_list_has_the_dtype_that_is_named(sign):
    x = sign * np.arange(1.0, 21.0)
    for made, wanted in zip(srcad.compile(typed)(x), typed(x), strict=True):
        assert made.dtype == wanted.dtype
        assert np.array_equal(made, wanted)


def with_an_array_before(x, n):
    hs = [x * 0.5]
    for _ in range(n):
        hs.append(np.tanh(hs[-1] + x))
    return np.sum(np.stack(hs)[-1] * x) + len(hs)


def reshaped(x, n):
    rows = []
    for i in range(n):
        rows.append(np.sin(x * i))
    return np.sum(np.array(rows).reshape(-1, 3).sum(axis=0) * x)


@pytest.mark.parametrize(
    ("fn", "dtype"),
    [(with_an_array_before, np.float64), (with_an_array_before, np.float32), (reshaped, float)],
)
def test_a_loop_without_iterations_adds_no_rows(fn, dtype):
    x = np.array([0.3, -0.2, 0.9], dtype)
    gradient = srcad.value_and_grad(fn)
    for n in (0, 1, 4):
        value, slope = gradient(x, n)
        wanted = fn(x, n)
        assert (type(value), slope.dtype) == (type(wanted), dtype)
        assert value == pytest.approx(wanted, rel=1e-6)
        step = np.array([1e-6, 0, 0])
        coarse = (fn(x + step, n) - fn(x - step, n)) / 2e-6
        assert slope[0] == pytest.approx(coarse, rel=1e-3, abs=1e-3)
    assert gradient.cache_info().misses == 1


def items_of_several_shapes(x):
    ys = []
    for v in x:
        if v > 0:
            ys.append((v, x))
        elif v < -1:
            ys.append((v, x[1:]))
    return sum(np.sum(y) for _, y in ys)


def rows_that_are_written(x):
    y = x.reshape(-1, 2) * 1.0
    rows = []
    for r in y:
        if r[0] > 0:
            rows.append(r)
    rows[0] *= 3
    return np.sum(y)


def lists_that_are_changed(x):
    rows = [[v, v * v] for v in x if v > 0]
    rows[0][0] = 5.0
    return sum(a * b for a, b in rows)


@pytest.mark.parametrize(
    "fn", [items_of_several_shapes, rows_that_are_written, lists_that_are_changed]
)
def test_what_is_not_one_item_of_one_kind_is_refused(fn):
    with pytest.raises(SrcadError) as caught:
        srcad.grad(fn)(np.linspace(-2.0, 2.0, 20))
    assert caught.value.code in ("E118", "E119", "E129")
    assert "test_growing_lists.py" in str(caught.value)


@pytest.mark.parametrize("n", [5, 30])
def test_an_item_that_something_else_holds_is_as_in_python(n):
    def f(x):
        rows = []
        for v in x:
            row = [v]
            rows.append(row)
            row.append(v * v)
        row[0] = 100.0
        return sum(a * b for a, b in rows)

    x = np.linspace(1.0, 2.0, n)
    wanted = np.append(3 * x[:-1] ** 2, 200.0 * x[-1])
    np.testing.assert_allclose(srcad.grad(f)(x), wanted)


def test_a_condition_that_is_known_while_compiling_stays_known():
    def f(x):
        return sum([x[k] for k in range(6) if k % 2 == 0])

    gradient = srcad.grad(f)
    assert np.array_equal(gradient(np.ones(6)), [1, 0, 1, 0, 1, 0])
    assert "x_bar[2] += 1.0" in gradient.source()


def under_another_name(x, n):
    ys = []
    other = ys
    for k in range(n):
        if x > 0:
            ys.append(x * k)
    ys.append(x)
    return sum(other) * len(other) if ys is other else 0.0


def put(values, v):
    values.append(v)


def by_a_helper(x, n):
    hist = [x]
    for k in range(n):
        x = x * 0.9
        put(hist, x * k)
    return sum(hist)


def fill(values, x, n):
    for k in range(n):
        values.append(x * k)


def by_loops_in_a_helper(x, n):
    hist = [x]
    fill(hist, x, n)
    fill(hist, x * x, n)
    return sum(v * v for v in hist)


class Walk:
    def __init__(self, x):
        self.x, self.seen, self.high = x, [x], []

    def step(self, k):
        self.x = self.x * 0.9 + 0.1 * k
        self.seen.append(self.x)
        if self.x > 0.5:
            self.high.append(self.x)


def by_a_method(x, n):
    walk = Walk(x)
    for k in range(n):
        walk.step(k)
    return sum(walk.seen) + walk.seen[-1] + len(walk.high) * sum(walk.high)


def in_a_dict(x, n):
    log = {"x": [], "v": [1.0]}
    for _ in range(n):
        x = x - 0.1 * log["v"][-1]
        log["x"].append(x)
        log["v"].append(log["v"][-1] + 0.1 * x)
    return np.sum(np.array(log["x"])) + np.sum(np.array(log["v"])) + x


def by_a_closure(x, n):
    seen = []

    def log(v):
        seen.append(v)

    k = 0
    while k < n:
        x = x * 0.9
        log(x)
        k = k + 1
    return sum(seen) + x


def by_two_loops(x, n):
    seen = []
    for i in range(n):
        seen.append(x * i)
        for j in range(i):
            seen.append(x * x * j)
    return sum(seen) + x


def before_it_is_long_enough(x, n):
    walk = Walk(x)
    for k in range(n):
        walk.step(k)
        if k > 1 and abs(walk.seen[-1] - walk.seen[-2]) > 0.35:
            break
    return sum(walk.seen)


def on_one_path_after_the_loop(x, n):
    seen = [x]
    for k in range(n):
        seen.append(x * k)
    if seen[-1] > 1.0:
        seen.append(x * x)
    return sum(seen) * len(seen)


IN_PLACES = [
    under_another_name, by_a_helper, by_loops_in_a_helper, by_a_method, in_a_dict, by_a_closure,
    by_two_loops, before_it_is_long_enough, on_one_path_after_the_loop,
]  # fmt: skip


@pytest.mark.parametrize("fn", IN_PLACES)
def test_a_list_grows_wherever_it_is_held(fn):
    gradient = srcad.value_and_grad(fn)
    for n in (30, 0, 1, 2, 5, 50):
        value, slope = gradient(0.7, n)
        wanted = fn(0.7, n)
        assert (type(value), value) == (type(wanted), pytest.approx(wanted, rel=1e-12))
        coarse = (fn(0.7 + 1e-6, n) - fn(0.7 - 1e-6, n)) / 2e-6
        assert slope == pytest.approx(coarse, rel=1e-5, abs=1e-5)
    assert gradient.cache_info().misses == 1


def test_a_list_that_a_loop_reads_is_not_appended_to():
    def f(x):
        kept = [v for v in x if v > 0]
        total = 0.0
        for v in kept:
            total += v
            if total < 1.0:
                kept.append(v)
        return total

    with pytest.raises(SrcadError):
        srcad.grad(f)(np.linspace(-2.0, 2.0, 20))


@pytest.mark.parametrize("n", [20, 30])
def test_rows_that_are_appended_later_stay_those_arrays(n):
    def f(x):
        rows = []
        for v in x:
            rows.append(np.ones(2) * v)
        last = np.ones(2) * x[0]
        rows.append(last)
        last[0] = 7.0 * x[1]
        return np.sum(np.array(rows) ** 2)

    x = np.linspace(1.0, 2.0, n)
    wanted = 4 * x
    wanted[0] += 2 * x[0]
    wanted[1] += 98 * x[1]
    np.testing.assert_allclose(srcad.grad(f)(x), wanted)


def with_histories(x, n):
    walk, pairs = Walk(x), []
    for k in range(n):
        walk.step(k)
        pairs.append((k, np.sin(walk.x)))
    return np.sin(walk.x), {"seen": walk.seen, "pairs": pairs, "n": n}


@pytest.mark.parametrize("make", [srcad.value_and_grad, srcad.grad])
def test_a_list_beside_the_value_is_pythons(make):
    gradient = make(with_histories, has_aux=True)
    for n in (30, 0, 1, 5):
        found = gradient(0.7, n)
        wanted = with_histories(0.7, n)[1]
        aux = found[0][1] if make is srcad.value_and_grad else found[1]
        assert aux == wanted
        kinds = [[type(v) for v in each["seen"]] for each in (aux, wanted)]
        kinds += [[tuple(map(type, pair)) for pair in each["pairs"]] for each in (aux, wanted)]
        assert kinds[0] == kinds[1]
        assert kinds[2] == kinds[3]
    assert gradient.cache_info().misses == 1


def test_a_list_of_arrays_beside_the_value_is_of_the_programs_arrays():
    def f(x, n):
        rows = []
        for k in range(n):
            rows.append(x * k)
        return np.sum(x), rows

    x = np.array([0.5, 0.7])
    (_, rows), _ = srcad.value_and_grad(f, has_aux=True)(x, 20)
    assert np.array_equal(rows, f(x, 20)[1])
    assert isinstance(rows, list)


def numbers_of_iterations(x, n):
    ks = []
    for i in range(n):
        ks.append(i)
    return np.array(ks)


def their_sum(x, n):
    return np.sum([i for i in range(n)])


def items_in_their_dtype(x, n):
    return np.asarray([v * 2 for v in x])


def truths(x, n):
    return np.array([v > 0 for v in x])


def pairs(x, n):
    ps = []
    for i in range(n):
        ps.append((i, x[i]))
    return np.array(ps)


def rows_of_halves(x, n):
    rows = []
    for i in range(1, n + 1):
        rows.append(x * np.float32(i))
    return np.array(rows)


def rows_stacked(x, n):
    return np.stack([x * i for i in range(n)])


def numbers_as_places(x, n):
    ks = [i for i in range(n)]
    return x[np.array(ks, dtype=int)]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "fn",
    [
        numbers_of_iterations, their_sum, items_in_their_dtype, truths, pairs, rows_of_halves,
        rows_stacked, numbers_as_places,
    ],
)  # fmt: skip
def test_the_array_of_a_list_without_items_is_numpys(fn, dtype, backend):
    x = np.array([0.5, -1.0, 2.0], dtype)
    compiled = srcad.compile(fn, backend=backend)
    for n in (2, 0, 3):
        try:
            wanted = fn(x[:n], n)
        except ValueError as problem:
            with pytest.raises(ValueError, match=str(problem)):
                compiled(x[:n], n)
            continue
        made = compiled(x[:n], n)
        assert (made.dtype, made.shape) == (wanted.dtype, wanted.shape)
        assert np.array_equal(made, wanted)


def test_recursion_by_lists_of_unknown_length_is_refused_early():
    def mean_square(x):
        def build(indices):
            if len(indices) <= 1:
                return sum(x[i] ** 2 for i in indices)
            m = sum(x[i] for i in indices) / len(indices)
            low = [i for i in indices if x[i] < m]
            high = [i for i in indices if x[i] >= m]
            return m**2 + build(low) + build(high)

        return build(list(range(len(x))))

    with pytest.raises(SrcadError, match="E123"):
        srcad.grad(mean_square)(np.array([0.3, 1.5, 0.7, 2.0, 0.1, 0.9]))


def test_a_list_of_another_length_after_loops_in_loops_is_refused():
    def last_items(x, n):
        items, others = [x[0], 0.5], [2.0]
        for _ in range(len(x)):
            for _ in range(n):
                items = others
        for _ in items:
            items[0] = items[0] * 0.5
        return items[0]

    with pytest.raises(SrcadError, match="E122"):
        srcad.grad(last_items)(np.ones(3), 2)


@pytest.mark.parametrize("backend", BACKENDS)
def test_rows_that_an_inner_loop_changes_are_bound_in_loops_alone(backend):
    def f(a, p, n):
        k = 0
        while k < n:
            j = 0
            while j < n:
                held = (p @ np.full((2, n), a)).tolist()
                rows = [[0.0, 0.0], [0.0, 0.0]]
                for row in range(2):
                    for column in range(2):
                        rows[row][column] += column * held[row][column]
                a = np.exp(0.3) + 0.9 * a
                j += 1
            k += 1
        return rows[1][1] * a

    p = np.array([[0.3, 0.7], [1.1, 0.2], [0.4, 0.9]])
    value, slope = srcad.value_and_grad(f, backend=backend)(1.5, p, 3)
    assert value == pytest.approx(f(1.5, p, 3))
    assert slope == pytest.approx((f(1.5 + 1e-6, p, 3) - f(1.5 - 1e-6, p, 3)) / 2e-6, rel=1e-6)


def test_lists_of_several_lengths_that_a_loop_returns_are_refused():
    def f(x):
        for i, v in enumerate(x):
            if v > 1:
                return [v] * 2
            if i > 2:
                return [v] * 3
        return [v]

    with pytest.raises(SrcadError, match="E129"):
        srcad.compile(f)(np.arange(5.0) * 0.3)
