import CScan
import DaybookCore

/// Formats the rows of a batch as JSON objects.
///
/// All objects have the same keys, so what stands between two values is made once and copied.
struct JSONRowWriter {
    /// What stands before each value in turn, and behind the last, one after the other.
    private let literals: Bytes
    private let steps: [Step]
    private let isArray: Bool
    private let names: [ColumnName]

    /// A literal and the column of the value behind it; -1 for the last, which has none.
    private struct Step: BitwiseCopyable {
        var start: Int
        var length: Int
        var column: Int
    }

    init(_ options: ExportJSON, _ schema: Schema) {
        isArray = options.layout == .array
        names = schema.names.map { ColumnName($0) }
        var outline = JSONOutline(isPretty: options.pretty)
        outline.object(JSONKeyTree(schema.names, nests: options.nest), depth: options.pretty ? 1 : 0)
        let literals = Bytes()
        steps = zip(outline.literals, outline.order + [-1]).map { literal, column in
            defer { literal.withUnsafeBufferPointer { literals.append($0) } }
            return Step(start: literals.count, length: literal.count, column: column)
        }
        literals.append(isArray ? ",\n" as StaticString : "\n")
        self.literals = literals
    }

    func write(_ batch: Batch, reporting findings: inout Findings) -> JSONPiece {
        let bytes = Bytes(capacity: batch.count * (literals.count + steps.count * 12))
        var out = ByteCursor(bytes)
        var rows = 0
        let decimals = batch.schema.fields.indices.filter { batch.schema.fields[$0].kind == .decimal }
        let base = literals.base
        let separatorLength = isArray ? 2 : 1
        let separator = base + literals.count - separatorLength
        batch.withCellPointers { columns in
            steps.withUnsafeBufferPointer { steps in
                for row in 0..<batch.count {
                    if !decimals.isEmpty, let bad = firstUnwritable(columns, decimals, row) {
                        findings.reject(row, findings.token(.notAJSONNumber, in: names[bad]))
                        continue
                    }
                    if isArray, rows > 0 { copy(separator, separatorLength, to: &out) }
                    for step in steps {
                        copy(base + step.start, step.length, to: &out)
                        if step.column >= 0 { append(columns[step.column], row, to: &out) }
                    }
                    if !isArray { copy(separator, separatorLength, to: &out) }
                    rows += 1
                }
            }
        }
        out.finish()
        withExtendedLifetime(literals) {}
        return JSONPiece(bytes: bytes, rows: rows)
    }

    /// The first column whose number is not finite.
    private func firstUnwritable(
        _ columns: UnsafeBufferPointer<CellPointers>,
        _ decimals: [Int],
        _ row: Int
    ) -> Int? {
        decimals.first { !columns[$0].decimal(row).isFinite && !columns[$0].isMissing(row) }
    }

    @inline(__always)
    private func copy(_ literal: UnsafePointer<UInt8>, _ length: Int, to out: inout ByteCursor) {
        out.reserve(length + JSONRowWriter.room)
        json_copy_blocks(out.next, literal, length)
        out.next += length
    }

    /// Room for a number, a date or a word.
    private static let room = 64

    @inline(__always)
    private func append(_ column: CellPointers, _ row: Int, to out: inout ByteCursor) {
        if column.isMissing(row) { return put("null", to: &out) }
        switch column.kind {
        case .text: append(string: column.cell(row), to: &out)
        case .json: append(json: column.cell(row), to: &out)
        case .integer: out.next += NumberText.write(column.integer(row), to: out.next)
        case .decimal: out.next += NumberText.write(column.decimal(row), to: out.next)
        case .flag: put(column.flag(row) ? "true" : "false", to: &out)
        case .day:
            out.put(UInt8(ascii: "\""))
            out.next += ISOText.write(day: column.day(row), to: out.next)
            out.put(UInt8(ascii: "\""))
        case .instant:
            out.put(UInt8(ascii: "\""))
            out.next += ISOText.write(instant: column.integer(row), to: out.next)
            out.put(UInt8(ascii: "\""))
        }
    }

    @inline(__always)
    private func put(_ word: StaticString, to out: inout ByteCursor) {
        out.put(Cell(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    @inline(__always)
    private func append(string cell: Cell, to out: inout ByteCursor) {
        // Every byte may need six, and vector stores run past what is written.
        out.reserve(6 * cell.count + JSONRowWriter.room)
        out.put(UInt8(ascii: "\""))
        if let start = cell.baseAddress {
            var done = json_copy_plain(out.next, start, cell.count)
            out.next += done
            while done < cell.count {
                escape(start[done], to: &out)
                done += 1
                let more = json_copy_plain(out.next, start + done, cell.count - done)
                out.next += more
                done += more
            }
        }
        out.put(UInt8(ascii: "\""))
    }

    @inline(never)
    private func escape(_ byte: UInt8, to out: inout ByteCursor) {
        out.put(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): out.put(byte)
        case 8: out.put(UInt8(ascii: "b"))
        case 9: out.put(UInt8(ascii: "t"))
        case 10: out.put(UInt8(ascii: "n"))
        case 12: out.put(UInt8(ascii: "f"))
        case 13: out.put(UInt8(ascii: "r"))
        default:
            put("u00", to: &out)
            out.put(byte < 16 ? 48 : 49)
            out.put(byte & 15 < 10 ? byte & 15 + 48 : byte & 15 + 87)
        }
    }

    /// A value that is JSON already. A line end in it is white space, which a line of its own cannot have.
    @inline(__always)
    private func append(json cell: Cell, to out: inout ByteCursor) {
        out.reserve(cell.count + JSONRowWriter.room)
        guard !isArray, let start = cell.baseAddress, hasLineEnd(start, cell.count) else { return out.put(cell) }
        for byte in cell where byte != 0x0A && byte != 0x0D { out.put(byte) }
    }

    private func hasLineEnd(_ start: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        json_line_feed(start, 0, count) < count || UnsafeBufferPointer(start: start, count: count).contains(0x0D)
    }
}
