import DaybookContracts
import DaybookTestSupport
import Testing

/// Places and numbers of rows in little memory, against the plain ones.
@Suite struct CompactProvenanceTests {
    /// A batch as an importer makes it: records one behind another, some of several lines, some left out.
    private func imported(_ random: inout SeededGenerator, source: Int, lines: Bool) -> Batch {
        var text = "header\n"
        var spans: [RecordSpan] = []
        var records: [UInt32] = []
        let gaps = !lines && Bool.random(using: &random)
        let count = Int.random(in: 1...60, using: &random)
        for record in 0..<count {
            let start = text.utf8.count
            let isLast = record == count - 1
            let isLong = Int.random(in: 0..<20, using: &random) == 0
            text += String(repeating: "x", count: Int.random(in: 0...(isLong ? 400 : 30), using: &random))
            if !lines, Int.random(in: 0..<9, using: &random) == 0 { text += "\n\n" }
            if lines, isLast, Bool.random(using: &random) { text += "\nthe last one goes on" }
            text += lines || Int.random(in: 0..<9, using: &random) > 0 ? "\n" : ","
            if gaps, Int.random(in: 0..<9, using: &random) == 0 { continue }
            spans.append(RecordSpan(start: start, end: text.utf8.count))
            records.append(UInt32(record))
        }
        let morsel = Morsel(
            source: SourceName(index: source, path: "in-\(source).csv"),
            bytes: Bytes(text),
            offset: Int.random(in: 0...1_000_000, using: &random),
            firstLine: Int.random(in: 1...9_000, using: &random),
            firstRecord: Int.random(in: 0...9_000, using: &random)
        )
        return Batch(Schema(), [], count: spans.count, provenance: .morsel(morsel, spans: spans, records: records))
    }

    private func batch(_ random: inout SeededGenerator, source: Int) -> Batch {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return Batch(Schema(), [], count: Int.random(in: 0...5, using: &random), provenance: .made)
        case 1:
            let rows = (0..<7).map { StoreRow(Int64($0 * $0) - 9, at: $0) }
            return Batch(
                Schema(),
                [],
                count: 7,
                provenance: .store(SourceName(index: source, path: "store"), rows: rows)
            )
        case 2:
            let rows = imported(&random, source: source, lines: false)
            var order = (0..<rows.count).map { Int32($0) }
            order.shuffle(using: &random)
            return rows.keeping(order)
        case 3: return imported(&random, source: source, lines: false)
        default: return imported(&random, source: source, lines: true)
        }
    }

    private func plain(_ batch: Batch) -> [String] {
        guard case .gathered(let provenance) = batch.provenance.gathered() else {
            return Array(repeating: "none", count: batch.count)
        }
        return provenance.map(described)
    }

    private func described(_ origin: RowOrigin?) -> String {
        guard let origin else { return "none" }
        return "\(origin.source) \(origin.offset) \(origin.length) \(origin.line) \(origin.record)"
    }

    /// Whether each row stands on one line.
    private func areOneLine(_ batch: Batch) -> [Bool] {
        guard case .morsel(let morsel, let spans, _) = batch.provenance else {
            return Array(repeating: false, count: batch.count)
        }
        return spans.map { !$0.bytes(of: morsel).withoutLineEnd.contains(10) }
    }

    @Test("rows are found where they were", arguments: 1...40 as ClosedRange<UInt64>)
    func places(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let scratch = MemoryScratch()
        var expected: [String] = []
        var oneLine: [Bool] = []
        var whole = CompactProvenance(Batch(empty: Schema()))
        for source in 0..<Int.random(in: 1...6, using: &random) {
            let batch = batch(&random, source: source)
            expected += plain(batch)
            oneLine += areOneLine(batch)
            var later = CompactProvenance(batch)
            if Int.random(in: 0..<4, using: &random) == 0 { try later.spill(to: scratch) }
            try whole.append(later)
            if Int.random(in: 0..<3, using: &random) == 0 { try whole.spill(to: scratch) }
            if Int.random(in: 0..<3, using: &random) == 0 { whole = try copied(whole) }
        }
        #expect(whole.count == expected.count)
        for share in [1, 2, 9] {
            let rows = expected.indices.filter { _ in Int.random(in: 0..<share, using: &random) == 0 }
            let found = try whole.provenance(of: rows)
            #expect(found.map(described) == rows.map { expected[$0] }, "\(random)")
            #expect(zip(found, rows).allSatisfy { $0?.isOneLine != true || oneLine[$1] }, "\(random)")
        }
        let twice = expected.indices.flatMap { [$0, $0] }
        #expect(try whole.provenance(of: twice).map(described) == twice.map { expected[$0] })
    }

    private func copied(_ places: CompactProvenance) throws -> CompactProvenance {
        let bytes = Bytes()
        try places.write(to: bytes)
        var reader = ByteReader(bytes.filled)
        defer { withExtendedLifetime(bytes) {} }
        let copy = try CompactProvenance(reading: &reader)
        #expect(reader.isAtEnd)
        return copy
    }

    @Test("lines take a byte each")
    func small() {
        let text = String(repeating: "a line\n", count: 1_000)
        let morsel = Morsel(
            source: SourceName(index: 0, path: "in.csv"),
            bytes: Bytes(text),
            offset: 0,
            firstLine: 1,
            firstRecord: 0
        )
        let batch = Batch(
            Schema(),
            [],
            count: 1_000,
            provenance: .morsel(
                morsel,
                spans: (0..<1_000).map { RecordSpan(start: $0 * 7, end: $0 * 7 + 7) },
                records: (0..<1_000).map { UInt32($0) }
            )
        )
        #expect(CompactProvenance(batch).footprint < 1_200)
    }

    @Test("what is written to disk by one copy of a trail is not seen by another")
    func trails() throws {
        let scratch = MemoryScratch()
        var first = SpillLog()
        first.append([1, 2, 3])
        try first.spill(to: scratch)
        var second = first
        first.append([4, 5])
        second.append([6])
        try first.spill(to: scratch)
        try second.spill(to: scratch)
        second.append([7, 8])
        #expect(try first.withBytes(0..<5) { Array($0) } == [1, 2, 3, 4, 5])
        #expect(try second.withBytes(1..<6) { Array($0) } == [2, 3, 6, 7, 8])
        #expect(try second.withBytes(4..<4) { Array($0) }.isEmpty)
        #expect(first.footprint == 0 && second.footprint == 2)
    }

    @Test("a set of rows knows what was put in, page by page")
    func sets() throws {
        var random = SeededGenerator(seed: 5)
        var set = RowSet()
        var known: Set<Int> = []
        for _ in 0..<3_000 {
            let row = Int.random(in: 0..<400_000, using: &random)
            let isNew = set.insert(row)
            #expect(isNew == known.insert(row).inserted)
        }
        for row in 65_536..<131_072 {
            set.insert(row)
            known.insert(row)
        }
        let isNew = set.insert(70_000)
        #expect(!isNew)
        var mask = Mask(count: 100)
        for row in [0, 63, 64, 99] { mask.insert(row) }
        set.insert(RowSet(mask), raisedBy: 300_001)
        known.formUnion([300_001, 300_064, 300_065, 300_100])
        let bytes = Bytes()
        set.write(to: bytes)
        var reader = ByteReader(bytes.filled)
        let copy = try withExtendedLifetime(bytes) { try RowSet(reading: &reader) }
        #expect(set.count == known.count && copy.count == known.count)
        #expect((0..<500_000).allSatisfy { set.contains($0) == known.contains($0) })
        #expect((0..<500_000).allSatisfy { copy.contains($0) == known.contains($0) })
    }
}
