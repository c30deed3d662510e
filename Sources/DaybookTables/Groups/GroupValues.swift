import DaybookCore

/// Something that is known of each group, by the group's number.
package protocol GroupValues: Sendable {
    static var code: GroupValuesCode { get }

    /// Makes room for that many groups.
    mutating func grow(to groups: Int)
    /// The same of no groups.
    var emptied: Self { get }
    /// Adds what a column holds, or the rows when it is nil. `groups` gives the group of each row; there is room for all of them.
    mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: RowCodes)
    /// Adds what is known of groups of later rows. `places` gives the own number of each; there is room for all of them.
    mutating func merge(_ later: Self, _ places: [Int32])
    /// The same for some groups, numbered anew, of which no more will be learnt.
    func taking(_ groups: [Int32]) -> Self
    /// Writes the results of some groups to rows of a column. Only what `taking` or `finished` gave is asked.
    func fill(_ column: ResultColumn, _ result: GroupResult, _ groups: [Int32], _ rows: [Int32])
    /// Brings itself into the shape in which `fill` reads it.
    mutating func finish()
    /// How many bytes of text the result of a group has.
    func textLength(_ group: Int) -> Int
    /// No result has more bytes of text.
    var longestText: Int { get }
    /// Bytes in memory, those that wait to be filled too.
    var footprint: Int { get }
    /// Writes what is known of some groups: those of a batch, those that `taking` gave, or all.
    func write(_ groups: Range<Int>, to bytes: Bytes)
    /// Reads so many groups back.
    init(reading reader: inout ByteReader, groups: Int) throws(DaybookError)
}

/// What of a group's values is a result.
package enum GroupResult: Sendable {
    case value, mean
    case streak(StreakFigure, asOf: CalendarDay)
}

extension GroupValues {
    /// Adds what was written of groups of later rows.
    package mutating func merge(_ reader: inout ByteReader, _ places: [Int32]) throws(DaybookError) {
        merge(try Self(reading: &reader, groups: places.count), places)
    }

    package mutating func finish() {}
    package func textLength(_ group: Int) -> Int { 0 }
    package var longestText: Int { 0 }
}

/// Which of them were written to bytes.
package enum GroupValuesCode: UInt8 {
    case tallies, whole, decimal, picked, text, runs, distinct, days

    package func read(_ reader: inout ByteReader, groups: Int) throws(DaybookError) -> any GroupValues {
        switch self {
        case .tallies: try Tallies(reading: &reader, groups: groups)
        case .whole: try WholeSums(reading: &reader, groups: groups)
        case .decimal: try DecimalSums(reading: &reader, groups: groups)
        case .picked: try PickedValues(reading: &reader, groups: groups)
        case .text: try PickedText(reading: &reader, groups: groups)
        case .runs: try ValueRuns(reading: &reader, groups: groups)
        case .distinct: try DistinctValues(reading: &reader, groups: groups)
        case .days: try DaySets(reading: &reader, groups: groups)
        }
    }
}

extension Array where Element: BitwiseCopyable {
    /// Fills it up to `count` elements. It grows by an eighth, as what is kept of groups is counted against a limit.
    mutating func extend(to count: Int, with element: Element) {
        if count > capacity { reserveCapacity(Swift.max(count + count / 8, 16)) }
        append(contentsOf: repeatElement(element, count: count - self.count))
    }

    /// The elements at some places.
    package func taking(_ places: [Int32]) -> [Element] {
        [Element](unsafeUninitializedCapacity: places.count) { new, filled in
            for (place, from) in places.enumerated() { new.initializeElement(at: place, to: self[Int(from)]) }
            filled = places.count
        }
    }

    /// Bytes in memory, those that wait to be filled too.
    package var footprint: Int { capacity * MemoryLayout<Element>.stride }
}

extension ByteReader {
    /// An array of one element for each group.
    package mutating func array<Value: BitwiseCopyable>(of groups: Int) throws(DaybookError) -> [Value] {
        let values: [Value] = try array()
        guard values.count == groups else { throw ByteReader.damaged }
        return values
    }
}

/// How many rows, or values, each group has.
package struct Tallies: GroupValues {
    package static let code = GroupValuesCode.tallies

    package private(set) var counts: [Int64] = []

    package init(counts: [Int64] = []) {
        self.counts = counts
    }

    package mutating func grow(to groups: Int) { counts.extend(to: groups, with: 0) }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: RowCodes) {
        let missing = column.flatMap { batch[$0].missing }
        let groups = groups.codes
        counts.withUnsafeMutableBufferPointer { counts in
            groups.withUnsafeBufferPointer { groups in
                for row in 0..<groups.count where !missing.isMissing(row) { counts[Int(groups[row])] &+= 1 }
            }
        }
    }

    package mutating func merge(_ later: Tallies, _ places: [Int32]) {
        for group in places.indices { counts[Int(places[group])] &+= later.counts[group] }
    }

    package var emptied: Tallies { Tallies() }

    package func taking(_ groups: [Int32]) -> Tallies { Tallies(counts: counts.taking(groups)) }

    package func fill(_ column: ResultColumn, _ result: GroupResult, _ groups: [Int32], _ rows: [Int32]) {
        column.fill(groups, rows) { counts[$0] }
    }

    package var footprint: Int { counts.footprint }

    package func write(_ groups: Range<Int>, to bytes: Bytes) { bytes.append(packed: counts[groups]) }
}

extension Tallies {
    package init(reading reader: inout ByteReader, groups: Int) throws(DaybookError) {
        counts = try reader.packed(groups)
    }
}

extension Values {
    /// Calls `body` with every row that has a value, and its group.
    @inline(__always)
    package func forEachValue(_ groups: [Int32], _ body: (_ row: Int, _ group: Int, _ value: Element) -> Void) {
        elements.withUnsafeBufferPointer { elements in
            groups.withUnsafeBufferPointer { groups in
                if let missing {
                    for row in 0..<elements.count where !missing[row] { body(row, Int(groups[row]), elements[row]) }
                } else {
                    for row in 0..<elements.count { body(row, Int(groups[row]), elements[row]) }
                }
            }
        }
    }
}
extension Column {
    /// One row without a value.
    package static func missing(_ kind: ColumnKind) -> Column {
        let gap: Mask? = {
            var mask = Mask(count: 1)
            mask.insert(0)
            return mask
        }()
        let text = TextColumn(Bytes(), views: [TextView(offset: 0, length: 0)], missing: gap)
        return switch kind {
        case .text: .text(text)
        case .json: .json(text)
        case .integer: .integers(Values([0], missing: gap))
        case .instant: .instants(Values([0], missing: gap))
        case .decimal: .decimals(Values([0], missing: gap))
        case .flag: .flags(Values([false], missing: gap))
        case .day: .days(Values([0], missing: gap))
        }
    }

    /// The values as whole numbers that sort as the values do and can be turned back: `init(sortable:kind:)`. Not for text.
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
    /// A whole number that sorts as the number does, −0 just before 0.
    package var sortable: Int64 {
        let bits = Int64(bitPattern: bitPattern)
        return bits >= 0 ? bits : bits ^ .max
    }

    package init(sortable: Int64) {
        self.init(bitPattern: UInt64(bitPattern: sortable >= 0 ? sortable : sortable ^ .max))
    }
}
