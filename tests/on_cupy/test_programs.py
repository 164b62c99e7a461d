"""Programs for CuPy, on its stand-in: values, gradients and tangents are those of NumPy's."""

import subprocess
import sys

import numpy as np
import pytest
from on_cupy.counting import ROOT, count, on_device, on_host, same

import srcad
from srcad import nn
from srcad.nn import optim

RNG = np.random.default_rng(0)
X = np.array([0.5, -1.2, 2.0, 0.3])
M = RNG.normal(size=(4, 4))


def single(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def perceptron(w, b, x):
    return np.mean(np.tanh(x @ w + b) ** 2)


def logistic(w, x, y):
    return np.mean(np.logaddexp(0, -y * (x @ w))) + 0.1 * np.sum(w * w)


def heat(u, rate, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2])
    return 0.5 * np.sum(u * u)


def synchronised(x):
    scale = float(np.sum(x))
    if scale > 0 and x[0] > 0:
        return np.sum(x * scale)
    return np.sum(x)


def while_large(x):
    while np.sum(x * x) > 1.0:
        x = x * 0.7
    return np.prod(x + 2.0)


def entries(x):
    total = 0.0
    for v in x:
        total = total + v * v
    return total * x[0] + max(x[1], x[2])


def exchanged(x):
    x = x.copy()
    first = x[0]
    x[0] = x[1]
    x[1] = first
    return np.sum(x * np.arange(4.0))


def shifted(x):
    y = x * 2
    y[1:] = y[:-1]
    rest = y[1:]
    y[:-1] = rest
    return np.sum(y * np.arange(4.0))


def scattered(x):
    y = np.zeros(3)
    np.add.at(y, np.array([0, 1, 1, 2]), x)
    return np.sum(y**3)


def masked(x):
    y = x * 2
    y[y < 0] = 0.0
    return np.sum(x[x > 0] ** 2) + np.sum(np.where(x > 0, x**2, 0.0) * y)


def sorted_and_summed(x):
    return np.sum(np.sort(x) * np.arange(4)) + np.sum(np.cumsum(x) ** 2) + np.sum(x[[0, 2]] ** 2)


def decomposed(m):
    return (
        np.linalg.det(m)
        + np.trace(np.linalg.inv(m))
        + np.sum(np.linalg.eigvalsh(m + m.T) ** 2)
        + np.sum(np.linalg.cholesky(m @ m.T + np.eye(4)))
    )


def solved(m, x):
    return np.sum(np.linalg.solve(m, x) ** 2) + np.einsum("ij,j->", m, x)


def transformed(x):
    return np.sum(np.abs(np.fft.fft(x)) ** 2) + np.sum(np.convolve(x, np.array([1.0, 2.0])) ** 2)


def lists(x):
    rows = [x * 2, x**2]
    return np.sum(np.stack(rows)) + np.sum(np.array([x[0], 1.0, np.sum(x)]) ** 2)


def clipped(x):
    return np.sum(np.clip(x, 0, 1) ** 2) + np.clip(np.sum(x), 0.0, 3.0) + np.float32(x[0]) * x[1]


def with_errstate(x):
    with np.errstate(divide="ignore"):
        return np.sum(np.log(np.abs(x)))


def nested(x):
    return np.sum(srcad.grad(lambda y: np.sum(y**3))(x) * x)


def convolved(w, b, x):
    h = nn.max_pool2d(nn.relu(nn.conv2d(x, w, b, padding=1)), 2)
    return np.sum(nn.avg_pool2d(h, 2) ** 2)


def strided(w, x):
    return np.sum(nn.conv2d(x, w, stride=(2, 1), padding="same", dilation=2, groups=2) ** 2)


def attention(p, x, y):
    q, k, v = x @ p["q"], x @ p["k"], x @ p["v"]
    a = nn.softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(8.0))
    h = nn.layer_norm(x + a @ v, p["g"], p["b"])
    h = h + nn.gelu(h @ p["u"]) @ p["d"]
    return nn.softmax_cross_entropy(np.mean(h, axis=1) @ p["o"], y)


SHAPES = {"q": (8, 8), "k": (8, 8), "v": (8, 8), "g": (8,), "b": (8,), "u": (8, 16), "d": (16, 8)}
PARAMETERS = {name: single(*shape) for name, shape in {**SHAPES, "o": (8, 3)}.items()}
CASES = [
    (perceptron, (RNG.normal(size=(3, 2)), RNG.normal(size=2), RNG.normal(size=(5, 3)))),
    (logistic, (RNG.normal(size=3), RNG.normal(size=(6, 3)), np.sign(RNG.normal(size=6)))),
    (heat, (RNG.normal(size=9), 0.1, 4)),
    *((fn, (X,)) for fn in (
        synchronised, while_large, entries, exchanged, shifted, scattered, masked,
        sorted_and_summed, transformed, lists, clipped, with_errstate, nested,
    )),
    (decomposed, (M,)),
    (solved, (M, X)),
    (convolved, (single(3, 1, 3, 3), single(3), single(2, 1, 8, 8))),
    (strided, (single(4, 1, 3, 3), single(2, 2, 9, 8))),
    (attention, (PARAMETERS, single(2, 5, 8), np.array([0, 2]))),
]  # fmt: skip


@pytest.mark.parametrize(("fn", "args"), CASES, ids=[fn.__name__ for fn, _ in CASES])
def test_values_and_gradients_are_those_of_numpy(cp, fn, args):
    given = on_device(args)
    for made in (srcad.value_and_grad, srcad.compile):
        assert same(made(fn)(*args), on_host(made(fn)(*given))), made(fn).source(*given)
    assert "import numpy as np\n" not in srcad.value_and_grad(fn).source(*given)


@pytest.mark.parametrize(("fn", "args"), CASES, ids=[fn.__name__ for fn, _ in CASES])
def test_tangents_are_those_of_numpy(cp, fn, args):
    if not all(isinstance(x, np.ndarray) and x.dtype.kind == "f" for x in args):
        pytest.skip("it has arguments that are no arrays of floats")
    given = on_device(args)
    assert same(srcad.jvp(fn, args, args), on_host(srcad.jvp(fn, given, given)))


def test_no_program_of_the_corpus_is_wrong(cp):
    """A slice; `python tests/on_cupy/counting.py` counts all of it."""
    counts, others = count(["straight", "broadcasting", "branches", "mutation", "views"])
    assert counts["right"] > 100
    assert [each for each in others if each[0] in ("wrong", "raised")] == []


# What lies where ---------------------------------------------------------------------------------


def test_results_lie_on_the_device(cp):
    value, (w_bar, b_bar) = srcad.value_and_grad(perceptron, (0, 1))(*on_device(CASES[0][1]))
    assert type(value) is type(w_bar) is type(b_bar) is cp.ndarray


def test_backend_is_chosen_by_the_arguments(cp):
    gradient = srcad.grad(logistic)
    w, x, y = CASES[1][1]
    given = on_device((w, x, y))
    for _ in range(3):
        assert type(gradient(w, x, y)) is np.ndarray
        assert type(gradient(*given)) is cp.ndarray
    assert (gradient.explain(*given).runs, gradient.explain(w, x, y).runs) == ("cupy", "numpy")
    assert "because   of CuPy's arrays among the arguments" in str(gradient.explain(*given))
    assert srcad.grad(logistic, backend="cupy").explain(*given).why == 'of backend="cupy"'


@pytest.mark.parametrize("backend", ["auto", "cupy"])
def test_mixed_arguments_are_refused(cp, backend):
    w, x, y = CASES[1][1]
    with pytest.raises(srcad.SrcadError, match=r"E326.*`x`, a NumPy ndarray") as refused:
        srcad.grad(logistic, backend=backend)(cp.asarray(w), x, cp.asarray(y))
    assert "fix: pass `cupy.asarray(x)`" in str(refused.value)


def test_arrays_in_containers_are_named(cp):
    def loss(params):
        return np.sum(params["w"] * params["b"])

    with pytest.raises(srcad.SrcadError, match=r"E326.*`params\['b'\]`"):
        srcad.grad(loss)({"w": cp.asarray(X), "b": X})


def test_arrays_of_the_other_side_are_refused(cp):
    given = on_device(CASES[1][1])
    with pytest.raises(
        srcad.SrcadError, match=r"E326.*`w`, a CuPy ndarray, in a program for NumPy"
    ):
        srcad.grad(logistic, backend="numpy")(*given)
    with pytest.raises(
        srcad.SrcadError, match=r"E326.*`w`, a NumPy ndarray, in a program for CuPy"
    ):
        srcad.grad(logistic, backend="cupy")(*CASES[1][1])


def test_captured_arrays_are_refused(cp):
    scale = X

    def loss(x):
        return np.sum(x * scale)

    with pytest.raises(srcad.SrcadError, match=r"E326.*captured `scale`, a NumPy ndarray"):
        srcad.grad(loss)(cp.asarray(X))
    scale = cp.asarray(X)
    assert srcad.grad(loss)(cp.asarray(X)).tolist() == X.tolist()


def test_generators_are_those_of_the_device(cp):
    def drawn(mu, rng):
        return np.mean((mu + rng.standard_normal(50)) ** 2) + np.sum(rng.normal(2.0, 0.1, size=3))

    mu = cp.asarray(0.5)
    value, mu_bar = srcad.value_and_grad(drawn)(mu, cp.random.default_rng(3))
    rng = cp.random.default_rng(3)
    z = rng.standard_normal(50)
    assert np.isclose(
        float(value), float(((mu + z) ** 2).mean() + (2 + 0.1 * rng.standard_normal(3)).sum())
    )
    assert np.isclose(float(mu_bar), float(2 * (mu + z).mean()))
    with pytest.raises(srcad.SrcadError, match=r"E326.*`rng`, a NumPy Generator"):
        srcad.value_and_grad(drawn)(mu, np.random.default_rng(3))


def test_constants_are_moved_once(cp):
    table = np.arange(2000.0)

    def loss(x):
        return np.sum(x * np.array([1.0, 2.0, 3.0, 4.0]))

    gradient = srcad.grad(loss)
    assert gradient(cp.asarray(X)).tolist() == [1.0, 2.0, 3.0, 4.0]
    assert table.size == 2000


# As CuPy has it ----------------------------------------------------------------------------------


def test_functions_of_cupy_are_those_of_numpy(cp):
    def loss(x):
        return cp.sum(cp.tanh(x) * cp.pi) + cp.linalg.norm(x)

    def same_loss(x):
        return np.sum(np.tanh(x) * np.pi) + np.linalg.norm(x)

    found = srcad.value_and_grad(loss)(cp.asarray(X))
    assert same(srcad.value_and_grad(same_loss)(X), on_host(found))


def test_classes_are_those_of_cupy(cp):
    def loss(x):
        if isinstance(x, np.ndarray):
            return np.sum(x)
        return 3 * np.sum(x) if isinstance(x, cp.ndarray) else 0.0 * np.sum(x)

    assert srcad.grad(loss)(cp.asarray(X)).tolist() == [3.0] * 4
    assert srcad.grad(loss)(X).tolist() == [1.0] * 4


def test_what_cupy_lacks_is_refused_at_its_line(cp):
    def loss(x):
        y = x * x
        return np.sum(np.insert(y, 1, y[0]))

    with pytest.raises(
        srcad.SrcadError, match=r"E208.*`cupy.insert` does not exist on CuPy"
    ) as refused:
        srcad.compile(loss)(cp.asarray(X))
    assert refused.value.location.text.strip().startswith("return np.sum(np.insert")


def test_parameters_that_cupy_lacks_are_refused(cp):
    def loss(x):
        return np.max(x, initial=0.0)

    with pytest.raises(srcad.SrcadError, match=r"E208.*`cupy.max` with these parameters"):
        srcad.compile(loss)(cp.asarray(X))


def test_entries_are_values_not_views(cp):
    source = srcad.grad(exchanged).source(cp.asarray(X))
    assert srcad.compile(exchanged).source(cp.asarray(X)).count(".copy()") == 3
    assert ".copy()" in source


def test_steps_write_in_place(cp):
    def step(w, x, y):
        value, w_bar = srcad.value_and_grad(logistic)(w, x, y)
        w -= 0.1 * w_bar
        return value

    ours, theirs = on_device(CASES[1][1]), [x.copy() for x in CASES[1][1]]
    compiled = srcad.compile(step)
    for _ in range(3):
        assert np.isclose(float(compiled(*ours)), compiled(*theirs))
    np.testing.assert_allclose(ours[0].get(), theirs[0], rtol=1e-12)


# Without CuPy ------------------------------------------------------------------------------------

WITHOUT = """
import sys
import numpy as np
import srcad

def loss(x):
    return np.sum(x * x)

assert srcad.grad(loss)(np.ones(3)).tolist() == [2.0, 2.0, 2.0]
for name in ("cupy", "srcad.emit.on_cupy", "srcad.kernels.anywhere"):
    assert name not in sys.modules, name
sys.modules["cupy"] = None  # as if it were not installed
assert srcad.grad(loss)(np.ones(3)).tolist() == [2.0, 2.0, 2.0]
"""


def test_nobody_pays_for_it(tmp_path):
    file = tmp_path / "without.py"
    file.write_text(WITHOUT)
    subprocess.run([sys.executable, str(file)], check=True)


def test_it_is_refused_where_it_is_not(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(srcad.SrcadError, match="E314") as refused:
        srcad.grad(logistic, backend="cupy")
    assert "pip install cupy-cuda12x" in str(refused.value)


def trained(optimiser, params, x, y, compiles):
    """The parameters after three steps."""
    state = optimiser.init(params)
    gradient = srcad.value_and_grad(network)

    def step(params, state, x, y):
        value, params_bar = gradient(params, x, y)
        optimiser.update(params, params_bar, state)
        return value

    taken = srcad.compile(step) if compiles else step
    for _ in range(3):
        taken(params, state, x, y)
    return params


def network(p, x, y):
    h = nn.relu(nn.dense(x, p["w"], p["b"]))
    return nn.softmax_cross_entropy(nn.dense(h, p["v"], p["c"]), y)


@pytest.mark.parametrize("compiles", [False, True])
@pytest.mark.parametrize(
    "optimiser", [optim.sgd(0.1), optim.sgd(0.1, 0.9, weight_decay=0.01), optim.adam(0.01)]
)
def test_optimisers_train_on_the_device(cp, optimiser, compiles):
    p = {"w": single(3, 4), "b": single(4), "v": single(4, 2), "c": single(2)}
    x, y = single(5, 3), np.array([0, 1, 1, 0, 1])
    ours = trained(optimiser, *on_device((p, x, y)), compiles)
    theirs = trained(optimiser, {key: v.copy() for key, v in p.items()}, x, y, compiles)
    for key, w in theirs.items():
        np.testing.assert_allclose(ours[key].get(), w, rtol=1e-5, atol=1e-6)


def test_gradients_are_written_to_arrays_that_are_given(cp):
    given = on_device(CASES[1][1])
    out = cp.empty_like(given[0])
    assert srcad.grad(logistic)(*given, out=out) is out
    np.testing.assert_allclose(out.get(), srcad.grad(logistic)(*CASES[1][1]), rtol=1e-12)
    with pytest.raises(srcad.SrcadError, match="E319"):
        srcad.grad(logistic)(*given, out=np.empty(3))


def test_programs_are_not_saved(cp, tmp_path):
    gradient = srcad.grad(logistic)
    with pytest.raises(srcad.SrcadError, match=r"E503.*a program for CuPy"):
        gradient.save(tmp_path / "made.py", *on_device(CASES[1][1]))
    gradient.save(tmp_path / "made.py", *CASES[1][1])
    assert "import numpy as np" in (tmp_path / "made.py").read_text()


def test_cotangents_and_tangents_lie_where_primals_do(cp):
    x = cp.asarray(X)

    def squares(x):
        return x * x

    y, pullback = srcad.vjp(squares, x)
    assert pullback(y)[0].tolist() == (2 * X * X**2).tolist()
    _, pullback = srcad.vjp(lambda x: np.sum(x * x), x)
    assert pullback(1.0)[0].tolist() == (2 * X).tolist()
    for call in (lambda: pullback(np.array(1.0)), lambda: srcad.jvp(squares, (x,), (X,))):
        with pytest.raises(srcad.SrcadError, match="NumPy's beside one of CuPy's"):
            call()


def test_functions_may_be_imported_by_name(cp):
    tanh, total, module_of = cp.tanh, cp.sum, cp.get_array_module

    def loss(x):
        xp = module_of(x)
        return total(tanh(x)) + xp.sum(x * x) + cp.get_array_module(x).sum(x)

    wanted = srcad.value_and_grad(lambda x: np.sum(np.tanh(x)) + np.sum(x * x) + np.sum(x))(X)
    assert same(wanted, on_host(srcad.value_and_grad(loss)(cp.asarray(X))))


def test_results_are_objects_of_their_own(cp):
    def loss(a, b, x):
        return np.sum(x) * (a + b)

    a_bar, b_bar = srcad.grad(loss, (0, 1))(1.0, 2.0, cp.asarray(X))
    a_bar += 1.0
    assert np.isclose(float(b_bar), X.sum())


def test_arrays_that_are_captured_beside_numbers(cp):
    w = cp.asarray(X)

    def loss(a):
        return np.sum(w * a)

    assert np.isclose(float(srcad.grad(loss, backend="cupy")(2.0)), X.sum())
    with pytest.raises(srcad.SrcadError, match=r"E326.*captured `w`, a CuPy ndarray") as refused:
        srcad.grad(loss)(2.0)
    assert 'use backend="cupy"' in str(refused.value)


def test_draws_that_cupy_lacks_are_refused(cp):
    def loss(x, rng):
        return np.sum(x * rng.choice(4))

    with pytest.raises(srcad.SrcadError, match=r"E208.*`choice` of a random generator"):
        srcad.grad(loss)(cp.asarray(X), cp.random.default_rng(0))


def test_mixed_arguments_of_which_one_is_written(cp):
    def step(x, y):
        x[0] = 1.0
        return np.sum(x * y)

    with pytest.raises(srcad.SrcadError, match=r"E326.*`y`, a NumPy ndarray"):
        srcad.compile(step)(cp.asarray(X), X)


STORED = """
import sys
sys.path[:0] = {paths!r}
from on_cupy.stand_in import make
sys.modules.update(make())
import cupy as cp
import numpy as np
import srcad

def loss(x):
    return np.sum(np.tanh(x) * cp.pi)

gradient = srcad.grad(loss)
for x in (cp.ones(3), np.ones(3), cp.ones(3, np.float32)):
    assert type(gradient(x)) is type(x)
    print(gradient.explain(x).runs, gradient._newest_program().artifact.from_disk)
"""


def test_programs_are_found_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))
    file = tmp_path / "stored.py"
    file.write_text(STORED.format(paths=[str(ROOT), str(ROOT / "tests")]))
    for found in (False, True):
        done = subprocess.run(
            [sys.executable, str(file)], check=True, capture_output=True, text=True
        )
        assert done.stdout.split() == f"cupy {found} numpy {found} cupy {found}".split()
