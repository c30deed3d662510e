import Foundation

/// Replaces the rows of some keys in a delimited file by those of a run, in the order of the keys.
///
/// The new rows are kept on disk by key until the last of them is there. The old file is then read once, and both are
/// written in ascending order of the keys: what the old file has of a key of the run is left out, and all other rows
/// stay byte for byte. A key is the text of the cells as written, compared byte by byte, so ISO days are in their order.
struct CSVReplacing: Sendable {
    /// How many keys a run may write.
    static let keyLimit = 100_000
    /// A row of the old file may have so many bytes.
    private static let recordLimit = 256 << 20
    private static let blockSize = 4 << 20

    typealias Key = [UInt8]

    private let keys: CSVKeys
    private let base: BaseFile?
    private let output: PathText
    private let lineEnd: [UInt8]
    /// The new rows: their bytes in `file`, in the order in which they were added.
    private var segments: [Key: [Range<Int>]] = [:]
    private let path: String
    private let file: FileHandle
    private var length = 0

    /// - Parameters:
    ///   - columns: the numbers of the columns that make the key.
    ///   - days: keys whose old rows go, also where there are no new ones.
    ///   - path: a file that does not exist yet, for the new rows.
    init(
        _ columns: [Int],
        width: Int,
        _ dialect: CSVDialect,
        lineEnd: [UInt8],
        in base: BaseFile?,
        replacing days: [Key],
        of output: PathText,
        _ path: String
    ) throws(DaybookError) {
        keys = CSVKeys(columns: columns, width: width, dialect: dialect)
        (self.base, self.output, self.lineEnd, self.path) = (base, output, lineEnd, path)
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forUpdatingAtPath: path)
        else { throw .machine("cannot-write", "cannot make a file for the new rows of '\(output.text)'") }
        self.file = file
        for day in days { segments[day] = [] }
    }

    /// Keeps rows for the end.
    mutating func add(_ rows: Bytes) throws(DaybookError) {
        guard rows.count > 0 else { return }
        var found: [(key: Key, range: Range<Int>)] = []
        let isWhole = keys.scan(rows.filled, isLast: true) { key, range in
            if let last = found.last, last.key.elementsEqual(key) {
                found[found.count - 1].range = last.range.lowerBound..<range.upperBound
            } else {
                found.append((Key(key), range))
            }
            return true
        }
        precondition(isWhole == rows.count, "rows that were just written are read again")
        for (key, range) in found {
            segments[key, default: []].append((range.lowerBound + length)..<(range.upperBound + length))
        }
        guard segments.count <= CSVReplacing.keyLimit else {
            throw DaybookError(
                "too-many-keys",
                "the run has rows of more than \(DisplayText.count(CSVReplacing.keyLimit)) keys for '\(output.text)'",
                at: output.place,
                hint:
                    "'replace_by' takes the place of whole days and the like; with keys of single rows, write a database with 'upsert'"
            )
        }
        do { try file.write(contentsOf: Data(rows.filled)) } catch { throw failed(error) }
        length += rows.count
    }

    /// Writes all rows, old and new, behind the header.
    ///
    /// - Parameter header: how many records of the old file are its header.
    func write(to out: any ByteOutput, behindHeader header: Int) throws(DaybookError) {
        var pending = segments.keys.sorted { $0.lexicographicallyPrecedes($1) }[...]
        if let base {
            try merge(base, header, &pending, out)
        }
        for key in pending { try write(key, to: out) }
    }

    private func write(_ key: Key, to out: any ByteOutput) throws(DaybookError) {
        for range in segments[key] ?? [] {
            var start = range.lowerBound
            while start < range.upperBound {
                let end = min(range.upperBound, start + CSVReplacing.blockSize)
                do {
                    try file.seek(toOffset: UInt64(start))
                    guard let data = try file.read(upToCount: end - start), data.count == end - start else {
                        throw DaybookError.machine(
                            "cannot-read",
                            "new rows of '\(output.text)' are gone from '\(path)'"
                        )
                    }
                    try out.write(Bytes(copying: data))
                } catch { throw failed(error) }
                start = end
            }
        }
    }

    /// Copies the old file, without the rows of the run's keys, and puts the new ones in their places.
    private func merge(
        _ base: BaseFile,
        _ header: Int,
        _ pending: inout ArraySlice<Key>,
        _ out: any ByteOutput
    ) throws(DaybookError) {
        guard let old = FileHandle(forReadingAtPath: base.path) else {
            throw .machine("cannot-read", "cannot read '\(output.text)', of which rows are to be replaced: it is gone")
        }
        defer { try? old.close() }
        var carried = Data()
        var isLast = false
        var skipped = 0
        var rows = 0
        var current: Key?
        var isKept = true
        while !isLast {
            var part: Data
            do { part = try old.read(upToCount: CSVReplacing.blockSize) ?? Data() } catch { throw failed(error) }
            isLast = part.isEmpty
            if !carried.isEmpty { part = carried + part }
            guard !part.isEmpty else { break }
            guard part.count <= CSVReplacing.recordLimit else {
                throw torn("has a row of more than \(CSVReplacing.recordLimit >> 20) MiB behind its row \(rows)")
            }
            let block = Bytes(copying: part)
            var kept = 0
            var failure: DaybookError?
            /// Writes what is kept of the block up to `end`.
            func flush(_ end: Int) throws(DaybookError) {
                if isKept, end > kept { try out.write(block, kept..<end) }
                kept = end
            }
            let done = keys.scan(block.filled, isLast: isLast) { key, range in
                do throws(DaybookError) {
                    if skipped < header {
                        skipped += 1
                        kept = range.upperBound
                        return true
                    }
                    rows += 1
                    if let current, current.elementsEqual(key) { return true }
                    let new = Key(key)
                    if let current, new.lexicographicallyPrecedes(current) { throw disordered(rows, new, current) }
                    try flush(range.lowerBound)
                    while let next = pending.first, !new.lexicographicallyPrecedes(next) {
                        try write(next, to: out)
                        pending.removeFirst()
                    }
                    (current, isKept) = (new, segments[new] == nil)
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
            if let failure { throw failure }
            guard let done else { throw torn("has \(keys.fault) behind its row \(rows)") }
            try flush(done)
            carried = part.subdata(in: done..<part.count)
            if isLast, isKept, rows > 0, !carriesEnd(part) {
                let end = Bytes()
                end.append(lineEnd)
                try out.write(end)
            }
        }
    }

    private func carriesEnd(_ part: Data) -> Bool { part.suffix(lineEnd.count).elementsEqual(lineEnd) }

    private func torn(_ what: String) -> DaybookError {
        DaybookError(
            "torn-line",
            "the file of which rows are to be replaced \(what)",
            at: output.place,
            hint: "mend that row, or move the old file away and read all again with '--full-refresh'"
        )
    }

    private func disordered(_ row: Int, _ new: Key, _ old: Key) -> DaybookError {
        DaybookError(
            "not-in-order",
            "row \(row) of '\(output.text)' has \(text(new)) behind \(text(old)): its rows are not in ascending order of the columns in 'replace_by'",
            at: output.place,
            hint: "sort the file once, or move it away and read all again with '--full-refresh'"
        )
    }

    private func text(_ key: Key) -> String {
        "'" + String(decoding: key, as: UTF8.self).replacingOccurrences(of: "\u{0}", with: ", ") + "'"
    }

    private func failed(_ error: any Error) -> DaybookError {
        if let error = error as? DaybookError { return error }
        return .machine("cannot-write", "cannot write '\(output.text)': \(error.localizedDescription)")
    }
}

/// Finds the keys of records in delimited text.
struct CSVKeys: Sendable {
    let columns: [Int]
    let width: Int
    let dialect: CSVDialect

    /// What is wrong with a text in which no keys are found.
    var fault: String { "a quote out of place, or another number of cells than \(width)," }

    /// Hands each whole record to `body`, with its key and its range, until that returns false.
    ///
    /// - Returns: the end of the last whole record; nil if a quote is out of place, or a record has too few cells.
    func scan(
        _ bytes: Cell,
        isLast: Bool,
        _ body: (ArraySlice<UInt8>, Range<Int>) -> Bool
    ) -> Int? {
        guard let base = bytes.baseAddress, let index = CSVIndex(base, bytes.count, dialect, isLast: isLast) else {
            return nil
        }
        var key: [UInt8] = []
        var start = 0
        for record in 0..<index.found.records {
            let cells = index.cells(of: record)
            let end = min(Int(index.buffer.positions[cells.upperBound - 1]) + 1, bytes.count)
            guard cells.count == width else { return nil }
            key.removeAll(keepingCapacity: true)
            for (place, column) in columns.enumerated() {
                if place > 0 { key.append(0) }
                append(bytes, index.range(of: cells.lowerBound + column, in: bytes), to: &key)
            }
            guard body(key[...], start..<end) else { return start }
            start = end
        }
        return index.length
    }

    /// Appends a cell without its quotes.
    private func append(_ bytes: Cell, _ range: Range<Int>, to key: inout [UInt8]) {
        guard let first = range.first, bytes[first] == dialect.quote else {
            return key.append(contentsOf: bytes[range])
        }
        var isDoubled = false
        for place in range.dropFirst().dropLast() {
            isDoubled = bytes[place] == dialect.quote && !isDoubled
            if !isDoubled || bytes[place] != dialect.quote { key.append(bytes[place]) }
        }
    }
}

extension Bytes {
    fileprivate convenience init(copying data: Data) {
        self.init(capacity: data.count)
        data.withUnsafeBytes { append($0.bindMemory(to: UInt8.self)) }
    }
}
