"""Mixed dates to ISO, hex check and D-day with Polars: polars_dates.py INPUT OUTPUT THREADS"""

import os
import sys

source, target, threads = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = threads  # read once, when polars is imported

import polars as pl  # noqa: E402

# One pattern for the three spellings is quicker than `coalesce` over three calls of `to_date`.
parts = pl.col("date").str.extract_groups(r"^(\d{4})(?:-|/|년 )(\d{1,2})(?:-|/|월 )(\d{1,2})일?$").struct
day = pl.date(parts[0].cast(pl.Int32), parts[1].cast(pl.Int8), parts[2].cast(pl.Int8))

(
    pl.scan_csv(source, infer_schema=False)  # every column stays text
    .with_columns(day.alias("date"))
    .filter(pl.col("date").is_not_null() & pl.col("colour").str.contains(r"^#[0-9A-Fa-f]{6}$"))
    .with_columns((pl.col("date") - pl.date(2025, 1, 1)).dt.total_days().alias("d_day"))
    .sink_csv(target)
)
