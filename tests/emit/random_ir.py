"""Random IR programs: every way in which names, tapes and branches can meet."""

import operator
import random

import numpy as np
from emit.irtext import BOOL, FLOAT, INT, VECTOR, Body, function

from srcad.ir import UNDEFINED, Closure, For, Function, If, Op, SeqType, Value, While
from srcad.ir.inplace import index_iadd, index_set

HALF = np.array([0.5, -0.5, 0.5])
NAMES = ["", "", "", "x", "y", "h", "h_bar", "t", "n"]
UNARY = [np.tanh, operator.neg, np.abs, np.copy]
BINARY = [operator.add, operator.mul, operator.sub, np.maximum]


class Generator:
    """Appends random statements to bodies; `pool` holds the vectors that may be read."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.budget = 25

    def name(self):
        return self.random.choice(NAMES)

    def atom(self, pool):
        return self.random.choice([*pool, *pool, *pool, 0.5])

    def program(self):
        params = [Value(name, VECTOR) for name in ("x", "y")]
        n = Value("n", INT)
        body = Body(*params, n)
        pool = list(params)
        self.n = n
        self.statements(body, pool, depth=0)
        results = [self.random.choice(pool) for _ in range(self.random.randint(1, 4))]
        if len(results) == 1 and self.random.random() < 0.5:
            results.append(0.25)
        return function("program", body, *results)

    def statements(self, body, pool, depth):
        for _ in range(self.random.randint(1, 6)):
            self.budget -= 1
            kinds = [self.op] * 6 + [self.in_place]
            if depth < 3 and self.budget > 0:
                kinds += [self.branch, self.loop, self.while_loop, self.partial, self.taped]
                kinds += [self.partial_taped, self.exiting]
            if depth == 0:
                kinds.append(self.closure)
            self.random.choice(kinds)(body, pool, depth)

    def op(self, body, pool, depth):
        if self.random.random() < 0.5:
            pool.append(body(self.random.choice(UNARY), self.random.choice(pool), name=self.name()))
        else:
            a, b = self.random.choice(pool), self.atom(pool)
            pool.append(body(self.random.choice(BINARY), a, b, name=self.name()))

    def in_place(self, body, pool, depth):
        """A fresh array, something that reads it or a view of it, and then the write."""
        v = body(operator.mul, self.random.choice(pool), 2.0, name=self.name())
        seen = v
        if self.random.random() < 0.4:
            seen = body(np.reshape, v, -1, name=self.name())
        if self.random.random() < 0.7:
            pool.append(body(operator.neg, seen, name=self.name()))
        g = self.random.choice(pool)
        if self.random.random() < 0.5:
            pool.append(body(operator.iadd, v, g, name=self.name()))
        else:
            fn = self.random.choice([index_iadd, index_set])
            pool.append(body(fn, v, slice(0, 2), 0.5, name=self.name()))

    def cond(self, body, pool):
        total = body(np.sum, self.random.choice(pool), type=FLOAT)
        return body(operator.gt, total, 0.1, type=BOOL, name=self.name())

    def inner(self, params, pool, depth, n_results):
        body, inside = Body(*params), [*pool, *(p for p in params if p.type is VECTOR)]
        self.statements(body, inside, depth + 1)
        results = [self.random.choice([*inside[-4:], *params[1:2]]) for _ in range(n_results)]
        results = [r if r.type is VECTOR else inside[0] for r in results]
        return body.returns(*results)

    def branch(self, body, pool, depth):
        n = self.random.randint(1, 3)
        cond = self.cond(body, pool)
        outs = tuple(Value(self.name(), VECTOR) for _ in range(n))
        then, orelse = (self.inner((), pool, depth, n) for _ in range(2))
        if self.random.random() < 0.2:
            then.body.clear()
            then.results = [self.random.choice([*pool, HALF]) for _ in range(n)]
        body.add(If(cond, then, orelse, outs))
        pool += outs

    def partial(self, body, pool, depth):
        """A value of one path, read on the same path later, and perhaps handed through."""
        cond = self.cond(body, pool)
        then = self.inner((), pool, depth, 1)
        out = Value(self.name(), VECTOR, partial=True)
        body.add(If(cond, then, Body().returns(UNDEFINED), (out,)))
        if self.random.random() < 0.5:
            self.op(body, pool, depth)
        again = Value(self.name(), VECTOR, partial=True)
        if self.random.random() < 0.5:
            body.add(If(cond, Body().returns(out), Body().returns(UNDEFINED), (again,)))
            out = again
        reader = Body()
        used = reader(operator.add, out, self.random.choice(pool), name=self.name())
        final = Value(self.name(), VECTOR)
        orelse = Body().returns(self.random.choice(pool))
        body.add(If(cond, reader.returns(used), orelse, (final,)))
        pool.append(final)

    def partial_taped(self, body, pool, depth):
        """A value of one path in a loop, saved and read in the other loop on the same path."""
        m, m_tape = Value(self.name(), VECTOR, partial=True), Value("", SeqType(VECTOR))
        tests, element = Value("", SeqType(BOOL)), Value(self.name(), VECTOR, partial=True)
        index, h, h_out = Value("i", INT), Value("h", VECTOR), Value("h", VECTOR)
        turn = Body(index, h)
        inside = [*pool, h]
        cond = turn(operator.gt, turn(np.sum, h, type=FLOAT), 0.0, type=BOOL, name=self.name())
        then = self.inner((), inside, depth, 1)
        turn.add(If(cond, then, Body().returns(UNDEFINED), (m,)))
        self.op(turn, inside, depth)
        block = turn.returns(inside[-1], m, cond)
        body.add(For(0, self.n, 1, False, [pool[-1]], [], block, (h_out,), (m_tape, tests)))
        test, out, index = Value(self.name(), BOOL), Value("h_bar", VECTOR), Value("i", INT)
        acc, kept, reader = Value("h_bar", VECTOR), Value("h_bar", VECTOR), Body()
        used = reader(operator.add, element, acc, name=self.name())
        back = Body(index, acc, element, test)
        back.add(If(test, reader.returns(used), Body().returns(acc), (kept,)))
        ins = [m_tape, tests]
        body.add(For(0, self.n, 1, True, [pool[0]], ins, back.returns(kept), (out,), ()))
        pool += [h_out, out]

    def carried(self, pool):
        n = self.random.randint(1, 3)
        names = [self.name() for _ in range(n)]
        init = [self.random.choice([*pool, *pool, HALF]) for _ in range(n)]
        return names, init, tuple(Value(name, VECTOR) for name in names)

    def loop(self, body, pool, depth):
        names, init, outs = self.carried(pool)
        index = Value(self.random.choice(["i", "j", ""]), INT)
        params = [Value(name, VECTOR) for name in names]
        block = self.inner((index, *params), pool, depth, len(names))
        start, stop, step = self.bounds()
        reverse = self.random.random() < 0.5
        body.add(For(start, stop, step, reverse, init, [], block, outs, ()))
        pool += outs

    def bounds(self):
        return self.random.choice([(0, 2, 1), (0, self.n, 1), (1, 4, 2), (3, 0, -1), (0, 0, 1)])

    def taped(self, body, pool, depth):
        """A loop that writes a tape, and one over the same indices that reads it."""
        names, init, outs = self.carried(pool)
        start, stop, step = self.bounds()
        index, params = Value("i", INT), [Value(name, VECTOR) for name in names]
        block = self.inner((index, *params), pool, depth, len(names) + 1)
        if self.random.random() < 0.3:
            block.results[-1] = params[0]
        tape = Value(self.random.choice(["", "h_tape"]), SeqType(VECTOR))
        reverse = self.random.random() < 0.3
        body.add(For(start, stop, step, reverse, init, [], block, outs, (tape,)))
        pool += outs
        acc, element, index = Value("h_bar", VECTOR), Value(self.name(), VECTOR), Value("i", INT)
        again = Body(index, acc, element)
        inside = [*pool, element]
        self.op(again, inside, depth)
        result = again(operator.iadd, acc, self.random.choice(inside), name=self.name())
        zeros = body(np.zeros, 3, name=self.name())
        if self.random.random() < 0.5:
            pool.append(body(np.add, zeros, self.random.choice(pool), name=self.name()))
        out = Value("h_bar", VECTOR)
        loop = For(
            start, stop, step, not reverse, [zeros], [tape], again.returns(result), (out,), ()
        )
        body.add(loop)
        pool.append(out)

    def exiting(self, body, pool, depth):
        """A loop that is left early: by a flag at its end, or in a branch that ends it."""
        names, init, outs = self.carried(pool)
        index, params = Value("i", INT), [Value(name, VECTOR) for name in names]
        turn, inside = Body(index, *params), [*pool, *params]
        self.statements(turn, inside, depth + 1)
        n = len(names) + 1  # one is written to a tape
        if self.random.random() < 0.3:
            results = [self.random.choice(inside[-4:]) for _ in range(n)]
            flag = self.random.choice([True, False, self.cond(turn, inside)])
        else:
            *results, flag = self.leaving(turn, inside, depth, n)
            results[0] = self.random.choice([params[0], results[0], results[0]])
        if self.random.random() < 0.2:
            self.op(turn, inside, depth)
        tape, count = Value("", SeqType(VECTOR)), Value("", INT)
        start, stop, step = self.bounds()
        block = turn.returns(*results, flag)
        if self.random.random() < 0.7:
            head = (start, stop, step, False, init, [])
            loop = For(*head, block, outs, (tape,), exits=True, count=count)
        else:
            k, more = Value("k", INT), Value("k", INT)
            test = Body(k, *(Value(name, VECTOR) for name in names))
            block.body.insert(0, Op(operator.add, (index, 1), {}, (more,)))
            block.results.insert(0, more)
            test = test.returns(test(operator.lt, k, 3, type=BOOL))
            ends = (Value("k", INT), *outs)
            loop = While(test, [0, *init], block, ends, (tape,), count, exits=True)
        body.add(loop)
        pool += outs
        stop = body(operator.mul, count, step, type=INT)
        stop = body(operator.add, start, stop, type=INT)
        index, element, acc = Value("", INT), Value(self.name(), VECTOR), Value("", VECTOR)
        again = Body(index, acc, element)
        result = again(operator.add, acc, element, name=self.name())
        out, first = Value(self.name(), VECTOR), self.random.choice(pool)
        block = again.returns(result)
        body.add(For(start, stop, step, True, [first], [tape], block, (out,), ()))
        pool.append(out)

    def leaving(self, body, pool, depth, n):
        """An `If` at the end of `body`: `n` results and whether to leave."""
        cond, sides = self.cond(body, pool), []
        flags = [True, False] if self.random.random() < 0.6 else [False, True]
        for flag in flags:
            side, inside = Body(), list(pool)
            if self.random.random() < 0.6:
                self.statements(side, inside, depth + 1)
            results = [self.random.choice(inside[-4:]) for _ in range(n)]
            if self.random.random() < 0.2:
                flag = self.cond(side, inside)
            elif depth < 3 and self.random.random() < 0.3:
                *results, flag = self.leaving(side, inside, depth + 1, n)
            sides.append(side.returns(*results, flag))
        outs = tuple(Value(self.name(), VECTOR) for _ in range(n))
        flag = Value("", BOOL)
        body.add(If(cond, *sides, (*outs, flag)))
        if [side.results[-1] for side in sides] == [True, False] and self.random.random() < 0.5:
            return (*outs, cond)
        return (*outs, flag)

    def while_loop(self, body, pool, depth):
        names, init, outs = self.carried(pool)
        k_out, k_test, k_body = (Value("k", INT) for _ in range(3))
        test_params, params = ([Value(name, VECTOR) for name in names] for _ in range(2))
        test = Body(k_test, *test_params)
        limit = test(operator.lt, k_test, 3, type=BOOL)
        if self.random.random() < 0.4:
            total = test(np.sum, self.random.choice([*pool, *test_params]), type=FLOAT)
            extra = test(operator.lt, total, 5.0, type=BOOL, name=self.name())
            test(np.tanh, extra, name="seen") if self.random.random() < 0.3 else None
            limit = test(operator.and_, limit, extra, type=BOOL)
        block = self.inner((k_body, *params), pool, depth, len(names) + 1)
        step = Body()(operator.add, k_body, 1, type=INT)
        block.body.append(Op(operator.add, (k_body, 1), {}, (step,)))
        block.results.insert(0, step)
        tape, count = Value("", SeqType(VECTOR)), Value("", INT)
        loop = While(test.returns(limit), [0, *init], block, (k_out, *outs), (tape,), count)
        body.add(loop)
        pool += outs
        index, element, acc = Value("", INT), Value(self.name(), VECTOR), Value("", VECTOR)
        again = Body(index, acc, element)
        result = again(operator.add, acc, element, name=self.name())
        out = Value(self.name(), VECTOR)
        start = self.random.choice(pool)
        body.add(For(0, count, 1, True, [start], [tape], again.returns(result), (out,), ()))
        pool.append(out)

    def closure(self, body, pool, depth):
        x = Value(self.name(), VECTOR)
        block = self.inner((x,), pool, depth + 1, 1)
        fn = Value("inner", VECTOR)
        body.add(Closure(Function("inner", block), fn))
        for _ in range(self.random.randint(0, 2)):
            self.op(body, pool, depth)
        pool.append(body(call, fn, self.random.choice(pool), name=self.name()))


def call(fn, x):
    """Call a closure: the evaluator's return lists, emitted ones return values."""
    result = fn(x)
    return result[0] if isinstance(result, list) else result


def arguments():
    return np.array([0.3, -0.5, 0.7]), np.array([0.1, 0.2, -0.9]), 2
