"""JSON Lines to CSV with Polars: polars_ndjson.py INPUT OUTPUT THREADS

Narrower whole numbers, `low_memory` and other batches change nothing.
"""

import os
import sys

source, target, threads = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = threads  # read once, when polars is imported

import polars as pl  # noqa: E402

pl.scan_ndjson(
    source,
    schema={
        "id": pl.Int64,
        "date": pl.String,
        "emotion": pl.String,
        "count": pl.Int64,
        "colour": pl.String,
        "note": pl.String,
    },
).sink_csv(target)
