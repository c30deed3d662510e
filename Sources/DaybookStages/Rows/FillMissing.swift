/// Fills missing values of columns from other columns, or with a constant.
///
/// The ledger counts every filled cell by column, and `mark` flags the filled rows in the data. Values of earlier rows
/// come from `window_rows`, since this stage works on rows concurrently.
public struct FillMissing: TransformStage {
    let with: OptionMap<FillConstant>
    let from: OptionMap<[ColumnName]>
    let mark: ColumnName?

    /// The columns to fill, each once.
    private let filled: [ColumnName]

    public init(reading options: inout OptionReader) {
        from = options.read(
            "from_columns",
            default: OptionMap(entries: []),
            help: "Each column to fill, and the column, or columns in turn, whose value to take."
        )
        with = options.read(
            "with",
            default: OptionMap(entries: []),
            help: "Each column to fill, and the value to put where 'from_columns' gives none either."
        )
        mark = options.optional("mark", help: "New column of flags: whether anything was filled in the row.")
        var filled: [ColumnName] = []
        for (key, place) in from.entries.map({ ($0.key, $0.place) }) + with.entries.map({ ($0.key, $0.place) }) {
            let column = ColumnName(key, at: place)
            if !filled.contains(column) { filled.append(column) }
        }
        self.filled = filled
        if filled.isEmpty, options.problems.isEmpty {
            let hint = "write what to put where, such as 'with: { count: 0 }'"
            options.refuse("with", "neither 'with' nor 'from_columns' names a column", hint: hint)
        }
        for entry in from.entries {
            if entry.value.isEmpty {
                options.refuse("from_columns", "'from_columns' names no column for '\(entry.key)'")
            }
            if entry.value.contains(where: { $0.text == entry.key }) {
                options.refuse("from_columns", "'\(entry.key)' cannot be filled from itself")
            }
        }
    }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        for column in filled { _ = try input.requiring(column) }
        for entry in with.entries {
            guard let kind = input.fields.first(where: { $0.name == entry.key })?.kind else { continue }
            _ = try entry.value.column(of: kind, for: entry.key)
        }
        for entry in from.entries {
            let wanted = input.fields.first { $0.name == entry.key }?.kind
            for source in entry.value {
                guard let kind = try input.requiring(source)?.kind, let wanted, kind != wanted else { continue }
                let message = "column '\(source)' holds \(kind.rawValue), and '\(entry.key)' \(wanted.rawValue)"
                let hint = "make them of one kind with cast_columns first"
                throw DaybookError("wrong-kind", message, at: source.place, hint: hint)
            }
        }
        guard let mark else { return input }
        return try input.adding(mark, .flag)
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet {
        wanted.making(mark.map { [$0] } ?? [], from: filled + from.entries.flatMap(\.value))
    }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        var made: [Batch.NewColumn] = []
        var isFilled = [Bool](repeating: false, count: batch.count)
        for column in filled {
            guard let gaps = batch[column].missing else { continue }
            // Values come from the input rows, so the order of the columns does not matter.
            let pieces = pieces(for: column, batch)
            let picks = picks(for: column, batch, hasConstant: with.entries.contains { $0.key == column.text })
            var count = 0
            for row in 0..<batch.count where gaps[row] && picks[row].batch > 0 {
                count += 1
                isFilled[row] = true
            }
            guard count > 0 else { continue }
            findings.fill(count, in: column)
            made.append(Batch.NewColumn(column, Batch.take(picks, from: pieces).columns[0], from: column))
        }
        var result = batch
        result.set(made)
        guard let mark else { return result }
        return result.setting(mark, to: .flags(Values(isFilled)))
    }

    /// The column itself, the columns that fill it, and the constant as a batch of one row.
    private func pieces(for column: ColumnName, _ batch: Batch) -> [Batch] {
        func piece(_ column: Column) -> Batch {
            Batch(Schema([Field("", column.kind)]), [column], count: column.count, provenance: .made)
        }
        var pieces = sources(of: column).map { piece(batch[$0]) }
        guard let constant = with.entries.first(where: { $0.key == column.text })?.value else { return pieces }
        guard let value = try? constant.column(of: batch[column].kind, for: column.text) else {
            preconditionFailure("the schema check lets only values be filled in that the column can hold")
        }
        pieces.append(piece(value))
        return pieces
    }

    /// The piece and row that each output value comes from.
    private func picks(for column: ColumnName, _ batch: Batch, hasConstant: Bool) -> [RowPick] {
        let sources = sources(of: column).compactMap { batch.schema.index(of: $0) }
        return batch.withCellPointers { cells in
            (0..<batch.count).map { row in
                var piece = 0
                while piece < sources.count, cells[sources[piece]].isMissing(row) { piece += 1 }
                if piece < sources.count { return RowPick(batch: piece, row: row) }
                return hasConstant ? RowPick(batch: piece, row: 0) : RowPick(batch: 0, row: row)
            }
        }
    }

    /// The column itself and the columns that fill it.
    private func sources(of column: ColumnName) -> [ColumnName] {
        [column] + (from.entries.first { $0.key == column.text }?.value ?? [])
    }

    public static let description = StageDescription(
        name: "fill_missing",
        summary: "Fill missing values from other columns, or with a constant.",
        details: """
            A column named in 'from_columns' takes the value of the first of the other columns that has one; what is still missing takes the \
            constant in 'with'. Only missing cells change, never an empty text, and each is counted in the ledger. The value of the \
            row before is that of fill_forward in window_rows.
            """,
        examples: [
            StageExample(
                "a missing colour becomes black and a missing count 0; an empty text is not missing",
                options: "with: { colour: \"#000000\", count: 0 }",
                input: """
                    colour:text,count:integer
                    #EC007F,3
                    ,
                    "",
                    """,
                output: """
                    colour:text,count:integer
                    #EC007F,3
                    #000000,0
                    "",0
                    """
            ),
            StageExample(
                "a name is taken from the first column that has one, else it is a constant; the rows are marked",
                options: """
                    from_columns: { shown: [nickname, name] }
                    with: { shown: someone }
                    mark: was_filled
                    """,
                input: """
                    shown:text,nickname:text,name:text
                    민아,,김민아
                    ,준,이준호
                    ,,박서연
                    ,,
                    """,
                output: """
                    shown:text,nickname:text,name:text,was_filled:flag
                    민아,,김민아,false
                    준,준,이준호,true
                    박서연,,박서연,true
                    someone,,,true
                    """
            ),
            StageExample(
                "a value that the column cannot hold is refused",
                options: "with: { count: none }",
                input: "count:integer",
                refused: "column 'count' holds integer, and 'none' is not a whole number"
            ),
        ]
    )
}

/// A constant for missing values, as written in the job.
struct FillConstant: OptionValue {
    let text: String
    let place: SourcePlace?

    static let kind = OptionKind.text
    static var placeholder: FillConstant { FillConstant(text: "", place: nil) }
    var written: String { text.written }

    /// The most bytes of a constant, so that a batch of the shortest rows still fits a column.
    private static let longest = 4_000

    private init(text: String, place: SourcePlace?) { (self.text, self.place) = (text, place) }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else { throw node.expected("a value") }
        guard text.utf8.count <= Self.longest else {
            throw DaybookError("bad-option", "a value may have \(Self.longest) bytes at most", at: node.place)
        }
        self.init(text: text, place: node.place)
    }

    /// A column of one row with the constant.
    func column(of kind: ColumnKind, for name: String) throws(DaybookError) -> Column {
        let bytes = Bytes(text)
        let cell = TextColumn(bytes, views: [TextView(offset: 0, length: bytes.count)])
        switch kind {
        case .text: return .text(cell)
        case .json, .instant:
            let message = "column '\(name)' holds \(kind.rawValue), for which no constant can be written"
            let hint = "fill it from another column, or make it text with cast_columns first"
            throw DaybookError("wrong-kind", message, at: place, hint: hint)
        case .integer, .decimal, .flag, .day:
            var findings = Findings()
            let value = cell.reading(kind, named: ColumnName(name), reporting: &findings)
            guard let wrong = findings.rejectedRows.first else { return value }
            let message = findings.subjects[findings.index(of: wrong.token)].kind.message
            throw DaybookError(
                "bad-option",
                "column '\(name)' holds \(kind.rawValue), and " + message.replacing("{value}", with: "'\(text)'"),
                at: place
            )
        }
    }
}
