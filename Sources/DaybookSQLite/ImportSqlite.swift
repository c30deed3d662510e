import DaybookBytes

/// Reads a table, a view, or the result of one query, from SQLite databases.
///
/// Table rows come in the order of their row numbers. SQLite allows any value in any column. A column is read by its
/// declared type, and a value that does not fit is rejected with its place instead of being converted.
public struct ImportSqlite: StoreSource {
    public let paths: [PathText]
    let table: String?
    let query: String?
    private var wishes = SQLiteTable.Wishes()
    public let fileColumn: ColumnName?
    public let intake: FileIntake
    private let sinceOption: SinceOption?
    private let tablePlace: SourcePlace?
    private let queryPlace: SourcePlace?

    public init(reading options: inout OptionReader) {
        paths = options.read("path", help: "Databases to read: a path, a pattern such as backup-*.sqlite, or a list.")
        table = options.optional("table", help: "The table or view to read.")
        query = options.optional("query", help: "One SELECT to run, instead of reading a table.")
        wishes.columns = options.readKinds(
            help: "Kinds of columns, where the declared type or the first rows do not tell what is meant."
        )
        wishes.blobs = options.read("blobs", default: .base64, help: "Whether BLOBs become base64 text or are refused.")
        fileColumn = options.readFileColumn()
        sinceOption = options.optional(
            "since",
            help:
                "Read only rows that are new: those whose value in a column is higher than any that a run of the job, one "
                + "that passed, has read."
        )
        intake = options.readIntake(declaresColumns: !wishes.columns.entries.isEmpty)
        tablePlace = options.place(of: "table")
        queryPlace = options.place(of: "query")
        wishes.blobsPlace = options.place(of: "blobs")
        if table == nil, query == nil {
            options.refuse("table", "neither 'table' nor 'query' says what to read", hint: "add 'table: NAME'")
        } else if table != nil, query != nil {
            options.refuse("query", "'query' and 'table' both say what to read", hint: "leave one of them out")
        }
        if sinceOption != nil, intake.isNewOnly {
            options.refuse("new_only", "'since' and 'new_only' both say what is new", hint: "leave one of them out")
        }
        for path in paths where path.isStandardStream {
            options.refuse("path", "a database cannot be read from standard input", hint: "write it to a file first")
        }
    }

    public static let description = StageDescription(
        name: "import_sqlite",
        summary: "Read a table or a query of SQLite databases, and reject what is not as its column declares.",
        details: """
            A column is what its declared type says: INTEGER, REAL and TEXT, and as people mean them BOOLEAN (0 and 1), DATE \
            (2026-11-21) and DATETIME (in UTC, unless the text says otherwise; a warning tells so). Where none of the first \
            thousand values is like that, and where no type is declared, these values tell. A value that is not as its column \
            is rejected. The database is never written to, nor is anything beside it; a write-ahead log beside it is read \
            with it. A query may only read and call nothing random. One that asks SQLite \
            for 'now' reads the clock of the machine, and gives another result the next time. With 'since', the first run reads \
            the rows from 'start' on, and every later one those whose value is higher than the highest that a run which passed has \
            read; a run that fails has read nothing. The history keeps that value by the job, its path, the id of the import and \
            the column, and 'run --full-refresh' begins from 'start' again. The value goes into the query as a parameter; around a \
            'query' of one's own stands SELECT * FROM (…) WHERE column > value. Numbers are compared as numbers, and texts byte by \
            byte, so days and times have to be written in one way, or the import is refused. The ledger tells how many rows lay before, and warnings how \
            many of them came too late to be read, and how many have no value and are not read. With 'overlap', rows from so far before \
            the highest value on are read again: the history keeps their keys with a digest of each, what is as it was is left out, and \
            what came late or has changed is read. A changed row needs outputs that write over it by key. It reads one database.
            """,
        examples: [
            StageExample(
                "declared types are kept, and NULL is missing",
                options: "path: diary.sqlite\ntable: entries",
                input: """
                    CREATE TABLE entries (id INTEGER PRIMARY KEY, word TEXT, weight REAL, done BOOLEAN, day DATE,
                        saved DATETIME);
                    INSERT INTO entries VALUES (7, '사과', 1.5, 0, '2026-03-01', '2026-03-01T09:30:00Z'),
                        (9, NULL, 2, 1, NULL, NULL);
                    """,
                output: """
                    id:integer,word:text,weight:decimal,done:flag,day:day,saved:instant
                    7,사과,1.5,false,2026-03-01,2026-03-01T09:30:00Z
                    9,,2,true,,
                    """
            ),
            StageExample(
                "a value that is not as its column declares is rejected",
                options: "path: diary.sqlite\ntable: entries",
                input: """
                    CREATE TABLE entries (id INTEGER PRIMARY KEY, count INTEGER, day DATE);
                    INSERT INTO entries VALUES (1, 3, '2026-03-01'), (2, 'many', '2026-03-02'), (3, 5, '1 March');
                    """,
                output: "id:integer,count:integer,day:day\n1,3,2026-03-01",
                findings: ["2 count not-an-integer", "3 day not-a-day"]
            ),
            StageExample(
                "without a declared type the values tell; BLOBs become base64, and kinds can be declared",
                options: "path: [diary.sqlite]\ntable: Things\ncolumns: { code: text }\nfile_column: file",
                input: """
                    CREATE TABLE things (number, photo, code);
                    INSERT INTO things VALUES (1, x'00FF10', 7), (2.5, x'', '007');
                    """,
                output:
                    "number:decimal,photo:text,code:text,file:text\n1,AP8Q,7,diary.sqlite\n2.5,\"\",007,diary.sqlite"
            ),
            StageExample(
                "the day that a file belongs to, by its name: the rows of a day are read together",
                options:
                    "path: inbox/2026-03-01.sqlite\ntable: t\nday: { from: name, pattern: \"{yyyy-MM-dd}.sqlite\" }\nredelivery: { other_bytes: redo }\nlate: { after: 3 days, then: warn }",
                input: "CREATE TABLE t (id INTEGER); INSERT INTO t VALUES (7);",
                output: "id:integer,day:day\n7,2026-03-01"
            ),
            StageExample(
                "the files of a folder that need not hold any yet, each read by one run that holds",
                options: """
                    path: inbox/*.sqlite
                    table: t
                    columns: { id: integer }
                    optional: true
                    new_only: true
                    describe: { id: Its number }
                    """,
                input: "CREATE TABLE t (id INTEGER); INSERT INTO t VALUES (7);",
                output: "id:integer\n7"
            ),
            StageExample(
                "what changed since a day, in place of all rows",
                options: "path: shop.sqlite\ntable: orders\nsince: { column: updated_at, start: 2026-03-01 }",
                input: """
                    CREATE TABLE orders (id INTEGER PRIMARY KEY, updated_at DATE);
                    INSERT INTO orders VALUES (1, '2026-02-28'), (2, '2026-03-01'), (3, NULL), (4, '2026-03-02');
                    """,
                output: "id:integer,updated_at:day\n2,2026-03-01\n4,2026-03-02"
            ),
            StageExample(
                "the same, and every night what came late in the last two days",
                options:
                    "path: shop.sqlite\ntable: orders\nsince: { column: updated_at, start: 2026-03-01, overlap: 2 days, key: id }",
                input: """
                    CREATE TABLE orders (id INTEGER PRIMARY KEY, updated_at DATE);
                    INSERT INTO orders VALUES (1, '2026-02-28'), (2, '2026-03-01'), (4, '2026-03-02');
                    """,
                output: "id:integer,updated_at:day\n2,2026-03-01\n4,2026-03-02"
            ),
            StageExample(
                "a time without a zone is read as UTC, as SQLite itself reads it, and said once",
                options: "path: diary.sqlite\nquery: SELECT saved FROM entries WHERE id > 1 ORDER BY id DESC",
                input: """
                    CREATE TABLE entries (id INTEGER PRIMARY KEY, saved DATETIME);
                    INSERT INTO entries VALUES (1, 'x'), (2, '2026-03-01 00:30:00.5'), (3, '2026-03-01 09:30:00');
                    """,
                output: "saved:instant\n2026-03-01T09:30:00Z\n2026-03-01T00:30:00.500Z",
                findings: ["1 saved read-as-utc"]
            ),
            StageExample(
                "BLOBs can be refused, by the name of their column",
                options: "path: diary.sqlite\ntable: entries\nblobs: refuse",
                input: "CREATE TABLE entries (id INTEGER PRIMARY KEY, photo BLOB)",
                refused: "column 'photo' of table 'entries' holds BLOBs"
            ),
            StageExample(
                "a query only reads",
                options: "path: diary.sqlite\nquery: DELETE FROM entries RETURNING id",
                input: "CREATE TABLE entries (id INTEGER PRIMARY KEY)",
                refused: "'query' cannot be run on 'diary.sqlite': not authorized"
            ),
        ]
    )

    public var declaredSchema: Schema { wishes.columns.declaredSchema }

    public var since: SinceColumn? {
        var asked = sinceOption?.asked
        asked?.subject = query ?? table ?? ""
        return asked
    }

    public func open(_ file: StoreFile) throws(DaybookError) -> SQLiteTable {
        let store = try SQLiteStore.open(file)
        let selection = if let query { try check(query, store) } else { try find(table ?? "", store) }
        let fields = try store.read { db in
            let statement = try SQLiteStatement(db, selection.statement)
            return statement.names.enumerated().map { column, name in
                SQLiteField(name, stored: name, type: statement.declaredType(column))
            }
        }
        var seen: Set<String> = []
        for field in fields where !seen.insert(field.name).inserted {
            let message = "the query gives two columns named '\(field.name)'"
            throw DaybookError("duplicate-column", message, at: queryPlace, hint: "name one of them otherwise, with AS")
        }
        for name in [sinceOption?.column, sinceOption?.overlap?.key].compactMap(\.self) {
            try check(name, among: fields.map(\.name), selection)
        }
        let recognised = ["SQLite database"] + (query == nil ? [selection.displayText] : [])
        return try SQLiteTable(store, selection, fields, recognised: recognised, wishes, since: since?.column)
    }

    private func check(_ since: ColumnName, among names: [String], _ selection: SQLiteSelection) throws(DaybookError) {
        guard !names.contains(since.text) else { return }
        let message = "'since' names '\(since.text)', and \(selection.displayText) has no such column"
        let hint =
            NearestName.hint(for: since.text, among: names)
            ?? "its columns are \(names.prefix(20).joined(separator: ", "))"
        throw DaybookError("unknown-column", message, at: since.place, hint: hint)
    }

    private func find(_ name: String, _ store: SQLiteStore) throws(DaybookError) -> SQLiteSelection {
        if let selection = try store.read({ db in try SQLiteSelection.table(name, in: db) }) { return selection }
        let names = try store.read { db in try SQLiteSelection.tables(in: db).map(\.name) }
        let others = names.filter { !$0.hasPrefix("sqlite_") }.prefix(20).joined(separator: ", ")
        let message = "'\(store.file.source.path)' has no table '\(name)'"
        let hint =
            NearestName.hint(for: name, among: names)
            ?? (others.isEmpty ? "it has no tables at all" : "its tables are \(others)")
        throw DaybookError("unknown-table", message, at: tablePlace, hint: hint)
    }

    /// The query as a selection, if it is one statement that only reads.
    private func check(_ query: String, _ store: SQLiteStore) throws(DaybookError) -> SQLiteSelection {
        let problem: String? = try store.read { db in
            do throws(SQLiteError) {
                let statement = try SQLiteStatement(db, query)
                if !statement.isQuery { return "it is no SELECT" }
                // With 'since' the query becomes a subquery.
                if sinceOption != nil {
                    _ = try SQLiteStatement(db, "SELECT * FROM \(SQLiteSelection.query(query).subject)")
                }
                return statement.parameterCount > 0 ? "it has parameters, and nothing gives them values" : nil
            } catch {
                guard SQLiteFault.isAboutQuery(error) else { throw error }
                return error.message
            }
        }
        guard let problem else { return .query(query) }
        let message = "'query' cannot be run on '\(store.file.source.path)': \(problem)"
        let hint = "write one SELECT; it may only read, and call nothing random"
        throw DaybookError("bad-query", message, at: queryPlace, hint: hint)
    }
}

extension ImportSqlite: FormatDetecting {
    public static func detect(_ file: SniffedFile) throws(DaybookError) -> FormatDetection? {
        if let log = SQLiteFault.log(named: file.name, Array(file.head.array.prefix(8)), blame: .data) { throw log }
        guard let store = try SQLiteDetection.open(file) else { return nil }
        let shadows = try store.read { db in try SQLiteSelection.shadows(in: db) }
        let all = try store.read { db in try SQLiteSelection.tables(in: db) }
            // SQLite and its extensions have internal tables.
            .filter { !$0.name.lowercased().hasPrefix("sqlite_") }
        let tables = all.filter { !shadows.contains($0.name) }
        let kept = tables.filter { !$0.isView }
        let chosen = kept.isEmpty ? tables : kept
        guard !chosen.isEmpty else {
            let message = "'\(file.name)' is an SQLite database without any tables"
            throw DaybookError.data("no-tables", message, hint: "is it the right file?")
        }
        var imports = chosen.prefix(SQLiteDetection.most).map { table in
            let option = SuggestedOption("table", .text(table.name), because: table.isView ? "a view" : nil)
            return SuggestedImport(part: table.name, options: [option])
        }
        let further = chosen.dropFirst(SQLiteDetection.most) + (kept.isEmpty ? [] : tables.filter(\.isView))
        imports[0].notes += SuggestedImport.note(further.map(\.name), "further tables and views")
        imports[0].notes += SuggestedImport.note(
            all.map(\.name).filter(shadows.contains),
            "left out, for virtual tables keep them for themselves"
        )
        return FormatDetection(.likely, form: "an SQLite database", imports: Array(imports))
    }
}

/// Detection shared by databases and stores.
package enum SQLiteDetection {
    /// The most imports that one job needs.
    package static let most = 30

    /// Opens the file if it is a database.
    package static func open(_ file: SniffedFile) throws(DaybookError) -> SQLiteStore? {
        guard file.begins(with: Array("SQLite format 3\0".utf8)) else { return nil }
        guard !file.isCompressed else {
            let message = "'\(file.name)' is a compressed SQLite database, which cannot be read as it is"
            throw DaybookError.data("compressed-store", message, hint: "decompress it first")
        }
        return try SQLiteStore.open(try file.store(companions: SQLiteStore.companions))
    }

    /// Whether the table is internal to every store.
    package static func isKept(_ table: String) -> Bool {
        ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].contains(table) || table.hasPrefix("SQLITE_")
    }
}
