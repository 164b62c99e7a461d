"""Tell praise from blame in film reviews by a convolutional network, trained by srcad's gradient.

Each of the last 130 words becomes 50 numbers, 8 filters of 3 words run over them, of two neighbours
the larger one stays, and one neuron judges. Of the table of words a step changes only the rows that
its reviews name: the gradient says which. So that the network does not learn the training reviews
by heart, each step leaves out other words, and dropout other numbers of words and other maxima.

    python examples/imdb_cnn.py               # reviews made up on the spot: seconds
    python examples/imdb_cnn.py --data imdb   # 25000 real ones, 5 epochs: a minute or two
"""

import argparse
import sys
import time

import numpy as np
from images import save
from progress import progress_bar

import srcad
from srcad import kernels, nn
from srcad.nn import data, init, optim

WIDTH, FILTERS, WINDOW = 50, 8, 3
# Dropout: rates of the words' numbers and of the maxima before the neuron.
SETTINGS = {
    "reviews": {"epochs": 5, "lr": 1e-2, "batch": 16, "dropout": (0.3, 0.3)},
    "imdb": {"epochs": 5, "lr": 4e-3, "batch": 64, "dropout": (0.6, 0.3)},
}
# How many of the last words are judged, and from how many as many are drawn in training.
WORDS = {"reviews": (40, 44), "imdb": (130, 240)}


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


def judge(p, x):
    """Return the logits of all reviews, a thousand at a time, without dropout."""
    return np.concatenate([logits(p, part) for part in np.split(x, range(1000, len(x), 1000))])


def some_words(x, count, rng):
    """Return `count` words of each review, drawn anew, in their order."""
    drawn = np.argsort(rng.random(x.shape), axis=1)[:, :count]
    return np.take_along_axis(x, np.sort(drawn, axis=1), axis=1)


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
    """Improve `p` in place; return the loss and the test accuracy of each epoch."""
    optimiser, n = optim.adam(args.lr), len(texts.x_train)
    state, history, step = optimiser.init(p), [], 0
    length = texts.x_test.shape[1]
    print("epoch    loss  test accuracy  seconds")
    for epoch in range(1, args.epochs + 1):
        start, total = time.perf_counter(), 0.0
        with progress_bar(n) as advance:
            for x, y in data.batches(texts.x_train, texts.y_train, args.batch, rng):
                state["lr"] = args.lr * (1 - step / (args.epochs * n))
                x = some_words(x, length, rng)
                value, gradient = loss(p, x, y, args.dropout, rng)
                optimiser.update(p, gradient, state)
                step, total = step + len(x), total + len(x) * value
                advance(len(x), value)
        seconds = time.perf_counter() - start
        accuracy = np.mean((judge(p, texts.x_test) > 0) == texts.y_test)
        history.append((total / n, accuracy))
        print(f"{epoch:5}  {total / n:.4f}  {accuracy:13.2%}  {seconds:7.1f}", flush=True)
    return history


def strongest_words(p, texts, count=8):
    """Return words with what the network says of each alone: the worst and the best ones."""
    ids = np.arange(4, min(len(texts.words), 2000))
    said = judge(p, np.repeat(ids[:, None], texts.x_test.shape[1], axis=1))
    order = np.argsort(said)
    order = np.concatenate([order[:count], order[-count:]])
    return [texts.words[k] for k in ids[order]], said[order]


def draw(figure, history, words, said):
    """Draw the epochs' losses and accuracies, and beside them the strongest words."""
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.2))
    epochs = range(1, len(history) + 1)
    for k, (label, mark) in enumerate((("loss", "C3o-"), ("test accuracy", "C0s-"))):
        left.plot(epochs, [row[k] for row in history], mark, label=label)
    left.set(xlabel="epoch", xticks=epochs, ylim=(0, 1))
    left.legend()
    right.barh(words, said, color=np.where(said > 0, "C0", "C3"))
    right.set(title="words alone: blame and praise", xlabel="logit")


def options(argv):
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", choices=SETTINGS, default="reviews")
    parser.add_argument("--data-dir", help="folder that holds imdb/ (else $SRCAD_DATA)")
    parser.add_argument("--epochs", type=int, help="default: 5")
    parser.add_argument("--lr", type=float, help="at the start; it falls to zero")
    parser.add_argument("--batch", type=int, help="reviews a step (reviews: 16, imdb: 64)")
    parser.add_argument("--dropout", type=float, nargs=2, metavar=("NUMBERS", "MAXIMA"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=kernels.num_threads())
    parser.add_argument("--show-source", action=argparse.BooleanOptionalAction, default=False)
    parser.add_argument("--output", default="imdb_cnn.png", help="the picture's file name")
    args = parser.parse_args(argv)
    for name, default in SETTINGS[args.data].items():
        if getattr(args, name) is None:
            setattr(args, name, default)
    if args.batch < 1 or args.threads < 1:
        parser.error("--batch and --threads must be at least 1")
    kernels.set_num_threads(args.threads)
    return args


def main(argv=None):
    """Train, then measure on reviews that were not trained on, and draw."""
    args = options(argv)
    rng = np.random.default_rng(args.seed)
    length, drawn_from = WORDS[args.data]
    try:
        if args.data == "imdb":
            texts = data.imdb(args.data_dir, length=drawn_from)
        else:
            texts = data.reviews(rng, length=drawn_from)
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    texts = texts._replace(x_test=texts.x_test[:, -length:])
    p = initial_parameters(len(texts.words), length, rng)
    if args.show_source:
        first = slice(args.batch)
        loss.show(p, texts.x_train[first, -length:], texts.y_train[first], args.dropout, rng)

    history = train(p, texts, args, rng)
    words, said = strongest_words(p, texts)
    picture = save(
        args.output, lambda figure: draw(figure, history, words, said), figsize=(9, 4), dpi=80
    )
    accuracy = np.mean((judge(p, texts.x_test) > 0) == texts.y_test)
    print(f"network        {len(texts.words)} words of {WIDTH} numbers, conv {FILTERS}@{WINDOW}, "
          f"dense {len(p['w'])}-1, {said.dtype}")  # fmt: skip
    print(f"training       {args.epochs} epochs of {len(texts.x_train)} reviews of {length} words, "
          f"{args.batch} a step, lr {args.lr}, seed {args.seed}")  # fmt: skip
    print(f"test accuracy  {accuracy:.2%}")
    print(f"blame          {' '.join(words[:8])}")
    print(f"praise         {' '.join(words[:-9:-1])}")
    print(f"picture        {picture}")


if __name__ == "__main__":
    main()
