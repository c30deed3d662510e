"""The first row of each date, emotion and colour with DuckDB: duckdb_first.py INPUT OUTPUT THREADS

Tried and slower: `row_number()` and `QUALIFY`, and `DISTINCT ON` with a row number.
"""

import sys

import duckdb

source, target, threads = sys.argv[1:]
database = duckdb.connect()
database.execute(f"PRAGMA threads={int(threads)}")

database.execute(f"""
    CREATE TEMP TABLE events AS
    SELECT *
    FROM read_csv(
        '{source}', header = true, auto_detect = false, delim = ',', quote = '"', escape = '"',
        columns = {{
            'date': 'VARCHAR', 'emotion': 'VARCHAR', 'colour': 'VARCHAR',
            'count': 'VARCHAR', 'user': 'VARCHAR', 'place': 'VARCHAR'
        }}
    )
""")
database.execute(f"""
    COPY (
        SELECT *
        FROM events
        WHERE rowid IN (SELECT min(rowid) FROM events GROUP BY date, emotion, colour)
        ORDER BY rowid
    ) TO '{target}' (FORMAT csv, HEADER)
""")
