/// Writes into a `Bytes` through a bare address, for loops that write many small things.
///
/// Room is asked for once and then filled without further checks; `finish` tells the buffer how much was written.
public struct ByteCursor {
    @usableFromInline let bytes: Bytes
    /// Where the next byte goes.
    public var next: UnsafeMutablePointer<UInt8>
    @usableFromInline var limit: UnsafeMutablePointer<UInt8>

    /// Begins behind what `bytes` holds. Until `finish`, nobody else may touch `bytes`.
    @inlinable
    public init(_ bytes: Bytes) {
        self.bytes = bytes
        next = bytes.reserve(64)
        limit = bytes.mutableBase + bytes.capacity
    }

    /// Makes sure that `count` bytes can be written at `next`.
    @inlinable
    public mutating func reserve(_ count: Int) {
        if limit - next < count { grow(count) }
    }

    /// How many bytes the buffer holds with what was written so far.
    @inlinable
    public var count: Int { next - bytes.mutableBase }

    /// Writes one byte into room that was reserved.
    @inlinable
    public mutating func put(_ byte: UInt8) {
        next.pointee = byte
        next += 1
    }

    /// Writes bytes into room that was reserved.
    @inlinable
    public mutating func put(_ cell: Cell) {
        guard let start = cell.baseAddress else { return }
        next.update(from: start, count: cell.count)
        next += cell.count
    }

    /// Writes the first `count` bytes of a word into room that was reserved for all eight.
    @inlinable
    public mutating func put(_ word: UInt64, count: Int) {
        UnsafeMutableRawPointer(next).storeBytes(of: word.littleEndian, as: UInt64.self)
        next += count
    }

    /// Takes back what was written since the buffer held `count` bytes.
    @inlinable
    public mutating func rewind(to count: Int) { next = bytes.mutableBase + count }

    /// Hands what was written over to the buffer.
    @inlinable
    public func finish() { bytes.count = next - bytes.mutableBase }

    @usableFromInline
    mutating func grow(_ count: Int) {
        finish()
        next = bytes.reserve(max(count, bytes.count))
        limit = bytes.mutableBase + bytes.capacity
    }
}
