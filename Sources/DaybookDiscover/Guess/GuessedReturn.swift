import DaybookBytes
import DaybookEngine

/// The way out of one file and back: an import, and the bytes that it reads.
package struct GuessedReturn {
    /// Without the dates of its numbers, which go back as they came.
    private(set) var guessed: GuessedImport
    /// The file, decompressed; nil for one of which only a part was looked at.
    package let bytes: Bytes?

    /// Whether the file is a JSON document, whose values are what they look like.
    package let isDocument: Bool

    /// The name of the stage that imports.
    package var stage: String { guessed.stage }
    /// The file, as the job names it.
    package var path: String { guessed.paths[0] }
    package var name: String { guessed.name }
    /// The options of the import except its path.
    package var options: [SuggestedOption] { guessed.suggestion.options }

    fileprivate init(_ guessed: GuessedImport, _ bytes: Bytes?, isDocument: Bool) {
        (self.guessed, self.bytes, self.isDocument) = (guessed, bytes, isDocument)
        self.guessed.takesDates = false
    }

    /// The text of an option of the import.
    package func text(_ option: String) -> String? {
        guard case .text(let text) = options.first(where: { $0.key == option })?.value else { return nil }
        return text
    }

    /// The job, whose export has those options.
    ///
    /// - Parameter zone: of the job, where its export asks for one.
    package func job(_ remark: String, zone: String?, _ export: String, _ options: [SuggestedOption]) -> String {
        var job = JobText()
        job.remark(remark)
        job.addHead(name)
        if let zone { job.add("timezone: \(zone)", "no day depends on it") }
        job.add("stages:")
        add(export, options, to: &job)
        return job.text
    }

    /// Writes the import, and the export with those options.
    fileprivate func add(_ export: String, _ options: [SuggestedOption], to job: inout JobText) {
        JobComposer.addImport(guessed, to: &job)
        job.add("  - \(YAMLScalar.of(export)):")
        for option in options { job.add(option, indent: 6) }
    }
}

extension Guess {
    /// The way out of a file and back.
    ///
    /// - Parameter part: the key or the part of the file that holds the rows; nil if only one does.
    package func wayBack(of file: String, part: String?) throws(DaybookErrors) -> GuessedReturn {
        let inputs = try detector.groups([file]).flatMap(\.inputs)
        guard inputs.count == 1, let input = inputs.first else {
            let message = "'\(file)' is \(DisplayText.count(inputs.count, "file")), and a model is made of one"
            throw DaybookErrors("no-model", message, hint: "name one of them")
        }
        let found = try detector.detect(input)
        var suggestions = found.detection.imports.filter { part == nil || $0.isNamed(part ?? "") }
        if suggestions.isEmpty, let part, found.stage == Guess.defaults {
            // Keys of the system, and those behind the first, are not offered.
            suggestions = [SuggestedImport(part: part, options: [SuggestedOption("key", .text(part))])]
        }
        guard suggestions.count == 1, let suggestion = suggestions.first else {
            let several = suggestions.isEmpty ? found.detection.imports : suggestions
            let parts = several.compactMap(\.part).map { "'\($0)'" }
            let places = parts.isEmpty ? "no part of its own" : DisplayText.list(parts, "and")
            let rest = suggestions.isEmpty ? ", not in '\(part ?? "")'" : ""
            let message = "'\(input.shown)' has rows in \(places)\(rest)"
            throw DaybookErrors("no-model", message, hint: "choose one with '--key'")
        }
        guard let whole = try whole(input) else {
            let size = "\(detector.limit >> 20) MiB"
            let message = "'\(input.shown)' has more than \(size), and a model is made of all records"
            throw DaybookErrors("no-model", message, hint: "take a part of the records out first")
        }
        return try way(input, found, suggestion, whole)
    }

    /// The files of a directory, of which hidden ones are left out.
    package func files(of directory: String) throws(DaybookErrors) -> [InputPath] {
        try detector.groups([directory]).flatMap(\.inputs)
    }

    /// The ways out of all parts of a file and back. Records inside a JSON document are read as those under a key, since
    /// what stands beside them is then kept.
    package func waysBack(of input: InputPath) throws(DaybookErrors) -> [GuessedReturn] {
        let found = try detector.detect(input)
        let whole = try whole(input)
        return try found.detection.imports.map { suggestion throws(DaybookErrors) in
            guard found.stage == "import_json", let index = suggestion.options.index(of: "records"),
                let inside = suggestion.options[index].underKey
            else { return try way(input, found, suggestion, whole) }
            var (found, suggestion) = (found, suggestion)
            found.stage = Guess.defaults
            suggestion.options = inside
            return try way(input, found, suggestion, whole, isDocument: true)
        }
    }

    private static let defaults = "import_user_defaults"

    private func whole(_ input: InputPath) throws(DaybookErrors) -> Bytes? {
        do throws(DaybookError) {
            let file = try SniffedFile(input, for: "a guess", limit: detector.limit, isCancelled: detector.isCancelled)
            return try file.whole(limit: detector.limit)
        } catch { throw DaybookErrors(error) }
    }

    private func way(
        _ input: InputPath,
        _ found: FormatDetector.Detected,
        _ suggestion: SuggestedImport,
        _ bytes: Bytes?,
        isDocument: Bool = false
    ) throws(DaybookErrors) -> GuessedReturn {
        var (guessed, mixed) = try seen(input, found, suggestion)
        guessed.keep(mixed: mixed)
        return GuessedReturn(guessed, bytes, isDocument: isDocument)
    }

    /// The job for a directory whose records go out and come back.
    package func containerText(
        of directory: String,
        isArchive: Bool,
        named name: String,
        _ ways: [(way: GuessedReturn, export: String, options: [SuggestedOption])],
        leftOut: [String]
    ) throws(DaybookErrors) -> String {
        var job = JobText(by: command)
        job.remark(
            "A first job for the files of an app in '\(directory)'. It runs as it is, and writes a copy in which the records are as "
                + "they came; put stages that change them before the exports, and look with 'daybook run --dry-run' first."
        )
        let (pattern, what) = isArchive ? ("dumps/*.zip", "archive") : ("dumps/*/", "directory")
        job.remark(
            "For many users: 'for_each: { user: \(pattern) }' above 'container', and ${user} in the place of the \(what), and "
                + "${user:name} of its name below 'out'."
        )
        job.addHead(GuessNames.stem(of: name))
        if ways.contains(where: { $0.way.guessed.needsTimezone || $0.way.stage == Guess.defaults }) {
            job.add("timezone: Etc/UTC", "set this to the zone that days are meant in, such as Asia/Seoul")
        }
        job.add("container: \(YAMLScalar.of(["from": .text(directory), "to": .text("out/")]))")
        job.blank()
        job.add("stages:")
        for (index, (way, export, options)) in ways.enumerated() {
            if index > 0 { job.blank() }
            way.add(export, options, to: &job)
        }
        if !leftOut.isEmpty {
            job.blank()
            job.remark("Copied as they are:")
            for file in leftOut { job.add("#   \(CommentText.of(file))") }
        }
        try run.check(job.text)
        return job.text
    }
}

extension SuggestedImport {
    /// Whether it reads the part of that name, or the value of that key.
    fileprivate func isNamed(_ name: String) -> Bool {
        part == name || options.contains { $0.value == .text(name) && ($0.key == "key" || $0.key == "records") }
    }
}

extension SuggestedOption {
    /// For records at a pointer of a JSON document, the options that find them under its first key.
    fileprivate var underKey: [SuggestedOption]? {
        var (pointer, others): (String?, [SuggestedOption]) = (nil, [])
        switch value {
        case .text(let text): pointer = text
        case .map(let entries):
            for entry in entries {
                if entry.key == "at", case .text(let text) = entry.value {
                    pointer = text
                } else {
                    others.append(entry)
                }
            }
        default: break
        }
        guard let pointer, pointer.hasPrefix("/") else { return nil }
        let parts = pointer.dropFirst().split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0]).replacing("~1", with: "/").replacing("~0", with: "~")
        let inside = parts.count > 1 ? SuggestedValue.text("/\(parts[1])") : nil
        let at = inside.map { [SuggestedOption("at", $0)] } ?? []
        let records = others.isEmpty ? inside : .map(at + others)
        let key = SuggestedOption("key", .text(name), because: reason)
        return [key] + (records.map { [SuggestedOption("records", $0)] } ?? [])
    }
}
