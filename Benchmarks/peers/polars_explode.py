"""Lines of orders as rows with Polars: polars_explode.py INPUT OUTPUT THREADS"""

import os
import sys

source, target, threads = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = threads  # read once, when polars is imported

import polars as pl  # noqa: E402

LINE = pl.Struct({"sku": pl.String, "quantity": pl.Int64, "price": pl.Float64, "note": pl.String})

pl.scan_ndjson(
    source,
    schema={
        "order": pl.Int64,
        "customer": pl.Struct({"name": pl.String, "region": pl.String}),
        "items": pl.List(LINE),
    },
).filter(pl.col("items").list.len() > 0).explode("items").unnest("customer").unnest("items").sink_csv(target)
