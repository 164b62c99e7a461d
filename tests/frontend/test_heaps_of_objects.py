"""`heapq` of a few objects by their own `<`, and of tuples that end with objects."""

import heapq
from dataclasses import dataclass

import numpy as np
import pytest
from like_python import check_like_python
from optional import BACKENDS

import srcad

X = np.array([0.7, 0.2, 0.9, 0.4, 0.5])


class Job:
    def __init__(self, time, work):
        self.time, self.work = time, work

    def __lt__(self, other):
        return self.time < other.time


@dataclass(order=True)
class Event:
    time: float
    kind: int


class Task:
    def __init__(self, number, cost):
        self.number, self.cost = number, cost


def _emptied(x):
    jobs = [Job(v, v**2 + k) for k, v in enumerate(x)]
    heapq.heapify(jobs)
    total, n = 0.0, 0
    while jobs:
        n += 1
        total += heapq.heappop(jobs).work * n
    return total


def _as_it_lies(x):
    jobs = [Job(v, v * v) for v in x]
    heapq.heapify(jobs)
    first = heapq.heappushpop(jobs, Job(0.45, x[0]))
    second = heapq.heapreplace(jobs, Job(x[1] * 3, x[2]))
    return first.work + 2 * second.work + sum((n + 1) * j.work for n, j in enumerate(jobs))


def _events(x):
    queue, total, time = [], 0.0, 0.0
    for k in range(3):
        heapq.heappush(queue, Event(x[k], k))
    while queue:
        event = heapq.heappop(queue)
        total += (event.time - time) * (event.kind + 1)
        time = event.time
    return total


def _simulated(x):
    queue = [Job(v, v * v) for v in x]
    heapq.heapify(queue)
    total = 0.0
    for _ in range(8):
        job = heapq.heappop(queue)
        total += job.work
        heapq.heappush(queue, Job(job.time + x[1] + 0.05, job.work * 0.9))
    return total


def _tuples(x):
    queue, total = [], 0.0
    for k in range(5):
        heapq.heappush(queue, (x[k], k, Task(k, x[k] ** 2)))
    while queue:
        time, _, task = heapq.heappop(queue)
        total += time * task.cost * len(queue) + task.number
    return total


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [_emptied, _as_it_lies, _events, _simulated, _tuples])
def test_is_pythons_heap(f, backend):
    compiled = srcad.value_and_grad(f, backend=backend)
    for x in (X, X[::-1].copy(), np.array([1.0, 5.0, 0.3, 0.2, 2.0])):
        check_like_python(f, compiled, x)
    equal = np.array([1.0, 0.3, 0.3, 0.3, 2.0])
    assert compiled(equal)[0] == pytest.approx(f(equal), rel=1e-14)


def test_objects_without_an_order_are_not_compared():
    def tied(x):
        queue = [(x[0], Task(0, x[1])), (x[2], Task(1, x[3]))]
        heapq.heapify(queue)
        return queue[0][1].cost

    assert srcad.grad(tied)(X)[1] == 1.0
    with pytest.raises(TypeError):
        tied(np.ones(4))
    with pytest.raises(NotImplementedError, match="objects without an order"):
        srcad.grad(tied)(np.ones(4))
