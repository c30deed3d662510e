import DaybookCore

/// The path of a file that is written, which stands for itself and never for several files.
enum OutputName {
    /// The error for a path that is a pattern; nil for the name of one file.
    static func problem(_ text: String, _ subject: String, at place: SourcePlace? = nil) -> DaybookError? {
        guard let mark = mark(in: text) else { return nil }
        return DaybookError(
            "output-is-a-pattern",
            "'\(text)' is a pattern, for it holds '\(mark)', and \(subject) is one file",
            at: place,
            hint: "name the file; only inputs are named by patterns"
        )
    }

    /// What makes a pattern of a path where inputs are named.
    private static func mark(in text: String) -> String? {
        if let mark = text.first(where: { "*?[".contains($0) }) { return String(mark) }
        return Braces.expand(text).map { $0.count > 1 } ?? true ? "{" : nil
    }
}
