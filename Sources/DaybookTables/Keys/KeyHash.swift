/// What makes the hashes of keys differ from run to run, so that nobody can write keys that collide.
package enum KeyHash {
    static let seed = HashSeed.current
}

/// The number of parts into which keys are laid by their hashes. Of a hundred million keys, a part has 400,000.
enum Parts {
    static let count = 256

    /// The part of a key.
    @inline(__always)
    static func of(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 56) }
}
