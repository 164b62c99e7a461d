import ast
import functools
import math
import operator
import os
import subprocess
import sys
import textwrap
import threading
import types
from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import srcad
from srcad.ir.guards import Guard, leaf_key
from srcad.pipeline.disk import fingerprint
from srcad.pipeline.disk.fingerprint import describe_guards, program_key, restore_guards
from srcad.pipeline.disk.objects import code_digest, describe
from srcad.pipeline.disk.surroundings import Opaque
from srcad.pipeline.request import Request


def loss(w, x):
    return np.sum(w * x)


def other(w, x):
    return np.sum(w + x)


class Model:
    rate = 1.0

    def loss(self, w):
        return self.rate * np.sum(w)

    @property
    def double(self):
        return 2 * self.rate


@dataclass
class Params:
    w: object
    b: object = 0.0


Pair = namedtuple("Pair", "first second")
X = np.arange(6.0).reshape(2, 3)
REQUEST = Request("grad", loss)


# Keys --------------------------------------------------------------------------------------------


def test_a_key_is_a_name_and_a_digest():
    key = program_key(REQUEST, (X, X))
    assert key.startswith("loss-")
    assert len(key) == len("loss-") + 32
    assert key == program_key(Request("grad", loss), (X + 1, np.ones((5, 7))))


def test_names_fit_into_file_names():
    fns = [lambda w, x: w, np.multiply, Model().loss]
    keys = [program_key(Request("grad", fn), (X, X)) for fn in fns]
    assert [key.partition("-")[0] for key in keys] == ["lambda", "multiply", "loss"]
    odd = types.FunctionType(loss.__code__, globals(), "1\u00e4/x" * 50)
    assert program_key(Request("grad", odd), (X, X)).isascii()


ARGUMENTS = [
    (X, X),
    (X, X[0]),
    (X, X[:1]),
    (X, X[:, :1]),
    (X, X.astype(np.float32)),
    (X, X.astype(">f8")),
    (X, np.float64(1)),
    (X, np.array(1.0)),
    (X, 1.0),
    (X, 1),
    (X, True),
    (X, 1j),
    (X, "sum"),
    (X, "mean"),
    (X, None),
    (X, [X]),
    (X, (X,)),
    (X, [X, X]),
    (X, {"a": X}),
    (X, {"b": X}),
    (X, {0: X}),
    (X, Params(X, X)),
    (X, Params(X, 1.0)),
    (X, Pair(X, X)),
    (X, Model()),
    (X, loss),
    (X, other),
    (X, np.sin),
    (X, np.dtype("f4")),
    (X, slice(1, 2)),
]


def test_each_signature_has_its_own_key():
    keys = [program_key(REQUEST, args) for args in ARGUMENTS]
    assert None not in keys
    assert len(set(keys)) == len(keys)


def test_numpy_runs_the_program_that_auto_begins_with():
    key = program_key(Request("grad", loss, backend="auto"), (X, X))
    assert key == program_key(Request("grad", loss, backend="numpy"), (X, X))


def test_each_option_has_its_own_key():
    requests = [
        REQUEST,
        Request("grad", other),
        Request("value_and_grad", loss),
        Request("grad", loss, (1,)),
        Request("grad", loss, (0,), single=False),
        Request("grad", loss, has_aux=True),
        Request("grad", loss, backend="native"),
        Request("grad", loss, fast_math=True),
        Request("grad", srcad.grad(loss)),
        Request("grad", srcad.grad(loss, argnums=1)),
        Request("grad", np.multiply),
        Request("grad", np.add),
    ]
    keys = [program_key(request, (X, X)) for request in requests]
    assert None not in keys
    assert len(set(keys)) == len(keys)


def test_values_specialised_to_are_part_of_the_key():
    plain, two, three = (
        program_key(REQUEST, (X, n), statics)
        for n, statics in ((2, ()), (2, ("A[1]",)), (3, ("A[1]",)))
    )
    assert len({plain, two, three}) == 3
    assert program_key(REQUEST, (X, 4)) == plain
    assert program_key(REQUEST, (X, 2), ("A[1]", "F.no.such.path")) == two


def test_defaults_are_part_of_the_key():
    def make(k):
        def f(x, k=k):
            return x * k

        return program_key(Request("grad", f), (X, 1.0))

    assert len({make(1.0), make(2.0), make(0.0), make(-0.0), make(1)}) == 5


class Odd(np.ndarray):
    pass


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (functools.partial(loss, X), (X,)),
        (loss, (X, X.view(Odd))),
        (loss, (X, np.array([None]))),
        (loss, (X, {object(): X})),
        (np.vectorize(math.sin), (X,)),
    ],
)
def test_what_means_nothing_elsewhere_has_no_key(fn, args):
    assert program_key(Request("grad", fn), args) is None


def test_srcads_own_files_are_part_of_the_key(monkeypatch):
    before = program_key(REQUEST, (X, X))
    environment = fingerprint.surroundings()
    monkeypatch.setattr(fingerprint, "surroundings", lambda: [*environment, "changed"])
    assert program_key(REQUEST, (X, X)) != before
    names = [name for name, _, _ in environment[-1]]
    assert {"fingerprint.py", "lower.py", "registry.py"} <= set(names)


# Code --------------------------------------------------------------------------------------------


def digest_of(source):
    namespace = {}
    exec(compile(textwrap.dedent(source), "file.py", "exec"), namespace)
    return code_digest(namespace["f"].__code__)


@pytest.mark.parametrize(
    "changed",
    [
        "def f(x): return x + 2",
        "def f(x): return x + 1.0",
        "def f(x): return x + True",
        "def f(x): return x - 1",
        "def f(y): return y + 1",
        "def f(x): return  x + 1",
        "\ndef f(x): return x + 1",
        "def f(x):\n    'doc'\n    return x + 1",
    ],
)
def test_code_that_differs_has_another_digest(changed):
    source = "def f(x): return x + 1"
    assert digest_of(source) == digest_of(source)
    assert digest_of(changed) != digest_of(source)


def test_inner_functions_count():
    source = "def f(x):\n    def g(y):\n        return lambda: y + 1\n    return g(x)()"
    assert digest_of(source) != digest_of(source.replace("1", "2"))


def test_the_same_in_every_process():
    program = """
        import numpy as np
        from srcad.pipeline.disk.fingerprint import program_key
        from srcad.pipeline.request import Request

        def f(x, mode):
            return x if mode in {"a", "b", "c", ("d", "e")} else -x

        print(program_key(Request("grad", f), (np.ones(3), "a")))
    """
    keys = set()
    for seed in "0123":
        home = str(Path(srcad.__file__).parents[1])
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": home}
        command = [sys.executable, "-c", textwrap.dedent(program)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        keys.add(done.stdout)
    assert len(keys) == 1
    assert "f-" in keys.pop()


# Guards ------------------------------------------------------------------------------------------

KEPT = [
    ("is", np),
    ("is", math.sin),
    ("is", operator.add),
    ("is", np.tanh),
    ("is", np.linalg.norm),
    ("is", Model),
    ("is", Model.loss),
    ("is", vars(Model)["double"]),
    ("is", srcad.grad(loss)),
    ("code", loss),
    ("equals", "text"),
    ("equals", None),
    ("equals", (1, 2.0)),
    ("equals", np.dtype("f4")),
    ("static", 3),
    ("static", 2**20000),
    ("type", Params(X)),
    ("type", Model()),
    ("leaf", 1.0),
    ("leaf", 2j),
    ("leaf", np.float32(1)),
    ("leaf", X),
    ("leaf", X[:1]),
    ("length", [1, 2]),
    ("length", (1, 2)),
    ("keys", {"a": 1, "b": 2}),
    ("keys", {0: 1}),
]


def guard_of(kind, x):
    expected = {
        "code": lambda: (x, x.__code__),
        "type": lambda: type(x),
        "leaf": lambda: leaf_key(x),
        "length": lambda: (type(x), len(x)),
        "keys": lambda: tuple(x),
    }.get(kind, lambda: x)()
    return Guard("F.path", kind, expected)


@pytest.mark.parametrize(
    ("kind", "x"), KEPT, ids=lambda x: x if isinstance(x, str) else type(x).__name__
)
def test_a_guard_comes_back_where_it_holds_and_nowhere_else(kind, x):
    guard = guard_of(kind, x)
    facts = ast.literal_eval(repr(describe_guards([guard])))
    assert restore_guards(facts, [x]) == (guard,)
    for _, wrong in KEPT:
        restored = restore_guards(facts, [wrong])
        if wrong is not x and restored is not None:
            assert kind in ("type", "leaf", "length")
            assert restored == (guard,) == (guard_of(kind, wrong),)


@pytest.mark.parametrize(
    "obj",
    [
        np.random.default_rng(0),
        np.vectorize(math.sin),
        functools.partial(loss, X),
        threading.Lock(),
        b"".join,
        X.sum,
    ],
)
def test_objects_that_only_this_process_has_are_opaque(obj):
    with pytest.raises(Opaque):
        describe(obj)


def test_a_class_is_told_by_its_fields_and_bases():
    def make(bases, fields):
        return type("Params", bases, {"_fields": fields, "__module__": "m", "__qualname__": "P"})

    made = [
        make((), ["a", "b"]),
        make((), ["b", "a"]),
        make((Params,), ["a", "b"]),
    ]
    assert len({str(describe(cls)) for cls in made}) == 3
    assert describe(make((), ["a"])) == describe(make((), ["a"]))


def test_a_function_found_under_its_name_differs_from_one_that_is_not():
    impostor = types.FunctionType(loss.__code__, globals(), "loss")
    impostor.__module__, impostor.__qualname__ = loss.__module__, loss.__qualname__
    assert describe(impostor) != describe(loss)


def test_the_key_is_the_same_before_scipy_is_imported_and_after():
    pytest.importorskip("scipy")
    program = """
        import sys
        import numpy as np
        from srcad.pipeline.disk.fingerprint import program_key
        from srcad.pipeline.request import Request

        before = program_key(Request("grad", np.sin), [1.0])
        assert "scipy" not in sys.modules
        {between}
        print(before, program_key(Request("grad", np.cos), [1.0]))
    """
    home = str(Path(srcad.__file__).parents[1])
    told = [
        subprocess.check_output(
            [sys.executable, "-c", textwrap.dedent(program.format(between=between))],
            env={**os.environ, "PYTHONPATH": home}, text=True,
        )
        for between in ("pass", "import scipy")
    ]  # fmt: skip
    assert told[0] == told[1] != "None None\n"
