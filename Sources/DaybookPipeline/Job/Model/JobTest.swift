import DaybookCore

/// One entry under `tests`: rows given to some stages, and what is expected of others.
///
/// Nothing in it is filled in: `${…}` in the rows of a test is text.
public struct JobTest: Sendable {
    /// What stands under the name of a stage in `given` or `expect`.
    public struct Rows: Sendable {
        /// The stage whose rows they are, or with `.rejects` what it rejected; placed where it is named.
        public var stage: StageReference
        /// The rows as they are written.
        public var node: OptionNode
    }

    public var name: String
    /// Where the name stands.
    public var place: SourcePlace
    /// The day that the test takes for `as_of`; nil where it leaves that to the job.
    public var asOf: CalendarDay?
    /// Params that the test sets.
    public var settings: [ParamSetting] = []
    public var given: [Rows] = []
    public var expected: [Rows] = []
    /// The rows under `findings`, if there are any.
    public var findings: OptionNode?
    /// The rows under `rules`, one for each rule that is expected to end in some way.
    public var rules: OptionNode?
    /// Whether the gates hold, where the test says so.
    public var gate: (passes: Bool, place: SourcePlace)?

    /// The day of a test whose job says `today`: always the same one, so that no test fails tomorrow.
    public static let defaultDay = CalendarDay(year: 2000, month: 1, day: 1) ?? CalendarDay(number: 0)
}

extension StageReference {
    /// The reference as a job writes it: `clean`, `clean.rejects`.
    var written: String { port == .rows ? id : "\(id).rejects" }
}
