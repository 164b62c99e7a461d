"""Comparisons of kinds: labels and arrays, arrays and lists, containers with arrays inside."""

import numpy as np
from corpus.program import Theme, array

program = Theme("comparing")


def labels(*names):
    return lambda rng: np.array(names)


def ints(*values):
    return lambda rng: np.array(values)


def given(x):
    return lambda rng: x


@program(array(3), labels("a", "b", "a"), again=[(array(3), labels("c", "c", "c"))])
def rows_with_a_label(x, names):
    return np.sum(x[names == "a"] ** 2) + np.sum(x[names != "b"])


@program(array(3), labels("up", "down", "up"), again=[(array(3), labels("down", "up", "down"))])
def sign_by_label(x, names):
    total = 0.0
    for value, name in zip(x, names):
        if name == "up":
            total = total + value**2
        elif name in ("down", "left"):
            total = total - value**3
    return total


@program(array(2), labels(b"a", b"b"), again=[(array(2), labels(b"b", b"b"))])
def bytes_as_labels(x, names):
    return np.sum(np.where(names == b"a", x**2, x**3))


@program(array(3), lambda rng: np.array("l2"), again=[(array(3), lambda rng: np.array("l1"))])
def name_in_an_array(x, norm):
    if norm == "l2":
        return np.sum(x**2)
    return np.sum(x**3)


@program(array(3), ints(0, 1, 1), again=[(array(3), ints(1, 0, 1))])
def predictions_and_a_list(x, labels):
    return np.sum(x * (labels == [0, 1, 1])) + np.mean(labels != (1, 1, 1)) * x[0]


@program(array(4, 3), ints(0, 2, 1, 0), again=[(array(4, 3), ints(1, 1, 2, 0))])
def one_hot_of_a_range(logits, y):
    return np.sum(logits**2 * (y[:, None] == range(3)))


@program(array(3), again=[(array(5),)])
def shape_and_an_array(w):
    if np.all(w.shape == np.array([3])):
        return np.sum(w**2)
    return np.sum(w**3)


@program(array(3), array(3))
def array_or_none(x, mask):
    if np.all(mask != None):  # noqa: E711 - as users write it, entry by entry
        return np.sum(x**2 * mask)
    return np.sum(x)


@program(array(3), given([1.5, 2.0]), again=[(array(3), given([2.5, 3.0]))])
def order_of_lists(x, bounds):
    if bounds < [2.0, 2.5]:
        return np.sum(x**2)
    return np.sum(x**3)


def two_numbers(rng):
    return [rng.uniform(0.5, 1.0), rng.uniform(1.5, 2.0)]


@program(array(3), two_numbers)
def numbers_in_containers(x, pair):
    total = np.sum(x**2)
    if x[0] in pair or (pair[0], 1) == (pair[1], 1):
        total = total * 2.0
    if {"k": pair[0]} != {"k": pair[1]} and [pair[0], x[1]] != [pair[1], x[1]]:
        total = total * 3.0
    return total


@program(array(3), lambda rng: np.zeros(0), again=[(array(3), array(2))])
def anything_in_a_range(x, extra):
    if range(len(extra)):
        return np.sum(x**2)
    return np.sum(x**3)
