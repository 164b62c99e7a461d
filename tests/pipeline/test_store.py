"""Programs on disk: found again by another process, and never used where they do not hold.

A "process" here is the module of the program, executed anew: nothing that srcad keeps in memory
is tied to it. One test runs real processes.
"""

import importlib.util
import linecache
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import srcad
from srcad import cache
from srcad.errors import error
from srcad.pipeline import stages
from srcad.pipeline.disk import store
from srcad.pipeline.request import Request

X = np.array([0.5, -1.0, 2.0])


class Processes:
    """Executes versions of one file, and counts what had to be compiled."""

    def __init__(self, path):
        self.path = path
        self.compiled = 0

    def run(self, source):
        self.path.write_text("import numpy as np\n" + textwrap.dedent(source))
        linecache.checkcache()
        spec = importlib.util.spec_from_file_location("cached_program", self.path)
        module = sys.modules["cached_program"] = importlib.util.module_from_spec(spec)
        exec(compile(self.path.read_text(), self.path, "exec"), vars(module))
        return module

    def gradient(self, source, *args, f="f", **options):
        """The gradient by the program of this source; checked against one made without the disk."""
        fn = eval(f, vars(self.run(source)))
        compiled = self.compiled
        want = srcad.grad(fn, cache=False, **options)(*args)
        self.compiled = compiled
        got = srcad.grad(fn, **options)(*args)
        np.testing.assert_equal(got, want)
        return got

    def are_apart(self, first, second, *args, **options):
        """Whether the program of the second source had to be compiled anew."""
        self.gradient(first, *args, **options)
        assert self.compiled == 1
        self.gradient(second, *args, **options)
        return self.compiled == 2


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("SRCAD_CACHE", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def processes(folder, tmp_path, monkeypatch):
    processes = Processes(tmp_path / "program.py")
    compile_request = stages.compile_request

    def count(*args, **kwargs):
        processes.compiled += 1
        return compile_request(*args, **kwargs)

    monkeypatch.setattr(stages, "compile_request", count)
    yield processes
    sys.modules.pop("cached_program", None)


PROGRAM = """
    SCALE = 2.0
    MODE = "sin"

    def wave(x):
        return np.sin(x) if MODE == "sin" else np.cos(x)

    def f(x):
        return SCALE * np.sum(wave(x))
"""


def test_the_same_program_is_compiled_once(processes):
    assert not processes.are_apart(PROGRAM, PROGRAM, X)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("np.sum(wave(x))", "np.mean(wave(x))"),
        ("np.cos(x)", "np.tanh(x)"),
        ('MODE = "sin"', 'MODE = "cos"'),
        ("    def f", "\n    def f"),
        ("def f(x)", "def f(x, *, bias=1.0)"),
        ("SCALE = 2.0", "SCALE = np.ones(3)[:1]"),
        ("SCALE = 2.0", "SCALE = 2"),
    ],
)
def test_a_changed_program_is_compiled_again(processes, old, new):
    assert old in PROGRAM
    assert processes.are_apart(PROGRAM, PROGRAM.replace(old, new), X)


def test_captured_numbers_are_read_anew(processes):
    assert not processes.are_apart(PROGRAM, PROGRAM.replace("2.0", "3.0"), X)
    np.testing.assert_allclose(processes.gradient(PROGRAM, X), 2 * np.cos(X))


def test_another_signature_is_another_program(processes):
    processes.gradient(PROGRAM, X)
    processes.gradient(PROGRAM, X.astype(np.float32))
    processes.gradient(PROGRAM, X[:, None])
    processes.gradient(PROGRAM, 0.5)
    assert processes.compiled == 4
    for x in (X[:2], X[:2].astype(np.float32), X[:2, None], 1.5):
        processes.gradient(PROGRAM, x)
    assert processes.compiled == 4


def test_options_tell_programs_apart(processes):
    fn = processes.run(PROGRAM).f
    srcad.grad(fn)(X)
    srcad.value_and_grad(fn)(X)
    srcad.grad(fn, argnums=(0,))(X)
    srcad.grad(fn, fast_math=True)(X)
    assert processes.compiled == 4


def test_functions_in_closures(processes):
    source = """
        def make(power, shift):
            def f(x):
                return np.sum((x + shift) ** power)
            return f
    """
    processes.gradient(source, X, f="make(2, 1.0)")
    processes.gradient(source, X, f="make(2, 5.0)")
    assert processes.compiled == 1
    np.testing.assert_allclose(processes.gradient(source, X, f="make(3, 1.0)"), 3 * (X + 1) ** 2)


def test_programs_for_the_values_of_ints(processes):
    source = """
        def power(x, n):
            return x if n == 1 else x * power(x, n - 1)

        def f(x, n):
            return np.sum(power(x, n))
    """
    for _ in range(2):
        for n in (2, 3):
            np.testing.assert_allclose(processes.gradient(source, X, n), n * X ** (n - 1))
    assert processes.compiled == 2
    assert cache.info().files == 3


CLASS = """
    class Model:
        def __init__(self, rate):
            self.rate = rate

        def output(self, x):
            return self.rate * np.tanh(x)

        @property
        def twice(self):
            return 2 * self.rate

        def __call__(self, x):
            return np.sum(self.output(x) * self.twice)

        def loss(self, x):
            return np.sum(self.output(x))
"""


@pytest.mark.parametrize("f", ["Model(0.5)", "Model(0.5).loss", "lambda x: Model.loss(MODEL, x)"])
@pytest.mark.parametrize("change", ["", "rate * np.tanh(x)", "2 * self.rate"])
def test_objects_of_the_users(processes, f, change):
    source = CLASS + "\n    MODEL = Model(0.5)\n"
    if f.startswith("lambda"):
        source, f = f"{source}    f = {f}\n", "f"
    changed = source.replace(change, f"{change} + 1") if change else source
    used = change and not (change.startswith("2") and f != "Model(0.5)")
    assert processes.are_apart(source, changed, X, f=f) == bool(used)


RECORD = """
    from dataclasses import dataclass

    @dataclass
    class Params:
        w: object
        b: object

    def f(params, x):
        return np.sum((x @ params.w + params.b) ** 2)
"""


def record_gradient(processes, source):
    module = processes.run(source)
    params = module.Params(b=1.0, w=X)
    got = srcad.grad(module.f)(params, np.eye(3))
    assert type(got) is module.Params
    np.testing.assert_allclose(got.w, 2 * (X + 1))
    np.testing.assert_allclose(got.b, np.sum(2 * (X + 1)))


def test_records_of_the_users(processes):
    record_gradient(processes, RECORD)
    record_gradient(processes, RECORD)
    assert processes.compiled == 1
    swapped = RECORD.replace("w: object\n        b: object", "b: object\n        w: object")
    assert swapped != RECORD
    record_gradient(processes, swapped)
    assert processes.compiled == 2


def test_a_class_of_the_script_itself(processes, monkeypatch):
    # What stands in `__main__` has no name to import it by: the text gets it from outside.
    source = RECORD.replace(
        "def f(params, x):", "def f(params, x):\n        params = Params(params.w, params.b)"
    )
    for _ in range(2):
        module = processes.run(source)
        monkeypatch.setattr(module.Params, "__module__", "__main__")
        monkeypatch.setitem(sys.modules, "__main__", module)
        params = module.Params(w=X, b=1.0)
        assert type(srcad.grad(module.f)(params, np.eye(3))) is module.Params
    assert processes.compiled == 1


def test_derivatives_of_derivatives(processes):
    source = """
        import srcad

        @srcad.elementwise_grad
        def slope(x):
            return x ** 3

        def f(x):
            return np.sum(slope(x))
    """
    assert not processes.are_apart(source, source, X)
    processes.gradient(source.replace("x ** 3", "x ** 4"), X)
    assert processes.compiled == 2


def test_a_function_of_numpy(processes):
    for _ in range(2):
        np.testing.assert_array_equal(srcad.grad(np.sum)(X), np.ones(3))
    assert processes.compiled == 1


def test_what_was_loaded_names_the_users_line(processes):
    source = """
        def f(x):
            return np.sum(np.linalg.inv(x))
    """
    processes.gradient(source, np.eye(2))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        srcad.grad(processes.run(source).f)(np.zeros((2, 2)))
    assert "program.py:4:" in "".join(caught.value.__notes__)
    assert processes.compiled == 1


def test_extents_that_fit_in_one_call_and_not_in_the_next(processes):
    source = """
        def f(x, y):
            return np.sum(x * 2 * y)
    """
    processes.gradient(source, X, X)
    fn = processes.run(source).f
    with pytest.raises(srcad.ShapeError, match=r"program\.py:4:"):
        srcad.grad(fn)(X, X[:2])
    processes.gradient(source, X[:2], X[:2])


def test_a_corrupt_file_is_rebuilt(processes, folder):
    processes.gradient(PROGRAM, X)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    for bad in (b"", whole[: len(whole) // 2], whole.replace(b"cos", b"sin"), b"\0" * 100):
        file.write_bytes(bad)
        processes.gradient(PROGRAM, X)
        assert file.read_bytes() == whole
    assert processes.compiled == 5


def test_the_disk_is_not_used_when_not_wanted(processes, folder, monkeypatch):
    fn = processes.run(PROGRAM).f
    srcad.grad(fn, cache=False)(X)
    monkeypatch.setenv("SRCAD_CACHE", "0")
    srcad.grad(fn)(X)
    assert processes.compiled == 2
    assert not folder.exists()


def test_an_unsafe_folder_that_was_asked_for_is_none(processes, folder):
    folder.mkdir()
    folder.chmod(0o777)
    fn = processes.run(PROGRAM).f
    with pytest.warns(RuntimeWarning, match="E501"):
        got = srcad.grad(fn)(X)
    np.testing.assert_allclose(got, 2 * np.cos(X))
    assert not list(folder.iterdir())


def test_a_folder_that_cannot_be_written_is_none(processes, folder):
    folder.write_text("a file")
    fn = processes.run(PROGRAM).f
    with pytest.warns(RuntimeWarning, match="E502"):
        got = srcad.grad(fn)(X)
    np.testing.assert_allclose(got, 2 * np.cos(X))


def test_no_program_of_a_users_rule_is_kept(processes, folder, monkeypatch):
    from srcad.rules import RULES, elementwise
    from srcad.rules.core.declaration import registration

    source = """
        def soft(x):
            return np.log1p(np.exp(x))

        def f(x):
            return np.sum(soft(x))
    """
    module = processes.run(source)
    srcad.grad(module.f)(X)
    monkeypatch.setattr(registration, "of_users", set())
    monkeypatch.setattr(registration, "RULES", RULES)
    elementwise(module.soft, lambda y, x: 42.0 + 0 * y)
    try:
        np.testing.assert_array_equal(srcad.grad(module.f)(X), np.full(3, 42.0))
        assert len(list(folder.iterdir())) == 1
    finally:
        del RULES[module.soft]


def test_what_an_entry_says_is_what_was_compiled(processes):
    fn = processes.run(PROGRAM).f
    request = srcad.grad(fn).__srcad_request__
    artifact, _ = stages.compile_request(request, (X,), frozenset())
    entry = store.entry_of(artifact, request.primal)
    assert entry.text == artifact.text
    assert store.artifact_of(entry, request, (X,)) == artifact


REAL = """
import sys
import numpy as np
import srcad

def f(x, mode):
    return np.sum(np.tanh(x)) if mode == "tanh" else np.sum(x)

print(srcad.grad(f)(np.ones(3), "tanh"))
print({".".join(name.split(".")[:2]) for name in sys.modules})
"""


def test_a_second_process_needs_no_compiler(folder, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(REAL)
    outputs = []
    for seed in "12":
        home = str(Path(srcad.__file__).parents[1])
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": home}
        done = subprocess.run(
            [sys.executable, path], env=environment, capture_output=True, text=True, check=True
        )
        outputs.append(done.stdout.splitlines())
    assert outputs[0][0] == outputs[1][0]
    first, second = (eval(output[1]) for output in outputs)
    compiler = {f"srcad.{part}" for part in ("frontend", "rules", "transform", "optimize", "emit")}
    assert compiler <= first
    assert second.isdisjoint({*compiler, "gast", "astunparse"})
    assert cache.info().files == 1


def test_a_function_without_the_constants_of_another_of_its_code(processes):
    source = """
    def make(h):
        def f(x):
            n = h[0] if len(h) else 1
            return np.sum(np.sum(np.expand_dims(x, n) * x[0], axis=n) ** 2)
        return f
    """
    x = np.ones((2, 2))
    for f in ("make((0,))", "make(())", "make((1,))", "make(())"):
        processes.gradient(source, x, f=f)


def test_what_others_were_specialised_to_refuses_nothing(monkeypatch):
    """With one extent a constant and the other not, a function without a type cannot be tried."""
    compile_request = stages.compile_request

    def picky(request, args, statics):
        if statics:
            raise error("E132", None, what="this call")
        return compile_request(request, args, statics)

    monkeypatch.setattr(stages, "compile_request", picky)
    request = Request("grad", lambda x: np.sum(x * x), (0,))
    others = frozenset({"A[0].shape[0]"})
    artifact, statics = store.compile_or_load(request, (np.ones(2),), others)
    assert artifact.text
    assert not statics
