import DaybookCore

/// No two rows are alike in all the columns. A row without a value in one of them has no key, and repeats none.
///
/// Of each row eight bytes of its key and a few of its place are kept, about thirteen in all, so that millions of rows need no
/// table of their texts. A key of one column of whole numbers or days is kept whole. Of other keys a hash with 64 bits is kept,
/// seeded anew in every process, so nobody can make two keys that pass for one; that it happens by chance among a million
/// different keys has a probability of about 3 in 100 million.
struct Unique: MemoryRule {
    static let name = "unique"
    static let summary = "No two rows have the same values in one or several columns."
    static let findsLate = true
    static var shorthand: String? { "columns" }

    let columns: [ColumnName]

    init(reading options: inout OptionReader) {
        columns = options.read("columns", help: "Columns that make the key.")
        if columns.isEmpty { options.refuse("columns", "'unique' names no column") }
    }

    var finding: Finding.Kind { Finding.Kind("duplicate-key", "the key stands in an earlier row") }
    var complaint: String { "repeat \(columns.count == 1 ? "a value" : "values") of \(spokenColumns)" }

    private var spokenColumns: String { columns.map { "'\($0)'" }.joined(separator: " and ") }

    func check(_ input: Schema) throws(DaybookError) {
        for column in columns {
            try input.requiring(
                column,
                .text,
                .integer,
                .decimal,
                .flag,
                .day,
                .instant,
                hint: "a JSON value may be written in many ways, so two are not compared"
            )
        }
    }

    func memory(of batch: Batch, asked: Mask?, broken: inout Mask?) -> KeyHashes {
        var gaps: Mask?
        for column in columns {
            guard let missing = batch.column(column).missing else { continue }
            if gaps == nil { gaps = missing } else { gaps?.formUnion(missing) }
        }
        var hashes = KeyHash.hashes(of: batch, columns)
        for row in hashes.indices where gaps?[row] == true || asked?[row] == false { hashes[row] = KeyHash.none }
        return KeyHashes(hashes: hashes, places: RowPlaces(batch))
    }

    func merge(_ later: KeyHashes, into earlier: inout KeyHashes) {
        earlier.hashes += later.hashes
        earlier.places.append(later.places)
    }

    func conclude(_ memory: KeyHashes?, _ conclusion: inout RuleConclusion) {
        guard let memory else { return }
        let repeats = memory.repeats()
        var told = repeats[...]
        if conclusion.fate != .rejected { told = repeats.prefix(conclusion.fate == .reported ? conclusion.room : 0) }
        conclusion.count(repeats.count - told.count)
        while !told.isEmpty {
            let part = Array(told.prefix(4096))
            told = told.dropFirst(part.count)
            tell(part, memory, &conclusion)
        }
    }

    private func tell(_ repeats: [KeyHashes.Repeat], _ memory: KeyHashes, _ conclusion: inout RuleConclusion) {
        let origins = memory.places.origins(of: repeats.map(\.row))
        let firsts = Array(Set(repeats.map(\.first))).sorted()
        let firstOrigins = Dictionary(uniqueKeysWithValues: zip(firsts, memory.places.origins(of: firsts)))
        let key = columns.count == 1 ? "the value" : "the values of \(spokenColumns)"
        let rows = zip(repeats, origins).map { one, origin in
            guard let first = firstOrigins[one.first] ?? nil else {
                return LateRow(number: one.row, origin: origin, message: "\(key) stands in an earlier row")
            }
            let verb = columns.count == 1 ? "stands" : "stand"
            return LateRow(
                number: one.row,
                origin: origin,
                message: "\(key) \(verb) in \(Findings.rowMark) already",
                named: [first]
            )
        }
        conclusion.tell(rows)
    }
}

/// The keys of many rows as hashes, in the order of the rows, and where the rows stand.
struct KeyHashes: RuleMemory {
    /// A row whose key an earlier row has, and the first such row.
    struct Repeat {
        var row: Int
        var first: Int
    }

    /// `KeyHash.none` for a row without a key.
    var hashes: [UInt64]
    var places: RowPlaces

    init(hashes: [UInt64], places: RowPlaces) {
        self.hashes = hashes
        self.places = places
    }

    func write(to bytes: Bytes) {
        bytes.append(array: hashes)
        places.write(to: bytes)
    }

    init(reading reader: inout ByteReader) throws(DaybookError) {
        hashes = try reader.array(UInt64.self)
        places = try RowPlaces(reading: &reader)
    }

    /// The rows whose key stands in an earlier row, in order.
    ///
    /// The hashes are looked through several times, each time for those that begin with other bits, so that the table of those
    /// met stays in the cache and takes a few megabytes whatever the number of rows.
    func repeats() -> [Repeat] {
        var passes = 1
        while hashes.count / passes > 1 << 19 { passes *= 2 }
        var size = 16
        while size < hashes.count / passes * 2 + 16 { size *= 2 }
        var repeats: [Repeat] = []
        var slots = [UInt32](repeating: 0, count: size)
        hashes.withUnsafeBufferPointer { hashes in
            for pass in 0..<passes {
                if pass > 0 { for slot in slots.indices { slots[slot] = 0 } }
                slots.withUnsafeMutableBufferPointer { slots in
                    KeyHashes.look(for: UInt64(pass), of: UInt64(passes), hashes, slots, &repeats)
                }
            }
        }
        if passes > 1 { repeats.sort { $0.row < $1.row } }
        return repeats
    }

    private static func look(
        for pass: UInt64,
        of passes: UInt64,
        _ hashes: UnsafeBufferPointer<UInt64>,
        _ slots: UnsafeMutableBufferPointer<UInt32>,
        _ repeats: inout [Repeat]
    ) {
        let mask = slots.count - 1
        var filled = 0
        for row in 0..<hashes.count {
            let hash = hashes[row]
            guard hash != KeyHash.none, hash & (passes - 1) == pass else { continue }
            var slot = Int(truncatingIfNeeded: hash >> 20) & mask
            while true {
                let entry = slots[slot]
                if entry == 0 {
                    // Hashes that all begin alike would fill the table: the seed keeps that from happening by design.
                    precondition(filled < mask, "the table of keys is full")
                    filled += 1
                    slots[slot] = UInt32(truncatingIfNeeded: row + 1)
                    break
                }
                if hashes[Int(entry) - 1] == hash {
                    repeats.append(Repeat(row: row, first: Int(entry) - 1))
                    break
                }
                slot = (slot + 1) & mask
            }
        }
    }
}
