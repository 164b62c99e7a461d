"""Random programs of scalars and vectors: branches, loops, sequences and `while` in each other."""

import operator
import random

import numpy as np
from transform.programs import BOOL, INT, SCALAR, array, program

from srcad.ir import ArrayType
from srcad.rules.core.staged import type_of

VECTOR = array("n")
UNARY = [np.sin, np.tanh, np.cos, lambda v: v * v * 0.5, lambda v: v * 0.7, lambda v: 0.3 - v]


def is_vector(x):
    return type_of(x) == VECTOR


def is_scalar(x):
    return isinstance(type_of(x), ArrayType) and type_of(x).shape == ()


class Generator:
    """Appends random statements; `env` holds the values that may be read."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def program(self):
        def f(b, x, w, c):
            self.b = b
            env = self.statements([x, w, c], 3, 6)
            s, v = self.pick(env, 1, 1)
            return s * c + np.sum(v * x) + s

        return program(f, x=VECTOR, w=VECTOR, c=SCALAR)

    def some(self, env, kind):
        return self.random.choice([v for v in env if kind(v)])

    def pick(self, env, n_scalars, n_vectors):
        """Values to carry or return, rather from the newest."""
        kinds = [is_scalar] * n_scalars + [is_vector] * n_vectors
        return tuple(
            self.some(env[-6:] if any(map(kind, env[-6:])) else env, kind) for kind in kinds
        )

    def sizes(self):
        n_scalars, n_vectors = self.random.randint(0, 2), self.random.randint(0, 1)
        return (n_scalars, n_vectors) if n_scalars + n_vectors else (1, 0)

    def statements(self, env, depth, count):
        env = list(env)
        for _ in range(count):
            k = self.random.random()
            if k < 0.35 or (depth == 0 and k > 0.6):
                env.append(self.scalar(env))
            elif k < 0.6:
                env.append(self.vector(env))
            elif k < 0.75:
                env.extend(self.branch(env, depth - 1))
            elif k < 0.86:
                env.extend(self.loop(env, depth - 1))
            elif k < 0.93:
                env.extend(self.exiting(env, depth - 1))
            else:
                env.extend(self.turns(env, depth - 1))
        return env

    def scalar(self, env):
        match self.random.randrange(6):
            case 0:
                return np.sum(self.some(env, is_vector)) * 0.3
            case 1:
                return self.some(env, is_vector)[self.random.randrange(3)]
            case 2 | 3:
                x, y = self.some(env, is_scalar), self.some(env, is_scalar)
                return np.tanh(x * y if self.random.random() < 0.6 else x - 0.5 * y)
            case _:
                return np.sin(self.random.choice(UNARY)(self.some(env, is_scalar)))

    def vector(self, env):
        x = self.some(env, is_vector)
        match self.random.randrange(4):
            case 0:
                return np.tanh(x * self.some(env, is_vector))
            case 1:
                return x * self.some(env, is_scalar)
            case 2:
                return np.sin(x + self.some(env, is_vector))
            case _:
                return self.random.choice(UNARY)(x)

    def branch(self, env, depth):
        cond = self.some(env, is_scalar) > self.random.uniform(-0.3, 0.5)
        sizes = self.sizes()

        def arm():
            return self.pick(self.statements(env, depth, self.random.randint(0, 3)), *sizes)

        out = self.b.branch(cond, arm, arm)
        return out if isinstance(out, tuple) else (out,)

    def loop(self, env, depth):
        n_scalars, n_vectors = self.sizes()
        collects = self.random.random() < 0.3
        trips = self.random.choice([0, 1, 2, 3, 3])
        bounds = self.random.choice([(0, trips, 1), (trips - 1, -1, -1)])

        def body(i, *carried):
            inner = self.statements([*env, *carried], depth, self.random.randint(1, 4))
            inner.append(self.some(inner, is_vector)[i])
            out = self.pick(inner, n_scalars, n_vectors)
            if self.random.random() < 0.2:
                out = (*self.random.sample(out[:n_scalars], n_scalars), *out[n_scalars:])
            return (*out, *self.pick(inner, 0, 1)) if collects else out

        init = self.pick(env, n_scalars, n_vectors)
        out = self.b.loop(bounds, init, body, reverse=self.random.random() < 0.3)
        out = out if isinstance(out, tuple) else (out,)
        if not collects:
            return out
        *out, seq = out
        total = self.b.loop(
            bounds, (0.0,), lambda i, s, y: s * 0.5 + np.sum(y * y) * 0.2, ins=[seq], types=[SCALAR]
        )
        return (*out, total)

    def exiting(self, env, depth):
        """A loop that may be left by a flag at its end, or in a branch that ends its body."""
        sizes = self.sizes()
        bounds = self.random.choice([(0, 3, 1), (2, -1, -1), (1, 6, 2), (0, 0, 1), (0, 1, 1)])
        last = self.random.choice([bounds[0], bounds[0] + bounds[2], 9])

        def body(i, *carried):
            inner = self.statements([*env, *carried], depth, self.random.randint(1, 3))
            leave = self.b.call(operator.eq, i, last)
            if self.random.random() < 0.3:
                leave = self.some(inner, is_scalar) > 0.2
            if self.random.random() < 0.4:
                return (*self.pick(inner, *sizes), leave)
            return self.broken(inner, carried, leave, sizes, depth)

        init = self.pick(env, *sizes)
        if self.random.random() < 0.7:
            out = self.b.loop(bounds, init, body, exits=True)
            return out if isinstance(out, tuple) else (out,)

        def turn(k, *carried):
            return (k + bounds[2], *body(k, *carried))

        def test(k, *carried):
            more = operator.gt if bounds[2] < 0 else operator.lt
            return self.b.call(more, k, bounds[1])

        types = [INT, *[SCALAR] * sizes[0], *[VECTOR] * sizes[1]]
        out = self.b.turns((bounds[0], *init), test, turn, types=types, exits=True)
        return out[1:]

    def broken(self, env, carried, leave, sizes, depth):
        """`if leave: break`, and the rest of the body, which may break again."""

        def rest():
            inner = self.statements(env, depth, self.random.randint(1, 2))
            if self.random.random() < 0.3:
                again = self.some(inner, is_scalar) > 0.3
                return self.broken(inner, carried, again, sizes, depth)
            return (*self.pick(inner, *sizes), False)

        ends = self.random.choice([carried, self.pick(env, *sizes)])
        types = [*[SCALAR] * sizes[0], *[VECTOR] * sizes[1], BOOL]
        return self.b.branch(leave, lambda: (*ends, True), rest, types=types)

    def turns(self, env, depth):
        trips = self.random.randrange(3)

        def body(s, v, k):
            inner = self.statements([*env, s, v], depth, self.random.randint(1, 3))
            return (*self.pick(inner, 1, 1), k + 1)

        def test(s, v, k):
            return self.b.call(operator.lt, k, trips)

        init = (*self.pick(env, 1, 1), 0)
        return self.b.turns(init, test, body, types=[SCALAR, VECTOR, INT])[:2]
