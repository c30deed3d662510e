import DaybookReports

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
                : "\(Spoken.count(outputs.count, "output")), every byte"
            lines.append(style.bold("'\(name)' of \(manifest.day) comes out the same: \(what)"))
        } else {
            let others = outputs.count { !$0.isSame }
            lines.append(
                style.bold(
                    "'\(name)' of \(manifest.day) comes out otherwise: \(Spoken.count(others)) of "
                        + Spoken.count(outputs.count, "output")
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

    private func file(_ file: KeptManifest.File?) -> JSONValue {
        file.map { ["bytes": .number($0.bytes), "xxh128": JSONValue($0.xxh128)] } ?? .null
    }
}
