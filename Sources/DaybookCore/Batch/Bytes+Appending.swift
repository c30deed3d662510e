/// Filling a buffer without touching its memory.
extension Bytes {
    public func append(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { append($0) } }

    public func append(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBufferPointer { append($0) } }

    /// Appends a part of another buffer.
    public func append(_ range: some RangeExpression<Int>, of other: Bytes) {
        append(other.cell(range))
        withExtendedLifetime(other) {}
    }

    /// Takes away bytes at the beginning; those behind them move up.
    public func removeFirst(_ count: Int) {
        self.count -= cell(..<count).count
        memmove(mutableBase, base + count, self.count)
    }

    /// A part of what it holds, as an address that does not keep the buffer alive: use it while something else does.
    public func cell(_ range: some RangeExpression<Int>) -> Cell {
        Cell(rebasing: filled[range.relative(to: 0..<count)])
    }
}

extension Morsel {
    /// Its bytes, as an address that does not keep the morsel alive: use it while something else does.
    public var cell: Cell { Cell(start: bytes.base, count: length) }
}
