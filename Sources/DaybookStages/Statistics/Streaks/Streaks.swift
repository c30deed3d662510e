import DaybookCore

/// The days of each group: what `count_streaks` knows of some rows. Beyond a limit, groups go to disk.
public struct Streaks: SplittingPartial {
    struct Group: Sendable {
        var runs = DayRuns()
        var entries: Int64 = 0
    }

    public private(set) var foldedRows = 0
    private var keys = KeyIndex()
    /// By the number of the key.
    private(set) var groups: [Group] = []
    /// The columns that groups are told apart by, one row for each group, in several batches. None without such columns.
    private(set) var names: [Batch] = []
    /// How many rows had been folded when each group was met.
    private(set) var met: [Int64] = []
    /// How many runs the groups in memory have in all.
    private var runCount = 0
    var spilled = SpilledParts<Streaks>()

    init() {}

    /// Adds the rows of a batch whose place in `isLeftOut` is false.
    mutating func fold(_ batch: Batch, days: Values<Int32>, by columns: [ColumnName], except isLeftOut: [Bool]) {
        let table = SortKeyTable(batch, by: columns.map { SortKey(column: $0) })
        var numbers = [Int](repeating: -1, count: batch.count)
        var firsts: [RowPick] = []
        for row in 0..<batch.count where !isLeftOut[row] {
            let number = table.withKey(row) { keys.number(of: $0) }
            numbers[row] = number
            if number == groups.count {
                groups.append(Group())
                met.append(Int64(foldedRows))
                firsts.append(RowPick(batch: 0, row: row))
            }
            groups[number].entries += 1
            foldedRows += 1
        }
        // The days of each group, one group behind the other.
        var ends = [Int](repeating: 0, count: groups.count)
        for number in numbers where number >= 0 { ends[number] += 1 }
        var end = 0
        for number in ends.indices {
            end += ends[number]
            ends[number] = end - ends[number]
        }
        var sorted = [Int32](repeating: 0, count: end)
        for row in numbers.indices where numbers[row] >= 0 {
            sorted[ends[numbers[row]]] = days.elements[row]
            ends[numbers[row]] += 1
        }
        var start = 0
        for number in groups.indices where ends[number] > start {
            runCount -= groups[number].runs.runs.count
            groups[number].runs.formUnion(DayRuns(sorting: &sorted[start..<ends[number]]))
            runCount += groups[number].runs.runs.count
            start = ends[number]
        }
        addNames(firsts, of: batch, columns)
    }

    private mutating func addNames(_ rows: [RowPick], of batch: Batch, _ columns: [ColumnName]) {
        guard !rows.isEmpty, !columns.isEmpty else { return }
        let named = Batch(
            Schema(columns.map { Field($0.text, batch[$0].kind) }),
            columns.map { batch[$0] },
            count: batch.count,
            origins: .made
        )
        names.append(Batch.gathering(rows, from: [named]))
    }

    /// Adds what is known of later rows, of which none is on disk.
    mutating func merge(_ later: Streaks) {
        var firsts: [RowPick] = []
        // The groups of `later` stand in its batches of names one after another.
        var place = RowPick(batch: 0, row: 0)
        for (number, group) in later.groups.enumerated() {
            let mine = later.keys.withKey(number) { keys.number(of: $0) }
            if mine == groups.count {
                groups.append(group)
                runCount += group.runs.runs.count
                met.append(later.met[number] + Int64(foldedRows))
                firsts.append(place)
            } else {
                runCount -= groups[mine].runs.runs.count
                groups[mine].runs.formUnion(group.runs)
                runCount += groups[mine].runs.runs.count
                groups[mine].entries += group.entries
            }
            guard !later.names.isEmpty else { continue }
            place.row += 1
            if Int(place.row) == later.names[Int(place.batch)].count {
                place = RowPick(batch: Int(place.batch) + 1, row: 0)
            }
        }
        if !firsts.isEmpty, !later.names.isEmpty { names.append(Batch.gathering(firsts, from: later.names)) }
        foldedRows += later.foldedRows
    }

    var footprint: Int {
        // The runs of a group are an array of their own.
        keys.footprint + groups.count * 96 + runCount * 8 + names.reduce(0) { $0 + $1.footprint }
    }

    /// Whether all groups are in memory, in the order in which they were met.
    var isInOrder: Bool { spilled.isEmpty && zip(met, met.dropFirst()).allSatisfy { $0 < $1 } }

    mutating func raise(by rows: Int) { for group in met.indices { met[group] += Int64(rows) } }

    func split(_ body: (Streaks?) throws(DaybookError) -> Void) throws(DaybookError) {
        let split = GroupSplit(keys)
        let picks = names.indices.flatMap { batch in
            (0..<names[batch].count).map { RowPick(batch: batch, row: $0) }
        }
        for own in split.groups {
            guard !own.isEmpty else {
                try body(nil)
                continue
            }
            var piece = Streaks()
            piece.keys = KeyIndex(capacity: own.count)
            for group in own { _ = keys.withKey(group) { piece.keys.number(of: $0) } }
            piece.groups = own.map { groups[$0] }
            piece.met = own.map { met[$0] }
            if !picks.isEmpty { piece.names = [Batch.gathering(own.map { picks[$0] }, from: names)] }
            try body(piece)
        }
    }

    /// Brings all groups to disk.
    mutating func spill(_ scratch: any Scratch) throws(DaybookError) {
        guard keys.count > 0 else { return }
        try spilled.append(self, scratch)
        keys = KeyIndex()
        groups = []
        names = []
        met = []
        runCount = 0
    }

    public func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: Int64(foldedRows))
        try spilled.write(to: bytes)
        bytes.append(array: met)
        keys.write(to: bytes)
        for group in groups {
            group.runs.write(to: bytes)
            bytes.append(raw: group.entries)
        }
        bytes.append(raw: UInt32(names.count))
        for batch in names { batch.write(to: bytes) }
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        foldedRows = Int(try reader.raw(Int64.self))
        var parts: [Streaks] = []
        try SpilledParts.read(&reader) { parts.append($0) }
        met = try reader.array()
        keys = try KeyIndex(reading: &reader)
        for _ in 0..<keys.count {
            groups.append(Group(runs: try DayRuns(reading: &reader), entries: try reader.raw()))
            runCount += groups[groups.count - 1].runs.runs.count
        }
        for _ in 0..<(try reader.raw(UInt32.self)) { names.append(try Batch(reading: &reader)) }
        // What was on disk is earlier than what was not.
        guard var whole = parts.first else { return }
        for part in parts.dropFirst() { whole.merge(part) }
        let rows = foldedRows
        foldedRows = 0
        whole.merge(self)
        self = whole
        foldedRows = rows
    }
}
