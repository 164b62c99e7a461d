"""What the table of operations says of those that compiled programs alone have."""

from types import FunctionType, ModuleType

from srcad.native import complex_functions, growing_memory, helpers, python_semantics
from srcad.native.vectorised import ADD, LARGER, MULTIPLY, SMALLER
from srcad.ops.table import Row, state, state_also


def _functions(module: ModuleType) -> list[FunctionType]:
    found = [fn for fn in vars(module).values() if isinstance(fn, FunctionType)]
    return [fn for fn in found if fn.__module__ == module.__name__]


state(
    Row(refuses=True),
    *_functions(growing_memory),
    *_functions(helpers),
    *_functions(complex_functions),
    *_functions(python_semantics),
)
state_also({"raises": "division", "keeps_zero": True}, helpers.divide)
state(Row(folds="sum"), ADD)
state(Row(folds="product"), MULTIPLY)
state(Row(folds="largest"), LARGER)
state(Row(folds="smallest"), SMALLER)
