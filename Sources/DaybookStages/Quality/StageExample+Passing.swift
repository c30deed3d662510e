import DaybookCore
import DaybookFormats
import DaybookTables

extension StageExample {
    /// An example of a stage that lets rows pass as they are.
    static func passing(
        _ claim: String,
        options: String,
        rows: String,
        beside: String? = nil,
        findings: [String],
        file: String = #fileID,
        line: Int = #line
    ) -> StageExample {
        StageExample(
            claim,
            options: options,
            input: rows,
            beside: beside,
            output: rows,
            findings: findings,
            file: file,
            line: line
        )
    }
}
