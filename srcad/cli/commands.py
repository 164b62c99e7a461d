"""What each command does. The rest of srcad is imported where it is used: `--help` is quick."""

from __future__ import annotations

import inspect
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from srcad.cli import output
from srcad.cli.failure import Failure


def show(options: Namespace) -> int:
    """Print the generated source, or the program after a pass of the compiler."""
    transformed, args = _transformed(options)
    if options.after:
        return _show_after(options.after, transformed, args)
    output.print_code(transformed.source(*args))
    return 0


def _show_after(name: str, transformed: Any, args: tuple[Any, ...]) -> int:
    from srcad.ir.passes import observed, printer
    from srcad.pipeline.passes import STAGES

    names = (each for stage in STAGES for each in (stage.name, *(p.name for p in stage.passes)))
    known = [*dict.fromkeys(names), "all"]
    if name not in known:
        raise Failure(f"no pass is named {name!r}", hint=f"there are {', '.join(known)}")
    with observed(printer([name], sys.stdout)):
        transformed.source(*args)
    return 0


def save(options: Namespace) -> int:
    """Write the generated source as a stand-alone module, or as C."""
    transformed, args = _transformed(options)
    path = Path(options.output)
    if options.c:
        path = path.with_suffix(".c")
    ends = (".c", ".h", "_test.c") if path.suffix == ".c" else (path.suffix,)
    files = [path.with_name(f"{path.stem}{end}") for end in ends]
    for each in files:
        if each.exists() and not options.force:
            raise Failure(f"{each} exists", hint="--force overwrites it")
    try:
        transformed.save(path, *args, overwrite=True)
    except OSError as problem:
        raise Failure(f"{path} cannot be written: {problem.strerror}") from problem
    print(f"wrote {', '.join(str(each) for each in files if each.exists())}")
    return 0


def explore(options: Namespace) -> int:
    """Write the explorer's page."""
    transformed, args = _transformed(options)
    path = Path(options.output or f"{options.target.rpartition(':')[2]}.html")
    try:
        transformed.explore(*args, path=path)
    except OSError as problem:
        raise Failure(f"{path} cannot be written: {problem.strerror}") from problem
    print(f"wrote {path}")
    return 0


def check(options: Namespace) -> int:
    """Compare the derivatives with finite differences."""
    primal = _primal(options.target)
    args = _arguments(primal, options)
    from srcad.testing import check_grads

    modes = tuple(options.modes.split(","))
    try:
        check_grads(primal, args, order=options.order, modes=modes)
    except AssertionError as problem:
        hint = "--range LOW HIGH draws other arguments" if "nan" in str(problem) else ""
        raise Failure(f"{options.target}: {problem}", hint=hint, code=1) from problem
    print(f"{options.target}: correct to order {options.order} in {' and '.join(modes)} mode")
    return 0


def rules(options: Namespace) -> int:
    """List functions with what srcad does with them."""
    from srcad.cli.rules import find_rules, near_names

    found = find_rules(options.name)
    if not found:
        near = near_names(options.name)
        hint = (
            f"there are {', '.join(near)}" if near else "`srcad explain E201` shows how to add one"
        )
        raise Failure(f"no rule for {options.name!r}", hint=hint, code=1)
    rows = [(line.name, line.kind, line.by, line.note) for line in found]
    output.print_table(("function", "kind", "by", "note"), rows)
    return 0


def explain(options: Namespace) -> int:
    """Explain an error code, or list them all."""
    from srcad import errors
    from srcad.errors.explain import explain

    if not options.code:
        rows = [(row.code, row.heading) for row in errors.all_kinds()]
        output.print_table(("code", "error"), rows)
        return 0
    code = options.code.upper().strip("[]")
    try:
        row = errors.kind(code if code.startswith("E") else f"E{code}")
    except KeyError:
        raise Failure(
            f"no error has the code {options.code!r}", hint="`srcad explain` lists them"
        ) from None
    output.print_markdown(explain(row))
    return 0


def cache(options: Namespace) -> int:
    """Describe or empty the cache folder."""
    from srcad import cache

    before = cache.info()
    if options.action == "clear":
        cache.clear()
        print(f"removed {before.files} files, {_size(before.bytes)}, from {before.directory}")
    else:
        print(f"folder  {before.directory}")
        print(f"files   {before.files}")
        print(f"size    {_size(before.bytes)}")
        if not before.usable:
            print(f"unused  {before.reason}")
    return 0


def _size(count: int) -> str:
    size, units = float(count), ["bytes", "kB", "MB", "GB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return f"{count} bytes" if units[0] == "bytes" else f"{size:.1f} {units[0]}"


# Function and arguments --------------------------------------------------------------------------


def _primal(target: str) -> Callable[..., Any]:
    """The plain function; of one that is transformed already, what it was made from."""
    from srcad.cli.target import load_function

    found = load_function(target)
    primal: Callable[..., Any] = getattr(found, "primal", found)
    return primal


def _transformed(options: Namespace) -> tuple[Any, tuple[Any, ...]]:
    """The object whose source is wanted, and arguments for it."""
    import srcad
    from srcad.cli.target import load_function

    found: Any = load_function(options.target)
    given = [options.transform, options.argnums, options.backend, options.fast_math or None]
    is_transformed = hasattr(found, "primal")
    if is_transformed and any(each is not None for each in given):
        raise Failure(
            f"{options.target} is transformed already",
            hint="leave out --transform, --argnums, --backend and --fast-math",
        )
    if not is_transformed:
        products = {"jvp": "pushforward", "vjp": "pullback"}
        wanted = options.transform or "grad"
        if wanted in products and options.argnums is not None:
            raise Failure(f"{wanted} is by all arguments", hint="leave out --argnums")
        make = getattr(srcad, products.get(wanted, wanted))
        extra = {"backend": options.backend, "fast_math": options.fast_math or None}
        chosen = {name: value for name, value in extra.items() if value is not None}
        if options.argnums is not None:
            chosen["argnums"] = _argnums(options.argnums)
        found = make(found, **chosen)
    elif options.signature is None and found.cache_info().size:
        return found, ()  # the file itself has called it: its newest specialisation
    return found, _arguments(found.primal, options)


def _argnums(text: str) -> int | str | tuple[int | str, ...]:
    """`0`, `w` or `0,w`."""
    parts = [part.strip() for part in text.split(",")]
    each = tuple(int(part) if part.lstrip("-").isdecimal() else part for part in parts)
    return each if len(each) > 1 else each[0]


def _arguments(fn: Callable[..., Any], options: Namespace) -> tuple[Any, ...]:
    """Arguments as --signature describes them; without it one float for each parameter."""
    from srcad.cli.signature import build_arguments

    names = _required(fn)
    text = options.signature
    if text is None:
        text = ", ".join(["float"] * len(names))
    low, high = options.range
    args = build_arguments(text, seed=options.seed, low=low, high=high)
    try:
        inspect.signature(fn).bind(*args)
    except TypeError as problem:
        hint = f"it takes {', '.join(names)}"
        raise Failure(f"--signature does not fit {options.target}: {problem}", hint=hint) from None
    except ValueError:  # a function without a signature takes what it takes
        pass
    return args


def _required(fn: Callable[..., Any]) -> list[str]:
    """Positional parameters without a default."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except ValueError:
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in parameters if p.kind in kinds and p.default is p.empty]
