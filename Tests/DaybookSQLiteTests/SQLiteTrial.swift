import DaybookTestSupport
import Foundation

@testable import DaybookContracts

/// A database in a directory of its own, as a stage reads it.
struct SQLiteTrial {
    let place: TemporaryDirectory
    let url: URL

    init(_ sql: String, as form: SQLStore.Form = SQLStore.Form()) throws {
        place = try TemporaryDirectory()
        url = place.url.appendingPathComponent("store.sqlite")
        try SQLStore.write(sql, to: url, as: form)
    }

    init(_ bytes: Data, log: Data? = nil) throws {
        place = try TemporaryDirectory()
        url = try place.write(bytes, to: "store.sqlite")
        if let log { try place.write(log, to: "store.sqlite-wal") }
    }

    /// What came of reading: the rows as text, and the codes of the findings.
    struct Outcome: Equatable {
        var rows: String
        var findings: [String] = []
        var recognised: [String] = []
    }

    func read<S: StoreSource>(_ stage: S.Type, _ options: String, batchSize: Int = 1 << 20) throws -> Outcome {
        try read(try ExampleRunner.make(stage, "path: store.sqlite\n" + options), batchSize: batchSize)
    }

    func read<S: StoreSource>(_ stage: S, batchSize: Int = 1 << 20) throws -> Outcome {
        let store = try stage.open(try StoreFile(url, companions: S.companions))
        let schema = try stage.schemaWithFile(of: [store])
        let rows = try stage.rowsWithFile(of: store, schema: schema)
        var outcome = Outcome(rows: "", recognised: store.recognised)
        var batches: [Batch] = []
        var findings = Findings()
        while let batch = try rows.next(batchSize, reporting: &findings) {
            for finding in findings.rejectedRows + findings.warnedRows {
                let subject = findings.subjects[findings.index(of: finding.token)]
                outcome.findings.append("\(subject.column ?? "-") \(subject.kind.code)")
                if case .store(_, let provenance) = batch.provenance {
                    _ = rows.record(again: provenance[Int(finding.row)].number)
                }
            }
            batches.append(findings.keptRows(of: batch.count).map(batch.keeping) ?? batch)
            findings = Findings()
        }
        outcome.rows = BatchText.write(batches, schema: schema)
        return outcome
    }

    /// The message with which a stage refuses the store.
    func refusal<S: StoreSource>(_ stage: S.Type, _ options: String) -> String? {
        do {
            _ = try read(stage, options)
            return nil
        } catch let error as DaybookError {
            return error.message
        } catch {
            return "\(error)"
        }
    }

    /// Everything in the directory, by name.
    func traces() throws -> [String: Data] {
        var traces: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: place.url.path) {
            traces[name] = try Data(contentsOf: place.url.appendingPathComponent(name))
        }
        return traces
    }
}
