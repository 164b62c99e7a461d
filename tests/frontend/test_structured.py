"""Arrays with fields: read, written, made, varied, returned, and what is refused of them."""

import numpy as np
import numpy.lib.recfunctions as rfn
import pytest
from optional import BACKENDS

import srcad

PAIR = np.dtype([("a", float), ("n", int)])
PATH = np.dtype([("t", float), ("v", float, (2,)), ("at", [("x", float), ("k", int)])])
PEOPLE = np.array(
    [("Rex", 9, 81.0), ("Fido", 3, 27.0)], [("name", "U10"), ("age", "i4"), ("weight", "f4")]
)
POINTS = np.rec.array([(1.0, 2.0), (3.0, 4.0), (0.5, -1.0)], [("x", float), ("y", float)])


def pairs():
    return np.array([(1.0, 2), (3.0, 4)], PAIR)


def recorded():
    return pairs().view(np.recarray)


def doubles(r):
    r["a"] *= 2
    r["n"][0] = 7
    return r["a"].sum()


def writes_entries(r):
    r[0] = (5.0, 6)
    r[1]["a"] = 9
    return r["a"]


def writes_rows(r):
    for row in r:
        row["a"] = row["a"] + 1
    r[:] = r[::-1].copy()
    return r


def sees_the_write(r):
    row = r[0]
    r["a"][0] = 50.0
    return row["a"], r[0].item(), tuple(row), [each["n"] for each in r]


def views(r):
    part = r[::-1]
    part["a"][0] = 100.0
    taken = r[[0, 1, 0]]
    taken["a"][0] = -1.0
    return r["a"] + 0, taken["a"], r[r["a"] > 2]["n"], r[["n", "a"]].dtype.names


def asks(r):
    shape = r.shape, r.size, r.ndim, len(r), r.itemsize, r.nbytes, r.dtype, r.dtype["a"]
    return shape, isinstance(r, np.ndarray), type(r), type(r[0]["a"]), "a" in r.dtype.names


def truths(r):
    r[1] = (0.0, 0)
    return bool(r[0]), bool(r[1]), [1 if row else 2 for row in r]


def lacks(r):
    return r["zz"]


def lacks_attribute(r):
    return r.zz


def beyond(r):
    try:
        return r[5]["a"]
    except IndexError:
        return -1.0


def another_length(r):
    r[0] = (1.0,)


def makes(r):
    made = np.zeros(3, dtype=PATH)
    made["v"][:, 0] = r["a"][0]
    made[1]["v"] = [3, 4]
    made["t"] = [1, 2, 3]
    made["at"]["x"][2] = 5.0
    two = np.zeros((2, 3), [("a", "f4"), ("n", "i2")])
    two[0, 1] = (2.0, 3)
    return made, made["v"].sum(), two, two[0, 1]["a"], np.empty_like(r)["n"].shape


def of_rows(r):
    made = np.array([(1, 2.0, "x"), (3, r["a"][0], "y")], [("i", "i2"), ("g", "f4"), ("s", "U3")])
    return made["i"] + 1, made["g"] * 2, made["s"][0]


def records(r):
    r = r.view(np.recarray)
    return r.a, r[0].n, np.rec.fromarrays([r["a"], r["n"]], names="u, v").u


def sorts(r):
    return np.sort(r, order="n")[::-1]


def nothing_else(r):
    return {"r": r.copy(), "whole": np.array(r)["a"]}, np.asarray(r)["n"]


def as_plain_arrays(r):
    whole = np.asarray(r)
    kinds = type(whole[0]).__name__, type(r.view(np.recarray)[0]).__name__
    return np.array(r), kinds, r.copy().view(np.recarray)


def given_back(r):
    r["a"][0] = 3
    return [r, 1]


_USED = (
    doubles, writes_entries, writes_rows, sees_the_write, views, asks, truths, lacks,
    lacks_attribute, beyond, another_length, makes, of_rows, records, sorts, nothing_else,
    as_plain_arrays, given_back,
)  # fmt: skip


def outcome(f, r):
    try:
        return f(r), r
    except Exception as problem:
        return type(problem), r


def equal(x, y):
    if isinstance(x, tuple | list):
        return type(x) is type(y) and len(x) == len(y) and all(map(equal, x, y))
    if isinstance(x, dict):
        return x.keys() == y.keys() and all(equal(x[key], y[key]) for key in x)
    if isinstance(x, np.ndarray | np.generic):
        same = type(x) is type(y) and x.dtype == y.dtype and x.shape == y.shape
        return same and repr(x.tolist()) == repr(y.tolist())
    return type(x) is type(y) and x == y


@pytest.mark.parametrize(
    "made", [pairs, lambda: pairs().view(np.recarray)], ids=["plain", "record"]
)
@pytest.mark.parametrize("f", _USED, ids=lambda f: f.__name__)
def test_is_what_python_gives(f, made):
    assert equal(outcome(srcad.compile(f), made()), outcome(f, made()))


def weighed(r):
    return np.sum(r["a"] ** 2 * r["n"])


def test_a_derivative_has_the_fields():
    for r in (pairs(), pairs().view(np.recarray)):
        got = srcad.grad(weighed)(r)
        assert equal(got, np.array([(4.0, 0), (24.0, 0)], PAIR).view(type(r)))


def test_fields_in_fields_and_of_vectors():
    def f(p):
        return np.sum(p["v"] ** 2) + p["at"]["x"].sum() * p["t"][0]

    p = np.ones(2, PATH)
    got = srcad.grad(f)(p)
    assert got.dtype == PATH
    assert got["v"].tolist() == [[2, 2], [2, 2]]
    assert got["at"].tolist() == [(1, 0), (1, 0)]
    assert got["t"].tolist() == [2, 0]


def test_all_transformations():
    r, t = pairs(), np.array([(0.5, 0), (0.25, 0)], PAIR)
    assert srcad.jvp(weighed, (r,), (t,))[1] == pytest.approx(0.5 * 4 + 0.25 * 24)
    y, pull = srcad.vjp(weighed, r)
    assert equal(pull(2.0)[0], np.array([(8.0, 0), (48.0, 0)], PAIR))
    assert srcad.jacobian(lambda r: 2 * r["a"])(r)["a"].tolist() == [[2, 0], [0, 2]]
    assert srcad.hessian(weighed)(r)["a"]["a"].tolist() == [[4, 0], [0, 8]]
    assert srcad.hvp(weighed)(r, t)["a"].tolist() == [2, 2]
    assert srcad.vmap(lambda row: row["a"] * row["n"])(r).tolist() == [2, 12]
    assert srcad.grad(lambda p: p["k"] * p["r"]["a"][1])({"r": r, "k": 2.0})["r"]["a"][1] == 2
    srcad.testing.check_grads(lambda r: np.sum(r["a"] ** 2), (r,))


def test_fields_of_objects_are_not_read():
    r = np.array([(1.0, "s")], [("a", float), ("o", object)])
    assert srcad.grad(lambda r: np.sum(r["a"]))(r)["a"] == 1
    with pytest.raises(srcad.SrcadError, match="E309"):
        srcad.grad(lambda r: r["a"][0] * len(r["o"]))(r)


@pytest.mark.parametrize("backend", BACKENDS)
def test_constants_and_loops(backend):
    def f(x):
        total = np.sum(PEOPLE["weight"] * x[:2]) + np.sum(POINTS.x * x) + POINTS[1].y * x[0]
        for row in POINTS:
            total = total + row["x"] * x[0] + row.y * x[1]
        table = np.zeros(len(x), [("a", float), ("n", int)])
        for i in range(len(x)):
            table[i]["a"] = x[i] ** 2
            table["n"][i] = i
        return total + np.sum(table["a"] * table["n"]) + rfn.structured_to_unstructured(table).sum()

    x = np.array([0.3, 1.2, -0.7])
    value, got = srcad.value_and_grad(f, backend=backend)(x)
    assert value == f(x)
    h = 1e-6 * np.eye(3)
    assert got == pytest.approx([(f(x + e) - f(x - e)) / 2e-6 for e in h], abs=1e-6)


def test_constants_are_read_anew():
    held = pairs()

    def f(x):
        return x * held["a"][0]

    grad = srcad.grad(f)
    assert grad(1.0) == 1
    held["a"][0] = 5
    assert grad(1.0) == 5
    held = np.array([(7, 1.0)], [("a", int), ("b", float)])
    assert grad(1.0) == 7


def test_saved_modules(tmp_path):
    path = tmp_path / "saved.py"
    srcad.grad(weighed).save(path, pairs())
    names = {}
    exec(path.read_text(), names)
    assert equal(names["weighed_grad"](pairs()), srcad.grad(weighed)(pairs()))
    with pytest.raises(TypeError, match="recarray"):
        names["weighed_grad"](pairs().view(np.recarray))


def _sum(r):
    return np.sum(r)


def _compared(r):
    return r == r


def _joined(r):
    return np.concatenate([r, r])


def _shared(r):
    return r[::-1]


def _beside(r):
    made = r.copy()
    return made, made["a"]


def _one(r):
    return r[0]


@pytest.mark.parametrize(
    ("f", "code", "what"),
    [
        (_sum, "E120", "`sum` of an array with fields"),
        (_compared, "E120", "a comparison of arrays with fields"),
        (_joined, "E120", "with an array with fields"),
        (_shared, "E139", "an array with fields whose memory others share"),
        (_beside, "E139", "an array with fields whose memory others share"),
        (_one, "E306", "an entry of an array with fields"),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_refused(f, code, what):
    with pytest.raises(srcad.SrcadError, match=what) as caught:
        srcad.compile(f)(pairs())
    assert caught.value.code == code


def test_an_entry_is_no_argument():
    with pytest.raises(srcad.SrcadError, match="E308"):
        srcad.grad(lambda row: row["a"])(pairs()[0])


def test_a_plain_array_of_a_record_array_holds_records():
    r = np.asarray(pairs().view(np.recarray))
    found = srcad.compile(lambda r: (r.copy(), r[0].a * 2.0, type(r[0]).__name__))(r)
    assert found[0].dtype.type is np.record
    assert found[1:] == (r[0].a * 2.0, "record")
    assert srcad.compile(np.array)(pairs().view(np.recarray)).dtype.type is np.record
