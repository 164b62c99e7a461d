"""Lists, tuples, dicts: known while compiling, aliased, changed, unpacked."""

from collections import Counter, OrderedDict, defaultdict, deque
from types import SimpleNamespace

import numpy as np
from corpus.program import Theme, array, number, vector

program = Theme("containers")


@program(number)
def list_display(x):
    xs = [x, x * 2, 3.0]
    xs[0] = xs[1] * xs[2]
    xs[-1] = x
    return xs[0] + xs[-1]


@program(number)
def aliased_list(x):
    a = [x, 1.0]
    b = a
    c = list(a)
    b[0] = x * 3
    b.append(x)
    return a[0] * c[0] + a[2] + len(a)


@program(number)
def list_methods(x):
    xs = []
    xs.append(x)
    xs.extend([x * 2, x * 3])
    xs.insert(0, 1.0)
    y = xs.pop()
    z = xs.pop(0)
    xs.reverse()
    ys = xs.copy()
    ys[0] = 0.0
    return xs[0] * y + z + ys[1]


@program(number)
def list_growth(x):
    xs = [x]
    xs += [x * x]
    xs = xs + [1.0] * 2
    ys = [x] * 3
    return sum(xs) + ys[2]


@program(number)
def slices(x):
    xs = [x, x * x, x**3, x**4]
    a, b = xs[1:3]
    t = (1.0, x, 2.0)[::-1]
    return a + 2 * b + t[0] * t[1] + len(xs[::2])


@program(number, number)
def starred(x, y):
    first, *rest = (x, y, x * y, 2.0)
    *head, last = [x, y]
    a, (b, *c), d = x, (y, 1.0, x), 3.0
    return first + rest[1] * rest[2] + last + head[0] + b * c[1] + d


@program(array(4, 3))
def starred_rows(x):
    x = np.sin(x)
    first, *rest = x
    rest[0][1] = first[0] * 2
    a, *middle, b = first
    return np.sum(x**2) + a * b * middle[0]


@program(number)
def dict_methods(x):
    d = {"a": x, "b": 2.0}
    d.update({"c": x * x})
    d.update(e=x)
    d["b"] = d["b"] * x
    v = d.pop("a")
    w = d.get("missing", 4.0)
    u = d.setdefault("z", x)
    return sum(d.values()) + v * w + u + len(d) + ("c" in d)


@program(number)
def dict_displays(x):
    base = {"a": x, "b": 1.0}
    more = {**base, "b": x * x, "c": 3.0}
    joined = base | {"a": 2.0}
    made = dict(a=x, b=2.0)
    pairs = dict([("k", x), ("l", 1.0)])
    return more["b"] + more["a"] + joined["a"] + made["a"] * pairs["k"]


@program(number)
def tuple_operations(x):
    t = (x, 1.0) + (2.0,)
    u = t * 2
    return sum(u) + len(u) + t[1]


@program(lambda r: {"layers": [{"w": r.random((2, 3)), "b": r.random(2)}], "scale": 2.0}, array(3))
def nested_arguments(params, x):
    for layer in params["layers"]:
        x = np.tanh(layer["w"] @ x + layer["b"])
    return params["scale"] * np.sum(x)


@program(lambda r: (r.random(2), [r.random(2), 3.0]))
def tuple_argument(p):
    a, (b, c) = p
    return np.sum(a * b) * c


@program(number)
def nested_alias(x):
    inner = [x, 1.0]
    outer = {"a": inner, "b": inner}
    outer["a"][0] = x * x
    return outer["b"][0] * inner[0]


@program(number)
def deleted_items(x):
    xs = [x, 2.0, x * x]
    del xs[1]
    d = {"a": x, "b": 1.0}
    del d["b"]
    return xs[1] * d["a"] + len(xs) + len(d)


@program(number)
def builtins_on_lists(x):
    xs = [x, x * x, 0.5]
    return max(xs) + min(x, 2.0) + sum(xs, 1.0) + len(list(reversed(xs))) + abs(-x)


@program(number)
def zip_of_lists(x):
    s = 0.0
    for a, b in zip([x, 2.0], (x * x, x)):
        s = s + a * b
    for i, a in enumerate([x, 1.0], start=1):
        s = s + i * a
    return s


@program(vector)
def list_of_arrays(x):
    parts = [x * i for i in range(3)]
    parts[1] = parts[1] + 1
    return np.sum(np.stack(parts) * np.concatenate([x, x, x]).reshape(3, -1))


@program(number)
def sorted_keys(x):
    d = {"b": x, "a": 2.0, "c": x * x}
    s = 0.0
    for i, k in enumerate(sorted(d)):
        s = s + i * d[k]
    return s


@program(number)
def list_iterated_while_changed(x):
    xs = [x, 2.0]
    ys = []
    for v in list(xs):
        xs.append(v * 2)
        ys.append(v)
    return sum(xs) + sum(ys)


@program(vector)
def array_of_list(x):
    a = np.array([x[0], 2.0, x[1] * x[2]])
    b = np.array([[x[0], 1.0], [x[1], x[2]]])
    c = np.asarray([x, x * 2])
    return np.sum(a) + np.sum(b * b) + np.sum(c)


@program(vector)
def unpacked_array(x):
    a, b, c, d = x
    return a * b - c * d


@program(number)
def equality_of_containers(x):
    t = ("a", 1)
    if t == ("a", 1) and [1, 2] != [1, 3]:
        return x * 2
    return x


@program(number, again=[(-1.0,)])
def list_of_functions(x):
    fs = [np.sin, np.cos, lambda v: v * v]
    for f in fs:
        x = f(x)
    return x


@program(number)
def dispatch_table(x):
    table = {"square": lambda v: v * v, "double": lambda v: 2 * v}
    return table["square"](x) + table["double"](x)


@program(1.5)
def inner_alias(x):
    m = [[0.0] * 2] * 3
    m[0][1] = x
    return m[2][1]


@program(1.5)
def inner_fresh(x):
    m = [[0.0] * 2 for _ in range(3)]
    m[0][1] = x
    return m[2][1] + m[0][1]


@program(1.5)
def more_list_methods(x):
    xs = ["b", "a", "c"]
    i = xs.index("a")
    xs.remove("b")
    n = xs.count("c")
    xs.sort()
    ys = [x]
    ys.clear()
    return x * i + n + len(xs) + len(ys), xs[0]


@program(1.5)
def more_dict_methods(x):
    d = dict.fromkeys(["a", "b"], x)
    k, v = d.popitem()
    d.clear()
    return v, k, len(d)


@program(1.5)
def dict_of_lists(x):
    d = {}
    for i, k in enumerate("abab"):
        d.setdefault(k, []).append(x * i)
    return sum(d["a"]) * len(d["b"])


@program(1.5)
def slicing_list(x):
    xs = [x, 1.0, 2.0, 3.0]
    xs[1:3] = [5.0]
    del xs[0]
    xs[:0] = [x]
    return xs[0] * xs[1] + len(xs)


@program(1.5)
def tuple_keys(x):
    d = {(i, j): x * i + j for i in range(2) for j in range(2)}
    return d[1, 0] + d[(0, 1)]


# Changes of arguments -------------------------------------------------------------------------


@program(lambda r: {"w": r.random(3), "b": 0.5}, array(3))
def argument_dict_changed(params, x):
    params["w"] = params["w"] * x
    params["b"] += 1.0
    params["c"] = x[0]
    return np.sum(params["w"]) * params["b"] * params.pop("c") + len(params)


@program(lambda r: [1.5, 2.5], number)
def argument_list_changed(xs, x):
    xs.append(x)
    xs[0] = xs[1] * x
    xs += [x * x]
    del xs[1]
    return sum(a * b for a, b in zip(xs, (1.0, 2.0, 3.0))) * len(xs)


@program(1.5, lambda r: [1.5, 2.5], again=[(-1.5, lambda r: [1.5, 2.5])])
def argument_list_changed_in_branch(x, xs):
    if x > 0:
        xs[0] = x
    else:
        xs[1] = x * x
    return xs[0] * xs[1]


@program(0.5, 3, lambda r: {"h": 0.5}, again=[(0.5, 0, lambda r: {"h": 0.5})])
def argument_dict_changed_in_loop(x, n, state):
    for _ in range(n):
        state["h"] = np.sin(state["h"]) * x
    return state["h"] * x


@program(lambda r: [{"w": 1.5}, {"w": 2.5}], number)
def nested_arguments_changed(layers, x):
    for layer in layers:
        layer["w"] *= x
        layer.setdefault("b", x)
    layers.reverse()
    return layers[0]["w"] + layers[1]["w"] * layers[0]["b"]


# Sets, strings, other containers ---------------------------------------------------------------


@program(number)
def sets_of_constants(x):
    active = {"a", "b"} | {"c"}
    frozen = frozenset(["a"]) & active
    odd = {k for k in range(5) if k % 2}
    y = x
    for name in ("a", "c", "d"):
        if name in active and name not in frozen:
            y = y * x
    return (
        y * len(active) + len(odd - {1}) + (odd == {1, 3}) + sum(sorted(odd)) + odd.issubset({1, 3})
    )


@program(array(3), again=[(array(5),)], edges=[(np.array([-0.5, 0.3, 0.2]),)])
def changed_sets(x):
    left = {"a", "b"}
    alias = left
    left.remove("a")
    alias |= {"c", "d"}
    seen = set()
    total = 0.0
    for k in range(4):
        if k % 3 not in seen:
            total = total + x[k % 3] ** 2
        seen.add(k % 3)
    if x[0] > 0:
        left.discard("d")
        total = total * 2
    else:
        left -= {"d", "e"}
    kinds = {type(each) for each in (x, x + 1)}
    flag = {isinstance(each, np.ndarray) for each in (x, x)}.pop()
    (only,) = kinds
    return total * len(left) + len(seen) * np.sum(x) ** 2 + flag * (only is np.ndarray)


@program(number, array(3))
def distinct_names(scale, x):
    layers = [("w", x), ("b", x**2), ("w", x * scale), ("c", x)]
    unseen = {name for name, _ in layers}
    total = 0.0
    for name, values in layers:
        if name in unseen:
            total = total + scale * np.sum(values)
            unseen.remove(name)
    try:
        unseen.remove("w")
    except KeyError:
        total = total * 1.5
    unseen.update(["p"], ("q", "p"), {"r": 1})
    unseen.intersection_update({"p", "r", "s"})
    return total * len(unseen)


@program(number)
def key_views(x):
    a, b = {"u": x, "v": 2.0}, {"v": x, "w": 1.0}
    total = 0.0
    for key in sorted(a.keys() & b.keys()):
        total += a[key] * b[key]
    merged = a | b
    return (
        total
        + len(a.keys() | b.keys())
        + merged["v"]
        + ("u" in a.keys())
        + len(a.items())
        + (x in [x])
    )


@program(number)
def string_methods(x):
    weights = {}
    for word in "alpha,beta;gamma".replace(";", ",").split(","):
        weights[word.upper()[:2]] = x * len(word.strip("a"))
    name = "-".join(sorted(weights)).lower()
    if name.startswith("al") and "be" in name and not name.endswith("x"):
        return sum(weights.values()) * name.count("-") + "abc".index("b") + ord("a") * 0
    return x


@program(number)
def list_methods_of_values(x):
    xs = [x, 2.0, 3.0]
    xs.insert(1, x * x)
    xs.extend(v * x for v in (1.0, 2.0))
    last = xs.pop()
    xs[1:3] = [x, x, last]
    xs[::2] = [1.0] * len(xs[::2])
    ys = xs.copy()
    ys.reverse()
    names = ["b", "a", "c"]
    names.sort(reverse=True)
    names.remove("b")
    return sum(ys) * names.index("a") + names.count("c") * xs[1]


@program(number)
def ordered_dicts(x):
    d = OrderedDict([("a", x), ("b", x * x)])
    d["c"] = 3.0
    d.move_to_end("a")
    (last, _) = d.popitem()
    first = next(iter(d))
    return d[first] * len(d) + (last == "a") * x


@program(number)
def default_dicts(x):
    sums = defaultdict(float)
    rows = defaultdict(list)
    for k, v in [("a", x), ("b", 2.0), ("a", x * x)]:
        sums[k] += v
        rows[k].append(v * x)
    return sums["a"] * sums["b"] + sum(rows["a"]) + len(rows) + sums["none"]


@program(number)
def deques(x):
    queue = deque([x, 2.0])
    queue.appendleft(x * x)
    queue.append(3.0)
    first = queue.popleft()
    queue.rotate(1)
    window = deque(maxlen=2)
    for v in (1.0, x, x * x):
        window.append(v)
    queue.extendleft([x, 5.0])
    return first * queue[0] + queue[1] * queue[-1] + sum(window) * len(queue)


@program(number)
def counters(x):
    counts = Counter("abca")
    counts["b"] += 2
    return x * counts["a"] + x**2 * counts["b"] + counts["z"] + len(counts)


@program(number)
def namespaces(x):
    state = SimpleNamespace(h=x, inner=SimpleNamespace(w=2.0))
    state.h = state.h * state.inner.w
    state.inner.w += x
    state.extra = state.h
    return state.h * state.inner.w + state.extra


@program(number)
def star_unpacking(x):
    first, *middle, last = [x, 2 * x, 3.0, x**2]
    [a, *_], (b, c) = (first, last), middle
    pair = (*middle, x)
    both = {**{"a": a}, "b": b}
    return a * b * c + sum([*pair, *middle]) + both["a"] * len(both)
