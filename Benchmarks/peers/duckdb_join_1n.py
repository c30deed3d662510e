"""The events of each place with DuckDB: duckdb_join_1n.py INPUT LOOKUP OUTPUT THREADS

Rows come out in any order here.
"""

import sys

import duckdb

source, lookup, target, threads = sys.argv[1:]
database = duckdb.connect()
database.execute(f"PRAGMA threads={int(threads)}")


def read(path: str, *columns: str) -> str:
    kinds = ", ".join(f"'{column}': 'VARCHAR'" for column in columns)
    return (
        f"read_csv('{path}', header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"',"
        f" columns = {{{kinds}}})"
    )


database.execute(f"""
    COPY (
        SELECT one.*, count
        FROM {read(source, "place", "region", "height")} AS one
        JOIN {read(lookup, "date", "emotion", "colour", "count", "user", "place")} AS other USING (place)
    ) TO '{target}' (FORMAT csv, HEADER)
""")
