"""Windows over nine emotions with Polars: polars_running.py INPUT OUTPUT THREADS"""

import os
import sys

source, target, threads = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = threads  # read once, when polars is imported

import polars as pl  # noqa: E402

count = pl.col("count")
days = {"partition_by": "emotion", "order_by": ["date", "user", "colour"]}
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
        turn=pl.int_range(1, pl.len() + 1).over(**days),
        so_far=count.cum_sum().over(**days),
        most=count.cum_max().over(**days),
        user_before=pl.col("user").shift(1).over(**days),
    )
    .sink_csv(target)
)
