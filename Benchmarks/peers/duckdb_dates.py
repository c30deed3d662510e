"""Mixed dates to ISO, hex check and D-day with DuckDB: duckdb_dates.py INPUT OUTPUT THREADS

Tried and slower: `try_strptime` with a list of the three formats (twice as long), and replacing the separators by
`replace` or `translate` before a cast.
"""

import sys

import duckdb

source, target, threads = sys.argv[1:]
database = duckdb.connect()
database.execute(f"PRAGMA threads={int(threads)}")

database.execute(f"""
    COPY (
        SELECT id, date, emotion, count, colour, note, date - DATE '2025-01-01' AS d_day
        FROM (
            SELECT * REPLACE (
                CASE
                    WHEN date[5] = '-' OR date[5] = '/' THEN try_cast(date AS DATE)
                    ELSE try_strptime(date, '%Y년 %-m월 %-d일')::DATE
                END AS date
            )
            FROM read_csv(
                '{source}', header = true, auto_detect = false, delim = ',', quote = '"', escape = '"',
                columns = {{
                    'id': 'VARCHAR', 'date': 'VARCHAR', 'emotion': 'VARCHAR',
                    'count': 'VARCHAR', 'colour': 'VARCHAR', 'note': 'VARCHAR'
                }}
            )
        )
        WHERE date IS NOT NULL AND regexp_full_match(colour, '#[0-9A-Fa-f]{{6}}')
    ) TO '{target}' (FORMAT csv, HEADER)
""")
