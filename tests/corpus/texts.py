"""Text that only data knows: arrays of words, labels and names."""

import collections

import numpy as np
from corpus.program import Theme, array

program = Theme("texts")

WORDS = np.array(["the", "cat", "the", "dog", "cat", "the"])
LABELS = np.array(["spam", "ham", "spam"])
EMBEDDED = {"the": np.array([1.0, 2.0]), "cat": np.array([0.5, 0.1]), "dog": np.array([2.0, 0.0])}


@program(array(2))
def bag_of_words(x):
    counts = collections.Counter(WORDS)
    return x[0] * counts["the"] + x[1] ** 2 * counts["cat"] + x[0] * counts["horse"]


@program(array(2))
def vocabulary(x):
    places = {}
    for word in WORDS:
        if word not in places:
            places[word] = len(places)
    return x[0] ** 2 * places["dog"] + x[1] * len(places)


@program(array(2))
def mean_of_embeddings(x):
    return np.mean([np.tanh(EMBEDDED[word] @ x) if word in EMBEDDED else 0.0 for word in WORDS])


@program(array(2))
def labels_as_numbers(x):
    number = {"spam": 1.0, "ham": 0.0}
    targets = np.array([number[label] for label in LABELS])
    return np.sum((targets - x[0]) ** 2 * x[1])


@program(array(2))
def groups_by_name(x):
    groups = {}
    for word, value in zip(WORDS, np.arange(6.0), strict=True):
        groups.setdefault(word, []).append(value * x[0] ** 2)
    return sum(np.mean(values) for values in groups.values()) * x[1]


@program(array(2))
def words_seen_once(x):
    seen, total = set(), 0.0
    for word in WORDS:
        if word in seen:
            continue
        seen.add(word)
        total += x[0] ** 2 * len(word)
    return total + x[1]


@program(array(2))
def asked_for_their_letters(x):
    total = 0.0
    for word in WORDS:
        if word.startswith("c"):
            total += x[0] ** 2
        elif word.upper() == "DOG":
            total += x[1] ** 3 * len(word)
    return total + x[0] * sum(word.count("t") for word in WORDS.tolist())


@program(array(3))
def made_inside(x):
    kinds = np.array(["a", "b", "a"])
    return np.sum(x**2 * (kinds == "a")) + x[1] * len(kinds.tolist()[1]) + len(kinds.item(2))


@program(array(2))
def matched(x):
    total = 0.0
    for word in WORDS:
        match word:
            case "the":
                total += x[0] ** 2
            case "cat":
                total += np.sin(x[1])
            case _:
                total += x[0] * x[1]
    return total
