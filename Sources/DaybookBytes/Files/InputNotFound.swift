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
