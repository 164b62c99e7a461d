"""What a silent thread prints is dropped; the other threads and `sys.stdout` do not notice."""

import contextlib
import io
import sys
import threading

import numpy as np
import pytest

import srcad
from srcad.silence import silenced


def said(print_all):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        print_all()
        assert sys.stdout is out
    return out.getvalue()


def test_only_what_is_printed_inside_is_dropped():
    def print_all():
        print("before")
        with silenced():
            print("inside")
            sys.stdout.writelines(["more", "inside"])
            with silenced():
                print("deeper")
            print("inside again")
        print("after")

    assert said(print_all) == "before\nafter\n"


def test_other_threads_print_and_the_stream_comes_back():
    entered, printed, left = threading.Event(), threading.Event(), threading.Event()

    def first():
        with silenced():
            entered.set()
            printed.wait(10)
            print("first")

    def second():
        entered.wait(10)
        with silenced():
            printed.set()
            left.wait(10)
            print("second")

    def print_all():
        threads = [threading.Thread(target=each) for each in (first, second)]
        for thread in threads:
            thread.start()
        printed.wait(10)
        print("heard")
        threads[0].join()
        print("heard still")
        left.set()
        threads[1].join()

    assert said(print_all) == "heard\nheard still\n"


def test_a_stream_that_is_exchanged_inside_is_left_alone():
    other = io.StringIO()

    def print_all():
        own = sys.stdout
        with silenced():
            sys.stdout = other
        assert sys.stdout is other
        sys.stdout = own
        print("heard")

    assert said(print_all) == "heard\n"


def test_without_a_stream(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with silenced():
        print("nowhere")
    assert sys.stdout is None


def test_an_exception_goes_through():
    before = sys.stdout
    with pytest.raises(ZeroDivisionError), silenced():
        1 / 0
    assert sys.stdout is before


def loud(x):
    print("a trial")
    return 2 * x


srcad.rules.rule(loud, vjp=lambda g, y, x: 2 * g)


def test_threads_that_compile_leave_the_stream():
    def gradient():
        srcad.grad(lambda x: np.sum(loud(x)), cache=False)(np.ones(2))

    def print_all():
        threads = [threading.Thread(target=gradient) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert said(print_all) == "a trial\n" * 4
