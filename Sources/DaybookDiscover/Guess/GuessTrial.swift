import DaybookEngine
import DaybookReports

/// What a trial of the guessed job found: how many rows do not fit, and which.
package struct GuessTrial {
    private var rejected = 0
    private var read = 0
    private var isPartial = false
    private var findings: [RenderedFinding] = []
    /// Whether findings name their file, because there are several.
    var namesFiles = false

    /// How many findings the job shows.
    private static let shown = 5

    package mutating func add(_ result: InferenceRun.Result) {
        for line in result.outcome.ledger { rejected += line.rejected }
        read += result.outcome.ledger.first?.rowsIn ?? 0
        isPartial = isPartial || result.isPartial
        findings += FindingText.sorted(result.outcome.findings.filter { $0.severity == .error })
    }

    /// How many rows may be rejected so that the job runs today.
    package var allow: String {
        guard isPartial, rejected > 0, read > 0 else { return String(rejected) }
        // As many again, since the rest was not seen; never all.
        return "\(min(99, rejected * 200 / read + 1))%"
    }

    var allowReason: String {
        if isPartial, rejected == 0 { return "not all rows were looked at; one that does not fit fails the run" }
        if isPartial { return "not all rows were looked at, so this is a guess; lower it once you know" }
        return rejected == 0
            ? "one row that does not fit fails the run" : "those that do not fit today; one more fails the run"
    }

    /// What the person should know of the rows that do not fit.
    var remarks: [String] {
        guard rejected > 0 else { return [] }
        var remarks = [
            "\(Spoken.count(rejected)) of \(Spoken.count(read, "row")) \(rejected == 1 ? "does" : "do") not fit:"
        ]
        for finding in findings.prefix(GuessTrial.shown) {
            let file = namesFiles ? finding.source.map { "\($0) " } ?? "" : ""
            remarks.append("- \(file)\(finding.inBrief)")
        }
        if rejected > GuessTrial.shown { remarks.append("- and \(Spoken.count(rejected - GuessTrial.shown)) more") }
        return remarks
    }

    /// What comes before everything else: that the job leaves more than a handful of rows out.
    var warning: String? {
        guard rejected > GuessTrial.shown else { return nil }
        let rows = "\(Spoken.count(rejected)) of \(Spoken.count(read, "row"))"
        return "this job leaves out \(rows); 'rejects' in it says which and why"
    }

    package var rejectedRows: Int { rejected }
    var readRows: Int { read }
}
