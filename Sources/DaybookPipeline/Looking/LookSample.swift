import DaybookCore

/// A value that stands for others, and where it was met.
public struct LookSample: Sendable, Hashable {
    /// The value as a person would read it, cut where it is long.
    public var text: String
    /// The path of its file; nil for a value that no file holds.
    public var source: String?
    /// The physical line on which its record begins, from 1.
    public var line: Int?
    /// Its row, as long as the batch that it stands in is still there.
    var row: Int?

    init(_ text: String, row: Int) {
        self.text = text.shortened(to: 60)
        self.row = row
    }

    init(_ cell: Cell, row: Int) {
        // Longer than what is kept, and short enough to be made for every column.
        self.init(String(decoding: cell.prefix(400), as: UTF8.self), row: row)
    }
}

/// Finds the lines of some rows of one batch, all in one walk over its bytes.
struct SamplePlaces {
    private var lines: [Int: Int] = [:]
    private var source: String?
    private var origins: [RowOrigin] = []

    init(_ batch: Batch, rows: [Int]) {
        switch batch.origins {
        case .morsel(let morsel, let spans, _):
            source = morsel.source.path
            let bytes = UnsafeBufferPointer(start: morsel.bytes.base, count: morsel.length)
            var cursor = LineCursor(bytes, firstLine: morsel.firstLine)
            for row in Set(rows).sorted() {
                lines[row] = cursor.place(of: SamplePlaces.start(of: spans[row], in: bytes)).line
            }
            withExtendedLifetime(morsel) {}
        case .gathered(let all):
            for row in Set(rows) where all[row].line > 0 { lines[row] = Int(all[row].line) }
        case .made: break
        }
    }

    /// A record of a JSON array begins behind the comma and the line end of the one before.
    private static func start(of span: RecordSpan, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var start = Int(span.start)
        while start < Int(span.end), bytes[start] <= 0x20 || bytes[start] == UInt8(ascii: ",") { start += 1 }
        return start < Int(span.end) ? start : Int(span.start)
    }

    func place(_ sample: inout LookSample) {
        guard let row = sample.row else { return }
        sample.line = lines[row]
        sample.source = lines[row] == nil ? nil : source
        sample.row = nil
    }
}
