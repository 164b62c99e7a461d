"""Tuples, dicts, objects and functions by data: of several structures the path tells which one."""

import collections
import dataclasses

import numpy as np
from corpus.program import Theme

program = Theme("structures_by_data")

POINTS = [
    np.array(x) for x in ([1.1, -2.0, 3.0], [-1.0, 0.7, 0.6], [0.4, 0.03, 0.2], [-3.0, 2.0, 1.0])
]
by_data = program(POINTS[0], again=[(x,) for x in POINTS[1:]])

Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass
class Hit:
    t: float
    n: np.ndarray


@by_data
def hit_or_none(v):  # ray: hit or None
    def hit(o):
        d = v[0] ** 2 - o
        if d < 0:
            return None
        return (np.sqrt(d), o)

    h = hit(0.5)
    if h is None:
        return 0.0
    t, o = h
    return t * o


@by_data
def best_pair(v):
    best = None
    for k in range(3):
        h = (v[k], k) if v[k] > 0 else None
        if h is not None and (best is None or h[0] < best[0]):
            best = h
    return best[0] * (best[1] + 1) if best is not None else -1.0


@by_data
def roots_in_a_list(v):
    def roots(a, b, c):
        D = b * b - 4 * a * c
        if D < 0:
            return []
        if D == 0:
            return [-b / (2 * a)]
        return [(-b - np.sqrt(D)) / (2 * a), (-b + np.sqrt(D)) / (2 * a)]

    r = roots(1.0, v[0], v[1])
    return sum(r) * len(r) if r else 0.0


@by_data
def largest_of_roots(v):
    def roots(a, b, c):
        D = b * b - 4 * a * c
        if D < 0:
            return ()
        return (-b - np.sqrt(D)) / (2 * a), (-b + np.sqrt(D)) / (2 * a)

    r = roots(1.0, v[0], v[1])
    return max(r) if r else 0.0


@by_data
def each_root(v):
    def roots(a, b, c):
        D = b * b - 4 * a * c
        if D < 0:
            return ()
        return (-b - np.sqrt(D)) / (2 * a), (-b + np.sqrt(D)) / (2 * a)

    s = 0.0
    for r in roots(1.0, v[0], v[1]):
        if r > 0:
            s = s + r**2
    return s


@by_data
def object_or_none(v):
    r = Hit(v[0], v * 2) if v[0] > 0 else None
    return r.t * np.sum(r.n) if r is not None else v[1]


@by_data
def named_tuple_or_longer_tuple(v):
    r = Pair(v[0], v[1]) if v[0] > 0 else (v[1], v[2], v[0])
    return sum(r) * len(r)


@by_data
def objects_of_two_classes(v):
    r = Hit(v[0], v * 2) if v[0] > 0 else Pair(v[1], 3.0)
    if isinstance(r, Hit):
        return r.t * np.sum(r.n)
    return r.a * r.b


@by_data
def message_and_value(v):
    msg, val = ("ok", v[0]) if v[0] > 0 else ("fail", None)
    return val**2 if msg == "ok" else np.sum(v)


@by_data
def work_list(v):
    stack = [("leaf", v[0]), ("node", v[1], v[2])]
    s = 0.0
    for each in stack:
        if each[0] == "leaf":
            s = s + each[1]
        else:
            s = s + each[1] * each[2]
    return s


@by_data
def option_or_default(v):
    opts = {"lr": v[0]} if v[0] > 0 else {}
    return opts.get("lr", 0.5) * v[1]


@by_data
def dicts_with_other_keys(v):
    opts = {"lr": v[0]} if v[0] > 0 else {"mom": v[1]}
    if "lr" in opts:
        return opts["lr"]
    return opts["mom"] * 2


@by_data
def sum_of_a_generator(v):
    t = (v[0], v[1]) if v[0] > 0 else (v[2],)
    return sum(a * a for a in t)


@by_data
def sum_of_a_comprehension(v):
    t = (v[0], v[1]) if v[0] > 0 else (v[2],)
    return sum([a * a for a in t])


@by_data
def counted_items(v):
    t = (v[0], v[1]) if v[0] > 0 else (v[2],)
    s = 0.0
    for k, a in enumerate(t):
        s += (k + 1) * a
    return s


@by_data
def array_of_items(v):
    t = (v[0], v[1]) if v[0] > 0 else (v[2],)
    return np.sum(np.array(t) ** 2)


@by_data
def longer_tuple(v):
    t = (v[0], v[1]) if v[0] > 0 else (v[2],)
    u = t + (1.0,)
    return u[-1] + u[0]


@by_data
def largest_item(v):
    t = (v[0], v[1]) if v[0] > 0 else (v[2],)
    return np.max(t) + t[0]


@by_data
def first_and_the_rest(v):
    t = (v[0], v[1]) if v[0] > 0 else (v[2],)
    a, *b = t
    return a + sum(b) * 2


@by_data
def array_or_list(v):
    x = v if v[0] > 0 else [v[0], v[1]]
    return x[0] * x[1] * len(x)


@by_data
def chosen_in_a_loop(v):
    for i in range(4):
        t = (v[0], v[1]) if v[0] * i > 0.3 else (v[2],)
        v = v * t[-1]
    return np.sum(v)


@by_data
def loop_with_else(v):
    t = (v[0], v[1]) if v[0] > 0 else (v[2],)
    s = 0.0
    for a in t:
        if a < 0:
            continue
        if a > 2.5:
            break
        s += a
    else:
        s = s * 2
    return s


@by_data
def returned_from_a_loop(v):
    def g():
        t = (v[0], v[1]) if v[0] > 0 else (v[2],)
        for a in t:
            if a > 0.5:
                return a**2
        return v[1]

    return g() + v[0]


@by_data
def pair_unpacked(v):
    t = (v[0], v[1]) if v[0] > 0 else (v[2], v[1], v[0])
    if len(t) == 3:
        a, b, c = t
        return a * b * c
    a, b = t
    return a * b


@by_data
def patterns(v):
    t = ("a", v[0]) if v[0] > 0 else ("b", v[1], v[2])
    match t:
        case ("a", q):
            return q**2
        case ("b", q, r):
            return q * r
    return 0.0


@by_data
def item_that_one_has(v):
    t = ("a", v[0]) if v[0] > 0 else ("b", v[1], v[2])
    return t[1] ** 2 if t[0] == "a" else t[1] * t[2]


@by_data
def functions(v):
    f = np.sin if v[0] > 0 else np.cos
    return np.sum(f(v))


@by_data
def builtins(v):
    f = max if v[0] > 0 else sum
    return f(v)


@by_data
def activation_changes(v):
    act = np.sin
    for _ in range(3):
        v = act(v)
        act = np.cos if v[0] > 0.5 else np.tanh
    return np.sum(v)


@by_data
def modes_zipped(v):
    modes = None
    if v[0] > 0.2:
        modes = ["L", "S"]
    elif v[0] > -9.0:
        modes = ["R", "S"]
    s = 0.0
    for mode, x in zip(modes, v):
        s = s + (x if mode == "L" else x * v[2])
    return s


@by_data
def lambdas(v):
    f = (lambda x: x * 2) if v[0] > 0 else (lambda x: x**2)
    return np.sum(f(v))


@by_data
def local_functions(v):
    k = 3.0

    def scaled(x):
        return x * k

    def powered(x, n=2.0):
        return x * n + k

    f = scaled if v[0] > 0 else powered
    k = 5.0
    return np.sum(f(v))


@by_data
def function_or_builtin(v):
    def total(*numbers):
        return sum(numbers)

    f = total if v[0] > 0 else max
    return f(v[1], v[2])


@by_data
def items_of_dicts(v):
    d = {"a": v[0]} if v[0] > 0 else {"b": v[1], "long": v[2]}
    s = 0.0
    for key, x in d.items():
        s = s + x * len(key)
    return s + sum(d.values())


@by_data
def last_first(v):
    t = (v[0], v[1]) if v[0] > 0 else (v[2],)
    s = 0.0
    for x in reversed(t):
        s = s * 2 + x
    return s


@by_data
def states_of_a_machine(v):
    state = ("start",)
    for x in v:
        if state[0] == "start" and x > 0:
            state = ("go", x)
        elif state[0] == "go":
            state = ("end", state[1] * x, 1.0)
    return len(state) * 1.0 + (state[1] if len(state) > 1 else 0.0)
