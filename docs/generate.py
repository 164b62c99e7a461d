"""Write the pages that are generated from the code.

python docs/generate.py             reference.md, reference-networks.md, errors.md, rules.md,
                                    options.md, anatomy.md, packages.md, the table of limits.md
python docs/generate.py --check     fail if one of them is not what the code says now
python docs/generate.py --speed     measure, and write the table of README.md
python docs/generate.py --pictures  run the examples, and draw their pictures (minutes), or
                                    those that are named: --pictures autoencoder

What the snippets print is written by `pytest tests/test_docs.py --update-docs`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
MEASURED = re.compile(r"(<!-- measured -->\n).*?(?=\n<!-- end -->)", re.DOTALL)
LIMITS = re.compile(r"(<!-- from the table of errors -->\n\n).*?(?=\n<!-- end -->)", re.DOTALL)


def errors_page() -> str:
    """Every kind of error: srcad/errors/kinds/*.toml."""
    from srcad.errors.explain import page

    return page()


def rules_page() -> str:
    """Every rule of the registry, by module."""
    from srcad.cli.rules import page

    return page()


def limits_page() -> str:
    """The page as it is, with the table of what is refused as it is now."""
    from srcad.errors.explain import limits

    text = (DOCS / "limits.md").read_text(encoding="utf-8")
    text, n = LIMITS.subn(lambda mark: f"{mark[1]}{limits()}", text)
    if n != 1:
        sys.exit("limits.md has no place for the table")
    return text


def anatomy_page() -> str:
    """One program after each pass: docs/anatomy.py."""
    import anatomy

    return anatomy.page()


def packages_page() -> str:
    """What became of functions of published packages: docs/packages.py."""
    import packages

    return packages.page()


def options_page() -> str:
    """What became of each parameter of NumPy's functions: docs/options.py."""
    import options

    return options.page()


def reference_page() -> str:
    """The public functions, from their docstrings: docs/reference.py."""
    import reference

    return reference.page()


def networks_page() -> str:
    """Those of `srcad.nn`."""
    import reference

    return reference.networks_page()


PAGES: dict[str, Callable[[], str]] = {
    "errors.md": errors_page,
    "rules.md": rules_page,
    "limits.md": limits_page,
    "anatomy.md": anatomy_page,
    "packages.md": packages_page,
    "options.md": options_page,
    "reference.md": reference_page,
    "reference-networks.md": networks_page,
}


def write_pages(*, check: bool) -> int:
    """Write or check the pages; returns the exit code."""
    stale = []
    for name, make in PAGES.items():
        path, text = DOCS / name, make()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.write_text(text, encoding="utf-8")
    for name in stale:
        print(f"docs/{name} is out of date" if check else f"wrote docs/{name}")
    return 1 if check and stale else 0


def write_speed() -> int:
    """Run the benchmark and put its table between the marks in the README."""
    program = [sys.executable, str(ROOT / "benchmarks" / "gradients.py")]
    table = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    text, n = MEASURED.subn(lambda mark: f"{mark[1]}\n{table}", text)
    if n != 1:
        sys.exit("README.md has no place for the table")
    readme.write_text(text, encoding="utf-8")
    return 0


def draw_pictures(names: list[str]) -> int:
    """Run examples with their own defaults; without names all of them."""
    programs = [
        path.stem
        for path in sorted((ROOT / "examples").glob("*.py"))
        if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
    ]
    for name in names or programs:
        program = [sys.executable, str(ROOT / "examples" / f"{name}.py")]
        subprocess.run([*program, "--output", str(DOCS / f"{name}.png")], check=True)
    return 0


def main() -> int:
    """Do what is asked for; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--check", action="store_true", help="compare instead of writing")
    chosen.add_argument("--speed", action="store_true", help="the README's table: minutes")
    chosen.add_argument("--pictures", nargs="*", metavar="NAME", help="of the examples: minutes")
    options = parser.parse_args()
    if options.speed:
        return write_speed()
    if options.pictures is not None:
        return draw_pictures(options.pictures)
    return write_pages(check=options.check)


if __name__ == "__main__":
    sys.exit(main())
