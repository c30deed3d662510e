import DaybookContracts

@testable import DaybookDelimited
@testable import DaybookJSON
@testable import DaybookTestSupport

/// Texts of records: what they are read as depends neither on how they arrive nor on the instructions that scan them.
extension FuzzTarget {
    static let records = [
        FuzzTarget("csv") { try read($0, csv) },
        FuzzTarget("json") { try read($0, json) },
    ]

    private static let csv = stages(
        ImportCSV.self,
        ["", "delimiter: auto", "delimiter: ';'\nquote: \"'\"", "header: false\nquote: none\ncomment: '#'"]
    )
    private static let json = stages(
        ImportJSON.self,
        ["", "layout: lines", "records: /a", "layout: document\ncolumns: { a: json, b: integer, c: decimal }"]
    )

    static func stages<S: Stage>(_ type: S.Type, _ options: [String]) -> [S] {
        options.map { options in
            do {
                return try ExampleRunner.make(type, "path: input\n" + options)
            } catch {
                fatalError("the options '\(options)': \(ExampleRunner.messages(of: error))")
            }
        }
    }

    /// Reads the bytes with one of the stages, which their number chooses, whole and cut in two.
    static func read<S: TextSource>(_ bytes: [UInt8], _ stages: [S]) throws {
        let stage = stages[bytes.count % stages.count]
        let level = ScanLevel.all[bytes.count / stages.count % ScanLevel.all.count]
        var log = FailureLog(stage: S.self, example: StageExample("any bytes", input: "", output: ""))
        let places = bytes.isEmpty ? [] : [bytes.count / 2, Int(bytes[bytes.count / 3]) % bytes.count]
        level.scanning { SourceTrial.survive(bytes, cutAt: places, stage, &log) }
        try promise(log.failures.isEmpty, log.failures.map(\.description).joined(separator: "\n"))
    }
}
