"""The module as a whole: its text, its line map, its independence of srcad and of hash seeds."""

import linecache
import operator
import os
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest
from emit.irtext import BOOL, FLOAT, INT, MATRIX, SCALAR, TAPE, VECTOR, Body, check, function, load

from srcad import runtime
from srcad.emit.module import emit
from srcad.errors import Location
from srcad.ir import For, If, Interface, Param, Slot, Value
from srcad.ir.inplace import index_iadd

SOURCE = """\
def loss(params, x, y):
    w, b = params
    h = np.tanh(x @ w + b)
    r = h - y
    return np.sum(r * r)
"""


def lines(*numbers):
    linecache.cache["model.py"] = (len(SOURCE), None, SOURCE.splitlines(keepends=True), "model.py")
    return [Location("model.py", number, 4, number, 8) for number in numbers]


def mlp():
    """What the gradient of `SOURCE` looks like after optimisation."""
    w, vector, x, y = Value("w", MATRIX), Value("b", VECTOR), Value("x", MATRIX), Value("y", MATRIX)
    b = Body(w, vector, x, y)
    line_3, line_4, line_5 = lines(3, 4, 5)
    b.loc = line_3
    h = b(np.tanh, b(operator.add, b(operator.matmul, x, w), vector), name="h", type=MATRIX)
    b.loc = line_4
    r = b(operator.sub, h, y, name="r", type=MATRIX)
    b.loc = line_5
    value = b(np.sum, b(operator.mul, r, r), type=SCALAR)
    r_bar = b(operator.mul, 2, r, name="r_bar", type=MATRIX)
    b.loc = line_3
    t = b(operator.mul, r_bar, b(operator.sub, 1, b(operator.mul, h, h)), type=MATRIX)
    b_bar = b(np.sum, t, axis=0, name="b_bar")
    w_bar = b(operator.matmul, b(np.transpose, x, type=MATRIX), t, name="w_bar", type=MATRIX)
    params = (Param("params", (Slot(0), Slot(1))), Param("x", Slot(2)), Param("y", Slot(3)))
    interface = Interface(params, result=(Slot(0), (Slot(1), Slot(2))))
    return function("loss_value_and_grad", b, value, w_bar, b_bar, interface=interface)


DOC = """\
Value and gradient of `loss` (model.py:1) with respect to `params`.

x: f64[n, k]"""


def test_golden_mlp(golden):
    golden("emit_mlp.py", emit(mlp(), doc=DOC).text)


def rnn():
    """A loop with a branch in it, its tapes, and the reverse sweep with updates in place."""
    h, w, xs = Value("h", VECTOR), Value("w", MATRIX), Value("xs", MATRIX)
    b = Body(h, w, xs)
    n = b(operator.getitem, b(np.shape, xs), 0, type=INT)
    i, h_1, out = Value("i", INT), Value("h", VECTOR), Value("h", VECTOR)
    turn = Body(i, h_1)
    row = turn(operator.getitem, xs, i)
    z = turn(np.tanh, turn(operator.add, turn(operator.matmul, h_1, w), row), name="z")
    big = turn(operator.gt, turn(np.sum, z, type=FLOAT), 0.5, type=BOOL, name="big")
    then, h_2 = Body(), Value("h", VECTOR)
    doubled = then(operator.mul, z, 2.0, name="h")
    turn.add(If(big, then.returns(doubled), Body().returns(z), (h_2,)))
    tapes = tuple(Value(name, TAPE) for name in ("", "", "big_tape"))
    block = turn.returns(h_2, h_1, z, big)
    b.add(For(0, n, 1, False, [h], [], block, (out,), tapes))
    g_0 = b(np.ones_like, out, name="h_bar")
    w_0, x_0 = b(np.zeros_like, w, name="w_bar"), b(np.zeros_like, xs, name="xs_bar")
    i, g, w_1, x_1 = (
        Value("i", INT),
        Value("h_bar", VECTOR),
        *(Value(name, MATRIX) for name in ("w_bar", "xs_bar")),
    )
    seen = [Value("h", VECTOR), Value("z", VECTOR), Value("big", BOOL)]
    back = Body(i, g, w_1, x_1, *seen)
    then, z_bar = Body(), Value("z_bar", VECTOR)
    back.add(If(seen[2], then.returns(then(operator.imul, g, 2.0)), Body().returns(g), (z_bar,)))
    t = back(operator.mul, z_bar, back(operator.sub, 1, back(operator.mul, seen[1], seen[1])))
    w_2 = back(operator.iadd, w_1, back(np.outer, seen[0], t, type=MATRIX), type=MATRIX)
    x_2 = back(index_iadd, x_1, i, t, type=MATRIX)
    block = back.returns(back(operator.matmul, w, t, name="h_bar"), w_2, x_2)
    outs = tuple(Value(v.name, v.type) for v in (g, w_1, x_1))
    b.add(For(0, n, 1, True, [g_0, w_0, x_0], list(tapes), block, outs, ()))
    return function("rnn_grad", b, *outs)


def test_golden_rnn(golden):
    args = np.ones(3) / 3, np.arange(9.0).reshape(3, 3) / 9, np.ones((4, 3)) / 5
    golden("emit_rnn.py", check(rnn(), *args))


def test_the_line_map_leads_to_the_users_line():
    emitted = emit(mlp(), doc=DOC)
    by_line = emitted.text.splitlines()
    found = {by_line[line - 1].strip(): loc.line for line, loc in emitted.line_map.items()}
    assert found["h = np.tanh(x @ w + b)"] == 3
    assert found["r_bar = 2 * r"] == 5
    assert found["b_bar = t.sum(axis=0)"] == 3
    with pytest.raises(ValueError, match="matmul") as raised:
        load(emitted)((np.ones((2, 2)), np.ones(2)), np.ones((3, 5)), np.ones((3, 2)))
    line = traceback.extract_tb(raised.tb)[-1].lineno
    assert emitted.line_map[line].line == 3


def test_comments_come_from_the_lines_given():
    emitted = emit(mlp(), source_lines=lambda loc: f"line {loc.line}")
    comments = [line.strip() for line in emitted.text.splitlines() if "#" in line]
    assert comments == [f"# line {n}" for n in (3, 4, 5, 3)]


def test_emitting_changes_nothing_and_repeats_itself():
    fn = rnn()
    first = emit(fn).text
    assert emit(fn).text == first
    assert emit(rnn()).text == first


@pytest.mark.parametrize("seed", ["0", "7"])
def test_bytes_do_not_depend_on_the_hash_seed(seed):
    here = Path(__file__).parent.parent
    code = "from emit.test_module import mlp, rnn, emit; print(emit(mlp()).text + emit(rnn()).text)"
    path = os.pathsep.join([str(here), str(here.parent)])
    env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    assert done.stdout.decode() == emit(mlp()).text + emit(rnn()).text + "\n"


def test_a_saved_module_needs_no_srcad(tmp_path):
    x = Value("x", VECTOR)
    b = Body(x)
    y = b(runtime.index_add, x, [0, 0], b(runtime.unbroadcast, x, (1,)))
    text = check(function("f", b, y), np.arange(3.0))
    (tmp_path / "saved.py").write_text(text)
    code = "import sys; sys.modules['srcad'] = None; from saved import *; print(f.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=True
    )
    assert done.stdout == b"f\n"


def test_only_the_entry_is_public():
    scope = {}
    exec(emit(mlp()).text, scope)
    assert scope["__all__"] == ["loss_value_and_grad"]
    assert scope["loss_value_and_grad"].__doc__ is None
    assert load(emit(mlp(), doc="One line.")).__doc__ == "One line."


def test_a_program_without_operations():
    assert load(emit(function("f", Body(), 1.5)))() == 1.5
