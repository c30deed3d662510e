/// One file, archive or stream that a run reads.
public struct SourceName: Sendable, Hashable {
    /// Its place among the inputs of the run.
    public let index: Int
    /// Its path in messages.
    public let path: String

    public init(index: Int, path: String) {
        self.index = index
        self.path = path
    }
}

/// The byte range of a record in its morsel, line end included.
public struct RecordSpan: Sendable, BitwiseCopyable {
    public var start: UInt32
    public var end: UInt32

    @inlinable
    public init(start: Int, end: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.end = UInt32(truncatingIfNeeded: end)
    }

    /// The record, its line end included, for as long as its morsel is there.
    public func bytes(of morsel: Morsel) -> Cell {
        Cell(start: morsel.bytes.base + Int(start), count: Int(end &- start))
    }
}

extension Cell {
    /// A record without its line end.
    public var withoutLineEnd: Cell {
        var count = count
        if count > 0, self[count - 1] == 10 { count -= 1 }
        if count > 0, self[count - 1] == 13 { count -= 1 }
        return Cell(rebasing: self[..<count])
    }
}

/// Bytes of the input that were not text in its encoding and were replaced by U+FFFD while decoding.
public struct DecodingFault: Sendable, BitwiseCopyable {
    /// Offset of the replacement in the morsel.
    public var at: UInt32
    /// Offset of the original bytes in the file on disk (or in the decompressed file).
    public var rawOffset: Int64

    public init(at: Int, rawOffset: Int) {
        self.at = UInt32(truncatingIfNeeded: at)
        self.rawOffset = Int64(rawOffset)
    }
}

/// About 1 MiB of whole records, cut from a source in order; the unit that a worker takes.
public final class Morsel: Sendable {
    /// About the limit of records in a morsel: a rejected record takes many times the memory of a short record, so that
    /// a morsel of nothing but these would take hundreds of megabytes.
    public static let mostRecords = 32_768

    public let source: SourceName
    /// The bytes as read, UTF-8; an importer may decode text behind them before it shares them.
    public let bytes: Bytes
    /// How many of `bytes` are the source's own.
    public let length: Int
    /// Offset of the first byte in the source, after decompression and decoding.
    public let offset: Int
    /// The physical line of the first byte, from 1.
    public let firstLine: Int
    /// The kind of its physical line ends.
    public let lineEnd: LineEnd
    /// The number of physical line ends, if the cutter counted them.
    public let lineEnds: Int?
    /// The column of the first byte in that line, from 1, in characters.
    public let firstColumn: Int
    /// The number of the first record, from 0, if the cutter counts records; else 0.
    public let firstRecord: Int
    /// The bytes that could not be decoded, in order.
    public let faults: [DecodingFault]
    /// Whether the text was converted to UTF-8, so that its offsets differ from the offsets in the file.
    public let isConverted: Bool
    /// The text that this morsel was cut from, if that text is a part of a file.
    public let holder: TextHolder?
    /// The notes of the cutter for the reader.
    public let notes: (any MorselNotes)?

    public init(
        source: SourceName,
        bytes: Bytes,
        offset: Int,
        firstLine: Int,
        lineEnd: LineEnd = .feed,
        lineEnds: Int? = nil,
        firstColumn: Int = 1,
        firstRecord: Int,
        faults: [DecodingFault] = [],
        isConverted: Bool = false,
        holder: TextHolder? = nil,
        notes: (any MorselNotes)? = nil
    ) {
        self.holder = holder
        self.notes = notes
        self.faults = faults
        self.isConverted = isConverted
        self.source = source
        self.bytes = bytes
        length = bytes.count
        self.offset = offset
        self.firstLine = firstLine
        self.lineEnd = lineEnd
        self.lineEnds = lineEnds
        self.firstColumn = firstColumn
        self.firstRecord = firstRecord
    }

    /// Whether each record is one line and no line is blank, if the cutter counted enough to know.
    ///
    /// - Parameters:
    ///   - spans: the byte ranges of the rows, in order; each record begins a line.
    ///   - records: their numbers.
    public func hasALinePerRecord(_ spans: [RecordSpan], _ records: [UInt32]) -> Bool {
        guard let lineEnds, let span = spans.last, let record = records.last, Int(span.end) == length, length > 0 else {
            return false
        }
        // A line ends with each record, so as many line ends as records leave none elsewhere.
        return lineEnds == Int(record) + 1 && bytes.base[length - 1] == UInt8(ascii: "\n")
    }
}

/// The origin of one row, once its morsel is gone.
public struct RowOrigin: Sendable, BitwiseCopyable {
    /// The index of the source among the inputs, followed by a bit for `isOneLine`.
    private var head: UInt32
    /// Bytes of the record, its line end included.
    public var length: UInt32
    public var offset: Int64
    /// The physical line on which the record starts, from 1.
    public var line: Int64
    /// The number of the record, from 0.
    public var record: Int64

    public init(source: Int, offset: Int, length: Int, line: Int, record: Int) {
        head = UInt32(truncatingIfNeeded: source) << 1
        self.length = UInt32(truncatingIfNeeded: length)
        self.offset = Int64(offset)
        self.line = Int64(line)
        self.record = Int64(record)
    }

    /// The place of the source among the inputs.
    public var source: Int32 {
        get { Int32(bitPattern: head >> 1) }
        set { head = UInt32(bitPattern: newValue) << 1 | head & 1 }
    }

    /// Whether the record is known to be one line of its source, alone and without a line end inside.
    public var isOneLine: Bool {
        get { head & 1 == 1 }
        set { head = head & ~1 | (newValue ? 1 : 0) }
    }

    /// The origin of a row of a store: only its number.
    public init(row: Int64, of source: SourceName) {
        self.init(source: source.index, offset: 0, length: 0, line: 0, record: Int(row))
    }
}

/// The position of a row of a store: its row number, and its index in the fetched batch.
public struct StoreRow: Sendable, BitwiseCopyable {
    public var number: Int64
    public var position: UInt32

    public init(_ number: Int64, at position: Int) {
        self.number = number
        self.position = UInt32(truncatingIfNeeded: position)
    }
}

/// The origins of all rows of a batch.
public enum Provenance: Sendable {
    /// Rows of one morsel that is still in memory; `records` gives each row's number in the morsel.
    case morsel(Morsel, spans: [RecordSpan], records: [UInt32])
    /// Rows of one batch that was drawn from a store.
    case store(SourceName, rows: [StoreRow])
    /// Rows gathered from many places.
    case gathered([RowOrigin])
    /// Rows that a stage made.
    case made

    /// The rows in `kept`, in that order.
    public func keeping(_ kept: [Int32]) -> Provenance {
        switch self {
        case .morsel(let morsel, let spans, let records):
            .morsel(morsel, spans: kept.map { spans[Int($0)] }, records: kept.map { records[Int($0)] })
        case .store(let source, let rows): .store(source, rows: kept.map { rows[Int($0)] })
        case .gathered(let provenance): .gathered(kept.map { provenance[Int($0)] })
        case .made: .made
        }
    }
}

/// A cutter's notes on its bytes, so that the reader of the same format need not search them again.
public protocol MorselNotes: AnyObject, Sendable {}

/// The place of a text that was extracted from a file, such as the JSON under a key of a property list.
public struct TextHolder: Sendable, Hashable {
    /// The path to it in the file, as a JSON pointer: `/DdayManager`.
    public var pointer: String
    /// The offset of its original bytes in the file, from 0; nil if they had to be decoded or made.
    public var byte: Int?
    /// The line and column of the value that holds it, from 1, where the file is text.
    public var line: Int?
    public var column: Int?
    /// Set where the text is a record that was corrected in a copy.
    public var copy: CorrectedCopy?

    public init(pointer: String, byte: Int? = nil, line: Int? = nil, column: Int? = nil) {
        self.pointer = pointer
        self.byte = byte
        self.line = line
        self.column = column
    }
}

/// A record read from a corrected JSON copy instead of its original source.
public struct CorrectedCopy: Sendable, Hashable {
    /// The original source of the record and its line there, as far as they are known.
    public var firstSource: String?
    public var firstLine: Int?
    /// The offset in the morsel that counts as the first byte of the record.
    public var offset: Int
    /// Where the JSON text begins, behind its opening quote: the line and column from 1, the byte of the file from 0.
    public var line: Int
    public var column: Int
    public var byte: Int
    /// The JSON text as it is written, escapes and all, without its quotes.
    public var written: [UInt8]

    public init(
        firstSource: String?,
        firstLine: Int?,
        offset: Int,
        line: Int,
        column: Int,
        byte: Int,
        written: [UInt8]
    ) {
        self.firstSource = firstSource
        self.firstLine = firstLine
        self.offset = offset
        self.line = line
        self.column = column
        self.byte = byte
        self.written = written
    }

    /// The place in the file of the byte at `target`, an offset in the morsel.
    public func place(of target: Int) -> (line: Int, column: Int, byte: Int) {
        var left = target - offset
        var position = 0
        var characters = 0
        while left > 0, position < written.count {
            let (length, decoded) = piece(at: position)
            characters += written[position..<min(written.count, position + length)].count { $0 & 0xC0 != 0x80 }
            position += length
            left -= decoded
        }
        return (line, column + characters, byte + position)
    }

    /// The length of the next character or escape in bytes, and the number of bytes it decodes to.
    private func piece(at position: Int) -> (length: Int, decoded: Int) {
        guard written[position] == UInt8(ascii: "\\"), position + 1 < written.count else { return (1, 1) }
        guard written[position + 1] == UInt8(ascii: "u") else { return (2, 1) }
        let digits = written[min(position + 2, written.count)..<min(position + 6, written.count)]
        switch UInt32(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0 {
        case ..<0x80: return (6, 1)
        case ..<0x800: return (6, 2)
        // Half of a character that two escapes write.
        case 0xD800..<0xDC00: return (12, 4)
        default: return (6, 3)
        }
    }
}
