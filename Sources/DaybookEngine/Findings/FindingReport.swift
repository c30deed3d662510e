import DaybookCore

/// What the findings of one stage about one batch come to.
package struct FindingReport: Sendable {
    /// How often each kind was found, by code and column.
    package struct Tally: Sendable {
        package var code: String
        package var severity: Finding.Severity
        package var column: String?
        /// The number of the rule that asked, among those of the stage.
        package var rule: Int?
        package var count: Int
        /// How the job may read such values, where it may.
        package var mend: String?
        /// How many of them the baseline knows.
        package var known = 0
    }

    /// One finding in words, and the number of the rule that asked.
    package struct Sample: Sendable {
        package var rule: Int?
        package var finding: RenderedFinding
        /// The values that its message shows behind what is wrong.
        package var example: String?
        /// Whether it is why its row or record is rejected.
        var isReject = false
        /// False for one that is only counted, and worded for the baseline alone.
        var isTold = true
        /// Whether it is about all rows together.
        var isJudgement = false
    }

    package var tallies: [Tally] = []
    /// The first findings in words, as many as were asked for.
    package var samples: [Sample] = []
    /// The rejects as NDJSON, when they are to be written.
    package var lines: RejectLines?
    /// The rejects as rows, when a stage reads them.
    package var rows: Batch?
    /// How many rows and records are rejected, each once.
    package var rejected = 0
    /// The same by the source that the rows were read from; nil for rows that a stage made.
    var rejectedBySource: [Int?: Int] = [:]
    /// How many rows were held against each rule, by its number.
    package var looks: [(rule: Int, rows: Int)] = []
    /// What rules about all rows together have to say.
    var judgements: [(rule: Int, message: String)] = []
}
