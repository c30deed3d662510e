import Foundation

/// Replaces the rows of some keys in a text by those of a run, in the order of the keys.
///
/// The new rows are kept on disk by key until the last of them is there. The old file is then read once, and both are
/// written in ascending order of the keys: what the old file has of a key of the run is left out, and all other rows
/// stay byte for byte. A key is the text of the cells as written, compared byte by byte, so ISO days are in their order.
package struct ReplacedText: Sendable {
    /// How many keys a run may write.
    static let keyLimit = 100_000
    /// A row of the old file may have so many bytes.
    private static let recordLimit = 256 << 20
    private static let blockSize = 4 << 20

    package typealias Key = [UInt8]

    /// Adds each whole record of a text to `runs`, and returns the end of the last whole one; nil if a record is no row of
    /// the output.
    package typealias Scan = @Sendable (_ text: Cell, _ isLast: Bool, _ runs: inout KeyRuns) -> Int?

    private let scan: Scan
    /// What a text has for which `scan` returns nil.
    private let fault: String
    private let base: BaseFile?
    private let output: PathText
    private let lineEnd: [UInt8]
    /// The new rows: their bytes in `file`, in the order in which they were added.
    private var segments: [Key: [Range<Int>]] = [:]
    /// The days whose old rows go, and the place of the day in a key; nil where nobody names days.
    private let days: (values: Set<Key>, place: Int)?
    private let path: String
    private let file: FileHandle
    private var length = 0
    /// The digests of what was written and replaced, once all is written; nil for too many.
    private(set) package var groups: SinkGroups?

    /// - Parameters:
    ///   - context: of the output; its scratch file keeps the new rows.
    ///   - columns: those of a key.
    ///   - quotes: whether a day stands in quotes.
    ///   - fault: what a text has that `scan` refuses, as in "has a quote out of place behind its row 7".
    package init(
        of output: PathText,
        in context: SinkContext,
        lineEnd: [UInt8],
        replacing columns: [ColumnName],
        quotes: Bool = false,
        refusing fault: String,
        scan: @escaping Scan
    ) throws(DaybookError) {
        (self.scan, self.fault, self.output, self.lineEnd, base) = (scan, fault, output, lineEnd, context.base)
        path = try context.scratchPath()
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forUpdatingAtPath: path)
        else { throw .machine("cannot-write", "cannot make a file for the new rows of '\(output.text)'") }
        self.file = file
        let values = context.days.map { Key((quotes ? "\"\($0)\"" : "\($0)").utf8) }
        days = columns.firstIndex { $0 == context.dayColumn }.map { (Set(values), $0) }
        // Days are the keys of their rows if they alone are; they are told also where no row is left.
        if columns.count == 1, days != nil { for day in values { segments[day] = [] } }
    }

    /// Keeps rows for the end.
    package mutating func add(_ rows: Bytes) throws(DaybookError) {
        guard rows.count > 0 else { return }
        var found: [(key: Key, range: Range<Int>)] = []
        let end = KeyRuns.find(scan, rows.filled, isLast: true) { run in
            found.append((Key(run.key), run.bytes))
            return true
        }
        guard end == rows.count else {
            throw DaybookError.data(
                "no-key",
                "a row for '\(output.text)' has no value in the columns of 'replace_by'",
                at: output.place,
                hint: "reject or fill such rows before this stage"
            )
        }
        for (key, range) in found {
            segments[key, default: []].append((range.lowerBound + length)..<(range.upperBound + length))
        }
        guard segments.count <= ReplacedText.keyLimit else {
            throw DaybookError(
                "too-many-keys",
                "the run has rows of more than \(DisplayText.count(ReplacedText.keyLimit)) keys for '\(output.text)'",
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
    package mutating func write(to out: any ByteOutput, behindHeader header: Int) throws(DaybookError) {
        var pending = segments.keys.sorted { $0.lexicographicallyPrecedes($1) }[...]
        var groups = SinkGroups()
        if let base { try merge(base, header, &pending, &groups, out) }
        for key in pending { groups.written.append(try write(key, to: out)) }
        if groups.written.count <= SinkGroup.most { self.groups = groups }
    }

    private func write(_ key: Key, to out: any ByteOutput) throws(DaybookError) -> SinkGroup {
        let digester = GroupDigester()
        for range in segments[key] ?? [] {
            for part in range.pieces(of: ReplacedText.blockSize) {
                do {
                    try file.seek(toOffset: UInt64(part.lowerBound))
                    guard let data = try file.read(upToCount: part.count), data.count == part.count else {
                        let message = "new rows of '\(output.text)' are gone from '\(path)'"
                        throw DaybookError.machine("cannot-read", message)
                    }
                    let rows = Bytes(data)
                    digester.add(rows.filled)
                    try out.write(rows)
                } catch { throw failed(error) }
            }
        }
        return digester.group(keyText(key))
    }

    /// Copies the old file, without the rows of the run's keys, and puts the new ones in their places.
    private func merge(
        _ base: BaseFile,
        _ header: Int,
        _ pending: inout ArraySlice<Key>,
        _ groups: inout SinkGroups,
        _ out: any ByteOutput
    ) throws(DaybookError) {
        guard let old = base.open() else {
            throw .machine("cannot-read", "cannot read '\(output.text)', of which rows are to be replaced: it is gone")
        }
        defer { try? old.close() }
        let block = Bytes(capacity: ReplacedText.blockSize)
        let current = Bytes()
        var records = 0
        var isKept = true
        var isFirst = true
        var digester = GroupDigester()
        while true {
            let got = block.append(upTo: ReplacedText.blockSize, from: old.fileDescriptor)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else {
                throw .machine("cannot-read", "cannot read '\(output.text)': \(String(cString: strerror(errno)))")
            }
            let isLast = got == 0
            // The output has a mark of its own.
            if isFirst, block.filled.starts(with: [0xEF, 0xBB, 0xBF]) { block.removeFirst(3) }
            isFirst = false
            guard block.count > 0 else {
                if !isKept { groups.replaced.append(digester.group(keyText(current.array))) }
                return
            }
            guard block.count <= ReplacedText.recordLimit else {
                throw torn("has a row of more than \(ReplacedText.recordLimit >> 20) MiB \(place(records - header))")
            }
            var copied = 0
            var failure: DaybookError?
            let done = KeyRuns.find(scan, block.filled, isLast: isLast, apart: header - records) { run in
                let before = records
                records += run.records
                guard before >= header else {
                    copied = run.bytes.upperBound
                    return true
                }
                if before > header, run.key.isSame(as: current.filled) { return true }
                do throws(DaybookError) {
                    let new = Key(run.key)
                    if before > header, new.lexicographicallyPrecedes(current.filled) {
                        throw disordered(before + 1 - header, new, current.array)
                    }
                    if !isKept {
                        digester.add(Cell(rebasing: block.filled[copied..<run.bytes.lowerBound]))
                        groups.replaced.append(digester.group(keyText(current.array)))
                    } else if run.bytes.lowerBound > copied {
                        try out.write(block, copied..<run.bytes.lowerBound)
                    }
                    copied = run.bytes.lowerBound
                    while let next = pending.first, !new.lexicographicallyPrecedes(next) {
                        groups.written.append(try write(next, to: out))
                        pending.removeFirst()
                    }
                    isKept = segments[new] == nil && !isOfDay(new)
                    if !isKept { digester = GroupDigester() }
                    current.removeAll()
                    current.append(new)
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
            if let failure { throw failure }
            guard let done else { throw torn("has \(fault) \(place(records - header))") }
            if !isKept {
                digester.add(Cell(rebasing: block.filled[copied..<done]))
            } else if done > copied {
                try out.write(block, copied..<done)
            }
            if isLast {
                if !isKept { groups.replaced.append(digester.group(keyText(current.array))) }
                if isKept, records > header, !block.filled.suffix(lineEnd.count).elementsEqual(lineEnd) {
                    try out.write(Bytes(lineEnd))
                }
                return
            }
            block.removeFirst(done)
        }
    }

    /// Whether the rows of a key are of a day that the run makes, and all of whose rows are there.
    private func isOfDay(_ key: Key) -> Bool {
        guard let days, !days.values.isEmpty else { return false }
        let parts = key.split(separator: 0, omittingEmptySubsequences: false)
        return parts.indices.contains(days.place) && days.values.contains(Key(parts[days.place]))
    }

    private func place(_ row: Int) -> String { row < 0 ? "in its header" : "behind its row \(row)" }

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
        ).quotingData
    }

    private func text(_ key: Key) -> String { "'\(keyText(key))'" }

    private func keyText(_ key: Key) -> String {
        String(decoding: key, as: UTF8.self).replacingOccurrences(of: "\u{0}", with: ", ")
    }

    private func failed(_ error: any Error) -> DaybookError {
        if let error = error as? DaybookError { return error }
        return .machine("cannot-write", "cannot write '\(output.text)': \(error.localizedDescription)")
    }
}

/// Joins records that stand behind each other and have the same key.
package struct KeyRuns {
    package struct Run {
        package let key: Cell
        package let bytes: Range<Int>
        package let records: Int
    }

    private let body: (Run) -> Bool
    /// How many of the next runs have one record, whatever follows.
    private var apart: Int
    @usableFromInline var key = Bytes()
    @usableFromInline var start = 0
    @usableFromInline var end = 0
    @usableFromInline var records = 0
    /// Whether a record with the same key belongs to the run.
    @usableFromInline var isOpen = false

    /// Hands each run of a text to `body` until that returns false.
    ///
    /// - Parameter apart: how many of the first records, such as a header, are runs of their own.
    /// - Returns: the end of the last whole record; nil if a record is no row of the output, or no more runs are wanted.
    package static func find(
        _ scan: ReplacedText.Scan,
        _ text: Cell,
        isLast: Bool,
        apart: Int = 0,
        _ body: (Run) -> Bool
    ) -> Int? {
        withoutActuallyEscaping(body) { body in
            var runs = KeyRuns(body: body, apart: apart)
            let end = scan(text, isLast, &runs)
            return runs.close() ? end : nil
        }
    }

    private init(body: @escaping (Run) -> Bool, apart: Int) { (self.body, self.apart) = (body, apart) }

    /// Adds the record behind the last one. Returns false if no more are wanted.
    @inlinable
    package mutating func add(_ next: Cell, _ record: Range<Int>) -> Bool {
        guard isOpen, next.isSame(as: key.filled) else { return open(next, record) }
        end = record.upperBound
        records &+= 1
        return true
    }

    @usableFromInline
    mutating func open(_ next: Cell, _ record: Range<Int>) -> Bool {
        guard close() else { return false }
        key.removeAll()
        key.append(next)
        (start, end, records) = (record.lowerBound, record.upperBound, 1)
        isOpen = apart <= 0
        return true
    }

    private mutating func close() -> Bool {
        guard records > 0 else { return true }
        apart -= 1
        let run = Run(key: key.filled, bytes: start..<end, records: records)
        (records, isOpen) = (0, false)
        return body(run)
    }
}

extension Cell {
    @inlinable
    func isSame(as other: Cell) -> Bool {
        guard count == other.count else { return false }
        guard let left = UnsafeRawPointer(baseAddress), let right = UnsafeRawPointer(other.baseAddress) else {
            return isEmpty
        }
        // Days have ten bytes, so most keys are two loads.
        guard (8...16).contains(count) else { return memcmp(left, right, count) == 0 }
        let last = count - 8
        return left.loadUnaligned(as: UInt64.self) == right.loadUnaligned(as: UInt64.self)
            && left.loadUnaligned(fromByteOffset: last, as: UInt64.self)
                == right.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    }
}

/// The rows of one group, such as a day, of an output that replaces groups: their size and their digest.
///
/// A later verification computes the same from the output, whichever other groups it got since.
public struct SinkGroup: Sendable, Hashable, Codable {
    /// The table of a database; nil for a text.
    public var part: String?
    /// The values of the columns in `replace_by`, as the output has them.
    public var key: String
    public var bytes: Int
    public var xxh128: String

    public init(part: String? = nil, key: String, bytes: Int, xxh128: String) {
        (self.part, self.key, self.bytes, self.xxh128) = (part, key, bytes, xxh128)
    }

    /// Of a run with more groups, none are kept: a manifest stays a file that people open.
    package static let most = 10_000
}

/// The groups that a run wrote into an output, and what stood there of them before.
public struct SinkGroups: Sendable {
    public var written: [SinkGroup]
    /// Groups without rows are absent. A table tells them only in a repeated run.
    public var replaced: [SinkGroup]

    package init(written: [SinkGroup] = [], replaced: [SinkGroup] = []) {
        (self.written, self.replaced) = (written, replaced)
    }

    package mutating func add(_ other: SinkGroups) {
        written += other.written
        replaced += other.replaced
    }
}

/// Computes the digest of the rows of a group, in their order.
final class GroupDigester {
    private var digest = XXH128Digest()
    private var bytes = 0

    func add(_ rows: Cell) {
        digest.update(rows)
        bytes += rows.count
    }

    func group(_ key: String) -> SinkGroup { SinkGroup(key: key, bytes: bytes, xxh128: digest.finish()) }
}
