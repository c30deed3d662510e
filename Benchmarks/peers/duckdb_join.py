"""Left join with 200,000 places with DuckDB: duckdb_join.py INPUT LOOKUP OUTPUT THREADS

Rows come out in any order here; Daybook and Polars keep that of the input.
"""

import sys

import duckdb

source, lookup, target, threads = sys.argv[1:]
database = duckdb.connect()
database.execute(f"PRAGMA threads={int(threads)}")

database.execute(f"""
    COPY (
        SELECT events.*, region, height
        FROM read_csv(
            '{source}', header = true, auto_detect = false, delim = ',', quote = '"', escape = '"',
            columns = {{
                'date': 'VARCHAR', 'emotion': 'VARCHAR', 'colour': 'VARCHAR',
                'count': 'VARCHAR', 'user': 'VARCHAR', 'place': 'VARCHAR'
            }}
        ) AS events
        LEFT JOIN read_csv(
            '{lookup}', header = true, auto_detect = false, delim = ',', quote = '"', escape = '"',
            columns = {{ 'place': 'VARCHAR', 'region': 'VARCHAR', 'height': 'VARCHAR' }}
        ) AS places USING (place)
    ) TO '{target}' (FORMAT csv, HEADER)
""")
