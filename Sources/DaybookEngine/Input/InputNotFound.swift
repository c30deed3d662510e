/// Works out what to say when a path or pattern finds no file.
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
        .machine(
            "input-not-found",
            isPattern ? "no file matches '\(text)'" : "there is no file '\(text)'",
            hint: hint
        )
    }

    /// Comparing names takes time that a large directory is not worth.
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
        // Upwards, to the first directory that is there: the name below it is the one that is wrong.
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

    /// The path from the job file, when the text is right as seen from where the command was started.
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
