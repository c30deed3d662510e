import DaybookTestSupport
import Foundation

@testable import DaybookApple
@testable import DaybookContracts

/// A Core Data store in a directory of its own, as `import_core_data` reads it.
struct CoreDataTrial {
    let place: TemporaryDirectory
    let url: URL

    init(_ sql: String, name: String = "App.sqlite") throws {
        place = try TemporaryDirectory()
        url = place.url.appendingPathComponent(name)
        try SQLStore.write(sql, to: url)
    }

    /// The SQL of a store that an app wrote, from the folder `Stores`.
    static func stored(_ name: String) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Stores")
        return try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    /// The rows as text, and the codes of the findings and of the warnings about the store.
    struct Outcome: Equatable {
        var rows: String
        var findings: [String] = []
        var warnings: [String] = []
    }

    func read(_ options: String) throws -> Outcome {
        let stage = try ExampleRunner.make(ImportCoreData.self, "path: \(url.lastPathComponent)\n" + options)
        let store = try stage.open(try StoreFile(url, companions: ImportCoreData.companions))
        let schema = try stage.schemaWithFile(of: [store])
        if let missing = stage.missing(from: [store]).first { throw missing }
        let rows = try stage.rowsWithFile(of: store, schema: schema)
        var outcome = Outcome(rows: "", warnings: store.warnings.map(\.code))
        var batches: [Batch] = []
        var findings = Findings()
        while let batch = try rows.next(1 << 20, reporting: &findings) {
            for finding in findings.rejectedRows + findings.warnedRows {
                let subject = findings.subjects[findings.index(of: finding.token)]
                outcome.findings.append("\(finding.row + 1) \(subject.column ?? "-") \(subject.kind.code)")
            }
            batches.append(findings.keptRows(of: batch.count).map(batch.keeping) ?? batch)
            findings = Findings()
        }
        outcome.rows = BatchText.write(batches, schema: schema)
        return outcome
    }

    /// The error with which the stage refuses the store.
    func refusal(_ options: String) -> DaybookError? {
        do {
            _ = try read(options)
            return nil
        } catch { return error as? DaybookError }
    }

    /// How `daybook guess` would import the store.
    func detection() throws -> FormatDetection? {
        let bytes = Bytes()
        bytes.append(Array(try Data(contentsOf: url)))
        let url = url
        return try ImportCoreData.detect(
            SniffedFile(
                name: url.lastPathComponent,
                head: bytes,
                isWhole: true,
                text: nil,
                reading: { _ throws(DaybookError) in nil },
                opening: { companions throws(DaybookError) in
                    do { return try StoreFile(url, companions: companions) } catch {
                        throw .machine("unreadable", "\(error)")
                    }
                }
            )
        )
    }
}
