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
        /// The groups that stand in it now, of those that the repeated run makes.
        var standing: [SinkGroup] = []
        /// How it grows from run to run; nil for an output that each run makes anew.
        var growth: VerifiedGrowth?
        /// Whether the repeated run wrote the same, whatever stands in the output now.
        var comesOutSame = true
        /// What is different where it grows.
        var faults: [String] = []
        /// What later runs did to it, or why it cannot be verified.
        var remarks: [String] = []

        public var isSame: Bool {
            switch growth {
            case nil: before != nil && before == after
            case .text: before != nil && before == after && faults.isEmpty
            // A run that read no day left the file as it was, or made it without rows.
            case .groups: before != nil && (after != nil || before?.groups?.isEmpty == true) && faults.isEmpty
            case .unknown: true
            }
        }

        /// Whether its bytes or groups were compared.
        var isVerified: Bool { if case .unknown = growth { false } else { true } }
    }

    /// A difference between the runs.
    public struct Difference: Sendable, Equatable {
        /// `job`, `version` or `input`.
        public var what: String
        /// The name of the input; empty for other differences.
        public var name: String
        public var before: String?
        public var after: String?
        /// Where an input went, in words.
        public var remark: String?
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
    ///   - remade: the later run that made a group, such as a day, anew; nil without one.
    ///   - moved: the later run that read a file of this size and digest under a path that is none of these, in words; nil without
    ///     one.
    public init(
        _ manifest: StoredManifest,
        _ plan: Plan,
        _ table: StageTable,
        past: [PlannedPast],
        jobSHA256: String,
        from directory: String,
        threads: Int,
        remade: (String) -> String?,
        moved: (_ bytes: Int, _ xxh128: String, _ paths: Set<String>) -> String?,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookErrors) {
        self.manifest = manifest
        let place = FilePath.join(FilePath.canonical(NSTemporaryDirectory()), "daybook-verify-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(atPath: place) }
        let mask = SecretMask(plan.job.secrets)
        let inputs = Set(manifest.inputs.map(\.path))
        var verifying = try VerifyingPlan(plan, table, of: manifest, mask, from: directory, into: place)
        verifying.plan.know(past)
        let state = StateDirectory(FilePath.join(place, "state"))
        var settings = RunSettings(threads: threads, directory: directory, state: state, isCancelled: isCancelled)
        settings.sha256 = .never
        settings.chosen = ChosenFiles(names: inputs, mask: mask)
        settings.positions = manifest.positions
        outcome = Runner(verifying.plan, settings).run()
        differences = Verification.heads(manifest, jobSHA256: jobSHA256)
        let read = outcome.inputs.map { input in
            StoredManifest.File(input, mask, named: mask.masking(verifying.outputs.path(of: input.path)))
        }
        let written = outcome.outputs.map { output in
            let path = mask.masking(verifying.outputs.path(of: output.path))
            var file = StoredManifest.File(path: path, bytes: output.bytes, xxh128: output.digest.xxh128)
            file.groups = output.groups.map { $0.written.map { $0.masked(mask) } }
            return file
        }
        let standing = outcome.outputs.map { ($0.groups?.replaced ?? []).map { $0.masked(mask) } }
        outputs = Verification.outputs(manifest.outputs, written, standing)
        for index in outputs.indices {
            guard let growing = verifying.growing[outputs[index].path] else {
                outputs[index].comesOutSame = outputs[index].isSame
                continue
            }
            outputs[index].compare(growing, remade)
            outputs[index].remarks += (verifying.uncompared[outputs[index].path] ?? []).map {
                "its table '\($0)' is not compared, for rows of it are not replaced by groups"
            }
        }
        guard outputs.isEmpty || outputs.contains(where: \.isVerified) || !outcome.errors.isEmpty else {
            let message = "no output of the run can be verified: \(outputs.flatMap(\.remarks).first ?? "")"
            let hint = "keep what it writes in a file of its own, or by 'replace_by'"
            throw DaybookErrors("nothing-to-verify", message, hint: hint)
        }
        // Other days of an output are no other input.
        let grown = verifying.growing.filter { $0.value.growth != nil && $0.value.growth != .text }
        differences += Verification.inputs(manifest.inputs, read, moved).filter { grown[$0.name] == nil }
        if let before = manifest.earlierRuns {
            let after = outcome.earlierRuns.map { StoredManifest.Earlier(runs: $0.count, oldest: "\($0.oldest)") }
            if before != after {
                differences.append(
                    Difference(what: "earlier runs", name: "", before: before.summary, after: after?.summary)
                )
            }
        }
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

    private static func inputs(
        _ before: [StoredManifest.File],
        _ after: [StoredManifest.File],
        _ moved: (Int, String, Set<String>) -> String?
    ) -> [Difference] {
        let now = Dictionary(after.map { ($0.path, $0) }) { first, _ in first }
        let known = Set(before.map(\.path))
        let changed = before.filter { now[$0.path] != $0 }.map { file in
            Difference(
                what: "input",
                name: file.path,
                before: file.summary,
                after: now[file.path]?.summary,
                remark: file.bytes == 0 ? nil : file.xxh128.flatMap { moved(file.bytes, $0, known) }
            )
        }
        return changed
            + after.filter { !known.contains($0.path) }.map {
                Difference(what: "input", name: $0.path, before: nil, after: $0.summary)
            }
    }

    /// Pairs outputs of one path in their order, such as those of standard output.
    private static func outputs(
        _ before: [StoredManifest.File],
        _ after: [StoredManifest.File],
        _ standing: [[SinkGroup]]
    ) -> [Output] {
        var rest = Array(zip(after, standing))
        let found = before.map { file in
            let other = rest.firstIndex { $0.0.path == file.path }.map { rest.remove(at: $0) }
            return Output(path: file.path, before: file, after: other?.0, standing: other?.1 ?? [])
        }
        return found + rest.map { Output(path: $0.0.path, before: nil, after: $0.0) }
    }
}

extension StoredManifest.File {
    fileprivate init(_ input: RunOutcome.Input, _ mask: SecretMask, named path: String) {
        self.init(path: path, bytes: input.bytes, xxh128: input.digest?.xxh128)
        version = input.version.map { Version(kind: $0.kind.rawValue, token: mask.masking($0.token)) }
    }

    /// The size and the beginning of the digest.
    var summary: String {
        if let version { return "\(version.kind) \(version.token)" }
        return "\(DisplayText.count(bytes, "byte"))" + (xxh128.map { ", xxh128 \($0.prefix(12))" } ?? "")
    }
}

extension StoredManifest.Earlier {
    fileprivate var summary: String { "\(DisplayText.count(runs, "run")) since \(oldest)" }
}

/// A verification in words, or as JSON.
public struct VerificationText {
    private let verification: Verification
    private let style: TerminalStyle

    public init(_ verification: Verification, _ style: TerminalStyle) {
        (self.verification, self.style) = (verification, style)
    }

    /// Whether only what stands in outputs now is different.
    private var comesOutSame: Bool {
        verification.outcome.exitCode == verification.manifest.exitCode
            && verification.outputs.allSatisfy(\.comesOutSame)
    }

    /// How many outputs were compared as a whole, and how many by what the run wrote in them.
    private var verified: [(count: Int, ofWhat: String)] {
        let outputs = verification.outputs.filter(\.isVerified)
        let grouped = outputs.filter { $0.growth == .groups }
        let areDays = grouped.allSatisfy { $0.before?.groups?.allSatisfy(\.isOfDay) ?? true }
        let wrote = " of the \(areDays ? "days" : "groups") that the run wrote"
        return [(outputs.count - grouped.count, ""), (grouped.count, wrote)].filter { $0.0 > 0 }
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
                : verified.map { "\(DisplayText.count($0.count, "output")), every byte\($0.ofWhat)" }
                    .joined(separator: "; ")
            lines.append(style.bold("'\(name)' of \(manifest.day) comes out the same: \(what)"))
        } else {
            let others = outputs.count { !$0.isSame }
            let count = "\(DisplayText.count(others)) of \(DisplayText.count(outputs.count, "output"))"
            let what = comesOutSame ? "comes out the same, but stands there otherwise" : "comes out otherwise"
            lines.append(style.bold("'\(name)' of \(manifest.day) \(what): \(count)"))
            if manifest.exitCode != verification.outcome.exitCode {
                lines.append("  it ended with \(manifest.exitCode), and ends with \(verification.outcome.exitCode) now")
            }
            for output in outputs where !output.isSame {
                let whole = change(output.before?.summary, output.after?.summary)
                let isOther = output.before != output.after && output.growth != .groups
                let changes = (output.faults.isEmpty || isOther ? [whole] : []) + output.faults.map(PrintableText.of)
                lines += changes.map { "  ~ output \(PrintableText.of(output.path))  \($0)" }
            }
        }
        for output in outputs {
            let path = PrintableText.of(output.path)
            lines += output.remarks.map { "  output \(path)  \(PrintableText.of($0))" }
        }
        for difference in verification.differences {
            let what = [difference.what, PrintableText.of(difference.name)].filter { !$0.isEmpty }
            let change = change(difference.before, difference.after)
            let remark = difference.remark.map { "; \(PrintableText.of($0))" } ?? ""
            lines.append("  ~ \(what.joined(separator: " "))  \(change)\(remark)")
        }
        if !verification.isSame, !comesOutSame, verification.differences.isEmpty {
            lines.append(
                "  job, day, params, inputs and version are the same; what the manifest does not tell is another, "
                    + "such as a variable of the environment"
            )
        }
        return style.prose(lines.joined(separator: "\n")) + "\n"
    }

    private func change(_ before: String?, _ after: String?) -> String {
        "\(PrintableText.of(before ?? "none")) → \(PrintableText.of(after ?? "none"))"
    }

    public var json: JSONValue {
        let (manifest, outcome) = (verification.manifest, verification.outcome)
        let outputs = verification.outputs.map { output -> JSONValue in
            [
                "path": .text(output.path), "same": .flag(output.isSame), "before": file(output.before),
                "after": file(output.after), "verified": .flag(output.isVerified),
                "faults": .texts(output.faults), "remarks": .texts(output.remarks),
            ]
        }
        let differences = verification.differences.map { difference -> JSONValue in
            [
                "what": .text(difference.what), "name": .text(difference.name),
                "before": JSONValue(difference.before), "after": JSONValue(difference.after),
                "remark": JSONValue(difference.remark),
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
