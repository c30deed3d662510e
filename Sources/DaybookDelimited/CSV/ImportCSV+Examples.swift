extension ImportCSV {
    public static let description = StageDescription(
        name: "import_csv",
        summary: "Read delimited text files, and reject what is not as it should be.",
        details: """
            Every cell is text, unless 'columns' names another kind for its column: 007 stays 007. A row with too many or too few \
            cells, a quote out of place, a NUL and other bytes that are no text are rejected with their place; where the lines of a \
            quoted cell look like rows of the file, its quote is taken for one out of place, and they are read as rows. Lines end \
            with LF or CR LF, and with CR alone in a file whose own lines do; elsewhere a CR that is not quoted rejects its row. A \
            header that stands once more among the rows is rejected. A file that holds nothing stops the run, and so does a header \
            of one column that another common delimiter would split, unless 'delimiter' names its own. Numbers are read as 1234.56, \
            +5, .5 and 1e3, with nothing between their digits, unless 'number_format' tells how they are written: then each cell has one meaning or is rejected. \
            Decimals are rounded to the nearest 64-bit number, which has 15 to 17 digits; a whole number in a column of decimals is rejected where that \
            would change it, and so is a number so close to 0 that it would become 0. Compressed files (gzip, \
            zstd) are read as they are. Of several files, one with other columns than the first stops the run; with 'columns_differ: union' \
            they are put together by name, what a file lacks is missing, and a warning names the first file that differs.

            With 'ragged: extend', the widest row in the first MiB of a file says how many columns there are, or 'width' does; empty \
            cells beyond them are left out and counted. With 'quotes: lenient', a cell is quoted where it begins with a quote and a quote \
            stands before its delimiter or line end; where another quote stands inside, it has to end on that line and before the next \
            cell that begins with a quote. All other quotes are the characters that they are. 'escape' is taken out before a quote, a \
            delimiter, a line end and itself, within quotes and without, and is a character before anything else: \\N stays as it \
            is, for 'missing'. An escape holds for one character, also where a delimiter has several. 'trim' takes spaces and tabs. With 'header_rows', the cells of a column are joined from the top, without \
            blanks and repetitions; a blank cell of an upper row carries on the one to its left where something stands below that. \
            'skip_footer' counts neither blank lines nor comments. A second table below the first, with a header of its own, \
            stops the run.
            """,
        examples: [
            StageExample(
                "cells stay as they are written; an empty one is missing, a quoted empty one is not",
                options: "path: input.csv",
                input: """
                    id,emotion,note
                    007,행복해,"said ""hello"", twice"
                    8,,""
                    """,
                output: """
                    id:text,emotion:text,note:text
                    007,행복해,"said ""hello"", twice"
                    8,,""
                    """
            ),
            StageExample(
                "letters of full or half width become the common ones",
                options: "path: input.csv\nnormalise: nfkc",
                input: "id,mood\n１,ｶﾞ\n2,ＯＫ",
                output: "id:text,mood:text\n1,ガ\n2,OK"
            ),
            StageExample(
                "each row can carry the name of its file, which may hold a date that the rows lack",
                options: "path: exports/2026-03-01.csv\nfile_column: file",
                input: "emotion,count\n행복해,3",
                output: "emotion:text,count:text,file:text\n행복해,3,2026-03-01.csv"
            ),
            StageExample(
                "the day that a file belongs to, by its name: the rows of a day are read together",
                options:
                    "path: inbox/orders-2026-03-01.csv\nday: { from: name, pattern: \"orders-{yyyy-MM-dd}*.csv\" }\nredelivery: { other_bytes: redo }\nlate: { after: 3 days, then: warn }",
                input: "id,count\n7,3",
                output: "id:text,count:text,day:day\n7,3,2026-03-01"
            ),
            StageExample(
                "the files of a folder that need not hold any yet, each read by one run that holds",
                options: """
                    path: inbox/*.csv
                    optional: true
                    new_only: true
                    columns: { id: integer, day: day }
                    describe: { id: Its number }
                    """,
                input: "id,day\n7,2026-03-01",
                output: "id:integer,day:day\n7,2026-03-01"
            ),
            StageExample(
                "without a file only the job can tell the columns",
                options: "path: inbox/*.csv\noptional: true",
                input: "id\n7",
                refused: "without a file nothing would tell the columns"
            ),
            StageExample(
                "files with other columns than the first are put together by name, where the job says so",
                options: "path: [week-1.csv]\ncolumns_differ: union",
                input: "id,day\n7,2026-03-01",
                output: "id:text,day:text\n7,2026-03-01"
            ),
            StageExample(
                "a row with too many or too few cells is rejected",
                options: "path: input.csv",
                input: """
                    date,emotion
                    2026-03-01,행복해
                    2026-03-02
                    2026-03-03,우울해,3
                    """,
                output: """
                    date:text,emotion:text
                    2026-03-01,행복해
                    """,
                findings: ["2 - ragged-row", "3 - ragged-row"]
            ),
            StageExample(
                "a stray quote costs its own line and no more",
                options: "path: input.csv",
                input: """
                    id,note
                    1,"never closed
                    2,fine
                    3,6" tall
                    """,
                output: """
                    id:text,note:text
                    2,fine
                    """,
                findings: ["1 - unclosed-quote", "3 - stray-quote"]
            ),
            StageExample(
                "cells beyond the header get columns of their own, and empty ones at the end of a row are left out",
                options: "path: input.csv\nragged: extend",
                input: "id,note\n1,one, two\n2,three\n3,four,,\n4",
                output: "id:text,note:text,column_3:text\n1,one, two\n2,three,\n3,four,\n4,,"
            ),
            StageExample(
                "rows are extended to a width that the job names, and a wider one is rejected",
                options: "path: input.csv\nragged: extend\nwidth: 3",
                input: "id,note\n1,one,1\n2,two,2,2",
                output: "id:text,note:text,column_3:text\n1,one,1",
                findings: ["2 - ragged-row"]
            ),
            StageExample(
                "under lenient quotes, one that is out of place is the character that it is",
                options: "path: input.csv\nquotes: lenient",
                input: """
                    id,note
                    1,6" tall
                    2,"a ""quoted"" cell, as ever"
                    3,"so" she said
                    4,"he said "yes, no" to me"
                    5,"never closed
                    """,
                output: #"""
                    id:text,note:text
                    1,"6"" tall"
                    2,"a ""quoted"" cell, as ever"
                    3,"""so"" she said"
                    4,"he said ""yes, no"" to me"
                    5,"""never closed"
                    """#
            ),
            StageExample(
                "an export of MySQL escapes with backslashes, and writes \\N for what is missing",
                options: #"path: input.csv\#ndelimiter: tab\#nescape: "\\"\#nmissing: ["\\N"]"#,
                input: "id\tnote\n1\ttab\\\there\n2\t\\N\n3\tC:\\\\N",
                output: "id:text,note:text\n1,tab\there\n2,\n3,C:\\N"
            ),
            StageExample(
                "blanks about cells and about their quotes are left out, and quoted spellings are missing too",
                options: "path: input.csv\ntrim: true\nmissing: [\"\", NA]\nmissing_quoted: true",
                input: #"id, note , more\#n1, "x, y" , " z "\#n 2 ,"NA",""\#n3,  ,a b"#,
                output: "id:text,note:text,more:text\n1,\"x, y\", z \n2,,\n3,,a b"
            ),
            StageExample(
                "an export that quotes everything quotes what it does not have, too",
                options: "path: input.csv\nmissing_quoted: true",
                input: #""id","note"\#n"1","a"\#n"2","""#,
                output: "id:text,note:text\n1,a\n2,"
            ),
            StageExample(
                "a delimiter may have several characters, and others than those of ASCII",
                options: "path: input.csv\ndelimiter: \"||\"",
                input: "id||note\n1||a|b\n2||\"c||d\"",
                output: "id:text,note:text\n1,a|b\n2,c||d"
            ),
            StageExample(
                "a header of several rows is joined, and a blank upper cell carries on the one to its left",
                options: "path: input.csv\nheader_rows: 2\nheader_separator: _\nskip_footer: 1",
                input: "id,2025,,2026,\n,jan,feb,jan,feb\n7,1,2,3,4\nsum,1,2,3,4",
                output: "id:text,2025_jan:text,2025_feb:text,2026_jan:text,2026_feb:text\n7,1,2,3,4"
            ),
            StageExample(
                "an escape that is the quote is refused",
                options: "path: input.csv\nescape: '\"'",
                input: "id\n1",
                refused: "'escape' and 'quote' are the same"
            ),
            StageExample(
                "a comment that begins as cells do is refused",
                options: "path: input.csv\ncomment: ','",
                input: "id\n1",
                refused: "'comment' and 'delimiter' are the same"
            ),
            StageExample(
                "the header of a second export that stands among the rows is no row",
                options: "path: input.csv\nrepeated_header: skip",
                input: "id,emotion\n1,행복해\nid,emotion\n2,우울해",
                output: "id:text,emotion:text\n1,행복해\n2,우울해"
            ),
            StageExample(
                "the rows of a second table are only read as those of the first where the job says so",
                options: "path: input.csv\nsecond_header: keep",
                input: "id,emotion\n1,행복해\n\nday,place,count\n2026-03-01,집,3\n2026-03-02,집,4",
                output: "id:text,emotion:text\n1,행복해",
                findings: ["2 - ragged-row", "3 - ragged-row", "4 - ragged-row"]
            ),
            StageExample(
                "a file that is empty is an error, for its rows are likely lost, unless 'empty: allow' says otherwise",
                options: "path: input.csv\nempty: refuse",
                input: "",
                refused: "'input.csv' is empty"
            ),
            StageExample(
                "with 'empty: refuse_rowless', a file of which only the header is left is an error too",
                options: "path: input.csv\nempty: refuse_rowless",
                input: "id,emotion\n",
                refused: "'input.csv' has no row"
            ),
            StageExample(
                "a header that is one column by the wrong delimiter is an error",
                options: "path: input.csv",
                input: "day;emotion;count\n2026-03-01;행복해;3",
                refused: "the header is one cell, 'day;emotion;count', which ';' would split and ',' does not"
            ),
            StageExample(
                "columns can be read as another kind, and spellings of a missing value named",
                options: """
                    path: input.csv
                    delimiter: ";"
                    missing: ["", "-"]
                    columns: { count: integer, day: day }
                    """,
                input: """
                    day;count
                    2026-03-01;12
                    -;many
                    """,
                output: """
                    day:day,count:integer
                    2026-03-01,12
                    """,
                findings: ["2 count not-an-integer"]
            ),
            StageExample(
                "numbers are read as people write them where 'number_format' says how; a currency and a percent sign are named",
                options: """
                    path: input.csv
                    delimiter: ";"
                    columns: { amount: decimal, rate: decimal, pieces: integer }
                    number_format:
                      - { decimal: ",", thousands: ".", currency: [€] }
                      - { percent: divide, columns: rate }
                    """,
                input: """
                    amount;rate;pieces
                    1.234,56 €;19 %;1.000
                    (12,50);0.07;7
                    12.50;7%;1
                    $ 3;7%;1
                    """,
                output: """
                    amount:decimal,rate:decimal,pieces:integer
                    1234.56,0.19,1000
                    -12.5,0.07,7
                    """,
                findings: ["3 amount not-a-number", "4 amount not-a-number"]
            ),
            StageExample(
                "files without a header, with comments and with short rows are read when the job says so",
                options: """
                    path: input.csv
                    delimiter: auto
                    header: [date, emotion, count]
                    skip_lines: 1
                    comment: "#"
                    ragged: pad
                    quote: none
                    encoding: utf-8
                    """,
                input: """
                    exported by a phone
                    2026-03-01\t행복해\t3
                    # a remark
                    2026-03-02\t"우울해
                    """,
                output: """
                    date:text,emotion:text,count:text
                    2026-03-01,행복해,3
                    2026-03-02,\"\"\"우울해\",
                    """
            ),
            StageExample(
                "a first row of values is likely a row, unless the job says that it is the header",
                options: "path: input.csv",
                input: "1,2026-11-21,good\n2,2026-11-22,bad",
                refused: "the first row is taken for the header and holds '1' and '2026-11-21', "
                    + "as the rows below it do: "
                    + "it is likely a row"
            ),
            StageExample(
                "several years, or numbers in sequence, name columns",
                options: "path: input.csv",
                input: "country,2019,2020\nkr,7,8",
                output: "country:text,2019:text,2020:text\nkr,7,8"
            ),
            StageExample(
                "rows of nothing but delimiters are rows unless the job says otherwise",
                options: "path: input.csv\nblank_rows: skip",
                input: "a,b\n1,x\n,\n2,y\n\",\",",
                output: "a:text,b:text\n1,x\n2,y\n\",\","
            ),
            StageExample(
                "they are warned of where they are kept",
                options: "path: input.csv",
                input: "a,b\n1,x\n,\n2,y",
                output: "a:text,b:text\n1,x\n,\n2,y",
                findings: ["2 - blank-row"]
            ),
        ]
    )
}
