import DaybookCore
import Synchronization

/// Knows the sources of a run after they were read: their names, their readers, and how to read a record again.
final class SourceArchive: Sendable {
    struct Entry: Sendable {
        var path: String
        /// Where the text stands in its file, when it is only a part of it.
        var holder: TextHolder?
        /// The same for sources whose every record stands in a text of its own.
        var holderOfRecord: (@Sendable (RowOrigin) -> TextHolder?)?
        /// Reads records again, or nil where the source cannot be read twice.
        var again: RecordAgain?
        var reader: (any RecordReader)?
        /// What ends its lines.
        var lineEnd = LineEnd.feed
        /// The rows of a store, which have no bytes and no lines.
        var rows: (any StoreRows)?
    }

    private let entries = Mutex<[Entry]>([])

    /// Adds a source and gives its index.
    func add(_ entry: Entry) -> Int {
        entries.withLock {
            $0.append(entry)
            return $0.count - 1
        }
    }

    /// How many sources there are.
    var count: Int { entries.withLock { $0.count } }

    func setReader(_ reader: any RecordReader, _ lineEnd: LineEnd, of source: Int) {
        entries.withLock { ($0[source].reader, $0[source].lineEnd) = (reader, lineEnd) }
    }

    func setAgain(_ again: RecordAgain, of source: Int) {
        entries.withLock { $0[source].again = again }
    }

    func setRows(_ rows: any StoreRows, of source: Int) {
        entries.withLock { $0[source].rows = rows }
    }

    subscript(source: Int) -> Entry { entries.withLock { $0[source] } }
}
