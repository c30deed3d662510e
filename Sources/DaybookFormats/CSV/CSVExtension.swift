/// The columns that rows have beyond the header of their file.
///
/// Columns are known before the first row is read, so the widest row in the head of the file decides, or the job does.
enum CSVExtension {
    /// More columns than this are not made of a row: a line of nothing but delimiters is no table.
    static let most = 1000

    /// As many names as `width` says: those of the header, and behind them `column_5` for the fifth.
    static func names(_ header: [String], width: Int) -> [String] {
        var names = header
        var taken = Set(header)
        while names.count < width {
            var name = "column_\(names.count + 1)"
            var number = 2
            while !taken.insert(name).inserted {
                name = "column_\(names.count + 1)_\(number)"
                number += 1
            }
            names.append(name)
        }
        return names
    }

    /// How many cells the widest of some rows has; empty cells at the end of a row are none.
    static func width(
        of rows: UnsafeBufferPointer<UInt8>,
        header: Int,
        isWhole: Bool,
        _ dialect: CSVDialect
    ) -> Int {
        let most = header + CSVExtension.most
        var scanner = CSVRecordScanner(dialect: dialect, most: most + 1)
        var (width, position) = (header, 0)
        while position < rows.count {
            let record = scanner.scan(rows, from: position, isLast: isWhole)
            if record.kind == .unfinished { break }
            position = record.end
            guard record.kind == .fields, scanner.fields.count > width else { continue }
            let used = CSVExtension.used(scanner.fields)
            if used <= most { width = max(width, used) }
        }
        return width
    }

    /// How many cells come before the empty ones at the end of a row.
    static func used(_ fields: [CSVRecordScanner.Field]) -> Int {
        fields.lastIndex { $0.isQuoted || $0.start < $0.end }.map { $0 + 1 } ?? 0
    }
}
