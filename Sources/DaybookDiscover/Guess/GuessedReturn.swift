import DaybookBytes
import DaybookEngine

/// The way out of one file and back: an import, and the bytes that it reads.
package struct GuessedReturn {
    /// Without the dates of its numbers, which go back as they came.
    private var guessed: GuessedImport
    /// The file, decompressed.
    package let bytes: Bytes

    /// The name of the stage that imports.
    package var stage: String { guessed.stage }
    /// The file, as the job names it.
    package var path: String { guessed.paths[0] }
    package var name: String { guessed.name }
    /// The options of the import except its path.
    package var options: [SuggestedOption] { guessed.suggestion.options }

    fileprivate init(_ guessed: GuessedImport, _ bytes: Bytes) {
        (self.guessed, self.bytes) = (guessed, bytes)
        self.guessed.takesDates = false
    }

    /// The job, whose export has those options.
    ///
    /// - Parameter zone: of the job, where its export asks for one.
    package func job(_ remark: String, zone: String?, _ export: String, _ options: [SuggestedOption]) -> String {
        JobComposer.returnText(guessed, remark: remark, zone: zone, export, options)
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
            throw DaybookErrors([DaybookError("no-model", message, hint: "name one of them")])
        }
        let found = try detector.detect(input)
        var suggestions = found.detection.imports.filter { part == nil || $0.isNamed(part ?? "") }
        if suggestions.isEmpty, let part, found.stage == "import_user_defaults" {
            // Keys of the system, and those behind the first, are not offered.
            suggestions = [SuggestedImport(part: part, options: [SuggestedOption("key", .text(part))])]
        }
        guard suggestions.count == 1, let suggestion = suggestions.first else {
            let several = suggestions.isEmpty ? found.detection.imports : suggestions
            let parts = several.compactMap(\.part).map { "'\($0)'" }
            let places = parts.isEmpty ? "no part of its own" : DisplayText.list(parts, "and")
            let message =
                "'\(input.shown)' has rows in \(places)" + (suggestions.isEmpty ? ", not in '\(part ?? "")'" : "")
            throw DaybookErrors([DaybookError("no-model", message, hint: "choose one with '--key'")])
        }
        let whole: Bytes?
        do throws(DaybookError) {
            let file = try SniffedFile(input, for: "a guess", limit: detector.limit, isCancelled: detector.isCancelled)
            whole = try file.whole(limit: detector.limit)
        } catch { throw DaybookErrors([error]) }
        guard let whole else {
            let message =
                "'\(input.shown)' has more than \(detector.limit >> 20) MiB, and a model is made of all records"
            throw DaybookErrors([DaybookError("no-model", message, hint: "take a part of the records out first")])
        }
        var (guessed, mixed) = try seen(input, found, suggestion)
        guessed.keep(mixed: mixed)
        return GuessedReturn(guessed, whole)
    }
}

extension SuggestedImport {
    /// Whether it reads the part of that name, or the value of that key.
    fileprivate func isNamed(_ name: String) -> Bool {
        part == name || options.contains { $0.value == .text(name) && ($0.key == "key" || $0.key == "records") }
    }
}
