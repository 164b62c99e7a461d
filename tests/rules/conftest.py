"""The tests of rules need all of them in the table."""

import srcad.rules.library  # noqa: F401
