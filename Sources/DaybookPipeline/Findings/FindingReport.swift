import DaybookCore

/// What the findings of one stage about one batch come to.
struct FindingReport: Sendable {
    /// How often each kind was found, by code and column.
    struct Tally: Sendable {
        var code: String
        var severity: Finding.Severity
        var column: String?
        var count: Int
    }

    var tallies: [Tally] = []
    /// The first findings in words, as many as were asked for.
    var samples: [RenderedFinding] = []
    /// The rejects as NDJSON, when they are to be written.
    var lines: RejectLines?
    /// The rejects as rows, when a stage reads them.
    var rows: Batch?
    /// How many rows and records are rejected, each once.
    var rejected = 0
}
