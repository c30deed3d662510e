/// Reads back what was written to bytes, and says so when they end early.
public struct ByteReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    public private(set) var position = 0

    /// The bytes must outlive the reader.
    public init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// What is thrown when the bytes are not what was written.
    public static let damaged = DaybookError.machine("damaged-partial", "a stored partial result cannot be read back")

    public var isAtEnd: Bool { position == bytes.count }

    /// How many bytes are left.
    public var left: Int { bytes.count - position }

    /// The next `count` bytes.
    public mutating func take(_ count: Int) throws(DaybookError) -> UnsafeBufferPointer<UInt8> {
        guard count >= 0, count <= left else {
            throw ByteReader.damaged
        }
        defer { position += count }
        return UnsafeBufferPointer(rebasing: bytes[position..<position + count])
    }

    /// All bytes that are left.
    public mutating func rest() throws(DaybookError) -> UnsafeBufferPointer<UInt8> { try take(left) }

    /// The next number, written by `Bytes.append(raw:)`.
    public mutating func raw<Value: BitwiseCopyable>(_: Value.Type = Value.self) throws(DaybookError) -> Value {
        let part = UnsafeRawBufferPointer(try take(MemoryLayout<Value>.size))
        return part.loadUnaligned(as: Value.self)
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

extension Bytes {
    /// Appends the bytes of a number in this machine's order.
    public func append<Value: BitwiseCopyable>(raw value: Value) {
        withUnsafeBytes(of: value) { append($0.assumingMemoryBound(to: UInt8.self)) }
    }

    /// Writes a number over bytes that are there.
    package func replace<Value: BitwiseCopyable>(at place: Int, raw value: Value) {
        precondition(place >= 0 && place + MemoryLayout<Value>.size <= count)
        UnsafeMutableRawPointer(mutableBase + place).storeBytes(of: value, as: Value.self)
    }

    /// Appends a flag as a byte.
    public func append(flag: Bool) { append(raw: UInt8(flag ? 1 : 0)) }

    /// Appends a text behind its length.
    public func append(counted text: String) {
        append(raw: UInt32(text.utf8.count))
        append(text)
    }

    /// Appends numbers behind their count.
    public func append<Value: BitwiseCopyable>(array values: [Value]) {
        append(raw: UInt32(values.count))
        values.withUnsafeBytes { append($0.assumingMemoryBound(to: UInt8.self)) }
    }
}
