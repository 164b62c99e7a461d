"""What pandas does with each row, with attributes and with nothing is done, or is refused."""

import linecache
import warnings

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.skipif(pd.__version__ < "3", reason="pandas 3 has other dtypes")

D = pd.DataFrame({"a": [1.5, 2.5, 0.5], "b": [3.0, 1.0, 2.0]})
I = pd.DataFrame({"a": [1, 2, 0], "b": [3, 1, 2]})  # noqa: E741
F = D.astype("float32")


def function(text, names):
    """The function `lambda names: text`, of which the source is known."""
    source = f"def f({names}):\n    return {text}\n"
    path = f"<{names}: {text}>"
    linecache.cache[path] = (len(source), None, source.splitlines(True), path)
    scope = {"np": np, "pd": pd}
    exec(compile(source, path, "exec"), scope)
    return scope["f"]


def answer(f, *args):
    """The value and its type, of a Series or a table its array; or the class of the exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = f(*args)
        except SrcadError:
            return "refused"
        except NotImplementedError as problem:
            return "refused" if "of no rows" in str(problem) else NotImplementedError
        except Exception as problem:
            return type(problem)
    dtype = getattr(found, "dtype", None)
    return type(found).__name__, dtype, np.shape(found), np.asarray(found).tolist()


def is_as_pandas(text, *args, may_refuse=False):
    """Whether compiled code gives what pandas gives."""
    f = function(text, "d, k=1.5")
    wanted, found = answer(f, *args), answer(srcad.compile(f, backend="numpy"), *args)
    if not may_refuse:
        assert found != "refused", text
    if found != "refused":
        assert repr(found) == repr(wanted), text


def has_slope(text, d, at=1.5, step=1e-6):
    """Whether the derivative by `k` is the one of difference quotients."""
    f = function(text, "k, d")
    value, slope = srcad.value_and_grad(f)(at, d)
    assert value == pytest.approx(f(at, d), rel=1e-12)
    assert slope == pytest.approx((f(at + step, d) - f(at - step, d)) / (2 * step), rel=1e-6)


# `apply` ------------------------------------------------------------------------------------------

BY_ROWS = """
r.sum() | r.max() - r.min() | np.dot(r, r) | r.iloc[0] | len(r) | 1.0 | True | r["a"] > 1
r.a * r["b"] | np.sqrt((r * r).sum()) | r.std() | r.a if r.a > 1 else r.b | np.float32(r.sum())
int(r.sum()) | "a" in r | r / r.sum() | r > 1 | r.cumsum()
""".replace("\n", "|").split("|")


@pytest.mark.parametrize("data", [D, I, F], ids=["float", "int", "float32"])
def test_apply_by_rows(data):
    for body in filter(str.strip, BY_ROWS):
        is_as_pandas(f"d.apply(lambda r: {body}, axis=1).values", data)
    is_as_pandas("d.apply(lambda r: r.sum(), axis='columns').values", data)
    is_as_pandas("d.apply(np.sum, 1).values", data)
    is_as_pandas("d[d.a > 1].apply(lambda r: r.max() * k, axis=1).iloc[0]", data)


@pytest.mark.parametrize(
    "text",
    [
        "d.apply(lambda r: np.sqrt((r * r).sum()) * k, axis=1).sum()",
        "(d * k).apply(lambda r: r.max() - r.min(), axis='columns').mean()",
        "(d * k).apply(lambda r: r / r.std() + r, axis=1).values.sum()",
        "d.apply(lambda r: r.a**k if r.b > 1.5 else r.b * k, axis=1).sum()",
    ],
)
def test_apply_by_rows_has_a_derivative(text):
    has_slope(text, D)


@pytest.mark.parametrize("data", [D, I, D.assign(b=[True, False, True]), D[:0], I[:0]])
def test_what_apply_makes_objects_of_is_refused(data):
    bodies = [
        "[1, 2]",
        "(1, 2)",
        "c.values",
        "None",
        "'x'",
        "np.array(1.0)",
        "c.iloc[0]",
        "c[c > 1]",
    ]
    bodies += ["True if c.sum() > 3.2 else 1", "c.iloc[0] if c.sum() > 3.2 else c.iloc[1] > 0"]
    bodies += ["c.iloc[0] if c.sum() > 3.2 else 0", "np.float32(1) if c.sum() > 3.2 else 0"]
    for body in bodies:
        is_as_pandas(f"d.apply(lambda c: {body}, axis=1).values", data, may_refuse=True)
        is_as_pandas(f"d.apply(lambda c: {body}).values", data, may_refuse=True)
        is_as_pandas(f"d[d.a > 100].apply(lambda c: {body}, axis=1).values", data, may_refuse=True)


def test_apply_calls_its_function_once(capsys):
    def f(d):
        def twice(c):
            print("called")
            return c * 2

        return d.apply(twice).values

    assert np.all(srcad.compile(f)(D) == 2 * D.values)
    assert capsys.readouterr().out == "called\n" * 2


@pytest.mark.parametrize("axis", [0, 1, "index", "rows", "columns", 2, -1, "a"])
def test_an_axis_by_its_name(axis):
    for name in ("sum", "mean", "max", "std"):
        is_as_pandas(f"d.{name}(axis={axis!r}).values", D)
    is_as_pandas(f"d.apply(lambda c: c.sum(), axis={axis!r}).values", D)
    is_as_pandas(f"d.apply(lambda c: c.sum(), axis={axis!r}).values", I)


# Nothing ------------------------------------------------------------------------------------------

SHORT = pd.Series([1, 2, 3])
KINDS = ["int64", "bool", "int8", "float32", "float64"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["max", "min", "mean", "std", "var", "median"])
def test_reductions_of_nothing(name, kind):
    some, none = (x.astype(kind) for x in (SHORT, SHORT[:0]))
    table = pd.DataFrame({"a": none, "b": none})
    is_loose = kind == "float64" or (kind != "float32" and name not in ("max", "min"))
    if not is_loose:  # else it is NaN of NumPy's
        is_as_pandas(f"d.{name}()", none)
        is_as_pandas(f"d['a'].{name}()", table)
    if name != "median":
        is_as_pandas(f"d.{name}().values", table)
        is_as_pandas(f"d.{name}().max()", table)
        is_as_pandas(f"d.{name}(axis=1).values", table)
    for text in (f"d[d > 0].{name}()", f"d.{name}()"):
        is_as_pandas(text, some)
    if not is_loose:
        is_as_pandas(f"d[d > 100].{name}()", some, may_refuse=True)


@pytest.mark.parametrize("kind", ["int64", "bool", "int8"])
def test_nothing_is_told_by_the_arguments(kind):
    f = srcad.compile(lambda s, k: s.max() * k, backend="numpy")
    assert f(SHORT.astype(kind), 2.0) == SHORT.astype(kind).max() * 2.0
    assert np.isnan(f(SHORT[:0].astype(kind), 2.0))
    assert type(f(SHORT[:0].astype(kind), 2.0)) is float
    assert np.isnan(srcad.grad(lambda k, s: s.max() * k)(2.0, SHORT[:0].astype(kind)))


@pytest.mark.parametrize("kind", ["float16", "float32", "int8", "bool"])
def test_sums_in_the_dtype_of_pandas(kind):
    for name in ("sum", "mean", "prod", "max"):
        is_as_pandas(f"d.{name}()", SHORT.astype(kind))


# Entries ------------------------------------------------------------------------------------------

TEXTS = """
d.apply(np.sqrt).values | d.map(np.sqrt).values | d.apply(abs).values
d.map(lambda v: v + 1).values | d.apply(lambda v: v * 2.5).values
d.apply(lambda v: 1.0).values | d.rolling(0).sum().values
d.clip(0, 9).values | d.clip(d).values | d.rolling(0).mean().sum() | d.rolling(-1).sum().values
(d * 2).rolling(0).std().values | d.rolling(2).mean().values | (d / 2).values | (2 / d).values
(d**2).values | np.power(d, 2).values | np.floor_divide(d, 2).values | d.index[0] * k
d.index[0] | d.index[-1] | d.index[1:][0] | list(d.index) | d.iloc[1:].index[0]
"""
REFUSED = """
d.apply(lambda v: [v]).values | d.apply(lambda v: (v, v)).values | d.apply(lambda v: None).values
d.apply(lambda v: 'x').values | d.apply(lambda v: v if v > 1 else True).values | (d / d).values
d[d > 0].apply(lambda v: v * 2.5).values | d[d > 100].apply(lambda v: v * 2.5).values
d[d > 100].apply(np.sqrt).values | (d / True).values | (True / d).values | (d**d).values
d.clip(lower=1.5).values | d.clip(0.5).values | d.clip(upper=2.5).values | d.clip(300).values
(d // d).values | np.true_divide(d, d).values | np.power(d, d).values | np.power(d, 2).values
d.astype(str).values | d.astype('category').values | d.astype(object).values | (-d).values
d[d > 1].index[0] | (d.index + 1)[0] | (d.index * 2.0)[1] | d.index[[0, 1]][0]
d.apply(lambda v: v if v > 1 else 0).values | d.clip(np.array([1, 1, 2])).values
"""


@pytest.mark.parametrize("kind", ["int64", "float32", "int8", "float64", "bool"])
@pytest.mark.parametrize("texts", [TEXTS, REFUSED], ids=["answered", "refused"])
def test_entries_of_series(texts, kind):
    for text in filter(str.strip, texts.replace("\n", "|").split("|")):
        is_refused = texts is REFUSED or (kind == "bool" and ("clip" in text or "power" in text))
        is_as_pandas(text.strip(), SHORT.astype(kind), may_refuse=is_refused)


def test_what_apply_computes_has_a_derivative():
    has_slope("(d['a'] * k).apply(np.sqrt).sum()", D)
    has_slope("(d['a'] * k).map(lambda v: v * v).sum() + d['a'].index[1] * k", D)
