"""What data of other packages may be asked: methods and functions that only compute, from the
object and from what they are given; and what NumPy's functions do with it.
"""

from __future__ import annotations

_METHODS = """
__add__ __array__ __contains__ __eq__ __ge__ __getitem__ __gt__ __iter__ __le__ __len__ __lt__
__mul__ __ne__ __neg__ __pow__ __radd__ __rmul__ __rsub__ __sub__ __truediv__ abs add add_prefix
add_suffix agg aggregate align all any argmax argmin argsort asfreq asof assign assign_coords
astype autocorr between bfill broadcast_equals broadcast_like ceil clip coarsen combine_first
construct contains copy corr corrwith count cov crosstab cummax cummin cumprod cumsum cumulative
day_name days_in_month describe diff differentiate div divide dot drop drop_duplicates drop_isel
drop_sel drop_vars droplevel dropna duplicated endswith eq equals ewm expand_dims expanding
explode factorize ffill fillna filter first floor floordiv ge get get_group get_index get_indexer
get_level_values get_loc groupby groupby_bins gt head identical idxmax idxmin infer_objects
integrate interp interp_like interpolate interpolate_na isel isin isna isnull isocalendar items
join keys kurt kurtosis last le len lower lstrip lt map mask max mean median melt memory_usage
merge min mod mode month_name mul multiply ne ngroup nlargest normalize notna notnull nsmallest
nth nunique ohlc pct_change pipe pivot pivot_table polyfit pow prod product quantile rank reindex
reindex_like rename rename_axis repeat replace resample reset_coords reset_index rolling
rolling_exp round rstrip rsub rtruediv searchsorted sel select_dtypes sem set_axis set_index shift
skew slice sort_index sort_values sortby split squeeze stack startswith std strftime strip sub
subtract sum swap_dims swapaxes swaplevel tail take thin to_array to_dataarray to_dataframe
to_dataset to_dict to_frame to_index to_list to_numpy to_pandas to_period to_series to_timestamp
tolist total_seconds transpose truediv truncate tz_convert tz_localize unique unstack upper
value_counts var weekday weighted where xs zfill
"""
_FUNCTIONS = """
Categorical crosstab cut factorize get_dummies isna isnull melt merge notna notnull pivot
pivot_table qcut to_datetime to_numeric to_timedelta unique value_counts
"""

_OF_ARRAYS = """
array asarray asanyarray ascontiguousarray where dot vdot inner outer diff gradient concatenate
stack column_stack vstack hstack atleast_1d linalg.norm interp convolve correlate median
percentile quantile average sort polyval vander digitize searchsorted bincount isclose allclose
array_equal nansum nanmean nanstd nanvar nanmax nanmin corrcoef cov trapezoid einsum tensordot
nan_to_num select flatnonzero count_nonzero
"""

METHODS = frozenset(_METHODS.split())
FUNCTIONS = frozenset(_FUNCTIONS.split())
# NumPy's functions that make arrays of what they are given.
OF_ARRAYS = frozenset(_OF_ARRAYS.split())
# NumPy's functions that call a method of what they are given, with these options.
BY_METHOD: dict[str, tuple[str, dict[str, int]]] = {
    **{name: (name, {}) for name in ("sum", "mean", "prod", "cumsum", "any", "all", "clip")},
    "max": ("max", {}), "min": ("min", {}), "amax": ("max", {}), "amin": ("min", {}),
    "std": ("std", {"ddof": 0}), "var": ("var", {"ddof": 0}),
}  # fmt: skip

__all__ = ["BY_METHOD", "FUNCTIONS", "METHODS", "OF_ARRAYS"]
