import DaybookCore

/// Hashes of keys: 64 bits that stand for the values of one or several columns.
enum KeyHash {
    /// No key has this hash.
    static let none: UInt64 = 0

    /// Drawn anew in every process, so that nobody can write keys that collide.
    static let seed = UInt64.random(in: 1...UInt64.max)
    private static let secondSeed = UInt64.random(in: 1...UInt64.max)
    private static let factor = UInt64.random(in: 1...UInt64.max)

    /// One hash a row. What stands under a gap is arbitrary.
    static func hashes(of batch: Batch, _ columns: [ColumnName]) -> [UInt64] { hashes(of: batch, columns, seed) }

    /// Another hash a row, for where one is not enough.
    static func secondHashes(of batch: Batch, _ columns: [ColumnName]) -> [UInt64] {
        hashes(of: batch, columns, secondSeed)
    }

    /// The hash of a whole number. No two of them have the same.
    @inline(__always)
    static func spread(_ word: UInt64) -> UInt64 { mixed(seed, word) }

    private static func hashes(of batch: Batch, _ columns: [ColumnName], _ seed: UInt64) -> [UInt64] {
        var hashes = [UInt64](repeating: seed, count: batch.count)
        for column in columns {
            switch batch.column(column) {
            case .text(let text), .json(let text): mix(text, into: &hashes)
            case .integers(let values), .instants(let values):
                mix(values.elements, into: &hashes, isAlone: columns.count == 1) { UInt64(bitPattern: $0) }
            case .decimals(let values):
                // −0 equals 0, and what is no number is alike, whatever its bits.
                mix(values.elements, into: &hashes, isAlone: columns.count == 1) {
                    ($0 == 0 ? 0 : $0.isNaN ? .nan : $0).bitPattern
                }
            case .flags(let values): mix(values.elements, into: &hashes, isAlone: columns.count == 1) { $0 ? 1 : 0 }
            case .days(let values):
                mix(values.elements, into: &hashes, isAlone: columns.count == 1) { UInt64(truncatingIfNeeded: $0) }
            }
        }
        return hashes
    }

    @inline(__always)
    private static func mix<Element>(
        _ elements: [Element],
        into hashes: inout [UInt64],
        isAlone: Bool,
        _ bits: (Element) -> UInt64
    ) {
        elements.withUnsafeBufferPointer { elements in
            hashes.withUnsafeMutableBufferPointer { hashes in
                if isAlone {
                    for row in 0..<elements.count { hashes[row] = some(mixed(hashes[row], bits(elements[row]))) }
                } else {
                    for row in 0..<elements.count { hashes[row] = step(hashes[row], bits(elements[row])) }
                }
            }
        }
    }

    private static func mix(_ text: TextColumn, into hashes: inout [UInt64]) {
        let base = UnsafeRawPointer(text.bytes.base)
        text.views.withUnsafeBufferPointer { views in
            hashes.withUnsafeMutableBufferPointer { hashes in
                for row in 0..<views.count {
                    var hash = step(hashes[row], UInt64(views[row].length))
                    var place = base + Int(views[row].offset)
                    var rest = Int(views[row].length)
                    while rest >= 8 {
                        hash = step(hash, place.loadUnaligned(as: UInt64.self))
                        place += 8
                        rest -= 8
                    }
                    if rest > 0 {
                        // A buffer can be read past its end; what is there is cut off.
                        let word = place.loadUnaligned(as: UInt64.self)
                        hash = step(hash, word & ((1 << UInt64(rest * 8)) - 1))
                    }
                    hashes[row] = hash
                }
            }
        }
        withExtendedLifetime(text) {}
    }

    /// Takes one more word in: both halves of a product, of which nobody outside knows a factor.
    @inline(__always)
    private static func step(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: hash.byteSwapped ^ factor)
        return some(product.high ^ product.low)
    }

    @inline(__always)
    private static func some(_ hash: UInt64) -> UInt64 { hash == none ? 1 : hash }

    /// For a given hash no two words give the same: each step can be undone.
    @inline(__always)
    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        var mixed = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        mixed ^= mixed >> 32
        mixed = mixed &* 0xD6E8_FEB8_6659_FD93
        mixed ^= mixed >> 29
        return mixed
    }
}
