"""Mixed dates to ISO, hex check and D-day with DuckDB: duckdb_dates.py INPUT OUTPUT THREADS"""

import sys

import duckdb

source, target, threads = sys.argv[1:]
database = duckdb.connect()
database.execute(f"PRAGMA threads={int(threads)}")

# One spelling per branch: `try_strptime` with a list of three formats takes twice as long.
database.execute(f"""
    COPY (
        SELECT id, date, emotion, count, colour, note, date - DATE '2025-01-01' AS d_day
        FROM (
            SELECT * REPLACE (
                CASE date[5]
                    WHEN '-' THEN try_cast(date AS DATE)
                    WHEN '/' THEN try_strptime(date, '%Y/%m/%d')::DATE
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
