import DaybookEngine

/// Findings for people: place, message and code, with the line of the source under it where it can be had.
package struct FindingText {
    /// How many findings of one rule, or of one code that no rule asked for, are printed; the rest is only counted.
    package static let limit = 20

    package let run: RunReport
    package let style: TerminalStyle

    package init(run: RunReport, style: TerminalStyle) { (self.run, self.style) = (run, style) }

    package func lines() -> [String] {
        var told: [String: Int] = [:]
        var excerpts = SourceExcerpts(run, width: style.excerptWidth)
        var lines: [String] = []
        for group in groups {
            told[group.first.name, default: 0] += group.count
            let excerpt = excerpts.excerpt(of: group.first)
            lines.append(style.prose(line(group.first, hasExcerpt: excerpt != nil)))
            if let excerpt {
                lines += excerpt.lines(group.first.line, style) { style.severity(group.first.severity, $0) }
            }
            if group.count > 1 { lines.append(style.prose(same(group))) }
        }
        return lines + more(than: told).map(style.prose)
    }

    /// Counts the findings of a severity that are shown, by name; findings shown together count each.
    func told(_ severity: Finding.Severity) -> [String: Int] {
        groups.reduce(into: [:]) { told, group in
            if group.first.severity == severity { told[group.first.name, default: 0] += group.count }
        }
    }

    /// Findings that say the same of several places.
    private struct Group {
        var first: RenderedFinding
        var count = 1
        /// The next few of them.
        var others: [RenderedFinding] = []

        static let mostOthers = 3
    }

    /// The findings to show, in order. Only a terminal shows findings with one message together: whoever reads a log may
    /// look for each place.
    private var groups: [Group] {
        let findings = run.outcome.findings
        var groups: [Group] = []
        var shown: [String: Int] = [:]
        var places: [[String]: Int] = [:]
        for index in FindingText.order(of: findings) {
            let finding = findings[index]
            let saying = [finding.name, finding.severity.rawValue, finding.stage, finding.message]
            if style.width != nil, let place = places[saying] {
                groups[place].count += 1
                if groups[place].others.count < Group.mostOthers { groups[place].others.append(finding) }
            } else if shown[finding.name, default: 0] < FindingText.limit {
                shown[finding.name, default: 0] += 1
                places[saying] = groups.count
                groups.append(Group(first: finding))
            }
        }
        return groups
    }

    /// `  … and 41 more of the same, at diary.csv:9:9, diary.csv:12:9, diary.csv:14:9 …`.
    private func same(_ group: Group) -> String {
        let places = group.others.map { FindingText.place(of: $0, in: run) }.joined(separator: ", ")
        let rest = group.count - 1 > group.others.count ? " …" : ""
        return "  … and \(DisplayText.count(group.count - 1)) more of the same, at \(places)\(rest)"
    }

    /// Sorts by severity, then by file in the order of reading, then by place. Findings of one place keep their order.
    package static func sorted(_ findings: [RenderedFinding]) -> [RenderedFinding] {
        order(of: findings).map { findings[$0] }
    }

    /// The indices of findings in the order of `sorted`.
    private static func order(of findings: [RenderedFinding]) -> [Int] {
        var files: [String: Int] = [:]
        var last: (source: String?, file: Int) = (nil, .max)
        let keys = findings.map { finding in
            if finding.source != last.source {
                last.source = finding.source
                last.file = finding.source.map { files[$0, default: files.count] } ?? .max
                if let source = finding.source { files[source] = last.file }
            }
            return (finding.severity.rank, last.file, finding.line ?? 0, finding.column ?? 0)
        }
        return findings.indices.sorted { first, second in
            keys[first] == keys[second] ? first < second : keys[first] < keys[second]
        }
    }

    /// Names column and value only where no excerpt shows them.
    private func line(_ finding: RenderedFinding, hasExcerpt: Bool) -> String {
        let word = style.severity(finding.severity, "\(finding.severity.rawValue):")
        let message = hasExcerpt ? finding.message : finding.sentence
        return "\(style.bold(FindingText.place(of: finding, in: run) + ":")) \(word) "
            + "\(printable(message)) [\(printable(finding.name))]"
    }

    /// `samples/diary.csv:5:9`, as much of it as is known; a row that no file holds is placed at its stage.
    package static func place(of finding: RenderedFinding, in run: RunReport) -> String {
        guard let source = finding.source else {
            return run.mask.masking(finding.jobPlace.map { "\($0)" } ?? finding.stage)
        }
        var place = PrintableText.of(source == "-" ? "standard input" : run.shown(source))
        if let line = finding.line {
            place += ":\(line)"
            if let column = finding.column { place += ":\(column)" }
        }
        if let pointer = finding.pointer, finding.line == nil || finding.column == nil || finding.byte == nil {
            place += "#\(run.printable(pointer))"
        }
        return place
    }

    /// One line for each rule or code of which there were more findings than were printed.
    private func more(than told: [String: Int]) -> [String] {
        var codes: [(code: String, severity: Finding.Severity, count: Int, stages: [String], isRule: Bool)] = []
        for tally in run.outcome.tallies {
            // Findings that the baseline knows are not reported.
            let count = tally.count - tally.known
            if let index = codes.firstIndex(where: { $0.code == tally.name && $0.severity == tally.severity }) {
                codes[index].count += count
                if !codes[index].stages.contains(tally.stage) { codes[index].stages.append(tally.stage) }
            } else {
                codes.append((tally.name, tally.severity, count, [tally.stage], tally.rule != nil))
            }
        }
        return codes.compactMap { code in
            let rest = code.count - told[code.code, default: 0]
            guard rest > 0 else { return nil }
            var line = "… and \(DisplayText.count(rest)) more [\(printable(code.code))]"
            guard code.severity == .error, !code.isRule else { return line }
            let files = run.rejectsFiles(of: code.stages)
            line +=
                files.isEmpty
                ? "; with 'rejects: { path: … }' in the job, all would be in that file"
                : "; all are in \(PrintableText.of(DisplayText.list(files)))"
            return line
        }
    }

    private func printable(_ text: String) -> String { run.mask.masking(text).printable }
}

extension RenderedFinding {
    /// The message with its column and value, unless it names them itself: `n '1': 'n >= 2' does not hold`.
    package var sentence: String {
        let column = field.flatMap { message.contains("'\($0)'") ? nil : $0 }
        let untold = value.flatMap(self.untold)
        guard let column else { return message + (untold.map { " (\($0))" } ?? "") }
        return "\(column)\(untold.map { " \($0)" } ?? ""): \(message)"
    }

    /// The value in quotes, unless the message tells it; a text of JSON has quotes of its own.
    private func untold(_ value: String) -> String? {
        let quoted = Array(value.utf8).withUnsafeBufferPointer(DisplayText.value)
        let isTold =
            message.contains(quoted) || message.contains(" is \(value)") || (value.count > 3 && message.contains(value))
        return isTold
            ? nil : value.count > 1 && value.hasPrefix("\"") && value.count <= DisplayText.longestValue ? value : quoted
    }

    /// `line 4,183, emotion: 'pink' is no colour`, in a list of a few.
    package var inBrief: String {
        let place = line.map { "line \(DisplayText.count($0))" } ?? pointer ?? "somewhere"
        return "\(place), \(sentence.shortened(to: 160))"
    }

    /// The fingerprint, computed here if the run has computed none.
    var ownFingerprint: String { fingerprint.isEmpty ? Fingerprint(self).text : fingerprint }

    /// The rule that reported it, or its code.
    package var name: String { rule ?? code }
}

extension Finding.Severity {
    /// 0 for the worst.
    var rank: Int { self == .error ? 0 : self == .warning ? 1 : 2 }
}

extension RunOutcome.Tally {
    /// The rule that counted it, or its code.
    package var name: String { rule ?? code }
}
