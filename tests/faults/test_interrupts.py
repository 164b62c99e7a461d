"""Interrupted calls: nothing is lost, done twice or half done. The campaign does more of it."""

from __future__ import annotations

import functools
import importlib.util
import os
import signal
import sys
import threading
from typing import Any

import numpy as np
import pytest
from faults.campaign import campaign, faults, run
from faults.steps import NOTE, arguments, campaign_of, refused, same, step
from faults.strikes import Line, Struck

import srcad
from srcad.interrupts import is_of_handler, users_own
from srcad.pipeline import stages
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.finishing import finish, is_behind
from srcad.pipeline.calls.refusal import Refused, meant

has_numba = importlib.util.find_spec("numba") is not None
needs_numba = pytest.mark.skipif(not has_numba, reason="Numba is not installed")
needs_alarm = pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs SIGALRM")


def at_every_line(name: str, backend: str) -> None:
    calls = campaign_of(name, 6, backend)
    calls.prepare()
    calls()
    for k in range(Line(Struck).count(calls)):
        calls.prepare()
        calls.look(Line((Struck, KeyboardInterrupt, TimeoutError)[k % 3])(calls, k + 1))
    assert not faults({"counts": calls.counts}), calls.told
    assert calls.counts["struck"] > 10
    if hasattr(calls, "plain") and name in ("step", "drawing"):
        assert calls.counts["ran"] > 1  # some came while it wrote


@pytest.mark.parametrize("name", ["step", "drawing", "refused", "gradient", "out"])
def test_a_call_is_interrupted_at_every_line(name: str) -> None:
    at_every_line(name, "numpy")


@needs_numba
@pytest.mark.parametrize("name", ["step", "drawing"])
def test_a_compiled_call_is_interrupted_at_every_line(name: str) -> None:
    at_every_line(name, "native")


@needs_alarm
@pytest.mark.parametrize("kind", [("warm", "step", "30", "numpy", "timer", "COUNT")])
def test_signals_at_any_time(kind: tuple[str, ...]) -> None:
    found = run(kind, 60)
    assert not faults(found), found


@needs_alarm
@needs_numba
def test_signals_at_any_time_in_compiled_code() -> None:
    found = run(("warm", "step", "30", "native", "timer", "COUNT"), 60)
    assert not faults(found), found


@pytest.mark.parametrize("name", ["step", "gradient"])
def test_a_call_is_interrupted_at_bytecodes(name: str) -> None:
    found = run(("warm", name, "30", "numpy", "opcode", "COUNT"), 60)
    assert not faults(found), found
    assert found["counts"]["struck"] == 60


@needs_alarm
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    "kind",
    [
        ("starts", "import", "COUNT"),
        ("starts", "modules", "COUNT"),
        ("forks", "COUNT", "numpy", "compile"),
        ("damage", "cut", "COUNT"),
        ("damage", "poison", "COUNT"),
    ],
    ids=" ".join,
)
def test_starts_at_any_time(kind: tuple[str, ...]) -> None:
    found = run(kind, 3)
    assert not faults(found), found


@pytest.mark.campaign
def test_campaign() -> None:
    backends = {"numpy", "native", "auto", "race"} if has_numba else {"numpy"}
    assert campaign(int(os.environ.get("SRCAD_CAMPAIGN", "40")), backends)


# Whose an exception is -------------------------------------------------------------------------


class Handlers:
    def method(self, number: int, frame: Any) -> None:
        raise TimeoutError("too late")

    def several(self, extra: int, *given: Any) -> None:
        raise TimeoutError("too late")


def plain(number: int, frame: Any) -> None:
    raise TimeoutError("too late")


@needs_alarm
@pytest.mark.parametrize(
    "handler",
    [plain, Handlers().method, functools.partial(Handlers().several, 1), lambda *a: plain(*a)],
)
def test_a_handlers_exception_is_known(handler: Any) -> None:
    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(TimeoutError) as caught:
            signal.raise_signal(signal.SIGALRM)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert is_of_handler(caught.value)
    assert users_own(caught.value) is caught.value


def test_exceptions_of_programs_are_not_the_users() -> None:
    for problem in (ValueError(), MemoryError(), SystemError("returned NULL")):
        assert users_own(problem) is None
    assert users_own(stop := KeyboardInterrupt()) is stop


@pytest.mark.parametrize("cause", [KeyboardInterrupt("now"), TimeoutError("too late")])
def test_what_stands_behind_a_system_error_is_the_users(cause: BaseException) -> None:
    problem = SystemError("returned a result with an exception set")
    problem.__cause__ = cause
    assert users_own(problem) is cause
    assert meant(problem, Artifact("", ""), "") is cause


# What has begun to write -----------------------------------------------------------------------

TEXT = """\
def step(x, y, stop):
    t = x + 1
    u = stop(0)
    x[...] = t
    u = stop(1)
    y += t
    u = stop(2)
    return t
"""


class Stops:
    """Raises at one of several places, as a handler would that came there."""

    def __init__(self, at: int, problem: BaseException) -> None:
        self.at, self.problem = at, problem

    def __call__(self, k: int) -> None:
        if k == self.at:
            self.at = -1
            raise self.problem


def interrupted(at: int, problem: BaseException) -> tuple[Any, Any, Artifact]:
    artifact = Artifact(TEXT, "step", writes=True, border=4)
    x, y = np.zeros(2), np.ones(2)
    with pytest.raises(type(problem)):
        artifact.load("<step>")(x, y, Stops(at, problem))
    return x, y, artifact


@pytest.mark.parametrize("at", [0, 1, 2])
def test_what_was_begun_is_finished(at: int) -> None:
    problem = KeyboardInterrupt()
    x, y, artifact = interrupted(at, problem)
    assert is_behind(problem, artifact, "<step>") == (at > 0)
    finish(problem, [(artifact, "<step>")])
    assert [x[0], y[0]] == ([1.0, 2.0] if at else [0.0, 1.0])
    assert not hasattr(problem, "__notes__")


def test_what_numpy_raises_behind_a_write_is_told() -> None:
    problem = FloatingPointError("overflow")
    x, y, artifact = interrupted(1, problem)
    finish(problem, [(artifact, "<step>")])
    assert [x[0], y[0]] == [1.0, 1.0]
    assert problem.__notes__ == [NOTE]


@pytest.mark.parametrize("at", [0, 1])
def test_a_call_that_wrote_is_not_repeated(at: int) -> None:
    problem = TypeError("a readonly array")  # as compiled code refuses arguments
    x, _, artifact = interrupted(at, problem)
    problem.__traceback__ = _without_last(problem.__traceback__)
    finish(problem, [(artifact, "<step>")])
    means = meant(problem, artifact, "<step>")
    assert isinstance(means, Refused) == (at == 0)
    assert getattr(problem, "__notes__", []) == [NOTE] * at
    assert x[0] == at


@pytest.mark.parametrize("at", [0, 1])
def test_where_a_tape_has_no_room_numpy_runs_the_call_if_nothing_was_written(at: int) -> None:
    problem = MemoryError()
    _, _, artifact = interrupted(at, problem)
    assert meant(problem, artifact, "<step>") is problem  # not the program's own allocation
    problem.__traceback__ = _without_last(problem.__traceback__)
    assert isinstance(meant(problem, artifact, "<step>"), Refused) == (at == 0)


def _without_last(trace: Any) -> Any:
    """A traceback that ends where the program itself stands."""
    while trace.tb_frame.f_code.co_filename != "<step>":
        trace = trace.tb_next
    return type(trace)(None, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)


def test_memory_that_is_missing_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = srcad.compile(step, backend="numpy", cache=False)
    args = arguments("step", 5)
    calls(*args)
    before = [x.copy() for x in args]

    def nothing(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(stages, "optimized", nothing)
    with pytest.raises(MemoryError):
        calls.cache_clear() or calls(*args)
    assert same(args, before)


# Locks and threads -----------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_finds_every_lock_free() -> None:
    from srcad.kernels import teams, threads
    from srcad.kernels.products import alone
    from srcad.pipeline.disk import background

    gradient = srcad.grad(lambda x: np.sum(np.tanh(x) ** 2), backend="numpy")
    gradient(np.ones(3))
    locks = [
        *(gradient._specializer._lock, background._aside.lock, threads._lock),
        *(teams._one_team, alone._uses.lock),
    ]
    are_held, is_over = threading.Event(), threading.Event()

    def hold() -> None:
        for lock in locks:
            lock.acquire()
        are_held.set()
        is_over.wait(60)
        for lock in locks:
            lock.release()

    holder = threading.Thread(target=hold)
    holder.start()
    are_held.wait(30)
    child = os.fork()
    if not child:
        signal.alarm(30)  # which ends it where it waits
        found = gradient(np.ones((2, 2)))
        done = [background._aside.lock, threads._lock, teams._one_team, alone._uses.lock]
        is_free = all(lock.acquire(timeout=5) for lock in done)
        os._exit(0 if is_free and np.allclose(found, 2 * np.tanh(1) / np.cosh(1) ** 2) else 1)
    is_over.set()
    holder.join(30)
    assert os.waitpid(child, 0)[1] == 0


def test_parts_that_were_given_before_an_interrupt_are_not_at_work_behind_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from srcad.kernels import threads

    at_work: list[int] = []
    pool = ThreadPoolExecutor(2)

    class Interrupted:
        def submit(self, *given: Any) -> Any:
            pool.submit(*given)
            raise KeyboardInterrupt

    def part(start: int, stop: int) -> None:
        at_work.append(start)
        threading.Event().wait(0.05)
        at_work.remove(start)

    monkeypatch.setattr(threads, "_number", 2)
    monkeypatch.setattr(threads, "shared_pool", lambda count: Interrupted())
    for _ in range(5):
        with pytest.raises(KeyboardInterrupt):
            threads.parallel(part, 2, 1 << 40)
        assert not at_work
    pool.shutdown()


def test_blas_has_its_threads_back_behind_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    from srcad.kernels.products import alone

    count, told = [4], []

    def put(n: int) -> None:
        count[0] = n
        told.append(n)
        if len(told) in stops:
            raise KeyboardInterrupt

    monkeypatch.setattr(alone, "_functions", lambda: (lambda: count[0], put))
    for stops in ({1}, {2}, {1, 2}):
        told.clear()
        with pytest.raises(KeyboardInterrupt):
            alone.in_one_thread(lambda: None)
        assert (count[0], alone._uses.count) == (4, 0)


# Rules -----------------------------------------------------------------------------------------

INTERRUPTED = """
import sys
import srcad.rules.core.table

def trace(frame, event, argument):
    if frame.f_globals.get("__name__") != "srcad.rules.pointwise.python_math":
        return None if event != "call" or "srcad" not in frame.f_code.co_filename else trace
    if event == "line" and frame.f_lineno > LINE and frame.f_code.co_name == "<module>":
        sys.settrace(None)
        raise KeyboardInterrupt
    return trace

sys.settrace(trace)
try:
    import srcad.rules.core.library
except KeyboardInterrupt:
    print("interrupted")
sys.settrace(None)
import numpy as np
import srcad
import math
print(round(srcad.grad(lambda x: math.exp(x) * math.sin(x), backend="numpy")(0.0), 6))
"""


@pytest.mark.parametrize("line", [100, 150, 200, 250])
def test_rules_whose_import_was_interrupted_are_stated_again(line: int, tmp_path: Any) -> None:
    import subprocess

    path = tmp_path / "program.py"
    path.write_text(INTERRUPTED.replace("LINE", str(line)))
    home = os.path.dirname(os.path.dirname(srcad.__file__))
    environment = {**os.environ, "PYTHONPATH": home}
    done = subprocess.run(
        [sys.executable, path], env=environment, capture_output=True, text=True, timeout=100
    )
    assert done.stdout.splitlines() == ["interrupted", "1.0"], done.stderr


def test_the_compiling_process_ends_with_its_pipe(tmp_path: Any) -> None:
    import subprocess

    from srcad.pipeline.disk import build

    path = tmp_path / "f-0" / "f.py"
    path.parent.mkdir(mode=0o700)
    path.write_text('@(lambda f: __import__("time").sleep(60))\ndef f():\n    pass\n')
    process = subprocess.Popen([sys.executable, "-P", build.__file__, path], stdin=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(30) == 1


def test_refused_positions_are_numpys_own() -> None:
    args = arguments("refused", 5)
    once = [x.copy() for x in args]
    refused(*once)
    srcad.compile(refused, backend="numpy")(*args)
    assert same(args, once)
