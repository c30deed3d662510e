import DaybookDelimited
import DaybookEngine
import DaybookReports

/// The rows of an output that came, went and changed, in words and as JSON.
public struct RowChangesText {
    private let changes: RowChanges
    private let output: String

    /// - Parameter output: the path of the output, masked.
    public init(_ changes: RowChanges, of output: String) { (self.changes, self.output) = (changes, output) }

    private func count(_ sort: RowChanges.Sort) -> Int { changes.counts[sort] ?? 0 }

    /// Cells as CSV spells them.
    public var lines: [String] {
        let (by, sorts): (String, [RowChanges.Sort]) =
            switch changes.pairing {
            case .whole: ("", [.came, .went])
            case .position: (" by their order", [.changed])
            case .columns(let keys): (" by \(keys.joined(separator: ", "))", [.came, .went, .changed])
            }
        // A row with other columns is not as before.
        let isWhole = changes.columnsGone.isEmpty && changes.columnsNew.isEmpty
        let same = isWhole ? "as before" : "the same in the columns of both"
        var counts = sorts.map { "\(DisplayText.count(count($0))) \($0.rawValue)" }
        counts.append("\(DisplayText.count(changes.same)) \(same)")
        var lines = ["rows of \(output)\(by): \(counts.joined(separator: ", "))"]
        if !changes.columnsGone.isEmpty { lines.append("  - columns \(changes.columnsGone.joined(separator: ", "))") }
        if !changes.columnsNew.isEmpty { lines.append("  + columns \(changes.columnsNew.joined(separator: ", "))") }
        for row in changes.shown { lines.append(line(of: row)) }
        for sort in sorts {
            let rest = count(sort) - changes.shown.count { $0.sort == sort }
            if rest > 0 { lines.append("  and \(DisplayText.count(rest)) more that \(sort.rawValue)") }
        }
        if changes.unread > 0 { lines.append("  \(DisplayText.count(changes.unread, "record")) could not be read") }
        return lines.map { PrintableText.of($0) }
    }

    private func line(of row: RowChanges.Shown) -> String {
        switch row.sort {
        case .came: return "  + " + text(of: row.after)
        case .went: return "  - " + text(of: row.before)
        case .changed:
            let keys = changes.columns.indices.filter { changes.keys.contains(changes.columns[$0]) }
            let others = changes.columns.indices.filter {
                !keys.contains($0) && bytes(row.before, $0) != bytes(row.after, $0)
            }
            let number = row.position.map { ["record \($0):"] } ?? []
            let named = number + keys.map { "\(changes.columns[$0])=\(cell(row.after, $0))" }
            let changed = others.map { "\(changes.columns[$0]): \(cell(row.before, $0)) → \(cell(row.after, $0))" }
            return "  ~ \(named.joined(separator: " "))  \(changed.joined(separator: ", "))"
        }
    }

    private func text(of cells: [String?]?) -> String {
        changes.columns.indices.map { "\(changes.columns[$0])=\(cell(cells, $0))" }.joined(separator: " ")
    }

    /// The longest cell in a line, in characters.
    private static let mostShown = 200

    /// A cell as in CSV, different for missing cells and empty texts.
    private func cell(_ cells: [String?]?, _ column: Int) -> String {
        cells?[column].map { CSVSpelling.of($0.shortened(to: RowChangesText.mostShown)) } ?? ""
    }

    private func bytes(_ cells: [String?]?, _ column: Int) -> [UInt8]? { cells?[column].map { Array($0.utf8) } }

    /// The cells without any changes.
    public var json: JSONValue {
        let rows = changes.shown.map { row -> JSONValue in
            JSONValue(withoutNulls: [
                "sort": .text(row.sort.rawValue), "record": JSONValue(row.position), "before": map(row.before),
                "after": map(row.after),
            ])
        }
        return [
            "output": .text(output), "key": .list(changes.keys.map(JSONValue.text)), "came": .number(count(.came)),
            "went": .number(count(.went)), "changed": .number(count(.changed)), "same": .number(changes.same),
            "unread": .number(changes.unread), "columns_gone": .list(changes.columnsGone.map(JSONValue.text)),
            "columns_new": .list(changes.columnsNew.map(JSONValue.text)), "rows": .list(rows),
        ]
    }

    private func map(_ cells: [String?]?) -> JSONValue {
        guard let cells else { return .null }
        return .map(Dictionary(zip(changes.columns, cells.map { JSONValue($0) })) { first, _ in first })
    }
}
