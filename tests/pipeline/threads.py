"""The same check in several threads at once."""

import threading


def wrong_in_threads(is_right, turns, n_threads=6):
    """The numbers of the threads in which `is_right(number)` failed in some iteration."""
    wrong = []

    def work(i):
        for _ in range(turns):
            if not is_right(i):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong
