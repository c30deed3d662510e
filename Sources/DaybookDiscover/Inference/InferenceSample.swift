/// A value that stands for others, and where it was met.
public struct InferenceSample: Sendable, Hashable {
    /// The value as a person would read it, cut where it is long.
    public var text: String
    /// The path of its file; nil for a value that no file holds.
    public var source: String?
    /// The physical line on which its record begins, from 1.
    public var line: Int?
    /// Its row and its address, as long as the batch that it stands in is still there.
    package var row: Int?
    private(set) var address: UInt?

    package init(_ text: String, row: Int) {
        self.text = text.shortened(to: 60)
        self.row = row
    }

    package init(_ cell: Cell, row: Int) {
        // Longer than what is kept, and short enough to be made for every column.
        self.init(String(decoding: cell.prefix(400), as: UTF8.self), row: row)
        address = UInt(bitPattern: cell.baseAddress)
    }

    /// Says where it stands, now that this is known; the batch may go.
    package mutating func locate(source: String?, line: Int?) {
        self.source = source
        self.line = line
        row = nil
        address = nil
    }
}

extension InferenceSample {
    /// `'2024-13-01' (line 4,183)`, as much of it as is known.
    package var quoted: String { "'\(text)'\(place)" }

    /// ` (line 4,183)`, or nothing.
    package var place: String { line.map { " (line \(Spoken.count($0)))" } ?? "" }
}

extension InferenceSample? {
    /// Whether nothing was kept yet. Asked for every value, where a comparison with nil would copy texts.
    @inline(__always)
    var isFree: Bool {
        if case .none = self { true } else { false }
    }
}

/// Finds the lines of some samples of one batch, all in one walk over its bytes.
struct SamplePlaces {
    private let batch: Batch
    /// By the byte of the morsel.
    private var lines: [Int: Int] = [:]
    private var source: String?

    init(_ batch: Batch, _ samples: [InferenceSample]) {
        self.batch = batch
        // The lines of a text that stands in another file are not those of the file.
        guard case .morsel(let morsel, _, _) = batch.provenance, morsel.holder == nil else { return }
        source = morsel.source.path
        var cursor = LineCursor(
            morsel.cell,
            firstLine: morsel.firstLine,
            lineEnd: morsel.lineEnd
        )
        for place in Set(samples.compactMap(place)).sorted() { lines[place] = cursor.place(of: place).line }
        withExtendedLifetime(morsel) {}
    }

    /// The byte of the morsel at which a sample stands: its cell where that points into the morsel, else its record.
    private func place(of sample: InferenceSample) -> Int? {
        guard let row = sample.row, case .morsel(let morsel, let spans, _) = batch.provenance else { return nil }
        let base = UInt(bitPattern: morsel.bytes.base)
        if let address = sample.address, address >= base, address < base + UInt(morsel.length) {
            return Int(address - base)
        }
        return SamplePlaces.start(of: spans[row], in: morsel.cell)
    }

    /// A record of a JSON array begins behind the comma and the line end of the one before.
    private static func start(of span: RecordSpan, in bytes: Cell) -> Int {
        var start = Int(span.start)
        while start < Int(span.end), bytes[start] <= 0x20 || bytes[start] == UInt8(ascii: ",") { start += 1 }
        return start < Int(span.end) ? start : Int(span.start)
    }

    /// Says where the sample stands.
    func locate(_ sample: inout InferenceSample) {
        guard let row = sample.row else { return }
        if case .gathered(let provenance) = batch.provenance {
            return sample.locate(source: nil, line: provenance[row].line > 0 ? Int(provenance[row].line) : nil)
        }
        if case .morsel(let morsel, _, _) = batch.provenance, let holder = morsel.holder {
            return sample.locate(source: holder.line == nil ? nil : morsel.source.path, line: holder.line)
        }
        let line = place(of: sample).flatMap { lines[$0] }
        sample.locate(source: line == nil ? nil : source, line: line)
    }
}
