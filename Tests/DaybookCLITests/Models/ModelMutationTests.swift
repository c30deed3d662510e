import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

/// A stage that breaks the records of a printed job makes the run fail, and a finding leads to the field.
@Suite struct ModelMutationTests {
    /// What a stage before the export does to one field.
    enum Mutation: CaseIterable, Sendable {
        case lost, renamed, otherDate, otherWord, flatList, otherKind

        var field: String {
            switch self {
            case .lost, .renamed, .otherKind: "title"
            case .otherDate: "savedDate"
            case .otherWord: "kind"
            case .flatList: "tags"
            }
        }

        func stage(writesText: Bool) -> String {
            func derived(_ value: String) -> String {
                "derive_columns: { replace: true, columns: { \(field): \"\(value)\" } }"
            }
            switch self {
            case .lost: return derived("case when title is null then title end")
            case .renamed: return "rename_columns: { names: { title: titel } }"
            case .otherDate: return derived(writesText ? "793983600" : "'2026-02-28T15:00:00Z'")
            case .otherWord: return derived("kind || '2'")
            case .flatList: return derived("'home'")
            case .otherKind: return derived("12")
            }
        }
    }

    @Test("a field that is broken fails the run", arguments: Mutation.allCases)
    func fails(_ mutation: Mutation) throws {
        let few = UInt64(200 / Mutation.allCases.count + 1)
        let seeds = TestSize.seeds(few, of: 20 * few)
        var broken = 0
        for seed in seeds {
            let form = AppFile.Form.allCases[Int(seed) % AppFile.Form.allCases.count]
            let file = try AppFile(form, seed: seed, isPlain: true)
            if file.hasDateKeys { continue }
            var trip = try ModelTrip(file)
            if trip.takesWhole || trip.takesPart { continue }
            broken += 1
            if mutation == .otherWord {
                try trip.changeModel(
                    "let kind: String\n",
                    to: "let kind: Word\n    enum Word: String, Codable { case home, work }\n"
                )
            }
            trip.job = trip.job.replacing(
                "\n  - export_",
                with: "\n  - \(mutation.stage(writesText: file.writesText))\n  - export_"
            )
            let note =
                "\(mutation), \(form.rawValue), \(SeededGenerator(seed: seed))\n\(trip.model.source)\n\(trip.job)"
            let outcome = try trip.run()
            let findings = outcome.findings.filter { $0.code == "not-decodable" }
            #expect(outcome.exitCode != 0, "\(note)")
            #expect(outcome.errors.contains { $0.code == "not-decodable" }, "\(outcome.errors) \(note)")
            // The pointer leads to the record, and the message from there to the field.
            let isTold = findings.contains {
                $0.message.contains("'/\(mutation.field)'") || $0.message.contains("the key '\(mutation.field)'")
            }
            #expect(isTold, "\(findings.map { ($0.pointer, $0.message) }) \(note)")
            #expect(!FileManager.default.fileExists(atPath: trip.place.url.appendingPathComponent("out").path))
        }
        #expect(broken * 2 > seeds.count, "of \(seeds.count) files, only \(broken) were broken")
    }
}
