"""Objects of classes with `dict` behind them: made inside, passed, captured, varied, returned."""

import copy

import numpy as np
import pytest
from optional import BACKENDS
from scipy.optimize import OptimizeResult

import srcad


class Rec(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError as problem:
            raise AttributeError(name) from problem

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


class Own(dict):
    """Its items are its attributes."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__dict__ = self


class Bunch(dict):
    def __init__(self, **kwargs):
        super().__init__(kwargs)

    def __setattr__(self, key, value):
        self[key] = value

    def __getattr__(self, key):
        if key in self:
            return self[key]
        raise AttributeError(key)


class Model(dict):
    """It has attributes beside its items."""

    def __init__(self, x, scale=2.0):
        dict.__init__(self, x=x)
        self.scale = scale

    @property
    def doubled(self):
        return self["x"] * 2

    def total(self):
        return sum(self.values()) * self.scale


class Twice(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


class Tenfold(dict):
    def __getitem__(self, key):
        return super().__getitem__(key) * 10


class Lower(dict):
    def __getitem__(self, key):
        return super().__getitem__(key.lower())

    def __contains__(self, key):
        return super().__contains__(key.lower())


class Zeros(dict):
    def __missing__(self, key):
        return 0.0


def sets(x):
    r = Rec(a=x, k=[x, 1.0])
    r.b = x * 2
    r["c"] = 3.0
    asked = isinstance(r, dict), type(r).__name__, "a" in r, "z" in r, bool(r), len(r), sorted(r)
    return r, r.a * r["b"] + r.c, asked, [k for k in r], list(r.values())[0]


def methods(x):
    r = Rec({"a": x}, b=1.0)
    v = r.pop("a")
    r.update(c=x)
    r.update({"d": v})
    r.setdefault("e", 5.0)
    del r.b
    dict.__setitem__(r, "f", x)
    return dict(r), {**r, "z": 1.0}, dict(**r), r.copy(), r.get("q", 2.0), dict.get(r, "f")


def equal(x):
    r, s = Rec(a=x), Rec([("a", x)])
    s.b = 1.0
    q = r
    q.a = 5.0
    return r == s, r != s, r == {"a": 5.0}, q is r, r.a


def lacks(x):
    return Rec(a=x).zz


def lacks_key(x):
    return Rec(a=x)["zz"]


def asks(x):
    r = Rec(a=x)
    return hasattr(r, "a"), hasattr(r, "b"), getattr(r, "b", 3.0), getattr(r, "a", 3.0)


def by_data(x):
    r = Rec(a=x, s=0.0, h=[])
    if x > 0:
        r.b = x * 2
    else:
        r.b = 3.0
    for k in range(3):
        r.s += r.b * k
        r.h.append(r.s)
    for key, value in r.items():
        x = x + value if key == "a" else x
    return x, r


def own(x):
    a = Own(x=x, k=2.0)
    a.y = a.x * a["k"]
    a["z"] = 1.0
    return a.y + a.z + a["y"], len(a), a, vars(a)["x"]


def beside(x):
    m = Model(x)
    return m.doubled, m.total(), m["x"], m.scale, len(m), dict(m)


def overrides(x):
    s = Twice()
    s["a"] = x
    s.update(b=x)
    s.setdefault("c", x)
    g = Tenfold(a=x)
    low = Lower(a=x)
    z = Zeros()
    z["n"] = z["n"] + x
    found = g["a"], g.get("a"), list(g.values()), dict(g), {**g}, g.pop("a")
    return s["a"], s["b"], s["c"], found, low["A"], "A" in low, "b" in low, z["n"], z["q"], len(z)


def nested(x):
    r = Rec(a=Rec(b=x))
    r.a.b = r.a.b * 2
    r.a.c = np.array([x, x])
    r.a.c[0] = 7.0
    r["a"].c += 1
    return r


def copied(x):
    r = Rec(a=x, h=[x])
    s, t = copy.copy(r), copy.deepcopy(r)
    s.a, t.h[0] = 1.0, 2.0
    return r, s.a, t, s.h is r.h


def texts(x):
    return f"{Rec(a=x)}", str(Rec(k=1.0)), str(len(Rec(a=x)))


def bunch(x):
    b = Bunch(a=x, b=2.0)
    b.c = b.a * b.b
    return b, b.c, sorted(b)


def result(x):
    r = OptimizeResult(x=x, fun=x**2, success=True)
    return r.fun * 2 if r.success else 0.0, r


_MADE = (
    sets, methods, equal, lacks, lacks_key, asks, by_data, own, beside, overrides, nested, copied,
    texts, bunch, result,
)  # fmt: skip


def same(x, y):
    if isinstance(x, tuple | list):
        return type(x) is type(y) and len(x) == len(y) and all(map(same, x, y))
    if isinstance(x, dict):
        keys = list(x) == list(y)
        return keys and type(x) is type(y) and all(same(x[key], y[key]) for key in x)
    if isinstance(x, np.ndarray):
        return type(x) is type(y) and x.dtype == y.dtype and x.tolist() == y.tolist()
    return type(x) is type(y) and x == y


def outcome(f, *args):
    try:
        return f(*args), args
    except (AttributeError, KeyError) as problem:
        return type(problem), args


@pytest.mark.parametrize("f", _MADE, ids=lambda f: f.__name__)
def test_made_inside(f):
    if f in (lacks, lacks_key):
        with pytest.raises((AttributeError, KeyError, srcad.SrcadError)):
            srcad.compile(f)(1.5)
        return
    assert same(outcome(srcad.compile(f), 1.5), outcome(f, 1.5))


def changes(p):
    p.w = p.w * 2
    p["new"] = 1.0
    p.v[0] = 9.0
    del p["b"]
    return p.w, p


def gives_back(p):
    q = Rec(p)
    q.w = 3.0
    return p, q, {**p}, list(p), len(p), p["w"]


@pytest.mark.parametrize("cls", [Rec, Own, Bunch])
@pytest.mark.parametrize("f", [changes, gives_back])
def test_arguments(f, cls):
    def made():
        return cls(w=1.5, b=2.0, v=np.ones(2))

    assert same(outcome(srcad.compile(f), made()), outcome(f, made()))


def weighed(p):
    return np.sum(p.w**2) * p["b"] * p.n


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("cls", [Rec, Own, Bunch, OptimizeResult])
def test_derivatives_are_of_the_class(cls, backend):
    p = cls(w=np.array([1.0, 2.0]), b=0.5, n=3, name="s")
    got = srcad.grad(weighed, backend=backend)(p)
    assert type(got) is cls
    assert got.w.tolist() == [3, 6]
    assert (got.b, got["n"]) == (15, None)


def test_all_transformations():
    def f(p):
        return np.sum(p.w**2)

    p, t = Rec(w=np.array([1.0, 2.0])), Rec(w=np.array([0.5, 0.25]))
    assert srcad.jvp(f, (p,), (t,))[1] == 2
    assert same(srcad.vjp(f, p)[1](2.0)[0], Rec(w=np.array([4.0, 8.0])))
    assert same(srcad.hvp(f)(p, t), Rec(w=np.array([1.0, 0.5])))
    assert srcad.hessian(f)(p).w.w.tolist() == [[2, 0], [0, 2]]
    assert srcad.vmap(lambda p: p.w * 2)(p).tolist() == [2, 4]
    assert same(srcad.grad(lambda q: np.sum(srcad.grad(f)(q).w ** 2))(p), Rec(w=8 * p.w))
    srcad.testing.check_grads(f, (p,))


def test_captured_ones_are_read_anew():
    held = Rec(k=2.0, s=Rec(q=3.0))

    def f(x):
        return x * held.k + held.s.q * x**2

    grad = srcad.grad(f)
    assert grad(1.0) == 8
    held.k = 5.0
    held.s = Rec(q=1.0)
    assert grad(1.0) == 7


class Deletes:
    def __init__(self):
        self.x = 1.0

    def __delattr__(self, name):
        self.y = 5.0


class Given:
    def __init__(self):
        self.n = 2.0

    def __getattr__(self, name):
        return 3.0


def test_classes_that_look_attributes_up():
    def f(x):
        d, g = Deletes(), Given()
        del d.x
        return x * d.x * d.y * g.n * g.q

    assert srcad.grad(f)(2.0) == 30


def _returns_more(x):
    return Model(x)


def _asks_for_the_namespace(x):
    return vars(Rec(a=x))


@pytest.mark.parametrize(
    ("f", "code"), [(_returns_more, "E306"), (_asks_for_the_namespace, "E121")]
)
def test_refused(f, code):
    with pytest.raises(srcad.SrcadError) as caught:
        srcad.compile(f)(1.0)
    assert caught.value.code == code


def test_attributes_beside_the_items_of_an_argument_are_refused():
    with pytest.raises(srcad.SrcadError, match="beside its items"):
        srcad.grad(lambda m: m["x"] * m.scale)(Model(1.0))
