"""Imports, copied helpers, constants, and objects that only the running process has."""

import math
import subprocess
import sys

import numpy as np
from emit.irtext import VECTOR, Body, check, function, load

from srcad import runtime
from srcad.emit.module import emit
from srcad.ir import Interface, Param, Slot, Value


def twice(x):
    return 2 * x


X = Value("x", VECTOR)
DATA = np.array([0.5, -1.0, 2.0])


def test_a_function_of_a_module_is_imported_by_name():
    b = Body(X)
    text = emit(function("f", b, b(np.linalg.multi_dot, [X, X]))).text
    assert "import numpy as np\n" in text
    import textwrap

    b = Body(X)
    emitted = emit(function("f", b, b(textwrap.dedent, X)))
    assert "import textwrap\n" in emitted.text
    b = Body(X)
    from srcad.errors import Location

    emitted = emit(function("f", b, b(Location.of, X)))
    assert not emitted.globals or "of" in emitted.globals


def test_scipy_is_imported_by_subpackage():
    from scipy import linalg, special

    b = Body(X)
    y = b(special.erf, X)
    text = check(function("f", b, b(linalg.norm, y)), DATA)
    assert "from scipy import linalg\nfrom scipy import special\n" in text
    assert "linalg.norm(special.erf(x))" in text


def test_what_cannot_be_imported_is_handed_over():
    local = lambda x: x + 1  # noqa: E731
    b = Body(X)
    emitted = emit(function("f", b, b(local, X)))
    assert list(emitted.globals.values()) == [local]
    np.testing.assert_array_equal(load(emitted)(DATA), DATA + 1)


def test_parameters_keep_their_names_and_imports_give_way():
    params = [Value(word, VECTOR) for word in ("np", "math", "len", "unbroadcast")]
    b = Body(*params)
    y = b(np.sin, b(np.add, params[0], params[1]))
    z = b(runtime.unbroadcast, params[2], b(np.shape, params[3]))
    text = check(function("f", b, y, z, b(math.sin, 1.0), b(len, params[0])), *[DATA] * 4)
    assert "def f(np, math, len, unbroadcast):" in text
    for line in ("import math as math_2", "import numpy as np_2", "import builtins"):
        assert line in text


def test_helpers_are_copied_with_what_they_call():
    b = Body(X)
    y = b(runtime.scatter, X, (4,), [0, 0, 1])
    emitted = emit(function("f", b, b(runtime.unbroadcast, y, (1,))))
    assert "srcad" not in emitted.text
    assert emitted.text.index("def add_at(") < emitted.text.index("def scatter(")
    assert emitted.text.index("def unbroadcast(g, shape):") < emitted.text.index("def f(x):")
    check(function("f", b, y), DATA)


def test_every_runtime_helper_stands_alone(tmp_path):
    for word in runtime.__all__:
        helper = getattr(runtime, word)
        b = Body(X)
        b(helper, X, type=None, effect=True)
        path = tmp_path / f"{word}_alone.py"
        path.write_text(emit(function("f", b, X)).text)
    modules = ", ".join(f"{word}_alone" for word in runtime.__all__)
    code = f"import sys; sys.modules['srcad'] = None; import {modules}"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


def test_constant_arrays_are_module_constants():
    small, big = np.array([1.0, np.nan]), np.zeros(5000)
    single = np.array([[0.1]], np.float32)
    b = Body(X)
    sums = [
        b(np.sum, c, name="s") for c in (small, single, big, np.zeros((0, 2), np.float32), small)
    ]
    emitted = emit(function("f", b, *sums))
    assert "CONSTANT = np.array([1.0, np.nan])\n" in emitted.text
    assert "dtype=np.float32)\n" in emitted.text
    assert list(map(id, emitted.globals.values())) == [id(big)]
    assert emitted.text.count("CONSTANT = ") == 1


def test_a_constant_array_is_not_given_away():
    c = np.array([1.0, 2.0])
    f = load(emit(function("f", Body(X), c)))
    f(DATA)[0] = 5.0
    np.testing.assert_array_equal(f(DATA), c)


def test_arguments_that_are_functions_or_types():
    b = Body(X)
    y = b(np.apply_along_axis, np.cumsum, 0, X)
    assert "np.apply_along_axis(np.cumsum, 0, x)" in check(function("f", b, y), DATA)
    b = Body(X)
    assert "x.astype(float)" in check(function("f", b, b(np.astype, X, float)), DATA)


def test_a_variable_never_takes_the_name_of_an_import():
    b = Body(X)
    y = b(np.sin, X, name="math")
    fn = function("f", b, b(np.multiply, y, b(math.sin, 1.0), name="f"), y)
    assert fn.interface == Interface((Param("x", Slot(0)),), result=(Slot(0), Slot(1)))
    text = check(fn, DATA)
    assert "import math as math_2\n" in text
    assert "f_2 = " in text
