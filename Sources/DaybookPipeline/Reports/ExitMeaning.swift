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
