"""C: built with all warnings as errors and with sanitizers, it gives what NumPy gives."""

import copy
import functools
import shutil
import subprocess

import numpy as np
import pytest
from corpus.all import PROGRAMS as CORPUS
from native.c_programs import PROGRAMS
from native.left_calls import LEFT

import srcad
from srcad.api.transformed import create
from srcad.errors import SrcadError
from srcad.pipeline.request import Request
from srcad.pipeline.standalone.c_module import c_files

CC = shutil.which("cc")
FLAGS = ("-std=c99", "-O1", "-g", "-Wall", "-Wextra", "-Werror")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover")

pytestmark = pytest.mark.skipif(CC is None, reason="there is no compiler `cc`")


@functools.cache
def flags():
    """With sanitizers, where these are installed."""
    made = subprocess.run(
        [CC, *SANITIZERS, "-x", "c", "-", "-o", "/dev/null"], input="int main(void){return 0;}",
        text=True, capture_output=True, check=False,
    )  # fmt: skip
    return (*FLAGS, *(SANITIZERS if made.returncode == 0 else ()))


def run(folder, *files):
    """What a program prints, and its status."""
    built = subprocess.run(
        [CC, *flags(), *files, "-lm", "-o", "program"], cwd=folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    made = subprocess.run(["./program"], cwd=folder, capture_output=True, text=True, check=False)
    assert "ERROR" not in made.stderr, made.stderr
    assert "runtime error" not in made.stderr, made.stderr
    return made.stdout, made.returncode


def check(folder, derivative, args, *others):
    """Build the function for `args`, and run it for all."""
    plain = derivative.on("numpy")
    with np.errstate(all="ignore"):
        examples = [(each, plain(*copy.deepcopy(each))) for each in (args, *others)]
    files = c_files(derivative.__srcad_request__, args, examples, ["A test."], "f")
    for end, text in files.items():
        (folder / f"f{end}").write_text(text)
    out, code = run(folder, "f.c", "f_test.c")
    assert (out, code) == ("0 numbers differ from NumPy's\n", 0)
    return files


@pytest.mark.parametrize(("fn", "arguments"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_programs_at_several_sizes(fn, arguments, tmp_path):
    others = []
    for size in (0, 1, 2, 7):
        args = arguments(size)
        with np.errstate(all="ignore"):
            try:
                fn(*copy.deepcopy(args))
            except (ValueError, IndexError):  # it is not for this size
                continue
        others.append(args)
    make = srcad.compile if fn.__name__[0] in "ec" else srcad.value_and_grad
    for each in {make, srcad.value_and_grad}:
        check(tmp_path, each(fn), arguments(4), *others)
    assert len(others) >= 2


def first_of_each_theme():
    """A program of each file of the corpus that leaves no call to NumPy, which C does not have, and
    those that were wrong.
    """
    themes = {}
    for program in CORPUS:
        if program.name not in LEFT:
            themes.setdefault(program.theme, program)
    wrong = {"kernels-gauss_with_pivots", "growing-list_from_list"}
    return [*themes.values(), *(program for program in CORPUS if program.name in wrong)]


@pytest.mark.parametrize("program", first_of_each_theme(), ids=lambda program: program.name)
def test_the_corpus(program, tmp_path):
    args = program.arguments()[0]
    for kind in ("value_and_grad", "primal"):
        derivative = create(Request(kind, program.fn))
        bound = list(args)
        try:
            wanted = derivative.on("numpy")._specializer(copy.deepcopy(bound), len(bound))
            files = c_files(derivative.__srcad_request__, bound, [(bound, wanted)], [], "f")
        except SrcadError:  # it has no gradient, or no form in C
            continue
        for end, text in files.items():
            (tmp_path / f"f{end}").write_text(text)
        assert run(tmp_path, "f.c", "f_test.c") == ("0 numbers differ from NumPy's\n", 0)
        return


A, B = np.array([[3.0, 0.5], [0.2, 2.0]]), np.array([0.3, -1.0])


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (lambda a, b: np.sum(np.linalg.solve(a, b) ** 2) + np.log(np.linalg.det(a)), (A, B)),
        (lambda a: np.sum(np.linalg.inv(a) ** 2) + np.linalg.slogdet(a)[1], (A,)),
        (lambda a: np.sum(np.linalg.cholesky(a + a.T) * a), (A,)),
        (lambda x: np.sum(np.sort(x)[:2]) + np.median(x) + np.sum(np.argsort(x) * x), (-B,)),
        (lambda x: np.sum(np.interp(x, np.linspace(-2, 2, 5), np.arange(5.0) ** 2)), (B,)),
        (lambda a, b: np.sum(np.einsum("ij,jk->ik", a, a) ** 2) + np.trace(a), (A, B)),
        (lambda x: np.sum(np.cumprod(x) * np.cumsum(x)) + np.polyval(x, 0.5), (B,)),
        (lambda x: np.sum(np.convolve(x, np.array([1.0, 2.0, 3.0])) ** 2), (B,)),
        (lambda x: np.std(x, ddof=1) + np.cov(x, x[::-1])[0, 1], (B,)),
    ],
)
def test_functions_of_the_library_that_are_loops(fn, args, tmp_path):
    check(tmp_path, srcad.value_and_grad(fn), args)


X = np.linspace(0.1, 1.0, 4)


@pytest.mark.parametrize(
    ("derivative", "args"),
    [
        (srcad.grad(lambda x: np.sum(np.sin(x) ** 2), argnums=(0,)), (X,)),
        (srcad.hvp(lambda x: np.sum(np.sin(x) ** 2 * x)), (X, 2 * X)),
        (srcad.hessian(lambda x: np.sum(np.sin(x) ** 2 * x)), (X,)),
        (srcad.jacobian(lambda x: np.sin(x) * x[0]), (X,)),
        (srcad.derivative(lambda t: np.sin(t) * t, order=3), (0.7,)),
        (srcad.elementwise_grad(lambda x: np.exp(-x * x)), (X,)),
        (srcad.vmap(lambda x: np.sum(x * x)), (np.ones((3, 4)),)),
        (
            srcad.value_and_grad(lambda p, x: (np.sum(p["a"] * x) * p["b"], x), has_aux=True),
            ({"a": X, "b": 2.0}, X),
        ),
        (srcad.compile(lambda x: (np.outer(x, x), len(x), x[0] > 0)), (X,)),
    ],
    ids=str,
)
def test_all_derivatives(derivative, args, tmp_path):
    derivative.save(tmp_path / "f.c", *args)
    assert run(tmp_path, "f.c", "f_test.c") == ("0 numbers differ from NumPy's\n", 0)


def test_names_that_mean_something_in_c(tmp_path):
    def f(double, log, λ, status, malloc):
        int64_t = np.sum(double * log) + λ
        for done in range(2):
            int64_t = int64_t * status + done
        return int64_t * malloc

    args = (X, X, 0.5, 2.0, 3.0)
    text = check(tmp_path, srcad.value_and_grad(f, argnums=(0, 1, 2, 3, 4)), args)[".h"]
    assert "const double *double_2, int64_t n, const double *log_2, double u03bb" in text


def test_variables_that_are_swapped_and_have_several_types(tmp_path):
    def f(x, n):
        a, b, k = x[0], x[1], 0
        for i in range(n):
            a, b = b, a + 0.5 * b
            k = k + i if a > b else k - 1
        return a * b + k * np.float32(0.5)

    check(tmp_path, srcad.value_and_grad(f), (X, 5), (X, 0), (X[:2], 9))


def test_integers_of_numpys_wrap_around_and_small_ones_are_small(tmp_path):
    def f(x, k, large):
        return np.sum(x * k) + np.sum(k[:2] // 3) + np.sum(k % 4 - 2) + x[0] * large[0] * 0.0

    k = np.array([-7, 5, 100, -128], np.int8)
    large = np.array([2**62, 3])
    check(tmp_path, srcad.value_and_grad(f), (X, k, large))


STATUS = """
#include "f.h"
#include <stdio.h>

int main(void)
{
    double x[4] = {%s}, value = 0, x_bar[4];
    %s
    printf("%%s", %s_message(status));
    return 0;
}
"""


def message(folder, derivative, args, call, numbers="1, 2, 0, 4"):
    """What the status of a call means."""
    files = c_files(derivative.__srcad_request__, args, [], [], "f")
    for end, text in files.items():
        (folder / f"f{end}").write_text(text)
    name = call.partition("(")[0]
    main = STATUS % (numbers, f"int status = {call};", name)
    (folder / "main.c").write_text(main + "\n")
    return run(folder, "f.c", "main.c")[0]


def test_what_python_raises_is_told(tmp_path):
    def f(x, k):
        total = 0.0
        for i in range(len(x)):
            total += 1.0 / float(x[i])
        return total * x[k]

    gradient = srcad.value_and_grad(f)
    line = f.__code__.co_firstlineno
    said = functools.partial(message, tmp_path, gradient, (X, 1))
    zero = said("f_value_and_grad(x, 4, 0, &value, x_bar)")
    assert zero == f"test_c.py:{line + 3}: ZeroDivisionError: division by zero"
    beyond = said("f_value_and_grad(x, 4, 4, &value, x_bar)", "1, 2, 3, 4")
    assert beyond == f"test_c.py:{line + 4}: IndexError: a position is out of bounds"
    assert said("f_value_and_grad(x, 4, -4, &value, x_bar)", "1, 2, 3, 4") == "success"
    assert said("f_value_and_grad(x, -1, 0, &value, x_bar)") == "n is negative"


def test_what_the_function_raises_is_told(tmp_path):
    def f(x):
        if x[0] < 0:
            raise ValueError("negative")
        return np.sum(np.sqrt(x))

    said = message(tmp_path, srcad.value_and_grad(f), (X,), "f_value_and_grad(x, 4, &value, x_bar)",
                   "-1, 2, 3, 4")  # fmt: skip
    assert said.startswith(f"test_c.py:{f.__code__.co_firstlineno + 2}: ")


def test_extents_that_make_another_program_are_refused(tmp_path):
    def f(x):
        return np.sum(np.squeeze(x) ** 2)

    call = "f_value_and_grad(x, 1, 4, &value, x_bar)"
    said = message(tmp_path, srcad.value_and_grad(f), (np.ones((2, 3)),), call)
    assert said == "n is 1: this is another program, save it too"


def test_sizes_that_do_not_fit_are_refused(tmp_path):
    def f(x, y):
        for _ in range(2):
            x = x * 2
            x[1:] += y
        return np.sum(x)

    call = "f_value_and_grad(x, 4, x, &value, x_bar)"
    assert message(tmp_path, srcad.value_and_grad(f), (X, X[1:]), call) == "success"


def spectrum(a):
    return np.sum(np.linalg.eigvalsh(a) ** 2)


def transform(x):
    return np.sum(np.abs(np.fft.fft(x)) ** 2)


def overwrites(x):
    x[0] = 2.0
    return np.sum(x)


def chatty(x):
    print(x)
    return np.sum(x)


def picked(x):
    return x[x > 0.5] * 2


@pytest.mark.parametrize(
    ("make", "fn", "args", "line"),
    [
        (srcad.grad, spectrum, (np.eye(3),), 1),
        (srcad.grad, transform, (X,), 1),
        (srcad.compile, overwrites, (X.copy(),), None),
        (srcad.grad, chatty, (X,), 1),
        (srcad.compile, picked, (X,), None),
    ],
)
def test_what_has_no_form_in_c_is_refused_at_its_line(make, fn, args, line, tmp_path, capsys):
    with pytest.raises(SrcadError, match="E506") as refused:
        make(fn).save(tmp_path / "f.c", *args)
    if line is not None:
        assert f"test_c.py:{fn.__code__.co_firstlineno + line}:" in str(refused.value)
    assert "fix: " in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_save_writes_three_files_and_overwrites_none_unless_told(tmp_path):
    gradient = srcad.value_and_grad(lambda x: np.sum(x**3))
    gradient.save(tmp_path / "cube.c", X)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cube.c", "cube.h", "cube_test.c"]
    assert run(tmp_path, "cube.c", "cube_test.c") == ("0 numbers differ from NumPy's\n", 0)
    gradient.save(tmp_path / "cube.c", X)
    (tmp_path / "cube.h").write_text("// mine")
    with pytest.raises(FileExistsError, match=r"cube\.h"):
        gradient.save(tmp_path / "cube.c", X)
    gradient.save(tmp_path / "cube.c", X, overwrite=True)
    with pytest.raises(SrcadError, match="E506"):
        gradient.save(tmp_path / "cube.c", signatures=[X, X.astype("f4")])


def test_the_text_is_the_same_each_time_and_for_any_size(tmp_path):
    def texts(x):
        gradient = srcad.value_and_grad(lambda x: np.sum(np.tanh(x) * x), backend="numpy")
        return c_files(gradient.__srcad_request__, (x,), [], [], "f")

    assert texts(X) == texts(X) == texts(np.ones(100))


def test_arrays_without_axes_and_captured_numbers(tmp_path):
    scale = np.array(2.0)

    def f(x, k):
        return np.sum(x * k) * scale

    check(tmp_path, srcad.value_and_grad(f), (X, np.array(1.5)))


def test_arrays_that_lie_by_columns_and_lines_that_end_comments(tmp_path):
    def f(x, mode):  # */ /* \u202e ??/ \\
        y = np.sum(x.ravel()[:3]) if mode == "*/" else 0.0  # ??/
        return y + np.sum(x * x.T)  # \\

    gradient = srcad.value_and_grad(f)
    gradient.save(tmp_path / "f.c", np.asfortranarray(np.arange(9.0).reshape(3, 3)), "*/")
    assert run(tmp_path, "f.c", "f_test.c") == ("0 numbers differ from NumPy's\n", 0)


def test_equations_that_have_no_solution_and_large_ones(tmp_path):
    def f(a, b):
        return np.sum(np.linalg.solve(a, b) ** 2)

    rng = np.random.default_rng(0)
    large = (rng.normal(size=(140, 140)) + 20 * np.eye(140), rng.normal(size=140))
    swapped = np.array([[0.0, 2.0], [3.0, 0.0]])
    check(tmp_path, srcad.value_and_grad(f, argnums=(0, 1)), (A, B), large, (swapped, B))
    call = "f_value_and_grad(x, 2, x, 2, &value, x_bar)"
    said = message(tmp_path, srcad.value_and_grad(f), (A, B), call, "1, 2, 2, 4")
    line = f.__code__.co_firstlineno + 1
    assert said == f"test_c.py:{line}: LinAlgError: Singular matrix"
