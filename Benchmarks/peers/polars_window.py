"""Windows over 210,000 places with Polars: polars_window.py INPUT OUTPUT THREADS"""

import os
import sys

source, target, threads = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = threads  # read once, when polars is imported

import polars as pl  # noqa: E402

count = pl.col("count")
days = {"partition_by": "place", "order_by": ["date", "user"]}
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
    .with_columns(
        visit=pl.int_range(1, pl.len() + 1).over(**days),
        before=count.shift(1).over(**days),
        so_far=count.cum_sum().over(**days),
        seven=count.rolling_mean(7, min_samples=1).over(**days),
    )
    .sink_csv(target)
)
