import CScan
import DaybookCore

/// Formats the rows of a batch as JSON objects.
///
/// All objects have the same keys, so what stands between two values is made once and copied.
struct JSONRowWriter {
    /// What stands before each value in turn, and behind the last.
    private let literals: [[UInt8]]
    /// The column of each value.
    private let order: [Int]
    private let isArray: Bool
    private let names: [ColumnName]

    init(_ options: ExportJSON, _ schema: Schema) {
        isArray = options.layout == .array
        names = schema.names.map { ColumnName($0) }
        var outline = JSONOutline(isPretty: options.pretty)
        outline.object(JSONKeyTree(schema.names, nests: options.nest), depth: options.pretty ? 1 : 0)
        literals = outline.literals
        order = outline.order
    }

    func write(_ batch: Batch, reporting findings: inout Findings) -> JSONPiece {
        let literalLength = literals.reduce(0) { $0 + $1.count }
        let bytes = Bytes(capacity: batch.count * (literalLength + order.count * 12 + 2))
        var out = ByteCursor(bytes)
        var rows = 0
        batch.withCellPointers { columns in
            for row in 0..<batch.count {
                if let bad = firstUnwritable(columns, row) {
                    findings.reject(row, findings.token(.notAJSONNumber, in: names[bad]))
                    continue
                }
                if isArray, rows > 0 {
                    out.reserve(2)
                    out.put(UInt8(ascii: ","))
                    out.put(UInt8(ascii: "\n"))
                }
                for place in 0..<order.count {
                    copy(literals[place], to: &out)
                    append(columns[order[place]], row, to: &out)
                }
                copy(literals[order.count], to: &out)
                if !isArray {
                    out.reserve(1)
                    out.put(UInt8(ascii: "\n"))
                }
                rows += 1
            }
        }
        out.finish()
        return JSONPiece(bytes: bytes, rows: rows)
    }

    /// The first column whose number is not finite.
    private func firstUnwritable(_ columns: UnsafeBufferPointer<CellPointers>, _ row: Int) -> Int? {
        for column in 0..<columns.count where columns[column].kind == .decimal {
            if !columns[column].decimal(row).isFinite, !columns[column].isMissing(row) { return column }
        }
        return nil
    }

    @inline(__always)
    private func copy(_ literal: [UInt8], to out: inout ByteCursor) {
        out.reserve(literal.count + JSONRowWriter.room)
        literal.withUnsafeBufferPointer { out.put($0) }
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
