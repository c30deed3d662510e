import Synchronization

/// The seed of the hashes of keys: drawn anew in every process, so that nobody can write keys which all collide.
///
/// Processes that share the work of one run share its seed too: one partitions keys by hash, another merges them.
package enum HashSeed {
    private static let drawn = Mutex<(seed: UInt64?, isUsed: Bool)>((nil, false))

    /// The seed of this process, which never changes once read.
    package static var current: UInt64 {
        drawn.withLock { state in
            let seed = state.seed ?? UInt64.random(in: 1...UInt64.max)
            state = (seed, true)
            return seed
        }
    }

    /// Adopts the seed of a run that several processes share; false if this process has already used another.
    package static func adopt(_ seed: UInt64) -> Bool {
        drawn.withLock { state in
            guard !state.isUsed || state.seed == seed else { return false }
            state.seed = seed
            return true
        }
    }

    /// The seed of this process as 16 hexadecimal digits.
    package static var text: String {
        let digits = String(current, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
