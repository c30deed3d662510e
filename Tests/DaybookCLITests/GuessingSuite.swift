import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

/// Tests that guess a job for a small file and run it.
protocol GuessingSuite {
    var place: TemporaryDirectory { get }
    var command: CommandTrial { get }
}

extension GuessingSuite {
    /// The job, with its comments on one line each.
    func guess(_ text: String, as name: String = "in.csv") throws -> String {
        try place.write(text, to: name)
        let outcome = try command.run("guess", name)
        try #require(outcome.status == 0, "\(outcome.errors)")
        try place.write(outcome.output, to: "job.yaml")
        let check = try command.run("run", "job.yaml", "--as-of", "2026-11-26")
        #expect(check.status == 0, "\(outcome.output)\(check.errors)")
        return outcome.output.replacing(#/\n *# /#, with: " ")
    }
}
