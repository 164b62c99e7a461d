"""Ticks: the program does what it did, and each line that ran has ticked."""

from srcad.explore.instrument import TICK, instrumented, names_bound

TEXT = """
def helper(x):
    '''Text.'''
    return x + 1

def f(n):
    total, k = 0, 0
    for i in range(n):
        if i == 3:
            continue
        elif i > 4:
            break
        else:
            total += helper(i)
    while k < 2:
        k += 1
    try:
        raise ValueError
    except ValueError:
        total += 10
    with open(__file__) as t:
        total += 100
    def inner(y):
        return y * 2
    if total < 0:
        total = 0
    return inner(total)
"""


def run(text, **more):
    found = {"__file__": __file__, **more}
    exec(text, found)
    return found["f"](8)


def test_the_result_is_the_same_and_lines_that_ran_tick():
    lines = []
    want = run(TEXT)
    assert run(instrumented(TEXT, False), **{TICK: lines.append}) == want
    text = TEXT.split("\n")
    ran = {text[line - 1].strip() for line in lines}
    assert {"total += helper(i)", "return x + 1", "return y * 2", "k += 1"} <= ran
    assert {"if i == 3:", "while k < 2:", "except ValueError:"} <= ran
    assert "total = 0" not in ran
    assert lines.count(14) == 4  # of helper


def test_values_come_along():
    seen = {}

    def tick(line, *items):
        seen.setdefault(line, []).append(dict(items))

    want = run(instrumented(TEXT, True), **{TICK: tick})
    assert seen[7] == [{"total": 0, "k": 0}]
    assert [each["total"] for each in seen[14]] == [1, 3, 6, 11]
    assert seen[27] == [{"return": want}]


def test_names_that_are_bound():
    import ast

    (stmt,) = ast.parse("a, (b, *c), d[0], e.f, a = x").body
    assert names_bound(stmt) == ["a", "b", "c", "d"]
