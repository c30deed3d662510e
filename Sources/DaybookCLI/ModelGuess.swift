import DaybookApple
import DaybookBytes
import DaybookDates
import DaybookDiscover
import DaybookJSON

/// A Swift model of the records of a file, and the job that takes them out and writes them back.
struct ModelGuess {
    let model: GuessedModel
    let job: String
    /// The name of the file of the model in the job.
    let file: String

    /// - Parameter key: the key, or the part of a document, that holds the records.
    init(_ guess: Guess, of path: String, key: String?, command: String) throws(DaybookErrors) {
        let way = try guess.wayBack(of: path, part: key)
        do throws(DaybookError) {
            (model, job, file) = try ModelGuess.made(way, path, command)
        } catch { throw DaybookErrors([error]) }
    }

    private static func made(
        _ way: GuessedReturn,
        _ path: String,
        _ command: String
    ) throws(DaybookError) -> (model: GuessedModel, job: String, file: String) {
        func text(_ option: String) -> String? {
            guard case .text(let text) = way.options.first(where: { $0.key == option })?.value else { return nil }
            return text
        }
        let records = way.options.first { $0.key == "records" }
        let place = RecordsPlace(suggested: records?.value)
        let source = SourceName(index: 0, path: path)
        let found: SketchedRecords
        switch way.stage {
        case "import_json" where text("encoding") == nil: found = try SketchedRecords(way.bytes, at: place, of: path)
        case "import_user_defaults" where way.options.contains { $0.key == "key" || $0.key == "whole" }:
            found = try SketchedRecords(defaults: way.bytes, source, key: text("key"), at: place)
        default:
            let message = "'\(path)' has no records of which a Swift model can be made"
            let hint = "name a property list, a dump of user defaults with records under a key, or JSON as UTF-8"
            throw DaybookError("no-model", message, hint: hint)
        }
        let key = text("key") ?? place.pointer.tokens.last
        let count = DisplayText.count(found.sketch.records, "record")
        let model = try GuessedModel(
            found.sketch,
            key: place.pointer.tokens.last ?? key,
            found.holder,
            isList: found.isList,
            about: [
                command,
                "A model of \(count)\(key.map { " of '\($0)'" } ?? "") in \(path), as they are today: read it before you use it.",
            ]
        )
        let file = "\(model.name ?? "Records").swift"
        let isKept = text("key") != nil
        // What is read is not written over.
        let directory = way.path.hasPrefix("out/") ? "back" : "out"
        let output = isKept ? FilePath.name(of: way.path) : way.name + ".json"
        var options = [SuggestedOption("path", .text("\(directory)/\(output)"))]
        if let key = text("key") {
            options.append(SuggestedOption("key", .text(key)))
            options.append(SuggestedOption("into", .text(way.path), because: "what stands beside the records is kept"))
        } else {
            options.append(SuggestedOption("nest", .plain("true")))
            options.append(SuggestedOption("missing", .plain("leave_out")))
            options.append(SuggestedOption("unlisted", .plain("keep")))
            if found.isList { options.append(SuggestedOption("dates", .plain("apple_seconds"))) }
        }
        switch found.holder {
        case .one: options.append(SuggestedOption("layout", .plain("object")))
        case .array:
            if found.areApart { options.append(SuggestedOption("layout", .plain("lines"))) }
            if isKept, var records {
                records.reason = nil
                options.append(records)
            }
        case .dictionary, .pairs:
            guard case .map(var entries)? = records?.value else { break }
            if !isKept { entries.removeAll { $0.key == "at" } }
            if case .pairs = found.holder { entries.append(SuggestedOption("pairs", .plain("true"))) }
            options.append(SuggestedOption("records", .map(entries)))
        }
        var reading = [SuggestedOption("file", .text(file)), SuggestedOption("type", .text(model.type))]
        if let dates = model.dates { reading.append(SuggestedOption("dates", .plain(dates.rawValue))) }
        options.append(
            SuggestedOption("model", .map(reading), because: "a row that the app could not read fails the run")
        )
        let remark =
            "Takes the records out and writes them back as they came; put stages that change them before the export."
        let export = isKept ? "export_user_defaults" : "export_json"
        return (model, way.job(remark, zone: found.isList && !isKept ? "Etc/UTC" : nil, export, options), file)
    }

    /// The model and, behind it as a comment, the job: a file that Swift compiles.
    var text: String {
        let lines = job.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let head =
            "\n// The job that takes the records out and writes them back; '-o FILE.yaml' writes it beside the model.\n//\n"
        return model.source + head + lines.map { $0.isEmpty ? "//\n" : "// \($0)\n" }.joined()
    }
}
