import CSQLite
import DaybookBytes
import DaybookContracts
import Foundation

/// Builds SQLite databases from SQL, in the forms in which apps leave them.
public enum SQLStore {
    /// A form of the same database.
    public struct Form: Sendable, CustomStringConvertible {
        public var pageSize = 4096
        public var encoding = "UTF-8"
        /// Whether what was written last still stands in a write-ahead log beside the database.
        public var keepsLog = false

        public init(pageSize: Int = 4096, encoding: String = "UTF-8", keepsLog: Bool = false) {
            self.pageSize = pageSize
            self.encoding = encoding
            self.keepsLog = keepsLog
        }

        public var description: String {
            "\(encoding) in pages of \(pageSize)\(keepsLog ? ", with a write-ahead log" : "")"
        }
    }

    /// Every form that the examples of stages have to be read in.
    static let forms = [
        Form(), Form(pageSize: 512, encoding: "UTF-16le"), Form(pageSize: 65536, encoding: "UTF-16be"),
        Form(pageSize: 1024, keepsLog: true),
    ]

    /// Writes the database that `sql` builds to `url`, and its log beside it where the form has one.
    public static func write(_ sql: String, to url: URL, as form: Form = Form()) throws {
        let place = try TemporaryDirectory()
        let draft = place.url.appendingPathComponent("draft").path
        let database = try SQLiteDatabase(draft, .readWrite)
        // Statements of examples may be anything that SQLite takes.
        csqlite_allow_double_quoted_texts(database.connection, 1)
        try database.execute(
            "PRAGMA synchronous = OFF; PRAGMA page_size = \(form.pageSize); PRAGMA encoding = '\(form.encoding)'"
        )
        if form.keepsLog { try database.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0") }
        try database.execute(sql)
        // A log stays beside its database for as long as that is open.
        defer { withExtendedLifetime(database) {} }
        for ending in form.keepsLog ? ["", "-wal"] : [""] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: draft + ending))
            try bytes.write(to: URL(fileURLWithPath: url.path + ending))
        }
    }

    /// The database at `url` without the rows of `table`.
    public static func emptied(_ url: URL, of table: String) throws -> Data {
        let place = try TemporaryDirectory()
        let draft = place.url.appendingPathComponent("draft")
        try Data(contentsOf: url).write(to: draft)
        try SQLiteDatabase(draft.path, .readWrite).execute("DELETE FROM \(table)")
        return try Data(contentsOf: draft)
    }
}

/// What a run offers to whoever opens a store, without a run.
public final class TrialRoom: StoreContext {
    private let path: String
    private let endings: [String]

    public init(path: String, endings: [String]) {
        self.path = path
        self.endings = endings
    }

    public var isCancelled: Bool { false }

    public func copying<Opened>(
        _ open: (_ path: String) throws(DaybookError) -> Opened
    ) throws(DaybookError) -> Opened {
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("daybook-test-copy-\(UUID())").path
        defer { for ending in endings + ["-shm"] { try? FileManager.default.removeItem(atPath: place + ending) } }
        for ending in endings {
            do { try FileManager.default.copyItem(atPath: path + ending, toPath: place + ending) } catch {
                throw DaybookError("bad-example", "cannot copy \(path + ending): \(error)")
            }
        }
        return try open(place)
    }

    public func makeFile() throws(DaybookError) -> any ScratchFile { MemoryScratchFile() }
}

extension StoreFile {
    /// A store at `url` as a run would hand it to a stage.
    public init(_ url: URL, companions: [String]) throws {
        let path = url.resolvingSymlinksInPath().path
        let head = Bytes()
        try Data(contentsOf: url).prefix(StoreFile.headSize).withUnsafeBytes {
            head.append($0.bindMemory(to: UInt8.self))
        }
        var sizes: [String: Int] = [:]
        for ending in companions {
            let found = try? FileManager.default.attributesOfItem(atPath: path + ending)
            if let size = found?[.size] as? Int { sizes[ending] = size }
        }
        self.init(
            source: SourceName(index: 0, path: url.lastPathComponent),
            path: path,
            size: try Data(contentsOf: url).count,
            head: head,
            companions: sizes,
            room: TrialRoom(path: path, endings: [""] + sizes.keys)
        )
    }
}
