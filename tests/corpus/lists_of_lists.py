"""Tables as lists of lists of which data gives the lengths: dynamic programming, matrices."""

import copy
import math

import numpy as np
from corpus.program import Theme, array, integers, number, positive

program = Theme("lists_of_lists")


@program(positive(5), positive(4), again=[(positive(2), positive(7))], smooth=False)
def warped_distance(a, b):
    n, m = len(a), len(b)
    table = [[float("inf")] * (m + 1) for _ in range(n + 1)]
    table[0][0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            best = min(table[i - 1][j], table[i][j - 1], table[i - 1][j - 1])
            table[i][j] = abs(a[i - 1] - b[j - 1]) + best
    return table[n][m]


@program(array(4), array(5), 0.7, again=[(array(6), array(2), 0.2)], smooth=False)
def edit_distance(a, b, gap):
    n, m = len(a), len(b)
    d = [[0.0 for _ in range(m + 1)] for _ in range(n + 1)]
    for i in range(n + 1):
        d[i][0] = i * gap
    for j in range(m + 1):
        d[0][j] = j * gap
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            change = d[i - 1][j - 1] + (a[i - 1] - b[j - 1]) ** 2
            d[i][j] = min(d[i - 1][j] + gap, d[i][j - 1] + gap, change)
    return d[-1][-1]


@program(positive(5), np.array([2, 1, 3, 1, 2]), 6, smooth=False)
def knapsack(values, weights, capacity):
    best = [[0] * (capacity + 1) for _ in range(len(values) + 1)]
    for i in range(1, len(values) + 1):
        for w in range(capacity + 1):
            best[i][w] = best[i - 1][w]
            if weights[i - 1] <= w:
                best[i][w] = max(best[i][w], values[i - 1] + best[i - 1][w - weights[i - 1]])
    return best[-1][-1] * 1.0


@program(positive(6, 6), again=[(positive(3, 3),)], smooth=False)
def shortest_paths(w):
    n = len(w)
    d = [[w[i][j] for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return sum(sum(row) for row in d)


@program(array(4, 4), array(4), again=[(array(7, 7), array(7))])
def eliminated(a0, b):
    n = len(b)
    a = [[a0[i, j] for j in range(n)] + [b[i]] for i in range(n)]
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i][k]) > abs(a[p][k]):
                p = i
        a[k], a[p] = a[p], a[k]
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            for j in range(k, n + 1):
                a[i][j] -= f * a[k][j]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        s = a[i][n]
        for j in range(i + 1, n):
            s -= a[i][j] * x[j]
        x[i] = s / a[i][i]
    return sum(x)


@program(array(3, 4), array(4, 2), again=[(array(5, 2), array(2, 6))])
def product_of_matrices(a, b):
    n, m, p = len(a), len(b), len(b[0])
    c = [[0.0] * p for _ in range(n)]
    for i in range(n):
        for j in range(p):
            for k in range(m):
                c[i][j] += a[i][k] * b[k][j]
    return np.sum(np.array(c) ** 2) + len(c) + len(c[0])


@program(positive(3), positive(3, 3), positive(3, 4), np.array([1, 0, 3, 2, 2]))
def forward_algorithm(start, move, emit, seen):
    alpha = []
    row = []
    for s in range(len(start)):
        row.append(start[s] * emit[s][seen[0]])
    alpha.append(row)
    for t in range(1, len(seen)):
        row = []
        for s in range(len(start)):
            total = 0.0
            for r in range(len(start)):
                total += alpha[t - 1][r] * move[r][s]
            row.append(total * emit[s][seen[t]])
        alpha.append(row)
    return math.log(sum(alpha[-1]))


@program(positive(6), 0.4, 5, again=[(positive(4), 0.3, 2)])
def all_steps_kept(u0, r, steps):
    n = len(u0)
    u = [list(u0)]
    for _ in range(steps):
        old, new = u[-1], [0.0] * n
        for i in range(1, n - 1):
            new[i] = old[i] + r * (old[i - 1] - 2 * old[i] + old[i + 1])
        u.append(new)
    return sum(v * v for row in u for v in row)


@program(array(5, 6), 3, again=[(array(3, 4), 2)])
def relaxed(start, sweeps):
    rows, columns = len(start), len(start[0])
    grid = [[start[i][j] for j in range(columns)] for i in range(rows)]
    for _ in range(sweeps):
        new = [row[:] for row in grid]
        for i in range(rows):
            for j in range(columns):
                near = grid[i - 1][j] + grid[(i + 1) % rows][j] + grid[i][j - 1]
                new[i][j] = math.tanh(0.3 * (grid[i][j] + near))
        grid = new
    total = 0.0
    for row in grid:
        for v in row:
            total += v
    return total


@program(array(7, 2), array(3, 2), 2, again=[(array(9, 2), array(4, 2), 3)], smooth=False)
def centers_of_clusters(points, first, rounds):
    count, size = len(first), len(points[0])
    centers = [[first[c][d] for d in range(size)] for c in range(count)]
    for _ in range(rounds):
        sums = [[0.0 * v for v in first[c]] for c in range(count)]
        sizes = [0] * count
        for p in points:
            where, least = 0, float("inf")
            for c in range(count):
                distance = sum((p[d] - centers[c][d]) ** 2 for d in range(size))
                if distance < least:
                    where, least = c, distance
            sizes[where] += 1
            for d in range(size):
                sums[where][d] += p[d]
        for c in range(count):
            if sizes[c] > 0:
                centers[c] = [s / sizes[c] for s in sums[c]]
    return sum(v * v for row in centers for v in row)


@program(integers(12, below=4), array(4, 4), 4)
def loss_of_bigrams(tokens, w, kinds):
    counts = [[0] * kinds for _ in range(kinds)]
    for t in range(len(tokens) - 1):
        counts[tokens[t]][tokens[t + 1]] += 1
    loss = 0.0
    for i in range(kinds):
        norm = math.log(sum(math.exp(w[i][j]) for j in range(kinds)))
        for j in range(kinds):
            loss -= counts[i][j] * (w[i][j] - norm)
    return loss


@program(array(5), again=[(array(3),)])
def rows_by_their_names(x):
    n = len(x)
    table = [[0.0] * n for _ in range(n)]
    before = table[0]
    for i in range(1, n):
        row = table[i]
        for j in range(n):
            row[j] = before[j] + x[i] * x[j]
        before = row
    table[0] = [v + 1.0 for v in before]
    table[0][1] = table[0][0] * x[1]
    return sum((k + 1) * sum(row) for k, row in enumerate(table))


@program(array(4))
def one_row_many_times(x):
    n = len(x)
    table = [[0.0] * n] * n
    row = [0.0] * n
    other = [row for _ in range(n)]
    for i in range(n):
        table[i][i] = x[i] * x[0]
        other[0][i] = x[i] ** 2
    return sum(sum(r) for r in table) + 2 * sum(sum(r) for r in other)


@program(array(4), again=[(array(6),)])
def copies_of_rows(x):
    n = len(x)
    table = [[v * (i + 1) for v in x] for i in range(n)]
    part, whole, deep = table[1][1:], table[0][:], copy.deepcopy(table)
    part[0] = 5.0
    whole[1] = x[0] * x[1]
    deep[2][2] = x[1] ** 2
    table[0], table[1] = table[1], table[0]
    return sum(table[0]) + 2 * sum(part) + 3 * sum(whole) + 4 * sum(deep[2]) + 5 * table[1][0]


@program(array(5), again=[(array(3),)])
def roles_of_two_tables(x):
    n = len(x)
    u = [[x[i] * x[j] for j in range(n)] for i in range(n)]
    v = [[0.0] * n for _ in range(n)]
    for k in range(3):
        for i in range(n):
            for j in range(n):
                v[i][j] = 0.5 * u[i][j] + u[j][i] * x[k]
        u, v = v, u
    return sum(sum(row) for row in u) + v[0][1]


@program(array(5), again=[(array(8),)])
def sorted_by_exchange(x):
    xs, order = list(x), list(range(len(x)))
    n = len(xs)
    for i in range(n):
        for j in range(n - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
                order[j], order[j + 1] = order[j + 1], order[j]
    return sum((i + 1) * v for i, v in enumerate(xs)) + x[order[0]] ** 2


@program(positive(4), again=[(positive(7),)])
def ways_to_choose(x):
    ways = [0.0] * (len(x) + 1)
    ways[0] = 1.0
    for k in range(len(x)):
        for j in range(len(x), 0, -1):
            ways[j] += ways[j - 1] * x[k]
    return ways[-1] + ways[2]


@program(array(3), number, again=[(array(5), number)])
def cube_of_numbers(x, s):
    n = len(x)
    cube = [[[s] * n for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                cube[i][j][k] *= x[i] * x[j] * x[k]
    return sum(cube[1][2]) + cube[0][0][0] + len(cube[0][1])


@program(positive(5), again=[(positive(3),)], edges=[(np.zeros(4),)])
def quotients_of_entries(x):
    n = len(x)
    table = [[0.0] * n for _ in range(n)]
    for i in range(n):
        table[i][i] = x[i]
    return sum(1.0 / table[i][i] for i in range(n))


@program(positive(4, 4), again=[(positive(6, 6),)])
def triangle_of_cholesky(x):
    n = len(x)
    lower = [[0.0] * (i + 1) for i in range(n)]
    for i in range(n):
        for j in range(i + 1):
            s = sum(x[i][k] * x[j][k] for k in range(n)) + (n * 4.0 if i == j else 0.0)
            for k in range(j):
                s -= lower[i][k] * lower[j][k]
            lower[i][j] = math.sqrt(s) if i == j else s / lower[j][j]
    return sum(math.log(lower[i][i]) for i in range(n)) + sum(lower[-1]) + len(lower[1])


@program(1.0, 1.1, 0.3, 4, again=[(1.2, 0.9, 0.2, 7)], smooth=False)
def tree_of_prices(s, k, sigma, n):
    up = math.exp(sigma / math.sqrt(n))
    p = (1 - 1 / up) / (up - 1 / up)
    price = [[0.0] * (i + 1) for i in range(n + 1)]
    for j in range(n + 1):
        price[n][j] = max(0.0, k - s * up ** (2 * j - n))
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            later = 0.99 * (p * price[i + 1][j + 1] + (1 - p) * price[i + 1][j])
            price[i][j] = max(later, k - s * up ** (2 * j - i))
    return price[0][0]


@program(array(5), again=[(array(3),)])
def shrinking_differences(y):
    n = len(y)
    table = [[0.0] * (n - i) for i in range(n)]
    for j in range(n):
        table[0][j] = y[j]
    for i in range(1, n):
        for j in range(n - i):
            table[i][j] = (table[i - 1][j + 1] - table[i - 1][j]) / i
    return sum(row[0] * 0.5**i for i, row in enumerate(table)) + sum(table[1]) + table[-1][-1]


@program(array(3), array(3, 3), array(3, 4), np.array([1, 0, 3, 2, 2]), smooth=False)
def best_path_in_rows_that_grow(start, move, emit, seen):
    best = [[start[s] + emit[s][seen[0]] for s in range(len(start))]]
    for t in range(1, len(seen)):
        best.append([])
        for s in range(len(start)):
            found = max(best[t - 1][r] + move[r][s] for r in range(len(start)))
            best[t].append(found + emit[s][seen[t]])
    return max(best[-1])


@program(array(4), array(3), again=[(array(2), array(6))])
def rows_filled_after_they_are_there(x, w):
    rows = [[v * 1.0 for v in x]]
    for t in range(1, len(w)):
        rows.append([0.0] * len(x))
        for j in range(len(x)):
            rows[t][j] = rows[t - 1][j] * w[t] + x[j]
    return sum((k + 1) * sum(row) for k, row in enumerate(rows))


@program(positive(4, 4), 3, again=[(positive(6, 6), 5)])
def iterated_product(a, steps):
    n = len(a)
    v, size = [1.0] * n, 0.0
    for _ in range(steps):
        w = [sum(a[i][j] * v[j] for j in range(n)) for i in range(n)]
        size = math.sqrt(sum(t * t for t in w))
        v = [t / size for t in w]
    return size + v[0]


@program(array(5), 0.3, 4, again=[(array(3), 0.2, 2)])
def states_replaced(y0, k, steps):
    y = [v * 1.0 for v in y0]
    first = y
    for _ in range(steps):
        new = [v * (1 - k) for v in y]
        for i in range(1, len(new)):
            new[i] += k * y[i - 1]
        y = new
    return sum(y) + sum(first)


@program(array(4, 2), again=[(array(6, 2),)])
def forces_of_pairs(pos):
    force = [[0.0, 0.0] for _ in range(len(pos))]
    for i in range(len(pos)):
        for j in range(i):
            d = [pos[i][0] - pos[j][0], pos[i][1] - pos[j][1]]
            r = d[0] * d[0] + d[1] * d[1] + 0.1
            for k in range(2):
                force[i][k] += d[k] / r
                force[j][k] -= d[k] / r
    return sum(f[0] ** 2 + f[1] ** 3 for f in force)


@program(array(4), again=[(array(6),)])
def borders_of_lists(x):
    n = len(x)
    a = [1.0] + [0.0] * n
    b = [x[0]] + a + [2.0]
    for i in range(n):
        a[i + 1] = a[i] * x[i] + 1
        b[i] += a[i]
    return sum(a) + 2 * sum(b) + len(b)
