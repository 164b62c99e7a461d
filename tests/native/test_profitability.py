"""What threads gain: what they share, less what they do not, less the price of waiting."""

from srcad.native.threads.profitability import Worth, may_pay

N, M, STEPS = 0, 1, 2  # numbers of extents


def at(gain, *extents):
    """What is gained for some extents."""
    total = 0
    for key, n in gain.items():
        for k in key:
            n *= extents[k]
        total += n
    return total


def worth(shared, alone=None, waits=None):
    """All three at once."""
    made = Worth()
    made.share(shared)
    made.leave(alone or {})
    made.wait(waits or {})
    return made.gain


def test_more_has_to_be_shared_than_not():
    gain = worth({(N, M): 5}, {(N, M): 4, (N,): 100})
    assert at(gain, 10**4, 10**4) > 0
    assert not may_pay(worth({(N, M): 5}, {(N, M): 5}))
    assert not may_pay(worth({(N,): 5}, {(N, STEPS): 5}))
    assert may_pay(worth({(N,): 5, (M,): 5}, {(N, STEPS): 5}))


def test_each_wait_has_its_price():
    shared, once, often = {(N, STEPS): 8}, {(): 10}, {(STEPS,): 4}
    assert at(worth(shared, None, once), 1000, 0, 10**4) > 0
    assert at(worth(shared, None, often), 1000, 0, 10**4) < 0
    assert at(worth(shared, None, often), 10**6, 0, 10**4) > 0


def test_smaller_terms_are_left_out():
    assert set(worth({(N, M): 1, (N,): 9, (): 3}, {(): 5})) == {(N, M)}
