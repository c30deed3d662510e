import DaybookBytes

/// Rows as a person wrote them in a test: a list of maps, or CSV with a header in a text.
///
/// A cell with nothing in it is missing, as are `null` and a key that a map leaves out; `""` is an empty text.
package struct WrittenRows: Sendable {
    package struct Column: Sendable, Hashable {
        package var name: String
        /// The kind that a header such as `count:integer` names.
        package var kind: ColumnKind?
        package var place: SourcePlace?
    }

    package struct Cell: Sendable {
        /// Nil when the value is missing.
        package var text: String?
        /// Whether quotes make it text beyond doubt; what stands in CSV is always text.
        package var isQuoted = true
        package var place: SourcePlace?
    }

    package struct Row: Sendable {
        package var cells: [Cell]
        package var place: SourcePlace
        /// The row as it stands in a text, quotes and all; nil in a list.
        package var source: String?
    }

    package private(set) var columns: [Column] = []
    package private(set) var rows: [Row] = []
    /// The first line of CSV as it stands.
    package private(set) var header: String?
    /// True for an empty list, which names no columns.
    var namesNoColumns: Bool { columns.isEmpty }

    /// More rows than a job file of its greatest size could hold in lists; a text may have no more.
    package static let limit = 100_000

    /// Reads `node`, which stands in `source`, or says what is wrong with each of its rows.
    package init(reading node: OptionNode, in source: SourceText) throws(DaybookErrors) {
        switch node.content {
        case .list(let items): try readList(items)
        case .text(let text, _): try readText(WrittenText(text, at: node, in: source))
        case .map, .nothing:
            throw DaybookErrors([
                node.expected("rows", hint: "write a list of maps, or CSV with a header under '|'; [] stands for none")
            ])
        }
    }

    // MARK: - Lists

    private mutating func readList(_ items: [OptionNode]) throws(DaybookErrors) {
        var problems: [DaybookError] = []
        var places: [String: Int] = [:]
        for item in items {
            for entry in item.map ?? [] where places[entry.key] == nil {
                places[entry.key] = columns.count
                columns.append(Column(name: entry.key, kind: nil, place: entry.keyPlace))
            }
        }
        if columns.count > 1_000 { throw DaybookErrors([WrittenRows.tooWide(columns[1_000].place)]) }
        for item in items {
            guard let entries = item.map else {
                problems.append(item.expected("a row such as { id: 1, date: 2026-11-21 }"))
                continue
            }
            var cells = [Cell](repeating: Cell(text: nil), count: columns.count)
            for entry in entries {
                guard let column = places[entry.key] else { continue }
                switch entry.value.content {
                case .nothing: cells[column].place = entry.value.place
                case .text(let text, let isQuoted):
                    cells[column] = Cell(text: text, isQuoted: isQuoted, place: entry.value.place)
                case .list, .map:
                    problems.append(
                        entry.value.expected("a value", hint: "write JSON as a text in quotes: '[1, 2]'")
                    )
                }
            }
            rows.append(Row(cells: cells, place: item.place, source: nil))
        }
        if !problems.isEmpty { throw DaybookErrors(problems) }
    }

    // MARK: - CSV

    private mutating func readText(_ text: WrittenText) throws(DaybookErrors) {
        var problems: [DaybookError] = []
        var records = WrittenRecords(text)
        guard let header = try records.next() else {
            throw DaybookErrors([
                DaybookError(
                    "no-columns",
                    "expected CSV with a header, found an empty text",
                    at: text.place,
                    hint: "write the names of the columns on the first line; [] stands for no rows"
                )
            ])
        }
        self.header = header.source
        for cell in header.cells { columns.append(WrittenRows.column(cell)) }
        if columns.count > 1_000 { throw DaybookErrors([WrittenRows.tooWide(columns[1_000].place)]) }
        for (index, column) in columns.enumerated() where columns[..<index].contains(where: { $0.name == column.name })
        {
            problems.append(
                DaybookError(
                    "duplicate-column",
                    "two columns are named \(column.name.quotedForMessage)",
                    at: column.place
                )
            )
        }
        while let record = try records.next(isOneColumn: columns.count == 1) {
            guard record.cells.count == columns.count else {
                let found = record.cells.count == 1 ? "1 cell" : "\(record.cells.count) cells"
                problems.append(
                    DaybookError(
                        "ragged-row",
                        "this row has \(found), and the header has \(columns.count)",
                        at: record.place,
                        hint: "a value with a comma needs quotes: \"a, b\""
                    )
                )
                if problems.count >= 100 { break }
                continue
            }
            rows.append(record)
            guard rows.count <= WrittenRows.limit else {
                throw DaybookErrors([
                    DaybookError(
                        "too-many-rows",
                        "a test may hold \(WrittenRows.limit) rows of a stage",
                        at: record.place
                    )
                ])
            }
        }
        if !problems.isEmpty { throw DaybookErrors(problems) }
    }

    /// `count:integer` is a column with its kind; a colon before anything else belongs to the name.
    private static func column(_ cell: Cell) -> Column {
        let text = cell.text ?? ""
        if let colon = text.lastIndex(of: ":"),
            let kind = ColumnKind(rawValue: String(text[text.index(after: colon)...])),
            colon > text.startIndex
        {
            return Column(name: String(text[..<colon]), kind: kind, place: cell.place)
        }
        return Column(name: text, kind: nil, place: cell.place)
    }

    private static func tooWide(_ place: SourcePlace?) -> DaybookError {
        DaybookError("too-many-columns", "rows of a test may have 1,000 columns", at: place)
    }
}

extension WrittenRows.Column {
    /// Why it is not `field`; nil where it names the same kind or none.
    func mismatch(_ field: Field) -> DaybookError? {
        guard let kind, kind != field.kind else { return nil }
        let message = "column '\(field.name)' holds \(field.kind.rawValue), not \(kind.rawValue)"
        return DaybookError("wrong-kind", message, at: place)
    }
}
