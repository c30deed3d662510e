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
        /// Reads one record again, or nil where the source cannot be read twice.
        var record: (@Sendable (RowOrigin) -> Bytes?)?
        var reader: (any RecordReader)?
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

    func setReader(_ reader: any RecordReader, of source: Int) {
        entries.withLock { $0[source].reader = reader }
    }

    func setRecord(_ record: @escaping @Sendable (RowOrigin) -> Bytes?, of source: Int) {
        entries.withLock { $0[source].record = record }
    }

    func setRows(_ rows: any StoreRows, of source: Int) {
        entries.withLock { $0[source].rows = rows }
    }

    func path(_ source: Int) -> String { entries.withLock { $0[source].path } }

    func holder(_ source: Int) -> TextHolder? { entries.withLock { $0[source].holder } }

    /// Where the text stands that holds a record.
    func holder(of origin: RowOrigin) -> TextHolder? {
        let entry = entries.withLock { $0[Int(origin.source)] }
        return entry.holderOfRecord?(origin) ?? entry.holder
    }

    func reader(_ source: Int) -> (any RecordReader)? { entries.withLock { $0[source].reader } }

    func rows(_ source: Int) -> (any StoreRows)? { entries.withLock { $0[source].rows } }

    /// The bytes of a record that is no longer in memory.
    func record(_ origin: RowOrigin) -> Bytes? {
        entries.withLock { $0[Int(origin.source)].record }?(origin)
    }
}
