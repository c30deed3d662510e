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
            if let last = found.last, last.key.withUnsafeBufferPointer({ key.isSame(as: $0) }) {
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
        let block = Bytes(capacity: CSVReplacing.blockSize)
        let current = Bytes()
        var records = 0
        var isKept = true
        while true {
            let got = block.append(upTo: CSVReplacing.blockSize, from: old.fileDescriptor)
            guard got >= 0 || errno == EINTR else {
                throw .machine("cannot-read", "cannot read '\(output.text)': \(String(cString: strerror(errno)))")
            }
            let isLast = got == 0
            guard block.count > 0 else { return }
            guard block.count <= CSVReplacing.recordLimit else {
                throw torn(
                    "has a row of more than \(CSVReplacing.recordLimit >> 20) MiB behind its row \(records - header)"
                )
            }
            var copied = 0
            var failure: DaybookError?
            let done = keys.scan(block.filled, isLast: isLast) { key, range in
                records += 1
                if records > header + 1, key.isSame(as: current.filled) { return true }
                guard records > header else {
                    copied = range.upperBound
                    return true
                }
                do throws(DaybookError) {
                    let new = Key(key)
                    if records > header + 1, new.lexicographicallyPrecedes(current.filled) {
                        throw disordered(records - header, new, current.array)
                    }
                    if isKept, range.lowerBound > copied { try out.write(block, copied..<range.lowerBound) }
                    copied = range.lowerBound
                    while let next = pending.first, !new.lexicographicallyPrecedes(next) {
                        try write(next, to: out)
                        pending.removeFirst()
                    }
                    isKept = segments[new] == nil
                    current.removeAll()
                    current.append(new)
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
            if let failure { throw failure }
            guard let done else { throw torn("has \(keys.fault) behind its row \(records - header)") }
            if isKept, done > copied { try out.write(block, copied..<done) }
            if isLast {
                if isKept, records > header, !block.filled.suffix(lineEnd.count).elementsEqual(lineEnd) {
                    let end = Bytes()
                    end.append(lineEnd)
                    try out.write(end)
                }
                return
            }
            block.removeFirst(done)
        }
    }

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
    func scan(_ bytes: Cell, isLast: Bool, _ body: (_ key: Cell, _ record: Range<Int>) -> Bool) -> Int? {
        guard let base = bytes.baseAddress, let index = CSVIndex(base, bytes.count, dialect, isLast: isLast) else {
            return nil
        }
        let built = Bytes()
        var start = 0
        for record in 0..<index.found.records {
            let cells = index.cells(of: record)
            let end = min(Int(index.buffer.positions[cells.upperBound - 1]) + 1, bytes.count)
            guard cells.count == width else { return nil }
            let first = index.range(of: cells.lowerBound + columns[0], in: bytes)
            if columns.count == 1, first.isEmpty || bytes[first.lowerBound] != dialect.quote {
                guard body(Cell(rebasing: bytes[first]), start..<end) else { return start }
            } else {
                built.removeAll()
                for (place, column) in columns.enumerated() {
                    if place > 0 { built.append(0) }
                    append(bytes, index.range(of: cells.lowerBound + column, in: bytes), to: built)
                }
                guard body(built.filled, start..<end) else { return start }
            }
            start = end
        }
        return index.length
    }

    /// Appends a cell without its quotes.
    private func append(_ bytes: Cell, _ range: Range<Int>, to key: Bytes) {
        guard let first = range.first, bytes[first] == dialect.quote else {
            return key.append(Cell(rebasing: bytes[range]))
        }
        var isDoubled = false
        for place in range.dropFirst().dropLast() {
            isDoubled = bytes[place] == dialect.quote && !isDoubled
            if !isDoubled { key.append(bytes[place]) }
        }
    }
}

extension Cell {
    @inline(__always)
    fileprivate func isSame(as other: Cell) -> Bool {
        count == other.count
            && (isEmpty || memcmp(baseAddress.unsafelyUnwrapped, other.baseAddress.unsafelyUnwrapped, count) == 0)
    }
}

extension Bytes {
    fileprivate convenience init(copying data: Data) {
        self.init(capacity: data.count)
        data.withUnsafeBytes { append($0.bindMemory(to: UInt8.self)) }
    }
}
