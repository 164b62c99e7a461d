"""Loops within a budget of memory: the gradient to the bit, what is saved, what is refused."""

import contextlib
import io
import re
import tracemalloc

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.runtime.checkpoints.revolve import advances

PROGRAMS = []


def program(*args, argnums=0):
    def add(fn):
        PROGRAMS.append(pytest.param(fn, args, argnums, id=fn.__name__))
        return fn

    return add


U = np.linspace(0.3, 1.7, 6)
ROWS = np.sin(np.arange(54.0)).reshape(9, 6)


@program(U, 0.4, 23, argnums=(0, 1))
def euler(u, k, n):
    for i in range(n):
        u = u + 0.1 * k * np.sin(u) * (i + 1)
    return np.sum(u)


@program(U, 0.4, 40, argnums=(0, 1))
def heat_in_place(u, k, n):
    u = u.copy()
    for _ in range(n):
        u[1:-1] += k * 0.5 * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u**2)


@program(ROWS[:6] * 0.3, U, 31, argnums=(0, 1))
def recurrent(w, h, n):
    for _ in range(n):
        h = np.tanh(w @ h)
    return h @ h


@program(0.4, U, argnums=(0, 1))
def until_converged(a, x):
    n = 0
    while np.max(np.abs(x * x - a)) > 1e-9 and n < 50:
        x = 0.7 * x + 0.3 * (x * x + a) / (2 * x)
        n += 1
    return np.sum(x) + n


@program(U, 60)
def left_early(x, n):
    for i in range(3, n, 2):
        x = x * 0.93 + 0.02 * np.cos(x)
        if np.sum(x) < 1.0:
            break
    return np.sum(x) * (i + 1)


@program(U, 30)
def returned_inside(x, n):
    for _ in range(n):
        x = x * 0.9
        if np.sum(x) < 1.0:
            return np.sum(np.exp(x))
    return np.sum(x)


@program(U, 20)
def continued(x, n):
    for i in range(n):
        if i % 3 == 0:
            continue
        x = np.sin(x) + x
    return np.sum(x)


@program(U, 12, 4)
def nested(x, n, m):
    for _ in range(n):
        y = x
        for j in range(m):
            y = np.cos(y) * 0.5 + x * j
        x = x + 0.1 * y
    return np.sum(x)


@program(U, 21)
def one_after_the_other(x, n):
    for _ in range(n):
        x = np.sin(x)
    y = x
    for _ in range(n + 3):
        y = y * np.cos(x) + 0.1
    return np.sum(x * y)


@program(U, 25, 7)
def with_noise(x, n, seed):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        x = x + 0.1 * np.sin(x) * rng.standard_normal(x.shape)
    return np.sum(x) + rng.random()


@program(U, 25, 7)
def that_draws_and_carries_nothing(x, n, seed):
    rng = np.random.default_rng(seed)
    total = 0.0
    for _ in range(n):
        total += np.sum(x * np.sin(x) * rng.standard_normal(x.shape))
    return total


@program(U, 25, 7)
def that_draws_beside_its_state(x, n, seed):
    rng = np.random.default_rng(seed)
    total = 0.0
    for _ in range(n):
        total += np.sum(x * rng.standard_normal(x.shape))
        x = 0.9 * np.sin(x)
    return total


@program(U, 9)
def that_prints(x, n):
    for i in range(n):
        print("step", i)
        x = np.sin(x)
    return np.sum(x)


@program(0.4, 0.3, 50, argnums=(0, 1))
def of_numbers(x, y, n):
    for _ in range(n):
        x, y = x + 0.01 * (y - x**3), y - 0.01 * x * y
    return x * y


@program(U, ROWS)
def over_rows(w, xs):
    h = np.zeros(6)
    for x in xs:
        h = np.tanh(w * h + x)
    return np.sum(h**2)


@program(U, 30)
def counting_down(x, n):
    for i in range(n, 0, -2):
        x = np.sin(x) + x / i
    return np.sum(x)


@program(U, 30)
def reversed_range(x, n):
    for i in reversed(range(2, n, 3)):
        x = np.sin(x) + x / (i + 1)
    return np.sum(x)


@program(U, 14)
def collecting(x, n):
    sums = []
    for _ in range(n):
        x = np.sin(x) + 0.1 * x
        sums.append(np.sum(x))
    return np.sum(np.array(sums) ** 2)


@program(U, 0)
def without_steps(x, n):
    for _ in range(n):
        x = np.sin(x)
    return np.sum(x * x)


@program(U, 18)
def with_a_branch(x, n):
    for _ in range(n):
        if np.sum(x) > 3:
            x = x * 0.8
        else:
            x = x + 0.3 * np.cos(x)
    return np.sum(x * x)


@program(U, 20)
def of_a_dict(x, n):
    s = {"u": x, "v": np.ones_like(x), "t": 0.0}
    for _ in range(n):
        s["v"] = s["v"] - 0.1 * np.sin(s["u"])
        s["u"] = s["u"] + 0.1 * s["v"]
        s["t"] += 0.1
    return np.sum(s["u"]) * s["t"]


@program(U.astype(np.float32), 20)
def in_single_precision(x, n):
    for _ in range(n):
        x = x + np.float32(0.1) * np.sin(x)
    return np.sum(x)


@program(U, 20)
def buffers_swapped(x, n):
    a, b = x.copy(), np.ones_like(x)
    for _ in range(n):
        b[:] = np.sin(a) + 0.1 * b
        a, b = b, a
    return np.sum(a * b)


@program(U)
def of_growing_arrays(x):
    out = np.zeros(1)
    for v in x:
        out = np.append(out, v * np.sin(out[-1]) + v)
    return np.sum(out * np.arange(len(out)))


@program(U, 12)
def with_a_logistic_gate(x, n):
    c = x
    for _ in range(n):
        c = c / (1 + np.exp(-x)) + np.tanh(c * x)
    return np.sum(c)


def run(fn, args, argnums, **options):
    """Value and gradient, what was printed, and the program."""
    derived = srcad.value_and_grad(fn, argnums, **options)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        value, gradient = derived(*args)
    leaves = [value, *(gradient if isinstance(gradient, tuple) else (gradient,))]
    return leaves, out.getvalue(), derived.source()


@pytest.mark.parametrize("options", [{"steps": 1}, {"steps": 3}, {"steps": "binomial"}], ids=str)
@pytest.mark.parametrize(("fn", "args", "argnums"), PROGRAMS)
def test_the_gradient_has_the_bits_of_the_plain_one(fn, args, argnums, options):
    want, printed, _ = run(fn, args, argnums, backend="numpy")
    found, printed_again, source = run(
        srcad.checkpoint(fn, **options), args, argnums, backend="numpy"
    )
    assert "Checkpoints(" in source
    assert printed_again == printed
    for a, b in zip(found, want, strict=True):
        assert type(a) is type(b)
        assert np.asarray(a).dtype == np.asarray(b).dtype
        np.testing.assert_array_equal(a, b)


COMPILED = [
    euler,
    recurrent,
    until_converged,
    left_early,
    nested,
    with_noise,
    of_numbers,
    over_rows,
]


@pytest.mark.parametrize("fn", COMPILED)
def test_compiled_it_is_equal_to_rounding(fn):
    pytest.importorskip("numba")
    _, args, argnums = next(p.values for p in PROGRAMS if p.values[0] is fn)
    want, *_ = run(fn, args, argnums, backend="numpy")
    found, *_ = run(srcad.checkpoint(fn, budget=3000), args, argnums, backend="native")
    for a, b in zip(found, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-25)


def steps(u, n):
    for i in range(n):
        u = u + 0.1 * np.sin(u) * (i + 1)
    return u**2


def loss(u, n):
    return np.sum(steps(u, n))


few = srcad.checkpoint(steps, steps=3)
few_loss = srcad.checkpoint(loss, steps=3)


@pytest.mark.parametrize(
    "derived",
    [
        lambda f, g: srcad.hessian(f)(U, 12),
        lambda f, g: srcad.hvp(f)(U, U, 12),
        lambda f, g: srcad.jacrev(g)(U, 12),
        lambda f, g: srcad.jacfwd(g)(U, 12),
        lambda f, g: srcad.jvp(f, (U, 12), (U, None)),
        lambda f, g: srcad.compile(f)(U, 12),
        lambda f, g: srcad.grad(lambda u: np.sum(srcad.grad(f)(u, 12) ** 2))(U),
        lambda f, g: srcad.vmap(srcad.grad(f), in_axes=(0, None))(ROWS, 12),
        lambda f, g: srcad.grad(lambda u: 2.0 * f(u, 12))(U),
        lambda f, g: srcad.grad(lambda u: f(u, 12) if np.sum(u) > 0 else np.sum(u))(U),
        lambda f, g: srcad.grad(lambda u: sum(f(u * k, 5) for k in range(1, 4)))(U),
        lambda f, g: f(U, 12),
    ],
)  # fmt: skip
def test_other_derivatives_are_what_they_are(derived):
    found, want = derived(few_loss, few), derived(loss, steps)
    for a, b in zip(np.atleast_1d(found), np.atleast_1d(want), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_second_derivatives_by_tangents_are_within_the_budget_too():
    hessian = srcad.hessian(few_loss, backend="numpy")
    hessian(U, 12)
    assert "Checkpoints(" in hessian.source()


def test_a_pullback_runs_back_several_times():
    (_, pull), (_, plain) = srcad.vjp(few, U, 12), srcad.vjp(steps, U, 12)
    for y_bar in (U, 2 * U, U):
        np.testing.assert_array_equal(pull(y_bar)[0], plain(y_bar)[0])


def test_it_takes_what_a_loop_runs_over():
    def of_a_range(u, n):
        for i in srcad.checkpoint(range(n), steps=3):
            u = u + 0.1 * np.sin(u) * (i + 1)
        return np.sum(u**2)

    def of_rows(u, xs):
        for x in srcad.checkpoint(xs, budget="1 MB"):
            u = np.tanh(u + x)
        return np.sum(u**2)

    def plain(u, xs):
        for x in xs:
            u = np.tanh(u + x)
        return np.sum(u**2)

    gradient = srcad.grad(of_a_range, backend="numpy")
    np.testing.assert_array_equal(gradient(U, 12), srcad.grad(loss, backend="numpy")(U, 12))
    assert "Checkpoints(range(n), (u,), slots=3" in gradient.source()
    assert of_a_range(U, 12) == loss(U, 12)
    np.testing.assert_array_equal(
        srcad.grad(of_rows, backend="numpy")(U, ROWS), srcad.grad(plain, backend="numpy")(U, ROWS)
    )


def test_options_may_be_given_inside():
    def whole(u):
        return srcad.checkpoint(loss, budget="1 kB")(u, 12)

    gradient = srcad.grad(whole, backend="numpy")
    np.testing.assert_array_equal(gradient(U), srcad.grad(loss, backend="numpy")(U, 12))
    assert "budget=1000" in gradient.source()


def test_a_loop_inside_of_another_runs_again_as_a_whole():
    @srcad.checkpoint(steps=2)
    def inner(x, n):
        for _ in range(n):
            x = np.sin(x) + 0.2 * x
        return np.sum(x)

    def outer(x, m):
        total = 0.0
        for k in range(m):
            total += inner(x * k, 9)
        return total

    gradient = srcad.grad(outer, backend="numpy")
    saved = gradient.saved(U, 30)
    assert saved.total <= 30 * (U.nbytes + 16)
    assert "Checkpoints(" in gradient.source(U, 30)


def test_a_generator_ends_where_it_ended():
    def noisy(x, rng):
        for _ in range(20):
            x = x + 0.1 * np.sin(x) * rng.standard_normal(x.shape)
        return np.sum(x)

    a, b = np.random.default_rng(3), np.random.default_rng(3)
    np.testing.assert_array_equal(
        srcad.grad(srcad.checkpoint(noisy, steps=3), backend="numpy")(U, a),
        srcad.grad(noisy, backend="numpy")(U, b),
    )
    assert a.bit_generator.state == b.bit_generator.state


def test_rules_of_ones_own_serve_in_steps_that_run_again():
    calls = []

    def damped(x):
        calls.append(1)
        return np.tanh(x)

    srcad.rules.elementwise(damped, lambda y, x: 1 - y * y, type_of=lambda x: x)

    def chain(x):
        for _ in range(30):
            x = damped(x) + 0.5 * x
        return np.sum(x)

    plain = srcad.grad(chain, backend="numpy")(U)
    calls.clear()
    np.testing.assert_array_equal(
        srcad.grad(srcad.checkpoint(chain, steps=4), backend="numpy")(U), plain
    )
    assert len(calls) > 60


def test_steps_are_run_as_often_as_the_formula_says():
    calls = []

    def damped(x, k):
        calls.append(k)
        return np.tanh(x + 0.01 * k)

    srcad.rules.elementwise(damped, lambda y, x, k: 1 - y * y, None, type_of=lambda x, k: x)

    def chain(x, n):
        for k in range(n):
            x = damped(x, k) * x
        return np.sum(x)

    def counted(n, **how):
        """How often the body runs, the steps of a part, and what the report says ahead."""
        gradient = srcad.grad(srcad.checkpoint(chain, **how), backend="numpy")
        report = gradient.saved(U, n)
        size = re.search(r"(\d+) steps", report.entries[0].what)
        calls.clear()
        gradient(U, n)
        return len(calls), int(size[1]) if size else 1, report.work

    for n in (0, 1, 2, 7, 30, 64, 101):
        for slots in (1, 2, 3, 5, 8, 200):
            run, size, work = counted(n, steps=slots)
            assert run == n + size * advances(-(-n // size), slots) == round(work * n)
        budgets = [counted(n, budget=f"{k} kB") for k in (1, 2, 4, 40)]
        assert all(run == round(work * n) for run, _, work in budgets)
        assert budgets[0] >= budgets[1] >= budgets[2] >= budgets[3]
        assert budgets[3][0] == n  # the budget holds the tape of all steps


def big(u, n):
    for _ in range(n):
        u = u + 0.01 * np.sin(u)
    return np.sum(u)


def test_memory_stays_within_the_budget():
    u, budget = np.linspace(0.0, 1.0, 20_000), 4_000_000
    gradient = srcad.grad(srcad.checkpoint(big, budget=budget), backend="numpy")
    gradient(u, 3)
    tracemalloc.start()
    gradient(u, 400)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # What a step works with comes on top: a few arrays.
    assert peak < budget + 10 * u.nbytes
    assert srcad.grad(big).saved(u, 400).total > 10 * budget


def test_the_report_tells_bytes_and_work_ahead():
    u = np.ones(100)
    saved = srcad.grad(srcad.checkpoint(big, steps=10)).saved(u, 1000)
    entry, tape = saved.entries
    assert entry.what == "10 states of 800 bytes, 10 steps"
    assert tape.what == "tape of 10"
    assert saved.total == 11 * 800 + 10 * 800
    assert saved.work == entry.work == pytest.approx(3.22, abs=0.01)
    assert str(saved).splitlines()[-1] == f"line {entry.line}: each step is run 3.22 times"
    assert srcad.grad(big).saved(u, 10).work == 1.0


def test_a_saved_module_has_its_own_schedule(tmp_path, monkeypatch):
    gradient = srcad.grad(few_loss, backend="numpy")
    gradient.save(tmp_path / "shipped.py", U, 12)
    assert "srcad" not in "".join(
        line for line in (tmp_path / "shipped.py").open() if "import" in line
    )
    monkeypatch.syspath_prepend(tmp_path)
    import shipped

    np.testing.assert_array_equal(shipped.loss_grad(U, 12), gradient(U, 12))


def test_the_reverse_sweep_reads_as_the_schedule(golden):
    golden("api/checkpointed_loop.py", srcad.grad(few_loss, backend="numpy").source(U, 12))


def undefined_before(x):
    for i in range(4):
        if i == 0:
            y = x
        y = np.sin(y) * x
    return np.sum(y)


def in_a_branch(x):
    if np.sum(x) > 0:
        for _ in range(5):
            x = np.sin(x)
    return np.sum(x)


def drawn_once(x):
    for _ in range(5):
        x = np.sin(x) * np.random.rand()
    return np.sum(x)


@pytest.mark.parametrize(
    ("fn", "what"),
    [
        (undefined_before, "`y`, carried by a loop that runs again from checkpoints, and not"),
        (in_a_branch, "a loop that is checkpointed inside of another loop or a branch"),
        (drawn_once, ".rand`, made once, in a loop that runs again from checkpoints,"),
    ],
)  # fmt: skip
def test_what_cannot_run_again_is_refused_at_its_line(fn, what):
    with pytest.raises(SrcadError) as caught:
        srcad.grad(srcad.checkpoint(fn, steps=2))(U)
    assert caught.value.code == "E100"
    assert what in caught.value.title
    assert caught.value.location.file.endswith("test_checkpointed_loops.py")
    # Forward mode, and the function itself, are as they were.
    np.testing.assert_array_equal(
        srcad.jvp(srcad.checkpoint(undefined_before, steps=2), (U,), (U,)),
        srcad.jvp(undefined_before, (U,), (U,)),
    )


def test_a_loop_in_a_branch_may_be_a_function_of_its_own():
    @srcad.checkpoint(steps=2)
    def loop(x):
        for _ in range(5):
            x = np.sin(x)
        return x

    def whole(x):
        if np.sum(x) > 0:
            x = loop(x)
        return np.sum(x)

    gradient = srcad.grad(whole, backend="numpy")
    np.testing.assert_array_equal(gradient(U), srcad.grad(in_a_branch, backend="numpy")(U))
    assert "Checkpoints(" in gradient.source()


@pytest.mark.parametrize(
    "options",
    [{"budget": "1 XB"}, {"budget": 0}, {"steps": 0}, {"steps": "few"}, {"budget": 9, "steps": 3}],
    ids=str,
)
def test_options_are_checked(options):
    with pytest.raises(SrcadError) as caught:
        srcad.checkpoint(loss, **options)
    assert caught.value.code == "E314"


def test_a_budget_may_be_a_text():
    for text, n in (("200 MB", 200_000_000), ("1.5 GiB", 3 * 2**29), ("800B", 800), ("2kb", 2000)):
        made = srcad.checkpoint(loss, budget=text)
        assert made.__srcad_checkpointing__ == (n, None)


def test_a_budget_that_is_too_small_is_refused_in_the_call():
    with pytest.raises(ValueError, match="two states take 320, and what one step saves 160"):
        srcad.grad(srcad.checkpoint(loss, budget=100))(U, 12)


def until(u, end):
    t = 0.0
    while t < end:
        u = u + 0.01 * np.sin(u) * np.cos(t)
        t += 0.01
    return np.sum(u**3)


def of_a_number(x, n):
    for _ in range(n):
        x = x + 0.01 * np.sin(x)
    return x**3


def test_the_report_counts_what_is_kept_not_what_there_is_room_for():
    plain = srcad.grad(until).saved(np.ones(100), 10.0).total
    saved = srcad.grad(srcad.checkpoint(until, budget="1 GB")).saved(np.ones(100), 10.0)
    assert plain <= saved.total <= 1.01 * plain


def test_small_states_are_not_more_than_all_that_a_tape_keeps():
    for n in (100, 1000, 100_000):
        saved = srcad.grad(srcad.checkpoint(of_a_number, steps="binomial")).saved(1.0, n)
        assert saved.total < srcad.grad(of_a_number).saved(1.0, n).total
    made = srcad.grad(srcad.checkpoint(of_a_number, steps="binomial"))
    assert made(1.0, 1000) == srcad.grad(of_a_number)(1.0, 1000)
