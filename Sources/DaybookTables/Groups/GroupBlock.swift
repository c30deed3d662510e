import DaybookCore

/// What a job knows of groups: the columns that tell them apart, and what is kept of each.
package protocol Grouping: Sendable {
    var by: [ColumnName] { get }
    /// What is known of no groups, for rows of that schema, and the column that each is made of; nil for the rows themselves.
    func values(of schema: Schema) -> [(values: any GroupValues, column: ColumnName?)]
}

/// The groups of some rows, packed part by part, in memory or on disk.
///
/// Each group stands in it once. Within a part they lie in the order in which they were met.
struct GroupBlock: Sendable {
    private enum Content: Sendable {
        case memory(Bytes)
        case file(any ScratchFile, start: Int)
    }

    /// How many rows came before the first one.
    var base: Int64 = 0
    let count: Int
    private var content: Content
    /// Where each part ends.
    private let ends: [Int]

    /// Packs the groups of a batch.
    init(_ batch: Batch, _ grouping: some Grouping) {
        var groups = RowCodes(batch, by: grouping.by)
        let fields = grouping.by.map { Field($0.text, batch[$0].kind) }
        let firsts = batch.replacing(Schema(fields), grouping.by.map { batch[$0] }).keeping(groups.firsts)
        let keys = SortKeyTable(firsts, by: grouping.by.map { SortKey(column: $0) })
        let layout = PartLayout((0..<keys.count).map { Parts.part(of: keys.withKey($0, KeyIndex.hash)) })
        groups.renumber(layout.places)
        let order = layout.order
        let met = order.map { groups.firsts[Int($0)] }
        let lengths = order.map { row in keys.withKey(Int(row)) { UInt32(truncatingIfNeeded: $0.count) } }
        let origins: [RowOrigin]? = if case .gathered(let origins) = firsts.origins.gathered() { origins } else { nil }
        let values = grouping.values(of: batch.schema).map { entry in
            var values = entry.values
            values.grow(to: order.count)
            values.add(entry.column, of: batch, groups)
            return values
        }
        self.init(count: order.count) { part, bytes in
            let groups = layout.range(of: part)
            guard !groups.isEmpty else { return }
            bytes.append(raw: UInt32(groups.count))
            bytes.append(packed: lengths[groups])
            for row in order[groups] { keys.withKey(Int(row)) { bytes.append($0) } }
            bytes.append(packed: met[groups])
            var log = OriginLog()
            for row in order[groups] { log.append(origins?[Int(row)]) }
            log.write(to: bytes)
            for values in values { values.write(groups, to: bytes) }
        }
    }

    /// Packs whole parts.
    init(_ parts: [GroupPart]) {
        self.init(count: parts.reduce(0) { $0 + $1.count }) { part, bytes in
            if parts[part].count > 0 { parts[part].write(to: bytes) }
        }
    }

    /// Packs whole parts to disk, and empties each.
    init(_ parts: inout [GroupPart], to file: any ScratchFile) throws(DaybookError) {
        count = parts.reduce(0) { $0 + $1.count }
        let start = file.length
        var ends: [Int] = []
        for part in parts.indices {
            let bytes = Bytes()
            if parts[part].count > 0 { parts[part].write(to: bytes) }
            parts[part] = GroupPart(parts[part].nothing)
            try file.append(bytes.filled)
            withExtendedLifetime(bytes) {}
            ends.append(file.length - start)
        }
        (content, self.ends) = (.file(file, start: start), ends)
    }

    private init(count: Int, _ write: (_ part: Int, Bytes) -> Void) {
        let bytes = Bytes(capacity: 1 << 12)
        ends = (0..<Parts.count).map { part in
            write(part, bytes)
            return bytes.count
        }
        // It may stay for long, and so takes no more than it needs.
        let exact = Bytes(capacity: bytes.count)
        exact.append(bytes)
        self.count = count
        content = .memory(exact)
    }

    /// Bytes in memory.
    var footprint: Int { if case .memory(let bytes) = content { bytes.capacity + Parts.count * 8 } else { 0 } }

    var isInMemory: Bool { if case .memory = content { true } else { false } }

    /// Reads the groups of a part, where there are some.
    func read(
        _ part: Int,
        _ body: (inout ByteReader) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        let start = part == 0 ? 0 : ends[part - 1]
        guard ends[part] > start else { return }
        switch content {
        case .memory(let bytes):
            var reader = ByteReader(Cell(rebasing: bytes.filled[start..<ends[part]]))
            try body(&reader)
            withExtendedLifetime(bytes) {}
        case .file(let file, let offset): try file.reading(offset + start..<offset + ends[part], body)
        }
    }

    /// Brings it to disk.
    mutating func spill(to file: any ScratchFile) throws(DaybookError) {
        guard case .memory(let bytes) = content else { return }
        let start = file.length
        try file.append(bytes.filled)
        withExtendedLifetime(bytes) {}
        content = .file(file, start: start)
    }
}

extension GroupBlock {
    func write(to out: Bytes) throws(DaybookError) {
        out.append(raw: base)
        out.append(raw: UInt64(count))
        for part in 0..<Parts.count {
            out.append(raw: UInt64(part == 0 ? ends[0] : ends[part] - ends[part - 1]))
            try read(part) { (reader) throws(DaybookError) in out.append(try reader.rest()) }
        }
    }

    init(reading reader: inout ByteReader) throws(DaybookError) {
        base = try reader.raw()
        guard let count = Int(exactly: try reader.raw(UInt64.self)) else { throw ByteReader.damaged }
        let bytes = Bytes()
        var ends: [Int] = []
        for _ in 0..<Parts.count {
            guard let length = Int(exactly: try reader.raw(UInt64.self)) else { throw ByteReader.damaged }
            bytes.append(try reader.take(length))
            ends.append(bytes.count)
        }
        (self.count, self.ends, content) = (count, ends, .memory(bytes))
    }
}

/// Where things go that are laid part by part and else stay in their order.
private struct PartLayout {
    /// The place of each.
    let places: [Int32]
    /// What goes to each place.
    let order: [Int32]
    /// Where each part begins, and where the last one ends.
    private let starts: [Int]

    init(_ parts: [Int]) {
        var starts = [Int](repeating: 0, count: Parts.count + 1)
        for part in parts { starts[part + 1] += 1 }
        for part in 1...Parts.count { starts[part] += starts[part - 1] }
        self.starts = starts
        var places = [Int32](repeating: 0, count: parts.count)
        var order = places
        for (row, part) in parts.enumerated() {
            places[row] = Int32(truncatingIfNeeded: starts[part])
            order[starts[part]] = Int32(truncatingIfNeeded: row)
            starts[part] += 1
        }
        (self.places, self.order) = (places, order)
    }

    func range(of part: Int) -> Range<Int> { starts[part]..<starts[part + 1] }
}

extension Parts {
    /// Which part a key belongs to: the upper bits of its hash, as tables use the lower ones.
    @inline(__always)
    static func part(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 56) }
}

extension ScratchFile {
    /// Reads a part of the file into memory, for as long as `body` takes.
    package func reading(
        _ range: Range<Int>,
        _ body: (inout ByteReader) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        let bytes = Bytes(capacity: range.count)
        try read(range.count, at: range.lowerBound, into: bytes)
        guard bytes.count == range.count else { throw .lostScratch }
        var reader = ByteReader(bytes.filled)
        try body(&reader)
        withExtendedLifetime(bytes) {}
    }
}
