/// Text for the log of a CI service, whose runner takes some of what stands there for commands.
///
/// GitHub's runner takes `::cmd::` behind any blanks at the beginning of a line, and `##[cmd]` anywhere in it; Azure Pipelines
/// takes `##vso[…]` and `##[cmd]`, TeamCity `##teamcity[…]`. Both of Microsoft compare by culture, which looks past characters that
/// cannot be seen. What cells, names and messages hold of it is broken here: prose by a blank or a dot, JSON and markup by escapes
/// that mean the same.
/// https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs,
/// https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands
public enum LogText {
    public enum Form: Sendable {
        /// Text for people.
        case prose
        /// JSON, as a document or in lines.
        case json
        /// XML or HTML.
        case markup
        /// Lines of which those that begin with `::` are meant as commands.
        case commands
    }

    /// Whether a runner may read what this process says.
    ///
    /// - Parameter variable: Looks up a variable of the environment.
    public static func isRead(_ variable: (String) -> String?) -> Bool {
        ["GITHUB_ACTIONS", "TF_BUILD", "CI"].contains { !(variable($0) ?? "").isEmpty }
    }

    /// The text without anything that a runner would take for a command and that is not meant as one.
    public static func harmless(_ text: String, as form: Form = .prose) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: ":") }) else { return text }
        var result = String.UnicodeScalarView()
        let scalars = text.unicodeScalars
        var isAtStart = true
        for index in scalars.indices {
            let scalar = scalars[index]
            switch scalar {
            case "#" where beginsBracket(scalars, at: index): result.append(contentsOf: form.sign.unicodeScalars)
            case ":" where isAtStart && seen(in: scalars, behind: index).first == ":":
                result.append(contentsOf: form.colon.unicodeScalars)
            default: result.append(scalar)
            }
            if scalar == "\n" || scalar == "\r" {
                isAtStart = true
            } else if !scalar.properties.isWhitespace, !isUnseen(scalar) {
                isAtStart = false
            }
        }
        return String(result)
    }

    /// `##[`, `##vso[`: a number sign, a second one, letters, and a bracket.
    private static func beginsBracket(_ scalars: String.UnicodeScalarView, at index: String.Index) -> Bool {
        let rest = seen(in: scalars, behind: index)
        guard rest.first == "#", let bracket = rest.firstIndex(of: "[") else { return false }
        return rest[1..<bracket].allSatisfy(\.properties.isAlphabetic)
    }

    /// Some of what follows on the same line, without what cannot be seen.
    private static func seen(in scalars: String.UnicodeScalarView, behind index: String.Index) -> [Unicode.Scalar] {
        var seen: [Unicode.Scalar] = []
        for scalar in scalars[scalars.index(after: index)...] where !isUnseen(scalar) {
            if scalar == "\n" || scalar == "\r" || seen.count == 32 { break }
            seen.append(scalar)
        }
        return seen
    }

    /// Whether a comparison by culture looks past it: controls, joiners, soft hyphens.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value < 32 && !scalar.properties.isWhitespace }
        let category = scalar.properties.generalCategory
        return scalar.properties.isDefaultIgnorableCodePoint || category == .control || category == .format
    }
}

extension LogText.Form {
    /// What a text in a named format is made of; nil for CSV, which has no way of writing a text that is no command.
    public static func of(_ format: some RawRepresentable<String>) -> LogText.Form? {
        switch format.rawValue {
        case "json": .json
        case "html", "svg": .markup
        case "csv": nil
        default: .prose
        }
    }

    /// A number sign behind which another is none of a command.
    fileprivate var sign: String {
        switch self {
        case .prose, .commands: "# "
        case .json: "\\u0023"
        case .markup: "&#35;"
        }
    }

    /// A colon at the beginning of a line behind which another is none of a command. Lines of JSON begin with none.
    fileprivate var colon: String {
        switch self {
        case .prose: ". :"
        case .json, .commands: ":"
        case .markup: "&#58;"
        }
    }
}
