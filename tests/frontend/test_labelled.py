"""Series and tables of pandas: values and types as pandas gives them, derivatives, guards."""

import importlib

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError

pd = pytest.importorskip("pandas")
pd.set_option("compute.use_bottleneck", False)  # by which pandas gives other types

RNG = np.random.default_rng(0)
N = 12
FRAME = pd.DataFrame({
    "x": RNG.normal(size=N), "z": RNG.normal(size=N), "y": RNG.normal(size=N),
    "age": RNG.integers(20, 60, N), "city": RNG.choice(["a", "b", "c"], N),
}, index=pd.date_range("2020-01-01", periods=N))  # fmt: skip
NUMBERS = FRAME[["x", "z", "y"]]
PRICE = pd.Series(RNG.normal(size=N), index=FRAME.index, name="price")
CHANCES = pd.Series(np.exp(RNG.normal(size=N)), name="p")
WEIGHTS = pd.Series({"a": 1.0, "b": 0.5, "c": -0.3}, name="w")
CITIES = FRAME.assign(city=FRAME["city"].astype("category"))
RETURNS = pd.DataFrame(RNG.normal(0, 0.01, (N, 3)), columns=list("ABC"), index=FRAME.index)
SALES = pd.DataFrame({
    "date": pd.date_range("2021-01-01", periods=20), "store": RNG.choice(["N", "S"], 20),
    "price": RNG.uniform(1, 3, 20), "units": RNG.poisson(20, 20),
})  # fmt: skip
W = RNG.normal(size=3)


def regression(w):
    columns = FRAME[["x", "z"]].to_numpy()
    return np.mean((w[0] + columns @ w[1:] - FRAME["y"].to_numpy()) ** 2)


def regression_by_series(w, data):
    return ((w[0] + w[1] * data["x"] + w[2] * data.z - data["y"]) ** 2).mean()


def logistic(w, data):
    p = 1 / (1 + np.exp(-(w[0] + w[1] * data.x + w[2] * data.age / 40)))
    t = (data["y"] > 0).astype(float)
    return -np.sum(t * np.log(p) + (1 - t) * np.log(1 - p))


def smoothed(alpha, series):
    level, loss = series.iloc[0], 0.0
    for v in series.values[1:]:
        loss += (v - level) ** 2
        level = alpha * v + (1 - alpha) * level
    return loss / len(series)


def rolling(k, series):
    return ((k * series).rolling(3).mean().dropna() ** 2).sum()


def rolling_of_pandas(k, series):
    return k * series.ewm(alpha=0.3).mean().iloc[-1] + k**2 * series.resample("3D").sum().max()


def entropy(p):
    q = p / p.sum()
    return -(q * np.log(q)).sum()


def likelihood(theta, x):
    mu, ls = theta
    return np.sum(0.5 * ((x - mu) / np.exp(ls)) ** 2) + len(x) * ls


def one_hot(w, data):
    codes = pd.Categorical(data["city"]).codes
    return np.mean((np.eye(3)[codes] @ w - data["y"].to_numpy()) ** 2)


def dummies(w, data):
    return np.sum((pd.get_dummies(data["city"]).to_numpy(dtype=float) @ w) ** 2)


def by_codes(w):
    return np.mean((w[CITIES["city"].cat.codes] - CITIES["y"].values) ** 2)


def by_names(w):
    total = 0.0
    for name, each in zip(["x", "z", "y"], w, strict=True):
        total = total + each * FRAME[name]
    return ((FRAME["age"] - total) ** 2).sum()


def by_columns(w):
    found = 0.0
    for i, name in enumerate(NUMBERS.columns):
        found = found + w[i] * NUMBERS[name].mean()
    return found**2


def standardised(w, data):
    scaled = (data - data.mean()) / data.std()
    return np.sum(np.tanh(scaled.values @ w)) + (data @ w).max()


def decay(k, series):
    days = (series.index - series.index[0]).days
    return np.sum((series - np.exp(-k * days)) ** 2)


def by_positions(k, data):
    total = 0.0
    for i in range(len(data)):
        total += np.exp(-k * data["x"].iloc[i] ** 2)
    return total


def by_rows(k, data):
    total = 0.0
    for row in data.itertuples():
        total += np.exp(-k * row.x**2) * row.z
    for _, row in data[["x", "z"]].iterrows():
        total += k * row["x"] * row.z
    return total


def by_labels(p):
    x = FRAME["x"].to_numpy()
    return np.mean((p["a"] + p.b * x + p.loc["c"] * x**2) ** 2) + (p[["a", "c"]] ** 2).sum()


def masked(mu, data):
    series = data["x"]
    good = series[series > 0]
    old = data.loc[data["age"] > 30, "y"].to_numpy()
    near = data[data["city"].isin(["a", "b"])]["z"]
    return ((good - mu) ** 2).sum() + np.mean((old - mu) ** 2) + mu**2 * near.sum()


def chosen(mu, data):
    ages = np.where(data["age"] > 30, data["y"] * mu, mu**2)
    return np.sum(ages) + np.maximum(mu * data["x"], 0).sum()


def moments(k, price):
    change = np.diff(np.log1p(0.01 * price.to_numpy(dtype=float)))
    return (
        np.std(k * change) + (k * price).std() + np.std(k * price) + (price * k).clip(-1, 1).sum()
    )


def lagged(phi, x):
    e = (x - phi * x.shift(1)).dropna()
    return (e**2).sum() + (phi * x).diff().abs().sum()


def grouped(w, data):
    return np.sum(w * data.groupby("city")["y"].mean().to_numpy())


def new_columns(k, data):
    data = data.copy()
    data["e"] = k * data["x"]
    data["x"] = data["e"] * k
    before = data[["e", "x"]]
    data["e"] = before.e * before["x"]
    made = data.assign(u=lambda d: d.e * d.x + before.e)
    return (made["u"] + made.x).sum() + made.drop(columns=["city"])["e"].mean()


def by_functions(w, data):
    first = np.sum(w * np.asarray(data["z"])) + np.array(data["x"]) @ w
    return first + np.dot(data["x"], w) + np.linalg.norm(w * data["y"])


def sharpe(w):
    portfolio = (RETURNS * w).sum(axis=1)
    wealth = (1 + RETURNS @ w).cumprod()
    lost = (wealth - wealth.cummax()) / wealth.cummax()
    return portfolio.mean() / portfolio.std() + lost.min() + (portfolio * 2).corr(RETURNS["A"])


def by_stores(th, df):
    loss = 0.0
    for k, (_, g) in enumerate(df.groupby("store")):
        loss += (g["units"] * th[k]).sum() * g["price"].mean()
    for k, name in enumerate(["N", "S"]):
        own = df[df["store"] == name]
        loss += ((own["units"] * th[k] - own["price"]) ** 2).mean()
    return loss + np.sum(th[df["store"].map({"N": 0, "S": 1}).to_numpy()] * df["price"] ** 2)


def by_coefficients(b):
    wide = RETURNS[["A", "B", "C"]]
    return np.log1p(np.exp(wide @ b)).sum() + ((wide * b).sum(axis=1) ** 2).mean() + b.abs().sum()


def of_pandas_alone(k, df):
    covered = df["units"].rolling(10).cov(df["price"]).dropna().values
    days = df["date"].dt.day_of_week
    parts = pd.cut(df["price"], bins=[0, 1.5, 2, 4], labels=False).to_numpy()
    table = df.pivot_table(index="store", values=["price", "units"], aggfunc="mean")
    found = (df["units"] * np.exp(-k * days)).mean() + np.sum(np.exp(k * parts))
    return found + np.mean((covered - k) ** 2) + k * table.loc["N", "units"]


def by_mixed_rows(k, df):
    total = 0.0
    for _, row in df.head(5).iterrows():
        total += k**2 * row["price"] * row["units"]
    return total + df.pipe(lambda d: k * d["price"]).sum()


PROGRAMS = [
    (sharpe, np.array([0.2, 0.3, 0.5])), (by_stores, np.array([0.2, 0.4]), SALES),
    (by_coefficients, pd.Series([0.1, 0.2, 0.3], index=["A", "B", "C"])),
    (of_pandas_alone, 0.2, SALES), (by_mixed_rows, 0.3, SALES),
    (regression, W), (regression_by_series, W, FRAME), (logistic, W, FRAME),
    (smoothed, 0.3, PRICE), (rolling, 0.7, PRICE), (rolling_of_pandas, 0.7, PRICE),
    (entropy, CHANCES), (likelihood, np.array([0.1, 1.0]), PRICE), (one_hot, W, FRAME),
    (dummies, W, FRAME), (by_codes, W), (by_names, W), (by_columns, W), (standardised, W, NUMBERS),
    (decay, 0.1, PRICE), (by_positions, 0.1, FRAME), (by_rows, 0.1, FRAME), (by_labels, WEIGHTS),
    (masked, 0.2, FRAME), (chosen, 0.4, FRAME), (moments, 1.5, PRICE), (lagged, 0.4, PRICE),
    (grouped, W, FRAME), (new_columns, 0.6, FRAME), (by_functions, RNG.normal(size=N), FRAME),
]  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("f", "args"), [(f, args) for f, *args in PROGRAMS])
def test_values_and_gradients(f, args, backend):
    x, *rest = args
    value, gradient = srcad.value_and_grad(f, backend=backend)(*args)
    want = f(*args)
    assert type(value) is type(want)
    np.testing.assert_allclose(value, want, rtol=1e-12)
    assert type(gradient) in (type(x), np.float64)
    d, h = np.random.default_rng(1).normal(size=np.shape(x)), 1e-6
    ahead, behind = f(x + h * d, *rest), f(x - h * d, *rest)
    np.testing.assert_allclose(np.sum(gradient * d), (ahead - behind) / (2 * h), rtol=1e-5)


# Values and types --------------------------------------------------------------------------------

SERIES = (
    """
s+t|2*s|s-t|s/t|1/s|s**2|s//2.0|s%2.0|abs(s)|s>1|s<=t|s==t|s!=1|(s>1)&(t>1)|~(s>1)|s.abs()
s.clip(0,2)|s.isna()|s.fillna(0.5)|s.where(s>1)|s.mask(s>1,0.0)|s.between(0,2)|s.dropna()
s.cumsum()|s.shift()|s.shift(-1)|s.shift(9)|s.diff(2)|s.rolling(2).mean()|s.rolling(3).std()
s.rolling(9).sum()|s.astype("float32")|s[s>1]|s.loc[s>1]|s.iloc[1:]|s[:-1]|s.iloc[[0]]|s.iloc[::-1]
np.exp(s)|np.maximum(s,t)|np.cumsum(s)|np.clip(s,0,1)|np.where(s>1,s,0.0)|np.diff(s)|np.sort(s)
s.cumprod()|s.cummax()|s.cummin()|s.values|s.to_numpy(dtype=float)
s+t.to_numpy()|t.to_numpy()*s|s+[1]*len(s)|s.apply(lambda v: v*2)
np.concatenate([s,t])|s*np.float32(2)|s*np.float64(2)|s+1j|np.gradient(s)|s.rank()|s.sort_values()
s.iloc[1:]*t.iloc[1:]|(s-s.mean())/s.std()|s.ewm(alpha=.5).mean()|s.expanding().mean()
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
NUMBERS_OF = (
    """
s.sum()|s.mean()|s.std()|s.var(ddof=0)|s.min()|s.max()|s.prod()|s.median()|s.count()|s.any()|s.all()
len(s)|s.size|s.dot(t)|s@t|s.iloc[-1]|np.sum(s)|np.mean(s)|np.std(s)|np.var(s)|np.max(s)|np.median(s)
np.dot(s,t)|sum(s)|max(s)|s.skew()|s.quantile(0.3)|s.nunique()|s.idxmax()|s.empty|s.dtype==float
s.cov(t)|s.corr(t)|s.loc[s.index[0]]|s[1]|1 in s|9 in s|s.shape[0]|np.linalg.norm(s)|s.sum()/len(s)
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
KINDS = {
    "floats": [0.5, 2.5, -1.5, 1.0, 3.0],
    "single": np.array([0.5, 2.5, -1.5, 1.0, 3.0], np.float32),
    "missing": [0.5, np.nan, -1.5, 1.0, np.nan],
    "ints": [3, -2, 0, 1, 2],
    "infinite": [np.inf, 1.0, -np.inf, 2.0, 0.5],
}


def asked(text, names="s, t"):
    scope = {"np": np}
    source = f"def f({names}):\n    return {text}\n"
    path = f"<series {text}>"
    import linecache

    linecache.cache[path] = (len(source), None, source.splitlines(True), path)
    exec(compile(source, path, "exec"), scope)
    return scope["f"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_values_are_those_of_pandas(kind):
    s = pd.Series(KINDS[kind])
    t = pd.Series(np.asarray(KINDS["floats"], s.dtype if kind in ("single", "ints") else float))
    refused = []
    for text in SERIES + NUMBERS_OF:
        want = asked(text)(s, t)
        f = asked(f"np.asarray({text})" if isinstance(want, pd.Series) else text)
        want = np.asarray(want) if isinstance(want, pd.Series) else want
        try:
            got = srcad.compile(f, backend="numpy")(s, t)
        except SrcadError as refusal:
            refused.append((text, refusal.code))
            continue
        assert type(got) is type(want), text
        assert getattr(got, "dtype", None) == getattr(want, "dtype", None), text
        np.testing.assert_allclose(
            got, want, rtol=1e-6 if kind == "single" else 1e-12, err_msg=text
        )
    allowed = {"ints": {"s.where(s>1)", "s.mask(s>1,0.0)"}}
    assert {text for text, _ in refused} <= allowed.get(kind, set()), refused


TABLES = (
    """
d.sum()|d.std()|d.var(ddof=0)|d.min()|d.sum(axis=1)|d.mean(axis=1)|d.std(axis=1)|d.max(axis=1)
d.values|2-d|d+d|d/d.std()|d**2|d>0|np.exp(d)|np.maximum(d,0)|d[["b","a"]]|d[d["a"]>0]
d.loc[d["a"]>0,"b"]|d.iloc[1:]|d.iloc[0]|d.iloc[:,0]|d.iloc[0,1]|d.loc[:,["a","c"]]|d.loc[0]
d.loc[0,"b"]|d@w|d@w.values|len(d)|d.shape|d.mul(d["a"],axis=0)|d.div(w)|d.abs()|d.diff()
d.apply(lambda c: c.max()-c.min())|d.apply(lambda c: c*2)|d.drop(columns="b")|d.assign(e=d.a*2)
d.corr()|d.T|d.describe()|list(d)|d.columns.tolist()|"a" in d|d.isna().sum()|d.rolling(2).mean()
d.groupby("c")["a"].sum()|d.sum().sum()|np.mean(d)|np.std(d)|[r.a for r in d.itertuples()]
2/d|2**d|d%2.0|d//2.0|d==1|d!=d|(d>0)&(d<1)|(d>0)|(d<-1)|(d>0)^(d<1)|d<=d.mean()|d-d.mean()
[r["a"] for _, r in d.iterrows()]|[v for k,v in d["a"].items()]|np.where(d>0,d,0)
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


@pytest.mark.skipif(pd.__version__ < "3", reason="reductions without an axis changed in pandas 3")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["floats", "mixed", "missing", "one"])
def test_values_of_tables_are_those_of_pandas(kind):
    d = pd.DataFrame(np.random.default_rng(3).normal(size=(5, 3)), columns=list("abc"))
    d = {
        "floats": d, "mixed": d.assign(b=[1, 2, 3, 4, 5], c=[1, 1, 2, 2, 3]),
        "missing": d.mask(d > 0.7), "one": d[:1],
    }[kind]  # fmt: skip
    w = pd.Series([1.0, 2.0, 3.0], index=list("abc"))
    for text in TABLES:
        want = asked(text, "d, w")(d, w)
        is_labelled = isinstance(want, pd.Series | pd.DataFrame)
        f = asked(f"np.asarray({text})" if is_labelled else text, "d, w")
        got, want = (
            srcad.compile(f, backend="numpy")(d, w),
            np.asarray(want) if is_labelled else want,
        )
        assert type(got) is type(want), text
        if isinstance(want, list | tuple):
            assert [type(x) for x in got] == [type(x) for x in want], text
        assert getattr(got, "dtype", None) == getattr(want, "dtype", None), text
        same = np.testing.assert_allclose if np.asarray(want).dtype.kind in "fi" else _equal
        same(got, want)


def _equal(a, b):
    assert np.all(a == b)


# Transformations ---------------------------------------------------------------------------------


def cubes(p):
    return (p**3).sum()


S = pd.Series([1.0, 2.0, 3.0], index=list("abc"), name="w")
T = pd.Series([0.5, 1.0, -1.0], index=list("abc"))


def is_series(found, values):
    assert type(found) is pd.Series
    assert list(found.index) == list("abc")
    assert found.name == "w"
    np.testing.assert_allclose(found, values)


def test_a_gradient_is_a_series_with_the_labels_of_the_argument():
    is_series(srcad.grad(cubes)(S), [3, 12, 27])
    is_series(srcad.vjp(cubes, S)[1](2.0)[0], [6, 24, 54])
    is_series(srcad.hvp(cubes)(S, T), [3, 12, -18])
    is_series(srcad.grad(lambda d: cubes(d["w"]) * d["b"])({"w": S, "b": 2.0})["w"], [6, 24, 54])
    assert srcad.jvp(cubes, (S,), (T,))[1] == -13.5
    np.testing.assert_allclose(srcad.hessian(cubes)(S), np.diag([6.0, 12, 18]))
    np.testing.assert_allclose(srcad.jacobian(lambda p: (p**2).values)(S), np.diag([2.0, 4, 6]))
    with pytest.raises(SrcadError, match="E310"):
        srcad.jvp(cubes, (S,), (np.ones(3),))


def test_derivatives_inside():
    is_series(srcad.grad(lambda p: np.sum(srcad.grad(cubes)(p)))(S), [6, 12, 18])
    assert srcad.grad(lambda w: w * np.sum(srcad.grad(cubes)(S)))(2.0) == 42.0
    is_series(srcad.grad(lambda p: (p * srcad.stop_gradient(p)).sum())(S), [1, 2, 3])
    is_series(srcad.grad(lambda p: srcad.checkpoint(cubes)(p))(S), [3, 12, 27])
    with pytest.raises(SrcadError, match="E308"):
        srcad.grad(lambda w: w * srcad.grad(lambda d: d["x"].sum())(FRAME))(2.0)


def test_which_series_it_is_depends_on_data():
    def f(p, q, c):
        r = p * 2 if c > 0 else p * 3
        return (r * q).sum()

    is_series(srcad.grad(f)(S, T, 1.0), [1, 2, -2])
    is_series(srcad.grad(f)(S, T, -1.0), [1.5, 3, -3])
    with pytest.raises(SrcadError, match="E120"):
        srcad.grad(lambda p, q, c: ((p * 2 if c > 0 else q * 3) * q).sum())(S, T, 1.0)


def test_samples_beside_a_series():
    found = srcad.vmap(lambda a, p: a * p.sum(), in_axes=(0, None))(np.ones(3), S)
    np.testing.assert_allclose(found, 6.0)


# Guards ------------------------------------------------------------------------------------------


def test_labels_decide_in_each_call():
    gradient = srcad.grad(lambda k, a, b: k * (a * b).sum())
    assert gradient(2.0, S, T) == -0.5
    with pytest.raises(SrcadError, match="labels are not known to be the same"):
        gradient(2.0, S, T[::-1])
    assert gradient(2.0, S[::-1], T[::-1]) == -0.5


def test_a_label_may_stand_elsewhere():
    gradient = srcad.grad(lambda p: p["b"] ** 2)
    assert list(gradient(S)) == [0, 4, 0]
    assert list(gradient(S[["b", "c", "a"]])) == [4, 0, 0]


def test_dtypes_and_columns_are_checked():
    gradient = srcad.grad(lambda w, d: w * d["x"].mean() * len(d.columns))
    data = pd.DataFrame({"x": [1.0, 2.0, 6.0], "k": [1, 2, 3]})
    assert gradient(2.0, data) == 6.0
    assert gradient(2.0, data.astype("float32")) == 6.0
    assert gradient(2.0, data.astype(int)) == 6.0
    assert gradient(2.0, data.replace(2.0, np.nan)) == 7.0
    assert gradient(2.0, data[["x"]]) == 3.0
    with pytest.raises(SrcadError, match="KeyError"):
        gradient(2.0, data[["k"]])


def test_a_saved_module_checks_labels(tmp_path, monkeypatch):
    srcad.grad(lambda a, b: (a * b).sum()).save(tmp_path / "of_series.py", S, T)
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("of_series")
    derivative = getattr(module, module.__all__[0])
    is_series(derivative(S, T), T)
    with pytest.raises(TypeError, match="equals"):
        derivative(S, T[::-1])


# Refusals ----------------------------------------------------------------------------------------


def sets_a_column(w, data):
    data["e"] = w * data["x"]
    return data["e"].sum()


TWICE = pd.DataFrame(np.ones((2, 2)), columns=["x", "x"])
REFUSED = {
    "E308": [
        (lambda p: p.sum() * p.ewm(alpha=0.2).mean().iloc[-1], S),
        (lambda d: (d["x"] * d["y"]).sum(), FRAME),
    ],
    "E306": [(lambda p: p * 2, S)],
    "E133": [(sets_a_column, 2.0, FRAME)],
    "E120": [
        (
            lambda w, d: w * d["x"].sum().sum(),
            2.0,
            pd.DataFrame(np.ones((2, 2)), columns=["x"] * 2),
        ),
        (lambda w, d: w * d.sample(2)["x"].sum(), 2.0, FRAME),
        (lambda w, d: w * d.query("x > 0")["x"].sum(), 2.0, FRAME),
        (lambda w, a, b: w * a.combine_first(b).sum(), 2.0, S, T),
        (lambda w, d: w * d["x"].loc["2020-01-02":].sum(), 2.0, FRAME),
        (lambda w, d: w * d.loc["2020-01-02":]["x"].sum(), 2.0, FRAME),
        (lambda w, d: np.sum((w * d["x"]).groupby(d["city"]).mean()), 2.0, FRAME),
        (lambda w, d: w * (d["age"] // d["age"]).sum(), 2.0, FRAME),
        (lambda w, d: np.sum((w * d @ np.ones((3, 2))).to_numpy()), 2.0, NUMBERS),
        (lambda w, d: np.sum(w * NUMBERS * d[["z", "x", "y"]].mean()), 2.0, FRAME),
    ],
}


@pytest.mark.parametrize(("code", "args"), [(c, a) for c, each in REFUSED.items() for a in each])
def test_refused(code, args):
    f, *given = args
    with pytest.raises(SrcadError, match=code):
        srcad.grad(f)(*given)


@pytest.mark.parametrize(
    "text", ["s.where(s>1,t)", "s.mask(s>1,t)", "s.clip(upper=t)", "s.clip(t)", "s.fillna(t)"]
)
def test_of_truth_values_among_numbers_pandas_makes_objects(text):
    s, truths = pd.Series([1.0, np.nan, 3.0]), pd.Series([True, False, True])
    with pytest.raises(SrcadError, match="E120"):
        srcad.compile(asked(f"np.asarray({text})"))(s, truths)
    table = pd.DataFrame({"a": [1.0, 2.0], "b": [True, False]})
    with pytest.raises(SrcadError, match="E120"):
        srcad.compile(asked("np.asarray(d.max())", "d"))(table)


AMBIGUOUS = (
    """
bool(s)|not s|1.0 if s else 2.0|s and 1.0|s in [1.0]|bool(s.index)|bool(s*2)|bool(d)|not d|bool(d*2)
bool(d.columns)|[bool(r) for _,r in e.iterrows()]
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_the_truth_of_data_is_ambiguous(text):
    s = pd.Series([1.0, 2.0])
    d = pd.DataFrame({"x": [1.0, 2.0], "y": [2.0, 1.0]})
    f = asked(text, "s, d, e")
    for run in (f, srcad.compile(f)):
        with pytest.raises(ValueError, match="ambiguous"):
            run(s, d, d.assign(y=["a", "b"]))


COMPARED = (
    """
(d.columns == "x").sum()|(d.columns == ["x", "y"]).all()|d.columns != "x"
[r == (1.0, 2.0) for r in d.itertuples(index=False)]|[r == r for r in d.itertuples(index=False)]
[r != (1.0, 2.0) for r in d.itertuples(index=False)]
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


@pytest.mark.parametrize("text", COMPARED)
def test_names_and_rows_compare_by_what_they_hold(text):
    d = pd.DataFrame({"x": [1.0, 2.0], "y": [2.0, 1.0]})
    f = asked(text, "d")
    found = srcad.compile(f)(d)
    assert type(found) is type(f(d))
    np.testing.assert_array_equal(found, f(d))
    with pytest.raises(SrcadError, match="E123"):
        srcad.compile(asked("[isinstance(r, tuple) for r in d.itertuples()]", "d"))(d)


@pytest.mark.filterwarnings("ignore")
def test_what_is_missing_is_no_int():
    f = srcad.compile(asked("np.asarray(s.astype(int))", "s"))
    np.testing.assert_array_equal(f(pd.Series([1.0, 3.0])), [1, 3])
    with pytest.raises(pd.errors.IntCastingNaNError, match="Cannot convert non-finite values"):
        f(pd.Series([1.0, np.nan]))


def _by_labels(s):
    return float(np.sum(s.values**2 * s.index.values))


def test_labels_have_no_tangent():
    s, v = (pd.Series(x, index=[10.0, 20.0, 30.0]) for x in ([1.0, 2.0, 3.0], [1.0, 1.0, 2.0]))
    slope = 2 * s * s.index
    assert srcad.jvp(_by_labels, (s,), (v,))[1] == pytest.approx((slope * v).sum())
    assert srcad.linearize(_by_labels, s)[1](v) == pytest.approx((slope * v).sum())
    assert srcad.vjp(_by_labels, s)[1](1.0)[0].equals(slope)
    assert srcad.hvp(_by_labels)(s, v).equals(2 * v * s.index)


def test_a_tangent_of_what_pandas_computes_is_refused():
    d = pd.DataFrame({"k": [0, 0, 1], "x": [1.0, 2.0, 4.0]})
    with pytest.raises(SrcadError, match="from which pandas computes"):
        srcad.jvp(lambda d: np.sum(d.groupby("k").max()["x"].values), (d,), (d,))


def test_a_series_is_none_in_c(tmp_path):
    with pytest.raises(SrcadError, match="E506"):
        srcad.grad(cubes).save(tmp_path / "cubes.c", S)


def test_pandas_is_not_imported():
    assert "pandas" not in srcad.__dict__
