"""Write the pages that are made from the code: errors.md and rules.md.

python docs/generate.py           write them
python docs/generate.py --check   fail if a page is not what the code says now
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

DOCS = Path(__file__).parent


def errors_page() -> str:
    """Every kind of error: srcad/errors/kinds/*.toml."""
    from srcad.errors.explain import page

    return page()


def rules_page() -> str:
    """Every rule of the registry, by module."""
    from srcad.cli.rules import page

    return page()


PAGES: dict[str, Callable[[], str]] = {"errors.md": errors_page, "rules.md": rules_page}


def main() -> int:
    """Write or check the pages; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
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


if __name__ == "__main__":
    sys.exit(main())
