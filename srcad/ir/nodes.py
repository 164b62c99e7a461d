"""The nodes: values, operations, and the structured statements. Plain data, compared by identity.

    def f(x: f64[x0]):
        y: f64[x0] = np.sin(x)                 Op(fn=np.sin, args=(x,), kwargs={}, outs=(y,))
        s: f64 = np.sum(y)
        return s

An *atom* is a `Value` or a Python constant; an argument of an `Op` is an atom or a tuple, list,
dict or slice of atoms (`x[i:, None]` is `Op(operator.getitem, (x, (slice(i, None), None)))`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from srcad.errors import Location
from srcad.ir.interface import Interface
from srcad.ir.regions import Attempt, Context, is_test
from srcad.ir.types import Type


class _Undefined:
    """The value of a name on a path where it is not bound; prints nothing when assigned."""

    def __repr__(self) -> str:
        return "UNDEFINED"


UNDEFINED = _Undefined()


class DerivativeName(str):
    """The name of a tangent or cotangent, which a transform gives; not that of what the rule of one
    operation computes on the way there.
    """

    __slots__ = ()


class CotangentName(DerivativeName):
    """The name of a cotangent, which the adjoint transform gives.

    That a value is one is told by this class, not by the text: `y_bar` may be a variable of the
    user's, a mean say. A value whose name is changed on the way counts as any other.
    """

    __slots__ = ()


@dataclass(eq=False, slots=True)
class Value:
    """One SSA value. `name` is a wish (the user's name, `h_bar`, or "" for a temporary), not an
    identity.

    `partial` marks a value that is bound on some paths only (the saved value of one branch): its
    zero cotangent is `UNDEFINED`, and it is read under the branch's condition alone.
    """

    name: str
    type: Type
    partial: bool = False

    def __repr__(self) -> str:
        return f"<{self.name or '_'}: {self.type}>"


Atom = Any  # Value | Python constant
Tree = Any  # Atom | tuple | list | dict | slice of atoms


@dataclass(eq=False, slots=True)
class Op:
    """`outs = fn(*args, **kwargs)`; several outs are unpacked from the returned tuple.

    `fn` is the Python callable itself, in canonical form (`operator.add` for `+`, `np.sum` for
    `x.sum()`), or an IR `Function`. An op with an `effect` (print, assert, raise) is never removed
    or moved. One that `raises` is computed though nothing reads what it makes, for an exception of
    the program may come from it (`srcad.ops.raising`); dead code makes an effect of it then.
    """

    fn: Callable[..., Any] | Function
    args: tuple[Tree, ...]
    kwargs: dict[str, Tree] = field(default_factory=dict)
    outs: tuple[Value, ...] = ()
    loc: Location | None = None
    effect: bool = False
    raises: bool = False

    @property
    def key(self) -> Any:
        """The function as a key of tables; None, which is in no table, where it has no hash."""
        try:
            hash(self.fn)
        except TypeError:  # a polynomial, a dataclass with an array
            return None
        return self.fn

    @property
    def out(self) -> Value:
        """The only result."""
        (out,) = self.outs
        return out


@dataclass(eq=False, slots=True)
class Block:
    """Statements with parameters and results; sees the values of the blocks around it."""

    params: list[Value]
    body: list[Stmt]
    results: list[Atom]


@dataclass(eq=False, slots=True)
class If:
    """`outs = then.results if cond else orelse.results`; the blocks have no parameters.

    With an `Attempt` or a `Context` for `cond` it is a `try` or a `with` (`srcad.ir.regions`).
    """

    cond: Atom | Attempt | Context
    then: Block
    orelse: Block
    outs: tuple[Value, ...]
    loc: Location | None = None

    @property
    def is_branch(self) -> bool:
        """Whether `cond` is a truth that chooses one of the blocks."""
        return is_test(self.cond)

    @property
    def truth(self) -> Atom:
        """What tells afterwards that `then` was run to its end."""
        if isinstance(self.cond, Attempt):
            return self.outs[0]
        return True if isinstance(self.cond, Context) else self.cond


@dataclass(frozen=True, slots=True)
class Checkpointing:
    """How little of a loop is saved for its reverse: states from which it runs again.

    `budget` is in bytes, `slots` the number of states; with neither there are as many as each part
    of the loop is repeated. `taped`: the loop was reversed.
    """

    budget: int | None = None
    slots: int | None = None
    taped: bool = False


class _Loop:
    """What a `For` and a `While` have in common: the parts of the results of their body.

        body.results = (*yielded, *written, *leaves)

    With `exits` the last result is a bool, true where the loop is left after this iteration. The
    iteration that leaves counts: its results are the last ones carried, and it writes its elements.
    """

    __slots__ = ()

    init: list[Atom]
    body: Block
    exits: bool

    @property
    def yielded(self) -> list[Atom]:
        """The body's results for the carried values."""
        return self.body.results[: len(self.init)]

    @property
    def written(self) -> list[Atom]:
        """The body's results for the sequences."""
        return self.body.results[len(self.init) : len(self.body.results) - self.exits]

    @property
    def leaves(self) -> list[Atom]:
        """The flag of a loop that exits, else nothing."""
        return self.body.results[-1:] if self.exits else []


@dataclass(eq=False, slots=True)
class For(_Loop):
    """A loop over `range(start, stop, step)`, backwards over the same indices if `reverse`.

        carried = init
        for index in range(start, stop, step):           # reversed(range(...)) if reverse
            (*carried, *elements) = body(index, *carried, *(seq[k] for seq in ins))
            for seq, element in zip(seqs, elements): seq[k] = element
        outs = carried                                    # k: the position of index in the range

    body.params: index, one per carried value, one per sequence read (`ins`).
    body.results: one per carried value, one per sequence written (`seqs`).
    Position k belongs to the index, not to the order of running: what a forward loop writes for an
    index, a reversed loop reads for the same index. This is what makes the node closed under both
    transforms.

    A loop that exits (`break`) stops after the first iteration with a true flag, its last result:

        for index in range(start, stop, step):            # neither reversed nor reading `ins`
            (*carried, *elements, leave) = body(index, *carried)
            for seq, element in zip(seqs, elements): seq.append(element)
            if leave: break
        outs, count = carried, the number of iterations run   # `count`: if the reverse sweep asks

    Its reverse is a plain loop over the iterations run:
    `reversed(range(start, start + count * step, step))`.
    """

    start: Atom
    stop: Atom
    step: Atom
    reverse: bool
    init: list[Atom]
    ins: list[Atom]
    body: Block
    outs: tuple[Value, ...]
    seqs: tuple[Value, ...]
    loc: Location | None = None
    exits: bool = False
    count: Value | None = None
    checkpointing: Checkpointing | None = None

    @property
    def index(self) -> Value:
        """The body's index."""
        return self.body.params[0]

    @property
    def carried(self) -> list[Value]:
        """The body's parameters for the carried values."""
        return self.body.params[1 : 1 + len(self.init)]

    @property
    def elements(self) -> list[Value]:
        """The body's parameters for the elements read from `ins`."""
        return self.body.params[1 + len(self.init) :]


@dataclass(eq=False, slots=True)
class While(_Loop):
    """`while test(*carried): (*carried, *elements) = body(*carried)`; elements are appended to
    `seqs`.

    `count` is the number of iterations made (an int value), there when the reverse sweep asks for
    it. With `exits` the loop is left after an iteration whose last result is true, as a `For` is.
    """

    test: Block
    init: list[Atom]
    body: Block
    outs: tuple[Value, ...]
    seqs: tuple[Value, ...] = ()
    count: Value | None = None
    loc: Location | None = None
    exits: bool = False
    checkpointing: Checkpointing | None = None

    @property
    def carried(self) -> list[Value]:
        """The body's parameters for the carried values."""
        return [*self.body.params]


@dataclass(eq=False, slots=True)
class Closure:
    """`out = function`, a function defined here that may read values bound before it (a vjp)."""

    function: Function
    out: Value
    loc: Location | None = None


Stmt = Op | If | For | While | Closure


@dataclass(eq=False, slots=True)
class Function:
    """A named program: `body.params` in, `body.results` out, both flat; `interface` has the
    containers.

    What is inside one that is `recomputed` is not saved for the reverse sweep, which runs it again;
    its results are arrays of its caller's alone. One that is `native` is loops over numbers, to be
    compiled; it writes arrays by operations without results.
    """

    name: str
    body: Block
    interface: Interface | None = None
    recomputed: bool = False
    native: bool = False

    @property
    def params(self) -> list[Value]:
        """The flat inputs."""
        return [*self.body.params]
