import DaybookContracts
import DaybookTestSupport
import Testing

@testable import DaybookJobTools

/// What rows are compared by: hashes of cells, the order of keys, the kinds that texts may have.
@Suite struct RowPrintsTests {
    private static func text(_ cells: [String?]) -> Column {
        let gaps = Mask(count: cells.count) { cells[$0] == nil }
        let column = TextColumn(cells.map { $0 ?? "" }, at: cells.indices)
        return .text(TextColumn(column.bytes, views: column.views, missing: gaps.setCount > 0 ? gaps : nil))
    }

    @Test func `cells have one hash where they say the same, and others where a byte differs`() {
        var texts: [String?] = [nil, ""]
        for length in 1...40 {
            let base = [Character](repeating: "a", count: length)
            texts.append(String(base))
            for place in base.indices {
                var other = base
                other[place] = "b"
                texts.append(String(other))
            }
        }
        let hashes = RowHashes.cells(of: Self.text(texts))
        #expect(Set(hashes).count == texts.count)
        #expect(RowHashes.cells(of: Self.text(texts)) == hashes)
        // Kinds do not matter, only what is written.
        let numbers = Column.integers(Values([7, -12, 1_234_567_890_123]))
        #expect(RowHashes.cells(of: numbers) == RowHashes.cells(of: Self.text(["7", "-12", "1234567890123"])))
        var (rows, turned) = (RowHashes(count: 1), RowHashes(count: 1))
        for cell in ["a", "b"] { rows.add(RowHashes.cells(of: Self.text([cell]))) }
        for cell in ["b", "a"] { turned.add(RowHashes.cells(of: Self.text([cell]))) }
        #expect(rows.values != turned.values)
    }

    @Test(arguments: [
        (["1", "2", "10"], true), (["a", "ab", "b"], true), (["10", "2", "1"], false), (["1", "1"], false),
        (["9", "10", "9"], false), (["", "a"], true), (["2026-01-01", "2026-01-02", "2026-01-02"], false),
    ])
    func `keys that rise are unique, however they are cut`(_ cells: [String], _ isUnique: Bool) {
        for cut in 1..<cells.count {
            var order = KeyOrder([Self.text(Array(cells[..<cut]))])
            order.append(KeyOrder([Self.text(Array(cells[cut...]))]), isFirst: false)
            #expect(order.isUnique == isUnique, "\(cells) cut at \(cut)")
        }
        #expect(!KeyOrder([Self.text(["a", nil, "b"])]).isUnique)
        // What is missing or empty in a later part counts as well.
        for later in [[nil], ["b", nil], [""]] {
            var order = KeyOrder([Self.text(["", "a"])])
            order.append(KeyOrder([Self.text([])]), isFirst: false)
            #expect(order.isUnique)
            order.append(KeyOrder([Self.text(later)]), isFirst: false)
            #expect(!order.isUnique, "\(later)")
        }
    }

    @Test(arguments: [
        (["KR 1", "KR 2", "US 1"], true), (["KR 1", "KR 1", "US 1"], false), (["US 1", "KR 2"], false),
        (["KR 9", "KR 10"], true), (["KR 2", "US 1", "US 1"], false), (["KR 2", "KR 1", "US 3"], false),
    ])
    func `keys of several columns rise column by column`(_ rows: [String], _ isUnique: Bool) {
        let order = { (rows: ArraySlice<String>) in
            KeyOrder((0..<2).map { part in Self.text(rows.map { String($0.split(separator: " ")[part]) }) })
        }
        #expect(order(rows[...]).isUnique == isUnique)
        for cut in 1..<rows.count {
            var earlier = order(rows[..<cut])
            earlier.append(order(rows[cut...]), isFirst: false)
            #expect(earlier.isUnique == isUnique, "\(rows) cut at \(cut)")
        }
        #expect(!KeyOrder([Self.text(["a", "b"]), nil]).isUnique)
    }

    @Test func `kinds are those that each cell reads as`() {
        var random = SeededGenerator(seed: 11)
        let alphabet = Array("0123456789..-e/ ")
        for _ in 0..<20_000 {
            let length = Int.random(in: 1...10, using: &random)
            let text = String((0..<length).map { _ in alphabet.randomElement(using: &random) ?? "0" })
            let isCode =
                text.drop { $0 == "-" }.count > 1 && text.drop { $0 == "-" }.hasPrefix("0")
                && !text.drop { $0 == "-" }.hasPrefix("0.")
            let kind: ColumnKind = Array(text.utf8).withUnsafeBufferPointer { cell in
                if !isCode, CellReading.integer(cell) != nil { return .integer }
                if !isCode, CellReading.decimal(cell) != nil { return .decimal }
                return CellReading.day(cell) != nil ? .day : .text
            }
            #expect(SpelledKinds(of: Self.text([text])).kind == kind, "'\(text)'")
        }
    }
}
