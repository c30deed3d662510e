import DaybookContracts

/// One way in which a stage did not do what its example says.
public struct ExampleFailure: Sendable, CustomStringConvertible {
    public let stage: String
    public let example: StageExample
    /// What was done to the example before it was run, such as `batches of 2`.
    public let disguise: String
    public let message: String

    /// The whole story, for the log of a test.
    public var description: String {
        "\(stage): \(example.claim)\n  as: \(disguise)\n  \(message)\n  at: \(example.file):\(example.line)"
    }
}

/// What came of running an example once.
struct Outcome {
    /// The resulting rows or bytes, as text.
    var output: String
    var findings: [FindingLine] = []
    /// Promises of the protocols that were broken on the way.
    var broken: [String] = []
}

/// Collects what goes wrong with one example.
struct FailureLog {
    let stage: String
    let example: StageExample
    private(set) var failures: [ExampleFailure] = []

    init(stage: any Stage.Type, example: StageExample) {
        self.stage = stage.description.name
        self.example = example
    }

    mutating func add(_ message: String, as disguise: String) {
        failures.append(ExampleFailure(stage: stage, example: example, disguise: disguise, message: message))
    }

    /// Says that a stage puts a column of its own in the place of one that the rows have.
    mutating func add(writtenOver name: String) {
        add(
            "a column '\(name)' that is there already is written over; 'Schema.adding' refuses it",
            as: "a column '\(name)' that is there already"
        )
    }

    /// Runs `body` and compares what comes of it; an error is a failure too.
    mutating func expect(
        _ output: String?,
        findings: [FindingLine]?,
        as disguise: String,
        isTable: Bool = true,
        from body: () throws -> Outcome
    ) {
        let outcome: Outcome
        do {
            outcome = try body()
        } catch {
            return add("throws \(ExampleRunner.messages(of: error))", as: disguise)
        }
        for promise in outcome.broken { add(promise, as: disguise) }
        if let output, output != outcome.output {
            // Quotes that a cell does not need are not drawn in a table.
            let isDrawn = isTable && TableText.aligned(output) != TableText.aligned(outcome.output)
            let draw = isDrawn ? TableText.aligned : { "    " + TableText.visible($0) }
            add("expected\n\(draw(output))\n  found\n\(draw(outcome.output))", as: disguise)
        }
        if let findings, findings.sorted() != outcome.findings.sorted() {
            add("expected the findings \(findings.sorted()), found \(outcome.findings.sorted())", as: disguise)
        }
    }
}

/// A finding as examples write it: `3 colour not-a-hex-colour`, with `-` for no column.
struct FindingLine: Hashable, Comparable, CustomStringConvertible {
    /// Counted from 1, in the input of the example.
    var row: Int
    /// Column and code.
    var what: String

    init(row: Int, what: String) {
        self.row = row
        self.what = what
    }

    init(reading line: String) throws(DaybookError) {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let row = Int(parts[0]) else {
            throw BatchText.mistake("the finding '\(line)' is not written as 'row column code'")
        }
        self.init(row: row, what: String(parts[1]))
    }

    var description: String { "\(row) \(what)" }

    static func < (first: FindingLine, second: FindingLine) -> Bool {
        (first.row, first.what) < (second.row, second.what)
    }
}

extension StageExample {
    func findingLines() throws(DaybookError) -> [FindingLine] {
        var lines: [FindingLine] = []
        for finding in findings { lines.append(try FindingLine(reading: finding)) }
        return lines
    }
}

extension Findings {
    /// The findings about rows, each numbered by `number`. Drops stand among them as `3 - dropped as duplicates`.
    ///
    /// A row that is rejected twice shows its first reason, as in the engine; what is said of all rows has the number 0.
    func rowLines(_ number: (Int) -> Int) -> [FindingLine] {
        var rejected: Set<UInt32> = []
        let firstReasons = rejectedRows.filter { rejected.insert($0.row).inserted }
        let failed = failures.filter { $0.fate != .counted }.flatMap { failure in
            failure.rows.rows.map { line(number($0), failure.token) }
        }
        return failed + verdicts.map { line(0, $0.token) }
            + (firstReasons + warnedRows).map { line(number(Int($0.row)), $0.token) }
            + droppedRows.map {
                FindingLine(row: number(Int($0.row)), what: "- dropped as \(dropNames[Int($0.name)])")
            }
    }

    /// The findings about records that an importer made no row of, or noted something about.
    func recordLines(_ number: (Int) -> Int) -> [FindingLine] {
        (rejectedRecords + warnedRecords).map { line(number(Int($0.record)), $0.token) }
    }

    private func line(_ row: Int, _ token: Finding.Token) -> FindingLine {
        let subject = subjects[index(of: token)]
        return FindingLine(row: row, what: "\(subject.column ?? "-") \(subject.kind.code)")
    }

    /// What is wrong with findings about a batch of `count` rows, such as a row that it does not have.
    func misplaced(in count: Int) -> [String] {
        let wrong = failures.filter { $0.rows.count != count }.map { failure in
            "a rule speaks of \(failure.rows.count) rows of a batch of \(count)"
        }
        let rows = (rejectedRows + warnedRows).map(\.row) + droppedRows.map(\.row)
        return wrong + rows.filter { $0 >= count }.map { "a finding is about row \($0) of a batch of \(count)" }
    }
}
