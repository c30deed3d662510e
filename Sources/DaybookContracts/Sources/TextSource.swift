/// A stage that turns the bytes of files into batches. The runner opens, decodes and cuts; the stage reads.
public protocol TextSource: Source {
    /// What the stage knows of one file once it has seen its beginning.
    associatedtype Format: SourceFormat

    /// True when its files are containers, such as property lists: then `contents(of:)` takes each apart, and every text
    /// in it is looked at, cut and read as if it were a file.
    static var readsContainers: Bool { get }

    /// The kind of every column that no option names, such as text in CSV; nil where the data decides.
    static var otherKind: ColumnKind? { get }

    var paths: [PathText] { get }
    /// The encoding of the text, where no byte-order mark tells another.
    var encoding: TextEncoding { get }

    /// Takes a container apart: a whole file of at most `containerLimit` bytes, decompressed and otherwise as it is.
    func contents(of file: Bytes, _ source: SourceName) throws(DaybookError) -> ContainerContents

    /// Looks at the beginning of one file.
    func format(of head: SourceHead) throws(DaybookError) -> Format

    /// The columns of all files together, or an error that names the file that differs.
    func schema(of formats: [Format]) throws(DaybookError) -> Schema

    /// The columns that the options name and no file has, each as the error that says so.
    func missing(from formats: [Format]) -> [DaybookError]

    /// What is odd about the files beside one another, each at the file with that place among `formats`.
    func warnings(of formats: [Format]) -> [(text: Int, warning: SourceWarning)]

    /// Makes what turns the morsels of one file into batches with exactly the fields of `schema`, which are those of
    /// `schema(of:)` that a later stage needs.
    func reader(of format: Format, schema: Schema) -> any RecordReader
}

extension TextSource {
    public static var readsContainers: Bool { false }
    public static var otherKind: ColumnKind? { nil }
    public func missing(from formats: [Format]) -> [DaybookError] { [] }
    public func warnings(of formats: [Format]) -> [(text: Int, warning: SourceWarning)] { [] }
    /// A container is held in memory as a whole, so it has a bound: 1 GiB.
    public static var containerLimit: Int { 1 << 30 }

    public func contents(of file: Bytes, _ source: SourceName) throws(DaybookError) -> ContainerContents {
        preconditionFailure("\(Self.self) reads no containers")
    }
}

/// The beginning of a file: decompressed, decoded to UTF-8, without its byte-order mark.
public struct SourceHead: Sendable {
    public let source: SourceName
    public let bytes: Bytes
    /// True when `bytes` is all there is.
    public let isWhole: Bool
    /// Where the text stands that begins so, when it is a part of a file.
    public let holder: TextHolder?
    /// What the container of the text says of it.
    public let facts: ContainerFacts
    /// Whether a byte-order mark stands before the text in its file.
    public let followsMark: Bool

    public init(
        source: SourceName,
        bytes: Bytes,
        isWhole: Bool,
        holder: TextHolder? = nil,
        facts: ContainerFacts = ContainerFacts(),
        followsMark: Bool = false
    ) {
        self.followsMark = followsMark
        self.source = source
        self.bytes = bytes
        self.isWhole = isWhole
        self.holder = holder
        self.facts = facts
    }
}

/// What was learnt from the beginning of a file.
public protocol SourceFormat: Sendable {
    /// Where the records begin, in bytes behind the byte-order mark.
    var dataStart: Int { get }
    /// What ends the physical lines of the file, by which places are told; LF unless the format says otherwise.
    var lineEnd: LineEnd { get }
    /// What was odd about the beginning, such as two columns of one name.
    var warnings: [SourceWarning] { get }
    /// The line that names the columns; the first where none does.
    var headerLine: Int { get }
    func makeCutter() -> any RecordCutter
    /// The same for a part of the file, where a record can be read without those before it; nil where it cannot.
    func makeCutter(of part: TextPart) -> (any RecordCutter)?
    /// Whether the columns are learnt from the records, so that more of them may tell more.
    static var learnsOn: Bool { get }
    /// Learns from records behind the beginning.
    mutating func learn(from morsel: Morsel)
}

extension SourceFormat {
    public static var learnsOn: Bool { false }
    public mutating func learn(from morsel: Morsel) {}
    public func makeCutter(of part: TextPart) -> (any RecordCutter)? { nil }
    public var headerLine: Int { 1 }
    public var lineEnd: LineEnd { .feed }
    public var warnings: [SourceWarning] { [] }
}

/// A stretch of whole records of a file, which is read by itself.
public struct TextPart: Sendable, Hashable {
    /// Where it begins, in bytes of the file.
    public var offset: Int
    /// In bytes.
    public var length: Int
    /// The line and the column, both from 1, on which its first record begins.
    public var line: Int
    public var column: Int
    /// How many records stand before it, where the cutter counts them; else 0.
    public var record: Int
    /// Whether it goes to the end of the file.
    public var isLast: Bool

    public init(offset: Int, length: Int, line: Int, column: Int, record: Int, isLast: Bool) {
        (self.offset, self.length, self.line, self.column) = (offset, length, line, column)
        (self.record, self.isLast) = (record, isLast)
    }
}

/// Something odd about the beginning of a file that is no row.
public struct SourceWarning: Sendable, Hashable {
    public var kind: Finding.Kind
    /// The byte of the head that is meant, and its line and column, from 1.
    public var at: Int
    public var line: Int
    public var column: Int
    /// The column of the table that it is about; nil where it is about none.
    public var field: String?

    /// A warning about a byte whose line and column are known.
    public init(_ kind: Finding.Kind, at: Int, line: Int, column: Int, field: String? = nil) {
        (self.kind, self.at, self.line, self.column, self.field) = (kind, at, line, column, field)
    }

    /// A warning about the byte at `at` of a head.
    public init(_ kind: Finding.Kind, at: Int, of head: UnsafeBufferPointer<UInt8>) {
        var cursor = LineCursor(head, firstLine: 1, lineEnd: LineEnd(of: head))
        self.init(kind, at: at, &cursor)
    }

    /// The same for one of many warnings, whose places come in order.
    public init(_ kind: Finding.Kind, at: Int, _ cursor: inout LineCursor) {
        self.kind = kind
        self.at = at
        (line, column) = cursor.place(of: at)
    }
}

/// Finds where records end, so that the input can be cut between two.
public protocol RecordCutter {
    /// Looks at `bytes`, which begin with a record.
    ///
    /// - Parameter isLast: true when nothing follows.
    /// - Returns: where a record ends, best the last whole one, 0 when none does; never 0 with `isLast`. Of very many records, or
    ///   of bytes that are hard to read, some are best left for the next time.
    mutating func cut(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws(DaybookError) -> RecordCut
}

/// A stretch of whole records.
public struct RecordCut: Sendable {
    /// How many bytes it has.
    public var length: Int
    /// How many physical line ends are in it.
    public var lines: Int
    /// How many records are in it, or 0 when the cutter does not count them.
    public var records: Int
    /// The column, from 1, in which the text goes on behind it; 1 where every record begins a line.
    public var nextColumn: Int
    /// What the cutter learnt on its way, for the reader of the morsel.
    public var notes: (any MorselNotes)?

    public init(length: Int, lines: Int, records: Int = 0, nextColumn: Int = 1, notes: (any MorselNotes)? = nil) {
        self.length = length
        self.lines = lines
        self.records = records
        self.nextColumn = nextColumn
        self.notes = notes
    }
}

/// Turns a morsel into a batch.
public protocol RecordReader: Sendable {
    /// The columns of every batch that it makes.
    var schema: Schema { get }

    /// Whether every record begins at the beginning of a line.
    var recordsBeginLines: Bool { get }

    /// Every record becomes a row or a rejected record, and `findings` is told how many there were.
    func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch

    /// Finds the field named `field` in records; nil when no record has it. Made once for many findings.
    func finder(of field: String) -> FieldFinder?

    /// The JSON pointers of a field, or of whole records, where the format has them.
    func pointers(to field: String?) -> RecordPointers?
}

extension RecordReader {
    public var recordsBeginLines: Bool { true }

    public func pointers(to field: String?) -> RecordPointers? { nil }
}

/// Finds one field in records. A class, so that a row loop can call it without counting references.
open class FieldFinder: @unchecked Sendable {
    public init() {}

    /// Where the field stands in a record, in bytes; nil when it is not there.
    open func range(in record: UnsafeBufferPointer<UInt8>) -> Range<Int>? { nil }

    /// Appends the text that the bytes of a field stand for: the bytes, unless the format has quotes or escapes.
    open func appendText(of field: UnsafeBufferPointer<UInt8>, to bytes: Bytes) { bytes.append(field) }
}

/// The JSON pointers of one field in all records of a text: `/entries/3/date` in the fourth.
public struct RecordPointers: Sendable, Hashable {
    /// What stands before the number of the record, and behind it.
    private let before: [UInt8]
    private let after: [UInt8]
    /// Whether the number of the record, from 0, stands between the two.
    private let isNumbered: Bool

    /// Pointers to something that stands in each record at the same place.
    public init(_ before: String, thenNumberAnd after: String) {
        (self.before, self.after, isNumbered) = (Array(before.utf8), Array(after.utf8), true)
    }

    /// One pointer for all records, each of which is a text of its own.
    public init(_ pointer: String) {
        (before, after, isNumbered) = (Array(pointer.utf8), [], false)
    }

    /// Appends the pointer in the record with that number in its source.
    public func write(_ record: Int, to bytes: Bytes) {
        before.withUnsafeBufferPointer { bytes.append($0) }
        guard isNumbered else { return }
        bytes.append(integer: Int64(record))
        after.withUnsafeBufferPointer { bytes.append($0) }
    }

    /// The pointer in the record with that number in its source, as text.
    public subscript(record: Int) -> String {
        let bytes = Bytes()
        write(record, to: bytes)
        return bytes.text(0..<bytes.count)
    }
}

/// Reads records whose texts the job wants in one form of Unicode.
package struct NormalisingReader: RecordReader {
    let reader: any RecordReader
    let form: NormalForm

    /// - Parameter form: nil for texts as they stand.
    package static func reading(_ reader: any RecordReader, in form: NormalForm?) -> any RecordReader {
        form.map { NormalisingReader(reader: reader, form: $0) } ?? reader
    }

    package var schema: Schema { reader.schema }
    package var recordsBeginLines: Bool { reader.recordsBeginLines }

    package func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
        let batch = reader.read(morsel, reporting: &findings)
        let columns = batch.columns.map { column in
            if case .text(let texts) = column { Column.text(texts.formed(form)) } else { column }
        }
        return Batch(batch.schema, columns, count: batch.count, provenance: batch.provenance)
    }

    package func finder(of field: String) -> FieldFinder? { reader.finder(of: field) }
    package func pointers(to field: String?) -> RecordPointers? { reader.pointers(to: field) }
}

/// The byte-order mark of UTF-8 before a record, as where two exports were put one behind the other.
///
/// The one at the beginning of a file is taken off when the file is opened; any other would be a part of the first value, unseen.
package enum ByteOrderMark {
    package static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

    package static func begins(_ text: Cell) -> Bool { text.starts(with: bytes) }
}

extension Finding.Kind {
    package static let byteOrderMark = Finding.Kind(
        "byte-order-mark",
        "a byte-order mark (U+FEFF), which nobody sees, stands before this record, as where two files were put one behind the "
            + "other; take it out"
    )
}

/// One text of a container, read like a file of its own.
public struct ContainedText: Sendable {
    /// UTF-8.
    public var bytes: Bytes
    public var holder: TextHolder
    public var facts: ContainerFacts
    /// What is odd about the text as a whole, such as that it stands in for one that is not there.
    public var warnings: [Finding.Kind]

    public init(
        _ bytes: Bytes,
        in holder: TextHolder,
        facts: ContainerFacts = ContainerFacts(),
        warnings: [Finding.Kind] = []
    ) {
        self.bytes = bytes
        self.holder = holder
        self.facts = facts
        self.warnings = warnings
    }
}

/// What a container knows of a text that it holds, and the text cannot say.
public struct ContainerFacts: Sendable {
    /// Columns whose values are instants, where the text can only spell them.
    public var instants: [String] = []
    /// The ways from a record to its dates, also to those inside arrays.
    package var dates: [InnerDates.Way] = []
    /// How many other keys stand beside that of the text.
    package var otherKeys = 0

    public init() {}
}

/// What a container holds of what a stage asked for.
public struct ContainerContents: Sendable {
    public var texts: [ContainedText]
    /// What the file and its parts were found to be, in words for the manifest: `binary property list`.
    public var recognised: [String]

    public init(_ texts: [ContainedText], recognised: [String]) {
        self.texts = texts
        self.recognised = recognised
    }
}

extension SourceHead {
    /// Whether there is nothing in the file but white space.
    package var isBlank: Bool {
        defer { withExtendedLifetime(bytes) {} }
        return isWhole && bytes.filled.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }
}
