"""Quality gate with DuckDB: duckdb_gate.py INPUT OUTPUT THREADS

The rules are asked while a table of ids and bad values is filled, whose row numbers are then the lines.
Tried and slower: `row_number()` over the file (half as long again), a window over all ids (three times as long),
a table of all cells, and joins or `min` by id in place of first gathering the ids that come twice. `NOT IN` with
nine words becomes a join, which shuffles the rows, so the words are compared one by one.
"""

import sys

import duckdb

source, target, threads = sys.argv[1:]
database = duckdb.connect()
database.execute(f"PRAGMA threads={int(threads)}")

EMOTIONS = ["행복해", "사랑해", "좋아해", "당황해", "속상해", "우울해", "심심해", "따분해", "심란해"]
RULES = ["emotion-missing", "emotion-unknown", "no-colour", "count-out-of-range"]
unknown = " AND ".join(f"emotion <> '{emotion}'" for emotion in EMOTIONS)

database.execute(f"""
    CREATE TEMP TABLE entries AS
    SELECT
        id,
        rule,
        CASE rule WHEN 2 THEN emotion WHEN 3 THEN colour WHEN 4 THEN count::VARCHAR END AS value
    FROM (
        SELECT
            *,
            CASE
                WHEN emotion IS NULL THEN 1::UTINYINT
                WHEN {unknown} THEN 2::UTINYINT
                WHEN NOT regexp_full_match(colour, '#[0-9A-Fa-f]{{6}}') THEN 3::UTINYINT
                WHEN count NOT BETWEEN 1 AND 12 THEN 4::UTINYINT
            END AS rule
        FROM read_csv(
            '{source}', header = true, auto_detect = false, delim = ',', quote = '"', escape = '"',
            columns = {{
                'id': 'BIGINT', 'date': 'VARCHAR', 'emotion': 'VARCHAR',
                'count': 'BIGINT', 'colour': 'VARCHAR', 'note': 'VARCHAR'
            }}
        )
    )
""")
database.execute("CREATE TEMP TABLE twice AS SELECT id FROM entries GROUP BY id HAVING count(*) > 1")
database.execute(f"""
    COPY (
        SELECT rowid + 2 AS line, {RULES}[rule] AS rule, value
        FROM entries
        WHERE rule IS NOT NULL
        UNION ALL
        SELECT line, 'id-repeated', id::VARCHAR
        FROM (
            SELECT rowid + 2 AS line, id, rule, min(rowid + 2) OVER (PARTITION BY id) AS first
            FROM entries
            WHERE id IN (FROM twice)
        )
        WHERE line > first AND rule IS NULL
    ) TO '{target}' (FORMAT csv, HEADER)
""")
