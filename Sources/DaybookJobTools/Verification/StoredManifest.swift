import DaybookBytes
import DaybookEngine
import DaybookReports
import Foundation

/// A stored manifest: the inputs of a run and its result.
public struct StoredManifest: Sendable, Decodable {
    struct JobFile: Sendable, Decodable {
        var name: String
        var file: String
        var sha256: String?
    }

    struct Param: Sendable, Decodable {
        var value: String
        var set: Bool
    }

    struct File: Sendable, Decodable, Equatable {
        /// The state of a service.
        struct Version: Sendable, Decodable, Equatable { var kind, token: String }

        var path: String
        var bytes: Int
        var xxh128: String?
        var version: Version?
        /// The groups that the run wrote into an output.
        var groups: [SinkGroup]?
    }

    /// The runs with which rules and measures were compared.
    struct Earlier: Sendable, Decodable, Equatable {
        var runs: Int
        var oldest: String
    }

    /// An import, as far as a repeated run needs it.
    private struct Stage: Sendable, Decodable {
        struct Files: Sendable, Decodable { var since: Since? }
        struct Since: Sendable, Decodable {
            var column: String
            var after: StoreValue?
            var rowsKnown: Int?
            var readAgain: [StoreValue]?

            enum CodingKeys: String, CodingKey {
                case column, after
                case rowsKnown = "rows_known"
                case readAgain = "read_again"
            }
        }

        var id: String
        var files: Files?
    }

    private var version: Int
    private var stages: [Stage]?
    var daybook: String
    var job: JobFile
    var params: [String: Param]
    var asOf: String?
    var started: String
    var inputs: [File]
    var outputs: [File]
    /// The ids of the stages whose outputs the run left as they were.
    var keptOutputs: [String]?
    /// Nil where there were none, or the version that wrote the manifest did not tell them.
    var earlierRuns: Earlier?
    var exitCode: Int32

    private enum CodingKeys: String, CodingKey {
        case job, params, inputs, outputs, stages
        case version = "format_version"
        case daybook = "daybook_version"
        case asOf = "as_of"
        case started = "started_at"
        case exitCode = "exit_code"
        case keptOutputs = "kept_outputs"
        case earlierRuns = "earlier_runs"
    }

    /// Ten thousand inputs take a few megabytes.
    private static let sizeLimit = 256 << 20

    /// Reads the manifest at `path`.
    ///
    /// - Parameter repeating: whether its run is to be repeated, so that one that cannot be is refused.
    public init(readingFile path: String, repeating: Bool = true) throws(DaybookError) {
        let data = try JSONDocument.data(ofFile: path, limit: StoredManifest.sizeLimit)
        do { self = try JSONDecoder().decode(StoredManifest.self, from: data) } catch {
            let hint = "'run --manifest FILE' writes one, and the last of each job is kept in '.daybook/manifests'"
            throw .machine("bad-manifest", "'\(path)' is no manifest of a run", hint: hint)
        }
        guard version <= Manifest.format else {
            let message = "'\(path)' was written by a newer Daybook, \(daybook)"
            throw .machine("bad-manifest", message, hint: "verify it with that one")
        }
        if repeating { try check(path) }
    }

    /// Refuses the manifest of a run that cannot be repeated.
    private func check(_ path: String) throws(DaybookError) {
        guard exitCode <= 1, asOf != nil else {
            let hint = "only a run that ended with 0 or 1 can be held against another"
            throw DaybookError("nothing-to-verify", "the run of '\(path)' did not come to its end", hint: hint)
        }
        guard !inputs.contains(where: { $0.path == InputPath.standardInput.name }) else {
            let message = "the run of '\(path)' read standard input, which nobody has kept"
            let hint = "write the input to a file, and run the job on that"
            throw DaybookError("nothing-to-verify", message, hint: hint)
        }
    }

    /// The incremental state of stores before the run, by import.
    var positions: [String: StagePosition] {
        let known = (stages ?? []).compactMap { stage -> (String, StagePosition)? in
            guard let since = stage.files?.since, let value = since.after else { return nil }
            var mark = StagePosition(column: since.column, value: value, rows: since.rowsKnown)
            mark.reread = since.readAgain ?? []
            return (stage.id, mark)
        }
        return Dictionary(known) { first, _ in first }
    }

    /// The day of the run.
    public var day: String { asOf ?? "" }

    /// The start of the run, in microseconds since 1970-01-01T00:00:00Z; nil for an invalid time.
    public var start: Int64? {
        let parts = started.dropLast().split(separator: ".", maxSplits: 1)
        guard let whole = parts.first, let date = try? Date("\(whole)Z", strategy: .iso8601) else { return nil }
        let micros = parts.count == 2 ? Int64((parts[1] + "000000").prefix(6)) ?? 0 : 0
        return Int64(date.timeIntervalSince1970) * 1_000_000 + micros
    }

    /// The job file as the run was given it.
    public var jobFile: String { job.file }

    /// The params whose values the manifest shows.
    public var shownParams: [(name: String, value: String)] {
        params.filter { !$0.value.value.contains(SecretMask.mark) }.map { ($0.key, $0.value.value) }
            .sorted { $0.name < $1.name }
    }

    /// The secret params of the command line, which are stored nowhere.
    public var hiddenParams: [String] {
        params.filter { $0.value.set && $0.value.value.contains(SecretMask.mark) }.map(\.key).sorted()
    }
}
