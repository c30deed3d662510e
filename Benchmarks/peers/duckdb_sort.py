"""All rows by two texts and a number with DuckDB: duckdb_sort.py INPUT OUTPUT THREADS

Rows that are alike in all three come in any order here; Daybook keeps that of the input.
"""

import sys

import duckdb

source, target, threads = sys.argv[1:]
database = duckdb.connect()
database.execute(f"PRAGMA threads={int(threads)}")

database.execute(f"""
    COPY (
        SELECT *
        FROM read_csv(
            '{source}', header = true, auto_detect = false, delim = ',', quote = '"', escape = '"',
            columns = {{
                'date': 'VARCHAR', 'emotion': 'VARCHAR', 'colour': 'VARCHAR',
                'count': 'INTEGER', 'user': 'VARCHAR', 'place': 'VARCHAR'
            }}
        )
        ORDER BY emotion, colour, count
    ) TO '{target}' (FORMAT csv, HEADER)
""")
