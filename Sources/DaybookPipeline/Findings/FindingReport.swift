import DaybookCore

/// What the findings of one stage about one batch come to.
struct FindingReport: Sendable {
    /// How often each kind was found, by code and column.
    struct Tally: Sendable {
        var code: String
        var severity: Finding.Severity
        var column: String?
        /// The number of the rule that asked, among those of the stage.
        var rule: Int?
        var count: Int
        /// How the job may read such values, where it may.
        var mend: String?
        /// How many of them the baseline knows.
        var known = 0
    }

    /// One finding in words, and the number of the rule that asked.
    struct Sample: Sendable {
        var rule: Int?
        var finding: RenderedFinding
        /// The values that its message shows behind what is wrong.
        var example: String?
        /// Whether it is why its row or record is rejected.
        var isReject = false
        /// False for one that is only counted, and worded for the baseline alone.
        var isTold = true
        /// Whether it is about all rows together.
        var isJudgement = false
    }

    var tallies: [Tally] = []
    /// The first findings in words, as many as were asked for.
    var samples: [Sample] = []
    /// The rejects as NDJSON, when they are to be written.
    var lines: RejectLines?
    /// The rejects as rows, when a stage reads them.
    var rows: Batch?
    /// How many rows and records are rejected, each once.
    var rejected = 0
    /// The same by the source that the rows were read from; nil for rows that a stage made.
    var rejectedBySource: [Int?: Int] = [:]
    /// How many rows were held against each rule, by its number.
    var looks: [(rule: Int, rows: Int)] = []
    /// What rules about all rows together have to say.
    var judgements: [(rule: Int, message: String)] = []
}
