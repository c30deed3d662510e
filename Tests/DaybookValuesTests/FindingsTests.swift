import DaybookContracts
import Testing

@Suite struct FindingsTests {
    @Test("rejected and dropped rows go, warned ones stay")
    func keptRows() {
        var findings = Findings()
        #expect(findings.keptRows(of: 4) == nil)
        let token = findings.token(Finding.Kind("odd", "odd"), in: ColumnName("a"))
        findings.warn(0, token)
        #expect(findings.keptRows(of: 4) == nil)
        findings.reject(1, token)
        findings.reject(1, token)
        findings.drop(3, as: "duplicates")
        #expect(findings.keptRows(of: 4) == [0, 2])
    }

    @Test("one kind about one column is one subject, however often it is asked for")
    func tokens() {
        var findings = Findings()
        let kind = Finding.Kind("odd", "odd")
        let first = findings.token(kind, in: ColumnName("a"))
        #expect(findings.index(of: findings.token(kind, in: ColumnName("a"))) == findings.index(of: first))
        #expect(findings.index(of: findings.token(kind, in: ColumnName("b"))) != findings.index(of: first))
        #expect(findings.index(of: findings.token(kind)) != findings.index(of: first))
        #expect(findings.subjects.map(\.column) == ["a", "b", nil])
    }

    @Test func `columns beyond the 65,536th have findings of their own`() {
        var findings = Findings()
        let kind = Finding.Kind("odd", "odd")
        let tokens = (0..<70_000).map { findings.token(kind, in: ColumnName("c\($0)")) }
        #expect(tokens.map { findings.index(of: $0) } == Array(0..<70_000))
        #expect(findings.index(of: findings.token(kind, in: ColumnName("c69999"))) == 69_999)
    }

    @Test func `a wide schema finds its columns, also after some were added and replaced`() {
        var schema = Schema((0..<100).map { Field("c\($0)", .text) })
        for _ in 0..<10 { #expect(schema.index(of: "c99") == 99) }
        let earlier = schema
        schema.addOrReplace([Field("c50", .integer), Field("new", .day), Field("new", .flag)])
        for _ in 0..<10 {
            #expect(schema.index(of: "new") == 100)
            #expect(schema.index(of: "none") == nil)
            #expect(earlier.index(of: "new") == nil)
        }
        #expect(schema.fields[50].kind == .integer)
        #expect(schema.fields[100].kind == .flag)
        #expect(
            schema == earlier.addingOrReplacing(ColumnName("c50"), .integer).addingOrReplacing(ColumnName("new"), .flag)
        )
    }

    @Test("a ledger line balances when every row is accounted for")
    func ledger() {
        var line = LedgerLine(id: "x", stage: "x")
        line.rowsIn = 10
        line.rowsOut = 4
        line.rejected = 3
        line.dropped = ["duplicates": 2]
        #expect(line.unaccounted == 1)
        line.folded = 2
        line.made = 1
        #expect(line.unaccounted == 0)
        var sum = LedgerLine(id: "x", stage: "x")
        sum.add(line)
        sum.add(line)
        #expect(sum.dropped == ["duplicates": 4])
        #expect(sum.unaccounted == 0)
    }
}
