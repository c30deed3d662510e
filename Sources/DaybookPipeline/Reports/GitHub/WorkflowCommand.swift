/// One line that the runner of GitHub Actions takes for a command: `::error file=a.csv,line=3::message`.
///
/// Escaped as `@actions/core` does it and the runner takes it back: `%`, CR and LF everywhere, in properties `:` and `,` too.
/// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
struct WorkflowCommand {
    var name: String
    var properties: [(String, String)]
    var message: String

    var line: String {
        let properties = properties.map { "\($0)=\(WorkflowCommand.escaped(property: $1))" }.joined(separator: ",")
        return "::\(name) \(properties)::\(WorkflowCommand.escaped(message: message))"
    }

    static func escaped(message: String) -> String { escaped(message, ["%", "\r", "\n"]) }

    static func escaped(property: String) -> String { escaped(property, ["%", "\r", "\n", ":", ","]) }

    /// By scalars, since CRLF is one character and has to become two escapes.
    private static func escaped(_ text: String, _ special: Set<Unicode.Scalar>) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if special.contains(scalar) {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
