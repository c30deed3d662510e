import DaybookEngine
import DaybookReports

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
        let parts = [
            (outputs.count - grouped.count, ""),
            (grouped.count, " of the \(areDays ? "days" : "groups") that the run wrote"),
        ]
        return parts.filter { $0.0 > 0 }
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
            let what =
                comesOutSame ? "comes out the same, but stands there otherwise" : "comes out otherwise"
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
            lines.append("  ~ \(what.joined(separator: " "))  \(change)")
        }
        if !verification.isSame, !comesOutSame, verification.differences.isEmpty {
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
                "after": file(output.after), "verified": .flag(output.isVerified),
                "faults": .list(output.faults.map(JSONValue.text)),
                "remarks": .list(output.remarks.map(JSONValue.text)),
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
