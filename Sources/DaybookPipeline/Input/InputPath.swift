/// One input of a run.
public struct InputPath: Sendable, Hashable {
    /// As messages and reports show it: what the job wrote, with the pattern filled in, so it is the same on every
    /// machine; `-` for standard input.
    public let name: String
    /// Where it is opened.
    public let path: String

    /// As a person where the command was started would name it: for errors, which are read there.
    public let shown: String

    public init(name: String, path: String, shown: String? = nil) {
        self.name = name
        self.path = path
        self.shown = shown ?? name
    }

    public static let standardInput = InputPath(name: "-", path: "-", shown: "standard input")

    public var isStandardInput: Bool { name == "-" }

    /// Whether its bytes can be read only once: standard input, a named pipe, or what a shell gives for `<(…)`.
    public var isReadOnce: Bool {
        if isStandardInput { return true }
        return (try? FileStatus.of(path))??.isStream == true
    }
}
