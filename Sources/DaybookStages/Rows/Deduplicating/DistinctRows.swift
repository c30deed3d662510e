import DaybookCore

/// A key, the row that it stands in, and how new that row is where that is asked.
struct RankedKey: PartedElement, TableKey {
    private(set) var hashed: HashedKey
    let rank: Int64
    let isRanked: Bool

    init(_ hashed: HashedKey, rank: Int64?) {
        self.hashed = hashed
        self.rank = rank ?? 0
        isRanked = rank != nil
    }

    func raised(by rows: Int) -> RankedKey {
        var result = self
        result.hashed = hashed.raised(by: rows)
        return result
    }
}

/// Rows and their keys: what `deduplicate_rows` knows of some rows.
///
/// Rows are kept in their order with their numbers in the input, in memory or on disk, and so are their keys, each with its row. Which row
/// stands for a key is found out at the end, by `settle`.
public struct DistinctRows: FoldPartial, BinaryForm {
    /// Neighbouring rows. The last column of their batches holds the number of each row, counted from `first`.
    struct Stretch: Sendable {
        var first: Int64
        var rows: SortedRun
    }

    public private(set) var foldedRows = 0
    /// Whether every row is given back by `finish`, since each needs a word or a new number.
    private let keepsAll: Bool
    private var keys = DistinctRows.noKeys
    /// Rows that another row of their batch has beaten, and that are gone.
    private var gone = 0
    /// Where all rows stand. Empty unless `keepsAll`.
    private(set) var places = RowPlaces(Batch(empty: Schema()))
    private(set) var paths: [Int32: String] = [:]
    private(set) var stretches: [Stretch] = []
    /// Bytes of the rows in memory.
    public private(set) var footprint = 0
    /// The largest of the whole numbers that are keys.
    private(set) var largest = Int64.min
    /// The rows that do not stand for their key, once that is settled, and for each of them the one that does where that is told.
    private(set) var beaten = RowSet()
    private(set) var winners = ByteTrail()

    private static var noKeys: PartedBlocks<RankedKey> { PartedBlocks { $0.hashed.part } }

    /// How many rows do not come back: each key has one row, and each row without a key stays.
    var droppedRows: Int { keepsAll ? 0 : gone + beaten.count }

    init(_ batch: Batch, _ stage: DeduplicateRows) {
        foldedRows = batch.count
        keepsAll = stage.keepsAll
        let hasKey = stage.rowsWithKey(batch)
        let ranks = stage.newestBy.map { Self.ranks(batch[$0]) }
        let words = KeyHash.hashes(of: batch, stage.by)
        let seconds = KeyHash.secondHashes(of: batch, stage.by)
        func key(_ row: Int) -> RankedKey {
            RankedKey(
                HashedKey(word: words[row], second: seconds[row], row: row),
                rank: ranks.flatMap { $0.missing.isMissing(row) ? nil : $0.elements[row] }
            )
        }
        var keyed: [RankedKey] = []
        var kept = Array(0..<batch.count)
        if keepsAll {
            keyed = kept.filter { hasKey[$0] }.map(key)
            notePlaces(of: batch)
        } else {
            let codes = RowCodes(batch, by: stage.by)
            var best = [RankedKey?](repeating: nil, count: codes.firsts.count)
            for row in 0..<batch.count where hasKey[row] {
                let (one, code) = (key(row), Int(codes.codes[row]))
                if let earlier = best[code], !stage.prefers(one, to: earlier) { continue }
                best[code] = one
            }
            kept = kept.filter { !hasKey[$0] || best[Int(codes.codes[$0])]?.hashed.row == $0 }
            keyed = kept.filter { hasKey[$0] }.map(key)
            gone = batch.count - kept.count
        }
        keys.append(keyed)
        if stage.repeats == .renumber, batch.count > 0 {
            let numbers = batch.integers(in: stage.by[0])
            for row in 0..<batch.count where hasKey[row] { largest = max(largest, numbers.elements[row]) }
        }
        add(batch, kept)
    }

    private mutating func notePlaces(of batch: Batch) {
        var placed = batch
        if case .morsel(let morsel, _, _) = batch.origins, morsel.holder != nil,
            case .gathered(var origins) = batch.origins.gathered()
        {
            // The lines of a part of a file mean nothing there.
            for row in origins.indices { origins[row].line = -1 }
            placed.origins = .gathered(origins)
        }
        places = RowPlaces(placed)
        switch batch.origins {
        case .morsel(let morsel, _, _): note(morsel.source)
        case .store(let source, _): note(source)
        case .gathered, .made: break
        }
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

    mutating func merge(_ later: DistinctRows, _ scratch: any Scratch) throws(DaybookError) {
        let shift = Int64(foldedRows)
        stretches += later.stretches.map { Stretch(first: $0.first + shift, rows: $0.rows) }
        footprint += later.footprint
        keys.append(later.keys, raisedBy: foldedRows)
        try places.append(later.places)
        if keys.footprint + places.footprint > scratch.memoryLimit {
            try keys.spill(to: scratch)
            try places.spill(to: scratch)
        }
        foldedRows += later.foldedRows
        gone += later.gone
        largest = max(largest, later.largest)
        paths.merge(later.paths) { mine, _ in mine }
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

    /// Finds out which row stands for each key.
    mutating func settle(_ stage: DeduplicateRows, _ scratch: any Scratch) throws(DaybookError) {
        keys.layInParts()
        var repeats = Repeats(first: keepsAll ? .max : 0, of: foldedRows, scratch: scratch)
        var table = KeyTable<RankedKey>()
        for part in 0..<Parts.count {
            table.removeAll()
            var cursor = keys.cursor(of: part)
            while let piece = try cursor.next() {
                for key in piece {
                    guard let place = table.insert(key) else { continue }
                    let best = table[place]
                    let isBetter = stage.prefers(key, to: best)
                    if isBetter { table[place] = key }
                    beaten.insert(isBetter ? best.hashed.row : key.hashed.row)
                }
            }
            guard keepsAll else { continue }
            cursor = keys.cursor(of: part)
            while let piece = try cursor.next() {
                for key in piece {
                    guard let place = table.insert(key), table[place].hashed.row != key.hashed.row else { continue }
                    try repeats.append(Repeat(row: key.hashed.row, first: table[place].hashed.row))
                }
            }
        }
        keys = DistinctRows.noKeys
        var winners = ByteTrail()
        try repeats.forEachPiece { (piece) throws(DaybookError) in
            piece.map { Int64($0.first) }.withUnsafeBytes { winners.append(Array($0)) }
            if winners.footprint > scratch.memoryLimit / 4 { try winners.spill(to: scratch) }
        }
        self.winners = winners
    }
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
        bytes.append(raw: UInt64(gone))
        bytes.append(flag: keepsAll)
        bytes.append(raw: largest)
        try keys.write(to: bytes)
        try places.write(to: bytes)
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
        gone = Int(try reader.raw(UInt64.self))
        keepsAll = try reader.flag()
        largest = try reader.raw()
        try keys.read(&reader)
        places = try RowPlaces(reading: &reader)
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
