"""What type checkers know of the transformations.

    gradient = srcad.value_and_grad(loss, has_aux=True)
    (value, aux), w_bar = gradient(w, x)       as many arguments, of the types that `loss` takes

A transformed function keeps the parameters of its primal (`ParamSpec`). A value and what `has_aux`
hands through keep their types. The gradient has the type of an argument, which no checker can find
by a position: it is `Any`, several of them a tuple.
"""
