import DaybookEngine
import DaybookReports

extension RunRecord {
    /// How the run ended, as a strip shows it.
    package var ending: RunStrip.Ending {
        switch exitCode {
        case 0: rules.contains { $0.verdict == Verdict.warned.rawValue } ? .warned : .passed
        case 1: .failed
        default: .broken
        }
    }

    /// `2026-11-21: done, 4,183 rows read, 3 rejected`.
    var told: String {
        let counts =
            exitCode > 1
            ? ""
            : ", \(Spoken.count(rowsRead, "row")) read, \(rejected == 0 ? "none" : Spoken.count(rejected)) rejected"
        return "\(asOf ?? Instant.text(started)): \(HistoryPages.ending(exitCode))\(counts)"
    }
}

extension RuleStrips {
    /// How a rule ended, as a strip shows it.
    static func ending(_ verdict: String) -> RunStrip.Ending {
        switch Verdict(rawValue: verdict) {
        case .passed: .passed
        case .warned: .warned
        case .failed: .failed
        case .unjudged, nil: .broken
        }
    }
}
