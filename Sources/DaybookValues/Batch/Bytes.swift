import CFiles

/// A growable run of bytes outside Swift's array machinery, so that text columns can point into it.
///
/// One owner fills it. Once it is shared, by a column or with another thread, it is never written again. This rule
/// makes it sendable; the type cannot check it, so every function that fills one creates it as well.
public final class Bytes: @unchecked Sendable {
    // One owner fills a buffer, so accesses cannot overlap, and checking each at run time costs more than the writing.
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

    /// A copy of some bytes.
    public convenience init(_ bytes: some Collection<UInt8>) {
        self.init(capacity: bytes.count)
        if bytes.withContiguousStorageIfAvailable({ append($0) }) == nil { append(Array(bytes)) }
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

    /// Reserves `extra` more bytes and returns their address; add to `count` afterwards.
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

    /// A copy of a part of the buffer.
    package func copy(_ part: some RangeExpression<Int>) -> Bytes {
        defer { withExtendedLifetime(self) {} }
        return Bytes(cell(part))
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

    /// The text of a part, with U+FFFD for invalid UTF-8. For messages, not for row loops.
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

    /// Ends the process as a failure of the machine. As after a kill, the outputs are the old ones or the next run makes them whole.
    private static func outOfMemory(_ size: Int) -> Never {
        daybook_end_without_memory(size)
    }

    /// Appends the bytes of a number in this machine's order.
    @inlinable
    public func append<Value: BitwiseCopyable>(raw value: Value) {
        UnsafeMutableRawPointer(reserve(MemoryLayout<Value>.size)).storeBytes(of: value, as: Value.self)
        count &+= MemoryLayout<Value>.size
    }

    /// Writes a number over bytes that are there.
    package func replace<Value: BitwiseCopyable>(at place: Int, raw value: Value) {
        precondition(place >= 0 && place + MemoryLayout<Value>.size <= count)
        UnsafeMutableRawPointer(mutableBase + place).storeBytes(of: value, as: Value.self)
    }

    /// Appends a flag as a byte.
    public func append(flag: Bool) { append(raw: UInt8(flag ? 1 : 0)) }

    /// Appends a text after its length.
    public func append(counted text: String) {
        append(raw: UInt32(text.utf8.count))
        append(text)
    }

    /// Appends numbers after their count.
    public func append<Value: BitwiseCopyable>(array values: [Value]) {
        append(raw: UInt32(values.count))
        values.withUnsafeBytes { append($0.assumingMemoryBound(to: UInt8.self)) }
    }
}

/// Filling a buffer without touching its memory.
extension Bytes {
    public func append(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { append($0) } }

    public func append(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBufferPointer { append($0) } }

    /// Appends a part of another buffer.
    @inlinable
    public func append(_ range: some RangeExpression<Int>, of other: Bytes) {
        append(other.cell(range))
        withExtendedLifetime(other) {}
    }

    /// Removes bytes at the beginning; the others move up.
    public func removeFirst(_ count: Int) {
        self.count -= cell(..<count).count
        memmove(mutableBase, base + count, self.count)
    }

    /// Part of the buffer, as an address that does not keep the buffer alive: use it while something else does.
    @inlinable
    public func cell(_ range: some RangeExpression<Int>) -> Cell {
        Cell(rebasing: filled[range.relative(to: 0..<count)])
    }
}

extension Morsel {
    /// Its bytes, as an address that does not keep the morsel alive: use it while something else does.
    public var cell: Cell { Cell(start: bytes.base, count: length) }
}

/// System calls that read into the buffer and write from it. Each makes one call and returns its result.
extension Bytes {
    /// Appends at most `count` bytes of a file. Returns their number, 0 at the end of the file, or -1 with `errno`.
    public func append(upTo count: Int, from descriptor: Int32) -> Int { took(read(descriptor, reserve(count), count)) }

    /// Appends bytes of a file from `offset` on, without moving the position of the descriptor.
    public func append(upTo count: Int, from descriptor: Int32, at offset: Int) -> Int {
        took(pread(descriptor, reserve(count), count, off_t(offset)))
    }

    private func took(_ got: Int) -> Int {
        count += max(0, got)
        return got
    }

    /// Writes a part of the buffer. Returns the number of bytes, or -1 with `errno`.
    public func send(_ part: Range<Int>, to descriptor: Int32) -> Int {
        systemWrite(descriptor, cell(part))
    }

    /// Writes bytes to a file at `offset`, without moving the position of the descriptor.
    public func send(_ part: Range<Int>, to descriptor: Int32, at offset: Int) -> Int {
        let bytes = cell(part)
        return pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    }

    /// A buffer for writes that bypass the system's page cache: aligned to its size, a power of two. It never grows.
    ///
    /// - Parameter isHuge: Whether to ask for one huge page.
    public static func block(of size: Int, isHuge: Bool) -> Bytes {
        let block = Bytes(capacity: size, alignment: size)
        #if os(Linux)
            if isHuge { madvise(block.mutableBase, size, MADV_HUGEPAGE) }
        #endif
        return block
    }
}

extension [UInt8] {
    /// The bytes of a string of C, without the NUL at its end.
    public init(_ text: UnsafePointer<CChar>) {
        self = Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }
}

/// `write` by a name that the methods above do not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: Cell) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

/// Writes into a `Bytes` through a bare address, for loops that write many small things.
///
/// Capacity is reserved once and then filled without further checks; `finish` sets the buffer's count.
public struct ByteCursor {
    @usableFromInline let bytes: Bytes
    /// Where the next byte goes.
    public var next: UnsafeMutablePointer<UInt8>
    @usableFromInline var limit: UnsafeMutablePointer<UInt8>

    /// Begins after the bytes in `bytes`. Until `finish`, nothing else may access `bytes`.
    @inlinable
    public init(_ bytes: Bytes) {
        self.bytes = bytes
        next = bytes.reserve(64)
        limit = bytes.mutableBase + bytes.capacity
    }

    /// Ensures that `count` bytes can be written at `next`.
    @inlinable
    public mutating func reserve(_ count: Int) {
        if limit - next < count { grow(count) }
    }

    /// The length of the buffer with the bytes written so far.
    @inlinable
    public var count: Int { next - bytes.mutableBase }

    /// Writes one byte into reserved capacity.
    @inlinable
    public mutating func put(_ byte: UInt8) {
        next.pointee = byte
        next += 1
    }

    /// Writes bytes into reserved capacity.
    @inlinable
    public mutating func put(_ cell: Cell) {
        guard let start = cell.baseAddress else { return }
        next.update(from: start, count: cell.count)
        next += cell.count
    }

    /// Writes the first `count` bytes of a word. All eight must be reserved.
    @inlinable
    public mutating func put(_ word: UInt64, count: Int) {
        UnsafeMutableRawPointer(next).storeBytes(of: word.littleEndian, as: UInt64.self)
        next += count
    }

    /// Discards everything after the first `count` bytes.
    @inlinable
    public mutating func rewind(to count: Int) { next = bytes.mutableBase + count }

    /// Passes the written bytes to the buffer.
    @inlinable
    public func finish() { bytes.count = next - bytes.mutableBase }

    @usableFromInline
    mutating func grow(_ count: Int) {
        finish()
        next = bytes.reserve(max(count, bytes.count))
        limit = bytes.mutableBase + bytes.capacity
    }
}

/// Reads values back from bytes, and throws when the bytes end early.
public struct ByteReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    public private(set) var position = 0

    /// The bytes must outlive the reader.
    public init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The error for bytes that differ from what was written.
    public static let damaged = DaybookError.machine("damaged-partial", "a stored partial result cannot be read back")

    public var isAtEnd: Bool { position == bytes.count }

    /// How many bytes are left.
    public var left: Int { bytes.count - position }

    /// The next `count` bytes.
    public mutating func take(_ count: Int) throws(DaybookError) -> UnsafeBufferPointer<UInt8> {
        guard count >= 0, count <= left else { throw ByteReader.damaged }
        defer { position += count }
        return UnsafeBufferPointer(rebasing: bytes[position..<position + count])
    }

    /// The remaining bytes.
    public mutating func rest() throws(DaybookError) -> UnsafeBufferPointer<UInt8> { try take(left) }

    /// The next number, written by `Bytes.append(raw:)`.
    public mutating func raw<Value: BitwiseCopyable>(_: Value.Type = Value.self) throws(DaybookError) -> Value {
        UnsafeRawBufferPointer(try take(MemoryLayout<Value>.size)).loadUnaligned(as: Value.self)
    }

    /// The next flag, written by `Bytes.append(flag:)`; a byte that is neither 0 nor 1 is damaged.
    public mutating func flag() throws(DaybookError) -> Bool {
        let byte = try raw(UInt8.self)
        guard byte < 2 else { throw ByteReader.damaged }
        return byte == 1
    }

    /// The next text, written by `Bytes.append(counted:)`.
    public mutating func text() throws(DaybookError) -> String {
        String(decoding: try take(Int(try raw(UInt32.self))), as: UTF8.self)
    }

    /// The next array, written by `Bytes.append(array:)`.
    public mutating func array<Value: BitwiseCopyable>(_: Value.Type = Value.self) throws(DaybookError) -> [Value] {
        let count = Int(try raw(UInt32.self))
        let part = UnsafeRawBufferPointer(try take(count * MemoryLayout<Value>.stride))
        return [Value](unsafeUninitializedCapacity: count) { new, filled in
            UnsafeMutableRawBufferPointer(new).copyMemory(from: part)
            filled = count
        }
    }
}

/// How the C library retains memory that a run frees.
package enum Allocation {
    /// Keeps freed morsel buffers in the process instead of returning them to the system, and in one arena for every
    /// four threads.
    ///
    /// By default glibc maps every large buffer anew, and the kernel then clears each page again; measured on the copy
    /// of a 300 MB file, that was a fifth of all time. Each thread also gets an arena of its own. A buffer that one
    /// thread fills and another frees leaves holes there, and memory grew with the length of a run. Larger buffers are
    /// rare and come from the system, so that they leave no holes.
    package static func keepBuffers(threads: Int) {
        #if canImport(Glibc)
            mallopt(M_MMAP_THRESHOLD, Int32(longestBuffer))
            mallopt(M_TRIM_THRESHOLD, 256 << 20)
            mallopt(M_ARENA_MAX, Int32(clamping: max(1, threads / 4)))
        #endif
    }

    /// Places the next buffers in huge pages, if the system has them.
    ///
    /// A run that goes through buffers of a megabyte, one after another, has more places at a time than the processor knows the small
    /// pages of; and a huge page is cleared at once where 512 small ones interrupt the run one by one. That is a twentieth of the time of
    /// jobs that write all their rows. Four pages hold the buffers of two threads, and more would only take memory; a short run
    /// has nothing of it but the clearing.
    package static func useHugePages() {
        #if os(Linux) && canImport(Glibc)
            let (page, room) = (2 << 20, 8 << 20)
            // For once not from the system, but from the arena of the next buffers.
            mallopt(M_MMAP_THRESHOLD, Int32(2 * room))
            if let memory = malloc(room) {
                let start = memory.alignedUp(toMultipleOf: page)
                madvise(start, (memory + room - start) / page * page, MADV_HUGEPAGE)
                free(memory)
            }
            mallopt(M_MMAP_THRESHOLD, Int32(longestBuffer))
        #endif
    }

    private static let longestBuffer = 4 << 20
}
