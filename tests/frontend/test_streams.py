"""`io.StringIO` is read in place: what is written, printed and read is Python's."""

import io

import numpy as np
import pytest

import srcad

X = np.array([0.3, 0.5, 0.1])


def known(x):
    s = io.StringIO()
    print("hi", file=s)
    s.write("there")
    return np.sum(x**2) * len(s.getvalue())


def by_data(x):
    s = io.StringIO()
    print("at %.3f" % x[0], x[1], x, file=s, sep=";", end="|\n")
    n = s.write(f"{x[2]:.2f}")
    print(s.getvalue())
    return np.sum(x**2) * n


def in_a_loop(x):
    with io.StringIO() as s:
        for i in range(len(x)):
            print(i, x[i], file=s)
        s.writelines(["a", "b"])
        text = s.getvalue()
    print(text)
    return np.sum(x**2)


def closed(x):
    s = io.StringIO()
    s.close()
    try:
        s.write("a")
    except ValueError:
        return np.sum(x**3)
    return np.sum(x)


def no_text(x):
    s = io.StringIO()
    try:
        s.write(2)
    except TypeError:
        return np.sum(x**3)
    return np.sum(x)


def its_class(x):
    s = io.StringIO()
    return np.sum(x**2) * isinstance(s, io.StringIO) * isinstance(s, io.TextIOBase)


@pytest.mark.parametrize("f", [known, by_data, in_a_loop, closed, no_text, its_class])
def test_a_stream_of_text(f, capsys):
    wanted, printed = f(X), capsys.readouterr().out
    value, slope = srcad.value_and_grad(f)(X)
    assert (value, capsys.readouterr().out) == (wanted, printed)
    ahead, behind = f(X + 1e-6 * X), f(X - 1e-6 * X)
    np.testing.assert_allclose(slope @ X, (ahead - behind) / 2e-6, rtol=1e-6)


def test_a_stream_that_begins_with_a_text_is_refused():
    def f(x):
        return np.sum(x) * len(io.StringIO("abc").getvalue())

    with pytest.raises(srcad.SrcadError, match="begin with an empty one"):
        srcad.grad(f)(X)
