import Foundation

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
