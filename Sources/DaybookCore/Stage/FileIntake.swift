/// Which files of those that its paths stand for an import reads.
public struct FileIntake: Sendable, Hashable {
    /// Whether a path may stand for no file.
    public var isOptional = false
    /// Whether files are left out that an earlier run has taken.
    public var isNewOnly = false

    public init() {}
}

extension OptionReader {
    /// Reads which files an import takes; every importer has these options. Call it behind the others.
    ///
    /// - Parameter declaresColumns: whether the options name the columns that there are without a file.
    public mutating func readIntake(declaresColumns: Bool) -> FileIntake {
        var intake = FileIntake()
        intake.isOptional = read(
            "optional",
            default: false,
            help: "Whether there need not be a file; the columns are then those that the options declare."
        )
        intake.isNewOnly = read(
            "new_only",
            default: false,
            help: "Whether files are left out that an earlier run of the job, one that passed, has read as they are."
        )
        if intake.isOptional, !declaresColumns {
            refuse(
                "optional",
                "without a file nothing would tell the columns",
                hint: "declare them under 'columns', each with its kind"
            )
        }
        return intake
    }
}
