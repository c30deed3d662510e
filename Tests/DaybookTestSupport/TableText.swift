/// Draws CSV text as a table, for failures that a person has to read.
enum TableText {
    /// The cells in aligned columns, quotes and all, so that a missing cell and an empty text look different.
    static func aligned(_ csv: String) -> String {
        guard let records = try? RecordSplitter.records(of: Array(csv.utf8)) else { return csv }
        let rows = records.map { $0.cells.map { $0.isMissing ? "" : visible(BatchText.cell($0.text)) } }
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { $0.count > column ? width($0[column]) : 0 }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { index, cell in
                cell + String(repeating: " ", count: widths[index] - width(cell))
            }
            return "    | " + cells.joined(separator: " | ") + " |"
        }.joined(separator: "\n")
    }

    /// The text on one line, with what cannot be seen spelt out.
    static func visible(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0xFEFF:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Terminal cells, near enough: everything from the Hangul letters on is taken to be wide.
    private static func width(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x1100 ? 2 : 1) }
    }
}
