import DaybookStandard
import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookJSON

/// What is written does not depend on where in a file a value stands: the columns are those of all records.
@Suite struct LearntColumnsTests {
    private let scratch = Scratch()
    private static let lines = 70_000

    private func run(_ options: String = "") throws -> RunOutcome {
        let export = "export_json: { path: out.ndjson, layout: lines }"
        let text = "daybook: 1\nstages:\n  - import_json: { path: in.ndjson\(options) }\n  - \(export)\n"
        let job = try JobParser { _ in nil }.job(Array(text.utf8), file: "job.yaml")
        let plan = try Plan(job, table: .builtIn, asOf: CalendarDay(iso: "2026-11-21")!)
        let settings = RunSettings(threads: 2, directory: scratch.path, state: StateDirectory(scratch["state"]))
        return Runner(plan, settings).run()
    }

    private func write(_ odd: String, at place: Int) throws {
        var lines = (0..<Self.lines).map { "{\"id\":\($0),\"v\":null}" }
        lines.insert(odd, at: place)
        try lines.joined(separator: "\n").write(toFile: scratch["in.ndjson"], atomically: true, encoding: .utf8)
    }

    @Test(
        "a kind or a key makes the same rows at the beginning of a file and far behind it",
        arguments: TestSize.most(of: [
            (#"{"id":"x2"}"#, #"{"id":"x2"}"#, #"{"id":"5"}"#), (#"{"id":0.5}"#, #"{"id":0.5}"#, #"{"id":5}"#),
            (#"{"id":7,"late":true}"#, #"{"id":7,"late":true}"#, #"{"id":5}"#),
            (#"{"id":[1]}"#, #"{"id":[1]}"#, #"{"id":5}"#),
        ])
    )
    func places(_ odd: String, _ written: String, _ fifth: String) throws {
        for place in [0, 6, Self.lines] {
            try write(odd, at: place)
            let outcome = try run()
            #expect(outcome.errors.isEmpty, "\(outcome.errors)")
            let rows = try #require(scratch.read("out.ndjson")).split(separator: "\n").map(Self.withoutMissing)
            #expect(rows.count == Self.lines + 1)
            #expect(rows[place] == written)
            #expect(rows[place == 0 ? 6 : 5] == fifth)
            #expect(outcome.ledger[0].rejected == 0)
        }
    }

    private static func withoutMissing(_ row: Substring) -> String {
        String(row).replacing(#","v":null"#, with: "").replacing(#","late":null"#, with: "")
    }

    @Test("of values of several kinds one warning names the first that is odd")
    func warning() throws {
        try write(#"{"id":"x2"}"#, at: Self.lines)
        let outcome = try run()
        let found = outcome.findings.filter { $0.code == "mixed-kinds" }
        #expect(found.map(\.line) == [Self.lines + 1] && found.map(\.column) == [7])
    }

    @Test("a declared kind is not learnt, so what does not fit it is rejected")
    func declared() throws {
        try write(#"{"id":"x2"}"#, at: Self.lines)
        let outcome = try run(", columns: { id: integer }")
        #expect(outcome.ledger[0].rejected == 1)
        #expect(outcome.findings.map(\.code) == ["unexpected-kind"])
    }

    @Test("the layout of a document is found wherever what is looked at ends")
    func cuts() throws {
        let text =
            #"{"meta":{"t":"a\\\u00e9\ud83d\ude00b"},"records":["# + "\n" + #"{"n":"x\u00e9\ud83d\ude00\"y"},"# + "\n"
            + #"{"n":-1.5e+3,"ok":true}]}"#
        let bytes = Array(text.utf8)
        let feed = try #require(bytes.firstIndex(of: 0x0A))
        for end in feed + 1..<bytes.count {
            let head = SourceHead(
                source: SourceName(index: 0, path: "x"),
                bytes: Bytes(String(decoding: bytes[..<end], as: UTF8.self)),
                isWhole: false
            )
            let found = try JSONLayoutFinder(head: head).find(.auto, nil, nil)
            guard case .value = found.layout else {
                Issue.record("\(end): \(found.layout)")
                continue
            }
        }
    }
}
