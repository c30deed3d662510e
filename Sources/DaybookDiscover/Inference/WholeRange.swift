/// The least and the most of whole numbers, exactly. Beyond 2^53 a double is only near them.
public struct WholeRange: Sendable, Hashable {
    public private(set) var least = Int64.max
    public private(set) var most = Int64.min

    /// Below this size a double stands for one whole number; from it on it may stand for several.
    static let exactLimit = 0x1p53

    var isEmpty: Bool { least > most }

    @inline(__always)
    mutating func add(_ number: Int64) {
        least = min(least, number)
        most = max(most, number)
    }

    mutating func merge(_ later: WholeRange) {
        least = min(least, later.least)
        most = max(most, later.most)
    }
}
