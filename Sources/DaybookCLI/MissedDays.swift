import DaybookBytes
import DaybookEngine
import DaybookHistory
import DaybookReports

/// The days that a job makes up before its own, where it says `catch_up: daily`: each calendar day since the last that
/// passed, and those before it that failed.
enum MissedDays {
    private static let key = Array("catch_up".utf8)
    /// Of more missed days, the latest are made up.
    private static let most: Int32 = 31

    /// The days to run, the earliest first and the run's own last; nil where nothing is to be made up.
    static func days(of file: String, _ options: JobOptions, _ state: StateOption) -> [CalendarDay]? {
        // A job is read twice only where it may have the key, and never from a pipe.
        guard file != "-", (try? FileStatus.of(file))??.isRegularFile == true, let bytes = try? JobFile.read(file),
            bytes.indices.contains(where: { bytes[$0] == key[0] && bytes[$0...].starts(with: key) })
        else { return nil }
        let reading = JobReading(file, options)
        guard let job = reading.job, job.catchUp == .daily, reading.problems.isEmpty else { return nil }
        let name = Plan.historyName(of: job, jobFile: file)
        // A history that cannot be read is told by the run.
        let reach = CalendarDay(number: job.day.number - most + 1)
        guard let known = try? HistoryKeeper.lastDay(of: name, failedFrom: reach, in: state.directory(of: reading)),
            known.passed < job.day
        else { return nil }
        let (last, first) = (known.passed, max(known.passed.number + 1, reach.number))
        let days = known.failed + (first...job.day.number).map { CalendarDay(number: $0) }
        guard days.count > 1 else { return nil }
        let lost = Int(first - last.number - 1)
        let more = lost > 0 ? "; \(DisplayText.count(lost, "day")) before are too long ago" : ""
        let again = known.failed.isEmpty ? "" : ", of which \(DisplayText.list(known.failed.map(\.description))) failed"
        Terminal.remark(
            "'\(job.name)' passed last for \(last), and makes up \(DisplayText.count(days.count - 1, "day"))\(again)\(more)"
        )
        return days
    }
}
