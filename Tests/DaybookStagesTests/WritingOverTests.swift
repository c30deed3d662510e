import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookStages
@testable import DaybookTables

/// Sorts rows and marks them, in a column that may be there already.
private struct MarkSorted: FoldStage {
    private let sort = SortRows(by: [SortKey(column: ColumnName("n"))], memoryLimit: 1 << 20)
    private let mark = ColumnName("sorted")

    init(reading options: inout OptionReader) {}

    static let keepsRows = true
    static let description = StageDescription(
        name: "mark_sorted",
        summary: "Sort rows and mark them.",
        examples: [
            StageExample(
                "rows are sorted and marked",
                input: "n:integer\n2\n1",
                output: "n:integer,sorted:flag\n1,true\n2,true"
            )
        ]
    )

    func schema(after input: Schema) throws(DaybookError) -> Schema {
        try sort.schema(after: input).addingOrReplacing(mark, .flag)
    }

    func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> SortedRuns {
        try sort.partial(of: batch, reporting: &findings)
    }

    func merge(_ later: SortedRuns, into earlier: inout SortedRuns, scratch: any Scratch) throws(DaybookError) {
        try sort.merge(later, into: &earlier, scratch: scratch)
    }

    func finish(_ partial: SortedRuns?, _ output: FoldOutput) throws(DaybookError) {
        let rows = output.redirected { late throws(DaybookError) in
            let batch = try late.rows()
            let marks = [Bool](repeating: true, count: batch.count)
            try output.emit(batch.setting(mark, to: .flags(Values(marks))), late.findings)
        }
        try sort.finish(partial, rows)
    }
}

@Suite struct WritingOverTests {
    @Test("a fold that gives its rows back may not write over a column of theirs")
    func folds() {
        let failures = ExampleRunner.failures(of: MarkSorted.self)
        #expect(failures.map(\.disguise) == ["a column 'sorted' that is there already"], "\(failures)")
        #expect(
            failures.first?.message
                == "a column 'sorted' that is there already is written over; 'Schema.adding' refuses it"
        )
    }
}
