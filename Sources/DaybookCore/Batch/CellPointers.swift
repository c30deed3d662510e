import CScan

/// The cells of one column as bare addresses, for loops that go along the rows of many columns at once.
///
/// Valid only inside `Batch.withCellPointers`.
public struct CellPointers: BitwiseCopyable {
    public let kind: ColumnKind
    /// The elements of a column of values, or the views of a column of text.
    @usableFromInline let elements: UnsafeRawPointer
    /// What the views of a column of text or JSON count from.
    public let text: UnsafePointer<UInt8>
    /// The words of the mask, or nil when nothing is missing.
    @usableFromInline let missing: UnsafePointer<UInt64>?

    @inlinable
    public func isMissing(_ row: Int) -> Bool {
        guard let missing else { return false }
        return missing[row >> 6] >> UInt64(row & 63) & 1 == 1
    }

    /// The rows without a value among the 64 from `row` on, which is a multiple of 64: a bit for each, the first lowest.
    @inlinable
    public func missing(from row: Int) -> UInt64 { missing?[row >> 6] ?? 0 }

    /// Whether some rows, of which there is one at least, all hold the same, told by their views where they hold text; or nothing.
    package func isUniform(_ rows: Range<Int>) -> Bool {
        let first = rows.lowerBound
        if missing != nil, !rows.allSatisfy({ isMissing($0) == isMissing(first) }) { return false }
        if isMissing(first) { return true }
        let size =
            switch kind {
            case .flag: MemoryLayout<Bool>.stride
            case .day: MemoryLayout<Int32>.stride
            default: MemoryLayout<Int64>.stride
            }
        // Alike are those where each is as the one before.
        let start = elements + first * size
        return memcmp(start, start + size, (rows.count - 1) * size) == 0
    }

    /// The views of a column of text or JSON.
    @inlinable
    public var views: UnsafePointer<TextView> { elements.assumingMemoryBound(to: TextView.self) }

    /// The text of a row of a column of text or JSON.
    @inlinable
    public func cell(_ row: Int) -> Cell {
        let view = views[row]
        return Cell(start: text + Int(view.offset), count: Int(view.length))
    }

    /// The number of a row of a column of integers or instants.
    @inlinable
    public func integer(_ row: Int) -> Int64 { elements.assumingMemoryBound(to: Int64.self)[row] }

    @inlinable
    public func decimal(_ row: Int) -> Double { elements.assumingMemoryBound(to: Double.self)[row] }

    @inlinable
    public func flag(_ row: Int) -> Bool { elements.assumingMemoryBound(to: Bool.self)[row] }

    @inlinable
    public func day(_ row: Int) -> Int32 { elements.assumingMemoryBound(to: Int32.self)[row] }
}

extension Batch {
    /// Calls `body` with the addresses of all columns, in the order of the schema.
    ///
    /// The storage of an array does not move while the array is alive and nobody writes to it; the batch is kept alive
    /// until `body` returns, and batches are never written to.
    @inlinable
    public func withCellPointers<Result>(_ body: (UnsafeBufferPointer<CellPointers>) -> Result) -> Result {
        let pointers = columns.map(CellPointers.init)
        let result = pointers.withUnsafeBufferPointer(body)
        withExtendedLifetime(self) {}
        return result
    }
}

extension CellPointers {
    @usableFromInline
    init(_ column: Column) {
        kind = column.kind
        missing = column.missing.flatMap { $0.words.withUnsafeBufferPointer(\.baseAddress) }
        var text: UnsafePointer<UInt8>?
        var elements: UnsafeRawPointer?
        switch column {
        case .text(let column), .json(let column):
            text = column.bytes.base
            elements = column.views.withUnsafeBytes(\.baseAddress)
        case .integers(let values), .instants(let values): elements = values.elements.withUnsafeBytes(\.baseAddress)
        case .decimals(let values): elements = values.elements.withUnsafeBytes(\.baseAddress)
        case .flags(let values): elements = values.elements.withUnsafeBytes(\.baseAddress)
        case .days(let values): elements = values.elements.withUnsafeBytes(\.baseAddress)
        }
        // An empty array may have no address at all; nothing is read through this one then.
        self.elements = elements ?? UnsafeRawPointer(bitPattern: 64)!
        self.text = text ?? self.elements.assumingMemoryBound(to: UInt8.self)
    }
}
