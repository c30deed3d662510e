import CXXHash

/// Packed rows in order, in memory or on disk.
package struct PackedRun: Sendable {
    package enum Storage: Sendable {
        case memory(Bytes)
        case file(any ScratchFile, level: Int)
    }

    let storage: Storage
    /// Bytes of all rows.
    package let length: Int
    package let marks: RunMarks
    /// The offset added to the number of each row; nil if rows have no numbers.
    package private(set) var raise: Int?

    package init(_ storage: Storage, length: Int, _ marks: RunMarks, raise: Int? = nil) {
        (self.storage, self.length, self.marks, self.raise) = (storage, length, marks, raise)
    }

    /// The same rows, numbered after `rows` others.
    fileprivate func raised(by rows: Int) -> PackedRun {
        var run = self
        run.raise = raise.map { $0 + rows }
        return run
    }

    package var isInMemory: Bool { level == nil }

    /// How often the rows have been merged on disk; nil in memory.
    package var level: Int? { if case .file(_, let level) = storage { level } else { nil } }

    /// Bytes that leave the memory when the run is written to disk.
    package var footprint: Int { isInMemory ? length + marks.footprint : 0 }

    /// Appends the rows in a range of bytes.
    package func read(_ range: Range<Int>, into bytes: Bytes) throws(DaybookError) {
        switch storage {
        case .memory(let rows):
            bytes.append(UnsafeBufferPointer(rebasing: rows.filled[range]))
            withExtendedLifetime(rows) {}
        case .file(let file, _):
            let end = bytes.count + range.count
            try file.read(range.count, at: range.lowerBound, into: bytes)
            guard bytes.count == end else { throw ByteReader.damaged }
        }
    }
}

/// A packed row.
struct PackedRow {
    private let start: UnsafePointer<UInt8>
    let key: Cell
    let end: UnsafePointer<UInt8>

    @inline(__always)
    init(_ start: UnsafePointer<UInt8>) {
        self.start = start
        var next = start
        let rest = Int(truncatingIfNeeded: LEB128.take(&next))
        let count = Int(truncatingIfNeeded: LEB128.take(&next))
        key = Cell(start: next, count: count)
        end = next + count + rest
    }

    /// A row that was read from elsewhere; nil when it does not end where it may.
    init?(_ start: UnsafePointer<UInt8>, within limit: UnsafePointer<UInt8>) {
        var next = start
        let lengths = (LEB128.take(&next), LEB128.take(&next))
        let space = UInt64(max(0, limit - next))
        guard lengths.1 <= space, lengths.0 <= space - lengths.1 else { return nil }
        self.init(start)
    }

    /// Its bytes.
    var whole: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: end - start) }

    /// Whether the bytes behind the key are long enough for a number.
    var hasNumber: Bool { end - UnsafePointer(key.baseAddress.unsafelyUnwrapped + key.count) >= 8 }

    /// The number at the end of a row that has one.
    var number: Int { Int(truncatingIfNeeded: UnsafeRawPointer(end - 8).loadUnaligned(as: Int64.self)) }

    /// Negative if the first key comes before the other, 0 if they are equal.
    @inline(__always)
    static func compare(_ one: Cell, _ other: Cell) -> Int {
        // No key is the beginning of another.
        compare(one, other, upTo: min(one.count, other.count))
    }

    /// The same for prefixes of keys with at least that length.
    @inline(__always)
    static func compare(_ one: Cell, _ other: Cell, upTo count: Int) -> Int {
        guard let first = one.baseAddress, let second = other.baseAddress else { return 0 }
        return Int(memcmp(first, second, count))
    }
}

/// The keys of some rows of a run, as an index to the others.
package struct RunMarks: Sendable {
    static let stepInMemory = 4 << 10
    package static let stepOnDisk = 16 << 10
    /// The step for looking up single keys.
    package static let stepForKeys = 4 << 10

    /// Where each of these rows begins, and where its key ends among the keys.
    package private(set) var places: [Int] = []
    private var ends: [Int] = []
    private let keys = Bytes()

    package init(places: [Int] = []) { self.places = places }

    package var footprint: Int { places.count * 16 + keys.count }

    /// Marks a row far enough from the last mark. Long keys are marked less often, so that they do not fill the memory.
    ///
    /// - Parameter place: an offset beyond the offsets of all earlier rows.
    @inline(__always)
    package mutating func note(_ key: Cell, at place: Int, every step: Int) {
        if let last = places.last, place &- last < max(step, key.count &* 16) { return }
        add(key, place)
    }

    private mutating func add(_ key: Cell, _ place: Int) {
        places.append(place)
        keys.append(key)
        ends.append(keys.count)
    }

    /// Adds the marks of rows that begin at `shift`.
    package mutating func append(_ later: RunMarks, shiftedBy shift: Int) {
        for mark in later.places.indices { later.withKey(mark) { add($0, later.places[mark] + shift) } }
    }

    package func withKey<Result>(_ mark: Int, _ body: (Cell) -> Result) -> Result {
        defer { withExtendedLifetime(keys) {} }
        return body(Cell(rebasing: keys.filled[(mark == 0 ? 0 : ends[mark - 1])..<ends[mark]]))
    }
}

/// The partial of a sort: sorted runs, in the order of the input.
public struct SortedRuns: FoldPartial, BinaryForm {
    /// The columns of the rows.
    package let schema: Schema
    package private(set) var runs: [PackedRun] = []
    public private(set) var foldedRows = 0
    /// Bytes of the runs in memory.
    public private(set) var footprint = 0

    /// - Parameter areNumbered: whether each row stores its number among all, instead of its origin.
    package init(_ batch: Batch, by keys: [SortKey], areNumbered: Bool = false) {
        schema = batch.schema
        foldedRows = batch.count
        guard batch.count > 0 else { return }
        replaceRuns([PackedForm(schema, by: keys, areNumbered: areNumbered).sorted(batch)])
    }

    package mutating func append(_ later: SortedRuns) {
        runs += later.runs.map { $0.raised(by: foldedRows) }
        foldedRows += later.foldedRows
        footprint += later.footprint
    }

    /// Replaces the runs by other runs of the same rows.
    package mutating func replaceRuns(_ new: [PackedRun]) {
        runs = new
        footprint = new.reduce(0) { $0 + $1.footprint }
    }

    public func write(to bytes: Bytes) throws(DaybookError) {
        Batch(empty: schema).write(to: bytes)
        bytes.append(raw: UInt64(foldedRows))
        bytes.append(raw: UInt32(runs.count))
        for run in runs {
            bytes.append(raw: UInt64(run.length))
            bytes.append(raw: Int64(run.raise ?? -1))
            try run.read(0..<run.length, into: bytes)
        }
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        schema = try Batch(reading: &reader).schema
        foldedRows = Int(try reader.raw(UInt64.self))
        var runs: [PackedRun] = []
        for _ in 0..<(try reader.raw(UInt32.self)) {
            let rows = Bytes()
            let length = Int(truncatingIfNeeded: try reader.raw(UInt64.self))
            let raise = Int(try reader.raw(Int64.self))
            rows.append(try reader.take(length))
            var marks = RunMarks()
            var next = rows.base
            while next < rows.base + rows.count {
                guard let row = PackedRow(next, within: rows.base + rows.count),
                    raise < 0 || row.hasNumber && (0..<foldedRows).contains(row.number &+ raise)
                else { throw ByteReader.damaged }
                marks.note(row.key, at: next - rows.base, every: RunMarks.stepInMemory)
                next = row.end
            }
            withExtendedLifetime(rows) {}
            runs.append(PackedRun(.memory(rows), length: rows.count, marks, raise: raise < 0 ? nil : raise))
        }
        replaceRuns(runs)
    }
}

/// Packed rows and their order.
package struct PackedRows {
    package let bytes: Bytes
    /// The start of each row, and the place of its key.
    package internal(set) var starts: [UInt32] = []
    package internal(set) var keys: [KeySpan] = []
    package internal(set) var order: [UInt32] = []

    /// Rows in their order, with marks for a run on disk.
    package struct Ordered: Sendable {
        package let bytes: Bytes
        package let marks: RunMarks
    }

    /// - Parameter step: about how many bytes are between two marks.
    package func ordered(markedEvery step: Int = RunMarks.stepOnDisk) -> Ordered {
        let result = Bytes(capacity: bytes.count)
        var marks = RunMarks()
        for row in order {
            let start = bytes.base + Int(starts[Int(row)])
            let packed = PackedRow(start)
            marks.note(packed.key, at: result.count, every: step)
            result.append(UnsafeBufferPointer(start: start, count: packed.end - start))
        }
        withExtendedLifetime(bytes) {}
        return Ordered(bytes: result, marks: marks)
    }
}

extension PackedRows {
    /// How many of the first rows fit into `limit` bytes.
    package func count(within limit: Int) -> Int {
        defer { withExtendedLifetime(bytes) {} }
        var total = 0
        return order.firstIndex { row in
            total += PackedRow(bytes.base + Int(starts[Int(row)])).whole.count
            return total > limit
        } ?? order.count
    }

    /// Appends the rows between two bytes, with `raise` added to their numbers.
    mutating func add(_ start: Int, _ end: Int, raise: Int?) {
        let target = UnsafeMutableRawPointer(bytes.mutableBase)
        var next = bytes.base + start
        while next < bytes.base + end {
            let row = PackedRow(next)
            starts.append(UInt32(next - bytes.base))
            let key = row.key.baseAddress.unsafelyUnwrapped - bytes.base
            keys.append(KeySpan(start: UInt32(key), end: UInt32(key + row.key.count)))
            if let raise, raise > 0 {
                let number = row.number &+ raise
                target.storeBytes(of: Int64(number), toByteOffset: row.end - bytes.base - 8, as: Int64.self)
            }
            next = row.end
        }
    }
}
