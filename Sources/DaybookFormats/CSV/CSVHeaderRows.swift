/// The names of columns that stand in several rows, as under the merged cells of a spreadsheet.
struct CSVHeaderRows {
    private var rows: [(texts: [String], places: [Int])] = []

    /// The cells of each row as they are written.
    var cells: [[[UInt8]]] { rows.map { $0.texts.map { Array($0.utf8) } } }
    var count: Int { rows.count }

    mutating func append(
        _ fields: [CSVRecordScanner.Field],
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ dialect: CSVDialect
    ) {
        rows.append((fields.map { CSVFormat.text(of: $0, bytes, dialect) }, fields.map(\.start)))
    }

    /// The name of each column, and where the lowest part of it stands.
    ///
    /// The parts are joined from the top; blank ones and repetitions of the one above are left out. A blank cell of an upper row carries
    /// the one to its left on, as a merged cell is exported, unless nothing stands below that one: then it is a name by itself.
    func names(joinedBy separator: String) -> [(text: String, place: Int)] {
        let width = rows.map(\.texts.count).max() ?? 0
        var parts = [[String]](repeating: [], count: width)
        var places = [Int](repeating: 0, count: width)
        for (number, row) in rows.enumerated() {
            var carried = ""
            for (column, text) in row.texts.enumerated() {
                let isBlank = CSVHeaderRows.isBlank(text)
                if !isBlank {
                    carried = rows.dropFirst(number + 1).contains { isFilled($0.texts, column) } ? text : ""
                }
                let part = isBlank ? carried : text
                if !CSVHeaderRows.isBlank(part), parts[column].last != part { parts[column].append(part) }
                if !isBlank || places[column] == 0 { places[column] = row.places[column] }
            }
        }
        // One row names its columns to the letter, blanks and all.
        if rows.count == 1 { return zip(rows[0].texts, places).map { ($0, $1) } }
        return zip(parts, places).map { ($0.joined(separator: separator), $1) }
    }

    private func isFilled(_ texts: [String], _ column: Int) -> Bool {
        column < texts.count && !CSVHeaderRows.isBlank(texts[column])
    }

    private static func isBlank(_ text: String) -> Bool { text.allSatisfy(\.isWhitespace) }
}
