"""A value or None, a number or a text, by data: what has not been found yet, states of machines."""

import enum

import numpy as np
from corpus.program import Theme, array, positive

program = Theme("kinds_by_data")


def ordered(*values):
    """A maker of an array with these entries."""
    return lambda rng: np.array(values)


X = ordered(0.61, -0.22, 0.46, 0.155, -0.73, 0.31)
LOW = ordered(-0.61, -0.22, -0.46, -0.155, -0.73, -0.31)
MIXED = ordered(-0.62, 0.21, 0.83, -0.154, 0.71, -0.37)
AGAIN = [(LOW,), (MIXED,)]

# Searches ----------------------------------------------------------------------------------------


@program(X, again=AGAIN)
def argmin_by_hand(x):
    best = None
    where = None
    for i in range(x.shape[0]):
        v = x[i] ** 2 - 0.3 * x[i]
        if best is None or v < best:
            best = v
            where = i
    return best + 0.1 * where


def bracket(x, y):
    for i in range(len(x) - 1):
        if y[i] * y[i + 1] < 0.0:
            return x[i], x[i + 1], y[i], y[i + 1]
    return None


@program(positive(9), 0.7, again=[(positive(9), 20.2)])
def bracketed_root(x, p):
    x = np.cumsum(x)
    y = x**2 - 4.0 * p
    found = bracket(x, y)
    if found is None:
        return 0.0
    a, b, fa, fb = found
    return a - fa * (b - a) / (fb - fa)


@program(ordered(0.1, 0.5, 0.3, 1.2, 0.2, 2.0), 0.7, again=[(X, 7.7)])
def first_crossing(x, level):
    t_cross = None
    for k in range(1, x.shape[0]):
        if t_cross is None and x[k - 1] < level <= x[k]:
            t_cross = (k - 1) + (level - x[k - 1]) / (x[k] - x[k - 1])
    if t_cross is None:
        t_cross = float(x.shape[0])
    return t_cross * level


@program(X, 0.7)
def line_search(x, c):
    def f(z):
        return np.sum(z**4) + c * np.sum(z**2)

    g = 4 * x**3 + 2 * c * x
    step = 1.0
    accepted = None
    while accepted is None and step > 1e-6:
        trial = x - step * g
        if f(trial) <= f(x) - 1e-4 * step * np.sum(g * g):
            accepted = trial
        step = step * 0.5
    if accepted is None:
        return f(x)
    return f(accepted)


@program(1.3, 0.4, again=[(0.8, -0.3)])
def first_bounce(h, v):
    g = 9.81
    dt = 0.05
    y, t = h, 0.0
    event = None
    while event is None:
        y_new = y + dt * v
        v = v - dt * g
        if y_new < 0.0:
            event = t + dt * y / (y - y_new)
        y = y_new
        t = t + dt
    return event


@program(X, again=AGAIN)
def masked_range(x):
    lo = hi = None
    for v in x:
        if v > 0:
            if lo is None:
                lo, hi = v, v
            else:
                lo = min(lo, v)
                hi = max(hi, v)
    return hi - lo if lo is not None else 0.0


def hit_sphere(center, radius, d):
    b = np.dot(center, d)
    disc = b * b - np.dot(center, center) + radius * radius
    if disc < 0:
        return None
    t = b - np.sqrt(disc)
    if t > 1e-3:
        return t
    return None


@program(
    lambda rng: np.array([[0.0, 0.1, 5.0], [0.1, 0.0, 3.0], [3.0, 0.0, 1.0]]),
    ordered(1.0, 0.5, 0.2),
    ordered(0.01, 0.02, 1.0),
)
def nearest_hit(centers, radii, d):
    d = d / np.sqrt(np.sum(d**2))
    nearest = None
    normal = None
    for i in range(radii.shape[0]):
        t = hit_sphere(centers[i], radii[i], d)
        if t is not None and (nearest is None or t < nearest):
            nearest = t
            normal = (t * d - centers[i]) / radii[i]
    if nearest is None:
        return 0.0
    return nearest + np.sum(normal * d)


@program(X, again=AGAIN)
def best_of_trials(x):
    best = value = None
    for k in range(4):
        y = x * (k - 1.5)
        new = np.sum((y - 0.3) ** 2)
        if value is None or new < value:
            value = new
            best = y.copy()
    return np.sum(best**3)


@program(X, again=AGAIN)
def closest_pair(x):
    best = None
    for i in range(x.shape[0]):
        for j in range(i):
            d = (np.exp(x[i]) - np.exp(x[j])) ** 2
            if best is None or d < best:
                best = d
    return best


# What functions return ---------------------------------------------------------------------------


def positive_root(b, c):
    d = b * b - 4.0 * c
    if d >= 0.0:
        return (-b + np.sqrt(d)) / 2.0


@program(3.0, 1.2, again=[(1.0, 1.2)])
def larger_root(b, c):
    r = positive_root(b, c)
    if r is None:
        return b * b
    return r * c


@program(X, again=AGAIN)
def helpers_that_find_nothing(x):
    def large(y):
        if y > 0.2:
            return y

    def scaled(y):
        r = large(y)
        return None if r is None else r * 3

    s = 0.0
    for v in x:
        q = scaled(v)
        if q is not None:
            s += q**2
    return s


@program(X, again=AGAIN)
def first_or_nothing(x):
    def find(y):
        for v in y:
            if v > 0.4:
                return v

    r = find(x)
    return 0.0 if r is None else r * r


@program(X, again=[(MIXED,)])
def raises_where_nothing_is_found(x):
    r = None
    for v in x:
        if v > 0.4:
            r = v
    if r is None:
        raise ValueError("nothing found")
    return r * 2


# States ------------------------------------------------------------------------------------------


@program(X, -0.2, 0.3, again=[(MIXED, -0.2, 0.3)])
def schmitt_trigger(x, lo, hi):
    state = "low"
    total = 0.0
    for i in range(x.shape[0]):
        if state == "low" and x[i] > hi:
            state = "high"
        elif state == "high" and x[i] < lo:
            state = "low"
        if state == "high":
            total = total + x[i] ** 2
        else:
            total = total - 0.5 * x[i]
    return total


@program(2.0, 1e-2, again=[(0.3, 1e-2)])
def modes_of_an_iteration(x, tol):
    mode = "explore"
    damping = 1.0
    steps = 0
    while mode != "done":
        new = x - np.tanh(x) / damping
        if abs(new) < tol:
            mode = "done"
        elif abs(new) < abs(x):
            mode = "refine"
            damping = damping * 0.9
        else:
            mode = "explore"
            damping = damping * 2.0
        x = new
        steps += 1
        if steps > 30:
            mode = "done"
    return x + damping


class Mode(enum.Enum):
    UP = 1
    DOWN = 2


@program(X, again=AGAIN)
def members_of_an_enumeration(x):
    mode = Mode.UP
    s = 0.0
    for v in x:
        if mode is Mode.UP and v > 0.5:
            mode = Mode.DOWN
        elif mode == Mode.DOWN and v < -0.5:
            mode = Mode.UP
        s = s + (v if mode is Mode.UP else v * v)
    return s


@program(X, again=AGAIN)
def matched_states(x):
    state = "up"
    s = 0.0
    for v in x:
        match state:
            case "up":
                s = s + v
                if v > 0.5:
                    state = "down"
            case "down":
                s = s - v * v
                if v < 0:
                    state = "up"
    return s


@program(X, again=AGAIN)
def rates_by_state(x):
    key = "a" if x[0] > 0 else ("b" if x[1] > 0 else "c")
    rates = {"a": 2.0, "b": x[1], "c": x[2] ** 2}
    name = f"{key}!"
    return rates[key] * (x[2] if name in ("a!", "c!") else x[3] ** 2)


@program(X, again=AGAIN)
def a_number_or_a_text(x):
    r = "none"
    for v in x:
        if v > 0.4:
            r = v
    if r == "none":
        return 0.0
    return r**2


# What was last -----------------------------------------------------------------------------------


@program(X, again=AGAIN)
def variation_of_accepted(x):
    prev = None
    total = 0.0
    for v in x:
        if v < -0.3:
            continue
        if prev is not None:
            total += (v - prev) ** 2
        prev = v
    return total


@program(X, again=AGAIN)
def forgets_what_was_last(x):
    prev = None
    total = 0.0
    i = 0
    while i < len(x):
        v = x[i]
        if v < 0:
            prev = None
        else:
            if prev is not None:
                total = total + (v - prev) ** 2
            prev = v
        i += 1
    return total


@program(X, again=AGAIN)
def forward_fill(x):
    last = None
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        if x[i] > 0.1:
            last = x[i] ** 2
        if last is not None:
            out[i] = last
    return np.sum(out * np.arange(x.shape[0]))


@program(X, again=AGAIN)
def swapped(x):
    a, b = None, x[0]
    for v in x:
        if v > 0.1:
            a, b = b, a
    return (a if a is not None else 0.0) + 2 * (b if b is not None else 0.0)


class Tracker:
    def __init__(self):
        self.best = None

    def offer(self, w):
        if self.best is None or w < self.best:
            self.best = w


@program(X, again=AGAIN)
def attribute_that_is_none_at_first(x):
    tracker = Tracker()
    for i in range(x.shape[0]):
        tracker.offer(x[i] ** 2)
    return tracker.best * x[0]


@program(X, again=AGAIN)
def record_found_last(x):
    r = None
    for i in range(x.shape[0]):
        if x[i] > 0.3:
            r = {"v": x[i], "i": i}
    if r is None:
        return 0.0
    return r["v"] ** 2 * r["i"]


@program(X, again=AGAIN)
def array_written_where_it_is_found(x):
    best = None
    for k in range(x.shape[0]):
        if x[k] > 0.2:
            best = np.zeros(3)
            best[0] = x[k]
    if best is None:
        return 0.0
    best[1] = 2.0 * best[0]
    return np.sum(best**2)


@program(array(5), again=[(LOW,)])
def bound_that_may_be_missing(x):
    lo = None if x[0] < 0 else 0.1
    return np.sum(np.clip(x, lo, 0.9) ** 2)


def first_above(xs, least):
    try:
        return [v for v in xs if v > least][0]
    except IndexError:
        return None


@program(np.array([0.5, 1.0, 2.0]), again=[(np.array([0.5, -1.0, 0.2]),)])
def found_or_none_in_a_try(x):
    total = 0.0
    for k in range(3):
        try:
            v = 1.0 / float(int(x[k] > 0.7) - k % 2)
        except ZeroDivisionError:
            v = None
        if v is not None:
            total += v * x[k] ** 2
    found = first_above(x, 1.5)
    return total if found is None else total * found
