/// What every job may use beside its params: `${as_of}`, `${as_of:yyyy/MM/dd}` and `${job}`.
///
/// A param of one of these names comes first. The keys `job`, `timezone` and `as_of` themselves cannot use them.
struct BuiltInValues {
    var day: CalendarDay
    var job: String

    static let names = ["as_of", "job"]

    /// Nil for what is no such value.
    func value(of reference: String) -> Result<String, DaybookError>? {
        if reference == "job" { return .success(job) }
        if reference == "as_of" { return .success(day.description) }
        guard reference.hasPrefix("as_of:") else { return nil }
        return Result { () throws(DaybookError) in try text(by: String(reference.dropFirst(6))) }
    }

    private func text(by format: String) throws(DaybookError) -> String {
        let pattern: DatePattern
        do { pattern = try DatePattern(format) } catch {
            throw DaybookError("bad-reference", error.message, hint: error.hint)
        }
        guard !pattern.hasTime, !pattern.needsNames else {
            throw DaybookError(
                "bad-reference",
                pattern.hasTime
                    ? "the pattern '\(format)' writes a time, and 'as_of' is a day"
                    : "the pattern '\(format)' writes names, whose language nobody names here",
                hint: "write numbers of a day, as in ${as_of:yyyy/MM/dd}"
            )
        }
        let written = DateTextWriter(DateWriter(pattern, names: nil), zone: .utc).text(of: .days(Values([day.number])))
        guard case .text(let column) = written, let text = column[0] else {
            preconditionFailure("a day is written as a text")
        }
        return text
    }
}
