"""A variational autoencoder: a map on which every place is a digit.

The encoder gives for each image a normal distribution of two numbers, the decoder an image for each
pair of numbers, and training makes the two fit: images are drawn again well, and the distributions
together fill the plane as one normal distribution does (Kingma & Welling 2014, "Auto-encoding
variational Bayes"). What is drawn from a distribution is `mean + deviation * noise`, with the noise
of NumPy's generator; so there is a gradient by both.

    python examples/variational_autoencoder.py                # seconds
    python examples/variational_autoencoder.py --data mnist   # 60000 images, 10 epochs: minutes
"""

import time

import command_line
import images
import numpy as np
from progress import progress_bar

import srcad
from srcad.nn import (
    binary_cross_entropy_with_logits,
    data,
    dense,
    init,
    optim,
    relu,
    sigmoid,
)

# Epochs, learning rate and batch of each data set, and the neurons between pixels and plane.
SETTINGS = {
    "digits": {"epochs": 150, "lr": 3e-3, "batch": 50, "hidden": 128},
    "mnist": {"epochs": 10, "lr": 1e-3, "batch": 100, "hidden": 256},
    "fashion": {"epochs": 10, "lr": 1e-3, "batch": 100, "hidden": 256},
}


def encode(p, x):
    """Return mean and logarithm of the variance of each image's two numbers: (n, 2), (n, 2)."""
    h = relu(dense(x, p["w1"], p["b1"]))
    h = relu(dense(h, p["w2"], p["b2"]))
    return dense(h, p["w_mean"]), dense(h, p["w_var"])


def decode(p, z):
    """Return the logits of the pixels (n, pixels) at places (n, 2) of the map."""
    h = np.tanh(dense(z, p["v1"], p["c1"]))
    h = relu(dense(h, p["v2"], p["c2"]))
    return dense(h, p["v3"], p["c3"])


@srcad.value_and_grad
def loss(p, x, rng):
    """Return the negative evidence lower bound: nats for each image."""
    mean, log_var = encode(p, x)
    z = mean + np.exp(0.5 * log_var) * rng.standard_normal(mean.shape, np.float32)
    drawn = x.shape[1] * binary_cross_entropy_with_logits(decode(p, z), x)
    far = 0.5 * np.mean(np.sum(np.exp(log_var) + mean**2 - 1 - log_var, axis=1))
    return drawn + far


def initial_parameters(pixels, hidden, rng):
    """Draw the weights; biases are zero."""
    shapes = {
        "w1": (pixels, hidden), "w2": (hidden, hidden), "w_mean": (hidden, 2), "w_var": (hidden, 2),
        "v1": (2, hidden), "v2": (hidden, hidden), "v3": (hidden, pixels),
    }  # fmt: skip
    p = {name: init.glorot_uniform(shape, rng) for name, shape in shapes.items()}
    for name, n in {"b1": hidden, "b2": hidden, "c1": hidden, "c2": hidden, "c3": pixels}.items():
        p[name] = init.zeros(n)
    return p


def train(p, images, args, rng):
    """Improve `p` in place."""
    optimiser = optim.adam(args.lr)
    state = optimiser.init(p)
    n = len(images.x_train)
    with progress_bar(args.epochs * n) as advance:
        for epoch in range(args.epochs):
            state["lr"] = args.lr * (1 + np.cos(np.pi * epoch / args.epochs)) / 2
            for x, _ in data.batches(images.x_train, images.y_train, args.batch, rng):
                value, gradient = loss(p, x, rng)
                optimiser.update(p, gradient, state)
                advance(len(x), value)


def atlas(p, side, n=13):
    """Return the images of a grid of places, as one picture."""
    along = 2.2 * np.linspace(-1, 1, n)
    z = np.stack(np.meshgrid(along, -along), axis=-1).reshape(-1, 2).astype(np.float32)
    drawn = sigmoid(decode(p, z)).reshape(n, n, side, side)
    drawn = np.pad(drawn, ((0, 0), (0, 0), (1, 1), (1, 1)))
    return drawn.transpose(0, 2, 1, 3).reshape(n * (side + 2), n * (side + 2))


def draw(figure, p, images):
    """Draw the map, and where on it the test images come to lie."""
    left, right = figure.subplots(1, 2)
    side = round(images.x_test.shape[1] ** 0.5)
    left.imshow(atlas(p, side), cmap="gray_r", extent=(-2.3, 2.3, -2.3, 2.3))
    left.set(title="what the decoder draws at each place")
    places, _ = encode(p, images.x_test[:2000])
    for kind in range(10):
        right.plot(*places[images.y_test[:2000] == kind].T, ".", color=f"C{kind}", label=kind)
    right.set(title="where test images are", xlim=(-3.5, 3.5), ylim=(-3.5, 3.5), aspect="equal")
    right.legend(fontsize="x-small", loc="upper right")


def neighbours_agree(places, labels, n=5):
    """Return for how many places most of the nearest n others have the same label."""
    distance = np.sum((places[:, None] - places) ** 2, axis=-1)
    np.fill_diagonal(distance, np.inf)
    nearest = labels[np.argsort(distance, axis=1)[:, :n]]
    return np.mean(np.sum(nearest == labels[:, None], axis=1) > n // 2)


def main(argv=None):
    """Train, measure on images that were not trained on, draw the map."""
    args = command_line.options(
        argv, __doc__.split("\n")[0], SETTINGS, "variational_autoencoder.png"
    )
    found = images.READ[args.data](args.data_dir)
    rng = np.random.default_rng(args.seed)
    p = initial_parameters(found.x_train.shape[1], args.hidden, rng)
    if args.show_source:
        loss.show(p, found.x_train[: args.batch], rng)
    start = time.perf_counter()
    train(p, found, args, rng)
    seconds = time.perf_counter() - start

    test = found.x_test[:2000]
    places, _ = encode(p, test)
    error = np.mean((sigmoid(decode(p, places)) - test) ** 2)
    alike = neighbours_agree(places, found.y_test[:2000])
    pixels = test.shape[1]
    print(
        f"network     {pixels}-{args.hidden}-{args.hidden}-2-{args.hidden}-{args.hidden}-{pixels}"
    )
    print(f"training    {args.epochs} epochs of {len(found.x_train)}, {args.batch} a step, "
          f"{seconds:.1f} s")  # fmt: skip
    print(f"test loss   {loss(p, test, rng)[0]:.2f} nats for an image")
    print(f"test error  {error:.4f} per pixel (mean squared), from two numbers")
    print(f"neighbours  {alike:.0%} of test images lie among their own kind")
    drawn = images.save(
        args.output, lambda figure: draw(figure, p, found), figsize=(9, 4.4), dpi=80
    )
    print(f"picture     {drawn}")


if __name__ == "__main__":
    main()
