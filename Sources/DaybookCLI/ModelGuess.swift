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
            (model, job, file) = try ModelGuess.made(RecordsBack(way, path), path, command)
        } catch { throw DaybookErrors([error]) }
    }

    private static func made(
        _ back: RecordsBack,
        _ path: String,
        _ command: String
    ) throws(DaybookError) -> (model: GuessedModel, job: String, file: String) {
        let (way, found) = (back.way, back.found)
        let key = back.key ?? back.place.pointer.tokens.last
        let count = DisplayText.count(found.sketch.records, "record")
        let model = try GuessedModel(
            found.sketch,
            key: back.place.pointer.tokens.last ?? key,
            found.holder,
            isList: found.isList,
            about: [
                command,
                "A model of \(count)\(key.map { " of '\($0)'" } ?? "") in \(path), as they are today: read it before you use it.",
            ]
        )
        let file = "\(model.name ?? "Records").swift"
        // What is read is not written over.
        let directory = way.path.hasPrefix("out/") ? "back" : "out"
        let output = back.isKept ? FilePath.name(of: way.path) : way.name + ".json"
        var options = back.options(to: "\(directory)/\(output)")
        var reading = [SuggestedOption("file", .text(file)), SuggestedOption("type", .text(model.type))]
        if let dates = model.dates { reading.append(SuggestedOption("dates", .plain(dates.rawValue))) }
        options.append(
            SuggestedOption("model", .map(reading), because: "a row that the app could not read fails the run")
        )
        let remark =
            "Takes the records out and writes them back as they came; put stages that change them before the export."
        return (
            model, way.job(remark, zone: found.isList && !back.isKept ? "Etc/UTC" : nil, back.export, options), file
        )
    }

    /// The model and, behind it as a comment, the job: a file that Swift compiles.
    var text: String {
        let lines = job.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let head =
            "\n// The job that takes the records out and writes them back; '-o FILE.yaml' writes it beside the model.\n//\n"
        return model.source + head + lines.map { $0.isEmpty ? "//\n" : "// \($0)\n" }.joined()
    }
}

/// How the records of a file go back into it.
struct RecordsBack {
    let way: GuessedReturn
    let found: SketchedRecords
    let place: RecordsPlace
    /// The key of user defaults that holds them.
    var key: String? { way.text("key") }
    /// Whether what stands beside them is kept.
    var isKept: Bool { key != nil }
    var export: String { isKept ? "export_user_defaults" : "export_json" }

    /// Throws for a file without records that can go back.
    init(_ way: GuessedReturn, _ path: String) throws(DaybookError) {
        self.way = way
        place = RecordsPlace(suggested: way.options.first { $0.key == "records" }?.value)
        let source = SourceName(index: 0, path: path)
        switch (way.stage, way.bytes) {
        case ("import_json", let bytes?) where way.text("encoding") == nil:
            found = try SketchedRecords(bytes, at: place, of: path)
        case ("import_user_defaults", let bytes?) where way.options.contains { $0.key == "key" || $0.key == "whole" }:
            found = try SketchedRecords(defaults: bytes, source, key: way.text("key"), at: place)
        default:
            let message = "'\(path)' has no records of which a Swift model can be made"
            let hint = "name a property list, a dump of user defaults with records under a key, or JSON as UTF-8"
            throw DaybookError("no-model", message, hint: hint)
        }
    }

    /// The options of the export.
    func options(to output: String) -> [SuggestedOption] {
        let records = way.options.first { $0.key == "records" }
        var options = [SuggestedOption("path", .text(output))]
        if let key {
            options.append(SuggestedOption("key", .text(key)))
            options.append(SuggestedOption("into", .text(way.path), because: "what stands beside the records is kept"))
            if way.isDocument { options.append(SuggestedOption("as", .plain("native"))) }
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
        return options
    }
}
