import DaybookContracts
import DaybookTestSupport
import Testing

@Suite struct BatchCodingTests {
    static let text = """
        t:text,j:json,i:integer,d:decimal,f:flag,day:day,at:instant
        행복해,"{""a"": [1]}",-9223372036854775808,0.1,true,2026-03-01,2026-03-01T00:00:00Z
        ,,,,,,
        "",[],0,inf,false,0001-01-01,1969-12-31T23:59:59.999999Z
        "more than sixteen bytes, and ""quotes""
        and a line end",null,9223372036854775807,-1e-300,true,9999-12-31,2026-03-01T00:00:00Z
        """

    @Test("every kind of column comes back from bytes, with its gaps, names and provenance")
    func thereAndBack() throws {
        let batch = try BatchText.read(Self.text)
        for rows in [[0, 1, 2, 3], [3, 1], [], [2, 2, 0]] as [[Int32]] {
            let some = batch.keeping(rows)
            let copy = try Self.copy(some)
            #expect(BatchText.write(copy) == BatchText.write(some))
            #expect(copy.schema == some.schema)
            #expect(Self.provenance(copy) == Self.provenance(some))
        }
    }

    @Test("a computed column has no source afterwards either, and made rows no origin")
    func withoutSource() throws {
        let schema = Schema([Field("a", .integer), Field("b", .text, source: "")])
        let text = TextColumn(Bytes("x"), views: [TextView(offset: 0, length: 1)])
        let copy = try Self.copy(Batch(schema, [.integers(Values([1])), .text(text)], count: 1, provenance: .made))
        #expect(copy.schema == schema)
        #expect(Self.provenance(copy) == nil)
    }

    @Test("bytes that end early are an error at every place")
    func cutShort() throws {
        let bytes = Bytes()
        try BatchText.read(Self.text).write(to: bytes)
        for length in 0..<bytes.count {
            var reader = ByteReader(UnsafeBufferPointer(rebasing: bytes.filled[..<length]))
            #expect(throws: DaybookError.self) { _ = try Batch(reading: &reader) }
        }
        withExtendedLifetime(bytes) {}
    }

    @Test("rows are gathered from several batches, and let go of their buffers")
    func take() throws {
        let batch = try BatchText.read(Self.text)
        let parts = [batch.keeping([0, 1]), batch.keeping([2, 3])]
        let picks = [(1, 1), (0, 0), (1, 0), (0, 1), (1, 1)].map { RowPick(batch: $0.0, row: $0.1) }
        let gathered = Batch.take(picks, from: parts)
        let expected = batch.keeping([3, 0, 2, 1, 3])
        #expect(BatchText.write(gathered) == BatchText.write(expected))
        #expect(Self.provenance(gathered) == Self.provenance(expected))
        #expect(gathered.text(in: ColumnName("t")).bytes !== batch.text(in: ColumnName("t")).bytes)
        #expect(Batch.take([], from: parts).count == 0)
    }

    @Test(
        "lines are counted over quoted line ends, CR LF, and lone CR where that ends them, also when rows are out of order",
        arguments: [(LineEnd.feed, [7, 8, 8, 10]), (.carriageReturn, [7, 8, 9, 11])]
    )
    func lines(lineEnd: LineEnd, expected: [Int64]) {
        let bytes = Bytes("a\r\nb\rc\n\nd")
        let morsel = Morsel(
            source: SourceName(index: 2, path: "x"),
            bytes: bytes,
            offset: 100,
            firstLine: 7,
            lineEnd: lineEnd,
            firstRecord: 40
        )
        let spans = [(0, 3), (3, 5), (5, 7), (8, 9)].map { RecordSpan(start: $0.0, end: $0.1) }
        let provenance = Provenance.morsel(morsel, spans: spans, records: [0, 1, 2, 3])
        func rows(_ provenance: Provenance) -> [RowOrigin] {
            if case .gathered(let rows) = provenance.gathered() { rows } else { [] }
        }
        #expect(rows(provenance).map(\.line) == expected)
        #expect(rows(provenance.keeping([3, 0, 2])).map(\.line) == [3, 0, 2].map { expected[$0] })
        #expect(rows(provenance).map(\.offset) == [100, 103, 105, 108])
        #expect(rows(provenance).map(\.record) == [40, 41, 42, 43])
        #expect(rows(provenance).allSatisfy { $0.source == 2 })
    }

    private static func copy(_ batch: Batch) throws -> Batch {
        let bytes = Bytes()
        batch.write(to: bytes)
        var reader = ByteReader(bytes.filled)
        let copy = try withExtendedLifetime(bytes) { try Batch(reading: &reader) }
        #expect(reader.isAtEnd)
        return copy
    }

    private static func provenance(_ batch: Batch) -> [[Int64]]? {
        guard case .gathered(let rows) = batch.provenance.gathered() else { return nil }
        return rows.map { [Int64($0.source), Int64($0.length), $0.offset, $0.line, $0.record] }
    }
}
