/// What stands behind the colon of `{column:format}`.
///
/// Days and instants take a date pattern, everything else a field format. Which of the two is meant, `d` for a whole number
/// or `d` for the day of the month, is known once the column is.
package struct ValueFormat: Sendable {
    package let text: String
    package let place: SourcePlace
    package let field: FieldFormat?
    package let pattern: DatePattern?
    private let fieldProblem: FieldFormat.Problem?
    private let patternProblem: DatePattern.Problem?

    package init(_ text: String, at place: SourcePlace) throws(DaybookError) {
        self.text = text
        self.place = place
        do {
            field = try FieldFormat(text)
            fieldProblem = nil
        } catch {
            field = nil
            fieldProblem = error
        }
        do {
            pattern = try DatePattern(text)
            patternProblem = nil
        } catch {
            pattern = nil
            patternProblem = error
        }
        guard field == nil, pattern == nil else { return }
        if let fieldProblem, !fieldProblem.isOfForm {
            throw DaybookError("bad-template", fieldProblem.message, at: place, hint: fieldProblem.hint)
        }
        throw DaybookError(
            "bad-template",
            "'\(text)' is neither a format of numbers and text nor a date pattern",
            at: place,
            hint: Self.isMeantForDays(text) ? patternProblem?.hint : fieldProblem?.hint ?? Self.hint
        )
    }

    /// Whether letters of a date stand there twice, as in `YYYY-ww`.
    private static func isMeantForDays(_ text: String) -> Bool {
        zip(text, text.dropFirst()).contains { $0 == $1 && "yYMdDHhmsEw".contains($0) }
    }

    package static let hint =
        ".1f writes one decimal, 8 makes the text eight characters wide, and days take patterns such as yyyy-MM-dd"

    /// Refuses a format that values of `kind` do not take.
    package func check(_ kind: ColumnKind, of column: ColumnName, timezone: String?, hasNames: Bool)
        throws(DaybookError)
    {
        switch kind {
        case .day, .instant: try checkPattern(kind, of: column, timezone, hasNames)
        case .text, .json, .flag, .integer, .decimal:
            guard let field else { throw refusal(fieldProblem?.message ?? "", hint: fieldProblem?.hint) }
            if let problem = field.problem(with: kind) {
                throw refusal("\(problem.message), and column '\(column)' holds \(kind.rawValue)", hint: problem.hint)
            }
        }
    }

    private func checkPattern(
        _ kind: ColumnKind,
        of column: ColumnName,
        _ timezone: String?,
        _ hasNames: Bool
    ) throws(DaybookError) {
        guard let pattern else { throw refusal(patternProblem?.message ?? "", hint: patternProblem?.hint) }
        if kind == .day, pattern.hasTime {
            throw refusal("the pattern '\(text)' writes a time, and column '\(column)' holds days", hint: nil)
        }
        if pattern.needsNames, !hasNames {
            throw refusal(
                "the pattern '\(text)' writes names, and no 'locale' says in which language",
                hint: "add 'locale: ko_KR'"
            )
        }
        if kind == .instant, timezone == nil {
            throw DaybookError(
                "missing-timezone",
                "the job needs a 'timezone' because column '\(column)' holds instants",
                at: place,
                hint: "add a line such as 'timezone: Asia/Seoul' at the top of the job"
            )
        }
    }

    private func refusal(_ message: String, hint: String?) -> DaybookError {
        DaybookError("bad-template", message, at: place, hint: hint)
    }
}
