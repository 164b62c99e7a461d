"""The examples' progress bar: loss and time left, by rich where it is installed, else by print."""

import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec

INTERVAL_S = 0.1
SMOOTHING = 0.03  # single images jump too much to read: a running mean over some thirty steps


@contextmanager
def progress_bar(total, smoothing=SMOOTHING):
    """Give `advance(count, loss)`, cheap enough to call after steps of microseconds.

    Args:
        total: the count at the end.
        smoothing: how much of a new loss goes into the one that is shown; 1 shows the new one.
    """
    done, loss, shown = 0, None, time.perf_counter()

    def advance(count, step_loss):
        nonlocal done, loss, shown
        done += count
        loss = step_loss if loss is None else loss + smoothing * (step_loss - loss)
        if (now := time.perf_counter()) - shown > INTERVAL_S:
            shown = now
            redraw(done, loss)

    with bar(total) as redraw:
        yield advance
        if loss is not None:
            redraw(done, loss)


@contextmanager
def rich_bar(total):
    """Draw with rich, which on a file or a pipe writes the last state only."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    loss = TextColumn("loss {task.fields[loss]:.4f}")
    columns = (BarColumn(), TaskProgressColumn(), loss, TimeRemainingColumn(), TextColumn("left"))
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=total, loss=float("nan"))
        yield lambda done, loss: progress.update(task, completed=done, loss=loss)


@contextmanager
def plain_bar(total):
    """Redraw one line of a terminal; write the last state only elsewhere."""
    start = time.perf_counter()

    def redraw(done, loss):
        left_s = (time.perf_counter() - start) * (total - done) / done
        bar = "#" * (30 * done // total)
        line = f"[{bar:<30}] {done / total:4.0%}  loss {loss:.4f}  {left_s:5.0f} s left"
        if sys.stderr.isatty():
            print(f"\r{line}", end="\n" if done >= total else "", file=sys.stderr, flush=True)
        elif done >= total:
            print(line, file=sys.stderr)

    yield redraw


bar = rich_bar if find_spec("rich") else plain_bar
