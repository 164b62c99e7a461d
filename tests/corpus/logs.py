"""Lists that loops append to where objects, dicts, lists, closures and helpers hold them."""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from corpus.program import Theme

program = Theme("logs")
LONG = {"again": [(0.4, 20), (0.6, 1), (0.6, 0)]}


class Trainer:
    def __init__(self, rate):
        self.rate = rate
        self.history = []

    def step(self, w):
        self.history.append(np.sin(w) + w**2)
        return w - self.rate * (np.cos(w) + 2 * w)

    def fit(self, w, n):
        for _ in range(n):
            w = self.step(w)
        return w


@program(0.7, 30, **LONG)
def trained(w, n):
    trainer = Trainer(0.1)
    w = trainer.fit(w, n)
    return w + sum(trainer.history)


@program(0.7, 30, **LONG)
def trained_twice(w, n):
    trainer = Trainer(0.1)
    w = trainer.fit(w, n)
    w = trainer.fit(w + 0.3, n)
    return w + sum(trainer.history) * len(trainer.history)


@program(0.7, 30, **LONG)
def an_ensemble(w, n):
    trainers = [Trainer(0.1), Trainer(0.2)]
    ws = [w, 2 * w]
    for _ in range(n):
        for k, each in enumerate(trainers):
            ws[k] = each.step(ws[k])
    return ws[0] * ws[1] + sum(trainers[0].history) * sum(trainers[1].history)


class Oscillator:
    def __init__(self, q, p):
        self.q, self.p = q, p
        self.log = {"q": [q], "p": [p], "energy": []}

    def energy(self):
        return 0.5 * self.p**2 + 0.5 * self.q**2

    def step(self, dt):
        self.p = self.p - dt * self.q
        self.q = self.q + dt * self.p
        self.log["q"].append(self.q)
        self.log["p"].append(self.p)
        self.log["energy"].append(self.energy())


@program(0.7, 30, **LONG)
def an_oscillator(x, n):
    o = Oscillator(x, 0.5)
    for _ in range(n):
        o.step(0.1)
    return np.sum(np.array(o.log["q"]) * np.array(o.log["p"])) + sum(o.log["energy"])


class Simulation:
    def __init__(self, x):
        self.x, self.t = x, 0.0
        self.states, self.times, self.events = [x], [0.0], []

    def run(self, n, dt):
        for k in range(n):
            self.x = self.x + dt * np.sin(self.x)
            self.t = (k + 1) * dt
            self.states.append(self.x)
            self.times.append(self.t)
            if self.x > 1.1:
                self.events.append((self.t, self.x))
                self.x = self.x - 0.6


@program(0.7, 30, **LONG)
def a_simulation(x, n):
    s = Simulation(x)
    s.run(n, 0.1)
    area = np.trapezoid(np.array(s.states), np.array(s.times))
    return area + s.states[-1] + sum(t * v for t, v in s.events)


@dataclass
class Log:
    values: list = field(default_factory=list)

    def add(self, v):
        self.values.append(v)

    def total(self):
        return sum(self.values)


@program(0.7, 30, **LONG)
def a_dataclass(w, n):
    log = Log()
    for i in range(n):
        w = w * 0.9 + 0.01 * i
        log.add(w)
    return log.total() + w


@program(0.7, 30, **LONG)
def a_dict_of_lists(w, n):
    log = {"loss": [], "slope": []}
    for _ in range(n):
        slope = 2 * w
        log["loss"].append(w**2)
        log["slope"].append(slope)
        w = w - 0.1 * slope
    return sum(log["loss"]) + w * sum(log["slope"])


@program(0.7, 30, **LONG)
def a_default_dict(w, n):
    log = defaultdict(list)
    log["w"].append(w)
    for _ in range(n):
        w = np.tanh(w) + 0.1
        log["w"].append(w)
    return np.sum(np.array(log["w"]) ** 2) + w


@program(0.7, 30, **LONG)
def a_list_of_lists(a, n):
    tracks = [[], []]
    b = 1.0
    for _ in range(n):
        a, b = a + 0.1 * b, b - 0.1 * a
        tracks[0].append(a)
        tracks[1].append(b)
    return np.sum(np.array(tracks[0]) * np.array(tracks[1])) + a


@program(0.7, 30, **LONG)
def a_callback(x, n):
    seen = []

    def minimise(slope, w, callback):
        for _ in range(n):
            w = w - 0.1 * slope(w)
            callback(w)
        return w

    w = minimise(lambda w: w**3, x, seen.append)
    return w + sum(seen)


def record(values, v):
    values.append(v)


def fill(values, x, n):
    for i in range(n):
        values.append(x * i)


@program(0.7, 30, **LONG)
def a_helper_appends(w, n):
    values = []
    for _ in range(n):
        w = 0.9 * w + 0.1
        record(values, w * w)
    return sum(values) + w


@program(0.7, 30, **LONG)
def a_helper_has_the_loop(x, n):
    values = [x]
    fill(values, x, n)
    fill(values, x**2, n)
    return sum(v**2 for v in values) * len(values)


@program(0.7, 30, **LONG)
def another_name(w, n):
    trainer = Trainer(0.1)
    seen = trainer.history
    for _ in range(n):
        w = 0.9 * w
        seen.append(w)
    trainer.history.append(w * w)
    return sum(trainer.history) * len(seen)


@program(0.7, 12, again=[(0.4, 5), (0.6, 1), (0.6, 0)])
def by_both_of_two_loops(x, n):
    log = {"all": [], "inner": []}
    for i in range(n):
        log["all"].append(x * i)
        for j in range(i):
            x = 0.99 * x + 0.01
            log["inner"].append(x)
            log["all"].append(x**2 + j)
    return sum(log["all"]) + sum(log["inner"]) + x


@program(0.7, 30, **LONG)
def until_it_settles(w, n):
    trainer = Trainer(0.1)
    k = 0
    while k < n:
        w = trainer.step(w)
        k = k + 1
        if k > 1 and abs(trainer.history[-1] - trainer.history[-2]) < 1e-2:
            break
    return w + sum(trainer.history)


@program(np.array([0.7, 0.1]), 30, again=[(np.array([0.2, 0.4]), 20), (np.array([0.2, 0.4]), 2)])
def states_that_are_arrays(y, n):
    s = Simulation(0.0)
    for _ in range(n):
        y = y + 0.1 * np.array([y[1], -y[0]])
        s.events.append(y.copy())
    return np.sum(np.array(s.events) ** 3) + y[0]


@program(0.7, 30, **LONG)
def an_exception_on_the_way(x, n):
    log = Log()
    try:
        w = x
        for _ in range(n):
            w = w * 0.9
            if w < 0.05:
                raise ValueError("small")
            log.add(w)
        result = log.total() + w
    except ValueError:
        result = 2 * x
    return result


@program(0.7, 30, **LONG)
def one_more_on_a_path(w, n):
    values = []
    for _ in range(n):
        w = 0.95 * w
        values.append(w)
    if w > 0.3:
        values.append(w * 2)
    return sum(values) + w


@program(0.7, 30, **LONG)
def one_more_at_the_end(w, n):
    values = []
    for _ in range(n):
        w = 0.93 * w
        if w < 0.2:
            break
        values.append(w)
    else:
        values.append(10 * w)
    return sum(values) + w
