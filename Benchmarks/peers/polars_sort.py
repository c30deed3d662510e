"""All rows by two texts and a number with Polars: polars_sort.py INPUT OUTPUT THREADS

Rows that are alike in all three come in any order here; Daybook keeps that of the input.
"""

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
    .sort("emotion", "colour", "count")
    .sink_csv(target)
)
