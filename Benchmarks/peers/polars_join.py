"""Left join with 200,000 places with Polars: polars_join.py INPUT LOOKUP OUTPUT THREADS"""

import os
import sys

source, lookup, target, threads = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = threads  # read once, when polars is imported

import polars as pl  # noqa: E402

(
    pl.scan_csv(source, infer_schema=False)  # every column stays text
    .join(pl.scan_csv(lookup, infer_schema=False), on="place", how="left", maintain_order="left")
    .sink_csv(target)
)
