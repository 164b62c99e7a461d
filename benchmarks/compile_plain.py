"""Programs of N statements in plain Python: objects, dictionaries, texts, exceptions, closures.

They are families as those of `compile_families.py`.
"""

from __future__ import annotations

from compile_families import function


def in_place(n):
    """Return stores of whole arrays in place."""
    lines = [f"u[:] = u * 0.99 + x * {i}.5" if i % 2 else "u += 0.1 * x" for i in range(n)]
    return function(["u = x * 1.0", *lines, "return np.sum(u)"]), "np.ones(5)"


def stored(n):
    """Return lines that assign one array again and again, and are read by their derivative."""
    return function([*["x = x * 0.9 + 0.1 * x * x"] * n, "return np.sum(x)"]), "np.ones(5) * 0.3"


def augmented(n):
    """Return augmented assignments of numbers and arrays."""
    lines = ("s += x[1] * s", "y *= 0.99", "y -= s * 0.01", "s /= 1.01")
    return function(["s, y = x[0], x * 1.0", *(lines[i % 4] for i in range(n)),
                      "return s + np.sum(y)"]), "np.ones(5)"  # fmt: skip


def swaps(n):
    """Return exchanges of names by tuples."""
    lines = ["a, b = b, a * 0.99", "a, b, c = c, a, b + a * 0.01"]
    return function(
        ["a, b, c = x, x * 2.0, x * 3.0", *(lines[i % 2] for i in range(n)), "return a + b * c"]
    ), "1.5"


def attributes(n):
    """Return stores of attributes of an object that the function makes."""
    before = "class State:\n    def __init__(self, x):\n        self.x, self.y = x, 1.0\n"
    lines = ("s.x = s.x * 0.99 + s.y", "s.y = s.y + s.x * 0.01")
    lines = ["s = State(x)", *(lines[i % 2] for i in range(n)), "return s.x + s.y"]
    return function(lines, before=before), "1.5"


def methods(n):
    """Return calls of a method that changes its object."""
    before = (
        "class State:\n    def __init__(self, x):\n        self.x = x\n\n"
        "    def step(self, k):\n        self.x = self.x * 0.99 + k\n"
    )
    lines = ["s = State(x)", *(f"s.step({i}.5)" for i in range(n)), "return s.x"]
    return function(lines, before=before), "1.5"


def new_attributes(n):
    """Return N attributes of one object."""
    before = "class State:\n    pass\n"
    lines = ["s = State()", "s.a0 = x", *(f"s.a{i} = s.a{i - 1} * 0.99" for i in range(1, n))]
    return function([*lines, f"return s.a{n - 1}"], before=before), "1.5"


def early_returns(n):
    """Return N returns, each under a condition."""
    lines = []
    for i in range(n):
        lines += [f"if x > {n - i}.0:", f"    return x * {i}.5"]
    return function([*lines, "return x"]), "1.5"


def tries(n):
    """Return N `try` blocks, one after the other."""
    lines = []
    for i in range(n):
        lines += ["try:", f"    x = x * 0.99 / k[{i % 3}]", "except IndexError:", "    x = x * 2.0"]
    return function([*lines, "return x"], "x, k"), "1.5, [1.0, 2.0, 3.0]"


def asserts(n):
    """Return N assertions between lines."""
    lines = []
    for i in range(n // 2):
        lines += [f"assert x > -{i}.0, 'line {i}'", "x = x * 0.999 + 0.1"]
    return function([*lines, "return x"]), "1.5"


def comprehensions(n):
    """Return lines each of which makes a list by a comprehension."""
    lines = ["v = [a * 0.99 + b * 0.01 for a, b in zip(v, v[::-1])]"] * n
    return function(["v = [x, x * 2.0, 3.0]", *lines, "return sum(v)"]), "1.5"


def strings(n):
    """Return a text that grows in each line, and keys made of it."""
    lines = [f"name = name + 'ab'[{i % 2}]" if i % 2 else "y = y * 0.99 + x" for i in range(n)]
    return function(["name, y = '', x", *lines, "return y * len(name) if name else y"]), "1.5"


def formatted(n):
    """Return entries of a dictionary whose keys are formatted."""
    lines = [f"d[f'k{{{i}}}'] = x * {i}.5" for i in range(n)]
    return function(["d = {}", *lines, "return sum(d.values())"]), "1.5"


def concatenations(n):
    """Return arrays that are put together and taken apart."""
    lines = ["y = np.concatenate([y[1:], y[:1] * 0.99])"] * n
    return function(["y = x", *lines, "return np.sum(y * x)"]), "np.ones(5)"


def stacks(n):
    """Return stacks of numbers, of which entries are read."""
    lines = ["v = np.array([v[1], v[2] * 0.99, v[0] + v[1] * 0.01])"] * n
    return function(["v = x", *lines, "return np.sum(v)"]), "np.ones(3)"


def entries(n):
    """Return entries of an array, each read into a name, and their sum."""
    lines = [f"a{i} = x[{i}] * {i}.5" for i in range(n)]
    total = [f"s = s + a{i}" for i in range(n)]
    return function([*lines, "s = 0.0", *total, "return s"]), f"np.ones({n})"


def views(n):
    """Return views of arrays, each of the one before, and a store into the first."""
    lines = ["v = v[::-1]", "y = y * 0.99 + v"]
    lines = ["v, y = x, x * 2.0", *(lines[i % 2] for i in range(n)), "return np.sum(y * v)"]
    return function(lines), "np.ones(5)"


def matrices(n):
    """Return products of matrices."""
    lines = ["a = a @ w * 0.5 + a.T"] * n
    return function(["a = x", *lines, "return np.sum(a)"], "x, w"), "np.eye(3), np.eye(3)"


def reductions(n):
    """Return sums and means of arrays between arithmetic."""
    lines = ("y = y - np.mean(y)", "y = y * 0.99 + x", "y = y / np.sqrt(1.0 + np.sum(y**2))")
    lines = [lines[i % 3] for i in range(n)]
    return function(["y = x", *lines, "return np.sum(y * x)"]), "np.arange(5.0)"


def nested_functions(n):
    """Return N functions inside, each called once."""
    lines = []
    for i in range(n // 2):
        lines += [f"def h{i}(a):", f"    return a * 0.99 + {i}.5", f"y = h{i}(y)"]
    return function(["y = x", *lines, "return y"]), "1.5"


def closures(n):
    """Return N functions that read the names around them."""
    lines = []
    for i in range(n // 2):
        lines += [f"g{i} = lambda a: a * k + {i}.5 * x", f"y = g{i}(y)"]
    return function(["y, k = x, 0.99", *lines, "return y"]), "1.5"


def while_loops(n):
    """Return N loops whose ends data gives."""
    lines = []
    for _ in range(n // 2):
        lines += ["while x > 2.0:", "    x = x * 0.5"]
    return function([*lines, "return x"]), "3.5"


def extremes(n):
    """Return minima and maxima of numbers."""
    lines = ("y = max(y * 0.99, x)", "y = min(y + 0.1, 5.0)")
    return function(["y = x", *(lines[i % 2] for i in range(n)), "return y"]), "1.5"


def mapping_updates(n):
    """Return changes of the entries of one dictionary."""
    lines = [f"d['k{i % 7}'] = d['k{(i + 3) % 7}'] * 0.99 + x" for i in range(n)]
    first = f"d = {{{', '.join(f'{chr(39)}k{i}{chr(39)}: x' for i in range(7))}}}"
    return function([first, *lines, "return sum(d.values())"]), "1.5"


def list_stores(n):
    """Return stores into the places of one list."""
    lines = [f"v[{i % 9}] = v[{(i + 4) % 9}] * 0.99 + x" for i in range(n)]
    return function(["v = [x] * 9", *lines, "return sum(v)"]), "1.5"


def constants(n):
    """Return a long list of constants, and its product with the argument."""
    text = ", ".join(f"{i}.5" for i in range(n))
    return function([f"k = np.array([{text}])", "return np.sum(k * x)"]), "1.5"


def prints(n):
    """Return calls of a function without derivative between lines."""
    before = "import srcad\n\n\n@srcad.rules.nondiff\ndef note(x):\n    return None\n"
    lines = ["note(x)", "x = x * 0.999 + 0.1"] * (n // 2)
    return function([*lines, "return x"], before=before), "1.5"


FAMILIES = {
    family.__name__: family
    for family in (
        in_place,
        stored,
        augmented,
        swaps,
        attributes,
        methods,
        new_attributes,
        early_returns,
        tries,
        asserts,
        comprehensions,
        strings,
        formatted,
        concatenations,
        stacks,
        entries,
        views,
        matrices,
        reductions,
        nested_functions,
        closures,
        while_loops,
        extremes,
        mapping_updates,
        list_stores,
        constants,
        prints,
    )
}
