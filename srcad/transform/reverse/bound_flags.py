"""Bound flags: a boolean beside a value that some paths leave unbound tells whether it is bound.

The zero cotangent of such an array needs its shape, and where neither that nor the branches around
the place say more, the flag does.

    for v in xs:                         y_is_bound = False
        if v > 1:                        for v in xs:
            y = x[:k] * v        ->          if v > 1:
                                                 y, y_is_bound = x[:k] * v, True
                                         ...
                                         if y_is_bound: y_bar = np.zeros_like(y)

They are added to the primal: branches yield them and loops carry them, as they do the values.
"""

from __future__ import annotations

from srcad.ir.definedness import sides_of
from srcad.ir.nodes import UNDEFINED, Atom, Block, For, If, Stmt, Value, While
from srcad.ir.types import NumberType, SeqType
from srcad.ir.walk import blocks, outputs

_BOOL = NumberType(bool)


class BoundFlags:
    """The flags of the values of a program, made when asked for."""

    def __init__(self, block: Block) -> None:
        self._block = block
        self._makers: dict[Value, tuple[Stmt, int]] | None = None
        self._writers: dict[Value, tuple[For | While, int]] = {}
        self._flags: dict[Value, Atom] = {}

    def of(self, value: Value) -> Atom | None:
        """A truth bound beside `value` that tells whether that is; None where nothing can tell."""
        return self._flag(value) if self._is_told(value, set()) else None

    def _is_told(self, atom: Atom, asked: set[Value]) -> bool:
        if not isinstance(atom, Value) or not atom.partial or atom in asked or atom in self._flags:
            return True
        asked.add(atom)
        sources = self._sources(atom)
        return sources is not None and all(self._is_told(source, asked) for source in sources)

    def _sources(self, value: Value) -> list[Atom] | None:
        """What a partial value is made of, None where that is not known."""
        stmt, k = self._maker(value)
        match stmt:
            case If():
                return [side.results[k] for side in sides_of(stmt)]
            case For() if value in stmt.elements:
                found = self._writers.get(stmt.ins[k])
                return None if found is None else [found[0].written[found[1]]]
            case For() | While():
                return [stmt.init[k], stmt.yielded[k]]
        return None

    def _maker(self, value: Value) -> tuple[Stmt | None, int]:
        if self._makers is None:
            self._makers = {}
            self._scan(self._block, self._makers)
        return self._makers.get(value, (None, 0))

    def _scan(self, block: Block, makers: dict[Value, tuple[Stmt, int]]) -> None:
        for stmt in block.body:
            if isinstance(stmt, For | While):
                columns = [stmt.carried, stmt.outs]
                columns += [stmt.elements] if isinstance(stmt, For) else [stmt.test.params]
                for column in columns:
                    makers.update((value, (stmt, k)) for k, value in enumerate(column))
                self._writers.update((seq, (stmt, k)) for k, seq in enumerate(stmt.seqs))
            else:
                makers.update((out, (stmt, k)) for k, out in enumerate(outputs(stmt)))
            for inner in blocks(stmt):
                self._scan(inner, makers)

    def _flag(self, atom: Atom) -> Atom:
        if atom is UNDEFINED:
            return False
        if not isinstance(atom, Value) or not atom.partial:
            return True
        if atom not in self._flags:
            stmt, k = self._maker(atom)
            match stmt:
                case If():
                    self._branch(atom, stmt, k)
                case For() if atom in stmt.elements:
                    self._element(atom, stmt, k)
                case For() | While():
                    self._loop(stmt, k)
        return self._flags[atom]

    def _branch(self, out: Value, stmt: If, k: int) -> None:
        sides = sides_of(stmt)
        flags = [self._flag(side.results[k]) for side in sides]
        if flags[0] is flags[-1] and isinstance(flags[0], bool):
            self._flags[out] = flags[0]
        elif flags == [True, False] and isinstance(stmt.cond, Value) and stmt.cond.type == _BOOL:
            self._flags[out] = stmt.cond
        else:
            self._flags[out] = flag = _flag_of(out)
            for side, told in zip((stmt.then, stmt.orelse), (*flags, UNDEFINED), strict=False):
                side.results.append(told)
            stmt.outs = (*stmt.outs, flag)

    def _loop(self, stmt: For | While, k: int) -> None:
        start, n = self._flag(stmt.init[k]), len(stmt.init)
        out, param = _flag_of(stmt.outs[k]), _flag_of(stmt.carried[k])
        self._flags[stmt.outs[k]], self._flags[stmt.carried[k]] = out, param
        if isinstance(stmt, While):
            tested = _flag_of(stmt.test.params[k])
            self._flags[stmt.test.params[k]] = tested
            stmt.test.params.append(tested)
        # Ahead of what tells the end: it may carry flags of its own here.
        stmt.body.params.insert(n + isinstance(stmt, For), param)
        stmt.init.append(start)
        stmt.body.results.insert(n, False)
        stmt.outs = (*stmt.outs, out)
        stmt.body.results[n] = self._flag(stmt.yielded[k])

    def _element(self, element: Value, stmt: For, k: int) -> None:
        writer, at = self._writers[stmt.ins[k]]
        told = self._flag(writer.written[at])
        if not isinstance(told, Value):
            self._flags[element] = told
            return
        seq = Value("", SeqType(_BOOL))
        writer.body.results[len(writer.init) :] = [*writer.written, told, *writer.leaves]
        writer.seqs = (*writer.seqs, seq)
        self._flags[element] = flag = _flag_of(element)
        stmt.ins.append(seq)
        stmt.body.params.append(flag)


def _flag_of(value: Value) -> Value:
    return Value(f"{value.name}_is_bound" if value.name else "", _BOOL)


__all__ = ["BoundFlags"]
