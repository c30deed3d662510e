import DaybookCore

/// A column of results, whose rows are filled in any order. One owner fills it, and then takes the column.
package final class ResultColumn {
    package let kind: ColumnKind
    /// Numbers, flags, days and instants; see `Column.sortable`.
    @exclusivity(unchecked) private var words: [Int64] = []
    @exclusivity(unchecked) private var views: [TextView] = []
    private let text = Bytes()
    @exclusivity(unchecked) private var isThere: [Bool]
    /// Rows whose result no number can hold, each with a message where there is more to say than that.
    package private(set) var tooLarge: [(row: Int32, message: String?)] = []

    /// All rows are missing until they are filled.
    package init(_ kind: ColumnKind, rows: Int) {
        self.kind = kind
        isThere = [Bool](repeating: false, count: rows)
        if kind == .text || kind == .json {
            views = [TextView](repeating: TextView(offset: 0, length: 0), count: rows)
        } else {
            words = [Int64](repeating: 0, count: rows)
        }
    }

    @inline(__always)
    package func set(_ row: Int32, _ word: Int64) {
        words[Int(row)] = word
        isThere[Int(row)] = true
    }

    @inline(__always)
    package func set(_ row: Int32, _ cell: Cell) {
        precondition(text.count + cell.count <= UInt32.max, "a text column cannot hold more than 4 GiB")
        views[Int(row)] = TextView(offset: text.count, length: cell.count)
        text.append(cell)
        isThere[Int(row)] = true
    }

    package func reject(_ row: Int32, _ message: String? = nil) { tooLarge.append((row, message)) }

    /// Calls `body` with one group after another and the row that it goes to, and sets the row where there is a result.
    @inline(__always)
    package func fill(_ groups: [Int32], _ rows: [Int32], _ body: (Int) -> Int64?) {
        for place in groups.indices {
            if let word = body(Int(groups[place])) { set(rows[place], word) }
        }
    }

    /// The column. Nothing is filled in afterwards.
    package func column() -> Column {
        let missing = isThere.allSatisfy { $0 } ? nil : Mask(count: isThere.count) { !isThere[$0] }
        return switch kind {
        case .text: .text(TextColumn(text, views: views, missing: missing))
        case .json: .json(TextColumn(text, views: views, missing: missing))
        default: Column(sortable: Values(words, missing: missing), kind: kind)
        }
    }
}
