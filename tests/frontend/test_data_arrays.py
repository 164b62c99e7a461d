"""Arrays of xarray: values and types as xarray gives them, derivatives, guards."""

import linecache

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError

xr = pytest.importorskip("xarray")
pd = pytest.importorskip("pandas")

RNG = np.random.default_rng(0)
TIME = pd.date_range("2020-01-01", periods=12, freq="MS")
AIR = xr.DataArray(
    RNG.normal(15, 4, (12, 3, 4)), dims=("time", "lat", "lon"), name="air",
    coords={"time": TIME, "lat": [10.0, 30.0, 50.0], "lon": [0.0, 90.0, 180.0, 270.0]},
)  # fmt: skip
HOLES = AIR.where(AIR > 12)
DEPTH = xr.DataArray(
    RNG.uniform(1, 3, (3, 4)), dims=("lat", "lon"), coords={"lat": AIR.lat, "lon": AIR.lon}
)
WIND = RNG.normal(size=(12, 3, 4))
DATA = xr.Dataset({"air": AIR, "depth": DEPTH, "wind": (("time", "lat", "lon"), WIND)})
SERIES = xr.DataArray(RNG.normal(size=12), dims="time", coords={"time": TIME})
PLAIN = xr.DataArray(RNG.normal(size=(5, 3)), dims=("row", "col"))
W = np.array([0.5, -1.0, 2.0])


def area_mean(w, air):
    weights = np.cos(np.deg2rad(air.lat))
    return float((w[0] * air * weights).mean(("lat", "lon")).sum())


def weighted(w, air):
    weights = np.cos(np.deg2rad(air.lat))
    return (w[1] * air**2).weighted(weights).mean(("lat", "lon")).mean("time").item()


def linear_trend(w, air):
    t = xr.DataArray(np.arange(air.sizes["time"]), dims="time")
    fit = w[0] + w[1] * t
    return float(((air.mean(["lat", "lon"]) - fit) ** 2).mean())


def anomaly(w, air):
    clim = air.mean("time")
    return float((w[0] * (air - clim) ** 2).sum())


def monthly(w, air):
    clim = air.groupby("time.month").mean()
    return float((w[0] * clim.sel(month=3) ** 2).sum())


def regression(w, data):
    pred = w[0] + w[1] * data["wind"] + w[2] * data["depth"]
    return ((pred - data["air"]) ** 2).mean().item()


def attribute_access(w, data):
    pred = w[0] * data.depth + w[1] * data.air.mean("time")
    return float(abs(pred).sum())


def values_only(w, data):
    return np.mean((w[0] + w[1] * data.wind.values - data.air.values) ** 2)


def selected(w, air):
    point = air.sel(lat=30.0, lon=90.0)
    return float(((w[0] * point - w[1]) ** 2).sum())


def nearest(w, air):
    return float((w[0] * air.sel(lat=28.0, method="nearest").isel(time=0)).max())


def sliced(w, air):
    part = air.sel(lat=slice(10, 30)).isel(time=slice(2, None))
    return float((np.tanh(w[0] * part)).std())


def missing(w, air):
    return float((w[0] * HOLES).mean() + w[1] * HOLES.fillna(0.0).sum())


def masked(w, air):
    warm = air.where(air > 15.0)
    return float((w[0] * warm**2).sum(skipna=True))


def where_three(w, air):
    return float(xr.where(air > 15.0, w[0] * air, w[1]).sum())


def differenced(w, s):
    d = (w[0] * s).diff("time")
    return float((d**2).sum())


def shifted(w, s):
    prev = s.shift(time=1)
    return float(((s - w[0] * prev) ** 2).sum())


def dotted(w, data):
    return float(xr.dot(data.air, w[0] * data.depth, dim=["lat", "lon"]).sum())


def by_matmul(w, data):
    return float((data.air @ (w[0] * data.depth)).max())


def transposed(w, air):
    a = air.transpose("lon", "time", "lat")
    return float((w[0] * a.isel(lon=0) - a.isel(lon=1)).sum() * a.shape[0])


def looped(w, air):
    total = 0.0
    for t in range(air.sizes["time"]):
        total += float(w[0] * air.isel(time=t).mean() ** 2)
    return total


def filtered(w, s):
    state, loss = 0.0, 0.0
    for v in s.values:
        state = w[0] * state + v
        loss += state**2
    return loss


def gradient_of_field(w, air):
    g = (w[0] * air).differentiate("lat")
    return float((g**2).mean())


def integrated(w, air):
    return float((w[0] * air).integrate("lat").mean())


def standardised(w, air):
    z = (air - air.mean("time")) / air.std("time")
    return float((w[0] * z**3).mean())


def clipped(w, air):
    return float((w[0] * air).clip(0.0, 8.0).sum() + air.max("time").min())


def positional(w, p):
    return float((w[0] * p[0] + p[1:3].sum("row") * w[1] + p[:, 2].sum()).sum())


def by_numpy(w, p):
    return np.sum(np.exp(w[0] * p)).item() + np.mean(p, axis=0).values @ w


def built(w, p):
    scale = xr.DataArray(w, dims="col")
    return float((scale * p).sum())


def outer(w, p):
    a = xr.DataArray(w, dims="k")
    b = p.mean("col")
    return float(((a * b) ** 2).sum())


def evaporation(w, data):
    es = 0.6108 * np.exp(17.27 * data.air / (data.air + 237.3))
    return float((es * (w[0] + w[1] * abs(data.wind))).mean())


def seasons(w, air):
    warm = air.sel(time=air.time.dt.month.isin([6, 7, 8]))
    return float((w[0] * warm).mean())


def rolling(w, s):
    return float(((w[0] * s.rolling(time=3).mean()) ** 2).sum())


def cumulative(w, s):
    return float((w[0] * s).cumsum("time").isel(time=-1))


def correlated(w, data):
    x = w[0] * data.air + data.wind
    y = data.wind
    xa, ya = x - x.mean(), y - y.mean()
    return float((xa * ya).sum() / np.sqrt((xa**2).sum() * (ya**2).sum()))


def zero_dim(w, air):
    return ((w[0] * air - w[1]) ** 2).mean()


def function_of_field(air):
    return float((air**2).mean())


def field_weighted(depth, air):
    return float((air * depth).sum("time").mean())


def series_energy(s):
    return float((s.diff("time") ** 2).sum())


def dataset_loop(w, data):
    total = 0.0
    for k, name in enumerate(["air", "wind"]):
        total = total + w[k] * float(data[name].mean())
    return total


def condition(w, air):
    if air.mean() > 10:
        return float((w[0] * air).sum())
    return float(w[1])


def interp_level(w, air):
    prof = air.isel(time=0, lon=0)
    return np.interp(w[2] * 10, air.lat, w[0] * prof.values)


def renamed(w, p):
    q = p.rename(col="other")
    return float((w[0] * p.isel(row=0) * q.isel(row=1)).sum())


PROGRAMS = [
    *((f, (W, AIR)) for f in (
        area_mean, weighted, linear_trend, anomaly, monthly, selected, nearest, sliced, missing,
        masked, where_three, transposed, looped, gradient_of_field, integrated, standardised,
        clipped, seasons, zero_dim, condition, interp_level,
    )),
    *((f, (W, DATA)) for f in (
        regression, attribute_access, values_only, dotted, by_matmul, evaporation, correlated,
        dataset_loop,
    )),
    *((f, (W, SERIES)) for f in (differenced, shifted, filtered, rolling, cumulative)),
    *((f, (W, PLAIN)) for f in (positional, by_numpy, built, outer, renamed)),
    (function_of_field, (AIR,)), (field_weighted, (DEPTH, AIR)), (series_energy, (SERIES,)),
]  # fmt: skip


def like(x, values):
    return x.copy(data=values) if isinstance(x, xr.DataArray) else values


def differences(f, x, rest, step=1e-6):
    found = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        moved = [np.array(x), np.array(x)]
        moved[0][place] += step
        moved[1][place] -= step
        ends = [float(f(like(x, each), *rest)) for each in moved]
        found[place] = (ends[0] - ends[1]) / (2 * step)
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_derivatives_of_programs(f, args, backend):
    x, *rest = args
    gradient = srcad.grad(f, backend=backend)(*args)
    assert type(gradient) is type(x)
    wanted = differences(f, x, rest)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-5, atol=1e-5)
    if f is not zero_dim:
        value = srcad.compile(f, backend=backend)(*args)
        assert type(value) is type(f(*args))
        np.testing.assert_allclose(value, f(*args), rtol=1e-12)
    if isinstance(x, np.ndarray):
        tangents = srcad.jacfwd(f, backend=backend)(*args)
        np.testing.assert_allclose(tangents, wanted, rtol=1e-5, atol=1e-5)


# Values ------------------------------------------------------------------------------------------

TEXTS = (
    """
a.values|a.data|a.to_numpy()|a.shape|a.ndim|a.dims|a.size|len(a)|a.dtype|a.T|a+1|1-a|a*b|b*a|a/b
a-c|c-a|c*b|2.0**a|a**2|a//2|a%3|-a|+a|abs(a)|a>1|a<=b|(a>1)&(a<3)|~(a>1)|a==b|a!=a|np.exp(a)
np.maximum(a,b)|np.maximum(a,0)|np.add(b,a)|np.sqrt(abs(a))|np.arctan2(a,c)|a.sum()|a.sum("x")
a.sum(("x","y"))|a.sum(["y"])|a.mean()|a.mean("y")|a.std()|a.std("x")|a.var("y",ddof=1)|a.max()
a.max("x")|a.min("y")|a.prod()|a.median()|a.median("x")|a.count()|a.count("x")
a.sum(skipna=False)|a.mean("x",skipna=True)|a.any()|(a>1).all("x")|a.argmax("x")|a.argmin("y")
a.cumsum("x")|a.cumprod("y")|a.diff("x")|a.diff("y",n=2)|a.diff("x",label="lower")|a.shift(x=1)
a.shift(y=-2)|a.roll(x=1)|a.isel(x=0)|a.isel(x=-1,y=0)|a.isel(x=slice(1,None))|a.isel(y=[0,2])
a.isel({"x":1})|a[0]|a[:,1]|a[1:,0]|a[...,0]|a[dict(x=0)]|a[0,1]|a.sel(x=20.0)
a.sel(x=19.0,method="nearest")|a.sel(x=slice(10,20))|a.sel(x=[10.0,30.0])|a.loc[20.0]
a.loc[{"x":10.0}]|a.loc[:,"b"]|a.sel(y="a")|a.sel(y=["a","c"])|a.transpose("y","x")
a.transpose("y",...)|a.rename(x="z")|a.rename({"x":"z"})|a.where(a>1)|a.where(a>1,0.0)
a.where(a>1,b)|a.where(c>0,c)|xr.where(a>1,a,b)|xr.where(c>0,1.0,c)|a.fillna(0.0)|a.fillna(c)
a.isnull()|a.notnull()|a.clip(0,2)|a.clip(min=1)|a.clip(max=c)|a.round(1)|a.astype(float)
a.astype("f4")|a.copy()|a.dot(b)|a.dot(c)|a@b|a@c|xr.dot(a,b)|xr.dot(a,b,dim="x")
xr.dot(a,c,dim=...)|a.dot(b,dim="y")|a.weighted(w).mean()|a.weighted(w).mean("x")
a.weighted(w).sum("x")|a.weighted(w).sum_of_weights("x")|a.differentiate("x")|a.integrate("x")
a.x|a["x"]|a.x*2|(a*2).x|(a*2)["x"]|(a+c).sum("y")|np.sum(a)|np.mean(a,axis=0)|np.max(a)
np.std(a)|np.where(a>1,a,0)|np.asarray(a)|np.dot(a,np.ones(3))|np.clip(a,0,1)
np.cumsum(a,axis=0)|float(a[0,0])|a[0,0].item()|bool(a[0,0]>0)|a*np.ones(3)|np.ones(3)*a
a+np.ones((4,1))|a*np.float64(2)|np.float32(2)*a|[float(r.sum()) for r in a]|a.sizes["x"]
dict(a.sizes)|xr.zeros_like(a)|xr.ones_like(a)+c|xr.full_like(a,2.0)
xr.DataArray(a.values,dims=("x","y"))*b|xr.DataArray(np.arange(3.0),dims="y")*a
xr.DataArray(w.values,dims="x",coords={"x":a.x})*a|a.pipe(lambda q: q*2)
isinstance(a,xr.DataArray)|isinstance(a*2,xr.DataArray)|(a*2).sel(x=20.0)
(a*2).isel(x=slice(1,3)).sum("x")|a.groupby("g").mean()|a.rolling(x=2).mean()
a.sortby("x",ascending=False)|a.quantile(0.5)|a.quantile(0.5,dim="x")|a.coarsen(x=2).mean()
a.interp(x=15.0)|a.stack(z=("x","y"))|a.to_series().sum()|a.mean("x")[1]|a.max("x").min()|a.name
a.attrs|a.expand_dims("t")|a.squeeze()|a.swap_dims(x="g")|a.drop_vars("g")|a.head(x=2)
a.isin([1.0])|a.idxmax("x")|a.dropna("x")
np.sum(a, 0)|np.std(a, 1)|np.any(a > 1, axis=0)|a.mean("x", keep_attrs=True)|1.0 in a
xr.apply_ufunc(np.exp, a)|xr.apply_ufunc(np.maximum, a, c)|xr.apply_ufunc(np.clip, a, 0, 1)
xr.apply_ufunc(np.sum, a)|xr.concat([a, b], "r")|xr.concat([a, b], "r").sum("r")
xr.concat([c.drop_vars("y"), c.drop_vars("y")], "y")|a.assign_coords(x=[1, 2, 3, 4]).x|np.exp(c).T
xr.DataArray(np.ones(3), dims="y", coords={"y": ["a", "b", "c"]}).sel(y="b")
xr.DataArray(np.ones(3), dims="y", coords={"y": ["a", "b", "c"]}).y
xr.DataArray(np.ones(2), dims="k", coords={"k": [7, 8]}).sel(k=[8, 7]) * c
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


def asked(text):
    source = f"def f(a, b, c, w):\n    return {text}\n"
    path = f"<array {text}>"
    linecache.cache[path] = (len(source), None, source.splitlines(True), path)
    scope = {"np": np, "xr": xr}
    exec(compile(source, path, "exec"), scope)
    return scope["f"]


def operands(dtype, misses):
    values = np.random.default_rng(1).normal(1.5, 1, (4, 3))
    values = (np.round(3 * values) if dtype == "i8" else values).astype(dtype)
    if misses:
        values[1, 2] = values[3] = np.nan
    labels = {"x": [10.0, 20.0, 30.0, 40.0], "y": ["a", "b", "c"], "g": ("x", [0, 0, 1, 1])}
    a = xr.DataArray(values, dims=("x", "y"), coords=labels, name="q")
    b = a.copy(data=np.asarray(a)[::-1])
    w = xr.DataArray(np.arange(1.0, 5.0), dims="x", coords={"x": a.x})
    return a, b, a[0].drop_vars(["x", "g"]), w.astype("f4") if dtype == "f4" else w


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("dtype", "misses"), [("f8", False), ("f8", True), ("i8", False), ("f4", False)]
)
def test_values_are_those_of_xarray(dtype, misses):
    given = operands(dtype, misses)
    for text in TEXTS:
        try:
            want = asked(text)(*given)
        except ValueError:  # of what is missing everywhere
            with pytest.raises((ValueError, SrcadError)):
                srcad.compile(asked(f"np.asarray({text})"), backend="numpy")(*given)
            continue
        is_array = isinstance(want, xr.DataArray)
        f = asked(f"np.asarray({text})" if is_array else text)
        want = np.asarray(want) if is_array else want
        got = srcad.compile(f, backend="numpy")(*given)
        assert type(got) is type(want), text
        assert getattr(got, "dtype", None) == getattr(want, "dtype", None), text
        assert np.shape(got) == np.shape(want), text
        if np.asarray(want).dtype.kind in "fiub":
            rtol = 1e-6 if dtype == "f4" else 1e-12
            np.testing.assert_allclose(got, want, rtol=rtol, err_msg=text)
        else:
            assert np.all(got == want), text


# Changes in place --------------------------------------------------------------------------------


def two_names(w, a):
    b = a * w
    c = b
    b += 1
    return float((c * a).sum())


def view_of_axes(w, a):
    b = a * w
    c = b.T
    b *= a
    return float((c * a).max())


def array_inside(w, a):
    b = a * w
    values = b.values
    values[0] = w
    b -= 1.0
    return float(b.sum()) + values[1, 0]


def number_without_axes(w, a):
    total = (w * a).sum()
    for k in range(3):
        total += (w * a.isel(row=k)).mean()
    other = total
    total *= w
    return float(other)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [two_names, view_of_axes, array_inside, number_without_axes])
def test_all_names_see_a_change(f, backend):
    for w in (0.7, 2.0):
        assert srcad.compile(f, backend=backend)(w, PLAIN) == pytest.approx(f(w, PLAIN), 1e-12)
        wanted = (f(w + 1e-6, PLAIN) - f(w - 1e-6, PLAIN)) / 2e-6
        assert srcad.grad(f, backend=backend)(w, PLAIN) == pytest.approx(wanted, 1e-6)


def given_is_changed(w, a):
    a += w
    return float(a.sum())


def an_entry_is_set(w, a):
    b = a * w
    b[0] = 1.0
    return float(b.sum())


def unlike_labels(w, a):
    return float((w * a.isel(time=slice(1, None)) * a.isel(time=slice(None, -1))).sum())


def an_array_returned(w, a):
    return w * a


REFUSED = [
    (given_is_changed, PLAIN, "E133"), (an_entry_is_set, PLAIN, "E118"),
    (unlike_labels, AIR, "E120"), (an_array_returned, AIR, "E306"), (zero_dim, AIR, "E306"),
]  # fmt: skip


@pytest.mark.parametrize(("f", "x", "code"), REFUSED, ids=lambda f: getattr(f, "__name__", ""))
def test_what_has_no_form_is_refused(f, x, code):
    with pytest.raises(SrcadError, match=code):
        srcad.value_and_grad(f)(W if f is zero_dim else 2.0, x)


# Derivatives that are arrays of xarray ------------------------------------------------------------


def cubes(a):
    return (a**3).sum()


def is_like(found, values):
    assert type(found) is xr.DataArray
    assert found.dims == DEPTH.dims
    assert found.lat.equals(DEPTH.lat)
    np.testing.assert_allclose(found, values)


def test_a_gradient_has_the_names_and_labels_of_the_argument():
    squares = 3 * np.asarray(DEPTH) ** 2
    is_like(srcad.grad(cubes)(DEPTH), squares)
    is_like(srcad.grad(lambda p: cubes(p["h"]) * p["k"])({"h": DEPTH, "k": 2.0})["h"], 2 * squares)
    is_like(srcad.vjp(lambda a: float(cubes(a)), DEPTH)[1](2.0)[0], 2 * squares)
    is_like(srcad.hvp(cubes)(DEPTH, DEPTH), 6 * np.asarray(DEPTH) ** 2)
    found = srcad.jacobian(lambda a: (a * a).mean("lon").values)(DEPTH)
    assert found.shape == (3, 3, 4)
    is_like(srcad.grad(lambda a: np.sum(srcad.grad(cubes)(a)))(DEPTH), 6 * np.asarray(DEPTH))


def test_a_number_beside_others():
    def f(w, a):
        loss = (w * a).sum()
        return loss, {"mean": float(a.mean())}

    gradient, told = srcad.grad(f, has_aux=True)(2.0, PLAIN)
    assert gradient == pytest.approx(float(PLAIN.sum()))
    assert told == {"mean": float(PLAIN.mean())}


# Guards ------------------------------------------------------------------------------------------


def test_names_and_labels_decide_in_each_call():
    gradient = srcad.grad(lambda w, a, b: float((w * a * b).sum()))
    small = PLAIN[:3]
    assert gradient(1.0, small, small) == pytest.approx(float((small * small).sum()))
    turned = small.rename(row="col", col="row")
    assert gradient(1.0, small, turned) == pytest.approx(float((small * turned).sum()))
    with pytest.raises(ValueError, match="mismatched"):
        gradient(1.0, small, PLAIN[:2])
    labels = [small.assign_coords(row=rows) for rows in ([1, 2, 3], [1, 2, 4])]
    assert gradient(1.0, labels[0], labels[0]) == pytest.approx(float((small * small).sum()))
    assert gradient(1.0, labels[0], small) == pytest.approx(float((small * small).sum()))
    with pytest.raises(SrcadError, match="E120"):
        gradient(1.0, *labels)
    place = srcad.grad(lambda w, a: float((w * a.sel(row=2)).sum()))
    assert place(1.0, labels[0]) == pytest.approx(float(small[1].sum()))
    moved = small.assign_coords(row=[2, 1, 3])
    assert place(1.0, moved) == pytest.approx(float(small[0].sum()))
    with pytest.raises(SrcadError, match="E135"):
        place(1.0, small.assign_coords(row=[7, 8, 9]))


def test_differences_of_truth_values_are_refused():
    a = xr.DataArray([[1.5, 2.5], [3.0, 1.0]], dims=("x", "y"))
    with pytest.raises(SrcadError, match="E120"):
        srcad.compile(lambda a: (a > 1).diff("x").values)(a)


@pytest.mark.parametrize(
    "f",
    [
        lambda a: (a.T == a).values,
        lambda a: (a.T * 1.0 < a).values,
        lambda a: (a != a.T * 2.0).values,
        lambda a: (a.T - a).values,
    ],
)
def test_axes_come_in_the_order_of_the_left_operand(f):
    a = xr.DataArray(np.arange(6.0).reshape(3, 2), dims=("t", "k"))
    found, wanted = srcad.compile(f)(a), f(a)
    assert found.shape == wanted.shape
    np.testing.assert_array_equal(found, wanted)
