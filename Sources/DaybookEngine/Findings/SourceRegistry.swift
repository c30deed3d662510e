import Synchronization

/// Sources of a run after they were read: their names, their readers, and how to read a record again.
package final class SourceRegistry: Sendable {
    package struct Entry: Sendable {
        package var path: String
        /// Place of the text in its file, if it is only a part of the file.
        package var holder: TextHolder?
        /// Place of each record's text, for sources in which each record has a text of its own.
        package var holderOfRecord: (@Sendable (RowOrigin) -> TextHolder?)?
        /// Reads records again; nil if the source cannot be read twice.
        package var again: RecordRefetch?
        package var reader: (any RecordReader)?
        /// Line end of the source.
        package var lineEnd = LineEnd.feed
        /// Rows of a store, which have no bytes and no lines.
        package var rows: (any StoreRows)?

        package init(path: String, holder: TextHolder? = nil) { (self.path, self.holder) = (path, holder) }
    }

    private let entries = Mutex<[Entry]>([])

    /// Adds a source and returns its index.
    package func add(_ entry: Entry) -> Int {
        entries.withLock {
            $0.append(entry)
            return $0.count - 1
        }
    }

    package var count: Int { entries.withLock { $0.count } }

    package func setReader(
        _ reader: any RecordReader,
        _ lineEnd: LineEnd,
        again: RecordRefetch? = nil,
        of source: Int
    ) {
        entries.withLock {
            ($0[source].reader, $0[source].lineEnd) = (reader, lineEnd)
            if let again { $0[source].again = again }
        }
    }

    package func setRows(_ rows: any StoreRows, of source: Int) {
        entries.withLock { $0[source].rows = rows }
    }

    /// The error, with the file and line of its row.
    func naming(_ error: DaybookError, _ path: (Int) -> String?) -> DaybookError {
        guard let origin = error.origin else { return error }
        let entry = self[Int(origin.source)]
        let line = entry.holder == nil && entry.rows == nil ? ":\(origin.line)" : ""
        var error = error
        error.message = "\(path(Int(origin.source)) ?? entry.path)\(line): \(error.message)"
        return error
    }

    package subscript(source: Int) -> Entry { entries.withLock { $0[source] } }
}

/// Data about one source, looked up once for all findings of a batch: its name, and how to find each field in its
/// records.
final class KnownSource {
    let entry: SourceRegistry.Entry
    let path: Bytes
    /// Place of the text in its file, if it is only a part of the file.
    let holder: TextHolder?
    let recordsBeginLines: Bool
    /// By subject: the finder of the field, and its pointer.
    private let finders: [FieldFinder?]
    private let pointers: [RecordPointers?]
    private let wholePointers: RecordPointers?
    private let holderPointer: [UInt8]?
    /// Whether any subject has a pointer.
    let hasPointers: Bool

    /// - Parameter fields: field of the source by subject; nil for subjects without a field.
    init(_ entry: SourceRegistry.Entry, _ fields: [String?], holder: TextHolder?) {
        (self.entry, path, self.holder) = (entry, Bytes(entry.path), holder)
        let reader = entry.reader
        recordsBeginLines = reader?.recordsBeginLines == true
        finders = fields.map { field in field.flatMap { reader?.finder(of: $0) } }
        pointers = fields.map { reader?.pointers(to: $0) }
        wholePointers = reader?.pointers(to: nil)
        holderPointer = holder.map { Array($0.pointer.utf8) }
        hasPointers = holder != nil || pointers.contains { $0 != nil }
    }

    /// Range of a subject's field in a record.
    func range(of subject: Int, in record: Cell) -> Range<Int>? { finders[subject]?.range(in: record) }

    /// Range of a value inside the JSON value of a field, or of the last existing step of its path; nil if no step
    /// exists.
    func range(of inside: [String], in record: Cell, _ field: Range<Int>) -> Range<Int>? {
        guard let base = record.baseAddress else { return nil }
        var path = JSONPath(JSONPointer(tokens: inside))
        while !path.steps.isEmpty {
            var cursor = JSONCursor(base, from: field.lowerBound, to: field.upperBound)
            if let found = cursor.range(of: path) { return found }
            path.steps.removeLast()
        }
        return nil
    }

    /// Text that the bytes of a subject's field represent, written to `room`.
    func text(of subject: Int, _ field: Cell, in room: Bytes) -> Cell {
        room.removeAll()
        finders[subject]?.appendText(of: field, to: room)
        return room.filled
    }

    /// Whether a field has a pointer in the text itself, so that its records are numbered across the source.
    func pointsInText(_ subject: Int) -> Bool { pointers[subject] != nil }

    /// Pointer to a subject's field in a record, written to `room`; nil in formats without pointers.
    ///
    /// - Parameter text: of the record.
    func pointer(to subject: Int, inside: [String], record: Int, of text: Cell, in room: Bytes) -> Cell? {
        guard holderPointer != nil || pointers[subject] != nil else { return nil }
        room.removeAll()
        if let holderPointer { room.append(holderPointer) }
        pointers[subject]?.write(record, of: text, to: room)
        if !inside.isEmpty { room.append(JSONPointer(tokens: inside).written) }
        return room.filled
    }

    /// Whether the lines of records are lines of a file, not of a text inside a file.
    var hasLines: Bool { holder == nil && entry.holderOfRecord == nil }

    /// Appends the pointer to a whole record, in formats with pointers.
    func appendPointer(toRecord record: Int, inBrackets: Bool, to bytes: Bytes) {
        guard holderPointer != nil || wholePointers != nil else { return }
        if inBrackets { bytes.append(" (") }
        if let holderPointer { bytes.append(holderPointer) }
        wholePointers?.write(record, to: bytes)
        if inBrackets { bytes.append(")") }
    }
}
