/// A growable run of bytes outside Swift's array machinery, so that text columns can point into it.
///
/// One owner fills it; once it is shared, by a column or with another thread, nobody writes to it again.
/// That rule is what makes it sendable: the type cannot check it, so every function that fills one makes it itself.
public final class Bytes: @unchecked Sendable {
    // One owner fills a buffer, so its accesses cannot overlap, and checking each at run time costs more than the writing.
    @exclusivity(unchecked) @usableFromInline var storage: UnsafeMutablePointer<UInt8>
    @exclusivity(unchecked) @usableFromInline var room: Int
    /// How many bytes it can hold before it grows.
    @inlinable
    public var capacity: Int { room }
    /// How many bytes hold something.
    @exclusivity(unchecked) public var count: Int

    public init(capacity: Int = 0) {
        room = max(capacity, 64)
        guard let memory = malloc(room + Bytes.slack) else { Bytes.outOfMemory(room) }
        storage = memory.assumingMemoryBound(to: UInt8.self)
        count = 0
    }

    /// Begins at a multiple of `alignment`, as long as it does not grow.
    init(capacity: Int, alignment: Int) {
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, alignment, capacity + Bytes.slack) == 0, let memory else {
            Bytes.outOfMemory(capacity)
        }
        (storage, room, count) = (memory.assumingMemoryBound(to: UInt8.self), capacity, 0)
    }

    public convenience init(_ text: String) {
        var text = text
        self.init(capacity: text.utf8.count)
        text.withUTF8 { append($0) }
    }

    deinit { free(storage) }

    /// Bytes past the capacity that may be read, never written: vector loads may run over the end.
    public static let slack = 64

    @inlinable
    public var base: UnsafePointer<UInt8> { UnsafePointer(storage) }

    @inlinable
    public var mutableBase: UnsafeMutablePointer<UInt8> { storage }

    /// The filled part, as an address that does not keep the buffer alive: use it while something else does.
    @inlinable
    public var filled: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: storage, count: count) }

    /// A byte of the filled part.
    @inlinable
    public subscript(place: Int) -> UInt8 {
        precondition(UInt(bitPattern: place) < UInt(bitPattern: count), "a byte is read where none is filled")
        return storage[place]
    }

    /// Makes room for `extra` more bytes and gives the place where they go; add to `count` afterwards.
    @inlinable
    public func reserve(_ extra: Int) -> UnsafeMutablePointer<UInt8> {
        if capacity &- count < extra { grow(to: count + extra) }
        return storage + count
    }

    @inlinable
    public func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return }
        reserve(bytes.count).update(from: start, count: bytes.count)
        count &+= bytes.count
    }

    public func append(_ bytes: Span<UInt8>) { bytes.withUnsafeBufferPointer { append($0) } }

    public func append(_ other: Bytes) {
        append(other.filled)
        withExtendedLifetime(other) {}
    }

    /// Appends a part of what another one holds.
    public func append(_ other: Bytes, _ part: Range<Int>) {
        append(UnsafeBufferPointer(rebasing: other.filled[part]))
        withExtendedLifetime(other) {}
    }

    /// A copy of the filled part.
    public var array: [UInt8] {
        defer { withExtendedLifetime(self) {} }
        return Array(filled)
    }

    @inlinable
    public func append(_ byte: UInt8) {
        reserve(1).pointee = byte
        count &+= 1
    }

    public func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    public func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    public func removeAll() { count = 0 }

    /// The text of a part, with U+FFFD for what is not UTF-8. For messages, not for row loops.
    public func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: filled[range]), as: UTF8.self)
    }

    @usableFromInline
    func grow(to needed: Int) {
        let larger = max(needed, capacity * 2)
        guard let memory = realloc(storage, larger + Bytes.slack) else { Bytes.outOfMemory(larger) }
        storage = memory.assumingMemoryBound(to: UInt8.self)
        room = larger
    }

    private static func outOfMemory(_ size: Int) -> Never {
        preconditionFailure("the machine has no \(size) bytes of memory left")
    }
}
