"""Making a program smaller and faster without changing what it computes.

A *pass* is one small file with one public function from a program to a program. It changes nothing
in place: what it returns shares the untouched statements and the values of what it was given, and
*is* what it was given where there was nothing to do. (One exception, for the reader's sake: an
unnamed value may take over the name of a value that it replaces.) The functions that a program
calls go through the same passes, each on its own; the arrays that they are given and return may
have other owners. `srcad.pipeline.passes` has the order.
"""
