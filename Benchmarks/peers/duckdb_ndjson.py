"""JSON Lines to CSV with DuckDB: duckdb_ndjson.py INPUT OUTPUT THREADS

Smaller buffers for objects, and numbers left as text, change nothing.
"""

import sys

import duckdb

source, target, threads = sys.argv[1:]
database = duckdb.connect()
database.execute(f"PRAGMA threads={int(threads)}")

database.execute(f"""
    COPY (
        SELECT *
        FROM read_ndjson('{source}', columns = {{
            'id': 'BIGINT', 'date': 'VARCHAR', 'emotion': 'VARCHAR',
            'count': 'BIGINT', 'colour': 'VARCHAR', 'note': 'VARCHAR'
        }})
    ) TO '{target}' (FORMAT csv, HEADER)
""")
