import DaybookBytes
import DaybookEngine
import DaybookHistory
import DaybookReports
import Foundation

/// What a run waits for before it reads anything: runs of other jobs, and files that are still being delivered.
struct RunWaiting {
    /// How long a file has to be the same before it counts as delivered.
    static let rest: TimeInterval = 10

    /// Tells what is waited for, once.
    var say: (String) -> Void
    var now: () -> Date = Date.init
    /// Waits so many seconds, or shorter.
    var pause: (TimeInterval) -> Void = { seconds in
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(seconds.truncatingRemainder(dividingBy: 1) * 1e9))
        nanosleep(&time, nil)
    }
    var isCancelled: () -> Bool = { Interruption.isRequested }

    // MARK: - Other jobs

    /// How often the history is asked.
    private static let askingInterval: TimeInterval = 5

    /// Returns when each of the jobs has a passed run for a day in the history. Of several job files with one name, any may be
    /// the one that is meant, so that each needs one.
    ///
    /// - Parameter isPatient: whether to wait for them; otherwise throws `waiting-for` at once.
    func awaitRuns(
        of jobs: [String],
        on day: CalendarDay,
        in state: StateDirectory,
        isPatient: Bool
    ) throws(DaybookError) {
        guard !jobs.isEmpty else { return }
        var isTold = false
        while true {
            let known = try HistoryKeeper.jobs(passedOn: day, in: state)
            var (missing, hints): ([String], [String?]) = ([], [])
            for job in jobs {
                let same = known.filter { $0.name == job }
                if same.count < 2, same.first?.hasPassed != true {
                    missing.append("'\(job)'")
                    hints.append(same.isEmpty ? NearestName.hint(for: job, among: known.map(\.name)) : nil)
                }
                for other in same where same.count > 1 && !other.hasPassed {
                    missing.append("'\(job)' in '\(other.path)'")
                    hints.append(
                        "of \(same.count) job files with the name, each needs a run; give those that are not meant another name in 'job', "
                            + "or forget them with 'daybook history prune --keep 0 --job FILE'"
                    )
                }
            }
            if missing.isEmpty { return }
            let names = DisplayText.list(missing)
            guard isPatient else {
                throw .machine(
                    "waiting-for",
                    "the job comes after \(names), of which the history in '\(state.path)' has no run for \(day) that passed",
                    hint: hints.compactMap(\.self).first
                        ?? "run \(missing.count == 1 ? "it" : "them") first, or wait with '--wait'"
                )
            }
            if !isTold { say("waiting for a run of \(names) for \(day) that passes") }
            isTold = true
            if isCancelled() { throw .interrupted }
            pause(RunWaiting.askingInterval)
        }
    }

    // MARK: - Files

    /// How often files are looked at.
    private static let lookingInterval: TimeInterval = 2

    /// How far a delivery is.
    private enum Delivery {
        case complete
        case absent
        case changing(String)
    }

    /// Returns when all files are there and nobody has written to them for some seconds, or throws `not-delivered`.
    ///
    /// - Parameter timezone: the zone of the times; UTC without one.
    func awaitFiles(_ files: [AwaitedFile], from directory: String, in timezone: String?) throws(DaybookError) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timezone.flatMap(TimeZone.init(identifier:)) ?? .gmt
        let start = now()
        var looks: [String: (status: FileStatus, since: Date)] = [:]
        for file in files {
            let (hour, minute) = file.until.minutes.quotientAndRemainder(dividingBy: 60)
            let end = calendar.date(bySettingHour: hour, minute: minute, second: 0, of: start) ?? start
            var isTold = false
            while true {
                let delivery = try delivery(of: file.path.text, from: directory, &looks)
                if case .complete = delivery { break }
                let left = end.timeIntervalSince(now())
                guard left > 0 else { throw .notDelivered(file, RunWaiting.words(delivery, file), timezone) }
                if !isTold { say("waiting for '\(file.path.text)' until \(file.until.written)") }
                isTold = true
                if isCancelled() { throw .interrupted }
                pause(min(RunWaiting.lookingInterval, left))
            }
        }
    }

    private static func words(_ delivery: Delivery, _ file: AwaitedFile) -> String {
        switch delivery {
        case .changing(let path): "'\(path)' was still being written"
        case .complete, .absent: "'\(file.path.text)' was not there"
        }
    }

    private func delivery(
        of pattern: String,
        from directory: String,
        _ looks: inout [String: (status: FileStatus, since: Date)]
    ) throws(DaybookError) -> Delivery {
        let found: [InputPath]
        do throws(DaybookError) {
            found = try PathPattern(pattern, from: directory).expand()
        } catch {
            // A file that is not there yet may come; what hinders looking for it does not go away.
            guard error.code == "input-not-found" else { throw error }
            return .absent
        }
        var isThere = false
        for path in found {
            guard let status = try? FileStatus.of(path.path), status.isRegularFile else { continue }
            isThere = true
            let moment = now()
            let written = Date(timeIntervalSince1970: Double(status.changed[0]) + Double(status.changed[1]) / 1e9)
            // The clock of a file server may be another, so a file that stays the same is at rest as well.
            let age = moment.timeIntervalSince(written)
            if age >= RunWaiting.rest { continue }
            if let look = looks[path.path], look.status == status {
                if moment.timeIntervalSince(look.since) >= RunWaiting.rest { continue }
            } else {
                looks[path.path] = (status, moment)
            }
            return .changing(path.shown)
        }
        return isThere ? .complete : .absent
    }
}

extension DaybookError {
    fileprivate static func notDelivered(_ file: AwaitedFile, _ reason: String, _ timezone: String?) -> DaybookError {
        var error = DaybookError.machine(
            "not-delivered",
            "\(reason) at \(file.until.written) (\(timezone ?? "UTC")), until which the job waits for it",
            hint: "run again when the file is complete"
        )
        error.place = file.path.place
        return error
    }
}
