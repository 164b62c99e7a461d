"""What the examples that classify images share: command line, reading, picture of the errors."""

import argparse
import sys

import numpy as np

from srcad import kernels
from srcad.nn import data

READ = {"digits": lambda _: data.digits(), "mnist": data.mnist, "fashion": data.fashion_mnist}


def options(argv, description, settings, picture):
    """Read the command line; `settings` has epochs, learning rate and batch of each data set."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", choices=settings, default="digits")
    parser.add_argument("--fashion", action="store_const", const="fashion", dest="data")
    parser.add_argument("--data-dir", help="folder that holds mnist/, fashion/ (else $SRCAD_DATA)")
    for name, kind, what in (
        ("epochs", int, "epochs"),
        ("lr", float, "learning rate"),
        ("batch", int, "images a step"),
    ):
        defaults = ", ".join(f"{key}: {s[name]}" for key, s in settings.items())
        parser.add_argument(f"--{name}", type=kind, help=f"{what} ({defaults})")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=kernels.num_threads())
    parser.add_argument("--plain", action="store_true", help="Glorot's weights, pixels in [0, 1]")
    parser.add_argument("--show-source", action=argparse.BooleanOptionalAction, default=False)
    parser.add_argument("--output", default=picture, help=f"the picture's file ({picture})")
    args = parser.parse_args(argv)
    for name, default in settings[args.data].items():
        if getattr(args, name) is None:
            setattr(args, name, default)
    if args.batch < 1 or args.threads < 1:
        parser.error("--batch and --threads must be at least 1")
    kernels.set_num_threads(args.threads)
    kernels.keep_memory()
    return args


def read(args):
    """Return a data set with images (n, rows, columns), standardised unless `--plain`."""
    try:
        images = READ[args.data](args.data_dir)
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    mean, spread = (0, 1) if args.plain else (np.mean(images.x_train), np.std(images.x_train))
    side = round(images.x_train.shape[1] ** 0.5)
    x_train, x_test = (
        (x.reshape(-1, side, side) - mean) / spread for x in (images.x_train, images.x_test)
    )
    return images._replace(x_train=x_train, x_test=x_test)


def save(path, draw, **size):
    """Let `draw` fill a new figure, save it, and return what to print about it."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return "none: pip install matplotlib"
    draw(figure := Figure(layout="constrained", **size))
    figure.savefig(path)
    return path


def confusion(ax, labels, guesses):
    """Draw on `ax` how often each class was taken for each other one."""
    classes = range(max(labels.max(), guesses.max()) + 1)
    table = np.array([[np.sum((labels == a) & (guesses == b)) for b in classes] for a in classes])
    errors = table * (1 - np.eye(len(classes)))
    ax.imshow(errors, cmap="Reds", vmax=2 * max(1, errors.max()))
    for (row, column), count in np.ndenumerate(table):
        ax.text(column, row, count or "", ha="center", va="center", fontsize="small")
    ax.set(xlabel="guess", ylabel="class", title="confusion", xticks=classes, yticks=classes)
