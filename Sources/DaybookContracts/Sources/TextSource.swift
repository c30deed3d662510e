/// A stage that parses the bytes of files into batches. The runner opens, decodes and cuts; the stage parses.
public protocol TextSource: Source {
    /// The format of one file, by its beginning.
    associatedtype Format: SourceFormat

    /// The kind of every column that no option names, such as text in CSV; nil if the data decides.
    static var otherKind: ColumnKind? { get }

    var paths: [PathText] { get }
    /// The encoding of the text, unless a byte-order mark names another.
    var encoding: TextEncoding { get }

    /// Examines the beginning of one file.
    func format(of head: SourceHead) throws(DaybookError) -> Format

    /// The columns of all files together, or an error that names the file that differs.
    func schema(of formats: [Format]) throws(DaybookError) -> Schema

    /// The columns that the options name and no file has, each as its error.
    func missing(from formats: [Format]) -> [DaybookError]

    /// Warnings about differences between the files, each at the index of its file in `formats`.
    func warnings(of formats: [Format]) -> [(text: Int, warning: SourceWarning)]

    /// Makes the reader that turns the morsels of one file into batches with exactly the fields of `schema`, which are
    /// the fields of `schema(of:)` that later stages need.
    func reader(of format: Format, schema: Schema) -> any RecordReader

    /// This source if its files are containers; nil if each is a text. (A cast would search all conformances of the
    /// program at every start.)
    var container: (any ContainerSource)? { get }
}

extension TextSource {
    public var container: (any ContainerSource)? { nil }
    /// The codes of its format.
    package static var unlearntCodes: Set<String> { Format.unlearntCodes }

    public static var otherKind: ColumnKind? { nil }
    public func missing(from formats: [Format]) -> [DaybookError] { [] }
    public func warnings(of formats: [Format]) -> [(text: Int, warning: SourceWarning)] { [] }
}

/// A source whose files are containers, such as property lists: each is unpacked, and every text in it is examined, cut
/// and read like a file.
public protocol ContainerSource: TextSource {
    /// Unpacks a whole file of at most `containerLimit` bytes, decompressed and otherwise unchanged.
    func contents(of file: Bytes, _ source: SourceName) throws(DaybookError) -> ContainerContents
}

extension ContainerSource {
    public var container: (any ContainerSource)? { self }

    /// A container is read into memory as a whole, so its size is limited: 1 GiB.
    public static var containerLimit: Int { 1 << 30 }
}

/// The beginning of a file: decompressed, decoded to UTF-8, without its byte-order mark.
public struct SourceHead: Sendable {
    public let source: SourceName
    public let bytes: Bytes
    /// True when `bytes` is all there is.
    public let isWhole: Bool
    /// The place of the text in its container, if it is part of a file.
    public let holder: TextHolder?
    /// What the container states about the text.
    public let facts: ContainerFacts
    /// Whether a byte-order mark precedes the text in its file.
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

    /// Whether there is nothing in the file but white space.
    public var isBlank: Bool { isBlank(from: 0) }

    /// Whether there is nothing but white space behind an offset.
    package func isBlank(from start: Int) -> Bool {
        defer { withExtendedLifetime(bytes) {} }
        return isWhole && bytes.filled[start...].allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    }
}

/// The format of a file, inferred from its beginning.
public protocol SourceFormat: Sendable {
    /// Offset of the first record in the bytes of the head.
    var dataStart: Int { get }
    /// The physical line ends of the file, for places in messages; LF unless the format overrides it.
    var lineEnd: LineEnd { get }
    /// Warnings about the beginning, such as two columns of one name.
    var warnings: [SourceWarning] { get }
    /// The line that names the columns; the first where none does.
    var headerLine: Int { get }
    func makeCutter() -> any RecordCutter
    /// A cutter for a part of the file, if a record can be read without the records before it; else nil.
    func makeCutter(of part: TextPart) -> (any RecordCutter)?
    /// Codes of findings about records with columns that the beginning did not show. A run that meets one starts again,
    /// and `learn(from:)` is called with all records before it reads a row. Empty for a format that learns nothing.
    static var unlearntCodes: Set<String> { get }
    /// Infers further columns from records after the beginning; see `unlearntCodes`.
    mutating func learn(from morsel: Morsel)
}

extension SourceFormat {
    public static var unlearntCodes: Set<String> { [] }
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
    /// The number of records before it, if the cutter counts them; else 0.
    public var record: Int
    /// Whether it reaches the end of the file.
    public var isLast: Bool

    public init(offset: Int, length: Int, line: Int, column: Int, record: Int, isLast: Bool) {
        (self.offset, self.length, self.line, self.column) = (offset, length, line, column)
        (self.record, self.isLast) = (record, isLast)
    }
}

/// Something odd about the beginning of a file that is no row.
public struct SourceWarning: Sendable, Hashable {
    public var kind: Finding.Kind
    /// The byte of the head that the warning is about, and its line and column, from 1.
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

    /// A warning among many, whose places come in order.
    public init(_ kind: Finding.Kind, at: Int, _ cursor: inout LineCursor) {
        self.kind = kind
        self.at = at
        (line, column) = cursor.place(of: at)
    }
}

/// Finds where records end, so that the input can be cut between two.
public protocol RecordCutter {
    /// Finds a record end in `bytes`, which begin with a record.
    ///
    /// - Parameter isLast: true when nothing follows.
    /// - Returns: the end of a record, best of the last whole one, 0 without one; never 0 with `isLast`. Of very many
    ///   records, or of bytes that are hard to read, some are best left for the next call.
    mutating func cut(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws(DaybookError) -> RecordCut
}

/// A stretch of whole records.
public struct RecordCut: Sendable {
    /// How many bytes it has.
    public var length: Int
    /// The number of physical line ends in it.
    public var lines: Int
    /// The number of records in it, or 0 if the cutter does not count them.
    public var records: Int
    /// The column, from 1, at which the text continues behind it; 1 if every record begins a line.
    public var nextColumn: Int
    /// The notes of the cutter for the reader of the morsel.
    public var notes: (any MorselNotes)?

    public init(length: Int, lines: Int, records: Int = 0, nextColumn: Int = 1, notes: (any MorselNotes)? = nil) {
        self.length = length
        self.lines = lines
        self.records = records
        self.nextColumn = nextColumn
        self.notes = notes
    }
}

/// Parses a morsel into a batch.
public protocol RecordReader: Sendable {
    /// The columns of every batch.
    var schema: Schema { get }

    /// Whether every record begins at the beginning of a line.
    var recordsBeginLines: Bool { get }

    /// Every record becomes a row or is rejected (`findings.reject(record:…)`). `findings.saw(records:)` receives the
    /// number of both, `findings.skip` the lines that are no records. `InvalidText` finds bytes that are no text.
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

/// Reads as another reader does, but for what it says itself.
package protocol WrappingReader: RecordReader {
    var reader: any RecordReader { get }
}

extension WrappingReader {
    package var schema: Schema { reader.schema }
    package var recordsBeginLines: Bool { reader.recordsBeginLines }

    package func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
        reader.read(morsel, reporting: &findings)
    }

    package func finder(of field: String) -> FieldFinder? { reader.finder(of: field) }
    package func pointers(to field: String?) -> RecordPointers? { reader.pointers(to: field) }
}

/// Finds one field in records. A class, so that a row loop can call it without counting references.
open class FieldFinder: @unchecked Sendable {
    public init() {}

    /// The byte range of the field in a record; nil if the record does not have it.
    open func range(in record: UnsafeBufferPointer<UInt8>) -> Range<Int>? { nil }

    /// Appends the text of a field: its bytes, unless the format has quotes or escapes.
    open func appendText(of field: UnsafeBufferPointer<UInt8>, to bytes: Bytes) { bytes.append(field) }
}

/// The JSON pointers of one field in all records of a text: `/entries/3/date` in the fourth.
public struct RecordPointers: Sendable, Hashable {
    private enum Middle: Hashable {
        case nothing
        /// The number of the record, from 0, times `every`, plus `first`.
        case number(every: Int, first: Int)
        /// The key with which its text begins.
        case key
    }

    /// The text before the part that differs from record to record, and after it.
    private let before: [UInt8]
    private let after: [UInt8]
    private let middle: Middle

    /// Pointers to the same place in each record.
    public init(_ before: String, thenNumberAnd after: String, every: Int = 1, from first: Int = 0) {
        (self.before, self.after) = (Array(before.utf8), Array(after.utf8))
        middle = .number(every: every, first: first)
    }

    /// Pointers to the same place in each record of an object, whose text begins with its key.
    public init(_ before: String, thenKeyAnd after: String) {
        (self.before, self.after, middle) = (Array(before.utf8), Array(after.utf8), .key)
    }

    /// One pointer for all records, if each is a text of its own.
    public init(_ pointer: String) {
        (before, after, middle) = (Array(pointer.utf8), [], .nothing)
    }

    /// Appends the pointer in the record with that number in its source.
    ///
    /// - Parameter text: of the record; without it, a pointer by a key ends before the key.
    public func write(_ record: Int, of text: Cell? = nil, to bytes: Bytes) {
        before.withUnsafeBufferPointer { bytes.append($0) }
        switch middle {
        case .nothing: return
        case .number(let every, let first): bytes.append(integer: Int64(record * every + first))
        case .key:
            guard let key = text.flatMap(RecordPointers.key) else {
                bytes.count -= 1
                return
            }
            bytes.append(JSONPointer.escaped(key))
        }
        after.withUnsafeBufferPointer { bytes.append($0) }
    }

    private static func key(of record: Cell) -> String? {
        guard let base = record.baseAddress else { return nil }
        var cursor = JSONCursor(base, to: record.count)
        cursor.skipSpace()
        guard cursor.byte == UInt8(ascii: "\""), let key = cursor.key() else { return nil }
        return String(decoding: JSONString.name(base, key.bytes, isEscaped: key.isEscaped), as: UTF8.self)
    }

    /// The pointer in the record with that number in its source, as text.
    public subscript(record: Int) -> String {
        let bytes = Bytes()
        write(record, to: bytes)
        return bytes.text(0..<bytes.count)
    }
}

/// Reads as another reader does, and changes each batch.
struct ChangingReader: WrappingReader {
    let reader: any RecordReader
    let schema: Schema
    let change: @Sendable (Batch) -> Batch

    func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
        change(reader.read(morsel, reporting: &findings))
    }
}

extension RecordReader {
    /// The reader of the same records whose texts are in a Unicode normal form; unchanged for nil.
    package func normalised(to form: NormalForm?) -> any RecordReader {
        guard let form else { return self }
        return ChangingReader(reader: self, schema: schema) { batch in
            let columns = batch.columns.map { column in
                if case .text(let texts) = column { Column.text(texts.formed(form)) } else { column }
            }
            return batch.replacing(batch.schema, columns)
        }
    }
}

/// The UTF-8 byte-order mark before a record, as in two concatenated exports.
///
/// The mark at the start of a file is removed on opening; any other would be an invisible part of the first value.
public enum ByteOrderMark {
    public static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

    public static func begins(_ text: Cell) -> Bool { text.starts(with: bytes) }
}

extension Finding.Kind {
    public static let byteOrderMark = Finding.Kind(
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
    /// Warnings about the text as a whole, such as that it replaces a missing one.
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

/// What a container states about a text in it, and the text cannot.
public struct ContainerFacts: Sendable {
    /// Columns whose values are instants, where the text can only spell them.
    public var instants: [String] = []
    /// The paths from a record to its dates, also to dates inside arrays.
    package var dates: [InnerDates.Way] = []
    /// How many other keys there are beside the key of the text.
    package var otherKeys = 0
    /// Whether the text was made of a property list, in which dates have a kind of their own.
    package var isPropertyList = false
    /// The kinds of its values that JSON lacks; nil for values of an archive, which an app decodes otherwise.
    package var kinds: ListKinds?

    public init() {}
}

/// Where in JSON text that was made of a property list texts and numbers stand for other kinds of values.
package struct ListKinds: Sendable {
    package enum Kind: Sendable, BitwiseCopyable {
        case date, data
        /// Dictionaries, as which `PropertyListEncoder` writes a `URL` and a `Decimal`.
        case url, decimal
        /// A number that is infinite or none.
        case real
    }

    private var offsets: [Int] = []
    private var kinds: [Kind] = []

    package init() {}

    /// Adds the value at an offset behind all others.
    package mutating func add(_ kind: Kind, at offset: Int) {
        offsets.append(offset)
        kinds.append(kind)
    }

    /// The kind of the value at an offset; nil for one that JSON has.
    package subscript(offset: Int) -> Kind? {
        var (low, high) = (0, offsets.count)
        while low < high {
            let middle = (low + high) / 2
            if offsets[middle] < offset { low = middle + 1 } else { high = middle }
        }
        return low < offsets.count && offsets[low] == offset ? kinds[low] : nil
    }
}

/// The texts of a container that a stage requested.
public struct ContainerContents: Sendable {
    public var texts: [ContainedText]
    /// The detected format of the file and its parts, in words for the manifest: `binary property list`.
    public var recognised: [String]

    public init(_ texts: [ContainedText], recognised: [String]) {
        self.texts = texts
        self.recognised = recognised
    }
}
