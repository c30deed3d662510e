/// What the exit code of a command says. There are no other codes.
public enum ExitMeaning: Int32, Sendable, CaseIterable {
    case done, gateFailed, jobIsWrong, machineFailed

    /// In a few words, as help lists it.
    public var meaning: String {
        switch self {
        case .done: "done, perhaps with warnings"
        case .gateFailed: "the data failed its gate"
        case .jobIsWrong: "the job or the command line is wrong"
        case .machineFailed: "reading, writing or the machine failed"
        }
    }

    /// When it is given, and which outputs are there afterwards.
    public var outputs: String {
        switch self {
        case .done: "All outputs are new."
        case .gateFailed:
            """
            All outputs are the old ones; only the files of rejects are new. A column that the job names and the data lack is the \
            data's fault, and every rule that can be judged without it is judged.
            """
        case .jobIsWrong: "All outputs are the old ones. A name that no stage makes is a mistake of the job."
        case .machineFailed:
            """
            Also where the run was stopped, or another run of the job goes on. All outputs are the old ones, unless the last line \
            says otherwise: all are new where only a report, the manifest or the last flush of a directory failed; some are new \
            where the disk failed between two renames.
            """
        }
    }
}

/// How a run ended, in a few words: `passed with warnings`, `failed its gate`.
package struct RunVerdict {
    package let words: String
    package let isGood: Bool

    package init(_ run: RunReport) {
        isGood = run.exitCode == 0
        let warns = run.outcome.tallies.contains { $0.severity == .warning }
        words =
            switch run.exitCode {
            case _ where run.isTrial: "sends a notice to try"
            case 0: warns ? "passed with warnings" : "passed"
            case 1: run.outcome.errors.isEmpty ? "failed its gate" : "could not judge its data"
            case 2: "could not start"
            case _ where run.outcome.errors.contains { $0.code == "already-running" }: "did not start"
            case _ where run.outcome.errors.contains { $0.code == "interrupted" }: "was stopped"
            default: "did not finish"
            }
    }
}
