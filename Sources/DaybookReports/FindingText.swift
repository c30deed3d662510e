/// Findings for people: place, message and code, with the line of the source under it where it can be had.
package struct FindingText {
    /// How many findings of one rule, or of one code that no rule asked for, are printed; the rest is only counted.
    package static let limit = 20

    package let run: RunReport
    package let style: TerminalStyle

    package init(run: RunReport, style: TerminalStyle) {
        self.run = run
        self.style = style
    }

    package func lines() -> [String] {
        var shown: [String: Int] = [:]
        var excerpts = SourceExcerpts(directory: run.directory, mask: run.mask)
        var lines: [String] = []
        let findings = run.outcome.findings
        for index in FindingText.order(of: findings) where shown[findings[index].name, default: 0] < FindingText.limit {
            let finding = findings[index]
            shown[finding.name, default: 0] += 1
            lines.append(line(finding))
            if let excerpt = excerpts.excerpt(of: finding) { lines += excerptLines(finding, excerpt) }
        }
        return lines + more(than: shown)
    }

    /// By file, in the order in which the run read them, then by place; findings of one place keep their order.
    package static func sorted(_ findings: [RenderedFinding]) -> [RenderedFinding] {
        order(of: findings).map { findings[$0] }
    }

    /// The places of findings in that order.
    private static func order(of findings: [RenderedFinding]) -> [Int] {
        var files: [String: Int] = [:]
        var last: (source: String?, file: Int) = (nil, .max)
        let keys = findings.map { finding in
            if finding.source != last.source {
                last.source = finding.source
                last.file = finding.source.map { files[$0, default: files.count] } ?? .max
                if let source = finding.source { files[source] = last.file }
            }
            return (last.file, finding.line ?? 0, finding.column ?? 0)
        }
        return findings.indices.sorted { first, second in
            keys[first] == keys[second] ? first < second : keys[first] < keys[second]
        }
    }

    private func line(_ finding: RenderedFinding) -> String {
        let word = style.severity(finding.severity, "\(finding.severity.rawValue):")
        return "\(style.bold(FindingText.place(of: finding, in: run) + ":")) \(word) "
            + "\(printable(finding.message)) [\(printable(finding.name))]"
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
            place += "#\(PrintableText.of(run.mask.masking(pointer)))"
        }
        return place
    }

    private func excerptLines(_ finding: RenderedFinding, _ excerpt: Excerpt) -> [String] {
        let number = finding.line.map(String.init) ?? ""
        let gutter = String(repeating: " ", count: max(0, 5 - number.utf8.count)) + number
        let blank = String(repeating: " ", count: gutter.utf8.count)
        let carets = style.severity(finding.severity, excerpt.carets)
        let text = run.mask.masking(excerpt.line)
        // Where a secret was taken out of the line, a caret would point at nothing.
        guard text == excerpt.line else { return ["\(style.gutter("\(gutter) |")) \(text)"] }
        return ["\(style.gutter("\(gutter) |")) \(text)", "\(style.gutter("\(blank) |")) \(excerpt.indent)\(carets)"]
    }

    /// One line for each rule or code of which there were more findings than were printed.
    private func more(than shown: [String: Int]) -> [String] {
        var codes: [(code: String, severity: Finding.Severity, count: Int, stages: [String], isRule: Bool)] = []
        for tally in run.outcome.tallies {
            // What a baseline knows is told by nobody.
            let count = tally.count - tally.known
            if let index = codes.firstIndex(where: { $0.code == tally.name && $0.severity == tally.severity }) {
                codes[index].count += count
                if !codes[index].stages.contains(tally.stage) { codes[index].stages.append(tally.stage) }
            } else {
                codes.append((tally.name, tally.severity, count, [tally.stage], tally.rule != nil))
            }
        }
        return codes.compactMap { code in
            let rest = code.count - shown[code.code, default: 0]
            guard rest > 0 else { return nil }
            var line = "… and \(Spoken.count(rest)) more [\(printable(code.code))]"
            guard code.severity == .error, !code.isRule else { return line }
            let files = run.rejectsFiles(of: code.stages)
            line +=
                files.isEmpty
                ? "; with 'rejects: { path: … }' in the job, all would be in that file"
                : "; all are in \(PrintableText.of(Spoken.list(files)))"
            return line
        }
    }

    private func printable(_ text: String) -> String { run.mask.masking(text).printable }
}

extension RenderedFinding {
    /// `line 4,183, emotion: 'pink' is no colour`, in a list of a few.
    package var inBrief: String {
        let place = line.map { "line \(Spoken.count($0))" } ?? pointer ?? "somewhere"
        return "\(place),\(field.map { " \($0):" } ?? "") \(message.shortened(to: 160))"
    }

    /// Its fingerprint, made now where the run made none.
    var ownFingerprint: String { fingerprint.isEmpty ? Fingerprint(self).text : fingerprint }

    /// What a report calls its kind: the rule that asked, and else the code.
    package var name: String { rule ?? code }
}

extension RunOutcome.Tally {
    /// What a report calls its kind: the rule that asked, and else the code.
    package var name: String { rule ?? code }
}
