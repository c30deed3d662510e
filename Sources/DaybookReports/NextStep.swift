import DaybookBytes
import DaybookEngine

/// The last line of a report: what was written, or what to do now.
struct NextStep {
    let run: RunReport
    let style: TerminalStyle
    /// Where the reader has the findings and errors: above a last line, below a first one.
    var side = "above"

    var line: String {
        let word = run.exitCode == 0 ? style.success("done:") : style.bold("next:")
        return "\(word) \(PrintableText.of(text))"
    }

    private var text: String {
        if run.isTrial { return "there was no run; notices of the job will arrive as this one did" }
        let outcome = run.outcome
        if let error = outcome.errors.first {
            return advice(error, count: outcome.errors.count) + (outcome.isPartial ? alsoFailed : "")
        }
        let failed = outcome.gates.filter { !$0.passed }
        let broken = outcome.rules.filter { $0.verdict == .failed }
        if !failed.isEmpty {
            let also = broken.isEmpty ? "" : "; \(DisplayText.count(broken.count, "rule")) failed besides"
            return advice(failed) + also
        }
        if !broken.isEmpty { return advice(broken) }
        if !run.afterthoughts.isEmpty {
            let place = outcome.outputs.isEmpty && outcome.services.isEmpty ? "" : "the outputs are in place: "
            return "\(place)\(success); mend the error \(side), and run again to have what is missing"
        }
        return success
    }

    private var success: String {
        var text = run.foretold ?? wrote
        if run.rowsRejected > 0 {
            let files = run.rejectsFiles(of: run.outcome.ledger.filter { $0.rejected > 0 }.map(\.id))
            text += "; \(DisplayText.count(run.rowsRejected, "row was", "rows were")) rejected, see "
            text += files.isEmpty ? side : DisplayText.list(files)
        }
        return text + warnings
    }

    /// `; 3 warnings stand above`, or how many of all warnings stand there.
    private var warnings: String {
        var counts: [String: Int] = [:]
        for tally in run.outcome.tallies where tally.severity == .warning {
            counts[tally.name, default: 0] += tally.count - tally.known
        }
        let count = counts.values.reduce(0, +)
        guard count > 0 else { return "" }
        // A page shows more of them, and says so.
        let told = FindingText(run: run, style: style).told(.warning)
        let shown = counts.reduce(0) { $0 + min($1.value, told[$1.key] ?? 0) }
        guard shown < count, side == "above" else {
            return "; \(DisplayText.count(count, "warning stands", "warnings stand")) \(side)"
        }
        return
            "; there \(count == 1 ? "is" : "are") \(DisplayText.count(count, "warning")), of which \(DisplayText.count(shown, "stands", "stand")) \(side)"
    }

    /// The files that were written; the parts of one output are counted.
    private var written: [String] {
        let outputs = run.outcome.outputs.filter { $0.path != "-" }
        let parts = outputs.reduce(into: [:]) { parts, one in parts[one.whole ?? "", default: 0] += 1 }
        var told: Set<String> = []
        return outputs.compactMap { one in
            guard let whole = one.whole else { return run.shown(one.path) }
            guard told.insert(whole).inserted else { return nil }
            return "\(run.shown(whole)) in \(DisplayText.count(parts[whole, default: 0], "part"))"
        }
    }

    /// `wrote out/a and out/b, in 0.04 s`.
    private var wrote: String {
        let time = DisplayText.duration(run.nanoseconds)
        let isSpoken = run.outcome.outputs.contains { $0.path == "-" }
        var written = written
        if written.count > 4 {
            written = ["\(written.count) files, from \(written[0]) to \(written[written.count - 1])"]
        }
        written += run.outcome.services.map {
            "\(DisplayText.count($0.rows, "row")) to '\(run.printable($0.address))'"
        }
        if written.isEmpty {
            if isSpoken { return "wrote to standard output, in \(time)" }
            let isQuiet = run.targets?.isEmpty == false
            return "checked, in \(time); \(isQuiet ? "there was nothing new to write" : "the job writes nothing")"
        }
        return "wrote \(DisplayText.list(written))\(isSpoken ? ", and to standard output" : ""), in \(time)"
    }

    /// The hint of each error stands right above, so this says the rest: what became of the outputs.
    private func advice(_ error: DaybookError, count: Int) -> String {
        // These tell what was written, and that it was not nothing.
        if error.code == "unfinished-commit" || error.code == "damaged-journal", let hint = error.hint {
            return run.mask.masking(hint)
        }
        if count > 1 { return "mend the \(DisplayText.count(count)) errors \(side), then run again" + untouched }
        if error.code == "already-running" { return "run it again when that run is over; this one wrote nothing" }
        if error.code == "interrupted" { return "run it again when you like" + untouched }
        if error.code == "unbalanced-book" { return "report this fault of the stage to who wrote it" + untouched }
        // Where the job asks for what the data or the machine lack is not where that is mended.
        let place = error.blame != .job && error.place?.file == run.jobFile ? nil : error.place
        let position = place.map { "at \(run.mask.masking("\($0)"))" } ?? side
        return "mend the error \(position), then run again" + untouched
    }

    /// What failed beside what the data lack.
    private var alsoFailed: String {
        let outcome = run.outcome
        let parts = [
            (outcome.gates.count { !$0.passed }, "gate"), (outcome.rules.count { $0.verdict == .failed }, "rule"),
        ].filter { $0.0 > 0 }
        return parts.isEmpty ? "" : "; \(DisplayText.list(parts.map { DisplayText.count($0.0, $0.1) })) failed besides"
    }

    /// What became of the outputs of a run that did not come to its end.
    private var untouched: String {
        switch run.outcome.outputState {
        case .new where !run.outcome.isPartial && run.outcome.passesGates: return "; the outputs are all new"
        case .mixed(let new, let all):
            return
                "; \(new) of the \(all) outputs \(new == 1 ? "is" : "are") new, and the next command puts the rest in place"
        case .undecided(let address):
            return
                "; the files are as they were, and become new once '\(run.mask.masking(address))' is known to have committed"
        case .new, .old: break
        }
        guard run.outcome.fedStreams.isEmpty else {
            let streams = DisplayText.list(run.outcome.fedStreams.map(run.mask.masking))
            return "; rows went to \(streams), no file was written, the old outputs are as they were"
        }
        // What was rejected until then is told, as where a gate failed.
        if run.outcome.isPartial { return afterwards }
        let files = (run.targets ?? [""]).filter { $0 != "-" } + run.rejectsFiles(of: run.outcome.ledger.map(\.id))
        return "; nothing was written" + (files.isEmpty ? "" : ", the old outputs are as they were")
    }

    private func advice(_ gates: [RunOutcome.Gate]) -> String {
        let own = Set(run.outcome.gates.compactMap(\.stage))
        let stages = gates.flatMap { gate in
            gate.stage.map { [$0] } ?? run.outcome.ledger.filter { $0.rejected > 0 && !own.contains($0.id) }.map(\.id)
        }
        let files = run.rejectsFiles(of: stages)
        let places = files.isEmpty ? "the places \(side)" : DisplayText.list(files)
        var text =
            files.isEmpty ? "mend the rows at the places \(side)" : "look at \(places), mend the rows where they stand"
        if let cause = LikelyCause.all(in: run).first(where: { stages.contains($0.stage) }) {
            let place = run.place(of: cause.stage).map { " at \($0)" } ?? ""
            text = "look at the options of '\(run.mask.masking(cause.stage))'\(place), then at \(places)"
        } else if let allowing = allowing(gates) {
            text += ", or \(allowing)"
        }
        return text + afterwards
    }

    /// What became of the outputs of a run that did not pass its gates.
    private var afterwards: String {
        switch run.targets {
        case let targets? where targets.isEmpty: ""
        case let targets? where targets.allSatisfy({ $0 == "-" }): "; nothing went to standard output"
        default: "; the old outputs are as they were"
        }
    }

    /// What to do about rules that failed. What keeps the data comes first, and rows are let pass only where they are few.
    private func advice(_ rules: [RuleOutcome]) -> String {
        let (ofTables, ofRows) = (rules.filter { $0.judgement != nil }, rules.filter { $0.judgement == nil })
        var steps: [String] = []
        if !ofRows.isEmpty {
            steps.append("mend the rows at the places \(side)")
            if ofRows.allSatisfy({ LikelyCause.areFew($0.failing - $0.known, of: $0.rows) }) {
                steps[0] += ", or give \(displayText(ofRows)) limits, such as 'fail: \"> 1%\"' or 'warn: \"> 0\"'"
            } else {
                steps[0] += ", or change \(displayText(ofRows)) where the rows are right"
            }
        }
        if !ofTables.isEmpty {
            steps.append(
                "find out why the table is not as \(displayText(ofTables)) \(ofTables.count == 1 ? "asks" : "ask")"
            )
        }
        return steps.joined(separator: "; ") + afterwards
    }

    private func displayText(_ rules: [RuleOutcome]) -> String {
        rules.count == 1 ? "'\(run.mask.masking(rules[0].rule.id))'" : "the \(rules.count) rules that failed"
    }

    /// How to let the rows be rejected and the others pass; nil where they are too many for that to be a good idea.
    private func allowing(_ gates: [RunOutcome.Gate]) -> String? {
        var ways: [String] = []
        for gate in gates {
            guard !gate.rejectsAll, let enough = NextStep.enough(for: gate) else { return nil }
            if let place = run.policyPlace(of: gate.stage) {
                ways.append("raise 'allow' to \(enough) at \(run.mask.masking("\(place)"))")
            } else {
                let job = run.jobFile == "-" ? "the job" : run.mask.masking(run.jobFile)
                ways.append("allow some with 'rejects: { allow: \(enough) }' in \(job)")
            }
        }
        return DisplayText.list(ways)
    }

    /// The smallest round share that the gate would have passed with; nil for more than few rows.
    static func enough(for gate: RunOutcome.Gate) -> String? {
        guard LikelyCause.areFew(gate.rejected, of: gate.total) else { return nil }
        if case .count(let count) = gate.allowed, count > 0 { return String(gate.rejected) }
        let share = [1, 2, 5].first { Allowance.share(parts: $0, of: 100).permits(gate.rejected, of: gate.total) }
        return share.map { "\($0)%" }
    }
}

/// A stage that rejected many of its rows for one reason, so that the job is likelier wrong than the rows.
struct LikelyCause {
    var stage: String
    /// What probably is the matter.
    var hint: String

    /// Fewer rows than these say nothing about a job.
    private static let fewest = 3

    /// At most one for each stage, in the order of the job.
    static func all(in run: RunReport) -> [LikelyCause] {
        run.outcome.ledger.compactMap { line in
            let tallies = run.outcome.tallies.filter { $0.stage == line.id && $0.severity == .error }
            var counts: [String: Int] = [:]
            for tally in tallies { counts[tally.code, default: 0] += tally.count }
            // Of two that are as many, the first in the alphabet, so that every run says the same.
            let most = counts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }.first
            guard let most, line.rowsIn > 0 else { return nil }
            let mend = tallies.first { $0.code == most.key }?.mend
            return cause(line, most.key, most.value, mend, run).map { LikelyCause(stage: line.id, hint: $0) }
        }
    }

    static func cause(_ line: LedgerLine, _ code: String, _ count: Int, _ mend: String?, _ run: RunReport) -> String? {
        if run.isSource(line.id), count > line.rowsIn / 2 {
            if code == "invalid-encoding" {
                let encodings = encodings(of: line.id, run)
                let others = encodings.dropFirst().joined(separator: " or ")
                let hint = encodings.first.map { ": likely \($0)" + (others.isEmpty ? "" : ", else \(others)") }
                return
                    "most rows of '\(line.id)' are not text in the encoding of the file; set 'encoding'\(hint ?? ", such as cp949")"
            }
            if code == "stray-quote", let file = fileThatLooksLikeJSON(line.id, run) {
                return "\(run.shown(file)) looks like JSON; use import_json"
            }
        }
        // Where a gate passed, a stage may be there to reject.
        guard run.outcome.gates.contains(where: { !$0.passed }), count >= fewest else { return nil }
        if line.rowsIn - count <= line.rowsIn / 10 {
            let rows = count == line.rowsIn ? "all rows" : "nearly all rows"
            let cause =
                "\(rows) fail in '\(line.id)' with [\(code)], so the cause is the job, or the file as a whole, rather than single rows"
            return cause + (mend.map { ": \($0)" } ?? "")
        }
        guard let mend, !areFew(count, of: line.rowsIn) else { return nil }
        return "\(DisplayText.count(count, "row")) fail in '\(line.id)' with [\(code)]: \(mend)"
    }

    /// Whether so many rows may be left out for now: at most one in twenty.
    static func areFew(_ count: Int, of rows: Int) -> Bool { count <= rows / 20 }

    /// The encodings in which the first of the files is likely written whose bytes are no text in that of the job.
    private static func encodings(of stage: String, _ run: RunReport) -> [String] {
        let findings = run.outcome.findings.filter { $0.stage == stage && $0.code == "invalid-encoding" }
        guard let source = findings.lazy.compactMap(\.source).first(where: { $0 != "-" }),
            let file = Descriptor.plainFile(at: FilePath.join(run.directory, source))
        else { return [] }
        let (head, most) = (file.bytes(count: 64 << 10), 64 << 10)
        var search = EncodingSearch()
        search.add(Bytes(head))
        switch search.evidence(isWhole: head.count < most) {
        case .zeros(let encoding), .mark(let encoding): return [encoding.name]
        case .weighed(let candidates): return candidates.prefix(3).map(\.encoding.name)
        case .ascii, .utf8, .none: return []
        }
    }

    /// The first of the files with a stray quote that begins with a bracket or a brace.
    private static func fileThatLooksLikeJSON(_ stage: String, _ run: RunReport) -> String? {
        let findings = run.outcome.findings.filter { $0.stage == stage && $0.code == "stray-quote" }
        var seen: Set<String> = []
        for case let source? in findings.map(\.source) where source != "-" && seen.insert(source).inserted {
            guard let file = Descriptor.plainFile(at: FilePath.join(run.directory, source)) else { continue }
            var text = file.bytes(count: 256)
            if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
            let first = text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") { return source }
        }
        return nil
    }
}
