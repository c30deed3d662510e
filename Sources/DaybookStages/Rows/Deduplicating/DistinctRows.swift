import DaybookCore

/// Rows and, for each key, which of them stands for it: what `deduplicate_rows` knows of some rows.
///
/// Rows are kept in their order with their numbers in the input, in memory or on disk; of each key the bytes and the number of
/// its best row so far. Whether a row is the one is asked when it is read again, by its key, so that nothing has to be renamed
/// when two of these are merged.
public struct DistinctRows: FoldPartial {
    /// The row that stands for a key.
    struct Best: Sendable, BitwiseCopyable {
        /// Its number among all rows.
        var row: Int64
        /// How new it is, where that is asked.
        var rank: Int64 = 0
        var isRanked = false
    }

    /// Neighbouring rows. The last column of their batches holds the number of each row, counted from `first`.
    struct Stretch: Sendable {
        var first: Int64
        var rows: SortedRun
    }

    public private(set) var foldedRows = 0
    /// Whether every row is given back by `finish`, since each needs a word or a new number.
    private let keepsAll: Bool
    private var keyless = 0
    private var keys = KeyIndex()
    private var best: [Best] = []
    /// Where the best rows stand. Empty unless `keepsAll`.
    private var places: [RowPlace] = []
    private(set) var paths: [Int32: String] = [:]
    private(set) var stretches: [Stretch] = []
    /// Bytes of the rows in memory.
    private(set) var footprint = 0
    /// The largest of the whole numbers that are keys.
    private(set) var largest = Int64.min

    /// Known as soon as the last row is: each key has one row, and each row without a key stays.
    public var droppedRows: [String: Int] {
        let dropped = foldedRows - keyless - keys.count
        return keepsAll || dropped == 0 ? [:] : [DeduplicateRows.dropName: dropped]
    }

    init(_ batch: Batch, _ stage: DeduplicateRows) {
        foldedRows = batch.count
        keepsAll = stage.keepsAll
        let hasKey = stage.rowsWithKey(batch)
        let ranks = stage.newestBy.map { Self.ranks(batch[$0]) }
        let table = SortKeyTable(batch, by: stage.keys)
        var numbers = [Int](repeating: -1, count: batch.count)
        for row in 0..<batch.count {
            guard hasKey[row] else {
                keyless += 1
                continue
            }
            let number = table.withKey(row) { keys.number(of: $0) }
            numbers[row] = number
            var one = Best(row: Int64(row))
            if let ranks, !ranks.missing.isMissing(row) {
                one.rank = ranks.elements[row]
                one.isRanked = true
            }
            if number == best.count {
                best.append(one)
            } else if stage.prefers(one, to: best[number]) {
                best[number] = one
            }
        }
        var kept = Array(0..<batch.count)
        if keepsAll {
            let all = RowPlace.places(of: batch)
            places = best.map { all[Int($0.row)] }
            switch batch.origins {
            case .morsel(let morsel, _, _): note(morsel.source)
            case .store(let source, _): note(source)
            case .gathered, .made: break
            }
        } else {
            kept = kept.filter { numbers[$0] < 0 || best[numbers[$0]].row == Int64($0) }
        }
        if stage.repeats == .renumber, batch.count > 0 {
            let numbers = batch.integers(in: stage.by[0])
            for row in 0..<batch.count where hasKey[row] { largest = max(largest, numbers.elements[row]) }
        }
        add(batch, kept)
    }

    private mutating func note(_ source: SourceName) {
        paths[Int32(truncatingIfNeeded: source.index)] = source.path
    }

    /// Newer is larger. Numbers that are none are as old as can be.
    private static func ranks(_ column: Column) -> Values<Int64> {
        switch column {
        case .integers(let values), .instants(let values): return values
        case .days(let days): return days.mapValues { Int64($0) }
        case .decimals(let values):
            return values.mapValues { value in
                guard !value.isNaN else { return .min }
                let bits = Int64(bitPattern: (value == 0 ? 0 : value).bitPattern)
                return bits >= 0 ? bits : bits ^ .max
            }
        default: preconditionFailure("the schema check lets only numbers and dates say what is newer")
        }
    }

    private mutating func add(_ batch: Batch, _ rows: [Int]) {
        guard !rows.isEmpty else { return }
        let numbered = batch.replacing(
            Schema(batch.schema.fields + [Field("", .integer)]),
            batch.columns + [.integers(Values((0..<batch.count).map { Int64($0) }))]
        )
        let kept = Batch.gathering(rows.map { RowPick(batch: 0, row: $0) }, from: [numbered])
        footprint += kept.footprint
        stretches.append(Stretch(first: 0, rows: .memory([kept])))
    }

    mutating func merge(_ later: DistinctRows, _ stage: DeduplicateRows) {
        let shift = Int64(foldedRows)
        for number in 0..<later.keys.count {
            var one = later.best[number]
            one.row += shift
            let mine = later.keys.withKey(number) { keys.number(of: $0) }
            if mine == best.count {
                best.append(one)
                if keepsAll { places.append(later.places[number]) }
            } else if stage.prefers(one, to: best[mine]) {
                best[mine] = one
                if keepsAll { places[mine] = later.places[number] }
            }
        }
        stretches += later.stretches.map { Stretch(first: $0.first + shift, rows: $0.rows) }
        footprint += later.footprint
        foldedRows += later.foldedRows
        keyless += later.keyless
        largest = max(largest, later.largest)
        paths.merge(later.paths) { mine, _ in mine }
    }

    /// Lets go of rows in memory that another one has beaten already.
    mutating func forgetBeaten(_ stage: DeduplicateRows) {
        guard !keepsAll else { return }
        footprint = 0
        var left: [Stretch] = []
        for stretch in stretches {
            guard case .memory(let batches) = stretch.rows else {
                left.append(stretch)
                continue
            }
            for batch in batches {
                let judged = judge(batch, from: stretch.first, stage)
                let picks = (0..<batch.count).filter { judged.winners[$0] < 0 }.map { RowPick(batch: 0, row: $0) }
                guard !picks.isEmpty else { continue }
                let kept = Batch.gathering(picks, from: [batch])
                footprint += kept.footprint
                left.append(Stretch(first: stretch.first, rows: .memory([kept])))
            }
        }
        stretches = left
    }

    /// Brings all rows in memory to the disk.
    mutating func spill(_ scratch: any Scratch) throws(DaybookError) {
        var left: [Stretch] = []
        var rest = stretches[...]
        while let stretch = rest.popFirst() {
            guard stretch.rows.isInMemory else {
                left.append(stretch)
                continue
            }
            var file = BatchFile(file: try scratch.makeFile())
            for neighbour in [stretch] + rest.prefix(while: \.rows.isInMemory) {
                for index in 0..<neighbour.rows.batchCount {
                    try file.append(try neighbour.rows.batch(index).numbered(from: neighbour.first))
                }
            }
            rest = rest.drop(while: \.rows.isInMemory)
            left.append(Stretch(first: 0, rows: .file(file, level: 0)))
        }
        stretches = left
        footprint = 0
    }

    /// Rows with, for each, the place in `places` of the row that stands for its key, or -1 when it is that row itself or
    /// has no key.
    struct Judged {
        var rows: Batch
        var winners: [Int]
    }

    func judge(_ numbered: Batch, from first: Int64, _ stage: DeduplicateRows) -> Judged {
        guard case .integers(let numbers) = numbered.columns[numbered.columns.count - 1] else {
            preconditionFailure("stored rows have their numbers in the last column")
        }
        let rows = numbered.replacing(
            Schema(Array(numbered.schema.fields.dropLast())),
            Array(numbered.columns.dropLast())
        )
        let hasKey = stage.rowsWithKey(rows)
        let table = SortKeyTable(rows, by: stage.keys)
        let winners = (0..<rows.count).map { row in
            guard hasKey[row] else { return -1 }
            let key = table.withKey(row) { keys.find($0) }
            return best[key].row == first + numbers.elements[row] ? -1 : key
        }
        return Judged(rows: rows, winners: winners)
    }

    func place(ofKey key: Int) -> RowPlace { places[key] }
}

extension Batch {
    /// Stored rows whose numbers are counted from 0.
    fileprivate func numbered(from first: Int64) -> Batch {
        guard first != 0, case .integers(let numbers) = columns[columns.count - 1] else { return self }
        return replacing(schema, columns.dropLast() + [.integers(numbers.mapValues { $0 + first })])
    }
}

extension DistinctRows {
    public func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: UInt64(foldedRows))
        bytes.append(raw: UInt64(keyless))
        bytes.append(raw: keepsAll)
        bytes.append(raw: largest)
        keys.write(to: bytes)
        bytes.append(array: best)
        bytes.append(array: places)
        bytes.append(raw: UInt32(paths.count))
        for (source, path) in paths.sorted(by: { $0.key < $1.key }) {
            bytes.append(raw: source)
            bytes.append(counted: path)
        }
        bytes.append(raw: UInt32(stretches.reduce(0) { $0 + $1.rows.batchCount }))
        for stretch in stretches {
            for index in 0..<stretch.rows.batchCount {
                bytes.append(raw: stretch.first)
                try stretch.rows.batch(index).write(to: bytes)
            }
        }
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        foldedRows = Int(try reader.raw(UInt64.self))
        keyless = Int(try reader.raw(UInt64.self))
        keepsAll = try reader.raw()
        largest = try reader.raw()
        keys = try KeyIndex(reading: &reader)
        best = try reader.array()
        places = try reader.array()
        for _ in 0..<(try reader.raw(UInt32.self)) {
            let source: Int32 = try reader.raw()
            paths[source] = try reader.text()
        }
        for _ in 0..<(try reader.raw(UInt32.self)) {
            let first: Int64 = try reader.raw()
            let batch = try Batch(reading: &reader)
            footprint += batch.footprint
            stretches.append(Stretch(first: first, rows: .memory([batch])))
        }
    }
}
