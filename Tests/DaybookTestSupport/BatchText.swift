import DaybookContracts

/// Rows written as CSV with a typed header, `date:day,count:integer`, as the examples of stages write them.
///
/// A cell with nothing in it is missing; `""` is an empty text. A quoted cell may hold anything. Line ends stand
/// *between* rows, so in a batch of one column an empty line is a row whose value is missing. Reading is strict, since
/// an example that is misread proves nothing; writing is canonical, so two batches are alike when their texts are.
public enum BatchText {
    /// The rows of `text`. Their origins point into it, as if an importer had read it.
    public static func read(_ text: String) throws(DaybookError) -> Batch {
        let bytes = Bytes(text)
        let records = try RecordSplitter.records(of: Array(bytes.filled))
        let header = records[0]
        var fields: [Field] = []
        for cell in header.cells where header.cells.count > 1 || !cell.bytes.isEmpty {
            fields.append(try field(cell.text))
        }
        let rows = records.dropFirst()
        for (number, row) in rows.enumerated() where row.cells.count != max(fields.count, 1) {
            throw mistake("row \(number + 1) has \(row.cells.count) cells, the header has \(fields.count)")
        }
        var columns: [Column] = []
        for (index, field) in fields.enumerated() {
            columns.append(try CellParser.column(field, cells: rows.map { $0.cells[index] }))
        }
        let morsel = Morsel(
            source: SourceName(index: 0, path: "example"),
            bytes: bytes,
            offset: 0,
            firstLine: 1,
            firstRecord: 0
        )
        return Batch(
            Schema(fields),
            columns,
            count: rows.count,
            provenance: .morsel(morsel, spans: rows.map(\.span), records: rows.indices.map { UInt32($0 - 1) })
        )
    }

    /// The rows of a batch, as short as they can be written.
    public static func write(_ batch: Batch) -> String { write([batch], schema: batch.schema) }

    /// The rows of several batches below the header of `schema`, whose columns are taken by name and in its order.
    public static func write(_ batches: [Batch], schema: Schema) -> String {
        let out = Bytes()
        let headers = schema.fields.map { cell("\($0.name):\($0.kind.rawValue)") }
        out.append(headers.joined(separator: ","))
        for batch in batches {
            let columns = schema.names.map { batch.column(ColumnName($0)) }
            for row in 0..<batch.count {
                out.append("\n" as StaticString)
                for (index, column) in columns.enumerated() {
                    if index > 0 { out.append("," as StaticString) }
                    if let text = column.displayText(row) { out.append(cell(text)) }
                }
            }
        }
        return out.text(0..<out.count)
    }

    /// A cell as it is written, in quotes only where it would be misread without them.
    static func cell(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 != 0x22 && $0 != 0x2C && $0 != 0x0A && $0 != 0x0D }
        if isPlain && !text.isEmpty { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    static func mistake(_ message: String) -> DaybookError { DaybookError("bad-example", message) }

    /// Reads `date:day`. The last colon counts, so a name may hold one.
    private static func field(_ text: String) throws(DaybookError) -> Field {
        guard let colon = text.lastIndex(of: ":"), let kind = ColumnKind(rawValue: String(text[colon...].dropFirst()))
        else {
            let kinds = ColumnKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw mistake("the header '\(text)' does not end in ':' and one of \(kinds)")
        }
        let name = String(text[..<colon])
        return Field(name, kind, source: name)
    }
}

/// Cuts CSV text into cells and remembers where each row stands.
struct RecordSplitter {
    struct RawCell {
        var bytes: [UInt8]
        var isQuoted: Bool
        var text: String { String(decoding: bytes, as: UTF8.self) }
        var isMissing: Bool { bytes.isEmpty && !isQuoted }
    }

    struct Record {
        var cells: [RawCell] = []
        var span = RecordSpan(start: 0, end: 0)
    }

    private let bytes: [UInt8]
    private var position = 0

    static func records(of bytes: [UInt8]) throws(DaybookError) -> [Record] {
        var splitter = RecordSplitter(bytes: bytes)
        var records = [try splitter.record()]
        while splitter.position < bytes.count {
            splitter.position += 1
            records.append(try splitter.record())
        }
        return records
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads up to the line end, which it leaves for the caller.
    private mutating func record() throws(DaybookError) -> Record {
        let start = position
        var record = Record()
        while true {
            record.cells.append(try cell())
            guard position < bytes.count, bytes[position] == UInt8(ascii: ",") else { break }
            position += 1
        }
        record.span = RecordSpan(start: start, end: min(position + 1, bytes.count))
        return record
    }

    private mutating func cell() throws(DaybookError) -> RawCell {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return try plainCell() }
        position += 1
        var content: [UInt8] = []
        while true {
            guard position < bytes.count else { throw BatchText.mistake("a quote is not closed") }
            let byte = bytes[position]
            position += 1
            guard byte == UInt8(ascii: "\"") else {
                content.append(byte)
                continue
            }
            guard position < bytes.count, bytes[position] == byte else { break }
            content.append(byte)
            position += 1
        }
        if position < bytes.count, bytes[position] != UInt8(ascii: ","), bytes[position] != UInt8(ascii: "\n") {
            let text = String(decoding: content, as: UTF8.self)
            throw BatchText.mistake("something stands behind the closing quote of '\(text)'")
        }
        return RawCell(bytes: content, isQuoted: true)
    }

    private mutating func plainCell() throws(DaybookError) -> RawCell {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: ","), bytes[position] != UInt8(ascii: "\n") {
            position += 1
        }
        let cell = RawCell(bytes: Array(bytes[start..<position]), isQuoted: false)
        if cell.bytes.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\r") }) {
            throw BatchText.mistake("the cell '\(cell.text)' needs quotes around it")
        }
        return cell
    }
}
