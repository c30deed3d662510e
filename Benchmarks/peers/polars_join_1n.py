"""The events of each place with Polars: polars_join_1n.py INPUT LOOKUP OUTPUT THREADS

Rows come out in any order here, which is faster.
"""

import os
import sys

source, lookup, target, threads = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = threads  # read once, when polars is imported

import polars as pl  # noqa: E402

(
    pl.scan_csv(source, infer_schema=False)  # every column stays text
    .join(pl.scan_csv(lookup, infer_schema=False).select("place", "count"), on="place", how="inner")
    .sink_csv(target)
)
