"""The command line of the examples that train on one of several data sets."""

import argparse

from srcad import kernels


def options(argv, description, settings, picture, more=lambda parser: None):
    """Read the command line.

    Args:
        argv: its words; None for the program's own.
        description: what the program does, for `--help`.
        settings: for each data set, the first one being the default, its epochs, learning rate,
            batch and whatever else depends on it. All of it is an attribute of the result.
        picture: the name of the file that the program draws.
        more: adds the program's own options to a parser.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", choices=settings, default=next(iter(settings)))
    parser.add_argument("--data-dir", help="folder that holds the sets' folders (else $SRCAD_DATA)")
    for name, kind, what in (
        ("epochs", int, "epochs"),
        ("lr", float, "learning rate"),
        ("batch", int, "samples a step"),
    ):
        defaults = ", ".join(f"{key}: {s[name]}" for key, s in settings.items())
        parser.add_argument(f"--{name}", type=kind, help=f"{what} ({defaults})")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=kernels.num_threads())
    parser.add_argument("--show-source", action=argparse.BooleanOptionalAction, default=False)
    parser.add_argument("--output", default=picture, help=f"the picture's file ({picture})")
    more(parser)
    args = parser.parse_args(argv)
    for name, default in settings[args.data].items():
        if getattr(args, name, None) is None:
            setattr(args, name, default)
    if args.batch < 1 or args.threads < 1:
        parser.error("--batch and --threads must be at least 1")
    kernels.set_num_threads(args.threads)
    kernels.keep_memory()
    return args
