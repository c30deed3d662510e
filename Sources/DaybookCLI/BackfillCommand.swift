import ArgumentParser
import DaybookBytes
import DaybookEngine
import DaybookReports
import Foundation

/// `daybook backfill JOB FROM TO`.
struct BackfillCommand: Subcommand {
    static let outline = CommandOutline("backfill", "Make days anew, each in a run of its own.") { name in
        """
        Each day is made as by 'run --redo': from the files that imports with 'day' have
        of it, as they are now, and with that day for as_of. A day that fails does not
        keep the others from being made; the summary names it, and the exit code is the
        highest. A backfill that was stopped goes on where it was, if it is started
        again with the same job, days and params. A day of which there is no file passes.

        Examples:
          \(name) backfill orders.yaml 2026-10-01 2026-10-31
          \(name) backfill orders.yaml 2026-10-01 2026-10-31 --from-last
        """
    }

    @Argument(help: "The job file.", completion: .job)
    var job: String

    @Argument(help: "The first day, such as 2026-10-01.")
    var from: String

    @Argument(help: "The last day.")
    var to: String

    @Flag(help: "Begin with the last day, and go back.")
    var fromLast = false

    @OptionGroup var options: JobOptions
    @OptionGroup var limit: FindingLimit
    @OptionGroup var work: WorkOptions
    @OptionGroup var state: StateOption
    @OptionGroup var digest: DigestOption
    @OptionGroup var sessionOptions: SessionOptions

    /// More days in one backfill are a slip of the fingers.
    private static let most: Int32 = 3_700

    mutating func validate() throws {
        let (first, last) = (try DaySpan.day(from, "from"), try DaySpan.day(to, "to"))
        guard first <= last else {
            throw ValidationError("name the first and the last day, as in '2026-10-01 2026-10-31'")
        }
        guard last.number - first.number < Self.most else {
            throw ValidationError("from \(first) to \(last) are more than \(Self.most) days")
        }
        if options.asOf != nil { throw ValidationError("'backfill' gives each run its day, without '--as-of'") }
        if sessionOptions.manifest != nil { throw ValidationError("'--manifest' is a file of one run") }
        if job == "-" {
            throw ValidationError("'backfill' reads the job once for each day, and not from standard input")
        }
    }

    mutating func run() throws {
        Interruption.listen()
        var days = try (DaySpan.day(from, "from").number...DaySpan.day(to, "to").number).map { CalendarDay(number: $0) }
        if fromLast { days.reverse() }
        let marker = BackfillMarker(
            of: [SHA256Digest.of((try? Data(contentsOf: URL(fileURLWithPath: job))).map { [UInt8]($0) } ?? [])]
                + [job, "\(days[0])", "\(days[days.count - 1])"] + options.settings,
            in: state.directory(of: JobReading(job, options))
        )
        let done = marker.done
        let left = days.filter { !done.contains("\($0)") }
        if left.count < days.count {
            Terminal.remark(
                "\(DisplayText.count(days.count - left.count, "day")) of \(days.count) were made before this backfill was stopped"
            )
        }
        var sessions: [(name: String, session: RunSession)] = []
        for (index, day) in left.enumerated() {
            options.asOf = day.description
            var session = try sessionOptions.session(
                of: job,
                options,
                work,
                state,
                digest,
                maxFindings: limit.maxFindings
            )
            (session.redo, session.mayRedoNothing) = (RedoneDays(day...day), true)
            session.quiet = session.quiet ?? .failures
            session.progressPrefix = "\(day), \(index + 1 + days.count - left.count) of \(days.count): "
            sessions.append((day.description, session))
        }
        guard let first = sessions.first?.session else { return marker.remove() }
        let quiet = work.quiet
        var series = RunSeries(sessions: sessions, unit: "day", reports: first.reports, keepsGoing: true, quiet: quiet)
        // A day that failed is tried once more, and its exit code is not forgotten.
        series.ended = { day, run in if run.exitCode == 0 { marker.note(day) } }
        let code = series.run()
        if !Interruption.isRequested { marker.remove() }
        throw ExitCode(code)
    }
}

/// The days that a backfill has made, in a file of the state directory, so that one that was stopped can go on.
private struct BackfillMarker {
    private let path: String

    /// - Parameter parts: what makes two backfills the same.
    init(of parts: [String], in state: StateDirectory) {
        let name = SHA256Digest.of(parts.joined(separator: "\u{0}"))
        path = FilePath.join(FilePath.join(state.path, "backfills"), String(name.prefix(32)))
    }

    var done: Set<String> {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        // A line that was torn by a kill is no day, and its run is done once more.
        return Set(text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init))
    }

    /// Without the marker the backfill would begin anew, which does no harm, so a failure stops nothing.
    func note(_ day: String) {
        try? OutputTarget.makeDirectories(above: path)
        try? Descriptor(opening: path, O_WRONLY | O_CREAT | O_APPEND).writeAll(Bytes("\(day)\n"))
    }

    func remove() { unlink(path.systemPath) }
}
