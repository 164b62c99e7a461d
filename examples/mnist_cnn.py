"""Classify images by a convolutional network, trained on a gradient that srcad wrote.

Seven layers: 6 filters of 3x3, maxima of 2x2, 16 filters of 3x3, maxima of 2x2, flatten, dense 84,
dense 10; plain SGD. The 8x8 digits that come with srcad are framed to 14x14.

    python examples/mnist_cnn.py                        # seconds
    python examples/mnist_cnn.py --data mnist           # 60000 images, 5 epochs: a minute
    python examples/mnist_cnn.py --fashion              # clothes instead of digits
    python examples/mnist_cnn.py --data mnist --plain   # Glorot's weights, pixels in [0, 1]

He's weights, made for ReLU, and standardised pixels are worth a percent of test accuracy to the
plain form; docs/accuracy.md has the figures.
"""

import time

import images
import numpy as np
from progress import progress_bar

import srcad
from srcad import nn
from srcad.nn import data, init, optim

# MNIST's settings are those of the literature.
SETTINGS = {
    "digits": {"epochs": 10, "lr": 0.05, "batch": 10},
    "mnist": {"epochs": 5, "lr": 0.01, "batch": 100},
    "fashion": {"epochs": 10, "lr": 0.01, "batch": 100},
}


def logits(p, x):
    """Return what softmax makes probabilities of, (n, 10), for images (n, rows, columns)."""
    # ReLU behind the maxima gives what it gives before them, of a quarter of the numbers.
    h = nn.max_pool2d(nn.conv2d(x[:, None], p["k1"], p["b1"]), 2)
    h = nn.max_pool2d(nn.conv2d(nn.relu(h), p["k2"], p["b2"]), 2)
    h = nn.relu(nn.dense(nn.flatten(nn.relu(h)), p["w3"], p["b3"]))
    return nn.dense(h, p["w4"], p["b4"])


@srcad.value_and_grad
def loss(p, x, y):
    """Return the mean cross-entropy of images `x` and their classes `y`."""
    return nn.softmax_cross_entropy(logits(p, x), y)


def classify(p, x):
    """Return the most probable class of each image, a thousand images at a time."""
    parts = np.split(x, range(1000, len(x), 1000))
    return np.concatenate([np.argmax(logits(p, part), axis=1) for part in parts])


def initial_parameters(side, draw, rng):
    """Draw the weights for images of `side` rows; biases are zero."""
    entries = 16 * ((side // 2 - 3) // 2) ** 2
    shapes = {"k1": (6, 1, 3, 3), "k2": (16, 6, 3, 3), "w3": (entries, 84), "w4": (84, 10)}
    weights = {name: draw(shape, rng) for name, shape in shapes.items()}
    return weights | {f"b{k}": init.zeros(n) for k, n in enumerate((6, 16, 84, 10), 1)}


def train(p, sets, args, rng):
    """Improve `p` in place; print the loss, the test accuracy and the time of each epoch."""
    optimiser, n = optim.sgd(args.lr), len(sets.x_train)
    state = optimiser.init(p)
    print("epoch    loss  test accuracy  seconds")
    for epoch in range(1, args.epochs + 1):
        start, total = time.perf_counter(), 0.0
        with progress_bar(n) as advance:
            for x, y in data.batches(sets.x_train, sets.y_train, args.batch, rng):
                value, gradient = loss(p, x, y)
                optimiser.update(p, gradient, state)
                total += len(x) * value
                advance(len(x), value)
        seconds = time.perf_counter() - start
        accuracy = np.mean(classify(p, sets.x_test) == sets.y_test)
        print(f"{epoch:5}  {total / n:.4f}  {accuracy:13.2%}  {seconds:7.1f}", flush=True)


def draw(figure, filters, labels, guesses):
    """Draw the filters of the first layer at the left, the confusion matrix at the right."""
    left, right = figure.subfigures(1, 2, width_ratios=(1, 2.2))
    left.suptitle("filters", fontsize="large")
    bound = np.abs(filters).max()
    for ax, kernel in zip(left.subplots(3, 2).flat, filters[:, 0], strict=True):
        ax.imshow(kernel, cmap="RdBu", vmin=-bound, vmax=bound)
        ax.set_axis_off()
    images.confusion(right.subplots(), labels, guesses)


def main(argv=None):
    """Train, then measure and draw on images that were not trained on."""
    args = images.options(argv, __doc__.split("\n")[0], SETTINGS, "mnist_cnn.png")
    sets = images.read(args)
    if args.data == "digits":
        frame = ((0, 0), (3, 3), (3, 3))
        sets = sets._replace(x_train=np.pad(sets.x_train, frame), x_test=np.pad(sets.x_test, frame))
    rng = np.random.default_rng(args.seed)
    weights = init.glorot_uniform if args.plain else init.he_normal
    p = initial_parameters(sets.x_train.shape[1], weights, rng)
    if args.show_source:
        loss.show(p, sets.x_train[: args.batch], sets.y_train[: args.batch])

    train(p, sets, args, rng)
    guesses = classify(p, sets.x_test)
    picture = images.save(
        args.output, lambda figure: draw(figure, p["k1"], sets.y_test, guesses), figsize=(9, 5.5)
    )
    print(f"network        conv 6 and 16, dense {len(p['w3'])}-84-10, {p['w3'].dtype}")
    print(f"training       {args.epochs} epochs of {len(sets.x_train)}, {args.batch} a step, "
          f"lr {args.lr}, seed {args.seed}, {args.threads} threads")  # fmt: skip
    print(f"test accuracy  {np.mean(guesses == sets.y_test):.2%}")
    print(f"picture        {picture}")


if __name__ == "__main__":
    main()
