"""`backend="auto"`: who runs when. Numba is played by functions here; the last tests run it."""

import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path

import numpy as np
import pytest
from optional import needs_numba
from pipeline.threads import wrong_in_threads

import srcad
from srcad.pipeline import machine
from srcad.pipeline.calls import takeover
from srcad.pipeline.calls.refusal import Refused
from srcad.pipeline.disk import background, build

X, INDEX = np.linspace(-1, 2, 50), np.arange(50)
scale = 2.0


def gather(x, index):
    s = 0.0
    for k in range(len(index)):
        s = s + np.sin(x[index[k]]) * scale
    return s


def want(x, index):
    return srcad.grad(gather, backend="numpy")(x, index)


@pytest.fixture
def played(tmp_path, monkeypatch):
    """Sets what the compiled program is: a function of its arguments and what they give."""
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("SRCAD_NATIVE", raising=False)
    monkeypatch.setattr(machine, "why_not", lambda: "")
    monkeypatch.setattr(background, "compile_file", lambda path, names: "")
    monkeypatch.setattr(background, "submit", lambda job: job())
    monkeypatch.setattr(takeover, "WORTH_S", 0.0)
    monkeypatch.setattr(takeover, "WORTH_CALLS", 2)

    def play(entry):
        monkeypatch.setattr(machine, "load", lambda _, path: machine.Loaded(entry, path, 0.0))

    return play


def state(g):
    return g._specializer.newest.takeover


def quick(x, index, factor):
    """What the gradient of `gather` is where each index comes once."""
    return np.cos(x) * factor


def test_the_faster_one_takes_over(played):
    played(quick)
    g = srcad.grad(gather)
    for k in range(20):
        np.testing.assert_allclose(g(X + k, INDEX), 2 * np.cos(X + k))
        assert k >= 1 or state(g).state == "watches"
    assert state(g).state == "compares"
    assert [race.winner for race in state(g).races if race.pairs] == ["native"]
    assert "@njit" in g.source()
    assert g.cache_info() == (19, 1, 1)


def test_a_slower_one_does_not(played):
    def slow(x, index, factor):
        time.sleep(0.02)
        return quick(x, index, factor)

    played(slow)
    g = srcad.grad(gather)
    for _ in range(20):
        g(X, INDEX)
    assert [race.winner for race in state(g).races if race.pairs] == ["numpy"]
    assert "njit" not in g.source()
    start = time.perf_counter()
    g(X, INDEX)
    assert time.perf_counter() - start < 0.02


def test_each_size_has_its_own(played):
    calls = []

    def program(x, index, factor):
        calls.append(len(x))
        if len(x) > 100:
            time.sleep(0.05)
        return quick(x, index, factor)

    played(program)
    g = srcad.grad(gather)
    large = np.linspace(0, 1, 200)
    for _ in range(15):
        g(X, INDEX)
        g(large, np.arange(200))
    assert [race.winner for race in state(g).races if race.pairs] == ["native", "numpy"]
    calls.clear()
    g(X, INDEX)
    g(large, np.arange(200))
    assert calls == [50]


def test_captured_values_are_read_at_each_call(played, monkeypatch):
    played(quick)
    g = srcad.grad(gather)
    for k in range(20):
        monkeypatch.setitem(globals(), "scale", float(k))
        np.testing.assert_allclose(g(X, INDEX), k * np.cos(X))
    assert state(g).races
    monkeypatch.setitem(globals(), "scale", np.float32(3.0))
    np.testing.assert_allclose(g(X, INDEX), 3 * np.cos(X))


def test_results_that_differ(played):
    played(lambda x, index, factor: quick(x, index, factor) * 1.001)
    g = srcad.grad(gather)
    for _ in range(20):
        np.testing.assert_array_equal(g(X, INDEX), want(X, INDEX))
    assert state(g).state == "left"
    assert "results differ" in state(g).why


def test_exceptions_while_both_are_compared(played):
    def fails(x, index, factor):
        raise Refused("not today")

    played(fails)
    g = srcad.grad(gather)
    for _ in range(20):
        np.testing.assert_array_equal(g(X, INDEX), want(X, INDEX))
    assert state(g).state == "left"
    assert "not today" in state(g).why


def test_exceptions_later(played):
    def may_fail(x, index, factor):
        if x[0] > -1:
            raise Refused("not today")
        return quick(x, index, factor)

    played(may_fail)
    g = srcad.grad(gather)
    for _ in range(20):
        g(X, INDEX)
    assert "@njit" in g.source()
    for k in range(4):
        assert ("@njit" in g.source()) == (k < 3)
        np.testing.assert_array_equal(g(X + 1, INDEX), want(X + 1, INDEX))
    assert "3 calls" in g._specializer.newest.why


def test_what_changes_while_the_compiled_program_runs(played, monkeypatch):
    def fails(x, index, factor):
        if x[0] > -1:
            monkeypatch.setitem(globals(), "scale", np.ones(1))
            raise Refused("not today")
        return quick(x, index, factor)

    played(fails)
    g = srcad.grad(gather)
    for _ in range(20):
        g(X, INDEX)
    assert "@njit" in g.source()
    with pytest.raises(srcad.SrcadError, match="`scale`, which changes while") as refused:
        g(X + 1, INDEX)
    assert refused.value.code == "E121"


@pytest.mark.parametrize("first", [True, False])
def test_read_only_arrays_are_copied(played, first):
    def typed(x, index, factor):
        if not x.flags.writeable or not index.flags.writeable:
            raise Refused("TypeError: No matching definition for readonly array(float64)")
        return quick(x, index, factor)

    played(typed)
    x = X.copy()
    x.flags.writeable = not first
    g = srcad.grad(gather)
    for _ in range(20):
        g(x, INDEX)
    assert "@njit" in g.source()
    x.flags.writeable = False
    for _ in range(5):
        np.testing.assert_allclose(g(x, INDEX), 2 * np.cos(x))
    assert "@njit" in g.source()
    assert state(g).failures == 0


def test_the_users_error_is_nobodys_fault(played):
    def checked(x, index, factor):
        if index.max() >= len(x):
            raise Refused("IndexError: a position is out of bounds")
        return quick(x, index, factor)

    played(checked)
    g = srcad.grad(gather)
    for k in range(30):
        with pytest.raises(IndexError, match=r"test_takeover\.py:\d+:.*E405") as caught:
            g(X, INDEX + 1)
        assert "a position" not in "".join(traceback.format_exception(caught.value))
        if k % 3 == 0:
            g(X, INDEX)
    assert "@njit" in g.source()


def test_what_has_nothing_to_compile(played):
    def printing(x):
        print("x", x[0])
        return gather(x, INDEX)

    played(None)
    g = srcad.grad(printing)
    for _ in range(4):
        g(X)
    assert state(g).state == "left"
    assert "`print`" in state(g).why


def test_a_process_that_fails(played, monkeypatch):
    monkeypatch.setattr(background, "compile_file", lambda path, names: "TypingError: no")
    g = srcad.grad(gather)
    for _ in range(4):
        g(X, INDEX)
    why = "internal: Numba cannot compile it: TypingError: no"
    assert (state(g).state, state(g).why) == ("left", why)


def test_what_has_changed_meanwhile(played, monkeypatch):
    jobs = []
    monkeypatch.setattr(background, "submit", jobs.append)
    played(quick)
    g = srcad.grad(gather)
    for _ in range(2):
        g(X, INDEX)
    monkeypatch.setitem(globals(), "scale", np.float32(3.0))
    jobs[0]()
    assert "has changed" in state(g).why
    np.testing.assert_allclose(g(X, INDEX), 3 * np.cos(X))


def test_programs_forgotten_meanwhile(played, monkeypatch):
    jobs = []
    monkeypatch.setattr(background, "submit", jobs.append)
    played(quick)
    g = srcad.grad(gather)
    for _ in range(2):
        g(X, INDEX)
    g.cache_clear()
    jobs[0]()
    assert g.cache_info().size == 0
    np.testing.assert_allclose(g(X, INDEX), 2 * np.cos(X))


def test_tangents_and_pullbacks(played):
    played(lambda x, index, x_dot, index_dot, factor: (1.0, 2.0))
    for _ in range(5):
        y, y_dot = srcad.jvp(lambda x: gather(x, INDEX), (X,), (X,))
        np.testing.assert_allclose((y, y_dot), (2 * np.sum(np.sin(X)), 2 * np.cos(X) @ X))


@pytest.mark.parametrize("reason", ["SRCAD_NATIVE=0", "Numba", "no Python"])
def test_where_nothing_is_watched(played, monkeypatch, reason):
    if reason == "SRCAD_NATIVE=0":
        monkeypatch.setenv("SRCAD_NATIVE", "0")
    elif reason == "Numba":
        monkeypatch.setattr(machine, "why_not", lambda: "Numba is not installed")
    else:
        monkeypatch.setattr(sys, "executable", "")
    g = srcad.grad(gather)
    for _ in range(4):
        g(X, INDEX)
    found = g._specializer.newest
    assert found.takeover is None
    assert reason in found.why


def test_a_pinned_backend_is_not_watched(played):
    g = srcad.grad(gather, backend="numpy")
    g(X, INDEX)
    assert g._specializer.newest.takeover is None


def test_threads(played):
    played(quick)
    g = srcad.grad(gather)
    assert not wrong_in_threads(
        lambda i: np.allclose(g(np.full(40, float(i)), np.arange(40)), 2 * np.cos(float(i))), 100
    )
    assert g.cache_info().size == 1
    assert [race.winner for race in state(g).races if race.pairs] == ["native"]


# The thread and the process ----------------------------------------------------------------------


def test_a_process_executes_decorated_functions_alone(tmp_path):
    path = tmp_path / "f-0" / "f.py"
    path.parent.mkdir()
    path.write_text(
        "import numpy as np\nimport users_own_module\nCONSTANT = np.array([1.0, 2.0])\n\n\n"
        "@np.vectorize\ndef f_1(x):\n    return x * CONSTANT[0]\n\n\n"
        "def f(x, y=undefined):\n    return f_1(x)\n"
    )
    assert machine.compile_seconds(str(path)) is None
    assert background.compile_file(str(path)) == ""
    assert machine.compile_seconds(str(path)) > 0
    path.write_text("@no_such_decorator\ndef f_1(x):\n    return x\n")
    assert "no_such_decorator" in background.compile_file(str(path))


def test_jobs_run_in_order_in_one_thread():
    done, names = [], set()
    last = threading.Event()
    for k in range(5):
        background.submit(lambda k=k: (done.append(k), names.add(threading.current_thread().name)))
    background.submit(last.set)
    assert last.wait(10)
    assert done == [0, 1, 2, 3, 4]
    assert names == {"srcad-compiles"}


def test_build_imports_no_compiler_and_kernels_where_it_is_told_to(tmp_path):
    path = tmp_path / "f-0" / "f.py"
    path.parent.mkdir()
    path.write_text("@str\ndef f():\n    pass\n")
    program = (
        f"import sys; sys.path.insert(0, {str(Path(build.__file__).parent)!r}); import build\n"
    )
    ask = f"build.build({str(path)!r}); print([name for name in sys.modules if 'srcad' in name])"
    command = [sys.executable, "-c", program + ask]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    names = eval(done.stdout)
    assert "srcad_f_0" in names
    others = ("frontend", "rules", "transform", "optimize", "native", "emit", "kernels.compiled")
    assert not [n for n in names if n.startswith(tuple(f"srcad.{each}" for each in others))]


# With Numba --------------------------------------------------------------------------------------

REAL = """
import os, sys, time
import numpy as np
import srcad
from srcad.pipeline.calls import takeover

def f(x):
    s = 0.0
    for k in range(len(x)):
        s = s * 0.5 + np.tanh(x[k])
    return s

g = srcad.grad(f)
x = np.linspace(0, 1, 500)
want = srcad.grad(f, backend="numpy")(x)

def run(is_done):
    until = time.monotonic() + 120
    while time.monotonic() < until:
        np.testing.assert_allclose(g(x), want)
        if is_done(g._specializer.newest):
            return g._specializer.newest.takeover
    raise SystemExit("nothing happened: " + str(g._specializer.newest.takeover))
"""

DONE = """
t = run(lambda s: s.takeover.state == "left" or any(race.winner for race in s.takeover.races))
fn = t.native_entry.__wrapped__.__globals__["f_grad_1"]
print(t.state, t.why, [race.winner for race in t.races if race.winner])
print(sum(fn.stats.cache_hits.values()), sum(fn.stats.cache_misses.values()))
"""

ENDS = """
run(lambda s: s.takeover.state == "compiles")
from srcad.pipeline.disk import background
while background._aside.process is None:
    g(x)
print(background._aside.process.pid, flush=True)
"""

LOADS = """
import threading
run(lambda s: s.takeover.state == "compiles")
from srcad.forks import importing
while importing.acquire(blocking=False):
    importing.release()
    g(x)
until = time.monotonic() + DELAY
while time.monotonic() < until:
    g(x)
print("loads", threading.active_count())
"""

FORKS = """
run(lambda s: s.takeover.state == "compiles")
pid = os.fork()
for _ in range(100):
    np.testing.assert_allclose(g(x), want)
if pid == 0:
    h = srcad.grad(f)
    os._exit(0 if np.allclose(h(x), want) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


@pytest.fixture
def run(tmp_path):
    path = tmp_path / "program.py"

    def run(text, code=0, **environment):
        path.write_text(REAL + text)
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("SRCAD_")}
        given = {
            "PYTHONPATH": str(Path(srcad.__file__).parents[1]),
            "SRCAD_CACHE_DIR": str(tmp_path / "cache"),
        }
        # Files: a fork that is left may hold them.
        with open(tmp_path / "out", "w") as out, open(tmp_path / "told", "w") as told:
            done = subprocess.run(
                [sys.executable, path], env={**inherited, **given, **environment},
                stdout=out, stderr=told, timeout=180,
            )  # fmt: skip
        problem = (tmp_path / "told").read_text()
        assert done.returncode == code, problem
        assert problem == ""
        return (tmp_path / "out").read_text().splitlines()

    return run


@needs_numba
def test_numba_takes_over_and_the_next_process_compiles_nothing(run, tmp_path):
    made = set()
    for _ in range(2):
        assert run(DONE) == ["compares  ['native']", "1 0"]
        (marker,) = tmp_path.glob("cache/*/compiled")
        made.add(marker.stat().st_mtime_ns)
    assert len(made) == 1


@needs_numba
def test_numba_takes_over_without_the_disk(run, tmp_path):
    assert run(DONE, SRCAD_CACHE="0") == ["compares  ['native']", "1 0"]
    assert not (tmp_path / "cache").exists()


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@needs_numba
@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
@pytest.mark.parametrize("number", ["", "SIGTERM", "SIGKILL"])
def test_a_program_ends_while_it_is_compiled(run, number):
    kill = f"os.fork() or time.sleep(20)\nos.kill(os.getpid(), signal.{number})" if number else ""
    (pid,) = run(ENDS + "import signal\n" + kill, code=-signal.Signals[number] if number else 0)
    until = time.monotonic() + 10
    while is_running(int(pid)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_running(int(pid))


@needs_numba
def test_a_program_ends_while_the_compiled_one_is_imported(run):
    run(DONE)
    for delay in ("0.0", "0.03", "0.1", "0.2"):
        assert run(LOADS.replace("DELAY", delay)) == ["loads 2"]


@needs_numba
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_program_forks_while_it_is_compiled(run):
    assert run(FORKS) == ["0"]


# Functions that change their arguments ----------------------------------------------------------


def gathered_into(out, x, index):
    for k in range(len(index)):
        out[k] += np.sin(x[index[k]])
    return np.sum(out)


def test_functions_that_change_their_arguments_run_once_for_each_call(played):
    runs = []

    def entry(out, x, index):
        runs.append(len(runs))
        out += np.sin(x[index])
        return np.sum(out)

    played(entry)
    step, ours, theirs = srcad.compile(gathered_into), np.zeros(50), np.zeros(50)
    for _ in range(30):
        want = gathered_into(theirs, X, INDEX)
        assert step(ours, X, INDEX) == pytest.approx(want)
        np.testing.assert_allclose(ours, theirs)
    assert [race.winner for race in state(step).races if race.pairs] == ["native"]
    assert "@njit" in step.source()


def test_changed_arguments_that_differ(played):
    def entry(out, x, index):
        out += 1.001 * np.sin(x[index])
        return np.sum(out)

    played(entry)
    step, ours, theirs = srcad.compile(gathered_into), np.zeros(50), np.zeros(50)
    for _ in range(20):
        assert step(ours, X, INDEX) == gathered_into(theirs, X, INDEX)
        np.testing.assert_array_equal(ours, theirs)
    assert "results differ" in state(step).why


def test_a_compiled_program_that_fails_has_changed_nothing(played):
    def entry(out, x, index):
        if x[0] > -1:
            raise Refused("not today")
        out += np.sin(x[index])
        return np.sum(out)

    played(entry)
    step, ours, theirs = srcad.compile(gathered_into), np.zeros(50), np.zeros(50)
    for k in range(30):
        x = X + (k > 20)
        assert step(ours, x, INDEX) == pytest.approx(gathered_into(theirs, x, INDEX))
        np.testing.assert_allclose(ours, theirs)
