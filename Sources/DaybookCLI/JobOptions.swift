import ArgumentParser
import DaybookEngine

/// What every command that reads a job takes.
struct JobOptions: ParsableArguments {
    @Option(
        name: .customLong("as-of"),
        help: ArgumentHelp("The day that the job calls as_of: a date, today or yesterday.", valueName: "date")
    )
    var asOf: String?

    @Option(
        name: .customLong("set"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Give a param of the job a value, of which a path starts from the job file; may be repeated.",
            valueName: "name=value"
        )
    )
    var settings: [String] = []

    /// The `--set`s as params.
    func params() throws(DaybookError) -> [ParamSetting] {
        var params: [ParamSetting] = []
        for setting in settings { params.append(try ParamSetting(setting)) }
        return params
    }

    /// The day of `--as-of`; nil when the job is to decide.
    func day() throws(DaybookError) -> Job.AsOf? {
        guard let asOf else { return nil }
        guard let day = Job.AsOf(asOf) else {
            if CalendarDay.isShapedLikeDay(asOf) {
                throw DaybookError(
                    "bad-as-of",
                    "'\(asOf)' is not a day of the calendar",
                    hint: "give '--as-of' a date such as 2026-11-21"
                )
            }
            throw DaybookError(
                "bad-as-of",
                "expected 'today', 'yesterday' or a date such as 2026-11-21 after '--as-of', found '\(asOf)'",
                hint: "write the year, month and day as 2026-11-21"
            )
        }
        return day
    }
}
