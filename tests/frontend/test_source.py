"""Source retrieval: the right text for each kind of function, or a refusal."""

import ast
import functools
import gc
import importlib.util
import linecache
import math
import operator
import sys
import textwrap
import weakref
from collections.abc import MutableMapping

import gast
import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from srcad.frontend.reading.source import get_source


def body(fn):
    """The function's text again, from its tree."""
    tree = gast.gast_to_ast(get_source(fn).node)
    return ast.unparse(tree.body if isinstance(tree, ast.Lambda) else tree)


def cell(name, text, **namespace):
    """Run `text` as a notebook does: under a name whose lines linecache knows."""
    text = textwrap.dedent(text)
    lines = text.splitlines(keepends=True)
    linecache.cache[name] = (len(text), None, lines, name)
    exec(compile(text, name, "exec"), namespace)
    return namespace


@pytest.fixture
def load(tmp_path):
    """`load(text)` -> (module, path) of a module with that text."""

    def load(text, name="loaded"):
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.dont_write_bytecode, old = True, sys.dont_write_bytecode
        try:
            spec.loader.exec_module(module)
        finally:
            sys.dont_write_bytecode = old
        return module, path

    return load


def logged(fn):
    @functools.wraps(fn)
    def wrapper(*args):
        return 2 * fn(*args)

    return wrapper


def tag(name):
    return lambda fn: fn


def plain(x, y=1.0):
    """Doc."""
    return x * y


# Definitions ------------------------------------------------------------------------------------


def test_def_has_lines_and_columns_of_the_file():
    source = get_source(plain)
    assert source.node.name == "plain"
    assert source.first_line == source.node.lineno == plain.__code__.co_firstlineno
    assert source.file == __file__
    assert source.text.splitlines() == [
        "def plain(x, y=1.0):",
        '    """Doc."""',
        "    return x * y",
    ]
    returned = source.node.body[1]
    at = source.at(returned.value)
    assert (at.line, at.col, at.function) == (source.first_line + 2, 11, "plain")
    assert at.text[at.col : at.end_col] == "x * y"


def test_tree_is_made_once_for_a_code_object():
    def make(k):
        return lambda x: x * k

    one, two = make(1.0), make(2.0)
    assert get_source(one).node is get_source(two).node
    assert get_source(two).fn is two


def test_memory_of_sources_lets_closures_go():
    def make():
        big = np.ones(3)
        return lambda x: x * big, weakref.ref(big)

    f, big = make()
    get_source(f)
    del f
    gc.collect()
    assert big() is None


def test_nested_function_with_free_variables():
    a, b = 2.0, 3.0

    def inner(x):
        def power(n):
            return x**n + b

        return a * power(2)

    assert body(inner).startswith("def inner(x):\n\n    def power(n):")


def test_same_name_several_times():
    def f(x):
        return x

    first = f

    def f(x):
        return x * x

    assert body(first).endswith("return x")
    assert body(f).endswith("return x * x")


def test_decorated_function_begins_at_its_decorator():
    @tag("one")
    @tag("two")
    def f(x):
        return x + 1

    source = get_source(f)
    assert source.text.splitlines()[0] == '@tag("one")'
    assert source.node.lineno == source.first_line + 2


def test_wrapper_is_not_mistaken_for_what_it_wraps():
    @logged
    def f(x):
        return x + 1

    assert body(f).endswith("return 2 * fn(*args)")
    assert body(f.__wrapped__).endswith("return x + 1")


class Model:
    scale = 2.0

    def method(self, x):
        return self.__private(x) * self.scale

    def __private(self, x):
        return x

    def with_super(self, x):
        return super().__repr__(), __class__, x

    @staticmethod
    def static(x):
        return x + 2

    @classmethod
    def of_class(cls, x):
        return cls.scale * x

    def __call__(self, x):
        inner = lambda y: self.__private(y) * x
        return inner

    shift = lambda self, x: x + self.scale


class same:
    def same(self, x):
        return x - 1


def test_method_named_as_its_class():
    assert body(same.same).endswith("return x - 1")


@pytest.mark.parametrize(
    ("fn", "text"),
    [
        (Model().method, "return self._Model__private(x) * self.scale"),
        (Model.method, "return self._Model__private(x) * self.scale"),
        (Model()._Model__private, "return x"),
        (Model().with_super, "return (super().__repr__(), __class__, x)"),
        (Model.static, "return x + 2"),
        (Model.of_class, "return cls.scale * x"),
        (Model.__call__, "return inner"),
        (Model()(1.0), "self._Model__private(y) * x"),
        (Model().shift, "x + self.scale"),
    ],
)
def test_methods(fn, text):
    assert body(fn).endswith(text)


def test_function_with_assert_although_pytest_rewrote_it():
    def f(x, *rest, key=1, **more):
        assert x > 0, "positive"
        return x

    assert "assert x > 0" in body(f)


def test_async_function_and_generator_are_found(load):
    module, _ = load("async def f(x):\n    return x\n\ndef g(x):\n    yield x\n")
    assert isinstance(get_source(module.f).node, gast.AsyncFunctionDef)
    assert isinstance(get_source(module.g).node.body[0].value, gast.Yield)


def test_future_annotations(load):
    module, _ = load(
        """
        from __future__ import annotations
        def f(x: float) -> Undefined:
            def g(y: Undefined) -> float:
                return y
            return g(x)
        """
    )
    assert get_source(module.f).first_line == 3


def test_columns_are_bytes_and_text_is_not(load):
    module, _ = load("def f(é): return é * é\n")
    source = get_source(module.f)
    at = source.at(source.node.body[0].value)
    assert str(at).endswith(":1:18")
    assert at.excerpt().splitlines()[1].index("^") - at.excerpt().splitlines()[0].index("é *") == 0


# Lambdas ----------------------------------------------------------------------------------------


def test_lambdas_on_one_line():
    f, g, h = lambda x: x + 1, lambda x: x + 2, lambda x: x.sum()
    assert [body(f), body(g), body(h)] == ["x + 1", "x + 2", "x.sum()"]
    assert get_source(g).text == "lambda x: x + 2"


def test_equal_lambdas_on_one_line_are_told_apart_by_position():
    f, g = lambda x: x * x, lambda x: x * x
    columns = [get_source(each).node.col_offset for each in (f, g)]
    line = get_source(f).at(get_source(f).node).text
    assert columns == [line.index("lambda"), line.rindex("lambda")]


def test_lambda_in_lambda_on_one_line():
    outer = lambda x: lambda y: x * y
    assert body(outer) == "lambda y: x * y"
    assert body(outer(1.0)) == "x * y"


def test_lambda_with_lambda_as_default():
    f = lambda x, g=lambda z: z + 1: g(x)
    assert body(f) == "g(x)"
    assert body(f.__defaults__[0]) == "z + 1"


def test_lambda_over_several_lines_in_a_call():
    f = max(
        (
            lambda x, y: np.sum(x)
            * math.sin(y)
        ),
        key=lambda each: 0,
        default=None,
    ) if False else (
        lambda x, y: (
            x
            - y
        )
    )  # fmt: skip
    assert body(f) == "x - y"
    assert get_source(f).text.startswith("lambda x, y: (\n")


def test_lambdas_in_a_comprehension_and_a_dict():
    fs = [lambda x: x * k for k in range(2)]
    table = {"a": lambda x: -x, "b": lambda x: +x}
    assert body(fs[1]) == "x * k"
    assert (body(table["a"]), body(table["b"])) == ("-x", "+x")


def test_lambdas_that_differ_in_a_constants_type_or_sign(load):
    module, _ = load("fs = (lambda x: x + 0.0), (lambda x: x + -0.0), (lambda x: x + 0)\n")
    assert [body(f) for f in module.fs] == ["x + 0.0", "x + -0.0", "x + 0"]


def test_lambda_without_positions_is_found_by_its_code():
    f, g = lambda x: x + 1, lambda x: x + 2
    bare = g.__code__.replace(co_linetable=b"")
    bare = type(g)(bare, globals())
    assert body(bare) == "x + 2"
    assert body(f) == "x + 1"


# REPL, notebook, exec ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["<python-input-3>", "<ipython-input-7-0a1b2c>", "/tmp/k_1/99.py"])
def test_repl_and_notebook(name):
    made = cell(name, "x = 1\ndef f(x):\n    return x * x\n")
    assert body(made["f"]).endswith("return x * x")
    assert get_source(made["f"]).file == name


def test_a_cell_that_is_run_again_under_its_name():
    text = "def f(x):\n    return x * x\n"
    old, unread = cell("<cell>", text)["f"], cell("<cell>", text)["f"]
    assert body(old).endswith("x * x")
    new = cell("<cell>", "def f(x):\n    return x * x * x\n")["f"]
    assert body(new).endswith("x * x * x")
    assert body(old).endswith("x * x")
    with pytest.raises(UnsupportedSyntax, match=r"E102.*`f` has changed"):
        get_source(unread)


def test_exec_without_source():
    made = {}
    exec("def f(x): return x", made)
    with pytest.raises(UnsupportedSyntax, match=r"(?s)E101.*`f`.*<string>:1.*define it in a file"):
        get_source(made["f"])


def test_exec_in_a_process_whose_own_text_has_the_same_name(monkeypatch):
    text = "def g(x): return x * x\n"
    monkeypatch.setitem(linecache.cache, "<string>", (len(text), None, [text], "<string>"))
    made = {}
    exec("def f(x): return x", made)
    with pytest.raises(UnsupportedSyntax, match=r"(?s)E101.*`f`.*<string>:1.*define it in a file"):
        get_source(made["f"])


@pytest.mark.parametrize(
    ("fn", "name"), [(np.sin, "sin"), (operator.mul, "mul"), (len, "len"), (3, "int")]
)
def test_what_is_not_written_in_python(fn, name):
    with pytest.raises(UnsupportedSyntax, match=rf"(?s)E101.*`{name}`.*not written in Python"):
        get_source(fn)


# Stale files ------------------------------------------------------------------------------------

SQUARE = "def f(x):\n    return x * x\n"


@pytest.mark.parametrize(
    "edited",
    [
        SQUARE.replace("x * x", "x * x * x"),
        SQUARE.replace("x * x", "x + x"),
        SQUARE.replace("x * x", "x * y"),
        SQUARE.replace("def f", "def g"),
        SQUARE.replace("(x)", "(x, y)"),
        "def broken(:\n",
        "x = 1\n",
    ],
)
def test_edited_file_is_refused(load, edited):
    module, path = load(SQUARE)
    path.write_text(edited + "# longer\n")
    with pytest.raises(UnsupportedSyntax, match=r"E102") as caught:
        get_source(module.f)
    assert f"{path}:1" in str(caught.value)


def test_edited_constant_is_refused(load):
    module, path = load("def f(x):\n    return x * 2\n")
    path.write_text("def f(x):\n    return x * 2.0\n")
    with pytest.raises(UnsupportedSyntax, match=r"E102"):
        get_source(module.f)


def test_deleted_file_has_no_source(load):
    module, path = load(SQUARE)
    path.unlink()
    with pytest.raises(UnsupportedSyntax, match=r"E101"):
        get_source(module.f)


def test_edit_above_the_function_moves_it(load):
    module, path = load(SQUARE)
    path.write_text("import math\n\n\n" + SQUARE)
    assert get_source(module.f).first_line == 4
    assert body(module.f).endswith("x * x")


def test_text_read_before_the_edit_still_serves(load):
    module, path = load(SQUARE + "def g(x):\n    return x + 1\n")
    get_source(module.f)
    path.write_text("def f(x):\n    return x\n")
    assert get_source(module.f).text == SQUARE
    assert body(module.g).endswith("x + 1")


def test_file_is_parsed_once(load, monkeypatch):
    module, _ = load(SQUARE + "def g(x):\n    return x\n")
    get_source(module.f)
    monkeypatch.setattr(ast, "parse", None)
    assert get_source(module.g).node.name == "g"


# Breadth ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", ["textwrap", "statistics", "argparse", "fractions", "typing"])
def test_every_function_of_a_library_module(module):
    """Positions, decorators, classes, closures as real code has them."""
    module = __import__(module)
    seen = 0
    for owner in (module, *(v for v in vars(module).values() if isinstance(v, type))):
        for name, value in vars(owner).items():
            fn = getattr(value, "__func__", value)
            code = getattr(fn, "__code__", None)
            if code is None or code.co_filename != module.__file__:
                continue
            node = get_source(fn).node
            assert getattr(node, "name", "<lambda>") == code.co_name, name
            seen += 1
    assert seen > 5


class Table(MutableMapping):
    """A mapping of one's own: its `keys` and `items` are Python's, in a module that is frozen."""

    def __init__(self, **items):
        self.store = items

    def __getitem__(self, key):
        return self.store[key]

    def __setitem__(self, key, x):
        self.store[key] = x

    def __delitem__(self, key):
        del self.store[key]

    def __iter__(self):
        yield from self.store

    def __len__(self):
        return len(self.store)


def test_source_of_a_frozen_module():
    def f(x):
        table = Table(a=x[0], b=x[1])
        table.update({"a": x[0] * 3.0})
        total = 0.0
        for (name, value), again in zip(table.items(), table.keys(), strict=True):
            total = total + (value**2 if name == again == "a" else value)
        return total * table.get("b")

    x = np.array([0.3, 0.9])
    assert srcad.value_and_grad(f)(x)[0] == f(x)
    np.testing.assert_allclose(srcad.grad(f)(x), [18 * 0.3 * 0.9, (0.9**2) + 2 * 0.9])


def test_class_in_a_function_inside_another():
    k = 3.0

    def f(x):
        class Scaled:
            rate = k

            class Inner:
                def of(self, y):
                    return y * Scaled.rate

        return Scaled.Inner().of(x)

    assert srcad.grad(f)(2.0) == 3.0
