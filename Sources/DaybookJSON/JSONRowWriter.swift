import CScan
import Foundation

/// Formats the rows of a batch as JSON objects.
///
/// All objects have the same keys, so the text between two values is made once and copied.
struct JSONRowWriter {
    /// The text before each value, and after the last, one after the other.
    private let literals: Bytes
    private let steps: [Step]
    /// Whether each row ends its own line, rather than standing between others.
    private let isLine: Bool
    private let names: [ColumnName]

    private typealias Columns = UnsafeBufferPointer<CellPointers>

    /// A literal and the column of the value behind it; -1 for the last, which has none.
    private struct Step: BitwiseCopyable {
        var start: Int
        var length: Int
        var column: Int
    }

    init(_ options: JSONWriteSettings, _ schema: Schema) {
        isLine = options.layout == .lines
        names = schema.names.map { ColumnName($0) }
        let schema = schema.withKeysAlone
        let properties = schema.fields.indices.map {
            CodableProperty($0, of: schema, nests: options.nest, .iso, .null)
        }
        let outline = CodableOutline(properties, prettyDepth: options.pretty ? options.rowDepth : nil)
        var (steps, literals, start) = ([Step](), [UInt8](), 0)
        for step in outline.steps {
            let isFirst = literals.count > start && literals.last == UInt8(ascii: "{")
            if step.kind != .close, step.isFollower, !isFirst { literals.append(UInt8(ascii: ",")) }
            // An empty object is not spread over lines.
            if step.kind != .close || !isFirst {
                literals += outline.literals.filled[step.start..<step.start + step.length]
            }
            switch step.kind {
            case .open: literals.append(UInt8(ascii: "{"))
            case .close: literals.append(UInt8(ascii: "}"))
            case .member:
                steps.append(Step(start: start, length: literals.count - start, column: step.property))
                start = literals.count
            }
        }
        withExtendedLifetime(outline) {}
        self.steps = steps + [Step(start: start, length: literals.count - start, column: -1)]
        self.literals = Bytes()
        literals.withUnsafeBufferPointer { self.literals.append($0) }
        self.literals.append(isLine ? "\n" as StaticString : ",\n")
    }

    func write(_ batch: Batch, reporting findings: inout Findings) -> TextPiece {
        let range = 0..<batch.count
        let decimals = batch.schema.fields.indices.filter { batch.schema.fields[$0].kind == .decimal }
        let separatorLength = isLine ? 1 : 2
        let separator = literals.base + literals.count - separatorLength
        let (bytes, rows) = batch.withCellPointers { columns in
            let (steps, text) = folded(columns, range)
            let bytes = Bytes(capacity: range.count * (text.count + separatorLength + steps.count * 20))
            var out = ByteCursor(bytes)
            var rows = 0
            let base = text.base
            steps.withUnsafeBufferPointer { steps in
                for row in range {
                    if !decimals.isEmpty, let bad = firstUnwritable(columns, decimals, row) {
                        findings.reject(row, findings.token(.notAJSONNumber, in: names[bad]))
                        continue
                    }
                    if !isLine, rows > 0 { out.put(literal: separator, separatorLength) }
                    for step in steps {
                        out.put(literal: base + step.start, step.length)
                        if step.column >= 0 { append(columns[step.column], row, to: &out) }
                    }
                    if isLine { out.put(literal: separator, separatorLength) }
                    rows += 1
                }
            }
            out.finish()
            withExtendedLifetime(text) {}
            return (bytes, rows)
        }
        withExtendedLifetime(literals) {}
        return TextPiece(bytes: bytes, rows: rows)
    }

    /// The steps of rows, with everything equal in all rows among the literals: it is checked and escaped once.
    private func folded(_ columns: Columns, _ rows: Range<Int>) -> (steps: [Step], text: Bytes) {
        let uniform = columns.map { rows.count > 1 && $0.isUniform(rows) }
        guard uniform.contains(true) else { return (steps, literals) }
        let text = Bytes()
        var out = ByteCursor(text)
        var (folded, start): ([Step], Int) = ([], 0)
        func end(_ column: Int) {
            folded.append(Step(start: start, length: out.count - start, column: column))
            start = out.count
        }
        for step in steps {
            out.put(literal: literals.base + step.start, step.length)
            guard step.column >= 0, uniform[step.column] else {
                end(step.column)
                continue
            }
            append(columns[step.column], rows.lowerBound, to: &out)
        }
        out.finish()
        return (folded, text)
    }

    /// The first column whose number is not finite.
    private func firstUnwritable(_ columns: Columns, _ decimals: [Int], _ row: Int) -> Int? {
        decimals.first { !columns[$0].decimal(row).isFinite && !columns[$0].isMissing(row) }
    }

    @inline(__always)
    private func append(_ column: CellPointers, _ row: Int, to out: inout ByteCursor) {
        if column.isMissing(row) { return out.put(word: "null") }
        switch column.kind {
        case .text: out.put(jsonString: column.cell(row))
        case .json: out.put(json: column.cell(row), onOneLine: isLine)
        case .integer: out.next += NumberText.write(column.integer(row), to: out.next)
        case .decimal: out.next += NumberText.write(column.decimal(row), to: out.next)
        case .flag: out.put(word: column.flag(row) ? "true" : "false")
        case .day: out.put(isoDay: column.day(row))
        case .instant: out.put(isoInstant: column.integer(row))
        }
    }
}

/// The keys of written rows, which the records of a file to append to must have too.
struct JSONRowKeys: Sendable {
    /// All possible keys of a row.
    private let known: Set<String>
    /// The keys of every row.
    private let always: Set<String>
    /// Whether rows may be values without keys.
    private let takesValues: Bool
    /// Where the job names the file.
    private let place: SourcePlace?

    /// Only the outermost key of a path counts.
    init(_ encoding: CodableEncoding, _ schema: Schema, nests: Bool, at place: SourcePlace?) {
        // A check of the columns has refused what cannot be written.
        let properties = (try? encoding.properties(of: schema, nests: nests)) ?? []
        takesValues = properties.contains { $0.path.isEmpty }
        known = Set(properties.compactMap(\.path.first))
        always = Set(properties.filter { $0.path.count == 1 && $0.absence != .leftOut }.map { $0.path[0] })
        self.place = place
    }

    /// Refuses a file whose first or last record is unlike the rows, or incomplete.
    ///
    /// A record longer than the bytes passed in is not checked.
    func check(_ edges: ExtendedText.Edges) throws(DaybookError) {
        guard takesValues || edges.first.first == UInt8(ascii: "{") else {
            let message = "the file that is there does not begin with '{', so it is no JSON Lines"
            let hint = "write to another path, or move the old file away"
            throw DaybookError("not-json-lines", message, at: place, hint: hint)
        }
        if let first = edges.firstLine { try check(first, "first") }
        if let last = edges.lastLine { try check(last, "last") }
    }

    private func check(_ line: ArraySlice<UInt8>, _ which: String) throws(DaybookError) {
        let value = try? JSONSerialization.jsonObject(with: Data(line), options: .fragmentsAllowed)
        if takesValues, value != nil, value as? [String: Any] == nil { return }
        guard let record = value as? [String: Any] else {
            let message = "the \(which) line of the file that is there is no whole record"
            throw DaybookError("torn-line", message, at: place, hint: "take that line out, or move the old file away")
        }
        let strange = record.keys.filter { !known.contains($0) }.sorted()
        let lost = always.filter { record[$0] == nil }.sorted()
        guard !strange.isEmpty || !lost.isEmpty else { return }
        var parts: [String] = []
        if !strange.isEmpty { parts.append("has \(JSONRowKeys.list(strange)), which the rows have not") }
        if !lost.isEmpty { parts.append("lacks \(JSONRowKeys.list(lost)), which the rows have") }
        let message = "the \(which) record of the file that is there \(parts.joined(separator: ", and "))"
        let hint = "make the columns alike with select_columns and rename_columns, or move the old file away"
        throw DaybookError("columns-differ", message, at: place, hint: hint)
    }

    private static func list(_ keys: [String]) -> String {
        DisplayText.first(8, of: keys.map { "'\($0.prefix(80))'" })
    }
}

/// JSON values as the row writers put them. Values other than text or JSON reserve nothing: the caller has reserved
/// `jsonLimit` bytes.
extension ByteCursor {
    /// The longest number, date or word, in bytes.
    static let jsonLimit = 64

    @inline(__always)
    mutating func put(literal: UnsafePointer<UInt8>, _ length: Int) {
        reserve(length + ByteCursor.jsonLimit)
        json_copy_blocks(next, literal, length)
        next += length
    }

    @inline(__always)
    package mutating func put(isoDay day: Int32) {
        put(UInt8(ascii: "\""))
        next += ISOText.write(day: day, to: next)
        put(UInt8(ascii: "\""))
    }

    @inline(__always)
    package mutating func put(isoInstant instant: Int64) {
        put(UInt8(ascii: "\""))
        next += ISOText.write(instant: instant, to: next)
        put(UInt8(ascii: "\""))
    }

    /// A value that is JSON already. A line end in it is white space, which a single line cannot have.
    @inline(__always)
    package mutating func put(json cell: Cell, onOneLine: Bool) {
        reserve(cell.count + ByteCursor.jsonLimit)
        guard onOneLine, let start = cell.baseAddress,
            json_line_feed(start, 0, cell.count) < cell.count || cell.contains(0x0D)
        else { return put(cell) }
        for byte in cell where byte != 0x0A && byte != 0x0D { put(byte) }
    }
}

/// Writes some columns of each row as one value of JSON, an element of an array.
package struct JSONElementWriter {
    /// Whether an element is an object of all columns, or the value of the only one.
    package enum Layout: String, CaseIterable, Sendable { case objects, values }

    private let columns: [ColumnName]
    private let layout: Layout
    private let encoding: CodableEncoding
    private let name: String

    /// - Parameters:
    ///   - name: the array; a prefix of a column's name before a dot that equals it is no part of the key.
    ///   - leavesOutMissing: whether a missing value is left out with its key, rather than written as null.
    package init(_ columns: [ColumnName], in name: String, _ layout: Layout, leavesOutMissing: Bool) {
        (self.columns, self.name, self.layout) = (columns, name, layout)
        encoding = CodableEncoding(dates: .iso, leavesOutMissing: leavesOutMissing)
    }

    /// The columns under the names that give their keys.
    private func keyed(_ schema: Schema) -> Schema {
        Schema(
            columns.compactMap { schema[$0] }.map { field in
                let keys = JSONKeyTree.keys(of: field, below: name)
                var keyed = Field(
                    layout == .values ? "" : keys?.inner.joined(separator: ".") ?? field.name,
                    field.kind,
                    keys: layout == .values ? nil : keys?.inner ?? field.keys
                )
                keyed.dates = field.dates
                return keyed
            }
        )
    }

    /// The dates inside an array of such elements.
    package func dates(of schema: Schema) -> InnerDates {
        var dates = InnerDates()
        for field in keyed(schema).fields {
            let keys = layout == .values ? [] : JSONKeyTree.path(field, nests: true)
            let steps = [InnerStep.element] + keys.map { .key($0) }
            var inner = field.dates
            switch field.kind {
            case .day:
                inner = InnerDates()
                inner.ways = [InnerDates.Way([], .day)]
            case .instant:
                inner = InnerDates()
                inner.ways = [InnerDates.Way([], .instant)]
            default: break
            }
            dates.add(inner, behind: steps)
        }
        return dates
    }

    /// Refuses columns whose keys cannot be in one object.
    package func check(_ schema: Schema) throws(DaybookError) {
        let (keyed, names) = (keyed(schema), columns.filter { schema[$0] != nil })
        let hint = "rename one of them before this stage"
        let paths = keyed.fields.map { JSONKeyTree.path($0, nests: true) }
        for (index, path) in paths.enumerated() {
            guard let first = paths[..<index].firstIndex(of: path) else { continue }
            let message =
                "'\(names[first])' and '\(names[index])' would both be written as '\(path.joined(separator: "."))'"
            throw DaybookError("nested-name", message, at: names[index].place, hint: hint)
        }
        try encoding.check(keyed, nests: true, at: columns.first?.place, hint: hint)
    }

    /// The element made from each row. A non-finite decimal has no JSON, so its row is rejected.
    package func elements(of batch: Batch, reporting findings: inout Findings) -> (column: TextColumn, leftOut: Mask) {
        let leftOut = unwritable(batch, &findings)
        let rows = batch.leavingOut(leftOut)
        let schema = keyed(batch.schema)
        let keyed = rows.replacing(schema, columns.map { rows[$0] })
        var nothing = Findings()
        let piece: TextPiece
        if encoding.isPlain {
            let settings = JSONWriteSettings(layout: .lines, nest: true)
            piece = JSONRowWriter(settings, schema).write(keyed, reporting: &nothing)
        } else {
            let frame = CodableRowWriter.Frame(separator: "", terminator: "\n", onOneLine: true)
            piece = CodableRowWriter(encoding, schema, nests: true, frame).write(keyed, reporting: &nothing)
        }
        // Of `{"":7}` and its line end, 7 is the value.
        let (before, behind) = layout == .values ? (4, 2) : (0, 1)
        var views: [TextView] = []
        views.reserveCapacity(keyed.count)
        var start = 0
        while start < piece.bytes.count {
            let end = json_line_feed(piece.bytes.base, start, piece.bytes.count) + 1
            views.append(TextView(offset: start + before, length: end - start - before - behind))
            start = end
        }
        return (TextColumn(piece.bytes, views: views), leftOut)
    }

    private func unwritable(_ batch: Batch, _ findings: inout Findings) -> Mask {
        var leftOut = Mask(count: batch.count)
        for column in columns {
            guard case .decimals(let values) = batch[column] else { continue }
            for row in 0..<values.count where !values.elements[row].isFinite && !values.missing.isMissing(row) {
                if !leftOut[row] { findings.reject(row, findings.token(.notAJSONNumber, in: column)) }
                leftOut.insert(row)
            }
        }
        return leftOut
    }
}
