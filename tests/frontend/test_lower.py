"""The program that lowering makes of a function: its text, its interface, what it captures."""

import numpy as np

import srcad
from srcad.frontend.lower import lower
from srcad.ir import show
from srcad.ir.interface import Slot, Static
from srcad.pipeline.request import Request
from srcad.pipeline.stages import lower_with_statics
from srcad.transform import derive

scale = 2.0


def body(made):
    """The lines of a program below its head."""
    return [line.strip() for line in show(made.function).splitlines()[1:]]


def test_what_is_known_while_compiling_leaves_nothing():
    def f(params, x, how):
        for name in ("w", "b"):
            x = x * params[name] if how == "times" else x + params[name]
        return [v * 2 for v in (x,)][0]

    made = lower(f, ({"w": 2.0, "b": 3.0}, np.ones(3), "times"), derive=derive)
    assert body(made) == [
        "x_2: f64[s2_0] = mul(x, w)",
        "x_3: f64[s2_0] = mul(x_2, b)",
        "t: f64[s2_0] = mul(x_3, 2)",
        "return t",
    ]


def test_interface_has_the_containers_of_the_signature():
    def f(params, name, *rest):
        return {"y": params["w"] * rest[0], "name": name}

    made = lower(f, ({"w": 2.0}, "a", (3.0,)), derive=derive)
    params = made.function.interface.params
    assert [p.name for p in params] == ["params", "name", "rest"]
    assert [p.tree for p in params] == [{"w": Slot(0)}, Static("a"), (Slot(1),)]
    assert made.function.interface.result == {"y": Slot(0), "name": Static("a")}


def test_captures_come_after_the_arguments_with_their_paths():
    k = np.ones(3)

    def f(x):
        return x * scale + k

    made = lower(f, (np.ones(3),), derive=derive)
    assert made.captures == ("F.__globals__['scale']", "F.__closure__[0].cell_contents")
    assert [v.name for v in made.function.params] == ["x", "scale", "k"]


def test_unused_captures_are_no_inputs():
    def f(x, unused=scale):
        return x * x

    made = lower(f, (1.0, 2.0), derive=derive)
    assert made.captures == ()


def test_ints_become_constants_where_they_must():
    def f(xs, i, n):
        return xs[i] * n

    request = Request("primal", f)
    made, statics = lower_with_statics(request, ([1.0, 2.0], 1, 3), frozenset())
    assert statics == {"A[1]"}
    assert body(made) == ["t: float = mul(xs_1, n)", "return t"]
    assert any(g.kind == "static" and g.expected == 1 for g in made.guards)


def test_a_loop_carries_what_changes_and_nothing_else():
    def f(x, n):
        k = x * x
        s, a = 0, [x, 1.0]
        for i in range(n):
            s = s + k
            a[1] = a[1] * i
        return s + a[0] + a[1]

    made = lower(f, (2.0, 3), derive=derive)
    (loop,) = [stmt for stmt in made.function.body.body if hasattr(stmt, "init")]
    # `i`, which may be read after the loop, is not bound before it.
    assert [(v.name, str(v.type), v.partial) for v in loop.outs] == [
        ("s", "float", False),
        ("i", "int", True),
        ("", "float", False),
    ]


def test_same_program_for_the_same_function():
    def f(x):
        return np.sum(np.tanh(x) ** 2)

    texts = {show(lower(f, (np.ones(n),), derive=derive).function) for n in (3, 5)}
    assert len(texts) == 1


def test_what_may_be_a_number_or_a_scalar_is_no_container():
    def f(x):
        total = 0.0
        for v in x:
            total = total + v * v
        return total if not isinstance(total, tuple | list) else total[0]

    np.testing.assert_array_equal(srcad.grad(f)(np.array([1.0, 2.0])), [2.0, 4.0])
