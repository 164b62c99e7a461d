import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from srcad.rules import RULES
from srcad.rules.core.table import name_of


@pytest.fixture
def run(tmp_path):
    """Return `run(program)`: what a program prints in a process of its own."""

    def run(program):
        file = tmp_path / "program.py"
        file.write_text(textwrap.dedent(program))
        done = subprocess.run([sys.executable, file], capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stderr
        return done.stdout

    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return run


def test_srcad_does_not_import_scipy(run):
    program = """
        import sys, numpy as np, srcad
        def f(x):
            return np.sum(np.sin(x))
        srcad.grad(f)(np.ones(3))
        print(any(name.partition(".")[0] == "scipy" for name in sys.modules))
        """
    assert run(program) == "False\n"


def test_rules_are_read_when_one_is_looked_up(run):
    program = """
        import numpy as np
        from srcad.rules import RULES
        print(len(RULES), np.sin in RULES, len(RULES) > 500)
        """
    assert run(program) == "0 True True\n"


def test_a_rule_of_the_user_for_numpy_comes_after_ours(run):
    program = """
        import srcad, numpy as np
        from srcad.rules import RULES, elementwise
        elementwise(np.sin, lambda y, x: 0 * x, override=True)
        print(len(RULES) > 500, srcad.grad(np.sin)(1.0))
        """
    assert run(program) == "True 0.0\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_waits_until_rules_are_read(run):
    program = """
        import os, threading, numpy as np
        from srcad.rules import RULES
        reading = threading.Thread(target=RULES.load)
        reading.start()
        child = os.fork()
        if child == 0:
            os._exit(0 if np.sin in RULES else 1)
        reading.join()
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    assert run(program) == "0\n"


def test_rules_of_scipy_are_read_when_scipy_is_in_use(run):
    pytest.importorskip("scipy.special", reason="SciPy is not installed")
    program = """
        import sys, srcad
        from srcad.rules import RULES
        from srcad.rules.core import library
        before = len(RULES)
        print("srcad.rules.scipy.special.elementary" in sys.modules)
        from scipy import special
        print(len(RULES) == before, special.expit in RULES, len(RULES) > before)
        """
    assert run(program) == "False\nTrue True True\n"


def test_all_rules_are_read_without_scipy(run):
    program = """
        import sys
        sys.modules["scipy"] = None  # importing it fails
        from srcad.rules import RULES
        from srcad.rules.core import library
        before = len(RULES)
        RULES.load_all()
        print(before == len(RULES))
        """
    assert run(program) == "True\n"


def test_a_rule_of_the_user_for_scipy_comes_after_ours(run):
    pytest.importorskip("scipy.special", reason="SciPy is not installed")
    program = """
        import srcad
        from scipy import special
        from srcad.rules import RULES, elementwise
        try:
            elementwise(special.expit, lambda y, x: 0 * x)
        except srcad.SrcadError as refusal:
            print(refusal.code)
        elementwise(special.expit, lambda y, x: 0 * x, override=True)
        print(srcad.grad(special.expit)(1.0))
        """
    assert run(program) == "E601\n0.0\n"


def test_threads_wait_for_rules_that_are_being_read(run):
    pytest.importorskip("scipy.special", reason="SciPy is not installed")
    program = """
        import threading, numpy as np
        from srcad.rules import RULES
        from scipy import special
        start, found = threading.Barrier(8), []
        def look():
            start.wait()
            found.append(special.expit in RULES and np.sin in RULES)
        threads = [threading.Thread(target=look) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(all(found), len(found))
        """
    assert run(program) == "True 8\n"


def test_what_has_no_rule_is_missed():
    assert object() not in RULES
    assert RULES.get(len.__call__, 3) == 3
    with pytest.raises(KeyError):
        RULES[object()]


@pytest.mark.parametrize(
    ("fn", "name"),
    [
        (np.sin, "np.sin"),
        (np.linalg.inv, "np.linalg.inv"),
        (np.add.reduce, "np.add.reduce"),
        (len, "len"),
    ],
)
def test_names_are_those_that_people_write(fn, name):
    assert name_of(fn) == name


def test_names_of_scipy():
    stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
    special = pytest.importorskip("scipy.special", reason="SciPy is not installed")
    assert name_of(special.expit) == "scipy.special.expit"
    assert name_of(special.logsumexp) == "scipy.special.logsumexp"
    assert name_of(stats.norm.logpdf) == "scipy.stats.norm.logpdf"
