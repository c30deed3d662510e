@testable import DaybookContracts

/// A stage with an option of every kind, so that the reference pages can be tested without those that ship.
struct SampleStage: TransformStage {
    enum Mode: String, OptionChoice { case gentle, strict }

    init(reading options: inout OptionReader) {
        let _: ColumnName = options.read("column", help: "Column to look at.")
        let _: [String] = options.read("words", default: ["a", "b"], help: "Words that are known.")
        let _: Mode = options.read("mode", default: .gentle, help: "How hard to look.")
        let _: Int = options.read("limit", default: 10, help: "How many at most.")
        let _: Bool = options.read("loud", default: false, help: "Whether to say so.")
        let _: CalendarDay? = options.optional("since", help: "The first day that counts.")
        let _: OptionMap<String> = options.read("names", default: OptionMap(entries: []), help: "Other names.")
        let _: String = options.read("mark", default: ",", help: "What stands between two.")
    }

    static let description = StageDescription(
        name: "sample_rows",
        summary: "Look at rows and let them pass.",
        details: "No column is changed. A row without a name passes too, since there is nothing in it to look at.",
        examples: [
            StageExample(
                "rows pass as they are",
                options: "column: name\nmode: strict",
                input: "name:text\nEmma\n\n",
                output: "name:text\nEmma\n\n",
                findings: ["2 name missing-value", "1 - odd-row"]
            ),
            StageExample("numbers are refused", options: "column: id", input: "id:integer\n1", refused: "no text"),
        ]
    )

    func schema(after input: Schema) throws(DaybookError) -> Schema { input }
    func process(_ batch: Batch, reporting findings: inout Findings) -> Batch { batch }
}
