"""Programs of N statements, family by family, for `compile_size.py`: the text of each.

A family is a function of N that returns the text of a module with a function `f`, and the text of
the arguments of `f`.
"""

from __future__ import annotations

import math


def function(lines, parameters="x", before=""):
    """Return the text of a module with a function of these lines."""
    body = "".join(f"    {line}\n" for line in lines)
    return f"import numpy as np\n\n{before}\n\ndef f({parameters}):\n{body}"


def scalars(n):
    """Return straight lines of numbers, each of which reads the last and an earlier one."""
    lines = [f"v{i} = v{i - 1} * 0.999 + np.sin(v{max(0, i - 7)}) * 0.001" for i in range(1, n)]
    return function(["v0 = x * 1.0", *lines, f"return v{n - 1}"]), "1.5"


def one_name(n):
    """Return straight lines that assign one name again and again."""
    return function([*["x = x * 0.999 + 0.1 * np.tanh(x)"] * n, "return x"]), "1.5"


def mutual(n):
    """Return straight lines of three numbers, each of which reads the others."""
    lines = ["a = a * 0.9 + b * c * 0.01", "b = b - a * 0.1", "c = c * 0.5 + a * b * 0.01"]
    names = ["a = x", "b = x * 0.5", "c = 1.0"]
    return function([*names, *(lines[i % 3] for i in range(n)), "return a + b * c"]), "1.5"


def arrays(n):
    """Return straight lines of arrays."""
    lines = [f"v{i} = v{i - 1} * 0.999 + np.sin(v{max(0, i - 7)}) * 0.001" for i in range(1, n)]
    return function(["v0 = x * 1.0", *lines, f"return np.sum(v{n - 1})"]), "np.ones(5)"


def writes(n):
    """Return writes of entries into one array."""
    lines = [f"u[{i % 50 + 1}] = u[{i % 50}] * 0.5 + u[{(i + 7) % 51}] ** 2" for i in range(n)]
    return function(["u = np.zeros(60) + x", *lines, "return np.sum(u)"]), "0.3"


def slices(n):
    """Return updates of slices of one array."""
    return function([*["x[1:] += 0.1 * x[:-1] ** 2"] * n, "return np.sum(x)"]), "np.ones(5)"


def appends(n):
    """Return appends to a list, of which the sum is taken."""
    lines = [f"parts.append(x * {i}.5)" for i in range(n)]
    return function(["parts = []", *lines, "return sum(parts)"]), "1.5"


def elifs(n):
    """Return a chain of `elif`."""
    lines = ["if x < 0.0:", "    y = x"]
    for i in range(n):
        lines += [f"elif x < {i + 1}.0:", f"    y = x * {i}.5"]
    return function([*lines, "else:", "    y = 0.0", "return y"]), "1.5"


def array_elifs(n):
    """Return a chain of `if` that return sums of arrays."""
    lines = []
    for i in range(n):
        lines += [f"if x[0] < {i}.0:", f"    return np.sum(x * {i}.5)"]
    return function([*lines, "return np.sum(x)"]), "np.array([0.3, 1.5, 2.7])"


def choices(n):
    """Return choices between entries of arrays, one after the other."""
    lines = [f"s = np.where(s > {i}.0, s * 0.99, x)" for i in range(n)]
    return function(["s = x", *lines, "return np.sum(s)"]), "np.array([0.3, 1.5, 2.7])"


def ternaries(n):
    """Return nested conditional expressions."""
    text = "".join(f"x * {i}.5 if x < {i}.0 else " for i in range(n))
    return function([f"return {text} x"]), "1.5"


def parentheses(n):
    """Return an expression nested in parentheses."""
    return function([f"return {'(' * n}x{' * 1.001 + 0.1)' * n}"]), "1.5"


def nested_calls(n):
    """Return nested calls of one function."""
    return function([f"return {'np.sin(' * n}x{')' * n}"]), "1.5"


def wide_sum(n):
    """Return a sum of N terms in one expression."""
    return function([f"return {' + '.join(f'x * {i}.5' for i in range(n))}"]), "1.5"


def many_arguments(n):
    """Return a function of N arguments."""
    names = [f"a{i}" for i in range(n)]
    lines = ["s = 0.0", *[f"s = s + {name} * {name}" for name in names], "return s"]
    return function(lines, ", ".join(names)), ", ".join(["1.5"] * n)


def helpers(n):
    """Return N calls of helpers, each a function of its own."""
    before = "".join(f"def h{i}(x):\n    return x * 0.99 + {i}.5\n\n\n" for i in range(n))
    return function([*[f"x = h{i}(x)" for i in range(n)], "return x"], before=before), "1.5"


def one_helper(n):
    """Return N calls of one helper."""
    before = "def h(x, k):\n    y = x * 0.99\n    return y + k\n"
    return function([*[f"x = h(x, {i}.5)" for i in range(n)], "return x"], before=before), "1.5"


def unrolled(n):
    """Return a list built by a loop over a known range, and its sum."""
    lines = ["xs = []", f"for i in range({n}):", "    xs.append(x * i)"]
    return function([*lines, "return sum(xs)"]), "1.5"


def unrolled_constants(n):
    """Return a loop over a tuple of constants, which is unrolled."""
    lines = [f"for k in ({', '.join(f'{i}.5' for i in range(n))},):", "    x = np.sin(x * k)"]
    return function([*lines, "return x"]), "1.5"


def comprehension(n):
    """Return a list made by a comprehension over a range."""
    return function([f"return sum([np.sin(x * i) for i in range({n})])"]), "1.5"


def branches(n):
    """Return N branches on numbers, one after the other."""
    lines = []
    for i in range(n):
        lines += [f"if x < {i}.0:", "    x = x * 1.01", "else:", "    x = np.sin(x)"]
    return function([*lines, "return x"]), "1.5"


def entry_branches(n):
    """Return N branches on entries of an array, one after the other."""
    lines = []
    for i in range(n):
        lines += [f"if x[{i % 4}] > {i % 5}.0:", f"    y = y * 0.99 + x[{i % 3}]"]
    return function(["y = x[0]", *lines, "return y"]), "np.array([0.3, 1.5, 2.7, 0.2])"


def array_branches(n):
    """Return N branches on arrays, one after the other."""
    lines = []
    for i in range(n):
        lines += [f"if x[0] < {i}.0:", "    x = x * 1.01 + y", "else:", "    y = np.sin(y) * x"]
    return function(["y = x * 0.5", *lines, "return np.sum(x * y)"]), "np.ones(5)"


def loops(n):
    """Return N loops over an array, one after the other."""
    lines = ["s = 0.0"]
    for _ in range(n):
        lines += ["for i in range(len(x)):", "    s = s + x[i] * s * 0.5"]
    return function([*lines, "return s"]), "np.ones(4)"


def binary_recursion(n):
    """Return a binary recursion over a known depth with N leaves."""
    before = (
        "def tree(x, d):\n    if d == 0:\n        return x * 1.5\n"
        "    return tree(x, d - 1) + np.sin(tree(x * 0.5, d - 1))\n"
    )
    return function([f"return tree(x, {int(math.log2(n))})"], before=before), "1.5"


def deep_recursion(n):
    """Return a recursion over a known depth."""
    before = "def down(x, d):\n    return x if d == 0 else np.sin(down(x * 0.99, d - 1))\n"
    return function([f"return down(x, {n})"], before=before), "1.5"


def history(n):
    """Return N coupled recurrences, of which a loop keeps the history."""
    lines = [f"h{i} = np.zeros(3)" for i in range(n)]
    lines += ["out = []", "for row in x:"]
    lines += [f"    h{i} = np.tanh(h{i} + h{(i + 1) % n} * row)" for i in range(n)]
    lines += ["    out.append(h0)", "return sum(np.sum(o) for o in out)"]
    return function(lines), "np.ones((4, 3))"


def nested_data(n):
    """Return a value inside N tuples, unpacked again."""
    lines = ["t = (x, 1.0)", *["t = (t, 2.0)"] * n, *["t = t[0]"] * n, "return t[0] * t[0]"]
    return function(lines), "1.5"


def array_list(n):
    """Return a sum over a list of N arrays that is given."""
    lines = ["s = 0.0", "for a in x:", "    s = s + np.sum(a * a)", "return s"]
    return function(lines), f"[np.ones(3) * k for k in range({n})]"


def dictionary(n):
    """Return N entries of a dictionary."""
    lines = ["d = {}", *[f"d['k{i}'] = x * {i}.5" for i in range(n)]]
    return function([*lines, "return sum(d.values())"]), "1.5"


FAMILIES = {
    family.__name__: family
    for family in (
        scalars,
        one_name,
        mutual,
        arrays,
        writes,
        slices,
        appends,
        elifs,
        array_elifs,
        choices,
        ternaries,
        parentheses,
        nested_calls,
        wide_sum,
        many_arguments,
        helpers,
        one_helper,
        unrolled,
        unrolled_constants,
        comprehension,
        branches,
        entry_branches,
        array_branches,
        loops,
        binary_recursion,
        deep_recursion,
        history,
        nested_data,
        array_list,
        dictionary,
    )
}
