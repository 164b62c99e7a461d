"""Random programs: arithmetic, views, scattered writes, branches, loops with tapes, closures.

Names repeat on purpose (`x_bar = x_bar + g` is what the last pass writes in place); views, equal
values and shared starts of carried values are common: there, writing in place would be noticed.
"""

import operator

import numpy as np
from transform.programs import BOOL, FLOAT, INT, SCALAR, array, program

from srcad import runtime
from srcad.ir import ArrayType, Block, Closure, Function, ObjectType, Value
from srcad.ir.types import shape_of
from srcad.rules.core.staged import Staged, type_of, unwrap

N = 4
VECTOR = array(N)
NAMES = ("", "a", "a", "x_bar")


class Maker:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.b = None
        self.pulls = []

    def pick(self, items):
        return items[int(self.rng.integers(len(items)))]

    def program(self, size=12):
        def body(b, *inputs):
            self.b = b
            vectors, scalars = self.block([*inputs[:2]], [*inputs[2:]], size, depth=0)
            vectors += [self.called(pull, vectors[0]) for pull in self.pulls]
            results = [self.pick(vectors[-5:]) for _ in range(3)]
            return (*results, self.pick(scalars[-3:]))

        return program(body, x=VECTOR, y=VECTOR, s=SCALAR, k=FLOAT)

    def block(self, vectors, scalars, size, depth):
        vectors, scalars = list(vectors), list(scalars)
        for _ in range(size):
            if depth < 2 and self.rng.random() < 0.22:
                vectors += self.region(vectors, scalars, depth)
            elif self.rng.random() < 0.2:
                scalars.append(self.scalar(vectors, scalars))
            else:
                vectors.append(self.named(self.vector(vectors, scalars)))
        return vectors, scalars

    def named(self, x):
        """`x` with a name that others may have too."""
        if isinstance(x, Staged) and not x.value.name:
            x.value.name = self.pick(NAMES)
        return x

    def scalar(self, vectors, scalars):
        v, s = self.pick(vectors), self.pick(scalars)
        return self.pick(
            (
                lambda: np.sum(v),
                lambda: v[self.pick((0, 1, -1))],
                lambda: s * 2.0,
                lambda: -s,
                lambda: s + self.pick(scalars),
                lambda: np.tanh(np.sum(v)),
            )
        )()

    def vector(self, vectors, scalars):
        v, w, s = self.recent(vectors), self.recent(vectors), self.pick(scalars)
        call = self.b.call
        index = self.pick((0, 2, slice(1, 3), slice(None, None, 2), np.array([0, 1, 1])))
        part = operator.getitem(w, index) if isinstance(index, slice | np.ndarray) else s
        return self.pick(
            (
                lambda: v + w,
                lambda: v + w,
                lambda: v - w,
                lambda: w + v,
                lambda: v * 1,
                lambda: v * s,
                lambda: -v,
                lambda: (-v) * w,
                lambda: v / 2.0,
                lambda: np.tanh(v),
                lambda: np.exp(np.tanh(w)),
                lambda: v[::-1],
                lambda: np.reshape(np.reshape(v, (2, 2)), (N,)),
                lambda: np.reshape(np.transpose(np.reshape(v, (2, 2))), (N,)),
                lambda: np.repeat(np.reshape(v, (2, 2))[0], 2) + w,
                lambda: call(np.copy, v),
                lambda: np.where(v > 0, v, w),
                lambda: np.broadcast_to(s, (N,)) * v,
                lambda: call(np.astype, np.broadcast_to(s, (N,)), np.dtype(float)) + 0.0,
                lambda: call(np.zeros_like, v) + w,
                lambda: call(runtime.index_add, v, index, part),
                lambda: call(runtime.index_add, v, index, part),
                lambda: call(runtime.index_add, call(np.zeros, (N,)), index, part),
                lambda: call(runtime.index_update, v, index, part),
                lambda: call(runtime.index_update, v, index, part * 2.0),
                lambda: call(runtime.index_update, v, index, 0),
                lambda: call(
                    runtime.index_add, call(runtime.index_update, v, index, 0), index, part
                ),
                lambda: call(runtime.index_update, v, index, v[index] * s),
                lambda: call(runtime.index_update, v, slice(1, None), v[:-1]),
                lambda: call(runtime.scatter, part, (N,), index),
                lambda: v + call(runtime.scatter, part, (N,), index),
            )
        )()

    def recent(self, vectors):
        vectors = [v for v in vectors if shape_of(type_of(v)) == (N,)]
        return self.pick(vectors[-4:] if self.rng.random() < 0.7 else vectors)

    # ---- regions

    def region(self, vectors, scalars, depth):
        vectors = [v for v in vectors if shape_of(type_of(v)) == (N,)]
        made = self.pick((self.branch, self.loop, self.loop, self.turns, self.pull))
        found = made(vectors, scalars, depth)
        return [self.named(v) for v in (found if isinstance(found, tuple) else (found,))]

    def results(self, vectors, count):
        return tuple(unwrap(self.recent(vectors)) for _ in range(count))

    def branch(self, vectors, scalars, depth):
        cond = self.pick(scalars) > 0

        def side():
            return self.results(self.block(vectors, scalars, 3, depth + 1)[0], 2)

        return self.b.branch(cond, side, side, types=[VECTOR, VECTOR])

    def loop(self, vectors, scalars, depth):
        bounds = (0, self.pick((0, 1, 3)), 1)
        if self.rng.random() < 0.3:
            bounds = (0, self.b.call(operator.getitem, (2, 3), 1), 1)
        start = [self.recent(vectors) for _ in range(2)]
        if self.rng.random() < 0.3:
            start[1] = start[0]
        exits = self.rng.random() < 0.3

        def body(i, a, c, *elements):
            inner = self.block([*vectors, *elements, a, c], scalars, 4, depth + 1)[0]
            results = *self.results(inner, 2), unwrap(self.pick((a, inner[-1], self.recent(inner))))
            return (*results, *(self.leaving(i, inner, scalars) if exits else ()))

        names = (self.pick(NAMES), self.pick(NAMES))
        types = [VECTOR, VECTOR]
        *outs, tape = self.b.loop(bounds, start, body, types=types, names=names, exits=exits)
        if exits:
            bounds = (0, self.b.count(), 1)

        def back(i, a, h):
            inner = self.block([*vectors, h, a], scalars, 3, depth + 1)[0]
            return self.results([*inner, self.named(a + h)], 1)

        again = self.b.loop(
            bounds, [self.recent([*vectors, *outs])], back, ins=[tape], reverse=True, types=[VECTOR]
        )
        return (*outs, again)

    def leaving(self, i, vectors, scalars):
        """Whether to leave: told by the iteration, by what is computed, or by a branch."""
        leave = self.pick((i > 0, self.pick(scalars) > 0, np.sum(self.recent(vectors)) > 0))
        if self.rng.random() < 0.5:
            return (unwrap(leave),)
        sides = self.pick(((True, False), (False, True), (False, leave), (False, False)))
        say = [lambda side=side: (unwrap(side),) for side in sides]
        return (unwrap(self.b.branch(leave, *say, types=[BOOL])),)

    def turns(self, vectors, scalars, depth):
        start = [self.recent(vectors), self.recent(vectors)]

        def body(k, a, c):
            inner = self.block([*vectors, a, c], scalars, 3, depth + 1)[0]
            return (unwrap(k + 1), *self.results(inner, 2))

        types = [INT, VECTOR, VECTOR]
        _, *outs = self.b.turns([0, *start], lambda k, a, c: k < 2, body, types=types)
        return tuple(outs)

    def pull(self, vectors, scalars, depth):
        """A closure over what is at hand, called twice, and once more at the end of the program."""
        param, out = Value("g", VECTOR), Value("pull", ObjectType("function"))

        def body(g):
            return self.results(self.block([*vectors, g], scalars, 3, depth + 1)[0], 1)

        statements, results = self.b.inside(body, param)
        inner = Function("pull", Block([param], statements, results))
        self.b.builder.body.append(Closure(inner, out))
        if depth == 0:
            self.pulls.append(out)  # called again at the end
        return tuple(self.called(out, self.recent(vectors)) for _ in range(2))

    def called(self, pull, v):
        return self.b.builder.wrap(_apply(self.b.builder, pull, unwrap(v)))


def call_closure(pull, v):
    """What a caller does with a pullback: keep the result, call again."""
    return pull(v)[0]


def _apply(builder, pull, v):
    from srcad.ir import Op

    out = Value("", VECTOR)
    builder.body.append(Op(call_closure, (pull, v), {}, (out,)))
    return out


def random_program(seed):
    return Maker(seed).program()


def arguments(seed, special=False):
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((2, N))
    if special:
        x[:] = rng.permutation([0.0, -0.0, np.nan, np.inf])
        y[:] = rng.permutation([-np.inf, -0.0, 1.0, 0.0])
    return x, y, np.float64(rng.standard_normal()), float(rng.standard_normal())


__all__ = ["ArrayType", "arguments", "random_program"]
