import DaybookDates

/// Writes rows into a table of an SQLite database, in one transaction.
///
/// The database is built beside its destination and renamed as a whole, so a reader sees the old one or the new one.
/// Other contents of an old database there are kept.
public struct ExportSqlite: SinkStage, SinkOperator {
    enum Mode: String, OptionChoice {
        /// The rows replace those in the table, and its definition stays.
        case replace
        /// The rows follow those in the table.
        case append
        /// The table is made anew with the columns of the rows; the rest of its definition is lost.
        case remake
    }

    public let output: PathText
    let table: String
    let tablePlace: SourcePlace?
    let mode: Mode
    /// The columns that identify a row of the table, which is then written over; none where every row is a new one.
    let keys: [ColumnName]
    let keysPlace: SourcePlace?
    /// The columns of a group, such as a day, whose rows take the place of its earlier ones; none where no group is replaced.
    let groups: [ColumnName]
    let dates: CodableDates
    let blobs: [ColumnName]

    public init(reading options: inout OptionReader) {
        output = options.read(
            "path",
            help: "Database to write; what other tables it holds is kept. Other stages may write other tables of it."
        )
        table = options.read("table", help: "The table to write.")
        var mode: Mode = options.read(
            "mode",
            default: .replace,
            help:
                "Whether the rows take the place of those in the table, come behind them, or the table is made anew with their columns."
        )
        let appends = options.read("append", default: false, help: "The same as 'mode: append'.")
        keys = options.read(
            "upsert",
            default: [],
            help: "Key columns: a row of the table with the same values is written over, and other rows come behind."
        )
        keysPlace = options.place(of: "upsert")
        groups = options.read(
            "replace_by",
            default: [],
            help:
                "Columns such as [day]: rows take the place of those that the table holds of the same day, and of days that were read and have none."
        )
        options.refuseRepeats(of: groups, in: "replace_by")
        if !groups.isEmpty {
            for key in ["append", "upsert"] where options.isWritten(key) {
                let message = "'\(key)' keeps old rows that 'replace_by' takes away"
                options.refuse(key, message, hint: "choose one of the two")
            }
            if output.isStandardStream { options.refuse("replace_by", "a stream has no old rows", hint: "name a file") }
        }
        if appends || !keys.isEmpty || !groups.isEmpty {
            if options.isWritten("mode"), mode != .append {
                options.refuse("mode", "'mode: \(mode.rawValue)' keeps no row to which others are added")
            }
            mode = .append
        }
        self.mode = mode
        options.refuseRepeats(of: keys, in: "upsert")
        dates = options.read(
            "dates",
            default: .iso,
            help: "How instants are written: as text, or as a number that counts from 1970 or, as apps do, from 2001."
        )
        blobs = options.read("blobs", default: [], help: "Columns of base64 text that become BLOBs again.")
        tablePlace = options.place(of: "table")
        if table.isEmpty || table.contains("\0") {
            options.refuse("table", "'\(table.replacing("\0", with: ""))' cannot name a table")
        } else if table.lowercased().hasPrefix("sqlite_") {
            let message = "'\(table)' cannot name a table: SQLite keeps names that begin with sqlite_ for itself"
            options.refuse("table", message)
        }
    }

    public static let description = StageDescription(
        name: "export_sqlite",
        summary: "Write rows into a table of an SQLite database.",
        details: """
            A new table has the columns INTEGER, REAL, TEXT, BOOLEAN (0 and 1), DATE (text such as 2026-11-21) and DATETIME \
            (text such as 2026-11-21T05:00:00Z), as import_sqlite reads them. The rows of a table are replaced or \
            added to only where its columns hold them as they are, and its definition stays; another table is refused, unless \
            'mode: remake' asks for one with the columns of the rows, which loses the old types, keys and constraints and \
            keeps indexes and triggers. With 'upsert', a new table has these columns as its key, and another must have a unique index of \
            them; of several rows with one key the last one stays. The job may read a database that it adds to, as it was. The database appears as a whole or not at all, and its other tables stay as they are. \
            Several stages may write one database, each a table of its own.
            """,
        examples: [
            StageExample(
                "a table with the kinds of its columns",
                options: "path: diary.sqlite\ntable: entries",
                input: """
                    id:integer,word:text,weight:decimal,done:flag,day:day,saved:instant,more:json
                    1,사과,1.5,true,2026-03-01,2026-03-01T09:30:00Z,"{""a"":1}"
                    2,,,,,,
                    """,
                excerpts: [
                    #"CREATE TABLE "entries" ("id" INTEGER, "word" TEXT, "weight" REAL, "done" BOOLEAN, "day" DATE, "#
                        + #""saved" DATETIME, "more" TEXT)"#,
                    #"사과"#, #"2026-03-012026-03-01T09:30:00Z{"a":1}"#,
                ]
            ),
            StageExample(
                "dates as apps store them, and BLOBs from base64",
                options: "path: diary.sqlite\ntable: photos\nmode: append\ndates: apple_seconds\nblobs: [photo]",
                input: """
                    saved:instant,photo:text
                    2026-03-01T00:00:00Z,aGVsbG8=
                    2026-03-02T00:00:00Z,not base64!
                    """,
                excerpts: [#"CREATE TABLE "photos" ("saved" TIMESTAMP, "photo" BLOB)"#, "hello"],
                findings: ["2 photo not-base64"]
            ),
            StageExample(
                "rows with a known key are written over, and a row without a key is rejected",
                options: "path: orders.sqlite\ntable: orders\nupsert: [id]",
                input: "id:integer,state:text\n1,open\n2,open\n,lost\n1,paid",
                excerpts: [#"CREATE TABLE "orders" ("id" INTEGER, "state" TEXT, PRIMARY KEY ("id"))"#, "open", "paid"],
                findings: ["3 id no-key"]
            ),
            StageExample(
                "a table of days: the rows take the place of those of their days",
                options: "path: orders.sqlite\ntable: orders\nreplace_by: [day]",
                input: "day:day,item:text\n2026-03-01,tea\n,lost",
                excerpts: [#"CREATE TABLE "orders" ("day" DATE, "item" TEXT)"#, "2026-03-01tea"],
                findings: ["2 day no-key"]
            ),
            StageExample(
                "rows that are added take nothing away, so they cannot replace the table",
                options: "path: orders.sqlite\ntable: orders\nappend: true\nmode: replace",
                input: "id:integer\n1",
                refused: "'mode: replace' keeps no row to which others are added"
            ),
            StageExample(
                "two columns that differ in case only are one to SQLite",
                options: "path: diary.sqlite\ntable: entries",
                input: "id:integer,ID:integer\n1,2",
                refused: "columns 'id' and 'ID' would be one in SQLite, which knows no case"
            ),
        ]
    )

    public var readBack: ReadBack? { ReadBack("import_sqlite", ["table": table]) }

    public var target: SinkTarget {
        var target = SinkTarget(output)
        if !output.isStandardStream {
            target.base = SinkBase(output, mustExist: false)
            // SQLite knows no case.
            target.part = SinkTarget.Part(of: "sqlite", table.lowercased())
        }
        if mode == .append {
            target.growth = SinkTarget.Growth(replacesByKey: !keys.isEmpty, groups: groups) {
                SQLiteTarget.holdsRows(table, at: $0.path)
            }
        }
        return target
    }

    public func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        try check(inputs.schema)
        return Binding(inputs.schema, .sink(self))
    }

    private func check(_ input: Schema) throws(DaybookError) {
        for name in blobs { try input.requiring(name, .text) }
        for name in keys + groups { _ = try input.requiring(name) }
        guard !input.isOpen else { return }
        guard !input.fields.isEmpty, input.fields.count <= SQLiteTarget.mostColumns else {
            let message = "a table has 1 to \(SQLiteTarget.mostColumns) columns, not \(input.fields.count)"
            throw DaybookError("bad-columns", message, at: tablePlace)
        }
        var seen: [String: String] = [:]
        for name in input.names {
            if let other = seen.updateValue(name, forKey: name.lowercased()) {
                let message = "columns '\(other)' and '\(name)' would be one in SQLite, which knows no case"
                let hint = "give one of them another name with rename_columns"
                throw DaybookError("columns-differ-in-case", message, at: tablePlace, hint: hint)
            }
            guard !name.contains("\0") else {
                throw DaybookError("bad-columns", "the name of a column holds a NUL character", at: tablePlace)
            }
        }
    }

    public func piece(of batch: Batch, from _: Int, reporting findings: inout Findings) -> Batch {
        for name in keys + groups {
            guard let missing = batch[name].missing else { continue }
            let token = findings.token(.missingKey, in: name)
            for row in 0..<batch.count where missing[row] { findings.reject(row, token) }
        }
        for field in batch.schema.fields {
            let name = ColumnName(field.name)
            switch batch[name] {
            case .decimals(let values):
                for row in 0..<values.count where !values.missing.isMissing(row) && values.elements[row].isNaN {
                    findings.reject(row, findings.token(.notANumber, in: name))
                }
            case .instants(let values) where dates != .iso:
                for row in 0..<values.count where !values.missing.isMissing(row) {
                    guard SQLiteDates.number(values.elements[row], dates) == nil else { continue }
                    findings.reject(row, findings.token(.notExactDate, in: name))
                }
            case .text(let column) where blobs.contains(name):
                let token = findings.token(.notBase64, in: name)
                let bytes = Bytes()
                column.forEachValue { row, cell in
                    bytes.removeAll()
                    if Base64.decode(cell, into: bytes) != nil { findings.reject(row, token) }
                }
            default: break
            }
        }
        return findings.keptRows(of: batch.count).map(batch.keeping) ?? batch
    }

    public func writer(in context: SinkContext) throws(DaybookError) -> SQLiteWriter { try SQLiteWriter(self, context) }
}

extension Finding.Kind {
    static let notANumber = Finding.Kind("not-a-number", "{value} is no number, and SQLite would keep it as missing")
    static let missingKey = Finding.Kind("no-key", "the row has no value by which a later run could find it again")
    static let notBase64 = Finding.Kind("not-base64", "{value} is not base64 text, from which to make a BLOB")
    static let notExactDate = Finding.Kind("not-exact", "{value} is finer than the number that 'dates' makes of it")
}
