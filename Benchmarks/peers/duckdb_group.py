"""A group for nearly every row with DuckDB: duckdb_group.py INPUT OUTPUT THREADS"""

import sys

import duckdb

source, target, threads = sys.argv[1:]
database = duckdb.connect()
database.execute(f"PRAGMA threads={int(threads)}")

database.execute(f"""
    COPY (
        SELECT user, count(*) AS entries, sum(count)::BIGINT AS total, max(emotion) AS latest
        FROM read_csv(
            '{source}', header = true, auto_detect = false, delim = ',', quote = '"', escape = '"',
            columns = {{
                'date': 'VARCHAR', 'emotion': 'VARCHAR', 'colour': 'VARCHAR',
                'count': 'INTEGER', 'user': 'VARCHAR', 'place': 'VARCHAR'
            }}
        )
        GROUP BY user
    ) TO '{target}' (FORMAT csv, HEADER)
""")
