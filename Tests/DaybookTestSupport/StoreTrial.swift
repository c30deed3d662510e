import DaybookContracts
import Foundation

/// Runs one example of a source of stores in its disguises. The input is the SQL that builds the store.
///
/// After each, the directory of the store has to be as it was: reading may leave no trace.
struct StoreTrial<S: StoreSource> {
    private let stage: S
    private let example: StageExample

    init(_ stage: S, _ example: StageExample) {
        self.stage = stage
        self.example = example
    }

    private var name: String { stage.paths.first?.text.split(separator: "/").last.map(String.init) ?? "example" }

    /// Does what the engine does before it draws the first batch.
    static func open(_ stage: S, _ example: StageExample) throws {
        let trial = StoreTrial(stage, example)
        let place = try TemporaryDirectory()
        _ = try trial.opened(try trial.build(in: place, SQLStore.Form()))
    }

    func run(_ log: inout FailureLog) throws {
        let findings = try example.findingLines()
        for form in SQLStore.forms {
            for size in [1 << 20, 1, 512] {
                let disguise = "\(form), batches of \(size) bytes"
                log.expect(example.output, findings: findings, as: disguise) {
                    let place = try TemporaryDirectory()
                    return try outcome(of: try build(in: place, form), batchSize: size)
                }
            }
        }
        if findings.isEmpty { try runProjected(&log) }
    }

    /// Reads a store in which some bytes are changed: it may be refused, or give other rows, and that is the same for
    /// batches of one row.
    func survive(_ bytes: [UInt8], _ log: inout FailureLog) throws {
        let place = try TemporaryDirectory()
        let url = try place.write(Data(bytes), to: name)
        let whole = Result { try outcome(of: url, batchSize: 1 << 20) }
        for broken in (try? whole.get())?.broken ?? [] { log.add(broken, as: "a changed store") }
        let single = Result { try outcome(of: url, batchSize: 1) }
        if let whole = try? whole.get(), let single = try? single.get(), whole.output != single.output {
            log.add("expected\n\(whole.output)\n  found\n\(single.output)", as: "a changed store, row by row")
        }
    }

    /// The bytes of the store of the example.
    func bytes() throws -> [UInt8] {
        let place = try TemporaryDirectory()
        return Array(try Data(contentsOf: try build(in: place, SQLStore.Form(pageSize: 512))))
    }

    private func build(in place: TemporaryDirectory, _ form: SQLStore.Form) throws -> URL {
        let url = place.url.appendingPathComponent(name)
        try SQLStore.write(example.input, to: url, as: form)
        return url
    }

    private func opened(_ url: URL) throws -> (store: S.Store, schema: Schema) {
        var file = try StoreFile(url, companions: S.companions)
        file.since = stage.since.map { SinceBound($0.start, isInclusive: true) }
        let store = try stage.open(file)
        let schema = try stage.schemaWithFile(of: [store])
        if let missing = stage.missing(from: [store]).first { throw missing }
        return (store, schema)
    }

    private func outcome(of url: URL, batchSize: Int, wanting wanted: ColumnSet = .all) throws -> Outcome {
        let before = try StoreTrial.traces(beside: url)
        var outcome = Outcome(output: "")
        var batches: [Batch] = []
        var schema: Schema
        do {
            let (store, all) = try opened(url)
            schema = all.selecting(wanted)
            let rows = try stage.rowsWithFile(of: store, schema: schema)
            var drawn = 0
            while true {
                var findings = Findings()
                guard let batch = try rows.next(batchSize, reporting: &findings) else { break }
                check(batch, findings, rows, schema, &outcome)
                let start = drawn
                outcome.findings += findings.rowLines { start + $0 + 1 }
                drawn += batch.count
                batches.append(findings.keptRows(of: batch.count).map(batch.keeping) ?? batch)
            }
            if rows.share != 1 {
                outcome.broken.append("all rows were drawn, and \(rows.share) of them are said to be")
            }
            if store.recognised.isEmpty { outcome.broken.append("the store does not say what it is") }
        }
        outcome.output = BatchText.write(outcome.broken.isEmpty ? batches : [], schema: schema)
        if try StoreTrial.traces(beside: url) != before {
            outcome.broken.append("reading left traces beside the store")
        }
        return outcome
    }

    private func check(
        _ batch: Batch,
        _ findings: Findings,
        _ rows: any StoreRows,
        _ schema: Schema,
        _ outcome: inout Outcome
    ) {
        outcome.broken += ExampleRunner.difference(of: batch.schema, from: schema)
        outcome.broken += findings.misplaced(in: batch.count)
        if findings.recordsSeen != batch.count {
            outcome.broken.append("\(findings.recordsSeen) rows were seen, and \(batch.count) came out")
        }
        guard case .store(_, let provenance) = batch.provenance, provenance.count == batch.count else {
            outcome.broken.append("a row of a store needs its number for its origin")
            return
        }
        for finding in findings.rejectedRows + findings.warnedRows {
            let number = provenance[Int(finding.row)].number
            let column = findings.subjects[findings.index(of: finding.token)].column
            let field = column.flatMap { schema[ColumnName($0)]?.source }
            guard let record = rows.record(again: number) else {
                outcome.broken.append("row \(number) is not found again")
                continue
            }
            if let field, record.value(of: field) == nil {
                outcome.broken.append("row \(number) has no value in '\(field)' when it is found again")
            }
            if !rows.pointer(to: field, row: number).hasPrefix("/") {
                outcome.broken.append("row \(number) has no pointer")
            }
        }
    }

    /// A source that is asked for some columns gives the same values in them.
    private func runProjected(_ log: inout FailureLog) throws {
        guard let output = example.output else { return }
        let place = try TemporaryDirectory()
        let url = try build(in: place, SQLStore.Form())
        let rows = try BatchText.read(output)
        for wanted in rows.schema.names.map({ ColumnSet.some([$0]) }) + [.none] {
            let whole = rows.selecting(wanted)
            log.expect(
                BatchText.write(whole),
                findings: [],
                as: "asked only for \(ExampleRunner.names(of: wanted))"
            ) { try outcome(of: url, batchSize: 1 << 20, wanting: wanted) }
        }
    }

    /// Everything in the directory of a store, by name.
    private static func traces(beside url: URL) throws -> [String: Data] {
        let directory = url.deletingLastPathComponent()
        var traces: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            traces[name] = try Data(contentsOf: directory.appendingPathComponent(name))
        }
        return traces
    }
}
