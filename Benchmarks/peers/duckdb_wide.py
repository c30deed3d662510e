"""Three columns of two hundred with DuckDB: duckdb_wide.py INPUT OUTPUT THREADS

It is told all columns. Letting it detect them takes as long, and so does reading the date as one.
"""

import sys

import duckdb

source, target, threads = sys.argv[1:]
database = duckdb.connect()
database.execute(f"PRAGMA threads={int(threads)}")

with open(source, encoding="utf-8") as file:
    names = file.readline().rstrip("\n").split(",")
columns = ", ".join(f"'{name}': '{'BIGINT' if name == 'count' else 'VARCHAR'}'" for name in names)

database.execute(f"""
    COPY (
        SELECT date[1:7] AS month, emotion, sum(count)::BIGINT AS count
        FROM (
            SELECT date, emotion, sum(count) AS count
            FROM read_csv(
                '{source}', header = true, auto_detect = false, delim = ',', quote = '"', escape = '"',
                columns = {{ {columns} }}
            )
            GROUP BY ALL
        )
        GROUP BY ALL
    ) TO '{target}' (FORMAT csv, HEADER)
""")
