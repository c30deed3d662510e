import DaybookCore

/// A stretch of whole numbers among which keys lie densely enough for two bits each.
struct KeyWindow {
    let first: Int64
    let last: Int64

    private var count: Int { Int(last - first) + 1 }

    func holds(_ key: Int64) -> Bool { first <= key && key <= last }
    func holdsAll(of pack: KeyPack) -> Bool { first <= pack.least && pack.most <= last }
    func meets(_ pack: KeyPack) -> Bool { pack.least <= last && first <= pack.most }

    /// A window is worth its bits where it has a key for so many numbers.
    private static let widestSpread = 256
    /// A window is worth a look at all packs that meet it where these have at most so many times the rows that belong to it: keys in
    /// no order, over many windows, would be gone through for each of them.
    private static let mostLooks = 8

    /// Windows that hold most keys of most packs, in order, none of them wider than `size`.
    static func over(_ packs: [KeyPack], size: Int) -> [KeyWindow] {
        var windows: [KeyWindow] = []
        var rest = packs.sorted { $0.middle < $1.middle }[...]
        while let pack = rest.first {
            // Keys before the middle, but for those that are far off, belong to it.
            let reach = pack.middle.subtractingReportingOverflow(Int64(size / 4))
            var first = max(pack.least, reach.overflow ? .min : reach.partialValue)
            if let end = windows.last?.last { first = max(first, end + 1) }
            let end = first.addingReportingOverflow(Int64(size - 1))
            let last = end.overflow ? .max : end.partialValue
            let own = rest.prefix { $0.middle <= last }
            rest = rest.dropFirst(own.count)
            let window = KeyWindow(first: first, last: min(last, own.reduce(first) { max($0, $1.most) }))
            let rows = own.reduce(0) { $0 + $1.rows }
            guard rows >= window.count / widestSpread else { continue }
            let met = packs.reduce(0) { $0 + (window.meets($1) ? $1.rows : 0) }
            if met <= rows * mostLooks { windows.append(window) }
        }
        return windows
    }

    /// Adds the rows whose key lies in the window and stands in an earlier row.
    ///
    /// - Parameters:
    ///   - packs: in the order of their rows.
    ///   - room: for how many repeated keys first rows are kept at a time.
    func findRepeats(
        among packs: [KeyPack],
        _ trail: ByteTrail,
        room: Int,
        _ repeats: inout Repeats
    ) throws(DaybookError) {
        let packs = packs.filter(meets)
        var bits = KeyBits(count: count)
        for pack in packs {
            // The rows that meet a key which was there already, a bit for each.
            let start = pack.first & ~63
            var rows = [UInt64](
                repeating: 0,
                count: repeats.keepsOthers ? (pack.first + pack.rows - start + 63) / 64 : 0
            )
            try trail.withBytes(pack.start..<pack.start + pack.length) { bytes in
                if repeats.keepsOthers {
                    rows.withUnsafeMutableBufferPointer { rows in
                        pack.forEachKey(bytes) { row, key in
                            let isRepeat = bits.mark(UInt64(bitPattern: key &- first))
                            rows[(row - start) >> 6] |= isRepeat << UInt64((row - start) & 63)
                        }
                    }
                } else {
                    pack.forEachKey(bytes) { _, key in bits.mark(UInt64(bitPattern: key &- first)) }
                }
            }
            if repeats.keepsOthers { repeats.keep(rows: rows, from: start) }
        }
        var untold = bits.repeats
        guard repeats.wanted > 0, untold > 0 else { return repeats.countUntold(untold) }
        let repeated = bits.rank()
        let mostRows = packs.reduce(0) { max($0, $1.rows) }
        // With room for one more, so that what is no candidate can be written behind those that are.
        var candidates = [(row: Int, rank: Int)](repeating: (0, 0), count: mostRows + 1)
        var found: [Repeat] = []
        for start in stride(from: 0, to: repeated, by: room) {
            let ranks = start..<min(start + room, repeated)
            var firstRows = [Int](repeating: -1, count: ranks.count)
            // Later rows are not among the first that are wanted.
            let enough = untold - min(untold, repeats.wanted)
            for pack in packs {
                guard untold > enough else { break }
                // Whether a key is one of many that are repeated cannot be foretold, so the loops do not branch on it.
                var count = 0
                try trail.withBytes(pack.start..<pack.start + pack.length) { bytes in
                    candidates.withUnsafeMutableBufferPointer { candidates in
                        pack.forEachKey(bytes) { row, key in
                            let rank = bits.rank(of: UInt64(bitPattern: key &- first))
                            candidates[count] = (row, rank)
                            count &+= ranks.contains(rank) ? 1 : 0
                        }
                    }
                }
                found = [Repeat](unsafeUninitializedCapacity: count + 1) { found, end in
                    firstRows.withUnsafeMutableBufferPointer { firstRows in
                        for (row, rank) in candidates[..<count] {
                            let first = firstRows[rank - start]
                            firstRows[rank - start] = first < 0 ? row : first
                            found[end] = Repeat(row: row, first: first)
                            end &+= first < 0 ? 0 : 1
                        }
                    }
                }
                for one in found { try repeats.append(one) }
                untold -= found.count
            }
        }
        repeats.countUntold(untold)
    }
}

/// Which of many neighbouring numbers were seen, and which of them again.
private struct KeyBits: ~Copyable {
    /// For 64 numbers at a time: those that were seen, then those that were seen again.
    private let words: UnsafeMutableBufferPointer<UInt64>
    private let count: UInt64
    /// How many marks met a number that was seen already.
    private(set) var repeats = 0
    /// For 64 numbers at a time: how many before them were seen again.
    private var ranks: [UInt32] = []

    init(count: Int) {
        self.count = UInt64(count)
        words = .allocate(capacity: (count + 63) / 64 * 2)
        words.initialize(repeating: 0)
    }

    deinit { words.deallocate() }

    /// Marks a number as seen, and gives 1 where it was seen already; one that is none of these is passed over.
    @inline(__always)
    @discardableResult
    mutating func mark(_ number: UInt64) -> UInt64 {
        guard number < count else { return 0 }
        let word = Int(truncatingIfNeeded: number >> 6) * 2
        let seen = words[word]
        let bit: UInt64 = 1 << (number & 63)
        let isRepeat = seen >> (number & 63) & 1
        repeats &+= Int(truncatingIfNeeded: isRepeat)
        words[word] = seen | bit
        words[word + 1] |= seen & bit
        return isRepeat
    }

    /// Ranks the numbers that were seen again, and gives how many there are.
    mutating func rank() -> Int {
        var total = 0
        ranks = stride(from: 1, to: words.count, by: 2).map { word in
            defer { total += words[word].nonzeroBitCount }
            return UInt32(truncatingIfNeeded: total)
        }
        return total
    }

    /// The rank of a number that was seen again; −1 of another.
    @inline(__always)
    func rank(of number: UInt64) -> Int {
        guard number < count else { return -1 }
        let word = Int(truncatingIfNeeded: number >> 6)
        let again = words[word * 2 + 1]
        let rank = Int(ranks[word]) + (again & (1 << (number & 63) - 1)).nonzeroBitCount
        return again >> (number & 63) & 1 == 1 ? rank : -1
    }
}
