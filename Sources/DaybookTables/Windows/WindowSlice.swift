/// Rows in window order, with the starts of groups and ties: the work of one thread.
struct WindowSlice: Sendable {
    /// The key of a row, and the length in bytes of its group key.
    struct Edge: Sendable {
        var key: [UInt8]
        var group: Int
    }

    /// The columns that functions read, each value as a word.
    let columns: [WindowValues]
    /// The number of each row among all.
    let numbers: [Int64]
    /// The buffer of the texts among the words.
    let bytes: Bytes
    private let first: Edge
    let last: Edge
    private var marks: [Mark]

    private struct Mark: OptionSet, BitwiseCopyable {
        let rawValue: UInt8
        static let group = Mark(rawValue: 1)
        static let tie = Mark(rawValue: 2)
    }

    var count: Int { numbers.count }

    /// - Parameters:
    ///   - rows: rows of that form, at least one, without another owner.
    ///   - by: the kinds of the group keys, which are the first keys.
    init(_ rows: PackedRows, _ form: PackedForm, by: [ColumnKind]) {
        let base = rows.bytes.base
        func key(_ place: Int) -> Cell {
            let span = rows.keys[Int(rows.order[place])]
            return Cell(start: base + Int(span.start), count: Int(span.end &- span.start))
        }
        func edge(_ place: Int) -> Edge {
            let key = key(place)
            return Edge(key: Array(key), group: Self.length(of: by, in: key))
        }
        let count = rows.order.count
        marks = [Mark](repeating: [], count: count)
        var before = key(0)
        for row in 1..<max(1, count) {
            let own = key(row)
            if own.count != before.count || PackedRow.compare(own, before) != 0 {
                let group = Self.length(of: by, in: own)
                let isGroup = group > before.count || PackedRow.compare(own, before, upTo: group) != 0
                marks[row] = isGroup ? [.group, .tie] : .tie
            }
            before = own
        }
        (first, last) = (edge(0), edge(count - 1))
        numbers = rows.order.map { Int64(PackedRow(base + Int(rows.starts[Int($0)])).number) }
        columns = form.rest(of: rows).map { WindowValues($0) }
        bytes = rows.bytes
    }

    /// Sets the row before the first one; nil for none.
    mutating func follow(_ edge: Edge?) {
        guard let edge, edge.group == first.group, edge.key.prefix(edge.group) == first.key.prefix(first.group) else {
            marks[0] = [.group, .tie]
            return
        }
        marks[0] = edge.key == first.key ? [] : .tie
    }

    @inline(__always)
    func beginsGroup(_ row: Int) -> Bool { marks[row].contains(.group) }

    /// Whether the row differs from the row before it in its order keys.
    @inline(__always)
    func beginsTie(_ row: Int) -> Bool { marks[row].contains(.tie) }

    /// The first row after row 0 that begins a group.
    var firstGroup: Int? { marks.indices.dropFirst().first { marks[$0].contains(.group) } }

    /// The length of the first columns of a key, as `SortKeyTable` writes them in ascending order.
    private static func length(of kinds: [ColumnKind], in key: Cell) -> Int {
        var next = 0
        for kind in kinds {
            let lead = key[next]
            next += 1
            guard lead != SortKey.groupGap else { continue }
            switch kind {
            case .flag: break
            case .decimal: next += lead == 2 ? 0 : 8
            case .integer, .day, .instant: next += lead < 0x80 ? 0x7F - Int(lead) : Int(lead) - 0x80
            case .text, .json:
                while let zero = key.place(of: 0, from: next) {
                    next = zero + 2
                    if key[zero + 1] == 0 { break }
                }
            }
        }
        return next
    }
}

extension SortKey {
    /// The byte for a missing value of a group key.
    fileprivate static let groupGap = SortKey(column: ColumnName("")).gap
}

/// A column of words: numbers, flags, days and instants as in `Column.sortable`, and texts as the bits of views.
struct WindowValues: Sendable {
    let words: [Int64]
    let missing: Mask?

    init(_ column: Column) {
        words = column.text?.views.map { $0.word } ?? column.sortable.elements
        missing = column.missing
    }

    /// Rows that all have a value.
    init(rows: Int) {
        words = [Int64](repeating: 0, count: rows)
        missing = nil
    }

    @inline(__always)
    subscript(row: Int) -> Int64? { missing.isMissing(row) ? nil : words[row] }
}

extension TextView {
    @inline(__always)
    var word: Int64 { Int64(bitPattern: UInt64(length) << 32 | UInt64(offset)) }

    @inline(__always)
    init(word: Int64) {
        let bits = UInt64(bitPattern: word)
        self.init(offset: Int(bits & 0xFFFF_FFFF), length: Int(bits >> 32))
    }
}
