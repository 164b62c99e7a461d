"""The page of the passes: it counts those that run, and says why the rare ones stay."""

import re
from pathlib import Path

from srcad.pipeline.passes import STAGES

PAGE = (Path(__file__).parents[2] / "docs" / "passes.md").read_text(encoding="utf-8")
REASONS, COUNTS = PAGE.split("<!-- counted -->")
ROW = re.compile(r"^\| (\w+) \| ([\w-]+) \|.* (\d+) \|$", re.MULTILINE)


def test_the_page_counts_passes_in_their_order():
    """Those that are newer than the last count are not there yet."""
    counted = [(stage, name) for stage, name, _ in ROW.findall(COUNTS)]
    passes = dict.fromkeys((stage.name, each.name) for stage in STAGES for each in stage.passes)
    assert counted == [each for each in passes if each in counted]


def test_a_pass_of_fewer_than_two_families_has_a_reason_and_no_other():
    rare = {name for _, name, families in ROW.findall(COUNTS) if int(families) < 2}
    named = {
        name
        for first in re.findall(r"^\| (`.*?) \|", REASONS, re.MULTILINE)
        for name in re.findall(r"`([\w-]+)`", first)
    }
    assert named == rare
