/// Path in a job for its inputs, which may match many files.
///
/// `*`, `?` and `[a-z]` match inside one name, `{a,b}` matches either, and `**` as a whole name matches any number of
/// directories. Hidden files and directories match only if the pattern writes the dot. The files are in byte order,
/// each once, so they are the same on every machine. Directories are left out.
public struct PathPattern: Sendable {
    public let text: String
    /// Base directory of the pattern: the directory of the job.
    public let base: String
    private let origin: any InputOrigin
    /// What the last name of the pattern finds.
    private var wanted = Finds.files

    private enum Finds { case files, directories, both }

    package init(_ text: String, from base: String = "", in origin: any InputOrigin = LocalFiles()) {
        (self.text, self.base, self.origin) = (text, base, origin)
    }

    /// Matching files; never none.
    public func expand() throws(DaybookError) -> [InputPath] {
        if text == "-" { return [.standardInput] }
        guard !text.isEmpty else { throw InputNotFound(text, from: base, isPattern: false).error }
        // A literal file name with a star takes precedence if the file exists.
        var failure: SystemFailure?
        do { if try identity(at: text) != nil { return [input(text)] } } catch { failure = error }
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
        if found.isEmpty, !isPattern, let failure, failure.number != ENOTDIR { throw .cannotRead(text, failure) }
        guard !found.isEmpty else { throw InputNotFound(text, from: base, isPattern: isPattern).error }
        return found.sorted(by: FilePath.precedes).map(input)
    }

    /// Matching directories of a pattern with a slash at its end; files and directories of any other. Never none.
    ///
    /// The name of a place is its path from the first name that is a pattern, or else its last name.
    package func places() throws(DaybookError) -> [(path: String, name: String)] {
        var pattern = self
        pattern.wanted = text.hasSuffix("/") ? .directories : .both
        let names = text.split(separator: "/")
        guard !names.isEmpty, names.last != "**" else {
            throw DaybookError("bad-path", "'\(text)' names no places", hint: "write a pattern such as 'dumps/*/'")
        }
        let fixed = min(names.prefix(while: PathPattern.isFixed).count, names.count - 1)
        var found: Set<String> = []
        for alternative in Braces.expand(text) ?? [] {
            let rooted: [Substring] = alternative.hasPrefix("/") ? [""] : []
            let parts = (rooted + alternative.split(separator: "/")).map(Part.init)
            try pattern.walk(parts[...], in: "", into: &found)
        }
        guard !found.isEmpty else {
            let what = text.hasSuffix("/") ? "no directory" : "no file and no directory"
            throw .machine(
                "input-not-found",
                "\(what) matches '\(text)'",
                hint: missingDirectory.map { "there is no directory '\($0)'" }
                    ?? (text.hasSuffix("/") ? "without the slash at its end, files match it too" : nil)
            )
        }
        return found.sorted(by: FilePath.precedes).map { path in
            (path, path.split(separator: "/").dropFirst(fixed).joined(separator: "/"))
        }
    }

    /// Whether the last name of the pattern finds an entry of a directory.
    private func finds(_ name: String, _ kind: DirectoryListing.Kind) -> Bool {
        switch wanted {
        case .both: true
        case .files: kind == .file || (kind == .unknown && identity(name)?.kind != .directory)
        case .directories: kind == .directory || (kind != .file && identity(name)?.kind == .directory)
        }
    }

    /// Identity at a path itself, without a pattern.
    private func identity(at path: String, followingLinks: Bool = true) throws(SystemFailure) -> InputIdentity? {
        try origin.identity(of: FilePath.join(base, path), followingLinks: followingLinks)
    }

    private static func isFixed(_ name: Substring) -> Bool {
        Part(name).name != nil && Braces.expand(String(name))?.count == 1
    }

    /// Directory of the pattern, by the longest literal part of the path, if it does not exist.
    package var missingDirectory: String? {
        let names = text.split(separator: "/", omittingEmptySubsequences: false)
        let named = names.dropLast().prefix(while: PathPattern.isFixed)
        guard !named.isEmpty else { return nil }
        let directory = named.joined(separator: "/")
        return (try? identity(at: directory.isEmpty ? "/" : directory))??.kind == .directory ? nil : directory
    }

    /// Whether the pattern would find a file at `place`, a canonical path, once the file exists.
    ///
    /// - Parameter unlessNamed: whether to count only matches of a pattern, not a file that the path names literally.
    package func wouldFind(_ place: String, unlessNamed: Bool = false) -> Bool {
        if (try? identity(at: text)) ?? nil != nil {
            return !unlessNamed && origin.canonical(FilePath.join(base, text)) == place
        }
        let alternatives = Braces.expand(text) ?? []
        return alternatives.contains { alternative in
            let parts = alternative.split(separator: "/").map(Part.init)
            let named = parts.dropLast().prefix { $0.name != nil }
            if unlessNamed, alternatives.count == 1, parts.allSatisfy({ $0.name != nil }) { return false }
            let head = (alternative.hasPrefix("/") ? "/" : "") + named.map { $0.name ?? "" }.joined(separator: "/")
            let start = origin.canonical(FilePath.join(base, head.isEmpty ? "." : head))
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
        InputPath(name: name, path: FilePath.join(base, name), shown: FilePath.shown(name, from: base), in: origin)
    }

    private enum Part {
        case glob(Glob)
        case anyDirectories

        init(_ text: Substring) { self = text == "**" ? .anyDirectories : .glob(Glob(text)) }

        var name: String? { if case .glob(let glob) = self { glob.literal } else { nil } }
    }

    /// Adds what `parts` find in the directory `place`, which ends in a slash or is empty.
    private func walk(_ parts: ArraySlice<Part>, in place: String, into found: inout Set<String>) throws(DaybookError) {
        guard let part = parts.first else { return }
        let rest = parts.dropFirst()
        if let name = part.name {
            if !rest.isEmpty { return try walk(rest, in: place + name + "/", into: &found) }
            guard let identity = identity(place + name) else { return }
            if wanted == .both || (identity.kind == .directory) == (wanted == .directories) {
                found.insert(place + name)
            }
            return
        }
        let entries = try entries(in: place)
        switch part {
        case .anyDirectories:
            // Without a following name, `**` finds all files.
            try walk(rest.isEmpty ? [.glob(Glob("*"))] : rest, in: place, into: &found)
            // Links are not followed here, since they can form cycles.
            for entry in entries where entry.kind != .file && !entry.name.hasPrefix(".") {
                let name = place + entry.name
                let isDirectory =
                    entry.kind == .directory || (try? identity(at: name, followingLinks: false))??.kind == .directory
                if isDirectory { try walk(parts, in: name + "/", into: &found) }
            }
        case .glob(let glob):
            for entry in entries where glob.matches(entry.name) {
                let name = place + entry.name
                if !rest.isEmpty {
                    if entry.kind != .file || ZipPath.isArchive(FilePath.join(base, name)) {
                        try walk(rest, in: name + "/", into: &found)
                    }
                } else if finds(name, entry.kind) {
                    guard entry.isText else {
                        throw .machine(
                            "unreadable-name",
                            "the name of '\(name)' is not UTF-8",
                            hint: "rename the file, or write a pattern that does not match it"
                        )
                    }
                    found.insert(name)
                }
            }
        }
    }

    /// Entries of a directory; empty for a missing directory, which does not match.
    private func entries(in place: String) throws(DaybookError) -> [DirectoryListing.Entry] {
        let seen = place.isEmpty ? "." : place
        do {
            return try origin.list(FilePath.join(base.isEmpty ? "." : base, seen))
        } catch {
            if error.number == ENOENT || error.number == ENOTDIR { return [] }
            // A directory that may not be listed could contain intended files.
            throw .cannotRead(seen, error)
        }
    }

    private func identity(_ name: String) -> InputIdentity? {
        // A dangling link is found, so that reading it reports the error.
        if let found = try? identity(at: name) { return found }
        return try? identity(at: name, followingLinks: false)
    }
}

/// Builds the error for a path or pattern that finds no file.
package struct InputNotFound {
    private let text: String
    private let base: String
    private let isPattern: Bool

    package init(_ text: String, from base: String, isPattern: Bool) {
        self.text = text
        self.base = base
        self.isPattern = isPattern
    }

    package var error: DaybookError {
        .machine("input-not-found", isPattern ? "no file matches '\(text)'" : "there is no file '\(text)'", hint: hint)
    }

    /// Limit for comparing names, which takes too long in larger directories.
    private static let nameLimit = 2000

    private var hint: String? {
        if text.isEmpty { return "write the path of a file" }
        if let hint = ForeignPath.hint(for: text) { return hint }
        if text.contains("\\"), !text.contains("/") { return "directories are separated by '/'" }
        if let meant = fromHere {
            return
                "paths in a job, and in the values of its params, start from the job file; from there it is '\(meant)'"
        }
        var directory = FilePath.directory(of: text)
        var wanted = FilePath.name(of: text)
        // Goes up to the first existing directory: the name below it is the wrong one.
        while true {
            let place = FilePath.join(base.isEmpty ? "." : base, directory)
            if let entries = try? DirectoryListing.entries(in: place) {
                return hint(for: wanted, among: entries, in: directory)
            }
            guard directory != ".", directory != "/" else { return nil }
            wanted = FilePath.name(of: directory)
            directory = FilePath.directory(of: directory)
        }
    }

    /// Path from the job file, if the text is right from the directory where the command was started.
    private var fromHere: String? {
        guard !base.isEmpty, !text.hasPrefix("/"), (try? PathPattern(text).expand()) != nil else { return nil }
        return FilePath.relative(text, from: base)
    }

    private func hint(for wanted: String, among entries: [DirectoryListing.Entry], in directory: String) -> String {
        let isLast = wanted == FilePath.name(of: text)
        let names = entries.filter { $0.isText && !$0.name.hasPrefix(".") && ($0.kind == .file) == isLast }
            .map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        if let near = NearestName.of(wanted, among: names.prefix(InputNotFound.nameLimit)) {
            return "did you mean '\(directory == "." ? near : FilePath.join(directory, near))'?"
        }
        let place = directory == "." ? (base.isEmpty ? "the working directory" : "'\(base)'") : "'\(directory)'"
        guard isLast else { return "there is no directory '\(wanted)' in \(place)" }
        guard let first = names.first else { return "there is no file in \(place)" }
        return names.count == 1
            ? "the only file in \(place) is '\(first)'" : "\(place) has \(names.count) files, such as '\(first)'"
    }
}

extension DaybookError {
    package static func cannotRead(_ input: InputPath, _ failure: SystemFailure) -> DaybookError {
        switch failure.number {
        case ENOENT:
            if let target = FilePath.link(at: input.path) {
                .machine(
                    "input-not-found",
                    "'\(input.shown)' is a link that leads to no file; it points to '\(target)'",
                    hint: "put the file there, or let the link point to one that is there"
                )
            } else {
                .machine(
                    "input-not-found",
                    "there is no file '\(input.shown)' any more",
                    hint: "something removed it while the run was going on"
                )
            }
        case EISDIR where !input.isStandardInput:
            .machine(
                "input-is-a-directory",
                "cannot read '\(input.shown)': it is a directory",
                hint: "name a file in it, or all its files with '\(FilePath.join(input.shown, "*"))'"
            )
        default: .cannotRead(input.shown, failure)
        }
    }
}
