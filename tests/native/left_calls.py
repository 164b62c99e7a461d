"""Programs of the corpus that leave some of their calls to NumPy: numbers and arrays of another
type than was inferred, arrays without entries, loops without iterations,
integers beyond 64 bits, or exceptions.
"""

LEFT = {
    "values-arrays_of_an_int_or_float",
    "floats-array_of_number_or_single", "floats-array_of_carried_number_or_single",
    "floats-power_that_is_a_float", "values-reductions_of_nothing", "growing-no_turns",
    "values-slices_of_nothing", "values-rows_of_nothing", "work_lists-history_cut_off",
    "work_lists-window_of_the_last", "lists_of_lists-quotients_of_entries",
    "values-beyond_64_bits",
}  # fmt: skip
