import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookPages

/// Makes pages for tests, from rows written as in examples.
enum HTMLPages {
    /// The page of several inputs, each cut into batches of `size` rows.
    static func page(
        _ inputs: [(id: String, rows: String)],
        options: String = "",
        size: Int = .max,
        job: String = "test",
        ledger: [LedgerLine] = []
    ) throws -> String {
        try write(
            inputs.map { ($0.id, try BatchText.read($0.rows)) },
            options: options,
            size: size,
            job: job,
            ledger: ledger
        ).text
    }

    /// A cell in quotes, whatever it holds.
    static func cell(_ text: String) -> String {
        "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    static func page(of rows: String, options: String = "", size: Int = .max) throws -> String {
        try page([("rows", rows)], options: options, size: size)
    }

    /// The page, and how many rows the writer says that it wrote.
    static func write(
        _ inputs: [(id: String, batch: Batch)],
        options: String = "",
        size: Int = .max,
        job: String = "test",
        ledger: [LedgerLine] = []
    ) throws -> (text: String, rows: Int) {
        let named = inputs.map { StageInput(id: $0.id, schema: $0.batch.schema) }
        let stage = try ExampleRunner.make(ExportHTML.self, "path: page.html\n" + options)
        let out = MemoryOutput()
        let page = try #require(HTMLOutput(try stage.bind(StageInputs(named))))
        var writer = page.writer(in: SinkContext(named))
        writer.begin(out)
        for (index, input) in inputs.enumerated() {
            for part in input.batch.cut(into: size) {
                var findings = Findings()
                writer.append(page.piece(of: part, from: index, reporting: &findings), input: index, to: out)
            }
        }
        try writer.finish(RunSummary(job: job, asOf: ExampleRunner.context.asOf, ledger: ledger), out)
        return (out.text, writer.writtenRows)
    }

    /// A page with one drawing of the rows, and its options beside the input.
    static func chart(_ options: String, of rows: String, size: Int = .max) throws -> String {
        try page(of: rows, options: "sections: [{ from: rows, \(options) }]", size: size)
    }

    /// Rows in the long shape of `summarise_monthly_emotions`, `names` emotions for each of `months` from 2024-01 on.
    static func long(months: Int, names: Int, firstYear: Int = 2024) -> String {
        var text = "month:text,emotion:text,count:integer"
        for month in 0..<months {
            let number = month % 12 + 1
            for name in 0..<names {
                text +=
                    "\n\(firstYear + month / 12)-\(number < 10 ? "0" : "")\(number),e\(name),\((month * 7 + name * 3) % 11)"
            }
        }
        return text
    }
}

extension HTMLOutput {
    /// The page that a stage was bound to.
    init?(_ binding: Binding) {
        guard case .sink(let sink) = binding.ready, let page = sink as? HTMLOutput else { return nil }
        self = page
    }
}
