"""The commands, their options and their help."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from srcad.cli import commands
from srcad.cli.failure import Failure
from srcad.cli.output import print_failure
from srcad.pipeline.targets import AUTO, backends

_SIGNATURE = """\
signature: what to call the function with, from which random arguments are made
  f64[3,4]  f32[100,784]  i64[3]   arrays of a dtype and shape
  f64  float  int                  a NumPy scalar, Python numbers
  (f64[3], f64)  [f64[2]]  {"w": f64[3,4]}
  0.5  "relu"  True  None          these very values
  Without --signature each parameter without a default gets a float.
"""

_EPILOG = {
    "": """\
examples:
  srcad show model.py:loss --signature "f64[10], f64[100,10]"
  srcad save model.py:loss -o loss_grad.py --signature "f64[10], f64[100,10]"
  srcad check model.py:loss --signature "f64[10], f64[100,10]"
  srcad explore model.py:loss --signature "f64[10], f64[100,10]"
  srcad explain E103
""",
    "show": f"""\
{_SIGNATURE}
examples:
  srcad show model.py:loss
  srcad show model.py:loss --transform value_and_grad --argnums w,b \\
             --signature "f32[784,10], f32[10], f32[100,784]"
  srcad show model.py:loss > loss_grad.txt
  srcad show model.py:loss --after cse
""",
    "save": f"""\
The module needs NumPy, not srcad. To OUT.c goes a function of C99 that needs neither, with a
header, OUT.h, and a test, OUT_test.c; the function must become loops over numbers.

{_SIGNATURE}
examples:
  srcad save model.py:loss -o loss_grad.py --signature "f64[10], f64[100,10]"
  python -c "from loss_grad import loss_grad"
  srcad save model.py:loss -o loss_grad.c --signature "f64[10], f64[100,10]"
  cc loss_grad.c loss_grad_test.c -lm && ./a.out
""",
    "explore": f"""\
The page is one file of HTML: the function on the left, its gradient on the right. It needs no
server and no network. The function is called, with the arguments, to measure its lines.

{_SIGNATURE}
examples:
  srcad explore model.py:loss --signature "f64[10], f64[100,10]"
  srcad explore model.py:loss --transform value_and_grad -o loss.html
""",
    "check": f"""\
{_SIGNATURE}
examples:
  srcad check model.py:loss --signature "f64[10], f64[100,10]"
  srcad check model.py:likelihood --range 0.1 1 --order 1 --modes rev
""",
    "rules": """\
examples:
  srcad rules
  srcad rules linalg
  srcad rules np.sum
""",
    "explain": """\
examples:
  srcad explain E103
  srcad explain
""",
    "cache": """\
SRCAD_CACHE_DIR names another folder; SRCAD_CACHE=0 does without.

examples:
  srcad cache info
  srcad cache clear
""",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    from srcad.errors import SrcadError

    options = _parser().parse_args(argv)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except Failure as failure:
        print_failure(failure)
        return failure.code
    except SrcadError as refusal:
        print(refusal, file=sys.stderr)
        if getattr(options, "signature", "") is None:
            hint = "each parameter was taken as a float; --signature describes the arguments"
            print(f"hint: {hint}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # `srcad show ... | head`: the reader has seen enough. Nothing is left to be flushed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="srcad",
        description="Gradients of ordinary NumPy functions, by rewriting their source.",
        epilog=_EPILOG[""],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    parts = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    part = _command(parts, "show", commands.show, "print the generated gradient source")
    _add_target(part, transform=True)
    part.add_argument(
        "--after", metavar="PASS", help="print the compiler's program after this pass; all: each"
    )

    part = _command(parts, "save", commands.save, "write it as a stand-alone module, or as C")
    _add_target(part, transform=True)
    part.add_argument(
        "-o", "--output", required=True, metavar="OUT", help="file to write: OUT.py, or OUT.c"
    )
    part.add_argument("--c", action="store_true", help="write C, with OUT.h and OUT_test.c")
    part.add_argument("--force", action="store_true", help="overwrite the file")

    part = _command(parts, "explore", commands.explore, "write a page with both sources")
    _add_target(part, transform=True)
    part.add_argument(
        "-o", "--output", metavar="OUT.html", help="file to write (default: NAME.html, here)"
    )

    part = _command(parts, "check", commands.check, "compare it with finite differences")
    _add_target(part, transform=False)
    part.add_argument("--order", type=int, default=2, help="highest derivative (default: 2)")
    part.add_argument(
        "--modes", default="fwd,rev", choices=("fwd", "rev", "fwd,rev"), help="default: both"
    )

    part = _command(parts, "rules", commands.rules, "list functions with a derivative rule")
    part.add_argument("name", nargs="?", default="", metavar="NAME", help="part of a name")

    part = _command(parts, "explain", commands.explain, "explain an error code")
    part.add_argument("code", nargs="?", metavar="CODE", help="as in E103; without it a list")

    part = _command(parts, "cache", commands.cache, "describe or empty the cache folder")
    part.add_argument("action", choices=("info", "clear"))
    return parser


def _command(
    parts: argparse._SubParsersAction[argparse.ArgumentParser], name: str, run: object, summary: str
) -> argparse.ArgumentParser:
    part: argparse.ArgumentParser = parts.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=_EPILOG[name],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    part.set_defaults(run=run)
    return part


def _add_target(part: argparse.ArgumentParser, *, transform: bool) -> None:
    part.add_argument("target", metavar="FILE.py:function", help="a function, or Class.method")
    part.add_argument("--signature", metavar="TYPES", help="the arguments, see below")
    part.add_argument("--seed", type=int, default=0, help="of the random arguments (default: 0)")
    part.add_argument(
        "--range",
        type=float,
        nargs=2,
        default=(-1.0, 1.0),
        metavar=("LOW", "HIGH"),
        help="of random floats (default: -1 1)",
    )
    if not transform:
        return
    part.add_argument(
        "--transform",
        choices=("grad", "value_and_grad", "jvp", "vjp"),
        help="what to generate (default: grad)",
    )
    part.add_argument(
        "--argnums", metavar="ARGS", help="arguments to differentiate by: 0, w or 0,w (default: 0)"
    )
    part.add_argument("--backend", choices=backends(), help=f"default: {AUTO}")
    part.add_argument("--fast-math", action="store_true", help="allow laws that round differently")


class _Version(argparse.Action):
    """Prints the version; read from the package only when asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *rest: object) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            print(f"srcad {version('srcad')}")
        except PackageNotFoundError:
            print("srcad, not installed")
        parser.exit()
