"""SciPy's own Python, read where a function has no rule."""

import runpy
import sys
import types
from importlib.metadata import version

import numpy as np
import pytest

import srcad
from srcad.testing import check_grads

signal = pytest.importorskip("scipy.signal")
stats = pytest.importorskip("scipy.stats")
linalg = pytest.importorskip("scipy.linalg")
vq = pytest.importorskip("scipy.cluster.vq")

X = np.array([0.31, 1.24, 2.53, 0.72, 1.9])
Y = np.array([0.5, 0.1, 1.5, 2.2, 1.1])
A = np.array([[2.0, 0.3, 0.1], [0.4, 1.5, 0.2], [0.3, 0.2, 0.9]])


def pearson(x):
    found = stats.pearsonr(x, Y)
    r, _ = found
    return found.statistic + found.correlation * r + found[0] * len(found)


def line(x):
    fit = stats.linregress(x, Y)
    return fit.slope + 2.0 * fit.intercept


READ = {
    "savgol_filter": lambda x: np.sum(signal.savgol_filter(x, 3, 1) ** 2),
    "periodogram": lambda x: np.sum(signal.periodogram(x)[1] ** 2),
    "resample": lambda x: np.sum(signal.resample(x, 7) ** 2),
    "wiener": lambda x: np.sum(signal.wiener(x, 3) ** 2),
    "freqz": lambda x: np.sum(np.abs(signal.freqz(x, worN=4)[1]) ** 2),
    "zpk2tf": lambda x: np.sum(signal.zpk2tf(x[:2], [0.5], 2.0)[0] ** 2),
    "tukey": lambda x: np.sum(signal.windows.tukey(9, x[0]) ** 2),
    "pinvh": lambda x: np.sum(linalg.pinvh(A @ A.T + x[0] * np.eye(3))),
    "orthogonal_procrustes": lambda x: np.sum(linalg.orthogonal_procrustes(A, A * x[:3])[0] * A),
    "whiten": lambda x: np.sum(vq.whiten(np.outer(x, [1.0, 2.0]) ** 2)),
    "yeojohnson": lambda x: np.sum(stats.yeojohnson(x, 0.4)),
    "tmean": lambda x: stats.tmean(x, (0.0, 3.0)),
    "chisquare": lambda x: stats.chisquare(x, Y * np.sum(x) / np.sum(Y)).statistic,
    "boxcox_llf": lambda x: stats.boxcox_llf(x[1], X),
    "pearsonr": pearson,
    "linregress": line,
}

if version("scipy") < "1.18":  # where a result is a number or an array, as data says
    READ["ttest_1samp"] = lambda x: stats.ttest_1samp(x, 0.4).statistic


@pytest.mark.parametrize("name", READ)
def test_its_source_gives_value_and_derivatives(name):
    f = READ[name]
    value, gradient = srcad.value_and_grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    assert type(value) is type(f(X))
    step = 1e-6 * np.cos(np.arange(len(X)))
    difference = (f(X + step) - f(X - step)) / 2.0
    assert gradient @ step == pytest.approx(difference, rel=1e-5, abs=1e-13)


def test_what_is_returned_is_what_scipy_returns():
    def fit(x):
        return stats.linregress(x, Y)

    found, wanted = srcad.compile(fit)(X), fit(X)
    assert type(found) is type(wanted)
    assert found == wanted
    assert vars(found) == vars(wanted)


def smoothed(x):
    return np.sum(signal.savgol_filter(x, 3, 1) ** 2)


def test_a_saved_module_holds_what_was_read(tmp_path):
    gradient = srcad.grad(smoothed)
    path = tmp_path / "smoothed.py"
    gradient.save(path, X)
    module = runpy.run_path(str(path))
    np.testing.assert_array_equal(module[module["__all__"][0]](X), gradient(X))


def test_a_later_import_makes_no_other_program(monkeypatch):
    gradient = srcad.grad(READ["pearsonr"])
    gradient(X)
    monkeypatch.setitem(sys.modules, "imported_later", types.ModuleType("imported_later"))
    gradient(X)
    assert gradient.cache_info().misses == 1


def test_a_call_on_constants_stays():
    def filtered(x):
        b, a = signal.butter(2, 0.3)
        return np.sum(signal.lfilter(b, a, x) ** 2)

    assert "butter(2, 0.3)" in srcad.grad(filtered).source(X)
    check_grads(filtered, (X,), order=1)


def test_a_compiled_function_calls_it_but_where_it_is_differentiated():
    def step(x):
        return signal.savgol_filter(x, 3, 1) - 0.1 * srcad.grad(smoothed)(x)

    source = srcad.compile(step).source(X)
    assert source.count("as_tried(signal.savgol_filter(") == 1
    np.testing.assert_allclose(srcad.compile(step)(X), step(X), rtol=1e-14)


def test_what_cannot_be_read_is_a_call_without_derivative():
    def resampled(x, y):
        return np.sum(signal.resample_poly(x, 2, 1)) + np.sum(signal.savgol_filter(y, 3, 1))

    assert srcad.compile(resampled)(X, Y) == resampled(X, Y)
    np.testing.assert_allclose(
        srcad.grad(resampled, 1)(X, Y), srcad.grad(lambda y: resampled(X, y))(Y)
    )
    with pytest.raises(srcad.MissingRule, match="resample_poly") as refusal:
        srcad.grad(resampled)(X, Y)
    assert refusal.value.code == "E204"
    assert refusal.value.location.file == __file__


# What it takes ------------------------------------------------------------------------------------


def protected(x):
    y = x * 2.0
    y.setflags(write=False)
    return np.sum(y * x)


def protected_and_written(x):
    y = x * 2.0
    y.setflags(write=False)
    y[0] = 1.0
    return np.sum(y)


def protected_on_a_path(x):
    y, z = x * 2.0, x * 3.0
    if x[0] > 0:
        y.setflags(write=False)
        w = y
    else:
        w = z
    w[0] = 1.0
    return np.sum(w)


def test_arrays_that_are_written_no_more():
    assert srcad.value_and_grad(protected)(X)[0] == protected(X)
    for refused in (protected_and_written, protected_on_a_path):
        with pytest.raises(srcad.SrcadError) as refusal:
            srcad.grad(refused)(X)
        assert refusal.value.code == "E137"


def by_constants(x):
    if np.all(np.array([1, 1]) <= 1):
        return np.sum(x)
    return np.sum(x**2)


def by_a_changed_constant(x):
    a = np.array([1, 1])
    a[0] = 5
    if np.all(a <= 1):
        return np.sum(x)
    return np.sum(x**2)


def by_a_constant_that_warns(x):
    if np.log(np.array([0.0, 1.0]))[0] < 0:
        return np.sum(x)
    return np.sum(x**2)


def by_a_constant_changed_in_a_loop(x):
    a, s = np.array([1, 1]), 0.0
    for v in x:
        if a.sum() < 4:
            s = s + v
        else:
            s = s + v * v
        a[0] += 1
    return s


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize(
    "f",
    [
        by_constants,
        by_a_changed_constant,
        by_a_constant_that_warns,
        by_a_constant_changed_in_a_loop,
    ],
)
def test_branches_by_constants(f):
    assert srcad.value_and_grad(f)(X)[0] == f(X)
    check_grads(f, (X,), order=1)


def test_branches_by_constants_are_decided():
    source = srcad.grad(by_constants).source(X)
    assert "if " not in source


def caught_inside(x):
    known = {"a": x}
    try:
        y = known.pop("a")
        try:
            raise KeyError("b")
        except KeyError:
            y = y * 2.0
        y = np.atleast_1d(y)
    except KeyError:
        return np.sum(x)
    return np.sum(y * x)


def test_what_is_caught_inside_does_not_reach_the_outer_handler():
    assert srcad.value_and_grad(caught_inside)(X)[0] == caught_inside(X)
    check_grads(caught_inside, (X,), order=1)
