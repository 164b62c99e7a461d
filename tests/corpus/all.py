"""All programs of the corpus."""

from corpus import (
    aliasing,
    branches,
    broadcasting,
    classes,
    comprehensions,
    containers,
    contexts,
    effects,
    exceptions,
    exits,
    floats,
    helpers,
    indexing,
    loops,
    methods,
    closures,
    matching,
    nested,
    numbers_,
    orders,
    raising,
    realistic,
    scoping,
    shapes,
    straight,
    values,
    whiles,
)

THEMES = (
    straight, broadcasting, branches, loops, exits, whiles, containers, helpers, scoping,
    comprehensions, indexing, numbers_, shapes, methods, classes, nested, effects, floats,
    aliasing, closures, matching, raising, orders, realistic, exceptions, contexts, values,
)  # fmt: skip
PROGRAMS = [program for theme in THEMES for program in theme.program.programs]
