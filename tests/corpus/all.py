"""All programs of the corpus."""

from corpus import (
    aliasing,
    branches,
    broadcasting,
    classes,
    comprehensions,
    containers,
    effects,
    floats,
    helpers,
    indexing,
    loops,
    methods,
    nested,
    numbers_,
    orders,
    raising,
    realistic,
    scoping,
    shapes,
    straight,
    whiles,
)

THEMES = (
    straight, broadcasting, branches, loops, whiles, containers, helpers, scoping,
    comprehensions, indexing, numbers_, shapes, methods, classes, nested, effects, floats,
    aliasing, raising, orders, realistic,
)  # fmt: skip
PROGRAMS = [program for theme in THEMES for program in theme.program.programs]
