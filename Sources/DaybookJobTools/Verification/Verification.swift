import DaybookBytes
import DaybookEngine
import DaybookReports
import Foundation

/// What came of a run that was done again: whether its bytes are those of the first, and what is another.
public struct Verification: Sendable {
    /// An output of either run.
    public struct Output: Sendable {
        public var path: String
        var before: StoredManifest.File?
        var after: StoredManifest.File?
        public var isSame: Bool { before != nil && before == after }
    }

    /// Something that the two runs do not share.
    public struct Difference: Sendable, Equatable {
        /// What it is: `job`, `version` or `input`.
        public var what: String
        /// The name of the input; empty for the others.
        public var name: String
        public var before: String?
        public var after: String?
    }

    public let manifest: StoredManifest
    public private(set) var outputs: [Output] = []
    public private(set) var differences: [Difference] = []
    /// How the second run ended.
    public let outcome: RunOutcome

    /// Runs a job again on what its manifest tells.
    ///
    /// - Parameters:
    ///   - plan: that of the job, on the day and with the params of the manifest.
    ///   - past: what rules and measures of the plan were held against.
    ///   - jobSHA256: that of the job file as it is now.
    ///   - directory: of the job.
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
        settings.marks = manifest.marks
        outcome = Runner(verifying.plan, settings).run()
        differences = Verification.heads(manifest, jobSHA256: jobSHA256)
        differences += Verification.inputs(manifest.inputs, outcome.inputs.map { StoredManifest.File($0, mask) })
        let written = outcome.outputs.map { output in
            StoredManifest.File(
                path: mask.masking(verifying.path(of: output.path)),
                bytes: output.bytes,
                xxh128: output.digest.xxh128
            )
        }
        outputs = Verification.outputs(manifest.outputs, written)
    }

    /// Whether the run ended as the first one, and every output has the same bytes.
    public var isSame: Bool { outcome.exitCode == manifest.exitCode && outputs.allSatisfy(\.isSame) }

    /// 0 where all is the same, 1 where it is not; 2 and 3 where the job or the machine kept it from being found out.
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
            Difference(what: "input", name: $0.path, before: nil, after: $0.told)
        }
        return before.compactMap { file in
            guard now[file.path] != file else { return nil }
            return Difference(what: "input", name: file.path, before: file.told, after: now[file.path]?.told)
        } + new
    }

    /// Outputs of one path belong together in their order, as those of standard output.
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

    /// Its size and the beginning of its digest.
    var told: String {
        if let version { return "\(version.kind) \(version.token)" }
        return "\(DisplayText.count(bytes, "byte"))" + (xxh128.map { ", xxh128 \($0.prefix(12))" } ?? "")
    }
}

/// A job as a verification runs it: with all that it writes in a directory of its own.
struct VerifyingPlan {
    var plan: Plan
    /// The path that the job writes, by the one in its place.
    private var written: [String: String] = [:]
    /// The other way round, for stages that share an output.
    private var places: [String: String] = [:]
    private let directory: String

    /// - Parameters:
    ///   - inputs: what the run read, masked. What an output would start from and is none of them did not exist.
    ///   - directory: where outputs go, from the root.
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
                throw DaybookErrors([
                    DaybookError(
                        "nothing-to-verify",
                        "'\(stage.id)' writes to '\(service.text)', and a verification writes to no service",
                        at: stage.place,
                        hint:
                            "read from there what the run wrote, and compare that with a run of the job without this stage"
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

    /// The path that the job writes for an output of this run.
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
            lines.append(
                style.bold(
                    "'\(name)' of \(manifest.day) comes out otherwise: \(DisplayText.count(others)) of "
                        + DisplayText.count(outputs.count, "output")
                )
            )
            if manifest.exitCode != verification.outcome.exitCode {
                lines.append("  it ended with \(manifest.exitCode), and ends with \(verification.outcome.exitCode) now")
            }
            for output in outputs where !output.isSame {
                lines.append(
                    "  ~ output \(PrintableText.of(output.path))  \(change(output.before?.told, output.after?.told))"
                )
            }
        }
        for difference in verification.differences {
            let what = [difference.what, PrintableText.of(difference.name)].filter { !$0.isEmpty }.joined(
                separator: " "
            )
            lines.append("  ~ \(what)  \(change(difference.before, difference.after))")
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
        [
            "job": .text(verification.manifest.job.name), "as_of": .text(verification.manifest.day),
            "same": .flag(verification.isSame),
            "exit_code": [
                "before": .number(Int(verification.manifest.exitCode)),
                "after": .number(Int(verification.outcome.exitCode)),
            ],
            "outputs": .list(
                verification.outputs.map { output in
                    [
                        "path": .text(output.path), "same": .flag(output.isSame), "before": file(output.before),
                        "after": file(output.after),
                    ]
                }
            ),
            "differences": .list(
                verification.differences.map { difference in
                    [
                        "what": .text(difference.what), "name": .text(difference.name),
                        "before": JSONValue(difference.before), "after": JSONValue(difference.after),
                    ]
                }
            ),
        ]
    }

    private func file(_ file: StoredManifest.File?) -> JSONValue {
        file.map { ["bytes": .number($0.bytes), "xxh128": JSONValue($0.xxh128)] } ?? .null
    }
}
