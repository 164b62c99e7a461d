"""Tell praise from blame in film reviews by a convolutional network, trained by srcad's gradient.

Each of the last 130 words becomes 50 numbers, 8 filters of 3 words run over them, of two neighbours
the larger one stays, and one neuron judges. Of the table of words a step changes only the rows that
its reviews name: the gradient says which. So that the network does not learn the training reviews
by heart, each step leaves out other words, and dropout other numbers of words and other maxima.
A review is then judged by its last words or, better, by the mean of eight readings, each of other
words as in the training.

    python examples/imdb_cnn.py               # reviews made up on the spot: seconds
    python examples/imdb_cnn.py --data imdb   # 25000 real ones, 5 epochs: a minute or two
"""

import sys
import time

import numpy as np
from command_line import options
from images import save
from progress import progress_bar

import srcad
from srcad import nn
from srcad.nn import data, init, optim

WIDTH, FILTERS, WINDOW = 50, 8, 3
READINGS = 8  # of a review, each of other words
# A step draws so many `words` of a review's last `of_words`; the learning rate falls to zero;
# `dropout` has the rates of the words' numbers and of the maxima before the neuron.
SETTINGS = {
    "reviews": {"epochs": 5, "lr": 1e-2, "batch": 16, "dropout": (0.3, 0.3), "words": 40,
                "of_words": 44},
    "imdb": {"epochs": 5, "lr": 4e-3, "batch": 64, "dropout": (0.6, 0.3), "words": 130,
             "of_words": 240},
}  # fmt: skip


def logits(p, x, rates=(0, 0), rng=None):
    """Return how sure the network is that reviews `x` (n, words) praise: (n,)."""
    of_numbers, of_maxima = rates
    h = nn.dropout(nn.embedding(p["table"], x), of_numbers, rng)
    h = nn.relu(nn.conv1d(np.swapaxes(h, 1, 2), p["k"], p["k_b"]))
    h = nn.dropout(nn.flatten(nn.max_pool1d(h, 2)), of_maxima, rng)
    return nn.dense(h, p["w"], p["b"])[:, 0]


@srcad.value_and_grad
def loss(p, x, y, rates, rng):
    """Return the mean cross-entropy of reviews and labels, with dropout."""
    return nn.binary_cross_entropy_with_logits(logits(p, x, rates, rng), y)


def some_words(x, count, rng):
    """Return `count` words of each review, drawn anew, in their order."""
    drawn = np.argsort(rng.random(x.shape, np.float32), axis=1)[:, :count]
    return np.take_along_axis(x, np.sort(drawn, axis=1), axis=1)


def judge(p, x):
    """Return the logits of all reviews, a thousand at a time, without dropout."""
    return np.concatenate([logits(p, part) for part in np.split(x, range(1000, len(x), 1000))])


def accuracies(p, x, y, count):
    """Return the shares of reviews told right: by their last words, and read several times."""
    rng = np.random.default_rng(0)  # the same words after each epoch
    several = sum(judge(p, some_words(x, count, rng)) for _ in range(READINGS))
    return [np.mean((z > 0) == y) for z in (judge(p, x[:, -count:]), several)]


def initial_parameters(words, length, rng):
    """Draw the weights; the table's are small, so that rare words say little at first."""
    maxima = FILTERS * ((length - WINDOW + 1) // 2)
    return {
        "table": init.normal((words, WIDTH), rng, 0.05),
        "k": init.glorot_uniform((FILTERS, WIDTH, WINDOW), rng),
        "k_b": init.zeros(FILTERS),
        "w": init.glorot_uniform((maxima, 1), rng),
        "b": init.zeros(1),
    }


def train(p, texts, args, rng):
    """Improve `p` in place; return the loss and the test accuracies of each epoch."""
    optimiser, n = optim.adam(args.lr), len(texts.x_train)
    state, history, step = optimiser.init(p), [], 0
    print(f"epoch    loss  test accuracy  read {READINGS} times  seconds")
    for epoch in range(1, args.epochs + 1):
        start, total = time.perf_counter(), 0.0
        with progress_bar(n) as advance:
            for x, y in data.batches(texts.x_train, texts.y_train, args.batch, rng):
                state["lr"] = args.lr * (1 - step / (args.epochs * n))
                x = some_words(x, args.words, rng)
                value, gradient = loss(p, x, y, args.dropout, rng)
                optimiser.update(p, gradient, state)
                step, total = step + len(x), total + len(x) * value
                advance(len(x), value)
        seconds = time.perf_counter() - start
        row = (total / n, *accuracies(p, texts.x_test, texts.y_test, args.words))
        history.append(row)
        print("{:5}  {:.4f}  {:13.2%}  {:12.2%}  {:7.1f}".format(epoch, *row, seconds), flush=True)
    return history


def strongest_words(p, words, length, count=8):
    """Return words with what the network says of each alone: the worst and the best ones."""
    ids = np.arange(4, min(len(words), 2000))
    said = judge(p, np.repeat(ids[:, None], length, axis=1))
    order = np.argsort(said)
    order = np.concatenate([order[:count], order[-count:]])
    return [words[k] for k in ids[order]], said[order]


def draw(figure, history, words, said):
    """Draw the epochs' losses and accuracies, and beside them the strongest words."""
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.2))
    epochs = range(1, len(history) + 1)
    marks = (("loss", "C3o-"), ("last words", "C0s-"), (f"read {READINGS} times", "C2^-"))
    for k, (label, mark) in enumerate(marks):
        left.plot(epochs, [row[k] for row in history], mark, label=label)
    left.set(title="loss, test accuracy", xlabel="epoch", xticks=epochs, ylim=(0, 1))
    left.legend()
    right.barh(words, said, color=np.where(said > 0, "C0", "C3"))
    right.set(title="words alone: blame and praise", xlabel="logit")


def main(argv=None):
    """Train, then measure on reviews that were not trained on, and draw."""
    args = options(argv, __doc__.split("\n")[0], SETTINGS, "imdb_cnn.png")
    rng = np.random.default_rng(args.seed)
    try:
        if args.data == "imdb":
            texts = data.imdb(args.data_dir, length=args.of_words)
        else:
            texts = data.reviews(rng, length=args.of_words)
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    p = initial_parameters(len(texts.words), args.words, rng)
    if args.show_source:
        first = slice(args.batch)
        loss.show(p, texts.x_train[first, -args.words :], texts.y_train[first], args.dropout, rng)

    history = train(p, texts, args, rng)
    words, said = strongest_words(p, texts.words, args.words)
    picture = save(
        args.output, lambda figure: draw(figure, history, words, said), figsize=(9, 4), dpi=80
    )
    once, several = accuracies(p, texts.x_test, texts.y_test, args.words)
    print(f"network        {len(texts.words)} words of {WIDTH} numbers, conv {FILTERS}@{WINDOW}, "
          f"dense {len(p['w'])}-1, {said.dtype}")  # fmt: skip
    print(f"training       {args.epochs} epochs of {len(texts.x_train)} reviews of {args.words} "
          f"words, {args.batch} a step, lr {args.lr}, seed {args.seed}")  # fmt: skip
    print(f"test accuracy  {once:.2%}")
    print(f"read {READINGS} times   {several:.2%}")
    print(f"blame          {' '.join(words[:8])}")
    print(f"praise         {' '.join(words[:-9:-1])}")
    print(f"picture        {picture}")


if __name__ == "__main__":
    main()
