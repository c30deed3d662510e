import DaybookBytes

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
        let bytes = Bytes(capacity: head.count)
        bytes.append(Array(head))
        var search = EncodingSearch()
        search.add(bytes)
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
