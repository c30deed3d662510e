import DaybookBytes

/// Rewrites the rows of a list of maps: only those that differ, and of these only the values, where that can be done.
struct ListEdit {
    private let text: ExpectationEdit
    private let comparison: TestOutcome.Comparison

    init(_ text: ExpectationEdit, _ comparison: TestOutcome.Comparison) {
        self.text = text
        self.comparison = comparison
    }

    private var columns: [String] { comparison.actual.columns }
    private var rows: [[String?]] { comparison.actual.rows }

    /// Nil where the list cannot be rewritten.
    func edits(in entry: YAMLSpan.Entry) -> TextEdits? {
        let span = entry.value
        let steps = comparison.difference.steps
        let keepsCount = steps.allSatisfy { step in
            switch step {
            case .same, .changed: true
            case .missing, .surplus: false
            }
        }
        guard span.items.count == comparison.expected.rows.count else { return nil }
        if rows.isEmpty {
            var edits = TextEdits()
            guard let colon = text.bytes[entry.keyBytes.upperBound...].firstIndex(of: UInt8(ascii: ":")) else {
                return nil
            }
            edits.replace(colon + 1..<span.bytes.upperBound, by: " []")
            return edits
        }
        if span.isFlow, !keepsCount { return flow(span, text.column(of: entry.keyBytes.lowerBound)) }
        var edits = TextEdits()
        var last: YAMLSpan?
        for step in steps {
            switch step {
            case .same(let row, _): last = span.items[row]
            case .changed(let row, let other):
                edits.add(change(span.items[row], from: comparison.expected.rows[row], to: rows[other]))
                last = span.items[row]
            case .missing(let row):
                guard let bytes = lines(of: span.items[row]) else { return nil }
                edits.replace(bytes, by: "")
            case .surplus(let row):
                guard let dash = dash(of: last ?? span.items[0]) else { return nil }
                let indent = String(repeating: " ", count: text.column(of: dash))
                let line = "\(indent)- \(YAMLRow.flow(rows[row], columns))"
                if let last {
                    edits.insert("\(text.lineEnd)\(line)", at: text.endOfLine(from: last.bytes.upperBound))
                } else {
                    edits.insert("\(line)\(text.lineEnd)", at: text.startOfLine(at: dash))
                }
            }
        }
        return edits
    }

    /// The whole list in brackets, a row a line where it would be long.
    private func flow(_ span: YAMLSpan, _ column: Int) -> TextEdits {
        let written = rows.map { YAMLRow.flow($0, columns) }
        let line = written.joined(separator: ", ")
        let indent = String(repeating: " ", count: column + 2)
        var edits = TextEdits()
        let isShort = line.unicodeScalars.count <= 100 || span.isInFlow
        edits.replace(span.bytes, by: "[\(isShort ? line : written.joined(separator: ",\(text.lineEnd)\(indent)"))]")
        return edits
    }

    /// New values in a row, or a new row where a value has no place yet.
    private func change(_ item: YAMLSpan, from old: [String?], to new: [String?]) -> TextEdits {
        var edits = TextEdits()
        for (index, column) in columns.enumerated() where old[index] != new[index] {
            guard let value = item[column]?.value, value.style == .plain || value.style == .quoted,
                !value.bytes.isEmpty,
                !value.hasProperties
            else {
                var whole = TextEdits()
                whole.replace(item.bytes, by: YAMLRow.flow(new, columns))
                return whole
            }
            edits.replace(value.bytes, by: YAMLRow.scalar(new[index]))
        }
        return edits
    }

    /// The dash before an item that is not in brackets.
    private func dash(of item: YAMLSpan) -> Int? {
        var position = item.bytes.lowerBound - 1
        while position >= 0, text.bytes[position] == .space || text.bytes[position].endsLine { position -= 1 }
        return position >= 0 && text.bytes[position] == UInt8(ascii: "-") ? position : nil
    }

    /// All lines of an item, with what ends the last.
    private func lines(of item: YAMLSpan) -> Range<Int>? {
        guard let dash = dash(of: item) else { return nil }
        let start = text.startOfLine(at: dash)
        return start..<min(text.bytes.count, text.lineFeed(from: item.bytes.upperBound) + 1)
    }
}

/// A row as YAML.
enum YAMLRow {
    /// `{ id: 1, date: 2026-11-21 }`.
    static func flow(_ row: [String?], _ columns: [String]) -> String {
        "{ \(zip(columns, row).map { "\(YAMLScalar.key($0)): \(scalar($1))" }.joined(separator: ", ")) }"
    }

    /// The value as a scalar that reads back as it; in tests `${` is text.
    static func scalar(_ text: String?) -> String { text.map(YAMLScalar.key) ?? "null" }
}
