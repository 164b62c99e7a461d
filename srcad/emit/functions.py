"""One IR function as one `def`: prologue, statements, result.

def loss_grad(params, x):
    '''Gradient of ...'''
    w, b = params

    # h = np.tanh(x @ w + b)
    h = np.tanh(x @ w + b)

    h_bar = 2 * h
    ...
    return w_bar, b_bar
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from keyword import kwlist

from srcad.emit.attempts import write_region
from srcad.emit.interface import Result, Unpacking, interface_of, signature
from srcad.emit.loops import write_for, write_while
from srcad.emit.operations import Expressions
from srcad.emit.plan.comments import annotate, paragraphs
from srcad.emit.plan.demanded import find_demanded
from srcad.emit.plan.naming import assign_names, first_free, identifier
from srcad.emit.plan.nesting import Nesting, plan_nesting
from srcad.emit.references import RESERVED, References
from srcad.emit.statements import write_branch, write_operation
from srcad.emit.write_back import write_containers
from srcad.emit.writer import SourceText, Stores, Writer
from srcad.errors import Location
from srcad.ir import Closure, For, Function, If, Op, Slot, Stmt, Value, While
from srcad.ir.interface import slots
from srcad.ir.walk import outputs, reads, statements, values_in
from srcad.once import cached_property
from srcad.rules.core.joined_kinds import JoinedKinds, joined_kinds

_COTANGENT = re.compile(r"_bar$")


@dataclass(frozen=True)
class Plan:
    """The decisions for one function: what is nested, and all names."""

    fn: Function
    labels: dict[Function, list[str]]  # names of parameters: of `fn`, and of the closures inside
    nesting: Nesting
    names: dict[Value, str]
    demanded: set[Value]

    @cached_property
    def joined(self) -> JoinedKinds:
        """Asked beside constants of NumPy's, which few programs have."""
        return joined_kinds(self.fn)


def plan_function(fn: Function, module_names: Iterable[str]) -> Plan:
    """Decide nesting and names; parameters keep the names that the interface gives them."""
    nesting = plan_nesting(fn)
    scopes = [fn, *(s.function for s in statements(fn.body) if isinstance(s, Closure))]
    fixed: dict[Value, str] = {}
    containers: dict[tuple[Function, int], str] = {}
    unbound: list[Value] = []
    reserved = RESERVED.union(module_names)
    given: set[str] = set()
    for scope in scopes:
        for i, param in enumerate(interface_of(scope).inputs):
            is_public = scope is fn and fn.interface is not None
            taken = given.union(kwlist) if is_public else given | reserved
            label = first_free(identifier(param.name), taken)
            if not isinstance(param.tree, Slot):
                containers[scope, i] = label
                reserved |= {label}
                unbound += [scope.params[slot] for slot in slots(param.tree)]
            elif is_public:
                fixed[scope.params[param.tree.index]] = label
            else:
                continue
            given.add(label)
    unbound = [value for value in unbound if not nesting.uses[value]]
    names = assign_names(fn, nesting, fixed, reserved, unbound)
    labels = {scope: _labels(scope, names, containers) for scope in scopes}
    return Plan(fn, labels, nesting, names, find_demanded(fn, names))


def _labels(
    scope: Function, names: Mapping[Value, str], containers: Mapping[tuple[Function, int], str]
) -> list[str]:
    """The parameters' names: leaves are variables, containers are not."""
    return [
        names[scope.params[param.tree.index]]
        if isinstance(param.tree, Slot)
        else containers[scope, i]
        for i, param in enumerate(interface_of(scope).inputs)
    ]


def _indented(doc: str) -> str:
    """A docstring of several lines, as it stands in a function."""
    first, *rest = doc.strip().split("\n")
    lines = [f"    {line}".rstrip() for line in rest]
    return "\n".join([first, *lines, "    "]) if rest else first


class FunctionWriter:
    """Writes a planned function."""

    def __init__(
        self,
        plan: Plan,
        references: References,
        functions: Mapping[Function, str],
        source: SourceText,
    ) -> None:
        self.plan = plan
        self.source = source
        self.references = references
        self.expressions = Expressions(
            plan.names, plan.nesting, references, functions, lambda: plan.joined
        )
        self.writer = Writer(self.expressions, plan.demanded, source, self._write)

    @property
    def locations(self) -> dict[ast.stmt, Location]:
        """Where the statements come from."""
        return self.writer.locations

    def definition(self, name: str, doc: str = "") -> ast.FunctionDef:
        """The `def` of the function itself."""
        return self._definition(name, self.plan.fn, doc)

    def _write(self, stmt: Stmt, stores: Stores) -> list[ast.stmt]:
        match stmt:
            case Op():
                return write_operation(self.writer, stmt, stores)
            case If():
                return (write_branch if stmt.is_branch else write_region)(self.writer, stmt)
            case For():
                return write_for(self.writer, stmt)
            case While():
                return write_while(self.writer, stmt)
            case Closure():
                return [self._definition(self.plan.names[stmt.out], stmt.function)]

    def _definition(self, name: str, fn: Function, doc: str = "") -> ast.FunctionDef:
        plan, writer = self.plan, self.writer
        interface = interface_of(fn)
        labels = plan.labels[fn]
        parameters = signature(interface, labels, self.references)
        unpacking = Unpacking(fn.params, plan.names, plan.nesting.uses)
        prologue = unpacking.prologue(interface, labels)
        body = writer.block(fn.body)
        reverse = _reverse_sweep(fn)
        sweep = next((i for i, stmt in enumerate(body) if writer.origins.get(stmt) in reverse), 0)
        parts = [part for part in (body[:sweep], body[sweep:]) if part]
        whole = [annotate(part, writer.locations, self.source) for part in parts]
        results = Result(interface, labels, fn.body.results, self.expressions)
        taken = {*labels, *plan.names.values()}
        written, value = write_containers(interface, results, taken)
        returned: ast.stmt = ast.Return(value)
        writer.at_results(fn.body.results, returned)
        writer.begin_writing(None, [*written, returned])
        lines: list[ast.stmt] = [ast.Expr(ast.Constant(_indented(doc)))] if doc else []
        lines += paragraphs([prologue, *whole, written])
        return ast.FunctionDef(name, parameters, [*lines, returned], [], lineno=0)


def _reverse_sweep(fn: Function) -> set[Stmt]:
    """The statements from the first cotangent on, and the nameless ones before that serve it."""
    body = fn.body.body
    is_cotangent = [any(_COTANGENT.search(out.name) for out in outputs(stmt)) for stmt in body]
    serves = list(is_cotangent)
    read_by_primal = {value for value in values_in(fn.body.results) if not value.name}
    for i, stmt in reversed(list(enumerate(body))):
        if isinstance(stmt, Op) and not stmt.effect and not any(out.name for out in stmt.outs):
            serves[i] = read_by_primal.isdisjoint(stmt.outs)
        if not serves[i]:
            read_by_primal.update(reads(stmt))
    begin = is_cotangent.index(True) if True in is_cotangent else len(body)
    while begin > 0 and serves[begin - 1]:
        begin -= 1
    return set(body[begin:])
