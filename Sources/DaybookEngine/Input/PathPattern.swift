/// A path that a job writes for its inputs, which may stand for many files.
///
/// `*`, `?` and `[a-z]` match inside one name, `{a,b}` stands for either, and `**` as a whole name for any number of
/// directories. Hidden files and directories are found only where the pattern writes the dot. The files come in the
/// order of their bytes, each once, so they are the same on every machine; directories are left out.
public struct PathPattern: Sendable {
    public let text: String
    /// The directory that the pattern is seen from: that of the job.
    public let base: String

    public init(_ text: String, from base: String = "") {
        self.text = text
        self.base = base
    }

    /// The files that it stands for; never none.
    public func expand() throws(DaybookError) -> [InputPath] {
        if text == "-" { return [.standardInput] }
        guard !text.isEmpty else { throw InputNotFound(text, from: base, isPattern: false).error }
        // A file whose name has a star in it is meant when it is there.
        if access(FilePath.join(base, text), F_OK) == 0 { return [input(text)] }
        let failure = SystemFailure.last
        guard let alternatives = Braces.expand(text) else {
            throw DaybookError(
                "pattern-too-large",
                "the pattern '\(text)' stands for more than \(Braces.limit) patterns",
                hint: "use '*', or list the files"
            )
        }
        var found: Set<String> = []
        var isPattern = alternatives.count > 1
        for alternative in alternatives {
            let parts = alternative.split(separator: "/", omittingEmptySubsequences: false).map(Part.init)
            isPattern = isPattern || parts.contains { $0.name == nil }
            try walk(parts[...], in: "", into: &found)
        }
        if found.isEmpty, !isPattern, ![ENOENT, ENOTDIR].contains(failure.number) { throw .cannotRead(text, failure) }
        guard !found.isEmpty else { throw InputNotFound(text, from: base, isPattern: isPattern).error }
        return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map(input)
    }

    /// The directory that it looks into, by the longest part of the path that stands for itself, when that is not there.
    var missingDirectory: String? {
        let names = text.split(separator: "/", omittingEmptySubsequences: false)
        let named = names.dropLast().prefix { Part($0).name != nil && Braces.expand(String($0))?.count == 1 }
        guard !named.isEmpty else { return nil }
        let directory = named.joined(separator: "/")
        let place = FilePath.join(base, directory.isEmpty ? "/" : directory)
        return (try? FileStatus.of(place))??.isDirectory == true ? nil : directory
    }

    /// Whether it would find a file at `place`, a canonical path, once that is there.
    ///
    /// - Parameter unlessNamed: whether a file that the path names does not count, only one that a pattern happens to find.
    package func wouldFind(_ place: String, unlessNamed: Bool = false) -> Bool {
        guard access(FilePath.join(base, text), F_OK) != 0 else {
            return !unlessNamed && FilePath.canonical(FilePath.join(base, text)) == place
        }
        let alternatives = Braces.expand(text) ?? []
        return alternatives.contains { alternative in
            let parts = alternative.split(separator: "/").map(Part.init)
            let named = parts.dropLast().prefix { $0.name != nil }
            if unlessNamed, alternatives.count == 1, parts.allSatisfy({ $0.name != nil }) { return false }
            let head = (alternative.hasPrefix("/") ? "/" : "") + named.map { $0.name ?? "" }.joined(separator: "/")
            let start = FilePath.canonical(FilePath.join(base, head.isEmpty ? "." : head))
            let below = start.hasSuffix("/") ? start : start + "/"
            guard place.utf8.starts(with: below.utf8) else { return false }
            let names = place.utf8.dropFirst(below.utf8.count).split(separator: UInt8(ascii: "/"))
            return PathPattern.match(parts.dropFirst(named.count), names.map { String($0) ?? "" }[...])
        }
    }

    private static func match(_ parts: ArraySlice<Part>, _ names: ArraySlice<String>) -> Bool {
        guard let part = parts.first else { return names.isEmpty }
        guard let name = names.first else { return false }
        switch part {
        case .glob(let glob): return glob.matches(name) && match(parts.dropFirst(), names.dropFirst())
        case .anyDirectories:
            let rest = parts.dropFirst()
            if match(rest.isEmpty ? [.glob(Glob("*"))] : rest, names) { return true }
            return !name.hasPrefix(".") && match(parts, names.dropFirst())
        }
    }

    private func input(_ name: String) -> InputPath {
        InputPath(name: name, path: FilePath.join(base, name), shown: FilePath.shown(name, from: base))
    }

    private enum Part {
        case glob(Glob)
        case anyDirectories

        init(_ text: Substring) { self = text == "**" ? .anyDirectories : .glob(Glob(text)) }

        var name: String? { if case .glob(let glob) = self { glob.literal } else { nil } }
    }

    /// Adds what `parts` find in the directory `place`, which ends in a slash or is empty.
    private func walk(
        _ parts: ArraySlice<Part>,
        in place: String,
        into found: inout Set<String>
    ) throws(DaybookError) {
        guard let part = parts.first else { return }
        let rest = parts.dropFirst()
        if let name = part.name {
            if !rest.isEmpty { return try walk(rest, in: place + name + "/", into: &found) }
            if let status = status(place + name), !status.isDirectory { found.insert(place + name) }
            return
        }
        let entries = try entries(in: place)
        switch part {
        case .anyDirectories:
            // Without a name behind it, it finds files: all of them.
            try walk(rest.isEmpty ? [.glob(Glob("*"))] : rest, in: place, into: &found)
            // Links are not followed here, for they can lead in circles.
            for entry in entries where entry.kind != .file && !entry.name.hasPrefix(".") {
                let isDirectory = entry.kind == .directory || isRealDirectory(place + entry.name)
                if isDirectory { try walk(parts, in: place + entry.name + "/", into: &found) }
            }
        case .glob(let glob):
            for entry in entries where glob.matches(entry.name) {
                let name = place + entry.name
                if !rest.isEmpty {
                    if entry.kind != .file { try walk(rest, in: name + "/", into: &found) }
                } else if entry.kind == .file || (entry.kind == .unknown && status(name)?.isDirectory != true) {
                    guard entry.isText else { throw unreadableName(name) }
                    found.insert(name)
                }
            }
        }
    }

    /// What is in a directory; nothing when there is no such directory, which then is no match.
    private func entries(in place: String) throws(DaybookError) -> [DirectoryListing.Entry] {
        let seen = place.isEmpty ? "." : place
        do {
            return try DirectoryListing.entries(in: FilePath.join(base.isEmpty ? "." : base, seen))
        } catch {
            if error.number == ENOENT || error.number == ENOTDIR { return [] }
            // A directory that may not be listed could hold files that are meant.
            throw .cannotRead(seen, error)
        }
    }

    private func status(_ name: String) -> FileStatus? {
        let path = FilePath.join(base, name)
        // A link that leads nowhere is found, so that reading it says so.
        if let status = try? FileStatus.of(path) { return status }
        return try? FileStatus.of(path, followingLinks: false)
    }

    private func isRealDirectory(_ name: String) -> Bool {
        (try? FileStatus.of(FilePath.join(base, name), followingLinks: false))?.isDirectory == true
    }

    private func unreadableName(_ name: String) -> DaybookError {
        .machine(
            "unreadable-name",
            "the name of '\(name)' is not UTF-8",
            hint: "rename the file, or write a pattern that does not match it"
        )
    }
}

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
