"""The first row of each date, emotion and colour with Polars: polars_first.py INPUT OUTPUT THREADS"""

import os
import sys

source, target, threads = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = threads  # read once, when polars is imported

import polars as pl  # noqa: E402

(
    pl.scan_csv(source, infer_schema=False)  # every column stays text
    .unique(["date", "emotion", "colour"], keep="first", maintain_order=True)
    .sink_csv(target)
)
