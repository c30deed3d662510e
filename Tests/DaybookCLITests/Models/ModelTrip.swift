import DaybookDiscover
import DaybookJSON
import DaybookTestSupport
import Foundation

@testable import DaybookCLI
@testable import DaybookContracts
@testable import DaybookEngine

/// Guesses the model and the job of a file, and runs the job, all in this process.
struct ModelTrip {
    let place: TemporaryDirectory
    let model: GuessedModel
    /// The job as it is run.
    var job: String
    /// Whether the whole file was taken for one record, as one of two records under keys, or of a short one in a wrapper, is.
    let takesWhole: Bool
    /// Whether a list inside was taken for the records, as in a wrapper: of one record, or of two that share no field, none can tell.
    let takesPart: Bool
    private let modelFile: String

    /// Throws what `daybook guess --swift` would say.
    init(_ file: AppFile) throws {
        place = try TemporaryDirectory()
        let url = try place.write(file.bytes, to: file.name)
        let guess = Guess(
            table: CommandContext.current.table,
            names: [],
            directory: place.url.path,
            command: "daybook guess \(file.name)",
            isCancelled: { false }
        )
        let found = try ModelGuess(guess, of: url.path, key: file.key, command: "daybook guess")
        (model, job, modelFile) = (found.model, found.job, found.file)
        takesWhole = (file.form == .wrapped || file.form == .keyed) && !found.job.contains("records: ")
        takesPart = [.one, .lines, .keyed].contains(file.form) && found.job.contains(/records: "?\//)
        try place.write(model.source, to: modelFile)
    }

    /// Replaces a part of the model.
    func changeModel(_ part: String, to other: String) throws {
        try place.write(model.source.replacing(part, with: other), to: modelFile)
    }

    /// Lets the import hold the records against the model, too.
    mutating func holdImport() {
        guard let start = job.range(of: "        model:"), let export = job.range(of: "  - export_") else { return }
        let lines = job[start.lowerBound...].split(separator: "\n").prefix { $0.hasPrefix("        ") }
        job.insert(contentsOf: lines.joined(separator: "\n") + "\n", at: export.lowerBound)
    }

    /// The outcome of the job; errors of the plan are those of a run that did not begin.
    func run() throws -> RunOutcome {
        let file = try place.write(job, to: "job.yaml")
        let reading = JobReading(file.path, JobOptions.none, readsRows: true)
        guard let plan = reading.plan else { return RunOutcome(errors: reading.problems) }
        let state = StateDirectory(place.url.appendingPathComponent("state").path)
        return Runner(plan, RunSettings(threads: 1, directory: place.url.path, state: state)).run()
    }

    /// What the job has written.
    func written() throws -> Data {
        let out = place.url.appendingPathComponent("out")
        let files = try FileManager.default.contentsOfDirectory(atPath: out.path)
        return try Data(contentsOf: out.appendingPathComponent(files.first ?? ""))
    }
}
