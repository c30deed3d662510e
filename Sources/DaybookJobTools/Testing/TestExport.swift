import DaybookBytes
import DaybookDiscover
import DaybookEngine

/// An export of a job in a test: it writes to a file of the test, which is read again.
struct TestExport {
    let expected: JobTest.Export
    /// Id of the stage.
    let stage: String
    /// Where it writes.
    let place: String
    private let readBack: ReadBack

    /// The exports that a test names.
    static func all(of test: JobTest, in plan: Plan, into scratch: String) throws(DaybookErrors) -> [TestExport] {
        var problems: [DaybookError] = []
        var exports: [TestExport] = []
        for expected in test.exports {
            let writers = plan.stages.filter { $0.target?.path?.text == expected.path }
            let stage = expected.part.map { part in writers.first { $0.sink?.readBack?.part == part } } ?? writers.first
            let parts = DisplayText.list(writers.compactMap { $0.sink?.readBack?.part }.map { "'\($0)'" })
            if let stage, let readBack = stage.sink?.readBack, expected.part != nil || writers.count == 1 {
                let number = test.exports.firstIndex { $0.path == expected.path } ?? 0
                let place = FilePath.join(scratch, "\(number)-\(FilePath.name(of: expected.path))")
                exports.append(TestExport(expected: expected, stage: stage.id, place: place, readBack: readBack))
            } else if writers.isEmpty {
                let paths = plan.stages.compactMap { $0.target?.path?.text }
                problems.append(
                    DaybookError(
                        "unknown-export",
                        "no stage writes '\(expected.path)'",
                        at: expected.place,
                        hint: NearestName.hint(for: expected.path, among: paths, listing: "the outputs are")
                    )
                )
            } else {
                let isOne = stage != nil && writers.count == 1
                problems.append(
                    DaybookError(
                        "unknown-export",
                        isOne
                            ? "'\(expected.path)' is not read again as rows"
                            : "'\(expected.path)' has the parts \(parts)\(expected.part.map { ", not '\($0)'" } ?? "")",
                        at: expected.place,
                        hint: isOne
                            ? "expect the rows of the stage '\(writers[0].id)'"
                            : "write rows for each of them: '\(expected.path): { PART: [ … ] }'"
                    )
                )
            }
        }
        if !problems.isEmpty { throw DaybookErrors(problems) }
        return exports
    }

    /// The rows that stand in the file.
    func rows(_ table: StageTable, isCancelled: @escaping @Sendable () -> Bool) throws(DaybookErrors)
        -> RowCollection.Rows
    {
        let file = WrittenTable(FilePath.canonical(place), readBack)
        let read = try ReadTable(file, table, isCancelled: isCancelled).run(WrittenBatches())
        return RowCollection.Rows(schema: read?.schema ?? Schema(), batches: read?.seen ?? [])
    }
}

/// All rows of a small table.
private struct WrittenBatches: RowObserver {
    func nothing(_ schema: Schema) -> [Batch] { [] }
    func partial(of batch: Batch, reporting findings: inout Findings) -> [Batch] { [batch] }
    func merge(_ later: [Batch], into earlier: inout [Batch], scratch: any Scratch) { earlier += later }
}

extension ReadBack {
    /// The key or the table among several of one output.
    fileprivate var part: String? { options.first { $0.key == "key" || $0.key == "table" }?.value.text }
}
