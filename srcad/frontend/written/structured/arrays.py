"""Arrays with fields (structured and record arrays), by the arrays of their fields: read in place.

r = np.zeros(n, [("a", float), ("b", int)])     {"a": np.zeros(n), "b": np.zeros(n, int)}
r["a"] = x                                      parts["a"][...] = x
r[0]["a"]                                       parts["a"][0]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.frontend.written import beyond


class Fields:
    """What an array with fields and its rows have in common.

    `_parts` are the arrays of the fields by their names, `dtype` is that of the whole;
    `_is_record`: fields are attributes, too.
    """

    __array_ufunc__ = None
    _parts: Any
    _is_record: Any
    dtype: Any

    def __getitem__(self, key: Any) -> Any:
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        if self._is_record and name in self._parts:
            return self[name]
        if hasattr(np.recarray if self._is_record else np.ndarray, name):
            beyond(f"`{name}` of an array with fields")
        raise AttributeError(name)

    def _check_name(self, name: Any) -> None:
        if name not in self._parts:
            raise ValueError(f"no field of name {name}")

    def _assign(self, index: Any, value: Any) -> None:
        """Each field at an index takes its part of a value: an item of a tuple, the field of
        another array in its place, or the whole of a number.
        """
        names = self.dtype.names
        if isinstance(value, tuple) and len(value) != len(names):
            raise ValueError("could not assign tuple of another length to structure")
        if isinstance(value, list):
            beyond("a list that is stored in an array with fields")
        others = value.dtype.names if isinstance(value, Fields) else ()
        if isinstance(value, Fields) and len(others) != len(names):
            raise ValueError("number of fields differs")
        for k in range(len(names)):
            if isinstance(value, Fields):
                self._parts[names[k]][index] = value[others[k]]
            elif isinstance(value, tuple):
                self._parts[names[k]][index] = value[k]
            else:
                self._parts[names[k]][index] = value


class Structured(Fields):
    """An array with fields."""

    noun = "an array with fields"

    def __init__(self, parts: Any, dtype: Any, shape: Any, is_record: Any = False) -> None:
        object.__setattr__(self, "_parts", parts)
        object.__setattr__(self, "dtype", dtype)
        object.__setattr__(self, "_is_record", is_record)
        object.__setattr__(self, "_inner", len(shape))

    _inner: Any

    @property
    def ndim(self) -> Any:
        """How many axes it has; an axis of a field is none."""
        return self._inner

    @property
    def shape(self) -> Any:
        """Its extents."""
        first = self._parts[self.dtype.names[0]]
        return first.shape[: self._inner]

    @property
    def size(self) -> Any:
        """How many entries it has."""
        size = 1
        for n in self.shape:
            size = size * n
        return size

    def __len__(self) -> Any:
        if self._inner == 0:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __bool__(self) -> Any:
        beyond("the truth of an array with fields")

    def __eq__(self, other: object) -> Any:
        beyond("a comparison of arrays with fields")

    def __ne__(self, other: object) -> Any:
        beyond("a comparison of arrays with fields")

    def __hash__(self) -> Any:
        raise TypeError("unhashable type: 'numpy.ndarray'")

    def __iter__(self) -> Any:
        for i in range(len(self)):
            yield self[i]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            self._check_name(key)
            return self._parts[key][...]
        if isinstance(key, list) and len(key) > 0 and isinstance(key[0], str):
            parts = {name: self._parts[name] for name in key}
            return Structured(parts, self.dtype[key], self.shape, self._is_record)
        if is_place(key, self._inner):
            self._parts[self.dtype.names[0]][key]
            return Row(self._parts, self.dtype, key, self.dtype.type is np.record)
        check_index(key)
        found = {name: part[key] for name, part in self._parts.items()}
        first = found[self.dtype.names[0]]
        inner = len(first.shape) - len(self.dtype[0].shape)
        return Structured(found, self.dtype, first.shape[:inner], self._is_record)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, str):
            self._check_name(key)
            self._parts[key][...] = value
        elif isinstance(key, list) and len(key) > 0 and isinstance(key[0], str):
            self[key][...] = value
        else:
            check_index(key)
            self._assign(key, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if not self._is_record or name not in self._parts:
            beyond(f"a change of `{name}` of an array with fields")
        self[name] = value

    @property
    def itemsize(self) -> Any:
        """The bytes of an entry."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> Any:
        """The bytes of all entries."""
        return self.size * self.dtype.itemsize

    def copy(self) -> Any:
        """Another array of the same entries."""
        parts = {name: part.copy() for name, part in self._parts.items()}
        return Structured(parts, self.dtype, self.shape, self._is_record)

    def view(self, kind: Any) -> Any:
        """The same memory as another kind of array: a record array, or a plain one."""
        if kind is not np.recarray and kind is not np.ndarray:
            beyond("this `view` of an array with fields")
        is_record = kind is np.recarray
        dtype = np.dtype((np.record, self.dtype)) if is_record else self.dtype
        return Structured(self._parts, dtype, self.shape, is_record)


class Row(Fields):
    """One entry of an array with fields, which shares its memory."""

    noun = "an entry of an array with fields"

    def __init__(self, parts: Any, dtype: Any, index: Any, is_record: Any) -> None:
        object.__setattr__(self, "_parts", parts)
        object.__setattr__(self, "dtype", dtype)
        object.__setattr__(self, "_index", index)
        object.__setattr__(self, "_is_record", is_record)

    _index: Any

    def __bool__(self) -> Any:
        """Whether one of its fields is not zero."""
        for name in self.dtype.names:
            value = self[name]
            if len(self.dtype[name].shape) > 0:
                beyond("the truth of an entry with fields that are arrays")
            if value:
                return True
        return False

    def __len__(self) -> Any:
        return len(self.dtype.names)

    def __iter__(self) -> Any:
        return iter([self[name] for name in self.dtype.names])

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            self._check_name(key)
            return self._parts[key][self._index]
        if not isinstance(key, int):
            beyond("this index of an entry of an array with fields")
        return self._parts[self.dtype.names[key]][self._index]

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, str):
            self._check_name(key)
            self._parts[key][self._index] = value
        elif isinstance(key, int):
            self._parts[self.dtype.names[key]][self._index] = value
        else:
            beyond("this index of an entry of an array with fields")

    def __setattr__(self, name: str, value: Any) -> None:
        if not self._is_record or name not in self._parts:
            beyond(f"a change of `{name}` of an entry of an array with fields")
        self[name] = value

    def __eq__(self, other: object) -> Any:
        beyond("a comparison of entries of arrays with fields")

    def __ne__(self, other: object) -> Any:
        beyond("a comparison of entries of arrays with fields")

    def __hash__(self) -> Any:
        beyond("an entry of an array with fields as a key")

    def item(self) -> Any:
        """The fields as a tuple of Python's numbers."""
        return tuple([self[name].item() for name in self.dtype.names])


def is_place(key: Any, ndim: Any) -> Any:
    """Whether an index leads to one entry."""
    if isinstance(key, tuple):
        return len(key) == ndim and all(isinstance(k, (int, np.integer)) for k in key)
    return ndim == 1 and isinstance(key, (int, np.integer))


def check_index(key: Any) -> None:
    """An index by which fields that are arrays are taken by their first axes."""
    for k in key if isinstance(key, tuple) else (key,):
        if k is ... and key is not ...:
            beyond("`...` in an index of an array with fields")
