"""Programs of the corpus that leave some of their calls to NumPy: numbers and arrays of another
type than was inferred, arrays without entries, arrays that one path makes longer,
integers beyond 64 bits, or exceptions.
"""

LEFT = {
    "values-arrays_of_an_int_or_float", "floats-array_of_number_or_single",
    "floats-array_of_carried_number_or_single", "floats-power_that_is_a_float",
    "values-reductions_of_nothing", "growing-no_turns", "values-slices_of_nothing",
    "values-rows_of_nothing", "logs-one_more_at_the_end",
    "work_lists-merged_from_both", "work_lists-pool_adjacent_violators",
    "work_lists-sorted_by_insertion", "work_lists-bisected", "work_lists-history_cut_off",
    "work_lists-two_that_change_roles", "work_lists-level_after_level",
    "work_lists-rows_on_a_stack", "work_lists-window_of_the_last",
    "lists_of_lists-quotients_of_entries", "values-beyond_64_bits",
    "tables-histogram", "tables-order_of_keys", "tables-means_by_kind", "tables-last_seen",
    "tables-memo", "tables-entries_by_row_and_column", "tables-taken_out",
    "tables-tally_of_an_object", "tables-keys_sorted_by_their_values",
}  # fmt: skip
