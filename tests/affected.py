"""The tests that matter for a change, in under a minute.

    python -m pytest -n auto $(python tests/affected.py)            # of what is not committed
    python -m pytest -n auto $(python tests/affected.py main)       # of what has come since `main`

Prints the changed tests, the tests of the same name as a changed module (`srcad/ir/types.py`:
`tests/ir/test_types.py`), those that import one, those that find what a module of rules or passes
declares, and some that stand for the rest: layers, passes, one theme of the corpus, random
programs.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
ALWAYS = (
    "tests/test_layers.py",
    "tests/test_import.py",
    "tests/ops",
    "tests/optimize/test_corpus.py",
    "tests/random_programs/test_regressions.py",
)

# By package: they test what its modules declare, which they find in a table.
BY_TABLE = {
    "rules": ("tests/rules/test_all_rules.py", "tests/rules/test_compose.py"),
    **dict.fromkeys(("analysis", "optimize"), ("tests/optimize/test_optimize.py",)),
}


def changed(base: str = "HEAD") -> list[Path]:
    """The files that differ from a commit, those that git does not know yet included."""
    differing = _git("diff", "--name-only", base)
    return [
        Path(name) for name in (*differing, *_git("ls-files", "--others", "--exclude-standard"))
    ]


def affected(files: Iterable[Path]) -> Iterator[str]:
    """The tests for these files, relative to the root."""
    tests = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")}
    for file in files:
        if file.parts[0] == "tests" and file.name.startswith("test_") and (ROOT / file).exists():
            yield str(file)
        if file.parts[0] != "srcad" or file.suffix != ".py":
            continue
        yield from BY_TABLE.get(file.parts[1], ())
        module = ".".join(file.with_suffix("").parts).removesuffix(".__init__")
        package, _, name = module.rpartition(".")
        imports = (f"from {module} import", f"import {module}\n", f"from {package} import {name}\n")
        for path, text in tests.items():
            is_mirror = path.name == f"test_{name}.py" and path.parent.name in file.parts
            if is_mirror or any(each in text for each in imports):
                yield str(path.relative_to(ROOT))


def _git(*command: str) -> list[str]:
    done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def main(arguments: list[str]) -> None:
    """Print the tests, each once."""
    tests = [*affected(changed(*arguments[:1])), *ALWAYS]
    print("\n".join(dict.fromkeys(tests)))


if __name__ == "__main__":
    main(sys.argv[1:])
