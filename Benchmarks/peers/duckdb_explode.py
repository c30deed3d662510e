"""Lines of orders as rows with DuckDB: duckdb_explode.py INPUT OUTPUT THREADS"""

import sys

import duckdb

source, target, threads = sys.argv[1:]
database = duckdb.connect()
database.execute(f"PRAGMA threads={int(threads)}")

database.execute(f"""
    COPY (
        SELECT "order", name, region, item.sku, item.quantity, item.price, item.note
        FROM (
            SELECT "order", customer.name AS name, customer.region AS region, unnest(items) AS item
            FROM read_ndjson('{source}', columns = {{
                'order': 'BIGINT', 'customer': 'STRUCT(name VARCHAR, region VARCHAR)',
                'items': 'STRUCT(sku VARCHAR, quantity BIGINT, price DOUBLE, note VARCHAR)[]'
            }})
        )
    ) TO '{target}' (FORMAT csv, HEADER)
""")
