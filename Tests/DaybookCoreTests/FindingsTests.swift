import DaybookCore
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
