"""What the examples that classify images share: options, reading, picture of the errors."""

import sys

import command_line
import numpy as np

from srcad.nn import data

READ = {"digits": lambda _: data.digits(), "mnist": data.mnist, "fashion": data.fashion_mnist}


def options(argv, description, settings, picture):
    """Read the command line; `settings` has epochs, learning rate and batch of each data set."""

    def more(parser):
        parser.add_argument("--fashion", action="store_const", const="fashion", dest="data")
        parser.add_argument(
            "--plain", action="store_true", help="Glorot's weights, pixels in [0, 1]"
        )

    return command_line.options(argv, description, settings, picture, more)


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
