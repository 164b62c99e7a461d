"""The explorer's page: whole, alone, harmless, and its lines belong together."""

import copy
import json
import re

import numpy as np
import pytest
from corpus.all import PROGRAMS
from corpus.trees import leaves
from explore.pages import read
from optional import needs_numba

import srcad

X = np.linspace(0.1, 0.9, 4)


def act(z):
    return np.tanh(z)


def loss(w, x):
    """A loss of two layers."""
    y = x
    for k in range(3):
        y = act(
            w * y,
        )
    if np.sum(y) > 0:
        s = np.sum(y * y)
    else:
        s = np.mean(y)
    return 2 * s


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return read(srcad.grad(loss).explore(X, X, path=tmp_path_factory.mktemp("page") / "page.html"))


def test_every_element_is_closed_and_every_name_is_known(page):
    names = [at["id"] for _, at in page.tags if "id" in at]
    assert len(names) == len(set(names))
    meant = [at[key] for _, at in page.tags for key in ("for", "aria-controls") if key in at]
    assert set(meant) <= set(names)
    assert page.html.startswith("<!DOCTYPE html>")


def test_the_page_needs_nothing_else(page):
    assert not re.search(r"https?://|//[a-z]+\.|@import|url\(", page.html)
    assert all("src" not in at for _, at in page.tags)
    assert [at["href"] for _, at in page.tags if "href" in at] == ["data:,"]
    policies = [at["content"] for _, at in page.tags if "http-equiv" in at]
    assert policies[0].startswith("default-src 'none'")
    assert len(page.html) < 200_000


def test_a_line_belongs_to_its_lines_in_both_sweeps(page):
    of_call = page.partners("y = act(")
    assert {"y = np.tanh(w * y)", "# y = act("} <= of_call
    assert any("w_bar" in text for text in of_call)
    assert not any("np.sum" in text or ".sum()" in text for text in of_call)
    # All lines of a statement, and the function that it calls.
    assert page.partners("w * y,") == page.partners(")") == of_call
    assert page.partners("return np.tanh(z)") <= of_call
    of_mean = page.partners("s = np.mean(y)")
    assert len(of_mean) == 2
    assert of_mean.isdisjoint(page.partners("s = np.sum(y * y)"))
    assert any(text.startswith("if ") for text in page.partners("if np.sum(y) > 0:"))
    assert "y_tape = [None] * 3" in page.partners("for k in range(3):")
    assert page.partners("def loss(w, x):") == {"def loss_grad(w, x):"}


def test_the_lines_of_both_sides_are_the_sources(page):
    left = [row.text for row in page.left]
    assert left[:3] == ["def loss(w, x):", '"""A loss of two layers."""', "y = x"]
    assert left[-2:] == ["def act(z):", "return np.tanh(z)"]
    source = srcad.grad(loss).source(X, X)
    assert [row.text for row in page.right] == [line.strip() for line in source.splitlines()]


def test_measures_of_a_sample_call(page):
    rows = {row.text: row for row in page.left}
    assert rows["y = act("].measures[0] == "96 B"  # three of four: one is the argument
    assert rows["y = act("].seen.startswith("y f64[4] ")
    assert rows["y = act("].seen.endswith(" x3")
    assert rows["for k in range(3):"].seen == "k int 0 to 2 x3"
    assert rows["s = np.mean(y)"].seen == ""  # did not run
    made = [row for row in page.right if row.seen and row.text.startswith("y_bar = ")]
    assert made
    assert all(row.measures for row in made)


def test_nan_and_inf_are_counted(tmp_path):
    def f(x):
        y = np.log(x)
        return np.sum(y * 0)

    page = read(srcad.grad(f).explore(np.array([0.0, -1.0, 1.0]), path=tmp_path / "page.html"))
    (row,) = (row for row in page.left if row.text == "y = np.log(x)")
    assert "1 nan, 1 inf" in row.seen


def test_of_a_lambda_the_value_is_shown(tmp_path):
    page = read(
        srcad.grad(lambda x: sum(map(lambda v: v * v, x))).explore(np.ones(3), path=tmp_path / "p")
    )
    assert [row.seen for row in page.left] == ["f64 3"]


def test_what_raises_is_told_and_the_page_is_there(tmp_path):
    def f(x):
        if np.sum(x) > 0:
            raise ValueError("<b>too much</b>")
        return np.sum(x)

    page = read(srcad.grad(f).explore(X, path=tmp_path / "page.html"))
    assert "the sample call raised ValueError: &lt;b&gt;too much" in page.html
    assert any(row.text == "return np.sum(x)" for row in page.left)


def test_a_call_is_of_copies_and_says_nothing(tmp_path, capsys):
    def f(x):
        print("once")
        x[0] = 5.0
        return np.sum(x * x)

    x = X.copy()
    srcad.grad(f).explore(x, path=tmp_path / "page.html")
    assert np.array_equal(x, X)
    assert capsys.readouterr().out == ""


def test_source_text_is_text(tmp_path):
    def f(x, kind="</script><script>document.evil = 1</script>"):
        # </td><script>document.evil = 1</script> {{style}} {{data}}
        if kind == "<!--":
            return np.sum(x)
        return np.sum(x * x)

    page = read(srcad.grad(f).explore(X, path=tmp_path / "page.html"))
    plain = read(srcad.grad(loss).explore(X, X, path=tmp_path / "plain.html"))
    assert len(page.scripts) == len(plain.scripts) == 2
    assert page.scripts[1] == plain.scripts[1]
    assert "<script>document" not in page.html
    assert "{{style}} {{data}}" in page.html
    json.loads(page.scripts[0])


def test_steps_of_the_compiler(page):
    data = json.loads(page.scripts[0])
    assert len(data["steps"]) > 5
    texts = [[data["lines"][k][0] for k in step["lines"]] for step in data["steps"]]
    assert texts[0][0].startswith("def loss(")
    assert any("tanh(" in line for line in texts[data["start"]])
    options = [at for tag, at in page.tags if tag == "option"]
    assert len(options) == len(data["steps"])
    # A line of the program has the groups of its statement.
    tanh = [groups for line, groups in data["lines"] if "= tanh(" in line]
    (call,) = (row for row in page.left if row.text == "y = act(")
    assert tanh
    assert all(set(call.groups) <= set(groups) for groups in tanh)


@pytest.mark.parametrize("program", PROGRAMS[::97], ids=lambda program: program.name)
def test_programs_of_the_corpus(program, tmp_path):
    args = program.arguments()[0]
    value = program.fn(*copy.deepcopy(args))
    if any(map(np.iscomplexobj, leaves(value))):
        pytest.skip("the result is a complex number")
    is_scalar = not isinstance(value, tuple) and np.ndim(value) == 0
    transformed = (srcad.grad if is_scalar else srcad.jacrev)(program.fn)
    page = read(transformed.explore(*args, path=tmp_path / "page.html"))
    assert len(page.html) < 1_000_000
    assert page.left
    known = {group for row in page.left for group in row.groups}
    assert known
    code = [row for row in page.right if row.text and not row.text.startswith(("import", "from"))]
    assert sum(bool(row.groups) for row in code) > 0
    assert all(set(row.groups) <= known for row in page.right)
    # A comment quotes the user's line that the lines below it come from.
    texts = {group: [] for group in known}
    for row in page.left:
        for group in row.groups:
            texts[group].append(row.text)
    for row in page.right:
        if row.text.startswith("# ") and row.groups:
            assert any(row.text[2:] in text for text in texts[row.groups[0]])


@needs_numba
def test_the_compiled_form(page):
    rows = page.rows["panel-compiled"]
    assert any("def loss_grad_1(" in row.text for row in rows)
    (call,) = (row for row in page.left if row.text == "y = act(")
    lit = [row.text for row in rows if set(row.groups) & set(call.groups)]
    assert any("tanh(" in text for text in lit)
    assert "Compiled: loss_grad_1" in page.html


@needs_numba
def test_times_of_the_compiled_form(page):
    rows = page.rows["panel-compiled"]
    (head,) = (row for row in rows if row.text.startswith("def loss_grad_1("))
    calls = [row for row in rows if "loss_grad_1" in row.text and "def " not in row.text]
    assert all(re.fullmatch(r"[\d.]+ (ns|us|ms|s)", row.measures[0]) for row in (head, *calls))
    assert re.search(r"a call on NumPy, [\d.]+ (ns|us|ms|s) compiled", page.html)
    assert "The compiled form takes" in page.html


def test_without_arguments_the_newest_program_is_shown(tmp_path):
    gradient = srcad.grad(loss)
    with pytest.raises(srcad.SrcadError, match="E315"):
        gradient.explore(path=tmp_path / "page.html")
    gradient(X, X)
    page = read(gradient.explore(path=tmp_path / "page.html"))
    assert page.partners("s = np.mean(y)")
    assert all(not row.seen and not row.measures for row in page.left)
    assert "no arguments were given" in page.html


def of_vectors(x):
    y = np.sin(x)
    return y * x


def of_one(x):
    y = np.sin(x)
    return np.sum(y * y)


@pytest.mark.parametrize(
    ("transformed", "args"),
    [
        (srcad.value_and_grad(of_one), (X,)),
        (srcad.jacobian(of_vectors), (X,)),
        (srcad.jacfwd(of_vectors), (X,)),
        (srcad.hessian(of_one), (X,)),
        (srcad.hvp(of_one), (X, X)),
        (srcad.derivative(np.sin), (0.5,)),
        (srcad.elementwise_grad(of_vectors), (X,)),
        (srcad.vmap(of_one), (np.ones((3, 4)),)),
        (srcad.compile(of_one), (X,)),
        (srcad.grad(lambda x: np.sum(x * x)), (X,)),
    ],
    ids=str,
)
def test_every_transformation_has_a_page(transformed, args, tmp_path):
    page = read(transformed.explore(*args, path=tmp_path / "page.html"))
    assert "raised" not in page.html.split("<script")[0]
    assert page.right


def test_a_path_is_made_where_none_is_given(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = srcad.grad(lambda x: x * x).explore(2.0)
    assert path.parent == tmp_path
    assert path.name.startswith("_lambda_-")
    assert read(path).right


@pytest.mark.parametrize("of_loss", [False, True])
def test_a_sparse_jacobian_shows_the_program_of_its_products(of_loss, tmp_path):
    pytest.importorskip("scipy.sparse")

    def steps(x):
        return x[1:] ** 2 * x[:-1]

    def total(x):
        return np.sum(steps(x))

    made = srcad.hessian(total, sparse=True) if of_loss else srcad.jacobian(steps, sparse=True)
    text = made.explore(np.arange(5.0), path=tmp_path / "page.html").read_text()
    assert "x[1:] ** 2 * x[:-1]" in text
    made(np.arange(5.0))
    assert made.explore(path=tmp_path / "newest.html").exists()
