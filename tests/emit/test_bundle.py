import ast
from pathlib import Path

import numpy as np
import pytest

import srcad.native
from srcad.emit.bundle import Bundle
from srcad.emit.definitions import definitions_of, names_read, renamed
from srcad.native.vectorised import VECTORISED

FOLDER = Path(srcad.native.__file__).parent / "functions"
PRODUCTS = Path(srcad.__file__).parent / "kernels" / "products"
NAMES = [*VECTORISED.values(), "sigmoid", "softplus", "erf", "add", "larger", "total", "at"]


def top_level_names(path):
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (n.id for n in ast.walk(node.targets[0]) if isinstance(n, ast.Name))


class Source:
    """Functions of compiled code with all that they need, and what they are called."""

    def __init__(self, wanted, taken=()):
        self.bundle = Bundle(taken)
        self.names = {name: self.bundle.add(home(name), name) for name in wanted}


def home(name):
    package = "srcad.native.functions"
    return package if name in definitions_of(package).own else f"{package}.contiguous"


def written(source):
    return "\n".join([*sorted(source.bundle.imports), *source.bundle.lines()])


def test_module_level_names_are_unique_among_the_modules():
    files = [path for path in (*FOLDER.glob("*.py"), *PRODUCTS.glob("*.py"))]
    files = [path for path in files if path.name != "__init__.py"]
    names = [name for path in files for name in top_level_names(path) if name != "__all__"]
    assert len(names) == len(set(names)), sorted({n for n in names if names.count(n) > 1})


@pytest.mark.parametrize("name", NAMES)
def test_a_function_comes_with_all_that_it_needs(name):
    source = Source([name])
    tree = ast.parse(written(source))
    assert "srcad." not in written(source).replace("srcad_", "")
    compile(tree, name, "exec")
    assert source.names == {name: name}


@pytest.mark.parametrize("name", NAMES)
def test_classes_come_with_what_they_are_derived_from(name):
    tree = ast.parse(written(Source([name])))
    imports = (n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom))
    known = {alias.asname or alias.name for node in imports for alias in node.names}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            bases = {n.id for base in node.bases for n in ast.walk(base) if isinstance(n, ast.Name)}
            assert bases <= known, node.name
            known.add(node.name)


def test_only_what_is_needed_is_copied():
    text = written(Source(["exp"]))
    assert "class Lane" in text
    assert "ARCTAN" not in text
    assert "log_parts" not in text


def run(source, name):
    numba = pytest.importorskip("numba")
    scope = {}
    exec(compile(written(source), "<alone>", "exec"), scope)
    fn = scope[source.names[name]]
    return numba.njit(lambda x: fn(x))


@pytest.mark.parametrize("name", ["exp", "log1p", "sin", "erf"])
def test_the_copy_computes_the_same(name):
    pytest.importorskip("numba")
    from native.accuracy import evaluate

    from srcad.native import functions

    alone = run(Source([name]), name)
    for x in (0.3, 1.7, 1e12):
        assert alone(x) == evaluate(getattr(functions, name), np.array([x]))[0]


def test_products_of_matrices_find_the_blas_without_srcad():
    numba = pytest.importorskip("numba")
    source = Source(["matmul_into"])
    text = written(source)
    assert "srcad." not in text
    scope = {}
    exec(compile(text, "<alone>", "exec"), scope)
    multiply = scope[source.names["matmul_into"]]
    if not scope["GEMM"]:
        pytest.skip("NumPy's BLAS has no names that are known")

    @numba.njit
    def squared(x, y):
        multiply(y, x, (0, 0), False, x, (0, 0), False, 2)

    x, y = np.array([[1.0, 2.0], [3.0, 4.0]]), np.empty((2, 2))
    squared(x, y)
    assert y.tolist() == [[7.0, 10.0], [15.0, 22.0]]


def test_names_that_the_module_has_are_avoided():
    pytest.importorskip("numba")
    every = {name for path in FOLDER.glob("*.py") for name in top_level_names(path)}
    source = Source(["sin", "log1p"], taken=every)
    assert source.names == {"sin": "sin_2", "log1p": "log1p_2"}
    defined = {n.name for n in ast.parse(written(source)).body if hasattr(n, "name")}
    assert not defined & every
    assert run(source, "log1p")(1.0) == np.log1p(1.0)
    assert run(source, "sin")(1e22) == np.sin(1e22)


def test_fields_keep_their_annotations_and_nothing_else_does():
    bundle = Bundle(())
    bundle.add("srcad.kernels.convolution", "Plan")
    tree = ast.parse("\n".join(bundle.lines()))
    annotated = [node for node in ast.walk(tree) if isinstance(node, ast.AnnAssign)]
    (plan,) = (n for n in tree.body if isinstance(n, ast.ClassDef))
    assert annotated
    assert set(annotated) <= set(plan.body)


def test_a_local_name_hides_that_of_the_module():
    (fn,) = ast.parse("def f(x, g):\n    global n\n    n = x + h + g\n    return n").body
    assert names_read(fn) == ["n", "h"]
    names = {old: ast.Name(f"{old}_2") for old in "fghnx"}
    expected = "def f_2(x, g):\n    global n_2\n    n_2 = x + h_2 + g\n    return n_2"
    assert ast.unparse(renamed(fn, names)) == expected
