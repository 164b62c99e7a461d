"""The command line, as a user calls it: what it prints, where, and with which exit code."""

import io
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from srcad import errors
from srcad.cli import main

MODEL = '''
import numpy as np
import srcad

scale = 2.0

def loss(w, x):
    """A loss."""
    return np.sum(np.tanh(x @ w)) * scale

def square(x):
    return x * x

def wrong(x):
    try:
        return x
    finally:
        return 2 * x

@srcad.grad
def ready(x):
    return np.sum(x * x)

class Model:
    @staticmethod
    def cube(x):
        return x * x * x
'''
SHAPES = "f64[3], f64[4,3]"


@pytest.fixture(autouse=True)
def model(tmp_path, monkeypatch):
    (tmp_path / "model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "model", raising=False)


TURNS = """
import numpy as np

def turns(x):
    s = 0.0
    for k in range(len(x)):
        s = s + np.sin(x[k]) * s
    return s
"""


@pytest.fixture
def srcad(capsys):
    """`srcad(*words)` -> (exit code, output, errors)."""

    def run(*words):
        try:
            code = main(words)
        except SystemExit as stop:
            code = stop.code
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err

    return run


# explore ----------------------------------------------------------------------------------------


def test_explore_writes_a_page(srcad):
    code, out, err = srcad("explore", "model.py:loss", "--signature", SHAPES)
    assert (code, out, err) == (0, "wrote loss.html\n", "")
    page = Path("loss.html").read_text()
    assert "w_bar" in page
    assert "f64[3]" in page
    words = ("--signature", SHAPES, "--transform", "value_and_grad", "-o", "other.html")
    assert srcad("explore", "model.py:loss", *words)[:2] == (0, "wrote other.html\n")
    assert "value_and_grad of loss" in Path("other.html").read_text()


def test_explore_says_what_is_wrong(srcad):
    code, out, err = srcad("explore", "model.py:wrong")
    assert (code, out) == (1, "")
    assert "error[E" in err
    assert not Path("wrong.html").exists()
    code, _, err = srcad("explore", "model.py:square", "-o", "missing/page.html")
    assert code == 2
    assert "cannot be written" in err


# show and save ----------------------------------------------------------------------------------


def test_show_prints_a_program_and_nothing_else(srcad):
    code, out, err = srcad("show", "model.py:loss", "--signature", SHAPES)
    assert (code, err) == (0, "")
    compile(out, "shown", "exec")
    assert "w_bar" in out
    assert "tanh" in out


def test_show_without_signature_takes_floats(srcad):
    code, out, _ = srcad("show", "model.py:square")
    assert code == 0
    assert "x" in out
    code, out, _ = srcad("show", "model.py:Model.cube")
    assert code == 0


def test_show_options_reach_the_transformation(srcad):
    plain = srcad("show", "model.py:loss", "--signature", SHAPES)[1]
    both = srcad("show", "model.py:loss", "--signature", SHAPES, "--argnums", "w,x")[1]
    value = srcad("show", "model.py:loss", "--signature", SHAPES, "--transform", "value_and_grad")[
        1
    ]
    assert "x_bar" in both
    assert "x_bar" not in plain
    assert len({plain, both, value}) == 3


def test_show_of_a_transformed_function(srcad):
    code, out, _ = srcad("show", "model.py:ready", "--signature", "f64[3]")
    assert code == 0
    assert "x_bar" in out or "return" in out
    code, _, err = srcad("show", "model.py:ready", "--transform", "grad")
    assert code == 2
    assert "transformed already" in err


def test_show_of_the_program_after_a_pass(srcad):
    code, out, _ = srcad("show", "model.py:square", "--after", "cse")
    assert code == 0
    assert out.startswith("# after cse (simplify)")
    assert "def square_grad(" in out
    code, out, _ = srcad("show", "model.py:square", "--after", "all")
    assert code == 0
    assert "# after undefined-checks (bufferize)" in out
    code, _, err = srcad("show", "model.py:square", "--after", "cs")
    assert code == 2
    assert "no pass is named 'cs'" in err


def test_save_writes_a_module_that_runs(srcad, tmp_path):
    code, out, err = srcad("save", "model.py:loss", "-o", "out.py", "--signature", SHAPES)
    assert (code, out, err) == (0, "wrote out.py\n", "")
    saved = runpy.run_path(str(tmp_path / "out.py"))
    (name,) = saved["__all__"]
    w, x = np.ones(3), np.ones((4, 3))
    expected = 2 * 4 * (1 - np.tanh(3.0) ** 2) * np.ones(3)
    assert np.allclose(saved[name](w, x), expected, rtol=1e-12)


@pytest.mark.parametrize("given", [["-o", "out.c"], ["--c", "-o", "out"]])
def test_save_writes_c(srcad, tmp_path, given):
    told = srcad("save", "model.py:loss", *given, "--signature", SHAPES)
    assert told == (0, "wrote out.c, out.h, out_test.c\n", "")
    assert "int loss_grad(const double *w, int64_t n, " in (tmp_path / "out.c").read_text()
    (tmp_path / "out.c").unlink()
    code, _, err = srcad("save", "model.py:loss", *given, "--signature", SHAPES)
    assert code == 2
    assert "out.h exists" in err


def test_save_overwrites_only_when_told(srcad, tmp_path):
    (tmp_path / "out.py").write_text("precious")
    code, _, err = srcad("save", "model.py:square", "-o", "out.py")
    assert code == 2
    assert "--force" in err
    assert (tmp_path / "out.py").read_text() == "precious"
    assert srcad("save", "model.py:square", "-o", "out.py", "--force")[0] == 0
    assert (tmp_path / "out.py").read_text() != "precious"


def test_save_to_a_folder_that_is_not_there(srcad):
    code, _, err = srcad("save", "model.py:square", "-o", "nowhere/out.py")
    assert code == 2
    assert "nowhere/out.py cannot be written" in err.replace("\\", "/")


def test_refused_function(srcad):
    code, out, err = srcad("show", "model.py:wrong")
    assert (code, out) == (1, "")
    assert err.startswith("model.py:18:9: error[E103]:")
    assert "fix: " in err


# check ------------------------------------------------------------------------------------------


def test_check(srcad):
    code, out, _ = srcad("check", "model.py:loss", "--signature", SHAPES)
    assert code == 0
    assert out == "model.py:loss: correct to order 2 in fwd and rev mode\n"
    code, out, _ = srcad("check", "model.py:ready", "--signature", "f64[3]", "--modes", "rev")
    assert code == 0
    assert "in rev mode" in out


def test_check_finds_a_wrong_rule(srcad, tmp_path):
    (tmp_path / "faulty.py").write_text(
        "from srcad import rules\n"
        "def double(x): return x + x\n"
        "rules.linear(double, x=lambda g, y, x: 3 * g)\n"
        "def f(x): return double(x) * 1.5\n"
    )
    code, out, err = srcad("check", "faulty.py:f")
    assert (code, out) == (1, "")
    assert "faulty.py:f" in err


# rules, explain, cache --------------------------------------------------------------------------


def test_rules(srcad):
    code, out, _ = srcad("rules")
    assert code == 0
    assert len(out.splitlines()) > 100
    code, out, _ = srcad("rules", "tanh")
    heads, row, *_ = out.splitlines()
    assert heads.split() == ["function", "kind", "by", "note"]
    assert row.split()[1] == "elementwise"


def test_rules_without_a_match(srcad):
    code, out, err = srcad("rules", "np.tahn")
    assert (code, out) == (1, "")
    assert "no rule for 'np.tahn'" in err
    assert "np.tanh" in err


@pytest.mark.parametrize("code", ["E103", "e103", "103", "[E103]"])
def test_explain(srcad, code):
    status, out, _ = srcad("explain", code)
    assert status == 0
    assert out.startswith("## E103: a `try` block cannot be differentiated\n")
    assert "**Fix:**" in out


def test_explain_lists_all(srcad):
    code, out, _ = srcad("explain")
    assert code == 0
    assert [line[:4] for line in out.splitlines()[1:]] == [row.code for row in errors.all_kinds()]


def test_explain_unknown_code(srcad):
    code, out, err = srcad("explain", "E999")
    assert (code, out) == (2, "")
    assert "'E999'" in err
    assert "srcad explain" in err


def test_cache(srcad):
    from srcad import cache

    srcad("show", "model.py:square")
    code, out, _ = srcad("cache", "info")
    assert code == 0
    assert str(cache.info().directory) in out
    assert cache.info().files > 0
    code, out, _ = srcad("cache", "clear")
    assert code == 0
    assert out.startswith("removed ")
    assert cache.info().files == 0


def test_cache_says_why_it_is_not_used(srcad, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE", "0")
    code, out, _ = srcad("cache", "info")
    assert code == 0
    assert "unused  SRCAD_CACHE=0" in out


# Mistakes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("model.py", "FILE.py:function"),
        ("model.py:", "FILE.py:function"),
        ("model.txt:loss", "FILE.py:function"),
        ("mode.py:loss", "no file mode.py\nhint: did you mean model.py?"),
        ("nowhere/model.py:loss", "no file"),
        ("model.py:los", "no function 'los'\nhint: did you mean 'loss'?"),
        ("model.py:zzz", "hint: it has loss, square, wrong, ready, Model"),
        ("model.py:Model.cbe", "did you mean 'cube'?"),
        ("model.py:scale", "'scale' in model.py is a float, not a function"),
    ],
)
@pytest.mark.parametrize("command", [["show"], ["check"], ["save", "-o", "out.py"]])
def test_targets_that_are_not_there(srcad, command, target, words):
    code, out, err = srcad(*command, target)
    assert (code, out) == (2, "")
    assert words in err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import nothing_of_this_name\n", "broken.py:1 does not run: ModuleNotFoundError"),
        ("x = 1\ny = x / 0\n", "broken.py:2 does not run: ZeroDivisionError: division by zero"),
        ("def f(:\n", "broken.py:1: invalid syntax"),
        ("import sys\nsys.exit(3)\n", "broken.py:2 does not run: SystemExit: 3"),
    ],
)
def test_files_that_do_not_run(srcad, tmp_path, text, words):
    (tmp_path / "broken.py").write_text(text)
    code, _, err = srcad("show", "broken.py:f")
    assert code == 2
    assert words in err


def test_bad_signature_has_a_caret(srcad):
    code, _, err = srcad("show", "model.py:square", "--signature", "g64")
    assert code == 2
    assert "    g64\n    ^^^\n" in err


def test_signature_that_does_not_fit(srcad):
    code, _, err = srcad("show", "model.py:loss", "--signature", "f64")
    assert code == 2
    assert "does not fit model.py:loss: missing a required argument: 'x'" in err
    assert "it takes w, x" in err


@pytest.mark.parametrize("words", [[], ["bogus"], ["show"], ["cache", "burn"], ["show", "--what"]])
def test_bad_commands(srcad, words):
    code, out, err = srcad(*words)
    assert (code, out) == (2, "")
    assert "usage: srcad" in err


# Help and terminals -----------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["show", "save", "check", "rules", "explain", "cache"])
def test_help_has_examples(srcad, command):
    code, out, _ = srcad(command, "--help")
    assert code == 0
    assert f"\n  srcad {command}" in out
    assert command in srcad("--help")[1]


def test_on_a_terminal_rich_prints(srcad, monkeypatch):
    pytest.importorskip("rich")

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", screen)
    assert main(["explain", "E103"]) == 0
    assert main(["explain"]) == 0
    assert "\x1b[" in screen.getvalue()
    assert "\n## E103" not in screen.getvalue()


def test_without_rich_terminals_get_plain_text(srcad, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert srcad("explain", "E103")[1].startswith("## E103")


@pytest.fixture
def importable(monkeypatch):
    """Let other processes import the srcad under test, installed or not."""
    monkeypatch.setenv("PYTHONPATH", str(Path(errors.__file__).parents[2]))


@pytest.mark.usefixtures("importable")
def test_python_m_srcad():
    done = subprocess.run(
        [sys.executable, "-m", "srcad", "explain", "E103"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("## E103")


@pytest.mark.usefixtures("importable")
def test_a_reader_that_stops_early_is_no_error():
    command = f"{sys.executable} -m srcad explain"
    done = subprocess.run(f"{command} | head -1", shell=True, capture_output=True, text=True)
    assert done.stdout.split() == ["code", "error"]
    assert done.stderr == ""


def test_show_of_compiled_loops(srcad):
    pytest.importorskip("numba")
    Path("model.py").write_text(TURNS)
    code, out, _ = srcad("show", "model.py:turns", "--signature", "f64[3]", "--backend", "native")
    assert code == 0
    assert "@njit(" in out
