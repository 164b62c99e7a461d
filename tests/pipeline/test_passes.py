"""The page of the passes: it counts those that run, and says why the rare ones stay."""

import re
from pathlib import Path

from srcad.pipeline.passes import STAGES

PAGE = (Path(__file__).parents[2] / "docs" / "passes.md").read_text(encoding="utf-8")
REASONS, COUNTS = PAGE.split("<!-- counted -->")
ROW = re.compile(r"^\| (\w+) \| ([\w-]+) \|.* (\d+) \|$", re.MULTILINE)


COUNTED = [(stage, name) for stage, name, _ in ROW.findall(COUNTS)]
PASSES = list(dict.fromkeys((stage.name, each.name) for stage in STAGES for each in stage.passes))


def test_the_page_counts_passes_in_their_order():
    """Those that are newer than the last count are not there yet."""
    assert COUNTED == [each for each in PASSES if each in COUNTED]


def test_a_pass_of_fewer_than_two_families_has_a_reason_and_no_other():
    """One that is newer than the last count may have."""
    rare = {name for _, name, families in ROW.findall(COUNTS) if int(families) < 2}
    newer = {name for _, name in PASSES} - {name for _, name in COUNTED}
    named = {
        name
        for first in re.findall(r"^\| (`.*?) \|", REASONS, re.MULTILINE)
        for name in re.findall(r"`([\w-]+)`", first)
    }
    assert rare <= named <= rare | newer
