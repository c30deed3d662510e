import DaybookCore

/// One `--set name=value` of the command line.
public struct ParamSetting: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Reads `name=value`. The value may be empty and may itself hold `=`.
    public init(_ argument: String) throws(DaybookError) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else {
            throw DaybookError(
                "bad-setting",
                "expected '--set name=value', found \(argument.quotedForMessage)",
                hint: "name a param of the job, then '=' and its value"
            )
        }
        name = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
    }
}
