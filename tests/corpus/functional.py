"""Functions as values: `map`, `filter`, `reduce`, `partial`, iterators, generators."""

import functools
import itertools
import operator
from functools import partial, reduce
from types import SimpleNamespace

import numpy as np
from corpus.program import Theme, array, number, vector

program = Theme("functional")


@program(number)
def maps_and_filters(x):
    xs = [x, 2 * x, 3.0]
    ys = list(map(lambda a, b: a * b, xs, (1.0, x, 2.0)))
    kept = list(filter(lambda pair: pair[0] > 0, enumerate(ys)))
    return sum(map(np.sin, ys)) + sum(v for _, v in kept) + sum(filter(None, (0, 3, 4)))


@program(vector)
def reduces(x):
    total = reduce(lambda a, b: a * b + 1.0, [x[0], x[1], x[2]])
    return total + reduce(operator.add, (x, x * 2, x**2)).sum() + reduce(max, [1.0, 2.0], 5.0)


@program(number)
def partials(x):
    power = partial(lambda base, exponent, scale=1.0: scale * base**exponent, exponent=3)
    scaled = partial(power, scale=x)
    return (
        scaled(x) + power(x, scale=2.0) + partial(operator.mul, x)(3.0) + scaled.keywords["scale"]
    )


@program(number)
def functions_in_containers(x):
    table = {"sin": np.sin, "square": lambda v: v * v, "half": partial(operator.mul, 0.5)}
    pipeline = [np.tanh, table["square"], table["half"], abs]
    for f in pipeline:
        x = f(x)
    return x + sum(f(x) for f in table.values()) + table.get("cube", np.cos)(x)


@program(number, 2)
def chosen_by_static_index(x, k):
    activations = (np.sin, np.cos, lambda v: v * v)
    return activations[k](x)


@program(vector)
def generator_expressions(x):
    n = 4
    total = sum(x[i] * i for i in range(n)) + max(x[i] ** 2 for i in range(n))
    smallest = min((v * v for v in (x[0], x[1])), default=0.0)
    ok = all(v > -100 for v in (x[0], x[1])) and any(v < 100 for v in (x[0], x[1]))
    pairs = dict((k, x[k]) for k in range(3))
    ordered = sorted((-k for k in range(3)), reverse=True)
    return total + smallest * ok + sum(tuple(v for v in pairs.values())) + sum(ordered)


@program(vector)
def generators_over_arrays(x):
    return sum(v * v for v in x) + sum(a * b for a, b in zip(x, x[::-1])) + sum(x)


@program(number)
def counts_through_itertools(x):
    xs = [x, 2 * x, 3.0, x**2]
    running = list(itertools.accumulate(xs))
    scaled = list(itertools.accumulate(xs, lambda a, b: a * b, initial=1.0))
    pairs = sum(a * b for a, b in itertools.pairwise(xs))
    grid = sum(a * b for a, b in itertools.product(xs[:2], repeat=2))
    both = sum(itertools.chain(xs, [x]), 1.0) + sum(itertools.chain.from_iterable([xs, xs]))
    return running[-1] * scaled[-1] + pairs + grid + both


@program(number)
def slices_through_itertools(x):
    xs = [x, 2 * x, 3.0, x**2]
    head = sum(itertools.islice(xs, 2)) + sum(itertools.islice(xs, 1, None, 2))
    same = sum(itertools.repeat(x, 3))
    combos = sum(a * b for a, b in itertools.combinations(xs, 2))
    starred = sum(itertools.starmap(operator.mul, [(x, 2.0), (x, x)]))
    padded = sum(a * b for a, b in itertools.zip_longest(xs, [x], fillvalue=1.0))
    taken = sum(itertools.takewhile(lambda v: v != 3.0, [1.0, 2.0, 3.0])) * x
    left = sum(itertools.dropwhile(lambda v: v < 3, range(5))) * x
    perms = sum(a - 2 * b for a, b in itertools.permutations((x, x * x), 2))
    kept = sum(itertools.compress(xs, [1, 0, 0, 1]))
    return head + same + combos + starred + padded + taken + left + perms + kept


@program(number)
def counts_with_break(x):
    total = 0.0
    for i in itertools.count():
        if i == 4:
            break
        total += x**i
    for i, s in zip(itertools.count(1), itertools.cycle([1.0, -1.0])):
        if i > 3:
            break
        total += s * x * i
    return total + sum(v * k for k, v in zip(itertools.count(2, 2), [x, x * x]))


@program(number)
def groups(x):
    total = 0.0
    for key, members in itertools.groupby([1, 1, 2, 2, 2], lambda k: k * 10):
        total = total + x * key * sum(members)
    return total


@program(number)
def getters(x):
    first, key = operator.itemgetter(0), operator.itemgetter("a", "b")
    point = SimpleNamespace(x=x, inner=SimpleNamespace(y=x * x))
    xs = [(2, x), (1, x * 2)]
    total = first([x, 1.0]) + sum(key({"a": x, "b": 2.0}))
    total += operator.attrgetter("x")(point) * operator.attrgetter("inner.y")(point)
    total += operator.methodcaller("sum", axis=0)(np.array([x, 2.0]))
    return total + sorted(xs, key=operator.itemgetter(0))[0][1]


def forwards(f, *args, **kwargs):
    return f(*args, **kwargs)


def keyword_only(a, b=2.0, *rest, scale, bias=1.0, **more):
    return (a * b + sum(rest)) * scale + bias + sum(more.values())


@program(number)
def forwards_arguments(x):
    args, options = (x, 2 * x), {"scale": x, "extra": 3.0}
    a = forwards(keyword_only, *args, **options)
    b = forwards(keyword_only, x, scale=2.0)
    c = forwards(keyword_only, *[x, 1.0], x, x * x, scale=1.0, **{"bias": x})
    return a + b * c


def only_positional(a, b, /, c=1.0):
    return a * b + c


@program(number)
def positional_only(x):
    return only_positional(x, x) + only_positional(2.0, x, c=x)


@program(number)
def extremes_with_key(x):
    pairs = [(1, x), (3, x * x), (2, 5.0)]
    biggest = max(pairs, key=lambda p: p[0])
    smallest = min(pairs, key=operator.itemgetter(0), default=None)
    return biggest[1] * smallest[1] + max(1, 2, key=lambda k: -k) * x


@program(number)
def numbers_of_everything(x):
    q, r = divmod(7, 2)
    s = pow(3, 4, 5) + round(2.567, 1) + int("12") + float("1.5") + complex(1, 2).real
    return x * (q + r + s) + abs(-x) + float(x) + bool(3) + divmod(x, 0.7)[1] + pow(x, 2)


@program(number)
def zips(x):
    xs = [x, 2 * x]
    total = 0.0
    for i, (a, b) in enumerate(zip(xs, (1.0, x), strict=True), start=1):
        total = total + i * a * b
    for i, a in reversed(list(enumerate(xs))):
        total = total * a + i
    a, b = zip(*[(x, 1.0), (2 * x, 3.0)])
    return total + sum(a) * sum(b)


@program(number)
def iterators(x):
    xs = [x, x * x, 3.0]
    first = next(iter(xs))
    found = next(v for v in (1.0, 2.0, 3.0) if v > 1.5)
    missing = next((v for v in (1.0,) if v > 1.5), x)
    return first * found + missing + sum(iter(xs))


@program(0.5, again=[(1.5,)])
def chained_comparisons(x):
    y = x if 0 < x < 1 else x * x
    z = 1.0 if 0 <= x <= 2 != 3 else 2.0
    return y * z + (1 < 2 < 3) + (0 < x != 5)


@functools.cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@program(number)
def cached_functions(x):
    return x * fib(7)


@program(array(3))
def composes(x):
    def compose(*fs):
        return reduce(lambda f, g: lambda v: g(f(v)), fs)

    return np.sum(compose(np.sin, lambda v: v * 2, np.tanh)(x))


def windows(x, width):
    for start in range(x.shape[0] - width + 1):
        yield x[start : start + width]


def batches(n, size):
    start = 0
    for _ in range(n // size):
        yield slice(start, start + size)
        start = start + size
    if start < n:
        yield slice(start, n)


@program(array(6), again=[(array(9),)])
def over_windows(x):
    total = 0.0
    for part in windows(x, 3):
        total = total * 0.5 + np.tanh(np.sum(part**2))
    return total


@program(array(7))
def over_batches(x):
    return np.sum(np.array([np.log(np.sum(x[part] ** 2) + 1.0) for part in batches(7, 3)]))


@program(array(5), again=[(array(8),)])
def steps_that_are_kept(x):
    def steps(v):
        for k in range(v.shape[0]):
            if v[k] > 0.5:
                yield v[k] * v[0]

    return sum(v * v for v in steps(x))


@program(array(5), again=[(array(8),)], smooth=False)
def extremes_of_some(x):
    low = min(v * v for v in x if v > -10.0)
    high = max((v for v in x if v > 100.0), default=x[0] * 2)
    return low + high * max(np.abs(v) for v in x if not v > 50.0)


@program(array(5), smooth=False)
def extremes_by_key(x):
    near = min(range(len(x)), key=lambda i: (x[i] - 0.3) ** 2)
    far = max(x, key=lambda v: (v - 0.3) ** 2)
    first = max(enumerate(x), key=lambda pair: pair[1])[1]
    return x[near] * far + first**2


@program(array(4), smooth=False)
def nearest_pair(x):
    pairs = ((i, j) for i in range(4) for j in range(4) if i != j)
    i, j = min(pairs, key=lambda pair: abs(x[pair[0]] - x[pair[1]]))
    return x[i] * x[j]


@program(array(5), again=[(array(8),)], smooth=False)
def sorted_entries(x):
    y = sorted(x)
    down = sorted(x * x, reverse=True)
    middle = (y[len(y) // 2] + y[(len(y) - 1) // 2]) / 2
    return middle * down[0] + sum(k * v for k, v in enumerate(y))


@program(array(5), smooth=False)
def sorted_by_key(x):
    near = sorted(range(len(x)), key=lambda i: (x[i] - 0.3) ** 2)
    far = sorted(x, key=lambda v: -abs(v - 0.3))
    return sum(x[i] ** 2 for i in near[:2]) * far[0]


@program(1.5, 0.7, smooth=False)
def sorted_numbers(a, b):
    low, middle, high = sorted((a, b, a * b))
    rows = [a * a, b, 2.0]
    rows.sort(reverse=True)
    return low * middle + high + rows[0] * rows[2]


@program(number, number)
def cached_recursion(x, c):
    """Computed once for each `n`, but for what only one path has computed."""

    @functools.cache
    def f(n):
        return x if n < 2 else 0.5 * f(n - 1) + np.sin(f(n - 2))

    y = f(12) if c > 0 else f(6) + f(13)
    return y + f(13) + f(2)


@program(array(4))
def cached_intervals(x):
    @functools.cache
    def best(i, j):
        return x[i] ** 2 if i == j else 0.5 * best(i, j - 1) + np.tanh(best(i + 1, j))

    return best(0, 3)


@program(number)
def cached_once(x):
    """What a cached function has given it gives again, whatever has changed."""
    scale = [x]

    @functools.cache
    def scaled(n):
        return scale[0] * n

    first = scaled(2)
    scale[0] = x * x
    return first * scaled(2) + scaled(3)
