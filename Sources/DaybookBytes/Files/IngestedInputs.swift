import DaybookContracts

/// The inputs that successful runs of a job have read to the end.
package protocol IngestedInputs: Sendable {
    /// Whether a run has read the service at this state of its data.
    func holds(_ version: InputVersion, of address: String) -> Bool
    /// What a file with its companion files is to the runs.
    ///
    /// - Parameter asLast: whether it must have the content that was read last, as a file that may get an old one again.
    func delivery(_ input: InputPath, with companions: [String], asLast: Bool) throws(DaybookError) -> Delivery
    /// The days of the rows that a file had when it was read last; nil where that is not known.
    func days(of input: InputPath, in column: String) -> Set<CalendarDay>?
    /// The files that paths of an import would find and that are not among `found`, each with its days.
    ///
    /// - Parameter areCopiesOne: whether a file with the bytes of another, that came later, stands for it.
    func gone(
        _ day: FileDay,
        besides found: [InputPath],
        _ patterns: [PathPattern],
        areCopiesOne: Bool
    ) -> [IngestedFile]
}

/// A file of an import in the history, with the content that was read last.
package struct IngestedFile: Sendable {
    /// As the run named it.
    package let path: String
    /// Where it is, or was.
    package let place: String
    /// The days that it belonged to, where that is known.
    package private(set) var days: Set<CalendarDay> = []
    private let rows: DaysOfFile?
    package let bytes: Int
    package let xxh128: String
    /// Whether that run left it out, since it has the bytes of another file.
    package let isCopy: Bool
    /// The run that read it; nil where it is not known any more.
    package let run: String?

    package init(
        path: String,
        place: String,
        bytes: Int,
        xxh128: String,
        run: String?,
        days: DaysOfFile? = nil,
        isCopy: Bool = false
    ) {
        (self.path, self.place, rows, self.isCopy) = (path, place, days, isCopy)
        (self.bytes, self.xxh128, self.run) = (bytes, xxh128, run)
    }

    package func of(_ days: Set<CalendarDay>) -> IngestedFile {
        var file = self
        file.days = days
        return file
    }

    /// The days of its rows in a column, if the run that read it asked for them.
    package func daysOfRows(in column: String) -> Set<CalendarDay>? { rows?.column == column ? rows?.days : nil }

    /// Whether an import with these paths would find it.
    package func isFound(by patterns: [PathPattern]) -> Bool {
        let place = FilePath.canonical(place)
        return patterns.contains { $0.wouldFind(place) }
    }

    package var whenTaken: String { run.map { "when run \($0) read it" } ?? "when it was read" }
    package var whichTook: String { run.map { "which run \($0) read" } ?? "which was read before" }
}

/// What a file is to the earlier runs of its job.
package enum Delivery: Sendable {
    case new
    /// It was read as it is.
    case taken
    /// A file of this name was read, with other bytes.
    case otherBytes(IngestedFile)
    /// These bytes were read, under other names, the last one last.
    case sameBytes([IngestedFile])
}
