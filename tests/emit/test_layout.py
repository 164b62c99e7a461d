"""Lines that are too long: exact text; that breaking keeps a tree is tested beside precedence."""

import ast

import pytest

from srcad.emit.printing import layout
from srcad.emit.printing.unparse import unparse

# Each is printed as it stands here.
LONG = """\
weights_1_bar = (
    np.matmul(np.transpose(x_batch), hidden_bar * (1.0 - hidden * hidden))
    + regularisation * weights_1 * 2
)
---
loss = (
    first_long_factor_of_the_loss * second_long_factor_of_the_loss - third_long_factor_of_the_loss
)
---
x_bar = np.sum(
    np.add(weights_1_bar, weights_2_bar, out=workspace_one), axis=(0, 1), keepdims=True
).reshape(3, 4)
---
x_bar[i] += np.add(
    weights_of_the_first_layer_bar,
    weights_of_the_second_layer_bar,
    out=workspace_one,
    where=np.greater(weights_of_the_first_layer_bar, 0.0),
)
---
def loss_value_and_grad(
    weights_first, bias_first, weights_second, bias_second, x_batch, y_batch, lam, penalty
):
    return (
        weights_first_bar,
        bias_first_bar,
        weights_second_bar,
        bias_second_bar,
        x_batch_bar,
        y_batch_bar_2,
    )
---
(
    weights_first_bar, bias_first_bar, weights_second_bar, bias_second_bar, x_batch_bar, y_batch_bar
) = backward(saved)
---
z = [
    np.tanh(weights_of_the_first_layer @ x_i + bias_of_the_first_layer)
    for x_i in samples_of_the_batch
    if x_i is not None
]
---
total = sum(
    np.tanh(weights_of_the_first_layer @ x_i + bias_of_the_first_layer)
    for x_i in samples_of_the_batch
)
---
if (
    np.any(weights_of_the_first_layer > weights_of_the_second_layer)
    and weights_of_the_second_layer is None
):
    pass
---
y = (
    weights_of_the_first_layer @ samples_of_the_batch
    if samples_of_the_batch is not None
    else weights_of_the_second_layer
)
""".split("---\n")


@pytest.mark.parametrize("text", LONG)
def test_long_line_is_printed_as_written(text):
    assert max(map(len, text.splitlines())) <= layout.WIDTH
    assert unparse(ast.parse(text)) == text


def test_a_line_of_the_full_width_stays():
    text = "x = f(" + "a" * 93 + ")\n"
    assert len(text) - 1 == layout.WIDTH
    assert unparse(ast.parse(text)) == text
    assert unparse(ast.parse(text.replace("f", "ff"))) == f"x = ff(\n    {'a' * 93}\n)\n"


def test_what_has_no_bracket_stays_on_one_line():
    text = f"x = {'a' * 120}\n"
    assert unparse(ast.parse(text)) == text
