"""Train an autoencoder by stochastic gradient descent on a gradient that srcad wrote.

The network squeezes an image into a short code and draws it again from the code: three sigmoid
layers, 64-48-16-64 for the 8x8 digits that come with srcad, 784-300-100-784 for MNIST.

    python examples/autoencoder.py                # seconds
    python examples/autoencoder.py --data mnist   # 60000 images, 4 epochs: a minute or two
    python examples/autoencoder.py --batch 10     # ten images a step, by the same loss function
"""

import argparse
import sys
import time

import numpy as np
from progress import progress_bar

import srcad
from srcad.nn import data

# Layer sizes, epochs and learning rate of each data set; MNIST's are those of the literature.
SETTINGS = {"digits": ((64, 48, 16), 30, 0.1), "mnist": ((784, 300, 100), 4, 0.02)}


def sigmoid(z):
    """Squash `z` to (0, 1)."""
    return 1 / (1 + np.exp(-z))


def reconstruct(w1, w2, wd, b1, b2, x):
    """Encode and decode `x`: one image (pixels,) or many (n, pixels)."""
    hidden = sigmoid(x @ w1 + b1)
    code = sigmoid(hidden @ w2 + b2)
    return sigmoid(code @ wd)


@srcad.value_and_grad(argnums=(0, 1, 2, 3, 4))
def autoencoder_error(w1, w2, wd, b1, b2, x):
    """Return the squared error of the reconstruction, summed over pixels and images."""
    return np.sum((x - reconstruct(w1, w2, wd, b1, b2, x)) ** 2)


def initial_parameters(sizes, rng):
    """Draw the weights from N(0, 0.1); biases are zero."""
    pixels, hidden, code = sizes
    shapes = [(pixels, hidden), (hidden, code), (code, pixels)]
    weights = [rng.normal(0, 0.1, shape).astype(np.float32) for shape in shapes]
    return [*weights, np.zeros(hidden, np.float32), np.zeros(code, np.float32)]


def train(parameters, x, epochs, lr, batch, rng):
    """Improve `parameters` in place, one step for each `batch` images."""
    n, pixels = x.shape
    with progress_bar(epochs * n) as advance:
        for _ in range(epochs):
            order = rng.permutation(n)
            for start in range(0, n, batch):
                rows = order[start] if batch == 1 else order[start : start + batch]
                error, gradient = autoencoder_error(*parameters, x[rows])
                for p, g in zip(parameters, gradient, strict=True):
                    p -= lr * g
                advance(rows.size, error / (rows.size * pixels))


def draw(path, images, drawn):
    """Save a picture of `images` above their reconstructions and return its name."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return "none: pip install matplotlib"
    side = round(images.shape[1] ** 0.5)
    axes = (figure := Figure(figsize=(len(images), 2.2), layout="tight")).subplots(2, len(images))
    for row, pictures in zip(axes, (images, drawn), strict=True):
        for ax, picture in zip(row, pictures, strict=True):
            ax.imshow(picture.reshape(side, side), cmap="gray_r", vmin=0, vmax=1)
            ax.set_axis_off()
    figure.savefig(path)
    return path


def options(argv):
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", choices=SETTINGS, default="digits")
    parser.add_argument("--data-dir", help="folder that holds mnist/ (default: $SRCAD_DATA)")
    parser.add_argument("--epochs", type=int, help="digits: 30, mnist: 4")
    parser.add_argument("--lr", type=float, help="learning rate; digits: 0.1, mnist: 0.02")
    parser.add_argument("--batch", type=int, default=1, help="images a step (default: 1)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show-source", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--output", default="autoencoder.png", help="the picture's file name")
    chosen = parser.parse_args(argv)
    if chosen.batch < 1:
        parser.error(f"--batch must be at least 1, got {chosen.batch}")
    sizes, epochs, lr = SETTINGS[chosen.data]
    chosen.sizes = sizes
    chosen.epochs = epochs if chosen.epochs is None else chosen.epochs
    chosen.lr = lr if chosen.lr is None else chosen.lr
    return chosen


def main(argv=None):
    """Train, then draw and measure on images that were not trained on."""
    args = options(argv)
    try:
        images = data.digits() if args.data == "digits" else data.mnist(args.data_dir)
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    rng = np.random.default_rng(args.seed)
    parameters = initial_parameters(args.sizes, rng)
    if args.show_source:
        first = images.x_train[0] if args.batch == 1 else images.x_train[: args.batch]
        autoencoder_error.show(*parameters, first)

    start = time.perf_counter()
    train(parameters, images.x_train, args.epochs, args.lr, args.batch, rng)
    seconds = time.perf_counter() - start
    drawn = reconstruct(*parameters, images.x_test)
    error = np.mean((images.x_test - drawn) ** 2)
    picture = draw(args.output, images.x_test[:10], drawn[:10])
    sizes, n = "-".join(map(str, (*args.sizes, args.sizes[0]))), len(images.x_train)
    print(f"network     {sizes}, {drawn.dtype}")
    print(f"training    {args.epochs} epochs of {n} images, {args.batch} a step, lr {args.lr}")
    print(f"time        {seconds:.1f} s")
    print(f"test error  {error:.4f} per pixel (mean squared)")
    print(f"picture     {picture}")


if __name__ == "__main__":
    main()
