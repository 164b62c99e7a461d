"""What pandas does with each row, with attributes and with nothing is done, or is refused."""

import linecache
import warnings

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

pd = pytest.importorskip("pandas")

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
