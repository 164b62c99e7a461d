"""Sparse Jacobians and Hessians against dense ones, and what decides their patterns."""

import copy
import pickle

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.transform.sparsity.coloring import color_columns, color_symmetric, is_alone

sparse = pytest.importorskip("scipy.sparse")
ndimage = pytest.importorskip("scipy.ndimage")
signal = pytest.importorskip("scipy.signal")

RNG = np.random.default_rng(5)
ORDER = np.array([3, 0, 4])


def differences(x):
    return x[1:] * x[:-1] + np.sin(x[1:])


def laplacian(u, n):
    v = np.zeros((n + 2, n + 2))
    v[1:-1, 1:-1] = u.reshape(n, n)
    around = v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2]
    return around - 4 * v[1:-1, 1:-1] + np.exp(u.reshape(n, n))


def by_loops(x, w):
    y = np.zeros(len(x))
    for i in range(1, len(x) - 1):
        y[i] = w * (x[i + 1] - 2 * x[i] + x[i - 1])
        if w > 1:
            y[i] += x[i] ** 3
    return y


def few_rows(x):
    return np.array([np.sum(x**2), np.sum(x[1:] * x[:-1])])


def gathered(x, index):
    return x[index] ** 2 * x[0]


def captured(x):
    return x[ORDER] ** 2


def by_sign(x):
    return x[:-1] * x[1:] if x[0] > 0 else x[:-1] ** 2


def blocks(x, a):
    return np.concatenate([(x.reshape(-1, 2) @ a).ravel(), np.cumsum(x[:3]), [x[-1], 1.0]])


def rod(z, n):
    log_k, u = np.split(z, [n + 1])
    flow = np.exp(log_k) * np.diff(np.pad(u, (1, 1)))
    return np.append(np.diff(flow), np.diff(log_k, prepend=0.0))


def filtered(x, kernel):
    return np.convolve(x, kernel, "same") * np.correlate(x, np.array([1, 2, 3]), "same")


def stretched(x):
    return np.concatenate(
        [np.outer(x, x[:2]).ravel(), np.kron(np.ones(2), x), np.polyval(x[:2], x)]
    )


def padded(x, mode):
    return np.pad(x.reshape(2, -1), ((0, 1), (1, 2)), mode)


def counted(x, places):
    a, b = np.meshgrid(x[:3], x[3:])
    return np.append(np.bincount(places, weights=x**2, minlength=5), a * b)


def chosen(x):
    return np.select([x > 0.5, x > 0], [x[::-1], x**2], x[0])


def by_matrix(x, a, b):
    return np.concatenate([a @ x * x, b @ x.reshape(-1, 2) @ np.ones(2)])


def of_a_number(x):
    return np.array([x, x * x, 1.0])


def of_nothing(x):
    return x[:0] * 2


def tridiagonal(n):
    return sparse.diags_array([1.0, 2.0, 3.0], offsets=[-1, 0, 1], shape=(n, n)).tocsr()


CASES = [
    (differences, (RNG.normal(size=7),)),
    (laplacian, (RNG.normal(size=25), 5)),
    (by_loops, (RNG.normal(size=6), 0.5)),
    (by_loops, (RNG.normal(size=6), 1.5)),
    (few_rows, (RNG.normal(size=30),)),
    (gathered, (RNG.normal(size=5), np.array([1, 4, 1]))),
    (captured, (RNG.normal(size=5),)),
    (by_sign, (np.array([1.0, 2.0, 3.0]),)),
    (by_sign, (np.array([-1.0, 2.0, 3.0]),)),
    (blocks, (RNG.normal(size=8), RNG.normal(size=(2, 3)))),
    (rod, (RNG.normal(size=13), 6)),
    (filtered, (RNG.normal(size=9), np.array([1.0, -2.0, 1.0]))),
    (stretched, (RNG.normal(size=5),)),
    *((padded, (RNG.normal(size=8), mode)) for mode in ("constant", "edge", "wrap", "maximum")),
    (counted, (RNG.normal(size=6), np.array([0, 3, 1, 0, 0, 4]))),
    (chosen, (RNG.normal(size=9),)),
    (by_matrix, (RNG.normal(size=8), tridiagonal(8), tridiagonal(4).tocsc())),
    (of_a_number, (2.0,)),
    (of_nothing, (np.ones(3),)),
    (differences, (RNG.normal(size=140_000),)),  # each product alone
]


def dense(f, args):
    made = srcad.jacobian(f)(*args)
    return np.reshape(made, (-1, np.size(args[0])))


@pytest.mark.parametrize(("f", "args"), CASES)
def test_against_dense(f, args):
    if np.size(args[0]) > 1000:
        rows = np.arange(len(args[0]) - 1)
        found = srcad.jacobian(f, sparse=True)(*args)
        x = args[0]
        np.testing.assert_allclose(found[rows, rows], x[1:])
        np.testing.assert_allclose(found[rows, rows + 1], x[:-1] + np.cos(x[1:]))
        assert found.nnz == 2 * len(rows)
        return
    jacobian = srcad.jacobian(f, sparse=True)
    found = jacobian(*args)
    np.testing.assert_allclose(found.toarray(), dense(f, args), rtol=1e-12)
    assert jacobian.pattern(*args).nnz == found.nnz


def test_patterns_are_tight():
    assert srcad.jacobian(differences, sparse=True).pattern(np.ones(7)).nnz == 12
    assert srcad.jacobian(laplacian, sparse=True).pattern(np.ones(25), 5).nnz == 25 * 5 - 20
    assert srcad.jacobian(few_rows, sparse=True).colors(np.ones(30)).tolist() == [0, 1]
    assert srcad.jacobian(differences, sparse=True).colors(np.ones(30)).max() == 1
    assert srcad.jacobian(rod, sparse=True).pattern(np.ones(13), 6).nnz == 6 * 5 - 2 + 7 * 2 - 1
    assert srcad.jacobian(filtered, sparse=True).pattern(np.ones(9), np.ones(3)).nnz == 9 * 3 - 2
    assert srcad.jacobian(stretched, sparse=True).pattern(np.ones(5)).nnz == 18 + 10 + 13
    assert srcad.jacobian(padded, sparse=True).pattern(np.ones(8), "wrap").nnz == 21
    found = srcad.jacobian(by_matrix, sparse=True).pattern(
        np.ones(8), tridiagonal(8), tridiagonal(4).tocsc()
    )
    assert found.nnz == (8 * 3 - 2) + 2 * (4 * 3 - 2)


def test_what_decides_a_pattern_is_looked_at_in_each_call():
    jacobian = srcad.jacobian(gathered, sparse=True)
    x = np.arange(1.0, 6.0)
    for index in ([1, 4, 1], [0, 0, 2], [3], [1, 4, 1]):
        args = (x, np.array(index))
        np.testing.assert_allclose(jacobian(*args).toarray(), dense(gathered, args))
    jacobian = srcad.jacobian(counted, sparse=True)
    for places in ([0, 1, 2, 3, 3], [4, 0, 0, 1, 1]):
        args = (x, np.array(places))
        np.testing.assert_allclose(jacobian(*args).toarray(), dense(counted, args))
        assert jacobian.pattern(*args).nnz == 5 + 2 * 6
    jacobian = srcad.jacobian(by_sign, sparse=True)
    for args in ((x,), (-x,), (x[:3],), (x,)):
        np.testing.assert_allclose(jacobian(*args).toarray(), dense(by_sign, args))
    jacobian = srcad.jacobian(by_loops, sparse=True)
    for args in ((x, 0.5), (x, 2.0), (x[:4], 0.5)):
        np.testing.assert_allclose(jacobian(*args).toarray(), dense(by_loops, args))


def test_shapes_do_not_decide_by_values():
    def flow(log_k, u):
        return np.diff(np.exp(log_k) * np.diff(u)) * u[1:-1]  # as long as both, or one of them

    jacobian = srcad.jacobian(flow, argnums="u", sparse=True)
    for log_k, u in (
        (np.zeros(4), np.ones(5)),
        (np.ones(4), np.arange(5.0)),
        (np.ones(1), np.ones(5)),
    ):
        np.testing.assert_allclose(
            jacobian(log_k, u).toarray(), srcad.jacobian(flow, argnums="u")(log_k, u)
        )
    assert jacobian._known[0].decided_by == {}


def test_shapes_that_values_decide_are_looked_at():
    def shortened(x, w):
        while w[0] * len(w) > 3:
            w = w[:-1]
        return np.concatenate([x, x[0] + 0 * w])

    jacobian = srcad.jacobian(shortened, sparse=True)
    for w in (np.ones(4), 2 * np.ones(4), np.ones(4)):
        x = np.ones(2)
        np.testing.assert_allclose(jacobian(x, w).toarray(), srcad.jacobian(shortened)(x, w))


def test_a_captured_index_may_change():
    jacobian = srcad.jacobian(captured, sparse=True)
    x = np.arange(1.0, 6.0)
    try:
        for index in ([3, 0, 4], [1, 1, 2]):
            ORDER[:] = index
            np.testing.assert_allclose(jacobian(x).toarray(), dense(captured, (x,)))
    finally:
        ORDER[:] = [3, 0, 4]


def test_a_captured_index_of_the_name_of_an_argument():
    def made(index):
        return lambda x: x[index]

    pick = made(np.array([1, 1]))

    def f(x, index):
        return pick(x) * index

    jacobian, args = srcad.jacobian(f, sparse=True), (np.arange(1.0, 4.0), np.array([2, 3]))
    for places in ([1, 1], [0, 2]):
        pick.__closure__[0].cell_contents[:] = places
        np.testing.assert_allclose(jacobian(*args).toarray(), dense(f, args))


def test_results_are_the_callers_own():
    jacobian = srcad.jacobian(differences, sparse=True)
    x = np.arange(4.0)
    first = jacobian(x)
    wanted = first.toarray()
    first.data[:] = 0.0
    first.eliminate_zeros()
    jacobian.colors(x)[:] = 0
    np.testing.assert_array_equal(jacobian(x).toarray(), wanted)


def test_functions_print_once(capsys):
    def f(x):
        print("called")
        return x * x

    srcad.jacobian(f, sparse=True)(np.ones(2))
    assert capsys.readouterr().out == "called\n"


def test_values_in_options_and_lists_count():
    def clipped(x):
        return np.clip(np.array([1.0, 5.0]), min=x, max=3 * x[::-1])

    def listed(x):
        return np.maximum([x[0], 2.0, x[2]], x[1])

    for f, x in ((clipped, np.array([2.0, 1.0])), (listed, np.array([1.0, 0.5, 3.0]))):
        np.testing.assert_allclose(srcad.jacobian(f, sparse=True)(x).toarray(), dense(f, (x,)))


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def arrow(x):
    return np.sum(x[0] * x**2) + np.sum(x**3)


def surface(u):
    v = u.reshape(5, 6)
    across, down = v[1:, :-1] - v[:-1, :-1], v[:-1, 1:] - v[:-1, :-1]
    return np.sum(np.sqrt(1 + across**2 + down**2))


@pytest.mark.parametrize(("f", "n", "most"), [(rosenbrock, 12, 3), (arrow, 9, 2), (surface, 30, 9)])
def test_hessians(f, n, most):
    x = RNG.normal(size=n)
    hessian = srcad.hessian(f, sparse=True)
    np.testing.assert_allclose(hessian(x).toarray(), srcad.hessian(f)(x), atol=1e-12)
    assert hessian.colors(x).max() < most


KERNEL = np.array([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 2.0]])
WEIGHTS = np.array([1.0, -2.0, 0.0, 3.0])
FILTERS = RNG.normal(size=(4, 2, 3, 3))
WINDOWS = [
    (lambda u: ndimage.laplace(u), 7),
    (lambda u: ndimage.laplace(u, mode="wrap"), 9),
    (lambda u: ndimage.sobel(u), 6),
    (lambda u: ndimage.convolve(u, KERNEL), 9),
    (lambda u: ndimage.correlate(u, KERNEL, mode="constant", cval=3.0), 9),
    (lambda u: ndimage.correlate1d(u, WEIGHTS, axis=0, mode="nearest", origin=1), 4),
    (lambda u: ndimage.convolve1d(u, WEIGHTS, mode="mirror"), 4),
    (lambda u: ndimage.uniform_filter1d(u, 4, axis=0, origin=-1), 4),
    (lambda u: ndimage.gaussian_filter(u, 0.3), 9),
    (lambda u: signal.convolve2d(u, KERNEL, mode="same"), 9),
    (lambda u: signal.correlate(u, KERNEL[:2], mode="full"), 6),
    (lambda u: signal.fftconvolve(u, KERNEL[:2], mode="valid"), 6),
    (lambda u: signal.convolve2d(KERNEL, u[:3, :3], mode="same"), 9),
    (lambda u: signal.lfilter([1.0, 0.5], [1.0, 0.3], u, axis=0), 8),
    (lambda u: srcad.nn.conv1d(u.reshape(2, 2, 16), FILTERS[:, :, 0], dilation=2), 6),
    (lambda u: srcad.nn.conv2d(u.reshape(1, 2, 8, 4), FILTERS, stride=2, padding=1), 18),
    (lambda u: srcad.nn.conv2d(u.reshape(1, 4, 4, 4), FILTERS, padding="same", groups=2), 18),
    (lambda u: srcad.nn.max_pool2d(u.reshape(1, 2, 8, 4), 3, 1), 9),
    (lambda u: srcad.nn.avg_pool2d(u.reshape(1, 2, 8, 4), (2, 1)), 2),
    (lambda u: srcad.nn.relu(srcad.nn.conv2d(u[None, None], np.ones((1, 1, 3, 3)))), 9),
]


@pytest.mark.parametrize(("f", "most"), WINDOWS)
def test_filters_depend_on_windows(f, most):
    u = RNG.normal(size=(8, 8))
    jacobian = srcad.jacobian(f, sparse=True)
    found = jacobian(u)
    dense = srcad.jacobian(f)(u).reshape(found.shape)
    np.testing.assert_allclose(found.toarray(), dense, atol=1e-12)
    assert jacobian.colors(u).max() < most


def test_kernels_that_vary_count_as_dense():
    u = RNG.normal(size=(5, 5))
    jacobian = srcad.jacobian(lambda u: ndimage.convolve(u, u[:2, :2]), sparse=True)
    dense = srcad.jacobian(lambda u: ndimage.convolve(u, u[:2, :2]))(u)
    np.testing.assert_allclose(jacobian(u).toarray(), dense.reshape(25, 25), atol=1e-12)


def test_a_large_dense_pattern_is_warned_of():
    jacobian = srcad.jacobian(lambda x: np.sort(x) * x, sparse=True)
    with pytest.warns(RuntimeWarning, match="dense") as caught:
        jacobian(RNG.normal(size=1100))
    assert caught[0].filename == __file__


def test_keywords_and_decorators():
    @srcad.jacobian(argnums="y", sparse=True)
    def f(t, y, *, scale=2.0):
        return scale * y[1:] * y[:-1] * t

    y = np.arange(1.0, 4.0)
    for made in (f(0.5, y), f(t=0.5, y=y), f(0.5, y, scale=2.0)):
        np.testing.assert_allclose(made.toarray(), [[2.0, 1.0, 0.0], [0.0, 3.0, 2.0]])


@pytest.mark.parametrize(
    "make",
    [
        lambda: srcad.jacobian(lambda p: p["x"] * 2, sparse=True)({"x": np.ones(2)}),
        lambda: srcad.jacobian(lambda x: (x, x), sparse=True)(np.ones(2)),
        lambda: srcad.jacobian(lambda x: x * x, holomorphic=True, sparse=True),
        lambda: srcad.jacobian(lambda *xs: xs[1] * 2, 1, sparse=True),
        lambda: srcad.jacobian(lambda x, *, y: x * y, "y", sparse=True),
        lambda: srcad.jacobian(lambda x, g: x * g.normal(size=2), sparse=True)(
            np.ones(2), np.random.default_rng(0)
        ),
    ],
)
def test_refused(make):
    with pytest.raises(SrcadError) as caught:
        make()
    assert caught.value.code == "E321"


def of_two(x, y, s=2.0):
    return x[1:] * y[:-1] * s + x[1:] ** 3


def of_two_with_aux(x, y):
    return of_two(x, y), {"n": len(x)}


def energy_of_two(x, y):
    return np.sum(x[1:] * x[:-1] * y[1:] ** 2)


def energy_with_aux(x, y):
    return energy_of_two(x, y), y


TWO = (np.arange(1.0, 5.0), np.arange(2.0, 6.0))


@pytest.mark.parametrize("argnums", [(0, 1), ("y", "x"), (1,)])
def test_a_tuple_of_arguments_has_a_tuple_of_matrices(argnums):
    made = srcad.jacobian(of_two, argnums, sparse=True)
    for found, wanted in zip(made(*TWO), srcad.jacobian(of_two, argnums)(*TWO), strict=True):
        np.testing.assert_allclose(found.toarray(), wanted)
    assert len(made.pattern(*TWO)) == len(made.colors(*TWO)) == len(argnums)
    made = srcad.hessian(energy_of_two, argnums, sparse=True)
    wanted = srcad.hessian(energy_of_two, argnums)(*TWO)
    for found, expected in zip(made(*TWO), wanted, strict=True):
        for each, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(each.toarray(), other)


def test_aux_comes_beside():
    found, aux = srcad.jacobian(of_two_with_aux, "y", has_aux=True, sparse=True)(*TWO)
    np.testing.assert_allclose(found.toarray(), srcad.jacobian(of_two, "y")(*TWO))
    assert aux == {"n": 4}
    ((found,),), aux = srcad.hessian(energy_with_aux, ("x",), has_aux=True, sparse=True)(*TWO)
    np.testing.assert_allclose(found.toarray(), srcad.hessian(energy_of_two)(*TWO))
    np.testing.assert_array_equal(aux, TWO[1])


def printing(x):
    print("once")
    return x[1:] * x[:-1], 1 / x


def printing_energy(x):
    print("once")
    return np.sum(x[1:] * x[:-1] ** 2), [x, 1 / x]


def sums_and_aux(x):
    print("once")
    return np.array([np.sum(x**2), np.sum(x[1:] * x[:-1])]), x


def without_entries(x):
    print("once")
    return np.ones(2), 1 / x


@pytest.mark.parametrize("f", [printing, sums_and_aux, without_entries])
def test_aux_is_of_the_program_that_computes_the_products(f, capsys):
    x = np.array([1.0, 2.0, -0.0, 4.0])
    with np.errstate(divide="ignore"):
        found, aux = srcad.jacobian(f, has_aux=True, sparse=True)(x)
        assert capsys.readouterr().out == "once\n"
        wanted, beside = srcad.jacobian(f, has_aux=True)(x)
    np.testing.assert_allclose(found.toarray(), wanted)
    np.testing.assert_array_equal(aux, beside)


def test_aux_of_a_hessian_is_of_the_program_that_computes_the_products(capsys):
    x = np.array([1.0, 2.0, -0.0, 4.0])
    with np.errstate(divide="ignore"):
        found, (same, inverse) = srcad.hessian(printing_energy, has_aux=True, sparse=True)(x)
        assert capsys.readouterr().out == "once\n"
        np.testing.assert_array_equal(inverse, 1 / x)
        np.testing.assert_allclose(
            found.toarray(), srcad.hessian(printing_energy, has_aux=True)(x)[0]
        )
    assert same is not x
    np.testing.assert_array_equal(same, x)


def signed(x):
    return np.copysign(1.0, x) * x


def test_zeros_keep_their_sign():
    x = np.array([-0.0, 0.0, 2.0])
    np.testing.assert_array_equal(
        srcad.jacobian(signed, sparse=True)(x).toarray(), srcad.jacobian(signed)(x)
    )


def checked(x):
    if x[0] < 0:
        raise ValueError("negative")
    return np.ones(2)


def test_a_function_without_entries_raises_all_the_same():
    made = srcad.jacobian(checked, sparse=True)
    assert made(np.ones(3)).nnz == 0
    with pytest.raises(ValueError, match="negative"):
        made(-np.ones(3))


@pytest.mark.parametrize("argnums", [0, (0, 1)])
def test_they_are_pickled_shown_and_counted(argnums, capsys):
    made = srcad.jacobian(of_two, argnums, sparse=True)
    assert made.primal is of_two
    assert made.cache_info().misses == 0
    made(*TWO)
    assert made.cache_info().misses > 0
    made.show(*TWO)
    assert "own_places" in capsys.readouterr().out
    assert "sparse" in repr(made)
    again = pickle.loads(pickle.dumps(made))
    for a, b in zip(np.ravel(made(*TWO)), np.ravel(again(*TWO)), strict=True):
        np.testing.assert_array_equal(a.toarray(), b.toarray())
    assert copy.deepcopy(made) is made
    made.cache_clear()
    assert made.cache_info().size == 0
    with pytest.raises(SrcadError, match="E503"):
        made.save("nowhere.py", *TWO)


def test_the_programs_of_its_products_are_explained():
    made = srcad.jacobian(of_two, sparse=True)
    made(*TWO)
    assert "NumPy" in str(made.explain(*TWO))
    assert "own_places" in made._repr_html_() or "along" in made._repr_html_()


MADE_OUTSIDE = srcad.jacobian(of_two, sparse=True)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: srcad.jacobian(lambda x: x**2, sparse=True)(x) @ x,
        lambda x: np.sum(srcad.hessian(lambda x: np.sum(x**3), sparse=True)(x) @ x),
        lambda x: MADE_OUTSIDE(x, x) @ x,
    ],
)
def test_inside_a_program_they_are_refused_in_words_of_their_own(f):
    with pytest.raises(SrcadError, match="sparse derivative"):
        srcad.compile(f)(np.ones(3))


def test_scipy_takes_them():
    from scipy.integrate import solve_ivp
    from scipy.optimize import least_squares, minimize

    def heat(t, u):
        du = np.zeros_like(u)
        du[1:-1] = 400 * (u[2:] - 2 * u[1:-1] + u[:-2]) - u[1:-1] ** 2
        return du

    def residuals(p, t):
        return np.concatenate([p[:-1] * t[:-1] + p[1:] - 1, 0.1 * (p - 1) ** 2])

    u = np.sin(np.linspace(0, np.pi, 30))
    jac = srcad.jacobian(heat, argnums=1, sparse=True)
    assert solve_ivp(heat, (0, 0.05), u, method="BDF", jac=jac).success
    jac = srcad.jacobian(residuals, sparse=True)
    assert least_squares(residuals, np.zeros(20), jac=jac, args=(np.linspace(1, 2, 20),)).success
    hess = srcad.hessian(rosenbrock, sparse=True)
    options = {"method": "trust-constr", "jac": srcad.grad(rosenbrock), "hess": hess}
    assert minimize(rosenbrock, np.zeros(8), **options).fun < 1e-12


def random_pattern(seed, symmetric):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 25))
    held = rng.random((n, n if symmetric else int(rng.integers(1, 25)))) < rng.uniform(0, 0.4)
    return held | held.T if symmetric else held


@pytest.mark.parametrize("seed", range(40))
def test_columns_of_one_color_share_no_row(seed):
    held = random_pattern(seed, symmetric=False)
    rows, columns = np.nonzero(held)
    colors = color_columns(rows, columns, held.shape[1])
    assert len(set(zip(rows, colors[columns], strict=True))) == len(rows)


@pytest.mark.parametrize("seed", range(40))
def test_entries_of_a_star_coloring_are_alone_in_row_or_column(seed):
    held = random_pattern(seed, symmetric=True)
    rows, columns = np.nonzero(held)
    colors = color_symmetric(rows, columns, len(held))
    assert np.all(is_alone(rows, columns, colors) | is_alone(columns, rows, colors))


def pairs_in_order(x):
    near = []
    for i in range(len(x)):
        for j in range(i):
            if x[i] > x[j]:
                near.append((x[i] - x[j]) ** 2)
    return sum(near)


def test_lists_of_several_lengths_have_index_sets_for_each_item():
    x = np.array([1.0, 2.0, -1.0, 4.0])
    found = srcad.hessian(pairs_in_order, sparse=True)(x).toarray()
    np.testing.assert_allclose(found, srcad.hessian(pairs_in_order)(x), rtol=1e-12)


def test_a_jacobian_without_entries():
    x = np.array([1.0, 2.0])
    for n, f in ((3, lambda x: np.zeros(3) + np.sum(x[:0])), (0, lambda x: x[:0])):
        found = srcad.jacobian(f, sparse=True)(x)
        assert found.shape == (n, 2)
        assert found.nnz == 0
