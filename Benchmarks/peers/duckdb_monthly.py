"""Monthly emotion statistics with DuckDB: duckdb_monthly.py INPUT OUTPUT THREADS

Grouping by whole days first, then by month, is quicker than cutting the month out of every row. Leaving the date as
text takes as long as reading it.
"""

import sys

import duckdb

source, target, threads = sys.argv[1:]
database = duckdb.connect()
database.execute(f"PRAGMA threads={int(threads)}")

database.execute(f"""
    COPY (
        SELECT strftime(date, '%Y-%m') AS month, emotion, sum(count)::BIGINT AS count
        FROM (
            SELECT date, emotion, sum(count) AS count
            FROM read_csv(
                '{source}', header = true, auto_detect = false, delim = ',', quote = '"', escape = '"',
                columns = {{
                    'id': 'VARCHAR', 'date': 'DATE', 'emotion': 'VARCHAR',
                    'count': 'INTEGER', 'colour': 'VARCHAR', 'note': 'VARCHAR'
                }}
            )
            GROUP BY ALL
        )
        GROUP BY ALL
    ) TO '{target}' (FORMAT csv, HEADER)
""")
