"""Lists that get an item on some paths only: their length is what the data decides."""

import numpy as np
from corpus.program import Theme

program = Theme("picked")


def mixed(rng):
    """Numbers of both signs, none of them near a threshold."""
    return rng.uniform(0.6, 2.0, 6) * np.array([1, -1, 1, 1, -1, 1])


def ascending(rng):
    return np.sort(rng.uniform(0.6, 2.0, 7))


def table(rng):
    return rng.uniform(0.6, 2.0, (4, 2)) * np.array([[1], [-1], [1], [1]])


def growth(rng):
    return 3.1 + 0.2 * rng.random()


@program(mixed, again=[(ascending,)])
def above_a_threshold(x):
    kept = []
    for v in x:
        if v > 0:
            kept.append(v * v)
    return np.sum(np.array(kept) ** 2)


@program(mixed, again=[(ascending,)])
def by_a_condition_of_a_comprehension(x):
    kept = [np.log(v) for v in x if v > 0 if v < 10]
    return sum(kept) / len(kept)


@program(mixed, again=[(ascending,)])
def where_there_are_any(x):
    low = []
    for v in x:
        if v < 0:
            low.append(v)
    if not low:
        return np.sum(x)
    return np.mean(low) * x[0]


@program(mixed, again=[(ascending,)])
def after_a_continue(x):
    roots = []
    for i in range(len(x)):
        if x[i] < 0:
            continue
        roots.append(np.sqrt(x[i]))
    return np.prod(np.array(roots))


@program(ascending)
def until_a_break(x):
    seen = []
    for v in x:
        if v > 1.8:
            break
        if v * 10 % 2 > 1:
            seen.append(v**2)
    return np.sum(seen) + x[0]


@program(mixed)
def two_lists(x):
    up, down = [], []
    for v in x:
        if v > 0:
            up.append(v)
        else:
            down.append(v)
    return np.mean(up) * np.mean(down)


@program(table)
def rows_of_a_table(x):
    rows = []
    for r in x:
        if r[0] > 0:
            rows.append(r * r[1])
    return np.sum(np.array(rows) ** 2)


@program(table)
def stacked_rows(x):
    return np.sum(np.stack([r for r in x if np.sum(r) > 0]) ** 3)


@program(mixed)
def positions(x):
    at = [i for i, v in enumerate(x) if v > 0]
    total = 0.0
    for i in at:
        total += x[i] ** 3
    return total * np.sum(x[at])


@program(mixed)
def pairs_of_numbers(x):
    points = []
    for i in range(len(x)):
        if x[i] > 0:
            points.append((i * 1.0, x[i] ** 2))
    total = 0.0
    for t, y in points:
        total += t * y
    return total + np.sum(np.array(points)[:, 1])


@program(mixed, again=[(ascending,)])
def after_first_items(x):
    steps = [0.0]
    for v in x:
        if v > 0:
            steps.append(v * 3.0)
    return np.sum(np.diff(np.array(steps)) ** 2)


@program(growth)
def every_tenth_state(r):
    x, kept = 0.5, []
    for k in range(60):
        x = np.cos(r * x)
        if k % 10 == 0:
            kept.append(x)
    return np.mean(kept)


@program(growth)
def bounces(p):
    y, v, t = 2.0, 0.0, 0.0
    hits = []
    while t < 3.0:
        v = v - 9.81 * 0.05
        y = y + v * 0.05
        if y < 0:
            y = -y
            v = -0.2 * p * v
            hits.append(v)
        t = t + 0.05
    return sum(hits)


@program(mixed)
def sorted_and_extreme(x):
    kept = [v * x[0] for v in x if v > 0]
    return np.dot(sorted(kept)[:2], np.array([1.0, 2.0])) + max(kept)


@program(mixed)
def groups(x):
    total = 0.0
    for k in range(2):
        members = [x[i] for i in range(len(x)) if i % 2 == k and x[i] > 0]
        if members:
            total += np.sqrt(sum([m * m for m in members]))
    return total


@program(mixed, again=[(ascending,)])
def lists_of_numbers(x):
    points = [[v, v * x[0]] for v in x if v > 0]
    total = np.sum(np.array(points)[:, 1] ** 2)
    for a, b in points:
        total += a * b
    return total + points[0][1] * points[-1][0]


@program(mixed, again=[(ascending,)])
def one_loop_after_the_other(x):
    parts = []
    for v in x:
        if v > 0:
            parts.append(v * v)
    for v in x:
        parts.append(np.sin(v))
    return np.sum(np.array(parts) * np.arange(len(parts)))


@program(table)
def rows_of_two_loops(x):
    rows = [x[0]]
    for r in x:
        if r[0] > 0:
            rows.append(r)
    for r in x:
        rows.append(r * r)
    return np.sum(np.array(rows) ** 2)


@program(mixed)
def list_read_in_a_branch_of_the_outer_loop(x):
    total = 0.0
    for k in range(3):
        h, states = 0.0, []
        for v in x:
            h = 0.5 * h + v * k
            states.append(h)
        if x[k] > 0:
            total += sum(states) ** 2
    return total


@program(mixed, again=[(ascending,)])
def pairs(x):
    near = []
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            r = (x[i] - x[j]) ** 2
            if r > 0.01:
                near.append(np.sqrt(r))
    return np.sum(1.0 / np.array(near)) if near else x[0] * 0.0


@program(mixed, again=[(ascending,)])
def pairs_of_a_comprehension(x):
    return sum([x[i] * x[j] for i in range(len(x)) for j in range(i) if i % 2 == 0])


@program(ascending)
def rows_of_loops_inside_each_other(x):
    rows = [np.array([x[0], 0.0, 1.0])]
    for i in range(len(x)):
        for j in range(i):
            rows.append(np.array([x[i], x[j], 1.0]))
    table = np.array(rows)
    return np.sum(np.tanh(table.T @ table))


@program(mixed)
def positions_of_pairs(x):
    at = []
    for i in range(len(x)):
        for j in range(i):
            if x[i] > x[j]:
                at.append((i, j))
    total = 0.0
    for i, j in at:
        total += x[i] * x[j] ** 2
    return total


@program(ascending)
def three_loops(x):
    return np.mean([u * v * w for u in x for v in x for w in x[:2]])


# ---- picked in each iteration: arrays whose lengths the data decides


def matrix(rng):
    return rng.uniform(0.6, 2.0, (5, 6)) * np.where(rng.random((5, 6)) < 0.3, -1, 1)


def weights(rng):
    return rng.uniform(0.6, 2.0, 6)


@program(matrix, weights)
def two_masks(x, w):
    total = 0.0
    for row in x:
        r = row - 0.1 * w
        high = r > 0
        total += np.sum(r[high] ** 2) + np.sum(np.sqrt(-r[~high]))
    return total


@program(matrix, weights)
def softmax_over_some(x, w):
    total = 0.0
    for i in range(len(x)):
        allowed = np.flatnonzero(x[i] > 0)
        z = w[allowed] * x[i, allowed]
        z = z - z.max()
        p = np.exp(z) / np.sum(np.exp(z))
        total += np.log(p[0]) + p @ z
    return total


@program(matrix, weights)
def centred_rows(x, w):
    total = 0.0
    for k in range(3):
        some = x[x[:, k] > 0]
        total += np.sum((some - np.mean(some, axis=0)) ** 2) * w[k]
    return total


@program(matrix, weights)
def compressed(x, w):
    s = w * 1.0
    for row in x:
        up = np.compress(row > 0, row)
        low = np.extract(row <= 0, s)
        s = s * np.tanh(0.05 * np.sum(up**2)) + np.sum(low * low)
    return np.sum(s)


@program(matrix, weights)
def places_read_one_by_one(x, w):
    total = 0.0
    for i in range(len(x)):
        for j in np.nonzero(x[i] > 0)[0]:
            total += w[j] * x[i, j] ** 2
    return total


@program(matrix, weights)
def running_sums_of_some(x, w):
    total = 0.0
    for row in x:
        a = np.cumsum(row[row > 0])
        total += np.sum(a[a < 4.0] ** 2) + a[-1] * w[0]
    return total


@program(matrix, weights)
def in_a_while(x, w):
    i, total = 0, 0.0
    while i < len(x) and total < 40.0:
        some = x[i][x[i] > 0]
        total = total + np.sum(np.exp(0.1 * some) * len(some)) * w[i]
        i += 1
    return total


@program(matrix)
def places_in_a_matrix(x):
    total = 0.0
    for k in range(3):
        rows, columns = np.nonzero(x > 0.5 * k)
        total += np.sum(x[rows, columns] ** 2 * columns) + rows[0]
    return total


@program(matrix, weights)
def slices_beside_places(x, w):
    y = x * 1.0
    for k in range(3):
        up = x[k] > 0
        y[1:3, up] *= w[k]
        y[0, up] += 1.0
        total = np.sum(x[x[:, k] > 0, k] ** 2) + np.argmax(up)
    return np.sum(y**3) + total


@program(matrix, weights)
def rows_of_places_in_a_matrix(x, w):
    rows, columns = np.nonzero(x > 0)
    return np.sum(w[rows] ** 2) + np.sum(np.sqrt(w[columns])) + np.sum(w[np.sort(columns)])


@program(matrix)
def as_many_as_the_shorter(x):
    total = 0.0
    for i in range(len(x) - 1):
        a, b = x[i][x[i] > 0], x[i + 1][x[i + 1] > 0]
        n = min(len(a), len(b))
        total += np.sum(np.exp(0.1 * a[:n]) * b[:n])
    return total


@program(matrix)
def picked_by_a_branch(x):
    total = 0.0
    for i in range(len(x)):
        if x[i, 0] > 0:
            some = x[i][x[i] > 0]
        else:
            some = x[i][x[i] < 0]
        total += np.sum(np.exp(0.1 * some))
    return total


@program(mixed)
def chosen_ones_become_fewer(x):
    """How many there are is not known, and is another number in each iteration."""
    y, s = x[x > 0.2], 0.0
    while y.shape[0] > 0:
        s = s * 0.5 + y[-1] * y.shape[0]
        y = y[:-1]
    return s


@program(mixed)
def chosen_ones_become_more(x):
    y = x[x > 0.2]
    for k in range(2):
        y = np.append(y, x[k] * 2.0)
    return np.sum(y) / y.shape[0] + len(y)


@program(mixed)
def names_sorted_by_their_values(x):
    d = {"a": x[0] * x[1], "b": x[2], "c": np.sin(x[3])}
    total = 0.0
    for i, name in enumerate(sorted(d, key=d.get)):
        total += (i + 1) * d[name] ** 2
    for i, (name, v) in enumerate(sorted(d.items(), key=lambda pair: -pair[1])):
        total += (i + 2) * v * d[name]
    return total


class Item:
    def __init__(self, weight, value):
        self.weight = weight
        self.value = value


@program(mixed)
def objects_sorted_by_their_values(x):
    items = [Item(x[0] ** 2, x[1]), Item(x[2] ** 2, x[3]), Item(x[4] ** 2 + 1, x[5])]
    left, total = 3.3, 0.0
    for item in sorted(items, key=lambda item: item.value / item.weight, reverse=True):
        total += item.value * min(item.weight, left)
        left = left - item.weight if left > item.weight else 0.5 * left
    return total


@program(mixed)
def pairs_sorted_in_place(x):
    pairs = [(x[0], x[1] ** 2), (x[2], x[3]), (x[1], x[4] ** 3)]
    pairs.sort(key=lambda pair: pair[1])
    return pairs[0][0] + 2 * pairs[1][1] * pairs[1][0] + 3 * pairs[2][0]
