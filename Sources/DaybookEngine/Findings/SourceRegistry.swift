import Synchronization

/// Knows the sources of a run after they were read: their names, their readers, and how to read a record again.
package final class SourceRegistry: Sendable {
    package struct Entry: Sendable {
        package var path: String
        /// Where the text stands in its file, when it is only a part of it.
        package var holder: TextHolder?
        /// The same for sources whose every record stands in a text of its own.
        package var holderOfRecord: (@Sendable (RowOrigin) -> TextHolder?)?
        /// Reads records again, or nil where the source cannot be read twice.
        package var again: RecordRefetch?
        package var reader: (any RecordReader)?
        /// What ends its lines.
        package var lineEnd = LineEnd.feed
        /// The rows of a store, which have no bytes and no lines.
        package var rows: (any StoreRows)?

        package init(
            path: String,
            holder: TextHolder? = nil,
            holderOfRecord: (@Sendable (RowOrigin) -> TextHolder?)? = nil,
            again: RecordRefetch? = nil,
            reader: (any RecordReader)? = nil,
            lineEnd: LineEnd = LineEnd.feed,
            rows: (any StoreRows)? = nil
        ) {
            self.path = path
            self.holder = holder
            self.holderOfRecord = holderOfRecord
            self.again = again
            self.reader = reader
            self.lineEnd = lineEnd
            self.rows = rows
        }
    }

    private let entries = Mutex<[Entry]>([])

    /// Adds a source and gives its index.
    package func add(_ entry: Entry) -> Int {
        entries.withLock {
            $0.append(entry)
            return $0.count - 1
        }
    }

    /// How many sources there are.
    package var count: Int { entries.withLock { $0.count } }

    package func setReader(_ reader: any RecordReader, _ lineEnd: LineEnd, of source: Int) {
        entries.withLock { ($0[source].reader, $0[source].lineEnd) = (reader, lineEnd) }
    }

    package func setAgain(_ again: RecordRefetch, of source: Int) {
        entries.withLock { $0[source].again = again }
    }

    package func setRows(_ rows: any StoreRows, of source: Int) {
        entries.withLock { $0[source].rows = rows }
    }

    /// The same error with the file and the line of the row that it is about.
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
