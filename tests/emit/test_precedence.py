"""Any tree of operators reads back as itself, and no parentheses can be left out."""

import ast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from srcad.emit.printing import layout
from srcad.emit.printing.precedence import BINARY, COMPARISONS, UNARY_OPERATORS
from srcad.emit.printing.unparse import unparse


def made(node, *fields):
    return st.builds(node, *fields)


names = st.sampled_from("abc").map(lambda name: ast.Name(name, ast.Load()))
numbers = st.sampled_from([0, 1, 2.5, 3j]).map(ast.Constant)
texts = st.sampled_from(["s", "it's", '"']).map(ast.Constant)


def operators(table):
    return st.sampled_from(sorted(table, key=lambda kind: kind.__name__)).map(lambda kind: kind())


def branches(e: st.SearchStrategy) -> st.SearchStrategy:
    some = st.lists(e, min_size=1, max_size=3)
    load = st.just(ast.Load())
    no_parameters = st.just(ast.arguments([], [], None, [], [], None, []))
    target = st.just(ast.Name("t", ast.Store()))
    clause = made(ast.comprehension, target, e, st.lists(e, max_size=1), st.just(0))
    starred = st.one_of(e, made(ast.Starred, e, load))
    slices = made(ast.Slice, *[st.one_of(st.none(), e)] * 3)
    index = st.one_of(
        e,
        slices,
        made(ast.Tuple, st.lists(st.one_of(e, slices), min_size=1, max_size=3), load),
    )
    keyword = made(ast.keyword, st.sampled_from(["k", None]), e)
    return st.one_of(
        made(ast.BinOp, e, operators(BINARY), e),
        made(ast.UnaryOp, operators(UNARY_OPERATORS), e),
        made(ast.BoolOp, operators([ast.And, ast.Or]), st.lists(e, min_size=2, max_size=3)),
        st.builds(
            lambda left, rest: ast.Compare(left, [op for op, _ in rest], [x for _, x in rest]),
            e,
            st.lists(st.tuples(operators(COMPARISONS), e), min_size=1, max_size=2),
        ),
        made(ast.IfExp, e, e, e),
        made(ast.Lambda, no_parameters, e),
        made(ast.NamedExpr, target, e),
        made(ast.Await, e),
        made(ast.Yield, st.one_of(st.none(), e)),
        made(ast.YieldFrom, e),
        made(ast.Attribute, e, st.just("d"), load),
        made(ast.Subscript, e, index, load),
        made(ast.Call, e, st.lists(starred, max_size=2), st.lists(keyword, max_size=1)),
        made(ast.Tuple, st.lists(starred, max_size=3), load),
        made(ast.List, st.lists(starred, max_size=3), load),
        made(ast.Dict, some, some).map(lambda d: ast.Dict(*map(list, zip(*zip(d.keys, d.values))))),
        made(ast.ListComp, e, st.lists(clause, min_size=1, max_size=2)),
        made(ast.GeneratorExp, e, st.lists(clause, min_size=1, max_size=2)),
        st.builds(
            lambda value, spec: ast.JoinedStr([ast.FormattedValue(value, -1, spec)]),
            e,
            st.sampled_from([None, ast.JoinedStr([ast.Constant(">3")])]),
        ),
    )


expressions = st.recursive(st.one_of(names, numbers, texts), branches, max_leaves=12)


def has_deep_text(node: ast.AST) -> bool:
    """Whether an f-string was written as a call of `str.format`, which is another tree."""
    return ".format(" in unparse(node)


@settings(max_examples=400, deadline=None)
@given(expressions)
def test_any_expression_reads_back_in_every_place(node):
    if has_deep_text(node):
        ast.parse(unparse(node), mode="eval")
        return
    target = ast.Name("x", ast.Store())
    for statement in (
        ast.Expr(node),
        ast.Assign([target], node),
        ast.Assign([ast.Tuple([target, target], ast.Store())], node),
        ast.AugAssign(target, ast.Add(), node),
        ast.AnnAssign(target, node, node, 1),
        ast.Return(node),
        ast.Assert(node, node),
        ast.Raise(node, node),
        ast.If(node, [ast.Pass()], []),
        ast.For(target, node, [ast.Pass()], []),
        ast.With([ast.withitem(node)], [ast.Pass()]),
        ast.Match(node, [ast.match_case(ast.MatchAs(), node, [ast.Pass()])]),
        ast.ClassDef("C", [node], [], [ast.Pass()], [node]),
    ):
        if isinstance(statement, ast.Expr) and isinstance(getattr(node, "value", None), str):
            continue  # a docstring
        text = unparse(statement)
        assert ast.dump(ast.parse(text).body[0]) == ast.dump(statement), text


@settings(max_examples=200, deadline=None)
@given(expressions)
def test_breaking_lines_keeps_the_tree(node):
    if has_deep_text(node):
        return
    module = ast.Module([ast.Assign([ast.Name("x", ast.Store())], node)], [])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "WIDTH", 8)
        text = unparse(module)
    assert ast.dump(ast.parse(text)) == ast.dump(module), text


arithmetic = st.recursive(
    names,
    lambda e: st.one_of(
        made(ast.BinOp, e, operators(BINARY), e),
        made(ast.UnaryOp, operators(UNARY_OPERATORS), e),
        made(ast.BoolOp, operators([ast.And, ast.Or]), st.lists(e, min_size=2, max_size=3)),
        made(ast.IfExp, e, e, e),
        made(ast.Attribute, e, st.just("d"), st.just(ast.Load())),
    ),
    max_leaves=8,
)


def without_pair(text: str, opening: int) -> str:
    depth = 0
    for index in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return text[:opening] + " " + text[opening + 1 : index] + " " + text[index + 1 :]
    raise AssertionError("unbalanced")


@settings(max_examples=300, deadline=None)
@given(arithmetic)
@example(ast.parse("(-a) ** b ** (c + a).d", mode="eval").body)
def test_every_pair_of_parentheses_is_needed(node):
    text = unparse(node)
    for opening in [index for index, character in enumerate(text) if character == "("]:
        shorter = without_pair(text, opening).strip()
        try:
            again = ast.parse(shorter, mode="eval").body
        except SyntaxError:
            continue
        assert ast.dump(again) != ast.dump(node), f"{text} could be {shorter}"
