import DaybookBytes

/// Replaces the expectation of a test by its result.
///
/// CSV stays CSV and a list a list; unchanged rows keep their bytes, and so does everything around them.
struct ExpectationEdit {
    let bytes: [UInt8]
    /// The line end of the file.
    let lineEnd: String

    init(_ source: SourceText) {
        let bytes = source.bytes
        self.bytes = bytes
        let feed = bytes.firstIndex(of: 10) ?? 0
        lineEnd = feed > 0 && bytes[feed - 1] == 13 ? "\r\n" : "\n"
    }

    /// The edits of the expectation in `entry`; nil if it cannot be rewritten.
    func edits(_ comparison: TestOutcome.Comparison, in entry: YAMLSpan.Entry) -> TextEdits? {
        let span = entry.value
        guard !span.hasProperties, span.style != .alias else { return nil }
        switch span.style {
        case .list where comparison.written?.namesNoColumns == false: return ListEdit(self, comparison).edits(in: entry)
        case .literal where indentation(of: span) != nil: return block(comparison, span)
        default: return anew(comparison, entry)
        }
    }

    // MARK: - CSV

    /// New lines for a text under `|`.
    private func block(_ comparison: TestOutcome.Comparison, _ span: YAMLSpan) -> TextEdits? {
        guard let indentation = indentation(of: span) else { return nil }
        let start = lineFeed(from: span.bytes.lowerBound) + 1
        let lines = text(comparison.csvLines, indentation)
        return TextEdits(start..<max(start, contentEnd(of: span)), by: lines)
    }

    /// A text under `|`, or `[]`, in the place of an expectation without columns, or in another style.
    private func anew(_ comparison: TestOutcome.Comparison, _ entry: YAMLSpan.Entry) -> TextEdits? {
        let span = entry.value
        let end = span.style == .literal || span.style == .folded ? contentEnd(of: span) : span.bytes.upperBound
        let blank = span.bytes.lowerBound > 0 && bytes[span.bytes.lowerBound - 1] == UInt8(ascii: ":") ? " " : ""
        let place = span.bytes.lowerBound..<max(span.bytes.lowerBound, end)
        if comparison.actual.rows.isEmpty, comparison.written?.namesNoColumns ?? true {
            return TextEdits(place, by: "\(blank)[]")
        }
        if span.isInFlow {
            let rows = comparison.actual.rows.map { YAMLRow.flow($0, comparison.actual.columns) }
            return TextEdits(place, by: "\(blank)[\(rows.joined(separator: ", "))]")
        }
        // A comment on the same line stays there.
        let lines = text(comparison.csvLines, column(of: entry.keyBytes.lowerBound) + 2)
        var edits = TextEdits(place, by: "\(blank)|")
        edits.insert("\(lineEnd)\(lines)", at: endOfLine(from: place.upperBound))
        return edits
    }

    private func text(_ lines: [String], _ indentation: Int) -> String {
        let blanks = String(repeating: " ", count: indentation)
        // A quoted cell may contain a line end; the next line is indented too.
        return lines.joined(separator: "\n").split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : blanks + $0 }.joined(separator: lineEnd)
    }

    private func indentation(of span: YAMLSpan) -> Int? {
        let header = bytes[span.bytes.lowerBound..<endOfLine(from: span.bytes.lowerBound)]
        if header.dropFirst().prefix(2).contains(where: { (49...57).contains($0) }) { return nil }
        var start = lineFeed(from: span.bytes.lowerBound) + 1
        while start < span.bytes.upperBound {
            let end = endOfLine(from: start)
            let blanks = bytes[start..<end].prefix { $0 == .space }.count
            if blanks < end - start { return blanks }
            start = lineFeed(from: start) + 1
        }
        return nil
    }

    // MARK: - Lines

    /// The end of a text under `|` or `>`, without blank lines below it.
    private func contentEnd(of span: YAMLSpan) -> Int {
        var end = min(span.bytes.upperBound, bytes.count)
        while end > span.bytes.lowerBound + 1, bytes[end - 1] == 10 || bytes[end - 1] == 13 || bytes[end - 1] == .space
        { end -= 1 }
        return end
    }

    /// The line feed that ends the line of `byte`, or the end of the text.
    func lineFeed(from byte: Int) -> Int { bytes[byte...].firstIndex(of: 10) ?? bytes.count }

    /// The end of the line of `byte`, without the line end.
    func endOfLine(from byte: Int) -> Int {
        let feed = lineFeed(from: byte)
        return feed > byte && feed < bytes.count && bytes[feed - 1] == 13 ? feed - 1 : feed
    }

    func startOfLine(at byte: Int) -> Int { (bytes[..<byte].lastIndex(of: 10) ?? -1) + 1 }

    /// The column of `byte` on its line, from 0.
    func column(of byte: Int) -> Int { bytes[startOfLine(at: byte)..<byte].count { $0 & 0xC0 != 0x80 } }
}

extension TestOutcome.Comparison {
    /// The lines of CSV with the result.
    fileprivate var csvLines: [String] {
        func line(_ cells: [String?]) -> String { cells.map(csvCell).joined(separator: ",") }
        let rows = difference.steps.compactMap { step in
            switch step {
            case .same(let row, let other): written?.rows[row].source ?? line(actual.rows[other])
            case .changed(_, let row), .surplus(let row): line(actual.rows[row])
            case .missing: nil
            }
        }
        return [written?.header ?? line(actual.columns)] + rows
    }

    /// In quotes if it would be misread without them, or has blanks at its ends.
    private func csvCell(_ text: String?) -> String {
        guard let text else { return "" }
        let hasBlankEnds = text.utf8.first == .space || text.utf8.last == .space
        return hasBlankEnds ? CSVSpelling.quoted(text) : CSVSpelling.of(text)
    }
}

/// Edits of a text, which leave all other bytes unchanged.
struct TextEdits {
    private var edits: [(bytes: Range<Int>, text: String)] = []

    init() {}

    init(_ bytes: Range<Int>, by text: String) { edits = [(bytes, text)] }

    var isEmpty: Bool { edits.isEmpty }

    /// Replaces `bytes` by `text`. Insertions at one place keep their order.
    mutating func replace(_ bytes: Range<Int>, by text: String) { edits.append((bytes, text)) }

    mutating func insert(_ text: String, at byte: Int) { edits.append((byte..<byte, text)) }

    mutating func add(_ other: TextEdits) { edits += other.edits }

    /// The text with all edits; nil if two of them overlap.
    func applied(to bytes: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        var done = 0
        // The sort is stable.
        for edit in edits.sorted(by: {
            ($0.bytes.lowerBound, $0.bytes.upperBound) < ($1.bytes.lowerBound, $1.bytes.upperBound)
        }) {
            guard edit.bytes.lowerBound >= done, edit.bytes.upperBound <= bytes.count else { return nil }
            result += bytes[done..<edit.bytes.lowerBound]
            result += edit.text.utf8
            done = edit.bytes.upperBound
        }
        return result + bytes[done...]
    }
}

/// Rewrites a list of maps: only changed rows, and in these only changed values if possible.
struct ListEdit {
    private let text: ExpectationEdit
    private let comparison: TestOutcome.Comparison

    init(_ text: ExpectationEdit, _ comparison: TestOutcome.Comparison) {
        (self.text, self.comparison) = (text, comparison)
    }

    private var columns: [String] { comparison.actual.columns }
    private var rows: [[String?]] { comparison.actual.rows }

    /// Nil if the list cannot be rewritten.
    func edits(in entry: YAMLSpan.Entry) -> TextEdits? {
        let span = entry.value
        let steps = comparison.difference.steps
        guard span.items.count == comparison.expected.rows.count else { return nil }
        if rows.isEmpty {
            let colon = text.bytes[entry.keyBytes.upperBound...].firstIndex(of: UInt8(ascii: ":"))
            return colon.map { TextEdits($0 + 1..<span.bytes.upperBound, by: " []") }
        }
        let keepsCount = steps.allSatisfy { step in
            switch step {
            case .same, .changed: true
            case .missing, .surplus: false
            }
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

    /// The whole list in brackets, with a row a line if it would be long.
    private func flow(_ span: YAMLSpan, _ column: Int) -> TextEdits {
        let written = rows.map { YAMLRow.flow($0, columns) }
        let line = written.joined(separator: ", ")
        let indent = String(repeating: " ", count: column + 2)
        let isShort = line.unicodeScalars.count <= 100 || span.isInFlow
        return TextEdits(span.bytes, by: "[\(isShort ? line : written.joined(separator: ",\(text.lineEnd)\(indent)"))]")
    }

    /// New values in a row, or a new row if a value has no place yet.
    private func change(_ item: YAMLSpan, from old: [String?], to new: [String?]) -> TextEdits {
        var edits = TextEdits()
        for (index, column) in columns.enumerated() where old[index] != new[index] {
            guard let value = item[column]?.value, value.style == .plain || value.style == .quoted,
                !value.bytes.isEmpty, !value.hasProperties
            else { return TextEdits(item.bytes, by: YAMLRow.flow(new, columns)) }
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

    /// All lines of an item, with the last line end.
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

    /// A scalar that reads back as the value; in tests `${` is text.
    static func scalar(_ text: String?) -> String { text.map(YAMLScalar.key) ?? "null" }
}
