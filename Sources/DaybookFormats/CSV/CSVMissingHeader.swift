/// Whether the row that is taken for the header is one of the rows, which would be lost: its values, and the rows behind it have such.
struct CSVMissingHeader {
    static let mostRows = 50

    /// The values of the first row that no column is called; nil where it may be a header.
    let values: [String]

    /// - Parameters:
    ///   - rows: the first rows behind it, at most `mostRows`, each with as many cells.
    ///   - names: cells that the job knows to be names.
    init?(_ first: [CSVCellSample], besides names: some Sequence<String>, rows: () -> [[CSVCellSample]]) {
        let suspects = first.indices.filter { CSVMissingHeader.isNumberOrDate(first[$0]) && !first[$0].isQuoted }
        guard !suspects.isEmpty, !CSVMissingHeader.areNames(suspects.map { first[$0] }) else { return nil }
        let rows = rows()
        let goesOn = suspects.filter { index in
            let below = rows.map { $0[index] }.filter(\.isFilled)
            guard !below.isEmpty, below.allSatisfy(CSVMissingHeader.isNumberOrDate) else { return false }
            // A year above other numbers is the name of their column.
            return !first[index].isPeriod || below.contains(where: \.isPeriod)
        }
        guard goesOn.count == suspects.count else { return nil }
        let holdsGap = first.indices.contains { index in
            !first[index].isFilled && rows.contains { $0[index].isFilled }
        }
        // An export writes nothing above its column of row numbers.
        guard !holdsGap else { return nil }
        let values = goesOn.map { first[$0].text }
        guard !names.contains(where: values.contains) else { return nil }
        self.values = values
    }

    /// What to tell of a first row that is likely lost.
    func error(at place: SourcePlace) -> DaybookError {
        let shown = Spoken.list(values.prefix(3).map { "'\($0.prefix(40))'" })
        return DaybookError(
            "no-header",
            "the first row is taken for the header and holds \(shown), as the rows below it do: it is likely a row",
            at: place,
            hint: "write 'header: false' if it is one, or 'header: true' if it names the columns",
            blame: .data
        )
    }

    /// Whether a cell is what no column is called: digits with the signs of numbers, days and times, and not `c10000`, `=1+2` or `3);`.
    private static func isNumberOrDate(_ cell: CSVCellSample) -> Bool {
        guard cell.isValue, cell.hasDigit else { return false }
        let text = cell.text.utf8.drop { "+-".utf8.contains($0) }
        guard let first = text.first, (0x30...0x39).contains(first) else { return false }
        return text.allSatisfy { (0x30...0x39).contains($0) || ".,:/-+% TZeE".utf8.contains($0) }
    }

    /// Whether numbers are names by what they are: several years or days, or three and more in sequence.
    private static func areNames(_ cells: [CSVCellSample]) -> Bool {
        if cells.count > 1, cells.allSatisfy(\.isPeriod), Set(cells.map(\.text)).count == cells.count { return true }
        let numbers = cells.compactMap { Int($0.text) }
        guard numbers.count == cells.count, numbers.count > 2 else { return false }
        return zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 }
    }

    /// The rows of delimited text.
    static func rows(
        from start: Int,
        of bytes: UnsafeBufferPointer<UInt8>,
        _ dialect: CSVDialect,
        width: Int,
        isWhole: Bool
    ) -> [[CSVCellSample]] {
        var scanner = CSVRecordScanner(dialect: dialect)
        var rows: [[CSVCellSample]] = []
        var position = start
        while position < bytes.count, rows.count < mostRows {
            let record = scanner.scan(bytes, from: position, isLast: isWhole)
            if record.kind == .unfinished { break }
            position = record.end
            guard record.kind == .fields, scanner.fields.count == width else { continue }
            rows.append(samples(of: scanner.fields, bytes, dialect))
        }
        return rows
    }

    static func samples(
        of fields: [CSVRecordScanner.Field],
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ dialect: CSVDialect
    ) -> [CSVCellSample] {
        fields.map { CSVCellSample(CSVFormat.text(of: $0, bytes, dialect), isQuoted: $0.isQuoted) }
    }
}
