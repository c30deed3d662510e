/// The path of a file that is written: it stands for itself, never for several files, and lies outside of state directories.
package enum OutputName {
    /// The error for a path that is no name of one file, or that is not for outputs; nil for any other.
    package static func problem(_ text: String, _ subject: String, at place: SourcePlace? = nil) -> DaybookError? {
        foreign(text, subject, at: place) ?? pattern(text, subject, at: place)
    }

    /// The error for a path that means something else elsewhere, or that lies in a state directory.
    package static func foreign(_ text: String, _ subject: String, at place: SourcePlace? = nil) -> DaybookError? {
        if let hint = ForeignPath.hint(for: text) {
            return DaybookError(
                "output-is-no-path",
                "'\(text)' is no path here, and \(subject) needs one",
                at: place,
                hint: hint
            )
        }
        guard FilePath.tidied(text).split(separator: "/").contains(Substring(StateDirectory.name)) else { return nil }
        return inState(text, at: place)
    }

    /// What a run keeps for the next one is not to be written over.
    package static func inState(_ text: String, at place: SourcePlace? = nil) -> DaybookError {
        DaybookError(
            "output-in-state",
            "'\(text)' lies in the state directory, where runs keep their own files",
            at: place,
            hint: "write to another directory"
        )
    }

    private static func pattern(_ text: String, _ subject: String, at place: SourcePlace?) -> DaybookError? {
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
