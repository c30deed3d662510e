"""Mixed dates to ISO, hex check and D-day with Polars: polars_dates.py INPUT OUTPUT THREADS

Tried and slower: one pattern that takes the three spellings apart (by a sixth), replacing the separators and reading
one spelling (as much), and `coalesce` over three calls of `to_date` (more).
"""

import os
import sys

source, target, threads = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = threads  # read once, when polars is imported

import polars as pl  # noqa: E402

date = pl.col("date")
separator = date.str.slice(4, 1)


def spelt(pattern: str) -> pl.Expr:
    # Without the cache, since looking a date up takes longer than reading it.
    return date.str.to_date(pattern, strict=False, cache=False)


day = (
    pl.when(separator == "-")
    .then(spelt("%Y-%m-%d"))
    .when(separator == "/")
    .then(spelt("%Y/%m/%d"))
    .otherwise(spelt("%Y년 %m월 %d일"))
)

(
    pl.scan_csv(source, infer_schema=False)  # every column stays text
    .with_columns(day.alias("date"))
    .filter(pl.col("date").is_not_null() & pl.col("colour").str.contains(r"^#[0-9A-Fa-f]{6}$"))
    .with_columns((pl.col("date") - pl.date(2025, 1, 1)).dt.total_days().alias("d_day"))
    .sink_csv(target)
)
