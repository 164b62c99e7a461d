"""Strings, f-strings, `print`, `assert`, `del`, exceptions that are not raised."""

import numpy as np
from corpus.program import Theme, array, number, vector

program = Theme("effects")


@program(number)
def prints(x):
    print("x =", x, [x, 1.0], {"a": x}, sep=" ", end="\n")
    return x * 2


@program(vector)
def f_string(x):
    name = f"w{3}"
    message = f"{name}: {np.sum(x):.3f} {x.shape} {name!r:>10}"
    print(message)
    return x * 2


@program(number)
def strings(x):
    key = "a" + "b" * 2
    upper = key.upper()
    parts = "p,q".split(",")
    d = {"abb": x, "ABB": x * x}
    return d[key] + d[upper] + len(parts) + ("bb" in key) + (key[0] == "a")


@program(number)
def string_methods(x):
    name = "layer_{}".format(2)
    d = {"layer_2": x}
    n = "%d" % 3
    return d[name] * int(n) + d[f"layer_{1 + 1}"] + name.startswith("layer")


@program(vector)
def asserts(x):
    assert x.ndim == 1
    assert len(x) > 0, "empty"
    assert np.all(np.isfinite(x)), f"not finite: {x}"
    assert isinstance(x, np.ndarray)
    return np.sum(x)


@program(1.5, again=[(2.5,)])
def raises(x):
    if x < 0:
        raise ValueError(f"negative: {x}")
    if not x < 100:
        raise RuntimeError
    return x * x


@program(array(3, 2))
def checks_shapes(x):
    if x.shape[1] != 2:
        raise ValueError("two columns wanted")
    n, d = x.shape
    assert n > 0 and d == 2
    return np.sum(x)


@program(vector, again=[(array(5),)])
def prints_in_loop(x):
    s = 0.0
    for i, v in enumerate(x):
        s = s + v * v
        if i % 2 == 0:
            print(i, s)
    return s


@program(number)
def string_of_value(x):
    s = str(3) + str(x)
    print(s)
    return x
