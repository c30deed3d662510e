import DaybookCore

/// Something that is known of each group, by the group's number.
protocol GroupValues: Sendable {
    static var code: GroupValuesCode { get }

    /// Makes room for that many groups.
    mutating func grow(to groups: Int)
    /// The same of no groups.
    var emptied: Self { get }
    /// Adds what a column holds, or the rows when it is nil. `groups` gives the group of each row; there is room for all of them.
    mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: RowCodes)
    /// Adds what is known of later rows. `places` gives the own number of each of their groups; there is room for all of them.
    mutating func merge(_ later: Self, _ places: [Int32])
    /// The same for each part of the groups.
    func split(_ split: GroupSplit) -> [Self]
    /// About how many bytes it takes in memory.
    var footprint: Int { get }
    func write(to bytes: Bytes)
    init(reading reader: inout ByteReader, groups: Int) throws(DaybookError)
}

extension GroupValues {
    mutating func merge(_ later: any GroupValues, _ places: [Int32]) {
        guard let later = later as? Self else { preconditionFailure("two parts of a summary come from different jobs") }
        merge(later, places)
    }
}

/// Which of them were written to bytes.
enum GroupValuesCode: UInt8 {
    case tallies, whole, decimal, picked, text, runs, distinct

    func read(_ reader: inout ByteReader, groups: Int) throws(DaybookError) -> any GroupValues {
        switch self {
        case .tallies: try Tallies(reading: &reader, groups: groups)
        case .whole: try WholeSums(reading: &reader, groups: groups)
        case .decimal: try DecimalSums(reading: &reader, groups: groups)
        case .picked: try PickedValues(reading: &reader, groups: groups)
        case .text: try PickedText(reading: &reader, groups: groups)
        case .runs: try ValueRuns(reading: &reader, groups: groups)
        case .distinct: try DistinctValues(reading: &reader, groups: groups)
        }
    }
}

/// How many rows, or values, each group has.
struct Tallies: GroupValues {
    static let code = GroupValuesCode.tallies

    private(set) var counts: [Int64] = []

    init() {}

    mutating func grow(to groups: Int) {
        counts.append(contentsOf: repeatElement(0, count: groups - counts.count))
    }

    mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: RowCodes) {
        let missing = column.flatMap { batch[$0].missing }
        let groups = groups.codes
        counts.withUnsafeMutableBufferPointer { counts in
            groups.withUnsafeBufferPointer { groups in
                for row in 0..<groups.count where !missing.isMissing(row) { counts[Int(groups[row])] &+= 1 }
            }
        }
    }

    mutating func merge(_ later: Tallies, _ places: [Int32]) {
        for (group, place) in places.enumerated() { counts[Int(place)] &+= later.counts[group] }
    }

    private init(counts: [Int64]) { self.counts = counts }

    var emptied: Tallies { Tallies() }

    func split(_ split: GroupSplit) -> [Tallies] { split.split(counts).map { Tallies(counts: $0) } }

    var footprint: Int { counts.count * 8 }

    func write(to bytes: Bytes) { bytes.append(array: counts) }

    init(reading reader: inout ByteReader, groups: Int) throws(DaybookError) { counts = try reader.array() }
}

extension Values {
    /// Calls `body` with every row that has a value, and its group.
    @inline(__always)
    func forEachValue(_ groups: [Int32], _ body: (_ row: Int, _ group: Int, _ value: Element) -> Void) {
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
    static func missing(_ kind: ColumnKind) -> Column {
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
    var sortable: Values<Int64> {
        switch self {
        case .integers(let values), .instants(let values): values
        case .days(let values): values.mapValues { Int64($0) }
        case .flags(let values): values.mapValues { $0 ? 1 : 0 }
        case .decimals(let values): values.mapValues(\.sortable)
        case .text, .json: preconditionFailure("text does not sort as a number")
        }
    }

    init(sortable values: Values<Int64>, kind: ColumnKind) {
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
    var sortable: Int64 {
        let bits = Int64(bitPattern: bitPattern)
        return bits >= 0 ? bits : bits ^ .max
    }

    init(sortable: Int64) { self.init(bitPattern: UInt64(bitPattern: sortable >= 0 ? sortable : sortable ^ .max)) }
}
