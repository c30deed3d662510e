import DaybookBytes
import DaybookContracts

/// Reads the options of an example, written as they would stand in a job.
enum ExampleOptions {
    static let file = "example.yaml"

    static func entries(_ text: String) throws -> [OptionNode.Entry] {
        let reading = YAMLReader().read(Array(text.utf8), file: file)
        if !reading.problems.isEmpty { throw DaybookErrors(reading.problems) }
        guard let root = reading.root else { return [] }
        guard let entries = root.map else { throw root.expected("a map of options") }
        return entries
    }
}
