"""Windows over 210,000 places with DuckDB: duckdb_window.py INPUT OUTPUT THREADS

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
            row_number() OVER days AS visit,
            lag(count) OVER days AS before,
            sum(count) OVER (days ROWS UNBOUNDED PRECEDING) AS so_far,
            avg(count) OVER (days ROWS 6 PRECEDING) AS seven
        FROM read_csv(
            '{source}', header = true, auto_detect = false, delim = ',', quote = '"', escape = '"',
            columns = {{
                'date': 'VARCHAR', 'emotion': 'VARCHAR', 'colour': 'VARCHAR',
                'count': 'INTEGER', 'user': 'VARCHAR', 'place': 'VARCHAR'
            }}
        )
        WINDOW days AS (PARTITION BY place ORDER BY date, "user")
    ) TO '{target}' (FORMAT csv, HEADER)
""")
