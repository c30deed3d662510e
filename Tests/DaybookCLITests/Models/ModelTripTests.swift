import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

/// Records of random types, as Foundation's encoders write them, go out and come back through the jobs that
/// `daybook guess --swift` prints, read by the models printed with them.
@Suite struct ModelTripTests {
    @Test("records go out and come back", arguments: AppFile.Form.allCases)
    func comeBack(_ form: AppFile.Form) throws {
        // All forms together make two thousand.
        let few = UInt64(2_000 / AppFile.Form.allCases.count + 1)
        var (tried, parts, refused): (Int, Int, [String: Int]) = (0, 0, [:])
        for seed in TestSize.seeds(few, of: 20 * few) {
            tried += 1
            let file = try AppFile(form, seed: seed)
            var trip: ModelTrip
            do { trip = try ModelTrip(file) } catch {
                if file.hasDateKeys { continue }
                refused[ModelTripTests.reason(error), default: 0] += 1
                continue
            }
            if trip.takesPart {
                parts += 1
                continue
            }
            let note = "\(form.rawValue), \(SeededGenerator(seed: seed))"
            if seed % 2 == 0 { trip.holdImport() }
            let outcome = try trip.run()
            guard outcome.exitCode == 0 else {
                let findings = outcome.findings.map { "\($0.code) \($0.pointer ?? ""): \($0.message)" }
                Issue.record("\(note): \(outcome.errors) \(findings)\n\(trip.model.source)\n\(trip.job)")
                continue
            }
            if let difference = file.difference(from: try trip.written(), isWhole: trip.takesWhole) {
                Issue.record("\(note): \(difference)\n\(trip.model.source)\n\(trip.job)")
            }
        }
        // A record in which several texts are JSON looks like a dump of user defaults.
        let most = form == .one ? tried / 10 : tried / 20
        #expect(refused.values.reduce(0, +) <= most, "\(form.rawValue): of \(tried), not modelled: \(refused)")
        #expect(form == .one || parts * 50 <= tried, "\(form.rawValue): of \(tried), only a part of \(parts) was taken")
    }

    private static func reason(_ error: any Error) -> String {
        let errors = (error as? DaybookErrors)?.errors ?? (error as? DaybookError).map { [$0] } ?? []
        return errors.isEmpty ? "\(error)" : errors.map { "\($0.code): \($0.message)" }.joined(separator: "; ")
    }
}
