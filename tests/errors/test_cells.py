"""Cells of notebooks have the numbers beside them, not the names of files."""

import linecache
import subprocess
import sys
import types

import numpy as np
import pytest

import srcad
from srcad.errors import Location
from srcad.errors.cells import cell_name

FILE = "/tmp/ipykernel_4711/2871359.py"


@pytest.fixture
def python(monkeypatch):
    """IPython that has run `FILE` third."""
    compiler = types.SimpleNamespace(
        format_code_name=lambda name: ("Cell", "In[3]") if name == FILE else None
    )
    shell = types.SimpleNamespace(compile=compiler)
    module = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", module)


def test_names(python):
    assert cell_name(FILE) == "cell 3"
    assert cell_name("/tmp/ipykernel_4711/99.py") == "a cell"
    assert cell_name("<ipython-input-12-d41d8cd98f00>") == "cell 12"
    assert cell_name("/tmp/model.py") == cell_name("<stdin>") == ""


def test_without_ipython(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", None)
    assert cell_name(FILE) == "a cell"
    module = types.SimpleNamespace(get_ipython=lambda: None)
    monkeypatch.setitem(sys.modules, "IPython", module)
    assert cell_name(FILE) == "a cell"


def run(text, file=FILE):
    """The names that a cell defines."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    found = {"np": np}
    exec(compile(text, file, "exec"), found)
    return found


def test_errors_name_the_cell(python):
    f = run(
        "def f(x):\n    global y\n    try:\n        return x\n    finally:\n        return 2 * x\n"
    )["f"]
    with pytest.raises(srcad.SrcadError) as caught:
        srcad.grad(f)(1.0)
    assert str(caught.value).startswith("cell 3:")
    assert "ipykernel" not in str(caught.value)
    assert str(Location(FILE, 2)) == "cell 3:2:1"


def test_programs_name_the_function_alone(python):
    f = run("def f(x):\n    return np.sum(np.sin(x))\n")["f"]
    source = srcad.grad(f).source(np.ones(3))
    assert '"""Gradient of `f` with respect to `x`.' in source


SESSION = """
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shell.compile.get_code_name = lambda raw, text, n: f"/tmp/ipykernel_1/{hash(raw)}.py"
for cell in (
    "import srcad, numpy as np",
    "def f(x):\\n    global y\\n    y = x\\n    return x.no_such",
    "try:\\n    srcad.grad(f)(np.ones(3))\\nexcept srcad.SrcadError as e:\\n    print(e)",
    "@srcad.grad\\ndef g(x):\\n    return np.sum(x * x)\\ng(np.ones(2))",
):
    shell.run_cell(cell, store_history=True)
print(shell.display_formatter.format(shell.user_ns["g"])[0]["text/html"][:25])
"""


def test_in_ipython():
    pytest.importorskip("IPython")
    command = [sys.executable, "-c", SESSION]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "cell 2:3:5: error[E107]" in done.stdout, done.stdout + done.stderr
    assert "array([2., 2.])" in done.stdout
    assert '<div class="srcad-frame">' in done.stdout
