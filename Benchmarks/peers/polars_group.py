"""A group for nearly every row with Polars: polars_group.py INPUT OUTPUT THREADS"""

import os
import sys

source, target, threads = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = threads  # read once, when polars is imported

import polars as pl  # noqa: E402

(
    pl.scan_csv(
        source,
        schema={
            "date": pl.String,
            "emotion": pl.String,
            "colour": pl.String,
            "count": pl.Int64,
            "user": pl.String,
            "place": pl.String,
        },
    )
    .group_by("user")
    .agg(pl.len().alias("entries"), pl.col("count").sum().alias("total"), pl.col("emotion").max().alias("latest"))
    .sink_csv(target, maintain_order=False)
)
