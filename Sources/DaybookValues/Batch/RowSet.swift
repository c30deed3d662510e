/// A set of row numbers: a bit for each row of those pages of 65,536 rows that hold some but not all.
public struct RowSet: Sendable {
    private enum Page: Sendable {
        case none
        case some([UInt64], count: Int)
        case all
    }

    private static let pageBits = 16
    private static let pageSize = 1 << pageBits

    private var pages: [Page] = []
    public private(set) var count = 0

    public init() {}

    public var isEmpty: Bool { count == 0 }

    public func contains(_ row: Int) -> Bool {
        let page = row >> RowSet.pageBits
        guard page < pages.count else { return false }
        switch pages[page] {
        case .none: return false
        case .all: return true
        case .some(let words, _):
            let place = row & (RowSet.pageSize - 1)
            return words[place >> 6] >> UInt64(place & 63) & 1 == 1
        }
    }

    /// Adds a row and returns whether it was new.
    @discardableResult
    public mutating func insert(_ row: Int) -> Bool {
        changePage(row >> RowSet.pageBits) { words in
            let place = row & (RowSet.pageSize - 1)
            let bit: UInt64 = 1 << UInt64(place & 63)
            guard words[place >> 6] & bit == 0 else { return 0 }
            words[place >> 6] |= bit
            return 1
        } > 0
    }

    /// Adds the rows that a mask sets.
    public init(_ mask: Mask) { insert(words: mask.words, from: 0) }

    /// Adds rows by a bitmap; its first bit is the row `first`, a multiple of 64.
    public mutating func insert(words new: [UInt64], from first: Int) {
        let perPage = RowSet.pageSize / 64
        var start = 0
        while start < new.count {
            let place = first >> 6 + start
            let end = min(new.count, start + perPage - place % perPage)
            if new[start..<end].contains(where: { $0 != 0 }) {
                changePage(place / perPage) { words in
                    var added = 0
                    for next in start..<end {
                        let inPage = (place + next - start) % perPage
                        added += (new[next] & ~words[inPage]).nonzeroBitCount
                        words[inPage] |= new[next]
                    }
                    return added
                }
            }
            start = end
        }
    }

    /// Adds the rows of another set, each raised by `shift`.
    public mutating func insert(_ other: RowSet, raisedBy shift: Int) {
        let bits = UInt64(shift & 63)
        for (page, words) in other.filledPages {
            var raised = words
            if bits > 0 {
                raised.append(0)
                for place in raised.indices.reversed() {
                    let below = place > 0 ? raised[place - 1] >> (64 - bits) : 0
                    raised[place] = raised[place] << bits | below
                }
            }
            insert(words: raised, from: (page << RowSet.pageBits + shift) & ~63)
        }
    }

    /// The rows from `first` on that another set does not have.
    public func subtracting(_ other: RowSet, from first: Int) -> RowSet {
        var result = RowSet()
        for (page, words) in filledPages {
            let start = page << RowSet.pageBits
            guard start + RowSet.pageSize > first else { continue }
            var rest = words
            switch page < other.pages.count ? other.pages[page] : .none {
            case .none: break
            case .all: continue
            case .some(let words, _): for place in rest.indices { rest[place] &= ~words[place] }
            }
            if first > start {
                for place in 0..<(first - start) >> 6 { rest[place] = 0 }
                rest[(first - start) >> 6] &= .max << UInt64(first & 63)
            }
            result.insert(words: rest, from: start)
        }
        return result
    }

    /// Changes the bits of a page with spare capacity; `change` returns how many bits it set.
    @discardableResult
    private mutating func changePage(_ page: Int, _ change: (inout [UInt64]) -> Int) -> Int {
        while pages.count <= page { pages.append(.none) }
        var words: [UInt64]
        var filled = 0
        switch pages[page] {
        case .all: return 0
        case .none: words = [UInt64](repeating: 0, count: RowSet.pageSize / 64)
        case .some(let there, let count): (words, filled) = (there, count)
        }
        // Released, so that the words are not copied.
        pages[page] = .none
        let added = change(&words)
        filled += added
        count += added
        pages[page] = filled == RowSet.pageSize ? .all : .some(words, count: filled)
        return added
    }

    /// The pages that hold rows, and their bits.
    private var filledPages: some Sequence<(page: Int, words: [UInt64])> {
        pages.enumerated().lazy.compactMap { page, content in
            switch content {
            case .none: nil
            case .all: (page, [UInt64](repeating: .max, count: RowSet.pageSize / 64))
            case .some(let words, _): (page, words)
            }
        }
    }

    /// Calls `body` with the rows in order, about `size` of them at a time.
    public func forEachPiece<Failure: Error>(of size: Int, _ body: ([Int]) throws(Failure) -> Void) throws(Failure) {
        var rows: [Int] = []
        rows.reserveCapacity(size + 64)
        for (page, words) in filledPages {
            for (place, word) in words.enumerated() {
                var rest = word
                while rest != 0 {
                    rows.append(page << RowSet.pageBits | place << 6 | rest.trailingZeroBitCount)
                    rest &= rest - 1
                }
                if rows.count >= size {
                    try body(rows)
                    rows.removeAll(keepingCapacity: true)
                }
            }
        }
        if !rows.isEmpty { try body(rows) }
    }
}

extension RowSet: BinaryForm, PartialResult {
    public func write(to out: Bytes) {
        out.append(raw: UInt32(pages.count))
        for page in pages {
            switch page {
            case .none: out.append(array: [UInt64]())
            case .all: out.append(array: [UInt64.max])
            case .some(let words, _): out.append(array: words)
            }
        }
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        for _ in 0..<(try reader.raw(UInt32.self)) {
            let words = try reader.array(UInt64.self)
            switch words.count {
            case 0: pages.append(.none)
            case 1:
                pages.append(.all)
                count += RowSet.pageSize
            case RowSet.pageSize / 64:
                let filled = words.reduce(0) { $0 + $1.nonzeroBitCount }
                pages.append(.some(words, count: filled))
                count += filled
            default: throw ByteReader.damaged
            }
        }
    }
}

extension Range<Int> {
    /// The range cut into pieces of a size, of which the last may be smaller.
    package func pieces(of size: Int) -> [Range<Int>] {
        stride(from: lowerBound, to: upperBound, by: size).map { $0..<Swift.min($0 + size, upperBound) }
    }
}
