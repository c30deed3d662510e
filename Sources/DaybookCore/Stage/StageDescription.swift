/// What the table knows of a stage before any job is read.
public struct StageDescription: Sendable {
    /// The name in job files: a verb and an object in snake case.
    public let name: String
    /// One sentence, in the imperative, with its full stop.
    public let summary: String
    /// What the stage gives and what surprises, in a few plain sentences; nil when the summary says it all.
    public let details: String?
    /// Documentation, tests and specification at once.
    public let examples: [StageExample]

    public init(name: String, summary: String, details: String? = nil, examples: [StageExample]) {
        self.name = name
        self.summary = summary
        self.details = details
        self.examples = examples
    }
}

/// One example of a stage: printed by `daybook stages NAME`, and run by the tests.
///
/// Rows are written as CSV with a typed header, `date:day,count:integer`; a cell with nothing in it is missing, and `""`
/// is an empty text. Where a stage reads or writes bytes, the input or output is those bytes instead; where a library opens
/// the file, the input is the SQL that builds it.
public struct StageExample: Sendable {
    /// What the example shows, as a sentence without its full stop.
    public let claim: String
    /// The options as they would stand in a job.
    public let options: String
    /// What stands in the file that the output starts from, or nil when there is none.
    public private(set) var base: String?
    public let input: String
    /// The rows of the second stage under `from`, for a stage that reads two.
    public private(set) var beside: String?
    /// What comes out, or nil when the example only shows a refusal.
    public let output: String?
    /// Parts of an output that is too long to show whole, in the order in which they stand in it.
    public let excerpts: [String]
    /// The findings, each as `row column code` with rows counted from 1 and `-` for no column.
    public let findings: [String]
    /// The message of the error with which the stage refuses the job.
    public let refused: String?
    public let file: String
    public let line: Int

    public init(
        _ claim: String,
        options: String = "",
        base: String? = nil,
        input: String,
        beside: String? = nil,
        output: String,
        findings: [String] = [],
        file: String = #fileID,
        line: Int = #line
    ) {
        self.init(claim, options, input, output, [], findings, nil, file, line)
        self.base = base
        self.beside = beside
    }

    /// An example whose output is too long to show whole.
    public init(
        _ claim: String,
        options: String = "",
        input: String,
        excerpts: [String],
        findings: [String] = [],
        file: String = #fileID,
        line: Int = #line
    ) {
        self.init(claim, options, input, nil, excerpts, findings, nil, file, line)
    }

    public init(
        _ claim: String,
        options: String = "",
        input: String,
        beside: String? = nil,
        refused: String,
        file: String = #fileID,
        line: Int = #line
    ) {
        self.init(claim, options, input, nil, [], [], refused, file, line)
        self.beside = beside
    }

    private init(
        _ claim: String,
        _ options: String,
        _ input: String,
        _ output: String?,
        _ excerpts: [String],
        _ findings: [String],
        _ refused: String?,
        _ file: String,
        _ line: Int
    ) {
        self.claim = claim
        self.options = options
        self.input = input
        self.output = output
        self.excerpts = excerpts
        self.findings = findings
        self.refused = refused
        self.file = file
        self.line = line
    }
}
