from srcad.analysis.cost import ENTRIES, ENTRY, SAVED, TEAM_WAIT, pays_again
from srcad.native.threads import profitability


def test_four_operations_on_arrays_may_save_one():
    most = SAVED // ENTRY
    assert pays_again(ENTRIES, most)
    assert not pays_again(ENTRIES, most + 1)
    assert pays_again(3 * ENTRIES, 3 * most)


def test_numbers_alone_are_saved():
    assert not pays_again(ENTRIES - 1, 0)


def test_threads_wait_at_the_common_price():
    made = profitability.Worth()
    made.wait({(): 1})
    assert made.gain == {(): -TEAM_WAIT}
