/// Values of one aggregate, one for each group, by the group's number.
package protocol GroupValues: Sendable {
    static var code: GroupValuesCode { get }
    /// The variant of the values, if there are several.
    var parameter: UInt8 { get }

    /// Grows to that many groups.
    mutating func grow(to groups: Int)
    /// Adds the values of a column, or the rows if it is nil. `groups` has the group of each row; all of them exist.
    mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: [Int32])
    /// Packs the values of some groups of a batch, if nothing else was added, or of all groups.
    func write(_ groups: Range<Int>, to bytes: Bytes)
    /// Merges the packed values of groups of later rows. `places` has the own number of each; all of them exist.
    mutating func merge(_ reader: inout ByteReader, _ places: [Int32]) throws(DaybookError)
    /// Brings the values into the form that `fill` reads. Nothing is added afterwards.
    mutating func finish()
    /// Writes the result of each group to its row of a column.
    func fill(_ column: ResultColumn, _ result: GroupResult)
}

/// The result taken from a group's values.
package enum GroupResult: Sendable {
    case value, mean, median
    case streak(StreakFigure, asOf: CalendarDay)
    /// A value that all rows of the group have to share.
    case shared

    /// The fault of a group without such a result.
    var fault: Finding.Kind {
        switch self {
        case .value, .mean, .streak: .sumTooLarge
        case .median: .medianTooLong
        case .shared: .groupDiffers
        }
    }
}

extension GroupValues {
    package var parameter: UInt8 { 0 }
    package mutating func finish() {}
}

/// Which of them were written to bytes.
package enum GroupValuesCode: UInt8 {
    case tallies, whole, decimal, picked, text, runs, distinct, days, listed, shared

    /// Empty values of this kind.
    func nothing(_ parameter: UInt8) -> (any GroupValues)? {
        switch self {
        case .tallies: Tallies()
        case .whole: WholeSums()
        case .decimal: DecimalSums()
        case .picked: Pick(rawValue: parameter).map { PickedValues($0) }
        case .text: Pick(rawValue: parameter).map { PickedText($0) }
        case .runs: ValueRuns(isWhole: parameter == 1)
        case .distinct: DistinctValues()
        case .days: DaySets()
        case .listed: ListedText()
        case .shared: SharedValues()
        }
    }

    /// Writes empty values.
    static func write(_ nothing: [any GroupValues], to bytes: Bytes) {
        bytes.append(raw: UInt32(nothing.count))
        for values in nothing {
            bytes.append(raw: type(of: values).code.rawValue)
            bytes.append(raw: values.parameter)
        }
    }

    static func read(_ reader: inout ByteReader) throws(DaybookError) -> [any GroupValues] {
        var nothing: [any GroupValues] = []
        for _ in 0..<(try reader.raw(UInt32.self)) {
            guard let code = GroupValuesCode(rawValue: try reader.raw()), let values = code.nothing(try reader.raw())
            else { throw ByteReader.damaged }
            nothing.append(values)
        }
        return nothing
    }
}

extension Array where Element: BitwiseCopyable {
    /// Fills it up to `count` elements.
    mutating func extend(to count: Int, with element: Element) {
        append(contentsOf: repeatElement(element, count: count - self.count))
    }

    /// The elements at some places.
    func taking(_ places: ArraySlice<Int32>) -> [Element] {
        let old = span
        let places = places.span
        return [Element](unsafeUninitializedCapacity: places.count) { new, filled in
            for place in places.indices { new.initializeElement(at: place, to: old[Int(places[place])]) }
            filled = places.count
        }
    }
}

/// How many rows, or values, each group has.
package struct Tallies: GroupValues {
    package static let code = GroupValuesCode.tallies

    private var counts: [Int64] = []

    package init() {}

    package mutating func grow(to groups: Int) { counts.extend(to: groups, with: 0) }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: [Int32]) {
        let missing = column.flatMap { batch[$0].missing }
        var counts = self.counts.mutableSpan
        for row in groups.indices where !missing.isMissing(row) { counts[Int(groups[row])] &+= 1 }
    }

    package func write(_ groups: Range<Int>, to bytes: Bytes) { bytes.append(packed: counts[groups]) }

    package mutating func merge(_ reader: inout ByteReader, _ places: [Int32]) throws(DaybookError) {
        try reader.forEachPacked(places.count) { (group, count: Int64) in counts[Int(places[group])] &+= count }
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult) { column.fill { counts[$0] } }
}

extension Values {
    /// Calls `body` with every row that has a value, and its group.
    @inline(__always)
    package func forEachValue(_ groups: [Int32], _ body: (_ row: Int, _ group: Int, _ value: Element) -> Void) {
        let elements = elements.span
        let groups = groups.span
        if let missing {
            for row in elements.indices where !missing[row] { body(row, Int(groups[row]), elements[row]) }
        } else {
            for row in elements.indices { body(row, Int(groups[row]), elements[row]) }
        }
    }
}
extension Column {
    /// One row without a value.
    package static func missing(_ kind: ColumnKind) -> Column {
        let gap = Mask.full(count: 1)
        let text = TextColumn(Bytes(), views: [TextView(offset: 0, length: 0)], missing: gap)
        return switch kind {
        case .text: .text(text)
        case .json: .json(text)
        default: Column(sortable: Values([0], missing: gap), kind: kind)
        }
    }

    /// The values as whole numbers that sort alike and can be converted back: `init(sortable:kind:)`. Not for text.
    package var sortable: Values<Int64> {
        switch self {
        case .integers(let values), .instants(let values): values
        case .days(let values): values.mapValues { Int64($0) }
        case .flags(let values): values.mapValues { $0 ? 1 : 0 }
        case .decimals(let values): values.mapValues(\.sortable)
        case .text, .json: preconditionFailure("text does not sort as a number")
        }
    }

    package init(sortable values: Values<Int64>, kind: ColumnKind) {
        switch kind {
        case .integer: self = .integers(values)
        case .instant: self = .instants(values)
        case .day: self = .days(values.mapValues { Int32(truncatingIfNeeded: $0) })
        case .flag: self = .flags(values.mapValues { $0 == 1 })
        case .decimal: self = .decimals(values.mapValues { Double(sortable: $0) })
        case .text, .json: preconditionFailure("text does not sort as a number")
        }
    }
}

extension Double {
    /// The number for all values that are equal as keys: 0 for −0, and one NaN for every other.
    @inline(__always)
    package var canonical: Double { isNaN ? .nan : self == 0 ? 0 : self }

    /// A whole number that sorts as the number does, −0 just before 0.
    package var sortable: Int64 {
        let bits = Int64(bitPattern: bitPattern)
        return bits >= 0 ? bits : bits ^ .max
    }

    package init(sortable: Int64) {
        self.init(bitPattern: UInt64(bitPattern: sortable >= 0 ? sortable : sortable ^ .max))
    }
}

/// The number of distinct values of each group. Each pair of a group and a value takes its length and about 30 bytes.
package struct DistinctValues: GroupValues {
    package static let code = GroupValuesCode.distinct

    /// The number of the group in four bytes, and the value as `SortKeyTable` writes it.
    private var pairs = KeyIndex()
    private var counts: [Int64] = []

    package init() {}

    package mutating func grow(to groups: Int) { counts.extend(to: groups, with: 0) }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: [Int32]) {
        guard let column else { preconditionFailure("different values are those of a column") }
        let values = RowKeys(batch, by: [column])
        let key = Bytes()
        // Group by group, as `pairs(of:)` looks for them.
        for row in groups.indices.sorted(by: { groups[$0] < groups[$1] }) where !values.gaps.isMissing(row) {
            values.withKey(row) { insert(groups[row], $0, key) }
        }
    }

    package mutating func merge(_ reader: inout ByteReader, _ places: [Int32]) throws(DaybookError) {
        let key = Bytes()
        for _ in 0..<(try reader.raw(UInt32.self)) {
            let pair = try reader.take(Int(try reader.raw(UInt32.self)))
            guard pair.count > 4, places.indices.contains(Int(Self.group(of: pair))) else { throw ByteReader.damaged }
            insert(places[Int(Self.group(of: pair))], Cell(rebasing: pair[4...]), key)
        }
    }

    @inline(__always)
    private static func group(of pair: Cell) -> Int32 { pair.number() }

    /// The numbers of the pairs of some groups. These are the groups of a batch, whose pairs `add` has sorted by group,
    /// or all groups of a part.
    private func pairs(of groups: Range<Int>) -> Range<Int> {
        guard groups != 0..<counts.count else { return 0..<pairs.count }
        func first(of group: Int) -> Int {
            (0..<pairs.count).partitioningIndex { pairs.withKey($0) { Int(Self.group(of: $0)) >= group } }
        }
        return first(of: groups.lowerBound)..<first(of: groups.upperBound)
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult) { column.fill { counts[$0] } }

    private mutating func insert(_ group: Int32, _ value: Cell, _ key: Bytes) {
        key.removeAll()
        key.append(raw: group)
        key.append(value)
        let before = pairs.count
        _ = pairs.number(of: Cell(start: key.base, count: key.count))
        if pairs.count > before { counts[Int(group)] += 1 }
    }

    package func write(_ groups: Range<Int>, to bytes: Bytes) {
        let written = pairs(of: groups)
        bytes.append(raw: UInt32(written.count))
        for number in written {
            pairs.withKey(number) { pair in
                bytes.append(raw: UInt32(pair.count))
                bytes.append(raw: Self.group(of: pair) - Int32(truncatingIfNeeded: groups.lowerBound))
                bytes.append(Cell(rebasing: pair[4...]))
            }
        }
    }
}

/// All texts of each group as one JSON array, in row order. A row without a text adds nothing to its array.
package struct ListedText: GroupValues {
    package static let code = GroupValuesCode.listed

    /// A stretch of text, with commas between its elements, and the next one of the same group.
    private struct Piece: BitwiseCopyable {
        var start: Int
        var length: UInt32
        var next = Piece.none
        static let none = Int32(-1)
    }

    private var bytes: [UInt8] = []
    private var pieces: [Piece] = []
    /// The first and the last piece of each group.
    private var heads: [Int32] = []
    private var tails: [Int32] = []

    package init() {}

    package mutating func grow(to groups: Int) {
        heads.extend(to: groups, with: Piece.none)
        tails.extend(to: groups, with: Piece.none)
    }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: [Int32]) {
        guard let text = column.flatMap({ batch[$0].text }) else {
            preconditionFailure("a list is that of a column of text")
        }
        text.forEachValue { row, cell in append(cell, to: Int(groups[row])) }
    }

    @inline(__always)
    private mutating func append(_ cell: Cell, to group: Int) {
        let piece = Piece(start: bytes.count, length: UInt32(truncatingIfNeeded: cell.count))
        bytes.append(contentsOf: cell)
        let place = Int32(truncatingIfNeeded: pieces.count)
        pieces.append(piece)
        if heads[group] == Piece.none { heads[group] = place } else { pieces[Int(tails[group])].next = place }
        tails[group] = place
    }

    private func forEachPiece(_ group: Int, _ body: (Range<Int>) -> Void) {
        var place = heads[group]
        while place != Piece.none {
            let piece = pieces[Int(place)]
            body(piece.start..<piece.start + Int(piece.length))
            place = piece.next
        }
    }

    /// How long the elements of a group are with the commas between them; nil where there is none.
    private func length(of group: Int) -> Int? {
        var length = -1
        forEachPiece(group) { length += $0.count + 1 }
        return length < 0 ? nil : length
    }

    /// Lengths are packed with one more, and so 0 for a group without elements.
    package func write(_ groups: Range<Int>, to out: Bytes) {
        out.append(packed: groups.map { Int64((length(of: $0) ?? -1) + 1) }[...])
        bytes.withUnsafeBufferPointer { bytes in
            for group in groups {
                var isFirst = true
                forEachPiece(group) { piece in
                    if !isFirst { out.append(UInt8(ascii: ",")) }
                    out.append(Cell(rebasing: bytes[piece]))
                    isFirst = false
                }
            }
        }
    }

    package mutating func merge(_ reader: inout ByteReader, _ places: [Int32]) throws(DaybookError) {
        let lengths: [Int64] = try reader.packed(places.count)
        for (length, place) in zip(lengths, places) where length > 0 {
            append(try reader.take(Int(length) - 1), to: Int(place))
        }
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult) {
        let array = Bytes()
        bytes.withUnsafeBufferPointer { bytes in
            for group in heads.indices {
                array.removeAll()
                array.append(UInt8(ascii: "["))
                forEachPiece(group) { piece in
                    if array.count > 1 { array.append(UInt8(ascii: ",")) }
                    array.append(Cell(rebasing: bytes[piece]))
                }
                array.append(UInt8(ascii: "]"))
                column.set(group, array.filled)
            }
        }
    }
}
