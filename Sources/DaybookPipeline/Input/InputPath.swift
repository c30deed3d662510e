/// One input of a run.
public struct InputPath: Sendable, Hashable {
    /// As messages and reports show it: what the job wrote, with the pattern filled in, so it is the same on every
    /// machine; `-` for standard input.
    public let name: String
    /// Where it is opened.
    public let path: String

    public init(name: String, path: String) {
        self.name = name
        self.path = path
    }

    public static let standardInput = InputPath(name: "-", path: "-")

    /// As a person where the command was started would name it: for errors, which are read there.
    public var shown: String { isStandardInput ? "standard input" : FilePath.tidied(path) }

    public var isStandardInput: Bool { name == "-" }

    /// Whether its bytes can be read only once: standard input, a named pipe, or what a shell gives for `<(…)`.
    public var isReadOnce: Bool {
        if isStandardInput { return true }
        return (try? FileStatus.of(path))??.isStream == true
    }
}
