"""Lists that a loop makes longer and shorter: stacks, queues, hulls, merges, points put between."""

import bisect
import heapq
from collections import deque

import numpy as np
from corpus.program import Theme, array, number

program = Theme("work_lists")


@program(2.0, 3.0, again=[(0.5, 0.1), (9.0, 20.0)])
def adaptive_simpson(a, b):
    def f(x):
        return np.exp(-a * x * x) * np.cos(b * x)

    def simpson(lo, hi):
        return (hi - lo) / 6 * (f(lo) + 4 * f((lo + hi) / 2) + f(hi))

    stack = [(0.0, 1.0, simpson(0.0, 1.0), 1e-6)]
    total = 0.0
    while stack:
        lo, hi, whole, tol = stack.pop()
        mid = 0.5 * (lo + hi)
        left, right = simpson(lo, mid), simpson(mid, hi)
        if abs(left + right - whole) < 15 * tol:
            total += left + right + (left + right - whole) / 15
        else:
            stack.append((lo, mid, left, tol / 2))
            stack.append((mid, hi, right, tol / 2))
    return total


REGION = np.array([[1, 1, 0, 1], [0, 1, 0, 1], [1, 1, 1, 0], [0, 0, 1, 1]])


@program(array(4, 4))
def flood(w):
    seen = np.zeros(REGION.shape, dtype=bool)
    todo = deque([(0, 0)])
    total = 0.0
    steps = 0
    while todo:
        i, j = todo.popleft()
        if i < 0 or j < 0 or i >= 4 or j >= 4 or seen[i, j] or REGION[i, j] == 0:
            continue
        seen[i, j] = True
        steps += 1
        total += w[i, j] ** 2 / steps
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            todo.append((i + di, j + dj))
    return total


@program(array(9, 2), again=[(array(3, 2),), (array(14, 2),)])
def hull(points):
    points = points[np.lexsort((points[:, 1], points[:, 0]))]

    def cross(o, a, b):
        return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])

    def chain(points):
        found = []
        for q in points:
            while len(found) >= 2 and cross(found[-2], found[-1], q) <= 0:
                found.pop()
            found.append(q)
        return found

    corners = np.array(chain(points)[:-1] + chain(points[::-1])[:-1])
    x, y = corners[:, 0], corners[:, 1]
    return 0.5 * np.abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))


@program(array(8))
def merge_sort(x):
    def sort(a):
        if len(a) <= 1:
            return a
        m = len(a) // 2
        left, right = sort(a[:m]), sort(a[m:])
        out = []
        i = j = 0
        while i < len(left) and j < len(right):
            if left[i] <= right[j]:
                out.append(left[i])
                i += 1
            else:
                out.append(right[j])
                j += 1
        out += left[i:]
        out += list(right[j:])
        return out

    return sum((i + 1) * v for i, v in enumerate(sort(list(x))))


@program(array(7), again=[(array(0),), (array(30),)])
def sorted_by_insertion(x):
    ordered = []
    for v in x:
        k = 0
        while k < len(ordered) and ordered[k] < v:
            k += 1
        ordered.insert(k, v)
    return sum((i + 1) * v for i, v in enumerate(ordered))


@program(array(7), again=[(array(4),), (array(12),)])
def taken_from_within(x):
    left = list(x * x)
    total, k = 0.0, 1
    while len(left) > 2:
        k = (k + 3) % len(left)
        total += k * left.pop(k)
        if total > 1.0:
            del left[k - 1]
            break
    return total + sum(left) * len(left)


@program(number, 12, again=[(number, 1), (number, 0), (number, 30)])
def window_of_the_last(x, n):
    seen = deque(maxlen=3)
    total = 0.0
    for i in range(n):
        seen.append(np.sin(x * i))
        if i % 2:
            seen.appendleft(x)
        total += sum(seen) / len(seen)
    return total


@program(array(3), 0.3, 12, again=[(array(3), 0.3, 3), (array(3), 0.9, 0)])
def rows_on_a_stack(y, h, n):
    kept = [y]
    for i in range(n):
        last = kept.pop()
        kept.append(last)
        kept.append(last - h * np.tanh(last) * (i % 3))
        if len(kept) > 4:
            kept.pop(0)
    return np.sum(np.stack(kept) ** 2) + kept[0][0]


class Machine:
    def __init__(self, x):
        self.stack = [x]
        self.done = 0

    def push(self, v):
        self.stack.append(v)

    def run(self, limit):
        while self.stack and self.done < limit:
            v = self.stack.pop()
            self.done += 1
            if v < 0.2:
                continue
            self.push(v * 0.5)
            if v > 1.0:
                self.push(v * 0.25)


@program(2.7, 9, again=[(0.1, 9), (5.3, 40)])
def machine(x, limit):
    m = Machine(x)
    m.run(limit)
    return sum(m.stack) + m.done * x


@program(0.8, 20, again=[(0.8, 1), (1.7, 60)])
def ints_then_floats(x, n):
    queue = [0, 1]
    for _ in range(n):
        v = queue.pop(0)
        queue.append(v + 1 if v > 3 else v * x + 1)
    return sum(queue) + queue[-1] ** 2


@program(array(6), array(6), again=[(array(2), array(3)), (array(9), array(0))])
def merged_from_both(a, b):
    a, b = sorted(a.tolist()), sorted(b.tolist())
    out = []
    while a and b:
        out.append(a.pop(0) if a[0] < b[0] else b.pop(0) * 2)
    out += a
    out.extend(b)
    return np.sum(np.array(out) * np.arange(len(out)))


@program(array(8), again=[(array(2),), (array(20),)])
def pool_adjacent_violators(y):
    blocks = []
    for v in y:
        blocks.append((v, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, n = blocks.pop()
            before, m = blocks.pop()
            blocks.append(((mean * n + before * m) / (n + m), n + m))
    return sum(n * mean**3 for mean, n in blocks)


@program(array(4), array(4), again=[(array(4), array(4))])
def picked_by_data(x, y):
    rows = [x, y, x * y]
    k = int(np.argmax(x)) % 3
    names = (x[0], y[0], 2.0)
    return np.sum(rows[k] ** 2) + names[k] + sum(sum(r) for r in rows[k:])


@program(array(5), again=[(array(9),)])
def set_by_data(x):
    bins = [0.0, 0.0, 0.0]
    for v in x:
        bins[int(abs(v) * 2) % 3] += v * v
    return bins[0] + 2 * bins[1] ** 2 + 3 * bins[2]


@program(0.7, 6, again=[(1.4, 3), (0.3, 20), (0.7, 1)])
def events_by_name(x, n):
    log = []
    for i in range(n):
        v = np.sin(x * i)
        if v > 0.5:
            log.append(("high", v))
        elif v < -0.5:
            log.append(("low", v))
        else:
            log.append((None, v))
    total = 0.0
    for kind, v in log:
        if kind == "high":
            total += v
        elif kind is None:
            total += 0.1 * v
        else:
            total -= 2 * v
    return total + len(log)


@program(0.7, 6, again=[(1.4, 3), (0.3, 20), (0.7, 1)])
def work_by_name(x, n):
    todo = deque([("start", x)])
    total, count = 0.0, 0
    while todo and count < n:
        kind, v = todo.popleft()
        count += 1
        if kind == "start":
            todo.append(("left", v * 0.5))
            todo.append(("right", v * 2))
        elif kind == "left":
            total += v
            if v > 0.1:
                todo.append(("start", v * 0.9))
        else:
            total += v * v
            if v < 3:
                todo.append(("left", v))
    return total


@program(array(5), again=[(array(3),), (array(20),)])
def least_of_a_heap(x):
    heap = [(v * v, i) for i, v in enumerate(x)]
    heapq.heapify(heap)
    total = 0.0
    while heap:
        v, i = heapq.heappop(heap)
        total += v * (i + 1)
        if v > 0.5:
            heapq.heappush(heap, (v * 0.3, i))
    return total


@program(array(3), 6, again=[(array(3), 3), (array(3), 15)])
def event_queue(x, n):
    queue = [(x[0] ** 2, "go"), (x[1] ** 2 + 0.1, "stop")]
    heapq.heapify(queue)
    t = 0.0
    while queue and n > 0:
        t, kind = heapq.heappop(queue)
        n -= 1
        if kind == "go":
            heapq.heappush(queue, (t + 0.3 * x[2] ** 2 + 0.1, "go"))
        elif t < 2:
            heapq.heappush(queue, (t + 0.7, "stop"))
    return t


@program(array(7), again=[(array(3),), (array(15),)])
def bisected(x):
    places, heights = [0.0, 0.5, 1.0, 2.0], [1.0, 3.0, 2.0, 5.0]
    total, ordered = 0.0, []
    for v in x:
        bisect.insort(ordered, v)
        j = min(max(bisect.bisect_right(places, abs(v)) - 1, 0), 2)
        slope = (heights[j + 1] - heights[j]) / (places[j + 1] - places[j])
        total += heights[j] + slope * (abs(v) - places[j])
    return total + sum((i + 1) * v for i, v in enumerate(ordered))


@program(array(6), 0.3, again=[(array(2), -0.2), (array(11), 0.0)])
def one_of_two_lists(x, k):
    high, low = [], []
    for v in x:
        (high if v > k else low).append(v)
    return sum(high) - 2 * sum(low) + len(high)


@program(array(6), 0.3, again=[(array(2), -0.2), (array(11), 0.0)])
def one_of_several_lists(x, k):
    bins = [[] for _ in range(4)]
    for v in x:
        bins[int(abs(v) * 2) % 4].append(v * k)
    return sum((i + 1) * sum(each) for i, each in enumerate(bins)) + len(bins[0])


@program(0.7, 6, again=[(0.7, 0), (1.3, 1), (1.9, 23)])
def history_cut_off(x, n):
    past, y = [], x
    for _ in range(n):
        past.insert(0, np.sin(y))
        past = past[:4]
        y = y + 0.1 * sum(past) / len(past)
    return y


@program(0.7, 6, again=[(0.7, 0), (1.3, 1), (1.9, 23)])
def one_more_by_a_sum(x, n):
    out = [x * x]
    for i in range(n):
        out = out + [x * i]
    return sum(out) + len(out)


@program(0.7, 6, again=[(0.7, 0), (1.3, 1), (1.9, 23)])
def two_that_change_roles(x, n):
    a, b = [x], [2 * x]
    for i in range(n):
        a, b = b, a
        a.append(x * i)
        if len(a) > 3:
            a.pop(0)
    return sum(a) + 2 * sum(b)


@program(0.7, 6, again=[(0.7, 0), (1.3, 1), (1.9, 9)])
def level_after_level(x, n):
    front, total = [x], 0.0
    while front and n > 0:
        n -= 1
        after = []
        for v in front:
            total += v
            if v > 0.1:
                after.append(v * 0.5)
                after.append(v * 0.2)
        front = after
    return total
