import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

/// A run of `pipelines/apps/NAME.yaml` as it stands, as of 21 November 2026, in a folder of its own.
struct AppRun {
    let name: String
    let outcome: CommandTrial.Outcome
    private let place: TemporaryDirectory

    /// Runs the job; `settings` are those of `--set`, and `files` what params are set to the path of.
    /// It is held to end with `status`.
    init(
        _ name: String,
        _ settings: [String: String] = [:],
        files: [String: Data] = [:],
        endsWith status: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        self.name = name
        place = try TemporaryDirectory()
        let job = "pipelines/apps/\(name).yaml"
        try place.write(try Data(contentsOf: GoldenTests.package.appendingPathComponent(job)), to: job)
        try FileManager.default.createSymbolicLink(
            at: place.url.appendingPathComponent("samples"),
            withDestinationURL: GoldenTests.package.appendingPathComponent("samples")
        )
        var settings = settings
        for (param, bytes) in files {
            try place.write(bytes, to: "given/\(param)")
            settings[param] = "../../given/\(param)"
        }
        let set = settings.sorted { $0.key < $1.key }.flatMap { ["--set", "\($0.key)=\($0.value)"] }
        outcome = try CommandTrial(in: place.url).run(["run", job, "--as-of", "2026-11-21"] + set)
        #expect(outcome.status == status, Comment(rawValue: outcome.errors), sourceLocation: sourceLocation)
    }

    /// Runs the job on another dump of its app.
    init(_ name: String, dump: String) throws {
        try self.init(name, ["dump": "../../samples/apps/\(name)/\(dump)"])
    }

    /// What the run left under `out/NAME/`.
    func bytes(_ file: String) throws -> Data {
        try Data(contentsOf: place.url.appendingPathComponent("out/\(name)/\(file)"))
    }

    func text(_ file: String) throws -> String { try String(decoding: bytes(file), as: UTF8.self) }

    /// The records in a JSON file, read as the app reads them: by a decoder that is told nothing.
    func records<Record: Decodable>(_ file: String, as _: Record.Type = Record.self) throws -> [Record] {
        try JSONDecoder().decode([Record].self, from: bytes(file))
    }

    /// How many warnings with that code the run gave.
    func warnings(_ code: String) -> Int {
        outcome.errors.components(separatedBy: "\n").filter { $0.contains(": warning: ") && $0.hasSuffix("[\(code)]") }
            .count
    }
}
