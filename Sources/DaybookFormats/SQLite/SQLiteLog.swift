import Foundation

/// Looks through a write-ahead log for what SQLite would pass over without a word.
///
/// A log is a header of 32 bytes and frames of 24 bytes and a page each; a frame counts when it has the salts of the header
/// and the running checksum is right, and only up to the last frame that ends a transaction
/// (https://www.sqlite.org/fileformat2.html#walformat). SQLite leaves out whatever comes behind. So half a copy of a log
/// would be read as if it were whole:
/// - a log that ends inside its header or inside a frame was cut off for certain, and is refused;
/// - frames of the present log behind its last transaction are those of one that was not finished when the copy was made,
///   that was undone, or whose end is missing. SQLite itself leaves such frames behind, so they are only warned of;
/// - frames with other salts are left over from before the log began anew, and mean nothing.
struct SQLiteLog {
    private static let headerSize = 32
    private static let frameHeaderSize = 24

    private let name: String
    private let handle: FileHandle
    private let room: any StoreContext

    /// Refuses a log that is cut off or none at all, and gives what there is to warn of.
    static func check(_ path: String, of file: StoreFile) throws(DaybookError) -> [Finding.Kind] {
        let name = file.source.path + "-wal"
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw .machine("cannot-read-database", "cannot read '\(name)'")
        }
        defer { try? handle.close() }
        do {
            let rest = try SQLiteLog(name: name, handle: handle, room: file.room).pagesBehindLastTransaction()
            return rest == 0 ? [] : [.unfinishedTransaction(name, pages: rest)]
        } catch let error as DaybookError {
            throw error
        } catch {
            throw .machine("cannot-read-database", "cannot read '\(name)': \(error.localizedDescription)")
        }
    }

    private func pagesBehindLastTransaction() throws -> Int {
        let size = Int(try handle.seekToEnd())
        try handle.seek(toOffset: 0)
        let header = [UInt8](try handle.read(upToCount: SQLiteLog.headerSize) ?? Data())
        guard header.count == SQLiteLog.headerSize else { throw damaged("is cut off: it ends inside its header") }
        let magic = SQLiteLog.number(header, 0)
        let pageSize = Int(SQLiteLog.number(header, 8))
        var sum = LogChecksum(isBigEndian: magic & 1 == 1)
        sum.add(header.span.bytes.extracting(first: 24))
        guard magic & ~1 == 0x377f_0682, (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0,
            sum.isStored(in: header, at: 24)
        else { throw damaged("is no write-ahead log, or its beginning is damaged") }
        let frameSize = SQLiteLog.frameHeaderSize + pageSize
        guard (size - SQLiteLog.headerSize) % frameSize == 0 else {
            throw damaged("is cut off: it ends inside a page")
        }
        return try count(frames: (size - SQLiteLog.headerSize) / frameSize, of: frameSize, header[16..<24], sum)
    }

    /// How many frames of the present log stand behind the last that ends a transaction.
    private func count(frames: Int, of size: Int, _ salts: ArraySlice<UInt8>, _ start: LogChecksum) throws -> Int {
        var sum = start
        var isWhole = true
        var rest = 0
        for _ in 0..<frames {
            if room.isCancelled { throw DaybookError.interrupted }
            let frame = [UInt8](try handle.read(upToCount: size) ?? Data())
            // Leftovers of an earlier log; nothing of the present one can stand behind them.
            guard frame.count == size, frame[8..<16] == salts else { break }
            if isWhole {
                sum.add(frame.span.bytes.extracting(first: 8))
                sum.add(frame.span.bytes.extracting(droppingFirst: SQLiteLog.frameHeaderSize))
                isWhole = sum.isStored(in: frame, at: 16)
            }
            // The size of the database stands only in the frame that ends a transaction.
            rest = isWhole && SQLiteLog.number(frame, 4) != 0 ? 0 : rest + 1
        }
        return rest
    }

    private func damaged(_ reason: String) -> DaybookError {
        .machine(
            "damaged-database",
            "'\(name)' \(reason)",
            hint: "copy the database and its log again, when the app is closed; if there is no better copy, "
                + "'sqlite3 FILE \"PRAGMA wal_checkpoint(TRUNCATE)\"' takes into the database what is whole of the log"
        )
    }

    fileprivate static func number(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The running checksum of a write-ahead log.
private struct LogChecksum {
    let isBigEndian: Bool
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    /// Adds bytes, whose count is a multiple of 8.
    mutating func add(_ bytes: RawSpan) {
        for place in stride(from: 0, to: bytes.byteCount, by: 8) {
            let one = bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt32.self)
            let other = bytes.unsafeLoadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
            first &+= (isBigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ second
            second &+= (isBigEndian ? UInt32(bigEndian: other) : UInt32(littleEndian: other)) &+ first
        }
    }

    func isStored(in bytes: [UInt8], at place: Int) -> Bool {
        SQLiteLog.number(bytes, place) == first && SQLiteLog.number(bytes, place + 4) == second
    }
}

extension Finding.Kind {
    fileprivate static func unfinishedTransaction(_ log: String, pages: Int) -> Finding.Kind {
        Finding.Kind(
            "unfinished-transaction",
            "\(pages == 1 ? "a page" : "\(pages) pages") at the end of '\(log)' "
                + "\(pages == 1 ? "is" : "are") not read, for no whole transaction holds "
                + "\(pages == 1 ? "it" : "them"); if the app was open when the store was copied, copy it again",
            severity: .warning
        )
    }
}
