import DaybookBytes
import DaybookEngine
import DaybookReports
import Foundation

/// The result of a repeated run: whether its bytes equal the first, and the differences.
public struct Verification: Sendable {
    /// An output of either run.
    public struct Output: Sendable {
        public var path: String
        var before: StoredManifest.File?
        var after: StoredManifest.File?
        public var isSame: Bool { before != nil && before == after }
    }

    /// A difference between the runs.
    public struct Difference: Sendable, Equatable {
        /// `job`, `version` or `input`.
        public var what: String
        /// The name of the input; empty for other differences.
        public var name: String
        public var before: String?
        public var after: String?
    }

    public let manifest: StoredManifest
    public private(set) var outputs: [Output] = []
    public private(set) var differences: [Difference] = []
    /// The outcome of the second run.
    public let outcome: RunOutcome

    /// Repeats the run of a manifest.
    ///
    /// - Parameters:
    ///   - plan: the plan of the job, on the day and with the params of the manifest.
    ///   - past: the earlier figures for rules and measures of the plan.
    ///   - jobSHA256: the digest of the current job file.
    ///   - directory: the directory of the job.
    public init(
        _ manifest: StoredManifest,
        _ plan: Plan,
        _ table: StageTable,
        past: [PlannedPast],
        jobSHA256: String,
        from directory: String,
        threads: Int,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookErrors) {
        self.manifest = manifest
        let place = FilePath.join(FilePath.canonical(NSTemporaryDirectory()), "daybook-verify-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(atPath: place) }
        let mask = SecretMask(plan.job.secrets)
        let inputs = Set(manifest.inputs.map(\.path))
        var verifying = try VerifyingPlan(plan, table, reading: inputs, mask, into: FilePath.join(place, "out"))
        verifying.plan.know(past)
        var settings = RunSettings(
            threads: threads,
            directory: directory,
            state: StateDirectory(FilePath.join(place, "state")),
            sha256: .never,
            isCancelled: isCancelled
        )
        settings.chosen = ChosenFiles(names: inputs, mask: mask)
        settings.positions = manifest.positions
        outcome = Runner(verifying.plan, settings).run()
        differences = Verification.heads(manifest, jobSHA256: jobSHA256)
        differences += Verification.inputs(manifest.inputs, outcome.inputs.map { StoredManifest.File($0, mask) })
        let written = outcome.outputs.map {
            let path = mask.masking(verifying.path(of: $0.path))
            return StoredManifest.File(path: path, bytes: $0.bytes, xxh128: $0.digest.xxh128)
        }
        outputs = Verification.outputs(manifest.outputs, written)
    }

    /// Whether the exit codes are equal, and all outputs have the same bytes.
    public var isSame: Bool { outcome.exitCode == manifest.exitCode && outputs.allSatisfy(\.isSame) }

    /// 0 for equal runs, 1 for different ones; 2 and 3 if the job or the machine prevented the comparison.
    public var exitCode: Int32 { isSame ? 0 : max(1, outcome.exitCode) }

    private static func heads(_ manifest: StoredManifest, jobSHA256: String) -> [Difference] {
        var found: [Difference] = []
        if manifest.job.sha256 != jobSHA256 {
            let before = manifest.job.sha256.map { "sha256 \($0.prefix(12))" }
            found.append(Difference(what: "job", name: "", before: before, after: "sha256 \(jobSHA256.prefix(12))"))
        }
        if manifest.daybook != DaybookVersion.text {
            found.append(Difference(what: "version", name: "", before: manifest.daybook, after: DaybookVersion.text))
        }
        return found
    }

    private static func inputs(_ before: [StoredManifest.File], _ after: [StoredManifest.File]) -> [Difference] {
        let now = Dictionary(after.map { ($0.path, $0) }) { first, _ in first }
        let known = Set(before.map(\.path))
        let new = after.filter { !known.contains($0.path) }.map {
            Difference(what: "input", name: $0.path, before: nil, after: $0.summary)
        }
        return before.compactMap { file in
            guard now[file.path] != file else { return nil }
            return Difference(what: "input", name: file.path, before: file.summary, after: now[file.path]?.summary)
        } + new
    }

    /// Pairs outputs of one path in their order, such as those of standard output.
    private static func outputs(_ before: [StoredManifest.File], _ after: [StoredManifest.File]) -> [Output] {
        var rest = after
        var found = before.map { file in
            let index = rest.firstIndex { $0.path == file.path }
            return Output(path: file.path, before: file, after: index.map { rest.remove(at: $0) })
        }
        found += rest.map { Output(path: $0.path, before: nil, after: $0) }
        return found
    }
}

extension StoredManifest.File {
    fileprivate init(_ input: RunOutcome.Input, _ mask: SecretMask) {
        self.init(path: mask.masking(input.path), bytes: input.bytes, xxh128: input.digest?.xxh128)
        version = input.version.map { Version(kind: $0.kind.rawValue, token: mask.masking($0.token)) }
    }

    /// The size and the beginning of the digest.
    var summary: String {
        if let version { return "\(version.kind) \(version.token)" }
        return "\(DisplayText.count(bytes, "byte"))" + (xxh128.map { ", xxh128 \($0.prefix(12))" } ?? "")
    }
}

/// A job in a verification, with all outputs in a directory of its own.
struct VerifyingPlan {
    var plan: Plan
    /// The path in the job, by the path in its place.
    private var written: [String: String] = [:]
    /// The reverse, for stages that share an output.
    private var places: [String: String] = [:]
    private let directory: String

    /// - Parameters:
    ///   - inputs: the inputs of the run, masked. The base of an output that is not among them did not exist then.
    ///   - directory: the absolute directory of the outputs.
    init(
        _ plan: Plan,
        _ table: StageTable,
        reading inputs: Set<String>,
        _ mask: SecretMask,
        into directory: String
    ) throws(DaybookErrors) {
        (self.plan, self.directory) = (plan, directory)
        var job = plan.job
        job.redirect()
        if let path = job.rejects?.path { job.rejects?.path = place(of: path) }
        for index in job.stages.indices {
            if let path = job.stages[index].rejects?.path { job.stages[index].rejects?.path = place(of: path) }
        }
        self.plan = try Plan(job, table: table, asOf: plan.context.asOf)
        for stage in plan.stages {
            guard let target = stage.target else { continue }
            if let service = target.service {
                let hint =
                    "read from there what the run wrote, and compare that with a run of the job without this stage"
                throw DaybookErrors([
                    DaybookError(
                        "nothing-to-verify",
                        "'\(stage.id)' writes to '\(service.text)', and a verification writes to no service",
                        at: stage.place,
                        hint: hint
                    )
                ])
            }
            guard let path = target.path else { continue }
            guard !target.isInParts else {
                throw DaybookErrors([
                    DaybookError(
                        "nothing-to-verify",
                        "'\(stage.id)' writes a part for each shard, and a verification has none",
                        at: stage.place
                    )
                ])
            }
            let startsAnew = target.base.map { !inputs.contains(mask.masking($0.path.text)) } ?? false
            self.plan.redirect(stage.index, to: place(of: path), startsAnew: startsAnew)
        }
    }

    private mutating func place(of path: PathText) -> PathText {
        let tidied = FilePath.tidied(path.text)
        if !path.isStandardStream, let place = places[tidied] { return PathText(place, at: path.place) }
        let name = path.isStandardStream ? "stream" : FilePath.name(of: path.text)
        let place = FilePath.join(directory, "\(written.count)-\(name)")
        written[place] = path.text
        places[tidied] = place
        return PathText(place, at: path.place)
    }

    /// The path in the job of an output of this run.
    func path(of output: String) -> String { written[output] ?? output }
}

/// A verification in words, or as JSON.
public struct VerificationText {
    private let verification: Verification
    private let style: TerminalStyle

    public init(_ verification: Verification, _ style: TerminalStyle) {
        (self.verification, self.style) = (verification, style)
    }

    public var text: String {
        let manifest = verification.manifest
        let name = PrintableText.of(manifest.job.name)
        let outputs = verification.outputs
        var lines: [String] = []
        if verification.isSame {
            let what =
                outputs.isEmpty
                ? "it ends with \(manifest.exitCode) and has no outputs"
                : "\(DisplayText.count(outputs.count, "output")), every byte"
            lines.append(style.bold("'\(name)' of \(manifest.day) comes out the same: \(what)"))
        } else {
            let others = outputs.count { !$0.isSame }
            let count = "\(DisplayText.count(others)) of \(DisplayText.count(outputs.count, "output"))"
            lines.append(style.bold("'\(name)' of \(manifest.day) comes out otherwise: \(count)"))
            if manifest.exitCode != verification.outcome.exitCode {
                lines.append("  it ended with \(manifest.exitCode), and ends with \(verification.outcome.exitCode) now")
            }
            for output in outputs where !output.isSame {
                let change = change(output.before?.summary, output.after?.summary)
                lines.append("  ~ output \(PrintableText.of(output.path))  \(change)")
            }
        }
        for difference in verification.differences {
            let what = [difference.what, PrintableText.of(difference.name)].filter { !$0.isEmpty }
            let change = change(difference.before, difference.after)
            lines.append("  ~ \(what.joined(separator: " "))  \(change)")
        }
        if !verification.isSame, verification.differences.isEmpty {
            lines.append(
                "  job, day, params, inputs and version are the same; what the manifest does not tell is another, "
                    + "such as a variable of the environment"
            )
        }
        return style.prose(lines.joined(separator: "\n")) + "\n"
    }

    private func change(_ before: String?, _ after: String?) -> String { "\(before ?? "none") → \(after ?? "none")" }

    public var json: JSONValue {
        let (manifest, outcome) = (verification.manifest, verification.outcome)
        let outputs = verification.outputs.map { output -> JSONValue in
            [
                "path": .text(output.path), "same": .flag(output.isSame), "before": file(output.before),
                "after": file(output.after),
            ]
        }
        let differences = verification.differences.map { difference -> JSONValue in
            [
                "what": .text(difference.what), "name": .text(difference.name),
                "before": JSONValue(difference.before), "after": JSONValue(difference.after),
            ]
        }
        return [
            "job": .text(manifest.job.name), "as_of": .text(manifest.day), "same": .flag(verification.isSame),
            "exit_code": ["before": .number(Int(manifest.exitCode)), "after": .number(Int(outcome.exitCode))],
            "outputs": .list(outputs), "differences": .list(differences),
        ]
    }

    private func file(_ file: StoredManifest.File?) -> JSONValue {
        file.map { ["bytes": .number($0.bytes), "xxh128": JSONValue($0.xxh128)] } ?? .null
    }
}
