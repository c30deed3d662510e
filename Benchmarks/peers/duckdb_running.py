"""Windows over nine emotions with DuckDB: duckdb_running.py INPUT OUTPUT THREADS

Rows come out in any order here; Daybook and Polars keep that of the input.
"""

import sys

import duckdb

source, target, threads = sys.argv[1:]
database = duckdb.connect()
database.execute(f"PRAGMA threads={int(threads)}")

database.execute(f"""
    COPY (
        SELECT *,
            row_number() OVER days AS turn,
            sum(count) OVER (days ROWS UNBOUNDED PRECEDING) AS so_far,
            max(count) OVER (days ROWS UNBOUNDED PRECEDING) AS most,
            lag("user") OVER days AS user_before
        FROM read_csv(
            '{source}', header = true, auto_detect = false, delim = ',', quote = '"', escape = '"',
            columns = {{
                'date': 'VARCHAR', 'emotion': 'VARCHAR', 'colour': 'VARCHAR',
                'count': 'INTEGER', 'user': 'VARCHAR', 'place': 'VARCHAR'
            }}
        )
        WINDOW days AS (PARTITION BY emotion ORDER BY date, "user", colour)
    ) TO '{target}' (FORMAT csv, HEADER)
""")
