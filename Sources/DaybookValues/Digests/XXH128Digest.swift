import CXXHash

/// The 128 bits of XXH3 over bytes that come in pieces.
public struct XXH128Digest: ~Copyable {
    private let state: OpaquePointer

    public init() {
        guard let state = xxh128_begin() else { preconditionFailure("the machine has no memory left for a digest") }
        self.state = state
    }

    deinit { xxh128_end(state) }

    public mutating func update(_ bytes: Cell) { xxh128_update(state, bytes.baseAddress, bytes.count) }

    /// The digest so far, as `xxh128sum` prints it: 32 hexadecimal digits.
    public func finish() -> String {
        var value = [UInt8](repeating: 0, count: 16)
        xxh128_value(state, &value)
        return Hexadecimal.text(of: value)
    }
}
