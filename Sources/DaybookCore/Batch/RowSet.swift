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

    /// Adds a row and says whether it was not there before.
    @discardableResult
    public mutating func insert(_ row: Int) -> Bool { insert(1 << UInt64(row & 63), at: row >> 6) > 0 }

    /// Adds the rows that a mask sets.
    public init(_ mask: Mask) {
        for (place, word) in mask.words.enumerated() { insert(word, at: place) }
    }

    /// Adds the rows of another set, each raised by `shift`.
    public mutating func insert(_ other: RowSet, raisedBy shift: Int) {
        let bits = UInt64(shift & 63)
        other.forEachWord { word, place in
            let place = place + shift >> 6
            insert(word << bits, at: place)
            if bits > 0 { insert(word >> (64 - bits), at: place + 1) }
        }
    }

    /// Adds those of 64 rows that a word sets, and says how many were not there before.
    @discardableResult
    private mutating func insert(_ rows: UInt64, at place: Int) -> Int {
        guard rows != 0 else { return 0 }
        let page = place >> (RowSet.pageBits - 6)
        while pages.count <= page { pages.append(.none) }
        var words: [UInt64]
        var filled = 0
        switch pages[page] {
        case .all: return 0
        case .none: words = [UInt64](repeating: 0, count: RowSet.pageSize / 64)
        case .some(let there, let count):
            words = there
            filled = count
        }
        let inPage = place & (RowSet.pageSize / 64 - 1)
        let new = (rows & ~words[inPage]).nonzeroBitCount
        guard new > 0 else { return 0 }
        // Let go of, so that the words are not copied.
        pages[page] = .none
        words[inPage] |= rows
        filled += new
        count += new
        pages[page] = filled == RowSet.pageSize ? .all : .some(words, count: filled)
        return new
    }

    private func forEachWord(_ body: (_ word: UInt64, _ place: Int) -> Void) {
        for (page, content) in pages.enumerated() {
            let first = page << (RowSet.pageBits - 6)
            switch content {
            case .none: break
            case .all: for place in 0..<RowSet.pageSize / 64 { body(.max, first + place) }
            case .some(let words, _):
                for (place, word) in words.enumerated() where word != 0 { body(word, first + place) }
            }
        }
    }
}

extension RowSet {
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
