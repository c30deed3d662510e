import DaybookEngine
import DaybookHistory
import DaybookNotify
import DaybookReports
import Foundation

extension RunSession {
    /// Tells those of the run whom its job names, and keeps in the history what came of it.
    ///
    /// What cannot be sent is a warning: in the report, and on standard error where the report goes elsewhere. The exit code stays.
    func tell(_ notices: [Notice], of report: inout RunReport, run: RunID?, _ history: HistoryKeeper?) {
        guard !notices.isEmpty, manifestSuffix.isEmpty else { return }
        let earlierFailed = report.exitCode == 0 && history?.earlierFailed(than: report, run) == true
        let facts = NoticeFacts(report, events: report.events(earlierFailed: earlierFailed), run: run)
        let sender = NoticeSender(facts, allowsCommands: allowsCommands, isHurried: Interruption.isRequested)
        report.notices = sender.send(notices)
        guard let run, let history else { return }
        let known = history.remarks.count
        history.keep(report.notices, of: run, report.mask)
        for remark in history.remarks.dropFirst(known) { Terminal.warn(remark) }
    }

    /// An error that says the same without secrets.
    func masked(_ error: DaybookError, _ mask: SecretMask) -> DaybookError {
        var error = error
        error.message = mask.masking(error.message)
        return error
    }

    /// Whether the environment lets jobs start programs.
    static var environmentAllowsCommands: Bool {
        getenv("DAYBOOK_ALLOW_COMMANDS").map { String(cString: $0) } == "1"
    }
}
